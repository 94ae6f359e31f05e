//! Where the lines are drawn between what bikes and orders do and what is an alarm, in a service area (告警).

use kernel::refusals;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::config::{Setting, StoredAs, stored_as};

/// No time of a rule is longer than a day, minutes.
pub const MINUTES_MAX: u16 = 1_440;
/// No distance of a rule is longer, metres.
pub const METRES_MAX: u16 = 5_000;
/// So many reports or orders in a row are counted at most.
pub const COUNT_MAX: u8 = 20;

/// 告警配置.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AlarmRules {
    /// 异常移动报警.
    pub is_on_abnormal_movement: bool,
    /// 移动距离: so far from where it rested, metres, before the receiver's own doubt.
    pub move_alarm_distance_m: u16,
    /// 移动次数: so many reports in a row that say so, 1 to 20.
    pub move_alarm_count: u8,
    /// 移动时长: for so many seconds at least.
    pub move_alarm_time_s: u16,
    /// 电瓶移除报警.
    pub is_on_battery_removal: bool,
    /// 异常离线报警.
    pub is_offline_ticket: bool,
    /// 离线判定时长, minutes.
    pub offline_ticket_judge_min: u16,
    /// 低电阈值: below it a battery is low, percent.
    pub low_battery_percent: u8,
    /// 低电恢复: from it on a battery is not low any more, percent.
    pub enough_battery_percent: u8,
    /// 出区缓冲: so far beyond the area's edge is let pass, metres.
    pub area_buffer_m: u16,
    /// 站点外停放: so long outside of every parking place, minutes.
    pub outside_parking_min: u16,
    /// 异常开锁: so long open without an order and without work, seconds.
    pub unlocked_s: u16,
    /// 头盔报警: so long missing or broken, minutes.
    pub helmet_min: u16,
    /// 有单无程: an order is so old, minutes,
    pub no_trip_min: u16,
    /// and its bike never went so far, metres.
    pub no_trip_distance_m: u16,
    /// 订单超长, hours.
    pub order_too_long_h: u8,
    /// 短时订单: no longer than this, seconds,
    pub short_order_duration_s: u16,
    /// so many in a row on one bike, 2 to 20.
    pub short_order_count: u8,
    /// 紧急报警升级: nobody took it on for so long, minutes.
    pub escalate_urgent_min: u16,
    /// 重要报警升级, minutes.
    pub escalate_important_min: u16,
}

impl Default for AlarmRules {
    /// What counts where nobody said anything else.
    fn default() -> Self {
        Self {
            is_on_abnormal_movement: true,
            move_alarm_distance_m: 50,
            move_alarm_count: 1,
            move_alarm_time_s: 0,
            is_on_battery_removal: true,
            is_offline_ticket: true,
            offline_ticket_judge_min: 30,
            low_battery_percent: 20,
            enough_battery_percent: 25,
            area_buffer_m: 20,
            outside_parking_min: 30,
            unlocked_s: 120,
            helmet_min: 2,
            no_trip_min: 10,
            no_trip_distance_m: 50,
            order_too_long_h: 6,
            short_order_duration_s: 120,
            short_order_count: 3,
            escalate_urgent_min: 5,
            escalate_important_min: 30,
        }
    }
}

refusals! {
    /// Why they may not stand so.
    pub enum AlarmRulesRefusal {
        Moved = "alarm-moved": ("异常移动：距离需在 10 到 {METRES_MAX} 米之间，次数 1 到 {COUNT_MAX} 次，时长不超过 600 秒"),
        Offline = "alarm-offline": ("离线判定时长需在 6 分钟到 24 小时之间"),
        Battery = "alarm-battery": ("低电阈值需在 1% 到 90% 之间，恢复值需高于阈值且不超过 100%"),
        Place = "alarm-place": ("出区缓冲不超过 {METRES_MAX} 米，站点外停放时长需在 1 分钟到 24 小时之间"),
        Device = "alarm-device": ("异常开锁时长需在 60 到 3600 秒之间，头盔报警时长需在 1 分钟到 24 小时之间"),
        NoTrip = "alarm-no-trip": ("有单无程：时长需在 1 分钟到 24 小时之间，距离需在 10 到 {METRES_MAX} 米之间"),
        Orders = "alarm-orders": ("订单超长需在 1 到 72 小时之间；短时订单需在 10 到 3600 秒之间，连续 2 到 {COUNT_MAX} 单"),
        Escalation = "alarm-escalation": ("升级时长需在 1 分钟到 24 小时之间，紧急报警不晚于重要报警"),
    }
}

