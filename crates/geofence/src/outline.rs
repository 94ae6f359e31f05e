//! A shape made ready to be asked about many places.

use geo::kernels::{Kernel, Orientation, RobustKernel};
use vocabulary::Wgs84;

use crate::plane::{Plane, to_segment_m};
use crate::{Ring, Shape};

/// A ring with more corners than this keeps its sides by strips of latitude.
const FEW_CORNERS: usize = 24;

/// A box in degrees: `[lng, lat]` of its south-west and north-east corner.
pub type Bounds = [[f64; 2]; 2];

/// Whether two boxes have a point in common.
pub fn meet([a_min, a_max]: Bounds, [b_min, b_max]: Bounds) -> bool {
    (0..2).all(|axis| a_min[axis] <= b_max[axis] && b_min[axis] <= a_max[axis])
}

/// A ring or a circle with what makes answers quick.
#[derive(Clone, Debug)]
pub struct Outline {
    bounds: Bounds,
    edge: Edge,
}

#[derive(Clone, Debug)]
enum Edge {
    Ring { corners: Vec<[f64; 2]>, strips: Option<Strips> },
    Circle { center: [f64; 2], radius_m: f64 },
}

/// The sides of a ring that each of equally high strips of latitude meets.
#[derive(Clone, Debug)]
struct Strips {
    south: f64,
    per_degree: f64,
    sides: Vec<Vec<u32>>,
}

impl Strips {
    fn new(corners: &[[f64; 2]], [[_, south], [_, north]]: Bounds) -> Self {
        let count = corners.len() / 4;
        let per_degree = count as f64 / (north - south);
        let mut strips = Self { south, per_degree, sides: vec![Vec::new(); count] };
        for (n, (a, b)) in sides(corners).enumerate() {
            for strip in strips.at(a[1].min(b[1]))..=strips.at(a[1].max(b[1])) {
                strips.sides[strip].push(n as u32);
            }
        }
        strips
    }

    fn at(&self, lat: f64) -> usize {
        (((lat - self.south) * self.per_degree) as usize).min(self.sides.len() - 1)
    }
}

fn sides(corners: &[[f64; 2]]) -> impl Iterator<Item = ([f64; 2], [f64; 2])> + '_ {
    corners.iter().copied().zip(corners.iter().copied().cycle().skip(1))
}

/// Whether a point lies within the ring of these sides or on one of them: by the sides east of it, exactly.
#[expect(clippy::float_cmp, reason = "a point on a corner has its very degrees")]
fn within(point: [f64; 2], sides: impl Iterator<Item = ([f64; 2], [f64; 2])>) -> bool {
    let [x, y] = point;
    let mut is_within = false;
    for (a, b) in sides {
        let lies_along = a[1] == y && b[1] == y && x >= a[0].min(b[0]) && x <= a[0].max(b[0]);
        if lies_along || (a[0] == x && a[1] == y) {
            return true;
        }
        // A side holds its southern end and not its northern one.
        if (a[1] > y) == (b[1] > y) {
            continue;
        }
        match RobustKernel::orient2d(a.into(), b.into(), point.into()) {
            Orientation::Collinear => return true,
            turn => is_within ^= (turn == Orientation::CounterClockwise) == (b[1] > a[1]),
        }
    }
    is_within
}

impl From<&Shape> for Outline {
    fn from(shape: &Shape) -> Self {
        match shape {
            Shape::Polygon(ring) => ring.into(),
            Shape::Circle(circle) => {
                let center = [circle.center.lng(), circle.center.lat()];
                let plane = Plane::at(circle.center);
                let corner = |sign: f64| plane.degrees([sign * circle.radius_m, sign * circle.radius_m]);
                let edge = Edge::Circle { center, radius_m: circle.radius_m };
                Self { bounds: [corner(-1.0), corner(1.0)], edge }
            }
        }
    }
}

impl From<&Ring> for Outline {
    fn from(ring: &Ring) -> Self {
        let corners: Vec<[f64; 2]> = ring.corners().iter().map(|at| [at.lng(), at.lat()]).collect();
        let mut bounds = [corners[0]; 2];
        for corner in &corners {
            for axis in 0..2 {
                bounds[0][axis] = bounds[0][axis].min(corner[axis]);
                bounds[1][axis] = bounds[1][axis].max(corner[axis]);
            }
        }
        let strips = (corners.len() > FEW_CORNERS).then(|| Strips::new(&corners, bounds));
        Self { bounds, edge: Edge::Ring { corners, strips } }
    }
}

