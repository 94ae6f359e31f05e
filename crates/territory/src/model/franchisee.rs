//! A franchisee (加盟商): 0 洽谈 → 1 合作中 → 2 到期, 1 or 2 → 3 解约. Managed by ally info, not by a level of operators.

use std::collections::BTreeSet;

use chrono::NaiveDate;
use kernel::{Aggregate, Claim, Personal, events, refusals};
use serde::{Deserialize, Serialize};
use vocabulary::{AgentId, AreaId, Cents, DataOwner, FranchiseeId, Phone, Timestamp, choices};

use super::license::LicenseNo;

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

/// What is told of the people; what is absent stays as it is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PeopleForm {
    /// 联系人.
    pub contact: Option<String>,
    /// 联系电话.
    pub phone: Option<Phone>,
    /// 法人.
    pub legal_person: Option<String>,
}

/// What people fill in.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FranchiseeForm {
    /// What was agreed.
    pub terms: Terms,
    /// Whom to speak with.
    pub people: PeopleForm,
}

/// What may be asked.
#[derive(Clone, Debug)]
pub enum FranchiseeCommand {
    /// Takes it in, 洽谈.
    Register {
        /// Its own id.
        franchisee_id: FranchiseeId,
        /// With whom it works.
        agent_id: AgentId,
        /// What is known.
        form: FranchiseeForm,
    },
    /// Changes what is known.
    Change {
        /// As it shall be.
        form: FranchiseeForm,
        /// The revision that the editor saw.
        revision: i64,
    },
    /// Signs the contract: 洽谈 becomes 合作中.
    Sign,
    /// The system's own: 合作中 becomes 到期 when the contract's last day is over.
    Expire,
    /// Ends it: 解约.
    Terminate {
        /// Why.
        reason: String,
        /// Bills that are not settled yet.
        unsettled_bills: i64,
    },
    /// Removes one with whom nothing was signed.
    Delete,
    /// Tells who looked at whole names and phones.
    Reveal,
}

events! {
    /// What happened.
    #[derive(Eq)]
    pub enum FranchiseeEvent {
        /// It came.
        Registered {
            /// Its own id.
            franchisee_id: FranchiseeId,
            /// With whom it works.
            agent_id: AgentId,
            /// What was agreed so far.
            terms: Terms,
            /// The people behind it.
            people: Personal<People>,
        } = "ally.registered",
        /// Something else was agreed.
        TermsChanged {
            /// What was agreed.
            terms: Terms,
        } = "ally.terms_changed",
        /// Others are to be spoken with.
        PeopleChanged {
            /// The people behind it.
            people: Personal<People>,
        } = "ally.people_changed",
        /// The contract was signed.
        Signed = "ally.signed",
        /// The contract's last day is over.
        Expired = "ally.expired",
        /// It was ended.
        Terminated {
            /// Why.
            reason: String,
        } = "ally.terminated",
        /// It is gone.
        Deleted = "ally.deleted",
        /// Somebody looked at whole names and phones.
        Revealed = "ally.revealed",
    }
}

