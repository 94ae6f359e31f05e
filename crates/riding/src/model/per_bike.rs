//! 车均: what a bike on the streets brings a day. Bikes of a day are the mean over its time, not those of its end. Pure.

use vocabulary::{Day, HOURS, Timestamp};

const DAY_MS: f64 = 86_400_000.0;

/// Bikes that came onto the streets on a day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shelved {
    /// The day.
    pub day: Day,
    /// How many came, less those that went.
    pub added: i64,
    /// The time that was left of the day to each that came, less that of those that went; milliseconds.
    pub bike_ms: i64,
}

impl Shelved {
    /// What it adds to its own day's mean, as far as that day has come at `now`.
    fn share(&self, now: Timestamp) -> f64 {
        let left_ms = self.day.hour(HOURS).millis_since(now).max(0);
        let elapsed_ms = DAY_MS - left_ms as f64;
        if elapsed_ms <= 0.0 {
            return 0.0;
        }
        (self.bike_ms - self.added * left_ms) as f64 / elapsed_ms
    }
}

/// How many bikes stood on the streets on each day from `from` until `until`, on average; of today until `now`.
pub fn means(shelved: &[Shelved], from: Day, until: Day, now: Timestamp) -> Vec<f64> {
    let mut means = vec![0.0; usize::try_from(until.0 - from.0 + 1).unwrap_or(0)];
    for one in shelved {
        let own = usize::try_from(one.day.0 - from.0).ok();
        if let Some(mean) = own.and_then(|place| means.get_mut(place)) {
            *mean += one.share(now);
        }
        let later = own.map_or(0, |place| place + 1);
        for mean in means.iter_mut().skip(later) {
            *mean += one.added as f64;
        }
    }
    means
}

/// `amount` for each bike and day, to the hundredth; nothing where no bike stood.
pub fn each(amount: i64, bike_days: f64) -> Option<f64> {
    (bike_days >= 0.01).then(|| hundredths(amount as f64 / bike_days))
}

/// To the hundredth.
pub fn hundredths(value: f64) -> f64 {
    (value * 100.0).round() / 100.0
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR_MS: i64 = 3_600_000;

    fn shelved(day: i64, added: i64, at_hour: i64) -> Shelved {
        Shelved { day: Day(day), added, bike_ms: added * (24 - at_hour) * HOUR_MS }
    }

    #[test]
    fn a_day_counts_bikes_by_the_time_they_stood() {
        // Ten long ago, twelve more at noon of the second day, six taken off at 18:00 of the third.
        let all = [shelved(90, 10, 7), shelved(101, 12, 12), shelved(102, -6, 18)];
        let after = Day(110).hour(0);
        assert_eq!(means(&all, Day(100), Day(103), after), [10.0, 16.0, 20.5, 16.0]);
        assert_eq!(means(&all, Day(89), Day(91), after), [0.0, 10.0 * 17.0 / 24.0, 10.0]);
        assert_eq!(means(&all, Day(103), Day(102), after), Vec::<f64>::new());
    }

    #[test]
    fn today_is_averaged_until_now() {
        let all = [shelved(100, 10, 0), shelved(101, 4, 6)];
        // At 12:00 the four have stood for half of the day so far.
        assert_eq!(means(&all, Day(100), Day(101), Day(101).hour(12)), [10.0, 12.0]);
        assert_eq!(means(&all, Day(101), Day(101), Day(101).hour(0)), [10.0]);
    }

    #[test]
    fn nothing_is_divided_by_no_bike() {
        assert_eq!((each(30, 0.0), each(30, 4.0), each(100, 3.0)), (None, Some(7.5), Some(33.33)));
    }
}
