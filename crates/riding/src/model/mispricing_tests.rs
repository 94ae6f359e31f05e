//! What a wrong version made orders cost.

use geofence::atlas::{Area, Fence, Span};
use geofence::{Ban, Circle, Parking, Proof, Ring, Rule, Shape};
use proptest::prelude::*;
use vocabulary::{AreaId, Cents, Datum, Timestamp, Wgs84};

use super::*;
use crate::model::fare::{Benefits, Ridden};

const AREA: AreaId = AreaId(7);
const START: Timestamp = Timestamp::from_millis(1_795_140_000_000);
const MIDDLE: [f64; 2] = [118.1, 24.1];

fn area(side: f64) -> Area {
    let corners = [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]]
        .map(|[x, y]| [118.1 + x * side, 24.1 + y * side]);
    Area {
        id: AREA,
        data_version: 1,
        ring: Ring::draw_area(&corners, Datum::Wgs84).unwrap(),
        span: Span::EVER,
        opened_at: Some(Span::EVER.from),
    }
}

fn fence(id: i64, radius_m: f64, rule: Rule) -> Fence {
    let shape = Shape::Circle(Circle::draw(MIDDLE, radius_m, Datum::Wgs84).unwrap());
    Fence { id: FenceId(id), data_version: 1, area: AREA, shape, rule, span: Span::EVER }
}

fn parking(radius_m: f64) -> Fence {
    fence(1, radius_m, Rule::Parking(Parking { buffer_m: 0.0, ..Parking::default() }))
}

fn ban(radius_m: f64, cents: i64) -> Fence {
    fence(2, radius_m, Rule::NoStop(Ban { penalty_cents: Some(Cents(cents)), ..Ban::default() }))
}

fn atlas(fences: Vec<Fence>) -> Atlas {
    Atlas::new(vec![area(0.1)], fences)
}

/// So many metres east of the middle.
fn stop(east_m: f64) -> Stop {
    let place = Wgs84::new(MIDDLE[1], MIDDLE[0] + east_m / 101_600.0).unwrap();
    Stop::new(place, START, 0.0, Some(AREA))
}

fn priced(billing: &Billing, left: Left) -> Pricing {
    let ridden = Ridden { start_at: START, end_at: START.plus_millis(12 * 60_000), distance_m: 1_500 };
    let benefits = Benefits::default();
    let receipt = fare(billing, &ridden, &left, false, &benefits);
    Pricing { billing_version: 0, ridden, left, helmet_missing: false, benefits, receipt }
}

/// What an order should have cost that was judged by `was`, in cents more than the ride itself.
fn tried(was: &Atlas, instead: &Atlas, at: &Stop, let_off: bool) -> Option<i64> {
    let billing = Billing::default();
    let judged = was.judge(at, |_| 0);
    let order = priced(&billing, if let_off { Left::Well } else { left(&judged) });
    let retrial = Retrial::Places { billing: &billing, was, instead };
    let ride_cents = priced(&billing, Left::Well).receipt.pay_cents;
    should_cost(&retrial, &order, Some(at), judged.class).map(|cents| cents - ride_cents)
}

#[test]
fn a_ban_that_should_not_have_been_there_costs_nothing() {
    let was = atlas(vec![parking(80.0), ban(100.0, 2_000)]);
    let (without, smaller) = (atlas(vec![parking(80.0)]), atlas(vec![parking(80.0), ban(30.0, 2_000)]));
    assert_eq!(tried(&was, &without, &stop(50.0), false), Some(0));
    assert_eq!(tried(&was, &smaller, &stop(50.0), false), Some(0));
    assert_eq!(tried(&was, &smaller, &stop(10.0), false), None, "it still stands in it");
    assert_eq!(tried(&was, &without, &stop(300.0), false), None, "it never stood in it");
    assert_eq!(tried(&was, &without, &stop(50.0), true), None, "who was let off owes nothing of it");
    let cheaper = atlas(vec![parking(80.0), ban(100.0, 500)]);
    assert_eq!(tried(&was, &cheaper, &stop(50.0), false), Some(500));
}

