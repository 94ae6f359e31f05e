//! The city in motion: bikes, riders, workers, thieves. No clock and no network in here: time comes in with
//! [`World::step`], the server's answers with [`World::answered`], its commands with [`World::command`]; what is to
//! be sent comes out as [`Action`]s. The same seed and the same inputs give the same actions.

mod bike;
pub mod demand;
mod look;
mod ride;
mod trouble;
mod wish;
mod work;

use std::collections::{HashMap, HashSet};

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde::Serialize;
use serde_json::Value;

use crate::city::City;
use crate::city::graph::Spot;
use crate::device::Command;
use crate::firmware::Firmware;
use crate::geometry::Xy;
use crate::identity::{Register, stable_hash};
use crate::report::Report;
use bike::Activity;
pub use bike::Bike;
use demand::WrongPlaces;
pub use look::Look;
pub use wish::Wish;
use wish::Wished;

/// A city that opens is heard of within this time, and does not wait for its heartbeats.
const FIRST_REPORTS_MS: i64 = 8_000;

/// So many people for each bike ride now and then.
const RIDERS_PER_BIKE: u64 = 3;

/// Length of a tick of simulated time.
pub const TICK_MS: i64 = 1_000;
/// After a longer pause the world jumps instead of living through it.
const LONGEST_CATCH_UP_MS: i64 = 600_000;
/// Commands waiting for their answer's delay; more are not heard.
const WAITING_ANSWERS: usize = 4_096;

/// What to ask the server on behalf of a person.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Call {
    /// `reserve`, `unlock`, `pause`, `resume` or `return`, by a rider.
    Ride { action: &'static str, rider: u64 },
    /// `start` or `finish` of `swap` or `move`, by a worker.
    Work { action: &'static str, kind: &'static str, worker: u64 },
}

/// What came of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The server did it.
    Done,
    /// The server refused, in its words.
    Refused(String),
    /// No answer.
    Failed,
}

/// Something to send.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// A report of a bike.
    Report { bike: u32, report: Report },
    /// An acknowledgement of a command.
    Ack { bike: u32, id: String, code: i32, at_ms: i64 },
    /// What a bike's device says it is.
    About { bike: u32, about: Value },
    /// A call of the open API; exactly one [`World::answered`] with this `id` must follow.
    Call { id: u64, bike: u32, call: Call },
    /// A rider asks for a parking place.
    Wish(Wish),
    /// A rider looks for a bike in vain.
    Look(Look),
}

/// How the world behaves.
#[derive(Clone, Debug)]
pub struct Habits {
    /// Every bike reports at this interval of simulated time, instead of its own sparse habit.
    pub report_every_ms: Option<i64>,
    /// Rides a bike makes on a mean day.
    pub rides_per_bike_day: f64,
    /// Multiplies how often things go wrong; 1 is a lively but believable city.
    pub trouble: f64,
    /// The hour of the city's day at the start, 0 to 24; nothing: the hour that it is.
    pub wakes_at: Option<f64>,
}

impl Default for Habits {
    fn default() -> Self {
        Self { report_every_ms: None, rides_per_bike_day: 5.0, trouble: 1.0, wakes_at: None }
    }
}

/// What happened so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Tally {
    pub riders: u64,
    pub found_no_bike: u64,
    pub looks: u64,
    pub scans_in_vain: u64,
    pub unlocked: u64,
    pub unlock_refused: u64,
    pub rides_ended: u64,
    pub returns_refused: u64,
    pub returns_given_up: u64,
    pub other_refusals: u64,
    pub calls_failed: u64,
    pub swaps: u64,
    pub moves: u64,
    pub left_outside_area: u64,
    pub left_in_no_stop: u64,
    pub left_roadside: u64,
    pub wishes: u64,
    pub thefts: u64,
    pub batteries_taken: u64,
    pub silences: u64,
    pub gps_jumps: u64,
    pub helmets_lost: u64,
    pub helmets_broken: u64,
    pub locks_forced: u64,
    /// Bikes that were unlocked and not ridden.
    pub not_ridden: u64,
    /// Bikes in such a state that they were given back at once.
    pub given_back: u64,
    /// Rides that were locked and never returned.
    pub forgotten: u64,
    pub commands_answered: u64,
    pub commands_unheard: u64,
}

struct WaitingAnswer {
    due_ms: i64,
    bike: u32,
    command: Command,
}

