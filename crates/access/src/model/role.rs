//! A role: a named set of permission codes, and who holds it.

use std::collections::BTreeSet;

use kernel::{Aggregate, Claim, Event, Refusal};
use serde::{Deserialize, Serialize};
use vocabulary::{AgentId, OperatorId, PermissionCode, RoleId, Territory, Timestamp};

use super::authority::Authority;
use super::level::{Level, Tier};
use super::{administrator_key, text};
use crate::permissions;

/// The one system role, 超级管理员: made at first start, holds every code, cannot be edited, keeps its last holder.
pub const SUPER_ADMINISTRATOR: RoleId = RoleId(1);

/// A name has at most so many characters.
pub const NAME_MAX: usize = 20;
/// A remark has at most so many characters.
pub const REMARK_MAX: usize = 200;
/// A role has at most so many holders, so that its state stays small.
pub const HOLDERS_MAX: usize = 5_000;

/// What a role's decisions remember.
#[derive(Clone, Debug, Default)]
pub struct Role {
    stage: Stage,
    agent: Option<AgentId>,
    name: String,
    remark: String,
    tier: Option<Tier>,
    codes: BTreeSet<PermissionCode>,
    system: bool,
    enabled: bool,
    holders: BTreeSet<OperatorId>,
    revision: i64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Stage {
    #[default]
    Absent,
    Present,
    Deleted,
}

/// What people fill in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RoleForm {
    /// 1 to [`NAME_MAX`] characters, unique within the franchisee.
    pub name: String,
    /// Label of the tier that it is meant for.
    pub tier: Tier,
    /// At most [`REMARK_MAX`] characters.
    pub remark: String,
    /// At least one, all known, all held by who asks.
    pub codes: BTreeSet<PermissionCode>,
}

/// What may be asked of a role.
#[derive(Clone, Debug)]
pub enum RoleCommand {
    /// Makes it.
    Create {
        /// The franchisee it belongs to; none: the platform's.
        agent: Option<AgentId>,
        /// Its content.
        form: RoleForm,
        /// Whether it works at once.
        enabled: bool,
        /// Who asks.
        by: Authority,
    },
    /// Makes the system role; already there: nothing happens.
    Found {
        /// Its name.
        name: String,
    },
    /// Changes its content.
    Change {
        /// The content as it shall be.
        form: RoleForm,
        /// The revision that the editor saw.
        revision: i64,
        /// Who asks.
        by: Authority,
    },
    /// Lets its codes work.
    Enable {
        /// Who asks.
        by: Authority,
    },
    /// Takes its codes out of work.
    Disable {
        /// Who asks.
        by: Authority,
    },
    /// Removes it for good.
    Delete {
        /// The revision that the editor saw, when he says so.
        revision: Option<i64>,
        /// Who asks.
        by: Authority,
    },
    /// Gives it to an operator.
    Grant {
        /// To whom.
        operator: OperatorId,
        /// His tiers: there are codes that not every tier may hold.
        level: Level,
        /// Who asks.
        by: Authority,
    },
    /// Takes it from an operator.
    Withdraw {
        /// From whom.
        operator: OperatorId,
        /// Who asks.
        by: Authority,
    },
}

/// What may have happened to a role.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", content = "data")]
pub enum RoleEvent {
    /// It was made.
    #[serde(rename = "role.created")]
    Created {
        /// Whose it is.
        agent: Option<AgentId>,
        /// Its name.
        name: String,
        /// Its tier.
        tier: Tier,
        /// What it is for.
        remark: String,
        /// What it permits; the system role's are all there are, whatever stands here.
        codes: BTreeSet<PermissionCode>,
        /// Whether it works.
        enabled: bool,
        /// Whether it is the system role.
        #[serde(default)]
        system: bool,
    },
    /// It got another name.
    #[serde(rename = "role.renamed")]
    Renamed {
        /// The new name.
        name: String,
    },
    /// Tier, remark or codes changed.
    #[serde(rename = "role.changed")]
    Changed {
        /// Its tier.
        tier: Tier,
        /// What it is for.
        remark: String,
        /// What it permits.
        codes: BTreeSet<PermissionCode>,
    },
    /// Its codes work.
    #[serde(rename = "role.enabled")]
    Enabled,
    /// Its codes do not work.
    #[serde(rename = "role.disabled")]
    Disabled,
    /// It is gone.
    #[serde(rename = "role.deleted")]
    Deleted,
    /// An operator holds it.
    #[serde(rename = "role.granted")]
    Granted {
        /// Who.
        operator: OperatorId,
    },
    /// An operator no longer holds it.
    #[serde(rename = "role.withdrawn")]
    Withdrawn {
        /// Who.
        operator: OperatorId,
    },
}

