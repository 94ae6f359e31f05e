//! Areas and no-stop zones, and how far a place is inside or outside of them. A grid of about a kilometre finds the
//! few zones that can matter; boxes and rings decide.

use std::collections::HashMap;

use geofence::to_segment_m;
use vocabulary::{AreaId, FenceId};

use crate::report::{METRES_A_DEGREE, Place};

/// Grid squares a degree.
const SQUARES_A_DEGREE: f64 = 100.0;
/// A zone over more squares than this is looked at for every place.
const MANY_SQUARES: i64 = 400;

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
}

impl Zones {
    /// Shapes that are no rings are left out: an area without a ring is never left, a zone without one never entered.
    pub fn new(areas: Vec<AreaShape>, no_stop: Vec<ZoneShape>) -> Self {
        let areas = areas
            .into_iter()
            .map(|area| (area.id, Area { name: area.name, state: area.state, ring: Ring::new(area.ring) }))
            .collect();
        let mut zones = Self { areas, ..Self::default() };
        for zone in no_stop {
            let Some(ring) = Ring::new(zone.ring.clone()) else { continue };
            let index = zones.no_stop.len() as u32;
            let (west, south) = square(ring.min[0], ring.min[1]);
            let (east, north) = square(ring.max[0], ring.max[1]);
            if (i64::from(east - west) + 1) * (i64::from(north - south) + 1) > MANY_SQUARES {
                zones.wide.push(index);
            } else {
                for at in (west..=east).flat_map(|x| (south..=north).map(move |y| (x, y))) {
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
        Zones::new(vec![area], vec![small, wide])
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
    fn a_shape_that_is_no_ring_judges_nothing() {
        let flat = AreaShape {
            id: AreaId(1),
            name: String::new(),
            state: 1,
            ring: vec![[1.0, 1.0], [2.0, 2.0], [1.0, 1.0]],
        };
        let broken =
            ZoneShape { id: FenceId(1), area: None, ring: vec![[f64::NAN, 0.0], [1.0, 0.0], [1.0, 1.0]] };
        let zones = Zones::new(vec![flat], vec![broken]);
        assert_eq!(zones.depth_in_area_m(AreaId(1), Place::from_degrees(1.0, 1.0)), None);
        assert_eq!(zones.no_stop_at(Place::from_degrees(0.5, 0.9)), None);
    }
}