/// The city in motion.
pub struct World {
    /// Where it all happens.
    pub city: City,
    /// The bikes; their index is their number in actions.
    pub bikes: Vec<Bike>,
    /// What happened so far.
    pub tally: Tally,
    habits: Habits,
    rng: ChaCha8Rng,
    now_ms: i64,
    /// How far the city's day is ahead of the clock.
    ahead_ms: i64,
    wrong_places: WrongPlaces,
    idle: IdleIndex,
    next_call: u64,
    next_person: u64,
    until_next_rider: f64,
    workers_busy: usize,
    answers: Vec<WaitingAnswer>,
    wished: Wished,
}

/// Idle bikes by place.
#[derive(Default)]
struct IdleIndex {
    cells: HashMap<(i64, i64), Vec<u32>>,
}

impl IdleIndex {
    const CELL_M: f64 = 300.0;

    fn cell(at: Xy) -> (i64, i64) {
        ((at.x / Self::CELL_M).floor() as i64, (at.y / Self::CELL_M).floor() as i64)
    }

    fn insert(&mut self, bike: u32, at: Xy) {
        self.cells.entry(Self::cell(at)).or_default().push(bike);
    }

    fn remove(&mut self, bike: u32, at: Xy) {
        if let Some(cell) = self.cells.get_mut(&Self::cell(at))
            && let Some(i) = cell.iter().position(|b| *b == bike)
        {
            cell.swap_remove(i);
        }
    }

    fn near(&self, at: Xy) -> impl Iterator<Item = u32> + '_ {
        let (cx, cy) = Self::cell(at);
        (cx - 1..=cx + 1)
            .flat_map(move |x| (cy - 1..=cy + 1).map(move |y| (x, y)))
            .filter_map(|cell| self.cells.get(&cell))
            .flatten()
            .copied()
    }
}

impl World {
    /// A city with `bikes` bikes standing at its parking places at `start_ms`.
    pub fn new(seed: u64, bikes: u32, start_ms: i64, habits: Habits) -> Self {
        let city = City::new(seed);
        let mut rng = ChaCha8Rng::seed_from_u64(seed ^ 0x0b1c_e5ed);
        let mut register = Register::default();
        let mut idle = IdleIndex::default();
        let interval = habits.report_every_ms.unwrap_or(bike::HEARTBEAT_MS).max(1);
        let bikes: Vec<Bike> = (0..bikes)
            .map(|i| {
                let identity = register.identity("W", &format!("demo-{seed}-{i}"));
                let parking = rng.gen_range(0..city.parkings.len());
                let meant = city.parkings[parking].spot;
                let bearing = crate::geometry::point_along(
                    &city.graph.edges[meant.edge as usize].points,
                    meant.along_m,
                )
                .1
                .to_radians();
                let shift = rng.gen_range(-4.0..4.0);
                let at = meant.at.moved(bearing.sin() * shift, bearing.cos() * shift);
                let spot = Spot { at, along_m: meant.along_m + shift, ..meant };
                idle.insert(i, at);
                let soc = rng.gen_range(18.0..100.0);
                let first_report_ms = start_ms + rng.gen_range(0..interval.min(FIRST_REPORTS_MS));
                let fault = trouble::fault(&identity, habits.trouble);
                let mut bike = Bike::new(identity, city.parkings[parking].area, spot, soc, first_report_ms);
                bike.device.fences.fault = fault;
                bike.device.firmware = Firmware::of(&bike.identity.imei, habits.trouble);
                bike
            })
            .collect();
        let wrong_places = WrongPlaces::of(&city);
        let ahead_ms = habits.wakes_at.map_or(0, |hour| demand::ahead_ms(start_ms, hour));
        Self {
            city,
            bikes,
            tally: Tally::default(),
            habits,
            rng,
            now_ms: start_ms,
            ahead_ms,
            wrong_places,
            idle,
            next_call: 0,
            next_person: 0,
            until_next_rider: 0.0,
            workers_busy: 0,
            answers: Vec::new(),
            wished: Wished::default(),
        }
    }

    /// Simulated now, epoch milliseconds.
    pub const fn now_ms(&self) -> i64 {
        self.now_ms
    }

    /// The time of the city's own day, which decides how many ride and where to.
    pub const fn day_ms(&self) -> i64 {
        self.now_ms + self.ahead_ms
    }

    /// Lives through the time up to `now_ms`, in whole ticks, and says what is to be sent, in time order.
    pub fn step(&mut self, now_ms: i64) -> Vec<Action> {
        let mut out = Vec::new();
        if now_ms - self.now_ms > LONGEST_CATCH_UP_MS {
            self.now_ms = now_ms - LONGEST_CATCH_UP_MS;
        }
        while self.now_ms + TICK_MS <= now_ms {
            self.now_ms += TICK_MS;
            self.tick(&mut out);
        }
        out
    }

