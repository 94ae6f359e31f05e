//! Where alarms begin in each area, as riding keeps it in versions, for the rules over the fleet in memory.

use async_trait::async_trait;
use live::rules::{AreaRules, RulesOfAreas, Settings};
use riding::model::alarm_rules::AlarmRules;
use riding::read::configs;
use sqlx::PgPool;
use vocabulary::Timestamp;

const MINUTE_MS: i64 = 60_000;

/// From the read models.
pub struct RulesOfRiding(pub PgPool);

#[async_trait]
impl RulesOfAreas for RulesOfRiding {
    async fn at(&self, now: Timestamp) -> sqlx::Result<(AreaRules, Option<Timestamp>)> {
        let counting = configs::counting::<AlarmRules>(&self.0, now).await?;
        let turn = configs::next_turn::<AlarmRules>(&self.0, now).await?;
        let of_areas = counting.into_iter().map(|(area, said)| (area, settings(&said))).collect();
        Ok((AreaRules(of_areas), turn))
    }
}

/// What people said, as the rules read it.
fn settings(said: &AlarmRules) -> Settings {
    let minutes = |minutes: u16| i64::from(minutes) * MINUTE_MS;
    Settings {
        area_buffer_m: f64::from(said.area_buffer_m),
        moved_rings: said.is_on_abnormal_movement,
        moved_m: f64::from(said.move_alarm_distance_m),
        moved_reports: said.move_alarm_count,
        moved_for_ms: i64::from(said.move_alarm_time_s) * 1_000,
        battery_rings: said.is_on_battery_removal,
        low_percent: said.low_battery_percent,
        enough_percent: said.enough_battery_percent,
        silent_rings: said.is_offline_ticket,
        silent_after_ms: minutes(said.offline_ticket_judge_min),
        outside_parking_after_ms: minutes(said.outside_parking_min),
        unlocked_after_ms: i64::from(said.unlocked_s) * 1_000,
        helmet_after_ms: minutes(said.helmet_min),
        ..Settings::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_says_nothing_gets_what_the_rules_do_by_themselves() {
        assert_eq!(settings(&AlarmRules::default()), Settings::default());
        let said = AlarmRules { low_battery_percent: 35, is_offline_ticket: false, ..AlarmRules::default() };
        let settings = settings(&said);
        assert_eq!((settings.low_percent, settings.silent_rings), (35, false));
    }
}
