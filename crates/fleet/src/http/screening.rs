//! 车辆筛选: bikes by what they are now, asked of memory and shown as the tables have them.

use std::collections::BTreeMap;

use axum::extract::State;
use axum::response::Response;
use serde::{Deserialize, Serialize};
use utoipa::IntoParams;
use utoipa_axum::router::UtoipaMethodRouterExt;
use utoipa_axum::routes;
use vocabulary::{AgentId, AreaId, Choice, Page, Rows, Scope, Timestamp, VoltageSchemeId};
use wire::{
    Answer, Call, Column, Disclosure, EXPORT_ROWS_READ, End, Export, ExportColumns, Handled, PageOf,
    PageQuery, Params, Permit, Refused, Routes, Seen, given, moment, number,
};

use super::vehicle_list::{VehicleListed, listed};
use crate::Fleet;
use crate::model::region::{AlarmState, Lifecycle, OperationState, RidingState};
use crate::model::screening::{By, Found, Signal, Spread, Wanted};
use crate::read::vehicle_list::Named;
use crate::read::vehicles::{self, VehicleRow};

/// Who screens bikes, and who watches devices.
const CODES: Permit = Permit::AnyOf(&["0307"]);
const DEVICE_CODES: Permit = Permit::AnyOf(&["0305"]);
/// Choices that one filter may name.
const CHOICES_MAX: usize = 16;
/// Voltage schemes that one filter may name.
const SCHEMES_MAX: usize = 50;

/// The routes.
pub fn routes(fleet: &Fleet) -> Routes {
    Routes::new("fleet")
        .add(CODES, routes!(screening).with_state(fleet.clone()))
        .add_unwrapped(CODES, routes!(file).with_state(fleet.clone()))
        .add(DEVICE_CODES, routes!(devices).with_state(fleet.clone()))
        .add(DEVICE_CODES, routes!(device_summary).with_state(fleet.clone()))
}

#[derive(Debug, Default, Deserialize, Serialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub(super) struct ScreeningQuery {
    /// 15 digits that begin with 86 are an IMEI; all else is the beginning of a bike's number.
    keyword: Option<String>,
    /// Those of this agent.
    agent_id: Option<AgentId>,
    /// Those of this area.
    op_area_id: Option<AreaId>,
    /// Lifecycles, with commas between.
    lifecycle: Option<String>,
    /// Riding states, with commas between.
    riding_state: Option<String>,
    /// In at least one of these operation states, with commas between.
    operation_state: Option<String>,
    /// With at least one of these alarms, with commas between.
    alarm_state: Option<String>,
    /// Battery from so many percent on; bikes that never told are left out.
    soc_min: Option<String>,
    /// Battery up to so many percent, included.
    soc_max: Option<String>,
    /// Unused for at least so many hours.
    idle_min_hours: Option<String>,
    /// Unused for at most so many hours.
    idle_max_hours: Option<String>,
    /// Whether it stands unused a day at least, and four times as long as the five or more bikes around it.
    likely_lost: Option<bool>,
    /// Whether it reported within five minutes.
    online: Option<bool>,
    /// Whether it carries a device.
    has_device: Option<bool>,
    /// How good the signal is, with commas between.
    signal: Option<String>,
    /// 型号: what its device says it is, all of it.
    model: Option<String>,
    /// 固件: what its device runs, all of it.
    firmware: Option<String>,
    /// Whether its device said what it is and runs.
    introduced: Option<bool>,
    /// Bears all of these tags, with commas between.
    tags: Option<String>,
    /// Ids of voltage schemes, of which it has one, with commas between; `0`: it has none.
    voltage_scheme: Option<String>,
    /// Its last ride ended from then on: `YYYY-MM-DD HH:mm:ss`.
    start_time: Option<String>,
    /// Its last ride ended until then, included.
    end_time: Option<String>,
    /// By this, with `-` before it from the highest down; without it by number.
    #[param(inline)]
    sort: Option<Order>,
}

