//! Keeps what leaves no event by itself: the wire and other contexts tell it here.

use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use governor::clock::DefaultClock;
use governor::state::keyed::DashMapStateStore;
use governor::{Quota, RateLimiter};
use kernel::log::codec::actor_key;
use kernel::{CommandContext, CommandError, Receipt, Runtime};
use tokio::sync::Semaphore;
use vocabulary::{DataOwner, Reach, Scope};
use wire::{AuditSink, Disclosed, Refused, RefusedWrite};

use crate::model::access_record::{AccessRecord, Happened, Keep, RecordId};
use crate::read::Person;
use crate::read::refusals::{self, Refusal};

/// Refusals of one caller kept in a minute: enough for a person's mistakes, too few to fill the disk on purpose.
const REFUSALS_A_MINUTE: NonZeroU32 = NonZeroU32::new(30).unwrap();
/// Things shown to one person that are recorded at once …
const SHOWN_AT_ONCE: NonZeroU32 = NonZeroU32::new(60).unwrap();
/// … and one more each time that so long has passed; what was recorded a moment ago does not count.
const SHOWN_EVERY: Duration = Duration::from_secs(10);
/// Refusals being written at the same time; further ones are counted and let go.
const AT_ONCE: usize = 64;

/// By person, of this node.
type Limiter = RateLimiter<String, DashMapStateStore<String>, DefaultClock>;

/// Keeps records at the system's desk. Cheap to share.
#[derive(Clone)]
pub struct Records {
    runtime: Runtime,
    callers: Arc<Limiter>,
    shown: Arc<Limiter>,
    places: Arc<Semaphore>,
}

impl std::fmt::Debug for Records {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Records").finish_non_exhaustive()
    }
}

/// Whose data the records of a caller with this reach are: his agent's when he has just one, else the platform's.
fn owner_of(scope: &Scope) -> DataOwner {
    match &scope.agents {
        Reach::Only(agents) if agents.len() == 1 => {
            agents.first().copied().map_or(DataOwner::PLATFORM, DataOwner::of_agent)
        }
        Reach::Only(_) | Reach::All => DataOwner::PLATFORM,
    }
}

impl Records {
    pub(crate) fn new(runtime: Runtime) -> Self {
        Self {
            runtime,
            callers: Arc::new(RateLimiter::keyed(Quota::per_minute(REFUSALS_A_MINUTE))),
            shown: Arc::new(RateLimiter::keyed(shown_quota())),
            places: Arc::new(Semaphore::new(AT_ONCE)),
        }
    }

    /// Keeps one record. The record is the system's, so it is kept however little the caller may see. What was recorded
    /// of him a moment ago is not recorded again; of anything else, only so much in a time: what is not on record does
    /// not leave, so the answer is a no then.
    pub(crate) async fn keep(&self, ctx: &CommandContext, happened: Happened) -> Result<Receipt, Refused> {
        let person = actor_key(&ctx.actor);
        let keep = Keep { happened, owner: owner_of(&ctx.scope) };
        let event = keep.clone().event().map_err(CommandError::Refused)?;
        let ctx = CommandContext { scope: Scope::ALL, ..ctx.clone() };
        let named = RecordId::of(&person, &event, ctx.now);
        let known = self.runtime.desk.load::<AccessRecord>(&named).await.map_err(Refused::unavailable)?;
        let id = match known.state.kept() {
            // Something else has the name, by chance.
            Some(kept) if *kept != event => RecordId(self.runtime.ids.next_id()),
            Some(_) | None => named,
        };
        if known.state.kept() != Some(&event) {
            self.count(&person)?;
        }
        Ok(self.runtime.desk.execute::<AccessRecord>(&id, keep, &ctx).await?)
    }

    /// Counts something that is shown to a person for the first time.
    fn count(&self, person: &String) -> Result<(), Refused> {
        if self.shown.len() > 10_000 {
            self.shown.retain_recent();
        }
        self.shown.check_key(person).map_err(|_| Refused::TooMany)
    }
}

fn shown_quota() -> Quota {
    Quota::with_period(SHOWN_EVERY).expect("a time that is not zero").allow_burst(SHOWN_AT_ONCE)
}

#[async_trait]
impl AuditSink for Records {
    fn refused(&self, ctx: CommandContext, write: RefusedWrite) {
        let place = Arc::clone(&self.places).try_acquire_owned();
        let (Ok(()), Ok(place)) = (self.callers.check_key(&actor_key(&ctx.actor)), place) else {
            metrics::counter!("wheelhouse_refusals_not_kept_total").increment(1);
            return;
        };
        if self.callers.len() > 10_000 {
            self.callers.retain_recent();
        }
        // A rule of the system is not refused by the wire.
        let Some(person) = Person::of(&ctx.actor) else { return };
        let refusal = Refusal {
            at: ctx.now,
            person,
            name: write.name,
            phone: write.phone,
            owner: owner_of(&ctx.scope),
            what: format!("{} {}", write.method, write.path),
            status: write.status,
            code: write.code,
            reason: write.text,
            client_address: ctx.client_address.unwrap_or_default(),
            trace_id: ctx.trace_id,
        };
        let pool = self.runtime.pools.app.clone();
        tokio::spawn(async move {
            if let Err(error) = refusals::keep(&pool, &refusal).await {
                metrics::counter!("wheelhouse_refusals_not_kept_total").increment(1);
                tracing::warn!(%error, "a refused command is not on record");
            }
            drop(place);
        });
    }

    async fn disclosed(&self, ctx: &CommandContext, what: Disclosed) -> Result<Receipt, Refused> {
        let happened = match what {
            Disclosed::Export { what, filter, rows } => Happened::Exported { what, filter, rows },
            Disclosed::Unmask { what, target } => Happened::Unmasked { what, target },
        };
        self.keep(ctx, happened).await
    }
}
