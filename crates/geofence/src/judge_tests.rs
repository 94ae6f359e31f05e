//! Judging, case by case. A square area of about eleven kilometres, with what each test puts into it.

use vocabulary::Datum;

use super::*;
use crate::atlas::{Area, Fence, Span};
use crate::rule::{Ban, Direction, Hours, Weekdays};
use crate::{Circle, Ring, Shape};

/// A Monday, noon in Shanghai.
const NOON: Timestamp = Timestamp::from_millis(1_795_406_400_000);
const AREA: AreaId = AreaId(20);

/// A place so many metres east and north of the middle of things.
fn place(east_m: f64, north_m: f64) -> Wgs84 {
    let [lng, lat] = Plane::at(Wgs84::new(24.5, 118.1).unwrap()).degrees([east_m, north_m]);
    Wgs84::new(lat, lng).unwrap()
}

/// A rectangle by its west, south, east and north side, in metres from the middle.
fn shape([west, south, east, north]: [f64; 4]) -> Ring {
    let corners = [(west, south), (east, south), (east, north), (west, north)].map(|(x, y)| place(x, y));
    Ring::draw(&corners.map(|at| [at.lng(), at.lat()]), Datum::Wgs84).unwrap()
}

fn fence(id: i64, sides: [f64; 4], rule: Rule) -> Fence {
    let shape = Shape::Polygon(shape(sides));
    Fence { id: FenceId(id), data_version: 1, area: AREA, shape, rule, span: Span::EVER }
}

fn parking(id: i64, sides: [f64; 4]) -> Fence {
    fence(id, sides, Rule::Parking(Parking { buffer_m: 0.0, ..Parking::default() }))
}

fn no_stop(id: i64, sides: [f64; 4]) -> Fence {
    fence(id, sides, Rule::NoStop(Ban::default()))
}

fn atlas(fences: Vec<Fence>) -> Atlas {
    let ring = shape([-5000.0, -5000.0, 5000.0, 5000.0]);
    Atlas::new(
        vec![Area { id: AREA, data_version: 3, ring, span: Span::EVER, opened_at: Some(Span::EVER.from) }],
        fences,
    )
}

fn stop(east_m: f64, north_m: f64) -> Stop {
    Stop::new(place(east_m, north_m), NOON, 0.0, None)
}

fn judge(fences: Vec<Fence>, stop: &Stop) -> Judgement {
    atlas(fences).judge(stop, |_| 0)
}

#[test]
fn within_a_parking_place_it_is_parked_and_the_versions_are_told() {
    let judged = judge(vec![parking(1, [0.0, 0.0, 6.0, 2.0])], &stop(3.0, 1.0));
    assert_eq!(judged.class, ReturnClass::Parked);
    assert_eq!(judged.area, Some((AREA, 3)));
    assert_eq!(judged.fence, Some(Known { id: FenceId(1), data_version: 1 }));
    assert_eq!(judged.nearest.map(|nearest| nearest.beyond_m), Some(0.0));
    assert_eq!(judged.reasons, [Reason::Within]);
}

#[test]
fn outside_by_less_than_buffer_and_error_is_parked_and_by_more_is_not() {
    let wide =
        |buffer_m| fence(1, [0.0, 0.0, 6.0, 2.0], Rule::Parking(Parking { buffer_m, ..Parking::default() }));
    let class = |buffer_m, hdop, east_m| {
        let judged = judge(vec![wide(buffer_m)], &Stop { hdop, ..stop(east_m, 1.0) });
        let nearest_m = judged.nearest.map(|nearest| nearest.beyond_m).unwrap();
        assert!((nearest_m - (east_m - 6.0)).abs() < 0.01, "{nearest_m}");
        judged.class
    };
    assert_eq!(class(0.0, 0.0, 6.5), ReturnClass::OutsideParking);
    assert_eq!(class(0.0, 1.0, 8.4), ReturnClass::Parked);
    assert_eq!(class(0.0, 1.0, 8.6), ReturnClass::OutsideParking);
    assert_eq!(class(10.0, 1.0, 18.4), ReturnClass::Parked);
    // An error of more than 15 m is not believed.
    assert_eq!(class(10.0, 99.0, 30.9), ReturnClass::Parked);
    assert_eq!(class(10.0, 99.0, 31.1), ReturnClass::OutsideParking);
}

