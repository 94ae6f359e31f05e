//! What a leader takes in: into memory at once, into the batch that is stored, out to the fleet.

use async_nats::jetstream::Message;
use tokio::time::Instant;
use vocabulary::Timestamp;

use super::book::{Book, Entry};
use super::history::HistoryRow;
use super::introduced::Introduced;
use super::leader::{Ingest, IngestError};
use super::message::{Ack, Subject, about};
use super::strangers::Strangers;
use super::waiting::Waiting;
use super::writer::{Batch, Done};
use crate::measure;
use crate::report::{Refusal, Report};
use crate::rules::Judgement;

/// Messages waiting beyond which what bikes say is not the present.
const CAUGHT_UP: u64 = 5_000;

/// See the module.
pub(super) struct Taking<'a> {
    ingest: &'a Ingest,
    /// Taken in by this run, or stored before it.
    taken: u64,
    /// Number of the last delivery.
    delivered: u64,
    book: Book,
    batch: Batch,
    waiting: Waiting,
    strangers: Strangers,
    introduced: Introduced,
    pending: u64,
    swept_at: Instant,
}

impl<'a> Taking<'a> {
    /// After message `stored`; the states of `not_kept` are to be kept.
    pub(super) fn new(ingest: &'a Ingest, book: Book, stored: u64, not_kept: Vec<u32>) -> Self {
        let mut waiting = Waiting::default();
        for slot in not_kept {
            waiting.push(slot);
        }
        Self {
            ingest,
            taken: stored,
            delivered: 0,
            book,
            batch: Batch::default(),
            waiting,
            strangers: Strangers::default(),
            introduced: Introduced::default(),
            pending: 0,
            swept_at: Instant::now(),
        }
    }

    /// Whether nothing more may be taken before something is stored.
    pub(super) const fn is_full(&self) -> bool {
        // What strangers said before can be stored with the next message alone.
        self.batch.last.is_some() && self.batch.len() >= self.ingest.settings.batch_rows
    }

    /// Whether so much waits that what is taken is not the present.
    pub(super) const fn lags(&self) -> bool {
        self.pending > CAUGHT_UP
    }

    /// What waits to be stored.
    pub(super) fn batch(&mut self) -> &mut Batch {
        self.batch.resume = self.strangers.first_seq().map(|seq| seq - 1);
        &mut self.batch
    }

    /// Whose latest state waits to be kept.
    pub(super) const fn waiting(&mut self) -> &mut Waiting {
        &mut self.waiting
    }

    pub(super) fn take(&mut self, message: Message) -> Result<(), IngestError> {
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
        if seq > self.taken + 1 && self.taken > 0 {
            measure::given_up(seq - self.taken - 1);
        }
        self.taken = seq;
        match Subject::parse(&message.subject) {
            Subject::Report(imei) => self.report(imei, &message.payload, published, seq),
            Subject::Ack(imei) => match Ack::decode(imei, &message.payload) {
                Some(ack) if self.ingest.answers.take(imei, ack.command_id, ack.code) => {}
                Some(ack) => self.batch.acks.push(ack),
                None => measure::refused(Refusal::Malformed),
            },
            Subject::About(imei) => self.about(imei, &message.payload),
            Subject::Other => measure::refused(Refusal::Malformed),
        }
        self.batch.last = Some((seq, message));
        Ok(())
    }

    fn about(&mut self, imei: &str, payload: &[u8]) {
        let Some(about) = about(imei, payload) else { return measure::refused(Refusal::Malformed) };
        let fleet = self.ingest.memory.read();
        let record = fleet.slot_of(imei).and_then(|slot| fleet.record(slot));
        // A device that memory does not know may lie on no bike, or be nobody's: the log tells.
        let is_news = record.is_none_or(|bike| self.introduced.is_news(imei, &about, bike.about().as_ref()));
        drop(fleet);
        if is_news {
            self.batch.abouts.push((imei.to_owned(), about));
        }
    }

    fn report(&mut self, imei: &str, payload: &[u8], published: Timestamp, seq: u64) {
        match Report::decode(payload) {
            Ok(report) => self.said(imei, report, published, seq),
            Err(reason) => measure::refused(reason),
        }
    }

    fn said(&mut self, imei: &str, report: Report, published: Timestamp, seq: u64) {
        let now = self.ingest.clock.now();
        let mut fleet = self.ingest.memory.write();
        let Some(slot) = fleet.slot_of(imei) else {
            drop(fleet);
            return self.strangers.wait(imei, report, published, now, seq);
        };
        let mut judged: Vec<Judgement> = Vec::new();
        // What memory knows already is refused there, and that is no reason not to store it.
        let _ = fleet.take(imei, &report, published, now, &mut judged);
        drop(fleet);
        let entered = self.book.enter(slot, &report, now).map(|Entry { without_fix, stopped, left }| {
            if let Some(reason) = without_fix {
                measure::refused(reason);
            }
            HistoryRow { slot, report, with_fix: without_fix.is_none(), stopped, left }
        });
        match entered {
            Ok(row) => {
                measure::taken();
                self.waiting.push(row.slot);
                self.batch.rows.push(row);
            }
            Err(reason) => measure::refused(reason),
        }
        if !judged.is_empty() {
            self.ingest.alarms.push(judged);
        }
    }

    pub(super) fn done(&self, done: &Done) {
        if matches!(done, Done::Stored) {
            measure::lag(self.pending);
        }
    }

    /// Looks at what time alone changes. `overtaken`: memory hears of the present, however much waits.
    pub(super) fn sweep(&mut self, overtaken: bool) {
        let ingest = self.ingest;
        let connected = ingest.nats.connection_state() == async_nats::connection::State::Connected;
        // A process that was paused listened no longer than it would have between two looks.
        let elapsed = self.swept_at.elapsed().min(ingest.settings.sweep_every * 2);
        self.swept_at = Instant::now();
        let works = connected && (overtaken || !self.lags());
        let elapsed_ms = if works { i64::try_from(elapsed.as_millis()).unwrap_or(0) } else { 0 };
        let now = ingest.clock.now();
        let strangers = {
            let fleet = ingest.memory.read();
            self.strangers.introduced(now, |imei| fleet.slot_of(imei).is_some())
        };
        for (imei, said) in strangers {
            self.said(&imei, said.report, said.published, said.seq);
        }
        let mut judged = Vec::new();
        let undone = {
            let mut fleet = ingest.memory.write();
            fleet.sweep(now, elapsed_ms, &mut judged);
            measure::fleet(&fleet);
            fleet.undone(now)
        };
        ingest.alarms.push(judged);
        ingest.alarms.remind(undone);
    }
}
