//! What goes wrong: bikes pushed away without a ride, batteries stolen, devices fallen silent, fixes that jump, riders who lock
//! the bike and forget to return it, or take one and do not set off, helmets that are lost or broken, locks that are forced.

use rand::Rng;

use super::bike::Activity;
use super::{TICK_MS, World};
use crate::city::graph::Spot;
use crate::city::zones::spot_beside;
use crate::fences::Fault;
use crate::geometry::{Xy, length_m, point_along};
use crate::identity::{Identity, stable_hash};
use crate::report::Flags;

/// Times a day and bike.
const THEFTS_PER_DAY: f64 = 0.02;
const BATTERIES_PER_DAY: f64 = 0.015;
const SILENCES_PER_DAY: f64 = 0.03;
const JUMPS_PER_DAY: f64 = 0.05;
const HELMETS_LOST_PER_DAY: f64 = 0.02;
const HELMETS_BROKEN_PER_DAY: f64 = 0.01;
const FORCED_PER_DAY: f64 = 0.015;
/// A lock that was forced is closed by somebody after so long.
const FORCED_MS: std::ops::Range<i64> = 240_000..600_000;
/// Of so many unlocked bikes one is not ridden, for so long; of these one in ten for most of a day.
const DAWDLES: f64 = 0.004;
const DAWDLES_MS: std::ops::Range<i64> = 660_000..960_000;
const DAWDLES_LONG_MS: i64 = 7 * 3_600_000;
/// One bike in so many is in such a state that whoever unlocks it gives it back at once.
const UNBEARABLE: u64 = 150;
const GIVEN_BACK_MS: std::ops::Range<i64> = 40_000..90_000;
/// Of so many rides one; and of as many as go wrong at most.
const FORGOTTEN: f64 = 0.01;
const FORGOTTEN_MAX: f64 = 0.2;
const PUSHED_KMH: f64 = 5.0;
/// One controller in so many does not hear the first message about fences, one in so many has no room at first.
const HARD_OF_HEARING: u64 = 40;
const WITHOUT_ROOM: u64 = 500;

/// A locked bike being pushed or carried away.
#[derive(Clone, Debug)]
pub(super) struct Drift {
    line: Vec<Xy>,
    length_m: f64,
    done_m: f64,
    to: Spot,
}

/// What ails the controller of a bike, the same for the same bike; nothing where nothing goes wrong.
pub(super) fn fault(identity: &Identity, trouble: f64) -> Fault {
    let lot = stable_hash(&identity.imei);
    if trouble <= 0.0 {
        Fault::None
    } else if lot.is_multiple_of(WITHOUT_ROOM) {
        Fault::Refuses
    } else if lot.is_multiple_of(HARD_OF_HEARING) {
        Fault::HardOfHearing
    } else {
        Fault::None
    }
}

impl World {
    pub(super) fn trouble_happens(&mut self) {
        let share = self.habits.trouble * TICK_MS as f64 / 86_400_000.0 * self.bikes.len() as f64;
        for (kind, per_day) in [
            THEFTS_PER_DAY,
            BATTERIES_PER_DAY,
            SILENCES_PER_DAY,
            JUMPS_PER_DAY,
            HELMETS_LOST_PER_DAY,
            HELMETS_BROKEN_PER_DAY,
            FORCED_PER_DAY,
        ]
        .into_iter()
        .enumerate()
        {
            if !self.rng.gen_bool((per_day * share).clamp(0.0, 1.0)) {
                continue;
            }
            let i = self.rng.gen_range(0..self.bikes.len()) as u32;
            if !matches!(self.bikes[i as usize].activity, Activity::Idle)
                || !self.bikes[i as usize].device.awake(self.now_ms)
            {
                continue;
            }
            match kind {
                0 => self.pushed_away(i),
                1 => {
                    self.bikes[i as usize]
                        .device
                        .flags
                        .set(Flags::BATTERY_PRESENT | Flags::BATTERY_BAY_LOCKED, false);
                    self.tally.batteries_taken += 1;
                }
                2 => {
                    let silence_ms = self.rng.gen_range(15 * 60_000..180 * 60_000);
                    self.bikes[i as usize].device.silent_until_ms = self.now_ms + silence_ms;
                    self.tally.silences += 1;
                }
                3 => {
                    self.bikes[i as usize].jump_next = true;
                    self.tally.gps_jumps += 1;
                }
                4 => {
                    let flags = &mut self.bikes[i as usize].device.flags;
                    flags.set(Flags::HELMET_MISSING, true);
                    flags.set(Flags::HELMET_LOCKED, false);
                    self.tally.helmets_lost += 1;
                }
                5 => {
                    self.bikes[i as usize].device.flags.set(Flags::HELMET_FAULT, true);
                    self.tally.helmets_broken += 1;
                }
                _ => {
                    let forced_ms = self.rng.gen_range(FORCED_MS);
                    let b = &mut self.bikes[i as usize];
                    b.device.lock(false);
                    b.forced_until_ms = Some(self.now_ms + forced_ms);
                    self.tally.locks_forced += 1;
                }
            }
        }
    }