#[test]
fn a_wider_buffer_further_away_still_has_it() {
    let narrow = parking(1, [0.0, 0.0, 6.0, 2.0]);
    let wide =
        fence(2, [20.0, 0.0, 26.0, 2.0], Rule::Parking(Parking { buffer_m: 30.0, ..Parking::default() }));
    let judged = judge(vec![narrow, wide], &stop(8.0, 1.0));
    assert_eq!(judged.class, ReturnClass::Parked);
    assert_eq!(judged.fence.map(|fence| fence.id), Some(FenceId(2)));
}

#[test]
fn bans_come_before_parking_and_no_ride_before_no_stop() {
    let here = [0.0, 0.0, 100.0, 100.0];
    let all = vec![
        parking(1, here),
        no_stop(2, here),
        fence(3, here, Rule::NoRide(Ban { penalty_cents: Some(Cents(500)), ..Ban::default() })),
        fence(4, here, Rule::Custom),
        fence(5, here, Rule::Maintenance),
    ];
    let judged = judge(all.clone(), &stop(50.0, 50.0));
    assert_eq!(judged.class, ReturnClass::NoRide);
    assert_eq!(
        (judged.fence.map(|fence| fence.id), judged.penalty_cents),
        (Some(FenceId(3)), Some(Cents(500)))
    );
    let judged = judge(all[..2].to_vec(), &stop(50.0, 50.0));
    assert_eq!((judged.class, judged.penalty_cents), (ReturnClass::NoStop, None));
    assert_eq!(judged.reasons, [Reason::Banned(FenceKind::NoStop), Reason::Within]);
}

#[test]
fn a_ban_that_holds_it_by_less_than_the_error_is_not_held_against_the_rider() {
    let zone = vec![no_stop(2, [0.0, 0.0, 100.0, 100.0])];
    let poor = |east_m| judge(zone.clone(), &Stop { hdop: 2.0, ..stop(east_m, 50.0) });
    assert_eq!(poor(5.1).class, ReturnClass::NoStop);
    let judged = poor(4.9);
    assert_eq!(judged.class, ReturnClass::OutsideParking);
    assert!(
        matches!(judged.reasons[0], Reason::BannedWithinError(FenceKind::NoStop, _)),
        "{:?}",
        judged.reasons
    );
}

#[test]
fn a_ban_counts_on_its_days_and_hours() {
    let hours = Some(Hours { from_min: 7 * 60, until_min: 9 * 60 });
    let ban = Ban { weekdays: Weekdays(0b1), hours, ..Ban::default() };
    let zone = vec![fence(2, [0.0, 0.0, 100.0, 100.0], Rule::NoStop(ban))];
    let class = |at| judge(zone.clone(), &Stop { at, ..stop(50.0, 50.0) }).class;
    let monday_eight = NOON.plus_millis(-4 * 3_600_000);
    assert_eq!(class(monday_eight), ReturnClass::NoStop);
    assert_eq!(class(NOON), ReturnClass::OutsideParking);
    assert_eq!(class(monday_eight.plus_millis(24 * 3_600_000)), ReturnClass::OutsideParking);
}

