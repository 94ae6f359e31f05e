//! Plane geometry for a made-up city: metres on a local plane, and the way to degrees and back.

use vocabulary::Wgs84;

/// A point on the city's plane: metres east and north of its origin.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Xy {
    /// Metres east.
    pub x: f64,
    /// Metres north.
    pub y: f64,
}

impl Xy {
    /// From metres east and north.
    pub const fn new(x: f64, y: f64) -> Self {
        Self { x, y }
    }

    /// This point moved by `dx` and `dy` metres.
    #[must_use]
    pub fn moved(self, dx: f64, dy: f64) -> Self {
        Self::new(self.x + dx, self.y + dy)
    }

    /// Metres to `other`.
    pub fn distance_m(self, other: Self) -> f64 {
        (self.x - other.x).hypot(self.y - other.y)
    }

    /// The point at share `t` of the way to `other`.
    #[must_use]
    pub fn towards(self, other: Self, t: f64) -> Self {
        Self::new(self.x + (other.x - self.x) * t, self.y + (other.y - self.y) * t)
    }

    /// Compass bearing to `other`, degrees clockwise from north, 0 to 360.
    pub fn bearing_deg(self, other: Self) -> f64 {
        (other.x - self.x).atan2(other.y - self.y).to_degrees().rem_euclid(360.0)
    }
}

const METRES_PER_DEGREE: f64 = 111_319.490_793;

/// A local plane touching the globe at its origin; good to a few centimetres over a city.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plane {
    lat: f64,
    lng: f64,
    metres_per_lng: f64,
}

impl Plane {
    /// The plane whose (0, 0) lies at these degrees.
    pub fn at(lat: f64, lng: f64) -> Self {
        Self { lat, lng, metres_per_lng: METRES_PER_DEGREE * lat.to_radians().cos() }
    }

    /// Longitude and latitude of a point, degrees WGS-84.
    pub fn lng_lat(&self, p: Xy) -> (f64, f64) {
        (self.lng + p.x / self.metres_per_lng, self.lat + p.y / METRES_PER_DEGREE)
    }

    /// The point at these degrees.
    pub fn xy(&self, lng: f64, lat: f64) -> Xy {
        Xy::new((lng - self.lng) * self.metres_per_lng, (lat - self.lat) * METRES_PER_DEGREE)
    }

    /// The same place as a coordinate of the system; none when it fell off the globe.
    pub fn wgs84(&self, p: Xy) -> Option<Wgs84> {
        let (lng, lat) = self.lng_lat(p);
        Wgs84::new(lat, lng).ok()
    }
}

/// Metres between two places given in degrees, on the sphere.
pub fn ground_distance_m(lng_a: f64, lat_a: f64, lng_b: f64, lat_b: f64) -> f64 {
    let (phi_a, phi_b) = (lat_a.to_radians(), lat_b.to_radians());
    let half_lat = (phi_b - phi_a) / 2.0;
    let half_lng = (lng_b - lng_a).to_radians() / 2.0;
    let h = half_lat.sin().powi(2) + phi_a.cos() * phi_b.cos() * half_lng.sin().powi(2);
    2.0 * 6_371_008.8 * h.sqrt().min(1.0).asin()
}

/// Whether a point lies in a ring (even-odd rule; the ring need not repeat its first point).
pub fn inside(ring: &[Xy], p: Xy) -> bool {
    let mut inside = false;
    let mut previous = match ring.last() {
        Some(last) => *last,
        None => return false,
    };
    for &corner in ring {
        if (corner.y > p.y) != (previous.y > p.y) {
            let x = (previous.x - corner.x) * (p.y - corner.y) / (previous.y - corner.y) + corner.x;
            if p.x < x {
                inside = !inside;
            }
        }
        previous = corner;
    }
    inside
}

/// Square metres of a ring; positive when counter-clockwise.
pub fn signed_area_m2(ring: &[Xy]) -> f64 {
    let mut sum = 0.0;
    for (i, a) in ring.iter().enumerate() {
        let b = ring[(i + 1) % ring.len()];
        sum += a.x * b.y - b.x * a.y;
    }
    sum / 2.0
}

