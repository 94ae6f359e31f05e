//! The leader's work with the database. It goes on beside the taking in of messages, one piece at a time: a report is
//! on the map at the next beat, however long a disk takes.

use std::future::pending;
use std::time::Duration;

use async_nats::jetstream::{AckKind, Message};
use fleet::model::device::About;
use futures::future::{BoxFuture, FutureExt, join_all};
use tokio::time::Instant;

use super::history::{self, HistoryRow};
use super::keep::{self, Numbers};
use super::leader::{Ingest, IngestError, nats_error};
use super::message::Ack;
use super::stops;
use super::waiting::Waiting;
use crate::measure;
use crate::report::Refusal;

/// Acknowledgements of commands told at the same time.
const ACKS_AT_ONCE: usize = 16;
/// After the database did not take something.
const AGAIN: Duration = Duration::from_secs(1);

/// What waits to be stored.
#[derive(Default)]
pub(super) struct Batch {
    pub(super) rows: Vec<HistoryRow>,
    pub(super) acks: Vec<Ack>,
    /// What devices say they are.
    pub(super) abouts: Vec<(String, About)>,
    /// The newest message and its number in the stream.
    pub(super) last: Option<(u64, Message)>,
    /// Behind which message whoever leads next goes on, where that is an earlier one: what came since is not all stored.
    pub(super) resume: Option<u64>,
}

impl Batch {
    /// What it holds in memory.
    pub(super) const fn len(&self) -> usize {
        self.rows.len() + self.acks.len() + self.abouts.len()
    }
}

/// What came of a piece of work.
pub(super) enum Done {
    /// A batch is stored.
    Stored,
    /// The latest states are kept.
    Kept,
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
    pub(super) fn new(ledger: Ledger) -> Self {
        Self::Free(Box::new(ledger))
    }

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

    /// Begins to keep the latest states of some that wait, if he is free and there are any.
    pub(super) fn keep(&mut self, waiting: &mut Waiting) {
        if self.is_free() && !waiting.is_empty() {
            let slots = waiting.take(keep::AT_ONCE);
            self.begin(|ledger| ledger.keep(slots).boxed());
        }
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

/// What the work needs. Each has a connection of his own: who keeps does not hold up who stores.
pub(super) struct Ledger {
    ingest: Ingest,
    /// When the stream was made.
    born: String,
    /// Of the term.
    token: i64,
    numbers: Numbers,
    /// The stream is stored up to here.
    stored: u64,
}

impl Ledger {
    pub(super) fn new(ingest: Ingest, born: String, token: i64, stored: u64) -> Self {
        Self { ingest, born, token, numbers: Numbers::default(), stored }
    }

    /// Tells of devices' answers, stores the rows, and only then acknowledges `last`. A database that takes nothing is
    /// asked again until it does, or another leads.
    async fn store(mut self, batch: Batch, last: (u64, Message)) -> Result<(Self, Done), IngestError> {
        let (seq, message) = last;
        let began = Instant::now();
        while let Err(error) = self.try_store(&batch, seq).await {
            wait_after(error).await?;
        }
        self.stored = seq;
        message.ack_with(AckKind::Ack).await.map_err(nats_error)?;
        measure::stored(batch.rows.len(), began.elapsed());
        Ok((self, Done::Stored))
    }

    async fn try_store(&mut self, batch: &Batch, seq: u64) -> Result<(), IngestError> {
        let ingest = &self.ingest;
        // Before the position moves: an answer told twice does no harm, one that is lost does.
        for acks in batch.acks.chunks(ACKS_AT_ONCE) {
            let told =
                acks.iter().map(|ack| ingest.acks.acknowledged(&ack.imei, ack.command_id, ack.code, ack.at));
            for outcome in join_all(told).await {
                outcome.map_err(IngestError::Acks)?;
            }
        }
        for abouts in batch.abouts.chunks(ACKS_AT_ONCE) {
            let told = abouts.iter().map(|(imei, about)| ingest.introductions.introduced(imei, about));
            for outcome in join_all(told).await {
                if !outcome.map_err(IngestError::Acks)? {
                    measure::refused(Refusal::UnknownDevice);
                }
            }
        }
        self.numbers.learn(&ingest.owner, &ingest.memory, batch.rows.iter().map(|row| row.slot)).await?;
        let name = ingest.settings.name;
        let mut transaction = keep::begin(&ingest.owner, name, self.token).await?;
        // An attempt whose answer was lost may have stored it.
        if !keep::advance(&mut transaction, name, &self.born, self.stored, seq, batch.resume).await? {
            return Ok(());
        }
        if !batch.rows.is_empty() {
            history::store(&mut transaction, &batch.rows, |slot| self.numbers.of(slot)).await?;
            stops::store(&mut transaction, &batch.rows, |slot| self.numbers.of(slot)).await?;
        }
        Ok(transaction.commit().await?)
    }

    async fn keep(mut self, slots: Vec<u32>) -> Result<(Self, Done), IngestError> {
        while let Err(error) = self.try_keep(&slots).await {
            wait_after(error).await?;
        }
        Ok((self, Done::Kept))
    }

    async fn try_keep(&mut self, slots: &[u32]) -> Result<(), IngestError> {
        let ingest = &self.ingest;
        self.numbers.learn(&ingest.owner, &ingest.memory, slots.iter().copied()).await?;
        let mut transaction = keep::begin(&ingest.owner, keep::KEEPING, self.token).await?;
        keep::keep(&mut transaction, &ingest.memory, &self.numbers, slots, ingest.clock.now()).await?;
        Ok(transaction.commit().await?)
    }
}

/// Waits a while after what may pass; what does not is an error.
async fn wait_after(error: IngestError) -> Result<(), IngestError> {
    if !matches!(error, IngestError::Database(_) | IngestError::Acks(_)) {
        return Err(error);
    }
    measure::not_stored();
    tracing::warn!(error = &error as &dyn std::error::Error, "telemetry waits for the database");
    tokio::time::sleep(AGAIN).await;
    Ok(())
}
