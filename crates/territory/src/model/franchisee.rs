//! A franchisee (加盟商): 0 洽谈 → 1 合作中 → 2 到期, 1 or 2 → 3 解约. Managed by ally info, not by a level of operators.

use std::collections::BTreeSet;

use chrono::NaiveDate;
use kernel::{Aggregate, Claim, Decision, Personal, events, refusals};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use vocabulary::text::{amended, line, lines};
use vocabulary::{AgentId, AreaId, Cents, DataOwner, FranchiseeId, NotAPhone, Phone, Timestamp, choices};

use super::license::{LicenseNo, NotALicenseNo};

/// A company's name has at most so many characters.
pub const COMPANY_MAX: usize = 64;
/// A person's name has at most so many characters.
pub const PERSON_MAX: usize = 20;
/// A remark or a reason has at most so many characters.
pub const REMARK_MAX: usize = 200;
/// One franchisee works in at most so many service areas.
pub const AREAS_MAX: usize = 100;
/// A deposit is at most a hundred million yuan: more is a slip of the pen.
pub const DEPOSIT_MAX: Cents = Cents(10_000_000_000);
/// The whole, in ten-thousandths.
pub const WHOLE_BP: i32 = 10_000;

const SHANGHAI_MS: i64 = 8 * 3_600_000;

/// The day in Asia/Shanghai at `now`.
pub fn day(now: Timestamp) -> NaiveDate {
    now.plus_millis(SHANGHAI_MS).datetime().date_naive()
}

choices! {
    /// Where a franchisee stands. Its contract's last day over, it is [`FranchiseeState::Expired`].
    #[derive(Default)]
    pub enum FranchiseeState("加盟商状态") {
        #[default]
        Negotiating = 0 => "洽谈",
        Cooperating = 1 => "合作中",
        Expired = 2 => "到期",
        Terminated = 3 => "解约",
    }
}

/// What was agreed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Terms {
    /// 公司.
    pub company: String,
    /// 统一社会信用代码.
    pub license_no: Option<LicenseNo>,
    /// 服务区, of the agent.
    pub area_ids: BTreeSet<AreaId>,
    /// 加盟时间.
    pub joined_on: Option<NaiveDate>,
    /// The contract's last day.
    pub contract_end: Option<NaiveDate>,
    /// 保证金, paid.
    pub deposit: Cents,
    /// 分成比例, ten-thousandths; 0: not agreed yet.
    pub ratio_bp: i32,
    /// 备注.
    pub remark: String,
}

/// The people behind it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct People {
    /// 联系人.
    pub contact: String,
    /// 联系电话.
    pub phone: Phone,
    /// 法人; empty until it is known.
    pub legal_person: String,
}

/// What people fill in. What is absent stays as it is; an empty text takes away what was there.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = FranchiseeBody)]
pub struct Form {
    /// 1 to 64 characters.
    pub company: Option<String>,
    /// 1 to 20 characters.
    pub contact: Option<String>,
    /// A mobile number.
    pub phone: Option<String>,
    /// 统一社会信用代码.
    pub license_no: Option<String>,
    /// 法人.
    pub legal_person: Option<String>,
    /// Areas of the agent, at most 100.
    pub service_area_ids: Option<BTreeSet<AreaId>>,
    /// `YYYY-MM-DD`.
    pub joined_at: Option<String>,
    /// `YYYY-MM-DD`, the last day.
    pub contract_end: Option<String>,
    /// Cents.
    pub deposit_paid: Option<i64>,
    /// Ten-thousandths, 0 to 10000.
    pub divide_ratio_bp: Option<i32>,
    /// At most 200 characters.
    pub remark: Option<String>,
}

