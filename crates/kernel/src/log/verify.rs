//! Whether the log is as it was written: every link of the chain, every signed statement, in the database and outside.

use std::sync::Arc;

use ed25519_dalek::VerifyingKey;
use serde::{Deserialize, Serialize};
use sqlx::PgPool;
use vocabulary::Timestamp;

use super::chain::{GENESIS, Hash, link};
use super::checkpoint::{self, MAX_EVENTS};
use super::lineage::{self, Anchor, Trust};
use super::places::{Place, Table};
use super::raw::{self, Hashed};
use super::statement::Statement;
use super::{LogError, compare, merkle};
use crate::Position;

/// Findings told at most; the first say where to look.
const MAX_FINDINGS: usize = 100;
/// Events that one statement reads: its snapshot is short, so that it holds back nothing that appends need.
const CHUNK: i64 = 2000;
/// A serving system signs within a minute. Events that are older and signed nowhere are a finding.
const UNSIGNED_MS: i64 = 600_000;

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
    /// A checkpoint of version 1 was signed by somebody else, or changed.
    #[error("位置 {} 的检查点签名无效", position.0)]
    Signature {
        /// Of the checkpoint.
        position: Position,
    },
    /// A statement was changed, or signed by a key whose turn it was not.
    #[error("第 {number} 号签名声明的签名无效")]
    Statement {
        /// Its number.
        number: u64,
    },
    /// A statement was signed by a key that nobody vouches for.
    #[error("第 {number} 号签名声明由未知的密钥签署")]
    UnknownKey {
        /// Its number.
        number: u64,
    },
    /// A statement does not follow from the one before it.
    #[error("第 {number} 号签名声明与前一号不衔接：前面的声明被替换或删除")]
    Unlinked {
        /// Its number.
        number: u64,
    },
    /// The key on file is not the one that the statements end with.
    #[error("当前签名密钥不是声明中最后登记的密钥：密钥文件被更换，或轮换没有完成")]
    KeyReplaced,
    /// A place lacks statements that another one holds.
    #[error("{place} 缺少第 {first} 到 {last} 号签名声明（其他存放处有）")]
    Missing {
        /// Which place.
        place: String,
        /// The first that it lacks.
        first: u64,
        /// The last.
        last: u64,
    },
    /// No place has these statements.
    #[error("第 {first} 到 {last} 号签名声明在所有存放处都不见了")]
    Lost {
        /// The first.
        first: u64,
        /// The last.
        last: u64,
    },
    /// Two places hold different statements under one number.
    #[error("{place} 的第 {number} 号签名声明与其他存放处不同")]
    Differs {
        /// One of them.
        place: String,
        /// The number.
        number: u64,
    },
    /// A place could not be read.
    #[error("存放处 {place} 无法读取：{why}")]
    Unreadable {
        /// Which place.
        place: String,
        /// What it was.
        why: String,
    },
    /// There are events of some age, and no signed statement anywhere.
    #[error("日志有 {events} 条事件，但任何存放处都没有检查点：检查点被清空，或从未签署")]
    Unsigned {
        /// How many.
        events: i64,
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

/// Something worth knowing that was done in the open.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, thiserror::Error)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Note {
    /// The log was set back, and somebody accepted that.
    #[error("日志曾从位置 {} 退回到 {}，由操作者于 {} 确认", from.0, to.0, at.datetime())]
    Restored {
        /// How far it had reached.
        from: Position,
        /// Up to here it stayed the same.
        to: Position,
        /// When it was accepted.
        at: Timestamp,
    },
    /// Another key signs since then.
    #[error("签名密钥于 {} 轮换", at.datetime())]
    Rotated {
        /// When.
        at: Timestamp,
    },
    /// The last events are covered by the chain alone so far.
    #[error("位置 {} 之后的事件尚未签名", signed.0)]
    NotYetSigned {
        /// How far it is signed.
        signed: Position,
    },
}

/// What verification saw.
#[derive(Clone, Debug, Serialize)]
pub struct Verified {
    /// Events looked at.
    pub events: u64,
    /// Statements looked at.
    pub checkpoints: usize,
    /// What is wrong: the first 100; none when the log is as it was written.
    pub findings: Vec<Finding>,
    /// What is worth knowing.
    pub notes: Vec<Note>,
}

