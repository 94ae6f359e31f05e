//! The alarm ticket (报警单): one for a bike and kind while the alarm rings. 0 未处理 → 1 处理中 by a person, 0/1 → 2 已恢复 by the rule
//! that raised it, 0/1 → 3 已处理 or 4 误报 by a person.

use serde::Deserialize;
use vocabulary::{Timestamp, choices};

use super::region::AlarmState;

/// What a person writes about it has at most so many characters.
pub const NOTE_MAX: usize = 200;
/// What rings again so soon after it recovered by itself is the same ticket once more.
pub const AGAIN_MS: i64 = 10 * 60_000;
const MINUTE_MS: i64 = 60_000;

choices! {
    /// Where an alarm ticket stands.
    #[derive(Default)]
    pub enum TicketState("报警单状态") {
        #[default]
        Open = 0 => "未处理",
        Acknowledged = 1 => "处理中",
        Recovered = 2 => "已恢复",
        Handled = 3 => "已处理",
        FalseAlarm = 4 => "误报",
    }
}

impl TicketState {
    /// Whether somebody still has to do something about it.
    pub const fn is_open(self) -> bool {
        matches!(self, Self::Open | Self::Acknowledged)
    }

    /// Where a person's word leaves it: `cause` is why it was none.
    pub const fn settled(cause: Option<FalseAlarmCause>) -> Self {
        if cause.is_some() { Self::FalseAlarm } else { Self::Handled }
    }
}

choices! {
    /// Why an alarm was none.
    pub enum FalseAlarmCause("误报原因") {
        Drift = 1 => "定位漂移",
        Sensor = 2 => "传感器误报",
        FieldWork = 3 => "运维操作",
        Rider = 4 => "用户正常用车",
        Test = 5 => "测试",
        Other = 9 => "其他",
    }
}

choices! {
    /// How much an alarm hurries.
    #[derive(Default)]
    pub enum Urgency("紧急程度") {
        Urgent = 1 => "紧急",
        #[default]
        Important = 2 => "重要",
        Ordinary = 3 => "一般",
    }
}

impl Urgency {
    /// Whoever has not acknowledged it for so many milliseconds has it escalated, or for so many minutes as an area's 告警配置
    /// says under this name; none: it never is.
    pub const fn escalates_after(self) -> Option<(&'static str, i64)> {
        match self {
            Self::Urgent => Some(("escalateUrgentMin", 5 * MINUTE_MS)),
            Self::Important => Some(("escalateImportantMin", 30 * MINUTE_MS)),
            Self::Ordinary => None,
        }
    }
}

/// How much an alarm of this kind hurries: first what may be a theft or a danger, last what waits for the next round.
pub const fn urgency(alarm: AlarmState) -> Urgency {
    use AlarmState::{
        AbnormalMove, AbnormalUnlock, BatteryRemoved, HelmetBroken, HelmetLost, NoStopZone, OutOfArea,
        OutsideParking, ReportedLost, RideTooLong, RideTooShort, RideWithoutTrip, Silent,
    };
    match alarm {
        AbnormalMove | BatteryRemoved | ReportedLost | AbnormalUnlock => Urgency::Urgent,
        OutOfArea | Silent | RideWithoutTrip | RideTooLong => Urgency::Important,
        NoStopZone | OutsideParking | RideTooShort | HelmetLost | HelmetBroken => Urgency::Ordinary,
    }
}

/// An alarm that rings, as decisions need it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ringing {
    /// The how-manieth of its kind on this bike.
    pub number: i32,
    /// Where its ticket stands.
    pub state: TicketState,
    /// Whether it was escalated.
    pub is_escalated: bool,
}

/// Whether what rings at `now` goes on a ticket that ended so.
pub const fn is_again(state: TicketState, ended_at: Timestamp, now: Timestamp) -> bool {
    matches!(state, TicketState::Recovered) && now.millis() - ended_at.millis() <= AGAIN_MS
}

/// What live rules say an alarm stands on, out of the text that the event keeps; all of it may be missing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Evidence {
    /// Degrees north, WGS-84.
    pub lat: Option<f64>,
    /// Degrees east, WGS-84.
    pub lng: Option<f64>,
    /// Charge, percent.
    pub soc_percent: Option<i16>,
    /// Metres outside of the area, or from where it rested.
    pub distance_m: Option<f64>,
    /// The no-stop zone.
    pub fence_id: Option<i64>,
}

impl Evidence {
    /// Out of an event's text.
    pub fn read(text: &str) -> Option<Self> {
        serde_json::from_str(text).ok()
    }

    /// In words, in short.
    pub fn words(self) -> String {
        let distance = self.distance_m.map(|metres| format!("偏离 {metres:.0} 米"));
        let charge = self.soc_percent.map(|percent| format!("电量 {percent}%"));
        distance.into_iter().chain(charge).collect::<Vec<_>>().join("，")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn evidence_is_told_in_words_as_far_as_there_is_any() {
        let words = |text: &str| Evidence::read(text).map(Evidence::words);
        let whole = r#"{"at":5,"lat":24.5,"lng":118.1,"socPercent":61,"distanceM":84.4}"#;
        assert_eq!(words(whole).as_deref(), Some("偏离 84 米，电量 61%"));
        assert_eq!(words(r#"{"at":5}"#).as_deref(), Some(""));
        assert_eq!(words("巡检时发现"), None);
    }
}
