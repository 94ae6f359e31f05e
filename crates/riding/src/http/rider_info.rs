//! One rider: who he is, masked, with his wallet, his deposit, what he rides and the cards that he holds.

use kernel::Aggregate;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::routes;
use vocabulary::{RiderId, Timestamp};
use wire::{Answer, Body, Call, End, Handled, Nothing, Params, Permit, Refused, Routes, Seen, moment};

use super::riders::{RIDERS, by_path};
use crate::Context;
use crate::model::holdings::HoldingState;
use crate::model::order::PayState;
use crate::model::rider::{DepositState, Rider, RiderCommand};
use crate::read::card_holdings::{self, CardHoldingRow};
use crate::read::orders::{self, OrderRow};
use crate::read::riders::{self, RiderRow};
use crate::read::wallets::{self, Wallet};

const READS: &[&str] = &["rider", "ride_order", "ledger_book", "area", "card_holding"];
/// So many orders stand on the page itself.
const RECENT: i64 = 5;
/// So many cards are counted; nobody uses more at a time.
const CARDS: i64 = 50;

/// The routes.
pub fn routes(context: &Context) -> Routes {
    Routes::new("riding")
        .add(Permit::AnyOf(&["070101", "0401", "1601"]), routes!(info))
        .add(RIDERS, routes!(deposit))
        .add(RIDERS, routes!(freeze))
        .add(RIDERS, routes!(recover))
        .with_state(context.clone())
}

/// Where a rider's deposit stands.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct RiderDeposit {
    /// 押金状态.
    state: DepositState,
    /// 押金, cents.
    amount_cents: i64,
    /// 冻结原因; none: it is not kept.
    freeze_reason: Option<String>,
    /// 冻结到期, epoch milliseconds; none: until somebody lets it go.
    freeze_until: Option<i64>,
    /// To be sent with a change.
    version: i64,
}

impl RiderDeposit {
    fn of(rider: &Rider, version: i64, now: Timestamp) -> Self {
        let freeze = rider.deposit_freeze(now);
        Self {
            state: rider.deposit_state(now),
            amount_cents: rider.deposit().1,
            freeze_reason: freeze.map(|freeze| freeze.reason.clone()),
            freeze_until: freeze.and_then(|freeze| freeze.until).map(Timestamp::millis),
            version,
        }
    }
}

/// How often he did what, as far as the caller sees it.
#[derive(Debug, Default, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct RiderCounts {
    /// 订单, at most 10001.
    orders: i64,
    /// 待支付订单.
    unpaid_orders: i64,
    /// 使用中的卡, at most 50.
    cards: i64,
}

/// A rider with all that is his.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct RiderInfo {
    #[serde(flatten)]
    rider: RiderRow,
    /// 钱包.
    wallet: Wallet,
    /// 押金.
    deposit: RiderDeposit,
    /// How often he did what.
    counts: RiderCounts,
    /// The order that is open, where the caller sees its area.
    open_order: Option<OrderRow>,
    /// The last ones, newest first, at most five.
    recent_orders: Vec<OrderRow>,
    /// Cards that he can use now, newest first, at most 50.
    cards: Vec<CardHoldingRow>,
}

/// One rider, masked, with his wallet, his deposit, his orders and his cards.
#[utoipa::path(get, path = "/user/{userId}", tag = "riding", operation_id = "riderInfo",
    params(("userId" = String, Path, description = "The rider's id.")),
    responses((status = 200, body = Answer<RiderInfo>)))]
