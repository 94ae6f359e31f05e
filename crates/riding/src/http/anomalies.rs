//! Strange orders (异常订单): those that devices say nobody rides any more, and how people end them at their true time.

use kernel::{CommandContext, CommandError, List};
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::collections::BTreeMap;
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::routes;
use vocabulary::{AgentId, AreaId, Choice, Phone, RideOrderId, Scope, Timestamp};
use wire::{
    Answer, BatchAnswer, BatchOutcomes, Body, Call, Column, Export, Handled, Listed, Listing, Refused,
    Routes, Seen, batch, given,
};

use super::orders::ORDERS;
use crate::Context;
use crate::model::anomaly::{AnomalyKind, AnomalyState, Doubt, Limits};
use crate::model::order::reason;
use crate::read::anomalies::{self, AnomalyDay, AnomalyRow, AnomalySums, AreaRideLimit};

/// Orders that are ended by one request: each is looked at once more.
const ENDED_AT_ONCE: usize = 200;

/// The routes.
pub fn routes(context: &Context) -> Routes {
    Routes::new("riding")
        .add_list::<ListQuery>(
            ORDERS,
            Listed {
                path: "/order/anomaly/list",
                operations: ["listOrderAnomalies", "exportOrderAnomalies"],
                summary: "Strange orders in scope, those that wait first; phones masked.",
            },
        )
        .add(ORDERS, routes!(summary))
        .add(ORDERS, routes!(close))
        .with_state(context.clone())
}

/// What the list is cut down to.
#[derive(Default, Deserialize, Serialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub struct ListQuery {
    /// An order's id, a bike's number or a whole phone.
    keyword: Option<String>,
    /// Those of this agent.
    agent_id: Option<AgentId>,
    /// Those that began in this area.
    op_area_id: Option<AreaId>,
    /// Those that wait (0) or were ended (1).
    state: Option<AnomalyState>,
    /// Those that are strange so.
    kind: Option<AnomalyKind>,
    /// Those that the system ended, or those that people did.
    by_system: Option<bool>,
}

impl Listing for ListQuery {
    type State = Context;
    type Row = AnomalyRow;
    const READS: &'static [&'static str] =
        &["order_reconciliation", "ride_order", "rider", "area", "operator"];
    const KEY: &'static str = "n.order_id";
    const FILE: Export<AnomalyRow> = Export {
        what: "order-anomaly",
        title: "异常订单",
        columns: &[
            Column::made("orderId", "订单号", |row| row.order_id.to_string()),
            Column::text("kind", "异常类型", |row| row.kind.label()),
            Column::text("state", "处理状态", |row| row.state.label()),
            Column::text("carId", "车辆编号", |row| &row.car_id),
            Column::text("phone", "手机号", |row| row.phone.as_deref().unwrap_or_default()),
            Column::text("areaName", "服务区", |row| row.area_name.as_deref().unwrap_or_default()),
            Column::time("startAt", "开始时间", |row| row.start_at),
            Column::time("sinceAt", "异常开始", |row| Some(row.since_at)),
            Column::text("locked", "锁状态", |row| match (row.report_at, row.locked) {
                (None, _) => "未上报",
                (_, true) => "已关",
                (_, false) => "已开",
            }),
            Column::time("lockClosedAt", "关锁时间", |row| row.lock_closed_at),
            Column::time("reportAt", "最后上报", |row| row.report_at),
            Column::time("stoodSince", "静止开始", |row| row.stood_since),
            Column::time("fixAt", "最后定位", |row| row.fix_at),
            Column::time("endAt", "真实结束时间", |row| row.end_at),
            Column::money("wouldCents", "至今费用（元）", |row| row.would_cents),
            Column::made("endCents", "真实费用（元）", |row| yuan(row.end_cents)),
            Column::made("savedCents", "为用户减免（元）", |row| yuan(row.saved_cents)),
            Column::text("doubt", "需人工处理的原因", |row| row.doubt.map_or("", Doubt::label)),
            Column::made("closedBy", "结束人", closed_by),
            Column::text("reason", "结束原因", |row| row.reason.as_deref().unwrap_or_default()),
            Column::time("listedAt", "发现或结束时间", |row| Some(row.listed_at)),
        ],
    };

    fn list(&self, scope: &Scope) -> Result<List, Refused> {
        let list = anomalies::list(scope)
            .is("n.agent_id", self.agent_id.map(|agent| agent.0))
            .is("n.area_id", self.op_area_id.map(|area| area.0))
            .is("n.state", self.state.map(Choice::number))
            .is("n.kind", self.kind.map(Choice::number))
            .is("n.is_by_system", self.by_system);
        let Some(typed) = given(self.keyword.as_ref()) else { return Ok(list) };
        if let Ok(phone) = typed.parse::<Phone>() {
            return Ok(anomalies::of_phone(list, &phone));
        }
        Ok(match typed.parse::<i64>() {
            Ok(id) if typed.len() > 12 => list.is("n.order_id", Some(id)),
            _ => anomalies::of_car(list, typed),
        })
    }
}

