//! Running reactors: in order, one process leads each, waiting when something outside is away.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;

use crate::log::LogError;
use crate::reactor::ReactError;
use crate::{House, Position, Reactor, Recorded};

const BATCH: i64 = 200;
const BEAT: Duration = Duration::from_secs(2);
/// How long the stored position may lag behind: what is done again after a crash is done once, by its request ids.
const FLUSH: Duration = Duration::from_millis(200);
const FIRST_PAUSE: Duration = Duration::from_millis(200);
const LONGEST_PAUSE: Duration = Duration::from_secs(30);

/// The reactors of this process.
#[derive(Clone)]
pub struct Reactors {
    house: House,
    all: Arc<Vec<Arc<dyn Reactor>>>,
}

impl Reactors {
    /// Knows them; [`Self::run`] runs them.
    pub fn new(house: House, all: Vec<Arc<dyn Reactor>>) -> Self {
        Self { house, all: Arc::new(all) }
    }

    /// Runs each of them where this process leads it, until the house closes.
    pub async fn run(&self) {
        let mut tasks = tokio::task::JoinSet::new();
        for reactor in self.all.iter() {
            tasks.spawn(run(self.house.clone(), reactor.clone()));
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
        let Some(event) = self.house.reader.read_between(before, position, None).await?.pop() else {
            return Ok(false);
        };
        if let Err(error) = guarded(reactor.as_ref(), &event).await {
            sqlx::query(
                "update log.parked set attempts = attempts + 1, failure = $3 where reader = $1 and position = $2",
            )
            .bind(reader_name(name))
            .bind(position)
            .bind(crate::projecting::told(&error))
            .execute(&self.house.pools.projector)
            .await?;
            return Ok(false);
        }
        sqlx::query("delete from log.parked where reader = $1 and position = $2")
            .bind(reader_name(name))
            .bind(position)
            .execute(&self.house.pools.projector)
            .await?;
        Ok(true)
    }
}

fn reader_name(reactor: &str) -> String {
    format!("reactor:{reactor}")
}

async fn run(house: House, reactor: Arc<dyn Reactor>) {
    let stop = house.stopping();
    let mut lease = house.leases.want(&reader_name(reactor.name())).await;
    loop {
        tokio::select! {
            () = stop.cancelled() => return,
            () = lease.held() => {}
        }
        let ended = tokio::select! {
            () = stop.cancelled() => return,
            () = lease.lost() => continue,
            ended = lead(&house, reactor.as_ref()) => ended,
        };
        let Err(error) = ended;
        tracing::error!(reactor = reactor.name(), error = %crate::projecting::told(&error), "a reactor waits and tries again");
        tokio::select! {
            () = stop.cancelled() => return,
            () = tokio::time::sleep(Duration::from_secs(1)) => {}
        }
    }
}

async fn lead(house: &House, reactor: &dyn Reactor) -> Result<std::convert::Infallible, LogError> {
    let pool = &house.pools.projector;
    sqlx::query("insert into log.reactors (name) values ($1) on conflict do nothing")
        .bind(reactor.name())
        .execute(pool)
        .await?;
    let mut position: Position = sqlx::query_scalar("select position from log.reactors where name = $1")
        .bind(reactor.name())
        .fetch_one(pool)
        .await?;
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
        let head = tokio::select! {
            biased;
            _ = beat.tick() => {
                store(house, reactor, position, None).await?;
                stored = position;
                continue;
            }
            head = house.tail.beyond(position) => head,
            () = flush => {
                store(house, reactor, position, None).await?;
                stored = position;
                continue;
            }
        };
        let to = Position(head.0.min(position.0 + BATCH));
        for event in house.reader.read_between(position, to, Some(reactor.categories())).await? {
            answer(house, reactor, &event).await?;
        }
        position = to;
        if to.0 - stored.0 >= BATCH {
            store(house, reactor, position, None).await?;
            stored = position;
        }
        let lag = house.tail.head().0 - position.0;
        metrics::gauge!("wheelhouse_reactor_lag_events", "reactor" => reactor.name()).set(lag.max(0) as f64);
    }
}

/// Has the reactor answer `event`, however long it takes; parks the event if it never will.
async fn answer(house: &House, reactor: &dyn Reactor, event: &Recorded) -> Result<(), LogError> {
    let mut pause = FIRST_PAUSE;
    loop {
        match guarded(reactor, event).await {
            Ok(()) => {
                metrics::counter!("wheelhouse_reactions_total", "reactor" => reactor.name()).increment(1);
                return Ok(());
            }
            Err(ReactError::Later(error)) => {
                let failure = crate::projecting::told(error.as_ref());
                tracing::warn!(
                    reactor = reactor.name(),
                    position = event.position.0,
                    failure,
                    "a reaction waits"
                );
                store(house, reactor, Position(event.position.0 - 1), Some(&failure)).await?;
                tokio::time::sleep(pause).await;
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
                sqlx::query(
                    "insert into log.parked (reader, category, stream_id, position, failure)
                     values ($1, $2, $3, $4, $5) on conflict do nothing",
                )
                .bind(reader_name(reactor.name()))
                .bind(&event.category)
                .bind(&event.stream_id)
                .bind(event.position)
                .bind(&failure)
                .execute(&house.pools.projector)
                .await?;
                return Ok(());
            }
        }
    }
}

/// A reactor that panics will do so again: its event is parked.
async fn guarded(reactor: &dyn Reactor, event: &Recorded) -> Result<(), ReactError> {
    AssertUnwindSafe(reactor.react(event))
        .catch_unwind()
        .await
        .unwrap_or_else(|_| Err(ReactError::Never("the reactor panicked".into())))
}

async fn store(
    house: &House,
    reactor: &dyn Reactor,
    position: Position,
    failure: Option<&str>,
) -> Result<(), LogError> {
    let mut tx = house.pools.projector.begin_with("begin; set local synchronous_commit = off").await?;
    // Never backwards: another process may have led in between.
    sqlx::query(
        "update log.reactors set position = greatest(position, $2), failure = $3, beat_at = now(), leader = $4,
         moved_at = case when $2 > position then now() else moved_at end where name = $1",
    )
    .bind(reactor.name())
    .bind(position)
    .bind(failure)
    .bind(&*house.node)
    .execute(&mut *tx)
    .await?;
    tx.commit().await?;
    Ok(())
}
