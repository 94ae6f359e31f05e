//! Fares: the cases that people dispute, and what must hold whatever the configuration.

use proptest::prelude::*;
use vocabulary::Timestamp;

use super::billing::{Billing, DAY_S, PRICE_MAX_CENTS, ReturnPrices, TimeBand};
use super::fare::{Benefits, CardShare, DiscountCard, FareRule, Left, RIDE_MAX_S, Receipt, Ridden, fare};

const MINUTE: i64 = 60;
/// 2026-11-20 10:00 in Shanghai.
const MORNING: Timestamp = Timestamp::from_millis(1_795_140_000_000);

fn ride(time_s: i64, distance_m: i64) -> Ridden {
    Ridden { start_at: MORNING, end_at: MORNING.plus_millis(time_s * 1000), distance_m }
}

fn billing() -> Billing {
    Billing { per_km_cents: 50, base_distance_m: 2_000, day_cap_cents: 2_500, ..Billing::default() }
}

fn plain(ride: &Ridden) -> Receipt {
    fare(&billing(), ride, &Left::Well, false, &Benefits::default())
}

fn rules(receipt: &Receipt) -> Vec<(FareRule, i64, i64)> {
    receipt.lines.iter().map(|line| (line.rule, line.amount_cents, line.quantity)).collect()
}

#[test]
fn a_ride_costs_its_base_its_begun_cycles_and_its_metres() {
    let receipt = plain(&ride(27 * MINUTE, 5_100));
    let expected =
        [(FareRule::BaseTime, 200, 900), (FareRule::Time, 200, 2), (FareRule::Distance, 155, 3_100)];
    assert_eq!(rules(&receipt), expected);
    assert_eq!((receipt.origin_cents, receipt.pay_cents), (555, 555));
}

#[test]
fn who_hardly_moved_pays_nothing() {
    assert_eq!(rules(&plain(&ride(60, 50))), [(FareRule::Free, 0, 60)]);
    assert_eq!(plain(&ride(61, 50)).pay_cents, 200);
    assert_eq!(plain(&ride(60, 51)).pay_cents, 200);
    assert_eq!(plain(&ride(0, 0)).pay_cents, 0);
}

#[test]
fn a_clock_that_runs_backwards_is_a_ride_of_no_time() {
    assert_eq!(plain(&ride(-500, 0)).pay_cents, 0);
    assert_eq!(plain(&ride(-500, 3_000)).pay_cents, 250);
    assert_eq!(plain(&ride(600, -3_000)).pay_cents, 200, "nor is there less than no distance");
}

#[test]
fn each_begun_day_has_its_cap() {
    let of = |time_s| plain(&ride(time_s, 0)).pay_cents;
    assert_eq!(of(DAY_S), 2_500);
    assert_eq!(of(DAY_S + 1), 5_000, "a second day is begun");
    assert_eq!(of(30 * 3600), 5_000);
    let receipt = plain(&ride(30 * 3600, 0));
    assert_eq!(rules(&receipt).last(), Some(&(FareRule::DayCap, 5_000 - 200 - 17_900, 2)));
}

#[test]
fn time_costs_what_the_band_says_in_which_its_cycle_begins() {
    let night = TimeBand { from_min: 0, until_min: 360, percent: 150 };
    let billing = Billing { bands: vec![night], day_cap_cents: 0, ..billing() };
    // From 23:30: the base until 23:45, cycles at 23:45 and 23:55, those after midnight dearer.
    let start_at = MORNING.plus_millis((13 * 60 + 30) * MINUTE * 1000);
    let ride = Ridden { start_at, end_at: start_at.plus_millis(55 * MINUTE * 1000), distance_m: 0 };
    let receipt = fare(&billing, &ride, &Left::Well, false, &Benefits::default());
    assert_eq!(rules(&receipt), [(FareRule::BaseTime, 200, 900), (FareRule::Time, 100 + 100 + 150 + 150, 4)]);
}