#[test]
fn outside_of_its_area_is_told_in_metres_and_another_areas_parking_does_not_help() {
    let next = Area {
        id: AreaId(21),
        data_version: 1,
        ring: shape([5000.0, -5000.0, 9000.0, 5000.0]),
        span: Span::EVER,
        opened_at: Some(Span::EVER.from),
    };
    let own = Area {
        id: AREA,
        data_version: 1,
        ring: shape([-5000.0, -5000.0, 5000.0, 5000.0]),
        span: Span::EVER,
        opened_at: Some(Span::EVER.from),
    };
    let theirs = Fence { area: AreaId(21), ..parking(1, [5090.0, 0.0, 5110.0, 20.0]) };
    let atlas = Atlas::new(vec![own, next], vec![theirs]);
    let there = |area| atlas.judge(&Stop { area, ..stop(5100.0, 10.0) }, |_| 0);
    assert_eq!((there(None).class, there(None).area), (ReturnClass::Parked, Some((AreaId(21), 1))));
    let judged = there(Some(AREA));
    assert_eq!((judged.class, judged.nearest), (ReturnClass::OutsideArea, None));
    let [Reason::BeyondArea(beyond_m), Reason::NoParking] = judged.reasons[..] else { panic!("{judged:?}") };
    assert!((beyond_m - 100.0).abs() < 0.1, "{beyond_m}");
    let nowhere = judge(vec![], &stop(50_000.0, 0.0));
    assert_eq!((nowhere.class, nowhere.area), (ReturnClass::OutsideArea, None));
    assert_eq!(nowhere.reasons, [Reason::NoArea, Reason::NoParking]);
}

#[test]
fn a_full_or_closed_place_sends_to_the_next() {
    let full =
        Rule::Parking(Parking { capacity: 2, full_is_closed: true, buffer_m: 0.0, ..Parking::default() });
    let shut =
        Parking { hours: Some(Hours { from_min: 0, until_min: 60 }), buffer_m: 0.0, ..Parking::default() };
    let places = vec![
        fence(1, [0.0, 0.0, 6.0, 2.0], full),
        fence(2, [0.0, 0.0, 6.0, 2.0], Rule::Parking(shut)),
        parking(3, [106.0, 0.0, 110.0, 2.0]),
    ];
    let standing = |count| atlas(places.clone()).judge(&stop(3.0, 1.0), move |_| count);
    assert_eq!(standing(1).fence.map(|fence| fence.id), Some(FenceId(1)));
    let judged = standing(2);
    assert_eq!(judged.class, ReturnClass::OutsideParking);
    assert_eq!(judged.nearest.map(|nearest| nearest.fence.id), Some(FenceId(3)));
    assert!(judged.reasons.contains(&Reason::Full(2)) && judged.reasons.contains(&Reason::ClosedNow));
    assert!(
        judged.reasons.iter().any(|reason| reason.to_string() == "距最近的停车区 103.0 米"),
        "{:?}",
        judged.reasons
    );
}

#[test]
fn proofs_that_a_place_asks_for_and_did_not_get_are_named() {
    let rule = Parking {
        proofs: vec![Proof::Beacon, Proof::Direction],
        direction: Some(Direction { degrees: 90, tolerance_degrees: 15 }),
        ..Parking::default()
    };
    let places = vec![fence(1, [0.0, 0.0, 6.0, 2.0], Rule::Parking(rule))];
    let missing = |proved: &[Proof], heading_degrees| {
        let proving = Stop { proved: proved.to_vec(), heading_degrees, ..stop(3.0, 1.0) };
        let judged = judge(places.clone(), &proving);
        assert_eq!(judged.class, ReturnClass::Parked);
        judged.missing
    };
    assert_eq!(missing(&[], None), [Proof::Beacon, Proof::Direction]);
    assert_eq!(missing(&[Proof::Beacon], Some(180.0)), [Proof::Direction]);
    assert_eq!(missing(&[Proof::Beacon], Some(265.0)), []);
}

#[test]
fn a_stop_is_judged_by_the_versions_of_its_time() {
    let moved_at = NOON.plus_millis(1000);
    let old =
        Fence { span: Span { until: Some(moved_at), ..Span::EVER }, ..parking(1, [0.0, 0.0, 6.0, 2.0]) };
    let new = Fence {
        data_version: 2,
        span: Span { from: moved_at, until: None },
        ..parking(1, [50.0, 0.0, 56.0, 2.0])
    };
    let atlas = atlas(vec![old, new]);
    let judged = |at| atlas.judge(&Stop { at, ..stop(3.0, 1.0) }, |_| 0);
    assert_eq!(judged(moved_at.plus_millis(-1)).class, ReturnClass::Parked);
    let later = judged(moved_at);
    assert_eq!(
        (later.class, later.nearest.map(|nearest| nearest.fence.data_version)),
        (ReturnClass::OutsideParking, Some(2))
    );
}

