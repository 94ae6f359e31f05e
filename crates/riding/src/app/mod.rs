//! Use cases that span aggregates: each is one append, all or none.

mod blacklisting;
pub mod cards;
mod cases;
mod mispricing;
mod order_deeds;
mod orders;
mod paying;
mod payments;
mod reconciling;
pub mod reminding;
mod return_reviews;
mod returning;
mod riders;
mod rides;
mod time_limits;
mod wallets;

pub(crate) use blacklisting::{ListingAsked, unlist};
pub(crate) use cases::{CertificationAsked, RebindingAsked, Verdict};
pub use mispricing::RefundMispricing;
pub(crate) use mispricing::{MispricingAsked, refunding_all};
pub use order_deeds::order_deeds;
pub(crate) use order_deeds::{HowMuch, modifying, refunding, writing_off};
pub use paying::Refunding;
pub(crate) use paying::{modify, refund};
pub use payments::PaymentAsked;
pub(crate) use reminding::Reminded;
pub(crate) use return_reviews::ReviewAsked;
pub use returning::ReturnAsked;
pub(crate) use returning::Why;
pub(crate) use riders::subject;
pub use riders::{NewRider, Proof};
pub use rides::{LockAnswer, UnlockAsked};
pub use wallets::AdjustWallet;

use kernel::{AnyRefusal, CommandContext, CommandError, Position, Transaction};
use ledger::{Book, BookCommand, Entry, Holder};
use vocabulary::{DataOwner, RiderId, Scope};
use wire::Refused;

use crate::Context;
use crate::read::orders::open_of;

impl Context {
    /// Whether an order of a rider is open, of all that is in the log at this moment.
    pub(crate) async fn is_riding(&self, rider: RiderId) -> Result<bool, Refused> {
        let mut db = self.runtime.reads.scoped(&Scope::ALL, NEWEST, &["ride_order"]).await?;
        Ok(open_of(&mut *db, rider).await?)
    }
}

/// Reads what was written a moment ago.
pub(crate) const NEWEST: Option<Position> = Some(Position(i64::MAX));

/// The same context without bounds, once it is known that the caller may reach `owner`: a rider's book and orders of his in
/// other areas change with what is done.
pub(crate) fn reaching(
    scope: &Scope,
    owner: DataOwner,
    ctx: CommandContext,
) -> Result<CommandContext, Refused> {
    if scope.contains(owner) {
        Ok(CommandContext { scope: Scope::ALL, ..ctx })
    } else {
        Err(Refused::not_found())
    }
}

/// Books an entry in a rider's book, where anything moves.
pub(crate) async fn post(
    tx: &mut Transaction,
    rider: RiderId,
    entry: impl Into<Option<Entry>>,
) -> Result<(), CommandError<AnyRefusal>> {
    match entry.into() {
        Some(entry) => tx.execute::<Book>(&Holder::rider(rider), BookCommand::Post(entry)).await,
        None => Ok(()),
    }
}
