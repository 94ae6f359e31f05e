//! The one place that reads the machine's clock.

use vocabulary::{Clock, SystemClock};

/// Epoch milliseconds now.
pub fn now_ms() -> i64 {
    SystemClock.now().millis()
}
