//! Agents' accounts: opening and changing them with the areas that they run, and what limits their people.

use std::collections::BTreeSet;

use approvals::Outcome;
use kernel::{CommandContext, CommandError, Receipt, Transaction};
use vocabulary::{AgentId, AgentRoleId, AreaId, PermissionCode};
use wire::{Caller, Refused};

use super::agent_deeds;
use crate::Context;
use crate::model::agent::{self, Agent, AgentCommand, Parent, Profile, Registration};
use crate::model::agent_role::{self, AgentRole, Held};
use crate::ports::Branch;

/// An account to be opened.
pub(crate) struct Opening {
    /// What is known of it.
    pub(crate) profile: Profile,
    /// Under whom it stands; none: under the platform.
    pub(crate) parent: Option<AgentId>,
    /// Whether it may work at once.
    pub(crate) enabled: bool,
    /// What it shall run.
    pub(crate) areas: BTreeSet<AreaId>,
}

/// Whether the caller may act on an agent that he sees, and so on all of its people.
pub(crate) fn may_act_on(caller: &Caller, agent: AgentId) -> Result<(), Refused> {
    if !caller.full_scope.agents.contains(&agent) {
        return Err(Refused::not_found());
    }
    agent::not_own(&caller.full_scope, agent)
        .and_then(|()| agent::as_a_whole(&caller.full_scope))
        .map_err(|refusal| CommandError::Refused(refusal).into())
}

/// What the caller holds.
pub(crate) fn held(caller: &Caller) -> Held {
    caller.codes.iter().cloned().collect()
}

/// Every code of the tree.
fn every_code(branches: &[Branch], into: &mut Held) {
    for branch in branches {
        into.extend(PermissionCode::try_from(branch.code.to_owned()));
        every_code(&branch.children, into);
    }
}

impl Context {
    /// Whether `caller` may put the template `role` in the place of `now`.
    pub(crate) async fn may_limit_by(
        &self,
        caller: &Caller,
        role: Option<AgentRoleId>,
        now: Option<AgentRoleId>,
    ) -> Result<(), Refused> {
        let role = role.filter(|role| role.0 != 0);
        if role == now {
            return Ok(());
        }
        let (now, new) = (self.template(now).await?, self.template(role).await?);
        let mut every = Held::new();
        every_code(&self.ports.permissions.tree(&|_| false), &mut every);
        agent_role::may_replace(now.as_ref(), new.as_ref(), &held(caller), &every)
            .map_err(|refusal| CommandError::Refused(refusal).into())
    }

    async fn template(&self, role: Option<AgentRoleId>) -> Result<Option<AgentRole>, Refused> {
        let Some(role) = role else { return Ok(None) };
        Ok(Some(self.runtime.desk.load::<AgentRole>(&role).await?.state))
    }

    pub(crate) async fn switch_agent(
        &self,
        caller: &Caller,
        agent: AgentId,
        enabled: bool,
        ctx: &CommandContext,
    ) -> Result<Outcome, Refused> {
        may_act_on(caller, agent)?;
        if enabled {
            let receipt = self.runtime.desk.execute::<Agent>(&agent, AgentCommand::Enable, ctx).await?;
            return Ok(Outcome::Done(receipt));
        }
        let state = self.runtime.desk.load::<Agent>(&agent).await?.state;
        let company = state.known().map(|known| known.profile.company.as_str()).unwrap_or_default();
        let asked = agent_deeds::disabling(agent, company);
        self.ports.approvals.do_or_ask(caller, asked, ctx).await
    }

    /// Opens an agent's account and lets it run areas: both or nothing.
    pub(crate) async fn open_agent(
        &self,
        agent: AgentId,
        opening: &Opening,
        caller: &Caller,
        ctx: &CommandContext,
    ) -> Result<Receipt, Refused> {
        agent::may_open(&caller.full_scope).map_err(CommandError::Refused)?;
        self.may_limit_by(caller, opening.profile.terms.role, None).await?;
        let opened = async |mut tx: Transaction| -> Result<_, Refused> {
            let parent = match opening.parent {
                None => None,
                Some(agent_id) => {
                    let state = tx.load::<Agent>(&agent_id).await?.state;
                    let level = state.known().map(|known| known.level);
                    Some(Parent { agent_id, level, enabled: state.is_enabled() })
                }
            };
            let account = Registration::of_platform(agent, opening.profile.clone());
            tx.execute::<Agent>(&agent, AgentCommand::Open { account, parent, enabled: opening.enabled })
                .await?;
            self.let_run(&mut tx, caller, agent, &opening.areas).await?;
            Ok(tx)
        };
        let receipt = self.runtime.desk.transact(ctx, opened).await?;
        self.settle(receipt.position).await?;
        Ok(receipt)
    }

    /// Changes an agent's account, and the areas that it runs when some are named: both or nothing.
    pub(crate) async fn change_agent(
        &self,
        agent: AgentId,
        profile: &Profile,
        areas: Option<&BTreeSet<AreaId>>,
        caller: &Caller,
        ctx: &CommandContext,
    ) -> Result<Receipt, Refused> {
        let changed = async |mut tx: Transaction| -> Result<_, Refused> {
            tx.execute::<Agent>(&agent, AgentCommand::Change(profile.clone())).await?;
            if let Some(areas) = areas {
                self.let_run(&mut tx, caller, agent, areas).await?;
            }
            Ok(tx)
        };
        let receipt = self.runtime.desk.transact(ctx, changed).await?;
        self.settle(receipt.position).await?;
        Ok(receipt)
    }
}