/// What bikes may be sorted by.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, utoipa::ToSchema)]
enum Order {
    /// The fullest last.
    #[serde(rename = "soc")]
    Soc,
    /// The fullest first.
    #[serde(rename = "-soc")]
    SocDown,
    /// The longest unused last.
    #[serde(rename = "idle")]
    Idle,
    /// The longest unused first.
    #[serde(rename = "-idle")]
    IdleDown,
    /// The last heard of last.
    #[serde(rename = "reportAt")]
    Report,
    /// The last heard of first.
    #[serde(rename = "-reportAt")]
    ReportDown,
    /// The best signal last.
    #[serde(rename = "gsm")]
    Signal,
    /// The best signal first.
    #[serde(rename = "-gsm")]
    SignalDown,
}

impl Order {
    const fn of(order: Option<Self>) -> (By, bool) {
        match order {
            None => (By::Number, false),
            Some(Self::Soc) => (By::Soc, false),
            Some(Self::SocDown) => (By::Soc, true),
            Some(Self::Idle) => (By::Idle, false),
            Some(Self::IdleDown) => (By::Idle, true),
            Some(Self::Report) => (By::Report, false),
            Some(Self::ReportDown) => (By::Report, true),
            Some(Self::Signal) => (By::Signal, false),
            Some(Self::SignalDown) => (By::Signal, true),
        }
    }
}

/// The numbers of choices with commas between them.
fn choices<C: Choice>(name: &str, text: Option<&String>) -> Result<Vec<i16>, Refused> {
    let wrong = || Refused::malformed(format!("请求参数 {name} 格式不正确"));
    let choice = |text: &str| {
        let number: i16 = text.trim().parse().map_err(|_| wrong())?;
        C::of(number).map(Choice::number).map_err(|_| wrong())
    };
    given(text).into_iter().flat_map(|list| list.split(',')).take(CHOICES_MAX).map(choice).collect()
}

fn bits<C: Choice>(name: &str, text: Option<&String>) -> Result<Option<u16>, Refused> {
    let numbers = choices::<C>(name, text)?;
    let bits = numbers.iter().fold(0u16, |bits, number| bits | 1 << number);
    Ok((!numbers.is_empty()).then_some(bits))
}

/// Ids of voltage schemes with commas between; 0 is none at all.
pub(super) fn schemes(text: Option<&String>) -> Result<Vec<Option<VoltageSchemeId>>, Refused> {
    let wrong = |_| Refused::malformed("请求参数 voltageScheme 格式不正确");
    let scheme = |text: &str| {
        let id: i64 = text.trim().parse().map_err(wrong)?;
        Ok((id != 0).then_some(VoltageSchemeId(id)))
    };
    given(text).into_iter().flat_map(|list| list.split(',')).take(SCHEMES_MAX).map(scheme).collect()
}

impl ScreeningQuery {
    fn wanted(&self) -> Result<Wanted, Refused> {
        let named = given(self.keyword.as_ref()).map_or(Ok(Named::All), Named::typed);
        let (beginning, imei) = match named.map_err(Refused::malformed)? {
            Named::All => (None, None),
            Named::Beginning(beginning) => (Some(beginning), None),
            Named::WithDevice(imei) => (None, Some(imei)),
        };
        let from = moment("startTime", self.start_time.as_ref(), End::First)?;
        let until = moment("endTime", self.end_time.as_ref(), End::Last)?;
        let tags = given(self.tags.as_ref()).into_iter().flat_map(|list| list.split([',', '，']));
        Ok(Wanted {
            beginning,
            imei,
            agent: self.agent_id,
            area: self.op_area_id,
            lifecycles: choices::<Lifecycle>("lifecycle", self.lifecycle.as_ref())?,
            ridings: choices::<RidingState>("ridingState", self.riding_state.as_ref())?,
            operations: bits::<OperationState>("operationState", self.operation_state.as_ref())?,
            alarms: bits::<AlarmState>("alarmState", self.alarm_state.as_ref())?,
            tags: tags
                .take(CHOICES_MAX)
                .map(|tag| tag.trim().to_owned())
                .filter(|tag| !tag.is_empty())
                .collect(),
            voltage_schemes: schemes(self.voltage_scheme.as_ref())?,
            soc_percent: (number("socMin", self.soc_min.as_ref())?, number("socMax", self.soc_max.as_ref())?),
            idle_hours: (
                number("idleMinHours", self.idle_min_hours.as_ref())?,
                number("idleMaxHours", self.idle_max_hours.as_ref())?,
            ),
            last_ride_end_ms: (from.map(Timestamp::millis), until.map(Timestamp::millis)),
            online: self.online,
            has_device: self.has_device,
            signals: choices::<Signal>("signal", self.signal.as_ref())?,
            model: given(self.model.as_ref()).map(str::to_owned),
            firmware: given(self.firmware.as_ref()).map(str::to_owned),
            introduced: self.introduced,
        })
    }

