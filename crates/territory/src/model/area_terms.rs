//! What is said of a service area beside its name and edge, and when it stops.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use vocabulary::Timestamp;
use vocabulary::text::line;

use super::area::{AreaEvent, AreaRefusal, AreaState};

/// 停运公告, characters.
pub const NOTICE_MAX: usize = 200;
/// Bikes of one area.
pub const QUOTA_MAX: i32 = 1_000_000;
/// 监管平台编号 of one area, and the characters of each.
pub const SUPERVISION_MAX: usize = 10;
const SUPERVISION_ID_MAX: usize = 40;
/// So far ahead a stop may lie.
const AHEAD_MS: i64 = 366 * 86_400_000;
/// A stop that the clock ends lasts so long at least: it is looked for each minute.
const LEAST_MS: i64 = 60_000;

/// What an area is registered as.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Terms {
    /// 城市代码, six digits (GB/T 2260); empty: not said.
    pub city_code: String,
    /// 投放配额, bikes; nothing: the city sets none.
    pub vehicle_quota: Option<i32>,
    /// 监管平台编号: what supervisors call it.
    pub supervision_ids: Vec<String>,
    /// Whether riders may ask for stations in it.
    pub takes_applications: bool,
}

impl Default for Terms {
    fn default() -> Self {
        Self {
            city_code: String::new(),
            vehicle_quota: None,
            supervision_ids: Vec::new(),
            takes_applications: true,
        }
    }
}

impl Terms {
    /// The same as it is kept, when it may stand.
    pub(super) fn sound(mut self) -> Result<Self, AreaRefusal> {
        let city_code = self.city_code.trim().to_owned();
        let is_code = city_code.len() == 6 && city_code.bytes().all(|byte| byte.is_ascii_digit());
        if !city_code.is_empty() && !is_code {
            return Err(AreaRefusal::CityCode);
        }
        self.city_code = city_code;
        if self.vehicle_quota.is_some_and(|quota| !(1..=QUOTA_MAX).contains(&quota)) {
            return Err(AreaRefusal::Quota);
        }
        let ids: Option<Vec<String>> =
            self.supervision_ids.iter().map(|id| line(id, SUPERVISION_ID_MAX)).collect();
        let ids = ids.ok_or(AreaRefusal::Supervision)?;
        let distinct: BTreeSet<&String> = ids.iter().collect();
        if ids.len() > SUPERVISION_MAX || distinct.len() < ids.len() {
            return Err(AreaRefusal::Supervision);
        }
        self.supervision_ids = ids;
        Ok(self)
    }
}

/// A time in which an area does not serve riders.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stop {
    /// From then on.
    pub from: Timestamp,
    /// Until then, when it resumes by itself; nothing: until somebody resumes it.
    pub until: Option<Timestamp>,
    /// 停运公告.
    pub notice: String,
}

impl Stop {
    /// A stop as it is asked for at `now`: one that should have begun begins now.
    pub(super) fn asked(
        from: Option<Timestamp>,
        until: Option<Timestamp>,
        notice: &str,
        now: Timestamp,
    ) -> Result<Self, AreaRefusal> {
        let notice = notice.trim();
        if !(1..=NOTICE_MAX).contains(&notice.chars().count()) {
            return Err(AreaRefusal::Notice);
        }
        let from = from.map_or(now, |from| from.max(now));
        let too_far = |at: Timestamp| at.millis_since(now) > AHEAD_MS;
        if too_far(from) || until.is_some_and(|until| until.millis_since(from) < LEAST_MS || too_far(until)) {
            return Err(AreaRefusal::StopTimes);
        }
        Ok(Self { from, until, notice: notice.to_owned() })
    }

