//! Lists of bikes, for people and for machines.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use axum::extract::State;
use kernel::List;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::UtoipaMethodRouterExt;
use utoipa_axum::routes;
use vocabulary::{AreaId, Scope, VoltageSchemeId};
use wire::{
    Answer, Caller, Handled, PageOf, PageQuery, Params, Permit, Refused, Routes, Seen, given, number,
};

use super::screening::schemes;
use crate::Fleet;
use crate::model::region::{AlarmState, Lifecycle, OperationState, RidingState};
use crate::read::vehicle_list::{self, Named, following};
use crate::read::vehicles::VehicleRow;
use crate::read::voltage_schemes;

/// Rows of a machine's page without a wish, and at most.
const USUAL_SIZE: usize = 100;
const MOST_AT_ONCE: usize = 500;
/// More states than there are.
const MOST_STATUSES: usize = 16;

/// The routes.
pub fn routes(fleet: &Fleet) -> Routes {
    Routes::new("fleet")
        .add(Permit::AnyOf(&["0302"]), routes!(query).with_state(fleet.clone()))
        .add(Permit::Machine("open:fleet"), routes!(list).with_state(fleet.clone()))
}

/// A bike in a list. Times are epoch milliseconds; what was never reported is null.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct VehicleListed {
    /// 车辆编号.
    pub car_id: String,
    /// Its device.
    pub imei: Option<String>,
    /// 型号: of its device; null: it never said.
    pub model: Option<String>,
    /// 固件: what its device runs.
    pub firmware: Option<String>,
    /// 号牌.
    pub plate_no: String,
    /// Whose it is, as text.
    pub agent_id: String,
    /// Where it works, as text.
    pub area_id: String,
    /// Where it works.
    pub area_name: String,
    /// Lifecycle.
    #[schema(value_type = Lifecycle)]
    pub lifecycle: i16,
    /// Who uses it.
    #[schema(value_type = RidingState)]
    pub riding_state: i16,
    /// Field work.
    #[schema(value_type = Vec<OperationState>)]
    pub operation_states: Vec<i16>,
    /// What is wrong.
    #[schema(value_type = Vec<AlarmState>)]
    pub alarm_states: Vec<i16>,
    /// Display state.
    pub state: Option<u8>,
    /// Whether it reported lately.
    pub online: bool,
    /// Battery, percent.
    pub soc: Option<u8>,
    /// Signal, 0 to 31.
    pub gsm: Option<u8>,
    /// Degrees north, WGS-84: its last fix.
    pub lat: Option<f64>,
    /// Degrees east, WGS-84.
    pub lng: Option<f64>,
    /// When it had its last fix.
    pub gps_at: Option<i64>,
    /// The device's time of its last report.
    pub report_at: Option<i64>,
    /// What it is called.
    pub tags: Vec<String>,
    /// 电压方案: its id, as text.
    pub voltage_scheme_id: Option<VoltageSchemeId>,
    /// 电压方案: what it is called.
    pub voltage_scheme_name: Option<String>,
    /// Since when nobody uses it; null while somebody does.
    pub idle_since: Option<i64>,
    /// When its last ride ended.
    pub last_ride_end: Option<i64>,
    /// When it came.
    pub created_at: i64,
    /// When a decision last changed it.
    pub updated_at: i64,
    /// Version of the aggregate.
    pub version: i64,
}

/// The rows with the names of their areas and voltage schemes and what they last reported; `scope` is who sees them.
pub(super) async fn listed(
    fleet: &Fleet,
    scope: &Scope,
    rows: Vec<VehicleRow>,
) -> Result<Vec<VehicleListed>, Refused> {
    let schemes = names_of_schemes(fleet, scope, &rows).await?;
    let mut names: HashMap<i64, String> = HashMap::new();
    let mut all = Vec::with_capacity(rows.len());
    for row in rows {
        let area_name = if let Some(name) = names.get(&row.area_id) {
            name.clone()
        } else {
            let area = fleet.areas.area(AreaId(row.area_id)).await.map_err(Refused::unavailable)?;
            let name = area.map(|area| area.name).unwrap_or_default();
            names.insert(row.area_id, name.clone());
            name
        };
        let live = fleet.live.of(&row.car_id);
        let live = live.as_ref();
        let place = live.and_then(|live| live.place);
        let about = fleet.live.about(&row.car_id);
        let (model, firmware) = about.map(|about| (about.model, about.firmware)).unzip();
        all.push(VehicleListed {
            model,
            firmware,
            area_name,
            agent_id: row.agent_id.to_string(),
            area_id: row.area_id.to_string(),
            state: live.map(|live| live.state),
            online: live.is_some_and(|live| live.online),
            soc: live.map(|live| live.soc_percent),
            gsm: live.and_then(|live| live.gsm),
            lat: place.map(vocabulary::Wgs84::lat),
            lng: place.map(vocabulary::Wgs84::lng),
            gps_at: live.and_then(|live| live.fix_at).map(vocabulary::Timestamp::millis),
            report_at: live.map(|live| live.report_at.millis()),
            car_id: row.car_id,
            imei: row.imei,
            plate_no: row.plate_no,
            lifecycle: row.lifecycle,
            riding_state: row.riding_state,
            operation_states: row.operation_states,
            alarm_states: row.alarm_states,
            tags: row.tags,
            voltage_scheme_name: row.voltage_scheme_id.and_then(|id| schemes.get(&id).cloned()),
            voltage_scheme_id: row.voltage_scheme_id,
            idle_since: row.idle_since_ms,
            last_ride_end: row.last_ride_end_ms,
            created_at: row.created_at_ms,
            updated_at: row.updated_at_ms,
            version: row.version,
        });
    }
    Ok(all)
}