/// Why a role says no.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RoleRefusal {
    /// There is none, or no more.
    #[error("角色不存在或已删除")]
    Unknown,
    /// The id is in use.
    #[error("角色已存在")]
    Exists,
    /// The name is empty, too long or holds control characters.
    #[error("角色名称应为 1 到 {NAME_MAX} 个字符")]
    BadName,
    /// The remark is too long.
    #[error("备注最多 {REMARK_MAX} 个字符")]
    BadRemark,
    /// Another role of the franchisee has the name.
    #[error("角色名称“{0}”已被使用")]
    NameTaken(String),
    /// Nothing would be permitted.
    #[error("请至少选择一项权限")]
    NoCodes,
    /// The tree does not know the code.
    #[error("权限码不存在：{0}")]
    UnknownCode(PermissionCode),
    /// The code is not for this tier.
    #[error("权限“{title}”不能授予{tier}级角色")]
    NotForTier {
        /// The code's title.
        title: &'static str,
        /// The tier's name.
        tier: &'static str,
    },
    /// The code is not for any tier of this operator.
    #[error("权限“{title}”不能授予{tiers}级人员")]
    NotForLevel {
        /// The code's title.
        title: &'static str,
        /// The names of his tiers.
        tiers: String,
    },
    /// Who asks does not hold the code.
    #[error("您没有权限“{0}”，不能授予或操作含有该权限的角色")]
    NotHeld(String),
    /// Who asks holds the role.
    #[error("不能修改自己所持有的角色")]
    OwnRole,
    /// Who asks would change his own roles.
    #[error("不能变更自己的角色")]
    OwnRoles,
    /// The system role stays as it is.
    #[error("系统角色不能修改、停用或删除")]
    System,
    /// Others changed it meanwhile.
    #[error("角色已被他人修改（当前版本 {actual}，您的版本 {seen}），请刷新后重试")]
    Stale {
        /// What the editor saw.
        seen: i64,
        /// What it is.
        actual: i64,
    },
    /// Operators hold it.
    #[error("角色正被 {0} 名人员使用，不能删除")]
    InUse(usize),
    /// A disabled role is not given out.
    #[error("角色已停用，不能授予")]
    IsDisabled,
    /// Too many hold it.
    #[error("一个角色最多授予 {HOLDERS_MAX} 名人员")]
    TooManyHolders,
    /// Nobody could administer any more.
    #[error("必须保留至少一名启用的超级管理员")]
    LastAdministrator,
    /// The operator is disabled, deleted or limited in reach.
    #[error("停用的、已删除的或数据范围受限的人员不能担任超级管理员")]
    CannotAdminister,
}

impl Refusal for RoleRefusal {
    fn code(&self) -> &'static str {
        match self {
            Self::Unknown => "role-unknown",
            Self::Exists => "role-exists",
            Self::BadName => "role-bad-name",
            Self::BadRemark => "role-bad-remark",
            Self::NameTaken(_) => "role-name-taken",
            Self::NoCodes => "role-no-codes",
            Self::UnknownCode(_) => "permission-unknown",
            Self::NotForTier { .. } => "permission-not-for-tier",
            Self::NotForLevel { .. } => "permission-not-for-level",
            Self::NotHeld(_) => "permission-not-held",
            Self::OwnRole => "role-own",
            Self::OwnRoles => "roles-own",
            Self::System => "role-system",
            Self::Stale { .. } => "stale-version",
            Self::InUse(_) => "role-in-use",
            Self::IsDisabled => "role-disabled",
            Self::TooManyHolders => "role-too-many-holders",
            Self::LastAdministrator => "last-administrator",
            Self::CannotAdminister => "operator-cannot-administer",
        }
    }

    fn message(&self) -> String {
        self.to_string()
    }
}

impl Event for RoleEvent {
    fn stored_type(&self) -> &'static str {
        match self {
            Self::Created { .. } => "role.created",
            Self::Renamed { .. } => "role.renamed",
            Self::Changed { .. } => "role.changed",
            Self::Enabled => "role.enabled",
            Self::Disabled => "role.disabled",
            Self::Deleted => "role.deleted",
            Self::Granted { .. } => "role.granted",
            Self::Withdrawn { .. } => "role.withdrawn",
        }
    }
}

impl Role {
    /// Who holds it.
    pub fn holders(&self) -> &BTreeSet<OperatorId> {
        &self.holders
    }

