//! Riders who get no bike: they look where none stands, and some scan one that nobody can take.

use super::{Action, RIDERS_PER_BIKE, World};
use crate::geometry::Xy;
use crate::identity::stable_hash;

/// Of so many who come one scans the first bike that he sees, whatever it looks like.
const ONE_OF: u64 = 5;
/// A bike so near is seen first, metres.
const SEEN_M: f64 = 120.0;

/// What a rider looks at in vain.
#[derive(Clone, Debug, PartialEq)]
pub struct Look {
    /// Who.
    pub rider: u64,
    /// `[lng, lat]`, WGS-84.
    pub at: [f64; 2],
    /// The area where he is, by its number in the city.
    pub area: usize,
    /// The bike that he scans; none: he asks what stands near him.
    pub bike: Option<u32>,
}

impl World {
    /// Somebody who rides nothing by it; who follows from how many came, so that looking changes nothing else of what happens.
    fn onlooker(&self) -> u64 {
        let population = self.bikes.len() as u64 * RIDERS_PER_BIKE + 100;
        let dice = stable_hash(&format!("look {} {}", self.city.seed, self.tally.riders));
        9_000_000_000 + self.city.seed % 1_000 * 1_000_000 + 500_000 + dice % population
    }

    /// Who finds no bike has asked his program.
    pub(super) fn looks_around(&mut self, at: Xy, area: usize, out: &mut Vec<Action>) {
        self.tally.looks += 1;
        let (rider, at) = (self.onlooker(), self.city.degrees(at));
        out.push(Action::Look(Look { rider, at, area, bike: None }));
    }

    /// Some who come scan first what cannot be taken: low in charge, kept for others, ridden by them.
    pub(super) fn scans_in_vain(&mut self, at: Xy, area: usize, out: &mut Vec<Action>) {
        let rider = self.onlooker();
        if !stable_hash(&format!("scan {rider} {}", self.tally.riders)).is_multiple_of(ONE_OF) {
            return;
        }
        let now_ms = self.now_ms;
        let seen = self
            .bikes
            .iter()
            .enumerate()
            .filter(|(_, bike)| !bike.looks_rentable(now_ms))
            .map(|(number, bike)| (bike.at.distance_m(at), number))
            .filter(|(away_m, _)| *away_m <= SEEN_M)
            .min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let Some((_, number)) = seen else { return };
        self.tally.scans_in_vain += 1;
        let at = self.city.degrees(at);
        out.push(Action::Look(Look { rider, at, area, bike: Some(number as u32) }));
    }
}
