//! Everything a context of the system needs from the kernel, put together once at start.

use std::convert::Infallible;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rand::RngCore;
use sqlx::PgPool;
use tokio_util::sync::CancellationToken;
use vocabulary::{Clock, IdSource};

use crate::changes::Changes;
use crate::desk::Desk;
use crate::lease::Leases;
use crate::log::{BatchWriter, Feed, LogError, MasterKey, PersonalKeys, Reader, Tail, WriterLimits};
use crate::peers::Peers;
use crate::pools::Pools;
use crate::progress::Progress;
use crate::reads::Reads;
use crate::sweeping::every;

/// How often a process looks whether somebody was forgotten.
const LOOK_FOR_FORGOTTEN: Duration = Duration::from_secs(1);
/// An aggregate that nobody asks for is remembered for one to two of these.
const UNUSED: Duration = Duration::from_mins(5);

/// What a system is made from.
pub struct Foundation {
    /// Connections; the database is migrated.
    pub pools: Pools,
    /// Under which personal keys are sealed.
    pub master_key: MasterKey,
    /// The present.
    pub clock: Arc<dyn Clock>,
    /// New ids.
    pub ids: Arc<dyn IdSource>,
    /// NATS; without it everything runs, and nothing is told to other processes.
    pub nats: Option<async_nats::Client>,
    /// How much the writer takes at a time.
    pub limits: WriterLimits,
    /// Aggregates to remember.
    pub cached_aggregates: usize,
}

impl Foundation {
    /// With the usual sizes and without NATS.
    pub fn new(pools: Pools, master_key: MasterKey, clock: Arc<dyn Clock>, ids: Arc<dyn IdSource>) -> Self {
        Self {
            pools,
            master_key,
            clock,
            ids,
            nats: None,
            limits: WriterLimits::default(),
            cached_aggregates: 50_000,
        }
    }
}

/// The kernel at work in this process. Cheap to clone.
#[derive(Clone)]
pub struct Runtime {
    /// Executes commands.
    pub desk: Desk,
    /// Begins read transactions.
    pub reads: Reads,
    /// Tells of changed rows.
    pub changes: Changes,
    /// The present.
    pub clock: Arc<dyn Clock>,
    /// New ids.
    pub ids: Arc<dyn IdSource>,
    /// Connections.
    pub pools: Pools,
    /// Reads the log for users.
    pub reader: Reader,
    /// Hands out events to projectors and reactors.
    pub feed: Feed,
    /// How far the log reaches.
    pub tail: Tail,
    /// How far the projectors have come.
    pub progress: Progress,
    /// NATS, when there is one.
    pub nats: Option<async_nats::Client>,
    /// Names this process among others, anew at each start.
    pub node: Arc<str>,
    pub(crate) leases: Leases,
    keys: PersonalKeys,
    memories: Memories,
    stop: CancellationToken,
}

impl Runtime {
    /// Puts the system together and starts what runs in the background: the writer, the look-out for other processes.
    pub async fn open(foundation: Foundation) -> Result<Self, LogError> {
        let Foundation { pools, master_key, clock, ids, nats, limits, cached_aggregates } = foundation;
        let mut name = [0; 8];
        rand::rngs::OsRng.fill_bytes(&mut name);
        let node: Arc<str> = hex::encode(name).into();
        let stop = CancellationToken::new();

        let tail = Tail::new();
        tail.refresh(&pools.feed).await?;
        tokio::spawn(tail.clone().poll(pools.feed.clone(), stop.clone()));
        tokio::spawn(stop_on_failure(tail.clone(), stop.clone()));
        let keys = PersonalKeys::new(&master_key);
        let reader = Reader::new(pools.app.clone(), keys.clone());
        let feed = Feed::new(Reader::new(pools.feed.clone(), keys.clone()), tail.clone(), stop.clone());
        let writer = BatchWriter::start(pools.app_options.clone(), limits, tail.clone());
        let desk = Desk::new(
            writer,
            reader.clone(),
            pools.app.clone(),
            keys.clone(),
            tail.clone(),
            cached_aggregates,
            node.clone(),
        );
        tokio::spawn(drop_what_is_not_used(desk.clone(), stop.clone()));
        let memories = Memories::default();
        memories.add({
            let (desk, feed) = (desk.clone(), feed.clone());
            move || {
                desk.drop_cache();
                feed.clear();
            }
        });
        tokio::spawn(drop_what_was_forgotten(memories.clone(), pools.feed.clone(), stop.clone()));
        let leases = Leases::start(pools.projector_options.clone(), Arc::clone(&node), stop.clone());
        let peers = nats.clone().map(|nats| Peers::new(nats, Arc::clone(&node)));
        let progress = Progress::start(&pools.feed, peers.clone(), stop.clone()).await?;
        let reads = Reads::new(pools.app.clone(), tail.clone(), progress.clone());
        let changes = Changes::new(peers);
        tokio::spawn(changes.clone().listen(stop.clone()));
        Ok(Self {
            desk,
            reads,
            changes,
            clock,
            ids,
            pools,
            reader,
            feed,
            tail,
            progress,
            nats,
            node,
            leases,
            keys,
            memories,
            stop,
        })
    }