impl Setting for AlarmRules {
    const STORED: StoredAs = stored_as!("alarm-config");
    type Fault = AlarmRulesRefusal;

    fn checked(self) -> Result<Self, AlarmRulesRefusal> {
        let (minutes, metres) = (1..=MINUTES_MAX, 10..=METRES_MAX);
        let faults = [
            (
                !metres.contains(&self.move_alarm_distance_m)
                    || !(1..=COUNT_MAX).contains(&self.move_alarm_count)
                    || self.move_alarm_time_s > 600,
                AlarmRulesRefusal::Moved,
            ),
            // A device is offline after five minutes; before that there is nothing to judge.
            (!(6..=MINUTES_MAX).contains(&self.offline_ticket_judge_min), AlarmRulesRefusal::Offline),
            (
                !(1..=90).contains(&self.low_battery_percent)
                    || self.enough_battery_percent <= self.low_battery_percent
                    || self.enough_battery_percent > 100,
                AlarmRulesRefusal::Battery,
            ),
            (
                self.area_buffer_m > METRES_MAX || !minutes.contains(&self.outside_parking_min),
                AlarmRulesRefusal::Place,
            ),
            (
                !(60..=3_600).contains(&self.unlocked_s) || !minutes.contains(&self.helmet_min),
                AlarmRulesRefusal::Device,
            ),
            (
                !minutes.contains(&self.no_trip_min) || !metres.contains(&self.no_trip_distance_m),
                AlarmRulesRefusal::NoTrip,
            ),
            (
                !(1..=72).contains(&self.order_too_long_h)
                    || !(10..=3_600).contains(&self.short_order_duration_s)
                    || !(2..=COUNT_MAX).contains(&self.short_order_count),
                AlarmRulesRefusal::Orders,
            ),
            (
                !minutes.contains(&self.escalate_urgent_min)
                    || !minutes.contains(&self.escalate_important_min)
                    || self.escalate_urgent_min > self.escalate_important_min,
                AlarmRulesRefusal::Escalation,
            ),
        ];
        match faults.into_iter().find(|(is_wrong, _)| *is_wrong) {
            Some((_, why)) => Err(why),
            None => Ok(self),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_may_stand_and_each_bound_is_kept() {
        use AlarmRulesRefusal as Why;
        let usual = AlarmRules::default;
        assert_eq!(usual().checked(), Ok(usual()));
        let wrong = [
            (AlarmRules { move_alarm_distance_m: 9, ..usual() }, Why::Moved),
            (AlarmRules { move_alarm_count: 0, ..usual() }, Why::Moved),
            (AlarmRules { move_alarm_time_s: 601, ..usual() }, Why::Moved),
            (AlarmRules { offline_ticket_judge_min: 5, ..usual() }, Why::Offline),
            (AlarmRules { low_battery_percent: 25, ..usual() }, Why::Battery),
            (AlarmRules { outside_parking_min: 0, ..usual() }, Why::Place),
            (AlarmRules { unlocked_s: 59, ..usual() }, Why::Device),
            (AlarmRules { helmet_min: 0, ..usual() }, Why::Device),
            (AlarmRules { no_trip_distance_m: 0, ..usual() }, Why::NoTrip),
            (AlarmRules { order_too_long_h: 0, ..usual() }, Why::Orders),
            (AlarmRules { short_order_count: 1, ..usual() }, Why::Orders),
            (AlarmRules { escalate_urgent_min: 31, ..usual() }, Why::Escalation),
        ];
        for (rules, why) in wrong {
            assert_eq!(rules.checked(), Err(why));
        }
    }
}