/// Walks the log up to the head that it has at the beginning, in short statements, and holds it against its chain and
/// against what was signed: in the database, and in the places `outside`, in the order in which the signer writes them.
pub async fn verify(
    pool: &PgPool,
    trust: &Trust,
    outside: &[Arc<dyn Place>],
    now: Timestamp,
) -> Result<Verified, LogError> {
    let table = Table::new(pool.clone());
    // What was written first is read last: then it has all that the others have.
    let mut read = Vec::new();
    for place in outside.iter().rev() {
        read.push((place.name().to_owned(), place.all().await));
    }
    read.push((table.name().to_owned(), table.all().await));
    let old = checkpoint::old_checkpoints(pool).await?;
    let head: i64 = sqlx::query_scalar("select position from log.log_head").fetch_one(pool).await?;

    let compared = compare::compare(read, now);
    let said = lineage::follow(&old, &compared.statements, trust);
    let mut walk = Walk::new(&said.anchors);
    walk.findings.extend(compared.findings);
    walk.findings.extend(said.findings);
    let mut first = 1;
    while first <= head && walk.findings.len() < MAX_FINDINGS {
        let last = head.min(first + CHUNK - 1);
        for event in raw::hashed(pool, Position(first), Position(last)).await? {
            walk.take(&event);
        }
        first = last + 1;
    }
    if walk.findings.len() < MAX_FINDINGS {
        walk.end(head);
        if said.signed > Position(head) {
            walk.find(Finding::Truncated { head: Position(head), signed: said.signed });
        }
        if said.signed == Position(0) && unsigned_for_long(pool, now).await? {
            walk.find(Finding::Unsigned { events: head });
        }
    }
    let mut notes = said.notes;
    if said.signed < Position(head) {
        notes.push(Note::NotYetSigned { signed: said.signed });
    }
    walk.findings.truncate(MAX_FINDINGS);
    let checkpoints = old.len() + compared.statements.len();
    Ok(Verified { events: walk.events, checkpoints, findings: walk.findings, notes })
}

async fn unsigned_for_long(pool: &PgPool, now: Timestamp) -> sqlx::Result<bool> {
    sqlx::query_scalar(
        "select coalesce((select recorded_at < $1 from log.events order by position limit 1), false)",
    )
    .bind(now.plus_millis(-UNSIGNED_MS).datetime())
    .fetch_one(pool)
    .await
}

struct Walk<'a> {
    anchors: std::iter::Peekable<std::slice::Iter<'a, Anchor>>,
    findings: Vec<Finding>,
    events: u64,
    /// Leaves since `first_leaf`, for the Merkle root of the next checkpoint.
    leaves: Vec<Hash>,
    first_leaf: i64,
    last: i64,
    /// The chain stored with the last event: from there each event is judged for itself.
    chain: Hash,
}

impl<'a> Walk<'a> {
    fn new(anchors: &'a [Anchor]) -> Self {
        Self {
            anchors: anchors.iter().peekable(),
            findings: Vec::new(),
            events: 0,
            leaves: Vec::new(),
            first_leaf: 1,
            last: 0,
            chain: GENESIS,
        }
    }

    fn find(&mut self, finding: Finding) {
        self.findings.push(finding);
    }

    fn take(&mut self, event: &Hashed) {
        self.events += 1;
        // An event that is gone leaves its checkpoint behind: it is judged before the next event is.
        while let Some(passed) = self.anchors.next_if(|anchor| anchor.position.0 < event.position) {
            self.judge(passed);
        }
        let whole = event.position == self.last + 1;
        if !whole {
            self.find(Finding::Removed {
                first: Position(self.last + 1),
                last: Position(event.position - 1),
            });
        }
        // Behind a gap the event's own link cannot be judged; the next one's can.
        if whole && link(&self.chain, &event.leaf) != event.chain {
            self.find(Finding::Changed { position: Position(event.position) });
        }
        self.chain = event.chain;
        self.last = event.position;
        if self.leaves.is_empty() {
            self.first_leaf = event.position;
        }
        // Behind the last anchor no root is left to compare.
        if self.anchors.peek().is_some() {
            self.leaves.push(event.leaf);
        }
        while let Some(reached) = self.anchors.next_if(|anchor| anchor.position.0 == event.position) {
            self.judge(reached);
        }
        // A checkpoint covers at most so many: older leaves are of none.
        if self.leaves.len() as i64 > 4 * MAX_EVENTS {
            let surplus = self.leaves.len() - MAX_EVENTS as usize;
            self.leaves.drain(..surplus);
            self.first_leaf += surplus as i64;
        }
    }

