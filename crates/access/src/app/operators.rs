//! Operators: opening, changing, switching and closing accounts, and which roles they hold.

use std::collections::{BTreeMap, BTreeSet};

use kernel::{CommandContext, CommandError, Position, Receipt};
use serde_json::json;
use vocabulary::{OperatorId, Phone, Reach, RoleId, Scope};
use wire::{BatchOutcomes, Caller, EndedReason, Refused, RequestContext};

use super::NEWEST;
use crate::Access;
use crate::model::authority::{Authority, Granted, Person};
use crate::model::operator::{
    Operator, OperatorCommand, OperatorForm, OperatorRefusal, REACH_MAX, areas_are_of_agents,
};
use crate::model::role::{Role, RoleCommand, SUPER_ADMINISTRATOR};
use crate::read::{operators, roles};

/// How an operator's roles are to change.
#[derive(Debug)]
struct RoleMoves {
    /// As he stands, for what is taken from him.
    now: Person,
    /// As he will, for what he is given.
    then: Person,
    given: BTreeSet<RoleId>,
    taken: BTreeSet<RoleId>,
}

impl Access {
    /// The operator with this phone within the caller's reach.
    pub(crate) async fn operator_of(&self, caller: &Caller, phone: &Phone) -> Result<OperatorId, Refused> {
        let mut db = self.runtime.reads.scoped(&caller.full_scope, Some(NEWEST), &["operator"]).await?;
        let account = operators::by_phone(&mut db, phone).await?;
        Ok(account.ok_or_else(Refused::not_found)?.id)
    }

    pub(crate) async fn register_operator(
        &self,
        request: &RequestContext,
        caller: &Caller,
        phone: Phone,
        form: OperatorForm,
        enabled: bool,
        wanted: BTreeSet<RoleId>,
    ) -> Result<Receipt, Refused> {
        let fresh = OperatorId(self.runtime.ids.next_id());
        let by = self.authority(caller).await?;
        let ctx = request.context_of_account(json!({ "objectId": fresh }));
        self.areas_of_agents(&form.reach).await?;
        // Before anything is done: the roles must be such that this caller may give.
        let newcomer = Person {
            operator: fresh,
            granted: Granted::NOTHING,
            reach: form.reach.clone(),
            level: form.level,
        };
        let mut moves =
            RoleMoves { now: newcomer.clone(), then: newcomer, given: wanted, taken: BTreeSet::new() };
        self.rehearse_moves(&moves, &by, &ctx).await?;
        let command = OperatorCommand::Register { operator: fresh, phone, form, enabled, by: by.clone() };
        let receipt = self.runtime.desk.execute::<Operator>(&fresh, command, &ctx).await?;
        // A repeated request goes on with the account that the first one opened.
        let operator = receipt.reply["objectId"].as_str().and_then(|id| id.parse().ok()).unwrap_or(fresh);
        moves.then.operator = operator;
        let last = self.make_moves(&moves, &by, &ctx).await?;
        self.settle(last.map_or(receipt.position, |last| last.position.max(receipt.position))).await?;
        Ok(receipt)
    }

    pub(crate) async fn change_operator(
        &self,
        request: &RequestContext,
        caller: &Caller,
        operator: OperatorId,
        form: OperatorForm,
        revision: i64,
        wanted: Option<BTreeSet<RoleId>>,
    ) -> Result<Receipt, Refused> {
        let by = self.authority(caller).await?;
        let ctx = request.context_of_account(json!({}));
        let now = self.person(operator).await?;
        let command = || OperatorCommand::Change {
            form: form.clone(),
            revision,
            target: now.granted.clone(),
            by: by.clone(),
        };
        let then = Person { reach: form.reach.clone(), level: form.level, ..now.clone() };
        let moves = self.moves_to(caller, now.clone(), then, wanted).await?;
        // Taking the system role away first is what makes a limited reach possible.
        let blocked = match self.rehearse::<Operator>(&operator, command(), &ctx).await {
            Ok(()) => false,
            Err(CommandError::Refused(_) | CommandError::NotFound) => true,
            Err(error) => return Err(error.into()),
        };
        if blocked {
            // A refusal, or a repeat of what was done: the desk knows which.
            let receipt = self.runtime.desk.execute::<Operator>(&operator, command(), &ctx).await?;
            return Ok(receipt);
        }
        let before = self.runtime.desk.load::<Operator>(&operator).await.map_err(Refused::unavailable)?.state;
        if before.reach() != Some(&form.reach) {
            self.areas_of_agents(&form.reach).await?;
        }
        if before.level() != Some(form.level) {
            self.kept_roles_suit(operator, &moves).await?;
        }
        self.rehearse_moves(&moves, &by, &ctx).await?;
        let RoleMoves { now, then, given, taken } = moves;
        let taken = RoleMoves { now: now.clone(), then: then.clone(), given: BTreeSet::new(), taken };
        let given = RoleMoves { now, then, given, taken: BTreeSet::new() };
        self.make_moves(&taken, &by, &ctx).await?;
        let receipt = self.runtime.desk.execute::<Operator>(&operator, command(), &ctx).await?;
        let last = self.make_moves(&given, &by, &ctx).await?;
        let position = last.map_or(receipt.position, |last| last.position.max(receipt.position));
        self.settle(position).await?;
        self.rights_changed(&[operator], ctx.now).await?;
        Ok(Receipt { position, ..receipt })
    }

