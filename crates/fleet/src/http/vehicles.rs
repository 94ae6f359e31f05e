//! One bike, and the search for it.

use axum::extract::{Path, State};
use kernel::runtime::Runtime;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::UtoipaMethodRouterExt;
use utoipa_axum::routes;
use vocabulary::{AreaId, Scope};
use wire::{Answer, Caller, Handled, Params, Permit, Refused, Routes, Seen};

use crate::Fleet;
use crate::detail::{Detail, detail};
use crate::read::{commands, vehicles, voltage_schemes};

/// Codes that open a bike's page.
pub const VEHICLE_CODES: &[&str] = &["0301", "030601", "0302", "0305", "0307"];
/// The same without those who look after a city: what people did with a bike.
pub const KEEPER_CODES: &[&str] = &["0301", "0302", "0305", "0307"];

/// The routes.
pub fn routes(fleet: &Fleet) -> Routes {
    Routes::new("fleet")
        .add(Permit::AnyOf(VEHICLE_CODES), routes!(vehicle).with_state(fleet.clone()))
        .add(Permit::AnyOf(VEHICLE_CODES), routes!(search).with_state(fleet.clone()))
}

/// A bike put together from read models and memory; nothing when it is not in `scope`.
pub async fn detail_of(
    fleet: &Fleet,
    scope: &Scope,
    seen: Seen,
    car_id: &str,
) -> Result<Option<Detail>, Refused> {
    let Runtime { reads, .. } = &fleet.runtime;
    let mut tx = reads.scoped(scope, seen.0, &["vehicle", "device-command", "voltage_scheme"]).await?;
    let Some(row) = vehicles::find(&mut *tx, car_id).await? else { return Ok(None) };
    let command = commands::newest(&mut *tx, car_id).await?;
    let scheme = match row.voltage_scheme_id {
        Some(id) => voltage_schemes::find(&mut *tx, id).await?,
        None => None,
    };
    drop(tx);
    let area = fleet.areas.area(AreaId(row.area_id)).await.map_err(Refused::unavailable)?;
    let live = fleet.live.of(car_id);
    let beside = fleet.live.beside(car_id, fleet.runtime.clock.now());
    let about = fleet.live.about(car_id);
    Ok(Some(detail(row, area.as_ref(), live.as_ref(), about, beside, command, scheme)))
}

/// One bike: what was decided, what was reported, and why it can or cannot be rented.
#[utoipa::path(get, path = "/vehicle/{carId}", tag = "fleet", params(("carId" = String, Path)),
    responses((status = 200, body = Answer<Detail>)))]
async fn vehicle(
    State(fleet): State<Fleet>,
    caller: Caller,
    seen: Seen,
    Path(car_id): Path<String>,
) -> Handled<Detail> {
    let mut detail = detail_of(&fleet, &caller.scope, seen, &car_id).await?.ok_or_else(Refused::not_found)?;
    if !caller.codes.has_any(KEEPER_CODES) {
        // Who told it what is nothing of a city's office.
        detail.command = None;
    }
    Ok(Answer(detail))
}

/// What to look for.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct SearchParams {
    /// 15 digits that begin with 86 are an IMEI; all else is the beginning of a bike's number.
    keyword: String,
}

/// A hit.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct HitShown {
    /// 车辆编号.
    car_id: String,
    /// Its device.
    imei: Option<String>,
    /// Where it works.
    area_name: String,
    /// Display state; null when it never reported.
    state: Option<u8>,
}

/// The hits.
#[derive(Debug, Serialize, ToSchema)]
struct Hits {
    /// At most 20.
    rows: Vec<HitShown>,
}

/// Looks for bikes by number or IMEI.
#[utoipa::path(get, path = "/vehicle/search", tag = "fleet", params(SearchParams),
    responses((status = 200, body = Answer<Hits>)))]
async fn search(
    State(fleet): State<Fleet>,
    caller: Caller,
    seen: Seen,
    Params(asked): Params<SearchParams>,
) -> Handled<Hits> {
    let keyword = asked.keyword.trim();
    if keyword.is_empty() || keyword.chars().count() > 40 {
        return Err(Refused::malformed("请输入 1 到 40 位的车辆编号或 IMEI"));
    }
    let mut tx = fleet.runtime.reads.scoped(&caller.scope, seen.0, &["vehicle"]).await?;
    let found = vehicles::search(&mut *tx, keyword).await?;
    drop(tx);
    let mut rows = Vec::with_capacity(found.len());
    for hit in found {
        let area = fleet.areas.area(AreaId(hit.area_id)).await.map_err(Refused::unavailable)?;
        rows.push(HitShown {
            state: fleet.live.of(&hit.car_id).map(|live| live.state),
            area_name: area.map(|area| area.name).unwrap_or_default(),
            car_id: hit.car_id,
            imei: hit.imei,
        });
    }
    Ok(Answer(Hits { rows }))
}
