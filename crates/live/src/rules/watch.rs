//! The rules over one bike.

use vocabulary::Timestamp;

use super::{AlarmKind, Evidence, Zones};
use crate::fleet::VehicleRecord;
use crate::report::{Flags, Place};

/// A device that says nothing for so long is offline.
pub const OFFLINE_AFTER_MS: i64 = 5 * 60_000;

/// Where the rules draw their lines.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// Metres beyond the area's edge that are still let pass, before the receiver's own doubt.
    pub area_buffer_m: f64,
    /// Whether movement without a ride is an alarm.
    pub moved_rings: bool,
    /// Metres from where it rested that are still no movement.
    pub moved_m: f64,
    /// So many reports in a row have to say so,
    pub moved_reports: u8,
    /// for so long.
    pub moved_for_ms: i64,
    /// Whether a battery that is gone is an alarm.
    pub battery_rings: bool,
    /// Below this a battery is low.
    pub low_percent: u8,
    /// From this on it is not low any more.
    pub enough_percent: u8,
    /// Offline after this silence.
    pub offline_after_ms: i64,
    /// Whether silence is an alarm,
    pub silent_rings: bool,
    /// and after how much.
    pub silent_after_ms: i64,
    /// A bike that stands this long has a new place of rest.
    pub settled_after_ms: i64,
    /// One whose lock was opened may be ridden, though nobody has said so here yet: for so long it is not moved without a ride.
    pub opened_grace_ms: i64,
    /// A bike that was left outside of every parking place is let stand there so long.
    pub outside_parking_after_ms: i64,
    /// A lock may be open so long without a ride and without work.
    pub unlocked_after_ms: i64,
    /// A helmet may be missing or broken so long.
    pub helmet_after_ms: i64,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            area_buffer_m: 20.0,
            moved_rings: true,
            moved_m: 50.0,
            moved_reports: 1,
            moved_for_ms: 0,
            battery_rings: true,
            low_percent: 20,
            enough_percent: 25,
            offline_after_ms: OFFLINE_AFTER_MS,
            silent_rings: true,
            silent_after_ms: 30 * 60_000,
            settled_after_ms: 10 * 60_000,
            opened_grace_ms: 60_000,
            outside_parking_after_ms: 30 * 60_000,
            unlocked_after_ms: 120_000,
            helmet_after_ms: 120_000,
        }
    }
}

/// What is known of a bike when it is judged.
#[derive(Clone, Copy, Debug)]
pub struct Facts<'a> {
    /// The read model's row.
    pub record: &'a VehicleRecord,
    /// Time of the report.
    pub at: Timestamp,
    /// Median of the last fixes, when there are enough.
    pub place: Option<Place>,
    /// Dilution of precision; the receiver's own doubt.
    pub hdop: f64,
    /// It comes so late that the record may tell of another time than the report.
    pub is_late: bool,
    /// What the device says of itself.
    pub flags: Flags,
    /// Charge.
    pub soc_percent: u8,
}

impl Facts<'_> {
    const fn moving(&self) -> bool {
        self.flags.has(Flags::MOVING)
    }

    const fn locked(&self) -> bool {
        self.flags.has(Flags::LOCKED)
    }

    /// Nobody rides it, has paused with it or works on it.
    fn left_alone(&self) -> bool {
        matches!(self.record.riding_state, IDLE | RESERVED)
            && !self.record.operation_states.has_any(&WORKED_ON)
    }

    /// Metres that the position may be wrong by.
    fn doubt_m(&self) -> f64 {
        (self.hdop * 2.5).clamp(0.0, 15.0)
    }

    fn evidence(&self) -> Evidence {
        Evidence {
            at: self.at.millis(),
            lat: self.place.map(Place::lat),
            lng: self.place.map(Place::lng),
            soc_percent: Some(self.soc_percent),
            ..Evidence::default()
        }
    }
}

/// 1 free, 4 reserved.
const IDLE: u8 = 1;
const RESERVED: u8 = 4;
/// Being moved, swapped, repaired or towed.
const WORKED_ON: [u8; 4] = [2, 3, 5, 6];

