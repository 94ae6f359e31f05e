//! Cluster counts of the levels that somebody watches: one buffer for each territory, made anew only when its counts
//! change. The newest buffer is all there is, so a slow viewer simply finds the newest.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard};

use bytes::Bytes;
use vocabulary::DataOwner;

use super::frame::{self, HEADER_BYTES, Stamp};
use crate::fleet::{Fleet, Lot};

#[derive(Default)]
struct Level {
    watchers: usize,
    lots: HashMap<Lot, (u32, Bytes)>,
}

#[derive(Default)]
struct Counted {
    /// The tick up to which all levels are counted; it comes a moment after the fleet's.
    until: u32,
    levels: HashMap<u8, Level>,
}

/// The watched levels.
#[derive(Clone, Default)]
pub(super) struct Levels(Arc<Mutex<Counted>>);

/// Keeps a level watched.
pub(super) struct LevelWatch {
    levels: Levels,
    pub(super) level: u8,
    /// Up to which tick its counts were handed out; nothing: none were.
    seen: Option<u32>,
}

impl Drop for LevelWatch {
    fn drop(&mut self) {
        let levels = &mut self.levels.lock().levels;
        if let Some(level) = levels.get_mut(&self.level) {
            level.watchers -= 1;
            if level.watchers == 0 {
                levels.remove(&self.level);
            }
        }
    }
}

impl Levels {
    fn lock(&self) -> MutexGuard<'_, Counted> {
        self.0.lock().expect("nothing panics while it counts")
    }

    /// Watches `level`; the first watcher pays for the first count.
    pub(super) fn watch(&self, level: u8, fleet: &Fleet, time_ms: i64) -> LevelWatch {
        let mut counted = self.lock();
        let entry = counted.levels.entry(level).or_default();
        entry.watchers += 1;
        if entry.watchers == 1 {
            let all: HashSet<Lot> = (0..fleet.owners().len() as Lot).collect();
            count(entry, level, fleet, &all, Stamp { seq: fleet.tick_seq(), time_ms });
        }
        drop(counted);
        LevelWatch { levels: self.clone(), level, seen: None }
    }

    /// Counts `lots` anew at every watched level.
    pub(super) fn tick(&self, fleet: &Fleet, lots: &HashSet<Lot>, time_ms: i64) {
        let stamp = Stamp { seq: fleet.tick_seq(), time_ms };
        let mut counted = self.lock();
        if !lots.is_empty() {
            for (level, entry) in &mut counted.levels {
                count(entry, *level, fleet, lots, stamp);
            }
        }
        counted.until = stamp.seq;
    }
}

impl LevelWatch {
    /// The counts of the level that were not handed out yet, of the lots that `allows` lets see.
    pub(super) fn newer(&mut self, allows: impl Fn(Lot) -> bool) -> Vec<Bytes> {
        let counted = self.levels.lock();
        let seen = self.seen.replace(counted.until);
        let Some(entry) = counted.levels.get(&self.level) else { return Vec::new() };
        let newer = |seq: u32| seen.is_none_or(|seen| seq > seen);
        entry
            .lots
            .iter()
            .filter(|(lot, (seq, _))| newer(*seq) && allows(**lot))
            .map(|(_, (_, buffer))| buffer.clone())
            .collect()
    }
}

fn count(entry: &mut Level, level: u8, fleet: &Fleet, lots: &HashSet<Lot>, stamp: Stamp) {
    for (lot, clusters) in fleet.clusters(level, lots) {
        let buffer = frame::clusters(stamp, area_id(fleet.owners()[lot as usize]), &clusters);
        let same = |old: &(u32, Bytes)| {
            old.1[2..4] == buffer[2..4] && old.1[HEADER_BYTES..] == buffer[HEADER_BYTES..]
        };
        if !entry.lots.get(&lot).is_some_and(same) {
            entry.lots.insert(lot, (stamp.seq, buffer));
        }
    }
}

/// A territory's number in the buffers. What lies in no area goes under its agent's number, negative, so that two
/// of those never replace each other.
fn area_id(owner: DataOwner) -> i64 {
    match (owner.area, owner.agent) {
        (Some(area), _) => area.0,
        (None, Some(agent)) => -agent.0,
        (None, None) => 0,
    }
}

#[cfg(test)]
mod tests {
    use vocabulary::Timestamp;

    use super::*;
    use crate::fleet::testing::Heard;

    const NOW: Timestamp = Timestamp::from_millis(1_700_000_000_000);

    #[test]
    fn who_comes_amid_a_beat_misses_none_of_its_counts() {
        let mut heard = Heard::of(4);
        heard.fleet.tick(NOW);
        let levels = Levels::default();
        let first = levels.watch(8, &heard.fleet, NOW.millis());
        levels.tick(&heard.fleet, &HashSet::from([0]), NOW.millis());
        heard.add(1);
        let beat = heard.fleet.tick(NOW);
        // The fleet has gone on to this beat, the counts have not.
        let mut second = levels.watch(8, &heard.fleet, NOW.millis());
        assert_eq!(second.newer(|_| true).len(), 1);
        levels.tick(&heard.fleet, &beat.lots, NOW.millis());
        assert_eq!(second.newer(|_| true).len(), 1, "the counts of this beat");
        assert_eq!(second.newer(|_| true).len(), 0);
        drop(first);
    }
}
