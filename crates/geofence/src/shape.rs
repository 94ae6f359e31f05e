//! What a fence may look like.

use serde::{Deserialize, Serialize};
use vocabulary::{Datum, Wgs84};

use crate::{NotARing, Ring};

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
        let plane = crate::Plane::at(self.center);
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

    /// Its middle: of the corners' box, or of the circle.
    pub fn center(&self) -> Wgs84 {
        match self {
            Self::Circle(circle) => circle.center,
            Self::Polygon(ring) => {
                let [[west, south], [east, north]] = crate::Outline::from(ring).bounds();
                Wgs84::new(f64::midpoint(south, north), f64::midpoint(west, east))
                    .unwrap_or(ring.corners()[0])
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