    /// What it permits.
    pub fn codes(&self) -> BTreeSet<PermissionCode> {
        if self.system { permissions::every_code() } else { self.codes.clone() }
    }

    /// Whether it is there: made and not deleted.
    pub fn is_present(&self) -> bool {
        self.stage == Stage::Present
    }

    /// Whether it is there and works.
    pub fn is_enabled(&self) -> bool {
        self.stage == Stage::Present && self.enabled
    }

    /// How often its content changed: what an editor names to be told of a change by others.
    pub fn revision(&self) -> i64 {
        self.revision
    }

    /// Whether operators of these tiers may hold it. The system role is for whoever administers the house, whatever
    /// his tiers are called.
    pub fn suits(&self, level: Level) -> Result<(), RoleRefusal> {
        match permissions::not_for(level, &self.codes) {
            Some(code) if !self.system => {
                Err(RoleRefusal::NotForLevel { title: code.title, tiers: level.names().join("、") })
            }
            _ => Ok(()),
        }
    }

    fn present(&self) -> Result<(), RoleRefusal> {
        if self.stage == Stage::Present { Ok(()) } else { Err(RoleRefusal::Unknown) }
    }

    /// Whether `by` may touch this role at all: not the system role, not one he holds, not one above him.
    fn editable(&self, by: &Authority) -> Result<(), RoleRefusal> {
        self.present()?;
        if self.system {
            return Err(RoleRefusal::System);
        }
        if by.operator.is_some_and(|operator| self.holders.contains(&operator)) {
            return Err(RoleRefusal::OwnRole);
        }
        handed_on(&self.codes, by)
    }

    fn current(&self, revision: i64) -> Result<(), RoleRefusal> {
        if revision == self.revision {
            Ok(())
        } else {
            Err(RoleRefusal::Stale { seen: revision, actual: self.revision })
        }
    }

    fn name_key(&self, name: &str) -> String {
        format!("role-name:{}:{name}", self.agent.map_or(0, |agent| agent.0))
    }
}

/// One may hand on only what one holds.
fn handed_on(codes: &BTreeSet<PermissionCode>, by: &Authority) -> Result<(), RoleRefusal> {
    match by.lacks(codes) {
        None => Ok(()),
        Some(code) => Err(RoleRefusal::NotHeld(
            permissions::find(code.as_str()).map_or(code.as_str(), |known| known.title).to_owned(),
        )),
    }
}

/// The form with its texts trimmed, when all of it may stand.
fn checked(form: RoleForm, by: &Authority) -> Result<RoleForm, RoleRefusal> {
    let name = text::line(&form.name, NAME_MAX).ok_or(RoleRefusal::BadName)?;
    let remark = text::remark(&form.remark, REMARK_MAX).ok_or(RoleRefusal::BadRemark)?;
    if form.codes.is_empty() {
        return Err(RoleRefusal::NoCodes);
    }
    for code in &form.codes {
        let known = permissions::find(code.as_str()).ok_or_else(|| RoleRefusal::UnknownCode(code.clone()))?;
        if known.level_mask & u8::from(form.tier) == 0 {
            return Err(RoleRefusal::NotForTier { title: known.title, tier: form.tier.name() });
        }
    }
    handed_on(&form.codes, by)?;
    Ok(RoleForm { name, remark, ..form })
}

impl Aggregate for Role {
    const CATEGORY: &'static str = "role";
    type Id = RoleId;
    type Command = RoleCommand;
    type Event = RoleEvent;
    type Refusal = RoleRefusal;

