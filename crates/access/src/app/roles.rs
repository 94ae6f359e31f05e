//! Roles: making, changing, switching, removing.

use kernel::{CommandContext, Receipt};
use serde_json::json;
use vocabulary::{AgentId, RoleId, Scope};
use wire::{BatchOutcomes, Caller, Refused, RequestContext};

use super::NEWEST;
use crate::Access;
use crate::model::authority::People;
use crate::model::role::{Role, RoleCommand, RoleForm};
use crate::read::operators;

impl Access {
    pub(crate) async fn create_role(
        &self,
        request: &RequestContext,
        caller: &Caller,
        agent: Option<AgentId>,
        form: RoleForm,
        enabled: bool,
    ) -> Result<Receipt, Refused> {
        let id = RoleId(self.runtime.ids.next_id());
        let by = self.authority(caller).await?;
        let command = RoleCommand::Create { agent: caller.owner_of_new(agent)?, form, enabled, by };
        let ctx = request.context_of_account(json!({ "id": id }));
        Ok(self.runtime.desk.execute::<Role>(&id, command, &ctx).await?)
    }

    pub(crate) async fn change_role(
        &self,
        request: &RequestContext,
        caller: &Caller,
        role: RoleId,
        form: RoleForm,
        revision: i64,
    ) -> Result<Receipt, Refused> {
        let (holders, by) = (self.holders_of(role).await?, self.authority(caller).await?);
        let command = RoleCommand::Change { form, revision, holders, by };
        self.alter_role(role, command, &request.context_of_account(json!({}))).await
    }

    pub(crate) async fn set_role_state(
        &self,
        request: &RequestContext,
        caller: &Caller,
        role: RoleId,
        enabled: bool,
    ) -> Result<Receipt, Refused> {
        let command = self.switch_of(caller, role, enabled).await?;
        self.alter_role(role, command, &request.context_of_account(json!({}))).await
    }

    /// Each judged alone, in the order of `ids`.
    pub(crate) async fn set_role_states(
        &self,
        request: &RequestContext,
        caller: &Caller,
        ids: &[RoleId],
        enabled: bool,
    ) -> Result<BatchOutcomes, Refused> {
        let ctx = request.context_of_account(json!({}));
        let mut outcomes = BatchOutcomes::default();
        for role in ids {
            let ctx = ctx.step(&format!("state:{role}"));
            let switching = async {
                let command = self.switch_of(caller, *role, enabled).await?;
                self.alter_role(*role, command, &ctx).await
            };
            outcomes.take(role.to_string(), switching.await)?;
        }
        Ok(outcomes)
    }

    pub(crate) async fn delete_role(
        &self,
        request: &RequestContext,
        caller: &Caller,
        role: RoleId,
        revision: Option<i64>,
    ) -> Result<Receipt, Refused> {
        let command = RoleCommand::Delete { revision, by: self.authority(caller).await? };
        self.alter_role(role, command, &request.context_of_account(json!({}))).await
    }

    async fn switch_of(&self, caller: &Caller, role: RoleId, enabled: bool) -> Result<RoleCommand, Refused> {
        let (holders, by) = (self.holders_of(role).await?, self.authority(caller).await?);
        Ok(if enabled { RoleCommand::Enable { holders, by } } else { RoleCommand::Disable { holders, by } })
    }

    /// Who holds a role, wherever they are: it is changed for all of them.
    async fn holders_of(&self, role: RoleId) -> Result<People, Refused> {
        let known = self.runtime.desk.load::<Role>(&role).await.map_err(Refused::unavailable)?.state;
        let mut db = self.runtime.reads.scoped(&Scope::ALL, Some(NEWEST), &["operator"]).await?;
        let people = operators::together(&mut db, known.holders()).await?;
        Ok(People { operators: known.holders().clone(), ..people })
    }

    /// Changes a role and lets its holders feel it at once.
    async fn alter_role(
        &self,
        role: RoleId,
        command: RoleCommand,
        ctx: &CommandContext,
    ) -> Result<Receipt, Refused> {
        let receipt = self.runtime.desk.execute::<Role>(&role, command, ctx).await?;
        let holders = self.runtime.desk.load::<Role>(&role).await.map_err(Refused::unavailable)?;
        self.settle(receipt.position).await?;
        let holders: Vec<_> = holders.state.holders().iter().copied().collect();
        self.rights_changed(&holders, ctx.now).await?;
        Ok(receipt)
    }
}
