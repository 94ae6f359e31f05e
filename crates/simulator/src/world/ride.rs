//! Riders: they find a bike, unlock it through the open API, ride, pause, and return it somewhere.

use rand::Rng;

use super::bike::Activity;
use super::demand::{self, Ending};
use super::{Action, Call, Outcome, TICK_MS, World};
use crate::city::graph::Spot;
use crate::geometry::{Xy, length_m, point_along};
use crate::report::Flags;

/// Farther than this nobody walks for a bike.
const WALK_M: f64 = 450.0;
/// A return refused this often is given up.
const RETURN_TRIES: u32 = 3;
/// A bike whose unlock was refused is left alone this long.
const LEFT_ALONE_MS: i64 = 900_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// The server was asked; nothing happens until it answers.
    Asking(&'static str),
    /// Reserved, the rider is on the way.
    Walking {
        until_ms: i64,
    },
    Riding,
    /// Unlocked, and the rider does not set off.
    Dawdling {
        until_ms: i64,
    },
    /// Locked in the middle of a ride, the rider is in a shop.
    Resting {
        until_ms: i64,
    },
    /// A refused return is tried again at this instant.
    TryingAgain {
        at_ms: i64,
    },
}

/// A ride from wish to end.
#[derive(Clone, Debug)]
pub(super) struct Trip {
    rider: u64,
    line: Vec<Xy>,
    length_m: f64,
    done_m: f64,
    cruise_kmh: f64,
    pause_at_m: Option<f64>,
    end: Spot,
    ending: Ending,
    return_tries: u32,
    stage: Stage,
}

impl Trip {
    pub(super) fn riding(&self) -> bool {
        matches!(self.stage, Stage::Riding)
    }

    /// Whoever it is for, from the wish to the end.
    pub(super) const fn rider(&self) -> u64 {
        self.rider
    }

    pub(super) fn rider_in_possession(&self) -> Option<u64> {
        match self.stage {
            Stage::Asking("reserve" | "unlock") | Stage::Walking { .. } => None,
            _ => Some(self.rider),
        }
    }
}

impl World {
    /// Riders appear by the hour's demand and take the nearest bike that looks rentable.
    pub(super) fn riders_arrive(&mut self, out: &mut Vec<Action>) {
        let per_tick =
            self.bikes.len() as f64 * self.habits.rides_per_bike_day / 86_400.0 * TICK_MS as f64 / 1000.0;
        self.until_next_rider -= per_tick * demand::rate_now(self.day_ms());
        while self.until_next_rider < 0.0 {
            self.until_next_rider += -f64::ln(1.0 - self.rng.gen_range(0.0..1.0));
            self.tally.riders += 1;
            self.rider_appears(out);
        }
    }

    fn rider_appears(&mut self, out: &mut Vec<Action>) {
        let day_ms = self.day_ms();
        let origin = demand::origin(&mut self.rng, &self.city, day_ms);
        let at = self.city.parkings[origin]
            .spot
            .at
            .moved(self.rng.gen_range(-150.0..150.0), self.rng.gen_range(-150.0..150.0));
        let area = self.city.parkings[origin].area;
        self.scans_in_vain(at, area, out);
        let now_ms = self.now_ms;
        let nearest = self
            .idle
            .near(at)
            .filter(|b| self.bikes[*b as usize].looks_rentable(now_ms))
            .map(|b| (self.bikes[b as usize].at.distance_m(at), b))
            .filter(|(away, _)| *away < WALK_M)
            .min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let Some((walk_m, bike)) = nearest else {
            self.tally.found_no_bike += 1;
            self.looks_around(at, area, out);
            return;
        };
        let parking = demand::destination(&mut self.rng, &self.city, at, day_ms);
        let (end, ending) = self.wrong_places.ending(&mut self.rng, &self.city, parking);
        let Some(line) = self.city.graph.ride(&self.bikes[bike as usize].spot, &end) else { return };
        let length_m = length_m(&line);
        let trip = Trip {
            rider: self.somebody(),
            length_m,
            line,
            done_m: 0.0,
            cruise_kmh: self.rng.gen_range(12.0..23.0),
            pause_at_m: self.rng.gen_bool(0.08).then(|| length_m * self.rng.gen_range(0.3..0.7)),
            end,
            ending,
            return_tries: 0,
            stage: Stage::Riding,
        };
        self.becomes_busy(bike, Activity::Trip(Box::new(trip)));
        let first = if walk_m > 120.0 { "reserve" } else { "unlock" };
        self.ask_ride(bike, first, out);
    }