    /// Somebody closes a lock that was forced.
    pub(super) fn forced_tick(&mut self, i: u32) {
        let b = &mut self.bikes[i as usize];
        if b.forced_until_ms.is_some_and(|until_ms| self.now_ms >= until_ms) {
            b.forced_until_ms = None;
            b.device.lock(true);
        }
    }

    /// How long a rider who has unlocked a bike stays where it is; nothing: he sets off.
    pub(super) fn dawdles_for_ms(&mut self, bike: u32) -> Option<i64> {
        if self.habits.trouble <= 0.0 {
            return None;
        }
        if stable_hash(&self.bikes[bike as usize].identity.car_id).is_multiple_of(UNBEARABLE) {
            self.tally.given_back += 1;
            return Some(self.rng.gen_range(GIVEN_BACK_MS));
        }
        let share = (DAWDLES * self.habits.trouble).min(FORGOTTEN_MAX);
        if !self.rng.gen_bool(share) {
            return None;
        }
        self.tally.not_ridden += 1;
        let is_long = self.rng.gen_bool(0.1);
        Some(if is_long { DAWDLES_LONG_MS } else { self.rng.gen_range(DAWDLES_MS) })
    }

    fn pushed_away(&mut self, i: u32) {
        // Nobody pushes a bike through the whole city: somewhere near, if a few looks find such a place.
        let at = self.bikes[i as usize].at;
        let near =
            (0..200).map(|_| self.rng.gen_range(0..self.city.graph.edges.len()) as u32).find_map(|edge| {
                let spot = spot_beside(&self.city.graph, edge, 0.5, 3.0);
                (250.0..1_000.0).contains(&spot.at.distance_m(at)).then_some(spot)
            });
        let Some(to) = near else { return };
        let Some(line) = self.city.graph.ride(&self.bikes[i as usize].spot, &to) else { return };
        let whole_m = length_m(&line);
        self.tally.thefts += 1;
        self.becomes_busy(i, Activity::Drift(Box::new(Drift { length_m: whole_m, line, done_m: 0.0, to })));
        self.bikes[i as usize].device.flags.set(Flags::MOVING | Flags::VIBRATION, true);
    }

    /// Whether a rider who has locked his bike walks off without returning it.
    pub(super) fn forgets_to_return(&mut self) -> bool {
        let share = (FORGOTTEN * self.habits.trouble).min(FORGOTTEN_MAX);
        share > 0.0 && self.rng.gen_bool(share)
    }

    pub(super) fn drift_tick(&mut self, i: u32) {
        let b = &mut self.bikes[i as usize];
        let Activity::Drift(drift) = &mut b.activity else { return };
        drift.done_m = (drift.done_m + PUSHED_KMH / 3.6 * TICK_MS as f64 / 1000.0).min(drift.length_m);
        (b.at, b.heading_deg) = point_along(&drift.line, drift.done_m);
        b.speed_kmh = PUSHED_KMH;
        if drift.done_m >= drift.length_m {
            b.spot = drift.to;
            b.misplaced = true;
            b.device.flags.set(Flags::VIBRATION, false);
            self.becomes_idle(i);
        }
    }
}
