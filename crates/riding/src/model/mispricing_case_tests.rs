//! Cases of orders that a wrong version priced.

use kernel::Event;
use proptest::prelude::*;
use serde_json::json;
use vocabulary::{FenceId, RiderId};

use super::*;
use crate::model::mispricing::MispricingSubject;

const NOW: Timestamp = Timestamp::from_millis(1_795_140_000_000);

fn order(number: i64, lower_cents: i64, back_cents: i64) -> Mispriced {
    Mispriced {
        order_id: RideOrderId(number),
        rider_id: RiderId(number % 3),
        priced_cents: 1_000,
        should_cents: 1_000 - lower_cents - back_cents,
        due: Due { lower_cents, back_cents },
    }
}

fn finding(orders: Vec<Mispriced>) -> Finding {
    let (subject, fence_id) = (MispricingSubject::Fence, Some(FenceId(9)));
    Finding {
        mispricing_id: MispricingId(5),
        agent_id: AgentId(6),
        area_id: AreaId(7),
        wrong: Wrong { subject, fence_id, version: 2, instead: None },
        name: "东门".to_owned(),
        from: NOW.plus_millis(-1_000),
        until: NOW,
        examined: 12,
        is_capped: false,
        orders: orders.into(),
        higher_orders: 0,
        higher_cents: 0,
        higher: Vec::new().into(),
    }
}

fn done(case: &mut Mispricing, command: MispricingCommand) -> Result<(), MispricingRefusal> {
    for event in case.decide(command, NOW)? {
        case.evolve(&event);
    }
    Ok(())
}

fn refund() -> MispricingCommand {
    MispricingCommand::Refund { to: BackTo::Original, reason: " 围栏画错 ".to_owned() }
}

fn settle(number: i64) -> MispricingCommand {
    let outcome = Outcome::Given { lower_cents: 0, back_cents: 5 };
    MispricingCommand::Settle { order_id: RideOrderId(number), outcome }
}

#[test]
fn each_order_is_settled_once_and_the_last_ends_the_case() {
    let mut case = Mispricing::default();
    assert_eq!(done(&mut case, refund()), Err(Refusal::Unknown));
    done(&mut case, MispricingCommand::Find(Box::new(finding(vec![order(1, 0, 5), order(2, 3, 0)]))))
        .unwrap();
    let not_now = Refusal::NotNow { now: "待退还", act: "退还订单" };
    assert_eq!(done(&mut case, settle(1)), Err(not_now), "nobody decided yet");
    done(&mut case, refund()).unwrap();
    assert_eq!(case.refund(), Some((BackTo::Original, "围栏画错")));
    assert_eq!(done(&mut case, refund()), Err(Refusal::NotNow { now: "退还中", act: "退还" }));
    done(&mut case, settle(1)).unwrap();
    assert_eq!(done(&mut case, settle(1)), Err(Refusal::Settled));
    assert_eq!(done(&mut case, settle(3)), Err(Refusal::NotOfIt));
    assert_eq!(case.waiting().map(|one| one.order_id.0).collect::<Vec<_>>(), [2]);
    done(&mut case, settle(2)).unwrap();
    assert_eq!((case.state(), case.waiting().count()), (MispricingState::Done, 0));
    assert_eq!(done(&mut case, settle(2)), Err(Refusal::Settled));
}

#[test]
fn what_is_discarded_or_empty_is_not_given_back() {
    let mut case = Mispricing::default();
    done(&mut case, MispricingCommand::Find(Box::new(finding(Vec::new())))).unwrap();
    assert_eq!(done(&mut case, refund()), Err(Refusal::Nothing));
    done(&mut case, MispricingCommand::Discard).unwrap();
    assert_eq!(
        done(&mut case, MispricingCommand::Discard),
        Err(Refusal::NotNow { now: "已作废", act: "作废" })
    );
    let again = MispricingCommand::Find(Box::new(finding(Vec::new())));
    assert_eq!(done(&mut case, again), Err(Refusal::Exists));
}

