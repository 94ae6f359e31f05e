//! One projector at work.
//!
//! Each batch is one transaction: it locks the projector's row, checks that the position is the one it knows (somebody
//! else may have led, or a rebuild may have taken place), applies, and moves the position. So a batch is applied once,
//! whatever crashes between, and even if two processes both believed to lead.

use std::sync::Arc;
use std::time::Duration;

use futures::future::Either;
use sqlx::PgConnection;
use tokio::time::Instant;

use super::applying::{Applied, ParkedStreams, apply, told};
use super::{ProjectError, reader_name, rebuild};
use crate::{House, Position, Projector};

/// Positions looked at in one transaction.
const BATCH: i64 = 500;
/// How long the stored position may lag behind while no event concerns the projector.
const FLUSH: Duration = Duration::from_millis(100);
const BEAT: Duration = Duration::from_secs(2);

/// Runs `projector` whenever this process leads it, until the house closes.
pub async fn run(house: House, projector: Arc<dyn Projector>) {
    let stop = house.stopping();
    let mut lease = house.leases.want(&reader_name(projector.as_ref())).await;
    let mut pause = Duration::from_millis(100);
    loop {
        tokio::select! {
            () = stop.cancelled() => return,
            () = lease.held() => {}
        }
        let ended = tokio::select! {
            () = stop.cancelled() => return,
            () = lease.lost() => continue,
            ended = lead(&house, projector.as_ref(), &mut pause) => ended,
        };
        let Err(error) = ended;
        tracing::error!(projector = projector.name(), error = %told(&error), "a projector waits and tries again");
        metrics::counter!("wheelhouse_projector_failures_total", "projector" => projector.name())
            .increment(1);
        tokio::select! {
            () = stop.cancelled() => return,
            () = tokio::time::sleep(pause) => {}
        }
        pause = (pause * 2).min(Duration::from_secs(10));
    }
}

struct Place {
    /// Everything up to here is done.
    position: Position,
    /// What the database says.
    stored: Position,
    stored_at: Instant,
}

async fn lead(
    house: &House,
    projector: &dyn Projector,
    pause: &mut Duration,
) -> Result<std::convert::Infallible, ProjectError> {
    let position = begin(house, projector).await?;
    let mut place = Place { position, stored: position, stored_at: Instant::now() };
    house.progress.reached(projector.name(), position);
    let mut beat = tokio::time::interval(BEAT);
    loop {
        let flush = if place.position > place.stored {
            Either::Left(tokio::time::sleep_until(place.stored_at + FLUSH))
        } else {
            Either::Right(std::future::pending())
        };
        tokio::select! {
            biased;
            _ = beat.tick() => heartbeat(house, projector, place.position).await?,
            () = flush => store(house, projector, &mut place).await?,
            head = house.tail.beyond(place.position) => {
                step(house, projector, &mut place, head).await?;
                *pause = Duration::from_millis(100);
            }
        }
    }
}

/// The stored position; rebuilds first when the projector's version is not the stored one.
async fn begin(house: &House, projector: &dyn Projector) -> Result<Position, ProjectError> {
    let pool = &house.pools.projector;
    sqlx::query("insert into log.projectors (name, version) values ($1, $2) on conflict do nothing")
        .bind(projector.name())
        .bind(projector.version())
        .execute(pool)
        .await?;
    stand_while_stopped(house, projector).await?;
    let (version, position): (i32, Position) =
        sqlx::query_as("select version, position from log.projectors where name = $1")
            .bind(projector.name())
            .fetch_one(pool)
            .await?;
    if version == projector.version() {
        return Ok(position);
    }
    tracing::info!(
        projector = projector.name(),
        from = version,
        to = projector.version(),
        "a projector rebuilds itself"
    );
    Ok(rebuild(house, projector).await?.position)
}

async fn step(
    house: &House,
    projector: &dyn Projector,
    place: &mut Place,
    head: Position,
) -> Result<(), ProjectError> {
    let to = Position(head.0.min(place.position.0 + BATCH));
    let events = house.reader.read_between(place.position, to, Some(projector.categories())).await?;
    if events.is_empty() {
        place.position = to;
        house.progress.reached(projector.name(), to);
        if place.stored_at.elapsed() >= FLUSH {
            store(house, projector, place).await?;
        }
        return Ok(());
    }
    let count = events.len();
    let started = Instant::now();
    let mut tx = house.pools.projector.begin().await?;
    let Some(mut parked) = locked(&mut tx, projector, place).await? else { return Ok(()) };
    sqlx::query("set local search_path = read").execute(&mut *tx).await?;
    let reader = reader_name(projector);
    let Applied { changes, parked: failed } =
        match apply(&mut tx, projector, events, &mut parked, &reader).await {
            Ok(applied) => applied,
            Err(ProjectError::Stopped { projector: name, position, failure }) => {
                drop(tx);
                stop_before(house, projector, place, position, &failure).await?;
                return Err(ProjectError::Stopped { projector: name, position, failure });
            }
            Err(error) => return Err(error),
        };
    sqlx::query("update log.projectors set position = $2, moved_at = now() where name = $1")
        .bind(projector.name())
        .bind(to)
        .execute(&mut *tx)
        .await?;
    tx.commit().await?;
    *place = Place { position: to, stored: to, stored_at: Instant::now() };
    house.progress.reached(projector.name(), to);
    metrics::counter!("wheelhouse_projector_events_total", "projector" => projector.name())
        .increment(count as u64);
    metrics::histogram!("wheelhouse_projector_batch_seconds", "projector" => projector.name())
        .record(started.elapsed().as_secs_f64());
    for (event, failure) in failed {
        tracing::error!(
            projector = projector.name(), position = event.position.0, category = %event.category,
            stream_id = %event.stream_id, failure = %failure, "a stream is parked"
        );
        metrics::counter!("wheelhouse_parked_total", "reader" => reader.clone()).increment(1);
    }
    house.changes.publish(to, changes).await;
    Ok(())
}

