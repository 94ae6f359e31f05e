use vocabulary::{AreaId, FenceId, Timestamp};

use super::*;
use crate::fleet::{Codes, VehicleRecord};
use crate::report::Place;

const MINUTE: i64 = 60_000;

struct Bike {
    watch: Watch,
    record: VehicleRecord,
    zones: Zones,
    at: Timestamp,
    lat: f64,
    lng: f64,
    moving: bool,
    locked: bool,
    battery: bool,
    soc: u8,
    hdop: f64,
    told: Vec<(AlarmKind, bool)>,
}

/// A free bike in the middle of an area of 0.1 degree whose south edge is at 24.0, with a no-stop zone at 24.08.
fn bike() -> Bike {
    let ring = |west: f64, south: f64, size: f64| {
        vec![[west, south], [west + size, south], [west + size, south + size], [west, south + size]]
    };
    let area = AreaShape { id: AreaId(1), name: "测试".into(), state: 1, ring: ring(118.0, 24.0, 0.1) };
    let zone = ZoneShape { id: FenceId(9), area: Some(AreaId(1)), ring: ring(118.05, 24.08, 0.002) };
    Bike {
        watch: Watch::default(),
        record: VehicleRecord {
            car_id: "K1".into(),
            area: Some(AreaId(1)),
            lifecycle: 2,
            riding_state: 1,
            ..VehicleRecord::default()
        },
        zones: Zones::new(vec![area], vec![zone]),
        at: Timestamp::from_millis(1_700_000_000_000),
        lat: 24.05,
        lng: 118.051,
        moving: false,
        locked: true,
        battery: true,
        soc: 80,
        hdop: 1.0,
        told: Vec::new(),
    }
}

impl Bike {
    fn reports(&mut self) -> Vec<(AlarmKind, bool)> {
        self.at = self.at.plus_millis(10_000);
        let facts = Facts {
            record: &self.record,
            at: self.at,
            place: Some(Place::from_degrees(self.lat, self.lng)),
            hdop: self.hdop,
            moving: self.moving,
            locked: self.locked,
            battery_present: self.battery,
            soc_percent: self.soc,
        };
        let mut told = Vec::new();
        self.watch.on_report(&facts, &self.zones, &Settings::default(), |kind, raised, _| {
            told.push((kind, raised));
        });
        self.told.extend(&told);
        told
    }

    fn at_lat(&mut self, lat: f64) -> Vec<(AlarmKind, bool)> {
        self.lat = lat;
        self.reports()
    }

    fn minute(&mut self, silence_ms: i64) -> Vec<(AlarmKind, bool)> {
        let mut told = Vec::new();
        let now = self.at.plus_millis(silence_ms);
        self.watch.on_silence(&self.record, silence_ms, now, &Settings::default(), |kind, raised, _| {
            told.push((kind, raised));
        });
        told
    }
}

#[test]
fn a_good_bike_raises_nothing() {
    let mut bike = bike();
    for _ in 0..20 {
        assert_eq!(bike.reports(), []);
    }
    assert_eq!(bike.minute(29 * MINUTE), []);
}

#[test]
fn leaving_the_area_rings_once_beyond_buffer_and_doubt_and_ends_inside() {
    let mut bike = bike();
    bike.record.riding_state = 2;
    assert_eq!(bike.at_lat(23.9999), [], "11 m outside is within the buffer");
    assert_eq!(bike.at_lat(23.9990), [(AlarmKind::LeftArea, true)]);
    assert_eq!(bike.at_lat(23.9980), [], "it rings already");
    assert_eq!(bike.at_lat(23.9999), [], "the edge itself does not end it");
    assert_eq!(bike.at_lat(24.0001), [(AlarmKind::LeftArea, false)]);
}

#[test]
fn a_doubtful_position_gets_up_to_fifteen_metres_more() {
    let mut bike = bike();
    bike.record.riding_state = 2;
    bike.hdop = 20.0;
    assert_eq!(bike.at_lat(23.9997), [], "33 m outside, 35 m let pass");
    bike.hdop = 0.5;
    assert_eq!(bike.at_lat(23.9997), [(AlarmKind::LeftArea, true)]);
}

#[test]
fn our_own_van_may_carry_it_out_of_the_area() {
    let mut bike = bike();
    bike.record.riding_state = 5;
    assert_eq!(bike.at_lat(23.99), []);
}

#[test]
fn standing_in_a_no_stop_zone_rings_and_riding_through_does_not() {
    let mut bike = bike();
    bike.record.riding_state = 2;
    assert_eq!(bike.at_lat(24.081), []);
    bike.record.riding_state = 1;
    assert_eq!(bike.reports(), [(AlarmKind::NoStopZone, true)]);
    bike.record.riding_state = 2;
    assert_eq!(bike.reports(), [(AlarmKind::NoStopZone, false)], "the next ride ends it");
}

#[test]
fn a_pushed_bike_rings_after_fifty_metres_and_rests_again_after_ten_minutes() {
    let mut bike = bike();
    bike.reports();
    bike.moving = true;
    assert_eq!(bike.at_lat(24.0503), [], "33 m");
    assert_eq!(bike.at_lat(24.0506), [(AlarmKind::Moved, true)], "67 m");
    bike.moving = false;
    for _ in 0..60 {
        assert_eq!(bike.reports(), []);
    }
    assert_eq!(bike.reports(), [(AlarmKind::Moved, false)]);
    bike.moving = true;
    assert_eq!(bike.at_lat(24.0508), [], "22 m from the new place of rest");
}

