//! Settings: each bound, from both sides.

use kernel::Refusal;

use super::billing::{BANDS_MAX, Billing, BillingRefusal as B, DAY_S, ReturnPrices, TimeBand};
use super::config::Setting;
use super::pay_rules::{PayRules, PayRulesRefusal as P};
use super::return_rules::{ReturnRules, ReturnRulesRefusal as R};
use super::riding_permission::{RidingPermission, RidingPermissionRefusal as Q};
use super::use_rules::{RechargeFor, UseRefusal, UseRules, UseRulesRefusal as U, Wanting, age_on};
use vocabulary::{Cents, Timestamp};

/// The code of its refusal; nothing: it may stand.
fn refused<T: Setting>(change: impl FnOnce(&mut T)) -> Option<&'static str> {
    let mut said = T::default();
    change(&mut said);
    said.checked().err().map(|fault| fault.code())
}

#[test]
fn a_price_is_from_nothing_to_a_thousand_yuan() {
    let why = Some(B::Price.code());
    assert_eq!(refused(|b: &mut Billing| b.cycle_cents = -1), why);
    assert_eq!(refused(|b: &mut Billing| b.cycle_cents = 100_001), why);
    assert_eq!(refused(|b: &mut Billing| b.cycle_cents = 100_000), None);
    assert_eq!(refused(|b: &mut Billing| b.day_cap_cents = 0), None);
    assert_eq!(refused(|b: &mut Billing| b.per_km_cents = -1), why);
    assert_eq!(refused(|b: &mut Billing| b.base_distance_cents = -1), why);
    assert_eq!(refused(|b: &mut Billing| b.base_time_cents = 100_001), why);
    let each: [fn(&mut ReturnPrices) -> &mut i64; 6] = [
        |r| &mut r.small_penalty_cents,
        |r| &mut r.large_penalty_cents,
        |r| &mut r.no_stop_cents,
        |r| &mut r.out_of_service_cents,
        |r| &mut r.no_ride_cents,
        |r| &mut r.helmet_cents,
    ];
    for price in each {
        assert_eq!(refused(|b: &mut Billing| *price(&mut b.returned) = -1), why);
        assert_eq!(refused(|b: &mut Billing| *price(&mut b.returned) = 100_001), why);
    }
}

#[test]
fn times_distances_and_percents_of_a_billing_have_bounds() {
    let why = Some(B::Time.code());
    assert_eq!(refused(|b: &mut Billing| b.free_time_s = -1), why);
    assert_eq!(refused(|b: &mut Billing| b.base_time_s = DAY_S + 1), why);
    assert_eq!(refused(|b: &mut Billing| b.base_time_s = DAY_S), None);
    let why = Some(B::Cycle.code());
    assert_eq!(refused(|b: &mut Billing| b.cycle_s = 59), why);
    assert_eq!(refused(|b: &mut Billing| b.cycle_s = DAY_S + 1), why);
    assert_eq!(refused(|b: &mut Billing| b.cycle_s = 60), None);
    let why = Some(B::Distance.code());
    assert_eq!(refused(|b: &mut Billing| b.free_distance_m = -1), why);
    assert_eq!(refused(|b: &mut Billing| b.base_distance_m = 100_001), why);
    assert_eq!(refused(|b: &mut Billing| b.returned.large_distance_m = -1), why);
    let why = Some(B::Discount.code());
    assert_eq!(refused(|b: &mut Billing| b.discount_percent = 0), why);
    assert_eq!(refused(|b: &mut Billing| b.discount_percent = 101), why);
    assert_eq!(refused(|b: &mut Billing| b.discount_percent = 1), None);
    let why = Some(B::Guard.code());
    assert_eq!(refused(|b: &mut Billing| b.max_order_cents = 199), why, "below the basic price of 200");
    assert_eq!(refused(|b: &mut Billing| b.max_order_cents = 200), None);
    assert_eq!(refused(|b: &mut Billing| b.max_order_cents = 100_001), why);
    assert_eq!(refused(|b: &mut Billing| (b.base_time_cents, b.max_order_cents) = (0, 99)), why);
    assert_eq!(
        refused(|b: &mut Billing| b.returned.small_penalty_cents = 1_001),
        Some(B::LargeIsSmall.code())
    );
    assert_eq!(refused(|b: &mut Billing| b.explain = "字".repeat(501)), Some(B::Explain.code()));
}

#[test]
fn bands_lie_in_the_day_apart_and_come_in_order() {
    let band = |from_min, until_min| TimeBand { from_min, until_min, percent: 150 };
    let with = |bands: Vec<TimeBand>| refused(|b: &mut Billing| b.bands = bands);
    let why = Some(B::Bands.code());
    assert_eq!(with(vec![band(600, 600)]), why);
    assert_eq!(with(vec![band(0, 1_441)]), why);
    assert_eq!(with(vec![band(0, 61), band(60, 90)]), why);
    assert_eq!(with(vec![TimeBand { percent: 0, ..band(0, 60) }]), why);
    assert_eq!(with(vec![TimeBand { percent: 501, ..band(0, 60) }]), why);
    assert_eq!(with((0..=BANDS_MAX as u16).map(|n| band(n * 60, n * 60 + 60)).collect()), why);
    assert_eq!(with((0..BANDS_MAX as u16).map(|n| band(n * 60, n * 60 + 60)).collect()), None);
    let mixed = Billing { bands: vec![band(60, 1_440), band(0, 60)], ..Billing::default() };
    assert_eq!(mixed.checked().unwrap().bands, [band(0, 60), band(60, 1_440)]);
}

