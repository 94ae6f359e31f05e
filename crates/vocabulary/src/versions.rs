//! Subjects that count in versions: what is being written is a draft, publishing gives it a number and a beginning, and each
//! version counts from its beginning until the next one's, unless it ends before, was taken back or the subject was switched
//! off. What the versions say is the subject's own. Pure.

use serde::{Deserialize, Serialize};

use crate::Timestamp;

/// Within this time from now a version may begin to count.
pub const AHEAD_MAX_MS: i64 = 366 * 86_400_000;
/// A temporary version lasts at least so long.
pub const LASTS_MIN_MS: i64 = 60_000;

/// When a version counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Term {
    /// From then on; none: from when it was published.
    pub from: Option<Timestamp>,
    /// Until then, without it; none: until the next version does.
    pub until: Option<Timestamp>,
}

/// Why a version may not be published, taken back or come again; each subject says it in its own words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VersionFault {
    /// Nothing is being written.
    NoDraft,
    /// It would have begun before now.
    TooEarly,
    /// It would begin in more than a year.
    TooLate,
    /// It would end before it has begun, or right after.
    EndsEarly,
    /// There is no version of this number.
    NoVersion(i64),
    /// The version of this number has begun to count, and is not taken back.
    Counted(i64),
    /// A subject has only so many.
    TooMany,
}

impl Term {
    /// From `from` on, until the next version.
    pub const fn from(from: Timestamp) -> Self {
        Self { from: Some(from), until: None }
    }

    /// The same with its beginning, when it may be so at `now`.
    pub fn sound(self, now: Timestamp) -> Result<Self, VersionFault> {
        let from = self.from.unwrap_or(now);
        if from < now {
            Err(VersionFault::TooEarly)
        } else if from.millis_since(now) > AHEAD_MAX_MS {
            Err(VersionFault::TooLate)
        } else if self.until.is_some_and(|until| until.millis_since(from) < LASTS_MIN_MS) {
            Err(VersionFault::EndsEarly)
        } else {
            Ok(Self { from: Some(from), until: self.until })
        }
    }

    /// Whether it has begun at `now`.
    pub fn has_begun(self, now: Timestamp) -> bool {
        self.from.is_none_or(|from| from <= now)
    }
}

/// A version that was published.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Version<T> {
    /// 1, 2, 3 …
    pub number: i64,
    /// What it says.
    pub said: T,
    /// When it is to count.
    pub term: Term,
}

/// What was published of a subject and not taken back, and what is being written.
#[derive(Clone, Debug)]
pub struct History<T> {
    versions: Vec<Version<T>>,
    last: i64,
    draft: Option<T>,
}

impl<T> Default for History<T> {
    fn default() -> Self {
        Self { versions: Vec::new(), last: 0, draft: None }
    }
}

impl<T: PartialEq> History<T> {
    /// What is being written.
    pub const fn draft(&self) -> Option<&T> {
        self.draft.as_ref()
    }

    /// What was published last.
    pub fn newest(&self) -> Option<&Version<T>> {
        self.versions.last()
    }

    /// What was said last, published or not.
    pub fn latest(&self) -> Option<&T> {
        self.draft().or_else(|| self.newest().map(|version| &version.said))
    }

    /// The version of this number, when it was not taken back.
    pub fn version(&self, number: i64) -> Option<&Version<T>> {
        self.versions.iter().find(|version| version.number == number)
    }

    /// The version that counts at `now`, as long as the subject is switched on.
    pub fn at(&self, now: Timestamp) -> Option<&Version<T>> {
        let begun = self.versions.iter().filter(|version| version.term.has_begun(now));
        let latest = begun.max_by_key(|version| (version.term.from, version.number))?;
        latest.term.until.is_none_or(|until| now < until).then_some(latest)
    }

    /// The highest number that was given, 0 before the first.
    pub const fn last(&self) -> i64 {
        self.last
    }

    /// The number of the next version of a subject that may have `most`.
    pub const fn next(&self, most: i64) -> Result<i64, VersionFault> {
        if self.last >= most { Err(VersionFault::TooMany) } else { Ok(self.last + 1) }
    }

    /// What would be published.
    pub fn publishable(&self) -> Result<&T, VersionFault> {
        self.draft().ok_or(VersionFault::NoDraft)
    }

    /// Whether a version may be taken back at `now`: it must not have begun.
    pub fn may_withdraw(&self, number: i64, now: Timestamp) -> Result<(), VersionFault> {
        let version = self.version(number).ok_or(VersionFault::NoVersion(number))?;
        if version.term.has_begun(now) { Err(VersionFault::Counted(number)) } else { Ok(()) }
    }

    /// What an earlier version said, to be published again; nothing where the newest says the same.
    pub fn back_to(&self, number: i64) -> Result<Option<&T>, VersionFault> {
        let old = &self.version(number).ok_or(VersionFault::NoVersion(number))?.said;
        Ok(self.newest().is_none_or(|newest| newest.said != *old).then_some(old))
    }

    /// When each version counts from `now` on, epoch milliseconds, as long as the subject is switched on.
    pub fn counting(&self, now: Timestamp) -> Vec<(&Version<T>, Stretch)> {
        let times = self.versions.iter().map(|Version { term, .. }| {
            let from_at_ms = term.from.map_or(i64::MIN, Timestamp::millis);
            Some(Times { from_at_ms, until_at_ms: term.until.map(Timestamp::millis) })
        });
        let past = OffTime { from_at_ms: i64::MIN, until_at_ms: Some(now.millis()) };
        let stretches = counts(&times.collect::<Vec<_>>(), &[past]);
        let each = self.versions.iter().zip(stretches);
        each.flat_map(|(version, all)| all.into_iter().map(move |one| (version, one))).collect()
    }

