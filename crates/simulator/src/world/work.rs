//! Field workers: they swap low batteries and bring misplaced bikes back.

use rand::Rng;

use super::bike::Activity;
use super::{Action, Call, Outcome, TICK_MS, World};
use crate::city::graph::Spot;
use crate::geometry::{Xy, length_m, point_along};
use crate::report::Flags;

/// A battery below this is swapped.
pub const SWAP_BELOW_PERCENT: f64 = 25.0;
/// Workers look round this often.
const LOOK_ROUND_MS: i64 = 20_000;
/// One worker for so many bikes.
const BIKES_PER_WORKER: usize = 80;
/// A bike whose task the server refused is left alone this long.
const LEFT_ALONE_MS: i64 = 600_000;
const VAN_KMH: f64 = 24.0;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Asking(&'static str),
    /// The bay is open, the old battery out.
    Swapping {
        until_ms: i64,
    },
    /// On the van's bed.
    Driving,
}

/// One task on one bike.
#[derive(Clone, Debug)]
pub(super) struct Job {
    worker: u64,
    kind: &'static str,
    stage: Stage,
    line: Vec<Xy>,
    length_m: f64,
    done_m: f64,
    to: Option<Spot>,
}

impl World {
    /// Free workers take what is most pressing: the emptiest batteries, then misplaced bikes and those whose helmet is wrong.
    pub(super) fn workers_set_out(&mut self, out: &mut Vec<Action>) {
        if self.now_ms % LOOK_ROUND_MS >= TICK_MS {
            return;
        }
        let workers = self.bikes.len() / BIKES_PER_WORKER + 1;
        let free = workers.saturating_sub(self.workers_busy);
        let now_ms = self.now_ms;
        let mut waiting: Vec<(u32, u32)> = self
            .bikes
            .iter()
            .enumerate()
            .filter(|(_, b)| {
                matches!(b.activity, Activity::Idle)
                    && now_ms >= b.left_alone_until_ms
                    && b.device.awake(now_ms)
            })
            .filter_map(|(i, b)| {
                let empty = b.soc_percent < SWAP_BELOW_PERCENT || !b.device.flags.has(Flags::BATTERY_PRESENT);
                let urgency = if empty { b.soc_percent as u32 } else { 100 };
                let helmet = b.device.flags.0 & (Flags::HELMET_MISSING | Flags::HELMET_FAULT) != 0;
                (empty || b.misplaced || helmet).then_some((urgency, i as u32))
            })
            .collect();
        waiting.sort_unstable();
        for (urgency, bike) in waiting.into_iter().take(free.min(4)) {
            let kind = if urgency < 100 { "swap" } else { "move" };
            let worker = 8_000_000_000 + self.city.seed % 1_000 * 1_000 + u64::from(bike) % workers as u64;
            let job = Job {
                worker,
                kind,
                stage: Stage::Asking("start"),
                line: Vec::new(),
                length_m: 0.0,
                done_m: 0.0,
                to: None,
            };
            self.becomes_busy(bike, Activity::Job(Box::new(job)));
            self.workers_busy += 1;
            self.call(bike, Call::Work { action: "start", kind, worker }, out);
        }
    }

    fn job(&mut self, bike: u32) -> Option<&mut Job> {
        match &mut self.bikes[bike as usize].activity {
            Activity::Job(job) => Some(job),
            _ => None,
        }
    }

    pub(super) fn job_tick(&mut self, bike: u32, out: &mut Vec<Action>) {
        let now_ms = self.now_ms;
        let fresh = self.rng.gen_range(93.0..100.0);
        let b = &mut self.bikes[bike as usize];
        let Activity::Job(job) = &mut b.activity else { return };
        match job.stage {
            Stage::Swapping { until_ms } if now_ms >= until_ms => {
                b.soc_percent = fresh;
                b.device.flags.set(Flags::BATTERY_PRESENT | Flags::BATTERY_BAY_LOCKED, true);
                b.device.new_helmet();
                self.tally.swaps += 1;
                self.report(bike, out);
                self.ask_finish(bike, out);
            }
            Stage::Driving => {
                let step_m = VAN_KMH / 3.6 * TICK_MS as f64 / 1000.0;
                job.done_m = (job.done_m + step_m).min(job.length_m);
                let arrived = job.done_m >= job.length_m;
                (b.at, b.heading_deg) = point_along(&job.line, job.done_m);
                b.speed_kmh = if arrived { 0.0 } else { VAN_KMH };
                if arrived {
                    b.device.flags.set(Flags::MOVING | Flags::VIBRATION, false);
                    if let Some(to) = job.to {
                        b.spot = to;
                    }
                    b.misplaced = false;
                    b.device.new_helmet();
                    self.tally.moves += 1;
                    self.report(bike, out);
                    self.ask_finish(bike, out);
                }
            }
            Stage::Asking(_) | Stage::Swapping { .. } => {}
        }
    }

    fn ask_finish(&mut self, bike: u32, out: &mut Vec<Action>) {
        let Some(job) = self.job(bike) else { return };
        job.stage = Stage::Asking("finish");
        let (kind, worker) = (job.kind, job.worker);
        self.call(bike, Call::Work { action: "finish", kind, worker }, out);
    }

    pub(super) fn job_answered(&mut self, bike: u32, outcome: &Outcome, out: &mut Vec<Action>) {
        let now_ms = self.now_ms;
        let swap_ms = self.rng.gen_range(45_000..150_000);
        let Some(job) = self.job(bike) else { return };
        let Stage::Asking(asked) = job.stage else { return };
        let kind = job.kind;
        let done = *outcome == Outcome::Done;
        match (asked, kind) {
            ("start", "swap") if done => {
                job.stage = Stage::Swapping { until_ms: now_ms + swap_ms };
                self.bikes[bike as usize]
                    .device
                    .flags
                    .set(Flags::BATTERY_PRESENT | Flags::BATTERY_BAY_LOCKED, false);
                self.report(bike, out);
            }
            ("start", _) if done => self.load_on_van(bike, out),
            _ => {
                self.workers_busy = self.workers_busy.saturating_sub(1);
                if !done {
                    self.tally.other_refusals += 1;
                    self.bikes[bike as usize].left_alone_until_ms = now_ms + LEFT_ALONE_MS;
                }
                self.becomes_idle(bike);
            }
        }
    }

    /// To a parking place of the bike's own area.
    fn load_on_van(&mut self, bike: u32, out: &mut Vec<Action>) {
        let (from, area) = (self.bikes[bike as usize].spot, self.bikes[bike as usize].area);
        let nearest = self
            .city
            .parkings
            .iter()
            .filter(|p| p.area == area)
            .map(|p| p.spot)
            .min_by(|a, b| a.at.distance_m(from.at).total_cmp(&b.at.distance_m(from.at)));
        let line = nearest.and_then(|to| self.city.graph.ride(&from, &to)).unwrap_or_else(|| vec![from.at]);
        if let Some(job) = self.job(bike) {
            (job.length_m, job.line, job.done_m, job.to) = (length_m(&line), line, 0.0, nearest);
            job.stage = Stage::Driving;
        }
        self.bikes[bike as usize].device.flags.set(Flags::MOVING | Flags::VIBRATION, true);
        self.report(bike, out);
    }
}
