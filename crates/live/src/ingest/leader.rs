//! The loop that takes messages in.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use async_nats::jetstream::{self, Message, consumer};
use futures::StreamExt;
use sqlx::PgPool;
use tokio::time::{Instant, MissedTickBehavior, interval};
use tokio_util::sync::CancellationToken;
use vocabulary::{Clock, Timestamp};

use super::alarms::AlarmQueue;
use super::book::{Book, Entry};
use super::history::HistoryRow;
use super::keep::{self, Numbers};
use super::message::{Ack, CommandAcks, STREAM, SUBJECTS, Subject};
use super::partitions;
use super::writer::{Batch, Done, IngestWriter, Ledger};
use crate::delivery::Answers;
use crate::measure;
use crate::memory::Memory;
use crate::report::{Refusal, Report};
use crate::rules::Judgement;

/// Messages waiting beyond which what bikes say is not the present.
const CAUGHT_UP: u64 = 5_000;

/// How telemetry is taken in.
#[derive(Clone, Copy, Debug)]
pub struct IngestSettings {
    /// Name of the durable consumer and of what is kept for it.
    pub name: &'static str,
    /// A batch is stored when it has so many rows,
    pub batch_rows: usize,
    /// or after this long.
    pub batch_time: Duration,
    /// Between two keepings of the latest states.
    pub keep_every: Duration,
    /// Between two looks at what time alone changes.
    pub sweep_every: Duration,
    /// Days of history.
    pub keep_days: u32,
    /// The feed must have worked so long before silence is a bike's own.
    pub trust_after: Duration,
}

impl Default for IngestSettings {
    fn default() -> Self {
        Self {
            name: "live",
            batch_rows: 5_000,
            batch_time: Duration::from_millis(200),
            keep_every: Duration::from_secs(5),
            sweep_every: Duration::from_secs(15),
            keep_days: 30,
            trust_after: Duration::from_mins(30),
        }
    }
}