    /// It was published; nothing is being written any more.
    pub fn publish(&mut self, number: i64, said: T, term: Term) {
        self.last = number;
        self.versions.push(Version { number, said, term });
        self.draft = None;
    }

    /// It is being written.
    pub fn save(&mut self, said: T) {
        self.draft = Some(said);
    }

    /// What was being written was thrown away.
    pub fn discard(&mut self) {
        self.draft = None;
    }

    /// A version was taken back: what it said is being written again, unless something else is.
    pub fn withdraw(&mut self, number: i64) {
        let place = self.versions.iter().position(|version| version.number == number);
        let taken_back = place.map(|place| self.versions.remove(place).said);
        self.draft = self.draft.take().or(taken_back);
    }
}

/// When a version was to count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Times {
    /// Epoch milliseconds.
    pub from_at_ms: i64,
    /// Epoch milliseconds; none: until the next version does.
    pub until_at_ms: Option<i64>,
}

/// A time in which the subject was switched off.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OffTime {
    /// Epoch milliseconds.
    pub from_at_ms: i64,
    /// Epoch milliseconds; none: it still is.
    pub until_at_ms: Option<i64>,
}

/// From the first until the second, which is no longer part of it, epoch milliseconds; none: for ever.
pub type Stretch = (i64, Option<i64>);

/// As PostgreSQL writes an `int8multirange`.
pub fn multirange(stretches: &[Stretch]) -> String {
    let written = stretches.iter().map(|(from, until)| match until {
        Some(until) => format!("[{from},{until})"),
        None => format!("[{from},)"),
    });
    format!("{{{}}}", written.collect::<Vec<_>>().join(","))
}

/// When each of `versions`, in the order of their numbers, counts; those that were taken back (none) never do. Of two that
/// begin at the same time the later one counts.
pub fn counts(versions: &[Option<Times>], off: &[OffTime]) -> Vec<Vec<Stretch>> {
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

    const NOW: Timestamp = Timestamp::from_millis(1_790_000_000_000);

    fn later(hours: i64) -> Term {
        Term::from(NOW.plus_millis(hours * 3_600_000))
    }

    #[test]
    fn what_is_taken_back_is_written_again_and_its_number_is_not_given_again() {
        let mut history = History::default();
        history.save("第一稿");
        assert_eq!(history.publishable(), Ok(&"第一稿"));
        history.publish(1, "第一稿", Term::from(NOW));
        assert_eq!((history.draft(), history.publishable()), (None, Err(VersionFault::NoDraft)));
        history.publish(2, "第二稿", later(1));
        assert_eq!(history.may_withdraw(1, NOW), Err(VersionFault::Counted(1)));
        assert_eq!(history.may_withdraw(2, NOW), Ok(()));
        assert_eq!(history.may_withdraw(9, NOW), Err(VersionFault::NoVersion(9)));
        history.withdraw(2);
        assert_eq!((history.draft(), history.latest()), (Some(&"第二稿"), Some(&"第二稿")));
        assert_eq!(history.newest().map(|version| version.number), Some(1));
        assert_eq!((history.next(9), history.next(2)), (Ok(3), Err(VersionFault::TooMany)));
        assert_eq!(history.back_to(1), Ok(None), "it is so already");
        assert_eq!(history.back_to(2), Err(VersionFault::NoVersion(2)));
        history.publish(3, "第三稿", Term::from(NOW));
        assert_eq!(history.back_to(1), Ok(Some(&"第一稿")));
    }

    #[test]
    fn at_each_moment_the_version_counts_that_the_read_model_says() {
        let mut history = History::default();
        history.publish(1, "一", Term::default());
        history.publish(2, "二", later(5));
        history.publish(3, "三", Term { until: Some(NOW.plus_millis(3 * 3_600_000)), ..later(2) });
        history.publish(4, "四", later(5));
        history.publish(5, "五", later(9));
        history.withdraw(5);
        for hours in -1..12 {
            let now = NOW.plus_millis(hours * 3_600_000);
            let counting = history.counting(now).into_iter().find(|(_, (from, _))| *from <= now.millis());
            assert_eq!(history.at(now), counting.map(|(version, _)| version), "after {hours} hours");
        }
        assert_eq!(history.at(NOW.plus_millis(4 * 3_600_000)), None, "nothing comes back");
    }

    #[test]
    fn what_counts_from_now_on_is_told_with_its_times() {
        let mut history = History::default();
        history.publish(1, "现在", Term::from(NOW.plus_millis(-5)));
        history.publish(2, "以后", later(2));
        let now = NOW.millis();
        let told: Vec<_> = history.counting(NOW).into_iter().map(|(one, times)| (one.said, times)).collect();
        let change = now + 7_200_000;
        assert_eq!(told, [("现在", (now, Some(change))), ("以后", (change, None))]);
    }

    #[test]
    fn a_multirange_is_written_as_postgresql_reads_it() {
        assert_eq!(multirange(&[(1, Some(5)), (9, None)]), "{[1,5),[9,)}");
        assert_eq!(multirange(&[]), "{}");
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