#[test]
fn whole_days_of_bands_are_counted_like_every_single_cycle() {
    let bands = vec![
        TimeBand { from_min: 0, until_min: 361, percent: 50 },
        TimeBand { from_min: 1_020, until_min: 1_140, percent: 220 },
    ];
    let billing = Billing { bands, cycle_s: 420, day_cap_cents: 0, max_order_cents: 100_000, ..billing() };
    let time_s = 5 * DAY_S + 12_345;
    let slow = |cycle: i64| {
        let at_s = (MORNING.millis() / 1000 + 8 * 3600 + 900 + cycle * 420) % DAY_S;
        match at_s / 60 {
            0..361 => 50,
            1_020..1_140 => 220,
            _ => 100,
        }
    };
    let cycles = (time_s - 900 + 419) / 420;
    let expected: i64 = (0..cycles).map(slow).sum();
    let receipt = fare(&billing, &ride(time_s, 0), &Left::Well, false, &Benefits::default());
    assert_eq!(receipt.lines[1].amount_cents, expected);
}

#[test]
fn a_card_takes_off_what_it_covers_and_no_more() {
    let long = ride(45 * MINUTE, 6_000);
    let with = |card| {
        let held = Benefits { card: Some(card), ..Benefits::default() };
        fare(&billing(), &long, &Left::Well, false, &held)
    };
    let origin = plain(&long).pay_cents;
    assert_eq!(origin, 200 + 300 + 200);
    assert_eq!(with(CardShare::Whole).pay_cents, 0);
    assert_eq!(with(CardShare::Money(150)).pay_cents, origin - 150);
    assert_eq!(with(CardShare::Money(9_999)).pay_cents, 0, "nothing is given back");
    // A ride of the last fifteen minutes, with all of its metres.
    assert_eq!(with(CardShare::Time(30 * MINUTE)).pay_cents, 200 + 200);
    assert_eq!(with(CardShare::Time(45 * MINUTE)).pay_cents, 0);
    assert_eq!(with(CardShare::Distance(3_000)).pay_cents, 200 + 300 + 50);
}

#[test]
fn a_free_ride_begins_where_the_card_ends() {
    let long = ride(45 * MINUTE, 0);
    let with = |card, free_s| {
        let held = Benefits { card, free_ride_s: Some(free_s), ..Benefits::default() };
        fare(&billing(), &long, &Left::Well, false, &held)
    };
    let half_hour = Some(CardShare::Time(30 * MINUTE));
    assert_eq!(
        rules(&with(half_hour, 0)),
        [(FareRule::BaseTime, 200, 900), (FareRule::Time, 300, 3), (FareRule::Card, -300, 0),]
    );
    assert_eq!(with(half_hour, 15 * MINUTE).pay_cents, 0);
    assert_eq!(with(half_hour, 14 * MINUTE).pay_cents, 0, "a last minute without metres is free as any is");
    assert_eq!(with(half_hour, 13 * MINUTE).pay_cents, 200);
    assert_eq!(with(None, 30 * MINUTE).pay_cents, 200);
    assert_eq!(with(Some(CardShare::Money(50)), 30 * MINUTE).pay_cents, 150);
    assert_eq!(with(Some(CardShare::Whole), 30 * MINUTE).card_cents, 500);
}

#[test]
fn a_discount_card_bills_what_begins_in_its_time() {
    let own = Billing { base_time_cents: 100, cycle_cents: 50, ..billing() };
    let card = |from_s: i64, until_s: i64| {
        let [begin_at, end_at] = [from_s, until_s].map(|second| MORNING.plus_millis(second * 1000));
        let discount_card = Some(Box::new(DiscountCard { begin_at, end_at, billing: own.clone() }));
        let held = Benefits { discount_card, ..Benefits::default() };
        fare(&billing(), &ride(27 * MINUTE, 0), &Left::Well, false, &held)
    };
    let its_own = [(FareRule::OwnBilling, 0, 0), (FareRule::BaseTime, 100, 900), (FareRule::Time, 100, 2)];
    assert_eq!(rules(&card(0, 1)), its_own, "the ride's end does not matter");
    assert_eq!(card(-60, 0).pay_cents, 400, "its time is over");
    assert_eq!(card(1, 9_999).pay_cents, 400, "its time has not begun");
}

