//! What the maps draw beneath the bikes.

use axum::extract::State;
use geofence::FenceKind;
use kernel::runtime::Runtime;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::UtoipaMethodRouterExt;
use utoipa_axum::routes;
use wire::{Answer, Caller, Handled, Params, Permit, Routes, Seen};

use crate::read::{area_versions, areas, fences};

/// The routes.
pub fn routes(runtime: &Runtime) -> Routes {
    Routes::new("territory").add(
        Permit::AnyOf(&["0301", "030601", "0503", "0504", "0505", "0908", "0910"]),
        routes!(shapes).with_state(runtime.clone()),
    )
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
    State(runtime): State<Runtime>,
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