    /// Forgets a person (`rider:42`): what the log says about him can never be read again. Says whether there was
    /// anything to forget. What read models say is left: [`crate::Projectors::forget`] does all of it.
    pub async fn forget(&self, subject: &str) -> Result<bool, LogError> {
        let done = self.keys.forget(&self.pools.app, subject, self.clock.now()).await?;
        self.memories.drop_all();
        Ok(done)
    }

    /// Has `drop_memory` drop what it remembers of the log whenever somebody was forgotten: at once when this process
    /// did it, within two seconds when another one did.
    pub fn on_forgetting(&self, drop_memory: impl Fn() + Send + Sync + 'static) {
        self.memories.add(drop_memory);
    }

    /// Stands in line for the lease `name`: one process holds it at a time.
    pub async fn lease(&self, name: &str) -> crate::lease::Lease {
        self.leases.want(name).await
    }

    /// Why nothing more may be built on this log, once something is found; the system closes by itself then.
    pub fn fatal(&self) -> Option<Arc<str>> {
        self.tail.fatal()
    }

    /// Cancelled when the system closes.
    pub fn stopping(&self) -> CancellationToken {
        self.stop.clone()
    }

    /// Ends what runs in the background. Appends that wait are still written.
    pub fn close(&self) {
        self.stop.cancel();
    }

    /// Waits, after [`Self::close`], until what this process led was given back: another takes it at once.
    pub async fn closed(&self) {
        self.leases.ended().await;
    }
}

/// Drops what somebody remembers of the log.
type DropMemory = Box<dyn Fn() + Send + Sync>;

/// What drops the memories of this process.
#[derive(Clone, Default)]
struct Memories(Arc<Mutex<Vec<DropMemory>>>);

impl Memories {
    fn add(&self, drop_memory: impl Fn() + Send + Sync + 'static) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(Box::new(drop_memory));
    }

    fn drop_all(&self) {
        for drop_memory in self.0.lock().unwrap_or_else(PoisonError::into_inner).iter() {
            drop_memory();
        }
    }
}

/// Lets go of aggregates that nobody asks for any more.
async fn drop_what_is_not_used(desk: Desk, stop: CancellationToken) {
    every(UNUSED, stop, "unused aggregates", || {
        desk.drop_unused();
        std::future::ready(Ok::<_, Infallible>(()))
    })
    .await;
}

/// Drops what this process remembers when somebody was forgotten, by whatever process.
async fn drop_what_was_forgotten(memories: Memories, pool: PgPool, stop: CancellationToken) {
    let seen = Arc::new(AtomicI64::new(0));
    every(LOOK_FOR_FORGOTTEN, stop, "forgotten persons", || {
        let (memories, pool, seen) = (memories.clone(), pool.clone(), seen.clone());
        async move {
            let times = PersonalKeys::times_forgotten(&pool).await?;
            if seen.swap(times, Ordering::Relaxed) != times {
                memories.drop_all();
            }
            Ok::<_, sqlx::Error>(())
        }
    })
    .await;
}

async fn stop_on_failure(tail: Tail, stop: CancellationToken) {
    tokio::select! {
        () = stop.cancelled() => {}
        why = tail.failed() => {
            metrics::gauge!("wheelhouse_log_went_back").set(1.0);
            tracing::error!(%why, "this process stops");
            stop.cancel();
        }
    }
}
