//! Whether a report is taken, judged from what is known of the device and the server's time alone.

use vocabulary::Timestamp;

use super::{Place, Refusal, Report};

const FUTURE_MS: i64 = 120_000;
const STALE_MS: i64 = 24 * 3_600_000;
const FIX_FORGOTTEN_MS: i64 = 3_600_000;
const JUMP_M_A_SECOND: f64 = 160.0 / 3.6;

/// So many fixes in a row that agree with each other win against the place that was known.
const AGREEING: u8 = 3;

/// What is known of a device.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LastHeard {
    /// Time of its newest report.
    pub at: Option<Timestamp>,
    /// Its last fix and when that was.
    pub fix: Option<(Place, Timestamp)>,
    /// Fixes since, too far from that one to be true.
    pub elsewhere: Option<Elsewhere>,
}

/// Fixes in a row that lie too far from what is known and agree with each other: one is wild, some tell that what is known
/// was.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Elsewhere {
    place: Place,
    at: Timestamp,
    fixes: u8,
}

/// What to do with a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Take all of it.
    Taken,
    /// Take all of it; the places known before were not true.
    TakenAfresh,
    /// Take all but the position, for this reason.
    TakenWithoutFix(Refusal),
    /// Count it and forget it.
    Refused(Refusal),
}

impl LastHeard {
    /// Judges `report` at `now`, and knows of it if it is taken.
    pub fn hear(&mut self, report: &Report, now: Timestamp) -> Verdict {
        if let Some(reason) = self.refusal(report, now) {
            return Verdict::Refused(reason);
        }
        self.at = Some(report.at);
        if !report.has_fix() {
            return Verdict::TakenWithoutFix(Refusal::NoFix);
        }
        let far = |place: Place, at: Timestamp| {
            let elapsed_ms = report.at.millis_since(at);
            // Two reports of one second would make a jump of every wobble of the receiver.
            let seconds = (elapsed_ms.max(1000) as f64) / 1000.0;
            elapsed_ms <= FIX_FORGOTTEN_MS && report.place.distance_m(place) > seconds * JUMP_M_A_SECOND
        };
        let jumps = self.fix.is_some_and(|(place, at)| far(place, at));
        let agreeing = match self.elsewhere {
            Some(before) if !far(before.place, before.at) => before.fixes + 1,
            _ => 1,
        };
        if jumps && agreeing < AGREEING {
            self.elsewhere = Some(Elsewhere { place: report.place, at: report.at, fixes: agreeing });
            return Verdict::TakenWithoutFix(Refusal::ImpossibleJump);
        }
        self.elsewhere = None;
        self.fix = Some((report.place, report.at));
        if jumps { Verdict::TakenAfresh } else { Verdict::Taken }
    }