    fn trip(&mut self, bike: u32) -> Option<&mut Trip> {
        match &mut self.bikes[bike as usize].activity {
            Activity::Trip(trip) => Some(trip),
            _ => None,
        }
    }

    fn ask_ride(&mut self, bike: u32, action: &'static str, out: &mut Vec<Action>) {
        let Some(trip) = self.trip(bike) else { return };
        trip.stage = Stage::Asking(action);
        let rider = trip.rider;
        self.call(bike, Call::Ride { action, rider }, out);
    }

    fn sets_off(&mut self, bike: u32, out: &mut Vec<Action>) {
        if let Some(trip) = self.trip(bike) {
            trip.stage = Stage::Riding;
        }
        let device = &mut self.bikes[bike as usize].device;
        device.lock(false);
        device.flags.set(Flags::MOVING, true);
        self.report(bike, out);
    }

    fn stops(&mut self, bike: u32, out: &mut Vec<Action>) {
        let b = &mut self.bikes[bike as usize];
        b.speed_kmh = 0.0;
        b.device.lock(true);
        self.report(bike, out);
    }

    pub(super) fn trip_tick(&mut self, bike: u32, out: &mut Vec<Action>) {
        let now_ms = self.now_ms;
        let wobble = self.rng.gen_range(-0.1..0.1);
        let b = &mut self.bikes[bike as usize];
        let flat = b.soc_percent < 1.0 || !b.device.flags.has(Flags::BATTERY_PRESENT);
        let Activity::Trip(trip) = &mut b.activity else { return };
        match trip.stage {
            Stage::Walking { until_ms } if now_ms >= until_ms => self.ask_ride(bike, "unlock", out),
            Stage::Resting { until_ms } if now_ms >= until_ms => self.ask_ride(bike, "resume", out),
            Stage::TryingAgain { at_ms } if now_ms >= at_ms => self.take_to_parking(bike, out),
            Stage::Dawdling { until_ms } if now_ms >= until_ms => {
                self.stops(bike, out);
                self.ask_ride(bike, "return", out);
            }
            Stage::Asking(_)
            | Stage::Walking { .. }
            | Stage::Dawdling { .. }
            | Stage::Resting { .. }
            | Stage::TryingAgain { .. } => {}
            Stage::Riding => {
                // 10 to 25 km/h, bent towards the cruising speed; an empty battery means pedalling.
                let wish = if flat { 10.0 } else { trip.cruise_kmh };
                b.speed_kmh = (b.speed_kmh.max(10.0) * 0.8 + wish * 0.2 + wobble * 10.0).clamp(10.0, 25.0);
                let step_m = (b.speed_kmh / 3.6 * TICK_MS as f64 / 1000.0).min(trip.length_m - trip.done_m);
                trip.done_m += step_m;
                let (at, heading) = point_along(&trip.line, trip.done_m);
                (b.at, b.heading_deg) = (at, heading);
                let arrived = trip.done_m >= trip.length_m - 0.01;
                let pauses = trip.pause_at_m.is_some_and(|m| trip.done_m >= m);
                if pauses {
                    trip.pause_at_m = None;
                }
                let end = trip.end;
                b.drain(step_m);
                if arrived {
                    b.spot = end;
                    self.stops(bike, out);
                    if self.forgets_to_return() {
                        self.walks_off(bike);
                    } else {
                        self.ask_ride(bike, "return", out);
                    }
                } else if pauses {
                    self.stops(bike, out);
                    self.ask_ride(bike, "pause", out);
                }
            }
        }
    }

    /// The lock is open, and the bike stays where it is until its rider gives it back.
    fn dawdles(&mut self, bike: u32, until_ms: i64, out: &mut Vec<Action>) {
        let b = &mut self.bikes[bike as usize];
        let (spot, misplaced) = (b.spot, b.misplaced);
        b.device.lock(false);
        if let Some(trip) = self.trip(bike) {
            trip.stage = Stage::Dawdling { until_ms };
            trip.end = spot;
            trip.ending = if misplaced { Ending::Roadside } else { Ending::Parked };
        }
        self.report(bike, out);
    }

