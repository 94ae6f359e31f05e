//! The feed: one reader for a process. It reads each stretch of the log once and keeps the newest in memory, where all
//! projectors and reactors take their own events from. One that is further behind reads for itself. A process in which
//! nobody ever asked for events does not read.

use std::collections::{HashSet, VecDeque};
use std::sync::{Arc, Mutex, Once, PoisonError};
use std::time::Duration;

use bytestring::ByteString;
use tokio::sync::watch;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::{LogError, Reader, Tail};
use crate::{Position, Recorded};

/// Events that are read at once, and about as many as are handed out at once.
const BATCH: i64 = 500;
/// What is kept in memory at most, beside the newest stretch.
const KEPT_EVENTS: usize = 8_192;
const KEPT_BYTES: usize = 32 << 20;
/// Under load so long passes from one read to the next: one batch instead of many small ones. An event after a pause is
/// read at once.
const PACE: Duration = Duration::from_millis(30);
const PAUSE_AFTER_FAILURE: Duration = Duration::from_millis(200);

/// A part of the log, read once.
struct Stretch {
    from: i64,
    to: i64,
    events: Vec<Recorded>,
    categories: HashSet<ByteString>,
    bytes: usize,
}

impl Stretch {
    fn new(from: Position, to: Position, events: Vec<Recorded>) -> Self {
        let categories = events.iter().map(|event| event.category.clone()).collect();
        let bytes = events.iter().map(|event| event.data.len() + 500).sum();
        Self { from: from.0, to: to.0, events, categories, bytes }
    }

    fn has(&self, categories: &[&str]) -> bool {
        categories.iter().any(|category| self.categories.contains(*category))
    }
}

/// The newest stretches, one after the other without a gap.
#[derive(Default)]
struct Window {
    stretches: VecDeque<Arc<Stretch>>,
    events: usize,
    bytes: usize,
}

impl Window {
    fn push(&mut self, stretch: Stretch) {
        self.events += stretch.events.len();
        self.bytes += stretch.bytes;
        self.stretches.push_back(Arc::new(stretch));
        while self.stretches.len() > 1 && (self.events > KEPT_EVENTS || self.bytes > KEPT_BYTES) {
            let oldest = self.stretches.pop_front().expect("there are several");
            self.events -= oldest.events.len();
            self.bytes -= oldest.bytes;
        }
    }

    /// What follows `position`, about a batch of it; nothing when the window begins later.
    fn after(&self, position: Position) -> Vec<Arc<Stretch>> {
        if self.stretches.front().is_none_or(|oldest| oldest.from > position.0) {
            return Vec::new();
        }
        let first = self.stretches.partition_point(|stretch| stretch.to <= position.0);
        let mut events = 0;
        let room = |stretch: &&Arc<Stretch>| {
            let room = events < BATCH as usize;
            events += stretch.events.len();
            room
        };
        self.stretches.iter().skip(first).take_while(room).cloned().collect()
    }
}

/// Hands out events as they are appended. Cheap to clone.
#[derive(Clone)]
pub struct Feed {
    reader: Reader,
    tail: Tail,
    window: Arc<Mutex<Window>>,
    reached: Arc<watch::Sender<i64>>,
    asked: Arc<Once>,
    stop: CancellationToken,
}

impl Feed {
    /// Reads by `reader` what follows the newest known position of `tail`, from the first time that somebody waits for it
    /// until `stop`.
    pub fn new(reader: Reader, tail: Tail, stop: CancellationToken) -> Self {
        let reached = Arc::new(watch::Sender::new(tail.head().0));
        Self { reader, tail, window: Arc::default(), reached, asked: Arc::new(Once::new()), stop }
    }

    /// By which it reads; for what is further behind than it remembers.
    pub const fn reader(&self) -> &Reader {
        &self.reader
    }

    /// Waits until it has read beyond `position`.
    pub async fn beyond(&self, position: Position) {
        self.asked.call_once(|| {
            let from = self.tail.head();
            self.reached.send_replace(from.0);
            tokio::spawn(self.clone().run(from));
        });
        let mut reached = self.reached.subscribe();
        // This feed holds the sender.
        let _ = reached.wait_for(|reached| *reached > position.0).await;
    }

