//! What all sockets of a process share, and the beat that drives them.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::sync::{Semaphore, broadcast, watch};
use tokio::time::{Instant, MissedTickBehavior};
use tokio_util::sync::CancellationToken;
use vocabulary::{Clock, DataOwner, OperatorId, Scope, Timestamp};

use super::cars::Cars;
use super::levels::Levels;
use super::news::News;
use super::ports::{Authentication, Details, RowsChanged, Screens, Viewer};
use super::screens::Walls;
use crate::fleet::{LotTotals, TickBuffers};
use crate::memory::Memory;

/// One beat.
pub const TICK: Duration = Duration::from_millis(250);
/// Totals go out every so many beats.
const TOTALS_EVERY: u32 = 4;
/// Batches of changed rows that a slow socket may be behind.
const ROWS_KEPT: usize = 1024;
/// Operators whose last scope is remembered.
const SCOPES_KEPT: usize = 10_000;
/// Tables behind a bike's drawer, whose changes name the bike.
const BY_CAR: [&str; 2] = ["vehicle", "device_command"];

/// Limits of push. All bounds; none is a goal.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Sockets of this process.
    pub sockets: usize,
    /// Time for the first frame.
    pub auth: Duration,
    /// A socket that takes no byte for this long is given up.
    pub stall: Duration,
    /// Between two pings.
    pub ping: Duration,
    /// A socket that says nothing, not even pong, for this long is dead.
    pub silence: Duration,
    /// Between two questions whether the viewer may still look.
    pub recheck: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            sockets: 8000,
            auth: Duration::from_secs(5),
            stall: Duration::from_secs(30),
            ping: Duration::from_secs(15),
            silence: Duration::from_secs(50),
            recheck: Duration::from_mins(1),
        }
    }
}

/// One beat as sockets see it.
pub(super) struct Beat {
    pub(super) buffers: TickBuffers,
    pub(super) totals: Arc<LotTotals>,
    pub(super) owners: Arc<[DataOwner]>,
}

/// What push is made from.
pub struct HubParts {
    /// The fleet.
    pub memory: Memory,
    /// Who may look.
    pub authentication: Arc<dyn Authentication>,
    /// Puts bikes together.
    pub details: Arc<dyn Details>,
    /// Puts walls together.
    pub screens: Arc<dyn Screens>,
    /// The present.
    pub clock: Arc<dyn Clock>,
    /// Tables that may be watched, each with the codes of which one is needed.
    pub tables: HashMap<String, Vec<&'static str>>,
    /// Bounds.
    pub limits: Limits,
    /// A name that no other process ever has: ticks and slots mean something under it alone.
    pub instance: String,
    /// Cancelled when the process ends.
    pub stop: CancellationToken,
}

/// See the module.
pub struct Hub {
    pub(super) memory: Memory,
    pub(super) authentication: Arc<dyn Authentication>,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) tables: HashMap<String, Vec<&'static str>>,
    pub(super) limits: Limits,
    pub(super) instance: String,
    pub(super) stop: CancellationToken,
    pub(super) seats: Arc<Semaphore>,
    pub(super) levels: Levels,
    pub(super) cars: Cars,
    pub(super) walls: Walls,
    beats: watch::Sender<Arc<Beat>>,
    rows: broadcast::Sender<Arc<RowsChanged>>,
    news: News,
    scopes: Mutex<Scopes>,
    /// Beats come one after the other.
    beating: Mutex<()>,
}

#[derive(Default)]
struct Scopes {
    last: HashMap<OperatorId, (Arc<Scope>, u32)>,
    order: VecDeque<OperatorId>,
    /// For those not remembered: nobody may resume from before.
    floor: u32,
}

impl Hub {
    /// Puts push together and starts the beat; both end with `parts.stop`.
    pub fn start(parts: HubParts) -> Arc<Self> {
        let first = Beat { buffers: TickBuffers::default(), totals: Arc::default(), owners: Arc::new([]) };
        let walls = Walls::new(parts.screens, Arc::clone(&parts.clock), parts.stop.clone());
        let hub = Arc::new(Self {
            walls,
            memory: parts.memory,
            authentication: parts.authentication,
            clock: parts.clock,
            tables: parts.tables,
            limits: parts.limits,
            instance: parts.instance,
            stop: parts.stop,
            seats: Arc::new(Semaphore::new(parts.limits.sockets)),
            levels: Levels::default(),
            cars: Cars::new(),
            beats: watch::Sender::new(Arc::new(first)),
            rows: broadcast::Sender::new(ROWS_KEPT),
            news: News::new(Instant::now()),
            scopes: Mutex::default(),
            beating: Mutex::default(),
        });
        tokio::spawn(Arc::clone(&hub).beat_on());
        let cars = hub.cars.clone();
        tokio::spawn(cars.run(parts.details, hub.memory.clone(), Arc::clone(&hub.clock), hub.stop.clone()));
        hub
    }

