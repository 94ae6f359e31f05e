use vocabulary::{AreaId, FenceId, Timestamp};

use super::*;
use crate::fleet::{Codes, VehicleRecord};
use crate::report::{Flags, Place};

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
    helmet: Flags,
    late: bool,
    settings: Settings,
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
        zones: Zones::new(vec![area], vec![zone], vec![]),
        at: Timestamp::from_millis(1_700_000_000_000),
        lat: 24.05,
        lng: 118.051,
        moving: false,
        locked: true,
        battery: true,
        soc: 80,
        hdop: 1.0,
        helmet: Flags::default(),
        late: false,
        settings: Settings::default(),
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
            is_late: self.late,
            flags: [
                (self.moving, Flags::MOVING),
                (self.locked, Flags::LOCKED),
                (self.battery, Flags::BATTERY_PRESENT),
            ]
            .into_iter()
            .filter(|(is_set, _)| *is_set)
            .fold(self.helmet, |flags, (_, flag)| flags.with(flag)),
            soc_percent: self.soc,
        };
        let mut told = Vec::new();
        self.watch.on_report(&facts, &self.zones, &self.settings, |kind, raised, _| {
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
        self.watch.on_silence(&self.record, silence_ms, now, &self.settings, |kind, raised, _| {
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

/// What rings and ends in so many reports, ten seconds apart.
fn in_reports(bike: &mut Bike, reports: usize) -> Vec<(AlarmKind, bool)> {
    (0..reports).flat_map(|_| bike.reports()).collect()
}

#[test]
fn what_an_area_says_draws_the_lines_there() {
    let mut bike = bike();
    bike.settings = Settings { moved_m: 100.0, moved_reports: 2, moved_for_ms: 10_000, ..bike.settings };
    bike.reports();
    bike.moving = true;
    assert_eq!(bike.at_lat(24.0506), [], "67 m");
    assert_eq!(bike.at_lat(24.0511), [], "122 m, said once");
    assert_eq!(bike.at_lat(24.0511), [(AlarmKind::Moved, true)]);
    bike.settings.moved_rings = false;
    assert_eq!(bike.reports(), [(AlarmKind::Moved, false)], "who switches it off hears no more of it");

    let mut bike = super::tests::bike();
    bike.settings = Settings { low_percent: 40, enough_percent: 50, ..bike.settings };
    bike.soc = 39;
    assert_eq!(bike.reports(), [(AlarmKind::LowBattery, true)]);
    bike.settings = Settings { silent_after_ms: 6 * MINUTE, battery_rings: false, ..bike.settings };
    assert_eq!(bike.minute(7 * MINUTE), [(AlarmKind::Silent, true)]);
    bike.settings.silent_rings = false;
    assert_eq!(bike.minute(8 * MINUTE), [(AlarmKind::Silent, false)]);
    (bike.battery, bike.soc) = (false, 0);
    assert_eq!(in_reports(&mut bike, 5), []);
}

#[test]
fn rules_of_another_area_are_none_of_its_own() {
    let (usual, other) = (Settings::default(), Settings { low_percent: 40, ..Settings::default() });
    let rules = AreaRules([(AreaId(2), other)].into());
    assert_eq!(rules.of(Some(AreaId(2)), &usual).low_percent, 40);
    assert_eq!(rules.of(Some(AreaId(1)), &usual).low_percent, 20);
    assert_eq!(rules.of(None, &usual).low_percent, 20);
}

/// The same with a parking place of about ten metres, where it stands, and a buffer of five.
fn parked() -> Bike {
    let mut bike = bike();
    let ring = vec![[118.051, 24.05], [118.0511, 24.05], [118.0511, 24.0501], [118.051, 24.0501]];
    let parking = ParkingShape { area: AreaId(1), ring, buffer_m: 5.0 };
    bike.zones = Zones::new(vec![], vec![], vec![parking]);
    (bike.lat, bike.lng) = (24.05005, 118.05105);
    bike
}

#[test]
fn a_bike_left_outside_of_parking_rings_after_half_an_hour_and_ends_when_it_is_ridden_or_brought_back() {
    let mut bike = parked();
    assert_eq!(in_reports(&mut bike, 200), [], "it stands in its place");
    bike.lat = 24.0502;
    assert_eq!(in_reports(&mut bike, 180), [], "half an hour is not over");
    assert_eq!(bike.reports(), [(AlarmKind::OutsideParking, true)]);
    bike.lat = 24.05005;
    assert_eq!(bike.reports(), [(AlarmKind::OutsideParking, false)]);
    bike.lat = 24.0502;
    assert_eq!(in_reports(&mut bike, 181), [(AlarmKind::OutsideParking, true)]);
    bike.record.riding_state = 2;
    assert_eq!(bike.reports(), [(AlarmKind::OutsideParking, false)]);
    bike.record.riding_state = 1;
    assert_eq!(in_reports(&mut bike, 180), [], "time begins anew");
}

#[test]
fn a_receiver_in_doubt_and_an_area_without_parking_places_leave_nobody_outside() {
    let mut bike = parked();
    bike.settings.outside_parking_after_ms = 0;
    // 22 m from the edge, 17 beyond the buffer.
    (bike.lat, bike.hdop) = (24.0503, 20.0);
    assert_eq!(bike.reports(), [(AlarmKind::OutsideParking, true)]);
    let mut doubtful = parked();
    doubtful.settings.outside_parking_after_ms = 0;
    (doubtful.lat, doubtful.hdop) = (24.05025, 20.0);
    assert_eq!(in_reports(&mut doubtful, 3), [], "11 m beyond the buffer, 15 in doubt");
    let mut without = super::tests::bike();
    without.settings.outside_parking_after_ms = 0;
    assert_eq!(in_reports(&mut without, 3), []);
}

#[test]
fn a_lock_that_is_open_without_a_ride_and_without_work_rings_after_two_minutes() {
    let mut bike = bike();
    bike.locked = false;
    assert_eq!(in_reports(&mut bike, 12), [], "a ride may be on its way here");
    assert_eq!(bike.reports(), [(AlarmKind::Unlocked, true)]);
    bike.locked = true;
    assert_eq!(bike.reports(), [(AlarmKind::Unlocked, false)]);
    for (riding_state, work) in [(2, 0), (3, 0), (5, 0), (1, 3), (1, 5)] {
        let mut used = super::tests::bike();
        used.locked = false;
        (used.record.riding_state, used.record.operation_states) = (riding_state, Codes::of(&[work]));
        assert_eq!(in_reports(&mut used, 30), [], "{riding_state} {work}");
    }
}

#[test]
fn a_helmet_is_lost_when_the_ride_is_over_and_found_when_it_hangs_again() {
    let mut bike = bike();
    (bike.helmet, bike.record.riding_state, bike.locked) = (Flags::HELMET_MISSING, 2, false);
    assert_eq!(in_reports(&mut bike, 30), [], "its rider wears it");
    (bike.record.riding_state, bike.locked) = (1, true);
    assert_eq!(in_reports(&mut bike, 12), []);
    assert_eq!(bike.reports(), [(AlarmKind::HelmetLost, true)]);
    bike.record.riding_state = 2;
    assert_eq!(in_reports(&mut bike, 30), [], "the next ride brings none back");
    bike.helmet = Flags::default();
    assert_eq!(bike.reports(), [(AlarmKind::HelmetLost, false)]);
}

#[test]
fn a_broken_helmet_lock_rings_after_two_minutes_whoever_has_the_bike() {
    let mut bike = bike();
    (bike.helmet, bike.record.riding_state) = (Flags::HELMET_FAULT, 2);
    assert_eq!(in_reports(&mut bike, 12), []);
    assert_eq!(bike.reports(), [(AlarmKind::HelmetBroken, true)]);
    bike.helmet = Flags::default();
    assert_eq!(bike.reports(), [(AlarmKind::HelmetBroken, false)]);
}

#[test]
fn what_a_gateway_tells_late_of_a_ride_that_is_over_is_no_forced_lock() {
    let mut bike = parked();
    bike.settings.outside_parking_after_ms = 0;
    (bike.lat, bike.locked, bike.helmet, bike.late) = (24.0502, false, Flags::HELMET_MISSING, true);
    assert_eq!(in_reports(&mut bike, 30), []);
    bike.late = false;
    assert_eq!(in_reports(&mut bike, 12), [], "time begins when it is told in time");
    assert_eq!(bike.reports(), [(AlarmKind::Unlocked, true)]);
    bike.late = true;
    assert_eq!(in_reports(&mut bike, 3), [], "nor does it end anything");
}
