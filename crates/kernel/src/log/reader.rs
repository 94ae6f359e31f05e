//! Reading the log: in order from a position, or one stream.

use bytes::Bytes;
use futures::future::{Either, ready};
use futures::stream::{self, BoxStream, StreamExt, TryStreamExt};
use sqlx::{FromRow, PgPool, Row as _};
use tokio::sync::mpsc;
use vocabulary::Timestamp;

use super::personal::{self, PersonalKeys};
use super::{LogError, codec, copied};
use crate::{Position, Recorded};

/// Reads events; personal data comes opened, or marked as forgotten.
#[derive(Clone)]
pub struct Reader {
    pool: PgPool,
    keys: PersonalKeys,
}

/// As selected: position, category, stream id, version, type, schema version, data, meta, recorded at. By place, because
/// by name each column of each row is looked up.
type Row = (i64, String, String, i64, String, i16, String, String, chrono::DateTime<chrono::Utc>);

fn recorded(row: Row) -> Result<Recorded, LogError> {
    let (position, category, stream_id, version, stored_type, schema_version, data, meta, recorded_at) = row;
    let meta = codec::decode_meta(&stored_type, schema_version, meta.as_bytes())?;
    Ok(Recorded {
        position: Position(position),
        category: category.into(),
        stream_id: stream_id.into(),
        version,
        stored_type: stored_type.into(),
        schema_version,
        data: data.into_bytes().into(),
        meta,
        recorded_at: Timestamp::from(recorded_at),
    })
}

const BETWEEN: &str = "select position, category, stream_id, version, type, schema_version, data, meta, recorded_at \
    from log.events where position > $1 and position <= $2 order by position";
const LINKED_BETWEEN: &str = "select position, category, stream_id, version, type, schema_version, data, meta, recorded_at, \
    chain from log.events where position > $1 and position <= $2 order by position";
/// Each category by its index, so that one with few events costs little in a log full of others. `any` and the order by both
/// columns leave the planner no other: by positions alone it would read the whole log for a category that is not in it.
const BETWEEN_OF: &str = "select e.position, e.category, e.stream_id, e.version, e.type, e.schema_version, e.data, e.meta, \
    e.recorded_at from unnest($3::text[]) wanted cross join lateral (\
        select * from log.events of where of.category = any(array[wanted]) and of.position > $1 and of.position <= $2 \
        order by of.category, of.position limit $4\
    ) e order by e.position limit $4";
const STREAM: &str = "select position, category, stream_id, version, type, schema_version, data, meta, recorded_at \
    from log.events where category = $1 and stream_id = $2 and version > $3 order by version limit $4";

/// A replay fetches so many rows ahead of its reader at most: chunks, and rows in each.
const REPLAY_CHUNKS: usize = 4;
const REPLAY_ROWS: usize = 256;

/// Sends the rows of the events after `from` up to and with `to`, in chunks, while there is somebody who takes them.
async fn copy(pool: PgPool, from: Position, to: Position, send: mpsc::Sender<Vec<Result<Bytes, LogError>>>) {
    let copied = async {
        let mut db = pool.acquire().await?;
        // One that nobody reads to its end has the rest of the log before its next answer.
        db.close_on_drop();
        // A copy takes no parameters.
        let statement = BETWEEN.replace("$1", &from.0.to_string()).replace("$2", &to.0.to_string());
        let rows = db.copy_out_raw(&format!("copy ({statement}) to stdout (format binary)")).await?;
        let mut chunks = rows.map_err(LogError::from).ready_chunks(REPLAY_ROWS);
        while let Some(chunk) = chunks.next().await {
            if send.send(chunk).await.is_err() {
                break;
            }
        }
        Ok(())
    };
    if let Err(error) = copied.await {
        // Whoever would hear of it may be gone.
        let _ = send.send(vec![Err(error)]).await;
    }
}

impl Reader {
    /// Reads through `pool`, opens personal data with `keys`.
    pub fn new(pool: PgPool, keys: PersonalKeys) -> Self {
        Self { pool, keys }
    }

    /// Up to `limit` events after `position`, in order.
    pub async fn read_after(&self, position: Position, limit: i64) -> Result<Vec<Recorded>, LogError> {
        self.read_between(position, Position(position.0.saturating_add(limit))).await
    }

