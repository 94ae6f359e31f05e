//! What a tick publishes: one buffer for each territory and cell, made once and shared by all who see it; and, for
//! whoever missed ticks or has just come, the difference or the whole.

use std::collections::{HashMap, HashSet};

use bytes::Bytes;
use vocabulary::{DataOwner, Timestamp};

use super::board::{Lot, Spot, View};
use super::tile::Cell;
use super::{Fleet, NEVER, SHOWN_STATES, SOC_UNKNOWN, Shown, VehicleRecord};
use crate::push::frame::{self, BikeRecord, Cluster, Kind, Stamp, bit};

/// Buffers of one territory in one cell.
#[derive(Clone, Debug, Default)]
pub struct CellBuffers {
    /// Bikes that left the cell; to be sent before all `changed` ones of the tick, for a bike that changes cells is in
    /// both.
    pub left: Vec<Bytes>,
    /// Bikes that arrived or changed.
    pub changed: Vec<Bytes>,
}

/// What a tick changed.
#[derive(Debug, Default)]
pub struct TickBuffers {
    /// The tick.
    pub seq: u32,
    /// Server time, epoch ms.
    pub time_ms: i64,
    /// By cell and lot.
    pub cells: HashMap<Cell, Vec<(Lot, CellBuffers)>>,
    /// Lots in which something changed.
    pub lots: HashSet<Lot>,
    /// Bikes that changed.
    pub changed: Vec<u32>,
    /// When the oldest of the reports behind it reached the system.
    pub oldest: Option<Timestamp>,
}

/// Counts over a territory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// By state; the ninth is those that never had a position.
    pub states: [u32; SHOWN_STATES + 1],
    /// On the street.
    pub shelved: u32,
    /// Rentable.
    pub rentable: u32,
    /// Heard of within five minutes.
    pub online: u32,
    /// Low battery.
    pub low: u32,
    /// With an alarm.
    pub alarm: u32,
}

impl std::ops::AddAssign for Totals {
    fn add_assign(&mut self, other: Self) {
        for (sum, count) in self.states.iter_mut().zip(other.states) {
            *sum += count;
        }
        self.shelved += other.shelved;
        self.rentable += other.rentable;
        self.online += other.online;
        self.low += other.low;
        self.alarm += other.alarm;
    }
}

/// Totals by territory.
pub type LotTotals = Vec<(DataOwner, Totals)>;

impl Fleet {
    /// The last tick.
    pub const fn tick_seq(&self) -> u32 {
        self.board.tick()
    }

    /// Every territory met so far, by lot.
    pub fn owners(&self) -> &[DataOwner] {
        self.board.owners()
    }

    /// Publishes what changed since the last tick.
    pub fn tick(&mut self, now: Timestamp) -> TickBuffers {
        let mut board = std::mem::take(&mut self.board);
        let turn = board.turn(|board, slot| {
            let index = slot as usize;
            let record = &self.records[index];
            (record.outside() && self.fix_at[index] != NEVER)
                .then(|| Spot { lot: board.lot(record.owner()), cell: Cell::of(self.place[index]) })
        });
        self.board = board;
        let stamp = Stamp { seq: self.board.tick(), time_ms: now.millis() };
        let mut tick = TickBuffers {
            seq: stamp.seq,
            time_ms: stamp.time_ms,
            oldest: self.oldest_pending.take(),
            ..TickBuffers::default()
        };
        for (spot, slots) in &turn.left {
            let records: Vec<_> = slots.iter().map(|slot| self.bike(*slot).gone()).collect();
            entry(&mut tick, *spot).left = frame::bikes(Kind::Changes, stamp, &records);
        }
        for (spot, slots) in &turn.changed {
            let records: Vec<_> = slots.iter().map(|slot| self.bike(*slot)).collect();
            entry(&mut tick, *spot).changed = frame::bikes(Kind::Changes, stamp, &records);
            tick.changed.extend_from_slice(slots);
        }
        tick
    }

    /// Everything that `view` sees, as a snapshot.
    pub fn snapshot(&self, view: &View, now: Timestamp) -> Vec<Bytes> {
        let stamp = Stamp { seq: self.board.tick(), time_ms: now.millis() };
        let records: Vec<_> = self.board.seen(view).into_iter().map(|slot| self.bike(slot)).collect();
        let mut buffers = vec![frame::mark(Kind::SnapshotStart, stamp)];
        buffers.extend(frame::bikes(Kind::SnapshotBikes, stamp, &records));
        buffers.push(frame::mark(Kind::SnapshotEnd, stamp));
        buffers
    }

    /// What changed for `view` after tick `since`, who is gone first; nothing when that cannot be told.
    pub fn difference(&self, view: &View, since: u32, now: Timestamp) -> Option<Vec<Bytes>> {
        self.board.difference(view, since).map(|told| self.changes(told, now))
    }

