//! Leases: of all processes on a database, one leads a thing at a time, and none for longer than it lives and moves.
//!
//! A lease is a row with an end by the database's clock. The process renews all that it holds every two seconds; one
//! that hangs, dies or is cut off renews nothing, and seven seconds later another may take them. Here a term ends by
//! the process's own clock, counted from before the renewal was sent: never later than in the database.
//!
//! Time alone does not keep a former leader from writing what it had begun: each term has a token, higher than those
//! before, and whoever writes as a leader has it compared where it writes, in the same transaction.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use sqlx::postgres::PgConnectOptions;
use sqlx::{ConnectOptions, PgConnection};
use tokio::sync::{Notify, watch};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// How long a term lasts unless it is renewed.
pub(crate) const TERM: Duration = Duration::from_secs(7);
/// Between two renewals.
const BEAT: Duration = Duration::from_secs(2);
/// For one round with the database; there is time for another before the term ends.
const PATIENCE: Duration = Duration::from_secs(3);
/// Without an answer the next round begins after this.
const PAUSE: Duration = Duration::from_millis(500);

/// A stretch of leading.
#[derive(Clone, Copy, Debug)]
struct Term {
    token: i64,
    until: Instant,
}

/// One wish for a lease. A later one of the same name in this process waits behind it.
struct Wish {
    name: String,
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
                *term = said.map(|token| Term { token, until });
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
        let holder = Holder { options, connection: None, node, wishes: Arc::clone(&wishes) };
        tokio::spawn(async move {
            holder.run(stop).await;
            drop(running);
        });
        Self { wishes, ended }
    }

    /// Stands in line for `name`.
    #[expect(clippy::unused_async, reason = "whoever wants a lease waits for it anyway")]
    pub async fn want(&self, name: &str) -> Lease {
        let wish = Arc::new(Wish {
            name: name.to_owned(),
            term: watch::Sender::new(None),
            dropped: AtomicBool::new(false),
        });
        self.wishes.all().push(Arc::clone(&wish));
        self.wishes.changed.notify_one();
        Lease { wish, wishes: Arc::clone(&self.wishes), token: 0 }
    }

    /// Waits until all leases were given back after the stop.
    pub async fn ended(&self) {
        let mut ended = self.ended.clone();
        while ended.changed().await.is_ok() {}
    }
}

impl Lease {
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

struct Holder {
    options: PgConnectOptions,
    connection: Option<PgConnection>,
    node: Arc<str>,
    wishes: Arc<Wishes>,
}

impl Holder {
    async fn run(mut self, stop: CancellationToken) {
        let mut next = Instant::now();
        loop {
            tokio::select! {
                () = self.wishes.changed.notified() => {}
                () = tokio::time::sleep_until(next) => {}
                () = stop.cancelled(), if !stop.is_cancelled() => {}
            }
            let stopped = stop.is_cancelled();
            next = Instant::now()
                + match tokio::time::timeout(PATIENCE, self.round(stopped)).await {
                    Ok(Ok(pause)) => pause,
                    Ok(Err(error)) => self.cut_off(&error.to_string()),
                    Err(_) => self.cut_off("no answer"),
                };
            let wishes = self.wishes.all();
            wishes.iter().for_each(|wish| wish.lapse());
            if stopped && wishes.iter().all(|wish| wish.token().is_none()) {
                return;
            }
        }
    }

    /// What is held goes on to its end, and a new connection may renew it before.
    fn cut_off(&mut self, why: &str) -> Duration {
        self.connection = None;
        tracing::warn!(why, "leases cannot be renewed");
        PAUSE
    }

    /// Gives back, renews and takes; says when to look again.
    async fn round(&mut self, stopped: bool) -> sqlx::Result<Duration> {
        let (dropped, wanted) = self.look(stopped);
        if dropped.is_empty() && wanted.is_empty() {
            return Ok(BEAT);
        }
        let mut connection = match self.connection.take() {
            Some(connection) => connection,
            None => self.options.connect().await?,
        };
        if !dropped.is_empty() {
            self.give_back(&mut connection, &dropped).await?;
        }
        let pause = self.hold(&mut connection, &wanted).await?;
        // One whose answer never came is not asked again.
        self.connection = Some(connection);
        Ok(pause)
    }

    /// The terms whose leases were dropped, and of each name the first wish.
    fn look(&self, stopped: bool) -> (BTreeMap<String, i64>, BTreeMap<String, Arc<Wish>>) {
        let mut all = self.wishes.all();
        let gone = all.extract_if(.., |wish| wish.is_dropped());
        let dropped = gone.filter_map(|wish| Some((wish.name.clone(), wish.token()?))).collect();
        let mut wanted = BTreeMap::new();
        for wish in all.iter().filter(|wish| !stopped || wish.token().is_some()) {
            wanted.entry(wish.name.clone()).or_insert_with(|| Arc::clone(wish));
        }
        (dropped, wanted)
    }

    async fn give_back(&self, db: &mut PgConnection, dropped: &BTreeMap<String, i64>) -> sqlx::Result<()> {
        // Locked in one order by all processes.
        sqlx::query(
            "with mine as (
                 select l.name from log.leases l join unnest($2::text[], $3::bigint[]) as d (name, token)
                     on d.name = l.name and d.token = l.token
                 where l.holder = $1 order by l.name for update of l
             )
             update log.leases l set holder = '', until = clock_timestamp() from mine where l.name = mine.name",
        )
        .bind(&*self.node)
        .bind(dropped.keys().collect::<Vec<_>>())
        .bind(dropped.values().collect::<Vec<_>>())
        .execute(db)
        .await?;
        Ok(())
    }

    /// Renews the terms that are held and takes what is free: what nobody had, what was given back, what ran out, and
    /// what this process held in a term that is over here.
    async fn hold(
        &self,
        db: &mut PgConnection,
        wanted: &BTreeMap<String, Arc<Wish>>,
    ) -> sqlx::Result<Duration> {
        let held: BTreeMap<&str, i64> =
            wanted.iter().map(|(name, wish)| (name.as_str(), wish.token().unwrap_or(0))).collect();
        let sent = Instant::now();
        let rows: Vec<(String, Option<i64>, Option<f64>)> = sqlx::query_as(
            "with asked as (
                 select name, token from unnest($2::text[], $3::bigint[]) with ordinality as a (name, token, n) order by n
             ), taken as (
                 insert into log.leases as l (name, holder, token, until)
                 select name, $1, token + 1, clock_timestamp() + $4::float8 * interval '1 second' from asked
                 on conflict (name) do update set holder = excluded.holder, until = excluded.until,
                     token = case when l.holder = $1 and l.token = excluded.token - 1 and l.until > clock_timestamp()
                                  then l.token else greatest(l.token + 1, excluded.token) end
                 where l.holder = $1 or l.until <= clock_timestamp()
                 returning l.name, l.token
             )
             select asked.name, taken.token, extract(epoch from l.until - clock_timestamp())::float8
             from asked left join taken using (name) left join log.leases l using (name)",
        )
        .bind(&*self.node)
        .bind(held.keys().collect::<Vec<_>>())
        .bind(held.values().collect::<Vec<_>>())
        .bind(TERM.as_secs_f64())
        .fetch_all(db)
        .await?;
        let mut pause = BEAT;
        for (name, token, left) in rows {
            wanted[&name].told(held[name.as_str()], token, sent + TERM);
            if let (None, Some(left)) = (token, left) {
                // Somebody else's: looked at again when it would end.
                pause = pause.min(Duration::from_secs_f64(left.max(0.0)) + Duration::from_millis(20));
            }
        }
        Ok(pause)
    }
}
