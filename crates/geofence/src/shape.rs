//! What a fence may look like.

use geo::{Area, BooleanOps, Polygon};
use serde::{Deserialize, Serialize};
use vocabulary::{Datum, Wgs84, distance_m};

use crate::ring::polygon;
use crate::{NotARing, Outline, Plane, Ring, meet};

/// A ring or a circle, WGS-84 inside.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Shape {
    /// A ring of sides.
    Polygon(Ring),
    /// All within a distance.
    Circle(Circle),
}

/// All places within `radius_m` of a center.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Circle {
    /// Its middle.
    pub center: Wgs84,
    /// From there to the edge, metres.
    pub radius_m: f64,
    /// The datum it was drawn in.
    pub datum: Datum,
}

/// The radius that a circle may have, metres.
const RADII_M: std::ops::RangeInclusive<f64> = 1.0..=20_000.0;
/// Sides of the ring that stands for a circle where only rings will do: within 0.03 % of its area.
const CIRCLE_SIDES: u32 = 128;
/// What two rings share below this, and what a circle reaches into another shape below this, is how sides that touch are
/// rounded; square metres and metres.
const TOUCHING_M2: f64 = 0.1;
const TOUCHING_M: f64 = 0.01;
/// Degrees that went through another datum come back within less than this, metres.
const SAME_M: f64 = 0.001;

impl Circle {
    /// About `[lng, lat]` in `datum`.
    pub fn draw([lng, lat]: [f64; 2], radius_m: f64, datum: Datum) -> Result<Self, NotARing> {
        let center = Wgs84::from_datum(datum, lat, lng).map_err(|_| NotARing::Corner(1))?;
        if RADII_M.contains(&radius_m) {
            Ok(Self { center, radius_m, datum })
        } else {
            Err(NotARing::Radius(radius_m))
        }
    }

    /// `[lng, lat]` corners of a ring of the same area, counter-clockwise, not closed.
    fn corners(&self) -> Vec<[f64; 2]> {
        let plane = Plane::at(self.center);
        let step = std::f64::consts::TAU / f64::from(CIRCLE_SIDES);
        let radius_m = self.radius_m * (step / step.sin()).sqrt();
        (0..CIRCLE_SIDES)
            .map(|n| (step * f64::from(n)).sin_cos())
            .map(|(sin, cos)| plane.degrees([radius_m * cos, radius_m * sin]))
            .collect()
    }
}

impl Shape {
    /// The datum it was drawn in.
    pub const fn datum(&self) -> Datum {
        match self {
            Self::Polygon(ring) => ring.datum,
            Self::Circle(circle) => circle.datum,
        }
    }

    /// Square metres.
    pub fn area_m2(&self) -> f64 {
        match self {
            Self::Polygon(ring) => ring.area_m2(),
            Self::Circle(circle) => std::f64::consts::PI * circle.radius_m * circle.radius_m,
        }
    }

    /// `[lng, lat]` corners in WGS-84, the first repeated at the end, as GeoJSON wants it; a circle becomes a ring.
    pub fn closed(&self) -> Vec<[f64; 2]> {
        match self {
            Self::Polygon(ring) => ring.closed(),
            Self::Circle(circle) => {
                let mut corners = circle.corners();
                corners.push(corners[0]);
                corners
            }
        }
    }

    /// Whether some ground lies in both; shapes that only touch share none.
    pub fn overlaps(&self, other: &Self) -> bool {
        if !meet(Outline::from(self).bounds(), Outline::from(other).bounds()) {
            return false;
        }
        match (self, other) {
            (Self::Polygon(one), Self::Polygon(other)) => shared_m2(one, other) > TOUCHING_M2,
            (Self::Circle(circle), shape) | (shape, Self::Circle(circle)) => {
                let plane = Plane::at(circle.center);
                Outline::from(shape).beyond_m(circle.center, &plane) < circle.radius_m - TOUCHING_M
            }
        }
    }

