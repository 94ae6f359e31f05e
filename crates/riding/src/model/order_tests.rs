//! What an order must never do.

use geofence::judge::ReturnClass;
use kernel::{Aggregate, Claim};
use proptest::prelude::*;
use vocabulary::{AgentId, AreaId, Day, RideOrderId, RiderId, Timestamp};

use super::anomaly::{AnomalyKind, DeviceFacts, Reconciliation};
use super::billing::Billing;
use super::fare::{Benefits, Left, Ridden, fare};
use super::order::{
    CancelReason, End, EndKind, Evidence, MISTAKE_MS, Opened, Order, OrderCommand, OrderEvent, OrderRefusal,
    PayState, Pricing, RESERVED_MS, Share,
};
use super::pay_rules::{PayRules, RemindWay};

const NOW: Timestamp = Timestamp::from_millis(1_790_000_000_000);

fn opened() -> Opened {
    Opened {
        order_id: RideOrderId(9),
        rider_id: RiderId(7),
        car_id: "WH0001".to_owned(),
        imei: "860000000000001".to_owned(),
        agent_id: AgentId(2),
        area_id: AreaId(3),
        place: None,
        rider_place: None,
    }
}

fn unlock() -> OrderCommand {
    OrderCommand::Unlock { opened: opened(), billing_version: 1 }
}

fn at(order: &mut Order, now: Timestamp, command: OrderCommand) -> Result<Vec<OrderEvent>, OrderRefusal> {
    let events = order.decide(command, now)?;
    for event in &events {
        order.evolve(event);
    }
    Ok(events)
}

fn act(order: &mut Order, command: OrderCommand) -> Result<Vec<OrderEvent>, OrderRefusal> {
    at(order, NOW, command)
}

fn riding() -> Order {
    let mut order = Order::default();
    act(&mut order, unlock()).unwrap();
    act(&mut order, OrderCommand::Begin).unwrap();
    order
}

fn end(at: Timestamp) -> End {
    End {
        at,
        kind: EndKind::Rider,
        place: None,
        distance_m: 2_000,
        class: ReturnClass::Parked,
        fence: None,
        certainty_percent: 100,
        evidence: Evidence::default(),
    }
}

fn pricing(minutes: i64) -> Pricing {
    let ridden = Ridden { start_at: NOW, end_at: NOW.plus_millis(minutes * 60_000), distance_m: 2_000 };
    let receipt = fare(&Billing::default(), &ridden, &Left::Well, false, &Benefits::default());
    Pricing {
        billing_version: 1,
        ridden,
        left: Left::Well,
        helmet_missing: false,
        benefits: Benefits::default(),
        receipt,
    }
}

/// An order of 4 yuan.
fn unpaid() -> Order {
    let mut order = riding();
    act(&mut order, OrderCommand::Return(end(NOW.plus_millis(30 * 60_000)))).unwrap();
    act(&mut order, OrderCommand::Price(pricing(30))).unwrap();
    assert_eq!((order.state(), order.pay_cents()), (PayState::Unpaid, 400));
    order
}

const fn wallet(recharge_cents: i64, present_cents: i64) -> Share {
    Share { recharge_cents, present_cents, third_cents: 0 }
}

fn pay(share: Share) -> OrderCommand {
    OrderCommand::Pay { share, channel: 0, payment: None }
}

fn refund(share: Share) -> OrderCommand {
    OrderCommand::Refund { share, reason: "车辆故障".to_owned() }
}

fn taken(order: &Order, event: &OrderEvent) -> Vec<String> {
    let told = |claim| match claim {
        Claim::Take { key, .. } => format!("+{key}"),
        Claim::Release { key } => format!("-{key}"),
    };
    order.claims(event).into_iter().map(told).collect()
}

#[test]
fn rider_and_bike_are_taken_from_the_reservation_to_the_end() {
    let mut order = Order::default();
    let reserve = order.decide(OrderCommand::Reserve(opened()), NOW).unwrap();
    assert_eq!(taken(&order, &reserve[0]), ["+riding-rider:7", "+riding-car:WH0001"]);
    act(&mut order, OrderCommand::Reserve(opened())).unwrap();
    let events = order.decide(unlock(), NOW).unwrap();
    assert!(taken(&order, &events[0]).is_empty(), "they are taken already");
    act(&mut order, unlock()).unwrap();
    act(&mut order, OrderCommand::Begin).unwrap();
    let events = order.decide(OrderCommand::Return(end(NOW)), NOW).unwrap();
    assert_eq!(taken(&order, &events[0]), ["-riding-rider:7", "-riding-car:WH0001"]);
}

