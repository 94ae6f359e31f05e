//! What of orders' money may need a second person.

use std::sync::Arc;

use approvals::model::approval::Subject;
use approvals::model::limits::Limit;
use approvals::{Act, Deed, DeedRequest, Outlook};
use async_trait::async_trait;
use kernel::runtime::Runtime;
use kernel::{Aggregate, CommandError, Refusal, Transaction};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use vocabulary::{Cents, RideOrderId};
use wire::Refused;

use super::paying::{Refunding, modify, refund, write_off};
use crate::model::order::{Order, OrderCommand, OrderRefusal, Share};
use crate::model::order_terms::BackTo;

const REFUND: &str = "order.refund";
const MODIFY: &str = "order.modify";
const WRITE_OFF: &str = "order.write-off";
pub(super) const CODES: &[&str] = &["1601"];
/// One person gives back, or takes off, so much on his own, cents, where the agent says nothing else.
pub(super) const USUAL_CENTS: i64 = 5_000;

/// How much goes back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum HowMuch {
    /// So many cents, divided as [`Order::back`] says.
    Sum(i64),
    /// Just so.
    Share(Share),
}

impl HowMuch {
    const fn cents(self) -> i64 {
        match self {
            Self::Sum(cents) => cents,
            Self::Share(share) => share.sum_cents(),
        }
    }

    fn of(self, order: &Order) -> Result<Share, OrderRefusal> {
        match self {
            Self::Sum(cents) => order.back(cents),
            Self::Share(share) => Ok(share),
        }
    }
}

#[derive(Serialize, Deserialize)]
struct Refund {
    order_id: RideOrderId,
    much: HowMuch,
    to: BackTo,
}

#[derive(Serialize, Deserialize)]
struct Modify {
    order_id: RideOrderId,
    pay_cents: i64,
}

#[derive(Serialize, Deserialize)]
struct WriteOff {
    order_id: RideOrderId,
}

pub(super) fn yuan(cents: i64) -> String {
    format!("{} 元", Cents(cents))
}

fn asked(
    kind: &'static str,
    order: &Order,
    order_id: RideOrderId,
    (what, amount_cents): (String, i64),
    payload: Value,
    reason: String,
) -> DeedRequest {
    DeedRequest {
        kind,
        subject: Subject { category: Order::CATEGORY.to_owned(), id: order_id.to_string() },
        summary: format!("订单 {order_id} {what}"),
        amount_cents,
        payload,
        reason,
        owner: order.owner(),
    }
}

/// That so much of an order go back.
pub(crate) fn refunding(
    order: &Order,
    order_id: RideOrderId,
    much: HowMuch,
    to: BackTo,
    reason: String,
) -> DeedRequest {
    let cents = much.cents();
    let payload = json!(Refund { order_id, much, to });
    asked(REFUND, order, order_id, (format!("退款 {}", yuan(cents)), cents), payload, reason)
}

/// That an order cost that.
pub(crate) fn modifying(order: &Order, order_id: RideOrderId, pay_cents: i64, reason: String) -> DeedRequest {
    let what = format!("改价 {} → {}", yuan(order.pay_cents()), yuan(pay_cents));
    let by_cents = (order.pay_cents() - pay_cents).abs();
    asked(MODIFY, order, order_id, (what, by_cents), json!(Modify { order_id, pay_cents }), reason)
}

/// That what is owed for an order be given up.
pub(crate) fn writing_off(order: &Order, order_id: RideOrderId, reason: String) -> DeedRequest {
    let cents = order.owed_cents();
    let payload = json!(WriteOff { order_id });
    asked(WRITE_OFF, order, order_id, (format!("核销欠款 {}", yuan(cents)), cents), payload, reason)
}

/// All of them.
pub fn order_deeds(runtime: &Runtime) -> Vec<Arc<dyn Deed>> {
    vec![
        Arc::new(RefundOrder(runtime.clone())),
        Arc::new(ModifyOrder(runtime.clone())),
        Arc::new(WriteOffOrder(runtime.clone())),
    ]
}

pub(super) fn of<T: DeserializeOwned>(payload: &Value) -> Result<T, Refused> {
    serde_json::from_value(payload.clone()).map_err(Refused::internal)
}

/// What a command would do to an order now.
fn outlook(
    runtime: &Runtime,
    order: &Order,
    command: OrderCommand,
    would: impl FnOnce() -> Vec<String>,
) -> Outlook {
    match order.decide(command, runtime.clock.now()) {
        Ok(_) => Outlook::Would(would()),
        Err(refusal) => Outlook::Cannot(refusal.message()),
    }
}

/// Money of an order goes back.
struct RefundOrder(Runtime);

