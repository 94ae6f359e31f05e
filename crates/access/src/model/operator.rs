//! An operator: a person who may sign in to the back-office by phone.

use std::collections::BTreeMap;

use kernel::{Aggregate, Claim, Decision, Personal, events, refusals};
use vocabulary::{AgentId, AreaId, DataOwner, OperatorId, Phone, Reach, Scope, Timestamp, text};

use super::administrator_key;
use super::authority::{Above, Authority, Granted, Person};
use super::level::Level;
use super::profession::Profession;

/// A name has at most so many characters.
pub const NAME_MAX: usize = 20;
/// An operator names at most so many agents, and so many areas; more than that is "all".
pub const REACH_MAX: usize = 500;

/// What an operator's decisions remember.
#[derive(Clone, Debug, Default)]
pub struct Operator {
    /// Nothing before the registration.
    account: Option<Account>,
    deleted: bool,
    cs_tool: bool,
    revision: i64,
}

#[derive(Clone, Debug)]
struct Account {
    id: OperatorId,
    phone: Phone,
    name: String,
    level: Level,
    profession: Option<Profession>,
    reach: Scope,
    enabled: bool,
}

/// What people fill in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OperatorForm {
    /// 1 to [`NAME_MAX`] characters.
    pub name: String,
    /// Tiers; none above those of who asks.
    pub level: Level,
    /// What he does in the field, when he does.
    pub profession: Option<Profession>,
    /// Agents and areas that the operator may see; within those of who asks.
    pub reach: Scope,
}

/// What may be asked of an operator.
#[derive(Clone, Debug)]
pub enum OperatorCommand {
    /// Opens the account.
    Register {
        /// The account's id: the stream's.
        operator: OperatorId,
        /// What he signs in with; unique.
        phone: Phone,
        /// Name, tiers, profession and reach.
        form: OperatorForm,
        /// Whether he may sign in at once.
        enabled: bool,
        /// Who asks.
        by: Authority,
    },
    /// Changes name, tiers, profession and reach.
    Change {
        /// As they shall be.
        form: OperatorForm,
        /// The revision that the editor saw.
        revision: i64,
        /// What the operator was given.
        target: Granted,
        /// Who asks.
        by: Authority,
    },
    /// Lets him sign in.
    Enable {
        /// What the operator was given.
        target: Granted,
        /// Who asks.
        by: Authority,
    },
    /// Ends his access at once.
    Disable {
        /// What the operator was given.
        target: Granted,
        /// Who asks.
        by: Authority,
    },
    /// Closes the account for good; the phone may be used for a new one.
    Delete {
        /// What the operator was given.
        target: Granted,
        /// Who asks.
        by: Authority,
    },
    /// Begins a session.
    SignIn {
        /// The device's own code.
        device_code: String,
    },
    /// Makes him known to the customer-service tool; again: nothing happens.
    RegisterCsTool,
}

events! {
    /// What may have happened to an operator.
    #[derive(Eq)]
    pub enum OperatorEvent {
        /// The account was opened.
        Registered {
            /// The account.
            operator: OperatorId,
            /// What he signs in with.
            phone: Phone,
            /// His name.
            name: Personal<String>,
            /// His tiers.
            level: Level,
            /// What he may see.
            reach: Scope,
            /// Whether he may sign in.
            enabled: bool,
            /// What he does in the field; absent in events from before there was such a thing.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            profession: Option<Profession>,
        } = "operator.registered",
        /// He got another name.
        Renamed {
            /// The new name.
            name: Personal<String>,
        } = "operator.renamed",
        /// Tiers or reach changed.
        Changed {
            /// His tiers.
            level: Level,
            /// What he may see.
            reach: Scope,
        } = "operator.changed",
        /// He does something else in the field.
        ProfessionChanged {
            /// What; none: nothing.
            profession: Option<Profession>,
        } = "operator.profession_changed",
        /// He may sign in.
        Enabled = "operator.enabled",
        /// He may not.
        Disabled = "operator.disabled",
        /// The account is closed.
        Deleted = "operator.deleted",
        /// He began a session.
        SignedIn {
            /// From which device.
            device_code: String,
            /// When.
            at: Timestamp,
        } = "operator.signed_in",
        /// The customer-service tool may know him.
        CsToolRegistered = "operator.cs_tool_registered",
    }
}

