//! Leases: of all processes on a database, one leads a thing at a time, and none for longer than it lives and moves.
//!
//! A lease is a row with an end by the database's clock. The process renews all that it holds every two seconds; one
//! that hangs, dies or is cut off renews nothing, and seven seconds later another may take them. Here a term ends by
//! the process's own clock, counted from before the renewal was sent: never later than in the database.
//!
//! Processes share what there is to lead ([`sharing`]): each says that it is there, and who leads more than another gives
//! back, one lease at a time. Its leader ends between two steps, stores where it stands and drops the lease.
//!
//! Time alone does not keep a former leader from writing what it had begun: each term has a token, higher than those
//! before, and whoever writes as a leader has it compared where it writes, in the same transaction.

mod holder;
mod sharing;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use sqlx::postgres::PgConnectOptions;
use tokio::sync::{Notify, watch};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use self::holder::Holder;

/// How long a term lasts unless it is renewed.
pub(crate) const TERM: Duration = Duration::from_secs(7);
/// For one round with the database; there is time for another before the term ends.
const PATIENCE: Duration = Duration::from_secs(3);

/// A stretch of leading.
#[derive(Clone, Copy, Debug)]
struct Term {
    token: i64,
    since: Instant,
    until: Instant,
    /// Another process is to lead next.
    wanted_back: bool,
}

/// One wish for a lease. A later one of the same name in this process waits behind it.
struct Wish {
    name: String,
    /// Whether the lease is shared with the processes that want it, rather than taken as soon as it is free and kept.
    shared: bool,
    term: watch::Sender<Option<Term>>,
    /// Its [`Lease`] is gone.
    dropped: AtomicBool,
}

impl Wish {
    fn is_dropped(&self) -> bool {
        self.dropped.load(Ordering::Acquire)
    }

    /// The token of the running term.
    fn token(&self) -> Option<i64> {
        self.term.borrow().filter(|term| Instant::now() < term.until).map(|term| term.token)
    }

    /// Since when this process leads, unless the lease is to be kept or is wanted back already.
    fn can_be_spared(&self) -> Option<Instant> {
        let term = self.term.borrow().filter(|term| self.shared && Instant::now() < term.until);
        term.filter(|term| !term.wanted_back).map(|term| term.since)
    }

    fn is_wanted_back(&self) -> bool {
        self.term.borrow().is_some_and(|term| term.wanted_back)
    }

    fn want_back(&self) {
        self.term.send_if_modified(|term| {
            term.as_mut().is_some_and(|term| {
                tracing::info!(lease = self.name, token = term.token, "another process is to lead");
                term.wanted_back = true;
                true
            })
        });
    }

    /// A term that has run out by this process's clock is over, and never goes on.
    fn lapse(&self) {
        let over = |term: &mut Option<Term>| {
            term.take_if(|term| term.until <= Instant::now()).is_some_and(|term| {
                tracing::warn!(lease = self.name, token = term.token, "this process no longer leads");
                true
            })
        };
        self.term.send_if_modified(over);
    }

    /// What the database said, when `asked` to renew that term (0: to take one): a term lasts until `until`, or there is
    /// none.
    fn told(&self, asked: i64, said: Option<i64>, until: Instant) {
        self.lapse();
        self.term.send_if_modified(|term| match (term.as_mut(), said) {
            (Some(term), Some(token)) if term.token == token => {
                term.until = until;
                true
            }
            (None, None) => false,
            // It had run out here meanwhile and does not come back: the next round takes a term of its own.
            (None, Some(token)) if token == asked || until <= Instant::now() => false,
            (_, said) => {
                if let Some(token) = said {
                    tracing::info!(lease = self.name, token, "this process leads");
                } else {
                    tracing::warn!(lease = self.name, "this process no longer leads");
                }
                *term = said.map(|token| Term { token, since: Instant::now(), until, wanted_back: false });
                true
            }
        });
    }
}

/// What the leases and the task that holds them share.
#[derive(Default)]
struct Wishes {
    /// In the order in which they were made.
    all: Mutex<Vec<Arc<Wish>>>,
    changed: Notify,
}

