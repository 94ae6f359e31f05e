//! What walls say of the fleet: bikes added up over whatever somebody sees.

use std::collections::HashMap;

use vocabulary::{DataOwner, Timestamp};

use super::{Fleet, NEVER, SOC_UNKNOWN, Shown, Totals};

/// Bands of charge: 0-19, 20-39, 40-59, 60-79, 80-100 percent.
pub const CHARGE_BANDS: usize = 5;
const BAND_PERCENT: u8 = 20;

/// Bands of standing: up to 1 hour, 1-3, 3-6, 6-12, 12-24, 24-48, more.
pub const IDLE_BANDS: usize = 7;
const IDLE_HOURS: [i64; IDLE_BANDS - 1] = [1, 3, 6, 12, 24, 48];
const HOUR_MS: i64 = 3_600_000;

/// Bikes added up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sums {
    /// As maps count them.
    pub totals: Totals,
    /// Those on the street by their charge.
    pub charge: [u32; CHARGE_BANDS],
    /// Those on the street that never said it.
    pub charge_unknown: u32,
}

/// Bikes on the street that nobody rides, by how long they stand.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Idle {
    /// See [`IDLE_BANDS`].
    pub bands: [u32; IDLE_BANDS],
    /// Nobody saw when they stopped.
    pub unknown: u32,
}

fn charge_band(soc_percent: u8) -> usize {
    usize::from(soc_percent / BAND_PERCENT).min(CHARGE_BANDS - 1)
}

fn idle_band(stood_ms: i64) -> usize {
    IDLE_HOURS.iter().take_while(|hours| stood_ms >= **hours * HOUR_MS).count()
}

impl Fleet {
    /// Adds up the bikes whose owner is `within`.
    pub fn sums(&self, within: impl Fn(DataOwner) -> bool) -> Sums {
        let mut sums = Sums::default();
        for (index, record) in self.records.iter().enumerate() {
            if !record.outside() || !within(record.owner()) {
                continue;
            }
            self.count(index, &mut sums.totals);
            if record.on_the_street() {
                match self.soc[index] {
                    SOC_UNKNOWN => sums.charge_unknown += 1,
                    soc => sums.charge[charge_band(soc)] += 1,
                }
            }
        }
        sums
    }

    /// How long the bikes stand whose owner is `within`; `since` tells of each when it stopped.
    pub fn idle(
        &self,
        within: impl Fn(DataOwner) -> bool,
        since: &HashMap<String, Timestamp>,
        now: Timestamp,
    ) -> Idle {
        let mut idle = Idle::default();
        let ridden = |index: usize| {
            let state = self.state[index] & 0x0f;
            state == Shown::Riding as u8 || state == Shown::Held as u8
        };
        for (index, record) in self.records.iter().enumerate() {
            if !record.on_the_street() || ridden(index) || !within(record.owner()) {
                continue;
            }
            match since.get(&record.car_id) {
                Some(stopped) => idle.bands[idle_band(now.millis_since(*stopped))] += 1,
                None => idle.unknown += 1,
            }
        }
        idle
    }

    /// When any bike was heard of last.
    pub fn heard_last(&self) -> Option<Timestamp> {
        let newest = self.heard_at.iter().copied().max()?;
        (newest != NEVER).then(|| Timestamp::from_millis(newest))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn charge_and_standing_fall_into_bands_at_their_edges() {
        assert_eq!([0, 19, 20, 79, 80, 100].map(charge_band), [0, 0, 1, 3, 4, 4]);
        let hours = |hours: f64| idle_band((hours * HOUR_MS as f64) as i64);
        let found = [-1.0, 0.9, 1.0, 2.9, 3.0, 6.0, 12.0, 24.0, 47.9, 48.0, 900.0].map(hours);
        assert_eq!(found, [0, 0, 1, 1, 2, 3, 4, 5, 5, 6, 6]);
    }
}