refusals! {
    /// Why an operator's account says no.
    pub enum OperatorRefusal {
        Unknown = "operator-unknown": ("人员不存在或已删除"),
        Exists = "operator-exists": ("人员已存在"),
        BadName = "operator-bad-name": ("姓名应为 1 到 {NAME_MAX} 个字符"),
        PhoneTaken(String) = "phone-taken": ("手机号 {0} 已被使用"),
        ReachTooLong = "reach-too-long": ("代理商或服务区最多选择 {REACH_MAX} 个"),
        /// An empty set of agents or areas would see nothing.
        NoReach = "reach-empty": ("请选择代理商和服务区"),
        AreaNotOfAgents(AreaId) = "area-not-of-agents": ("服务区 {0} 不存在，或不属于所选代理商"),
        ReachNotHeld = "reach-not-held": ("不能授予超出您自己数据范围的代理商或服务区"),
        LevelNotHeld = "level-not-held": ("不能授予高于您自己的级别"),
        Oneself = "operator-oneself": ("不能停用、删除自己，也不能变更自己的级别和数据范围"),
        Stale { seen: i64, actual: i64 } = "stale-version": ("人员信息已被他人修改（当前版本 {actual}，您的版本 {seen}），请刷新后重试"),
        IsAdministrator = "operator-is-administrator": ("该人员是超级管理员，请先撤销其超级管理员角色"),
        Disabled = "operator-disabled": ("账号已停用，请联系管理员"),
    } or
    /// The operator has something that who asks has not.
    Above(Above)
}

/// Whose data an operator of this reach is: his agent's when he has just one, else the platform's.
pub fn owner_of(reach: &Scope) -> DataOwner {
    match &reach.agents {
        Reach::Only(agents) if agents.len() == 1 => {
            agents.first().copied().map_or(DataOwner::PLATFORM, DataOwner::of_agent)
        }
        Reach::Only(_) | Reach::All => DataOwner::PLATFORM,
    }
}

/// A name as events keep it: the person can be forgotten.
fn name_of(operator: OperatorId, name: String) -> Personal<String> {
    Personal::new(format!("operator:{operator}"), name)
}

fn may_administer(enabled: bool, reach: &Scope) -> bool {
    enabled && *reach == Scope::ALL
}

impl Operator {
    /// Whether the account is open.
    pub fn is_present(&self) -> bool {
        self.account.is_some() && !self.deleted
    }

    /// Whether he may sign in.
    pub fn is_enabled(&self) -> bool {
        self.is_present() && self.account.as_ref().is_some_and(|account| account.enabled)
    }

    /// Whether he may hold the system role: enabled and unlimited.
    pub fn may_administer(&self) -> bool {
        self.fit()
    }

    /// How often the account changed (signing in is no change): what an editor names to be told of others' changes.
    pub fn revision(&self) -> i64 {
        self.revision
    }

    /// His tiers, once there is an account.
    pub fn level(&self) -> Option<Level> {
        self.account.as_ref().map(|account| account.level)
    }

    /// His reach, once there is an account.
    pub fn reach(&self) -> Option<&Scope> {
        self.account.as_ref().map(|account| &account.reach)
    }

    /// His phone, once there is an account.
    pub fn phone(&self) -> Option<&Phone> {
        self.account.as_ref().map(|account| &account.phone)
    }

    fn account(&self) -> Result<&Account, OperatorRefusal> {
        self.account.as_ref().filter(|_| !self.deleted).ok_or(OperatorRefusal::Unknown)
    }

    /// The account, when `by` may act on it: as it stands, whatever is to become of it.
    fn manageable(&self, by: &Authority, target: Granted) -> Result<&Account, OperatorRefusal> {
        let account = self.account()?;
        by.may_act_on(&Person {
            operator: account.id,
            granted: target,
            reach: account.reach.clone(),
            level: account.level,
        })?;
        Ok(account)
    }

