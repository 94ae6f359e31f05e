//! Money of riders through channels: asked for, told by the provider, sent back.

use axum::body::{Body as Raw, to_bytes};
use axum::extract::{Request, State};
use payment_port::{Channel, NOTICE_MAX_BYTES, Received, Subject};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::routes;
use vocabulary::{PaymentId, RideOrderId, RiderId};
use wire::{Answer, Body, Call, Handled, Params, Permit, Refused, Routes};

use super::open_riders::RIDER;
use crate::Context;
use crate::app::PaymentAsked;
use crate::model::payment::{Payment, PaymentState, Purpose};

/// Where the provider tells how things ended.
pub const NOTICE_PATH: &str = "/open/v1/payment/notice";

/// The routes.
pub fn routes(context: &Context) -> Routes {
    Routes::new("riding")
        .add(RIDER, routes!(top_up))
        .add(RIDER, routes!(pay_by_channel))
        .add(RIDER, routes!(pay_deposit))
        .add(RIDER, routes!(payment))
        .add(RIDER, routes!(refund_balance))
        .add(RIDER, routes!(refund_deposit))
        .add(RIDER, routes!(close))
        .add(Permit::Open, routes!(notice))
        .with_state(context.clone())
}

/// How a rider pays.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct ByChannel {
    /// Who.
    #[schema(value_type = String)]
    user_id: RiderId,
    /// 支付渠道.
    #[schema(value_type = i16)]
    channel: Channel,
    /// Whether the provider takes it by itself, as the rider agreed to beforehand (免密代扣).
    #[serde(default)]
    agreed: bool,
}

/// Money for a wallet.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct TopUpForm {
    /// How.
    #[serde(flatten)]
    by: ByChannel,
    /// Cents, 1 to 2,000 yuan.
    amount_cents: i64,
}

/// A payment that was asked for.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct PaymentGiven {
    /// As text.
    #[schema(value_type = String)]
    payment_id: PaymentId,
    /// Cents.
    amount_cents: i64,
}

impl ByChannel {
    const fn asked(&self, purpose: Purpose, amount_cents: Option<i64>) -> PaymentAsked {
        PaymentAsked {
            rider: self.user_id,
            purpose,
            channel: self.channel,
            agreed: self.agreed,
            amount_cents,
        }
    }
}

/// Asks a rider for money for his wallet. It lies there when the provider says that it was paid.
#[utoipa::path(post, path = "/open/v1/rider/top-up", tag = "open", operation_id = "topUpWallet",
    request_body = TopUpForm, responses((status = 200, body = Answer<PaymentGiven>)))]
async fn top_up(call: Call<Context>, Body(form): Body<TopUpForm>) -> Handled<Value> {
    let asked = form.by.asked(Purpose::TopUp, Some(form.amount_cents));
    Ok(Answer::replied(call.state.ask_payment(&call.caller, &call.request, asked).await?))
}

/// A ride to be paid through a channel.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct PayForm {
    /// How.
    #[serde(flatten)]
    by: ByChannel,
    /// Which ride.
    #[schema(value_type = String)]
    order_id: RideOrderId,
}

/// Asks a rider for what he owes for a ride. Paid twice, the second time lies in his wallet.
#[utoipa::path(post, path = "/open/v1/rider/pay-by-channel", tag = "open", operation_id = "payRideByChannel",
    request_body = PayForm, responses((status = 200, body = Answer<PaymentGiven>)))]
async fn pay_by_channel(call: Call<Context>, Body(form): Body<PayForm>) -> Handled<Value> {
    let asked = form.by.asked(Purpose::Ride(form.order_id), None);
    Ok(Answer::replied(call.state.ask_payment(&call.caller, &call.request, asked).await?))
}

/// Asks a rider for the deposit of his service area.
#[utoipa::path(post, path = "/open/v1/rider/deposit/pay", tag = "open", operation_id = "payDeposit",
    request_body = ByChannel, responses((status = 200, body = Answer<PaymentGiven>)))]
async fn pay_deposit(call: Call<Context>, Body(by): Body<ByChannel>) -> Handled<Value> {
    let asked = by.asked(Purpose::Deposit, None);
    Ok(Answer::replied(call.state.ask_payment(&call.caller, &call.request, asked).await?))
}

/// Which payment.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
struct OfPayment {
    /// Whose.
    user_id: RiderId,
    /// Which.
    payment_id: PaymentId,
}

