//! Running reactors: in order, one process leads each, waiting when something outside is away.

use std::ops::ControlFlow;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;

use crate::log::LogError;
use crate::reactor::ReactError;
use crate::{Lease, Position, Reactor, Recorded, Runtime};

/// Positions by which the stored one lags behind at most between two events that are answered.
const STORED_WITHIN: i64 = 500;
const BEAT: Duration = Duration::from_secs(2);
/// How long the stored position may lag behind: what is done again after a crash is done once, by its request ids.
const FLUSH: Duration = Duration::from_millis(200);
const FIRST_PAUSE: Duration = Duration::from_millis(200);
const LONGEST_PAUSE: Duration = Duration::from_secs(30);

/// The reactors of this process.
#[derive(Clone)]
pub struct Reactors {
    runtime: Runtime,
    all: Arc<Vec<Arc<dyn Reactor>>>,
}

impl Reactors {
    /// Knows them; [`Self::run`] runs them.
    pub fn new(runtime: Runtime, all: Vec<Arc<dyn Reactor>>) -> Self {
        Self { runtime, all: Arc::new(all) }
    }

    /// Runs each of them where this process leads it, until the system closes.
    pub async fn run(&self) {
        let mut tasks = tokio::task::JoinSet::new();
        for reactor in self.all.iter() {
            tasks.spawn(run(self.runtime.clone(), reactor.clone()));
        }
        while tasks.join_next().await.is_some() {}
    }

    /// Tries a parked event again; with success it is parked no more.
    pub async fn retry(&self, name: &str, position: Position) -> Result<bool, LogError> {
        let reactor = self
            .all
            .iter()
            .find(|reactor| reactor.name() == name)
            .ok_or(LogError::Invalid("no reactor has this name"))?;
        let before = Position(position.0 - 1);
        let Some(event) = self.runtime.reader.read_between(before, position).await?.pop() else {
            return Ok(false);
        };
        if let Err(error) = guarded(reactor.as_ref(), &event).await {
            sqlx::query(
                "update log.parked set attempts = attempts + 1, failure = $3 where reader = $1 and position = $2",
            )
            .bind(reader_name(name))
            .bind(position)
            .bind(crate::projecting::told(&error))
            .execute(&self.runtime.pools.projector)
            .await?;
            return Ok(false);
        }
        sqlx::query("delete from log.parked where reader = $1 and position = $2")
            .bind(reader_name(name))
            .bind(position)
            .execute(&self.runtime.pools.projector)
            .await?;
        Ok(true)
    }
}

fn reader_name(reactor: &str) -> String {
    format!("reactor:{reactor}")
}

/// Why leading ended.
#[derive(Debug, thiserror::Error)]
enum Ended {
    #[error("another process leads it now")]
    Superseded,
    #[error(transparent)]
    Failed(#[from] LogError),
}

impl From<sqlx::Error> for Ended {
    fn from(error: sqlx::Error) -> Self {
        Self::Failed(error.into())
    }
}

async fn run(runtime: Runtime, reactor: Arc<dyn Reactor>) {
    let stop = runtime.stopping();
    loop {
        let ended = tokio::select! {
            () = stop.cancelled() => return,
            ended = term(&runtime, reactor.as_ref()) => ended,
        };
        match ended {
            Ok(()) => continue,
            Err(Ended::Superseded) => {}
            Err(Ended::Failed(error)) => tracing::error!(
                reactor = reactor.name(),
                error = %crate::projecting::told(&error),
                "a reactor waits and tries again"
            ),
        }
        tokio::select! {
            () = stop.cancelled() => return,
            () = tokio::time::sleep(Duration::from_secs(1)) => {}
        }
    }
}

/// Stands in line and leads to the end of the term, or until another process is to lead. The lease is given back at its
/// end, so that another may try.
async fn term(runtime: &Runtime, reactor: &dyn Reactor) -> Result<(), Ended> {
    let mut lease = runtime.lease(&reader_name(reactor.name())).await;
    lease.held().await;
    let leader = Leader { runtime, reactor, lease: &lease };
    tokio::select! {
        biased;
        () = lease.lost() => Ok(()),
        ended = leader.lead() => ended,
    }
}

struct Leader<'a> {
    runtime: &'a Runtime,
    reactor: &'a dyn Reactor,
    lease: &'a Lease,
}

