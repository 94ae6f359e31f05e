//! The weeks behind the city: where its bikes stopped before the demonstration began, so that what is asked of the last seven
//! days has an answer on the first.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::{Value, json};

use crate::geometry::Xy;
use crate::world::{Bike, World};

pub(super) const DAY_MS: i64 = 86_400_000;
/// Shanghai is ahead of UTC by so much.
const OFFSET_MS: i64 = 8 * 3_600_000;
/// How far a fix lies beside the truth, one standard deviation, metres.
const FIX_ERROR_M: f64 = 3.0;
/// A rider who does not care leaves the bike within so many metres of a parking place.
const CARELESS_M: f64 = 60.0;
/// Of ten stops so many are careless.
const CARELESS_SHARE: f64 = 0.12;
/// Of so many parking places one was drawn beside where its riders stop, by some metres.
const MISDRAWN_EVERY: usize = 9;
const MISDRAWN_M: f64 = 7.0;
/// How long a ride takes.
const RIDE_MS: std::ops::Range<i64> = 4 * 60_000..25 * 60_000;
/// A bike stands at least so long.
const SHORTEST_STAY_MS: i64 = 30_000;
/// Hours of a day and how many of a hundred rides end in them.
const HOURS: [u32; 24] = [1, 1, 0, 0, 0, 1, 3, 8, 10, 6, 4, 4, 6, 5, 4, 4, 5, 9, 10, 7, 5, 3, 2, 2];

/// A stop as it was drawn.
struct Stop {
    at_ms: i64,
    place: Xy,
    hdop: f64,
    /// How long the ride took that ended so.
    ride_ms: i64,
}

/// Where each bike stopped in the last `days` before `now_ms`, and when it left again, as the open API takes it: it stands
/// until the ride begins that ends with its next stop. The same day gives the same stops: a city that is set up again has
/// them once.
pub fn stops(world: &World, now_ms: i64, days: i64, per_day: u32) -> Vec<Value> {
    let city = &world.city;
    let today = (now_ms + OFFSET_MS).div_euclid(DAY_MS);
    let mut parkings: Vec<Vec<usize>> = vec![Vec::new(); city.areas.len()];
    for (n, parking) in city.parkings.iter().enumerate() {
        parkings[parking.area].push(n);
    }
    let mut drawn: Vec<Vec<Stop>> = world.bikes.iter().map(|_| Vec::new()).collect();
    for day in today - days..=today {
        let mut rng = ChaCha8Rng::seed_from_u64(city.seed ^ day.unsigned_abs().rotate_left(32));
        for (bike, stops) in world.bikes.iter().zip(&mut drawn) {
            let near = &parkings[bike.area];
            for _ in 0..per_day {
                let at_ms = day * DAY_MS - OFFSET_MS + time_of_day(&mut rng);
                let Some(parking) = near.get(rng.gen_range(0..near.len().max(1))) else { continue };
                // All is drawn for every stop, told or not: the next one does not depend on the hour.
                let place = place(&mut rng, world, *parking);
                let hdop = (rng.gen_range(0.7..1.8_f64) * 10.0).round() / 10.0;
                stops.push(Stop { at_ms, place, hdop, ride_ms: rng.gen_range(RIDE_MS) });
            }
        }
    }
    let told = |(bike, mut stops): (&Bike, Vec<Stop>)| {
        stops.sort_by_key(|stop| stop.at_ms);
        let next = stops.iter().skip(1).map(|next| Some(next.at_ms - next.ride_ms)).chain([None]);
        let next: Vec<Option<i64>> = next.collect();
        let past = stops.into_iter().zip(next);
        let past = past.filter(|(stop, _)| (now_ms - days * DAY_MS..now_ms).contains(&stop.at_ms));
        let tell = |(stop, next): (Stop, Option<i64>)| {
            let [lng, lat] = city.degrees(stop.place);
            let left_ms =
                next.map(|next| next.max(stop.at_ms + SHORTEST_STAY_MS)).filter(|left| *left < now_ms);
            let car = &bike.identity.car_id;
            json!({ "carId": car, "at": stop.at_ms, "leftAt": left_ms, "lng": lng, "lat": lat, "hdop": stop.hdop })
        };
        past.map(tell).collect::<Vec<_>>()
    };
    world.bikes.iter().zip(drawn).flat_map(told).collect()
}

fn time_of_day(rng: &mut ChaCha8Rng) -> i64 {
    let mut left = rng.gen_range(0..HOURS.iter().sum::<u32>());
    let hour = HOURS.iter().position(|share| {
        let here = left < *share;
        left = left.saturating_sub(*share);
        here
    });
    let hour = i64::try_from(hour.unwrap_or(12)).unwrap_or(12);
    hour * 3_600_000 + rng.gen_range(0..3_600_000)
}

/// Where somebody stops who wants to park at a parking place.
fn place(rng: &mut ChaCha8Rng, world: &World, parking: usize) -> Xy {
    let ring = &world.city.parkings[parking].ring;
    let careless = rng.gen_bool(CARELESS_SHARE);
    let (along, across): (f64, f64) = (rng.gen_range(0.05..0.95), rng.gen_range(0.05..0.95));
    // Between the first side and the one across from it.
    let [a, b] = [ring[0], ring[1]];
    let [d, c] = [ring[ring.len() - 1], ring[2]];
    let mut at = a.towards(b, along).towards(d.towards(c, along), across);
    if parking.is_multiple_of(MISDRAWN_EVERY) {
        let share = MISDRAWN_M / d.distance_m(a).max(0.1);
        at = at.moved((a.x - d.x) * share, (a.y - d.y) * share);
    }
    let reach_m = if careless { CARELESS_M } else { 0.0 };
    let error = |rng: &mut ChaCha8Rng| {
        // The sum of three even throws is near enough to a bell.
        let bell: f64 = (0..3).map(|_| rng.gen_range(-1.0..1.0_f64)).sum();
        bell * FIX_ERROR_M + if reach_m > 0.0 { rng.gen_range(-reach_m..reach_m) } else { 0.0 }
    };
    at.moved(error(rng), error(rng))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world::Habits;

    const NOW_MS: i64 = 1_800_000_000_000;

    fn world() -> World {
        World::new(7, 30, NOW_MS, Habits::default())
    }

    #[test]
    fn a_week_of_stops_is_the_same_whenever_it_is_asked_for() {
        let world = world();
        let first = stops(&world, NOW_MS, 7, 3);
        assert!((30 * 18..=30 * 24).contains(&first.len()), "{}", first.len());
        assert_eq!(first, stops(&world, NOW_MS, 7, 3));
        // An hour later all but the oldest are known already.
        let later = stops(&world, NOW_MS + 3_600_000, 7, 3);
        let new = later.iter().filter(|stop| !first.contains(stop)).count();
        assert!(new < 30, "{new}");
        let left = |stop: &Value| stop["leftAt"].as_i64();
        let stays = first.iter().filter_map(|stop| Some((stop["at"].as_i64()?, left(stop)?)));
        assert!(stays.clone().all(|(at, left)| at < left && left < NOW_MS), "it leaves after it came");
        assert!(stays.count() > first.len() - 60, "all but the last of each bike");
        let within = |stop: &Value| (NOW_MS - 7 * DAY_MS..NOW_MS).contains(&stop["at"].as_i64().unwrap());
        assert!(first.iter().all(within));
    }
}
