//! Whether the log is as it was written: every link of the chain, every signed checkpoint.

use ed25519_dalek::VerifyingKey;
use futures::TryStreamExt;
use serde::{Deserialize, Serialize};
use sqlx::PgPool;

use super::chain::{GENESIS, Hash, link};
use super::checkpoint::{self, Checkpoint, RAW, RawEvent};
use super::{LogError, merkle};
use crate::Position;

/// Findings told at most; the first say where to look.
const MAX_FINDINGS: usize = 100;

/// Something in the log that is not as it was written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, thiserror::Error)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Finding {
    /// The event is not the one that was linked here: it was changed, or put in or taken out with the others renumbered.
    #[error("位置 {} 的事件被改动、插入或替换", position.0)]
    Changed {
        /// Where.
        position: Position,
    },
    /// Events are missing.
    #[error("位置 {} 到 {} 的事件被删除", first.0, last.0)]
    Removed {
        /// The first of them.
        first: Position,
        /// The last of them.
        last: Position,
    },
    /// There are events beyond the head.
    #[error("位置 {} 的事件在日志末尾之后，是插入的", position.0)]
    Inserted {
        /// The first of them.
        position: Position,
    },
    /// The head's chain is not that of the last event.
    #[error("日志末尾（位置 {}）的链值与最后一条事件不符", position.0)]
    Head {
        /// Where the head stands.
        position: Position,
    },
    /// A checkpoint was signed by somebody else, or changed.
    #[error("位置 {} 的检查点签名无效", position.0)]
    Signature {
        /// Of the checkpoint.
        position: Position,
    },
    /// The log is not the one that was signed: its events were replaced and chained anew.
    #[error("位置 {} 到 {} 的事件与已签名的检查点不符", first.0, position.0)]
    Rewritten {
        /// The first event that the checkpoint covers.
        first: Position,
        /// The last one.
        position: Position,
    },
    /// A checkpoint speaks of events that are no longer there.
    #[error("日志在位置 {} 之后被截断：检查点曾签到 {}", head.0, signed.0)]
    Truncated {
        /// Where the log ends now.
        head: Position,
        /// How far it once reached.
        signed: Position,
    },
}

/// What verification saw.
#[derive(Clone, Debug, Serialize)]
pub struct Verified {
    /// Events looked at.
    pub events: u64,
    /// Checkpoints looked at.
    pub checkpoints: usize,
    /// What is wrong: the first 100; none when the log is as it was written.
    pub findings: Vec<Finding>,
}

/// Walks the whole log and holds it against its chain, its checkpoints and those `elsewhere` (kept outside the database,
/// as from NATS). `keys` are the public keys that may have signed them.
pub async fn verify(
    pool: &PgPool,
    keys: &[VerifyingKey],
    elsewhere: &[Checkpoint],
) -> Result<Verified, LogError> {
    let mut checkpoints = checkpoint::all(pool).await?;
    checkpoints
        .extend(elsewhere.iter().filter(|other| !checkpoints.contains(other)).cloned().collect::<Vec<_>>());
    checkpoints.sort_by_key(|checkpoint| (checkpoint.position, checkpoint.first));
    let (head, head_chain): (i64, Vec<u8>) =
        sqlx::query_as("select position, chain from log.log_head").fetch_one(pool).await?;

    let mut walk = Walk {
        findings: Vec::new(),
        leaves: Vec::new(),
        first_leaf: 1,
        closed: false,
        last: 0,
        chain: GENESIS,
    };
    let mut due = checkpoints.iter().filter(|checkpoint| {
        let signed = keys.iter().any(|key| checkpoint.is_signed_by(key));
        if !signed {
            walk.findings.push(Finding::Signature { position: checkpoint.position });
        }
        signed
    });
    let signed: Vec<&Checkpoint> = due.by_ref().collect();
    let mut due = signed.iter().copied().peekable();

    let mut events = 0;
    let mut rows = sqlx::query_as::<_, RawEvent>(RAW).bind(1_i64).bind(i64::MAX).fetch(pool);
    while let Some(event) = rows.try_next().await? {
        events += 1;
        // An event that is gone leaves its checkpoint behind: it is judged before the next event is.
        while let Some(passed) = due.next_if(|checkpoint| checkpoint.position.0 < event.position) {
            walk.judge(passed);
        }
        if event.position > head {
            walk.find(Finding::Inserted { position: Position(event.position) });
            break;
        }
        walk.take(&event);
        while let Some(reached) = due.next_if(|checkpoint| checkpoint.position.0 == event.position) {
            walk.judge(reached);
        }
        if walk.findings.len() >= MAX_FINDINGS {
            break;
        }
    }
    if walk.findings.len() < MAX_FINDINGS {
        if walk.last < head {
            walk.find(Finding::Removed { first: Position(walk.last + 1), last: Position(head) });
        } else if walk.chain.as_slice() != head_chain {
            walk.find(Finding::Head { position: Position(head) });
        }
        if let Some(furthest) = signed.last().filter(|checkpoint| checkpoint.position.0 > walk.last) {
            walk.find(Finding::Truncated { head: Position(walk.last), signed: furthest.position });
        }
    }
    Ok(Verified { events, checkpoints: checkpoints.len(), findings: walk.findings })
}

