//! What is to be done at its time.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;
use vocabulary::Timestamp;

/// However long nothing is due, the clock is looked at again: it may have been set.
const LONGEST: Duration = Duration::from_secs(1);

/// Things that are due, the earliest first. As many as there are payments, refunds and notices that have not ended.
#[derive(Debug)]
pub struct Queue<T> {
    set: Mutex<BTreeSet<(Timestamp, T)>>,
    sooner: Notify,
}

impl<T: Ord> Default for Queue<T> {
    fn default() -> Self {
        Self { set: Mutex::new(BTreeSet::new()), sooner: Notify::new() }
    }
}

impl<T: Ord> Queue<T> {
    /// Puts things in.
    pub fn add(&self, things: impl IntoIterator<Item = (Timestamp, T)>) {
        self.set.lock().unwrap_or_else(PoisonError::into_inner).extend(things);
        self.sooner.notify_one();
    }

    /// Takes out one thing that is due.
    pub fn due(&self, now: Timestamp) -> Option<(Timestamp, T)> {
        let mut set = self.set.lock().unwrap_or_else(PoisonError::into_inner);
        if set.first()?.0 <= now { set.pop_first() } else { None }
    }

    /// Until something may be due.
    pub async fn wait(&self, now: Timestamp) {
        let next = self.set.lock().unwrap_or_else(PoisonError::into_inner).first().map(|(at, _)| *at);
        let until = next.map_or(LONGEST, |at| {
            Duration::from_millis(u64::try_from(at.millis_since(now)).unwrap_or(0)).min(LONGEST)
        });
        drop(tokio::time::timeout(until, self.sooner.notified()).await);
    }
}