    fn tick(&mut self, out: &mut Vec<Action>) {
        self.give_answers(out);
        self.riders_arrive(out);
        self.workers_set_out(out);
        self.trouble_happens();
        self.neighbours_wish(out);
        for i in 0..self.bikes.len() as u32 {
            match self.bikes[i as usize].activity {
                Activity::Idle => self.forced_tick(i),
                Activity::Trip(_) => self.trip_tick(i, out),
                Activity::Job(_) => self.job_tick(i, out),
                Activity::Drift(_) => self.drift_tick(i),
            }
            if let Some(about) = self.bikes[i as usize].device.introduction(self.now_ms) {
                out.push(Action::About { bike: i, about });
            }
            self.report_when_due(i, out);
        }
    }

    /// The line of a bike's device stands anew.
    pub fn connected(&mut self, bike: u32) {
        if let Some(bike) = self.bikes.get_mut(bike as usize) {
            bike.device.connected();
        }
    }

    /// A command came down for a bike; it is answered after a short delay, at a later tick.
    pub fn command(&mut self, bike: u32, command: Command) {
        if self.answers.len() >= WAITING_ANSWERS || bike as usize >= self.bikes.len() {
            self.tally.commands_unheard += 1;
            return;
        }
        let due_ms = self.now_ms + 300 + (crate::identity::stable_hash(&command.id) % 1_200) as i64;
        self.answers.push(WaitingAnswer { due_ms, bike, command });
    }

    fn give_answers(&mut self, out: &mut Vec<Action>) {
        let now_ms = self.now_ms;
        let (due, waiting): (Vec<_>, Vec<_>) =
            std::mem::take(&mut self.answers).into_iter().partition(|a| a.due_ms <= now_ms);
        self.answers = waiting;
        for WaitingAnswer { bike, command, .. } in due {
            let in_use = self.bikes[bike as usize].in_use();
            let Some(answer) = self.bikes[bike as usize].device.answer(now_ms, &command, in_use) else {
                self.tally.commands_unheard += 1;
                continue;
            };
            self.tally.commands_answered += 1;
            out.push(Action::Ack { bike, id: command.id, code: answer.code, at_ms: now_ms });
            if answer.report {
                self.report(bike, out);
            }
        }
    }

    /// The server's answer to an [`Action::Call`].
    pub fn answered(&mut self, id: u64, outcome: &Outcome) -> Vec<Action> {
        let mut out = Vec::new();
        let bike = (id % self.bikes.len().max(1) as u64) as u32;
        let Some(b) = self.bikes.get_mut(bike as usize) else { return out };
        if b.pending != Some(id) {
            return out;
        }
        b.pending = None;
        if *outcome == Outcome::Failed {
            self.tally.calls_failed += 1;
        }
        match b.activity {
            Activity::Trip(_) => self.trip_answered(bike, outcome, &mut out),
            Activity::Job(_) => self.job_answered(bike, outcome, &mut out),
            Activity::Idle | Activity::Drift(_) => {}
        }
        out
    }

    fn call(&mut self, bike: u32, call: Call, out: &mut Vec<Action>) {
        let id = self.next_call * self.bikes.len() as u64 + u64::from(bike);
        self.next_call += 1;
        self.bikes[bike as usize].pending = Some(id);
        out.push(Action::Call { id, bike, call });
    }

    /// A number for a person, the same for the same seed; as the server's ids, a positive i64.
    fn person(&mut self) -> u64 {
        self.next_person += 1;
        9_000_000_000 + self.city.seed % 1_000 * 1_000_000 + self.next_person % 1_000_000
    }

    /// A rider who rides nothing now, the same for the same seed: some people for each bike, who come back.
    fn somebody(&mut self) -> u64 {
        let population = self.bikes.len() as u64 * RIDERS_PER_BIKE + 100;
        let (wish, seed) = (self.person(), self.city.seed);
        let first = stable_hash(&format!("rider {seed} {wish}")) % population;
        let number = |n: u64| 9_000_000_000 + seed % 1_000 * 1_000_000 + 500_000 + n % population;
        let busy: HashSet<u64> = self.bikes.iter().filter_map(Bike::on_the_way).collect();
        let mut people = (first..first + population).map(number);
        people.find(|rider| !busy.contains(rider)).expect("there are more people than bikes")
    }

    fn becomes_idle(&mut self, bike: u32) {
        let b = &mut self.bikes[bike as usize];
        b.activity = Activity::Idle;
        b.device.flags.set(crate::report::Flags::MOVING, false);
        b.speed_kmh = 0.0;
        self.idle.insert(bike, b.at);
    }

    fn becomes_busy(&mut self, bike: u32, activity: Activity) {
        let b = &mut self.bikes[bike as usize];
        self.idle.remove(bike, b.at);
        b.activity = activity;
    }
}
