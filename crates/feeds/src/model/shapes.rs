//! Ground as polygons: what is left of a place where another counts more, and how GeoJSON writes it.

use geo::orient::{Direction, Orient};
use geo::{Area, BooleanOps, BoundingRect, Contains, LineString, MultiPolygon, Point, Polygon};
use geofence::Plane;
use serde::Serialize;
use utoipa::ToSchema;
use vocabulary::Wgs84;

/// What is left of a place in pieces smaller than this is rounding, not ground; square metres.
const PIECE_MIN_M2: f64 = 1.0;
/// Digits of a degree: a centimetre.
const DIGITS: f64 = 1e7;

/// Rings of `[lng, lat]` corners, closed: of each polygon the outer one counter-clockwise, then its holes clockwise.
pub(crate) type Coordinates = Vec<Vec<Vec<[f64; 2]>>>;

/// A GeoJSON MultiPolygon.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[schema(as = OpenMultiPolygon)]
pub(crate) struct Geometry {
    /// MultiPolygon.
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// Its polygons, each the outer ring and its holes.
    #[schema(value_type = Vec<Vec<Vec<Vec<f64>>>>)]
    pub coordinates: Coordinates,
}

/// A polygon of closed `[lng, lat]` corners.
pub(crate) fn polygon(closed: Vec<[f64; 2]>) -> Polygon {
    Polygon::new(LineString::from(closed.into_iter().map(<(f64, f64)>::from).collect::<Vec<_>>()), Vec::new())
}

/// A piece of ground, with the box around it.
#[derive(Clone, Debug)]
pub(crate) struct Piece {
    ground: MultiPolygon,
    bounds: geofence::Bounds,
}

impl Piece {
    /// Within closed `[lng, lat]` corners, whose box is `bounds`.
    pub(crate) fn new(closed: Vec<[f64; 2]>, bounds: geofence::Bounds) -> Self {
        Self { ground: MultiPolygon::new(vec![polygon(closed)]), bounds }
    }

    fn meets(&self, other: &Self) -> bool {
        let ([min, max], [other_min, other_max]) = (self.bounds, other.bounds);
        (0..2).all(|axis| min[axis] <= other_max[axis] && other_min[axis] <= max[axis])
    }

    /// What is left of it without `others`; nothing where that is nowhere to stand.
    pub(crate) fn without<'a>(mut self, others: impl IntoIterator<Item = &'a Self>) -> Option<Self> {
        for other in others {
            if self.meets(other) {
                self.ground = self.ground.difference(&other.ground);
            }
        }
        let [[west, south], _] = self.bounds;
        let plane = Plane::at(Wgs84::new(south, west).ok()?);
        let [east_m, north_m] = plane.flat([west + 1.0, south + 1.0]);
        self.ground.0.retain(|piece| piece.unsigned_area() * east_m * north_m >= PIECE_MIN_M2);
        (!self.ground.0.is_empty()).then_some(self)
    }

    /// The middle of its box, or where that lies outside a place within.
    pub(crate) fn middle(&self) -> [f64; 2] {
        let middle = self.ground.bounding_rect().map(|around| Point::from(around.center()));
        let within = middle.filter(|middle| self.ground.contains(middle)).or_else(|| {
            let largest = self.ground.iter().max_by(|a, b| a.unsigned_area().total_cmp(&b.unsigned_area()));
            largest.and_then(geo::InteriorPoint::interior_point)
        });
        within.or(middle).map_or(self.bounds[0], |place| [rounded(place.x()), rounded(place.y())])
    }

    /// As GeoJSON writes it.
    pub(crate) fn geometry(&self) -> Geometry {
        let oriented = self.ground.orient(Direction::Default);
        let ring = |ring: &LineString| {
            let mut corners: Vec<[f64; 2]> =
                ring.coords().map(|corner| [rounded(corner.x), rounded(corner.y)]).collect();
            corners.dedup();
            corners
        };
        let rings = |polygon: &Polygon| {
            let all = std::iter::once(polygon.exterior()).chain(polygon.interiors());
            all.map(ring).filter(|ring| ring.len() >= 4).collect()
        };
        Geometry { kind: "MultiPolygon", coordinates: oriented.iter().map(rings).collect() }
    }
}

fn rounded(degrees: f64) -> f64 {
    (degrees * DIGITS).round() / DIGITS
}

#[cfg(test)]
mod tests {
    use super::*;

    /// In thousandths of a degree from 118.1, 24.5.
    fn square(west: f64, south: f64, east: f64, north: f64) -> Piece {
        let at = |x: f64, y: f64| [118.1 + x / 1000.0, 24.5 + y / 1000.0];
        // Clockwise, as many a source draws it.
        let corners =
            vec![at(west, south), at(west, north), at(east, north), at(east, south), at(west, south)];
        Piece::new(corners, [at(west, south), at(east, north)])
    }

    fn signed(ring: &[[f64; 2]]) -> f64 {
        ring.windows(2).map(|side| side[0][0] * side[1][1] - side[1][0] * side[0][1]).sum()
    }

    #[test]
    fn what_is_left_lies_beside_what_was_cut_out() {
        let left = square(0.0, 0.0, 2.0, 1.0).without([&square(1.0, -1.0, 3.0, 2.0)]).unwrap();
        let Geometry { coordinates, .. } = left.geometry();
        assert_eq!((coordinates.len(), coordinates[0].len()), (1, 1));
        let ring = &coordinates[0][0];
        assert!(ring.iter().all(|[lng, _]| *lng <= 118.101), "{ring:?}");
        assert_eq!(ring.first(), ring.last());
        assert!(signed(ring) > 0.0, "counter-clockwise: {ring:?}");
        let [lng, lat] = left.middle();
        assert!((118.1..118.101).contains(&lng) && (24.5..24.501).contains(&lat), "{lng} {lat}");
    }

    #[test]
    fn a_hole_runs_the_other_way() {
        let left = square(0.0, 0.0, 3.0, 3.0).without([&square(1.0, 1.0, 2.0, 2.0)]).unwrap();
        let Geometry { coordinates, .. } = left.geometry();
        assert_eq!(coordinates[0].len(), 2);
        assert!(signed(&coordinates[0][0]) > 0.0 && signed(&coordinates[0][1]) < 0.0, "{coordinates:?}");
        let [lng, lat] = left.middle();
        assert!(!((118.101..118.102).contains(&lng) && (24.501..24.502).contains(&lat)), "in the hole");
    }

    #[test]
    fn two_sides_of_a_ban_are_two_pieces_and_under_one_is_nothing() {
        let cross = square(1.0, -1.0, 2.0, 4.0);
        let left = square(0.0, 0.0, 3.0, 1.0).without([&cross]).unwrap();
        assert_eq!(left.geometry().coordinates.len(), 2);
        assert!(square(0.0, 0.0, 3.0, 1.0).without([&square(-1.0, -1.0, 4.0, 2.0)]).is_none());
        // A strip of a millimetre is rounding.
        assert!(square(0.0, 0.0, 3.0, 1.0).without([&square(-1.0, -1.0, 4.0, 0.999_99)]).is_none());
    }

    #[test]
    fn what_lies_elsewhere_leaves_it_as_it_was() {
        let whole = square(0.0, 0.0, 1.0, 1.0).geometry();
        assert_eq!(
            square(0.0, 0.0, 1.0, 1.0).without([&square(5.0, 5.0, 6.0, 6.0)]).unwrap().geometry(),
            whole
        );
        assert!(signed(&whole.coordinates[0][0]) > 0.0);
    }
}
