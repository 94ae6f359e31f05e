//! Who is listed and who no more: the entry and the rider change together.

use kernel::{Aggregate, CommandContext, CommandError, Personal, Receipt, Runtime, Transaction};
use vocabulary::{BlacklistEntryId, DataOwner, Phone, RiderId, Scope, Timestamp};
use wire::{Caller, Refused};

use super::riders::subject;
use super::{NEWEST, reaching};
use crate::Context;
use crate::model::blacklist::{
    ACCOUNTS_MAX, BlacklistCommand, BlacklistEntry, BlacklistKind, BlacklistRefusal, BlacklistScope, Listed,
    Listing,
};
use crate::model::rider::{Rider, RiderCommand, RiderRefusal};
use crate::read::blacklist;

/// Whom to list.
#[derive(Clone, Debug)]
pub(crate) struct ListingAsked {
    pub rider: RiderId,
    pub scope: BlacklistScope,
    pub kind: BlacklistKind,
    pub reason: String,
    pub until: Option<Timestamp>,
}

impl Context {
    /// Lists a rider. Who lists him for his agent sees all of that; who lists him everywhere sees all there is.
    pub(crate) async fn blacklist(
        &self,
        caller: &Caller,
        ctx: CommandContext,
        entry_id: BlacklistEntryId,
        asked: ListingAsked,
    ) -> Result<Receipt, Refused> {
        let rider = self.runtime.desk.load::<Rider>(&asked.rider).await?.state;
        let of = rider.registration().ok_or_else(Refused::not_found)?;
        let ctx = reaching(&caller.full_scope, rider.owner(), ctx)?;
        let enough = match asked.scope {
            BlacklistScope::Area => true,
            BlacklistScope::Agent => caller.full_scope.covers(&agent_alone(of.agent_id)),
            BlacklistScope::Platform => caller.full_scope == Scope::ALL,
        };
        if !enough {
            return Err(CommandError::Refused(BlacklistRefusal::Reach).into());
        }
        let phone = of.phone.known().cloned().ok_or(CommandError::Refused(RiderRefusal::Closed))?;
        let others = match asked.scope {
            BlacklistScope::Platform => self.accounts_with(asked.rider, &phone).await?,
            BlacklistScope::Area | BlacklistScope::Agent => Vec::new(),
        };
        let listing = Listing {
            entry_id,
            rider_id: asked.rider,
            others,
            agent_id: of.agent_id,
            area_id: of.area_id,
            scope: asked.scope,
            kind: asked.kind,
            reason: asked.reason,
            until: asked.until,
        };
        let name = rider.identity().map(|identity| identity.name.clone()).unwrap_or_default();
        let listed = Personal::new(subject(asked.rider), Listed { name, phone });
        let by = caller.named()?;
        let listing_him = async |mut tx: Transaction| -> Result<_, Refused> {
            let (listed, by) = (listed.clone(), by.clone());
            let add = BlacklistCommand::Add { listing: listing.clone(), listed, by };
            tx.execute::<BlacklistEntry>(&entry_id, add).await?;
            for rider in listing.riders() {
                let hold = RiderCommand::Blacklist { entry: entry_id, until: listing.until };
                tx.execute::<Rider>(&rider, hold).await?;
            }
            Ok(tx)
        };
        self.runtime.desk.transact(&ctx, listing_him).await
    }

    /// Ends an entry before its time.
    pub(crate) async fn lift(
        &self,
        caller: &Caller,
        ctx: CommandContext,
        id: BlacklistEntryId,
        reason: String,
    ) -> Result<Receipt, Refused> {
        let known = self.runtime.desk.load::<BlacklistEntry>(&id).await?.state;
        let ctx = reaching(&caller.full_scope, known.owner(), ctx)?;
        unlist(&self.runtime, &ctx, id, BlacklistCommand::Lift { reason, by: caller.named()? }).await
    }

    async fn accounts_with(&self, rider: RiderId, phone: &Phone) -> Result<Vec<RiderId>, Refused> {
        let mut db = self.runtime.reads.scoped(&Scope::ALL, NEWEST, &["rider"]).await?;
        Ok(blacklist::accounts_with(&mut *db, rider, phone, ACCOUNTS_MAX as i64).await?)
    }

    /// The entry that holds against a rider in the caller's reach.
    pub(crate) async fn entry_holding(
        &self,
        caller: &Caller,
        rider: RiderId,
    ) -> Result<BlacklistEntryId, Refused> {
        let mut db = self.runtime.reads.scoped(&caller.full_scope, NEWEST, &["blacklist_entry"]).await?;
        blacklist::holding(&mut *db, rider).await?.ok_or_else(Refused::not_found)
    }

    /// Whose an entry is, in the caller's reach.
    pub(crate) async fn entry_owner(
        &self,
        caller: &Caller,
        id: BlacklistEntryId,
    ) -> Result<DataOwner, Refused> {
        let known = self.runtime.desk.load::<BlacklistEntry>(&id).await?.state;
        let seen = known.listing().is_some() && caller.full_scope.contains(known.owner());
        if seen { Ok(known.owner()) } else { Err(Refused::not_found()) }
    }
}

/// All of one agent.
fn agent_alone(agent: vocabulary::AgentId) -> Scope {
    Scope::of(vocabulary::Reach::only([agent]), vocabulary::Reach::All)
}

/// Ends the entry as `ended` says, and lets whom it held ride again.
pub(crate) async fn unlist(
    runtime: &Runtime,
    ctx: &CommandContext,
    id: BlacklistEntryId,
    ended: BlacklistCommand,
) -> Result<Receipt, Refused> {
    let ending = async |mut tx: Transaction| -> Result<_, Refused> {
        tx.execute::<BlacklistEntry>(&id, ended.clone()).await?;
        let entry = tx.load::<BlacklistEntry>(&id).await?.state;
        for rider in entry.listing().into_iter().flat_map(Listing::riders) {
            match tx.execute::<Rider>(&rider, RiderCommand::Unlist { entry: id }).await {
                // Who is gone for good is held by nothing.
                Err(CommandError::Refused(refusal))
                    if refusal.code() == kernel::Refusal::code(&RiderRefusal::Closed) => {}
                done => done?,
            }
        }
        Ok(tx)
    };
    runtime.desk.transact(ctx, ending).await
}
