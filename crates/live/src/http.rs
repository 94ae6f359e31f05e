//! The routes: the websocket, and the way of a bike.

use std::sync::Arc;

use axum::extract::{Path, State, WebSocketUpgrade};
use axum::response::Response;
use kernel::{ReadTx, Runtime};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::UtoipaMethodRouterExt;
use utoipa_axum::routes;
use vocabulary::Timestamp;
use wire::{Answer, Caller, Handled, Params, Permit, Refused, Routes};

use crate::ingest::{Point, Pulse, history, pulses};
use crate::push::{Hub, VEHICLE_CODES, upgrade};

const DEFAULT_MINUTES: u32 = 180;
/// History is kept for a month.
const MAX_MINUTES: u32 = 31 * 24 * 60;

/// The routes. The websocket is open: its first frame says who it is.
pub fn routes(runtime: &Runtime, hub: &Arc<Hub>) -> Routes {
    Routes::new("live")
        .add(Permit::Open, routes!(socket).with_state(Arc::clone(hub)))
        .add(Permit::AnyOf(VEHICLE_CODES), routes!(way).with_state(runtime.clone()))
        .add(Permit::AnyOf(&["0305"]), routes!(curve).with_state(runtime.clone()))
        .merge(crate::areas_now::routes(hub))
        .merge(crate::past::routes(runtime))
        .merge(crate::past_stops::routes(runtime))
        .merge(crate::delivery::routes(runtime))
        .merge(crate::device_log::routes(runtime))
}

/// Live data, as `docs/push.md` describes it.
#[utoipa::path(get, path = "/ws", tag = "live", responses((status = 101, description = "the websocket opens")))]
async fn socket(State(hub): State<Arc<Hub>>, request: WebSocketUpgrade) -> Response {
    upgrade(hub, request)
}

/// Which stretch of time.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct Stretch {
    /// Minutes back from now; 180 without it, a month at most.
    minutes: Option<u32>,
}

/// Where a bike was, oldest first; at most the newest 2,000 points.
#[derive(Debug, Serialize, ToSchema)]
struct Way {
    /// The points.
    points: Vec<Point>,
}

/// How a device did, oldest first; at most the newest 2,000 reports.
#[derive(Debug, Serialize, ToSchema)]
struct Curve {
    /// The reports.
    points: Vec<Pulse>,
}

/// Signal and voltage of a bike's device, as it reported them.
#[utoipa::path(get, path = "/vehicle/device/{carId}/curve", tag = "live", operation_id = "deviceCurve",
    params(("carId" = String, Path), Stretch), responses((status = 200, body = Answer<Curve>)))]
async fn curve(
    State(runtime): State<Runtime>,
    caller: Caller,
    Path(car_id): Path<String>,
    Params(stretch): Params<Stretch>,
) -> Handled<Curve> {
    let (mut tx, since) = looked_back(&runtime, &caller, &car_id, &stretch).await?;
    Ok(Answer(Curve { points: pulses(&mut tx, &car_id, since).await? }))
}

/// Where a bike was.
#[utoipa::path(get, path = "/vehicle/{carId}/history", tag = "live", params(("carId" = String, Path), Stretch),
    responses((status = 200, body = Answer<Way>)))]
async fn way(
    State(runtime): State<Runtime>,
    caller: Caller,
    Path(car_id): Path<String>,
    Params(stretch): Params<Stretch>,
) -> Handled<Way> {
    let (mut tx, since) = looked_back(&runtime, &caller, &car_id, &stretch).await?;
    Ok(Answer(Way { points: history(&mut tx, &car_id, since).await? }))
}

/// The beginning of a stretch of a bike in the caller's scope.
async fn looked_back(
    runtime: &Runtime,
    caller: &Caller,
    car_id: &str,
    stretch: &Stretch,
) -> Result<(ReadTx, Timestamp), Refused> {
    let minutes = stretch.minutes.unwrap_or(DEFAULT_MINUTES);
    if !(1..=MAX_MINUTES).contains(&minutes) {
        return Err(Refused::malformed(format!("minutes 应在 1 到 {MAX_MINUTES} 之间")));
    }
    let mut tx = runtime.reads.scoped(&caller.scope, None, &[]).await?;
    let known: Option<i32> = sqlx::query_scalar("select 1 from read.vehicle where car_id = $1")
        .bind(car_id)
        .fetch_optional(&mut *tx)
        .await?;
    if known.is_none() {
        return Err(Refused::business("vehicle-not-found", "没有这辆车，或不在您的数据范围内"));
    }
    let since = runtime.clock.now().plus_millis(-i64::from(minutes) * 60_000);
    Ok((tx, since))
}