#[test]
fn a_finding_is_bounded_and_in_order() {
    for orders in [
        vec![order(2, 0, 5), order(1, 0, 5)],
        vec![order(1, 0, 5), order(1, 0, 5)],
        vec![order(1, 0, 0)],
        vec![order(1, -1, 5)],
        (0..=ORDERS_MAX as i64).map(|number| order(number, 0, 5)).collect(),
    ] {
        let refused = done(&mut Mispricing::default(), MispricingCommand::Find(Box::new(finding(orders))));
        assert_eq!(refused, Err(Refusal::Unsound));
    }
}

#[test]
fn the_largest_case_fits_into_an_event() {
    let far = 7_400_000_000_000_000_000;
    let largest = |number| Mispriced {
        rider_id: RiderId(far),
        priced_cents: 10_000_000,
        ..order(far + number, 0, 9_999_999)
    };
    let all = Finding {
        higher: (0..HIGHER_MAX as i64).map(largest).collect(),
        ..finding((0..ORDERS_MAX as i64).map(largest).collect())
    };
    let event = MispricingEvent::Found { finding: Box::new(all), at: NOW };
    let bytes = serde_json::to_vec(&event).unwrap().len();
    assert!(bytes < 600 * 1024, "{bytes}");
}

#[test]
fn events_are_stored_as_they_always_were() {
    let outcome = |outcome| MispricingEvent::Settled { order_id: RideOrderId(1), outcome, at: NOW };
    for (event, stored) in [
        (
            MispricingEvent::RefundBegun { to: BackTo::Wallet, reason: "错".to_owned(), at: NOW },
            json!({"type": "mispricing.refund_begun", "data": {"to": "wallet", "reason": "错", "at": NOW}}),
        ),
        (
            outcome(Outcome::Given { lower_cents: 1, back_cents: 2 }),
            json!({"type": "mispricing.settled", "data": {"order_id": "1",
                "outcome": {"given": {"lower_cents": 1, "back_cents": 2}}, "at": NOW}}),
        ),
        (
            outcome(Outcome::Overtaken("变".to_owned())),
            json!({"type": "mispricing.settled", "data": {"order_id": "1", "outcome": {"overtaken": "变"}, "at": NOW}}),
        ),
        (
            MispricingEvent::Discarded { at: NOW },
            json!({"type": "mispricing.discarded", "data": {"at": NOW}}),
        ),
        (
            MispricingEvent::Found { finding: Box::new(finding(vec![order(1, 0, 5)])), at: NOW },
            json!({"type": "mispricing.found", "data": {"finding": {
                "mispricing_id": "5", "agent_id": "6", "area_id": "7",
                "wrong": {"subject": 2, "fence_id": "9", "version": 2}, "name": "东门",
                "from": NOW.plus_millis(-1_000), "until": NOW, "examined": 12, "is_capped": false,
                "orders": [[1, 1, 1_000, 995, 0, 5]], "higher_orders": 0, "higher_cents": 0, "higher": []}, "at": NOW}}),
        ),
    ] {
        assert_eq!(serde_json::to_value(&event).unwrap(), stored, "{}", event.stored_type());
        assert_eq!(serde_json::from_value::<MispricingEvent>(stored).unwrap(), event);
    }
}

proptest! {
    /// The sums of a case are those of its orders.
    #[test]
    fn sums_are_those_of_the_rows(dues in prop::collection::vec((0..9_000_i64, 1..9_000_i64), 0..40)) {
        let orders: Vec<Mispriced> =
            dues.iter().enumerate().map(|(number, (lower, back))| order(number as i64, *lower, *back)).collect();
        let all = finding(orders);
        let lower_cents = dues.iter().map(|(lower, _)| lower).sum();
        let back_cents = dues.iter().map(|(_, back)| back).sum();
        prop_assert_eq!(all.sums(), Due { lower_cents, back_cents });
        prop_assert_eq!(all.riders(), dues.len().min(3));
    }
}
