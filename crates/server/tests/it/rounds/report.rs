//! What somebody who was not there reads of a round.

use std::fmt::Write as _;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

/// What happened, in order.
pub struct Timeline {
    seed: u64,
    begun: Instant,
    lines: Mutex<Vec<(u128, String)>>,
}

impl Timeline {
    pub fn new(seed: u64) -> Self {
        Self { seed, begun: Instant::now(), lines: Mutex::default() }
    }

    /// Something happened now.
    pub fn note(&self, what: impl Into<String>) {
        let at = self.begun.elapsed().as_millis();
        self.lines.lock().unwrap_or_else(PoisonError::into_inner).push((at, what.into()));
    }

    /// The round as text; `failed` is the promise that did not hold, with what was expected and seen.
    pub fn told(&self, failed: Option<(&str, &str)>) -> String {
        let mut text = format!("seed {}\n", self.seed);
        for (at, what) in self.lines.lock().unwrap_or_else(PoisonError::into_inner).iter() {
            let _ = writeln!(text, "{at:>7} ms  {what}");
        }
        match failed {
            None => text.push_str("every promise held\n"),
            Some((promise, seen)) => {
                let _ = write!(
                    text,
                    "\nNOT KEPT: {promise}\n{seen}\n\nAgain: cargo xtask faults --rounds 1 --seed {}\n",
                    self.seed
                );
            }
        }
        text
    }
}