refusals! {
    /// Why not.
    pub enum FranchiseeRefusal {
        /// There is none, or no more.
        Unknown = "ally-unknown": ("加盟商不存在或已删除"),
        /// The id is in use.
        Exists = "ally-exists": ("加盟商已存在"),
        /// The company's name is empty or too long.
        Company = "ally-company": ("公司名称需 1 到 {COMPANY_MAX} 个字"),
        /// A person's name is empty or too long.
        Person(&'static str) = "ally-person": ("{0}需 1 到 {PERSON_MAX} 个字，不能含有 *"),
        /// There is no phone.
        NoPhone = "ally-phone": ("请填写联系电话"),
        /// The remark is too long.
        Remark = "ally-remark": ("备注最多 {REMARK_MAX} 个字"),
        /// Too many areas.
        Areas = "ally-areas": ("一个加盟商最多 {AREAS_MAX} 个服务区"),
        /// The contract ends before it begins.
        Dates = "ally-dates": ("合同到期日不能早于加盟日期"),
        /// The deposit is negative or absurd.
        Deposit = "ally-deposit": ("保证金需在 0 到 1 亿元之间"),
        /// The share is negative or more than the whole.
        Ratio = "ally-ratio": ("分成比例需在 0% 到 100% 之间"),
        /// Another franchisee of the agent has this number.
        LicenseTaken = "ally-license-taken": ("该代理下已有统一社会信用代码相同的加盟商"),
        /// Somebody else changed it meanwhile.
        Stale { seen: i64, actual: i64 } = "stale-version": ("加盟商资料已被他人修改（当前版本 {actual}，您的版本 {seen}），请刷新后重试"),
        /// Something is not agreed yet that a contract needs.
        Incomplete(String) = "ally-incomplete": ("签约资料不完整，请先补全：{0}"),
        /// The contract would end in the past.
        EndPassed(NaiveDate) = "ally-end-passed": ("合同到期日 {0} 已过，请填写新的到期日"),
        /// The contract's last day is not over.
        TooEarly = "ally-too-early": ("合同尚未到期"),
        /// The contract is over: what was agreed is history.
        TermsClosed = "ally-terms-closed": ("合同已到期，只能修改联系人、电话和法人"),
        /// It is ended.
        Ended = "ally-ended": ("已解约的加盟商不能再修改"),
        /// That does not follow on where it stands.
        NotNow { now: &'static str, act: &'static str } = "ally-not-now": ("加盟商当前为“{now}”，不能{act}"),
        /// The reason is empty or too long.
        Reason = "ally-reason": ("请填写解约原因，最多 {REMARK_MAX} 个字"),
        /// Bills are not settled.
        Unsettled(i64) = "ally-unsettled": ("还有 {0} 笔账单未结清，结清后才能解约"),
        /// What was signed once is kept.
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

/// `text` without surrounding blanks, when it is 1 to `max` characters without control characters.
fn line(text: &str, max: usize) -> Option<String> {
    let text = text.trim();
    let fits = (1..=max).contains(&text.chars().count()) && !text.chars().any(char::is_control);
    fits.then(|| text.to_owned())
}

/// A person's name; one with stars is a masked one sent back.
fn person(name: &str) -> Option<String> {
    line(name, PERSON_MAX).filter(|name| !name.contains('*'))
}

/// The terms with their texts trimmed, when each of them may stand.
fn checked(terms: Terms) -> Result<Terms, FranchiseeRefusal> {
    let company = line(&terms.company, COMPANY_MAX).ok_or(FranchiseeRefusal::Company)?;
    let remark = terms.remark.trim().to_owned();
    if remark.chars().count() > REMARK_MAX
        || remark.chars().any(|letter| letter.is_control() && letter != '\n')
    {
        return Err(FranchiseeRefusal::Remark);
    }
    if terms.area_ids.len() > AREAS_MAX {
        return Err(FranchiseeRefusal::Areas);
    }
    if let (Some(joined), Some(end)) = (terms.joined_on, terms.contract_end)
        && end < joined
    {
        return Err(FranchiseeRefusal::Dates);
    }
    if !(Cents(0)..=DEPOSIT_MAX).contains(&terms.deposit) {
        return Err(FranchiseeRefusal::Deposit);
    }
    if !(0..=WHOLE_BP).contains(&terms.ratio_bp) {
        return Err(FranchiseeRefusal::Ratio);
    }
    Ok(Terms { company, remark, ..terms })
}

/// The people as they are after `form`.
fn merged(known: Option<&People>, form: PeopleForm) -> Result<People, FranchiseeRefusal> {
    let contact = match form.contact {
        Some(contact) => person(&contact),
        None => known.map(|people| people.contact.clone()),
    };
    let legal_person = match form.legal_person {
        Some(name) if name.trim().is_empty() => Some(String::new()),
        Some(name) => person(&name),
        None => Some(known.map(|people| people.legal_person.clone()).unwrap_or_default()),
    };
    Ok(People {
        contact: contact.ok_or(FranchiseeRefusal::Person("联系人"))?,
        phone: form
            .phone
            .or_else(|| known.map(|people| people.phone.clone()))
            .ok_or(FranchiseeRefusal::NoPhone)?,
        legal_person: legal_person.ok_or(FranchiseeRefusal::Person("法人"))?,
    })
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

    fn change(
        &self,
        franchisee_id: FranchiseeId,
        form: FranchiseeForm,
        now: Timestamp,
    ) -> Result<Vec<FranchiseeEvent>, FranchiseeRefusal> {
        let terms = checked(form.terms)?;
        let people = merged(self.people(), form.people)?;
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

    fn decide(
        &self,
        command: FranchiseeCommand,
        now: Timestamp,
    ) -> Result<Vec<FranchiseeEvent>, FranchiseeRefusal> {
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
                let terms = checked(form.terms)?;
                let people = Personal::new(subject(franchisee_id), merged(None, form.people)?);
                Ok(vec![FranchiseeEvent::Registered { franchisee_id, agent_id, terms, people }])
            }
            (_, FranchiseeCommand::Change { revision, .. }) if revision != self.revision => {
                Err(FranchiseeRefusal::Stale { seen: revision, actual: self.revision })
            }
            (_, FranchiseeCommand::Change { form, .. }) => {
                self.change(franchisee_id.ok_or(FranchiseeRefusal::Unknown)?, form, now)
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
        let agent = self.known.map(|(_, agent)| agent);
        let held = agent.and_then(|agent| license_key(&self.terms, agent));
        let take = |key| Claim::Take { key, refusal: FranchiseeRefusal::LicenseTaken };
        match event {
            FranchiseeEvent::Registered { agent_id, terms, .. } => {
                license_key(terms, *agent_id).map(take).into_iter().collect()
            }
            FranchiseeEvent::TermsChanged { terms } => {
                let wanted = agent.and_then(|agent| license_key(terms, agent));
                if wanted == held {
                    return vec![];
                }
                let given_back = held.map(|key| Claim::Release { key });
                given_back.into_iter().chain(wanted.map(take)).collect()
            }
            // Whoever comes back after that comes back under a new contract.
            FranchiseeEvent::Terminated { .. } | FranchiseeEvent::Deleted => {
                held.map(|key| Claim::Release { key }).into_iter().collect()
            }
            FranchiseeEvent::PeopleChanged { .. }
            | FranchiseeEvent::Signed
            | FranchiseeEvent::Expired
            | FranchiseeEvent::Revealed => vec![],
        }
    }
}

#[cfg(test)]
#[path = "franchisee_tests.rs"]
mod tests;
