//! An agent (代理账号).

use chrono::NaiveDate;
use kernel::{Aggregate, Claim, Decision, events, refusals};
use serde::{Deserialize, Serialize};
use vocabulary::text::{line, lines};
use vocabulary::{AgentId, AgentRoleId, DataOwner, Phone, Reach, Scope, Timestamp, choices};

/// A company's name has at most so many characters.
pub const COMPANY_MAX: usize = 64;
/// A contact's name has at most so many characters.
pub const CONTACT_MAX: usize = 20;
/// A remark has at most so many characters.
pub const REMARK_MAX: usize = 200;
/// No agent has more bikes; more is a slip of the pen.
pub const QUOTA_MAX: i32 = 1_000_000;
/// An agent of the platform is on level 1, its own agents on level 2; there are no more than so many levels.
pub const LEVELS_MAX: i16 = 5;

choices! {
    /// How the agent's money is taken: by a merchant account of its own, or by the platform, divided afterwards.
    pub enum BillingWay("收银模式") {
        OwnMerchant = 0 => "自有商户收银",
        PlatformCashier = 1 => "平台收银（分账）",
    }
}

/// What may be asked.
#[derive(Clone, Debug)]
pub enum AgentCommand {
    /// Registers it; the same again changes nothing. For imports.
    Register(Registration),
    /// Opens an account that is not there yet. For people.
    Open {
        /// The account; its parent and level are filled in from `parent`.
        account: Registration,
        /// Under whom it stands; none: under the platform.
        parent: Option<Parent>,
        /// Whether it may work at once.
        enabled: bool,
    },
    /// Changes what is known of it.
    Change(Profile),
    /// Lets it work.
    Enable,
    /// Stops it: its people cannot sign in.
    Disable,
    /// Removes it for good.
    Delete {
        /// Agents that stand under it.
        children: i64,
        /// Service areas that it runs.
        areas: i64,
    },
}

/// The agent under which another is opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parent {
    /// Which.
    pub agent_id: AgentId,
    /// How deep it stands; nothing when there is no such agent.
    pub level: Option<i16>,
    /// Whether it may work.
    pub enabled: bool,
}

/// What was agreed beside the registration. Absent in events from before there was more to agree.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Terms {
    /// 角色模板: what its people may hold at most; none: no limit.
    pub role: Option<AgentRoleId>,
    /// 合同开始.
    pub contract_begin: Option<NaiveDate>,
    /// 合同结束, the last day.
    pub contract_end: Option<NaiveDate>,
    /// 车辆上限; none: no limit.
    pub vehicle_quota: Option<i32>,
    /// 备注.
    pub remark: String,
}

/// What people may change of an agent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Profile {
    /// 公司名称.
    pub company: String,
    /// 联系人.
    pub contact_name: String,
    /// 登录手机号.
    pub phone: Phone,
    /// 收银模式.
    pub billing_way: BillingWay,
    /// What was agreed.
    #[serde(default)]
    pub terms: Terms,
}

/// What is known of an agent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Registration {
    /// Its own id, part of its events.
    pub agent_id: AgentId,
    /// Under whom it stands; none: under the platform.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<AgentId>,
    /// 1 under the platform, 2 under one of level 1, and so on.
    #[serde(default = "first_level")]
    pub level: i16,
    /// What people may change.
    #[serde(flatten)]
    pub profile: Profile,
}

fn first_level() -> i16 {
    1
}

impl Registration {
    /// One under the platform.
    pub fn of_platform(agent_id: AgentId, profile: Profile) -> Self {
        Self { agent_id, parent: None, level: first_level(), profile }
    }

    /// Whether an import means the same agent by `other`.
    fn is_same(&self, other: &Profile) -> bool {
        let own = &self.profile;
        (&own.company, &own.contact_name, &own.phone, own.billing_way)
            == (&other.company, &other.contact_name, &other.phone, other.billing_way)
    }
}

events! {
    /// What happened.
    #[derive(Eq)]
    pub enum AgentEvent {
        /// It came.
        Registered(Registration) = "agent.registered",
        /// It is another now.
        Changed(Profile) = "agent.changed",
        /// It may work.
        Enabled = "agent.enabled",
        /// It may not.
        Disabled = "agent.disabled",
        /// It is gone.
        Deleted = "agent.deleted",
    }
}