    pub(crate) async fn set_operator_state(
        &self,
        request: &RequestContext,
        caller: &Caller,
        operator: OperatorId,
        enabled: bool,
    ) -> Result<Receipt, Refused> {
        let ctx = request.context_of_account(json!({}));
        let receipt = self.switch_operator(caller, operator, enabled, &ctx).await?;
        self.switched(&[operator], enabled, receipt.position, &ctx).await?;
        Ok(receipt)
    }

    /// Each judged alone: what one of them is refused does not hinder the others. The outcomes are in the order of
    /// `phones`.
    pub(crate) async fn set_operator_states(
        &self,
        request: &RequestContext,
        caller: &Caller,
        phones: &[Phone],
        enabled: bool,
    ) -> Result<BatchOutcomes, Refused> {
        let ctx = request.context_of_account(json!({}));
        let (mut outcomes, mut done) = (BatchOutcomes::default(), Vec::new());
        for phone in phones {
            let switching = async {
                let operator = self.operator_of(caller, phone).await?;
                let ctx = ctx.step(&format!("state:{operator}"));
                Ok((operator, self.switch_operator(caller, operator, enabled, &ctx).await?))
            };
            let switched: Result<(OperatorId, Receipt), Refused> = switching.await;
            done.extend(switched.as_ref().map(|(operator, _)| *operator));
            outcomes.take(phone.to_string(), switched.map(|(_, receipt)| receipt))?;
        }
        if let Some(position) = outcomes.position() {
            self.switched(&done, enabled, position, &ctx).await?;
        }
        Ok(outcomes)
    }

    async fn switch_operator(
        &self,
        caller: &Caller,
        operator: OperatorId,
        enabled: bool,
        ctx: &CommandContext,
    ) -> Result<Receipt, Refused> {
        let (by, person) = (self.authority(caller).await?, self.person(operator).await?);
        let target = person.granted.clone();
        if enabled {
            let command = OperatorCommand::Enable { target, by };
            return Ok(self.runtime.desk.execute::<Operator>(&operator, command, ctx).await?);
        }
        let command = OperatorCommand::Disable { target, by: by.clone() };
        self.give_up_administration(person, &command, &by, ctx).await?;
        Ok(self.runtime.desk.execute::<Operator>(&operator, command, ctx).await?)
    }

    /// Lets those who were switched feel it at once.
    async fn switched(
        &self,
        operators: &[OperatorId],
        enabled: bool,
        position: Position,
        ctx: &CommandContext,
    ) -> Result<(), Refused> {
        self.settle(position).await?;
        if !enabled {
            self.end_links(operators, ctx.now).await?;
        }
        for operator in operators.iter().filter(|_| !enabled) {
            self.sessions.end_of_operator(*operator, EndedReason::Disabled, ctx.now).await?;
        }
        Ok(())
    }

    pub(crate) async fn delete_operator(
        &self,
        request: &RequestContext,
        caller: &Caller,
        operator: OperatorId,
    ) -> Result<Receipt, Refused> {
        let (by, person) = (self.authority(caller).await?, self.person(operator).await?);
        let ctx = request.context_of_account(json!({})).step(&format!("delete:{operator}"));
        let command = OperatorCommand::Delete { target: person.granted.clone(), by: by.clone() };
        self.rehearse::<Operator>(&operator, command.clone(), &ctx).await?;
        self.give_up_administration(person.clone(), &command, &by, &ctx).await?;
        let everything = self.moves_to(caller, person.clone(), person, Some(BTreeSet::new())).await?;
        self.rehearse_moves(&everything, &by, &ctx).await?;
        self.make_moves(&everything, &by, &ctx).await?;
        let receipt = self.runtime.desk.execute::<Operator>(&operator, command, &ctx).await?;
        self.settle(receipt.position).await?;
        self.end_links(&[operator], ctx.now).await?;
        self.sessions.end_of_operator(operator, EndedReason::Disabled, ctx.now).await?;
        Ok(receipt)
    }

    /// Each judged alone, in the order of `phones`.
    pub(crate) async fn delete_operators(
        &self,
        request: &RequestContext,
        caller: &Caller,
        phones: &[Phone],
    ) -> Result<BatchOutcomes, Refused> {
        let mut outcomes = BatchOutcomes::default();
        for phone in phones {
            let deleting = async {
                let operator = self.operator_of(caller, phone).await?;
                self.delete_operator(request, caller, operator).await
            };
            outcomes.take(phone.to_string(), deleting.await)?;
        }
        Ok(outcomes)
    }

