//! Days of Shanghai, whose clock is eight hours before Greenwich's all year.

use chrono::NaiveDate;

use crate::Timestamp;

/// Hours of a day.
pub const HOURS: usize = 24;

const HOUR_MS: i64 = 3_600_000;
const DAY_MS: i64 = HOURS as i64 * HOUR_MS;
const SHANGHAI_MS: i64 = 8 * HOUR_MS;

/// A day, by its number since 1970-01-01.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Day(pub i64);

impl Day {
    /// The one that holds an instant.
    pub const fn of(at: Timestamp) -> Self {
        Self(at.millis().saturating_add(SHANGHAI_MS).div_euclid(DAY_MS))
    }

    /// The beginning of its hour `n`; of 24 its end.
    pub const fn hour(self, n: usize) -> Timestamp {
        Timestamp::from_millis(self.0 * DAY_MS - SHANGHAI_MS + n as i64 * HOUR_MS)
    }

    /// How many of its hours are over at `until`.
    pub fn over(self, until: Timestamp) -> usize {
        usize::try_from(until.millis_since(self.hour(0)).div_euclid(HOUR_MS)).unwrap_or(0).min(HOURS)
    }

    /// Its date.
    pub fn date(self) -> NaiveDate {
        NaiveDate::from_epoch_days(i32::try_from(self.0).unwrap_or(0)).unwrap_or_default()
    }
}

impl From<NaiveDate> for Day {
    fn from(date: NaiveDate) -> Self {
        Self(date.to_epoch_days().into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_begins_at_midnight_in_shanghai_and_is_its_date() {
        let day = Day(20_833);
        assert_eq!(day.hour(0).local(), "2027-01-15 00:00:00");
        let at = |hours: f64| day.hour(0).plus_millis((hours * HOUR_MS as f64) as i64);
        assert_eq!((Day::of(at(0.0)), Day::of(at(23.999)), Day::of(at(24.0))), (day, day, Day(20_834)));
        assert_eq!((day.over(at(-1.0)), day.over(at(7.5)), day.over(at(30.0))), (0, 7, HOURS));
        assert_eq!(day.date().to_string(), "2027-01-15");
        assert_eq!(Day::from(day.date()), day);
    }
}
