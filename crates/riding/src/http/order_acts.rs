//! What the back-office does to ride orders: ends and calls off, changes prices, gives back, gives up.

use approvals::{DeedRequest, Outcome};
use kernel::{CommandContext, CommandError};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use utoipa::ToSchema;
use utoipa_axum::routes;
use vocabulary::{ApprovalId, RideOrderId, Timestamp};
use wire::{Answer, Body, Call, Handled, Nothing, Refused, Routes};

use super::orders::ORDERS;
use crate::Context;
use crate::app::{HowMuch, Reminded, modifying, refunding, writing_off};
use crate::model::order::{Order, OrderRefusal, Share, reason};
use crate::model::order_terms::BackTo;
use crate::model::pay_rules::RemindWay;
use crate::model::payment::AMOUNT_MAX_CENTS;

/// The routes.
pub fn routes(context: &Context) -> Routes {
    Routes::new("riding")
        .add(ORDERS, routes!(force_end))
        .add(ORDERS, routes!(cancel))
        .add(ORDERS, routes!(modify))
        .add(ORDERS, routes!(refund))
        .add(ORDERS, routes!(write_off))
        .add(ORDERS, routes!(remind))
        .with_state(context.clone())
}

/// What became of it.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct OrderChanged {
    /// What a second person is to decide first; absent when it is done.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, required = false)]
    pub approval_id: Option<ApprovalId>,
}

fn amount() -> Refused {
    CommandError::Refused(OrderRefusal::Amount).into()
}

/// Does it, or asks a second person.
async fn change(
    call: &Call<Context>,
    (order_id, version): (RideOrderId, Option<i64>),
    asked: impl FnOnce(&Order) -> DeedRequest + Send,
) -> Handled<OrderChanged> {
    let ctx = CommandContext { expected_version: version, ..call.request.context_of_account(json!({})) };
    let (order, ctx) = call.state.within_reach(&call.caller, order_id, ctx).await?;
    let outcome = call.state.ports.approvals.do_or_ask(&call.caller, asked(&order), &ctx).await?;
    let approval_id = match &outcome {
        Outcome::Done(_) => None,
        Outcome::Waits { approval, .. } => Some(*approval),
    };
    Ok(Answer::at(OrderChanged { approval_id }, outcome.receipt()))
}

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct ForcedEnd {
    /// Which, as text.
    #[schema(value_type = String)]
    order_id: RideOrderId,
    /// When the ride truly ended, epoch milliseconds: between its start and now; absent: now.
    at: Option<i64>,
    /// 原因, 1 to 200 characters.
    reason: String,
    /// The version that was seen; another one is refused.
    version: Option<i64>,
}

/// Ends a ride in the place of its rider, when it truly ended: judged, priced and paid as of then. Its bike is free again,
/// and its lock is told to close.
#[utoipa::path(post, path = "/order/forceEnd", tag = "riding", operation_id = "forceEndOrder",
    request_body = ForcedEnd, responses((status = 200, body = Answer<Nothing>)))]
async fn force_end(call: Call<Context>, Body(body): Body<ForcedEnd>) -> Handled<Value> {
    let ctx = CommandContext { expected_version: body.version, ..call.request.context_of_account(json!({})) };
    let at = body.at.map(Timestamp::from_millis);
    let reason = reason(&body.reason).map_err(CommandError::Refused)?;
    let receipt = call.state.force_end(&call.caller, ctx, body.order_id, at, &reason).await?;
    Ok(Answer::replied(receipt))
}

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct OrderWhy {
    /// Which, as text.
    #[schema(value_type = String)]
    order_id: RideOrderId,
    /// 原因, 1 to 200 characters.
    reason: String,
    /// The version that was seen; another one is refused.
    version: Option<i64>,
}

/// Calls off an order whose bike has not moved by 50 m: it costs nothing, and its bike is free again.
#[utoipa::path(post, path = "/order/cancel", tag = "riding", operation_id = "cancelOrder",
    request_body = OrderWhy, responses((status = 200, body = Answer<Nothing>)))]
async fn cancel(call: Call<Context>, Body(body): Body<OrderWhy>) -> Handled<Value> {
    let ctx = CommandContext { expected_version: body.version, ..call.request.context_of_account(json!({})) };
    let reason = reason(&body.reason).map_err(CommandError::Refused)?;
    let receipt = call.state.call_off(&call.caller, ctx, body.order_id, &reason).await?;
    Ok(Answer::replied(receipt))
}

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct OrderPrice {
    /// Which, as text.
    #[schema(value_type = String)]
    order_id: RideOrderId,
    /// What it costs from now on, cents: not less than what was paid, not more than what it was priced at.
    pay_cents: i64,
    /// 原因, 1 to 200 characters.
    reason: String,
    /// The version that was seen; another one is refused.
    version: Option<i64>,
}