    /// The numbers of those in scope that fit, in order.
    fn found(&self, fleet: &Fleet, scope: &Scope) -> Result<Vec<String>, Refused> {
        let wanted = self.wanted()?;
        let (by, descending) = Order::of(self.sort);
        let mut found = Found::sorted(by, descending);
        let now = fleet.runtime.clock.now();
        fleet.live.each(&mut |bike| {
            if bike.is_shown_to(scope) && wanted.fits(bike, now) {
                found.take(bike);
            }
        });
        let mut numbers = found.numbers();
        if let Some(wanted) = self.likely_lost {
            let is_lost =
                |car_id: &str| fleet.live.beside(car_id, now).is_some_and(|beside| beside.likely_lost);
            numbers.retain(|car_id| is_lost(car_id) == wanted);
        }
        Ok(numbers)
    }
}

/// These bikes as the tables have them, in this order; those out of scope are not there.
async fn rows(
    fleet: &Fleet,
    scope: &Scope,
    Seen(seen): Seen,
    numbers: &[String],
) -> Result<Vec<VehicleListed>, Refused> {
    let mut db = fleet.runtime.reads.scoped(scope, seen, &["vehicle"]).await?;
    let found = vehicles::find_all(&mut *db, numbers).await?;
    drop(db);
    let mut by_number: BTreeMap<String, VehicleRow> =
        found.into_iter().map(|row| (row.car_id.clone(), row)).collect();
    listed(fleet, scope, numbers.iter().filter_map(|number| by_number.remove(number)).collect()).await
}

/// A page of these.
fn cut(numbers: &[String], page: Page) -> &[String] {
    let from = usize::try_from(page.offset()).unwrap_or(usize::MAX).min(numbers.len());
    let until = from.saturating_add(usize::try_from(page.limit()).unwrap_or_default()).min(numbers.len());
    &numbers[from..until]
}

/// Bikes in scope by what they are now: what people and rules decided, and what they last reported.
#[utoipa::path(get, path = "/vehicle/screening", tag = "fleet", operation_id = "screenVehicles",
    params(PageQuery, ScreeningQuery), responses((status = 200, body = Answer<PageOf<VehicleListed>>)))]
async fn screening(
    call: Call<Fleet>,
    seen: Seen,
    Params(paging): Params<PageQuery>,
    Params(asked): Params<ScreeningQuery>,
) -> Handled<PageOf<VehicleListed>> {
    let (fleet, scope) = (&call.state, &call.caller.full_scope);
    let page = paging.bounded()?;
    let numbers = asked.found(fleet, scope)?;
    let rows = rows(fleet, scope, seen, cut(&numbers, page)).await?;
    Ok(Answer(PageOf::from(Rows::new(rows, numbers.len() as i64))))
}

/// Devices of bikes in scope by what they are now; the same filters as of bikes.
#[utoipa::path(get, path = "/vehicle/device", tag = "fleet", operation_id = "listDevices",
    params(PageQuery, ScreeningQuery), responses((status = 200, body = Answer<PageOf<VehicleListed>>)))]
async fn devices(
    call: Call<Fleet>,
    seen: Seen,
    Params(paging): Params<PageQuery>,
    Params(asked): Params<ScreeningQuery>,
) -> Handled<PageOf<VehicleListed>> {
    let asked = ScreeningQuery { has_device: Some(true), ..asked };
    screening(call, seen, Params(paging), Params(asked)).await
}