    fn not_oneself(account: &Account, by: &Authority) -> Result<(), OperatorRefusal> {
        if by.is(account.id) { Err(OperatorRefusal::Oneself) } else { Ok(()) }
    }

    fn fit(&self) -> bool {
        self.account.as_ref().is_some_and(|account| may_administer(account.enabled, &account.reach))
            && !self.deleted
    }

    /// What happens to the administrator's key when fitness goes from `before` to `after`; see the module above.
    fn administrator_claim(
        operator: OperatorId,
        before: bool,
        after: bool,
    ) -> Option<Claim<OperatorRefusal>> {
        let key = administrator_key(operator);
        match (before, after) {
            (true, false) => Some(Claim::Take { key, refusal: OperatorRefusal::IsAdministrator }),
            (false, true) => Some(Claim::Release { key }),
            (true, true) | (false, false) => None,
        }
    }
}

/// Whether each area named belongs to one of the agents named; `owners` tells whose the areas are.
pub fn areas_are_of_agents(reach: &Scope, owners: &BTreeMap<AreaId, AgentId>) -> Result<(), OperatorRefusal> {
    let Reach::Only(areas) = &reach.areas else { return Ok(()) };
    let stray = |area: &&AreaId| !owners.get(*area).is_some_and(|agent| reach.agents.contains(agent));
    areas.iter().find(stray).map_or(Ok(()), |area| Err(OperatorRefusal::AreaNotOfAgents(*area)))
}

fn checked(form: OperatorForm, by: &Authority) -> Result<OperatorForm, OperatorRefusal> {
    let name = text::line(&form.name, NAME_MAX).ok_or(OperatorRefusal::BadName)?;
    let size = |few: usize| if few == 0 { Err(OperatorRefusal::NoReach) } else { Ok(few) };
    let agents = if let Reach::Only(agents) = &form.reach.agents { size(agents.len())? } else { 1 };
    let areas = if let Reach::Only(areas) = &form.reach.areas { size(areas.len())? } else { 1 };
    if agents.max(areas) > REACH_MAX {
        return Err(OperatorRefusal::ReachTooLong);
    }
    by.has_within(&form.reach, Some(form.level)).map_err(|above| match above {
        Above::Level => OperatorRefusal::LevelNotHeld,
        Above::Reach | Above::Codes(_) | Above::Sight => OperatorRefusal::ReachNotHeld,
    })?;
    Ok(OperatorForm { name, ..form })
}

impl Aggregate for Operator {
    const CATEGORY: &'static str = "operator";
    type Id = OperatorId;
    type Command = OperatorCommand;
    type Event = OperatorEvent;
    type Refusal = OperatorRefusal;

    fn decide(&self, command: Self::Command, now: Timestamp) -> Decision<Self> {
        match command {
            OperatorCommand::Register { operator, phone, form, enabled, by } => {
                if self.account.is_some() {
                    return Err(OperatorRefusal::Exists);
                }
                let OperatorForm { name, level, profession, reach } = checked(form, &by)?;
                let name = name_of(operator, name);
                let opened =
                    OperatorEvent::Registered { operator, phone, name, level, reach, enabled, profession };
                Ok(vec![opened])
            }
            OperatorCommand::Change { form, revision, target, by } => {
                let account = self.manageable(&by, target)?;
                if revision != self.revision {
                    return Err(OperatorRefusal::Stale { seen: revision, actual: self.revision });
                }
                let same = form.level == account.level && form.reach == account.reach;
                if !same {
                    Self::not_oneself(account, &by)?;
                }
                let OperatorForm { name, level, profession, reach } = checked(form, &by)?;
                let renamed = (name != account.name)
                    .then(|| OperatorEvent::Renamed { name: name_of(account.id, name) });
                let changed = (!same).then_some(OperatorEvent::Changed { level, reach });
                let assigned = (profession != account.profession)
                    .then_some(OperatorEvent::ProfessionChanged { profession });
                Ok(renamed.into_iter().chain(assigned).chain(changed).collect())
            }
            OperatorCommand::Enable { target, by } => {
                let account = self.manageable(&by, target)?;
                Ok(if account.enabled { vec![] } else { vec![OperatorEvent::Enabled] })
            }
            OperatorCommand::Disable { target, by } => {
                let account = self.manageable(&by, target)?;
                Self::not_oneself(account, &by)?;
                Ok(if account.enabled { vec![OperatorEvent::Disabled] } else { vec![] })
            }
            OperatorCommand::Delete { target, by } => {
                let account = self.manageable(&by, target)?;
                Self::not_oneself(account, &by)?;
                Ok(vec![OperatorEvent::Deleted])
            }
            OperatorCommand::SignIn { device_code } => {
                if !self.account()?.enabled {
                    return Err(OperatorRefusal::Disabled);
                }
                Ok(vec![OperatorEvent::SignedIn { device_code, at: now }])
            }
            OperatorCommand::RegisterCsTool => {
                self.account()?;
                Ok(if self.cs_tool { vec![] } else { vec![OperatorEvent::CsToolRegistered] })
            }
        }
    }

