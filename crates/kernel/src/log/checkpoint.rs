//! Signed states of the log. A checkpoint says: the log reached this position with this chain, and these were the events
//! since the checkpoint before it. Kept in PostgreSQL and told to NATS (`checkpoints.log`), where whoever holds the
//! database cannot take it back.

use std::time::Duration;

use ed25519_dalek::{Signature, Signer, SigningKey, Verifier, VerifyingKey};
use futures::TryStreamExt;
use serde::{Deserialize, Serialize};
use sqlx::PgPool;
use vocabulary::Timestamp;

use super::chain::{Hash, LeafFields};
use super::{LogError, merkle};
use crate::{House, Position};

/// Events that one checkpoint covers at most.
pub const MAX_EVENTS: i64 = 1000;
/// A checkpoint is signed at the latest this long after an event.
const EVERY: Duration = Duration::from_mins(1);
const LOOK: Duration = Duration::from_secs(1);

/// The key that signs checkpoints.
#[derive(Clone)]
pub struct CheckpointKey(SigningKey);

impl CheckpointKey {
    /// From its 32 secret bytes.
    pub fn new(secret: &[u8; 32]) -> Self {
        Self(SigningKey::from_bytes(secret))
    }

    /// What others verify with.
    pub fn public(&self) -> VerifyingKey {
        self.0.verifying_key()
    }
}

/// A signed state of the log.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Checkpoint {
    /// The last event it covers.
    pub position: Position,
    /// The first one: that after the checkpoint before it.
    pub first: Position,
    /// The chain at `position`.
    #[serde(with = "hexed")]
    pub chain: Hash,
    /// Merkle root over the leaves of `first..=position`.
    #[serde(with = "hexed")]
    pub root: Hash,
    /// When.
    pub signed_at: Timestamp,
    /// The first 8 bytes of the public key.
    #[serde(with = "hexed")]
    pub key_id: [u8; 8],
    /// Ed25519 over [`Self::statement`].
    #[serde(with = "hexed")]
    pub signature: [u8; 64],
}

impl Checkpoint {
    /// Signs a state of the log.
    pub fn sign(
        key: &CheckpointKey,
        first: Position,
        position: Position,
        chain: Hash,
        root: Hash,
        signed_at: Timestamp,
    ) -> Self {
        let key_id = key_id(&key.public());
        let mut checkpoint = Self { position, first, chain, root, signed_at, key_id, signature: [0; 64] };
        checkpoint.signature = key.0.sign(checkpoint.statement().as_bytes()).to_bytes();
        checkpoint
    }

    /// The text that is signed.
    pub fn statement(&self) -> String {
        format!(
            "wheelhouse checkpoint 1\n{}\n{}\n{}\n{}\n{}\n",
            self.first.0,
            self.position.0,
            hex::encode(self.chain),
            hex::encode(self.root),
            self.signed_at.millis()
        )
    }

    /// Whether the holder of `key` signed it.
    pub fn is_signed_by(&self, key: &VerifyingKey) -> bool {
        key.verify(self.statement().as_bytes(), &Signature::from_bytes(&self.signature)).is_ok()
    }
}

/// Bytes as hexadecimal text in JSON.
mod hexed {
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serializer};

    pub fn serialize<S: Serializer>(bytes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&hex::encode(bytes))
    }

    pub fn deserialize<'de, const N: usize, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<[u8; N], D::Error> {
        let text = String::deserialize(deserializer)?;
        let bytes = hex::decode(text).map_err(D::Error::custom)?;
        bytes.try_into().map_err(|_| D::Error::custom(format!("not {N} bytes")))
    }
}

fn key_id(key: &VerifyingKey) -> [u8; 8] {
    key.as_bytes()[..8].try_into().expect("a key is longer than eight bytes")
}

type Row = (i64, i64, Vec<u8>, Vec<u8>, chrono::DateTime<chrono::Utc>, Vec<u8>, Vec<u8>);

const COLUMNS: &str =
    "select position, first, chain, root, signed_at, key_id, signature from log.checkpoints";

fn from_row(
    (position, first, chain, root, signed_at, key_id, signature): Row,
) -> Result<Checkpoint, LogError> {
    let broken = |_| LogError::Invalid("a stored checkpoint has a field of the wrong length");
    Ok(Checkpoint {
        position: Position(position),
        first: Position(first),
        chain: chain.try_into().map_err(broken)?,
        root: root.try_into().map_err(broken)?,
        signed_at: signed_at.into(),
        key_id: key_id.try_into().map_err(broken)?,
        signature: signature.try_into().map_err(broken)?,
    })
}