/// What may be asked.
#[derive(Clone, Debug)]
pub enum FranchiseeCommand {
    /// Takes it in, 洽谈.
    Register { franchisee_id: FranchiseeId, agent_id: AgentId, form: Form },
    /// Changes what is known; `revision` is the one that the editor saw.
    Change { form: Form, revision: i64 },
    /// Signs the contract: 洽谈 becomes 合作中.
    Sign,
    /// The system's own: 合作中 becomes 到期 when the contract's last day is over.
    Expire,
    /// Ends it: 解约.
    Terminate { reason: String, unsettled_bills: i64 },
    /// Removes one with whom nothing was signed.
    Delete,
    /// Tells who looked at whole names and phones.
    Reveal,
}

events! {
    /// What happened.
    #[derive(Eq)]
    pub enum FranchiseeEvent {
        Registered {
            franchisee_id: FranchiseeId,
            agent_id: AgentId,
            terms: Terms,
            people: Personal<People>,
        } = "ally.registered",
        TermsChanged { terms: Terms } = "ally.terms_changed",
        PeopleChanged { people: Personal<People> } = "ally.people_changed",
        Signed = "ally.signed",
        Expired = "ally.expired",
        Terminated { reason: String } = "ally.terminated",
        Deleted = "ally.deleted",
        /// Somebody looked at whole names and phones.
        Revealed = "ally.revealed",
    }
}