    fn refusal(&self, report: &Report, now: Timestamp) -> Option<Refusal> {
        let age_ms = now.millis_since(report.at);
        if report.soc_percent > 100 {
            return Some(Refusal::ImpossibleValue);
        }
        if age_ms < -FUTURE_MS {
            return Some(Refusal::Future);
        }
        if age_ms > STALE_MS {
            return Some(Refusal::Stale);
        }
        match self.at {
            Some(newest) if report.at == newest => return Some(Refusal::Duplicate),
            Some(newest) if report.at < newest => return Some(Refusal::OutOfOrder),
            _ => {}
        }
        (report.has_fix() && !report.place.possible()).then_some(Refusal::ImpossiblePosition)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::Flags;

    const NOW: Timestamp = Timestamp::from_millis(1_700_000_000_000);

    fn report(at_ms: i64) -> Report {
        Report {
            at: NOW.plus_millis(at_ms),
            seq: None,
            place: Place::from_degrees(24.48, 118.1),
            hdop_tenths: Some(9),
            satellites: Some(10),
            speed_kmh: 0,
            heading_half: 0,
            soc_percent: 80,
            gsm: None,
            voltage_mv: None,
            flags: Flags::POSITION_VALID,
            fence_version: None,
        }
    }

    fn judged(mut last: LastHeard, report: &Report) -> Verdict {
        last.hear(report, NOW)
    }

    #[test]
    fn the_first_good_report_is_taken() {
        assert_eq!(judged(LastHeard::default(), &report(0)), Verdict::Taken);
    }

    #[test]
    fn the_clock_may_be_two_minutes_ahead_and_a_day_behind() {
        let nothing = LastHeard::default();
        assert_eq!(judged(nothing, &report(120_000)), Verdict::Taken);
        assert_eq!(judged(nothing, &report(120_001)), Verdict::Refused(Refusal::Future));
        assert_eq!(judged(nothing, &report(-86_400_000)), Verdict::Taken);
        assert_eq!(judged(nothing, &report(-86_400_001)), Verdict::Refused(Refusal::Stale));
        assert_eq!(judged(nothing, &report(i64::MAX)), Verdict::Refused(Refusal::Future));
        assert_eq!(judged(nothing, &report(i64::MIN)), Verdict::Refused(Refusal::Stale));
    }

    #[test]
    fn the_same_time_is_a_duplicate_and_an_older_one_out_of_order() {
        let last = LastHeard { at: Some(NOW), ..LastHeard::default() };
        assert_eq!(judged(last, &report(0)), Verdict::Refused(Refusal::Duplicate));
        assert_eq!(judged(last, &report(-1)), Verdict::Refused(Refusal::OutOfOrder));
        assert_eq!(judged(last, &report(1)), Verdict::Taken);
    }

    #[test]
    fn without_a_fix_the_rest_is_still_taken() {
        let mut unfixed = report(0);
        unfixed.flags = Flags::LOCKED;
        unfixed.place = Place::default();
        let without = Verdict::TakenWithoutFix(Refusal::NoFix);
        assert_eq!(judged(LastHeard::default(), &unfixed), without);
        let mut no_satellites = report(0);
        no_satellites.satellites = Some(0);
        assert_eq!(judged(LastHeard::default(), &no_satellites), without);
    }

    #[test]
    fn zero_zero_and_off_the_globe_are_no_places() {
        for place in [
            Place::default(),
            Place::from_degrees(90.1, 0.0),
            Place::from_degrees(0.0, -180.1),
            Place::from_degrees(1e300, 2.0),
        ] {
            let mut off = report(0);
            off.place = place;
            assert_eq!(judged(LastHeard::default(), &off), Verdict::Refused(Refusal::ImpossiblePosition));
        }
    }

    #[test]
    fn nobody_moves_faster_than_160_unless_an_hour_has_passed() {
        let fix = |lat: f64, lng: f64, at_ms: i64| LastHeard {
            fix: Some((Place::from_degrees(lat, lng), NOW.plus_millis(at_ms))),
            ..LastHeard::default()
        };
        let jump = Verdict::TakenWithoutFix(Refusal::ImpossibleJump);
        assert_eq!(judged(fix(24.58, 118.1, -60_000), &report(0)), jump);
        assert_eq!(judged(fix(24.58, 118.1, -600_000), &report(0)), Verdict::Taken);
        assert_eq!(judged(fix(-24.0, -60.0, -3_600_001), &report(0)), Verdict::Taken);
    }

    #[test]
    fn a_wild_first_fix_blinds_nobody_three_that_agree_win() {
        let mut last = LastHeard::default();
        let mut wild = report(-60_000);
        wild.place = Place::from_degrees(31.2, 121.5);
        assert_eq!(last.hear(&wild, NOW), Verdict::Taken, "nothing tells that it is wild");
        let jump = Verdict::TakenWithoutFix(Refusal::ImpossibleJump);
        let honest = [-50_000, -40_000, -30_000, -20_000].map(|at_ms| last.hear(&report(at_ms), NOW));
        assert_eq!(honest, [jump, jump, Verdict::TakenAfresh, Verdict::Taken]);
    }

    #[test]
    fn wild_fixes_that_do_not_agree_win_never() {
        let mut last = LastHeard::default();
        last.hear(&report(-60_000), NOW);
        for number in 1..=20 {
            let mut wild = report(-60_000 + number * 1000);
            wild.place = Place::from_degrees(20.0 + (number % 7) as f64, 110.0);
            let jump = Verdict::TakenWithoutFix(Refusal::ImpossibleJump);
            assert_eq!(last.hear(&wild, NOW), jump);
        }
        assert_eq!(last.hear(&report(-1000), NOW), Verdict::Taken);
        assert_eq!(last.elsewhere, None);
    }

    #[test]
    fn a_battery_above_a_hundred_is_impossible() {
        let mut full = report(0);
        full.soc_percent = 101;
        assert_eq!(judged(LastHeard::default(), &full), Verdict::Refused(Refusal::ImpossibleValue));
    }

    #[test]
    fn every_reason_has_a_name_of_its_own() {
        let names: std::collections::BTreeSet<_> = Refusal::ALL.iter().map(|reason| reason.name()).collect();
        assert_eq!(names.len(), Refusal::ALL.len());
    }
}
