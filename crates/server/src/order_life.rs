//! What orders tell of the lives of their bikes: the fleet's port, fulfilled by riding's events.

use fleet::model::life::{LifeChange, LifeEvent};
use fleet::ports::{OrderLife, OrderOpened, OrderTold};
use kernel::{Aggregate, DecodeError, Recorded};
use riding::model::order::{End, Opened, Order, OrderEvent, PayState, Pricing};
use vocabulary::Cents;

/// While a lock was asked to open and has not answered.
const UNLOCKING: &str = "开锁中";
/// While its rider locked the bike for a while.
const PAUSED: &str = "临停";

/// Orders of riding.
pub struct LifeOfOrders;

impl OrderLife for LifeOfOrders {
    fn category(&self) -> &'static str {
        Order::CATEGORY
    }

    fn told(&self, event: &Recorded) -> Result<Option<OrderTold>, DecodeError> {
        Ok(told(&event.decode()?))
    }
}

fn told(event: &OrderEvent) -> Option<OrderTold> {
    let plain =
        |event, content: String, state| OrderTold { event, opened: None, content, state, changes: vec![] };
    let stands = |event, content: &str, state| plain(event, content.to_owned(), Some(state));
    Some(match event {
        OrderEvent::Reserved { opened, until, .. } => OrderTold {
            opened: Some(of(opened)),
            ..plain(
                LifeEvent::Reserved,
                format!("预约用车，保留至 {}", until.local()),
                Some(PayState::Reserved.label()),
            )
        },
        OrderEvent::UnlockAsked { opened, .. } => OrderTold {
            opened: Some(of(opened)),
            ..stands(LifeEvent::UnlockAsked, "请求开锁", UNLOCKING)
        },
        OrderEvent::Started { .. } => {
            stands(LifeEvent::RideStarted, "锁已打开，开始骑行", PayState::Riding.label())
        }
        OrderEvent::Cancelled { why, .. } => {
            plain(LifeEvent::Cancelled, why.label().to_owned(), Some(PayState::Cancelled.label()))
        }
        OrderEvent::Paused { .. } => stands(LifeEvent::Paused, "临时停车，锁上车辆", PAUSED),
        OrderEvent::Resumed { .. } => stands(LifeEvent::Resumed, "继续骑行", PayState::Riding.label()),
        OrderEvent::Returned { end, .. } => {
            plain(LifeEvent::Returned, returned(end), Some(PayState::Held.label()))
        }
        OrderEvent::Reconciled { reason, .. } => plain(LifeEvent::Reconciled, reason.clone(), None),
        OrderEvent::Priced { pricing, .. } => priced(pricing),
        OrderEvent::Modified { from_cents, to_cents, reason, .. } => OrderTold {
            changes: vec![money("应付金额", *from_cents, *to_cents)],
            ..plain(LifeEvent::Repriced, reason.clone(), None)
        },
        OrderEvent::Refunded { share, reason, .. } => {
            plain(LifeEvent::Refunded, format!("退款 {} 元：{reason}", Cents(share.sum_cents())), None)
        }
        OrderEvent::WrittenOff { amount_cents, reason, .. } => {
            plain(LifeEvent::WrittenOff, format!("核销 {} 元：{reason}", Cents(*amount_cents)), None)
        }
        OrderEvent::Paid { .. } | OrderEvent::Noted { .. } | OrderEvent::Reminded { .. } => return None,
    })
}

fn of(opened: &Opened) -> OrderOpened {
    OrderOpened {
        order_id: opened.order_id,
        rider_id: opened.rider_id,
        car_id: opened.car_id.clone(),
        imei: opened.imei.clone(),
    }
}

fn returned(end: &End) -> String {
    format!("{}，骑行 {} 米，{}", end.kind.label(), end.distance_m, end.class.label())
}

fn priced(pricing: &Pricing) -> OrderTold {
    let pay_cents = pricing.receipt.pay_cents;
    let state = if pay_cents > 0 { PayState::Unpaid } else { PayState::Paid };
    OrderTold {
        event: LifeEvent::Priced,
        opened: None,
        content: format!("应付 {} 元", Cents(pay_cents)),
        state: Some(state.label()),
        changes: vec![LifeChange::new("应付金额", "", yuan(pay_cents))],
    }
}

fn money(field: &str, from_cents: i64, to_cents: i64) -> LifeChange {
    LifeChange::new(field, yuan(from_cents), yuan(to_cents))
}

fn yuan(cents: i64) -> String {
    format!("{} 元", Cents(cents))
}

#[cfg(test)]
mod tests {
    use riding::model::order::{CancelReason, Share};
    use vocabulary::{AgentId, AreaId, RideOrderId, RiderId, Timestamp};

    use super::*;

    const AT: Timestamp = Timestamp::from_millis(0);

    #[test]
    fn an_unlock_names_its_order_and_its_rider_and_waits_for_the_lock() {
        let opened = Opened {
            order_id: RideOrderId(8),
            rider_id: RiderId(42),
            car_id: "B1".to_owned(),
            imei: "860000000000001".to_owned(),
            agent_id: AgentId(2),
            area_id: AreaId(20),
            place: None,
            rider_place: None,
        };
        let asked = told(&OrderEvent::UnlockAsked { opened, billing_version: 1, at: AT }).unwrap();
        assert_eq!((asked.event, asked.state), (LifeEvent::UnlockAsked, Some("开锁中")));
        let opened = asked.opened.unwrap();
        assert_eq!((opened.order_id, opened.rider_id, &*opened.car_id), (RideOrderId(8), RiderId(42), "B1"));
        let started = told(&OrderEvent::Started { at: AT }).unwrap();
        assert_eq!((started.event, started.state), (LifeEvent::RideStarted, Some("骑行中")));
        let why = CancelReason::NoAnswer;
        assert_eq!(told(&OrderEvent::Cancelled { why, at: AT }).unwrap().content, "开锁无应答");
    }

    #[test]
    fn fares_are_told_in_yuan_with_what_they_were() {
        let reason = "客服改价".to_owned();
        let modified = OrderEvent::Modified { from_cents: 1250, to_cents: 800, reason, at: AT };
        let changes = told(&modified).unwrap().changes;
        assert_eq!(changes, [LifeChange::new("应付金额", "12.50 元", "8.00 元")]);
    }

    #[test]
    fn what_riders_pay_and_hear_of_is_not_their_bikes() {
        let share = Share { recharge_cents: 1, ..Share::default() };
        assert_eq!(told(&OrderEvent::Paid { share, channel: 0, payment: None, at: AT }), None);
        assert_eq!(told(&OrderEvent::Noted { reason: "备注".to_owned(), at: AT }), None);
    }
}
