//! Whether a report is taken, judged from what is known of the device and the server's time alone.

use vocabulary::Timestamp;

use super::{Place, Refusal, Report};

const FUTURE_MS: i64 = 120_000;
const STALE_MS: i64 = 24 * 3_600_000;
const FIX_FORGOTTEN_MS: i64 = 3_600_000;
const JUMP_M_A_SECOND: f64 = 160.0 / 3.6;

/// What is known of a device.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LastHeard {
    /// Time of its newest report.
    pub at: Option<Timestamp>,
    /// Its last fix and when that was.
    pub fix: Option<(Place, Timestamp)>,
}

/// What to do with a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Take all of it.
    Taken,
    /// Take all but the position; counted as `no_fix`.
    TakenWithoutFix,
    /// Count it and forget it.
    Refused(Refusal),
}

/// Judges `report` at `now`.
pub fn judge(last: &LastHeard, report: &Report, now: Timestamp) -> Verdict {
    match refusal(last, report, now) {
        Some(reason) => Verdict::Refused(reason),
        None if report.has_fix() => Verdict::Taken,
        None => Verdict::TakenWithoutFix,
    }
}

fn refusal(last: &LastHeard, report: &Report, now: Timestamp) -> Option<Refusal> {
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
    if let Some(newest) = last.at {
        if report.at == newest {
            return Some(Refusal::Duplicate);
        }
        if report.at < newest {
            return Some(Refusal::OutOfOrder);
        }
    }
    if !report.has_fix() {
        return None;
    }
    if !report.place.possible() {
        return Some(Refusal::ImpossiblePosition);
    }
    let (place, at) = last.fix?;
    let elapsed_ms = report.at.millis_since(at);
    if elapsed_ms > FIX_FORGOTTEN_MS {
        return None;
    }
    // Two reports of one second would make a jump of every wobble of the receiver.
    let seconds = (elapsed_ms.max(1000) as f64) / 1000.0;
    (report.place.distance_m(place) > seconds * JUMP_M_A_SECOND).then_some(Refusal::ImpossibleJump)
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

    fn judged(last: LastHeard, report: &Report) -> Verdict {
        judge(&last, report, NOW)
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
        let last = LastHeard { at: Some(NOW), fix: None };
        assert_eq!(judged(last, &report(0)), Verdict::Refused(Refusal::Duplicate));
        assert_eq!(judged(last, &report(-1)), Verdict::Refused(Refusal::OutOfOrder));
        assert_eq!(judged(last, &report(1)), Verdict::Taken);
    }

    #[test]
    fn without_a_fix_the_rest_is_still_taken() {
        let mut unfixed = report(0);
        unfixed.flags = Flags::LOCKED;
        unfixed.place = Place::default();
        assert_eq!(judged(LastHeard::default(), &unfixed), Verdict::TakenWithoutFix);
        let mut no_satellites = report(0);
        no_satellites.satellites = Some(0);
        assert_eq!(judged(LastHeard::default(), &no_satellites), Verdict::TakenWithoutFix);
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
        let far =
            LastHeard { at: None, fix: Some((Place::from_degrees(24.58, 118.1), NOW.plus_millis(-60_000))) };
        assert_eq!(judged(far, &report(0)), Verdict::Refused(Refusal::ImpossibleJump));
        let slower = LastHeard { fix: far.fix.map(|(place, _)| (place, NOW.plus_millis(-600_000))), ..far };
        assert_eq!(judged(slower, &report(0)), Verdict::Taken);
        let other_end = (Place::from_degrees(-24.0, -60.0), NOW.plus_millis(-3_600_001));
        assert_eq!(judged(LastHeard { at: None, fix: Some(other_end) }, &report(0)), Verdict::Taken);
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
