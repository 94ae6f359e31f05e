//! Areas, no-stop zones and parking places, and how far a place is inside or outside of them. A grid of about a kilometre finds the
//! few zones that can matter; boxes and rings decide.

use std::collections::{HashMap, HashSet};

use geofence::to_segment_m;
use vocabulary::{AreaId, FenceId};

use crate::report::{METRES_A_DEGREE, Place};

/// Grid squares a degree.
const SQUARES_A_DEGREE: f64 = 100.0;
/// A zone over more squares than this is looked at for every place.
const MANY_SQUARES: i64 = 400;
/// More than any receiver errs: beyond it a parking place is not near.
const NEAR_PARKING_M: f64 = 20.0;

/// A service area as its table says.
#[derive(Clone, Debug, PartialEq)]
pub struct AreaShape {
    /// Which.
    pub id: AreaId,
    /// What people call it.
    pub name: String,
    /// 0 preparing, 1 open, 2 paused, 3 closed.
    pub state: i16,
    /// `[lng, lat]` degrees WGS-84; closed or not.
    pub ring: Vec<[f64; 2]>,
}

/// A no-stop zone as its table says.
#[derive(Clone, Debug, PartialEq)]
pub struct ZoneShape {
    /// Which.
    pub id: FenceId,
    /// The area it belongs to.
    pub area: Option<AreaId>,
    /// `[lng, lat]` degrees WGS-84; closed or not.
    pub ring: Vec<[f64; 2]>,
}

/// A parking place as its table says.
#[derive(Clone, Debug, PartialEq)]
pub struct ParkingShape {
    /// The area it belongs to.
    pub area: AreaId,
    /// `[lng, lat]` degrees WGS-84; closed or not.
    pub ring: Vec<[f64; 2]>,
    /// So far outside of its edge still counts, metres.
    pub buffer_m: f64,
}

/// A ring with its box.
#[derive(Clone, Debug)]
struct Ring {
    points: Vec<[f64; 2]>,
    min: [f64; 2],
    max: [f64; 2],
}

impl Ring {
    /// Nothing when it has fewer than three corners or a corner that is no number.
    fn new(mut points: Vec<[f64; 2]>) -> Option<Self> {
        if points.len() > 1 && points.first() == points.last() {
            points.pop();
        }
        if points.len() < 3 || points.iter().flatten().any(|degree| !degree.is_finite()) {
            return None;
        }
        let edge = |pick: fn(f64, f64) -> f64, axis: usize| points.iter().map(|p| p[axis]).reduce(pick);
        let (min, max) = ([edge(f64::min, 0)?, edge(f64::min, 1)?], [edge(f64::max, 0)?, edge(f64::max, 1)?]);
        Some(Self { points, min, max })
    }

    fn boxed(&self, place: Place) -> bool {
        (self.min[0]..=self.max[0]).contains(&place.lng())
            && (self.min[1]..=self.max[1]).contains(&place.lat())
    }

    fn edges(&self) -> impl Iterator<Item = ([f64; 2], [f64; 2])> + '_ {
        let next = self.points.iter().cycle().skip(1);
        self.points.iter().copied().zip(next.copied())
    }

    fn contains(&self, place: Place) -> bool {
        let (x, y) = (place.lng(), place.lat());
        self.boxed(place)
            && self
                .edges()
                .filter(|([ax, ay], [bx, by])| {
                    (ay > &y) != (by > &y) && x < (bx - ax) * (y - ay) / (by - ay) + ax
                })
                .count()
                % 2
                == 1
    }

    /// Metres to the nearest edge, on the plane that touches the globe at `place`.
    fn edge_m(&self, place: Place) -> f64 {
        let east = METRES_A_DEGREE * place.lat().to_radians().cos();
        let flat = |[lng, lat]: [f64; 2]| [(lng - place.lng()) * east, (lat - place.lat()) * METRES_A_DEGREE];
        self.edges().map(|(a, b)| to_segment_m(flat(a), flat(b))).fold(f64::INFINITY, f64::min)
    }

    /// The corner squares of its box, so many metres larger on each side.
    fn corners(&self, more_m: f64) -> ((i32, i32), (i32, i32)) {
        let north = more_m / METRES_A_DEGREE;
        let widest = self.min[1].abs().max(self.max[1].abs()).to_radians().cos().max(0.01);
        let east = north / widest;
        let low = square(self.min[0] - east, self.min[1] - north);
        (low, square(self.max[0] + east, self.max[1] + north))
    }

    /// The squares that it, so many metres larger, lies in.
    fn squares(&self, more_m: f64) -> impl Iterator<Item = (i32, i32)> + use<> {
        let ((west, south), (east, north)) = self.corners(more_m);
        (west..=east).flat_map(move |x| (south..=north).map(move |y| (x, y)))
    }

    /// Whether it lies in too many squares to be found by them.
    fn is_wide(&self) -> bool {
        let ((west, south), (east, north)) = self.corners(0.0);
        (i64::from(east - west) + 1) * (i64::from(north - south) + 1) > MANY_SQUARES
    }

    /// Metres inside the edge; negative outside.
    fn depth_m(&self, place: Place) -> f64 {
        let distance = self.edge_m(place);
        if self.contains(place) { distance } else { -distance }
    }
}