#[test]
fn a_bike_that_was_just_unlocked_may_be_ridden_before_anybody_said_so_here() {
    let mut bike = bike();
    bike.reports();
    (bike.locked, bike.moving) = (false, true);
    assert_eq!(bike.at_lat(24.0506), [], "67 m, and its ride is on the way here");
    bike.record.riding_state = 2;
    assert_eq!(bike.at_lat(24.07), []);
    bike.record.riding_state = 1;
    // Nobody's ride came: a lock that was forced gives a minute, a closed one none.
    let mut stolen = super::tests::bike();
    stolen.reports();
    (stolen.locked, stolen.moving) = (false, true);
    let rung: Vec<_> = (0..12).flat_map(|_| stolen.at_lat(24.0506)).collect();
    assert_eq!(rung, [(AlarmKind::Moved, true)]);
}

#[test]
fn a_ridden_bike_moves_as_it_likes_and_rests_where_the_ride_ends() {
    let mut bike = bike();
    bike.reports();
    bike.record.riding_state = 2;
    bike.moving = true;
    assert_eq!(bike.at_lat(24.06), []);
    bike.record.riding_state = 1;
    bike.moving = false;
    assert_eq!(bike.reports(), []);
    bike.moving = true;
    assert_eq!(bike.at_lat(24.0602), []);
}

#[test]
fn drift_without_movement_is_no_movement() {
    let mut bike = bike();
    bike.reports();
    assert_eq!(bike.at_lat(24.052), [], "222 m, but the device stands");
}

#[test]
fn a_low_battery_rings_below_twenty_and_ends_at_twenty_five() {
    let mut bike = bike();
    bike.soc = 20;
    assert_eq!(bike.reports(), []);
    bike.soc = 19;
    assert_eq!(bike.reports(), [(AlarmKind::LowBattery, true)]);
    bike.soc = 24;
    assert_eq!(bike.reports(), []);
    bike.soc = 25;
    assert_eq!(bike.reports(), [(AlarmKind::LowBattery, false)]);
}

#[test]
fn a_battery_is_gone_after_two_reports_unless_we_swap_it() {
    let mut bike = bike();
    bike.battery = false;
    bike.soc = 0;
    assert_eq!(bike.reports(), []);
    assert_eq!(bike.reports(), [(AlarmKind::BatteryRemoved, true)]);
    bike.battery = true;
    bike.soc = 100;
    assert_eq!(bike.reports(), [(AlarmKind::BatteryRemoved, false)]);
    bike.record.operation_states = Codes::of(&[3]);
    bike.battery = false;
    bike.soc = 0;
    bike.reports();
    assert_eq!(bike.reports(), []);
}

#[test]
fn half_an_hour_of_silence_rings_and_the_next_report_ends_it() {
    let mut bike = bike();
    bike.reports();
    assert_eq!(bike.minute(31 * MINUTE), [(AlarmKind::Silent, true)]);
    assert_eq!(bike.minute(32 * MINUTE), []);
    assert_eq!(bike.reports(), [(AlarmKind::Silent, false)]);
}

#[test]
fn a_bike_taken_off_the_street_ends_all_its_alarms() {
    let mut bike = bike();
    bike.record.riding_state = 2;
    bike.soc = 5;
    bike.at_lat(23.99);
    assert!(bike.watch.rings(AlarmKind::LeftArea) && bike.watch.rings(AlarmKind::LowBattery));
    bike.record.lifecycle = 3;
    assert_eq!(bike.reports(), [(AlarmKind::LeftArea, false), (AlarmKind::LowBattery, false)]);
    assert_eq!(bike.minute(120 * MINUTE), []);
}

#[test]
fn after_a_restart_what_rang_goes_on_ringing() {
    let mut bike = bike();
    bike.record.alarm_states = Codes::of(&[3, 9]);
    bike.record.operation_states = Codes::of(&[4]);
    bike.watch = Watch::resumed(&bike.record);
    assert!(bike.watch.rings(AlarmKind::LeftArea) && bike.watch.rings(AlarmKind::LowBattery));
    assert_eq!(bike.watch.differs(&bike.record).count(), 0);
    bike.soc = 90;
    assert_eq!(bike.reports(), [(AlarmKind::LowBattery, false), (AlarmKind::LeftArea, false)]);
    let lost: Vec<_> = bike.watch.differs(&bike.record).collect();
    assert_eq!(
        lost,
        [(AlarmKind::LeftArea, false), (AlarmKind::LowBattery, false)],
        "until the read model follows"
    );
}

#[test]
fn a_report_that_comes_again_is_not_counted_again() {
    let mut bike = bike();
    bike.battery = false;
    assert_eq!(bike.reports(), []);
    bike.at = bike.at.plus_millis(-10_000);
    assert_eq!(bike.reports(), [], "the same report, delivered twice");
    assert_eq!(bike.reports(), [(AlarmKind::BatteryRemoved, true)]);
}
