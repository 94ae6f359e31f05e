//! Applying a batch of events: together if that works, one by one if not.

use std::collections::HashSet;
use std::panic::AssertUnwindSafe;

use futures::FutureExt;
use sqlx::PgConnection;

use super::ProjectError;
use crate::passing::has_passing_cause;
use crate::projector::ApplyError;
use crate::{Change, Projector, Recorded};

/// Streams that are parked: category and id.
pub type ParkedStreams = HashSet<(String, String)>;

/// What became of a batch.
#[derive(Default)]
pub struct Applied {
    /// Rows that changed.
    pub changes: Vec<Change>,
    /// Streams parked by it, with what failed.
    pub parked: Vec<(Recorded, String)>,
}

/// Applies `events` in the transaction `db`; those of parked streams are held back. What fails is parked.
///
/// An error leaves the transaction to be rolled back: the database is away, or the projector stops on failures.
pub async fn apply(
    db: &mut PgConnection,
    projector: &dyn Projector,
    events: Vec<Recorded>,
    parked: &mut ParkedStreams,
    reader: &str,
) -> Result<Applied, ProjectError> {
    let held = |event: &Recorded, parked: &ParkedStreams| {
        !parked.is_empty() && parked.contains(&(event.category.to_string(), event.stream_id.to_string()))
    };
    let events: Vec<Recorded> = events.into_iter().filter(|event| !held(event, parked)).collect();
    let mut applied = Applied::default();
    if events.is_empty() {
        return Ok(applied);
    }
    match try_apply(db, projector, &events).await? {
        Ok(changes) => {
            applied.changes = changes;
            return Ok(applied);
        }
        Err(error) if events.len() == 1 => {
            let event = events.into_iter().next().expect("there is one");
            park(db, projector, event, &error, parked, &mut applied, reader).await?;
            return Ok(applied);
        }
        Err(_) => {}
    }
    for event in events {
        if held(&event, parked) {
            continue;
        }
        match try_apply(db, projector, std::slice::from_ref(&event)).await? {
            Ok(changes) => applied.changes.extend(changes),
            Err(error) => park(db, projector, event, &error, parked, &mut applied, reader).await?,
        }
    }
    Ok(applied)
}

/// Applies under a savepoint; the inner error is the projector's own, with nothing of it left in the transaction.
pub async fn try_apply(
    db: &mut PgConnection,
    projector: &dyn Projector,
    events: &[Recorded],
) -> Result<Result<Vec<Change>, ApplyError>, ProjectError> {
    sqlx::query("savepoint applying").execute(&mut *db).await?;
    let outcome = AssertUnwindSafe(projector.apply(db, events)).catch_unwind().await;
    let outcome = outcome.unwrap_or_else(|_| Err("the projector panicked".into()));
    match outcome {
        Ok(changes) => {
            sqlx::query("release savepoint applying").execute(&mut *db).await?;
            Ok(Ok(changes))
        }
        Err(error) if has_passing_cause(error.as_ref()) => {
            Err(sqlx::Error::Protocol(format!("while applying: {}", told(error.as_ref()))).into())
        }
        Err(error) => {
            sqlx::query("rollback to savepoint applying").execute(&mut *db).await?;
            Ok(Err(error))
        }
    }
}

async fn park(
    db: &mut PgConnection,
    projector: &dyn Projector,
    event: Recorded,
    error: &ApplyError,
    parked: &mut ParkedStreams,
    applied: &mut Applied,
    reader: &str,
) -> Result<(), ProjectError> {
    let failure = told(error.as_ref());
    if projector.stops_on_failure() {
        return Err(ProjectError::Stopped { projector: projector.name(), position: event.position, failure });
    }
    sqlx::query(
        "insert into log.parked (reader, category, stream_id, position, failure) values ($1, $2, $3, $4, $5)
         on conflict do nothing",
    )
    .bind(reader)
    .bind(&*event.category)
    .bind(&*event.stream_id)
    .bind(event.position)
    .bind(&failure)
    .execute(db)
    .await?;
    parked.insert((event.category.to_string(), event.stream_id.to_string()));
    applied.parked.push((event, failure));
    Ok(())
}

/// An error with its causes, at most 2000 characters.
pub fn told(error: &(dyn std::error::Error + 'static)) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text.push_str(": ");
        text.push_str(&error.to_string());
        cause = error.source();
    }
    text.replace('\0', "").chars().take(2000).collect()
}
