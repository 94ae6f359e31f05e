//! The loop that takes messages in.

use std::sync::Arc;
use std::time::Duration;

use async_nats::jetstream::{self, consumer, stream};
use futures::StreamExt;
use sqlx::PgPool;
use tokio::task::JoinSet;
use tokio::time::{Instant, Interval, MissedTickBehavior, interval_at};
use tokio_util::sync::CancellationToken;
use vocabulary::Clock;

use super::alarms::AlarmQueue;
use super::book::Book;
use super::keep::{self, KEEPING};
use super::message::{CommandAcks, Introductions, STREAM};
use super::overtaking::Overtaking;
use super::taking::Taking;
use super::upkeep::upkeep;
use super::writer::{IngestWriter, Ledger};
use super::{catching_up, hearing};
use crate::delivery::Answers;
use crate::memory::Memory;
use crate::past::keep_on;

/// Between two looks whether storing is behind.
const WATCH: Duration = Duration::from_millis(500);

/// How telemetry is taken in.
#[derive(Clone, Copy, Debug)]
pub struct IngestSettings {
    /// Name of the durable consumer and of what is kept for it.
    pub name: &'static str,
    /// A batch is stored when it has so many rows,
    pub batch_rows: usize,
    /// or after this long.
    pub batch_time: Duration,
    /// Between two keepings of latest states, of some thousand bikes each.
    pub keep_every: Duration,
    /// Between two looks at what time alone changes.
    pub sweep_every: Duration,
    /// Days of history.
    pub keep_days: u32,
}

impl Default for IngestSettings {
    fn default() -> Self {
        Self {
            name: "live",
            batch_rows: 5_000,
            batch_time: Duration::from_millis(200),
            keep_every: Duration::from_secs(1),
            sweep_every: Duration::from_secs(15),
            keep_days: 30,
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
    /// Whoever takes devices' answers, and what they say they are.
    #[error("what a device said cannot be told")]
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
    /// Where goes what devices say they are.
    pub introductions: Arc<dyn Introductions>,
    /// Where their answers to fences go.
    pub answers: Answers,
    /// How.
    pub settings: IngestSettings,
}

impl Ingest {
    /// Puts memory where the database is, unless it knows more; how many states were found. After the records are enrolled.
    pub async fn restore(&self) -> Result<usize, IngestError> {
        Ok(keep::restore(&self.owner, &self.memory, self.clock.now()).await?.bikes)
    }

    /// Keeps this node's memory current without storing or judging anything, until `stop`.
    pub async fn follow(&self, stop: CancellationToken) -> Result<(), IngestError> {
        let looking = async {
            let mut look = every(self.settings.sweep_every);
            loop {
                look.tick().await;
                self.memory.write().look(self.clock.now());
            }
        };
        tokio::select! {
            () = stop.cancelled() => Ok(()),
            ended = hearing::reports(self, None) => ended,
            () = looking => Ok(()),
            never = catching_up::catch_up(self) => match never {},
        }
    }

    /// Leads until `stop`: stores, judges, acknowledges. `token` is the lease's: nothing is stored once somebody led in a
    /// later term.
    pub async fn lead(&self, token: i64, stop: CancellationToken) -> Result<(), IngestError> {
        let context = jetstream::new(self.nats.clone());
        let mut stream = context.get_stream(STREAM).await.map_err(nats_error)?;
        let born = stream.cached_info().created.unix_timestamp_nanos().to_string();
        let stored = keep::take_over(&self.owner, self.settings.name, &born, token)
            .await?
            .ok_or(IngestError::Superseded)?;
        keep::take_the_lead(&self.owner, KEEPING, token).await?;
        let stored = self.within(&mut stream, stored, token).await?;
        let mut beside = JoinSet::new();
        beside.spawn(upkeep(self.owner.clone(), Arc::clone(&self.clock), self.settings.keep_days));
        let restored = keep::restore(&self.owner, &self.memory, self.clock.now()).await?;
        beside.spawn(keep_on(self.memory.clone(), self.owner.clone(), Arc::clone(&self.clock), token));
        let book = Book::open(&self.owner, &self.memory, self.clock.now()).await?;
        let mut messages = self.messages_after(&stream, stored).await?;
        let ledger = || IngestWriter::new(Ledger::new(self.clone(), born.clone(), token, stored));
        let mut writer = ledger();
        let mut keeper = ledger();
        let mut taking = Taking::new(self, book, stored, restored.not_kept);
        let mut overtaking = Overtaking::default();
        let [mut store, mut keep, mut sweep, mut watch] =
            [self.settings.batch_time, self.settings.keep_every, self.settings.sweep_every, WATCH].map(every);
        loop {
            if taking.is_full() {
                writer.store(taking.batch());
            }
            let full = taking.is_full();
            overtaking.judge(self, full || taking.lags(), Instant::now());
            tokio::select! {
                biased;
                () = stop.cancelled() => break,
                done = writer.done() => taking.done(&done?),
                done = keeper.done() => taking.done(&done?),
                // The rarer first, lest the others never leave it a turn.
                _ = sweep.tick() => taking.sweep(overtaking.goes_on()),
                _ = keep.tick(), if keeper.is_free() => keeper.keep(taking.waiting()),
                _ = store.tick(), if writer.is_free() => writer.store(taking.batch()),
                _ = watch.tick(), if full => {}
                // What PostgreSQL does not take waits in the stream, not here.
                message = messages.next(), if !full => match message {
                    Some(Ok(message)) => taking.take(message)?,
                    Some(Err(error)) => return Err(nats_error(error)),
                    None => return Err(nats_error("the consumer ended")),
                },
            }
        }
        writer.free().await?;
        writer.store(taking.batch());
        writer.free().await?;
        keeper.free().await?;
        while !taking.waiting().is_empty() {
            keeper.keep(taking.waiting());
            keeper.free().await?;
        }
        Ok(())
    }

    /// Where to go on: a stream that lost its end gives numbers again that are stored.
    async fn within(&self, stream: &mut stream::Stream, stored: u64, token: i64) -> Result<u64, IngestError> {
        let last = stream.info().await.map_err(nats_error)?.state.last_sequence;
        if last >= stored {
            return Ok(stored);
        }
        tracing::error!(
            stored,
            last,
            "the stream of telemetry lost its end; all that it holds is looked at again"
        );
        keep::begin_anew(&self.owner, self.settings.name, token).await?;
        Ok(0)
    }

    /// The messages after `stored`. What PostgreSQL holds is the truth, not what was acknowledged: a message may lie in the
    /// inbox of a leader that died, and the next acknowledgement would cover it. So each term begins with a consumer of its
    /// own, right after what is stored; a former leader that still lives loses his with that.
    async fn messages_after(
        &self,
        stream: &stream::Stream,
        stored: u64,
    ) -> Result<consumer::pull::Stream, IngestError> {
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
        consumer.stream().max_messages_per_batch(5_000).messages().await.map_err(nats_error)
    }
}

/// Ticks each `period`, for the first time after one.
pub(super) fn every(period: Duration) -> Interval {
    let mut timer = interval_at(Instant::now() + period, period);
    timer.set_missed_tick_behavior(MissedTickBehavior::Delay);
    timer
}
