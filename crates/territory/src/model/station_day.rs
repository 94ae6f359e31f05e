//! A day of a parking place: what came and went in each of its hours, how many bikes stood there at each full one, and how
//! full it was then. Days and hours are Shanghai's. Pure.

use geofence::Parking;
use vocabulary::{Day, HOURS, Timestamp, choices};

/// Longest times for which bikes have stood, hours; one that stands there longer than the last is in a band of its own, and
/// less than the first is not idle.
pub const IDLE_HOURS: [i64; 6] = [1, 3, 6, 12, 24, 48];

const HOUR_MS: i64 = 3_600_000;
/// Of the capacity; more is 偏多.
const MANY_PERCENT: i64 = 80;

choices! {
    /// How full a parking place is.
    pub enum Level("站点等级") {
        Empty = 0 => "空",
        Few = 1 => "偏少",
        Normal = 2 => "正常",
        Many = 3 => "偏多",
        Full = 4 => "淤积",
    }
}

impl Level {
    /// With so many bikes in it.
    pub fn of(standing: i64, parking: &Parking) -> Self {
        let (capacity, least) = (i64::from(parking.capacity), i64::from(parking.min_keep));
        if standing == 0 {
            Self::Empty
        } else if standing >= capacity {
            Self::Full
        } else if standing < least {
            Self::Few
        } else if standing * 100 > capacity * MANY_PERCENT {
            Self::Many
        } else {
            Self::Normal
        }
    }
}

/// Which of the first `hours` hours of a day holds an instant.
fn place(day: Day, at: Timestamp, hours: usize) -> Option<usize> {
    let hour = usize::try_from(at.millis_since(day.hour(0)).div_euclid(HOUR_MS)).ok()?;
    (hour < hours).then_some(hour)
}

/// The last full hour at or before an instant.
pub const fn full_hour(at: Timestamp) -> Timestamp {
    Timestamp::from_millis(at.millis() - at.millis().rem_euclid(HOUR_MS))
}

/// A bike in one place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stay {
    /// Since when.
    pub from: Timestamp,
    /// The first instant at which it was there no more.
    pub until: Option<Timestamp>,
    /// Whether that is when it left; otherwise all that is known is that it had.
    pub left: bool,
}

/// What happened at a parking place in each hour of a day.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Bikes that came.
    pub returns: [i16; HOURS],
    /// Bikes that left.
    pub departures: [i16; HOURS],
    /// Bikes left outside of any parking place, this one nearest.
    pub outside: [i16; HOURS],
    /// Bikes that stood there when the hour began.
    pub standing: [i16; HOURS],
    /// Missed orders nearest to it.
    pub misses: [i16; HOURS],
    /// Rides that began there.
    pub orders: [i16; HOURS],
    /// What these cost, cents.
    pub cost_cents: [i64; HOURS],
    /// Of those of all hours together, how many had stood so long, by [`IDLE_HOURS`].
    pub idle: [i32; IDLE_HOURS.len()],
}

impl Tally {
    /// A bike stood in it; of the day so many hours are over.
    pub fn stood(&mut self, stay: Stay, day: Day, hours: usize) {
        if let Some(hour) = place(day, stay.from, hours) {
            one_more(&mut self.returns[hour]);
        }
        if let Some(hour) = stay.until.filter(|_| stay.left).and_then(|until| place(day, until, hours)) {
            one_more(&mut self.departures[hour]);
        }
        for (hour, standing) in self.standing.iter_mut().enumerate().take(hours) {
            let at = day.hour(hour);
            if stay.from > at || stay.until.is_some_and(|until| until <= at) {
                continue;
            }
            one_more(standing);
            let stood_hours = at.millis_since(stay.from) / HOUR_MS;
            if let Some(band) = IDLE_HOURS.iter().rposition(|least| stood_hours >= *least) {
                self.idle[band] += 1;
            }
        }
    }

    /// Somebody near it did not get a bike.
    pub fn missed(&mut self, at: Timestamp, day: Day, hours: usize) {
        if let Some(hour) = place(day, at, hours) {
            one_more(&mut self.misses[hour]);
        }
    }

    /// A ride began there, and costs so much as far as that is known.
    pub fn ordered(&mut self, at: Timestamp, cost_cents: i64, day: Day, hours: usize) {
        if let Some(hour) = place(day, at, hours) {
            one_more(&mut self.orders[hour]);
            self.cost_cents[hour] = self.cost_cents[hour].saturating_add(cost_cents);
        }
    }

    /// A bike was left beside it.
    pub fn beside(&mut self, from: Timestamp, day: Day, hours: usize) {
        if let Some(hour) = place(day, from, hours) {
            one_more(&mut self.outside[hour]);
        }
    }
}

