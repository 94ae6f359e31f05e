//! Wallets of riders: what they hold, each entry, and money that comes by hand.

use approvals::Outcome;
use axum::response::Response;
use kernel::{CommandContext, List};
use ledger::{AccountKind, Book, Holder};
use serde::{Deserialize, Serialize};
use serde_json::json;
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::routes;
use vocabulary::{ApprovalId, Reach, RiderId, Scope, Timestamp};
use wire::{
    Answer, Body, Call, Column, Disclosure, EXPORT_ROWS_READ, End, Export, ExportColumns, Handled, PageOf,
    PageQuery, Params, Refused, Routes, Seen, moment,
};

use super::riders::RIDERS;
use crate::Context;
use crate::model::movement::Movement;
use crate::model::rider::Adjustment;
use crate::read::wallets::{self, Wallet, WalletRecordRow};

const READS: &[&str] = &["ledger_book", "ledger_entry", "area"];

/// The routes.
pub fn routes(context: &Context) -> Routes {
    Routes::new("riding")
        .add(RIDERS, routes!(wallet))
        .add(RIDERS, routes!(records))
        .add_unwrapped(RIDERS, routes!(file))
        .add(RIDERS, routes!(top_up))
        .with_state(context.clone())
}

/// A rider's wallet is one: who sees him sees all of it, what he did in other areas of his agent's included.
async fn scope_of(call: &Call<Context>, rider: RiderId) -> Result<Scope, Refused> {
    let known = call.state.rider_in_reach(&call.caller, rider).await?;
    let agent = known.owner_agent().ok_or_else(Refused::not_found)?;
    Ok(Scope::of(Reach::only([agent]), Reach::All))
}

#[derive(Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
struct WhichWallet {
    /// The rider.
    user_id: RiderId,
    /// What it held at that moment, `YYYY-MM-DD HH:mm:ss`; absent: now.
    at: Option<String>,
}

/// What a rider's wallet holds, or held at a past moment.
#[utoipa::path(get, path = "/user/wallet", tag = "riding", operation_id = "riderWallet", params(WhichWallet),
    responses((status = 200, body = Answer<Wallet>)))]
async fn wallet(
    call: Call<Context>,
    Seen(seen): Seen,
    Params(which): Params<WhichWallet>,
) -> Handled<Wallet> {
    let at = moment("at", which.at.as_ref(), End::Last)?;
    let scope = scope_of(&call, which.user_id).await?;
    let mut db = call.state.runtime.reads.scoped(&scope, seen, READS).await?;
    Ok(Answer(match at {
        Some(at) => wallets::at(&mut *db, which.user_id, at).await?,
        None => wallets::now(&mut *db, which.user_id).await?,
    }))
}

#[derive(Deserialize, Serialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
struct RecordQuery {
    /// The rider.
    user_id: RiderId,
    /// Those of this kind.
    movement: Option<Movement>,
    /// Booked from then on: `YYYY-MM-DD HH:mm:ss`.
    start_time: Option<String>,
    /// Booked until then, included.
    end_time: Option<String>,
}

impl RecordQuery {
    fn list(&self) -> Result<List, Refused> {
        let from = moment("startTime", self.start_time.as_ref(), End::First)?;
        let until = moment("endTime", self.end_time.as_ref(), End::Last)?;
        Ok(wallets::records(self.user_id).is("e.what", self.movement.map(Movement::what)).between(
            "e.recorded_at_ms",
            from.map(Timestamp::millis),
            until.map(Timestamp::millis),
        ))
    }
}

fn told(rows: Vec<WalletRecordRow>) -> Vec<WalletRecordRow> {
    rows.into_iter().map(WalletRecordRow::told).collect()
}

/// Entries of a rider's wallet, newest first.
#[utoipa::path(get, path = "/user/wallet/records", tag = "riding", operation_id = "walletRecords",
    params(PageQuery, RecordQuery), responses((status = 200, body = Answer<PageOf<WalletRecordRow>>)))]
async fn records(
    call: Call<Context>,
    Seen(seen): Seen,
    Params(paging): Params<PageQuery>,
    Params(query): Params<RecordQuery>,
) -> Handled<PageOf<WalletRecordRow>> {
    let (list, page) = paging.of(query.list()?)?;
    let scope = scope_of(&call, query.user_id).await?;
    let mut db = call.state.runtime.reads.scoped(&scope, seen, READS).await?;
    let mut found = list.page(&mut db, page).await?;
    let rows = told(std::mem::take(&mut found.rows));
    Ok(Answer(PageOf::from(found).with(rows)))
}