impl Wishes {
    fn all(&self) -> std::sync::MutexGuard<'_, Vec<Arc<Wish>>> {
        self.all.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Asks for leases. Cheap to clone.
#[derive(Clone)]
pub struct Leases {
    wishes: Arc<Wishes>,
    /// Closed when the task that holds them has ended.
    ended: watch::Receiver<()>,
}

/// A place in line for a lease, and the lease itself while it is held. Given back when dropped.
pub struct Lease {
    wish: Arc<Wish>,
    wishes: Arc<Wishes>,
    token: i64,
}

impl Leases {
    /// Starts the task that holds the leases for `node`. After `stop` it takes none, and ends when all are given back.
    pub fn start(options: PgConnectOptions, node: Arc<str>, stop: CancellationToken) -> Self {
        let wishes = Arc::new(Wishes::default());
        let (running, ended) = watch::channel(());
        let options = options
            .application_name("wheelhouse leases")
            .options([("statement_timeout", format!("{}ms", PATIENCE.as_millis()))]);
        let holder = Holder::new(options, node, Arc::clone(&wishes));
        tokio::spawn(async move {
            holder.run(stop).await;
            drop(running);
        });
        Self { wishes, ended }
    }

    /// Stands in line for `name`, to lead it when it is this process's share.
    #[expect(clippy::unused_async, reason = "whoever wants a lease waits for it anyway")]
    pub async fn want(&self, name: &str) -> Lease {
        Lease::of(&self.wishes, name, true)
    }

    /// Stands in line for `name`, to take it as soon as it is free and to keep it.
    #[expect(clippy::unused_async, reason = "whoever wants a lease waits for it anyway")]
    pub async fn want_unshared(&self, name: &str) -> Lease {
        Lease::of(&self.wishes, name, false)
    }

    /// Waits until all leases were given back after the stop.
    pub async fn ended(&self) {
        let mut ended = self.ended.clone();
        while ended.changed().await.is_ok() {}
    }
}

impl Lease {
    fn of(wishes: &Arc<Wishes>, name: &str, shared: bool) -> Self {
        let wish = Arc::new(Wish {
            name: name.to_owned(),
            shared,
            term: watch::Sender::new(None),
            dropped: AtomicBool::new(false),
        });
        wishes.all().push(Arc::clone(&wish));
        wishes.changed.notify_one();
        Self { wish, wishes: Arc::clone(wishes), token: 0 }
    }

    /// Gives it back, and stands in line anew.
    #[must_use]
    pub fn again(self) -> Self {
        Self::of(&self.wishes, &self.wish.name, self.wish.shared)
    }

    /// Waits until it is held.
    pub async fn held(&mut self) {
        let mut term = self.wish.term.subscribe();
        let running = |term: &Option<Term>| term.is_some_and(|term| Instant::now() < term.until);
        if let Ok(term) = term.wait_for(running).await {
            self.token = term.map_or(self.token, |term| term.token);
        }
    }

    /// Waits until the term that [`Self::held`] waited for is over.
    pub async fn lost(&self) {
        let mut changes = self.wish.term.subscribe();
        while let Some(until) = self.ends() {
            tokio::select! {
                () = tokio::time::sleep_until(until) => self.wish.lapse(),
                _ = changes.changed() => {}
            }
        }
    }

    /// Whether the term that [`Self::held`] waited for goes on: to be asked before what cannot be taken back.
    pub fn is_held(&self) -> bool {
        self.ends().is_some_and(|until| Instant::now() < until)
    }

    /// Waits until another process is to lead. Whoever leads ends then between two steps, stores where it stands and drops
    /// the lease: until it does, it leads.
    pub async fn wanted_back(&self) {
        let mut term = self.wish.term.subscribe();
        let asked =
            |term: &Option<Term>| term.is_some_and(|term| term.token == self.token && term.wanted_back);
        if term.wait_for(asked).await.is_err() {
            std::future::pending::<()>().await;
        }
    }

    /// As [`Self::wanted_back`], asked now.
    pub fn is_wanted_back(&self) -> bool {
        self.wish.is_wanted_back()
    }

    /// The token of the term that [`Self::held`] waited for; 0 before. Higher than those of all terms of this name
    /// before it. What a leader writes is to be refused where a higher one was stored.
    pub const fn token(&self) -> i64 {
        self.token
    }

    /// When the term ends, unless it is over.
    fn ends(&self) -> Option<Instant> {
        self.wish.term.borrow().filter(|term| term.token == self.token).map(|term| term.until)
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        self.wish.dropped.store(true, Ordering::Release);
        self.wishes.changed.notify_one();
    }
}