/// All checkpoints, in order.
pub async fn all(pool: &PgPool) -> Result<Vec<Checkpoint>, LogError> {
    let sql = sqlx::AssertSqlSafe(format!("{COLUMNS} order by position"));
    let rows: Vec<Row> = sqlx::query_as(sql).fetch_all(pool).await?;
    rows.into_iter().map(from_row).collect()
}

/// An event's bytes as they lie in the log, for hashing.
#[derive(sqlx::FromRow)]
pub(super) struct RawEvent {
    pub(super) position: i64,
    category: String,
    stream_id: String,
    version: i64,
    #[sqlx(rename = "type")]
    stored_type: String,
    schema_version: i16,
    data: String,
    meta: String,
    recorded_at: chrono::DateTime<chrono::Utc>,
    pub(super) chain: Vec<u8>,
}

pub(super) const RAW: &str = "select position, category, stream_id, version, type, schema_version, data, meta, \
    recorded_at, chain from log.events where position >= $1 and position <= $2 order by position";

impl RawEvent {
    pub(super) fn leaf(&self) -> Hash {
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

pub(super) async fn leaves(
    pool: &PgPool,
    first: Position,
    last: Position,
) -> Result<Vec<(RawEvent, Hash)>, LogError> {
    let mut rows = sqlx::query_as::<_, RawEvent>(RAW).bind(first.0).bind(last.0).fetch(pool);
    let mut leaves = Vec::new();
    while let Some(row) = rows.try_next().await? {
        let leaf = row.leaf();
        leaves.push((row, leaf));
    }
    Ok(leaves)
}

/// Signs what came since the last checkpoint, in checkpoints of at most [`MAX_EVENTS`]; says which were made.
pub async fn sign_new(house: &House, key: &CheckpointKey) -> Result<Vec<Checkpoint>, LogError> {
    let pool = &house.pools.projector;
    let mut made = Vec::new();
    let last: Option<i64> =
        sqlx::query_scalar("select max(position) from log.checkpoints").fetch_one(pool).await?;
    let mut last = Position(last.unwrap_or(0));
    let head = house.reader.head().await?;
    while last < head {
        let first = Position(last.0 + 1);
        let to = Position(head.0.min(last.0 + MAX_EVENTS));
        let events = leaves(pool, first, to).await?;
        let Some((end, _)) = events.last().filter(|(end, _)| end.position == to.0) else {
            return Err(LogError::Invalid("the log has a gap: run verify"));
        };
        let chain =
            Hash::try_from(end.chain.as_slice()).map_err(|_| LogError::Invalid("a chain has 32 bytes"))?;
        let leaves: Vec<Hash> = events.iter().map(|(_, leaf)| *leaf).collect();
        let checkpoint = Checkpoint::sign(key, first, to, chain, merkle::root(&leaves), house.clock.now());
        let stored = sqlx::query(
            "insert into log.checkpoints values ($1, $2, $3, $4, $5, $6, $7) on conflict do nothing",
        )
        .bind(checkpoint.position)
        .bind(checkpoint.first)
        .bind(checkpoint.chain.as_slice())
        .bind(checkpoint.root.as_slice())
        .bind(checkpoint.signed_at.datetime())
        .bind(checkpoint.key_id.as_slice())
        .bind(checkpoint.signature.as_slice())
        .execute(pool)
        .await?;
        if stored.rows_affected() == 0 {
            // Another process signed it; whoever looks next goes on behind that.
            break;
        }
        if let Some(nats) = &house.nats
            && let Ok(json) = serde_json::to_vec(&checkpoint)
            && let Err(error) = nats.publish("checkpoints.log", json.into()).await
        {
            tracing::warn!(error = %error, "a checkpoint was not told to NATS");
        }
        made.push(checkpoint);
        last = to;
    }
    Ok(made)
}

/// Signs a checkpoint for each 1000 events, and at least one a minute while there are new ones, whenever this process
/// leads, until the house closes.
pub async fn run(house: House, key: CheckpointKey) {
    let stop = house.stopping();
    let mut lease = house.leases.want("checkpoints").await;
    loop {
        tokio::select! {
            () = stop.cancelled() => return,
            () = lease.held() => {}
        }
        let lead = async {
            let mut signed = tokio::time::Instant::now();
            let mut last = Position(0);
            loop {
                let due = signed.elapsed() >= EVERY;
                if due || house.tail.head().0 - last.0 >= MAX_EVENTS {
                    match sign_new(&house, &key).await {
                        Ok(made) => last = made.last().map_or(house.tail.head(), |made| made.position),
                        Err(error) => tracing::error!(error = %error, "the log could not be signed"),
                    }
                    signed = tokio::time::Instant::now();
                }
                tokio::time::sleep(LOOK).await;
            }
        };
        tokio::select! {
            () = stop.cancelled() => return,
            () = lease.lost() => {}
            () = lead => {}
        }
    }
}
