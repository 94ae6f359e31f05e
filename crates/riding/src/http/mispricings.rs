//! Orders that a wrong version of a billing, a fence or an edge priced (受影响订单): what may have been wrong, what it did, each of
//! its orders, and giving all of it back.

use approvals::Outcome;
use kernel::{CommandContext, List};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::routes;
use vocabulary::{AgentId, AreaId, Choice, FenceId, MispricingId, RideOrderId, Scope, Timestamp};
use wire::{
    Answer, Body, Call, Column, Export, Handled, Listed, Listing, MadeId, Nothing, Params, Record, Refused,
    Routes, Seen, given,
};

use super::configs::place;
use super::order_acts::OrderChanged;
use super::orders::ORDERS;
use crate::Context;
use crate::app::{MispricingAsked, refunding_all};
use crate::model::mispricing::{MispricingSubject, Wrong};
use crate::model::mispricing_case::{
    BackTo, DAYS_MAX, MispricedState, Mispricing, MispricingCommand, MispricingState,
};
use crate::model::order::reason;
use crate::read::mispricings::{self, MispricedOrderRow, MispricingRow};
use crate::read::wrong_versions::{self, FenceChoice, VersionChoice};

const DAY_MS: i64 = 86_400_000;

/// The routes.
pub fn routes(context: &Context) -> Routes {
    Routes::new("riding")
        .add_list::<ListQuery>(
            ORDERS,
            Listed {
                path: "/order/mispricing/list",
                operations: ["listMispricings", "exportMispricings"],
                summary: "Versions that priced orders wrong, as they were looked at, in scope, newest first.",
            },
        )
        .add_list::<OrdersQuery>(
            ORDERS,
            Listed {
                path: "/order/mispricing/order/list",
                operations: ["listMispricedOrders", "exportMispricedOrders"],
                summary: "Orders that a wrong version priced, in scope, newest first; phones masked.",
            },
        )
        .add_record::<ListQuery>(
            ORDERS,
            Record {
                path: "/order/mispricing/{id}",
                operation: "mispricing",
                summary: "What a wrong version did, and how far it is given back.",
            },
        )
        .add(ORDERS, routes!(fences))
        .add(ORDERS, routes!(versions))
        .add(ORDERS, routes!(find))
        .add(ORDERS, routes!(refund))
        .add(ORDERS, routes!(discard))
        .with_state(context.clone())
}

#[derive(Default, Deserialize, Serialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
struct ListQuery {
    /// Those of this agent.
    agent_id: Option<AgentId>,
    /// Those of this area.
    op_area_id: Option<AreaId>,
    /// Those that stand so.
    state: Option<MispricingState>,
    /// Those of this subject.
    subject: Option<MispricingSubject>,
    /// Part of the fence's name.
    keyword: Option<String>,
}

fn instead_of(row: &MispricingRow) -> String {
    match (row.subject, row.instead_version) {
        (_, None) => "不设围栏".to_owned(),
        (MispricingSubject::Billing, Some(0)) => "系统默认".to_owned(),
        (_, Some(version)) => format!("第 {version} 版"),
    }
}

