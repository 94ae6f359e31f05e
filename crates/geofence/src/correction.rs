//! A parking place that was drawn beside where bikes stand: when many stop just beyond one of its sides, the side is moved
//! out to them.

use vocabulary::Wgs84;

use crate::plane::{Plane, to_segment_m};
use crate::{Outline, Ring};

/// Who stops further away did not mean this parking place, metres.
const NEAR_M: f64 = 15.0;
/// Fewer than so many are chance.
const LEAST_STOPS: usize = 10;
/// Nor is it a finding when most stand within: of all that stop about it, at least this share stands beyond the one side.
const LEAST_SHARE: f64 = 0.2;
/// The side moves so far that this share of them stands within; the rest strayed.
const REACHED_SHARE: f64 = 0.8;
/// What is less is drawing, metres.
const LEAST_MOVE_M: f64 = 0.5;

/// An edge that would fit better.
#[derive(Clone, Debug, PartialEq)]
pub struct Correction {
    /// As it would be.
    pub ring: Ring,
    /// The side that moves, from this corner to the next, counted from 1.
    pub side: usize,
    /// How far out it moves, metres.
    pub moved_m: f64,
    /// Stops that stand within it and did not before.
    pub gained: usize,
}

/// What would fit these stops better than `ring`, if anything would.
pub fn corrected(ring: &Ring, stops: &[Wgs84]) -> Option<Correction> {
    let plane = Plane::at(*ring.corners().first()?);
    let corners: Vec<[f64; 2]> = ring.corners().iter().map(|at| plane.flat([at.lng(), at.lat()])).collect();
    let outline = Outline::from(ring);
    let count = corners.len();
    let mut beyond_m: Vec<Vec<f64>> = vec![Vec::new(); count];
    let mut near = 0_usize;
    for stop in stops {
        let distance_m = outline.beyond_m(*stop, &Plane::at(*stop));
        if distance_m > NEAR_M {
            continue;
        }
        near += 1;
        if distance_m > 0.0 {
            let place = plane.flat([stop.lng(), stop.lat()]);
            let about = |n: &usize| {
                let from = [corners[*n][0] - place[0], corners[*n][1] - place[1]];
                let next = corners[(n + 1) % count];
                to_segment_m(from, [next[0] - place[0], next[1] - place[1]])
            };
            let side = (0..count).min_by(|a, b| about(a).total_cmp(&about(b)))?;
            beyond_m[side].push(distance_m);
        }
    }
    let (side, mut distances) = beyond_m.into_iter().enumerate().max_by_key(|(_, stops)| stops.len())?;
    if distances.len() < LEAST_STOPS || (distances.len() as f64) < LEAST_SHARE * near as f64 {
        return None;
    }
    distances.sort_by(f64::total_cmp);
    let moved_m = distances[((distances.len() as f64 * REACHED_SHARE) as usize).min(distances.len() - 1)];
    if moved_m < LEAST_MOVE_M {
        return None;
    }
    let ring = moved(ring, &plane, &corners, side, moved_m)?;
    let after = Outline::from(&ring);
    let gains = |stop: &&Wgs84| {
        let at = Plane::at(**stop);
        after.holds(**stop, &at) && !outline.holds(**stop, &at)
    };
    let gained = stops.iter().filter(gains).count();
    (gained > 0).then_some(Correction { ring, side: side + 1, moved_m, gained })
}

/// The ring with a side moved out by so many metres, its neighbours made longer.
fn moved(ring: &Ring, plane: &Plane, corners: &[[f64; 2]], side: usize, by_m: f64) -> Option<Ring> {
    let count = corners.len();
    let next = (side + 1) % count;
    let (a, b) = (corners[side], corners[next]);
    let along = [b[0] - a[0], b[1] - a[1]];
    let length_m = along[0].hypot(along[1]);
    if length_m == 0.0 {
        return None;
    }
    // Left of a side lies the inside of a ring that runs counter-clockwise.
    let doubled: f64 = (0..count)
        .map(|n| (corners[n], corners[(n + 1) % count]))
        .map(|(p, q)| p[0] * q[1] - q[0] * p[1])
        .sum();
    let out_m = if doubled > 0.0 { by_m } else { -by_m };
    let shift = [along[1] / length_m * out_m, -along[0] / length_m * out_m];
    let mut changed = corners.to_vec();
    for corner in [side, next] {
        changed[corner] = [corners[corner][0] + shift[0], corners[corner][1] + shift[1]];
    }
    let degrees: Vec<[f64; 2]> = changed.into_iter().map(|corner| plane.degrees(corner)).collect();
    let mut drawn = Ring::draw(&degrees, vocabulary::Datum::Wgs84).ok()?;
    drawn.datum = ring.datum;
    Some(drawn)
}

#[cfg(test)]
mod tests {
    use vocabulary::Datum;

    use super::*;

    /// Ten metres by four, clockwise, its long sides to the north and the south.
    fn stand() -> (Ring, Plane) {
        let plane = Plane::at(Wgs84::new(24.5, 118.1).unwrap());
        let corners = [[0.0, 0.0], [0.0, 4.0], [10.0, 4.0], [10.0, 0.0]].map(|corner| plane.degrees(corner));
        (Ring::draw(&corners, Datum::Wgs84).unwrap(), plane)
    }

    fn at(plane: &Plane, [east_m, north_m]: [f64; 2]) -> Wgs84 {
        let [lng, lat] = plane.degrees([east_m, north_m]);
        Wgs84::new(lat, lng).unwrap()
    }

    #[test]
    fn a_side_beyond_which_many_stop_moves_out_to_them() {
        let (ring, plane) = stand();
        // Eight metres north of its northern side: the finding of a fence that is drawn beside the road.
        let stops: Vec<Wgs84> =
            (0..20).map(|n| at(&plane, [0.5 * f64::from(n), 12.0 - 0.05 * f64::from(n)])).collect();
        let found = corrected(&ring, &stops).unwrap();
        assert_eq!(found.side, 2, "the northern one");
        assert!((7.5..8.1).contains(&found.moved_m) && found.gained >= 16, "{found:?}");
        assert!((found.ring.area_m2() / (10.0 * (4.0 + found.moved_m)) - 1.0).abs() < 1e-3, "{found:?}");
    }

    #[test]
    fn few_strays_those_far_away_and_a_place_that_is_used_well_are_no_finding() {
        let (ring, plane) = stand();
        let beyond = |count: u32, north_m: f64| -> Vec<Wgs84> {
            (0..count).map(|n| at(&plane, [0.4 * f64::from(n % 20), north_m])).collect()
        };
        assert_eq!(corrected(&ring, &beyond(9, 8.0)), None);
        assert_eq!(corrected(&ring, &beyond(50, 30.0)), None);
        assert_eq!(corrected(&ring, &beyond(50, 4.2)), None, "a hand's breadth is drawing");
        let mut used = beyond(12, 8.0);
        used.extend(beyond(100, 2.0));
        assert_eq!(corrected(&ring, &used), None);
        assert_eq!(corrected(&ring, &[]), None);
    }

    #[test]
    fn the_datum_that_it_was_drawn_in_stays() {
        let (mut ring, plane) = stand();
        ring.datum = Datum::Gcj02;
        let stops: Vec<Wgs84> =
            (0..20).map(|n| at(&plane, [0.5 * f64::from(n), -4.0 - 0.05 * f64::from(n)])).collect();
        let found = corrected(&ring, &stops).unwrap();
        assert_eq!((found.ring.datum, found.side), (Datum::Gcj02, 4));
    }
}