#[test]
fn a_reservation_is_its_riders_alone_and_runs_out() {
    let mut order = Order::default();
    act(&mut order, OrderCommand::Reserve(opened())).unwrap();
    let stranger = Opened { rider_id: RiderId(8), ..opened() };
    let theirs = OrderCommand::Unlock { opened: stranger, billing_version: 1 };
    assert_eq!(act(&mut order, theirs), Err(OrderRefusal::Other));
    let expire = || OrderCommand::Cancel { why: CancelReason::Expired };
    assert_eq!(at(&mut order, NOW.plus_millis(RESERVED_MS - 1), expire()), Err(OrderRefusal::NotExpired));
    at(&mut order, NOW.plus_millis(RESERVED_MS), expire()).unwrap();
    assert_eq!(order.state(), PayState::Cancelled);
}

#[test]
fn a_lock_that_does_not_answer_costs_nothing() {
    let mut order = Order::default();
    act(&mut order, unlock()).unwrap();
    assert_eq!(act(&mut order, OrderCommand::Pause), Err(OrderRefusal::Unlocking));
    assert_eq!(act(&mut order, OrderCommand::Return(end(NOW))), Err(OrderRefusal::Unlocking));
    act(&mut order, OrderCommand::Cancel { why: CancelReason::NoAnswer }).unwrap();
    assert_eq!((order.state(), order.owed_cents()), (PayState::Cancelled, 0));
    // The answer came late: there is no ride any more.
    let late = OrderRefusal::NotNow { now: "已取消", act: "开始骑行" };
    assert_eq!(act(&mut order, OrderCommand::Begin), Err(late));
}

#[test]
fn a_ride_is_called_off_in_its_first_two_minutes_alone() {
    let mistake = || OrderCommand::Cancel { why: CancelReason::Mistake };
    let mut order = riding();
    assert_eq!(at(&mut order, NOW.plus_millis(MISTAKE_MS), mistake()), Err(OrderRefusal::NotAMistake));
    at(&mut order, NOW.plus_millis(MISTAKE_MS - 1), mistake()).unwrap();
    assert_eq!(order.state(), PayState::Cancelled);
}

#[test]
fn what_costs_nothing_is_paid() {
    let mut order = riding();
    act(&mut order, OrderCommand::Return(end(NOW))).unwrap();
    let free = Ridden { start_at: NOW, end_at: NOW, distance_m: 0 };
    let receipt = fare(&Billing::default(), &free, &Left::Well, false, &Benefits::default());
    act(&mut order, OrderCommand::Price(Pricing { ridden: free, receipt, ..pricing(0) })).unwrap();
    assert_eq!(order.state(), PayState::Paid);
    assert_eq!(
        act(&mut order, OrderCommand::Price(pricing(30))),
        Err(OrderRefusal::NotNow { now: "已支付", act: "计费" })
    );
}

#[test]
fn a_ride_does_not_end_before_it_began() {
    let mut order = riding();
    assert_eq!(act(&mut order, OrderCommand::Return(end(NOW.plus_millis(-1)))), Err(OrderRefusal::TooEarly));
}

#[test]
fn a_fare_goes_down_but_never_below_what_was_paid() {
    let mut order = unpaid();
    let modify = |pay_cents| OrderCommand::Modify { pay_cents, reason: "优惠".to_owned() };
    assert_eq!(act(&mut order, modify(401)), Err(OrderRefusal::Amount));
    act(&mut order, pay(wallet(150, 0))).unwrap();
    assert_eq!(act(&mut order, modify(149)), Err(OrderRefusal::Amount));
    act(&mut order, modify(150)).unwrap();
    assert_eq!((order.state(), order.owed_cents()), (PayState::Paid, 0));
}

#[test]
fn refunds_end_where_payments_did() {
    let mut order = unpaid();
    assert_eq!(act(&mut order, pay(wallet(401, 0))), Err(OrderRefusal::Amount));
    act(&mut order, pay(wallet(300, 100))).unwrap();
    assert_eq!(act(&mut order, refund(wallet(0, 101))), Err(OrderRefusal::RefundTooMuch { left_cents: 400 }));
    act(&mut order, refund(wallet(200, 0))).unwrap();
    assert_eq!(order.state(), PayState::Paid);
    act(&mut order, refund(wallet(100, 100))).unwrap();
    assert_eq!(order.state(), PayState::Refunded);
    let over = OrderRefusal::NotNow { now: "已全额退款", act: "退款" };
    assert_eq!(act(&mut order, refund(wallet(1, 0))), Err(over));
}

