//! The fleet in memory: every bike's latest state in flat arrays indexed by a dense slot that stays its own as long as
//! the process lives. Pure: reports, records, zones and the time come in; judgements and buffers come out.

mod blocked;
mod board;
mod carriers;
mod contact;
mod display;
mod latest;
mod neighbours;
mod pick;
mod publish;
mod recent;
mod record;
mod sums;
#[cfg(test)]
pub(crate) mod testing;
#[cfg(test)]
mod tests;
mod tile;

pub use blocked::Blocked;
pub use board::{Lot, Spot, View};
pub use contact::Contact;
pub use display::{Reason, RentFacts, Rentability, SHOWN_STATES, Shown, shown};
pub use latest::{Latest, Stored, StreetBike};
pub use neighbours::Beside;
pub use pick::{Pick, Picked};
pub use publish::{CellBuffers, LotTotals, TickBuffers, Totals};
pub use record::{Codes, VehicleRecord};
pub use sums::{CHARGE_BANDS, IDLE_BANDS, Idle, Sums};
pub use tile::{CELL_LEVEL, Cell, Rect};

use std::collections::HashMap;
use std::sync::Arc;

use vocabulary::Timestamp;

use crate::report::{Elsewhere, Flags, LastHeard, Place, Refusal, Report, Verdict, imei};
use crate::rules::{AreaRules, Evidence, Facts, Judgement, Settings, Watch, Zones};
use board::Board;
use recent::Recent;

/// A slot that the protocol can name; bikes beyond are not shown.
const MAX_SLOTS: usize = 1 << 20;
/// Charge of a bike that never said.
const SOC_UNKNOWN: u8 = u8::MAX;
/// A feed that brings less than this share of the bikes on the streets tells nothing of the others, percent.
const HEARD_PERCENT: usize = 5;
/// An instant before every report.
const NEVER: i64 = 0;

/// What is read of a bike only when it is looked at or judged.
#[derive(Clone, Debug, Default)]
struct Cold {
    recent: Recent,
    elsewhere: Option<Elsewhere>,
    watch: Watch,
    hdop_tenths: Option<u8>,
    satellites: Option<u8>,
    gsm: Option<u8>,
    voltage_mv: Option<u32>,
}

/// A report that was taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Taken {
    /// The bike.
    pub slot: u32,
    /// Whether its position was taken too.
    pub with_fix: bool,
}

/// See the module.
pub struct Fleet {
    /// Where an area says nothing else, and what counts everywhere.
    settings: Settings,
    rentability: Arc<dyn Rentability>,
    rules: AreaRules,
    zones: Zones,
    records: Vec<VehicleRecord>,
    by_car: HashMap<String, u32>,
    by_imei: HashMap<u64, u32>,
    place: Vec<Place>,
    soc: Vec<u8>,
    speed: Vec<u8>,
    heading: Vec<u8>,
    flags: Vec<Flags>,
    state: Vec<u8>,
    online: Vec<bool>,
    /// Low 16 bits of the fences that its device holds, where it tells.
    told: Vec<Option<u16>>,
    report_at: Vec<i64>,
    fix_at: Vec<i64>,
    heard_at: Vec<i64>,
    /// How long others had been heard when a bike was heard last, or came to where it is; see [`Self::sweep`].
    heard_after_ms: Vec<i64>,
    /// How long bikes were heard at all.
    listened_ms: i64,
    cold: Vec<Cold>,
    /// What was kept of bikes that are not known yet, by number: as many at most as the database keeps.
    unclaimed: HashMap<String, Stored>,
    board: Board,
    /// When the oldest change that waits for the next tick was published by its device's gateway.
    oldest_pending: Option<Timestamp>,
    neighbourhoods: neighbours::Neighbourhoods,
}