    /// What is counted of the fleet now, by owner.
    pub(crate) fn totals_now(&self) -> (LotTotals, Timestamp) {
        (self.memory.read().totals(), self.clock.now())
    }

    /// Rows of a read model changed: tells whoever watches the table, and puts the bikes behind them together anew.
    pub fn rows_changed(&self, changed: RowsChanged) {
        if BY_CAR.contains(&changed.table.as_str()) {
            self.cars.rows_changed((!changed.rows.is_empty()).then_some(&changed.rows));
        }
        if self.tables.contains_key(&changed.table) {
            self.tell(changed);
        }
    }

    /// What changed may have been missed: everything is looked at anew.
    pub fn rows_missed(&self, position: i64) {
        self.cars.rows_changed(None);
        for table in self.tables.keys() {
            self.tell(RowsChanged { table: table.clone(), position, rows: Vec::new() });
        }
    }

    fn tell(&self, changed: RowsChanged) {
        let changed = Arc::new(changed);
        // Before it is sent: who begins to watch in between hears of it by the one or by the other.
        self.news.told(&changed, Instant::now());
        // Without watchers there is nobody to tell.
        let _ = self.rows.send(changed);
    }

    /// For how long nothing changed in a table that `scope` shows.
    pub(super) fn quiet(&self, table: &str, scope: &Scope) -> Duration {
        self.news.quiet(table, Instant::now(), |changed| changed.is_seen_in(scope))
    }

    pub(super) fn beats(&self) -> watch::Receiver<Arc<Beat>> {
        self.beats.subscribe()
    }

    pub(super) fn rows(&self) -> broadcast::Receiver<Arc<RowsChanged>> {
        self.rows.subscribe()
    }

    /// The earliest tick from which `viewer` may resume: what was seen before under another scope is not to be kept.
    pub(super) fn resumable_since(&self, viewer: &Viewer) -> u32 {
        let tick = self.memory.read().tick_seq();
        let mut scopes = self.scopes.lock().expect("nothing panics while it holds the scopes");
        if let Some((scope, since)) = scopes.last.get_mut(&viewer.operator) {
            if **scope != *viewer.scope {
                *scope = Arc::clone(&viewer.scope);
                *since = tick;
            }
            return *since;
        }
        while scopes.order.len() >= SCOPES_KEPT
            && let Some(oldest) = scopes.order.pop_front()
        {
            scopes.last.remove(&oldest);
            scopes.floor = tick;
        }
        let floor = scopes.floor;
        scopes.order.push_back(viewer.operator);
        scopes.last.insert(viewer.operator, (Arc::clone(&viewer.scope), floor));
        floor
    }

    async fn beat_on(self: Arc<Self>) {
        let mut beat = tokio::time::interval(TICK);
        beat.set_missed_tick_behavior(MissedTickBehavior::Skip);
        loop {
            tokio::select! {
                () = self.stop.cancelled() => return,
                _ = beat.tick() => self.beat(),
            }
        }
    }

    /// One beat, by hand: the regular ones come by themselves.
    pub fn beat(&self) {
        let _alone = self.beating.lock().expect("nothing panics during a beat");
        let began = std::time::Instant::now();
        let now = self.clock.now();
        let mut fleet = self.memory.write();
        let buffers = fleet.tick(now);
        let last = self.beats.borrow().clone();
        let totals =
            if buffers.seq % TOTALS_EVERY == 1 { Arc::new(fleet.totals()) } else { Arc::clone(&last.totals) };
        let owners = if fleet.owners().len() == last.owners.len() {
            Arc::clone(&last.owners)
        } else {
            fleet.owners().into()
        };
        drop(fleet);
        self.levels.tick(&self.memory.read(), &buffers.lots, buffers.time_ms);
        self.cars.touched(&buffers.changed);
        crate::measure::beat(&buffers, began.elapsed());
        self.beats.send_replace(Arc::new(Beat { buffers, totals, owners }));
    }
}
