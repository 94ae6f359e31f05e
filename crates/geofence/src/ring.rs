//! A simple ring on the globe: what every area and fence is drawn with.

use geo::{BooleanOps, InteriorPoint, Polygon};
use serde::{Deserialize, Serialize};
use vocabulary::{Datum, Wgs84};

use crate::{Outline, Plane, Shape};

/// A closed ring without crossings, WGS-84, kept open (the last corner is not the first again).
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
    /// Fewer than 3 or too many different corners.
    #[error("围栏需要 3 到 {most} 个顶点，现有 {count} 个")]
    Corners {
        /// So many there are.
        count: usize,
        /// So many there may be.
        most: usize,
    },
    /// A corner is not on the globe.
    #[error("第 {0} 个顶点的坐标不正确")]
    Corner(usize),
    /// Two sides cross, at `[lng, lat]` of the datum that it was drawn in.
    #[error("围栏的第 {first} 条边与第 {second} 条边在 {:.6}, {:.6} 附近相交", at[0], at[1])]
    Crossing {
        /// From this corner to the next, counted from 1.
        first: usize,
        /// From this corner to the next.
        second: usize,
        /// Where.
        at: [f64; 2],
    },
    /// The ring is too small to stand in.
    #[error("围栏面积只有 {0:.2} 平方米，至少需要 1 平方米")]
    TooSmall(f64),
    /// A polygon of so many rings: of none, or with holes.
    #[error("围栏需要且只能有一条边界线，不能有洞，现有 {0} 条")]
    Rings(usize),
    /// A circle too small or too large, metres.
    #[error("半径需在 1 到 20000 米之间，不能是 {0:.1} 米")]
    Radius(f64),
}

impl NotARing {
    /// Where on the map, `[lng, lat]` of the datum that it was drawn in.
    pub const fn spot(&self) -> Option<[f64; 2]> {
        match self {
            Self::Crossing { at, .. } => Some(*at),
            Self::Corners { .. } | Self::Corner(_) | Self::TooSmall(_) | Self::Rings(_) | Self::Radius(_) => {
                None
            }
        }
    }
}

const MIN_AREA_M2: f64 = 1.0;
/// Corners that a fence may have.
const FENCE_CORNERS_MAX: usize = 500;
/// Corners that the edge of a service area may have.
const AREA_CORNERS_MAX: usize = 10_000;
/// What lies outside of an edge by less is drawing, not intent; metres.
const OVERLAP_TOLERANCE_M: f64 = 0.5;

impl Ring {
    /// From `[lng, lat]` corners of a fence in `datum`, 3 to 500; a repeated last corner is dropped.
    pub fn draw(corners: &[[f64; 2]], datum: Datum) -> Result<Self, NotARing> {
        Self::draw_up_to(FENCE_CORNERS_MAX, corners, datum)
    }

    /// From `[lng, lat]` corners of a service area in `datum`, 3 to 10,000; a repeated last corner is dropped.
    pub fn draw_area(corners: &[[f64; 2]], datum: Datum) -> Result<Self, NotARing> {
        Self::draw_up_to(AREA_CORNERS_MAX, corners, datum)
    }

