//! Time is an argument. Only [`SystemClock`] reads the machine's clock.

use std::sync::atomic::{AtomicI64, Ordering};

use chrono::{DateTime, FixedOffset, Utc};
use serde::{Deserialize, Serialize};

/// An instant, UTC, to the millisecond. On the wire and in events: epoch milliseconds as a number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Timestamp(i64);

impl Timestamp {
    /// From epoch milliseconds.
    pub const fn from_millis(epoch_ms: i64) -> Self {
        Self(epoch_ms)
    }

    /// Epoch milliseconds.
    pub const fn millis(self) -> i64 {
        self.0
    }

    /// This instant moved by `millis` (negative: earlier); saturates at the ends of time.
    #[must_use]
    pub const fn plus_millis(self, millis: i64) -> Self {
        Self(self.0.saturating_add(millis))
    }

    /// Milliseconds from `earlier` to this instant; negative when `earlier` is later.
    pub const fn millis_since(self, earlier: Self) -> i64 {
        self.0.saturating_sub(earlier.0)
    }

    /// For PostgreSQL's `timestamptz`; instants outside the calendar become its edge.
    pub fn datetime(self) -> DateTime<Utc> {
        DateTime::from_timestamp_millis(self.0).unwrap_or(if self.0 < 0 {
            DateTime::<Utc>::MIN_UTC
        } else {
            DateTime::<Utc>::MAX_UTC
        })
    }

    /// As people here read it: `YYYY-MM-DD HH:mm:ss`, Asia/Shanghai (no daylight saving since 1991, so +08:00).
    pub fn local(self) -> String {
        let offset = FixedOffset::east_opt(8 * 3600).expect("eight hours is an offset");
        self.datetime().with_timezone(&offset).format("%Y-%m-%d %H:%M:%S").to_string()
    }
}

impl From<DateTime<Utc>> for Timestamp {
    fn from(at: DateTime<Utc>) -> Self {
        Self(at.timestamp_millis())
    }
}

/// Where the present comes from.
pub trait Clock: Send + Sync + 'static {
    /// The present instant.
    fn now(&self) -> Timestamp;
}

/// The machine's clock.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    #[expect(clippy::disallowed_methods, reason = "the one place that reads the machine's clock")]
    fn now(&self) -> Timestamp {
        Timestamp(Utc::now().timestamp_millis())
    }
}

/// A clock that stands where a test puts it.
#[derive(Debug, Default)]
pub struct FixedClock(AtomicI64);

impl FixedClock {
    /// Stands at `at`.
    pub fn at(at: Timestamp) -> Self {
        Self(AtomicI64::new(at.millis()))
    }

    /// Moves on by `millis`.
    pub fn advance(&self, millis: i64) {
        self.0.fetch_add(millis, Ordering::SeqCst);
    }
}

impl Clock for FixedClock {
    fn now(&self) -> Timestamp {
        Timestamp(self.0.load(Ordering::SeqCst))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn local_time_is_shanghai_time() {
        assert_eq!(Timestamp::from_millis(1_700_000_000_000).local(), "2023-11-15 06:13:20");
    }

    #[test]
    fn an_instant_beyond_the_calendar_does_not_panic() {
        let _ = Timestamp::from_millis(i64::MAX).local();
        assert!(Timestamp::from_millis(i64::MIN).datetime() < DateTime::<Utc>::UNIX_EPOCH);
    }
}