/// What the rules remember of one bike.
#[derive(Clone, Copy, Debug, Default)]
pub struct Watch {
    /// The newest report that was judged: what is delivered again is not judged again.
    judged_at: Option<Timestamp>,
    raised: u16,
    missing_battery: u8,
    /// Reports in a row that it is away from where it rested, and the first of them.
    away: u8,
    away_since: Option<Timestamp>,
    rest: Option<Place>,
    still_since: Option<Timestamp>,
    /// The first report of an open lock since it was closed.
    open_since: Option<Timestamp>,
    /// The first report of what has been so in every one since.
    outside_since: Option<Timestamp>,
    unlocked_since: Option<Timestamp>,
    helmet_lost_since: Option<Timestamp>,
    helmet_broken_since: Option<Timestamp>,
}

impl Watch {
    /// Goes on from what the read model says, after a restart.
    pub fn resumed(record: &VehicleRecord) -> Self {
        let mut watch = Self::default();
        for kind in AlarmKind::ALL {
            if recorded(record, kind) {
                watch.raised |= kind.bit();
            }
        }
        watch
    }

    /// Whether `kind` rings.
    pub const fn rings(&self, kind: AlarmKind) -> bool {
        self.raised & kind.bit() != 0
    }

    /// Whether any of the alarms rings; low battery has a state of its own and is none.
    pub const fn any_alarm(&self) -> bool {
        self.raised & !AlarmKind::LowBattery.bit() != 0
    }

    /// Kinds that ring here and not in `record`, or the other way round: what a lost command left undone.
    pub fn differs(&self, record: &VehicleRecord) -> impl Iterator<Item = (AlarmKind, bool)> {
        let raised = self.raised;
        AlarmKind::ALL
            .into_iter()
            .map(move |kind| (kind, raised & kind.bit() != 0))
            .filter(|(kind, rings)| recorded(record, *kind) != *rings)
            .collect::<Vec<_>>()
            .into_iter()
    }

    /// Judges a report; `tell` hears of what begins and ends.
    pub fn on_report(
        &mut self,
        facts: &Facts,
        zones: &Zones,
        settings: &Settings,
        mut tell: impl FnMut(AlarmKind, bool, Evidence),
    ) {
        if self.judged_at >= Some(facts.at) {
            return;
        }
        self.judged_at = Some(facts.at);
        self.open_since = if facts.locked() { None } else { self.open_since.or(Some(facts.at)) };
        // A bike that is not on the street cannot do wrong; what it did before is over.
        if !facts.record.on_the_street() {
            for kind in AlarmKind::ALL {
                self.set(kind, Some(false), facts.evidence(), &mut tell);
            }
            let judged_at = self.judged_at;
            *self = Self { judged_at, raised: self.raised, ..Self::default() };
            return;
        }
        self.set(AlarmKind::Silent, Some(false), facts.evidence(), &mut tell);
        self.battery(facts, settings, &mut tell);
        if let Some(place) = facts.place {
            self.area(facts, place, zones, settings, &mut tell);
            self.no_stop(facts, place, zones, &mut tell);
            self.moved(facts, place, settings, &mut tell);
            if !facts.is_late {
                self.outside_parking(facts, place, zones, settings, &mut tell);
            }
        }
        if facts.is_late {
            // A gateway tells what it could not tell before: who had the bike then is not known here.
            self.outside_since = None;
            self.unlocked_since = None;
            self.helmet_lost_since = None;
        } else {
            self.unlocked(facts, settings, &mut tell);
            self.helmet_lost(facts, settings, &mut tell);
        }
        let fault = facts.flags.has(Flags::HELMET_FAULT);
        let broken = lasts(&mut self.helmet_broken_since, fault, facts.at, settings.helmet_after_ms);
        self.set(AlarmKind::HelmetBroken, broken, facts.evidence(), &mut tell);
    }

    /// Judges silence: `silent_ms` is how long others were heard while this bike was not.
    pub fn on_silence(
        &mut self,
        record: &VehicleRecord,
        silent_ms: i64,
        now: Timestamp,
        settings: &Settings,
        mut tell: impl FnMut(AlarmKind, bool, Evidence),
    ) {
        let judged = record.on_the_street() && settings.silent_rings;
        let silent = judged && silent_ms > settings.silent_after_ms;
        // A longer silence was allowed meanwhile: the next report ends it.
        if silent || !judged {
            let evidence = Evidence { at: now.millis(), ..Evidence::default() };
            self.set(AlarmKind::Silent, Some(silent), evidence, &mut tell);
        }
    }

