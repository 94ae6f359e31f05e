//! What cases that riders hand in have in common: where they stand, their photos, who decides them.

use kernel::Personal;
use vocabulary::{Timestamp, choices};

/// A reason has at most so many characters.
pub const REASON_MAX: usize = 200;
/// Photos go so long after the decision.
pub const PHOTOS_KEPT_MS: i64 = 30 * 86_400_000;

choices! {
    /// Where a case stands.
    #[derive(Default)]
    pub enum CaseState("审核状态") {
        #[default]
        Pending = 0 => "待审核",
        Passed = 1 => "已通过",
        Failed = 2 => "未通过",
        Cancelled = 3 => "已取消",
    }
}

/// Who decides.
#[derive(Clone, Debug)]
pub struct Reviewer {
    /// His name.
    pub name: Personal<String>,
    /// A keyed hash of his phone, as riders' phones have one: nobody decides his own case.
    pub phone_key: Option<String>,
}

/// Where a case stands, since when it is decided, and whether its photos are gone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Standing {
    /// The state.
    pub state: CaseState,
    /// When it was decided or cancelled.
    pub closed_at: Option<Timestamp>,
    /// Whether its photos were deleted.
    pub photos_gone: bool,
}

impl Standing {
    /// The same, closed.
    #[must_use]
    pub const fn closed(self, state: CaseState, at: Timestamp) -> Self {
        Self { state, closed_at: Some(at), ..self }
    }

    /// Whether its photos are to be deleted at `now`.
    pub fn photos_are_due(&self, now: Timestamp) -> bool {
        !self.photos_gone && self.closed_at.is_some_and(|at| now.millis_since(at) >= PHOTOS_KEPT_MS)
    }
}
