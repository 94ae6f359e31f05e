//! What people want, told in commands: who asks, in which order, and who must hear of it. Rules are in the models.

pub mod bootstrap;
pub mod devices;
pub mod machines;
pub mod operators;
pub mod roles;
pub mod sign_in;

use kernel::{Aggregate, CommandContext, CommandError, Position};
use vocabulary::{OperatorId, Scope, Timestamp};
use wire::{Caller, CodeSet, Directory, Ended, EndedReason, Refused, Standing};

use crate::model::authority::{Above, Authority, Granted, Held, Person};
use crate::model::level::Level;
use crate::model::operator::Operator;
use crate::model::role::{Role, SUPER_ADMINISTRATOR};
use crate::permissions::closed_upwards;
use crate::{Access, read, sign_in_store};

/// All there is at the moment of asking.
pub(crate) const NEWEST: Position = Position(i64::MAX);

impl Access {
    /// What `command` would be answered now, without doing it.
    pub(crate) async fn rehearse<A: Aggregate>(
        &self,
        id: &A::Id,
        command: A::Command,
        ctx: &CommandContext,
    ) -> Result<(), CommandError<A::Refusal>> {
        let loaded = self.runtime.desk.load::<A>(id).await?;
        if loaded.version > 0 && !ctx.scope.contains(loaded.state.owner()) {
            return Err(CommandError::NotFound);
        }
        loaded.state.decide(command, ctx.now).map(drop).map_err(CommandError::Refused)
    }

    /// Waits until the read models hold what was done at `position`, and lets the directory look again: whatever
    /// comes after the answer sees the change.
    pub(crate) async fn settle(&self, position: Position) -> Result<(), Refused> {
        drop(self.runtime.reads.scoped(&Scope::NONE, Some(position), &["role", "operator"]).await?);
        self.directory.forget();
        Ok(())
    }

    /// Tells open sockets of these operators to look again, and ends the sessions that links made by them or for them
    /// opened: what allowed those may hold no more.
    pub(crate) async fn rights_changed(
        &self,
        operators: &[OperatorId],
        now: Timestamp,
    ) -> Result<(), Refused> {
        self.end_links(operators, now).await?;
        for operator in operators {
            let ended = Ended::Operator { operator: *operator, reason: EndedReason::Changed };
            self.sessions.revocations().tell(ended).await;
        }
        Ok(())
    }

    /// Ends the sessions that links made by these people or for them opened.
    pub(crate) async fn end_links(&self, operators: &[OperatorId], now: Timestamp) -> Result<(), Refused> {
        for session in sign_in_store::link_sessions_of(&self.runtime.pools.app, operators).await? {
            self.sessions.end(session, EndedReason::Changed, now).await?;
        }
        Ok(())
    }

    /// How an operator stands now; none when there is no such operator.
    pub(crate) async fn standing_of(&self, operator: OperatorId) -> Result<Option<Standing>, Refused> {
        Ok(self.directory.standing(operator).await?)
    }

    /// Who asks, as the models need to know.
    pub(crate) async fn authority(&self, caller: &Caller) -> Result<Authority, Refused> {
        self.with_level(caller.operator()?, &caller.codes, &caller.full_scope).await
    }

    /// The same of somebody who asked before; nothing when he may not sign in any more.
    pub(crate) async fn authority_of(&self, operator: OperatorId) -> Result<Option<Authority>, Refused> {
        match self.standing_of(operator).await?.filter(|standing| standing.enabled) {
            Some(now) => Ok(Some(self.with_level(operator, &now.codes, &now.scope).await?)),
            None => Ok(None),
        }
    }

    async fn with_level(
        &self,
        operator: OperatorId,
        codes: &CodeSet,
        scope: &Scope,
    ) -> Result<Authority, Refused> {
        let account = self.runtime.desk.load::<Operator>(&operator).await.map_err(Refused::unavailable)?;
        let system =
            self.runtime.desk.load::<Role>(&SUPER_ADMINISTRATOR).await.map_err(Refused::unavailable)?;
        let level = if system.state.holders().contains(&operator) {
            Level::ALL
        } else {
            account.state.level().ok_or_else(Refused::no_session)?
        };
        Ok(Authority {
            operator: Some(operator),
            codes: Held::Codes(codes.iter().cloned().collect()),
            scope: scope.clone(),
            level,
        })
    }

    /// What an operator was given, whatever his tiers or his agent keep from him.
    pub(crate) async fn granted_to(&self, operator: OperatorId) -> Result<Granted, Refused> {
        let mut db = self.runtime.reads.scoped(&Scope::ALL, Some(NEWEST), &["role"]).await?;
        let held = read::roles::of_operator(&mut db, operator).await?;
        Ok(Granted {
            codes: closed_upwards(held.iter().flat_map(|role| role.working_codes(Level::ALL))),
            administers: held.iter().any(|role| role.system),
            cars: read::roles::cars(&held),
        })
    }

    /// Somebody on whom the caller wants to act, as he stands now.
    pub(crate) async fn person(&self, operator: OperatorId) -> Result<Person, Refused> {
        let account =
            self.runtime.desk.load::<Operator>(&operator).await.map_err(Refused::unavailable)?.state;
        let (Some(reach), Some(level)) = (account.reach(), account.level()) else {
            return Err(Refused::not_found());
        };
        Ok(Person { operator, granted: self.granted_to(operator).await?, reach: reach.clone(), level })
    }

    /// The same, when the caller may act on him.
    pub(crate) async fn within(&self, caller: &Caller, operator: OperatorId) -> Result<Person, Refused> {
        let person = self.person(operator).await?;
        let above = |above: Above| Refused::business(above.code(), above.to_string());
        self.authority(caller).await?.may_act_on(&person).map_err(above)?;
        Ok(person)
    }
}
