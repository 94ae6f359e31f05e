//! Bounded pages of lists.

use serde::{Deserialize, Serialize};

/// Lists count honestly up to here; beyond, they say that there are more.
pub const COUNT_CAP: i64 = 10_000;

const MAX_SIZE: u32 = 200;
const MAX_NUMBER: u32 = 10_000;

/// Which part of a list: 1-based number and size, both bounded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Page {
    number: u32,
    size: u32,
}

impl Page {
    /// Page `number` (default 1) of `size` rows (default 10, at most 200). What is out of bounds is moved to the bound.
    pub fn new(number: Option<u32>, size: Option<u32>) -> Self {
        Self { number: number.unwrap_or(1).clamp(1, MAX_NUMBER), size: size.unwrap_or(10).clamp(1, MAX_SIZE) }
    }

    /// Whether it ends behind what is counted: only places lead on from there.
    pub fn is_beyond_count(self) -> bool {
        self.offset() + self.limit() > COUNT_CAP.max(self.limit())
    }

    /// Rows to skip.
    pub fn offset(self) -> i64 {
        i64::from(self.number - 1) * i64::from(self.size)
    }

    /// Rows to return.
    pub fn limit(self) -> i64 {
        i64::from(self.size)
    }
}

/// A page of rows and how many there are in all.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Rows<T> {
    /// The rows of this page.
    pub rows: Vec<T>,
    /// How many rows match, at most [`COUNT_CAP`].
    pub count: i64,
    /// Whether there are more than `count`.
    pub capped: bool,
    /// The place behind the last of them, where more follow and the list can tell.
    pub next: Option<String>,
}

impl<T> Rows<T> {
    /// `counted` is a count that was stopped at `COUNT_CAP + 1`.
    pub fn new(rows: Vec<T>, counted: i64) -> Self {
        Self { rows, count: counted.min(COUNT_CAP), capped: counted > COUNT_CAP, next: None }
    }

    /// The same, with the place behind the last row.
    #[must_use]
    pub fn going_on(self, next: Option<String>) -> Self {
        Self { next, ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_out_of_bounds_is_moved_to_the_bound() {
        let page = Page::new(Some(0), Some(1_000_000));
        assert_eq!((page.offset(), page.limit()), (0, 200));
    }
}