#[test]
fn midnight_begins_no_day_of_the_cap() {
    // 23:50 to 00:20: half an hour of one day of the ride.
    let start_at = MORNING.plus_millis((13 * 60 + 50) * MINUTE * 1000);
    let ride = Ridden { start_at, end_at: start_at.plus_millis(30 * MINUTE * 1000), distance_m: 0 };
    let billing = Billing { day_cap_cents: 300, ..billing() };
    let receipt = fare(&billing, &ride, &Left::Well, false, &Benefits::default());
    assert_eq!(receipt.pay_cents, 300);
    assert_eq!(rules(&receipt).last(), Some(&(FareRule::DayCap, -100, 1)));
}

#[test]
fn no_clock_and_no_meter_makes_a_sum_overflow() {
    let dearest = Billing {
        base_time_cents: PRICE_MAX_CENTS / 2,
        cycle_cents: PRICE_MAX_CENTS,
        cycle_s: 60,
        base_distance_cents: PRICE_MAX_CENTS / 2,
        per_km_cents: PRICE_MAX_CENTS,
        day_cap_cents: 0,
        bands: vec![TimeBand { from_min: 0, until_min: 1_440, percent: 500 }],
        max_order_cents: PRICE_MAX_CENTS,
        ..Billing::default()
    };
    let dearest = dearest.checked().unwrap();
    let far = Left::Outside { parking_m: Some(f64::INFINITY), difficulty_percent: u16::MAX };
    let ends = [i64::MIN, -1, 0, 1, i64::MAX].map(Timestamp::from_millis);
    for (start_at, end_at) in ends.into_iter().flat_map(|start| ends.map(|end| (start, end))) {
        for distance_m in [i64::MIN, 0, i64::MAX] {
            for seconds in [i64::MIN, 0, i64::MAX] {
                let held = Benefits {
                    card: Some(CardShare::Time(seconds)),
                    free_ride_s: Some(seconds),
                    ..Benefits::default()
                };
                let ride = Ridden { start_at, end_at, distance_m };
                let receipt = fare(&dearest, &ride, &far, true, &held);
                assert!((0..=PRICE_MAX_CENTS).contains(&receipt.pay_cents), "{ride:?}: {receipt:?}");
            }
        }
    }
    let for_ever = ride(i64::MAX / 1000, 0);
    assert_eq!(plain(&for_ever).held_back_cents, RIDE_MAX_S / DAY_S * 2_500 - 30_000);
}

#[test]
fn discounts_come_after_cards_and_favour_the_rider() {
    let billing = Billing { discount_percent: 90, ..billing() };
    let held =
        Benefits { card: Some(CardShare::Money(1)), discount_percent: Some(80), ..Benefits::default() };
    let receipt = fare(&billing, &ride(10 * MINUTE, 0), &Left::Well, false, &held);
    // 199, of it 90 % are 179.1, of 179 80 % are 143.2.
    assert_eq!((receipt.card_cents, receipt.discount_cents, receipt.pay_cents), (1, 20 + 36, 143));
}

