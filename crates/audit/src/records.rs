//! Keeps what leaves no event by itself: the entrance and other rooms tell it here.

use std::num::NonZeroU32;
use std::sync::Arc;

use async_trait::async_trait;
use governor::clock::DefaultClock;
use governor::state::keyed::DashMapStateStore;
use governor::{Quota, RateLimiter};
use kernel::log::codec::actor_key;
use kernel::{CommandContext, House, Receipt};
use tokio::sync::Semaphore;
use vocabulary::{Reach, Scope, Territory};
use wire::{HandedOut, Refused, RefusedWrite, Witness};

use crate::model::access_record::{AccessRecord, Happened, Keep, RecordId};
use crate::read::Person;
use crate::read::refusals::{self, Refusal};

/// Refusals of one caller kept in a minute: enough for a person's mistakes, too few to fill the disk on purpose.
const REFUSALS_A_MINUTE: NonZeroU32 = NonZeroU32::new(30).unwrap();
/// Refusals being written at the same time; further ones are counted and let go.
const AT_ONCE: usize = 64;

/// Keeps records at the house's desk. Cheap to share.
#[derive(Clone)]
pub struct Records {
    house: House,
    callers: Arc<RateLimiter<String, DashMapStateStore<String>, DefaultClock>>,
    places: Arc<Semaphore>,
}

impl std::fmt::Debug for Records {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Records").finish_non_exhaustive()
    }
}

/// Whose data the records of a caller with this reach are: his franchisee's when he has just one, else the platform's.
fn territory_of(scope: &Scope) -> Territory {
    match &scope.agents {
        Reach::Only(agents) if agents.len() == 1 => {
            agents.first().copied().map_or(Territory::PLATFORM, Territory::of_agent)
        }
        Reach::Only(_) | Reach::All => Territory::PLATFORM,
    }
}

impl Records {
    pub(crate) fn new(house: House) -> Self {
        Self {
            house,
            callers: Arc::new(RateLimiter::keyed(Quota::per_minute(REFUSALS_A_MINUTE))),
            places: Arc::new(Semaphore::new(AT_ONCE)),
        }
    }

    /// Keeps one record. The record is the house's, so it is kept however little the caller may see.
    pub(crate) async fn keep(&self, ctx: &CommandContext, happened: Happened) -> Result<Receipt, Refused> {
        let keep = Keep { happened, territory: territory_of(&ctx.scope) };
        let ctx = CommandContext { scope: Scope::ALL, ..ctx.clone() };
        let id = RecordId(self.house.ids.next_id());
        Ok(self.house.desk.execute::<AccessRecord>(&id, keep, &ctx).await?)
    }
}

#[async_trait]
impl Witness for Records {
    fn refused(&self, ctx: CommandContext, write: RefusedWrite) {
        let place = Arc::clone(&self.places).try_acquire_owned();
        let (Ok(()), Ok(place)) = (self.callers.check_key(&actor_key(&ctx.actor)), place) else {
            metrics::counter!("wheelhouse_refusals_not_kept_total").increment(1);
            return;
        };
        if self.callers.len() > 10_000 {
            self.callers.retain_recent();
        }
        // A rule of the house is not refused by the entrance.
        let Some(person) = Person::of(&ctx.actor) else { return };
        let refusal = Refusal {
            at: ctx.now,
            person,
            name: write.name,
            phone: write.phone,
            territory: territory_of(&ctx.scope),
            what: format!("{} {}", write.method, write.path),
            status: write.status,
            code: write.code,
            reason: write.text,
            client_address: ctx.client_address.unwrap_or_default(),
            trace_id: ctx.trace_id,
        };
        let pool = self.house.pools.app.clone();
        tokio::spawn(async move {
            if let Err(error) = refusals::keep(&pool, &refusal).await {
                metrics::counter!("wheelhouse_refusals_not_kept_total").increment(1);
                tracing::warn!(%error, "a refused command is not on record");
            }
            drop(place);
        });
    }

    async fn handed_out(&self, ctx: &CommandContext, what: HandedOut) -> Result<Receipt, Refused> {
        let happened = match what {
            HandedOut::Export { what, filter, rows } => Happened::Exported { what, filter, rows },
            HandedOut::Unmask { what, target } => Happened::Unmasked { what, target },
        };
        self.keep(ctx, happened).await
    }
}
