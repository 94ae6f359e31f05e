//! What people want, told in commands: who asks, in which order, and who must hear of it. Rules are in the models.

pub mod bootstrap;
pub mod devices;
pub mod machines;
pub mod operators;
pub mod roles;
pub mod sign_in;

use std::collections::BTreeSet;

use kernel::{Aggregate, CommandContext, CommandError, Position};
use vocabulary::{OperatorId, PermissionCode, Scope};
use wire::{Caller, Directory, Ended, EndedReason, Refused, Standing};

use crate::Access;
use crate::model::authority::{Authority, Held};
use crate::model::level::Level;
use crate::permissions::closed_upwards;

/// All there is at the moment of asking.
pub(crate) const NEWEST: Position = Position(i64::MAX);

/// Who asks, as the models need to know.
pub(crate) fn authority(caller: &Caller) -> Authority {
    Authority {
        operator: caller.operator,
        codes: Held::Codes(caller.codes.iter().cloned().collect()),
        scope: caller.full_scope.clone(),
    }
}

impl Access {
    /// What `command` would be answered now, without doing it.
    pub(crate) async fn rehearse<A: Aggregate>(
        &self,
        id: &A::Id,
        command: A::Command,
        ctx: &CommandContext,
    ) -> Result<(), CommandError<A::Refusal>> {
        let loaded = self.house.desk.load::<A>(id).await?;
        if loaded.version > 0 && !ctx.scope.contains(loaded.state.territory()) {
            return Err(CommandError::NotFound);
        }
        loaded.state.decide(command, ctx.now).map(drop).map_err(CommandError::Refused)
    }

    /// Waits until the read models hold what was done at `position`, and lets the directory look again: whatever
    /// comes after the answer sees the change.
    pub(crate) async fn settle(&self, position: Position) -> Result<(), Refused> {
        drop(self.house.reads.scoped(&Scope::NONE, Some(position), &["role", "operator"]).await?);
        self.directory.forget();
        Ok(())
    }

    /// Tells open sockets of these operators to look again.
    pub(crate) async fn tell_changed(&self, operators: impl IntoIterator<Item = OperatorId>) {
        for operator in operators {
            let ended = Ended::Operator { operator, reason: EndedReason::Changed };
            self.sessions.revocations().tell(ended).await;
        }
    }

    /// How an operator stands now; none when there is no such operator.
    pub(crate) async fn standing_of(&self, operator: OperatorId) -> Result<Option<Standing>, Refused> {
        Ok(self.directory.standing(operator).await?)
    }

    /// The codes of all enabled roles that an operator holds, those included that his tiers keep from him: whoever
    /// acts on him must hold them too, or raising his tiers would hand on what one lacks.
    pub(crate) async fn granted_to(&self, operator: OperatorId) -> Result<BTreeSet<PermissionCode>, Refused> {
        let mut db = self.house.reads.scoped(&Scope::ALL, Some(NEWEST), &["role"]).await?;
        let held = crate::read::roles::of_operator(&mut db, operator).await?;
        Ok(closed_upwards(held.iter().flat_map(|role| role.working_codes(Level::ALL))))
    }

    /// The codes that an operator holds now; none when there is no such operator.
    pub(crate) async fn codes_of(&self, operator: OperatorId) -> Result<BTreeSet<PermissionCode>, Refused> {
        let standing = self.standing_of(operator).await?;
        Ok(standing.map(|standing| standing.codes.iter().cloned().collect()).unwrap_or_default())
    }
}
