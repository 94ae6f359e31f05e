//! Missed orders (丢单) as the back-office sees them.

use kernel::List;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::routes;
use vocabulary::{AgentId, AreaId, Choice, FenceId, Phone, RiderId, Scope, Timestamp};
use wire::{
    Answer, Call, Column, End, Export, Handled, Listed, Listing, Params, Record, Refused, Routes, Seen,
    given, moment,
};

use super::orders::ORDERS;
use crate::Context;
use crate::model::miss::{MissAct, MissReason};
use crate::read::misses::{self, MissRow};

/// The routes.
pub fn routes(context: &Context) -> Routes {
    Routes::new("riding")
        .add_list::<ListQuery>(
            ORDERS,
            Listed {
                path: "/order/miss/list",
                operations: ["listMisses", "exportMisses"],
                summary: "Missed orders in scope, newest first, of the last 90 days; phones masked.",
            },
        )
        .add_record::<ListQuery>(
            ORDERS,
            Record { path: "/order/miss/{id}", operation: "missInfo", summary: "One missed order." },
        )
        .add(ORDERS, routes!(summary))
        .with_state(context.clone())
}

#[derive(Default, Deserialize, Serialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub struct ListQuery {
    /// A bike's number or a whole phone.
    keyword: Option<String>,
    /// Those of this agent.
    agent_id: Option<AgentId>,
    /// Those in this area.
    op_area_id: Option<AreaId>,
    /// Those for this reason.
    reason: Option<MissReason>,
    /// Those at this.
    act: Option<MissAct>,
    /// Those of this rider.
    user_id: Option<RiderId>,
    /// Those to which this parking place is the nearest within 300 m.
    parking_id: Option<FenceId>,
    /// From then on: `YYYY-MM-DD HH:mm:ss`.
    start_time: Option<String>,
    /// Until then, included.
    end_time: Option<String>,
}

impl Listing for ListQuery {
    type State = Context;
    type Row = MissRow;
    const READS: &'static [&'static str] = &["rider", "area", "fence"];
    const KEY: &'static str = "m.miss_id";
    const FILE: Export<MissRow> = Export {
        what: "miss",
        title: "丢单",
        columns: &[
            Column::time("at", "丢单时间", |row| Some(row.at)),
            Column::text("reason", "丢单原因", |row| row.reason.label()),
            Column::text("act", "环节", |row| row.act.label()),
            Column::text("carId", "车辆编号", |row| row.car_id.as_deref().unwrap_or_default()),
            Column::text("phone", "手机号", |row| row.phone.as_deref().unwrap_or_default()),
            Column::text("areaName", "服务区", |row| row.area_name.as_deref().unwrap_or_default()),
            Column::text("parkingName", "最近站点", |row| {
                row.parking_name.as_deref().unwrap_or_default()
            }),
            Column::count("tries", "次数", |row| row.tries.into()),
            Column::time("lastAt", "最后一次", |row| Some(row.last_at)),
            Column::text("detail", "说明", |row| &row.detail),
            Column::made("lat", "纬度", |row| degrees(row.lat)),
            Column::made("lng", "经度", |row| degrees(row.lng)),
            Column::made("userId", "用户编号", |row| {
                row.user_id.map_or_else(String::new, |id| id.to_string())
            }),
        ],
    };

    fn list(&self, scope: &Scope) -> Result<List, Refused> {
        let from = moment("startTime", self.start_time.as_ref(), End::First)?;
        let until = moment("endTime", self.end_time.as_ref(), End::Last)?;
        let list = misses::list(scope)
            .is("m.agent_id", self.agent_id.map(|agent| agent.0))
            .is("m.area_id", self.op_area_id.map(|area| area.0))
            .is("m.reason", self.reason.map(Choice::number))
            .is("m.act", self.act.map(Choice::number))
            .is("m.rider_id", self.user_id.map(|rider| rider.0))
            .is("m.parking_id", self.parking_id.map(|parking| parking.0))
            .between("m.at_ms", from.map(Timestamp::millis), until.map(Timestamp::millis));
        let Some(typed) = given(self.keyword.as_ref()) else { return Ok(list) };
        Ok(match typed.parse::<Phone>() {
            Ok(phone) => crate::read::of_phone(list, "m.rider_id", &phone),
            Err(_) => list.is("m.car_id", Some(typed)),
        })
    }
}

fn degrees(value: Option<f64>) -> String {
    value.map_or_else(String::new, |value| format!("{value:.6}"))
}

/// So many misses for a reason.
#[derive(Debug, Serialize, ToSchema)]
struct MissShare {
    /// 丢单原因.
    reason: MissReason,
    /// 丢单数.
    misses: i64,
}

/// Misses by reason.
#[derive(Debug, Serialize, ToSchema)]
struct MissSummary {
    /// Each reason that there is, the most frequent first.
    reasons: Vec<MissShare>,
}

/// Missed orders of the list by their reasons.
#[utoipa::path(get, path = "/order/miss/summary", tag = "riding", operation_id = "missSummary", params(ListQuery),
    responses((status = 200, body = Answer<MissSummary>)))]
async fn summary(
    call: Call<Context>,
    Seen(seen): Seen,
    Params(query): Params<ListQuery>,
) -> Handled<MissSummary> {
    let Call { state: context, caller, .. } = &call;
    let list = query.list(&caller.full_scope)?;
    let mut db = context.runtime.reads.scoped(&caller.full_scope, seen, ListQuery::READS).await?;
    let counted: Vec<(MissReason, i64)> = list.count_by(&mut db, "m.reason").await?;
    let reasons = counted.into_iter().map(|(reason, misses)| MissShare { reason, misses }).collect();
    Ok(Answer(MissSummary { reasons }))
}