    /// What a viewer has to hear who had `old` as of tick `since` and now looks at `new`; nothing when that cannot be
    /// told.
    pub fn moved(&self, old: &View, new: &View, since: u32, now: Timestamp) -> Option<Vec<Bytes>> {
        self.board.moved(old, new, since).map(|told| self.changes(told, now))
    }

    fn changes(&self, (changed, gone): (Vec<u32>, Vec<u32>), now: Timestamp) -> Vec<Bytes> {
        let stamp = Stamp { seq: self.board.tick(), time_ms: now.millis() };
        let mut records: Vec<_> = gone.into_iter().map(|slot| self.bike(slot).gone()).collect();
        records.extend(changed.into_iter().map(|slot| self.bike(slot)));
        frame::bikes(Kind::Changes, stamp, &records)
    }

    /// Counts at tile level `level` of each lot that `wanted` names, in the order of lots; a lot without bikes has none.
    pub fn clusters(&self, level: u8, wanted: &HashSet<Lot>) -> HashMap<Lot, Vec<Cluster>> {
        let mut counted: HashMap<Lot, HashMap<(u32, u32), Cluster>> =
            wanted.iter().map(|lot| (*lot, HashMap::new())).collect();
        for (cell, lot, slots) in self.board.all() {
            let Some(clusters) = counted.get_mut(&lot) else { continue };
            let (x, y) = cell.up_to(level);
            let cluster = clusters.entry((x, y)).or_insert(Cluster { x, y, ..Cluster::default() });
            cluster.total += slots.len() as u32;
            for slot in slots {
                let state = self.state[*slot as usize];
                cluster.alarm += u32::from(state & bit::ALARM != 0);
                cluster.by_state[usize::from(state & 0x07)] += 1;
            }
        }
        let in_order = |clusters: HashMap<(u32, u32), Cluster>| {
            let mut clusters: Vec<_> = clusters.into_values().collect();
            clusters.sort_unstable_by_key(|cluster| (cluster.y, cluster.x));
            clusters
        };
        counted.into_iter().map(|(lot, clusters)| (lot, in_order(clusters))).collect()
    }

    /// Counts over the whole fleet, by territory.
    pub fn totals(&self) -> LotTotals {
        let mut totals: HashMap<(Option<i64>, Option<i64>), (DataOwner, Totals)> = HashMap::new();
        for (index, record) in self.records.iter().enumerate().filter(|(_, record)| record.outside()) {
            let owner = record.owner();
            let key = (owner.agent.map(|agent| agent.0), owner.area.map(|area| area.0));
            let sum = &mut totals.entry(key).or_insert((owner, Totals::default())).1;
            self.count(index, sum);
        }
        totals.into_values().collect()
    }

    /// Counts over those bikes that are `seen`.
    pub fn totals_of(&self, seen: impl Fn(&VehicleRecord) -> bool) -> Totals {
        let mut sum = Totals::default();
        for (index, record) in self.records.iter().enumerate() {
            if record.outside() && seen(record) {
                self.count(index, &mut sum);
            }
        }
        sum
    }

    /// Adds one bike.
    pub(super) fn count(&self, index: usize, sum: &mut Totals) {
        let state = self.state[index];
        let shown = if self.fix_at[index] == NEVER { SHOWN_STATES } else { usize::from(state & 0x07) };
        sum.states[shown] += 1;
        sum.shelved += u32::from(self.records[index].on_the_street());
        sum.rentable += u32::from(usize::from(state & 0x0f) == Shown::Rentable as usize);
        sum.online += u32::from(self.online[index]);
        let low_percent = self.rules.of(self.records[index].area, &self.settings).low_percent;
        sum.low += u32::from(self.soc[index] != SOC_UNKNOWN && self.soc[index] < low_percent);
        sum.alarm += u32::from(state & bit::ALARM != 0);
    }

    /// A slot as a map draws it.
    pub(crate) fn bike(&self, slot: u32) -> BikeRecord {
        let index = slot as usize;
        let soc = self.soc[index];
        BikeRecord {
            slot,
            lat_e6: self.place[index].lat_e7 / 10,
            lng_e6: self.place[index].lng_e7 / 10,
            soc_percent: if soc == SOC_UNKNOWN { 0 } else { soc },
            state: self.state[index],
            speed_kmh: self.speed[index],
            heading_half: self.heading[index],
        }
    }
}

fn entry(tick: &mut TickBuffers, spot: Spot) -> &mut CellBuffers {
    tick.lots.insert(spot.lot);
    let lots = tick.cells.entry(spot.cell).or_default();
    let index = lots.iter().position(|(lot, _)| *lot == spot.lot).unwrap_or_else(|| {
        lots.push((spot.lot, CellBuffers::default()));
        lots.len() - 1
    });
    &mut lots[index].1
}
