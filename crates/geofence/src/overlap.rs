//! What two areas have in common.

use geo::{Area, BooleanOps, InteriorPoint};
use vocabulary::Wgs84;

use crate::ring::polygon;
use crate::{Bounds, Outline, Plane, Ring, Shape, meet};

/// What lies deeper than this within both of two shapes is meant, not drawn beside the line; metres.
const MEANT_M: f64 = 0.25;

/// A place, `[lng, lat]` in WGS-84, that lies in both shapes and not just along their edges.
pub fn place_in_both(one: &Shape, other: &Shape) -> Option<[f64; 2]> {
    if !one.overlaps(other) {
        return None;
    }
    let outlines = [Outline::from(one), Outline::from(other)];
    let both = polygon(one.closed()).intersection(&polygon(other.closed()));
    let depth_m = |[lng, lat]: [f64; 2]| {
        let plane = Plane::at(Wgs84::new(lat, lng).ok()?);
        Some(outlines[0].edge_m(&plane).min(outlines[1].edge_m(&plane)))
    };
    let places = both.iter().filter_map(InteriorPoint::interior_point).map(|at| [at.x(), at.y()]);
    let deepest = places.filter_map(|at| Some((at, depth_m(at)?))).max_by(|a, b| a.1.total_cmp(&b.1));
    deepest.filter(|(_, depth_m)| *depth_m > MEANT_M).map(|(at, _)| at)
}

/// Square metres that lie within `ring` and within the closed `[lng, lat]` corners of another one, WGS-84.
pub fn overlap_m2(ring: &Ring, other: &[[f64; 2]]) -> f64 {
    let own = ring.closed();
    if !bounds(&own).zip(bounds(other)).is_some_and(|(one, other)| meet(one, other)) {
        return 0.0;
    }
    let [lng, lat] = own[0];
    let [east_m, north_m] = Plane::at(ring.corners()[0]).flat([lng + 1.0, lat + 1.0]);
    polygon(own).intersection(&polygon(other.to_vec())).unsigned_area() * east_m * north_m
}

fn bounds(corners: &[[f64; 2]]) -> Option<Bounds> {
    let first = *corners.first()?;
    Some(corners.iter().fold([first; 2], |[min, max], corner| {
        [[0, 1].map(|axis| corner[axis].min(min[axis])), [0, 1].map(|axis| corner[axis].max(max[axis]))]
    }))
}

#[cfg(test)]
mod tests {
    use vocabulary::Datum;

    use super::*;

    fn square(west: f64, south: f64, side: f64) -> Ring {
        let (east, north) = (west + side, south + side);
        let corners = [[west, south], [east, south], [east, north], [west, north]];
        Ring::draw_area(&corners, Datum::Wgs84).unwrap()
    }

    #[test]
    fn what_two_areas_have_in_common_is_measured() {
        let area = square(118.0, 24.0, 0.01);
        let shifted = square(118.005, 24.005, 0.01);
        let quarter = overlap_m2(&area, &shifted.closed()) / area.area_m2();
        assert!((quarter - 0.25).abs() < 1e-6, "{quarter}");
        let within = square(118.002, 24.002, 0.001);
        let whole = overlap_m2(&area, &within.closed()) / within.area_m2();
        assert!((whole - 1.0).abs() < 1e-3, "{whole}");
    }

    #[test]
    fn a_place_is_told_where_two_lie_over_each_other_and_none_where_they_touch() {
        let drawn = |west: f64| Shape::Polygon(square(west, 24.0, 0.01));
        let [lng, lat] = place_in_both(&drawn(118.0), &drawn(118.008)).unwrap();
        assert!((118.008..=118.01).contains(&lng) && (24.0..=24.01).contains(&lat), "{lng}, {lat}");
        assert_eq!(place_in_both(&drawn(118.0), &drawn(118.01)), None, "side by side");
        assert_eq!(place_in_both(&drawn(118.0), &drawn(118.009_998)), None, "a fifth of a metre is drawing");
        assert!(place_in_both(&drawn(118.0), &drawn(118.009_99)).is_some(), "a metre is not");
        let circle = Shape::Circle(crate::Circle::draw([118.012, 24.005], 300.0, Datum::Wgs84).unwrap());
        assert!(place_in_both(&circle, &drawn(118.0)).is_some_and(|[lng, _]| lng < 118.01));
        assert_eq!(place_in_both(&circle, &drawn(118.016)), None);
    }

    #[test]
    fn neighbours_along_one_edge_and_areas_apart_have_nothing_in_common() {
        let area = square(118.0, 24.0, 0.01);
        assert!(overlap_m2(&area, &square(118.01, 24.0, 0.01).closed()) < 0.01);
        assert!(overlap_m2(&area, &square(118.02, 24.0, 0.01).closed()).abs() < f64::EPSILON);
        assert!(overlap_m2(&area, &[]).abs() < f64::EPSILON);
    }
}