#[test]
fn what_came_through_a_channel_goes_back_first_and_gifts_last() {
    let mut order = unpaid();
    assert!(matches!(order.back(1), Err(OrderRefusal::NotNow { .. })), "nothing was paid");
    act(&mut order, pay(Share { recharge_cents: 150, present_cents: 50, third_cents: 200 })).unwrap();
    let share =
        |third_cents, recharge_cents, present_cents| Share { recharge_cents, present_cents, third_cents };
    assert_eq!((order.back(0), order.back(-1)), (Err(OrderRefusal::Amount), Err(OrderRefusal::Amount)));
    assert_eq!(order.back(401), Err(OrderRefusal::RefundTooMuch { left_cents: 400 }));
    assert_eq!(
        [200, 201, 351, 400].map(|cents| order.back(cents).unwrap()),
        [share(200, 0, 0), share(200, 1, 0), share(200, 150, 1), share(200, 150, 50)]
    );
    act(&mut order, refund(share(200, 100, 0))).unwrap();
    assert_eq!((order.refundable(), order.back(60)), (share(0, 50, 50), Ok(share(0, 50, 10))));
}

#[test]
fn a_reason_is_said_and_moves_nothing() {
    let mut order = riding();
    let note = |reason: &str| OrderCommand::Note { reason: reason.to_owned() };
    assert_eq!(act(&mut order, note(" ")), Err(OrderRefusal::Reason));
    let before = format!("{order:?}");
    assert_eq!(act(&mut order, note("用户来电")).unwrap().len(), 1);
    assert_eq!(format!("{order:?}"), before);
    assert_eq!(act(&mut Order::default(), note("用户来电")), Err(OrderRefusal::Unknown));
}

#[test]
fn what_is_given_up_is_owed_no_more() {
    let mut order = unpaid();
    act(&mut order, pay(wallet(100, 0))).unwrap();
    let events = act(&mut order, OrderCommand::WriteOff { reason: "无法联系".to_owned() }).unwrap();
    assert!(matches!(events[..], [OrderEvent::WrittenOff { amount_cents: 300, .. }]));
    assert_eq!((order.state(), order.owed_cents()), (PayState::Paid, 0));
}

#[test]
fn stored_forms_stay() {
    let mut order = Order::default();
    let events = act(&mut order, unlock()).unwrap();
    let stored = serde_json::to_value(&events[0]).unwrap();
    let opened = serde_json::json!({"order_id": "9", "rider_id": "7", "car_id": "WH0001", "imei": "860000000000001",
        "agent_id": "2", "area_id": "3"});
    let data = serde_json::json!({"opened": opened, "billing_version": 1, "at": NOW.millis()});
    assert_eq!(stored, serde_json::json!({"type": "ride-order.unlock_asked", "data": data}));
    act(&mut order, OrderCommand::Begin).unwrap();
    let events = act(&mut order, OrderCommand::Return(end(NOW))).unwrap();
    let stored = serde_json::to_value(&events[0]).unwrap();
    let end = serde_json::json!({"at": NOW.millis(), "kind": 1, "distance_m": 2000, "class": 0, "certainty_percent": 100,
        "evidence": {}});
    assert_eq!(stored["data"]["end"], end);
}

fn strange() -> OrderCommand {
    let device = DeviceFacts {
        report_at: Some(NOW),
        locked: true,
        lock_open_at: Some(NOW),
        lock_closed_at: Some(NOW),
        ..DeviceFacts::default()
    };
    let found = Reconciliation {
        order_id: RideOrderId(9),
        agent_id: AgentId(2),
        area_id: AreaId(3),
        kind: AnomalyKind::LockClosed,
        since: NOW,
        end_at: NOW,
        device,
        would_cents: 900,
        end_cents: 300,
    };
    OrderCommand::Reconcile { found: Box::new(found), reason: "锁已关".to_owned() }
}

#[test]
fn why_it_ends_is_said_of_an_order_that_runs_and_changes_nothing_itself() {
    assert_eq!(act(&mut Order::default(), strange()), Err(OrderRefusal::Unknown));
    let mut order = Order::default();
    act(&mut order, unlock()).unwrap();
    assert_eq!(act(&mut order, strange()), Err(OrderRefusal::Unlocking));
    act(&mut order, OrderCommand::Begin).unwrap();
    let before = format!("{order:?}");
    let events = act(&mut order, strange()).unwrap();
    assert_eq!(format!("{order:?}"), before);
    let at = NOW.millis();
    let device =
        serde_json::json!({"report_at": at, "locked": true, "lock_open_at": at, "lock_closed_at": at});
    let found = serde_json::json!({"order_id": "9", "agent_id": "2", "area_id": "3", "kind": 1, "since": at, "end_at": at,
        "device": device, "would_cents": 900, "end_cents": 300});
    let data = serde_json::json!({"found": found, "reason": "锁已关", "at": at});
    let stored = serde_json::to_value(&events[0]).unwrap();
    assert_eq!(stored, serde_json::json!({"type": "ride-order.reconciled", "data": data}), "this form stays");
    act(&mut order, OrderCommand::Return(end(NOW))).unwrap();
    assert!(matches!(act(&mut order, strange()), Err(OrderRefusal::NotNow { .. })));
}