refusals! {
    /// Why not.
    pub enum FranchiseeRefusal {
        Unknown = "ally-unknown": ("加盟商不存在或已删除"),
        Exists = "ally-exists": ("加盟商已存在"),
        Company = "ally-company": ("公司名称需 1 到 {COMPANY_MAX} 个字"),
        Person(&'static str) = "ally-person": ("{0}需 1 到 {PERSON_MAX} 个字，不能含有 *"),
        NoPhone = "ally-phone": ("请填写联系电话"),
        Phone(NotAPhone) = "phone-bad": ("{0}"),
        License(NotALicenseNo) = "ally-license": ("{0}"),
        Date(&'static str) = "ally-date": ("{0}应为 YYYY-MM-DD 格式的日期"),
        Remark = "ally-remark": ("备注最多 {REMARK_MAX} 个字"),
        Areas = "ally-areas": ("一个加盟商最多 {AREAS_MAX} 个服务区"),
        Dates = "ally-dates": ("合同到期日不能早于加盟日期"),
        Deposit = "ally-deposit": ("保证金需在 0 到 1 亿元之间"),
        Ratio = "ally-ratio": ("分成比例需在 0% 到 100% 之间"),
        LicenseTaken = "ally-license-taken": ("该代理下已有统一社会信用代码相同的加盟商"),
        Stale { seen: i64, actual: i64 } = "stale-version": ("加盟商资料已被他人修改（当前版本 {actual}，您的版本 {seen}），请刷新后重试"),
        Incomplete(String) = "ally-incomplete": ("签约资料不完整，请先补全：{0}"),
        EndPassed(NaiveDate) = "ally-end-passed": ("合同到期日 {0} 已过，请填写新的到期日"),
        TooEarly = "ally-too-early": ("合同尚未到期"),
        TermsClosed = "ally-terms-closed": ("合同已到期，只能修改联系人、电话和法人"),
        Ended = "ally-ended": ("已解约的加盟商不能再修改"),
        NotNow { now: &'static str, act: &'static str } = "ally-not-now": ("加盟商当前为“{now}”，不能{act}"),
        Reason = "ally-reason": ("请填写解约原因，最多 {REMARK_MAX} 个字"),
        Unsettled(i64) = "ally-unsettled": ("还有 {0} 笔账单未结清，结清后才能解约"),
        Kept = "ally-kept": ("只有洽谈中的加盟商可以删除；合作过的请解约，档案会保留"),
    }
}

/// The franchisee as decisions need it.
#[derive(Clone, Debug, Default)]
pub struct Franchisee {
    /// Its id and agent; nothing before it came.
    known: Option<(FranchiseeId, AgentId)>,
    deleted: bool,
    state: FranchiseeState,
    terms: Terms,
    people: Option<Personal<People>>,
    revision: i64,
}

/// A person's name; one with stars is a masked one sent back.
fn person(name: &str, whose: &'static str) -> Result<String, FranchiseeRefusal> {
    let name = line(name, PERSON_MAX).filter(|name| !name.contains('*'));
    name.ok_or(FranchiseeRefusal::Person(whose))
}

/// A day of the calendar, or nothing.
fn date(
    typed: Option<&String>,
    known: Option<&NaiveDate>,
    name: &'static str,
) -> Result<Option<NaiveDate>, FranchiseeRefusal> {
    let read = |text: &str| NaiveDate::parse_from_str(text, "%Y-%m-%d");
    amended(typed, known, read).map_err(|_| FranchiseeRefusal::Date(name))
}

impl Form {
    /// What it makes of `known` terms, when each of them may stand.
    fn terms(&self, known: &Terms) -> Result<Terms, FranchiseeRefusal> {
        use FranchiseeRefusal::{Areas, Company, Dates, Deposit, License, Ratio, Remark};
        let license = |text: &str| text.to_uppercase().parse().map_err(License);
        let terms = Terms {
            company: line(self.company.as_ref().unwrap_or(&known.company), COMPANY_MAX).ok_or(Company)?,
            license_no: amended(self.license_no.as_ref(), known.license_no.as_ref(), license)?,
            area_ids: self.service_area_ids.as_ref().unwrap_or(&known.area_ids).clone(),
            joined_on: date(self.joined_at.as_ref(), known.joined_on.as_ref(), "加盟日期")?,
            contract_end: date(self.contract_end.as_ref(), known.contract_end.as_ref(), "合同到期日")?,
            deposit: self.deposit_paid.map_or(known.deposit, Cents),
            ratio_bp: self.divide_ratio_bp.unwrap_or(known.ratio_bp),
            remark: lines(self.remark.as_ref().unwrap_or(&known.remark), REMARK_MAX).ok_or(Remark)?,
        };
        let ends_early = terms.joined_on.zip(terms.contract_end).is_some_and(|(joined, end)| end < joined);
        match &terms {
            Terms { area_ids, .. } if area_ids.len() > AREAS_MAX => Err(Areas),
            _ if ends_early => Err(Dates),
            Terms { deposit, .. } if !(Cents(0)..=DEPOSIT_MAX).contains(deposit) => Err(Deposit),
            Terms { ratio_bp, .. } if !(0..=WHOLE_BP).contains(ratio_bp) => Err(Ratio),
            _ => Ok(terms),
        }
    }

    /// What it makes of the people `known`.
    fn people(&self, known: Option<&People>) -> Result<People, FranchiseeRefusal> {
        let contact = self.contact.as_ref().or(known.map(|people| &people.contact));
        let legal_person = amended(
            self.legal_person.as_ref(),
            known.map(|people| &people.legal_person).filter(|name| !name.is_empty()),
            |name| person(name, "法人"),
        )?;
        let typed = self.phone.as_ref().map(|text| text.trim().parse()).transpose();
        let phone = typed.map_err(FranchiseeRefusal::Phone)?.or(known.map(|people| people.phone.clone()));
        Ok(People {
            contact: person(contact.map_or("", String::as_str), "联系人")?,
            phone: phone.ok_or(FranchiseeRefusal::NoPhone)?,
            legal_person: legal_person.unwrap_or_default(),
        })
    }
}

/// Whether a contract may stand on these terms at `now`.
fn signable(terms: &Terms, people: Option<&People>, now: Timestamp) -> Result<(), FranchiseeRefusal> {
    let missing: Vec<&str> = [
        (terms.license_no.is_none(), "统一社会信用代码"),
        (people.is_none_or(|people| people.legal_person.is_empty()), "法人"),
        (terms.area_ids.is_empty(), "服务区"),
        (terms.joined_on.is_none(), "加盟日期"),
        (terms.contract_end.is_none(), "合同到期日"),
        (terms.ratio_bp == 0, "分成比例"),
    ]
    .into_iter()
    .filter_map(|(missing, name)| missing.then_some(name))
    .collect();
    if !missing.is_empty() {
        return Err(FranchiseeRefusal::Incomplete(missing.join("、")));
    }
    match terms.contract_end.filter(|end| *end < day(now)) {
        Some(end) => Err(FranchiseeRefusal::EndPassed(end)),
        None => Ok(()),
    }
}

impl Franchisee {
    /// The people behind it, as long as they are not forgotten.
    pub fn people(&self) -> Option<&People> {
        self.people.as_ref().and_then(Personal::known)
    }

    /// What was agreed.
    pub fn terms(&self) -> &Terms {
        &self.terms
    }

    /// How often it was changed: what an editor names to be told of a change by others.
    pub fn revision(&self) -> i64 {
        self.revision
    }

    /// With whom it works; nothing when there is no such franchisee.
    pub fn agent(&self) -> Option<AgentId> {
        self.known.filter(|_| !self.deleted).map(|(_, agent)| agent)
    }

    fn change(&self, franchisee_id: FranchiseeId, form: &Form, now: Timestamp) -> Decision<Self> {
        let terms = form.terms(&self.terms)?;
        let people = form.people(self.people())?;
        match self.state {
            FranchiseeState::Negotiating => {}
            FranchiseeState::Cooperating => signable(&terms, Some(&people), now)?,
            FranchiseeState::Expired if terms != self.terms => return Err(FranchiseeRefusal::TermsClosed),
            FranchiseeState::Expired => {}
            FranchiseeState::Terminated => return Err(FranchiseeRefusal::Ended),
        }
        let mut events = Vec::new();
        if terms != self.terms {
            events.push(FranchiseeEvent::TermsChanged { terms });
        }
        if Some(&people) != self.people() {
            events.push(FranchiseeEvent::PeopleChanged {
                people: Personal::new(subject(franchisee_id), people),
            });
        }
        Ok(events)
    }

    fn not_now(&self, act: &'static str) -> FranchiseeRefusal {
        FranchiseeRefusal::NotNow { now: self.state.label(), act }
    }
}

/// No two franchisees of an agent have the same number.
fn license_key(terms: &Terms, agent: AgentId) -> Option<String> {
    terms.license_no.as_ref().map(|license| format!("ally-license:{agent}:{license}"))
}

/// Whose names and phones they are, to be forgotten together.
fn subject(franchisee_id: FranchiseeId) -> String {
    format!("ally:{franchisee_id}")
}

impl Aggregate for Franchisee {
    const CATEGORY: &'static str = "ally";
    type Id = FranchiseeId;
    type Command = FranchiseeCommand;
    type Event = FranchiseeEvent;
    type Refusal = FranchiseeRefusal;

    fn decide(&self, command: Self::Command, now: Timestamp) -> Decision<Self> {
        use FranchiseeState::{Cooperating, Expired, Negotiating, Terminated};
        let franchisee_id = match (self.known, &command) {
            (None, FranchiseeCommand::Register { .. }) => None,
            (None, _) => return Err(FranchiseeRefusal::Unknown),
            (Some(_), FranchiseeCommand::Register { .. }) => return Err(FranchiseeRefusal::Exists),
            (Some(_), FranchiseeCommand::Delete) if self.deleted => return Ok(vec![]),
            (Some(_), _) if self.deleted => return Err(FranchiseeRefusal::Unknown),
            (Some((franchisee_id, _)), _) => Some(franchisee_id),
        };
        match (self.state, command) {
            (_, FranchiseeCommand::Register { franchisee_id, agent_id, form }) => {
                let terms = form.terms(&Terms::default())?;
                let people = Personal::new(subject(franchisee_id), form.people(None)?);
                Ok(vec![FranchiseeEvent::Registered { franchisee_id, agent_id, terms, people }])
            }
            (_, FranchiseeCommand::Change { revision, .. }) if revision != self.revision => {
                Err(FranchiseeRefusal::Stale { seen: revision, actual: self.revision })
            }
            (_, FranchiseeCommand::Change { form, .. }) => {
                self.change(franchisee_id.ok_or(FranchiseeRefusal::Unknown)?, &form, now)
            }
            (Cooperating, FranchiseeCommand::Sign)
            | (Expired, FranchiseeCommand::Expire)
            | (Terminated, FranchiseeCommand::Terminate { .. }) => Ok(vec![]),
            (Negotiating, FranchiseeCommand::Sign) => {
                signable(&self.terms, self.people(), now)?;
                Ok(vec![FranchiseeEvent::Signed])
            }
            (_, FranchiseeCommand::Sign) => Err(self.not_now("签约")),
            (Cooperating, FranchiseeCommand::Expire) => match self.terms.contract_end {
                Some(end) if day(now) > end => Ok(vec![FranchiseeEvent::Expired]),
                _ => Err(FranchiseeRefusal::TooEarly),
            },
            (_, FranchiseeCommand::Expire) => Err(self.not_now("到期")),
            (Cooperating | Expired, FranchiseeCommand::Terminate { reason, unsettled_bills }) => {
                let reason = line(&reason, REMARK_MAX).ok_or(FranchiseeRefusal::Reason)?;
                if unsettled_bills > 0 {
                    return Err(FranchiseeRefusal::Unsettled(unsettled_bills));
                }
                Ok(vec![FranchiseeEvent::Terminated { reason }])
            }
            (Negotiating, FranchiseeCommand::Terminate { .. }) => Err(self.not_now("解约")),
            (Negotiating, FranchiseeCommand::Delete) => Ok(vec![FranchiseeEvent::Deleted]),
            (_, FranchiseeCommand::Delete) => Err(FranchiseeRefusal::Kept),
            (_, FranchiseeCommand::Reveal) => Ok(vec![FranchiseeEvent::Revealed]),
        }
    }

    fn evolve(&mut self, event: &FranchiseeEvent) {
        if *event != FranchiseeEvent::Revealed {
            self.revision += 1;
        }
        match event {
            FranchiseeEvent::Registered { franchisee_id, agent_id, terms, people } => {
                self.known = Some((*franchisee_id, *agent_id));
                self.terms = terms.clone();
                self.people = Some(people.clone());
            }
            FranchiseeEvent::TermsChanged { terms } => self.terms = terms.clone(),
            FranchiseeEvent::PeopleChanged { people } => self.people = Some(people.clone()),
            FranchiseeEvent::Signed => self.state = FranchiseeState::Cooperating,
            FranchiseeEvent::Expired => self.state = FranchiseeState::Expired,
            FranchiseeEvent::Terminated { .. } => self.state = FranchiseeState::Terminated,
            FranchiseeEvent::Deleted => self.deleted = true,
            FranchiseeEvent::Revealed => {}
        }
    }

    fn owner(&self) -> DataOwner {
        self.known.map_or(DataOwner::PLATFORM, |(_, agent)| DataOwner::of_agent(agent))
    }

    fn claims(&self, event: &FranchiseeEvent) -> Vec<Claim<FranchiseeRefusal>> {
        let known = self.known.map(|(_, agent)| agent);
        let held = known.and_then(|agent| license_key(&self.terms, agent));
        let wanted = match event {
            FranchiseeEvent::Registered { agent_id, terms, .. } => license_key(terms, *agent_id),
            FranchiseeEvent::TermsChanged { terms } => known.and_then(|agent| license_key(terms, agent)),
            // Whoever comes back after that comes back under a new contract.
            FranchiseeEvent::Terminated { .. } | FranchiseeEvent::Deleted => None,
            FranchiseeEvent::PeopleChanged { .. }
            | FranchiseeEvent::Signed
            | FranchiseeEvent::Expired
            | FranchiseeEvent::Revealed => held.clone(),
        };
        Claim::exchange(held, wanted, FranchiseeRefusal::LicenseTaken)
    }
}

#[cfg(test)]
#[path = "franchisee_tests.rs"]
mod tests;
