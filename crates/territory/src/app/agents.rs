//! Agents' accounts: who may change them, and what limits their people.

use kernel::{CommandContext, CommandError, Receipt};
use vocabulary::{AgentId, AgentRoleId, PermissionCode};
use wire::{Caller, Refused};

use crate::Context;
use crate::model::agent::{self, Agent, AgentCommand};
use crate::model::agent_role::{self, AgentRole, Held};
use crate::ports::Branch;

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
    ) -> Result<Receipt, Refused> {
        may_act_on(caller, agent)?;
        let command = if enabled { AgentCommand::Enable } else { AgentCommand::Disable };
        Ok(self.runtime.desk.execute::<Agent>(&agent, command, ctx).await?)
    }
}