    fn evolve(&mut self, event: &OperatorEvent) {
        if !matches!(event, OperatorEvent::SignedIn { .. } | OperatorEvent::CsToolRegistered) {
            self.revision += 1;
        }
        match (event, &mut self.account) {
            (
                OperatorEvent::Registered { operator, phone, name, level, reach, enabled, profession },
                account,
            ) => {
                *account = Some(Account {
                    id: *operator,
                    phone: phone.clone(),
                    name: name.known().cloned().unwrap_or_default(),
                    level: *level,
                    profession: *profession,
                    reach: reach.clone(),
                    enabled: *enabled,
                });
            }
            (OperatorEvent::Renamed { name }, Some(account)) => {
                account.name = name.known().cloned().unwrap_or_default();
            }
            (OperatorEvent::Changed { level, reach }, Some(account)) => {
                account.level = *level;
                reach.clone_into(&mut account.reach);
            }
            (OperatorEvent::ProfessionChanged { profession }, Some(account)) => {
                account.profession = *profession;
            }
            (OperatorEvent::Enabled, Some(account)) => account.enabled = true,
            (OperatorEvent::Disabled, Some(account)) => account.enabled = false,
            (OperatorEvent::Deleted, _) => self.deleted = true,
            (OperatorEvent::CsToolRegistered, _) => self.cs_tool = true,
            (OperatorEvent::SignedIn { .. }, _) | (_, None) => {}
        }
    }

    fn owner(&self) -> DataOwner {
        self.account.as_ref().map_or(DataOwner::PLATFORM, |account| owner_of(&account.reach))
    }

    fn claims(&self, event: &OperatorEvent) -> Vec<Claim<OperatorRefusal>> {
        let mut claims = Vec::new();
        match (event, &self.account) {
            (OperatorEvent::Registered { operator, phone, reach, enabled, .. }, _) => {
                claims.push(Claim::Take {
                    key: format!("phone:{phone}"),
                    refusal: OperatorRefusal::PhoneTaken(phone.masked()),
                });
                // An account begins as if it had been fit: one that is not takes its key.
                claims.extend(Self::administrator_claim(*operator, true, may_administer(*enabled, reach)));
            }
            (OperatorEvent::Deleted, Some(account)) => {
                claims.push(Claim::Release { key: format!("phone:{}", account.phone) });
                claims.extend(Self::administrator_claim(account.id, self.fit(), false));
            }
            (
                OperatorEvent::Changed { .. } | OperatorEvent::Enabled | OperatorEvent::Disabled,
                Some(account),
            ) => {
                let mut after = self.clone();
                after.evolve(event);
                claims.extend(Self::administrator_claim(account.id, self.fit(), after.fit()));
            }
            (
                OperatorEvent::Renamed { .. }
                | OperatorEvent::ProfessionChanged { .. }
                | OperatorEvent::SignedIn { .. }
                | OperatorEvent::CsToolRegistered,
                _,
            )
            | (_, None) => {}
        }
        claims
    }
}
