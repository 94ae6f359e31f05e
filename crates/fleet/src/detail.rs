//! A bike as the drawer shows it: what was decided, what was reported, and why it can or cannot be rented.

use serde::Serialize;
use utoipa::ToSchema;
use vocabulary::VoltageSchemeId;

use crate::model::command::{CommandKind, CommandState};
use crate::model::device::About;
use crate::model::region::{AlarmState, Lifecycle, OperationState, RidingState};
use crate::model::rentable::{Facts, reasons};
use crate::model::voltage_scheme::{ChargeLevel, level, percent_at, remaining_m};
use crate::ports::{AreaFacts, IdleBeside, LiveState};
use crate::read::commands::CommandRow;
use crate::read::vehicles::VehicleRow;
use crate::read::voltage_schemes;

/// Below this charge a bike is not disclosed, until service areas set their own.
pub const USE_THRESHOLD_PERCENT: u8 = 20;

/// A reason against renting.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct ReasonShown {
    /// For programs.
    pub code: &'static str,
    /// For people.
    pub text: String,
}

/// What the voltage scheme of a bike tells of its battery.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SchemeShown {
    /// Its id, as text.
    #[schema(value_type = String)]
    pub id: VoltageSchemeId,
    /// 方案名称.
    pub name: String,
    /// 满电里程, km.
    pub max_mileage_km: i32,
    /// 方案电量: the charge at the voltage that the device reported, percent; null: it reported none.
    pub percent: Option<u8>,
    /// 剩余里程: how far the charge that the device told takes it, metres; null: it told none.
    pub remaining_m: Option<u32>,
    /// 电量水平 by the scheme's thresholds.
    pub level: Option<ChargeLevel>,
}

impl SchemeShown {
    /// What `scheme` tells of a battery of this charge and voltage.
    pub fn of(scheme: voltage_schemes::Told, soc_percent: Option<u8>, voltage_mv: Option<u32>) -> Self {
        let percent = |value: i16| u8::try_from(value).unwrap_or_default();
        let (low, enough) = (percent(scheme.low_percent), percent(scheme.enough_percent));
        let km = u16::try_from(scheme.max_mileage_km).unwrap_or_default();
        Self {
            id: scheme.scheme_id,
            name: scheme.name,
            max_mileage_km: scheme.max_mileage_km,
            percent: voltage_mv.map(|voltage_mv| percent_at(&scheme.points, voltage_mv)),
            remaining_m: soc_percent.map(|soc| remaining_m(soc, km)),
            level: soc_percent.map(|soc| level(soc, low, enough)),
        }
    }
}

/// The newest command to the bike.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CommandShown {
    /// Its id, as text.
    pub id: String,
    /// What was asked.
    #[schema(value_type = CommandKind)]
    pub kind: i16,
    /// How far it got.
    #[schema(value_type = CommandState)]
    pub state: i16,
    /// The device's answer.
    pub result_code: Option<i32>,
    /// Why it was asked.
    pub reason: String,
    /// Who asked.
    pub by: String,
    /// When it left, epoch milliseconds.
    pub sent_at: Option<i64>,
    /// When it was answered, epoch milliseconds.
    pub ack_at: Option<i64>,
    /// Until when it waits, or waited, for the bike to come back (排队), epoch milliseconds.
    pub wait_until: Option<i64>,
}

/// A bike, everything about it. Times are epoch milliseconds; what was never reported is null.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Detail {
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
    /// What it is called.
    pub tags: Vec<String>,
    /// 电压方案, with what it tells; null: none is set.
    pub voltage_scheme: Option<SchemeShown>,
    /// Since when nobody uses it; null while somebody does.
    pub idle_since: Option<i64>,
    /// When its last ride ended.
    pub last_ride_end: Option<i64>,
    /// How long it stands unused beside those around it; null while it is used, or too few stand there.
    pub idle_beside: Option<IdleBeside>,
    /// Whether it reported lately.
    pub online: bool,
    /// Whether it can be rented.
    pub rentable: bool,
    /// Why not, the weightiest first.
    pub reasons: Vec<ReasonShown>,
    /// Display state.
    pub state: u8,
    /// Battery, percent.
    pub soc: Option<u8>,
    /// km/h.
    pub speed: Option<u8>,
    /// Degrees.
    pub heading: Option<u16>,
    /// Degrees north, WGS-84.
    pub lat: Option<f64>,
    /// Degrees east, WGS-84.
    pub lng: Option<f64>,
    /// When it had its last fix.
    pub gps_at: Option<i64>,
    /// Dilution of precision.
    pub hdop: Option<f32>,
    /// Satellites in use.
    pub satellites: Option<u8>,
    /// Signal, 0 to 31.
    pub gsm: Option<u8>,
    /// Battery, millivolts.
    pub voltage_mv: Option<u32>,
    /// Lock closed.
    pub locked: Option<bool>,
    /// Power on.
    pub acc: Option<bool>,
    /// Armed.
    pub defend: Option<bool>,
    /// Battery in.
    pub battery_present: Option<bool>,
    /// Moving.
    pub moving: Option<bool>,
    /// The device's time of its last report.
    pub report_at: Option<i64>,
    /// Version of the aggregate.
    pub version: i64,
    /// The newest command to it.
    pub command: Option<CommandShown>,
}

