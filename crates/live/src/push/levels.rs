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

/// The watched levels.
#[derive(Clone, Default)]
pub(super) struct Levels(Arc<Mutex<HashMap<u8, Level>>>);

/// Keeps a level watched.
pub(super) struct LevelWatch {
    levels: Levels,
    pub(super) level: u8,
}

impl Drop for LevelWatch {
    fn drop(&mut self) {
        let mut levels = self.levels.lock();
        if let Some(level) = levels.get_mut(&self.level) {
            level.watchers -= 1;
            if level.watchers == 0 {
                levels.remove(&self.level);
            }
        }
    }
}

impl Levels {
    fn lock(&self) -> MutexGuard<'_, HashMap<u8, Level>> {
        self.0.lock().expect("nothing panics while it counts")
    }

    /// Watches `level`; the first watcher pays for the first count.
    pub(super) fn watch(&self, level: u8, fleet: &Fleet, time_ms: i64) -> LevelWatch {
        let mut levels = self.lock();
        let entry = levels.entry(level).or_default();
        entry.watchers += 1;
        if entry.watchers == 1 {
            let all: HashSet<Lot> = (0..fleet.owners().len() as Lot).collect();
            count(entry, level, fleet, &all, Stamp { seq: fleet.tick_seq(), time_ms });
        }
        drop(levels);
        LevelWatch { levels: self.clone(), level }
    }

    /// Counts `lots` anew at every watched level.
    pub(super) fn tick(&self, fleet: &Fleet, lots: &HashSet<Lot>, time_ms: i64) {
        if lots.is_empty() {
            return;
        }
        for (level, entry) in self.lock().iter_mut() {
            count(entry, *level, fleet, lots, Stamp { seq: fleet.tick_seq(), time_ms });
        }
    }

    /// Buffers of `level` newer than tick `since` (nothing: all), of the lots that `allows` lets see.
    pub(super) fn newer(&self, level: u8, since: Option<u32>, allows: impl Fn(Lot) -> bool) -> Vec<Bytes> {
        let levels = self.lock();
        let Some(entry) = levels.get(&level) else { return Vec::new() };
        let newer = |seq: u32| since.is_none_or(|since| seq > since);
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
