//! The fleet by service area, for those who look after a city and not after bikes.

use std::sync::Arc;

use axum::extract::State;
use serde::Serialize;
use utoipa::ToSchema;
use utoipa_axum::router::UtoipaMethodRouterExt;
use utoipa_axum::routes;
use vocabulary::AreaId;
use wire::{Answer, Caller, Handled, Permit, Routes};

use crate::push::Hub;

/// The routes.
pub(crate) fn routes(hub: &Arc<Hub>) -> Routes {
    Routes::new("live")
        .add(Permit::AnyOf(&["0301", "030601"]), routes!(areas_now).with_state(Arc::clone(hub)))
}

/// Bikes of one area.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct AreaFleet {
    /// The area, as text.
    #[schema(value_type = String)]
    area_id: AreaId,
    /// 上架: on the street.
    shelved: u32,
    /// 可租.
    rentable: u32,
    /// 在线: heard of within five minutes.
    online: u32,
    /// By state in the order of `docs/push.md`; the ninth is those that never had a position.
    #[schema(value_type = Vec<u32>)]
    states: Vec<u32>,
}

/// The fleet by area.
#[derive(Debug, Serialize, ToSchema)]
struct AreasNow {
    /// When it was counted, epoch milliseconds.
    at: i64,
    /// Areas in the caller's scope that have bikes, by their ids.
    areas: Vec<AreaFleet>,
}

/// The bikes of each service area in the caller's scope, counted in the live fleet.
#[utoipa::path(get, path = "/vehicle/map/areas", tag = "live", operation_id = "fleetByArea",
    responses((status = 200, body = Answer<AreasNow>)))]
async fn areas_now(State(hub): State<Arc<Hub>>, caller: Caller) -> Handled<AreasNow> {
    let (totals, at) = hub.totals_now();
    let mut areas: Vec<AreaFleet> = totals
        .iter()
        .filter(|(owner, _)| caller.scope.contains(*owner))
        .filter_map(|(owner, sums)| {
            Some(AreaFleet {
                area_id: owner.area?,
                shelved: sums.shelved,
                rentable: sums.rentable,
                online: sums.online,
                states: sums.states.to_vec(),
            })
        })
        .collect();
    areas.sort_unstable_by_key(|area| area.area_id);
    Ok(Answer(AreasNow { at: at.millis(), areas }))
}
