//! A role: a named set of permission codes, and who holds it.

use std::collections::BTreeSet;

use kernel::{Aggregate, Claim, Decision, events};
use vocabulary::{AgentId, CarView, DataOwner, OperatorId, PermissionCode, RoleId, Timestamp, text};

use super::administrator_key;
use super::authority::{Above, Authority, People, Person};
use super::level::{Level, Tier};
use crate::permissions;

mod refusal;
mod sight;

pub use refusal::RoleRefusal;
pub use sight::{RIDING_STATES, riding_state};

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
    view: CarView,
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
    /// 1 to [`NAME_MAX`] characters, unique within the agent.
    pub name: String,
    /// The tier that it is meant for; not above those of who asks.
    pub tier: Tier,
    /// At most [`REMARK_MAX`] characters.
    pub remark: String,
    /// At least one, all known, all held by who asks.
    pub codes: BTreeSet<PermissionCode>,
    /// Which bikes its holders see (可见车辆): none that who asks does not see. `None`: as it was; of a new role, every one.
    pub view: Option<CarView>,
}

/// What may be asked of a role.
#[derive(Clone, Debug)]
pub enum RoleCommand {
    /// Makes it.
    Create {
        /// The agent it belongs to; none: the platform's.
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
        /// Who holds it: they gain and lose what it permits.
        holders: People,
        /// Who asks.
        by: Authority,
    },
    /// Lets its codes work.
    Enable {
        /// Who holds it.
        holders: People,
        /// Who asks.
        by: Authority,
    },
    /// Takes its codes out of work.
    Disable {
        /// Who holds it.
        holders: People,
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
        /// To whom; with the reach and the tiers that he will have: there are codes that not every tier may hold.
        to: Person,
        /// Who asks.
        by: Authority,
    },
    /// Takes it from an operator.
    Withdraw {
        /// From whom.
        from: Person,
        /// Who asks.
        by: Authority,
    },
}