struct Walk {
    findings: Vec<Finding>,
    /// Leaves since `first_leaf`, for the Merkle root of the next checkpoint.
    leaves: Vec<Hash>,
    first_leaf: i64,
    /// A checkpoint ended here; the next event begins another one.
    closed: bool,
    last: i64,
    /// The chain stored with the last event: from there each event is judged for itself.
    chain: Hash,
}

impl Walk {
    fn find(&mut self, finding: Finding) {
        self.findings.push(finding);
    }

    fn take(&mut self, event: &RawEvent) {
        if std::mem::take(&mut self.closed) {
            self.leaves.clear();
            self.first_leaf = event.position;
        }
        let leaf = event.leaf();
        let whole = event.position == self.last + 1;
        if !whole {
            self.find(Finding::Removed {
                first: Position(self.last + 1),
                last: Position(event.position - 1),
            });
        }
        let stored = Hash::try_from(event.chain.as_slice()).unwrap_or_default();
        // Behind a gap the event's own link cannot be judged; the next one's can.
        if whole && link(&self.chain, &leaf) != stored {
            self.find(Finding::Changed { position: Position(event.position) });
        }
        self.chain = stored;
        self.last = event.position;
        self.leaves.push(leaf);
    }

    fn judge(&mut self, checkpoint: &Checkpoint) {
        let count = usize::try_from(checkpoint.position.0 - checkpoint.first.0 + 1).unwrap_or(0);
        let holds = self.last == checkpoint.position.0
            && self.first_leaf == checkpoint.first.0
            && self.leaves.len() == count
            && self.chain == checkpoint.chain
            && merkle::root(&self.leaves) == checkpoint.root;
        if !holds {
            self.find(Finding::Rewritten { first: checkpoint.first, position: checkpoint.position });
        }
        self.closed = true;
    }
}

/// That one event is among those that a checkpoint signs: a few hundred bytes, checked without the log.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Inclusion {
    /// Which event.
    pub position: Position,
    /// The signed state it is part of.
    pub checkpoint: Checkpoint,
    /// The hashes beside the way from its leaf to the root, hexadecimal, the nearest first.
    pub path: Vec<String>,
}

/// The proof for the event at `position`; nothing while no checkpoint covers it.
pub async fn prove(pool: &PgPool, position: Position) -> Result<Option<Inclusion>, LogError> {
    let checkpoint = checkpoint::all(pool)
        .await?
        .into_iter()
        .find(|checkpoint| checkpoint.first <= position && position <= checkpoint.position);
    let Some(checkpoint) = checkpoint else { return Ok(None) };
    let leaves: Vec<Hash> = checkpoint::leaves(pool, checkpoint.first, checkpoint.position)
        .await?
        .into_iter()
        .map(|(_, leaf)| leaf)
        .collect();
    let index = usize::try_from(position.0 - checkpoint.first.0).unwrap_or(usize::MAX);
    if index >= leaves.len() {
        return Ok(None);
    }
    let path = merkle::path(&leaves, index).iter().map(hex::encode).collect();
    Ok(Some(Inclusion { position, checkpoint, path }))
}

impl Inclusion {
    /// Whether the event with this `leaf` is in the log that the holder of `key` signed. Pure.
    pub fn holds(&self, leaf: &Hash, key: &VerifyingKey) -> bool {
        let path: Option<Vec<Hash>> = self
            .path
            .iter()
            .map(|hash| hex::decode(hash).ok().and_then(|hash| hash.try_into().ok()))
            .collect();
        let Checkpoint { first, position, .. } = self.checkpoint;
        let (Some(path), Ok(index), Ok(count)) =
            (path, usize::try_from(self.position.0 - first.0), usize::try_from(position.0 - first.0 + 1))
        else {
            return false;
        };
        self.checkpoint.is_signed_by(key)
            && merkle::root_of_path(leaf, index, count, &path) == Some(self.checkpoint.root)
    }
}
