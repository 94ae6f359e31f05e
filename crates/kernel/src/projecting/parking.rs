//! Parked streams: seen, and tried again.

use sqlx::PgPool;
use vocabulary::Timestamp;

use super::applying::{told, try_apply};
use super::{ProjectError, reader_name};
use crate::{House, Position, Projector};

/// A stream, or for a reactor an event, that could not be gone on with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parked {
    /// `projector:role` or `reactor:card`.
    pub reader: String,
    /// The stream's category.
    pub category: String,
    /// The stream's id.
    pub stream_id: String,
    /// The event that failed.
    pub position: Position,
    /// Why.
    pub failure: String,
    /// Since when.
    pub parked_at: Timestamp,
    /// Tries so far.
    pub attempts: i32,
}

/// The oldest parked streams, at most 1000.
pub async fn parked(pool: &PgPool) -> sqlx::Result<Vec<Parked>> {
    type Row = (String, String, String, Position, String, chrono::DateTime<chrono::Utc>, i32);
    let rows: Vec<Row> = sqlx::query_as(
        "select reader, category, stream_id, position, failure, parked_at, attempts from log.parked
         order by parked_at limit 1000",
    )
    .fetch_all(pool)
    .await?;
    let parked = |(reader, category, stream_id, position, failure, parked_at, attempts): Row| Parked {
        reader,
        category,
        stream_id,
        position,
        failure,
        parked_at: parked_at.into(),
        attempts,
    };
    Ok(rows.into_iter().map(parked).collect())
}

/// Events of the stream applied in one go at most; a longer one takes several tries.
const MAX_EVENTS: i64 = 10_000;

/// Applies the events of a parked stream up to where the projector is. Says whether all went well: then the stream is
/// parked no more; if not, it is parked at the event that fails now.
pub async fn retry(
    house: &House,
    projector: &dyn Projector,
    category: &str,
    stream_id: &str,
) -> Result<bool, ProjectError> {
    let reader = reader_name(projector);
    let mut tx = house.pools.projector.begin().await?;
    // With the projector's row locked, the stream cannot be overtaken.
    let reached: Position =
        sqlx::query_scalar("select position from log.projectors where name = $1 for update")
            .bind(projector.name())
            .fetch_one(&mut *tx)
            .await?;
    let from: Option<(Position, i64)> = sqlx::query_as(
        "select p.position, e.version from log.parked p join log.events e on e.position = p.position
         where p.reader = $1 and p.category = $2 and p.stream_id = $3 order by p.position limit 1",
    )
    .bind(&reader)
    .bind(category)
    .bind(stream_id)
    .fetch_optional(&mut *tx)
    .await?;
    let Some((_, version)) = from else { return Ok(true) };
    let events = house.reader.read_stream(category, stream_id, version - 1, MAX_EVENTS).await?;
    let all = (events.len() as i64) < MAX_EVENTS;
    sqlx::query("set local search_path = read").execute(&mut *tx).await?;
    let mut changes = Vec::new();
    let mut stuck = None;
    for event in events.into_iter().take_while(|event| event.position <= reached) {
        match try_apply(&mut tx, projector, std::slice::from_ref(&event)).await? {
            Ok(changed) => changes.extend(changed),
            Err(error) => {
                stuck = Some((event.position, told(error.as_ref())));
                break;
            }
        }
    }
    let done = stuck.is_none() && all;
    match stuck {
        Some((position, failure)) => {
            sqlx::query(
                "update log.parked set position = $4, failure = $5, attempts = attempts + 1
                 where reader = $1 and category = $2 and stream_id = $3",
            )
            .bind(&reader)
            .bind(category)
            .bind(stream_id)
            .bind(position)
            .bind(failure)
            .execute(&mut *tx)
            .await?;
        }
        None if all => {
            sqlx::query("delete from log.parked where reader = $1 and category = $2 and stream_id = $3")
                .bind(&reader)
                .bind(category)
                .bind(stream_id)
                .execute(&mut *tx)
                .await?;
        }
        None => {
            sqlx::query(
                "update log.parked set position = (select position from log.events e where e.category = $2
                 and e.stream_id = $3 and e.version = $4) where reader = $1 and category = $2 and stream_id = $3",
            )
            .bind(&reader)
            .bind(category)
            .bind(stream_id)
            .bind(version + MAX_EVENTS)
            .execute(&mut *tx)
            .await?;
        }
    }
    tx.commit().await?;
    house.changes.publish(reached, changes).await;
    Ok(done)
}
