//! `GET /vehicle/blocked`: the board 不可租.

use std::collections::BTreeMap;

use axum::extract::State;
use kernel::Runtime;
use kernel::list::within;
use live::Memory;
use serde::{Deserialize, Serialize};
use sqlx::{PgConnection, QueryBuilder};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::UtoipaMethodRouterExt;
use utoipa_axum::routes;
use vocabulary::{Day, Scope, Timestamp};
use wire::{Answer, Caller, Handled, Params, Permit, Routes, area_ids};

use super::{BLOCKED, RENTABLE};
use crate::hourly::{COUNTED, HOUR_MS};

/// What an hour is worth is told of so many hours before now.
const WORTH_HOURS: i64 = 24;
/// And not before bikes that can be rented were seen for so many bike-hours: what follows from less is chance.
const ENOUGH_MS: i64 = 24 * HOUR_MS;

#[derive(Clone)]
struct Board {
    runtime: Runtime,
    memory: Memory,
}

/// The routes.
pub fn routes(runtime: &Runtime, memory: &Memory) -> Routes {
    let board = Board { runtime: runtime.clone(), memory: memory.clone() };
    Routes::new("fleet").add(Permit::AnyOf(&["0301"]), routes!(blocked).with_state(board))
}

#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(rename_all = "camelCase")]
struct Within {
    /// Service areas, commas in between; absent: all in reach.
    op_area_ids: Option<String>,
}

/// Bikes that cannot be rented for a reason. One bike may have several.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct BlockedReason {
    /// The code of the reason, as `GET /vehicle/{carId}` tells it; `blocked` in `all`.
    reason: String,
    /// Bikes now.
    bikes: i64,
    /// For how long today, all bikes together: hours.
    bike_hours_today: f64,
    /// What they would take in an hour if they could be rented, as those that can take: cents. Null while too little is known.
    #[schema(required)]
    lost_cents_per_hour: Option<i64>,
}

/// Why bikes on the street that nobody uses cannot be rented.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct BlockedBoard {
    /// When the bikes were counted, epoch milliseconds.
    at: i64,
    /// The day of the hours begins then, epoch milliseconds.
    day_since: i64,
    /// Until when hours are counted, epoch milliseconds; null: never yet.
    #[schema(required)]
    counted_until: Option<i64>,
    /// Bikes that can be rented now.
    rentable: i64,
    /// What one of those takes in an hour, cents, by what was due in the last 24 hours; null while too little is known.
    #[schema(required)]
    worth_cents_per_hour: Option<i64>,
    /// Every bike that cannot be rented, once.
    all: BlockedReason,
    /// By reason, the most bikes first.
    reasons: Vec<BlockedReason>,
}

/// Why bikes on the street cannot be rented: now, for how long today, and what that costs.
#[utoipa::path(get, path = "/vehicle/blocked", tag = "fleet", operation_id = "blockedBikes", params(Within),
    responses((status = 200, body = Answer<BlockedBoard>)))]