    fn decide(&self, command: RoleCommand, _now: Timestamp) -> Result<Vec<RoleEvent>, RoleRefusal> {
        match command {
            RoleCommand::Create { agent, form, enabled, by } => {
                if self.stage != Stage::Absent {
                    return Err(RoleRefusal::Exists);
                }
                let RoleForm { name, tier, remark, codes } = checked(form, &by)?;
                Ok(vec![RoleEvent::Created { agent, name, tier, remark, codes, enabled, system: false }])
            }
            RoleCommand::Found { name } => match self.stage {
                Stage::Absent => Ok(vec![RoleEvent::Created {
                    agent: None,
                    name,
                    tier: Tier::Administration,
                    remark: String::new(),
                    codes: permissions::every_code(),
                    enabled: true,
                    system: true,
                }]),
                Stage::Present | Stage::Deleted => Ok(vec![]),
            },
            RoleCommand::Change { form, revision, by } => {
                self.editable(&by)?;
                self.current(revision)?;
                let RoleForm { name, tier, remark, codes } = checked(form, &by)?;
                let mut events = Vec::new();
                if name != self.name {
                    events.push(RoleEvent::Renamed { name });
                }
                if Some(tier) != self.tier || remark != self.remark || codes != self.codes {
                    events.push(RoleEvent::Changed { tier, remark, codes });
                }
                Ok(events)
            }
            RoleCommand::Enable { by } => {
                self.editable(&by)?;
                Ok(if self.enabled { vec![] } else { vec![RoleEvent::Enabled] })
            }
            RoleCommand::Disable { by } => {
                self.editable(&by)?;
                Ok(if self.enabled { vec![RoleEvent::Disabled] } else { vec![] })
            }
            RoleCommand::Delete { revision, by } => {
                self.editable(&by)?;
                revision.map_or(Ok(()), |revision| self.current(revision))?;
                match self.holders.len() {
                    0 => Ok(vec![RoleEvent::Deleted]),
                    users => Err(RoleRefusal::InUse(users)),
                }
            }
            RoleCommand::Grant { operator, level, by } => {
                self.present()?;
                if by.is(operator) {
                    return Err(RoleRefusal::OwnRoles);
                }
                handed_on(&self.codes(), &by)?;
                if self.holders.contains(&operator) {
                    return Ok(vec![]);
                }
                if !self.enabled {
                    return Err(RoleRefusal::IsDisabled);
                }
                self.suits(level)?;
                if self.holders.len() >= HOLDERS_MAX {
                    return Err(RoleRefusal::TooManyHolders);
                }
                Ok(vec![RoleEvent::Granted { operator }])
            }
            RoleCommand::Withdraw { operator, by } => {
                self.present()?;
                if by.is(operator) {
                    return Err(RoleRefusal::OwnRoles);
                }
                handed_on(&self.codes(), &by)?;
                if !self.holders.contains(&operator) {
                    return Ok(vec![]);
                }
                if self.system && self.holders.len() == 1 {
                    return Err(RoleRefusal::LastAdministrator);
                }
                Ok(vec![RoleEvent::Withdrawn { operator }])
            }
        }
    }

    fn evolve(&mut self, event: &RoleEvent) {
        match event {
            RoleEvent::Created { agent, name, tier, remark, codes, enabled, system } => {
                *self = Self {
                    stage: Stage::Present,
                    agent: *agent,
                    name: name.clone(),
                    remark: remark.clone(),
                    tier: Some(*tier),
                    codes: codes.clone(),
                    system: *system,
                    enabled: *enabled,
                    holders: BTreeSet::new(),
                    revision: 1,
                };
            }
            RoleEvent::Renamed { name } => {
                name.clone_into(&mut self.name);
                self.revision += 1;
            }
            RoleEvent::Changed { tier, remark, codes } => {
                self.tier = Some(*tier);
                remark.clone_into(&mut self.remark);
                codes.clone_into(&mut self.codes);
                self.revision += 1;
            }
            RoleEvent::Enabled => {
                self.enabled = true;
                self.revision += 1;
            }
            RoleEvent::Disabled => {
                self.enabled = false;
                self.revision += 1;
            }
            RoleEvent::Deleted => self.stage = Stage::Deleted,
            RoleEvent::Granted { operator } => {
                self.holders.insert(*operator);
            }
            RoleEvent::Withdrawn { operator } => {
                self.holders.remove(operator);
            }
        }
    }

    fn territory(&self) -> Territory {
        self.agent.map_or(Territory::PLATFORM, Territory::of_agent)
    }

    fn claims(&self, event: &RoleEvent) -> Vec<Claim<RoleRefusal>> {
        let take_name =
            |key: String, name: &String| Claim::Take { key, refusal: RoleRefusal::NameTaken(name.clone()) };
        match event {
            RoleEvent::Created { agent, name, .. } => {
                let future = Self { agent: *agent, ..Self::default() };
                vec![take_name(future.name_key(name), name)]
            }
            RoleEvent::Renamed { name } => {
                vec![take_name(self.name_key(name), name), Claim::Release { key: self.name_key(&self.name) }]
            }
            RoleEvent::Deleted => vec![Claim::Release { key: self.name_key(&self.name) }],
            RoleEvent::Granted { operator } if self.system => vec![Claim::Take {
                key: administrator_key(*operator),
                refusal: RoleRefusal::CannotAdminister,
            }],
            RoleEvent::Withdrawn { operator } if self.system => {
                vec![Claim::Release { key: administrator_key(*operator) }]
            }
            RoleEvent::Changed { .. }
            | RoleEvent::Enabled
            | RoleEvent::Disabled
            | RoleEvent::Granted { .. }
            | RoleEvent::Withdrawn { .. } => vec![],
        }
    }
}