    fn draw_up_to(most: usize, drawn: &[[f64; 2]], datum: Datum) -> Result<Self, NotARing> {
        let drawn = match drawn {
            // The same bytes, as GeoJSON closes a ring; not "near each other".
            [rest @ .., last] if rest.first().is_some_and(|first| same(first, last)) => rest,
            drawn => drawn,
        };
        if !(3..=most).contains(&drawn.len()) {
            return Err(NotARing::Corners { count: drawn.len(), most });
        }
        let corners = drawn
            .iter()
            .enumerate()
            .map(|(n, [lng, lat])| Wgs84::from_datum(datum, *lat, *lng).map_err(|_| NotARing::Corner(n + 1)))
            .collect::<Result<Vec<_>, _>>()?;
        let ring = Self { corners, datum };
        if let Some((first, second)) = crossing(&ring.plane()) {
            let (a, b) = (drawn[first], drawn[(first + 1) % drawn.len()]);
            let (c, d) = (drawn[second], drawn[(second + 1) % drawn.len()]);
            return Err(NotARing::Crossing {
                first: first + 1,
                second: second + 1,
                at: meeting((a, b), (c, d)),
            });
        }
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

    /// Area in square metres, on the plane at the first corner; good to a thousandth for a city.
    pub fn area_m2(&self) -> f64 {
        let points = self.plane();
        let next = points.iter().cycle().skip(1);
        let sum: f64 = points.iter().zip(next).map(|(a, b)| a[0] * b[1] - b[0] * a[1]).sum();
        sum.abs() / 2.0
    }

    /// Whether `place` lies within or on the edge.
    pub fn holds(&self, place: Wgs84) -> bool {
        Outline::from(self).holds(place, &Plane::at(place))
    }

    /// Where `inner` reaches out of this ring by more than half a metre: the `[lng, lat]` that is furthest out, WGS-84.
    pub fn protrusion(&self, inner: &Shape) -> Option<[f64; 2]> {
        let outline = Outline::from(self);
        if self.is_deep_within(inner, &outline) {
            return None;
        }
        let rest = polygon(inner.closed()).difference(&polygon(self.closed()));
        // Where it bridges a bay, its corners out there lie on the edge itself; a point within does not.
        let points = rest.iter().flat_map(|part| part.exterior().points().chain(part.interior_point()));
        let beyond_m = points.map(|at| [at.x(), at.y()]).filter_map(|[lng, lat]| {
            let place = Wgs84::new(lat, lng).ok()?;
            Some(([lng, lat], outline.beyond_m(place, &Plane::at(place))))
        });
        let furthest = beyond_m.max_by(|a, b| a.1.total_cmp(&b.1));
        furthest.filter(|(_, beyond_m)| *beyond_m > OVERLAP_TOLERANCE_M).map(|(at, _)| at)
    }

    /// Whether no side of this ring comes near the box of `inner`, and it lies within. Of many fences most do.
    fn is_deep_within(&self, inner: &Shape, outline: &Outline) -> bool {
        let [min, max] = Outline::from(inner).bounds();
        let apart = |a: f64, b: f64, axis: usize| a.max(b) < min[axis] || a.min(b) > max[axis];
        let mut from = self.corners[self.corners.len() - 1];
        self.corners.iter().all(|to| {
            let side = (std::mem::replace(&mut from, *to), to);
            apart(side.0.lng(), side.1.lng(), 0) || apart(side.0.lat(), side.1.lat(), 1)
        }) && outline.holds(inner.center(), &Plane::at(inner.center()))
    }

    fn plane(&self) -> Vec<[f64; 2]> {
        let plane = Plane::at(self.corners[0]);
        self.corners.iter().map(|corner| plane.flat([corner.lng(), corner.lat()])).collect()
    }
}

/// A polygon of closed `[lng, lat]` corners.
pub(crate) fn polygon(closed: Vec<[f64; 2]>) -> Polygon {
    Polygon::new(closed.into_iter().map(<(f64, f64)>::from).collect::<Vec<_>>().into(), Vec::new())
}

fn same(a: &[f64; 2], b: &[f64; 2]) -> bool {
    a.map(f64::to_bits) == b.map(f64::to_bits)
}

type Point = [f64; 2];

/// The first two sides that meet without being neighbours. Sides are looked at from west to east, each beside those alone
/// that reach as far.
fn crossing(points: &[Point]) -> Option<(usize, usize)> {
    let count = points.len();
    let side = |n: usize| (points[n], points[(n + 1) % count]);
    let west = |n: usize| side(n).0[0].min(side(n).1[0]);
    let mut order: Vec<usize> = (0..count).collect();
    order.sort_by(|a, b| west(*a).total_cmp(&west(*b)));
    let mut open: Vec<usize> = Vec::new();
    let mut found: Option<(usize, usize)> = None;
    for next in order {
        open.retain(|known| side(*known).0[0].max(side(*known).1[0]) >= west(next));
        for known in &open {
            let pair = (next.min(*known), next.max(*known));
            let are_neighbours = pair.1 - pair.0 == 1 || pair == (0, count - 1);
            if !are_neighbours && cross(side(pair.0), side(pair.1)) && found.is_none_or(|held| pair < held) {
                found = Some(pair);
            }
        }
        open.push(next);
    }
    found
}

/// Whether two sides that share no corner meet.
fn cross((a, b): (Point, Point), (c, d): (Point, Point)) -> bool {
    let turn = |o: Point, p: Point, q: Point| (p[0] - o[0]) * (q[1] - o[1]) - (p[1] - o[1]) * (q[0] - o[0]);
    let between = |p: Point, q: Point, r: Point| {
        (0..2).all(|axis| r[axis] >= p[axis].min(q[axis]) && r[axis] <= p[axis].max(q[axis]))
    };
    let (t1, t2, t3, t4) = (turn(a, b, c), turn(a, b, d), turn(c, d, a), turn(c, d, b));
    ((t1 > 0.0) != (t2 > 0.0) && (t3 > 0.0) != (t4 > 0.0) && t1 != 0.0 && t2 != 0.0 && t3 != 0.0 && t4 != 0.0)
        || (t1 == 0.0 && between(a, b, c))
        || (t2 == 0.0 && between(a, b, d))
        || (t3 == 0.0 && between(c, d, a))
        || (t4 == 0.0 && between(c, d, b))
}

/// Where the lines of two sides meet; of sides that lie along each other a corner.
fn meeting((a, b): (Point, Point), (c, d): (Point, Point)) -> Point {
    let (one, other) = ([b[0] - a[0], b[1] - a[1]], [d[0] - c[0], d[1] - c[1]]);
    let across = one[0] * other[1] - one[1] * other[0];
    if across == 0.0 {
        return c;
    }
    let along = ((c[0] - a[0]) * other[1] - (c[1] - a[1]) * other[0]) / across;
    [a[0] + along * one[0], a[1] + along * one[1]]
}

#[cfg(test)]
mod tests {
    use super::*;