#[test]
fn where_it_is_left_is_asked_for_once_and_what_the_zone_says_goes_first() {
    let asked = |left, helmet| {
        let receipt = fare(&billing(), &ride(10 * MINUTE, 0), &left, helmet, &Benefits::default());
        (receipt.dispatch_cents, receipt.helmet_cents, receipt.pay_cents)
    };
    let outside = |parking_m, difficulty_percent| Left::Outside { parking_m, difficulty_percent };
    assert_eq!(asked(Left::Well, false), (0, 0, 200));
    assert_eq!(asked(outside(Some(200.0), 100), false), (500, 0, 700));
    assert_eq!(asked(outside(Some(200.1), 100), false), (1_000, 0, 1_200));
    assert_eq!(asked(outside(None, 150), false), (1_500, 0, 1_700));
    assert_eq!(asked(Left::NoStop(None), false), (2_000, 0, 2_200));
    assert_eq!(asked(Left::NoStop(Some(300)), true), (300, 3_000, 3_500));
    assert_eq!(asked(Left::NoRide(Some(0)), false), (0, 0, 200));
    assert_eq!(asked(Left::OutOfService, false), (2_000, 0, 2_200));
}

#[test]
fn a_free_ride_or_card_frees_nobody_of_what_he_left_behind() {
    let held = Benefits { card: Some(CardShare::Whole), ..Benefits::default() };
    let receipt = fare(&billing(), &ride(10 * MINUTE, 0), &Left::OutOfService, false, &held);
    assert_eq!(receipt.pay_cents, 2_000);
}

#[test]
fn what_is_above_the_guard_waits_for_a_person() {
    let billing = Billing { day_cap_cents: 0, max_order_cents: 10_000, ..billing() };
    let receipt = fare(&billing, &ride(3 * DAY_S, 0), &Left::OutOfService, false, &Benefits::default());
    assert_eq!(receipt.pay_cents, 10_000);
    assert_eq!(receipt.held_back_cents, 200 + 43_100 + 2_000 - 10_000);
}

fn any_billing() -> impl Strategy<Value = Billing> {
    let times = (0_i64..4_000, 0_i64..4_000, 60_i64..4_000);
    let prices = proptest::collection::vec(0_i64..5_000, 12);
    let band = (0_u16..700, 1_u16..600, 1_u16..500).prop_map(|(from_min, long, percent)| TimeBand {
        from_min,
        until_min: from_min + long,
        percent,
    });
    let bands = proptest::collection::vec(band, 0..2);
    (times, prices, bands, 1_u16..=100, 0_i64..5_000).prop_map(
        |((free_time_s, base_time_s, cycle_s), price, bands, discount_percent, metres)| Billing {
            free_time_s,
            free_distance_m: metres / 10,
            base_time_s,
            base_time_cents: price[0],
            cycle_s,
            cycle_cents: price[1],
            base_distance_m: metres,
            base_distance_cents: price[2],
            per_km_cents: price[3],
            day_cap_cents: price[4],
            discount_percent,
            bands,
            returned: ReturnPrices {
                small_penalty_cents: price[5].min(price[6]),
                large_penalty_cents: price[5].max(price[6]),
                large_distance_m: metres,
                no_stop_cents: price[7],
                out_of_service_cents: price[8],
                no_ride_cents: price[9],
                helmet_cents: price[10],
            },
            max_order_cents: 10_000 + price[11],
            explain: String::new(),
        },
    )
}

fn any_left() -> impl Strategy<Value = Left> {
    let own = || proptest::option::of(0_i64..5_000);
    prop_oneof![
        Just(Left::Well),
        (proptest::option::of(0.0..6_000.0), 50_u16..300)
            .prop_map(|(parking_m, difficulty_percent)| Left::Outside { parking_m, difficulty_percent }),
        own().prop_map(Left::NoStop),
        own().prop_map(Left::NoRide),
        Just(Left::OutOfService),
    ]
}

fn any_benefits() -> impl Strategy<Value = Benefits> {
    let card = prop_oneof![
        (0_i64..90_000).prop_map(CardShare::Time),
        (0_i64..30_000).prop_map(CardShare::Distance),
        (0_i64..5_000).prop_map(CardShare::Money),
        Just(CardShare::Whole),
    ];
    (proptest::option::of(card), proptest::option::of(0_i64..90_000), proptest::option::of(1_u16..=100))
        .prop_map(|(card, free_ride_s, discount_percent)| Benefits {
            card,
            free_ride_s,
            discount_percent,
            ..Benefits::default()
        })
}

