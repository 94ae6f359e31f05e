//! The leader's work with the database. It goes on beside the taking in of messages, one piece at a time: a report is
//! on the map at the next beat, however long a disk takes.

use std::collections::HashSet;
use std::future::pending;

use async_nats::jetstream::{AckKind, Message};
use futures::future::{BoxFuture, FutureExt, join_all};
use tokio::time::Instant;

use super::history::{self, HistoryRow};
use super::keep::{self, Numbers};
use super::leader::{Ingest, IngestError, nats_error};
use super::message::Ack;
use super::partitions;
use super::stops;
use crate::measure;

/// Acknowledgements of commands told at the same time.
const ACKS_AT_ONCE: usize = 16;

/// What waits to be stored.
#[derive(Default)]
pub(super) struct Batch {
    pub(super) rows: Vec<HistoryRow>,
    pub(super) acks: Vec<Ack>,
    /// The newest message and its number in the stream.
    pub(super) last: Option<(u64, Message)>,
}

impl Batch {
    /// What it holds in memory.
    pub(super) const fn len(&self) -> usize {
        self.rows.len() + self.acks.len()
    }
}

/// What came of a piece of work.
pub(super) enum Done {
    /// The stream is stored up to this number.
    Stored(u64),
    /// The latest states are kept.
    Kept,
    /// The days of history are there.
    Tended,
}

type Work = BoxFuture<'static, Result<(Ledger, Done), IngestError>>;

/// Who does it: at the desk, or away with a piece of work.
pub(super) enum IngestWriter {
    Free(Box<Ledger>),
    Busy(Work),
    /// An error took him; the term ends.
    Gone,
}

impl IngestWriter {
    pub(super) const fn is_free(&self) -> bool {
        matches!(self, Self::Free(_))
    }

    /// Begins to store `batch`, if he is free and there is anything.
    pub(super) fn store(&mut self, batch: &mut Batch) {
        if !self.is_free() {
            return;
        }
        let Some(last) = batch.last.take() else { return };
        let batch = std::mem::take(batch);
        self.begin(|ledger| ledger.store(batch, last).boxed());
    }

    /// Begins to keep the latest states of the `dirty` slots, if he is free and there are any.
    pub(super) fn keep(&mut self, dirty: &mut HashSet<u32>) {
        if self.is_free() && !dirty.is_empty() {
            let slots = dirty.drain().collect();
            self.begin(|ledger| ledger.keep(slots).boxed());
        }
    }

    /// Begins to make and drop days of history, if he is free. His work as well because it needs the table for itself
    /// and would wait for a COPY that waits for its turn.
    pub(super) fn tend(&mut self) {
        self.begin(|ledger| ledger.tend().boxed());
    }

    fn begin(&mut self, work: impl FnOnce(Ledger) -> Work) {
        *self = match std::mem::replace(self, Self::Gone) {
            Self::Free(ledger) => Self::Busy(work(*ledger)),
            other => other,
        };
    }

    /// The end of the work under way; never, when there is none. May be dropped and called again.
    pub(super) async fn done(&mut self) -> Result<Done, IngestError> {
        let Self::Busy(work) = self else { return pending().await };
        let ended = work.await;
        *self = Self::Gone;
        let (ledger, done) = ended?;
        *self = Self::Free(Box::new(ledger));
        Ok(done)
    }

    /// Waits for the end of the work under way, if there is any.
    pub(super) async fn free(&mut self) -> Result<(), IngestError> {
        if let Self::Busy(_) = self {
            self.done().await?;
        }
        Ok(())
    }
}

/// What the work needs.
pub(super) struct Ledger {
    pub(super) ingest: Ingest,
    /// When the stream was made.
    pub(super) born: String,
    /// Of the term.
    pub(super) token: i64,
    pub(super) numbers: Numbers,
}

impl Ledger {
    /// Tells of devices' answers, stores the rows, and only then acknowledges `last`.
    async fn store(mut self, batch: Batch, last: (u64, Message)) -> Result<(Self, Done), IngestError> {
        let (seq, message) = last;
        let began = Instant::now();
        let ingest = &self.ingest;
        // Before the position moves: an answer told twice does no harm, one that is lost does.
        for acks in batch.acks.chunks(ACKS_AT_ONCE) {
            let told =
                acks.iter().map(|ack| ingest.acks.acknowledged(&ack.imei, ack.command_id, ack.code, ack.at));
            for outcome in join_all(told).await {
                outcome.map_err(IngestError::Acks)?;
            }
        }
        self.numbers.learn(&ingest.owner, &ingest.memory, batch.rows.iter().map(|row| row.slot)).await?;
        let mut transaction = keep::begin(&ingest.owner, ingest.settings.name, self.token).await?;
        if !batch.rows.is_empty() {
            history::store(&mut transaction, &batch.rows, |slot| self.numbers.of(slot)).await?;
            stops::store(&mut transaction, &batch.rows, |slot| self.numbers.of(slot)).await?;
        }
        keep::advance(&mut transaction, ingest.settings.name, &self.born, seq).await?;
        transaction.commit().await?;
        message.ack_with(AckKind::Ack).await.map_err(nats_error)?;
        measure::stored(batch.rows.len(), began.elapsed());
        Ok((self, Done::Stored(seq)))
    }

    async fn keep(mut self, slots: Vec<u32>) -> Result<(Self, Done), IngestError> {
        let ingest = &self.ingest;
        let now = ingest.clock.now();
        let name = ingest.settings.name;
        self.numbers.learn(&ingest.owner, &ingest.memory, slots.iter().copied()).await?;
        let mut transaction = keep::begin(&ingest.owner, name, self.token).await?;
        keep::keep(&mut transaction, name, &ingest.memory, &self.numbers, &slots, now).await?;
        transaction.commit().await?;
        Ok((self, Done::Kept))
    }

    async fn tend(self) -> Result<(Self, Done), IngestError> {
        let Ingest { owner, clock, settings, .. } = &self.ingest;
        partitions::tend(owner, clock.now(), settings.keep_days).await?;
        stops::tend(owner, clock.now()).await?;
        Ok((self, Done::Tended))
    }
}