    /// An administrator is one no more before he is disabled or deleted; the last one stays. Only when `command` would
    /// be done otherwise: nobody loses the role for a command that is refused.
    async fn give_up_administration(
        &self,
        from: Person,
        command: &OperatorCommand,
        by: &Authority,
        ctx: &CommandContext,
    ) -> Result<(), Refused> {
        let operator = from.operator;
        let system =
            self.runtime.desk.load::<Role>(&SUPER_ADMINISTRATOR).await.map_err(Refused::unavailable)?;
        if !system.state.holders().contains(&operator) {
            return Ok(());
        }
        match self.rehearse::<Operator>(&operator, command.clone(), ctx).await {
            Ok(()) => {}
            Err(CommandError::Refused(refusal @ OperatorRefusal::Oneself)) => {
                return Err(CommandError::Refused(refusal).into());
            }
            Err(error) => return Err(error.into()),
        }
        let withdraw = RoleCommand::Withdraw { from, by: by.clone() };
        self.runtime
            .desk
            .execute::<Role>(&SUPER_ADMINISTRATOR, withdraw, &ctx.step("administration"))
            .await?;
        Ok(())
    }

    /// What leads from the roles that an operator holds to those wanted; roles beyond the caller's reach stay.
    async fn moves_to(
        &self,
        caller: &Caller,
        now: Person,
        then: Person,
        wanted: Option<BTreeSet<RoleId>>,
    ) -> Result<RoleMoves, Refused> {
        let Some(wanted) = wanted else {
            return Ok(RoleMoves { now, then, given: BTreeSet::new(), taken: BTreeSet::new() });
        };
        let mut db = self.runtime.reads.scoped(&caller.full_scope, Some(NEWEST), &["role"]).await?;
        let held: BTreeSet<RoleId> =
            roles::of_operator(&mut db, now.operator).await?.into_iter().map(|role| role.id).collect();
        Ok(RoleMoves {
            now,
            then,
            given: wanted.difference(&held).copied().collect(),
            taken: held.difference(&wanted).copied().collect(),
        })
    }

    /// Whether the roles that he keeps are for the tiers that he will have; all of them, beyond the caller's reach too.
    async fn kept_roles_suit(&self, operator: OperatorId, moves: &RoleMoves) -> Result<(), Refused> {
        let mut db = self.runtime.reads.scoped(&Scope::ALL, Some(NEWEST), &["role"]).await?;
        let held = roles::of_operator(&mut db, operator).await?;
        drop(db);
        for role in held.iter().filter(|role| !moves.taken.contains(&role.id)) {
            let kept = self.runtime.desk.load::<Role>(&role.id).await.map_err(Refused::unavailable)?;
            kept.state.suits(moves.then.level).map_err(CommandError::Refused)?;
        }
        Ok(())
    }

    /// Whether each area named belongs to one of the agents named.
    async fn areas_of_agents(&self, reach: &Scope) -> Result<(), Refused> {
        let mut owners = BTreeMap::new();
        if let Reach::Only(areas) = &reach.areas {
            // One more than allowed is enough: the account itself refuses longer lists.
            for area in areas.iter().take(REACH_MAX + 1) {
                let owner = self.ports.areas.owner_of(*area).await.map_err(Refused::unavailable)?;
                owners.extend(owner.map(|agent| (*area, agent)));
            }
        }
        let known = if owners.len() > REACH_MAX { Ok(()) } else { areas_are_of_agents(reach, &owners) };
        known.map_err(|refusal| CommandError::Refused(refusal).into())
    }

    async fn rehearse_moves(
        &self,
        moves: &RoleMoves,
        by: &Authority,
        ctx: &CommandContext,
    ) -> Result<(), Refused> {
        for (role, command) in commands(moves, by) {
            self.rehearse::<Role>(&role, command, ctx).await?;
        }
        Ok(())
    }

    async fn make_moves(
        &self,
        moves: &RoleMoves,
        by: &Authority,
        ctx: &CommandContext,
    ) -> Result<Option<Receipt>, Refused> {
        let mut last = None;
        for (role, command) in commands(moves, by) {
            let ctx = ctx.step(&format!("r{role}"));
            last = Some(self.runtime.desk.execute::<Role>(&role, command, &ctx).await?);
        }
        Ok(last)
    }
}

fn commands(moves: &RoleMoves, by: &Authority) -> BTreeMap<RoleId, RoleCommand> {
    let grant = || RoleCommand::Grant { to: moves.then.clone(), by: by.clone() };
    let withdraw = || RoleCommand::Withdraw { from: moves.now.clone(), by: by.clone() };
    let given = moves.given.iter().map(|role| (*role, grant()));
    let taken = moves.taken.iter().map(|role| (*role, withdraw()));
    given.chain(taken).collect()
}