    /// Whether it is the same shape drawn in the same datum, but for a millimetre.
    pub fn is_as(&self, other: &Self) -> bool {
        let same = |a: Wgs84, b: Wgs84| distance_m(a, b) < SAME_M;
        self.datum() == other.datum()
            && match (self, other) {
                (Self::Polygon(one), Self::Polygon(other)) => {
                    let (one, other) = (one.corners(), other.corners());
                    one.len() == other.len() && one.iter().zip(other).all(|(a, b)| same(*a, *b))
                }
                (Self::Circle(one), Self::Circle(other)) => {
                    same(one.center, other.center) && (one.radius_m - other.radius_m).abs() < SAME_M
                }
                _ => false,
            }
    }

    /// Its middle: of the corners' box, or of the circle.
    pub fn center(&self) -> Wgs84 {
        match self {
            Self::Circle(circle) => circle.center,
            Self::Polygon(ring) => {
                let [[west, south], [east, north]] = Outline::from(ring).bounds();
                Wgs84::new(f64::midpoint(south, north), f64::midpoint(west, east))
                    .unwrap_or(ring.corners()[0])
            }
        }
    }
}

/// The ground that lies in both rings, square metres.
fn shared_m2(one: &Ring, other: &Ring) -> f64 {
    let plane = Plane::at(one.corners()[0]);
    let flat = |ring: &Ring| -> Polygon {
        polygon(ring.closed().into_iter().map(|corner| plane.flat(corner)).collect())
    };
    flat(one).intersection(&flat(other)).unsigned_area()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// A place so many metres east and north of the middle of the tests.
    fn at([east, north]: [f64; 2]) -> [f64; 2] {
        Plane::at(Wgs84::new(24.5, 118.1).unwrap()).degrees([east, north])
    }

    fn ring(corners: &[[f64; 2]]) -> Shape {
        let corners: Vec<_> = corners.iter().map(|corner| at(*corner)).collect();
        Shape::Polygon(Ring::draw(&corners, Datum::Wgs84).unwrap())
    }

    fn rectangle([west, south]: [f64; 2], [east, north]: [f64; 2]) -> Shape {
        ring(&[[west, south], [east, south], [east, north], [west, north]])
    }

    fn circle(center: [f64; 2], radius_m: f64) -> Shape {
        Shape::Circle(Circle::draw(at(center), radius_m, Datum::Wgs84).unwrap())
    }

    #[test]
    fn shapes_overlap_when_they_share_ground_and_not_when_they_touch() {
        let square = rectangle([0.0, 0.0], [10.0, 10.0]);
        let horseshoe = ring(&[
            [0.0, 0.0],
            [30.0, 0.0],
            [30.0, 30.0],
            [20.0, 30.0],
            [20.0, 10.0],
            [10.0, 10.0],
            [10.0, 30.0],
            [0.0, 30.0],
        ]);
        for (one, other, overlap, what) in [
            (&square, &rectangle([9.0, 9.0], [20.0, 20.0]), true, "a corner in the other"),
            (&square, &rectangle([2.0, 2.0], [4.0, 4.0]), true, "within"),
            (&square, &rectangle([-5.0, 4.0], [15.0, 6.0]), true, "across, without a corner in the other"),
            (&square, &square, true, "the same"),
            (&square, &rectangle([10.0, 0.0], [20.0, 10.0]), false, "side by side"),
            (&square, &rectangle([10.0, 3.0], [20.0, 27.0]), false, "along a part of a side"),
            (&square, &rectangle([10.0, 10.0], [20.0, 20.0]), false, "corner to corner"),
            (&square, &rectangle([40.0, 0.0], [50.0, 10.0]), false, "apart"),
            (&horseshoe, &rectangle([12.0, 12.0], [18.0, 40.0]), false, "between its arms"),
            (&horseshoe, &rectangle([12.0, 5.0], [18.0, 40.0]), true, "into its bow"),
            (&square, &circle([13.0, 5.0], 4.0), true, "a circle that reaches over a side"),
            (&square, &circle([15.0, 5.0], 5.0), false, "a circle that touches a side"),
            (&square, &circle([5.0, 5.0], 2.0), true, "a circle within"),
            (&square, &circle([5.0, 5.0], 100.0), true, "a circle around"),
            (&square, &circle([12.0, 12.0], 2.5), false, "a circle whose box alone reaches in"),
            (&circle([0.0, 0.0], 5.0), &circle([8.0, 0.0], 4.0), true, "two circles"),
            (&circle([0.0, 0.0], 5.0), &circle([9.0, 0.0], 4.0), false, "two that touch"),
        ] {
            assert_eq!((one.overlaps(other), other.overlaps(one)), (overlap, overlap), "{what}");
        }
    }

    #[test]
    fn a_shape_is_the_same_after_a_way_through_another_datum() {
        let drawn = |datum| Ring::draw(&[[118.1, 24.5], [118.101, 24.5], [118.101, 24.501]], datum).unwrap();
        let first = drawn(Datum::Gcj02);
        let back: Vec<[f64; 2]> = first
            .corners()
            .iter()
            .map(|corner| vocabulary::Gcj02::from(*corner))
            .map(|corner| [corner.lng(), corner.lat()])
            .collect();
        let again = Shape::Polygon(Ring::draw(&back, Datum::Gcj02).unwrap());
        assert!(again.is_as(&Shape::Polygon(first)));
        assert!(!again.is_as(&Shape::Polygon(drawn(Datum::Wgs84))));
        let of_wgs = rectangle([0.0, 0.0], [10.0, 10.0]);
        assert!(!of_wgs.is_as(&rectangle([0.0, 0.0], [10.0, 10.01])));
        assert!(circle([0.0, 0.0], 5.0).is_as(&circle([0.0, 0.0], 5.0)));
        assert!(!circle([0.0, 0.0], 5.0).is_as(&circle([0.0, 0.0], 5.1)));
        assert!(!circle([0.0, 0.0], 5.0).is_as(&of_wgs));
    }

    /// A ring of 3 to 9 corners around a middle, each at its own distance.
    fn star() -> impl Strategy<Value = Shape> {
        let middle = (-30.0..30.0_f64, -30.0..30.0_f64);
        (middle, prop::collection::vec(4.0..30.0_f64, 3..10)).prop_map(|((east, north), far)| {
            let step = std::f64::consts::TAU / far.len() as f64;
            let corner = |(n, far): (usize, &f64)| {
                let (sin, cos) = (step * n as f64).sin_cos();
                [east + far * cos, north + far * sin]
            };
            ring(&far.iter().enumerate().map(corner).collect::<Vec<_>>())
        })
    }

    fn any_shape() -> impl Strategy<Value = Shape> {
        let circles = ((-30.0..30.0_f64, -30.0..30.0_f64), 1.0..20.0_f64)
            .prop_map(|((east, north), radius_m)| circle([east, north], radius_m));
        prop_oneof![star(), circles]
    }

    proptest! {
        /// Places tell the same: where one lies half a metre deep in both they overlap, and where they do not, none does.
        #[test]
        fn whoever_overlaps_shares_a_place(one in any_shape(), other in any_shape()) {
            let overlap = one.overlaps(&other);
            prop_assert_eq!(overlap, other.overlaps(&one));
            let outlines = [Outline::from(&one), Outline::from(&other)];
            for n in 0..60 * 60 {
                let [lng, lat] = at([f64::from(n % 60) * 2.0 - 60.0, f64::from(n / 60) * 2.0 - 60.0]);
                let place = Wgs84::new(lat, lng).unwrap();
                let plane = Plane::at(place);
                let deep = |outline: &Outline| outline.holds(place, &plane) && outline.edge_m(&plane) > 0.5;
                prop_assert!(overlap || !outlines.iter().all(deep), "{:?}", place);
            }
        }
    }

    #[test]
    fn a_circle_as_a_ring_has_its_area() {
        let circle = Shape::Circle(Circle::draw([118.1, 24.5], 300.0, Datum::Wgs84).unwrap());
        let ring = Ring::draw(&circle.closed(), Datum::Wgs84).unwrap();
        assert!(
            (ring.area_m2() / circle.area_m2() - 1.0).abs() < 1e-4,
            "{} {}",
            ring.area_m2(),
            circle.area_m2()
        );
        assert!(Circle::draw([118.1, 24.5], 0.5, Datum::Wgs84).is_err());
        assert!(Circle::draw([118.1, 24.5], f64::NAN, Datum::Wgs84).is_err());
    }
}
