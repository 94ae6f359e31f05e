//! Which nonces were seen, for as long as they could come again.

use std::collections::{HashSet, VecDeque};

use vocabulary::Timestamp;

use crate::signature::FRESH_MS;

/// Nonces that are remembered at most; a nonce has at most 64 bytes, so this is some 40 MB.
pub const NONCES_MOST: usize = 200_000;

/// A nonce that is not taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NonceFault {
    /// It came before.
    #[error("随机串已用过")]
    Seen,
    /// No more can be remembered, and forgetting one would let it come again.
    #[error("请求过多，请稍后再试")]
    Full,
}

/// Remembers nonces of signed messages. Only what was signed is remembered, so strangers cannot fill it.
#[derive(Debug)]
pub struct Nonces {
    seen: HashSet<String>,
    /// With the moment of each, in the order in which they came.
    order: VecDeque<(Timestamp, String)>,
    most: usize,
}

impl Nonces {
    /// Remembers at most `most`.
    pub fn new(most: usize) -> Self {
        Self { seen: HashSet::new(), order: VecDeque::new(), most }
    }

    /// Takes a nonce once. A message may be stamped as far ahead as it may be old, so it is remembered for both.
    pub fn take(&mut self, nonce: &str, now: Timestamp) -> Result<(), NonceFault> {
        while let Some((_, old)) = self.order.pop_front_if(|(came, _)| now.millis_since(*came) > 2 * FRESH_MS)
        {
            self.seen.remove(&old);
        }
        if self.seen.contains(nonce) {
            return Err(NonceFault::Seen);
        }
        if self.seen.len() >= self.most {
            return Err(NonceFault::Full);
        }
        self.seen.insert(nonce.to_owned());
        self.order.push_back((now, nonce.to_owned()));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Timestamp = Timestamp::from_millis(1_800_000_000_000);

    #[test]
    fn a_nonce_is_taken_once_for_as_long_as_its_stamp_could_be_fresh() {
        let mut nonces = Nonces::new(10);
        assert_eq!(nonces.take("a", NOW), Ok(()));
        assert_eq!(nonces.take("a", NOW), Err(NonceFault::Seen));
        assert_eq!(nonces.take("a", NOW.plus_millis(2 * FRESH_MS)), Err(NonceFault::Seen));
        assert_eq!(nonces.take("a", NOW.plus_millis(2 * FRESH_MS + 1)), Ok(()));
    }

    #[test]
    fn a_full_memory_refuses_and_forgets_nothing_too_early() {
        let mut nonces = Nonces::new(2);
        assert_eq!((nonces.take("a", NOW), nonces.take("b", NOW)), (Ok(()), Ok(())));
        assert_eq!(nonces.take("c", NOW), Err(NonceFault::Full));
        assert_eq!(nonces.take("a", NOW), Err(NonceFault::Seen));
        let later = NOW.plus_millis(2 * FRESH_MS + 1);
        assert_eq!(nonces.take("c", later), Ok(()));
        assert_eq!(nonces.order.len(), 1);
    }

    #[test]
    fn a_clock_that_steps_back_lets_nothing_come_again() {
        let mut nonces = Nonces::new(10);
        assert_eq!(nonces.take("a", NOW), Ok(()));
        assert_eq!(nonces.take("b", NOW.plus_millis(-FRESH_MS)), Ok(()));
        assert_eq!(nonces.take("a", NOW.plus_millis(-FRESH_MS)), Err(NonceFault::Seen));
    }
}