    fn battery(
        &mut self,
        facts: &Facts,
        settings: &Settings,
        tell: &mut impl FnMut(AlarmKind, bool, Evidence),
    ) {
        let by_us = facts.record.riding_state == 5 || facts.record.operation_states.has(3);
        let present = facts.flags.has(Flags::BATTERY_PRESENT);
        self.missing_battery = if present { 0 } else { self.missing_battery.saturating_add(1) };
        let removed = match self.missing_battery {
            _ if !settings.battery_rings => Some(false),
            0 => Some(false),
            // One report may be a loose contact.
            1 => None,
            _ => (!by_us).then_some(true),
        };
        self.set(AlarmKind::BatteryRemoved, removed, facts.evidence(), tell);
        if present {
            let low = match facts.soc_percent {
                soc if soc < settings.low_percent => Some(true),
                soc if soc >= settings.enough_percent => Some(false),
                _ => None,
            };
            self.set(AlarmKind::LowBattery, low, facts.evidence(), tell);
        }
    }

    fn area(
        &mut self,
        facts: &Facts,
        place: Place,
        zones: &Zones,
        settings: &Settings,
        tell: &mut impl FnMut(AlarmKind, bool, Evidence),
    ) {
        let Some(depth_m) = facts.record.area.and_then(|area| zones.depth_in_area_m(area, place)) else {
            return;
        };
        let by_us = facts.record.riding_state == 5 || facts.record.operation_states.has(2);
        let left = if depth_m >= 0.0 {
            Some(false)
        } else if -depth_m > settings.area_buffer_m + facts.doubt_m() && !by_us {
            Some(true)
        } else {
            None
        };
        let evidence = Evidence { distance_m: Some((-depth_m).max(0.0).round()), ..facts.evidence() };
        self.set(AlarmKind::LeftArea, left, evidence, tell);
    }

    fn no_stop(
        &mut self,
        facts: &Facts,
        place: Place,
        zones: &Zones,
        tell: &mut impl FnMut(AlarmKind, bool, Evidence),
    ) {
        // Riding through is no stopping; only a bike that nobody rides stands.
        let stands = facts.record.riding_state != 2 && facts.record.riding_state != 5 && !facts.moving();
        let inside = zones.no_stop_at(place);
        let parked = match inside {
            None => Some(false),
            Some(_) if facts.record.riding_state == 2 => Some(false),
            Some((_, depth_m)) if stands && depth_m > facts.doubt_m() / 2.0 => Some(true),
            Some(_) => None,
        };
        let evidence = Evidence { fence_id: inside.map(|(fence, _)| fence.0), ..facts.evidence() };
        self.set(AlarmKind::NoStopZone, parked, evidence, tell);
    }

    fn moved(
        &mut self,
        facts: &Facts,
        place: Place,
        settings: &Settings,
        tell: &mut impl FnMut(AlarmKind, bool, Evidence),
    ) {
        let allowed =
            matches!(facts.record.riding_state, 2 | 3 | 5) || facts.record.operation_states.has_any(&[2, 6]);
        if allowed || !settings.moved_rings {
            self.rest = None;
            self.still_since = None;
            self.is_away(false, facts.at);
            self.set(AlarmKind::Moved, Some(false), facts.evidence(), tell);
            return;
        }
        let rest = *self.rest.get_or_insert(place);
        if facts.moving() {
            self.still_since = None;
            let distance_m = place.distance_m(rest);
            let evidence = Evidence { distance_m: Some(distance_m.round()), ..facts.evidence() };
            let just_opened =
                self.open_since.is_some_and(|since| facts.at.millis_since(since) < settings.opened_grace_ms);
            self.is_away(distance_m > settings.moved_m + facts.doubt_m() && !just_opened, facts.at);
            let for_ms = self.away_since.map_or(0, |since| facts.at.millis_since(since));
            let away = self.away >= settings.moved_reports.max(1) && for_ms >= settings.moved_for_ms;
            self.set(AlarmKind::Moved, away.then_some(true), evidence, tell);
            return;
        }
        self.is_away(false, facts.at);
        let since = *self.still_since.get_or_insert(facts.at);
        if facts.at.millis_since(since) >= settings.settled_after_ms {
            self.rest = Some(place);
            self.set(AlarmKind::Moved, Some(false), facts.evidence(), tell);
        }
    }

