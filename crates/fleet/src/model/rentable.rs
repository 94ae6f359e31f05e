//! Whether a bike can be rented, and if not, why: the first question of every operator.

use serde::Serialize;

use super::region::{AlarmState, Lifecycle, OperationState, RidingState};

/// Everything the answer depends on.
#[derive(Clone, Debug)]
pub struct Facts<'a> {
    /// Where it is in its life.
    pub lifecycle: Lifecycle,
    /// Who uses it.
    pub riding: RidingState,
    /// Field work.
    pub operations: &'a [OperationState],
    /// What is wrong.
    pub alarms: &'a [AlarmState],
    /// Battery, percent; nothing when it never reported.
    pub soc_percent: Option<u8>,
    /// Below this it is not disclosed.
    pub use_threshold_percent: u8,
    /// Whether it reported lately.
    pub online: bool,
    /// Whether its service area is open (state 1).
    pub area_open: bool,
}

/// A reason against renting.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Reason {
    /// For programs.
    pub code: &'static str,
    /// For people.
    pub text: String,
}

const fn alarm_code(alarm: AlarmState) -> &'static str {
    match alarm {
        AlarmState::ReportedLost => "reported-lost",
        AlarmState::BatteryRemoved => "battery-removed",
        AlarmState::OutOfArea => "out-of-area",
        _ => "alarm",
    }
}

/// All reasons against renting, the weightiest first; rentable when there are none.
pub fn reasons(facts: &Facts<'_>) -> Vec<Reason> {
    let mut reasons = Vec::new();
    let mut because = |code, text: String| reasons.push(Reason { code, text });
    if facts.lifecycle != Lifecycle::Shelved {
        because("lifecycle", format!("车辆{}", facts.lifecycle.label()));
    }
    for alarm in [AlarmState::ReportedLost, AlarmState::BatteryRemoved, AlarmState::OutOfArea] {
        if facts.alarms.contains(&alarm) {
            because(alarm_code(alarm), format!("告警：{}", alarm.label()));
        }
    }
    for operation in facts.operations.iter().filter(|operation| **operation != OperationState::LowBattery) {
        because(
            if *operation == OperationState::Repair { "fault" } else { "operation" },
            format!("运维：{}", operation.label()),
        );
    }
    if !facts.online {
        because("offline", "设备离线，位置与电量不可信".to_owned());
    }
    match facts.soc_percent {
        None => because("soc-unknown", "尚未上报电量".to_owned()),
        Some(soc) if soc < facts.use_threshold_percent => {
            because("low-battery", format!("电量 {soc}% 低于可用阈值 {}%", facts.use_threshold_percent));
        }
        Some(_) => {}
    }
    if facts.riding != RidingState::Idle {
        let code = if facts.riding == RidingState::Reserved { "reserved" } else { "in-use" };
        because(code, format!("当前{}", facts.riding.label()));
    }
    if !facts.area_open {
        because("area-closed", "所在服务区未在运营".to_owned());
    }
    reasons
}

#[cfg(test)]
mod tests {
    use super::*;

    const FINE: Facts<'_> = Facts {
        lifecycle: Lifecycle::Shelved,
        riding: RidingState::Idle,
        operations: &[],
        alarms: &[],
        soc_percent: Some(80),
        use_threshold_percent: 20,
        online: true,
        area_open: true,
    };

    fn codes(facts: &Facts<'_>) -> Vec<&'static str> {
        reasons(facts).iter().map(|reason| reason.code).collect()
    }

    #[test]
    fn a_bike_in_order_is_rentable() {
        assert!(reasons(&FINE).is_empty());
    }

    #[test]
    fn each_fact_alone_is_a_reason() {
        let alone = [
            (Facts { lifecycle: Lifecycle::Stocked, ..FINE }, "lifecycle"),
            (Facts { riding: RidingState::Reserved, ..FINE }, "reserved"),
            (Facts { operations: &[OperationState::Repair], ..FINE }, "fault"),
            (Facts { operations: &[OperationState::Moving], ..FINE }, "operation"),
            (Facts { alarms: &[AlarmState::BatteryRemoved], ..FINE }, "battery-removed"),
            (Facts { soc_percent: Some(19), ..FINE }, "low-battery"),
            (Facts { soc_percent: None, ..FINE }, "soc-unknown"),
            (Facts { online: false, ..FINE }, "offline"),
            (Facts { area_open: false, ..FINE }, "area-closed"),
        ];
        for (facts, code) in alone {
            assert_eq!(codes(&facts), [code]);
        }
    }

    #[test]
    fn low_battery_as_field_work_alone_is_no_reason_while_the_charge_suffices() {
        assert!(reasons(&Facts { operations: &[OperationState::LowBattery], ..FINE }).is_empty());
        assert!(reasons(&Facts { alarms: &[AlarmState::OutsideParking], ..FINE }).is_empty());
    }

    #[test]
    fn the_weightiest_reason_comes_first() {
        let facts =
            Facts { riding: RidingState::Riding, alarms: &[AlarmState::ReportedLost], online: false, ..FINE };
        assert_eq!(codes(&facts), ["reported-lost", "offline", "in-use"]);
    }
}
