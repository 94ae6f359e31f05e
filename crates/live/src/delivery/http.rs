//! How far the fences of areas have come, asked by people.

use axum::extract::State;
use kernel::{List, Runtime};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::UtoipaMethodRouterExt;
use utoipa_axum::routes;
use vocabulary::{AreaId, Choice, Scope};
use wire::{
    Answer, Caller, Column, Export, Handled, Hosted, Listed, Listing, Params, Permit, Refused, Routes, Seen,
    given,
};

use super::read::{self, AREAS_MAX, DeliveryBike, DeliveryProgress, DeliveryState};

/// Whoever sees fences, areas or bikes.
const SEERS: Permit = Permit::AnyOf(&["0301", "0503", "0504", "0505", "1103"]);
const READS: &[&str] = &["vehicle", "area"];

#[derive(Clone)]
struct Host(Runtime);

impl Hosted for Host {
    fn runtime(&self) -> &Runtime {
        &self.0
    }
}

/// The routes.
pub fn routes(runtime: &Runtime) -> Routes {
    let lists: Routes = Routes::new("live")
        .add_list::<BikesQuery>(
            SEERS,
            Listed {
                path: "/fence/delivery/bikes",
                operations: ["listDeliveryBikes", "exportDeliveryBikes"],
                summary: "Bikes on the street in scope and how far they are with the fences of their areas, by number.",
            },
        )
        .with_state(Host(runtime.clone()));
    lists.merge(Routes::new("live").add(SEERS, routes!(delivery).with_state(runtime.clone())))
}

#[derive(Default, Deserialize, Serialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
struct BikesQuery {
    /// Those of this area.
    op_area_id: Option<AreaId>,
    /// Those in this state.
    state: Option<DeliveryState>,
    /// Only those that do not hold what they should.
    lagging: Option<bool>,
    /// The beginning of a bike's number.
    keyword: Option<String>,
}

impl Listing for BikesQuery {
    type State = Host;
    type Row = DeliveryBike;
    const READS: &'static [&'static str] = READS;
    const KEY: &'static str = "v.car_id";
    const FILE: Export<DeliveryBike> = Export {
        what: "fence-delivery",
        title: "围栏下发",
        columns: &[
            Column::text("carId", "车辆编号", |row| &row.car_id),
            Column::text("areaName", "服务区", |row| &row.area_name),
            Column::made("state", "状态", |row| {
                i16::try_from(row.state)
                    .map_or_else(|_| String::new(), |state| DeliveryState::label_of(state).to_owned())
            }),
            Column::made("refusedCode", "拒绝代码", |row| {
                row.refused_code.map_or_else(String::new, |code| code.to_string())
            }),
            Column::time("sinceAt", "自何时起", |row| row.since_at),
            Column::made("edition", "应有版本", |row| {
                row.edition.map_or_else(String::new, |edition| edition.to_string())
            }),
            Column::made("told", "上报版本（低 16 位）", |row| {
                row.told.map_or_else(String::new, |told| told.to_string())
            }),
            Column::count("tries", "下发次数", |row| row.tries.unwrap_or(0).into()),
            Column::time("sentAt", "最近下发", |row| row.sent_at),
            Column::time("heardAt", "最近上报", |row| row.heard_at),
            Column::text("imei", "设备号", |row| row.imei.as_deref().unwrap_or_default()),
        ],
    };

    fn list(&self, scope: &Scope) -> Result<List, Refused> {
        let list = read::list(scope)
            .is("v.area_id", self.op_area_id.map(|area| area.0))
            .starts_with(&["v.car_id"], given(self.keyword.as_ref()));
        let list = read::in_state(list, self.state);
        Ok(if self.lagging == Some(true) { read::lagging(list) } else { list })
    }
}

/// Of which areas.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
struct OfAreas {
    /// Ids, separated by commas; at most 200.
    op_area_ids: String,
}

/// How far areas are.
#[derive(Debug, Serialize, ToSchema)]
struct Deliveries {
    /// Of those that were asked for and are in scope, by name.
    rows: Vec<DeliveryProgress>,
}

/// How far the bikes of areas are with what counts in them.
#[utoipa::path(get, path = "/fence/delivery", tag = "live", operation_id = "fenceDelivery", params(OfAreas),
    responses((status = 200, body = Answer<Deliveries>)))]
async fn delivery(
    State(runtime): State<Runtime>,
    caller: Caller,
    Seen(seen): Seen,
    Params(asked): Params<OfAreas>,
) -> Handled<Deliveries> {
    let wrong = || Refused::malformed("请求参数 opAreaIds 格式不正确");
    let ids = asked.op_area_ids.split(',').map(str::trim).filter(|id| !id.is_empty());
    let ids: Vec<AreaId> =
        ids.take(AREAS_MAX + 1).map(str::parse).collect::<Result<_, _>>().map_err(|_| wrong())?;
    if ids.is_empty() || ids.len() > AREAS_MAX {
        return Err(Refused::malformed(format!("请一次指定 1 到 {AREAS_MAX} 个服务区")));
    }
    let mut db = runtime.reads.scoped(&caller.full_scope, seen, READS).await?;
    Ok(Answer(Deliveries { rows: read::progress(&mut *db, &ids).await? }))
}
