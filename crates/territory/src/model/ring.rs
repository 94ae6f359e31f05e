//! A simple ring on the globe: what every area and fence is drawn with.

use geo::{Contains, Distance, Euclidean};
use serde::{Deserialize, Serialize};
use vocabulary::{Datum, Wgs84};

/// A closed ring of 3 to 500 corners without crossings, WGS-84, kept open (the last corner is not the first again).
/// Drawn in `datum`; what was drawn can be given back by converting.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Ring {
    corners: Vec<Wgs84>,
    /// The datum it was drawn in.
    pub datum: Datum,
}

/// Why corners are no ring.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum NotARing {
    /// Fewer than 3 or more than 500 different corners.
    #[error("围栏需要 3 到 500 个顶点，现有 {0} 个")]
    Corners(usize),
    /// A corner is not on the globe.
    #[error("第 {0} 个顶点的坐标不正确")]
    Corner(usize),
    /// Two sides cross.
    #[error("围栏的第 {0} 条边与第 {1} 条边相交")]
    Crossing(usize, usize),
    /// The ring is too small to stand in.
    #[error("围栏面积只有 {0:.2} 平方米，至少需要 1 平方米")]
    TooSmall(f64),
}

const METRES_A_DEGREE: f64 = 111_195.08;
const MIN_AREA_M2: f64 = 1.0;

impl Ring {
    /// From `[lng, lat]` corners in `datum`; a repeated last corner is dropped.
    pub fn draw(corners: &[[f64; 2]], datum: Datum) -> Result<Self, NotARing> {
        let corners = match corners {
            // The same bytes, as GeoJSON closes a ring; not "near each other".
            [first, .., last] if first.map(f64::to_bits) == last.map(f64::to_bits) => {
                &corners[..corners.len() - 1]
            }
            corners => corners,
        };
        if !(3..=500).contains(&corners.len()) {
            return Err(NotARing::Corners(corners.len()));
        }
        let corners = corners
            .iter()
            .enumerate()
            .map(|(n, [lng, lat])| Wgs84::from_datum(datum, *lat, *lng).map_err(|_| NotARing::Corner(n + 1)))
            .collect::<Result<Vec<_>, _>>()?;
        let ring = Self { corners, datum };
        ring.check_sides()?;
        let area_m2 = ring.area_m2();
        if area_m2 < MIN_AREA_M2 { Err(NotARing::TooSmall(area_m2)) } else { Ok(ring) }
    }

    /// The corners, WGS-84.
    pub fn corners(&self) -> &[Wgs84] {
        &self.corners
    }

    /// `[lng, lat]` corners in WGS-84, the first repeated at the end, as GeoJSON wants it.
    pub fn closed(&self) -> Vec<[f64; 2]> {
        self.corners.iter().chain(self.corners.first()).map(|corner| [corner.lng(), corner.lat()]).collect()
    }

    /// Area in square metres, on a plane tangent at the first corner; good to a thousandth for a city.
    pub fn area_m2(&self) -> f64 {
        let points = self.plane();
        let sum: f64 =
            points.iter().zip(points.iter().cycle().skip(1)).map(|(a, b)| a.0 * b.1 - b.0 * a.1).sum();
        sum.abs() / 2.0
    }

    /// Whether `place` lies within, or outside by no more than `tolerance_m`.
    pub fn holds(&self, place: Wgs84, tolerance_m: f64) -> bool {
        let polygon = geo::Polygon::new(self.plane().into(), Vec::new());
        let point = geo::Point::from(self.project(place));
        polygon.contains(&point) || Euclidean.distance(&point, &polygon) <= tolerance_m
    }

    /// Whether every corner of `inner` lies within this ring.
    pub fn encloses(&self, inner: &Self) -> bool {
        inner.corners.iter().all(|corner| self.holds(*corner, 0.5))
    }

    fn project(&self, place: Wgs84) -> (f64, f64) {
        let origin = self.corners[0];
        let east_m = (place.lng() - origin.lng()) * METRES_A_DEGREE * origin.lat().to_radians().cos();
        (east_m, (place.lat() - origin.lat()) * METRES_A_DEGREE)
    }