impl Outline {
    /// The box around it.
    pub const fn bounds(&self) -> Bounds {
        self.bounds
    }

    /// Whether a place lies within or on the edge; `plane` is the one at that place.
    pub fn holds(&self, place: Wgs84, plane: &Plane) -> bool {
        let point = [place.lng(), place.lat()];
        let [[west, south], [east, north]] = self.bounds;
        if point[0] < west || point[0] > east || point[1] < south || point[1] > north {
            return false;
        }
        match &self.edge {
            Edge::Circle { center, radius_m } => {
                let [east, north] = plane.flat(*center);
                east.hypot(north) <= *radius_m
            }
            Edge::Ring { corners, strips: None } => within(point, sides(corners)),
            Edge::Ring { corners, strips: Some(strips) } => {
                let near = strips.sides[strips.at(point[1])].iter().map(|n| *n as usize);
                let side = |n: usize| (corners[n], corners[if n + 1 == corners.len() { 0 } else { n + 1 }]);
                within(point, near.map(side))
            }
        }
    }

    /// Metres from the place of `plane` to the nearest point of the edge, from within or without.
    pub fn edge_m(&self, plane: &Plane) -> f64 {
        match &self.edge {
            Edge::Circle { center, radius_m } => {
                let [east, north] = plane.flat(*center);
                (east.hypot(north) - radius_m).abs()
            }
            Edge::Ring { corners, .. } => {
                let mut from = plane.flat(corners[corners.len() - 1]);
                let mut nearest_m = f64::INFINITY;
                for corner in corners {
                    let to = plane.flat(*corner);
                    nearest_m = nearest_m.min(to_segment_m(from, to));
                    from = to;
                }
                nearest_m
            }
        }
    }

    /// Metres that the place of `plane` lies outside of the edge; 0 within.
    pub fn beyond_m(&self, place: Wgs84, plane: &Plane) -> f64 {
        if self.holds(place, plane) { 0.0 } else { self.edge_m(plane) }
    }
}

#[cfg(test)]
mod tests {
    use geo::{Intersects, Point, Polygon};
    use vocabulary::Datum;

    use super::*;

    fn star(points: usize) -> Vec<[f64; 2]> {
        (0..points)
            .map(|n| {
                let angle = n as f64 / points as f64 * std::f64::consts::TAU;
                let far = if n % 2 == 0 { 0.01 } else { 0.004 };
                [118.1 + far * angle.cos(), 24.5 + far * angle.sin()]
            })
            .collect()
    }

    #[test]
    fn the_edge_and_its_corners_belong_to_it() {
        let corners = [[118.0, 24.0], [118.25, 24.0], [118.25, 24.25], [118.125, 24.5], [118.0, 24.25]];
        let outline = Outline::from(&Ring::draw(&corners, Datum::Wgs84).unwrap());
        let holds = |lng: f64, lat: f64| {
            let place = Wgs84::new(lat, lng).unwrap();
            outline.holds(place, &Plane::at(place))
        };
        assert!(corners.iter().all(|[lng, lat]| holds(*lng, *lat)));
        assert!(holds(118.125, 24.0) && holds(118.25, 24.125) && holds(118.1875, 24.375));
        assert!(!holds(118.1875, 24.376) && !holds(117.9999, 24.25) && !holds(118.2501, 24.25));
    }

    #[test]
    fn with_strips_or_without_it_holds_what_the_library_says() {
        for points in [4, 10, 24, 26, 400] {
            let corners = star(points);
            let polygon = Polygon::new(
                corners.iter().copied().map(<(f64, f64)>::from).collect::<Vec<_>>().into(),
                vec![],
            );
            let outline = Outline::from(&Ring::draw(&corners, Datum::Wgs84).unwrap());
            let mut within = 0;
            for n in 0..10_000 {
                let place = Wgs84::new(
                    24.488 + f64::from(n % 100) * 0.000_24,
                    118.088 + f64::from(n / 100) * 0.000_24,
                )
                .unwrap();
                let holds = outline.holds(place, &Plane::at(place));
                within += usize::from(holds);
                assert_eq!(
                    holds,
                    polygon.intersects(&Point::new(place.lng(), place.lat())),
                    "{points} corners, {place:?}"
                );
            }
            assert!(within > 500, "{points} corners hold {within}");
        }
    }
}
