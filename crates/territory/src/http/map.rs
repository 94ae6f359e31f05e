//! What the maps draw beneath the bikes.

use axum::extract::State;
use geofence::FenceKind;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::UtoipaMethodRouterExt;
use utoipa_axum::routes;
use vocabulary::FenceId;
use wire::{Answer, Caller, Handled, Params, Permit, Refused, Routes, Seen};

use crate::Context;
use crate::model::station_day::Level;
use crate::read::{area_versions, areas, fences};

/// The routes.
pub fn routes(context: &Context) -> Routes {
    Routes::new("territory")
        .add(
            Permit::AnyOf(&["0301", "030601", "0503", "0504", "0505", "0908", "0910"]),
            routes!(shapes).with_state(context.clone()),
        )
        .add(Permit::AnyOf(&["0301", "030601", "0907"]), routes!(stations).with_state(context.clone()))
}

/// Edges in the caller's scope.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct Shapes {
    /// Service areas.
    areas: Vec<areas::AreaShape>,
    /// Parking places.
    parkings: Vec<fences::FenceShape>,
    /// No-stop zones.
    no_stops: Vec<fences::FenceShape>,
    /// No-ride zones.
    no_rides: Vec<fences::FenceShape>,
    /// What people marked.
    customs: Vec<fences::FenceShape>,
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct Moment {
    /// Those that counted then, epoch milliseconds; absent: now.
    at: Option<i64>,
}

/// Service areas and the fences in them that count now, or counted at a moment, in the caller's scope, WGS-84.
#[utoipa::path(get, path = "/fence/map", tag = "territory", params(Moment),
    responses((status = 200, body = Answer<Shapes>)))]
async fn shapes(
    State(Context { runtime, .. }): State<Context>,
    caller: Caller,
    seen: Seen,
    Params(Moment { at }): Params<Moment>,
) -> Handled<Shapes> {
    let mut tx = runtime.reads.scoped(&caller.scope, seen.0, &["area", "fence"]).await?;
    let areas = match at {
        Some(at) => area_versions::shapes_at(&mut *tx, at).await?,
        None => areas::shapes(&mut *tx).await?,
    };
    let mut fences = fences::shapes(&mut *tx, at.unwrap_or(runtime.clock.now().millis())).await?;
    let mut of = |kind: FenceKind| fences.extract_if(.., |fence| fence.kind == kind.number()).collect();
    Ok(Answer(Shapes {
        areas,
        parkings: of(FenceKind::Parking),
        no_stops: of(FenceKind::NoStop),
        no_rides: of(FenceKind::NoRide),
        customs: of(FenceKind::Custom),
    }))
}

/// A parking place as it is now.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct StationNow {
    /// Its id, as text.
    #[schema(value_type = String)]
    id: FenceId,
    /// Bikes that stand in it.
    vehicles: i64,
    /// Of those the ones that may be handed out.
    rentable: i64,
    /// How full it is; null while it is closed.
    #[schema(required)]
    level: Option<Level>,
}

/// The parking places in the caller's scope as they are now.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct StationsNow {
    /// When that was, epoch milliseconds.
    at: i64,
    /// Each that counts now, at most 20,000.
    stations: Vec<StationNow>,
}

/// How full the parking places in the caller's scope are, at most five seconds old.
#[utoipa::path(get, path = "/fence/map/stations", tag = "territory",
    responses((status = 200, body = Answer<StationsNow>)))]
async fn stations(State(context): State<Context>, caller: Caller, seen: Seen) -> Handled<StationsNow> {
    let present = context.stations_now().await.map_err(Refused::unavailable)?;
    let mut tx = context.runtime.reads.scoped(&caller.scope, seen.0, &["fence"]).await?;
    let seen = fences::parking_ids(&mut *tx, present.at.millis()).await?;
    drop(tx);
    let now = |id: FenceId| {
        let station = present.stations.get(&id)?;
        Some(StationNow { id, vehicles: station.vehicles, rentable: station.rentable, level: station.level })
    };
    let stations = seen.into_iter().filter_map(now).collect();
    Ok(Answer(StationsNow { at: present.at.millis(), stations }))
}