#[test]
fn who_owes_is_reminded_each_time_with_its_number_and_who_has_paid_is_not() {
    // Noon in Shanghai, two days later.
    let noon = Day(Day::of(NOW).0 + 2).hour(12);
    let remind = |by_hand| OrderCommand::Remind { rules: PayRules::default(), by_hand };
    let mut order = riding();
    let early = OrderRefusal::NotNow { now: "骑行中", act: "催缴" };
    assert_eq!(at(&mut order, noon, remind(true)), Err(early));
    let mut order = unpaid();
    let first = at(&mut order, noon, remind(false)).unwrap();
    assert_eq!(first, [OrderEvent::Reminded { nth: 1, way: RemindWay::System, at: noon }]);
    assert_eq!(at(&mut order, noon, remind(false)), Err(OrderRefusal::ReminderNotDue), "a second sweep");
    let soon = noon.plus_millis(60_000);
    assert_eq!(at(&mut order, soon, remind(true)), Err(OrderRefusal::RemindedLately));
    let later = noon.plus_millis(3_600_000);
    let by_hand = at(&mut order, later, remind(true)).unwrap();
    assert_eq!(by_hand, [OrderEvent::Reminded { nth: 2, way: RemindWay::System, at: later }]);
    assert_eq!((order.reminders().count, order.reminders().last), (2, Some(later)));
    act(&mut order, pay(wallet(400, 0))).unwrap();
    let over = OrderRefusal::NotNow { now: "已支付", act: "催缴" };
    assert_eq!(at(&mut order, later.plus_millis(86_400_000), remind(false)), Err(over));
}

#[test]
fn a_reminder_is_stored_as_it_always_was() {
    let reminded = OrderEvent::Reminded { nth: 2, way: RemindWay::Sms, at: NOW };
    let stored = serde_json::to_value(&reminded).unwrap();
    let data = serde_json::json!({"nth": 2, "way": 1, "at": NOW.millis()});
    assert_eq!(stored, serde_json::json!({"type": "ride-order.reminded", "data": data}), "this form stays");
    assert_eq!(serde_json::from_value::<OrderEvent>(stored).unwrap(), reminded);
}

fn any_command() -> impl Strategy<Value = OrderCommand> {
    let share = || {
        (-5_i64..300, -5_i64..300, -5_i64..300).prop_map(|(recharge_cents, present_cents, third_cents)| {
            Share { recharge_cents, present_cents, third_cents }
        })
    };
    prop_oneof![
        Just(OrderCommand::Reserve(opened())),
        Just(unlock()),
        Just(OrderCommand::Begin),
        Just(OrderCommand::Cancel { why: CancelReason::Mistake }),
        Just(OrderCommand::Pause),
        Just(OrderCommand::Resume),
        Just(OrderCommand::Return(end(NOW))),
        (0_i64..200).prop_map(|minutes| OrderCommand::Price(pricing(minutes))),
        share().prop_map(pay),
        (-10_i64..1_000).prop_map(|pay_cents| OrderCommand::Modify { pay_cents, reason: "改".to_owned() }),
        share().prop_map(refund),
        Just(OrderCommand::WriteOff { reason: "核".to_owned() }),
        any::<bool>().prop_map(|by_hand| OrderCommand::Remind { rules: PayRules::default(), by_hand }),
    ]
}

proptest! {
    #[test]
    fn whatever_is_asked_the_money_holds(commands in proptest::collection::vec(any_command(), 0..60)) {
        let mut order = Order::default();
        // Half of the time it is a ride that can be paid.
        if commands.len() % 2 == 0 {
            order = unpaid();
        }
        for command in commands {
            let _ = act(&mut order, command);
            let (paid, back) = (order.paid(), order.refunded());
            prop_assert!(order.owed_cents() >= 0);
            prop_assert!(paid.sum_cents() <= order.pay_cents());
            for (back, paid) in [
                (back.recharge_cents, paid.recharge_cents),
                (back.present_cents, paid.present_cents),
                (back.third_cents, paid.third_cents),
            ] {
                prop_assert!((0..=paid).contains(&back));
            }
            let settled = matches!(order.state(), PayState::Paid | PayState::Refunded);
            prop_assert!(!settled || order.owed_cents() == 0);
            prop_assert!(order.state() != PayState::Unpaid || order.owed_cents() > 0);
        }
    }
}