impl Fleet {
    /// An empty fleet.
    pub fn new(settings: Settings, rentability: Arc<dyn Rentability>) -> Self {
        Self {
            settings,
            rentability,
            rules: AreaRules::default(),
            zones: Zones::default(),
            records: Vec::new(),
            by_car: HashMap::new(),
            by_imei: HashMap::new(),
            place: Vec::new(),
            soc: Vec::new(),
            speed: Vec::new(),
            heading: Vec::new(),
            flags: Vec::new(),
            state: Vec::new(),
            online: Vec::new(),
            told: Vec::new(),
            report_at: Vec::new(),
            fix_at: Vec::new(),
            heard_at: Vec::new(),
            heard_after_ms: Vec::new(),
            listened_ms: 0,
            cold: Vec::new(),
            unclaimed: HashMap::new(),
            board: Board::default(),
            oldest_pending: None,
            neighbourhoods: neighbours::Neighbourhoods::default(),
        }
    }

    /// Bytes that one bike takes in the arrays, without its texts.
    pub const fn bytes_a_bike() -> usize {
        size_of::<VehicleRecord>()
            + size_of::<Place>()
            + size_of::<Cold>()
            + size_of::<Flags>()
            + 4 * 8
            + 4
            + 5
            + 16
    }

    /// Bikes known.
    pub fn len(&self) -> usize {
        self.records.len()
    }

    /// Whether no bike is known.
    pub fn is_empty(&self) -> bool {
        self.records.is_empty()
    }

    /// The slot of a bike.
    pub fn slot(&self, car_id: &str) -> Option<u32> {
        self.by_car.get(car_id).copied()
    }

    /// The slot of the bike that carries device `device`.
    pub fn slot_of(&self, device: &str) -> Option<u32> {
        imei(device).and_then(|number| self.by_imei.get(&number).copied())
    }

    /// The bike in a slot.
    pub fn record(&self, slot: u32) -> Option<&VehicleRecord> {
        self.records.get(slot as usize)
    }

    /// Every bike, as the read model says.
    pub fn records(&self) -> impl Iterator<Item = &VehicleRecord> {
        self.records.iter()
    }

    /// Takes in what the read model says of a bike now. Refused (false) only when the system is full.
    pub fn enrol(&mut self, record: VehicleRecord, now: Timestamp) -> bool {
        let slot = match self.by_car.get(&record.car_id) {
            Some(slot) => *slot,
            None if self.records.len() < MAX_SLOTS => self.make_context(&record),
            None => return false,
        };
        let index = slot as usize;
        // A slow answer of the database must not undo a newer one.
        if record.version < self.records[index].version {
            return true;
        }
        let device = |record: &VehicleRecord| record.device().and_then(imei);
        let (before, after) = (device(&self.records[index]), device(&record));
        if before != after
            && let Some(before) = before
            && self.by_imei.get(&before) == Some(&slot)
        {
            self.by_imei.remove(&before);
        }
        if let Some(after) = after {
            self.by_imei.insert(after, slot);
        }
        // Another device holds what it holds.
        if before != after {
            self.told[index] = None;
        }
        if self.records[index].lifecycle != record.lifecycle {
            self.heard_after_ms[index] = self.listened_ms;
        }
        let unclaimed = self.unclaimed.remove(&record.car_id);
        self.records[index] = record;
        self.refresh(slot, now);
        self.board.touch(slot);
        if let Some(stored) = unclaimed {
            self.restore(stored, now);
        }
        true
    }

    fn make_context(&mut self, record: &VehicleRecord) -> u32 {
        let slot = self.records.len() as u32;
        self.by_car.insert(record.car_id.clone(), slot);
        self.records.push(VehicleRecord { version: -1, ..VehicleRecord::default() });
        self.place.push(Place::default());
        self.soc.push(SOC_UNKNOWN);
        self.speed.push(0);
        self.heading.push(0);
        self.flags.push(Flags::default());
        self.state.push(Shown::Silent as u8);
        self.online.push(false);
        self.told.push(None);
        self.report_at.push(NEVER);
        self.fix_at.push(NEVER);
        self.heard_at.push(NEVER);
        self.heard_after_ms.push(self.listened_ms);
        self.cold.push(Cold { watch: Watch::resumed(record), ..Cold::default() });
        self.board.grow();
        slot
    }

    /// Takes new areas and zones.
    pub fn reload_zones(&mut self, zones: Zones, now: Timestamp) {
        self.zones = zones;
        for slot in 0..self.len() as u32 {
            if self.refresh(slot, now) {
                self.board.touch(slot);
            }
        }
    }