/// How many devices there are of each kind.
#[derive(Debug, Default, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
struct DeviceSummary {
    /// On bikes.
    total: u32,
    /// Reported within five minutes.
    online: u32,
    /// Never reported.
    never: u32,
    /// By signal, the best first, all of them.
    signals: Vec<SignalCount>,
    /// 版本分布: by model and firmware, the most frequent first, at most 50.
    versions: Vec<VersionCount>,
    /// Of rarer versions than those.
    other_versions: u32,
    /// That never said what they run.
    untold: u32,
    /// By battery voltage in whole volts, the lowest first; those that never told are left out.
    voltages: Vec<VoltageCount>,
}

/// Devices whose signal is so good.
#[derive(Debug, Serialize, utoipa::ToSchema)]
struct SignalCount {
    /// How good.
    signal: Signal,
    /// How many.
    count: u32,
}

/// Devices of a model that run this firmware.
#[derive(Debug, Serialize, utoipa::ToSchema)]
struct VersionCount {
    /// 型号.
    model: String,
    /// 固件.
    firmware: String,
    /// How many.
    count: u32,
}

/// Devices whose battery has so many volts.
#[derive(Debug, Serialize, utoipa::ToSchema)]
struct VoltageCount {
    /// Whole volts.
    volts: u32,
    /// How many.
    count: u32,
}

/// What is said of devices in scope all together.
#[utoipa::path(get, path = "/vehicle/device/summary", tag = "fleet", operation_id = "summarizeDevices",
    params(ScreeningQuery), responses((status = 200, body = Answer<DeviceSummary>)))]
async fn device_summary(call: Call<Fleet>, Params(asked): Params<ScreeningQuery>) -> Handled<DeviceSummary> {
    let wanted = Wanted { has_device: Some(true), ..asked.wanted()? };
    let (scope, now) = (&call.caller.full_scope, call.state.runtime.clock.now());
    let mut summary = DeviceSummary::default();
    let (mut voltages, mut signals) = (BTreeMap::<u32, u32>::new(), [0u32; 4]);
    let mut spread = Spread::default();
    call.state.live.each(&mut |bike| {
        if !bike.is_shown_to(scope) || !wanted.fits(bike, now) {
            return;
        }
        summary.total += 1;
        summary.online += u32::from(bike.online);
        summary.never += u32::from(bike.report_at_ms.is_none());
        spread.take(bike);
        let signal = Signal::of_gsm(bike.gsm);
        for (count, each) in signals.iter_mut().zip(Signal::ALL) {
            *count += u32::from(*each == signal);
        }
        if let Some(voltage_mv) = bike.voltage_mv {
            *voltages.entry(voltage_mv / 1000).or_default() += 1;
        }
    });
    summary.untold = spread.untold();
    let (versions, rest) = spread.versions();
    let version = |(model, firmware, count)| VersionCount { model, firmware, count };
    summary.versions = versions.into_iter().map(version).collect();
    summary.other_versions = rest;
    summary.voltages = voltages.into_iter().map(|(volts, count)| VoltageCount { volts, count }).collect();
    let count = |(signal, count): (&Signal, u32)| SignalCount { signal: *signal, count };
    summary.signals = Signal::ALL.iter().zip(signals).map(count).collect();
    Ok(Answer(summary))
}