#[test]
fn rules_of_returning_have_bounds() {
    assert_eq!(refused(|r: &mut ReturnRules| r.camera_angle_degrees = 91), Some(R::Angle.code()));
    assert_eq!(refused(|r: &mut ReturnRules| r.camera_angle_degrees = 90), None);
    assert_eq!(refused(|r: &mut ReturnRules| r.camera_impunity_count = 101), Some(R::Impunity.code()));
    assert_eq!(refused(|r: &mut ReturnRules| r.camera_impunity_count = 100), None);
}

#[test]
fn rules_of_use_have_bounds() {
    let why = Some(U::Recharge.code());
    assert_eq!(refused(|u: &mut UseRules| u.recharge_first = true), why, "of nothing");
    assert_eq!(refused(|u: &mut UseRules| (u.recharge_first, u.recharge_cents) = (true, 1)), None);
    assert_eq!(refused(|u: &mut UseRules| u.recharge_cents = -1), why);
    assert_eq!(refused(|u: &mut UseRules| u.recharge_cents = 100_001), why);
    let why = Some(U::Face.code());
    assert_eq!(refused(|u: &mut UseRules| u.face_percent = 49), why);
    assert_eq!(refused(|u: &mut UseRules| u.face_percent = 101), why);
    assert_eq!(refused(|u: &mut UseRules| u.face_valid_days = 366), why);
    let why = Some(U::Lasts.code());
    assert_eq!(refused(|u: &mut UseRules| u.ride_max_s = 59), why);
    assert_eq!(refused(|u: &mut UseRules| u.ride_max_s = 86_401), why);
    assert_eq!(refused(|u: &mut UseRules| u.pause_max_s = 59), why);
    assert_eq!(refused(|u: &mut UseRules| u.edge_warned_m = 1_001), Some(U::Edge.code()));
    let why = Some(U::Age.code());
    assert_eq!(refused(|u: &mut UseRules| u.min_age = 15), why, "the law says so");
    assert_eq!(refused(|u: &mut UseRules| u.max_age = 101), why);
    assert_eq!(refused(|u: &mut UseRules| (u.min_age, u.max_age) = (40, 39)), why);
    assert_eq!(refused(|u: &mut UseRules| (u.min_age, u.max_age) = (40, 40)), None);
    assert_eq!(refused(|u: &mut UseRules| u.battery_min_percent = 91), Some(U::Battery.code()));
}

#[test]
fn rules_of_paying_have_bounds() {
    for hours in [0, 721] {
        assert_eq!(refused(|p: &mut PayRules| p.remind_interval_h = hours), Some(P::Interval.code()));
    }
    for times in [0, 31] {
        assert_eq!(refused(|p: &mut PayRules| p.reminders_max = times), Some(P::Reminders.code()));
    }
}

#[test]
fn some_way_to_ride_is_always_open() {
    assert_eq!(refused(|q: &mut RidingPermission| q.free = false), Some(Q::NoWay.code()));
    assert_eq!(refused(|q: &mut RidingPermission| (q.free, q.zhima_score) = (false, true)), None);
    assert_eq!(refused(|q: &mut RidingPermission| q.deposit_cents = 0), Some(Q::Deposit.code()));
    assert_eq!(refused(|q: &mut RidingPermission| q.deposit_cents = 100_001), Some(Q::Deposit.code()));
}

#[test]
fn somebody_is_as_old_as_on_the_day_in_shanghai() {
    let at = |text: &str| {
        Timestamp::from_millis(chrono::DateTime::parse_from_rfc3339(text).unwrap().timestamp_millis())
    };
    let (born, now) = ("350203201011260012", at("2026-11-25T12:00:00+08:00"));
    assert_eq!(age_on(born, at("2026-11-25T23:59:59+08:00")), Some(15));
    assert_eq!(age_on(born, at("2026-11-26T00:00:00+08:00")), Some(16), "still the day before elsewhere");
    assert_eq!(age_on(born, at("2010-11-25T12:00:00+08:00")), Some(0));
    assert_eq!(
        (age_on("35020320", now), age_on("三五", now), age_on("350203abcdefgh0012", now)),
        (None, None, None)
    );
}

#[test]
fn a_bike_is_handed_out_to_who_is_old_enough_and_has_charged_his_wallet() {
    let rules = UseRules { recharge_cents: 500, ..UseRules::default() };
    let who = |age| Wanting { age: Some(age), is_newcomer: false, recharge_cents: 0 };
    assert_eq!(rules.admit(&who(15)), Err(UseRefusal::TooYoung(16)));
    assert_eq!((rules.admit(&who(16)), rules.admit(&who(70))), (Ok(()), Ok(())));
    assert_eq!(rules.admit(&who(71)), Err(UseRefusal::TooOld(70)));
    assert_eq!(rules.admit(&Wanting { age: None, ..who(0) }), Ok(()), "nobody knows any more");
    let asks = UseRules { recharge_first: true, ..rules };
    let short = Err(UseRefusal::RechargeFirst(Cents(500)));
    assert_eq!(asks.admit(&who(30)), short);
    assert_eq!(asks.admit(&Wanting { recharge_cents: 500, ..who(30) }), Ok(()));
    let of_newcomers = UseRules { recharge_for: RechargeFor::Newcomers, ..asks };
    assert_eq!(of_newcomers.admit(&who(30)), Ok(()));
    assert_eq!(of_newcomers.admit(&Wanting { is_newcomer: true, ..who(30) }), short);
    assert_eq!(of_newcomers.suffices(19), Err(UseRefusal::LowBattery { now: 19, least: 20 }));
    assert_eq!(of_newcomers.suffices(20), Ok(()));
}