async fn info(
    call: Call<Context>,
    Seen(seen): Seen,
    axum::extract::Path(user_id): axum::extract::Path<String>,
) -> Handled<RiderInfo> {
    let user = by_path(&user_id)?;
    let (scope, now) = (&call.caller.full_scope, call.request.now());
    let mut db = call.state.runtime.reads.scoped(scope, seen, READS).await?;
    let found: Option<RiderRow> =
        riders::list(scope).is("r.rider_id", Some(user.0)).rows(&mut db, 1).await?.pop();
    let mut rider = found.ok_or_else(Refused::not_found)?;
    rider.stand_at(now);
    let wallet = wallets::now(&mut *db, user).await?;
    let his = || orders::list(scope).is("o.rider_id", Some(user.0));
    let unpaid = his().is("o.state", Some(PayState::Unpaid.number()));
    let recent_orders: Vec<OrderRow> = his().rows(&mut db, RECENT).await?;
    let open_order = match rider.open_order_id {
        Some(order) => his().is("o.order_id", Some(order.0)).rows(&mut db, 1).await?.pop(),
        None => None,
    };
    let held = card_holdings::list(scope).is("h.rider_id", Some(user.0));
    let active = card_holdings::standing(held, Some(HoldingState::Active));
    let mut cards: Vec<CardHoldingRow> = active.rows(&mut db, CARDS).await?;
    for card in &mut cards {
        card.stand_at(now);
    }
    let counts = RiderCounts {
        orders: his().count(&mut db).await?,
        unpaid_orders: unpaid.count(&mut db).await?,
        cards: cards.len() as i64,
    };
    drop(db);
    let known = call.state.runtime.desk.load::<Rider>(&user).await?;
    let deposit = RiderDeposit::of(&known.state, known.version, now);
    Ok(Answer(RiderInfo { rider, wallet, deposit, counts, open_order, recent_orders, cards }))
}

#[derive(Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
struct WhichRider {
    /// The rider.
    user_id: RiderId,
}

/// A rider's deposit.
#[utoipa::path(get, path = "/user/deposit", tag = "riding", operation_id = "riderDeposit", params(WhichRider),
    responses((status = 200, body = Answer<RiderDeposit>)))]
async fn deposit(call: Call<Context>, Params(which): Params<WhichRider>) -> Handled<RiderDeposit> {
    let known = call.state.runtime.desk.load::<Rider>(&which.user_id).await?;
    let seen = known.state.registration().is_some() && call.caller.full_scope.contains(known.state.owner());
    if !seen {
        return Err(Refused::not_found());
    }
    Ok(Answer(RiderDeposit::of(&known.state, known.version, call.request.now())))
}

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = DepositFreezeBody)]
struct Freeze {
    /// The rider.
    user_id: RiderId,
    /// 冻结原因: 1 to 200 characters.
    #[serde(default)]
    reason: String,
    /// 到期时间: `YYYY-MM-DD HH:mm:ss`, or a last day; absent: until somebody lets it go.
    until: Option<String>,
    /// The version that was seen; another one is refused.
    version: Option<i64>,
}

/// Keeps a deposit that is paid: it does not go back before it is let go, or its time is over.
#[utoipa::path(post, path = "/user/deposit/freeze", tag = "riding", operation_id = "freezeDeposit",
    request_body = Freeze, responses((status = 200, body = Answer<Nothing>)))]
async fn freeze(call: Call<Context>, Body(body): Body<Freeze>) -> Handled<Value> {
    let Freeze { user_id, reason, until, version } = body;
    call.state.rider_in_reach(&call.caller, user_id).await?;
    let until = moment("until", until.as_ref(), End::Last)?;
    let command = RiderCommand::FreezeDeposit { reason, until };
    Ok(Answer::replied(call.acted::<Rider>(&user_id, command, version).await?))
}

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = DepositRecoverBody)]
struct Recover {
    /// The rider.
    user_id: RiderId,
    /// 恢复原因: 1 to 200 characters.
    #[serde(default)]
    reason: String,
    /// The version that was seen; another one is refused.
    version: Option<i64>,
}

/// Lets a deposit go that is kept.
#[utoipa::path(post, path = "/user/deposit/recover", tag = "riding", operation_id = "recoverDeposit",
    request_body = Recover, responses((status = 200, body = Answer<Nothing>)))]
async fn recover(call: Call<Context>, Body(body): Body<Recover>) -> Handled<Value> {
    let Recover { user_id, reason, version } = body;
    call.state.rider_in_reach(&call.caller, user_id).await?;
    let command = RiderCommand::RecoverDeposit { reason };
    Ok(Answer::replied(call.acted::<Rider>(&user_id, command, version).await?))
}
