//! What follows from reports: alarms that begin and end. Pure; with hysteresis, so that a bike on an edge does not
//! ring all day.

mod areas;
#[cfg(test)]
mod tests;
mod watch;
mod zones;

pub use areas::{AreaRules, RulesOfAreas};
pub use watch::{Facts, OFFLINE_AFTER_MS, Settings, Watch};
pub use zones::{AreaShape, ParkingShape, ZoneShape, Zones};

use serde::Serialize;

/// What is wrong. The codes are those of the vehicle's `alarm_states`, except low battery, which is operation state 4.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum AlarmKind {
    /// Moved without a ride (异常移动).
    Moved,
    /// Left its service area (出服务区).
    LeftArea,
    /// Stands in a no-stop zone (禁停区).
    NoStopZone,
    /// Its battery is gone (电瓶移除).
    BatteryRemoved,
    /// Not heard for too long (异常离线).
    Silent,
    /// Too little charge (低电); an operation state, not an alarm state.
    LowBattery,
    /// Left outside of every parking place (站点外).
    OutsideParking,
    /// Its lock is open though nobody rides it and nobody works on it (异常开锁).
    Unlocked,
    /// No helmet hangs where one should (头盔丢失).
    HelmetLost,
    /// The helmet's lock or sensor is broken (头盔故障).
    HelmetBroken,
}

impl AlarmKind {
    /// Every kind.
    pub const ALL: [Self; 10] = [
        Self::Moved,
        Self::LeftArea,
        Self::NoStopZone,
        Self::BatteryRemoved,
        Self::Silent,
        Self::LowBattery,
        Self::OutsideParking,
        Self::Unlocked,
        Self::HelmetLost,
        Self::HelmetBroken,
    ];

    /// Its code among the alarm states.
    pub const fn alarm_state(self) -> Option<u8> {
        match self {
            Self::Moved => Some(2),
            Self::LeftArea => Some(3),
            Self::NoStopZone => Some(4),
            Self::OutsideParking => Some(5),
            Self::BatteryRemoved => Some(6),
            Self::Silent => Some(7),
            Self::Unlocked => Some(12),
            Self::HelmetLost => Some(13),
            Self::HelmetBroken => Some(14),
            Self::LowBattery => None,
        }
    }

    /// Its code among the operation states.
    pub const fn operation_state(self) -> Option<u8> {
        match self {
            Self::LowBattery => Some(4),
            _ => None,
        }
    }

    const fn bit(self) -> u16 {
        1 << self as u8
    }
}

/// What an alarm stands on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Evidence {
    /// Time of the report, or of the judgement when there was none; epoch ms.
    pub at: i64,
    /// Degrees north, WGS-84.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lat: Option<f64>,
    /// Degrees east, WGS-84.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lng: Option<f64>,
    /// Charge, percent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub soc_percent: Option<u8>,
    /// Metres outside of the area or of the nearest parking place, or from where it rested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub distance_m: Option<f64>,
    /// The no-stop zone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fence_id: Option<i64>,
}

/// An alarm that begins or ends.
#[derive(Clone, Debug, PartialEq)]
pub struct Judgement {
    /// Which bike.
    pub car_id: String,
    /// What.
    pub alarm: AlarmKind,
    /// Begins, or ends.
    pub raised: bool,
    /// What it stands on.
    pub evidence: Evidence,
}