/// How a payment stands.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct PaymentShown {
    /// As text.
    #[schema(value_type = String)]
    payment_id: PaymentId,
    /// 支付状态.
    state: PaymentState,
    /// Cents.
    amount_cents: i64,
    /// Where the rider confirms it; absent before the provider said, and where nothing is to be confirmed.
    cashier_url: Option<String>,
    /// Until then it may be paid, epoch milliseconds.
    until_at: i64,
}

/// How a payment stands, as the log has it now.
#[utoipa::path(get, path = "/open/v1/rider/payment", tag = "open", operation_id = "riderPayment", params(OfPayment),
    responses((status = 200, body = Answer<PaymentShown>)))]
async fn payment(call: Call<Context>, Params(of): Params<OfPayment>) -> Handled<PaymentShown> {
    call.state.rider(&call.caller, of.user_id).await?;
    let known = call.state.runtime.desk.load::<Payment>(&of.payment_id).await?.state;
    let asked = known.asked().filter(|asked| asked.rider_id == of.user_id).ok_or_else(Refused::not_found)?;
    Ok(Answer(PaymentShown {
        payment_id: of.payment_id,
        state: known.state(),
        amount_cents: asked.amount_cents,
        cashier_url: known.cashier_url().map(str::to_owned),
        until_at: known.until().millis(),
    }))
}

/// Which rider.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct WhichRider {
    /// His id.
    #[schema(value_type = String)]
    user_id: RiderId,
}

/// What goes back.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct BalanceBack {
    /// On its way, cents.
    amount_cents: i64,
    /// What stays, as it did not come through a channel; cents.
    left_cents: i64,
}

/// Sends back what is left of what a rider paid into his wallet, by the way it came. Presents stay.
#[utoipa::path(post, path = "/open/v1/rider/balance/refund", tag = "open", operation_id = "refundBalance",
    request_body = WhichRider, responses((status = 200, body = Answer<BalanceBack>)))]
async fn refund_balance(call: Call<Context>, Body(of): Body<WhichRider>) -> Handled<Value> {
    Ok(Answer::replied(call.state.give_balance_back(&call.caller, &call.request, of.user_id).await?))
}

/// Sends a rider's deposit back by the way it came.
#[utoipa::path(post, path = "/open/v1/rider/deposit/refund", tag = "open", operation_id = "refundDeposit",
    request_body = WhichRider, responses((status = 200, body = Answer<wire::Nothing>)))]
async fn refund_deposit(call: Call<Context>, Body(of): Body<WhichRider>) -> Handled<Value> {
    Ok(Answer::replied(call.state.give_deposit_back(&call.caller, &call.request, of.user_id).await?))
}

/// Ends a rider's account for good: refused while anything of his is left or owed.
#[utoipa::path(post, path = "/open/v1/rider/close", tag = "open", operation_id = "closeRider",
    request_body = WhichRider, responses((status = 200, body = Answer<wire::Nothing>)))]
async fn close(call: Call<Context>, Body(of): Body<WhichRider>) -> Handled<Value> {
    Ok(Answer::replied(call.state.close_account(&call.caller, &call.request, of.user_id).await?))
}

/// What the payment provider tells by itself, signed by him (docs/payment-port.md). Told again it changes nothing.
#[utoipa::path(post, path = "/open/v1/payment/notice", tag = "open", operation_id = "paymentNotice",
    request_body(content = Vec<u8>, content_type = "application/json"),
    responses((status = 200, description = "`{\"received\": true}`"), (status = 400, description = "not signed by the provider")))]
async fn notice(
    State(context): State<Context>,
    request: Request<Raw>,
) -> Result<axum::Json<Received>, Refused> {
    let provider = context.ports.provider.as_deref().ok_or_else(Refused::not_found)?;
    let path = request.uri().path_and_query().map_or_else(String::new, ToString::to_string);
    let (head, body) = request.into_parts();
    let body = to_bytes(body, NOTICE_MAX_BYTES).await.map_err(|_| Refused::TooLarge)?;
    let now = context.runtime.clock.now();
    let told = provider.verifier.notice(&path, &head.headers, &body, now).map_err(|fault| {
        tracing::warn!(%fault, "a notice that the payment provider did not sign, or that nobody understands");
        Refused::malformed("通知未通过校验")
    })?;
    match &told.subject {
        Subject::Payment { payment } => context.payment_told(payment).await?,
        Subject::Refund { refund } => context.refund_told(refund).await?,
    }
    Ok(axum::Json(Received { received: true }))
}