/// Where two segments cross: the shares of the way along each, when both lie within 0 to 1.
pub fn crossing(first: (Xy, Xy), second: (Xy, Xy)) -> Option<(f64, f64)> {
    let ((a, b), (c, d)) = (first, second);
    let (rx, ry) = (b.x - a.x, b.y - a.y);
    let (sx, sy) = (d.x - c.x, d.y - c.y);
    let cross = rx * sy - ry * sx;
    if cross.abs() < 1e-9 {
        return None;
    }
    let along_first = ((c.x - a.x) * sy - (c.y - a.y) * sx) / cross;
    let along_second = ((c.x - a.x) * ry - (c.y - a.y) * rx) / cross;
    let both = (0.0..=1.0).contains(&along_first) && (0.0..=1.0).contains(&along_second);
    both.then_some((along_first, along_second))
}

/// Whether two rings share any area or edge crossing.
pub fn rings_overlap(a: &[Xy], b: &[Xy]) -> bool {
    let edges = |ring: &[Xy]| -> Vec<(Xy, Xy)> {
        (0..ring.len()).map(|i| (ring[i], ring[(i + 1) % ring.len()])).collect()
    };
    let other = edges(b);
    edges(a).iter().any(|edge| other.iter().any(|facing| crossing(*edge, *facing).is_some()))
        || a.first().is_some_and(|p| inside(b, *p))
        || b.first().is_some_and(|p| inside(a, *p))
}

/// The point of segment `a`–`b` nearest to `p`.
pub fn nearest_on_segment(a: Xy, b: Xy, p: Xy) -> Xy {
    let (dx, dy) = (b.x - a.x, b.y - a.y);
    let length2 = dx * dx + dy * dy;
    if length2 == 0.0 {
        return a;
    }
    let t = (((p.x - a.x) * dx + (p.y - a.y) * dy) / length2).clamp(0.0, 1.0);
    a.towards(b, t)
}

/// Metres from `p` to a line of points.
pub fn distance_to_line_m(line: &[Xy], p: Xy) -> f64 {
    line.windows(2)
        .map(|pair| nearest_on_segment(pair[0], pair[1], p).distance_m(p))
        .fold(f64::INFINITY, f64::min)
}

/// Metres along a line of points.
pub fn length_m(line: &[Xy]) -> f64 {
    line.windows(2).map(|pair| pair[0].distance_m(pair[1])).sum()
}

/// The point `along_m` metres down a line, and the bearing there; the ends hold beyond the ends.
pub fn point_along(line: &[Xy], along_m: f64) -> (Xy, f64) {
    let mut left = along_m.max(0.0);
    for pair in line.windows(2) {
        let step = pair[0].distance_m(pair[1]);
        if left <= step && step > 0.0 {
            return (pair[0].towards(pair[1], left / step), pair[0].bearing_deg(pair[1]));
        }
        left -= step;
    }
    match line {
        [] => (Xy::default(), 0.0),
        [only] => (*only, 0.0),
        [.., before, last] => (*last, before.bearing_deg(*last)),
    }
}

/// The part of a convex ring on the near side of a line: points `p` with `(p - on) · normal <= 0`.
pub fn clip_half_plane(ring: &[Xy], on: Xy, normal: Xy) -> Vec<Xy> {
    let depth = |p: Xy| (p.x - on.x) * normal.x + (p.y - on.y) * normal.y;
    let mut kept = Vec::with_capacity(ring.len() + 1);
    for (i, &a) in ring.iter().enumerate() {
        let b = ring[(i + 1) % ring.len()];
        let (da, db) = (depth(a), depth(b));
        if da <= 0.0 {
            kept.push(a);
        }
        if (da < 0.0 && db > 0.0) || (da > 0.0 && db < 0.0) {
            kept.push(a.towards(b, da / (da - db)));
        }
    }
    kept
}

/// A ring or line with points at most `step_m` apart; `closed` joins the last point to the first.
pub fn densified(points: &[Xy], step_m: f64, closed: bool) -> Vec<Xy> {
    let mut dense = Vec::new();
    for (i, &a) in points.iter().enumerate() {
        let Some(&b) = points.get(i + 1).or(if closed { points.first() } else { None }) else {
            dense.push(a);
            break;
        };
        let parts = (a.distance_m(b) / step_m).ceil().max(1.0);
        for k in 0..parts as usize {
            dense.push(a.towards(b, k as f64 / parts));
        }
    }
    dense
}