fn yuan(cents: Option<i64>) -> String {
    cents.map_or_else(String::new, |cents| vocabulary::Cents(cents).to_string())
}

fn closed_by(row: &AnomalyRow) -> String {
    match row.is_by_system {
        None => String::new(),
        Some(true) => "系统自动".to_owned(),
        Some(false) => row.who.clone().unwrap_or_else(|| "人工".to_owned()),
    }
}

/// How long each may last before an order is strange, milliseconds.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[expect(clippy::struct_field_names, reason = "each says its unit")]
struct AnomalyLimits {
    /// A closed lock.
    lock_ms: i64,
    /// A silent device.
    silent_ms: i64,
    /// A bike that stands with its lock open.
    still_ms: i64,
    /// A ride, where its area says nothing else.
    ride_ms: i64,
}

/// What stands of strange orders, and what counts as strange.
#[derive(Debug, Serialize, ToSchema)]
struct AnomalySummary {
    #[serde(flatten)]
    sums: AnomalySums,
    limits: AnomalyLimits,
    /// Areas in scope where a ride may last otherwise.
    areas: Vec<AreaRideLimit>,
    /// What was ended on each of the last 30 days, the latest first; days without any are left out.
    days: Vec<AnomalyDay>,
}

/// How many strange orders wait in scope, when all were last looked at, and what was saved in the last 30 days.
#[utoipa::path(get, path = "/order/anomaly/summary", tag = "riding", operation_id = "orderAnomalySummary",
    responses((status = 200, body = Answer<AnomalySummary>)))]
async fn summary(call: Call<Context>, Seen(seen): Seen) -> Handled<AnomalySummary> {
    let Call { state: context, caller, .. } = &call;
    let reads = ["order_reconciliation", "ride_order", "area", "config"];
    let mut db = context.runtime.reads.scoped(&caller.full_scope, seen, &reads).await?;
    let now = call.request.now();
    let sums = anomalies::sums(&mut *db, now).await?;
    let days = anomalies::days(&mut *db, now).await?;
    let Limits { lock_ms, silent_ms, still_ms, ride_ms, .. } = Context::usual_limits();
    let areas = anomalies::ride_limits(&mut *db, now, ride_ms).await?;
    let limits = AnomalyLimits { lock_ms, silent_ms, still_ms, ride_ms };
    Ok(Answer(AnomalySummary { sums, limits, areas, days }))
}

/// A strange order that is to be ended.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct EndedAnomaly {
    /// Which, as text.
    #[schema(value_type = String)]
    order_id: RideOrderId,
    /// When it truly ended, as the list said, epoch milliseconds: where that is another moment by now, by more than a minute, it
    /// is refused.
    end_at: i64,
}

#[derive(Deserialize, ToSchema)]
struct EndedAnomalies {
    /// At most 200.
    orders: Vec<EndedAnomaly>,
    /// 原因, 1 to 200 characters.
    reason: String,
}

/// Ends strange orders at their true times: each is looked at once more, judged and priced as of then, and the answer tells
/// what became of each. What is not sure of the place goes to return review.
#[utoipa::path(post, path = "/order/anomaly/close", tag = "riding", operation_id = "closeOrderAnomalies",
    request_body = EndedAnomalies, responses((status = 200, body = Answer<BatchAnswer>)))]
async fn close(call: Call<Context>, Body(body): Body<EndedAnomalies>) -> Handled<BatchAnswer> {
    let reason = reason(&body.reason).map_err(CommandError::Refused)?;
    let ends: BTreeMap<RideOrderId, i64> =
        body.orders.iter().map(|order| (order.order_id, order.end_at)).collect();
    let ids = batch(body.orders.into_iter().map(|order| order.order_id).collect(), ENDED_AT_ONCE)?;
    let mut outcomes = BatchOutcomes::default();
    for id in ids {
        // One request id stands for all of them: each is "not now" when it is repeated.
        let ctx = CommandContext { request_id: None, ..call.request.context_of_account(json!({})) };
        let seen = Timestamp::from_millis(ends.get(&id).copied().unwrap_or_default());
        let done = call.state.end_anomaly(&call.caller, ctx, id, seen, &reason).await;
        outcomes.take(id.to_string(), done)?;
    }
    Ok(outcomes.answer())
}