    fn plane(&self) -> Vec<(f64, f64)> {
        self.corners.iter().map(|corner| self.project(*corner)).collect()
    }

    fn check_sides(&self) -> Result<(), NotARing> {
        let points = self.plane();
        let count = points.len();
        let side = |n: usize| (points[n], points[(n + 1) % count]);
        for first in 0..count {
            for second in first + 2..count {
                let neighbours = first == 0 && second == count - 1;
                if !neighbours && cross(side(first), side(second)) {
                    return Err(NotARing::Crossing(first + 1, second + 1));
                }
            }
        }
        Ok(())
    }
}

type Point = (f64, f64);

/// Whether two sides that share no corner meet.
fn cross((a, b): (Point, Point), (c, d): (Point, Point)) -> bool {
    let turn = |o: Point, p: Point, q: Point| (p.0 - o.0) * (q.1 - o.1) - (p.1 - o.1) * (q.0 - o.0);
    let between = |p: Point, q: Point, r: Point| {
        r.0 >= p.0.min(q.0) && r.0 <= p.0.max(q.0) && r.1 >= p.1.min(q.1) && r.1 <= p.1.max(q.1)
    };
    let (t1, t2, t3, t4) = (turn(a, b, c), turn(a, b, d), turn(c, d, a), turn(c, d, b));
    ((t1 > 0.0) != (t2 > 0.0) && (t3 > 0.0) != (t4 > 0.0) && t1 != 0.0 && t2 != 0.0 && t3 != 0.0 && t4 != 0.0)
        || (t1 == 0.0 && between(a, b, c))
        || (t2 == 0.0 && between(a, b, d))
        || (t3 == 0.0 && between(c, d, a))
        || (t4 == 0.0 && between(c, d, b))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SQUARE: [[f64; 2]; 5] =
        [[118.0, 24.0], [118.001, 24.0], [118.001, 24.001], [118.0, 24.001], [118.0, 24.0]];

    #[test]
    fn a_square_is_a_ring_of_the_right_size() {
        let ring = Ring::draw(&SQUARE, Datum::Wgs84).unwrap();
        assert_eq!(ring.corners().len(), 4);
        assert!((ring.area_m2() / (111.195 * 111.195 * 24f64.to_radians().cos()) - 1.0).abs() < 0.01);
        assert_eq!(ring.closed(), SQUARE);
    }

    #[test]
    fn a_bow_tie_is_refused_with_its_sides() {
        let tie = [[118.0, 24.0], [118.001, 24.001], [118.001, 24.0], [118.0, 24.001]];
        assert_eq!(Ring::draw(&tie, Datum::Wgs84), Err(NotARing::Crossing(1, 3)));
    }

    #[test]
    fn corners_that_are_too_few_or_not_on_the_globe_are_refused() {
        assert_eq!(Ring::draw(&SQUARE[..2], Datum::Wgs84), Err(NotARing::Corners(2)));
        assert_eq!(
            Ring::draw(&[[118.0, 24.0], [118.0, 124.0], [119.0, 24.0]], Datum::Wgs84),
            Err(NotARing::Corner(2))
        );
    }

    #[test]
    fn a_tolerance_reaches_over_the_edge_and_no_further() {
        let ring = Ring::draw(&SQUARE, Datum::Wgs84).unwrap();
        let outside = Wgs84::new(24.0005, 117.9999).unwrap(); // about 10 m west
        assert!(!ring.holds(outside, 0.0));
        assert!(!ring.holds(outside, 5.0));
        assert!(ring.holds(outside, 15.0));
    }

    #[test]
    fn a_ring_drawn_on_a_chinese_map_lies_where_gps_says() {
        let drawn = Ring::draw(&SQUARE, Datum::Gcj02).unwrap();
        assert!(vocabulary::distance_m(drawn.corners()[0], Wgs84::new(24.0, 118.0).unwrap()) > 300.0);
    }
}
