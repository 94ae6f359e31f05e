//! Parked streams: seen, and tried again.

use sqlx::PgPool;
use vocabulary::Timestamp;

use super::applying::{told, try_apply};
use super::{ProjectError, reader_name};
use crate::{Position, Projector, Runtime, pools};

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

/// Applies the events of a parked stream up to where the projector is, `page` in a transaction. Says whether all went
/// well: then the stream is parked no more; if not, it is parked at the event that fails now.
pub async fn retry(
    runtime: &Runtime,
    projector: &dyn Projector,
    category: &str,
    stream_id: &str,
    page: i64,
) -> Result<bool, ProjectError> {
    loop {
        match retry_page(runtime, projector, (category, stream_id), page).await? {
            Page::More => {}
            Page::Done => return Ok(true),
            Page::Stuck => return Ok(false),
        }
    }
}

/// What came of a page.
enum Page {
    /// It was applied, and the stream is parked at the event behind it.
    More,
    /// The stream is parked no more.
    Done,
    /// An event failed; the stream is parked at it.
    Stuck,
}

async fn retry_page(
    runtime: &Runtime,
    projector: &dyn Projector,
    (category, stream_id): (&str, &str),
    page: i64,
) -> Result<Page, ProjectError> {
    let reader = reader_name(projector);
    let mut tx = pools::begin(&runtime.pools.projector).await?;
    // With the projector's row locked, the stream cannot be overtaken.
    let (reached, stored): (Position, i32) =
        sqlx::query_as("select position, version from log.projectors where name = $1 for update")
            .bind(projector.name())
            .fetch_one(&mut *tx)
            .await?;
    if stored != projector.version() {
        return Err(ProjectError::Version { projector: projector.name(), stored, own: projector.version() });
    }
    let at: Option<(Position, i64)> = sqlx::query_as(
        "select p.position, e.version from log.parked p join log.events e on e.position = p.position
         where p.reader = $1 and p.category = $2 and p.stream_id = $3 order by p.position limit 1",
    )
    .bind(&reader)
    .bind(category)
    .bind(stream_id)
    .fetch_optional(&mut *tx)
    .await?;
    let Some((parked_at, version)) = at else { return Ok(Page::Done) };
    // One more than is applied: where the next page begins. What the projector has not reached, it applies itself.
    let mut events = runtime.reader.read_stream(category, stream_id, version - 1, page + 1).await?;
    events.retain(|event| event.position <= reached);
    let next = events.get(page as usize).map(|event| event.position);
    events.truncate(page as usize);
    sqlx::query("set local search_path = read").execute(&mut *tx).await?;
    let mut changes = Vec::new();
    let mut stuck = None;
    for event in events {
        match try_apply(&mut tx, projector, std::slice::from_ref(&event)).await? {
            Ok(changed) => changes.extend(changed),
            Err(error) => {
                stuck = Some((event.position, told(error.as_ref())));
                break;
            }
        }
    }
    let came = match (stuck, next) {
        (Some((position, failure)), _) => {
            sqlx::query(
                "update log.parked set position = $5, failure = $6, attempts = attempts + 1
                 where reader = $1 and category = $2 and stream_id = $3 and position = $4",
            )
            .bind(&reader)
            .bind(category)
            .bind(stream_id)
            .bind(parked_at)
            .bind(position)
            .bind(failure)
            .execute(&mut *tx)
            .await?;
            Page::Stuck
        }
        (None, Some(next)) => {
            sqlx::query(
                "update log.parked set position = $5
                 where reader = $1 and category = $2 and stream_id = $3 and position = $4",
            )
            .bind(&reader)
            .bind(category)
            .bind(stream_id)
            .bind(parked_at)
            .bind(next)
            .execute(&mut *tx)
            .await?;
            Page::More
        }
        (None, None) => {
            sqlx::query("delete from log.parked where reader = $1 and category = $2 and stream_id = $3")
                .bind(&reader)
                .bind(category)
                .bind(stream_id)
                .execute(&mut *tx)
                .await?;
            Page::Done
        }
    };
    tx.commit().await?;
    runtime.changes.publish(reached, changes).await;
    Ok(came)
}
