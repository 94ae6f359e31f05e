//! When people ride, and from where to where.

use rand::Rng;
use rand_chacha::ChaCha8Rng;

use crate::city::City;
use crate::city::graph::Spot;
use crate::city::zones::{Use, spot_beside};
use crate::geometry::{Xy, inside};

/// Share of a day's rides in each local hour, relative to an even day.
const HOURS: [f64; 24] = [
    0.25, 0.15, 0.1, 0.08, 0.1, 0.3, 0.8, 1.9, 2.3, 1.3, 0.8, 0.95, 1.2, 1.05, 0.85, 0.9, 1.1, 1.9, 2.2, 1.6,
    1.3, 1.2, 0.9, 0.5,
];

/// Local hour of the day with its fraction, Asia/Shanghai.
pub fn local_hour(now_ms: i64) -> f64 {
    (now_ms + 8 * 3_600_000).rem_euclid(86_400_000) as f64 / 3_600_000.0
}

/// How far the day of a city that has `hour` at `now_ms` is ahead of the clock: less than a day.
pub fn ahead_ms(now_ms: i64, hour: f64) -> i64 {
    (((hour - local_hour(now_ms)) * 3_600_000.0) as i64).rem_euclid(86_400_000)
}

/// How busy this moment is; 1 is an even day's mean.
pub fn rate_now(now_ms: i64) -> f64 {
    let hour = local_hour(now_ms);
    let (this, next) = (hour as usize % 24, (hour as usize + 1) % 24);
    HOURS[this] + (HOURS[next] - HOURS[this]) * hour.fract()
}

/// How much a kind of district sends (`leaving`) or draws at an hour.
fn pull(main_use: Use, hour: f64, leaving: bool) -> f64 {
    let morning = (6.0..10.0).contains(&hour);
    let evening = (16.5..20.0).contains(&hour);
    match (main_use, leaving) {
        (Use::Homes, true) | (Use::Work, false) if morning => 2.4,
        (Use::Work, true) | (Use::Homes, false) if evening => 2.4,
        (Use::Leisure, _) if hour >= 18.0 || (11.0..14.0).contains(&hour) => 1.8,
        (Use::Work, _) if !(6.0..21.0).contains(&hour) => 0.3,
        _ => 1.0,
    }
}

/// A parking place where a rider appears now.
pub fn origin(rng: &mut ChaCha8Rng, city: &City, now_ms: i64) -> usize {
    let hour = local_hour(now_ms);
    for _ in 0..16 {
        let i = rng.gen_range(0..city.parkings.len());
        let main_use = city.districts[city.areas[city.parkings[i].area].district].main_use;
        if rng.gen_bool((pull(main_use, hour, true) / 2.4).min(1.0)) {
            return i;
        }
    }
    rng.gen_range(0..city.parkings.len())
}

/// A parking place a rider at `from` wants to reach now: drawn by use and by nearness.
pub fn destination(rng: &mut ChaCha8Rng, city: &City, from: Xy, now_ms: i64) -> usize {
    let hour = local_hour(now_ms);
    let mut fallback = rng.gen_range(0..city.parkings.len());
    for _ in 0..40 {
        let i = rng.gen_range(0..city.parkings.len());
        let away = city.parkings[i].spot.at.distance_m(from);
        if away < 350.0 {
            continue;
        }
        fallback = i;
        let main_use = city.districts[city.areas[city.parkings[i].area].district].main_use;
        let wish = pull(main_use, hour, false) / 2.4 * (-away / 1900.0).exp();
        if rng.gen_bool(wish.clamp(0.0, 1.0)) {
            return i;
        }
    }
    fallback
}

/// How a ride ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// In a parking place.
    Parked,
    /// Beside a street, outside every parking place.
    Roadside,
    /// In a no-stop zone.
    NoStop,
    /// Outside every service area.
    OutsideArea,
}

/// Where riders leave bikes that they should not leave there.
#[derive(Clone, Debug)]
pub struct WrongPlaces {
    outside: Vec<Spot>,
}

impl WrongPlaces {
    /// Looks once through the city's streets.
    pub fn of(city: &City) -> Self {
        let outside = (0..city.graph.edges.len() as u32)
            .filter(|edge| city.graph.edges[*edge as usize].length_m > 60.0)
            .map(|edge| spot_beside(&city.graph, edge, 0.5, 4.0))
            .filter(|spot| !city.areas.iter().any(|area| inside(&area.ring, spot.at)))
            .collect();
        Self { outside }
    }

    /// The end of a ride meant for parking place `parking`.
    pub fn ending(&self, rng: &mut ChaCha8Rng, city: &City, parking: usize) -> (Spot, Ending) {
        let meant = city.parkings[parking].spot;
        let dice: f64 = rng.gen_range(0.0..1.0);
        if dice < 0.02 && !self.outside.is_empty() {
            let spots = (0..24).map(|_| self.outside[rng.gen_range(0..self.outside.len())]);
            let nearest =
                spots.min_by(|a, b| a.at.distance_m(meant.at).total_cmp(&b.at.distance_m(meant.at)));
            return (nearest.unwrap_or(meant), Ending::OutsideArea);
        }
        if dice < 0.05 {
            let area = city.parkings[parking].area;
            let zones: Vec<_> = city.no_stops.iter().filter(|zone| zone.area == area).collect();
            if !zones.is_empty() {
                let zone = zones[rng.gen_range(0..zones.len())];
                return (zone.spot, Ending::NoStop);
            }
        }
        if dice < 0.13 {
            let share = rng.gen_range(0.1..0.9);
            return (spot_beside(&city.graph, meant.edge, share, 3.0), Ending::Roadside);
        }
        // Inside the marks, somewhere along the strip.
        let shift = rng.gen_range(-4.0..4.0);
        let bearing =
            crate::geometry::point_along(&city.graph.edges[meant.edge as usize].points, meant.along_m)
                .1
                .to_radians();
        let at = meant.at.moved(bearing.sin() * shift, bearing.cos() * shift);
        (Spot { at, along_m: meant.along_m + shift, ..meant }, Ending::Parked)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_city_wakes_at_its_hour_whatever_the_clock_says() {
        for now_ms in [0, 1_800_000_000_000, 1_800_040_000_000] {
            let woken = local_hour(now_ms + ahead_ms(now_ms, 8.0));
            assert!((woken - 8.0).abs() < 0.001, "{woken}");
            assert!((0..86_400_000).contains(&ahead_ms(now_ms, 8.0)));
        }
    }

    #[test]
    fn the_hours_mean_one_and_the_rush_is_at_eight_and_six() {
        let mean = HOURS.iter().sum::<f64>() / 24.0;
        assert!((mean - 1.0).abs() < 0.02, "{mean}");
        let at = |hour: i64| rate_now((hour - 8) * 3_600_000);
        assert!(at(8) > 2.0 && at(18) > 2.0 && at(3) < 0.2);
    }
}