#[test]
fn a_parking_place_that_was_drawn_too_small_turned_riders_away() {
    let (was, instead) = (atlas(vec![parking(20.0)]), atlas(vec![parking(60.0)]));
    assert_eq!(tried(&was, &instead, &stop(50.0), false), Some(0));
    assert_eq!(tried(&was, &instead, &stop(5.0), false), None);
    let prices = Billing::default().returned;
    assert_eq!(
        tried(&instead, &was, &stop(50.0), false),
        Some(prices.small_penalty_cents),
        "it would have cost"
    );
    assert_eq!(tried(&instead, &atlas(vec![]), &stop(50.0), false), Some(prices.large_penalty_cents));
}

#[test]
fn an_edge_that_was_drawn_too_narrow_is_judged_again() {
    let was = Atlas::new(vec![area(0.0001)], vec![parking(80.0)]);
    let instead = atlas(vec![parking(80.0)]);
    assert_eq!(tried(&was, &instead, &stop(50.0), false), Some(0));
}

#[test]
fn who_was_charged_for_a_proof_is_not_once_it_is_asked_for_no_more() {
    let asking = |proofs: Vec<Proof>| {
        atlas(vec![fence(1, 80.0, Rule::Parking(Parking { proofs, buffer_m: 0.0, ..Parking::default() }))])
    };
    let (was, without) = (asking(vec![Proof::Beacon]), asking(vec![]));
    let billing = Billing::default();
    let order = priced(&billing, Left::Outside { parking_m: Some(0.0), difficulty_percent: 100 });
    let again = |instead: &Atlas| {
        let retrial = Retrial::Places { billing: &billing, was: &was, instead };
        should_cost(&retrial, &order, Some(&stop(5.0)), ReturnClass::Parked)
    };
    assert_eq!(again(&without), Some(priced(&billing, Left::Well).receipt.pay_cents));
    assert_eq!(again(&asking(vec![Proof::Beacon, Proof::Rfid])), None);
}

#[test]
fn an_order_whose_fences_are_not_those_of_its_judgement_is_left() {
    let was = atlas(vec![parking(80.0), ban(100.0, 2_000)]);
    let (billing, order) = (Billing::default(), priced(&Billing::default(), Left::OutOfService));
    let retrial = Retrial::Places { billing: &billing, was: &was, instead: &atlas(vec![]) };
    assert_eq!(should_cost(&retrial, &order, Some(&stop(50.0)), ReturnClass::OutsideArea), None);
    assert_eq!(should_cost(&retrial, &order, None, ReturnClass::NoStop), None, "nobody knows where it stood");
}

#[test]
fn what_is_due_lowers_a_debt_first_and_gives_back_the_rest() {
    let paying = |pay_cents, paid_cents, refunded_cents, written_off_cents| Paying {
        pay_cents,
        paid_cents,
        refunded_cents,
        written_off_cents,
    };
    for (of, should_cents, lower_cents, back_cents) in [
        (paying(1_200, 1_200, 0, 0), 200, 0, 1_000),
        (paying(1_200, 0, 0, 0), 200, 1_000, 0),
        (paying(1_200, 700, 0, 0), 200, 500, 500),
        (paying(1_200, 1_200, 1_000, 0), 200, 0, 0),
        (paying(1_200, 1_200, 300, 0), 200, 0, 700),
        (paying(1_200, 0, 0, 1_200), 200, 0, 0),
        (paying(200, 200, 0, 0), 200, 0, 0),
        (paying(200, 200, 0, 0), 900, 0, 0),
    ] {
        assert_eq!(of.due(should_cents), Due { lower_cents, back_cents }, "{of:?}");
    }
}

#[test]
fn what_would_have_cost_more_is_told_and_never_charged() {
    let paid = Paying { pay_cents: 200, paid_cents: 200, ..Paying::default() };
    assert_eq!(verdict(200, &paid, 900), Verdict::Higher);
    assert_eq!(verdict(200, &paid, 200), Verdict::Nothing);
    assert_eq!(verdict(200, &paid, 150), Verdict::Due(Due { lower_cents: 0, back_cents: 50 }));
    let lowered = Paying { pay_cents: 100, paid_cents: 100, ..Paying::default() };
    assert_eq!(verdict(200, &lowered, 150), Verdict::Nothing, "somebody lowered it before");
}