async fn blocked(
    State(Board { runtime, memory }): State<Board>,
    caller: Caller,
    Params(asked): Params<Within>,
) -> Handled<BlockedBoard> {
    let scope = caller.scope.in_areas(&area_ids(asked.op_area_ids.as_ref())?);
    let now = runtime.clock.now();
    let (mut rentable, mut blocked) = (0, 0);
    let mut bikes: BTreeMap<String, i64> = BTreeMap::new();
    let seen = memory.read().blocked(now);
    for (_, count) in seen.into_iter().filter(|(owner, _)| scope.contains(*owner)) {
        rentable += i64::from(count.rentable);
        blocked += i64::from(count.blocked);
        for (reason, count) in count.reasons {
            *bikes.entry(reason).or_default() += i64::from(count);
        }
    }
    let day_since = Day::of(now).hour(0);
    let mut db = runtime.reads.scoped(&scope, None, &[]).await?;
    let counted_until = COUNTED.until(&mut *db).await?;
    let today = bike_ms(&mut db, &scope, day_since).await?;
    let worth = worth(&mut db, &scope, now).await?;
    drop(db);
    let reason = |reason: &str, bikes: i64| BlockedReason {
        reason: reason.to_owned(),
        bikes,
        bike_hours_today: today.get(reason).copied().unwrap_or(0) as f64 / HOUR_MS as f64,
        lost_cents_per_hour: worth.map(|cents| (bikes as f64 * cents).round() as i64),
    };
    // Those of the day that are over are told as well.
    for past in today.keys().filter(|reason| ![RENTABLE, BLOCKED].contains(&reason.as_str())) {
        bikes.entry(past.clone()).or_default();
    }
    let mut reasons: Vec<BlockedReason> = bikes.iter().map(|(code, bikes)| reason(code, *bikes)).collect();
    reasons.sort_by(|a, b| {
        b.bikes
            .cmp(&a.bikes)
            .then(b.bike_hours_today.total_cmp(&a.bike_hours_today))
            .then(a.reason.cmp(&b.reason))
    });
    Ok(Answer(BlockedBoard {
        at: now.millis(),
        day_since: day_since.millis(),
        counted_until: counted_until.map(Timestamp::millis),
        rentable,
        worth_cents_per_hour: worth.map(|cents| cents.round() as i64),
        all: reason(BLOCKED, blocked),
        reasons,
    }))
}

/// Milliseconds of bikes since then, by reason.
async fn bike_ms(
    db: &mut PgConnection,
    scope: &Scope,
    since: Timestamp,
) -> sqlx::Result<BTreeMap<String, i64>> {
    let mut query = QueryBuilder::new(
        "select h.reason, sum(h.bike_ms)::bigint from report.blocked_hour h where h.hour_at_ms >= ",
    );
    query.push_bind(since.millis());
    within(&mut query, "h.agent_id", &scope.agents, |agent| agent.0);
    within(&mut query, "h.area_id", &scope.areas, |area| area.0);
    query.push(" group by h.reason");
    let rows: Vec<(String, i64)> = query.build_query_as().fetch_all(db).await?;
    Ok(rows.into_iter().collect())
}

/// What a bike that can be rented takes in an hour, cents: what was due in the hours that were counted of the last 24, by the bikes that
/// could be rented then.
async fn worth(db: &mut PgConnection, scope: &Scope, now: Timestamp) -> sqlx::Result<Option<f64>> {
    let since = now.plus_millis(-WORTH_HOURS * HOUR_MS);
    let mut query = QueryBuilder::new(
        "select coalesce(sum(h.bike_ms), 0)::bigint, min(h.hour_at_ms) from report.blocked_hour h where h.reason = ",
    );
    query.push_bind(RENTABLE).push(" and h.hour_at_ms >= ").push_bind(since.millis());
    within(&mut query, "h.agent_id", &scope.agents, |agent| agent.0);
    within(&mut query, "h.area_id", &scope.areas, |area| area.0);
    let (rentable_ms, first): (i64, Option<i64>) = query.build_query_as().fetch_one(&mut *db).await?;
    let Some(first) = first.filter(|_| rentable_ms >= ENOUGH_MS) else { return Ok(None) };
    let mut query = QueryBuilder::new(
        "select coalesce(sum(e.due_cents), 0)::bigint from read.revenue_entry e where e.day in (",
    );
    query.push_bind(Day::of(now).0).push(", ").push_bind(Day::of(since).0);
    query.push(") and e.at_ms >= ").push_bind(first);
    within(&mut query, "e.agent_id", &scope.agents, |agent| agent.0);
    within(&mut query, "e.area_id", &scope.areas, |area| area.0);
    let due_cents: i64 = query.build_query_scalar().fetch_one(db).await?;
    Ok(Some(due_cents as f64 / (rentable_ms as f64 / HOUR_MS as f64)))
}