struct Area {
    name: String,
    state: i16,
    ring: Option<Ring>,
}

/// Every area and no-stop zone of one moment.
#[derive(Default)]
pub struct Zones {
    areas: HashMap<AreaId, Area>,
    no_stop: Vec<(ZoneShape, Ring)>,
    grid: HashMap<(i32, i32), Vec<u32>>,
    wide: Vec<u32>,
    parking: Vec<(AreaId, Ring, f64)>,
    parking_grid: HashMap<(AreaId, (i32, i32)), Vec<u32>>,
    with_parking: HashSet<AreaId>,
}

impl Zones {
    /// Shapes that are no rings are left out: an area without a ring is never left, a zone without one never entered.
    pub fn new(areas: Vec<AreaShape>, no_stop: Vec<ZoneShape>, parking: Vec<ParkingShape>) -> Self {
        let areas = areas
            .into_iter()
            .map(|area| (area.id, Area { name: area.name, state: area.state, ring: Ring::new(area.ring) }))
            .collect();
        let mut zones = Self { areas, ..Self::default() };
        for place in parking {
            let Some(ring) = Ring::new(place.ring) else { continue };
            let index = zones.parking.len() as u32;
            let reach_m = place.buffer_m + NEAR_PARKING_M;
            for at in ring.squares(reach_m) {
                zones.parking_grid.entry((place.area, at)).or_default().push(index);
            }
            zones.with_parking.insert(place.area);
            zones.parking.push((place.area, ring, place.buffer_m));
        }
        for zone in no_stop {
            let Some(ring) = Ring::new(zone.ring.clone()) else { continue };
            let index = zones.no_stop.len() as u32;
            if ring.is_wide() {
                zones.wide.push(index);
            } else {
                for at in ring.squares(0.0) {
                    zones.grid.entry(at).or_default().push(index);
                }
            }
            zones.no_stop.push((zone, ring));
        }
        zones
    }

    /// Metres inside the edge of `area`, negative outside; nothing when the area has no ring.
    pub fn depth_in_area_m(&self, area: AreaId, place: Place) -> Option<f64> {
        Some(self.areas.get(&area)?.ring.as_ref()?.depth_m(place))
    }

    /// The no-stop zone that `place` is deepest in, and how many metres.
    pub fn no_stop_at(&self, place: Place) -> Option<(FenceId, f64)> {
        let near = self.grid.get(&square(place.lng(), place.lat()));
        near.into_iter()
            .flatten()
            .chain(&self.wide)
            .map(|index| &self.no_stop[*index as usize])
            .filter(|(_, ring)| ring.contains(place))
            .map(|(zone, ring)| (zone.id, ring.edge_m(place)))
            .max_by(|a, b| a.1.total_cmp(&b.1))
    }

    /// Metres from `place` to where the nearest parking place of `area` counts, its buffer included: 0 within, and without end
    /// where none is nearer than twenty metres. Nothing when the area has no parking places.
    pub fn beyond_parking_m(&self, area: AreaId, place: Place) -> Option<f64> {
        if !self.with_parking.contains(&area) {
            return None;
        }
        let near = self.parking_grid.get(&(area, square(place.lng(), place.lat())));
        let near = near.into_iter().flatten().map(|index| &self.parking[*index as usize]);
        let beyond_m = near.map(|(_, ring, buffer_m)| (-ring.depth_m(place) - buffer_m).max(0.0));
        let nearest_m = beyond_m.fold(f64::INFINITY, f64::min);
        Some(if nearest_m < NEAR_PARKING_M { nearest_m } else { f64::INFINITY })
    }

    /// Metres from `place` to the edge of the nearest parking place of `area`, however far: every one is looked at.
    pub fn to_parking_m(&self, area: AreaId, place: Place) -> Option<f64> {
        let own = self.parking.iter().filter(|(of, ..)| *of == area);
        own.map(|(_, ring, _)| -ring.depth_m(place)).min_by(f64::total_cmp)
    }

    /// What people call `area`.
    pub fn area_name(&self, area: AreaId) -> Option<&str> {
        self.areas.get(&area).map(|area| area.name.as_str())
    }

