//! `GET /vehicle/device/online`: how many devices were on line, hour by hour.

use axum::extract::State;
use kernel::Runtime;
use kernel::list::within;
use serde::{Deserialize, Serialize};
use sqlx::QueryBuilder;
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::UtoipaMethodRouterExt;
use utoipa_axum::routes;
use vocabulary::{AgentId, AreaId, Reach, Scope};
use wire::{Answer, Caller, Handled, Params, Permit, Refused, Routes};

use crate::hourly::HOUR_MS;

/// At most a month of hours is told.
const HOURS_MAX: i64 = 744;

/// The routes.
pub fn routes(runtime: &Runtime) -> Routes {
    Routes::new("fleet").add(Permit::AnyOf(&["0305"]), routes!(online).with_state(runtime.clone()))
}

#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(rename_all = "camelCase")]
struct OnlineQuery {
    /// So many hours before now: 1 to 744.
    hours: i64,
    /// Those of this agent.
    agent_id: Option<AgentId>,
    /// Those of this area.
    op_area_id: Option<AreaId>,
}

/// An hour.
#[derive(Debug, Serialize, ToSchema, sqlx::FromRow)]
#[serde(rename_all = "camelCase")]
struct OnlineHour {
    /// When it begins, epoch milliseconds.
    at: i64,
    /// Of the time that was looked at, all devices together: hours.
    device_hours: f64,
    /// How much of that they were on line, percent.
    online_percent: f64,
}

/// How devices were on line.
#[derive(Debug, Serialize, ToSchema)]
struct OnlineHours {
    /// The hours in which somebody looked, the oldest first.
    points: Vec<OnlineHour>,
}

/// How much of the time devices in scope were on line, hour by hour. Hours in which no server ran are not there.
#[utoipa::path(get, path = "/vehicle/device/online", tag = "fleet", operation_id = "devicesOnline",
    params(OnlineQuery), responses((status = 200, body = Answer<OnlineHours>)))]
async fn online(
    State(runtime): State<Runtime>,
    caller: Caller,
    Params(asked): Params<OnlineQuery>,
) -> Handled<OnlineHours> {
    if !(1..=HOURS_MAX).contains(&asked.hours) {
        return Err(Refused::malformed(format!("hours 需为 1 到 {HOURS_MAX}")));
    }
    let agents = asked.agent_id.map_or(Reach::All, |agent| Reach::only([agent]));
    let areas = asked.op_area_id.map_or(Reach::All, |area| Reach::only([area]));
    let scope = caller.full_scope.intersect(&Scope::of(agents, areas));
    let since = runtime.clock.now().millis() - asked.hours * HOUR_MS;
    let mut query = QueryBuilder::new(
        "select h.hour_at_ms at, sum(h.device_ms)::float8 / 3600000 device_hours,
             100 * sum(h.online_ms)::float8 / sum(h.device_ms)::float8 online_percent
         from report.device_hour h where h.device_ms > 0 and h.hour_at_ms >= ",
    );
    query.push_bind(since);
    within(&mut query, "h.agent_id", &scope.agents, |agent| agent.0);
    within(&mut query, "h.area_id", &scope.areas, |area| area.0);
    query.push(" group by h.hour_at_ms order by h.hour_at_ms");
    let mut db = runtime.reads.scoped(&scope, None, &[]).await?;
    let points = query.build_query_as().fetch_all(&mut *db).await?;
    Ok(Answer(OnlineHours { points }))
}