impl Listing for ListQuery {
    type State = Context;
    type Row = MispricingRow;
    const READS: &'static [&'static str] = &["mispricing", "area", "operator"];
    const KEY: &'static str = "m.mispricing_id";
    const FILE: Export<MispricingRow> = Export {
        what: "mispricing",
        title: "受影响订单",
        columns: &[
            Column::text("subject", "核对对象", |row| row.subject.label()),
            Column::text("name", "围栏", |row| &row.name),
            Column::made("wrongVersion", "有误版本", |row| format!("第 {} 版", row.wrong_version)),
            Column::made("insteadVersion", "应当生效", instead_of),
            Column::text("areaName", "服务区", |row| row.area_name.as_deref().unwrap_or_default()),
            Column::text("state", "处理状态", |row| row.state.label()),
            Column::made("examined", "核对订单数", |row| row.examined.to_string()),
            Column::made("orders", "应退订单数", |row| row.orders.to_string()),
            Column::made("riders", "涉及用户数", |row| row.riders.to_string()),
            Column::money("backCents", "应退（元）", |row| row.back_cents),
            Column::money("lowerCents", "应减（元）", |row| row.lower_cents),
            Column::made("higherOrders", "少收订单数", |row| row.higher_orders.to_string()),
            Column::money("higherCents", "少收（元）", |row| row.higher_cents),
            Column::made("givenOrders", "已处理", |row| row.given_orders.to_string()),
            Column::made("overtakenOrders", "已变化", |row| row.overtaken_orders.to_string()),
            Column::made("failedOrders", "失败", |row| row.failed_orders.to_string()),
            Column::money("givenCents", "已退（元）", |row| row.given_cents),
            Column::money("loweredCents", "已减（元）", |row| row.lowered_cents),
            Column::time("foundAt", "核对时间", |row| Some(row.found_at)),
            Column::text("finder", "核对人", |row| row.finder.as_deref().unwrap_or_default()),
            Column::text("reason", "原因", |row| &row.reason),
            Column::time("endedAt", "完成时间", |row| row.ended_at),
        ],
    };

    fn list(&self, scope: &Scope) -> Result<List, Refused> {
        Ok(mispricings::list(scope)
            .is("m.agent_id", self.agent_id.map(|agent| agent.0))
            .is("m.area_id", self.op_area_id.map(|area| area.0))
            .is("m.state", self.state.map(Choice::number))
            .is("m.subject", self.subject.map(Choice::number))
            .contains(&["m.name"], given(self.keyword.as_ref())))
    }
}

#[derive(Default, Deserialize, Serialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
struct OrdersQuery {
    /// Those of this case.
    mispricing_id: Option<MispricingId>,
    /// Those that stand so.
    state: Option<MispricedState>,
    /// An order's id.
    keyword: Option<String>,
}

impl Listing for OrdersQuery {
    type State = Context;
    type Row = MispricedOrderRow;
    const READS: &'static [&'static str] = &["mispricing", "ride_order", "rider"];
    const KEY: &'static str = "m.order_id";
    const FILE: Export<MispricedOrderRow> = Export {
        what: "mispriced-order",
        title: "受影响订单明细",
        columns: &[
            Column::made("orderId", "订单号", |row| row.order_id.to_string()),
            Column::text("phone", "手机号", |row| row.phone.as_deref().unwrap_or_default()),
            Column::text("carId", "车辆编号", |row| row.car_id.as_deref().unwrap_or_default()),
            Column::time("endAt", "结束时间", |row| row.end_at),
            Column::money("pricedCents", "计费应付（元）", |row| row.priced_cents),
            Column::money("shouldCents", "重算应付（元）", |row| row.should_cents),
            Column::money("backCents", "应退（元）", |row| row.back_cents),
            Column::money("lowerCents", "应减（元）", |row| row.lower_cents),
            Column::text("state", "结果", |row| row.state.label()),
            Column::text("note", "说明", |row| &row.note),
            Column::time("settledAt", "处理时间", |row| row.settled_at),
            Column::made("userId", "用户编号", |row| row.user_id.to_string()),
        ],
    };

    fn list(&self, scope: &Scope) -> Result<List, Refused> {
        let order = match given(self.keyword.as_ref()) {
            None => None,
            Some(typed) => {
                let id = typed.parse::<RideOrderId>();
                Some(id.map_err(|_| Refused::malformed("请填写完整的订单号"))?)
            }
        };
        Ok(mispricings::orders(scope)
            .is("m.mispricing_id", self.mispricing_id.map(|id| id.0))
            .is("m.state", self.state.map(Choice::number))
            .is("m.order_id", order.map(|order| order.0)))
    }
}