    const SQUARE: [[f64; 2]; 5] =
        [[118.0, 24.0], [118.001, 24.0], [118.001, 24.001], [118.0, 24.001], [118.0, 24.0]];

    fn ring(corners: &[[f64; 2]]) -> Ring {
        Ring::draw(corners, Datum::Wgs84).unwrap()
    }

    #[test]
    fn a_square_is_a_ring_of_the_right_size() {
        let ring = ring(&SQUARE);
        assert_eq!(ring.corners().len(), 4);
        // 0.001° at 24° of latitude: 110.77 m by 101.75 m.
        assert!((ring.area_m2() / (110.77 * 101.75) - 1.0).abs() < 1e-3, "{}", ring.area_m2());
        assert_eq!(ring.closed(), SQUARE);
    }

    #[test]
    fn a_bow_tie_is_refused_with_its_sides_and_the_spot() {
        let tie = [[118.0, 24.0], [118.001, 24.001], [118.001, 24.0], [118.0, 24.001]];
        let refused = Ring::draw(&tie, Datum::Wgs84).unwrap_err();
        let Some([lng, lat]) = refused.spot() else { panic!("{refused:?}") };
        assert!((lng - 118.0005).abs() < 1e-9 && (lat - 24.0005).abs() < 1e-9, "{refused}");
        assert!(matches!(refused, NotARing::Crossing { first: 1, second: 3, .. }), "{refused:?}");
    }

    #[test]
    fn a_ring_that_touches_itself_is_refused() {
        let touching = [[0.0, 0.0], [0.002, 0.0], [0.002, 0.002], [0.001, 0.0], [0.0, 0.002]];
        assert!(matches!(Ring::draw(&touching, Datum::Wgs84), Err(NotARing::Crossing { first: 1, .. })));
    }

    #[test]
    fn corners_that_are_too_few_too_many_or_not_on_the_globe_are_refused() {
        assert_eq!(Ring::draw(&SQUARE[..2], Datum::Wgs84), Err(NotARing::Corners { count: 2, most: 500 }));
        assert_eq!(
            Ring::draw(&[[118.0, 24.0], [118.0, 124.0], [119.0, 24.0]], Datum::Wgs84),
            Err(NotARing::Corner(2))
        );
        let round: Vec<[f64; 2]> = (0..10_001)
            .map(|n| (f64::from(n) / 10_001.0 * std::f64::consts::TAU).sin_cos())
            .map(|(sin, cos)| [118.0 + 0.1 * cos, 24.0 + 0.1 * sin])
            .collect();
        assert!(matches!(Ring::draw(&round[..501], Datum::Wgs84), Err(NotARing::Corners { .. })));
        assert!(matches!(Ring::draw_area(&round, Datum::Wgs84), Err(NotARing::Corners { most: 10_000, .. })));
        assert_eq!(
            Ring::draw_area(&round[..10_000], Datum::Wgs84).map(|ring| ring.corners().len()),
            Ok(10_000)
        );
    }

    #[test]
    fn a_ring_drawn_on_a_chinese_map_lies_where_gps_says() {
        let drawn = Ring::draw(&SQUARE, Datum::Gcj02).unwrap();
        assert!(vocabulary::distance_m(drawn.corners()[0], Wgs84::new(24.0, 118.0).unwrap()) > 300.0);
    }

    #[test]
    fn what_reaches_out_is_told_where_even_between_the_corners() {
        // An area like a horseshoe: a fence across its mouth has all corners inside, and reaches out.
        let horseshoe = ring(&[
            [118.0, 24.0],
            [118.03, 24.0],
            [118.03, 24.03],
            [118.02, 24.03],
            [118.02, 24.01],
            [118.01, 24.01],
            [118.01, 24.03],
            [118.0, 24.03],
        ]);
        let across =
            Shape::Polygon(ring(&[[118.005, 24.02], [118.025, 24.02], [118.025, 24.021], [118.005, 24.021]]));
        let [lng, _] = horseshoe.protrusion(&across).unwrap();
        assert!((118.01..=118.02).contains(&lng), "{lng}");
        let within = Shape::Polygon(ring(&[
            [118.001, 24.001],
            [118.009, 24.001],
            [118.009, 24.009],
            [118.001, 24.009],
        ]));
        assert_eq!(horseshoe.protrusion(&within), None);
        // A third of a metre is drawing.
        let nearly = Shape::Polygon(ring(&[[117.999_997, 24.001], [118.009, 24.001], [118.009, 24.009]]));
        assert_eq!(horseshoe.protrusion(&nearly), None);
        let beyond = Shape::Polygon(ring(&[[117.999_99, 24.001], [118.009, 24.001], [118.009, 24.009]]));
        assert!(horseshoe.protrusion(&beyond).is_some());
    }
}