refusals! {
    /// Why not.
    pub enum AgentRefusal {
        Unknown = "agent-unknown": ("代理不存在或已删除"),
        Name = "agent-name": ("公司名称需 1 到 {COMPANY_MAX} 个字，联系人需 1 到 {CONTACT_MAX} 个字"),
        Remark = "agent-remark": ("备注最多 {REMARK_MAX} 个字"),
        Quota = "agent-quota": ("车辆上限需为 0 到 {QUOTA_MAX}"),
        Contract = "agent-contract": ("合同结束日期不能早于开始日期"),
        Different = "agent-different": ("该代理已登记，资料与本次不同"),
        PhoneTaken = "agent-phone-taken": ("该手机号已被其他代理使用"),
        Parent = "agent-parent": ("上级代理不存在或已停用，请重新选择"),
        TooDeep = "agent-too-deep": ("代理最多 {LEVELS_MAX} 级，请选择更高一级的上级代理"),
        HasChildren(i64) = "agent-has-children": ("该代理下还有 {0} 个下级代理，请先删除下级代理"),
        HasAreas(i64) = "agent-has-areas": ("该代理名下还有 {0} 个服务区，请先移交给其他代理"),
        Own = "agent-own": ("不能变更自己所属的代理账号，请联系上级或平台管理员"),
        NotAsAWhole = "agent-beyond-reach": ("您的数据范围仅限部分服务区，不能变更、停用或删除代理账号"),
        PlatformOnly = "platform-only": ("新增代理由平台管理员办理，您的数据范围仅限部分代理或服务区"),
    }
}

/// The agent as decisions need it.
#[derive(Clone, Debug, Default)]
pub struct Agent {
    registration: Option<Registration>,
    enabled: bool,
    deleted: bool,
}

impl Agent {
    /// Whether it is registered and may work.
    pub fn is_enabled(&self) -> bool {
        self.enabled && !self.deleted
    }

    /// What is known of it; nothing when it was never registered, or is deleted.
    pub fn known(&self) -> Option<&Registration> {
        self.registration.as_ref().filter(|_| !self.deleted)
    }
}

/// Nobody changes the agent that he works for: its quota, its template and its contract bind him.
pub fn not_own(scope: &Scope, agent: AgentId) -> Result<(), AgentRefusal> {
    match &scope.agents {
        Reach::Only(agents) if agents.len() == 1 && agents.contains(&agent) => Err(AgentRefusal::Own),
        Reach::Only(_) | Reach::All => Ok(()),
    }
}

/// An agent is changed, switched and removed with all of its people and areas: whoever sees only some areas does
/// not reach all of it. Whether he sees the agent at all is known before.
pub fn as_a_whole(scope: &Scope) -> Result<(), AgentRefusal> {
    if scope.areas == Reach::All { Ok(()) } else { Err(AgentRefusal::NotAsAWhole) }
}

/// Whether who sees `scope` may open agents.
pub fn may_open(scope: &Scope) -> Result<(), AgentRefusal> {
    if *scope == Scope::ALL { Ok(()) } else { Err(AgentRefusal::PlatformOnly) }
}

/// The profile with its texts trimmed, when all of it may stand.
fn checked(profile: Profile) -> Result<Profile, AgentRefusal> {
    let company = line(&profile.company, COMPANY_MAX).ok_or(AgentRefusal::Name)?;
    let contact_name = line(&profile.contact_name, CONTACT_MAX).ok_or(AgentRefusal::Name)?;
    let remark = lines(&profile.terms.remark, REMARK_MAX).ok_or(AgentRefusal::Remark)?;
    if profile.terms.vehicle_quota.is_some_and(|quota| !(0..=QUOTA_MAX).contains(&quota)) {
        return Err(AgentRefusal::Quota);
    }
    if let (Some(begin), Some(end)) = (profile.terms.contract_begin, profile.terms.contract_end)
        && end < begin
    {
        return Err(AgentRefusal::Contract);
    }
    Ok(Profile { company, contact_name, terms: Terms { remark, ..profile.terms }, ..profile })
}

/// `account` where it shall stand.
fn placed(account: Registration, parent: Option<Parent>) -> Result<Registration, AgentRefusal> {
    let profile = checked(account.profile)?;
    let Some(parent) = parent else { return Ok(Registration::of_platform(account.agent_id, profile)) };
    match parent.level {
        Some(level) if parent.enabled && level < LEVELS_MAX => Ok(Registration {
            agent_id: account.agent_id,
            parent: Some(parent.agent_id),
            level: level + 1,
            profile,
        }),
        Some(_) if parent.enabled => Err(AgentRefusal::TooDeep),
        Some(_) | None => Err(AgentRefusal::Parent),
    }
}

fn phone_key(phone: &Phone) -> String {
    format!("agent-phone:{phone}")
}

impl Aggregate for Agent {
    const CATEGORY: &'static str = "agent";
    type Id = AgentId;
    type Command = AgentCommand;
    type Event = AgentEvent;
    type Refusal = AgentRefusal;