impl From<CommandRow> for CommandShown {
    fn from(row: CommandRow) -> Self {
        Self {
            id: row.command_id.to_string(),
            kind: row.kind,
            state: row.state,
            result_code: row.result_code,
            reason: row.reason,
            by: row.by,
            sent_at: row.sent_at_ms,
            ack_at: row.ack_at_ms,
            wait_until: row.wait_until_ms,
        }
    }
}

/// Puts a bike together.
pub fn detail(
    row: VehicleRow,
    area: Option<&AreaFacts>,
    live: Option<&LiveState>,
    about: Option<About>,
    idle_beside: Option<IdleBeside>,
    command: Option<CommandRow>,
    scheme: Option<voltage_schemes::Told>,
) -> Detail {
    let (operations, alarms) = (row.operations(), row.alarms());
    let online = live.is_some_and(|live| live.online);
    let reasons: Vec<ReasonShown> = reasons(&Facts {
        lifecycle: row.lifecycle(),
        riding: row.riding(),
        operations: &operations,
        alarms: &alarms,
        soc_percent: live.map(|live| live.soc_percent),
        use_threshold_percent: USE_THRESHOLD_PERCENT,
        online,
        area_open: area.is_some_and(|area| area.open),
    })
    .into_iter()
    .map(|reason| ReasonShown { code: reason.code, text: reason.text })
    .collect();
    let place = live.and_then(|live| live.place);
    let (model, firmware) = about.map(|about| (about.model, about.firmware)).unzip();
    Detail {
        model,
        firmware,
        car_id: row.car_id,
        imei: row.imei,
        plate_no: row.plate_no,
        agent_id: row.agent_id.to_string(),
        area_id: row.area_id.to_string(),
        area_name: area.map(|area| area.name.clone()).unwrap_or_default(),
        lifecycle: row.lifecycle,
        riding_state: row.riding_state,
        operation_states: row.operation_states,
        alarm_states: row.alarm_states,
        tags: row.tags,
        voltage_scheme: scheme.map(|scheme| {
            let soc = live.map(|live| live.soc_percent);
            SchemeShown::of(scheme, soc, live.and_then(|live| live.voltage_mv))
        }),
        idle_since: row.idle_since_ms,
        last_ride_end: row.last_ride_end_ms,
        idle_beside,
        online,
        rentable: reasons.is_empty(),
        reasons,
        state: live.map_or(SILENT, |live| live.state),
        soc: live.map(|live| live.soc_percent),
        speed: live.map(|live| live.speed_kmh),
        heading: live.map(|live| live.heading_deg),
        lat: place.map(vocabulary::Wgs84::lat).or(row.shelved_lat),
        lng: place.map(vocabulary::Wgs84::lng).or(row.shelved_lng),
        gps_at: live.and_then(|live| live.fix_at).map(vocabulary::Timestamp::millis),
        hdop: live.and_then(|live| live.hdop),
        satellites: live.and_then(|live| live.satellites),
        gsm: live.and_then(|live| live.gsm),
        voltage_mv: live.and_then(|live| live.voltage_mv),
        locked: live.map(|live| live.locked),
        acc: live.map(|live| live.acc),
        defend: live.map(|live| live.defend),
        battery_present: live.map(|live| live.battery_present),
        moving: live.map(|live| live.moving),
        report_at: live.map(|live| live.report_at.millis()),
        version: row.version,
        command: command.map(CommandShown::from),
    }
}

/// Display state of a bike that never reported.
const SILENT: u8 = 7;

#[cfg(test)]
mod tests {
    use sqlx::types::Json;

    use super::*;
    use crate::model::voltage_scheme::Point;

    #[test]
    fn a_scheme_tells_only_what_follows_from_what_the_device_told() {
        let point = |voltage_mv, percent| Point { voltage_mv, percent };
        let scheme = voltage_schemes::Told {
            scheme_id: VoltageSchemeId(7),
            name: "48V".to_owned(),
            points: Json(vec![point(40_000, 0), point(50_000, 100)]),
            max_mileage_km: 60,
            low_percent: 20,
            enough_percent: 80,
        };
        let told = |soc, voltage_mv| {
            let shown = SchemeShown::of(scheme.clone(), soc, voltage_mv);
            (shown.percent, shown.remaining_m, shown.level)
        };
        assert_eq!(told(None, None), (None, None, None));
        assert_eq!(told(Some(15), None), (None, Some(9_000), Some(ChargeLevel::Low)));
        assert_eq!(told(Some(90), Some(45_000)), (Some(50), Some(54_000), Some(ChargeLevel::Enough)));
    }
}
