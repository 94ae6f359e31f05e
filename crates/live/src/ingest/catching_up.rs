//! What a node that follows may have missed. Reports come to it straight from NATS and once: what was said while its line was away, or
//! while it was too slow, nobody tells it again. The leader stores them; there they are found.

use std::convert::Infallible;
use std::sync::atomic::Ordering;
use std::time::Duration;

use tokio::time::{Instant, sleep};

use super::hearing;
use super::leader::Ingest;

/// How often it is looked whether the line was away.
const LOOK: Duration = Duration::from_millis(500);
/// With a new line what is stored is read at once, and again after these times, when what was under way is stored.
const AGAIN: [Duration; 2] = [Duration::from_secs(5), Duration::from_secs(55)];
/// From then on it is read so often, for what was missed without a trace.
const RARELY: Duration = Duration::from_mins(10);

/// Reads what is stored as long as this node follows.
pub(super) async fn catch_up(ingest: &Ingest) -> Infallible {
    let connects = || ingest.nats.statistics().connects.load(Ordering::Relaxed);
    let mut known = connects();
    let (mut readings, mut due) = (0, Instant::now());
    loop {
        if connects() != known {
            known = connects();
            (readings, due) = (0, Instant::now());
        }
        if Instant::now() >= due && ingest.restore().await.inspect_err(hearing::not_restored).is_ok() {
            ingest.memory.write().look(ingest.clock.now());
            due = Instant::now() + AGAIN.get(readings).copied().unwrap_or(RARELY);
            readings += 1;
        }
        sleep(LOOK).await;
    }
}