#[test]
fn a_circle_is_judged_by_its_radius() {
    let circle = Circle::draw([118.1, 24.5], 30.0, Datum::Wgs84).unwrap();
    let round = Fence { shape: Shape::Circle(circle), ..no_stop(2, [0.0, 0.0, 1.0, 1.0]) };
    let class = |east_m: f64| judge(vec![round.clone()], &stop(east_m, 0.0)).class;
    assert_eq!(class(29.9), ReturnClass::NoStop);
    assert_eq!(class(30.1), ReturnClass::OutsideParking);
}

#[test]
fn where_a_bike_is_hangs_on_no_hour_no_room_and_no_edge_of_an_area() {
    let closed = Parking {
        capacity: 0,
        full_is_closed: true,
        hours: Some(Hours { from_min: 0, until_min: 1 }),
        buffer_m: 5.0,
        ..Parking::default()
    };
    let place = fence(1, [0.0, 0.0, 20.0, 20.0], Rule::Parking(closed));
    let alone = Atlas::new(Vec::new(), vec![place.clone()]);
    let of = |atlas: &Atlas, east_m, stop_area| {
        let found = atlas.station(&Stop { area: stop_area, hdop: 0.0, ..stop(east_m, 10.0) });
        found.map(|(nearest, stands)| (nearest.fence.id.0, nearest.beyond_m.round() as i64, stands))
    };
    assert_eq!(of(&alone, 10.0, None), Some((1, 0, true)), "although it is closed, full and in no area");
    assert_eq!(of(&alone, 24.0, None), Some((1, 4, true)));
    assert_eq!(of(&alone, 60.0, None), Some((1, 40, false)));
    assert_eq!(of(&alone, 10.0, Some(AreaId(999))), None, "another area's is none of its own");
    let banned = Atlas::new(Vec::new(), vec![place, no_stop(2, [5.0, 5.0, 15.0, 15.0])]);
    assert_eq!(of(&banned, 10.0, None), Some((1, 0, false)), "in a ban it stands in no parking place");
}

#[test]
fn how_far_within_a_place_lies_is_told_from_the_edge_that_decided() {
    let wide = Rule::Parking(Parking { buffer_m: 2.0, ..Parking::default() });
    let atlas = atlas(vec![fence(1, [0.0, 0.0, 60.0, 20.0], wide), no_stop(2, [200.0, 0.0, 300.0, 100.0])]);
    let of_area = |(east_m, north_m): (f64, f64)| Stop { area: Some(AREA), ..stop(east_m, north_m) };
    let into_m = |judged_at: (f64, f64), at: (f64, f64)| {
        let judged = atlas.judge(&of_area(judged_at), |_| 0);
        atlas.into_m(&judged, &of_area(at), |_| 0).unwrap()
    };
    let near = |metres: f64, wanted: f64| (metres - wanted).abs() < 0.01;
    let beside = (70.0, 10.0);
    assert!(near(into_m(beside, beside), 8.0), "ten metres outside, of which the buffer has two");
    assert!(near(into_m(beside, (55.0, 10.0)), -7.0), "a phone that is five metres within");
    let banned = (210.0, 50.0);
    assert!(
        near(into_m(banned, banned), 10.0) && near(into_m(banned, (195.0, 50.0)), -5.0),
        "of a ban its own edge"
    );
    let away = (5_040.0, 0.0);
    assert!((into_m(away, away) - 40.0).abs() < 0.5 && into_m(away, (4_990.0, 0.0)) < -9.0, "of an area too");
    let nowhere = Atlas::new(Vec::new(), Vec::new());
    let judged = nowhere.judge(&stop(0.0, 0.0), |_| 0);
    assert_eq!(nowhere.into_m(&judged, &stop(0.0, 0.0), |_| 0), None, "no edge is known");
    let bare = super::Atlas::new(Vec::new(), Vec::new());
    let outside = Judgement { class: ReturnClass::OutsideParking, ..judged };
    assert_eq!(
        bare.into_m(&outside, &stop(0.0, 0.0), |_| 0),
        Some(f64::INFINITY),
        "there is no parking place"
    );
}