const FILE: Export<VehicleListed> = Export {
    what: "vehicle-screening",
    title: "车辆筛选",
    columns: &[
        Column::text("carId", "车辆编号", |row| &row.car_id),
        Column::text("areaName", "服务区", |row| &row.area_name),
        Column::text("lifecycle", "生命周期", |row| label::<Lifecycle>(row.lifecycle)),
        Column::text("ridingState", "骑行状态", |row| label::<RidingState>(row.riding_state)),
        Column::made("operationStates", "运维状态", |row| {
            labels::<OperationState>(&row.operation_states)
        }),
        Column::made("alarmStates", "告警", |row| labels::<AlarmState>(&row.alarm_states)),
        Column::made("soc", "电量", |row| row.soc.map_or_else(String::new, |soc| format!("{soc}%"))),
        Column::text("online", "在线", |row| if row.online { "在线" } else { "离线" }),
        Column::time("idleSince", "闲置开始", |row| row.idle_since),
        Column::time("lastRideEnd", "上次订单结束", |row| row.last_ride_end),
        Column::made("tags", "标签", |row| row.tags.join("、")),
        Column::text("voltageSchemeName", "电压方案", |row| {
            row.voltage_scheme_name.as_deref().unwrap_or_default()
        }),
        Column::made("gsm", "信号", |row| row.gsm.map_or_else(String::new, |gsm| gsm.to_string())),
        Column::time("gpsAt", "定位时间", |row| row.gps_at),
        Column::time("reportAt", "上报时间", |row| row.report_at),
        Column::text("imei", "IMEI", |row| row.imei.as_deref().unwrap_or_default()),
        Column::text("model", "型号", |row| row.model.as_deref().unwrap_or_default()),
        Column::text("firmware", "固件", |row| row.firmware.as_deref().unwrap_or_default()),
        Column::text("plateNo", "号牌", |row| &row.plate_no),
        Column::made("lat", "纬度", |row| degrees(row.lat)),
        Column::made("lng", "经度", |row| degrees(row.lng)),
    ],
};

fn label<C: Choice>(number: i16) -> &'static str {
    C::of(number).map_or("", Choice::label)
}

fn labels<C: Choice>(numbers: &[i16]) -> String {
    numbers.iter().map(|number| label::<C>(*number)).collect::<Vec<_>>().join("、")
}

fn degrees(value: Option<f64>) -> String {
    value.map_or_else(String::new, |value| format!("{value:.6}"))
}

/// The same as CSV, at most 50000. It stands in the log who took it, cut down to what.
#[utoipa::path(get, path = "/vehicle/screening/export", tag = "fleet", operation_id = "exportScreenedVehicles",
    params(ScreeningQuery, ExportColumns),
    responses((status = 200, content_type = "text/csv", body = String)))]
async fn file(
    State(fleet): State<Fleet>,
    caller: wire::Caller,
    seen: Seen,
    disclosure: Disclosure,
    Params(asked): Params<ScreeningQuery>,
    Params(columns): Params<ExportColumns>,
) -> Result<Response, Refused> {
    let mut numbers = asked.found(&fleet, &caller.full_scope)?;
    numbers.truncate(EXPORT_ROWS_READ as usize);
    let rows = rows(&fleet, &caller.full_scope, seen, &numbers).await?;
    FILE.hand_out(&disclosure, &columns, &asked, &rows).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_choice_or_number_is_refused_and_not_left_out() {
        let asked = |query: ScreeningQuery| query.wanted().is_err();
        assert!(asked(ScreeningQuery { lifecycle: Some("2,9".to_owned()), ..ScreeningQuery::default() }));
        assert!(asked(ScreeningQuery { soc_min: Some("-1".to_owned()), ..ScreeningQuery::default() }));
        assert!(asked(ScreeningQuery { alarm_state: Some("x".to_owned()), ..ScreeningQuery::default() }));
        assert!(asked(ScreeningQuery { voltage_scheme: Some("x".to_owned()), ..ScreeningQuery::default() }));
        let query = ScreeningQuery {
            alarm_state: Some("3,9".to_owned()),
            tags: Some("新车, 校园".to_owned()),
            voltage_scheme: Some("0, 12".to_owned()),
            ..ScreeningQuery::default()
        };
        let wanted = query.wanted().unwrap();
        assert_eq!(wanted.alarms, Some(1 << 3 | 1 << 9));
        assert_eq!(wanted.tags, ["新车", "校园"]);
        assert_eq!(wanted.voltage_schemes, [None, Some(VoltageSchemeId(12))]);
    }

    #[test]
    fn a_page_is_cut_out_of_all() {
        let numbers: Vec<String> = (0..5).map(|n| n.to_string()).collect();
        assert_eq!(cut(&numbers, Page::new(Some(2), Some(2))), ["2", "3"]);
        assert_eq!(cut(&numbers, Page::new(Some(3), Some(2))), ["4"]);
        assert!(cut(&numbers, Page::new(Some(9), Some(2))).is_empty());
    }
}