    /// 1 = open.
    pub fn area_state(&self, area: AreaId) -> Option<i16> {
        self.areas.get(&area).map(|area| area.state)
    }
}

fn square(lng: f64, lat: f64) -> (i32, i32) {
    ((lng * SQUARES_A_DEGREE).floor() as i32, (lat * SQUARES_A_DEGREE).floor() as i32)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn box_ring(west: f64, south: f64, size: f64) -> Vec<[f64; 2]> {
        vec![
            [west, south],
            [west + size, south],
            [west + size, south + size],
            [west, south + size],
            [west, south],
        ]
    }

    fn zones() -> Zones {
        let area =
            AreaShape { id: AreaId(1), name: "岛内".into(), state: 1, ring: box_ring(118.0, 24.0, 0.1) };
        let small = ZoneShape { id: FenceId(7), area: Some(AreaId(1)), ring: box_ring(118.05, 24.05, 0.001) };
        let wide = ZoneShape { id: FenceId(8), area: None, ring: box_ring(110.0, 20.0, 1.0) };
        Zones::new(vec![area], vec![small, wide], vec![])
    }

    #[test]
    fn depth_is_positive_inside_and_negative_outside() {
        let zones = zones();
        let depth = |lat, lng| zones.depth_in_area_m(AreaId(1), Place::from_degrees(lat, lng)).unwrap();
        assert!((depth(24.001, 118.05) - 111.2).abs() < 1.0);
        assert!((depth(23.999, 118.05) + 111.2).abs() < 1.0);
        assert!((depth(24.05, 118.101) + 101.6).abs() < 1.0, "a degree of longitude is shorter up north");
        assert_eq!(zones.depth_in_area_m(AreaId(2), Place::default()), None);
    }

    #[test]
    fn a_no_stop_zone_is_found_through_the_grid_and_a_wide_one_without() {
        let zones = zones();
        let (id, depth_m) = zones.no_stop_at(Place::from_degrees(24.0505, 118.0505)).unwrap();
        assert_eq!(id, FenceId(7));
        assert!((45.0..60.0).contains(&depth_m), "{depth_m}");
        assert_eq!(zones.no_stop_at(Place::from_degrees(24.052, 118.0505)), None);
        assert_eq!(zones.no_stop_at(Place::from_degrees(20.5, 110.5)).map(|(id, _)| id), Some(FenceId(8)));
    }

    #[test]
    fn a_place_is_as_far_from_parking_as_from_the_nearest_one_of_its_area_with_its_buffer() {
        let parking = |area: i64, west: f64, buffer_m: f64| ParkingShape {
            area: AreaId(area),
            ring: box_ring(west, 24.05, 0.0001),
            buffer_m,
        };
        let places = vec![parking(1, 118.05, 5.0), parking(1, 118.06, 30.0), parking(2, 118.055, 0.0)];
        let zones = Zones::new(vec![], vec![], places);
        let beyond = |area: i64, lng: f64| {
            zones.beyond_parking_m(AreaId(area), Place::from_degrees(24.05005, lng)).map(f64::round)
        };
        assert_eq!(beyond(1, 118.05005), Some(0.0), "inside");
        assert_eq!(beyond(1, 118.05014), Some(0.0), "4 m outside are within its buffer");
        assert_eq!(beyond(1, 118.0502), Some(5.0), "10 m outside");
        assert_eq!(beyond(1, 118.0598), Some(0.0), "20 m from the other, which reaches 30");
        assert_eq!(beyond(1, 118.05505), Some(f64::INFINITY), "another area's place is none of its own");
        let to = zones.to_parking_m(AreaId(1), Place::from_degrees(24.05005, 118.05505));
        assert_eq!(to.map(f64::round), Some(503.0), "the edge of the nearer one");
        assert_eq!(beyond(3, 118.05005), None);
    }

    #[test]
    fn a_shape_that_is_no_ring_judges_nothing() {
        let flat = AreaShape {
            id: AreaId(1),
            name: String::new(),
            state: 1,
            ring: vec![[1.0, 1.0], [2.0, 2.0], [1.0, 1.0]],
        };
        let broken =
            ZoneShape { id: FenceId(1), area: None, ring: vec![[f64::NAN, 0.0], [1.0, 0.0], [1.0, 1.0]] };
        let zones = Zones::new(vec![flat], vec![broken], vec![]);
        assert_eq!(zones.depth_in_area_m(AreaId(1), Place::from_degrees(1.0, 1.0)), None);
        assert_eq!(zones.no_stop_at(Place::from_degrees(0.5, 0.9)), None);
    }
}