    fn decide(&self, command: Self::Command, _now: Timestamp) -> Decision<Self> {
        match (&self.registration, command) {
            (Some(_), _) if self.deleted => Err(AgentRefusal::Unknown),
            (None, AgentCommand::Register(new)) => {
                Ok(vec![AgentEvent::Registered(placed(new, None)?), AgentEvent::Enabled])
            }
            (None, AgentCommand::Open { account, parent, enabled }) => {
                let mut events = vec![AgentEvent::Registered(placed(account, parent)?)];
                events.extend(enabled.then_some(AgentEvent::Enabled));
                Ok(events)
            }
            (None, _) => Err(AgentRefusal::Unknown),
            (Some(old), AgentCommand::Register(new)) if old.is_same(&new.profile) => Ok(vec![]),
            (Some(_), AgentCommand::Register(_) | AgentCommand::Open { .. }) => Err(AgentRefusal::Different),
            (Some(old), AgentCommand::Change(profile)) => {
                let profile = checked(profile)?;
                Ok(if profile == old.profile { vec![] } else { vec![AgentEvent::Changed(profile)] })
            }
            (Some(_), AgentCommand::Enable) if self.enabled => Ok(vec![]),
            (Some(_), AgentCommand::Enable) => Ok(vec![AgentEvent::Enabled]),
            (Some(_), AgentCommand::Disable) if !self.enabled => Ok(vec![]),
            (Some(_), AgentCommand::Disable) => Ok(vec![AgentEvent::Disabled]),
            (Some(_), AgentCommand::Delete { children: 0, areas: 0 }) => Ok(vec![AgentEvent::Deleted]),
            (Some(_), AgentCommand::Delete { children: 0, areas }) => Err(AgentRefusal::HasAreas(areas)),
            (Some(_), AgentCommand::Delete { children, .. }) => Err(AgentRefusal::HasChildren(children)),
        }
    }

    fn evolve(&mut self, event: &AgentEvent) {
        match event {
            AgentEvent::Registered(registration) => self.registration = Some(registration.clone()),
            AgentEvent::Changed(profile) => {
                if let Some(known) = &mut self.registration {
                    known.profile = profile.clone();
                }
            }
            AgentEvent::Enabled => self.enabled = true,
            AgentEvent::Disabled => self.enabled = false,
            AgentEvent::Deleted => self.deleted = true,
        }
    }

    fn owner(&self) -> DataOwner {
        self.registration.as_ref().map_or(DataOwner::PLATFORM, |known| DataOwner::of_agent(known.agent_id))
    }

    fn claims(&self, event: &AgentEvent) -> Vec<Claim<AgentRefusal>> {
        let held = self.registration.as_ref().map(|known| &known.profile.phone);
        let wanted = match event {
            AgentEvent::Registered(new) => Some(&new.profile.phone),
            AgentEvent::Changed(new) => Some(&new.phone),
            AgentEvent::Deleted => None,
            _ => held,
        };
        Claim::exchange(held.map(phone_key), wanted.map(phone_key), AgentRefusal::PhoneTaken)
    }
}

#[cfg(test)]
mod tests {
    use vocabulary::AreaId;

    use super::*;

    const NOW: Timestamp = Timestamp::from_millis(0);

    #[test]
    fn a_agent_is_changed_by_one_who_reaches_all_of_its_areas() {
        let scope = |areas| Scope::of(Reach::only([AgentId(2), AgentId(3)]), areas);
        assert_eq!(as_a_whole(&scope(Reach::All)), Ok(()));
        assert_eq!(as_a_whole(&scope(Reach::only([AreaId(20)]))), Err(AgentRefusal::NotAsAWhole));
        assert_eq!(
            as_a_whole(&Scope { areas: Reach::only([AreaId(20)]), ..Scope::ALL }),
            Err(AgentRefusal::NotAsAWhole)
        );
    }

    fn profile() -> Profile {
        Profile {
            company: "厦门骑行科技有限公司".to_owned(),
            contact_name: "陈明".to_owned(),
            phone: "13900000001".parse().unwrap(),
            billing_way: BillingWay::PlatformCashier,
            terms: Terms::default(),
        }
    }

    fn account(profile: Profile) -> Registration {
        Registration::of_platform(AgentId(2), profile)
    }

    fn open(profile: Profile) -> AgentCommand {
        AgentCommand::Open { account: account(profile), parent: None, enabled: true }
    }

    fn after(commands: Vec<AgentCommand>) -> Agent {
        let mut agent = Agent::default();
        for command in commands {
            for event in agent.decide(command, NOW).unwrap() {
                agent.evolve(&event);
            }
        }
        agent
    }

    fn refused(agent: &Agent, command: AgentCommand) -> AgentRefusal {
        agent.decide(command, NOW).unwrap_err()
    }