events! {
    /// What may have happened to a role.
    #[derive(Eq)]
    pub enum RoleEvent {
        /// It was made.
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
            /// Which bikes its holders see.
            #[serde(default, skip_serializing_if = "CarView::is_everything")]
            view: CarView,
            /// Whether it works.
            enabled: bool,
            /// Whether it is the system role.
            #[serde(default)]
            system: bool,
        } = "role.created",
        /// It got another name.
        Renamed {
            /// The new name.
            name: String,
        } = "role.renamed",
        /// Tier, remark, codes or view changed.
        Changed {
            /// Its tier.
            tier: Tier,
            /// What it is for.
            remark: String,
            /// What it permits.
            codes: BTreeSet<PermissionCode>,
            /// Which bikes its holders see.
            #[serde(default, skip_serializing_if = "CarView::is_everything")]
            view: CarView,
        } = "role.changed",
        /// Its codes work.
        Enabled = "role.enabled",
        /// Its codes do not work.
        Disabled = "role.disabled",
        /// It is gone.
        Deleted = "role.deleted",
        /// An operator holds it.
        Granted {
            /// Who.
            operator: OperatorId,
        } = "role.granted",
        /// An operator no longer holds it.
        Withdrawn {
            /// Who.
            operator: OperatorId,
        } = "role.withdrawn",
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

    /// Whether operators of these tiers may hold it. The system role is for whoever administers the system, whatever
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
        self.not_above(by)?;
        handed_on(&self.codes, &self.view, by)
    }

    /// Whether those who hold it are within the reach and level of `by`: a role is changed for all of them. That it is
    /// about codes which `by` holds is known before.
    fn touches(&self, holders: &People, by: &Authority) -> Result<(), RoleRefusal> {
        if !self.holders.is_subset(&holders.operators) {
            return Err(RoleRefusal::HoldersChanged);
        }
        by.may_touch(holders).map_err(|above| match above {
            Above::Level => RoleRefusal::HeldAboveLevel,
            Above::Reach | Above::Codes(_) | Above::Sight => RoleRefusal::HeldBeyondReach,
        })
    }

    /// The system role is for whoever administers the system: its codes are compared, not its tier.
    fn not_above(&self, by: &Authority) -> Result<(), RoleRefusal> {
        match self.tier {
            Some(tier) if !self.system && Level::from(tier).is_above(by.level) => {
                Err(RoleRefusal::AboveLevel)
            }
            _ => Ok(()),
        }
    }

    /// Whether `by` may give it to `person` or take it from him.
    fn handed(&self, person: &Person, by: &Authority) -> Result<(), RoleRefusal> {
        self.present()?;
        if by.is(person.operator) {
            return Err(RoleRefusal::OwnRoles);
        }
        self.not_above(by)?;
        handed_on(&self.codes(), &self.view, by)?;
        Ok(by.may_act_on(person)?)
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

/// A form that may stand.
struct Content {
    name: String,
    tier: Tier,
    remark: String,
    codes: BTreeSet<PermissionCode>,
    view: CarView,
}

/// One may hand on only what one holds, and sight of those bikes alone that one sees.
fn handed_on(codes: &BTreeSet<PermissionCode>, view: &CarView, by: &Authority) -> Result<(), RoleRefusal> {
    match by.lacks(codes) {
        None if sight::is_within(view, by) => Ok(()),
        None => Err(RoleRefusal::BeyondSight),
        Some(code) => Err(RoleRefusal::NotHeld(
            permissions::find(code.as_str()).map_or(code.as_str(), |known| known.title).to_owned(),
        )),
    }
}

/// The form with its texts trimmed, when all of it may stand; `before` is what its holders see now.
fn checked(form: RoleForm, before: &CarView, by: &Authority) -> Result<Content, RoleRefusal> {
    let name = text::line(&form.name, NAME_MAX).ok_or(RoleRefusal::BadName)?;
    let remark = text::lines(&form.remark, REMARK_MAX).ok_or(RoleRefusal::BadRemark)?;
    if form.codes.is_empty() {
        return Err(RoleRefusal::NoCodes);
    }
    for code in &form.codes {
        let known = permissions::find(code.as_str()).ok_or_else(|| RoleRefusal::UnknownCode(code.clone()))?;
        if known.level_mask & u8::from(form.tier) == 0 {
            return Err(RoleRefusal::NotForTier { title: known.title, tier: form.tier.name() });
        }
    }
    if Level::from(form.tier).is_above(by.level) {
        return Err(RoleRefusal::AboveLevel);
    }
    let view = form.view.map_or_else(|| Ok(before.clone()), sight::checked)?;
    handed_on(&form.codes, &view, by)?;
    Ok(Content { name, tier: form.tier, remark, codes: form.codes, view })
}

impl Aggregate for Role {
    const CATEGORY: &'static str = "role";
    type Id = RoleId;
    type Command = RoleCommand;
    type Event = RoleEvent;
    type Refusal = RoleRefusal;

    fn decide(&self, command: Self::Command, _now: Timestamp) -> Decision<Self> {
        match command {
            RoleCommand::Create { agent, form, enabled, by } => {
                if self.stage != Stage::Absent {
                    return Err(RoleRefusal::Exists);
                }
                let Content { name, tier, remark, codes, view } = checked(form, &self.view, &by)?;
                let system = false;
                Ok(vec![RoleEvent::Created { agent, name, tier, remark, codes, view, enabled, system }])
            }
            RoleCommand::Found { name } => match self.stage {
                Stage::Absent => Ok(vec![RoleEvent::Created {
                    agent: None,
                    name,
                    tier: Tier::Administration,
                    remark: String::new(),
                    codes: permissions::every_code(),
                    view: CarView::default(),
                    enabled: true,
                    system: true,
                }]),
                Stage::Present | Stage::Deleted => Ok(vec![]),
            },
            RoleCommand::Change { form, revision, holders, by } => {
                self.editable(&by)?;
                self.touches(&holders, &by)?;
                self.current(revision)?;
                let Content { name, tier, remark, codes, view } = checked(form, &self.view, &by)?;
                let mut events = Vec::new();
                if name != self.name {
                    events.push(RoleEvent::Renamed { name });
                }
                if (Some(tier), &remark, &codes, &view) != (self.tier, &self.remark, &self.codes, &self.view)
                {
                    events.push(RoleEvent::Changed { tier, remark, codes, view });
                }
                Ok(events)
            }
            RoleCommand::Enable { holders, by } => {
                self.editable(&by)?;
                self.touches(&holders, &by)?;
                Ok(if self.enabled { vec![] } else { vec![RoleEvent::Enabled] })
            }
            RoleCommand::Disable { holders, by } => {
                self.editable(&by)?;
                self.touches(&holders, &by)?;
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
            RoleCommand::Grant { to, by } => {
                self.handed(&to, &by)?;
                if self.holders.contains(&to.operator) {
                    return Ok(vec![]);
                }
                if !self.enabled {
                    return Err(RoleRefusal::IsDisabled);
                }
                self.suits(to.level)?;
                if self.holders.len() >= HOLDERS_MAX {
                    return Err(RoleRefusal::TooManyHolders);
                }
                Ok(vec![RoleEvent::Granted { operator: to.operator }])
            }
            RoleCommand::Withdraw { from, by } => {
                self.handed(&from, &by)?;
                if !self.holders.contains(&from.operator) {
                    return Ok(vec![]);
                }
                if self.system && self.holders.len() == 1 {
                    return Err(RoleRefusal::LastAdministrator);
                }
                Ok(vec![RoleEvent::Withdrawn { operator: from.operator }])
            }
        }
    }

    fn evolve(&mut self, event: &RoleEvent) {
        match event {
            RoleEvent::Created { agent, name, tier, remark, codes, view, enabled, system } => {
                *self = Self {
                    stage: Stage::Present,
                    agent: *agent,
                    name: name.clone(),
                    remark: remark.clone(),
                    tier: Some(*tier),
                    codes: codes.clone(),
                    view: view.clone(),
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
            RoleEvent::Changed { tier, remark, codes, view } => {
                view.clone_into(&mut self.view);
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

    fn owner(&self) -> DataOwner {
        self.agent.map_or(DataOwner::PLATFORM, DataOwner::of_agent)
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