/// The line with points dropped that lie within `tolerance_m` of the rest (Douglas and Peucker).
pub fn simplified(line: &[Xy], tolerance_m: f64) -> Vec<Xy> {
    if line.len() < 3 {
        return line.to_vec();
    }
    let mut keep = vec![false; line.len()];
    keep[0] = true;
    keep[line.len() - 1] = true;
    let mut open = vec![(0, line.len() - 1)];
    while let Some((from, to)) = open.pop() {
        let farthest = (from + 1..to)
            .map(|i| (i, nearest_on_segment(line[from], line[to], line[i]).distance_m(line[i])))
            .fold((0, 0.0), |best, next| if next.1 > best.1 { next } else { best });
        if farthest.1 > tolerance_m {
            keep[farthest.0] = true;
            open.push((from, farthest.0));
            open.push((farthest.0, to));
        }
    }
    line.iter().zip(&keep).filter(|(_, kept)| **kept).map(|(p, _)| *p).collect()
}

/// The convex hull of the points, counter-clockwise (monotone chain).
pub fn convex_hull(points: &[Xy]) -> Vec<Xy> {
    let mut sorted = points.to_vec();
    sorted.sort_by(|a, b| a.x.total_cmp(&b.x).then(a.y.total_cmp(&b.y)));
    sorted.dedup();
    if sorted.len() < 3 {
        return sorted;
    }
    let turn = |o: Xy, a: Xy, b: Xy| (a.x - o.x) * (b.y - o.y) - (a.y - o.y) * (b.x - o.x);
    let half = |points: &mut dyn Iterator<Item = &Xy>| {
        let mut chain: Vec<Xy> = Vec::new();
        for &p in points {
            while chain.len() >= 2 && turn(chain[chain.len() - 2], chain[chain.len() - 1], p) <= 0.0 {
                chain.pop();
            }
            chain.push(p);
        }
        chain.pop();
        chain
    };
    let mut hull = half(&mut sorted.iter());
    hull.extend(half(&mut sorted.iter().rev()));
    hull
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn degrees_and_metres_agree_both_ways() {
        let plane = Plane::at(24.5, 118.1);
        let p = Xy::new(3210.5, -1234.25);
        let (lng, lat) = plane.lng_lat(p);
        assert!(plane.xy(lng, lat).distance_m(p) < 1e-6);
        let ground = ground_distance_m(118.1, 24.5, lng, lat);
        assert!((ground / p.distance_m(Xy::default()) - 1.0).abs() < 2e-3, "{ground}");
    }

    #[test]
    fn a_hull_holds_all_its_points() {
        let points: Vec<Xy> =
            (0..50).map(|i| Xy::new(f64::from(i * 37 % 50), f64::from(i * 17 % 41))).collect();
        let hull = convex_hull(&points);
        assert!(signed_area_m2(&hull) > 0.0);
        let middle = Xy::new(25.0, 20.0);
        for p in points {
            assert!(inside(&hull, p.towards(middle, 1e-6)), "{p:?}");
        }
    }

    #[test]
    fn a_point_along_a_line_is_on_it_and_the_ends_hold() {
        let line = [Xy::new(0.0, 0.0), Xy::new(0.0, 10.0), Xy::new(10.0, 10.0)];
        assert_eq!(point_along(&line, 15.0), (Xy::new(5.0, 10.0), 90.0));
        assert_eq!(point_along(&line, 99.0).0, Xy::new(10.0, 10.0));
        assert_eq!(point_along(&line, -1.0).0, Xy::new(0.0, 0.0));
    }

    #[test]
    fn clipping_a_square_by_its_middle_halves_it() {
        let square = [Xy::new(0.0, 0.0), Xy::new(2.0, 0.0), Xy::new(2.0, 2.0), Xy::new(0.0, 2.0)];
        let half = clip_half_plane(&square, Xy::new(1.0, 0.0), Xy::new(1.0, 0.0));
        assert!((signed_area_m2(&half) - 2.0).abs() < 1e-9);
    }
}