const FILE: Export<WalletRecordRow> = Export {
    what: "wallet-record",
    title: "钱包流水",
    columns: &[
        Column::time("recordedAt", "入账时间", |row| Some(row.recorded_at)),
        Column::text("movement", "变动类型", |row| {
            row.movement.map_or("其他", |movement| movement.label())
        }),
        Column::money("rechargeCents", "充值余额变动", |row| row.recharge_cents),
        Column::money("presentCents", "赠送余额变动", |row| row.present_cents),
        Column::money("balanceAfterCents", "变动后余额", |row| row.balance_after_cents),
        Column::money("depositCents", "押金变动", |row| row.deposit_cents),
        Column::money("refundDueCents", "待退款变动", |row| row.refund_due_cents),
        Column::money("owedCents", "欠款变动", |row| row.owed_cents),
        Column::money("owedAfterCents", "变动后欠款", |row| row.owed_after_cents),
        Column::made("orderId", "订单号", |row| {
            row.order_id.map_or_else(String::new, |order| order.to_string())
        }),
        Column::text("areaName", "服务区", |row| row.area_name.as_deref().unwrap_or_default()),
        Column::time("at", "业务时间", |row| Some(row.at)),
        Column::text("cause", "业务编号", |row| &row.cause),
    ],
};

/// Entries of a rider's wallet as CSV, at most 50000. It stands in the log who took it, cut down to what.
#[utoipa::path(get, path = "/user/wallet/records/export", tag = "riding", operation_id = "exportWalletRecords",
    params(RecordQuery, ExportColumns), responses((status = 200, content_type = "text/csv", body = String)))]
async fn file(
    call: Call<Context>,
    Seen(seen): Seen,
    disclosure: Disclosure,
    Params(query): Params<RecordQuery>,
    Params(columns): Params<ExportColumns>,
) -> Result<Response, Refused> {
    let list = query.list()?;
    let scope = scope_of(&call, query.user_id).await?;
    let mut db = call.state.runtime.reads.scoped(&scope, seen, READS).await?;
    let rows = told(list.rows(&mut db, EXPORT_ROWS_READ).await?);
    drop(db);
    FILE.hand_out(&disclosure, &columns, &query, &rows).await
}

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = WalletTopUp)]
struct TopUp {
    /// The rider.
    user_id: RiderId,
    /// 充值金额: what he paid in, cents, more than nothing.
    amount: i64,
    /// 赠送金额: what he is given, cents.
    #[serde(default)]
    gift: i64,
    /// 原因: 1 to 200 characters.
    #[serde(default)]
    remark: String,
    /// A UUID: under the same one money comes once.
    request_id: String,
    /// The version of the rider that was seen; another one is refused.
    version: Option<i64>,
}

/// What came of it.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct ToppedUp {
    /// 余额 now: what was paid in and what was given, cents.
    balance_cents: i64,
    /// Where a second person is to decide: his request's id, as text; nothing has moved then.
    #[schema(value_type = Option<String>)]
    approval_id: Option<ApprovalId>,
}

/// Puts money into a rider's wallet by hand; above the agent's limit a second person decides.
#[utoipa::path(post, path = "/user/wallet/topUp", tag = "riding", operation_id = "topUpWallet",
    request_body = TopUp, responses((status = 200, body = Answer<ToppedUp>)))]
async fn top_up(call: Call<Context>, Body(body): Body<TopUp>) -> Handled<ToppedUp> {
    let TopUp { user_id, amount, gift, remark, request_id, version } = body;
    let ctx = CommandContext { expected_version: version, ..call.request.context_of_account(json!({})) };
    let adjustment = Adjustment { request: request_id, amount_cents: amount, gift_cents: gift };
    let outcome = call.state.adjust_wallet(&call.caller, ctx, user_id, adjustment, remark).await?;
    let approval_id = match &outcome {
        Outcome::Done(_) => None,
        Outcome::Waits { approval, .. } => Some(*approval),
    };
    let book = call.state.runtime.desk.load::<Book>(&Holder::rider(user_id)).await?.state;
    let balance_cents =
        book.balance(AccountKind::Recharge).total_cents + book.balance(AccountKind::Present).total_cents;
    Ok(Answer::at(ToppedUp { balance_cents, approval_id }, outcome.receipt()))
}