impl Leader<'_> {
    /// Leads until another process is to.
    async fn lead(&self) -> Result<(), Ended> {
        let (runtime, reactor) = (self.runtime, self.reactor);
        let mut position = self.begin().await?;
        let mut stored = position;
        let mut beat = tokio::time::interval(BEAT);
        loop {
            let flush = async {
                if position > stored {
                    tokio::time::sleep(FLUSH).await;
                } else {
                    std::future::pending::<()>().await;
                }
            };
            tokio::select! {
                biased;
                () = self.lease.wanted_back() => return self.store(position, None).await,
                _ = beat.tick() => {
                    self.store(position, None).await?;
                    stored = position;
                    continue;
                }
                () = runtime.feed.beyond(position) => {}
                () = flush => {
                    self.store(position, None).await?;
                    stored = position;
                    continue;
                }
            }
            let (events, to) = runtime.feed.after(position, reactor.categories()).await?;
            for event in events {
                if self.lease.is_wanted_back() || self.answer(&event).await?.is_break() {
                    return self.store(Position(event.position.0 - 1), None).await;
                }
            }
            position = to;
            if to.0 - stored.0 >= STORED_WITHIN {
                self.store(position, None).await?;
                stored = position;
            }
            let lag = runtime.tail.head().0 - position.0;
            metrics::gauge!("wheelhouse_reactor_lag_events", "reactor" => reactor.name())
                .set(lag.max(0) as f64);
        }
    }

    /// Takes the place of whoever led before, who stores nothing from then on.
    async fn begin(&self) -> Result<Position, Ended> {
        let pool = &self.runtime.pools.projector;
        sqlx::query("insert into log.reactors (name) values ($1) on conflict do nothing")
            .bind(self.reactor.name())
            .execute(pool)
            .await?;
        sqlx::query_scalar(
            "update log.reactors set token = $2, leader = $3, beat_at = now() where name = $1 and token <= $2
             returning position",
        )
        .bind(self.reactor.name())
        .bind(self.lease.token())
        .bind(&*self.runtime.node)
        .fetch_optional(pool)
        .await?
        .ok_or(Ended::Superseded)
    }

    /// Has the reactor answer `event`, however long it takes, unless another process is to lead while it waits; parks the
    /// event if it never will.
    async fn answer(&self, event: &Recorded) -> Result<ControlFlow<()>, Ended> {
        let reactor = self.reactor;
        let mut pause = FIRST_PAUSE;
        loop {
            // What is done outside has no transaction to be refused in: a process that wakes asks its clock first.
            if !self.lease.is_held() {
                return Err(Ended::Superseded);
            }
            match guarded(reactor, event).await {
                Ok(()) => {
                    metrics::counter!("wheelhouse_reactions_total", "reactor" => reactor.name()).increment(1);
                    return Ok(ControlFlow::Continue(()));
                }
                Err(ReactError::Later(error)) => {
                    let failure = crate::projecting::told(error.as_ref());
                    tracing::warn!(
                        reactor = reactor.name(),
                        position = event.position.0,
                        failure,
                        "a reaction waits"
                    );
                    self.store(Position(event.position.0 - 1), Some(&failure)).await?;
                    tokio::select! {
                        () = tokio::time::sleep(pause) => {}
                        () = self.lease.wanted_back() => return Ok(ControlFlow::Break(())),
                    }
                    pause = (pause * 2).min(LONGEST_PAUSE);
                }
                Err(ReactError::Never(error)) => {
                    let failure = crate::projecting::told(error.as_ref());
                    tracing::error!(
                        reactor = reactor.name(),
                        position = event.position.0,
                        failure,
                        "an event is parked"
                    );
                    metrics::counter!("wheelhouse_parked_total", "reader" => reader_name(reactor.name()))
                        .increment(1);
                    self.park(event, &failure).await?;
                    return Ok(ControlFlow::Continue(()));
                }
            }
        }
    }

    async fn park(&self, event: &Recorded, failure: &str) -> Result<(), Ended> {
        sqlx::query(
            "insert into log.parked (reader, category, stream_id, position, failure)
             select $1, $2, $3, $4, $5 from log.reactors r where r.name = $6 and r.token = $7 for share of r
             on conflict do nothing",
        )
        .bind(reader_name(self.reactor.name()))
        .bind(&*event.category)
        .bind(&*event.stream_id)
        .bind(event.position)
        .bind(failure)
        .bind(self.reactor.name())
        .bind(self.lease.token())
        .execute(&self.runtime.pools.projector)
        .await?;
        Ok(())
    }

    async fn store(&self, position: Position, failure: Option<&str>) -> Result<(), Ended> {
        let stored = sqlx::query(
            "update log.reactors set position = greatest(position, $2), failure = $3, beat_at = now(),
             moved_at = case when $2 > position then now() else moved_at end
             from (select set_config('synchronous_commit', 'off', true)) as no_wait where name = $1 and token = $4",
        )
        .bind(self.reactor.name())
        .bind(position)
        .bind(failure)
        .bind(self.lease.token())
        .execute(&self.runtime.pools.projector)
        .await?;
        if stored.rows_affected() == 0 { Err(Ended::Superseded) } else { Ok(()) }
    }
}

/// A reactor that panics will do so again: its event is parked.
async fn guarded(reactor: &dyn Reactor, event: &Recorded) -> Result<(), ReactError> {
    AssertUnwindSafe(reactor.react(event))
        .catch_unwind()
        .await
        .unwrap_or_else(|_| Err(ReactError::Never("the reactor panicked".into())))
}
