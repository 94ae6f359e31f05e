//! Events as they lie in the log, for hashing.

use futures::TryStreamExt;
use sqlx::PgPool;
use vocabulary::Timestamp;

use super::chain::{Hash, LeafFields};
use crate::Position;

const BETWEEN: &str = "select position, category, stream_id, version, type, schema_version, data, meta, \
    recorded_at, chain from log.events where position >= $1 and position <= $2 order by position";

/// An event's bytes.
#[derive(sqlx::FromRow)]
pub(super) struct RawEvent {
    position: i64,
    category: String,
    stream_id: String,
    version: i64,
    #[sqlx(rename = "type")]
    stored_type: String,
    schema_version: i16,
    data: String,
    meta: String,
    recorded_at: chrono::DateTime<chrono::Utc>,
    chain: Vec<u8>,
}

impl RawEvent {
    fn leaf(&self) -> Hash {
        LeafFields {
            category: &self.category,
            stream_id: &self.stream_id,
            version: self.version,
            stored_type: &self.stored_type,
            schema_version: self.schema_version,
            data: self.data.as_bytes(),
            meta: self.meta.as_bytes(),
            recorded_at: Timestamp::from(self.recorded_at),
        }
        .leaf()
    }
}

/// What hashing leaves of an event.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hashed {
    pub(super) position: i64,
    pub(super) leaf: Hash,
    /// The link as it is stored; zeros where that is no hash.
    pub(super) chain: Hash,
}

/// The events from `first` to `last`, both included, as one short statement finds them.
pub(super) async fn hashed(pool: &PgPool, first: Position, last: Position) -> sqlx::Result<Vec<Hashed>> {
    let mut rows = sqlx::query_as::<_, RawEvent>(BETWEEN).bind(first).bind(last).fetch(pool);
    let mut hashed = Vec::new();
    while let Some(event) = rows.try_next().await? {
        let chain = Hash::try_from(event.chain.as_slice()).unwrap_or_default();
        hashed.push(Hashed { position: event.position, leaf: event.leaf(), chain });
    }
    Ok(hashed)
}
