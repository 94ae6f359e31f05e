//! Chapters: a whole frame, and how long frames followed it. Between two of them may lie a time of which nothing is known. Pure.

use serde::Serialize;
use utoipa::ToSchema;
use vocabulary::Timestamp;

/// Frames follow each other so soon.
pub(super) const BEAT_MS: i64 = 5_000;
/// After so long the fleet is kept whole again.
pub(super) const CHAPTER_MS: i64 = 300_000;
/// What comes later than this leaves a gap.
pub(super) const SLACK_MS: i64 = 3 * BEAT_MS;

/// A whole frame with those that followed it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, sqlx::FromRow)]
pub(super) struct Chapter {
    /// When it begins, epoch milliseconds.
    pub(super) at_ms: i64,
    /// When its last frame was.
    pub(super) until_ms: i64,
}

impl Chapter {
    /// Whether the fleet of then is known from it.
    pub(super) const fn tells(&self, at: Timestamp) -> bool {
        self.at_ms <= at.millis() && at.millis() <= self.until_ms + SLACK_MS
    }
}

/// A time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub(super) struct Span {
    /// Epoch milliseconds.
    pub(super) from: i64,
    /// Epoch milliseconds.
    pub(super) until: i64,
}

/// The times of which the fleet is known, one after the other.
pub(super) fn known(chapters: &[Chapter]) -> Vec<Span> {
    let mut spans: Vec<Span> = Vec::new();
    for chapter in chapters {
        match spans.last_mut() {
            Some(last) if chapter.at_ms <= last.until + SLACK_MS => {
                last.until = last.until.max(chapter.until_ms);
            }
            _ => spans.push(Span { from: chapter.at_ms, until: chapter.until_ms }),
        }
    }
    spans
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn chapter(at_ms: i64, until_ms: i64) -> Chapter {
        Chapter { at_ms, until_ms }
    }

    #[test]
    fn chapters_that_follow_each_other_are_one_time_and_a_pause_is_a_gap() {
        let all = [
            chapter(0, 295_000),
            chapter(300_000, 340_000),
            chapter(500_000, 500_000),
            chapter(505_000, 800_000),
        ];
        let spans = [Span { from: 0, until: 340_000 }, Span { from: 500_000, until: 800_000 }];
        assert_eq!(known(&all), spans);
        assert_eq!(known(&[]), []);
    }

    #[test]
    fn a_chapter_tells_until_the_next_frame_is_late() {
        let tells = |at_ms| chapter(1_000, 61_000).tells(Timestamp::from_millis(at_ms));
        assert_eq!([tells(999), tells(1_000), tells(76_000), tells(76_001)], [false, true, true, false]);
    }
}