#[derive(Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
struct FencesQuery {
    /// The service area.
    #[param(value_type = String)]
    op_area_id: AreaId,
    /// Part of the name; absent: those that changed last.
    keyword: Option<String>,
}

/// Fences that may have priced rides of an area wrong, bans of its agent's other areas among them, also those that are there no
/// more; at most 50.
#[utoipa::path(get, path = "/order/mispricing/fences", tag = "riding", operation_id = "mispricingFences",
    params(FencesQuery), responses((status = 200, body = Answer<Vec<FenceChoice>>)))]
async fn fences(
    call: Call<Context>,
    Seen(seen): Seen,
    Params(asked): Params<FencesQuery>,
) -> Handled<Vec<FenceChoice>> {
    place(&call, asked.op_area_id).await?;
    let mut db = call.state.runtime.reads.scoped(&call.caller.full_scope, seen, &["fence"]).await?;
    let typed = given(asked.keyword.as_ref());
    Ok(Answer(wrong_versions::fences(&mut *db, asked.op_area_id, typed).await?))
}

#[derive(Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
struct VersionsQuery {
    /// The service area.
    #[param(value_type = String)]
    op_area_id: AreaId,
    /// Of what.
    subject: MispricingSubject,
    /// Of which fence.
    fence_id: Option<FenceId>,
}

/// The versions of a billing, a fence or an edge, the newest first, with when each counted.
#[utoipa::path(get, path = "/order/mispricing/versions", tag = "riding", operation_id = "mispricingVersions",
    params(VersionsQuery), responses((status = 200, body = Answer<Vec<VersionChoice>>)))]
async fn versions(
    call: Call<Context>,
    Seen(seen): Seen,
    Params(asked): Params<VersionsQuery>,
) -> Handled<Vec<VersionChoice>> {
    place(&call, asked.op_area_id).await?;
    let reads = ["config", "fence", "area_version"];
    let mut db = call.state.runtime.reads.scoped(&call.caller.full_scope, seen, &reads).await?;
    Ok(Answer(match (asked.subject, asked.fence_id) {
        (MispricingSubject::Billing, _) => wrong_versions::of_billing(&mut *db, asked.op_area_id).await?,
        (MispricingSubject::Edge, _) => wrong_versions::of_edge(&mut *db, asked.op_area_id).await?,
        (MispricingSubject::Fence, Some(fence)) => {
            wrong_versions::of_fence(&mut *db, asked.op_area_id, fence).await?
        }
        (MispricingSubject::Fence, None) => return Err(Refused::malformed("请选择围栏")),
    }))
}

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct LookedFor {
    /// The service area.
    #[schema(value_type = String)]
    op_area_id: AreaId,
    /// Of what a version was wrong.
    subject: MispricingSubject,
    /// Which fence, of one.
    #[schema(value_type = Option<String>)]
    fence_id: Option<FenceId>,
    /// The version that was wrong; of a billing 0 is the default.
    version: i64,
    /// The version that should have counted; null: the fence should not have been there.
    instead: Option<i64>,
    /// Rides that ended from then on, epoch milliseconds.
    from: i64,
    /// Until then, without it; at most 92 days later.
    until: i64,
}

impl LookedFor {
    fn between(&self, now: Timestamp) -> Result<(Timestamp, Timestamp), Refused> {
        let until = self.until.min(now.millis() + 1);
        let lasts_ms = until.saturating_sub(self.from);
        if self.from >= 0 && (1..=DAYS_MAX * DAY_MS).contains(&lasts_ms) {
            Ok((Timestamp::from_millis(self.from), Timestamp::from_millis(until)))
        } else {
            Err(Refused::malformed(format!("时间范围需在 {DAYS_MAX} 天之内，且开始早于结束和现在")))
        }
    }
}

/// Prices every order again that a version may have priced wrong, by what should have counted, and keeps what is due to whom:
/// at most 5,000 orders, the latest. No money moves.
#[utoipa::path(post, path = "/order/mispricing/find", tag = "riding", operation_id = "findMispriced",
    request_body = LookedFor, responses((status = 200, body = Answer<MadeId>)))]