#[test]
fn an_order_of_a_case_is_stored_as_six_numbers() {
    let due = Due { lower_cents: 5, back_cents: 6 };
    let one =
        Mispriced { order_id: RideOrderId(1), rider_id: RiderId(2), priced_cents: 3, should_cents: 4, due };
    let stored = serde_json::to_value(one).unwrap();
    assert_eq!(stored, serde_json::json!([1, 2, 3, 4, 5, 6]));
    assert_eq!(serde_json::from_value::<Mispriced>(stored).unwrap(), one);
}

#[test]
fn a_version_is_wrong_for_another_one() {
    let wrong = |subject, fence, instead| Wrong { subject, fence_id: fence, version: 3, instead };
    let fence = Some(FenceId(9));
    for (one, is_sound) in [
        (wrong(MispricingSubject::Billing, None, Some(2)), true),
        (wrong(MispricingSubject::Billing, None, Some(3)), false),
        (wrong(MispricingSubject::Billing, None, None), false),
        (wrong(MispricingSubject::Billing, fence, Some(2)), false),
        (wrong(MispricingSubject::Fence, fence, None), true),
        (wrong(MispricingSubject::Fence, fence, Some(3)), false),
        (wrong(MispricingSubject::Fence, None, Some(2)), false),
        (wrong(MispricingSubject::Edge, None, Some(2)), true),
        (wrong(MispricingSubject::Edge, None, None), false),
    ] {
        assert_eq!(one.is_sound(), is_sound, "{one:?}");
    }
}

proptest! {
    /// Nobody gets back more than he paid, nor is a debt lowered below what was paid; what was due once is due no more.
    #[test]
    fn never_more_goes_back_than_was_paid(
        pay in 0..10_000_i64, paid_percent in 0..=100_i64, back_percent in 0..=100_i64, off in any::<bool>(),
        should in -5..12_000_i64,
    ) {
        let paid_cents = pay * paid_percent / 100;
        let refunded_cents = if paid_cents == pay { paid_cents * back_percent / 100 } else { 0 };
        let written_off_cents = if off { pay - paid_cents } else { 0 };
        let before = Paying { pay_cents: pay, paid_cents, refunded_cents, written_off_cents };
        let due = before.due(should);
        prop_assert!(due.lower_cents >= 0 && due.back_cents >= 0);
        prop_assert!(due.back_cents <= paid_cents - refunded_cents);
        prop_assert!(due.lower_cents <= pay - paid_cents - written_off_cents);
        let after = Paying {
            pay_cents: pay - due.lower_cents,
            refunded_cents: refunded_cents + due.back_cents,
            ..before
        };
        prop_assert_eq!(after.borne_cents(), before.borne_cents().min(should.max(0)).max(after.borne_cents().min(0)));
        prop_assert_eq!(after.due(should), Due::default());
        if due.back_cents > 0 {
            prop_assert_eq!(due.lower_cents, pay - paid_cents - written_off_cents);
        }
    }

    /// By the same billing every order costs what it did.
    #[test]
    fn the_same_version_changes_nothing(minutes in 0..300_i64, metres in 0..20_000_i64, base in 0..500_i64) {
        let billing = Billing { base_time_cents: base, ..Billing::default() };
        let ridden = Ridden { start_at: START, end_at: START.plus_millis(minutes * 60_000), distance_m: metres };
        let receipt = fare(&billing, &ridden, &Left::OutOfService, false, &Benefits::default());
        let order = Pricing { ridden, receipt, ..priced(&billing, Left::OutOfService) };
        let again = should_cost(&Retrial::Billing(&billing), &order, None, ReturnClass::OutsideArea).unwrap();
        let paid = Paying { pay_cents: again, paid_cents: again, ..Paying::default() };
        prop_assert_eq!(verdict(order.receipt.pay_cents, &paid, again), Verdict::Nothing);
    }

    /// By the same fences no order is judged otherwise.
    #[test]
    fn the_same_fences_change_nothing(east_m in 0.0..400.0_f64, radius_m in 10.0..200.0_f64) {
        let one = atlas(vec![parking(40.0), ban(radius_m, 2_000)]);
        prop_assert_eq!(tried(&one, &one, &stop(east_m), false), None);
    }
}