/// Locks the projector's row and says which streams are parked; nothing when somebody else has moved the position,
/// which then becomes known.
async fn locked(
    db: &mut PgConnection,
    projector: &dyn Projector,
    place: &mut Place,
) -> Result<Option<ParkedStreams>, ProjectError> {
    let stored: Position =
        sqlx::query_scalar("select position from log.projectors where name = $1 for update")
            .bind(projector.name())
            .fetch_one(&mut *db)
            .await?;
    if stored != place.stored {
        *place = Place { position: stored, stored, stored_at: Instant::now() };
        return Ok(None);
    }
    let parked: Vec<(String, String)> =
        sqlx::query_as("select category, stream_id from log.parked where reader = $1")
            .bind(reader_name(projector))
            .fetch_all(db)
            .await?;
    Ok(Some(parked.into_iter().collect()))
}

/// Stores a position that moved without events of its own; that needs no wait for the disk.
async fn store(house: &House, projector: &dyn Projector, place: &mut Place) -> Result<(), ProjectError> {
    let mut tx = house.pools.projector.begin_with("begin; set local synchronous_commit = off").await?;
    let moved = sqlx::query(
        "update log.projectors set position = $2, moved_at = now() where name = $1 and position = $3",
    )
    .bind(projector.name())
    .bind(place.position)
    .bind(place.stored)
    .execute(&mut *tx)
    .await?;
    if moved.rows_affected() == 0 {
        locked(&mut tx, projector, place).await?;
        return Ok(());
    }
    tx.commit().await?;
    place.stored = place.position;
    place.stored_at = Instant::now();
    Ok(())
}

/// A projector that must not skip stands before the event it cannot apply; what came before it is applied.
async fn stop_before(
    house: &House,
    projector: &dyn Projector,
    place: &mut Place,
    at: Position,
    failure: &str,
) -> Result<(), ProjectError> {
    let before = Position(at.0 - 1);
    let events = house.reader.read_between(place.position, before, Some(projector.categories())).await?;
    let mut tx = house.pools.projector.begin().await?;
    let Some(mut parked) = locked(&mut tx, projector, place).await? else { return Ok(()) };
    sqlx::query("set local search_path = read").execute(&mut *tx).await?;
    let applied = apply(&mut tx, projector, events, &mut parked, &reader_name(projector)).await?;
    sqlx::query(
        "update log.projectors set position = $2, state = 'stopped', failure = $3, moved_at = now() where name = $1",
    )
    .bind(projector.name())
    .bind(before)
    .bind(failure)
    .execute(&mut *tx)
    .await?;
    tx.commit().await?;
    house.progress.reached(projector.name(), before);
    house.changes.publish(before, applied.changes).await;
    Ok(())
}

/// Waits until somebody lets a stopped projector go on.
async fn stand_while_stopped(house: &House, projector: &dyn Projector) -> Result<(), ProjectError> {
    loop {
        let state: String = sqlx::query_scalar(
            "update log.projectors set beat_at = now(), leader = $2 where name = $1 returning state",
        )
        .bind(projector.name())
        .bind(&*house.node)
        .fetch_one(&house.pools.projector)
        .await?;
        if state == "running" {
            return Ok(());
        }
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
}

/// A sign of life, apart from progress.
async fn heartbeat(house: &House, projector: &dyn Projector, position: Position) -> Result<(), ProjectError> {
    let next: Option<chrono::DateTime<chrono::Utc>> = sqlx::query_scalar(
        "update log.projectors set beat_at = now(), leader = $2 where name = $1
         returning (select recorded_at from log.events where position = $3)",
    )
    .bind(projector.name())
    .bind(&*house.node)
    .bind(position.0 + 1)
    .fetch_one(&house.pools.projector)
    .await?;
    let behind_events = (house.tail.head().0 - position.0).max(0);
    let behind_ms = next.map_or(0, |next| house.clock.now().millis_since(next.into()).max(0));
    let name = projector.name();
    metrics::gauge!("wheelhouse_projector_lag_events", "projector" => name).set(behind_events as f64);
    metrics::gauge!("wheelhouse_projector_lag_seconds", "projector" => name).set(behind_ms as f64 / 1000.0);
    Ok(())
}