    #[test]
    fn a_company_has_at_most_sixty_four_characters_and_blanks_around_it_do_not_count() {
        let named = |company: String| open(Profile { company, ..profile() });
        let agent = after(vec![named(format!(" {} ", "骑".repeat(64)))]);
        assert_eq!(agent.known().unwrap().profile.company, "骑".repeat(64));
        for bad in ["骑".repeat(65), "  ".to_owned(), "a\u{7}b".to_owned()] {
            assert_eq!(refused(&Agent::default(), named(bad)), AgentRefusal::Name);
        }
    }

    #[test]
    fn what_was_agreed_must_make_sense() {
        let with = |terms: Terms| open(Profile { terms, ..profile() });
        let day = |text: &str| Some(text.parse::<NaiveDate>().unwrap());
        let backwards =
            Terms { contract_begin: day("2026-05-02"), contract_end: day("2026-05-01"), ..Terms::default() };
        assert_eq!(refused(&Agent::default(), with(backwards)), AgentRefusal::Contract);
        for quota in [-1, QUOTA_MAX + 1] {
            let terms = Terms { vehicle_quota: Some(quota), ..Terms::default() };
            assert_eq!(refused(&Agent::default(), with(terms)), AgentRefusal::Quota);
        }
        let terms = Terms { remark: "长".repeat(201), ..Terms::default() };
        assert_eq!(refused(&Agent::default(), with(terms)), AgentRefusal::Remark);
    }

    #[test]
    fn a_child_stands_one_level_below_an_enabled_parent() {
        let under = |level, enabled| AgentCommand::Open {
            account: account(profile()),
            parent: Some(Parent { agent_id: AgentId(1), level, enabled }),
            enabled: true,
        };
        let child = after(vec![under(Some(1), true)]);
        assert_eq!((child.known().unwrap().parent, child.known().unwrap().level), (Some(AgentId(1)), 2));
        assert_eq!(refused(&Agent::default(), under(Some(LEVELS_MAX), true)), AgentRefusal::TooDeep);
        assert_eq!(refused(&Agent::default(), under(Some(1), false)), AgentRefusal::Parent);
        assert_eq!(refused(&Agent::default(), under(None, false)), AgentRefusal::Parent);
    }

    #[test]
    fn only_one_without_children_and_areas_is_deleted_and_stays_so() {
        let agent = after(vec![open(profile())]);
        let delete = |children, areas| AgentCommand::Delete { children, areas };
        assert_eq!(refused(&agent, delete(2, 0)), AgentRefusal::HasChildren(2));
        assert_eq!(refused(&agent, delete(0, 3)), AgentRefusal::HasAreas(3));
        let gone = after(vec![open(profile()), delete(0, 0)]);
        assert!(!gone.is_enabled() && gone.known().is_none());
        assert_eq!(refused(&gone, AgentCommand::Enable), AgentRefusal::Unknown);
        assert_eq!(refused(&gone, AgentCommand::Change(profile())), AgentRefusal::Unknown);
    }

    #[test]
    fn another_phone_is_claimed_and_the_old_one_given_back() {
        let agent = after(vec![open(profile())]);
        let phone: Phone = "13900000002".parse().unwrap();
        let keys = |event: AgentEvent| -> Vec<(String, bool)> {
            let told = |claim| match claim {
                Claim::Take { key, .. } => (key, true),
                Claim::Release { key } => (key, false),
            };
            agent.claims(&event).into_iter().map(told).collect()
        };
        let (old, new) = ("agent-phone:13900000001".to_owned(), "agent-phone:13900000002".to_owned());
        let moved = keys(AgentEvent::Changed(Profile { phone, ..profile() }));
        assert_eq!(moved, [(old.clone(), false), (new, true)]);
        assert_eq!(keys(AgentEvent::Deleted), [(old, false)]);
        assert!(keys(AgentEvent::Changed(profile())).is_empty());
    }

    #[test]
    fn an_import_repeats_itself_even_after_people_added_terms() {
        let register = || AgentCommand::Register(account(profile()));
        let terms = Terms { vehicle_quota: Some(500), ..Terms::default() };
        let agent = after(vec![register(), AgentCommand::Change(Profile { terms, ..profile() })]);
        assert_eq!(agent.decide(register(), NOW), Ok(vec![]));
        let other = Profile { contact_name: "别人".to_owned(), ..profile() };
        assert_eq!(refused(&agent, AgentCommand::Register(account(other))), AgentRefusal::Different);
    }

    #[test]
    fn a_registration_of_old_is_still_read() {
        let old = serde_json::json!({"type": "agent.registered", "data": {"agent_id": "2",
            "company": "厦门骑行科技有限公司", "contact_name": "陈明", "phone": "13900000001", "billing_way": 1}});
        let read: AgentEvent = serde_json::from_value(old).unwrap();
        assert_eq!(read, AgentEvent::Registered(account(profile())));
    }
}