    /// Takes new rules of areas.
    pub fn reload_rules(&mut self, rules: AreaRules, now: Timestamp) {
        self.rules = rules;
        self.look(now);
    }

    /// The zones in force.
    pub const fn zones(&self) -> &Zones {
        &self.zones
    }

    /// Takes a report of device `device` in, or says why not. `published` is when it reached the system's door.
    /// Judgements that follow are appended to `judged`.
    pub fn take(
        &mut self,
        device: &str,
        report: &Report,
        published: Timestamp,
        now: Timestamp,
        judged: &mut Vec<Judgement>,
    ) -> Result<Taken, Refusal> {
        let slot = self.slot_of(device).ok_or(Refusal::UnknownDevice)?;
        let index = slot as usize;
        let instant = |millis: i64| (millis != NEVER).then(|| Timestamp::from_millis(millis));
        let mut last = LastHeard {
            at: instant(self.report_at[index]),
            fix: instant(self.fix_at[index]).map(|at| (self.place[index], at)),
            elsewhere: self.cold[index].elsewhere,
        };
        let with_fix = match last.hear(report, now) {
            Verdict::Refused(reason) => return Err(reason),
            Verdict::Taken => true,
            Verdict::TakenAfresh => {
                self.cold[index].recent = Recent::default();
                true
            }
            Verdict::TakenWithoutFix(_) => false,
        };
        self.cold[index].elsewhere = last.elsewhere;
        self.write(slot, report, with_fix, published);
        let is_late = now.millis_since(report.at) > self.settings.offline_after_ms;
        self.judge_report(slot, report, is_late, judged);
        self.refresh(slot, now);
        self.board.touch(slot);
        self.oldest_pending = Some(self.oldest_pending.map_or(published, |oldest| oldest.min(published)));
        Ok(Taken { slot, with_fix })
    }

    fn write(&mut self, slot: u32, report: &Report, with_fix: bool, heard: Timestamp) {
        let index = slot as usize;
        let cold = &mut self.cold[index];
        if with_fix {
            self.place[index] = report.place;
            self.fix_at[index] = report.at.millis();
            self.speed[index] = report.speed_kmh;
            self.heading[index] = report.heading_half;
            cold.recent.push(report.place);
            cold.hdop_tenths = report.hdop_tenths;
        }
        cold.satellites = report.satellites.or(cold.satellites);
        cold.gsm = report.gsm.or(cold.gsm);
        cold.voltage_mv = report.voltage_mv.or(cold.voltage_mv);
        self.soc[index] = report.soc_percent;
        self.flags[index] = report.flags;
        self.told[index] = report.fence_version.or(self.told[index]);
        self.report_at[index] = report.at.millis();
        self.heard_at[index] = self.heard_at[index].max(heard.millis());
        self.heard_after_ms[index] = self.listened_ms;
    }

    fn judge_report(&mut self, slot: u32, report: &Report, is_late: bool, judged: &mut Vec<Judgement>) {
        let index = slot as usize;
        let (record, cold) = (&self.records[index], &mut self.cold[index]);
        let facts = Facts {
            record,
            at: report.at,
            place: cold.recent.median(),
            hdop: cold.hdop_tenths.map_or(1.0, |tenths| f64::from(tenths) / 10.0),
            is_late,
            flags: report.flags,
            soc_percent: report.soc_percent,
        };
        let settings = self.rules.of(record.area, &self.settings);
        cold.watch.on_report(&facts, &self.zones, settings, |alarm, raised, evidence| {
            judged.push(Judgement { car_id: record.car_id.clone(), alarm, raised, evidence });
        });
    }

    /// Looks at every bike for what time alone changes: who is online.
    pub fn look(&mut self, now: Timestamp) {
        for slot in 0..self.len() as u32 {
            if self.refresh(slot, now) {
                self.board.touch(slot);
            }
        }
    }