    fn judge(&mut self, anchor: &Anchor) {
        let at = anchor.position;
        let chained = self.last == at.0 && self.chain == anchor.chain;
        let Some(mark) = &anchor.mark else {
            if !chained {
                self.find(Finding::Rewritten { first: at, position: at });
            }
            return;
        };
        let skipped = usize::try_from(mark.first.0 - self.first_leaf).ok();
        let covered = skipped.and_then(|skipped| self.leaves.get(skipped..));
        let rooted = covered.is_some_and(|leaves| {
            leaves.len() as i64 == at.0 - mark.first.0 + 1 && merkle::root(leaves) == mark.root
        });
        if !(chained && rooted) {
            self.find(Finding::Rewritten { first: mark.first, position: at });
        }
        self.leaves.clear();
    }

    /// The walk came to its end: the log's `head`, as it was read at the beginning.
    fn end(&mut self, head: i64) {
        if self.last < head {
            self.find(Finding::Removed { first: Position(self.last + 1), last: Position(head) });
        }
        // Anchors within the head that no event reached; those beyond it are told as truncation.
        while let Some(anchor) = self.anchors.next_if(|anchor| anchor.position.0 <= head) {
            self.judge(anchor);
        }
    }
}

/// That one event is among those that a checkpoint signs: a few hundred bytes, checked without the log.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Inclusion {
    /// Which event.
    pub position: Position,
    /// The signed state it is part of.
    pub statement: Statement,
    /// The hashes beside the way from its leaf to the root, hexadecimal, the nearest first.
    pub path: Vec<String>,
}

/// The proof for the event at `position`; nothing while no checkpoint covers it.
pub async fn prove(pool: &PgPool, position: Position) -> Result<Option<Inclusion>, LogError> {
    // Of two that cover it the later one counts: the other one was of a log that was set back.
    let numbered: Option<i64> =
        sqlx::query_scalar("select max(number) from log.statements where first <= $1 and $1 <= position")
            .bind(position)
            .fetch_one(pool)
            .await?;
    let statement = match numbered {
        Some(number) => Table::new(pool.clone()).get(number.unsigned_abs()).await.map_err(|error| {
            tracing::warn!(%error, "a signed statement cannot be read");
            LogError::Invalid("a signed statement cannot be read: run verify")
        })?,
        None => checkpoint::old_checkpoints(pool)
            .await?
            .into_iter()
            .find(|old| old.mark().is_some_and(|mark| mark.first <= position && position <= mark.position)),
    };
    let Some(statement) = statement else { return Ok(None) };
    let Some(mark) = statement.mark() else { return Ok(None) };
    let leaves: Vec<Hash> =
        raw::hashed(pool, mark.first, mark.position).await?.into_iter().map(|event| event.leaf).collect();
    let index = usize::try_from(position.0 - mark.first.0).unwrap_or(usize::MAX);
    if index >= leaves.len() {
        return Ok(None);
    }
    let path = merkle::path(&leaves, index).iter().map(hex::encode).collect();
    Ok(Some(Inclusion { position, statement, path }))
}

impl Inclusion {
    /// Whether the event with this `leaf` is in the log that the holder of `key` signed. Pure.
    pub fn holds(&self, leaf: &Hash, key: &VerifyingKey) -> bool {
        let Some(mark) = self.statement.mark() else { return false };
        let path: Option<Vec<Hash>> = self
            .path
            .iter()
            .map(|hash| hex::decode(hash).ok().and_then(|hash| hash.try_into().ok()))
            .collect();
        let (first, last) = (mark.first.0, mark.position.0);
        let (Some(path), Ok(index), Ok(count)) =
            (path, usize::try_from(self.position.0 - first), usize::try_from(last - first + 1))
        else {
            return false;
        };
        self.statement.is_signed_by(key) && merkle::root_of_path(leaf, index, count, &path) == Some(mark.root)
    }
}