/// Why ingest stopped; the caller starts it again after a while.
#[derive(Debug, thiserror::Error)]
pub enum IngestError {
    /// PostgreSQL.
    #[error("telemetry cannot be stored")]
    Database(#[from] sqlx::Error),
    /// NATS.
    #[error("telemetry cannot be received")]
    Nats(#[source] async_nats::Error),
    /// Whoever takes devices' answers.
    #[error("a device's answer cannot be told")]
    Acks(#[source] super::PortError),
    /// A delivery went to a connection that was dying: it has to be asked for again.
    #[error("a delivery is missing: {got} came after {had}")]
    Gap {
        /// Number of the last delivery.
        had: u64,
        /// Number of this one.
        got: u64,
    },
    /// Another process leads in a later term.
    #[error("another process takes telemetry in now")]
    Superseded,
}

pub(super) fn nats_error(error: impl Into<async_nats::Error>) -> IngestError {
    IngestError::Nats(error.into())
}

/// See the module.
#[derive(Clone)]
pub struct Ingest {
    /// The fleet.
    pub memory: Memory,
    /// The owner's pool: days of history are made by it.
    pub owner: PgPool,
    /// NATS.
    pub nats: async_nats::Client,
    /// The present.
    pub clock: Arc<dyn Clock>,
    /// Where judgements go.
    pub alarms: AlarmQueue,
    /// Where devices' answers go.
    pub acks: Arc<dyn CommandAcks>,
    /// Where their answers to fences go.
    pub answers: Answers,
    /// How.
    pub settings: IngestSettings,
}

struct Leading<'a> {
    ingest: &'a Ingest,
    /// Stored before, by whoever led: not to be stored again.
    stored: u64,
    /// Taken in by this run.
    taken: u64,
    /// Number of the last delivery.
    delivered: u64,
    book: Book,
    writer: IngestWriter,
    batch: Batch,
    dirty: HashSet<u32>,
    pending: u64,
    trusted_since: Instant,
}

impl Ingest {
    /// Puts memory where the database is; how many bikes had a state. At start, after the records are enrolled.
    pub async fn restore(&self) -> Result<usize, IngestError> {
        partitions::tend(&self.owner, self.clock.now(), self.settings.keep_days).await?;
        Ok(keep::restore(&self.owner, self.settings.name, &self.memory, self.clock.now()).await?)
    }

    /// Keeps this node's memory current without storing anything, until `stop`.
    pub async fn follow(&self, stop: CancellationToken) -> Result<(), IngestError> {
        let mut messages = self.nats.subscribe(SUBJECTS[0]).await.map_err(nats_error)?;
        let mut nothing = Vec::new();
        loop {
            let message = tokio::select! {
                () = stop.cancelled() => return Ok(()),
                message = messages.next() => message,
            };
            let Some(message) = message else { return Err(nats_error("the subscription ended")) };
            if let Subject::Report(imei) = Subject::parse(&message.subject)
                && let Ok(report) = Report::decode(&message.payload)
            {
                let now = self.clock.now();
                // Counted by the leader.
                let _ = self.memory.write().take(imei, &report, now, now, &mut nothing);
                nothing.clear();
            }
        }
    }

    /// Leads until `stop`: stores, judges, acknowledges. `token` is the lease's: nothing is stored once somebody led in a
    /// later term.
    pub async fn lead(&self, token: i64, stop: CancellationToken) -> Result<(), IngestError> {
        let context = jetstream::new(self.nats.clone());
        let stream = context.get_stream(STREAM).await.map_err(nats_error)?;
        let born = stream.cached_info().created.unix_timestamp_nanos().to_string();
        let stored = keep::take_over(&self.owner, self.settings.name, &born, token)
            .await?
            .ok_or(IngestError::Superseded)?;
        self.restore().await?;
        let book = Book::open(&self.owner, &self.memory, self.clock.now()).await?;
        // What PostgreSQL holds is the truth, not what was acknowledged: a message may lie in the inbox of a leader that
        // died, and the next acknowledgement would cover it. So each term begins with a consumer of its own, right after
        // what is stored; a former leader that still lives loses his with that.
        let config = consumer::pull::Config {
            durable_name: Some(self.settings.name.to_owned()),
            deliver_policy: match stored {
                0 => consumer::DeliverPolicy::All,
                stored => consumer::DeliverPolicy::ByStartSequence { start_sequence: stored + 1 },
            },
            ack_policy: consumer::AckPolicy::All,
            ack_wait: Duration::from_mins(1),
            max_ack_pending: 100_000,
            ..consumer::pull::Config::default()
        };
        // There is none in the first term.
        let _ = stream.delete_consumer(self.settings.name).await;
        let consumer = stream.create_consumer(config).await.map_err(nats_error)?;
        let mut messages =
            consumer.stream().max_messages_per_batch(5_000).messages().await.map_err(nats_error)?;
        let mut leading = Leading {
            ingest: self,
            stored,
            taken: 0,
            delivered: 0,
            book,
            writer: IngestWriter::Free(Box::new(Ledger {
                ingest: self.clone(),
                born,
                token,
                numbers: Numbers::default(),
            })),
            batch: Batch::default(),
            dirty: HashSet::new(),
            pending: 0,
            trusted_since: Instant::now(),
        };
        let mut timers = [
            self.settings.batch_time,
            self.settings.keep_every,
            self.settings.sweep_every,
            Duration::from_mins(10),
        ]
        .map(|period| {
            let mut timer = interval(period);
            timer.set_missed_tick_behavior(MissedTickBehavior::Delay);
            timer.reset();
            timer
        });
        let [store, keep, sweep, days] = &mut timers;
        loop {
            if leading.batch.len() >= self.settings.batch_rows {
                leading.writer.store(&mut leading.batch);
            }
            tokio::select! {
                biased;
                () = stop.cancelled() => break,
                done = leading.writer.done() => leading.done(&done?),
                // The rarer first, lest the others never leave it a turn.
                _ = days.tick(), if leading.writer.is_free() => leading.writer.tend(),
                _ = keep.tick(), if leading.writer.is_free() => leading.writer.keep(&mut leading.dirty),
                _ = store.tick(), if leading.writer.is_free() => leading.writer.store(&mut leading.batch),
                _ = sweep.tick() => leading.sweep(),
                // What PostgreSQL does not take waits in the stream, not here.
                message = messages.next(), if leading.batch.len() < self.settings.batch_rows => match message {
                    Some(Ok(message)) => leading.take(message)?,
                    Some(Err(error)) => return Err(nats_error(error)),
                    None => return Err(nats_error("the consumer ended")),
                },
            }
        }
        leading.writer.free().await?;
        leading.writer.store(&mut leading.batch);
        leading.writer.free().await?;
        leading.writer.keep(&mut leading.dirty);
        leading.writer.free().await
    }
}

impl Leading<'_> {
    fn take(&mut self, message: Message) -> Result<(), IngestError> {
        let info = message.info().map_err(IngestError::Nats)?;
        if info.consumer_sequence != self.delivered + 1 {
            return Err(IngestError::Gap { had: self.delivered, got: info.consumer_sequence });
        }
        self.delivered = info.consumer_sequence;
        let seq = info.stream_sequence;
        self.pending = info.pending;
        let published = Timestamp::from_millis((info.published.unix_timestamp_nanos() / 1_000_000) as i64);
        // Delivered again because storing took long: it waits in the batch already.
        if seq <= self.taken {
            return Ok(());
        }
        self.taken = seq;
        match Subject::parse(&message.subject) {
            Subject::Report(imei) => self.report(imei, &message.payload, published, seq),
            Subject::Ack(imei) => match Ack::decode(imei, &message.payload) {
                Some(ack) if self.ingest.answers.take(imei, ack.command_id, ack.code) => {}
                Some(ack) => self.batch.acks.push(ack),
                None => measure::refused(Refusal::Malformed),
            },
            Subject::Other => measure::refused(Refusal::Malformed),
        }
        self.batch.last = Some((seq, message));
        Ok(())
    }

    fn report(&mut self, imei: &str, payload: &[u8], published: Timestamp, seq: u64) {
        let now = self.ingest.clock.now();
        let mut judged: Vec<Judgement> = Vec::new();
        let book = &mut self.book;
        let entered = Report::decode(payload).and_then(|report| {
            let mut fleet = self.ingest.memory.write();
            let slot = fleet.slot_of(imei).ok_or(Refusal::UnknownDevice)?;
            // What memory knows already is refused there, and that is no reason not to store it.
            let _ = fleet.take(imei, &report, published, now, &mut judged);
            drop(fleet);
            let Entry { with_fix, stopped, left } = book.enter(slot, &report, now)?;
            Ok(HistoryRow { slot, report, with_fix, stopped, left })
        });
        match entered {
            Ok(row) => {
                measure::taken();
                if !row.with_fix {
                    measure::refused(Refusal::NoFix);
                }
                self.dirty.insert(row.slot);
                if seq > self.stored {
                    self.batch.rows.push(row);
                }
            }
            Err(reason) => measure::refused(reason),
        }
        if !judged.is_empty() {
            self.ingest.alarms.push(judged);
        }
    }

    fn done(&mut self, done: &Done) {
        if let Done::Stored(seq) = done {
            self.stored = self.stored.max(*seq);
            measure::lag(self.pending);
        }
    }

    fn sweep(&mut self) {
        let ingest = self.ingest;
        let connected = ingest.nats.connection_state() == async_nats::connection::State::Connected;
        if !connected || self.pending > CAUGHT_UP {
            self.trusted_since = Instant::now();
        }
        let now = ingest.clock.now();
        let mut judged = Vec::new();
        let undone = {
            let mut fleet = ingest.memory.write();
            fleet.sweep(now, self.trusted_since.elapsed() >= ingest.settings.trust_after, &mut judged);
            measure::fleet(&fleet);
            fleet.undone(now)
        };
        ingest.alarms.push(undone);
        ingest.alarms.push(judged);
    }
}