    /// The events of `categories` after `position`, about five hundred at most, and how far that reaches.
    pub async fn after(
        &self,
        position: Position,
        categories: &[&str],
    ) -> Result<(Vec<Recorded>, Position), LogError> {
        let stretches = self.window().after(position);
        let Some(last) = stretches.last() else {
            let to = Position(*self.reached.borrow()).max(position);
            metrics::counter!("wheelhouse_feed_behind_total").increment(1);
            return self.reader.read_of(categories, position, to, BATCH).await;
        };
        let wanted = |event: &&Recorded| event.position > position && categories.contains(&&*event.category);
        let of_categories = stretches.iter().filter(|stretch| stretch.has(categories));
        let events = of_categories.flat_map(|stretch| &stretch.events).filter(wanted).cloned().collect();
        Ok((events, Position(last.to)))
    }

    /// Drops what it remembers.
    pub fn clear(&self) {
        *self.window() = Window::default();
    }

    fn window(&self) -> std::sync::MutexGuard<'_, Window> {
        self.window.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn run(self, mut from: Position) {
        let mut next = Instant::now();
        loop {
            let head = tokio::select! {
                () = self.stop.cancelled() => return,
                head = async { tokio::time::sleep_until(next).await; self.tail.beyond(from).await } => head,
            };
            let to = Position(head.0.min(from.0 + BATCH));
            next = Instant::now() + PACE;
            match self.reader.read_between(from, to).await {
                Ok(events) => {
                    metrics::counter!("wheelhouse_feed_reads_total").increment(1);
                    self.window().push(Stretch::new(from, to, events));
                }
                Err(LogError::Database(error)) => {
                    tracing::warn!(error = %error, "the log cannot be read");
                    next = Instant::now() + PAUSE_AFTER_FAILURE;
                    continue;
                }
                // An event that cannot be read stops those who want it, not all: each reads this stretch for itself.
                Err(error) => {
                    tracing::warn!(error = %error, from = from.0, to = to.0, "a stretch of the log is not handed out");
                    self.clear();
                }
            }
            self.reached.send_replace(to.0);
            from = to;
            if to < head {
                next = Instant::now();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use vocabulary::Timestamp;

    use super::*;
    use crate::{Actor, Meta};

    fn event(position: i64, bytes: usize) -> Recorded {
        Recorded {
            position: Position(position),
            category: "bike".into(),
            stream_id: "1".into(),
            version: position,
            stored_type: "bike.seen".into(),
            schema_version: 1,
            data: vec![b' '; bytes].into(),
            meta: Meta {
                actor: Actor::System { name: "test".into() },
                owner: vocabulary::DataOwner::default(),
                trace_id: String::new(),
                causation: None,
                client_address: None,
                request_id: None,
                nonce: String::new(),
            },
            recorded_at: Timestamp::from_millis(0),
        }
    }

    fn stretch(from: i64, to: i64, bytes: usize) -> Stretch {
        Stretch::new(Position(from), Position(to), (from + 1..=to).map(|at| event(at, bytes)).collect())
    }

    fn bounds(stretches: &[Arc<Stretch>]) -> Option<(i64, i64)> {
        Some((stretches.first()?.from, stretches.last()?.to))
    }

    #[test]
    fn a_window_gives_what_follows_a_position_and_about_a_batch_of_it() {
        let mut window = Window::default();
        assert_eq!(bounds(&window.after(Position(0))), None);
        for from in (100..1_100).step_by(100) {
            window.push(stretch(from, from + 100, 10));
        }
        assert_eq!(bounds(&window.after(Position(99))), None, "what it does not know");
        assert_eq!(bounds(&window.after(Position(100))), Some((100, 600)));
        assert_eq!(bounds(&window.after(Position(150))), Some((100, 600)));
        assert_eq!(bounds(&window.after(Position(1_050))), Some((1_000, 1_100)));
        assert_eq!(bounds(&window.after(Position(1_100))), None);
    }

    #[test]
    fn a_window_is_bounded_in_events_and_in_bytes() {
        let mut window = Window::default();
        for from in (0..20_000).step_by(500) {
            window.push(stretch(from, from + 500, 10));
        }
        assert!(window.events <= KEPT_EVENTS && window.events > KEPT_EVENTS - 500);
        assert_eq!(window.stretches.front().map(|oldest| oldest.from), Some(20_000 - window.events as i64));

        for from in 20_000..20_100 {
            window.push(stretch(from, from + 1, 900_000));
        }
        assert!(window.bytes <= KEPT_BYTES && window.events > 30);
    }
}