proptest! {
    #[test]
    fn whatever_is_configured(
        billing in any_billing(),
        start_s in 0_i64..DAY_S,
        time_s in -5_000_i64..200_000,
        distance_m in -100_i64..60_000,
        left in any_left(),
        helmet_missing in any::<bool>(),
        held in any_benefits(),
    ) {
        prop_assert_eq!(&billing.clone().checked().unwrap(), &billing);
        let start_at = MORNING.plus_millis(start_s * 1000);
        let ride = Ridden { start_at, end_at: start_at.plus_millis(time_s * 1000), distance_m };
        let receipt = fare(&billing, &ride, &left, helmet_missing, &held);
        let sum: i64 = receipt.lines.iter().map(|line| line.amount_cents).sum();
        prop_assert_eq!(sum, receipt.pay_cents, "every cent has its rule");
        prop_assert!((0..=billing.max_order_cents).contains(&receipt.pay_cents));
        prop_assert!(receipt.held_back_cents >= 0);
        let parts = receipt.origin_cents - receipt.card_cents - receipt.discount_cents;
        prop_assert!(parts >= 0 && receipt.card_cents >= 0 && receipt.discount_cents >= 0);
        let days = (time_s.max(1) + DAY_S - 1) / DAY_S;
        prop_assert!(billing.day_cap_cents == 0 || receipt.origin_cents <= billing.day_cap_cents * days);
        // The same again, and from what is stored of it.
        prop_assert_eq!(&fare(&billing, &ride, &left, helmet_missing, &held), &receipt);
        let stored: Receipt = serde_json::from_value(serde_json::to_value(&receipt).unwrap()).unwrap();
        prop_assert_eq!(&stored, &receipt);
        // Who holds nothing pays no less.
        let bare = fare(&billing, &ride, &left, helmet_missing, &Benefits::default());
        prop_assert!(receipt.pay_cents + receipt.held_back_cents <= bare.pay_cents + bare.held_back_cents);
    }

    #[test]
    fn who_rides_longer_or_farther_pays_no_less(
        billing in any_billing(),
        time_s in 0_i64..200_000,
        more_s in 0_i64..50_000,
        distance_m in 0_i64..60_000,
        more_m in 0_i64..9_000,
        left in any_left(),
        helmet_missing in any::<bool>(),
        held in any_benefits(),
    ) {
        let of = |time_s, distance_m| {
            let receipt = fare(&billing, &ride(time_s, distance_m), &left, helmet_missing, &held);
            (receipt.origin_cents, receipt.pay_cents + receipt.held_back_cents)
        };
        let (short, long) = (of(time_s, distance_m), of(time_s + more_s, distance_m + more_m));
        prop_assert!(short.0 <= long.0, "{} then {}", short.0, long.0);
        prop_assert!(short.1 <= long.1, "{} then {}", short.1, long.1);
    }

    #[test]
    fn a_discount_card_alone_is_like_an_area_of_its_billing(
        area in any_billing(),
        own in any_billing(),
        time_s in 0_i64..200_000,
        distance_m in 0_i64..60_000,
        left in any_left(),
    ) {
        let times = [MORNING, MORNING.plus_millis(1)];
        let card = DiscountCard { begin_at: times[0], end_at: times[1], billing: own.clone() };
        let held = Benefits { discount_card: Some(Box::new(card)), ..Benefits::default() };
        let ride = ride(time_s, distance_m);
        let mut carded = fare(&area, &ride, &left, false, &held);
        prop_assert_eq!(carded.lines.remove(0).rule, FareRule::OwnBilling);
        prop_assert_eq!(carded, fare(&own, &ride, &left, false, &Benefits::default()));
    }
}
