//! The ground about a place as a plane in metres.

use vocabulary::Wgs84;

/// Half the longer axis of the WGS-84 ellipsoid, metres, and the square of its first eccentricity (NIMA TR8350.2).
const SEMI_MAJOR_M: f64 = 6_378_137.0;
const ECCENTRICITY_2: f64 = 0.006_694_379_990_14;

/// The plane that touches the WGS-84 ellipsoid at a place: `[east, north]` in metres from it. A distance of a kilometre
/// is off by less than a tenth of a metre.
#[derive(Clone, Copy, Debug)]
pub struct Plane {
    lng: f64,
    lat: f64,
    east_m: f64,
    north_m: f64,
}

impl Plane {
    /// The plane at `place`.
    pub fn at(place: Wgs84) -> Self {
        let (sin, cos) = place.lat().to_radians().sin_cos();
        let flat = 1.0 - ECCENTRICITY_2 * sin * sin;
        let across_m = SEMI_MAJOR_M / flat.sqrt();
        Self {
            lng: place.lng(),
            lat: place.lat(),
            east_m: (across_m * cos).to_radians(),
            north_m: (across_m * (1.0 - ECCENTRICITY_2) / flat).to_radians(),
        }
    }

    /// Where `[lng, lat]` degrees lie on it.
    pub fn flat(&self, [lng, lat]: [f64; 2]) -> [f64; 2] {
        [(lng - self.lng) * self.east_m, (lat - self.lat) * self.north_m]
    }

    /// The `[lng, lat]` degrees of a point on it.
    pub fn degrees(&self, [east, north]: [f64; 2]) -> [f64; 2] {
        [self.lng + east / self.east_m, self.lat + north / self.north_m]
    }

    /// Metres that a degree of longitude or latitude has here at least.
    pub fn least_degree_m(&self) -> f64 {
        self.east_m.min(self.north_m)
    }
}

/// Metres from the origin of the plane to the line from `a` to `b`.
pub fn to_segment_m(a: [f64; 2], b: [f64; 2]) -> f64 {
    let (dx, dy) = (b[0] - a[0], b[1] - a[1]);
    let length2 = dx * dx + dy * dy;
    let along = if length2 == 0.0 { 0.0 } else { (-(a[0] * dx + a[1] * dy) / length2).clamp(0.0, 1.0) };
    (a[0] + along * dx).hypot(a[1] + along * dy)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn degrees_are_as_long_as_on_the_ellipsoid() {
        // Lengths of a degree at 45°: 111,131.8 m north, 78,846.8 m east (published tables of WGS-84).
        let plane = Plane::at(Wgs84::new(45.0, 8.0).unwrap());
        let [east, north] = plane.flat([9.0, 46.0]);
        assert!((north - 111_131.8).abs() < 0.2, "{north}");
        assert!((east - 78_846.8).abs() < 0.2, "{east}");
        let [lng, lat] = plane.degrees([east, north]);
        assert!((lng - 9.0).abs() < 1e-12 && (lat - 46.0).abs() < 1e-12);
    }

    #[test]
    fn the_nearest_of_a_segment_is_its_foot_or_an_end() {
        let is = |a, b, metres: f64| (to_segment_m(a, b) - metres).abs() < 1e-12;
        assert!(is([-1.0, 2.0], [1.0, 2.0], 2.0));
        assert!(is([3.0, 4.0], [6.0, 8.0], 5.0));
        assert!(is([3.0, 4.0], [3.0, 4.0], 5.0));
    }
}