    /// The same, and who is silent. `elapsed_ms` went by since the last look with a feed that worked; it counts as silence
    /// of those that were not heard only while others are, whatever clocks and front doors do.
    pub fn sweep(&mut self, now: Timestamp, elapsed_ms: i64, judged: &mut Vec<Judgement>) {
        if self.is_heard(now) {
            self.listened_ms += elapsed_ms;
        }
        for (index, record) in self.records.iter().enumerate() {
            let silent_ms = self.listened_ms - self.heard_after_ms[index];
            self.cold[index].watch.on_silence(
                record,
                silent_ms,
                now,
                self.rules.of(record.area, &self.settings),
                |alarm, raised, evidence| {
                    judged.push(Judgement { car_id: record.car_id.clone(), alarm, raised, evidence });
                },
            );
        }
        self.look(now);
    }

    /// Whether enough bikes of the streets were heard of lately.
    pub(crate) fn is_heard(&self, now: Timestamp) -> bool {
        let street = || self.records.iter().zip(&self.heard_at).filter(|(record, _)| record.on_the_street());
        let recent = |heard_at: i64| now.millis() - heard_at <= self.settings.offline_after_ms;
        let heard = street().filter(|(_, heard_at)| recent(**heard_at)).count();
        heard > 0 && heard * 100 >= street().count() * HEARD_PERCENT
    }

    /// Alarms that ring here and not in the read model, or the other way round: what a lost command left undone.
    /// A command on its way is among them too; telling it twice does no harm.
    pub fn undone(&self, now: Timestamp) -> Vec<Judgement> {
        let mut undone = Vec::new();
        for (index, (record, cold)) in self.records.iter().zip(&self.cold).enumerate() {
            for (alarm, raised) in cold.watch.differs(record) {
                let place = (self.fix_at[index] != NEVER).then(|| self.place[index]);
                let evidence = Evidence {
                    at: now.millis(),
                    lat: place.map(Place::lat),
                    lng: place.map(Place::lng),
                    soc_percent: (self.soc[index] != SOC_UNKNOWN).then_some(self.soc[index]),
                    ..Evidence::default()
                };
                undone.push(Judgement { car_id: record.car_id.clone(), alarm, raised, evidence });
            }
        }
        undone
    }

    /// Why the bike in a slot cannot be rented.
    pub fn reasons(&self, slot: u32, now: Timestamp) -> Vec<Reason> {
        self.rentability.reasons(&self.rent_facts(slot as usize, self.online[slot as usize], now))
    }

    fn rent_facts(&self, index: usize, online: bool, now: Timestamp) -> RentFacts {
        let record = &self.records[index];
        RentFacts {
            lifecycle: record.lifecycle,
            riding_state: record.riding_state,
            operation_states: record.operation_states,
            alarm_states: record.alarm_states,
            soc_percent: (self.soc[index] != SOC_UNKNOWN).then_some(self.soc[index]),
            online,
            area: record.area,
            area_state: record.area.and_then(|area| self.zones.area_state(area)),
            now,
        }
    }

    /// Computes what is shown of a bike; whether that is something new.
    fn refresh(&mut self, slot: u32, now: Timestamp) -> bool {
        use crate::push::frame::bit;
        let index = slot as usize;
        let record = &self.records[index];
        let online = self.heard_at[index] != NEVER
            && now.millis() - self.heard_at[index] <= self.settings.offline_after_ms;
        let facts = self.rent_facts(index, online, now);
        let low_percent = self.rules.of(record.area, &self.settings).low_percent;
        let low = facts.soc_percent.is_some_and(|soc| soc < low_percent) || record.operation_states.has(4);
        // Most bikes are decided by what people do with them; only the rest need the rule of renting.
        let mut state = shown(record, online, low, true);
        if state == Shown::Rentable && !self.rentability.reasons(&facts).is_empty() {
            state = Shown::NotRentable;
        }
        let flags = self.flags[index];
        let alarm = record.alarm_states != Codes::default() || self.cold[index].watch.any_alarm();
        let byte = state as u8
            | if alarm { bit::ALARM } else { 0 }
            | if flags.has(Flags::LOCKED) { bit::LOCKED } else { 0 }
            | if flags.has(Flags::MOVING) && online { bit::MOVING } else { 0 };
        let news = self.state[index] != byte || self.online[index] != online;
        self.state[index] = byte;
        self.online[index] = online;
        news
    }
}
