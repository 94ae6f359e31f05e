//! Whose latest state waits to be kept: each bike once, whoever waits longest first.

use std::collections::{HashSet, VecDeque};

/// See the module.
#[derive(Default)]
pub(super) struct Waiting {
    order: VecDeque<u32>,
    known: HashSet<u32>,
}

impl Waiting {
    /// `slot` has a newer state.
    pub(super) fn push(&mut self, slot: u32) {
        if self.known.insert(slot) {
            self.order.push_back(slot);
        }
    }

    /// At most `most` of them, the longest waiting ones.
    pub(super) fn take(&mut self, most: usize) -> Vec<u32> {
        let slots: Vec<u32> = self.order.drain(..most.min(self.order.len())).collect();
        for slot in &slots {
            self.known.remove(slot);
        }
        slots
    }

    pub(super) fn is_empty(&self) -> bool {
        self.order.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_waits_once_and_who_waits_longest_is_first() {
        let mut waiting = Waiting::default();
        for slot in [3, 1, 3, 2, 1] {
            waiting.push(slot);
        }
        assert_eq!(waiting.take(2), [3, 1]);
        waiting.push(3);
        assert_eq!(waiting.take(9), [2, 3]);
        assert!(waiting.is_empty());
    }
}
