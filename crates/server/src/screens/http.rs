//! The routes of walls.

use axum::extract::State;
use serde::{Deserialize, Serialize};
use territory::read::areas::{self, AreaShape};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::routes;
use wire::{Answer, Caller, Handled, Params, Permit, Refused, Routes, area_ids};

use super::Screens;
use super::operation_shapes::OperationScreen;
use super::revenue_shapes::RevenueScreen;

pub(super) const OPERATION_CODES: &[&str] = &["0221"];
pub(super) const REVENUE_CODES: &[&str] = &["LargeRevenueScreen"];
pub(super) const HOME_CODES: &[&str] = &["02"];

/// The routes.
pub fn routes(screens: &Screens) -> Routes {
    Routes::new("server")
        .add(Permit::AnyOf(OPERATION_CODES), routes!(operation))
        .add(Permit::AnyOf(HOME_CODES), routes!(home))
        .add(Permit::AnyOf(REVENUE_CODES), routes!(revenue))
        .add(Permit::AnyOf(&["0221", "LargeRevenueScreen", "02"]), routes!(shapes))
        .with_state(screens.clone())
}

/// Which areas a wall shows.
#[derive(Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
struct ScreenQuery {
    /// These service areas alone, with commas between; absent: all that the account may see, whatever is selected.
    op_area_ids_big_screen: Option<String>,
}

/// 运营大屏: all tiles at one moment, each with its time; a tile whose source does not exist is absent. The same comes by the
/// websocket topic `screen/ops` (`docs/push.md`).
#[utoipa::path(get, path = "/screen/operation", tag = "screen", operation_id = "operationScreen",
    params(ScreenQuery), responses((status = 200, body = Answer<OperationScreen>)))]
async fn operation(
    State(screens): State<Screens>,
    caller: Caller,
    Params(asked): Params<ScreenQuery>,
) -> Handled<OperationScreen> {
    let areas = area_ids(asked.op_area_ids_big_screen.as_ref())?;
    Ok(Answer(screens.operation(&caller.full_scope, &areas).await.map_err(Refused::unavailable)?))
}

/// 运营看板: the same board in the frame of the application; topic `screen/home`.
#[utoipa::path(get, path = "/screen/home", tag = "screen", operation_id = "homeScreen",
    params(ScreenQuery), responses((status = 200, body = Answer<OperationScreen>)))]
async fn home(
    State(screens): State<Screens>,
    caller: Caller,
    Params(asked): Params<ScreenQuery>,
) -> Handled<OperationScreen> {
    let areas = area_ids(asked.op_area_ids_big_screen.as_ref())?;
    Ok(Answer(screens.operation(&caller.full_scope, &areas).await.map_err(Refused::unavailable)?))
}

/// 营收大屏: all tiles at one moment, to the cent what 每日统计 says of the same days and areas; topic `screen/revenue`.
#[utoipa::path(get, path = "/screen/revenue", tag = "screen", operation_id = "revenueScreen",
    params(ScreenQuery), responses((status = 200, body = Answer<RevenueScreen>)))]
async fn revenue(
    State(screens): State<Screens>,
    caller: Caller,
    Params(asked): Params<ScreenQuery>,
) -> Handled<RevenueScreen> {
    let areas = area_ids(asked.op_area_ids_big_screen.as_ref())?;
    Ok(Answer(screens.revenue(&caller.full_scope, &areas).await.map_err(Refused::unavailable)?))
}

/// What walls draw.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct ScreenAreas {
    /// Service areas with their edges, WGS-84.
    areas: Vec<AreaShape>,
}

/// The service areas that a wall may show, with their edges.
#[utoipa::path(get, path = "/screen/areas", tag = "screen", operation_id = "screenAreas",
    responses((status = 200, body = Answer<ScreenAreas>)))]
async fn shapes(State(screens): State<Screens>, caller: Caller) -> Handled<ScreenAreas> {
    let mut db = screens.runtime.reads.scoped(&caller.full_scope, super::NEWEST, &["area"]).await?;
    let areas = areas::shapes(&mut *db).await?;
    Ok(Answer(ScreenAreas { areas }))
}