    /// After a refused return: to the nearest other parking place.
    fn take_to_parking(&mut self, bike: u32, out: &mut Vec<Action>) {
        let from = self.bikes[bike as usize].spot;
        let nearest = self
            .city
            .parkings
            .iter()
            .map(|p| (p.spot.at.distance_m(from.at), p.spot))
            .filter(|(away, _)| *away > 20.0)
            .min_by(|a, b| a.0.total_cmp(&b.0));
        let Some(line) = nearest.and_then(|(_, to)| self.city.graph.ride(&from, &to)) else { return };
        if let (Some((_, to)), Some(trip)) = (nearest, self.trip(bike)) {
            (trip.length_m, trip.line, trip.done_m) = (length_m(&line), line, 0.0);
            (trip.end, trip.ending) = (to, Ending::Parked);
        }
        self.sets_off(bike, out);
    }

    pub(super) fn trip_answered(&mut self, bike: u32, outcome: &Outcome, out: &mut Vec<Action>) {
        let now_ms = self.now_ms;
        let rest_ms = self.rng.gen_range(90_000..420_000);
        let Some(trip) = self.trip(bike) else { return };
        let Stage::Asking(asked) = trip.stage else { return };
        let done = *outcome == Outcome::Done;
        match asked {
            "reserve" if done => trip.stage = Stage::Walking { until_ms: now_ms + rest_ms / 4 },
            "unlock" if done => {
                self.tally.unlocked += 1;
                match self.dawdles_for_ms(bike) {
                    Some(dawdles_ms) => self.dawdles(bike, now_ms + dawdles_ms, out),
                    None => self.sets_off(bike, out),
                }
            }
            "reserve" | "unlock" => {
                // The rider walks on.
                self.tally.unlock_refused += u64::from(matches!(outcome, Outcome::Refused(_)));
                self.bikes[bike as usize].left_alone_until_ms = now_ms + LEFT_ALONE_MS;
                self.becomes_idle(bike);
            }
            "pause" if done => trip.stage = Stage::Resting { until_ms: now_ms + rest_ms },
            "pause" | "resume" => {
                self.tally.other_refusals += u64::from(!done);
                self.sets_off(bike, out);
            }
            _ if done => self.ride_ends(bike, out),
            _ => {
                trip.return_tries += 1;
                let again = trip.return_tries < RETURN_TRIES;
                if again {
                    trip.stage = Stage::TryingAgain { at_ms: now_ms + rest_ms / 4 };
                }
                self.tally.returns_refused += 1;
                if !again {
                    self.tally.returns_given_up += 1;
                    self.bikes[bike as usize].left_alone_until_ms = now_ms + LEFT_ALONE_MS;
                    self.ride_ends(bike, out);
                }
            }
        }
    }

    /// The bike stands locked, and its order runs on.
    fn walks_off(&mut self, bike: u32) {
        let Some(ending) = self.trip(bike).map(|trip| trip.ending) else { return };
        self.tally.forgotten += 1;
        let b = &mut self.bikes[bike as usize];
        b.left_alone_until_ms = self.now_ms + LEFT_ALONE_MS;
        b.misplaced = ending != Ending::Parked;
        self.becomes_idle(bike);
    }

    fn ride_ends(&mut self, bike: u32, out: &mut Vec<Action>) {
        let Some((ending, rider)) = self.trip(bike).map(|trip| (trip.ending, trip.rider)) else { return };
        self.tally.rides_ended += 1;
        match ending {
            Ending::Parked => {}
            Ending::Roadside => {
                self.tally.left_roadside += 1;
                self.wishes_for_parking(bike, rider, out);
            }
            Ending::NoStop => self.tally.left_in_no_stop += 1,
            Ending::OutsideArea => self.tally.left_outside_area += 1,
        }
        self.bikes[bike as usize].misplaced = ending != Ending::Parked;
        self.becomes_idle(bike);
    }
}