async fn find(call: Call<Context>, Body(body): Body<LookedFor>) -> Handled<Value> {
    let of = place(&call, body.op_area_id).await?;
    let (from, until) = body.between(call.request.now())?;
    if let Some(fence) = body.fence_id {
        let mut db = call.state.runtime.reads.scoped(&call.caller.full_scope, None, &["fence"]).await?;
        if wrong_versions::of_fence(&mut *db, body.op_area_id, fence).await?.is_empty() {
            return Err(Refused::not_found());
        }
    }
    let id = MispricingId(call.state.runtime.ids.next_id());
    let ctx = call.request.context_of_account(json!({ "id": id.to_string() }));
    let wrong = Wrong {
        subject: body.subject,
        fence_id: body.fence_id,
        version: body.version,
        instead: body.instead,
    };
    let asked = MispricingAsked { agent: of.agent_id, area: of.area_id, wrong, from, until };
    Ok(Answer::replied(call.state.find_mispriced(&call.caller, &ctx, id, asked).await?))
}

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct RefundedMispricing {
    /// Which, as text.
    #[schema(value_type = String)]
    id: MispricingId,
    /// Where what came through a channel goes back to.
    #[serde(default)]
    to: BackTo,
    /// 原因, 1 to 200 characters.
    reason: String,
    /// The version that was seen; another one is refused.
    version: Option<i64>,
}

/// Gives back all that a wrong version made riders pay too much, order by order; a second person may be needed, by the agent's
/// limits.
#[utoipa::path(post, path = "/order/mispricing/refund", tag = "riding", operation_id = "refundMispricing",
    request_body = RefundedMispricing, responses((status = 200, body = Answer<OrderChanged>)))]
async fn refund(call: Call<Context>, Body(body): Body<RefundedMispricing>) -> Handled<OrderChanged> {
    let reason = reason(&body.reason).map_err(kernel::CommandError::Refused)?;
    let case = within_reach(&call, body.id).await?;
    let asked = refunding_all(body.id, case.finding().ok_or_else(Refused::not_found)?, body.to, reason);
    let ctx = CommandContext { expected_version: body.version, ..call.request.context_of_account(json!({})) };
    let outcome = call.state.ports.approvals.do_or_ask(&call.caller, asked, &ctx).await?;
    let approval_id = match &outcome {
        Outcome::Done(_) => None,
        Outcome::Waits { approval, .. } => Some(*approval),
    };
    Ok(Answer::at(OrderChanged { approval_id }, outcome.receipt()))
}

/// A case that the caller may act on.
async fn within_reach(call: &Call<Context>, id: MispricingId) -> Result<Mispricing, Refused> {
    let case = call.state.runtime.desk.load::<Mispricing>(&id).await?.state;
    let known = case.finding().is_some() && call.caller.full_scope.contains(kernel::Aggregate::owner(&case));
    if known { Ok(case) } else { Err(Refused::not_found()) }
}

#[derive(Deserialize, ToSchema)]
struct DiscardedMispricing {
    /// Which, as text.
    #[schema(value_type = String)]
    id: MispricingId,
    /// The version that was seen; another one is refused.
    version: Option<i64>,
}

/// Discards what was looked at: nothing of it is given back.
#[utoipa::path(post, path = "/order/mispricing/discard", tag = "riding", operation_id = "discardMispricing",
    request_body = DiscardedMispricing, responses((status = 200, body = Answer<Nothing>)))]
async fn discard(call: Call<Context>, Body(body): Body<DiscardedMispricing>) -> Handled<Value> {
    within_reach(&call, body.id).await?;
    let done = call.acted::<Mispricing>(&body.id, MispricingCommand::Discard, body.version).await?;
    Ok(Answer::replied(done))
}