const fn one_more(count: &mut i16) {
    *count = count.saturating_add(1);
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// 2027-01-15 in Shanghai.
    const DAY: Day = Day(20_833);

    fn at(hours: f64) -> Timestamp {
        DAY.hour(0).plus_millis((hours * HOUR_MS as f64) as i64)
    }

    fn stay(from: f64, until: Option<f64>) -> Stay {
        Stay { from: at(from), until: until.map(at), left: true }
    }

    #[test]
    fn a_place_is_as_full_as_the_specification_says() {
        let parking = Parking { capacity: 10, min_keep: 3, ..Parking::default() };
        let levels = [0, 1, 2, 3, 8, 9, 10, 40].map(|standing| Level::of(standing, &parking).number());
        assert_eq!(levels, [0, 1, 1, 2, 2, 3, 4, 4]);
    }

    #[test]
    fn a_bike_is_counted_when_it_comes_at_each_full_hour_and_when_it_leaves() {
        let mut tally = Tally::default();
        tally.stood(stay(6.5, Some(9.0)), DAY, HOURS);
        let hours = |of: &[i16; HOURS]| {
            of.iter().enumerate().filter(|(_, n)| **n != 0).map(|(h, n)| (h, *n)).collect::<Vec<_>>()
        };
        assert_eq!(hours(&tally.returns), [(6, 1)]);
        assert_eq!(hours(&tally.standing), [(7, 1), (8, 1)], "at nine it has left");
        assert_eq!(hours(&tally.departures), [(9, 1)]);
        assert_eq!(tally.idle, [1, 0, 0, 0, 0, 0], "after half an hour it was not idle");
    }

    #[test]
    fn what_comes_after_the_hours_that_are_over_is_not_counted_yet() {
        let mut tally = Tally::default();
        tally.stood(stay(-50.0, Some(9.5)), DAY, 9);
        tally.stood(stay(9.1, None), DAY, 9);
        tally.beside(at(9.1), DAY, 9);
        tally.beside(at(8.1), DAY, 9);
        assert_eq!((tally.returns, tally.departures), ([0; HOURS], [0; HOURS]));
        assert_eq!(tally.standing.iter().map(|n| i32::from(*n)).sum::<i32>(), 9);
        assert_eq!(tally.idle[5], 9, "it stood there for two days");
        assert_eq!(tally.outside.iter().sum::<i16>(), 1);
    }

    #[test]
    fn what_was_missed_and_sold_is_of_its_hour() {
        let mut tally = Tally::default();
        tally.missed(at(6.0), DAY, 9);
        tally.missed(at(9.0), DAY, 9);
        tally.ordered(at(8.99), 250, DAY, 9);
        tally.ordered(at(8.0), i64::MAX, DAY, 9);
        tally.ordered(at(-0.01), 250, DAY, 9);
        assert_eq!((tally.misses[6], tally.misses[9]), (1, 0), "the tenth hour is not over");
        assert_eq!((tally.orders[8], tally.cost_cents[8]), (2, i64::MAX));
        assert_eq!(tally.orders.iter().sum::<i16>(), 2);
    }

    #[test]
    fn of_a_bike_that_stopped_elsewhere_nobody_knows_when_it_left() {
        let mut tally = Tally::default();
        tally.stood(Stay { left: false, ..stay(6.5, Some(9.0)) }, DAY, HOURS);
        assert_eq!(tally.departures, [0; HOURS]);
    }

    fn stays() -> impl Strategy<Value = Vec<Stay>> {
        // Also to the hour: what happens then is of the hour that begins.
        let hours = |span: std::ops::Range<i32>| span.prop_map(f64::from);
        let from = prop_oneof![-60_f64..30.0, hours(-60..30)];
        let lasts = prop_oneof![0.01_f64..60.0, hours(1..60)];
        let one = (from, prop::option::of(lasts), any::<bool>());
        let one = one.prop_map(|(from, lasts, left)| Stay { left, ..stay(from, lasts.map(|h| from + h)) });
        prop::collection::vec(one, 0..40)
    }

    proptest! {
        #[test]
        fn who_stands_there_is_who_stood_before_with_who_came_without_who_went(stays in stays(), hours in 0..=HOURS) {
            let mut tally = Tally::default();
            for stay in &stays {
                tally.stood(*stay, DAY, hours);
            }
            for hour in 0..hours {
                let there = |at: Timestamp| {
                    let stands = |stay: &&Stay| stay.from <= at && stay.until.is_none_or(|until| until > at);
                    stays.iter().filter(stands).count()
                };
                prop_assert_eq!(usize::try_from(tally.standing[hour]).unwrap(), there(DAY.hour(hour)));
                let within = |at: Timestamp| (DAY.hour(hour)..DAY.hour(hour + 1)).contains(&at);
                let came = stays.iter().filter(|stay| within(stay.from)).count();
                let left = stays.iter().filter(|stay| stay.left && stay.until.is_some_and(within)).count();
                prop_assert_eq!(usize::try_from(tally.returns[hour]).unwrap(), came);
                prop_assert_eq!(usize::try_from(tally.departures[hour]).unwrap(), left);
                // Who comes at a full hour stands there then, and who leaves then does not: between two of them it is the other
                // end that counts.
                let since = |at: Timestamp| DAY.hour(hour) < at && at <= DAY.hour(hour + 1);
                let came = stays.iter().filter(|stay| since(stay.from)).count();
                let went = stays.iter().filter(|stay| stay.until.is_some_and(since)).count();
                prop_assert_eq!(there(DAY.hour(hour)) + came, there(DAY.hour(hour + 1)) + went);
            }
            prop_assert!(tally.standing[hours..].iter().all(|n| *n == 0));
            let idle: i32 = tally.idle.iter().sum();
            prop_assert!(idle <= tally.standing.iter().map(|n| i32::from(*n)).sum());
        }
    }
}
