//! Roles: making, changing, switching, removing.

use kernel::{CommandContext, Receipt};
use serde_json::json;
use vocabulary::{AgentId, Reach, RoleId};
use wire::{Asked, Caller, Outcomes, Refused};

use super::authority;
use crate::Access;
use crate::model::role::{Role, RoleCommand, RoleForm};

/// Whose a new role is: the agent named; unnamed, the platform's or the caller's only agent's.
fn owner(caller: &Caller, named: Option<AgentId>) -> Result<Option<AgentId>, Refused> {
    match (&caller.full_scope.agents, named) {
        (_, Some(agent)) => Ok(Some(agent)),
        (Reach::All, None) => Ok(None),
        (Reach::Only(agents), None) if agents.len() == 1 => Ok(agents.first().copied()),
        (Reach::Only(_), None) => Err(Refused::business("agent-missing", "请选择角色所属的代理商")),
    }
}

impl Access {
    pub(crate) async fn create_role(
        &self,
        asked: &Asked,
        caller: &Caller,
        agent: Option<AgentId>,
        form: RoleForm,
        enabled: bool,
    ) -> Result<Receipt, Refused> {
        let id = RoleId(self.house.ids.next_id());
        let command =
            RoleCommand::Create { agent: owner(caller, agent)?, form, enabled, by: authority(caller) };
        let ctx = asked.context_of_account(json!({ "id": id }));
        Ok(self.house.desk.execute::<Role>(&id, command, &ctx).await?)
    }

    pub(crate) async fn change_role(
        &self,
        asked: &Asked,
        caller: &Caller,
        role: RoleId,
        form: RoleForm,
        revision: i64,
    ) -> Result<Receipt, Refused> {
        let command = RoleCommand::Change { form, revision, by: authority(caller) };
        self.alter_role(role, command, &asked.context_of_account(json!({}))).await
    }

    pub(crate) async fn set_role_state(
        &self,
        asked: &Asked,
        caller: &Caller,
        role: RoleId,
        enabled: bool,
    ) -> Result<Receipt, Refused> {
        let by = authority(caller);
        let command = if enabled { RoleCommand::Enable { by } } else { RoleCommand::Disable { by } };
        self.alter_role(role, command, &asked.context_of_account(json!({}))).await
    }

    /// Each judged alone, in the order of `ids`.
    pub(crate) async fn set_role_states(
        &self,
        asked: &Asked,
        caller: &Caller,
        ids: &[RoleId],
        enabled: bool,
    ) -> Result<Outcomes, Refused> {
        let ctx = asked.context_of_account(json!({}));
        let mut outcomes = Outcomes::default();
        for role in ids {
            let by = authority(caller);
            let command = if enabled { RoleCommand::Enable { by } } else { RoleCommand::Disable { by } };
            let ctx = ctx.step(&format!("state:{role}"));
            outcomes.take(role.to_string(), self.alter_role(*role, command, &ctx).await)?;
        }
        Ok(outcomes)
    }

    pub(crate) async fn delete_role(
        &self,
        asked: &Asked,
        caller: &Caller,
        role: RoleId,
        revision: Option<i64>,
    ) -> Result<Receipt, Refused> {
        let command = RoleCommand::Delete { revision, by: authority(caller) };
        self.alter_role(role, command, &asked.context_of_account(json!({}))).await
    }

    /// Changes a role and lets its holders feel it at once.
    async fn alter_role(
        &self,
        role: RoleId,
        command: RoleCommand,
        ctx: &CommandContext,
    ) -> Result<Receipt, Refused> {
        let receipt = self.house.desk.execute::<Role>(&role, command, ctx).await?;
        let holders = self.house.desk.load::<Role>(&role).await.map_err(Refused::unavailable)?;
        self.settle(receipt.position).await?;
        self.tell_changed(holders.state.holders().iter().copied()).await;
        Ok(receipt)
    }
}