    /// The events after `from` up to and with `to`.
    pub async fn read_between(&self, from: Position, to: Position) -> Result<Vec<Recorded>, LogError> {
        let rows: Vec<Row> = sqlx::query_as(BETWEEN).bind(from.0).bind(to.0).fetch_all(&self.pool).await?;
        self.opened(rows.into_iter().map(recorded).collect::<Result<_, _>>()?).await
    }

    /// The first `limit` events of `categories` after `from` up to and with `to`, and how far that reaches: there is no
    /// other of them up to there.
    pub async fn read_of(
        &self,
        categories: &[&str],
        from: Position,
        to: Position,
        limit: i64,
    ) -> Result<(Vec<Recorded>, Position), LogError> {
        let rows: Vec<Row> = sqlx::query_as(BETWEEN_OF)
            .bind(from.0)
            .bind(to.0)
            .bind(categories)
            .bind(limit)
            .fetch_all(&self.pool)
            .await?;
        let events = self.opened(rows.into_iter().map(recorded).collect::<Result<_, _>>()?).await?;
        let reached = match events.last() {
            Some(last) if events.len() as i64 >= limit => last.position,
            _ => to,
        };
        Ok((events, reached))
    }

    /// The events after `from` up to and with `to` as they lie in the log, personal data sealed, each with its link of
    /// the chain.
    pub(crate) async fn read_linked_between(
        &self,
        from: Position,
        to: Position,
    ) -> Result<Vec<(Recorded, Vec<u8>)>, LogError> {
        let rows = sqlx::query(LINKED_BETWEEN).bind(from.0).bind(to.0).fetch_all(&self.pool).await?;
        rows.iter().map(|row| Ok((recorded(Row::from_row(row)?)?, row.try_get(9)?))).collect()
    }

    /// Up to `limit` events of one stream after `version`, in order.
    pub async fn read_stream(
        &self,
        category: &str,
        stream_id: &str,
        version: i64,
        limit: i64,
    ) -> Result<Vec<Recorded>, LogError> {
        let rows: Vec<Row> = sqlx::query_as(STREAM)
            .bind(category)
            .bind(stream_id)
            .bind(version)
            .bind(limit)
            .fetch_all(&self.pool)
            .await?;
        self.opened(rows.into_iter().map(recorded).collect::<Result<_, _>>()?).await
    }

    /// All events after `from` up to and with `to`, streamed from one statement: the fastest way through the log. Rows
    /// are fetched by a task of their own while the caller works on those before; it ends when the stream is dropped.
    pub fn replay(&self, from: Position, to: Position) -> BoxStream<'_, Result<Recorded, LogError>> {
        let (send, mut chunks) = mpsc::channel(REPLAY_CHUNKS);
        tokio::spawn(copy(self.pool.clone(), from, to, send));
        stream::poll_fn(move |cx| chunks.poll_recv(cx))
            .flat_map(stream::iter)
            .try_filter_map(async |message| copied::event(message))
            .and_then(move |event| {
                if personal::is_sealed(&event.data) {
                    Either::Left(async move { Ok(self.opened(vec![event]).await?.remove(0)) })
                } else {
                    Either::Right(ready(Ok(event)))
                }
            })
            .boxed()
    }

    /// The categories of all events that hold personal data of `subject`, readable or not. Reads the whole log.
    pub async fn categories_about(&self, subject: &str) -> Result<Vec<String>, LogError> {
        let subject = serde_json::to_string(subject).map_err(|error| LogError::Encode(error.to_string()))?;
        let categories =
            sqlx::query_scalar("select distinct category from log.events where strpos(data, $1) > 0")
                .bind(format!("\"subject\":{subject}"))
                .fetch_all(&self.pool)
                .await?;
        Ok(categories)
    }

    /// How often somebody was forgotten so far: what was read before it moved may hold what is known of him.
    pub async fn times_forgotten(&self) -> Result<i64, LogError> {
        Ok(PersonalKeys::times_forgotten(&self.pool).await?)
    }

    /// The position of the log's head.
    pub async fn head(&self) -> Result<Position, LogError> {
        Ok(Position(sqlx::query_scalar("select position from log.log_head").fetch_one(&self.pool).await?))
    }

    async fn opened(&self, mut events: Vec<Recorded>) -> Result<Vec<Recorded>, LogError> {
        if events.iter().any(|event| personal::is_sealed(&event.data)) {
            self.keys.open_all(&self.pool, &mut events).await?;
        }
        Ok(events)
    }
}