    fn is_away(&mut self, away: bool, at: Timestamp) {
        self.away = if away { self.away.saturating_add(1) } else { 0 };
        self.away_since = if away { self.away_since.or(Some(at)) } else { None };
    }

    fn outside_parking(
        &mut self,
        facts: &Facts,
        place: Place,
        zones: &Zones,
        settings: &Settings,
        tell: &mut impl FnMut(AlarmKind, bool, Evidence),
    ) {
        let is_left = facts.record.riding_state == IDLE && facts.left_alone() && facts.locked();
        if !is_left || facts.moving() {
            self.outside_since = None;
            let ridden = facts.record.riding_state != IDLE;
            self.set(AlarmKind::OutsideParking, ridden.then_some(false), facts.evidence(), tell);
            return;
        }
        let beyond_m = facts.record.area.and_then(|area| zones.beyond_parking_m(area, place)).unwrap_or(0.0);
        let outside = match beyond_m {
            0.0 => Some(false),
            within if within <= facts.doubt_m() => None,
            _ => Some(true),
        };
        let lasts = match outside {
            Some(true) => lasts(&mut self.outside_since, true, facts.at, settings.outside_parking_after_ms),
            Some(false) => lasts(&mut self.outside_since, false, facts.at, 0),
            None => None,
        };
        let mut evidence = facts.evidence();
        if lasts == Some(true) && !self.rings(AlarmKind::OutsideParking) {
            let to_m = facts.record.area.and_then(|area| zones.to_parking_m(area, place));
            evidence.distance_m = to_m.map(f64::round);
        }
        self.set(AlarmKind::OutsideParking, lasts, evidence, tell);
    }

    fn unlocked(
        &mut self,
        facts: &Facts,
        settings: &Settings,
        tell: &mut impl FnMut(AlarmKind, bool, Evidence),
    ) {
        let open = !facts.locked() && facts.left_alone();
        let rings = lasts(&mut self.unlocked_since, open, facts.at, settings.unlocked_after_ms);
        self.set(AlarmKind::Unlocked, rings, facts.evidence(), tell);
    }

    fn helmet_lost(
        &mut self,
        facts: &Facts,
        settings: &Settings,
        tell: &mut impl FnMut(AlarmKind, bool, Evidence),
    ) {
        let missing = facts.flags.has(Flags::HELMET_MISSING);
        // A rider wears it; it is due again when he has locked the bike.
        let lost = if missing && !(facts.locked() && facts.left_alone()) {
            self.helmet_lost_since = None;
            None
        } else {
            lasts(&mut self.helmet_lost_since, missing, facts.at, settings.helmet_after_ms)
        };
        self.set(AlarmKind::HelmetLost, lost, facts.evidence(), tell);
    }

    fn set(
        &mut self,
        kind: AlarmKind,
        wanted: Option<bool>,
        evidence: Evidence,
        tell: &mut impl FnMut(AlarmKind, bool, Evidence),
    ) {
        let Some(wanted) = wanted else { return };
        if self.rings(kind) != wanted {
            self.raised ^= kind.bit();
            tell(kind, wanted, evidence);
        }
    }
}

/// Whether it has been so for long enough, by `since`, which follows; nothing while it is too early to say.
fn lasts(since: &mut Option<Timestamp>, is_so: bool, at: Timestamp, after_ms: i64) -> Option<bool> {
    if !is_so {
        *since = None;
        return Some(false);
    }
    let first = *since.get_or_insert(at);
    (at.millis_since(first) >= after_ms).then_some(true)
}

fn recorded(record: &VehicleRecord, kind: AlarmKind) -> bool {
    kind.alarm_state().is_some_and(|code| record.alarm_states.has(code))
        || kind.operation_state().is_some_and(|code| record.operation_states.has(code))
}