async fn names_of_schemes(
    fleet: &Fleet,
    scope: &Scope,
    rows: &[VehicleRow],
) -> Result<BTreeMap<VoltageSchemeId, String>, Refused> {
    let ids: BTreeSet<i64> = rows.iter().filter_map(|row| row.voltage_scheme_id).map(|id| id.0).collect();
    if ids.is_empty() {
        return Ok(BTreeMap::new());
    }
    let mut db = fleet.runtime.reads.scoped(scope, None, &[]).await?;
    Ok(voltage_schemes::names(&mut *db, &ids.into_iter().collect::<Vec<_>>()).await?)
}

/// What the list is cut down to.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
struct ListQuery {
    /// 15 digits that begin with 86 are an IMEI; all else is the beginning of a bike's number.
    keyword: Option<String>,
    /// Lifecycles, separated by commas.
    status: Option<String>,
    /// Ids of voltage schemes, of which it has one, with commas between; `0`: it has none.
    voltage_scheme: Option<String>,
}

impl ListQuery {
    fn list(&self, scope: &Scope) -> Result<List, Refused> {
        let named = given(self.keyword.as_ref()).map_or(Ok(Named::All), Named::typed);
        let statuses = given(self.status.as_ref()).into_iter().flat_map(|list| list.split(','));
        let wrong = || Refused::malformed("请求参数 status 格式不正确");
        let lifecycle = |text: &str| {
            let value: i16 = text.trim().parse().map_err(|_| wrong())?;
            Lifecycle::try_from(value).map(|lifecycle| lifecycle.number().into()).map_err(|_| wrong())
        };
        let lifecycles = statuses.take(MOST_STATUSES).map(lifecycle).collect::<Result<_, Refused>>()?;
        let named = named.map_err(Refused::malformed)?;
        let schemes: Vec<i64> = schemes(self.voltage_scheme.as_ref())?
            .into_iter()
            .map(|scheme| scheme.map_or(0, |scheme| scheme.0))
            .collect();
        let list = vehicle_list::list(scope, &named).is_one_of("lifecycle", lifecycles);
        Ok(vehicle_list::with_voltage_schemes(list, schemes))
    }
}

/// Bikes in scope, by number.
#[utoipa::path(get, path = "/vehicle/query", tag = "fleet", operation_id = "listVehicles",
    params(PageQuery, ListQuery), responses((status = 200, body = Answer<PageOf<VehicleListed>>)))]
async fn query(
    State(fleet): State<Fleet>,
    caller: Caller,
    seen: Seen,
    Params(paging): Params<PageQuery>,
    Params(asked): Params<ListQuery>,
) -> Handled<PageOf<VehicleListed>> {
    let (list, page) = paging.of(asked.list(&caller.scope)?)?;
    let mut tx = fleet.runtime.reads.scoped(&caller.scope, seen.0, &["vehicle"]).await?;
    let mut found = list.page(&mut tx, page).await?;
    drop(tx);
    let rows = listed(&fleet, &caller.scope, std::mem::take(&mut found.rows)).await?;
    Ok(Answer(PageOf::from(found).with(rows)))
}

/// Where a machine's page begins.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct Following {
    /// `next` of the page before; without it the list begins.
    after: Option<String>,
    /// 1 to 500, default 100.
    size: Option<String>,
}

/// A page of bikes.
#[derive(Debug, Serialize, ToSchema)]
struct VehiclesListed {
    /// By number.
    rows: Vec<VehicleListed>,
    /// `after` of the next page; null: there is none.
    next: Option<String>,
}

/// Bikes in the machine's scope, by number.
#[utoipa::path(get, path = "/open/v1/vehicles", tag = "open", operation_id = "listOpenVehicles", params(Following),
    responses((status = 200, body = Answer<VehiclesListed>)))]
async fn list(
    State(fleet): State<Fleet>,
    caller: Caller,
    seen: Seen,
    Params(asked): Params<Following>,
) -> Handled<VehiclesListed> {
    let size = number("size", asked.size.as_ref())?.unwrap_or(USUAL_SIZE);
    if !(1..=MOST_AT_ONCE).contains(&size) {
        return Err(Refused::malformed(format!("size 应在 1 到 {MOST_AT_ONCE} 之间")));
    }
    let after = given(asked.after.as_ref()).unwrap_or_default();
    let mut tx = fleet.runtime.reads.scoped(&caller.scope, seen.0, &["vehicle"]).await?;
    let mut found = following(&mut *tx, after, size as i64 + 1).await?;
    drop(tx);
    let more = found.len() > size;
    found.truncate(size);
    let next = found.last().filter(|_| more).map(|row| row.car_id.clone());
    Ok(Answer(VehiclesListed { rows: listed(&fleet, &caller.scope, found).await?, next }))
}
