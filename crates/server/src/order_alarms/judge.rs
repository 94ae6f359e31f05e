//! What orders and the lives of bikes say is wrong with a bike. Pure.

use live::fleet::VehicleRecord;
use riding::model::alarm_rules::AlarmRules;

const MINUTE_MS: i64 = 60_000;
const HOUR_MS: i64 = 60 * MINUTE_MS;
/// Of `VehicleRecord::lifecycle`.
const LOST: u8 = 5;

/// What an order that runs, and its bike, say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ride {
    /// Since its lock was opened.
    pub age_ms: i64,
    /// Whether its bike is heard of.
    pub is_heard: bool,
    /// Whether its bike ever left where the ride began.
    pub has_moved: bool,
}

/// 有单无程; nothing while it is too early, or nobody hears the bike.
pub const fn has_no_trip(rules: &AlarmRules, ride: Ride) -> Option<bool> {
    if ride.has_moved {
        Some(false)
    } else if ride.is_heard && ride.age_ms >= rules.no_trip_min as i64 * MINUTE_MS {
        Some(true)
    } else {
        None
    }
}

/// 订单超长.
pub const fn is_too_long(rules: &AlarmRules, age_ms: i64) -> bool {
    age_ms >= rules.order_too_long_h as i64 * HOUR_MS
}

/// 短时订单: the rides of a bike that ended, in seconds, the newest first. It rings until one lasts.
pub fn are_too_short(rules: &AlarmRules, ridden_s: &[i64], rings: bool) -> bool {
    let is_short = |ridden_s: &i64| *ridden_s <= i64::from(rules.short_order_duration_s);
    let needed = if rings { 1 } else { usize::from(rules.short_order_count) };
    ridden_s.len() >= needed && ridden_s.iter().take(needed).all(is_short)
}

/// 报失.
pub const fn is_lost(bike: &VehicleRecord) -> bool {
    bike.lifecycle == LOST
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_order_without_movement_rings_after_ten_minutes_unless_nobody_hears_its_bike() {
        let rules = AlarmRules::default();
        let still = Ride { age_ms: 10 * MINUTE_MS, is_heard: true, has_moved: false };
        let told = |ride| has_no_trip(&rules, ride);
        assert_eq!(told(Ride { age_ms: still.age_ms - 1, ..still }), None);
        assert_eq!(told(still), Some(true));
        assert_eq!(told(Ride { is_heard: false, ..still }), None, "a gateway may be shut");
        assert_eq!(told(Ride { has_moved: true, ..still }), Some(false));
    }

    #[test]
    fn an_order_is_too_long_after_the_hours_of_its_area() {
        let rules = AlarmRules { order_too_long_h: 2, ..AlarmRules::default() };
        assert!(!is_too_long(&rules, 2 * HOUR_MS - 1));
        assert!(is_too_long(&rules, 2 * HOUR_MS));
    }

    #[test]
    fn three_short_rides_in_a_row_ring_until_one_lasts() {
        let rules = AlarmRules::default();
        let told = |ridden_s: &[i64], rings| are_too_short(&rules, ridden_s, rings);
        assert!(!told(&[60, 90], false), "two are no row");
        assert!(!told(&[60, 121, 90], false));
        assert!(told(&[60, 120, 90, 900], false));
        assert!(told(&[60, 900], true), "it rings already");
        assert!(!told(&[121, 60, 60, 60], true));
        assert!(!told(&[], true));
    }

    #[test]
    fn a_bike_is_lost_as_long_as_its_life_says_so() {
        let bike = |lifecycle| VehicleRecord { lifecycle, ..VehicleRecord::default() };
        assert_eq!([2, 5].map(|lifecycle| is_lost(&bike(lifecycle))), [false, true]);
    }
}