#[async_trait]
impl Deed for RefundOrder {
    fn kind(&self) -> &'static str {
        REFUND
    }

    fn label(&self) -> &'static str {
        "订单退款"
    }

    fn codes(&self) -> &'static [&'static str] {
        CODES
    }

    fn usual(&self) -> Limit {
        Limit::above(USUAL_CENTS)
    }

    async fn carry_out(&self, tx: &mut Transaction, act: &Act<'_>) -> Result<(), Refused> {
        let Refund { order_id, much, to } = of(act.payload)?;
        let order = tx.load::<Order>(&order_id).await?.state;
        let share = much.of(&order).map_err(CommandError::Refused)?;
        let refunding = Refunding { order_id, share, reason: act.reason.to_owned() };
        refund(&self.0, tx, &refunding, to, act.ctx.now).await
    }

    async fn outlook(&self, payload: &Value) -> Result<Outlook, Refused> {
        let Refund { order_id, much, to } = of(payload)?;
        let order = self.0.desk.load::<Order>(&order_id).await?.state;
        let share = match much.of(&order) {
            Ok(share) => share,
            Err(refusal) => return Ok(Outlook::Cannot(refusal.message())),
        };
        let command = OrderCommand::Refund { share, reason: "-".to_owned() };
        let would = || {
            let left_cents = order.refundable().sum_cents() - share.sum_cents();
            let third = match to {
                BackTo::Original => format!("原路退回 {}", yuan(share.third_cents)),
                BackTo::Wallet => format!("支付渠道的 {} 退到钱包", yuan(share.third_cents)),
            };
            vec![
                format!(
                    "订单实付 {}，本次退款 {}。",
                    yuan(order.paid().sum_cents()),
                    yuan(share.sum_cents())
                ),
                format!(
                    "钱包充值 {}，赠送 {}，{third}。",
                    yuan(share.recharge_cents),
                    yuan(share.present_cents)
                ),
                format!("之后还可退 {}。", yuan(left_cents)),
            ]
        };
        Ok(outlook(&self.0, &order, command, would))
    }
}

/// An order costs something else before it is paid.
struct ModifyOrder(Runtime);

#[async_trait]
impl Deed for ModifyOrder {
    fn kind(&self) -> &'static str {
        MODIFY
    }

    fn label(&self) -> &'static str {
        "订单改价"
    }

    fn codes(&self) -> &'static [&'static str] {
        CODES
    }

    fn usual(&self) -> Limit {
        Limit::above(USUAL_CENTS)
    }

    async fn carry_out(&self, tx: &mut Transaction, act: &Act<'_>) -> Result<(), Refused> {
        let Modify { order_id, pay_cents } = of(act.payload)?;
        modify(tx, order_id, pay_cents, act.reason, act.ctx.now).await
    }

    async fn outlook(&self, payload: &Value) -> Result<Outlook, Refused> {
        let Modify { order_id, pay_cents } = of(payload)?;
        let order = self.0.desk.load::<Order>(&order_id).await?.state;
        let command = OrderCommand::Modify { pay_cents, reason: "-".to_owned() };
        let would = || {
            let owed_cents = order.owed_cents() - (order.pay_cents() - pay_cents);
            vec![
                format!("应付由 {} 改为 {}。", yuan(order.pay_cents()), yuan(pay_cents)),
                format!("用户之后还需支付 {}。", yuan(owed_cents)),
            ]
        };
        Ok(outlook(&self.0, &order, command, would))
    }
}

/// What is owed for an order is given up.
struct WriteOffOrder(Runtime);

#[async_trait]
impl Deed for WriteOffOrder {
    fn kind(&self) -> &'static str {
        WRITE_OFF
    }

    fn label(&self) -> &'static str {
        "核销订单欠款"
    }

    fn codes(&self) -> &'static [&'static str] {
        CODES
    }

    fn usual(&self) -> Limit {
        Limit::ALWAYS
    }

    async fn carry_out(&self, tx: &mut Transaction, act: &Act<'_>) -> Result<(), Refused> {
        let WriteOff { order_id } = of(act.payload)?;
        write_off(tx, order_id, act.reason, act.ctx.now).await
    }

    async fn outlook(&self, payload: &Value) -> Result<Outlook, Refused> {
        let WriteOff { order_id } = of(payload)?;
        let order = self.0.desk.load::<Order>(&order_id).await?.state;
        let would =
            || vec![format!("核销欠款 {}，不再向用户收取；用户可以继续用车。", yuan(order.owed_cents()))];
        Ok(outlook(&self.0, &order, OrderCommand::WriteOff { reason: "-".to_owned() }, would))
    }
}