    /// What it makes of an area that stands so at `now`.
    pub(super) fn due(&self, state: AreaState, now: Timestamp) -> Vec<AreaEvent> {
        let over = self.until.is_some_and(|until| until <= now);
        match state {
            // Nobody looked while it lasted.
            AreaState::Open if over => vec![AreaEvent::StopCancelled],
            AreaState::Open if self.from <= now => {
                vec![AreaEvent::Suspended { notice: self.notice.clone() }]
            }
            AreaState::Suspended if over => vec![AreaEvent::Opened],
            _ => Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use geofence::Ring;
    use kernel::{Aggregate, Event};
    use vocabulary::{AgentId, AreaId, Datum};

    use super::*;
    use crate::model::area::{Area, AreaCommand, Plan};

    const HOUR_MS: i64 = 3_600_000;

    fn at(hours: i64) -> Timestamp {
        Timestamp::from_millis(1_800_000_000_000 + hours * HOUR_MS)
    }

    /// An open area, after each command at its hour.
    fn after(commands: Vec<(i64, AreaCommand)>) -> Area {
        let ring = Ring::draw(&[[118.0, 24.0], [118.1, 24.0], [118.1, 24.1]], Datum::Wgs84).unwrap();
        let (area_id, agent_id) = (AreaId(20), AgentId(2));
        let plan = Plan { area_id, agent_id, name: "湖滨".into(), tel: "0592-1234567".into(), ring };
        let mut area = Area::default();
        let first = [(0, AreaCommand::Plan(plan)), (0, AreaCommand::Open)];
        for (hour, command) in first.into_iter().chain(commands) {
            for event in area.decide(command, at(hour)).unwrap() {
                area.evolve(&event);
            }
        }
        area
    }

    fn stop(from: Option<i64>, until: Option<i64>) -> AreaCommand {
        AreaCommand::Stop { from: from.map(at), until: until.map(at), notice: " 台风 ".to_owned() }
    }

    fn types(area: &Area, hour: i64, command: AreaCommand) -> Vec<&'static str> {
        area.decide(command, at(hour)).unwrap().iter().map(Event::stored_type).collect()
    }

    #[test]
    fn an_area_stops_at_its_time_and_resumes_by_itself() {
        let planned = after(vec![(1, stop(Some(5), Some(9)))]);
        assert_eq!(planned.state(), Some(AreaState::Open), "riders ride on until then");
        assert_eq!(types(&planned, 4, AreaCommand::KeepTimes), [""; 0]);
        assert_eq!(
            planned.decide(AreaCommand::KeepTimes, at(5)).unwrap(),
            [AreaEvent::Suspended { notice: "台风".to_owned() }]
        );
        let stopped = after(vec![(1, stop(Some(5), Some(9))), (5, AreaCommand::KeepTimes)]);
        assert_eq!(stopped.state(), Some(AreaState::Suspended));
        assert_eq!(types(&stopped, 8, AreaCommand::KeepTimes), [""; 0]);
        assert_eq!(types(&stopped, 9, AreaCommand::KeepTimes), ["area.opened"]);
        // Once resumed, nothing is left of it.
        let resumed = after(vec![
            (1, stop(Some(5), Some(9))),
            (5, AreaCommand::KeepTimes),
            (9, AreaCommand::KeepTimes),
        ]);
        assert_eq!(resumed.state(), Some(AreaState::Open));
        assert_eq!(types(&resumed, 10, AreaCommand::KeepTimes), [""; 0]);
        // Of a stop that nobody was there to keep nothing is told to riders.
        assert_eq!(types(&planned, 10, AreaCommand::KeepTimes), ["area.stop_cancelled"]);
    }

    #[test]
    fn a_stop_that_somebody_must_end_does_not_end_by_itself() {
        let stopped = after(vec![(1, stop(None, None))]);
        assert_eq!(stopped.state(), Some(AreaState::Suspended));
        assert_eq!(types(&stopped, 8_000, AreaCommand::KeepTimes), [""; 0]);
        // Until when is said later, and taken back.
        assert_eq!(types(&stopped, 2, stop(None, Some(6))), ["area.stop_planned", "area.suspended"]);
        let timed = after(vec![(1, stop(None, None)), (2, stop(None, Some(6)))]);
        assert_eq!(types(&timed, 6, AreaCommand::KeepTimes), ["area.opened"]);
        assert_eq!(types(&timed, 3, stop(None, None)), ["area.stop_cancelled", "area.suspended"]);
    }

    #[test]
    fn a_planned_stop_is_called_off_by_opening() {
        let planned = after(vec![(1, stop(Some(5), Some(9)))]);
        assert_eq!(types(&planned, 2, AreaCommand::Launch { parkings: 1 }), ["area.stop_cancelled"]);
        let closed =
            after(vec![(1, stop(Some(5), Some(9))), (2, AreaCommand::Close { shelved_vehicles: 0 })]);
        assert_eq!(types(&closed, 6, AreaCommand::KeepTimes), [""; 0]);
    }

    #[test]
    fn times_and_notices_that_make_no_sense_are_refused() {
        let open = after(vec![]);
        let refused = |command| open.decide(command, at(1)).unwrap_err();
        assert_eq!(refused(stop(Some(5), Some(5))), AreaRefusal::StopTimes);
        assert_eq!(refused(stop(None, Some(0))), AreaRefusal::StopTimes);
        assert_eq!(refused(stop(Some(24 * 400), None)), AreaRefusal::StopTimes);
        let silent = AreaCommand::Stop { from: None, until: None, notice: " ".to_owned() };
        assert_eq!(refused(silent), AreaRefusal::Notice);
    }

    fn described(terms: Terms) -> AreaCommand {
        AreaCommand::Describe { name: "湖滨".into(), tel: "0592-1234567".into(), terms: Some(terms) }
    }

    #[test]
    fn terms_are_kept_as_they_are_written_and_told_once() {
        let terms = Terms {
            city_code: " 350200 ".into(),
            vehicle_quota: Some(500),
            supervision_ids: vec![" XM-01 ".into()],
            takes_applications: false,
        };
        let set = after(vec![(1, described(terms.clone()))]);
        assert_eq!(set.terms().city_code, "350200");
        assert_eq!(set.terms().supervision_ids, ["XM-01"]);
        assert_eq!(types(&set, 2, described(terms)), [""; 0], "the same again changes nothing");
        assert!(after(vec![]).terms().takes_applications, "as before there was a switch");
    }

    #[test]
    fn terms_beyond_their_bounds_are_refused() {
        let open = after(vec![]);
        let refused = |terms| open.decide(described(terms), at(1)).unwrap_err();
        let usual = Terms::default;
        assert_eq!(refused(Terms { city_code: "厦门".into(), ..usual() }), AreaRefusal::CityCode);
        assert_eq!(refused(Terms { vehicle_quota: Some(0), ..usual() }), AreaRefusal::Quota);
        let twice = vec!["A".to_owned(), "A ".to_owned()];
        assert_eq!(refused(Terms { supervision_ids: twice, ..usual() }), AreaRefusal::Supervision);
        let many = (0..11).map(|n| n.to_string()).collect();
        assert_eq!(refused(Terms { supervision_ids: many, ..usual() }), AreaRefusal::Supervision);
    }

    #[test]
    fn the_stored_forms_stay() {
        let stored = |event: AreaEvent| serde_json::to_string(&event).unwrap();
        let stop = Stop { from: at(0), until: None, notice: "台风".into() };
        assert_eq!(
            stored(AreaEvent::StopPlanned(stop)),
            r#"{"type":"area.stop_planned","data":{"from":1800000000000,"until":null,"notice":"台风"}}"#
        );
        assert_eq!(
            stored(AreaEvent::TermsSet(Terms::default())),
            r#"{"type":"area.terms_set","data":{"city_code":"","vehicle_quota":null,"supervision_ids":[],"takes_applications":true}}"#
        );
        assert_eq!(stored(AreaEvent::StopCancelled), r#"{"type":"area.stop_cancelled"}"#);
    }
}
