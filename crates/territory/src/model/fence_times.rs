//! When the versions of a fence count: each from its beginning until the next one's, unless it ends before, was taken back
//! or the fence was switched off. Epoch milliseconds; pure.

use serde::{Deserialize, Serialize};

/// When a version was to count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Times {
    pub from_at_ms: i64,
    /// None: until the next version does.
    pub until_at_ms: Option<i64>,
}

/// A time in which the fence was switched off.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct OffTime {
    pub from_at_ms: i64,
    /// None: it still is.
    pub until_at_ms: Option<i64>,
}

/// From the first until the second, which is no longer part of it; none: for ever.
pub(crate) type Stretch = (i64, Option<i64>);

/// When each of `versions`, in the order of their numbers, counts; those that were taken back (none) never do. Of two that
/// begin at the same time the later one counts.
pub(crate) fn counts(versions: &[Option<Times>], off: &[OffTime]) -> Vec<Vec<Stretch>> {
    let stretch_of = |(index, times): (usize, &Option<Times>)| {
        let Some(times) = times else { return Vec::new() };
        let others =
            versions.iter().enumerate().filter_map(|(other, times)| Some((other, (*times)?.from_at_ms)));
        let followers = others.filter(|(other, from)| (*from, *other) > (times.from_at_ms, index));
        let next = followers.map(|(_, from)| from).min();
        let until = [next, times.until_at_ms].into_iter().flatten().min();
        let whole = vec![(times.from_at_ms, until)];
        off.iter()
            .fold(whole, |left, off| left.into_iter().flat_map(|stretch| without(stretch, *off)).collect())
    };
    versions
        .iter()
        .enumerate()
        .map(stretch_of)
        .map(|mut all| {
            all.retain(|(from, until)| until.is_none_or(|until| *from < until));
            all
        })
        .collect()
}

fn without((from, until): Stretch, off: OffTime) -> [Stretch; 2] {
    let before = (from, Some(until.map_or(off.from_at_ms, |until| until.min(off.from_at_ms))));
    // An end before its beginning is dropped by the caller.
    let after = off.until_at_ms.map_or((from, Some(from)), |on| (from.max(on), until));
    [before, after]
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[expect(clippy::unnecessary_wraps, reason = "beside those that were taken back")]
    const fn from(from_at_ms: i64) -> Option<Times> {
        Some(Times { from_at_ms, until_at_ms: None })
    }

    #[test]
    fn a_version_counts_until_the_next_one_does() {
        assert_eq!(counts(&[from(10), from(20)], &[]), [vec![(10, Some(20))], vec![(20, None)]]);
        // Published now while another waits for its time: that one still comes.
        assert_eq!(
            counts(&[from(10), from(50), from(30)], &[]),
            [vec![(10, Some(30))], vec![(50, None)], vec![(30, Some(50))]]
        );
        assert_eq!(counts(&[from(10), from(10)], &[]), [vec![], vec![(10, None)]]);
        assert_eq!(counts(&[from(10), None], &[]), [vec![(10, None)], vec![]]);
    }

    #[test]
    fn a_temporary_one_ends_by_itself_and_nothing_comes_back() {
        let temporary = Some(Times { from_at_ms: 20, until_at_ms: Some(30) });
        assert_eq!(counts(&[from(10), temporary], &[]), [vec![(10, Some(20))], vec![(20, Some(30))]]);
    }

    #[test]
    fn while_it_is_switched_off_nothing_counts() {
        let off = [
            OffTime { from_at_ms: 12, until_at_ms: Some(15) },
            OffTime { from_at_ms: 18, until_at_ms: Some(22) },
            OffTime { from_at_ms: 40, until_at_ms: None },
        ];
        assert_eq!(
            counts(&[from(10), from(20)], &off),
            [vec![(10, Some(12)), (15, Some(18))], vec![(22, Some(40))]]
        );
    }

    proptest! {
        /// At every moment at most one version counts: the one that began last, if it has not ended and nothing is off.
        #[test]
        fn at_every_moment_the_version_that_began_last_counts(
            versions in prop::collection::vec(prop::option::of((0..20_i64, prop::option::of(1..10_i64))), 0..6),
            off in prop::collection::vec((0..20_i64, 1..5_i64), 0..3),
        ) {
            let times: Vec<Option<Times>> = versions.iter().map(|one| one.map(|(from_at_ms, lasts)| Times {
                from_at_ms, until_at_ms: lasts.map(|ms| from_at_ms + ms),
            })).collect();
            let off: Vec<OffTime> = off.iter()
                .map(|(from, ms)| OffTime { from_at_ms: *from, until_at_ms: Some(from + ms) }).collect();
            let found = counts(&times, &off);
            for at in -1..40_i64 {
                let began = times.iter().enumerate().filter_map(|(n, one)| Some((one.as_ref()?.from_at_ms, n)))
                    .filter(|(from, _)| *from <= at).max();
                let is_off = off.iter().any(|off| off.from_at_ms <= at && off.until_at_ms.is_none_or(|on| at < on));
                let expected = began.map(|(_, n)| n)
                    .filter(|n| times[*n].is_some_and(|one| one.until_at_ms.is_none_or(|until| at < until)))
                    .filter(|_| !is_off);
                let counting: Vec<usize> = found.iter().enumerate()
                    .filter(|(_, all)| all.iter().any(|(from, until)| *from <= at && until.is_none_or(|until| at < until)))
                    .map(|(n, _)| n).collect();
                prop_assert_eq!(&counting, &expected.into_iter().collect::<Vec<_>>(), "at {}", at);
            }
        }
    }
}