/// Changes what an unpaid order costs; a second person may be needed, by the agent's limits.
#[utoipa::path(post, path = "/order/modify", tag = "riding", operation_id = "modifyOrder",
    request_body = OrderPrice, responses((status = 200, body = Answer<OrderChanged>)))]
async fn modify(call: Call<Context>, Body(body): Body<OrderPrice>) -> Handled<OrderChanged> {
    let reason = reason(&body.reason).map_err(CommandError::Refused)?;
    if !(0..=AMOUNT_MAX_CENTS).contains(&body.pay_cents) {
        return Err(amount());
    }
    let asked = |order: &Order| modifying(order, body.order_id, body.pay_cents, reason);
    change(&call, (body.order_id, body.version), asked).await
}

/// Parts of a refund, cents.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[expect(clippy::struct_field_names, reason = "each says its unit")]
pub(super) struct OrderShare {
    /// From what he paid into his wallet.
    pub recharge_cents: i64,
    /// From what he was given into it.
    pub present_cents: i64,
    /// From what came straight through a channel.
    pub third_cents: i64,
}

impl From<Share> for OrderShare {
    fn from(Share { recharge_cents, present_cents, third_cents }: Share) -> Self {
        Self { recharge_cents, present_cents, third_cents }
    }
}

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct OrderRefund {
    /// Which, as text.
    #[schema(value_type = String)]
    order_id: RideOrderId,
    /// So many cents: what came through a channel goes back first, then what he paid into his wallet, what he was given last.
    ride_cents: Option<i64>,
    /// Or exactly so.
    share: Option<OrderShare>,
    /// Where what came through a channel goes back to; the wallet's own goes back there.
    #[serde(default)]
    to: BackTo,
    /// 原因, 1 to 200 characters.
    reason: String,
    /// The version that was seen; another one is refused.
    version: Option<i64>,
}

/// Gives money of a paid order back, never more than was paid; a second person may be needed, by the agent's limits.
#[utoipa::path(post, path = "/order/refund", tag = "riding", operation_id = "refundOrder",
    request_body = OrderRefund, responses((status = 200, body = Answer<OrderChanged>)))]
async fn refund(call: Call<Context>, Body(body): Body<OrderRefund>) -> Handled<OrderChanged> {
    let reason = reason(&body.reason).map_err(CommandError::Refused)?;
    let fits = |cents: i64| (0..=AMOUNT_MAX_CENTS).contains(&cents);
    let much = match (body.ride_cents, body.share) {
        (Some(cents), None) if fits(cents) => HowMuch::Sum(cents),
        (None, Some(OrderShare { recharge_cents, present_cents, third_cents }))
            if [recharge_cents, present_cents, third_cents].into_iter().all(fits) =>
        {
            HowMuch::Share(Share { recharge_cents, present_cents, third_cents })
        }
        (Some(_), None) | (None, Some(_)) => return Err(amount()),
        _ => return Err(Refused::malformed("请求参数应为 rideCents 或 share 之一")),
    };
    let asked = |order: &Order| refunding(order, body.order_id, much, body.to, reason);
    change(&call, (body.order_id, body.version), asked).await
}

/// Gives up what is still owed for an order, on the word of two people.
#[utoipa::path(post, path = "/order/writeOff", tag = "riding", operation_id = "writeOffOrder",
    request_body = OrderWhy, responses((status = 200, body = Answer<OrderChanged>)))]
async fn write_off(call: Call<Context>, Body(body): Body<OrderWhy>) -> Handled<OrderChanged> {
    let reason = reason(&body.reason).map_err(CommandError::Refused)?;
    let asked = |order: &Order| writing_off(order, body.order_id, reason);
    change(&call, (body.order_id, body.version), asked).await
}

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct OrderRemind {
    /// Which, as text.
    #[schema(value_type = String)]
    order_id: RideOrderId,
    /// The version that was seen; another one is refused.
    version: Option<i64>,
}

/// What became of a reminder.
#[derive(Debug, Serialize, ToSchema)]
struct OrderReminded {
    /// How he is reminded.
    way: RemindWay,
    /// Whether the SMS provider took the message; null: none was to leave.
    #[schema(required)]
    sent: Option<bool>,
}

/// Reminds the rider of what he owes for an order, by the way that its area has: once an hour, by day.
#[utoipa::path(post, path = "/order/remind", tag = "riding", operation_id = "remindOrder",
    request_body = OrderRemind, responses((status = 200, body = Answer<OrderReminded>)))]
async fn remind(call: Call<Context>, Body(body): Body<OrderRemind>) -> Handled<OrderReminded> {
    let ctx = CommandContext { expected_version: body.version, ..call.request.context_of_account(json!({})) };
    let Reminded { way, sent, receipt } = call.state.remind_by_hand(&call.caller, ctx, body.order_id).await?;
    Ok(Answer::at(OrderReminded { way, sent }, &receipt))
}
