//! Districts, service areas, parking places, no-stop zones and named places of the city.

use std::f64::consts::TAU;

use rand::Rng;
use rand_chacha::ChaCha8Rng;

use super::graph::{Graph, Spot};
use super::naming::Namer;
use super::terrain::{HALF_HEIGHT_M, HALF_WIDTH_M, Terrain};
use crate::geometry::{Xy, clip_half_plane, inside, point_along, rings_overlap, simplified};

/// What people do in a district, and so when they come and go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Use {
    /// Left in the morning, reached in the evening.
    Homes,
    /// Reached in the morning, left in the evening.
    Work,
    /// Busy from noon into the night.
    Leisure,
}

/// A part of the city.
#[derive(Clone, Debug)]
pub struct District {
    /// Its name.
    pub name: String,
    /// Its outline, ending at the coast.
    pub ring: Vec<Xy>,
    /// Its middle.
    pub centre: Xy,
    /// What it is used for.
    pub main_use: Use,
}

/// A service area: where bikes may be ridden.
#[derive(Clone, Debug)]
pub struct Area {
    /// Its name.
    pub name: String,
    /// Its outline, counter-clockwise, not closed.
    pub ring: Vec<Xy>,
    /// Its district.
    pub district: usize,
}

/// A marked parking place beside a street.
#[derive(Clone, Debug)]
pub struct Parking {
    /// Its area.
    pub area: usize,
    /// Its name, unique within the city.
    pub name: String,
    /// Its outline, counter-clockwise, not closed.
    pub ring: Vec<Xy>,
    /// Bikes it holds.
    pub capacity: u32,
    /// Its middle and the street it lies at.
    pub spot: Spot,
}

/// A zone where no bike may be left.
#[derive(Clone, Debug)]
pub struct NoStop {
    /// Its area.
    pub area: usize,
    /// Its name.
    pub name: String,
    /// Its outline, counter-clockwise, not closed.
    pub ring: Vec<Xy>,
    /// Its middle and the street it lies at.
    pub spot: Spot,
}

/// A named point: station, hospital, market.
#[derive(Clone, Debug)]
pub struct Place {
    /// Its name.
    pub name: String,
    /// 1 known to all, 3 known nearby.
    pub class: u8,
    /// Where.
    pub at: Xy,
}

const AREAS: usize = 5;
const PARKINGS_PER_AREA: usize = 64;
const PARKINGS_APART_M: f64 = 105.0;

/// The convex cell of `centres[i]`, `inset_m` inside its borders with the others and with the city's box.
fn cell(centres: &[Xy], i: usize, inset_m: f64) -> Vec<Xy> {
    let (x, y) = (HALF_WIDTH_M - inset_m, HALF_HEIGHT_M - inset_m);
    let mut ring = vec![Xy::new(-x, -y), Xy::new(x, -y), Xy::new(x, y), Xy::new(-x, y)];
    for (j, other) in centres.iter().enumerate() {
        if j == i {
            continue;
        }
        let apart = centres[i].distance_m(*other);
        let normal = Xy::new((other.x - centres[i].x) / apart, (other.y - centres[i].y) / apart);
        let middle = centres[i].towards(*other, 0.5).moved(-normal.x * inset_m, -normal.y * inset_m);
        ring = clip_half_plane(&ring, middle, normal);
    }
    ring
}

/// The part of a convex ring north of the coast by `inland_m`: its longest stretch from west to east.
fn on_land(ring: &[Xy], terrain: &Terrain, inland_m: f64) -> Vec<Xy> {
    const STEP_M: f64 = 50.0;
    let west = ring.iter().map(|p| p.x).fold(f64::INFINITY, f64::min);
    let east = ring.iter().map(|p| p.x).fold(f64::NEG_INFINITY, f64::max);
    let mut best: Vec<(f64, f64, f64)> = Vec::new();
    let mut run: Vec<(f64, f64, f64)> = Vec::new();
    let steps = ((east - west) / STEP_M).ceil().max(0.0) as u32;
    for i in 0..=steps {
        let x = (west + 1.0 + f64::from(i) * STEP_M).min(east - 1.0);
        let crossings = (0..ring.len()).filter_map(|k| {
            let (a, b) = (ring[k], ring[(k + 1) % ring.len()]);
            ((a.x > x) != (b.x > x)).then(|| a.y + (b.y - a.y) * (x - a.x) / (b.x - a.x))
        });
        let (low, high) =
            crossings.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), y| (l.min(y), h.max(y)));
        let low = low.max(terrain.coast_y(x) + inland_m);
        if high - low > 60.0 {
            run.push((x, low, high));
        } else {
            run.clear();
        }
        if run.len() > best.len() {
            best.clone_from(&run);
        }
    }
    let lower: Vec<Xy> = best.iter().map(|(x, low, _)| Xy::new(*x, *low)).collect();
    let upper: Vec<Xy> = best.iter().rev().map(|(x, _, high)| Xy::new(*x, *high)).collect();
    let mut ring = simplified(&lower, 2.0);
    ring.extend(simplified(&upper, 2.0));
    ring
}

/// Districts that cover the land, the first in the middle of the city.
pub fn districts(rng: &mut ChaCha8Rng, terrain: &Terrain, names: &mut Namer) -> Vec<District> {
    let mut centres = vec![Xy::new(rng.gen_range(-400.0..400.0), rng.gen_range(-200.0..500.0))];
    let turn = rng.gen_range(0.0..TAU);
    for i in 0..5 {
        let a = turn + f64::from(i) * TAU / 5.0 + rng.gen_range(-0.2..0.2);
        centres.push(Xy::new(3100.0 * a.cos(), 2500.0 * a.sin() + 300.0));
    }
    for corner in [(-5000.0, 4100.0), (5000.0, 4100.0), (5200.0, -2000.0), (-5200.0, -2000.0)] {
        centres
            .push(Xy::new(corner.0 + rng.gen_range(-500.0..500.0), corner.1 + rng.gen_range(-400.0..400.0)));
    }
    (0..centres.len())
        .map(|i| District {
            name: names.district(),
            ring: on_land(&cell(&centres, i, 0.0), terrain, 0.0),
            centre: centres[i],
            main_use: [Use::Leisure, Use::Work, Use::Homes, Use::Homes, Use::Work, Use::Homes][i % 6],
        })
        .filter(|district| district.ring.len() >= 3)
        .collect()
}

/// Service areas inside the districts nearest to the middle; disjoint because their cells are drawn in.
pub fn areas(districts: &[District], terrain: &Terrain) -> Vec<Area> {
    let centres: Vec<Xy> = districts.iter().map(|d| d.centre).collect();
    (0..districts.len().min(AREAS))
        .map(|i| Area {
            name: format!("{}服务区", districts[i].name),
            ring: on_land(&cell(&centres, i, 45.0), terrain, 30.0),
            district: i,
        })
        .collect()
}

/// Named places, each beside a street, apart from each other.
pub fn places(rng: &mut ChaCha8Rng, graph: &Graph, names: &mut Namer) -> Vec<(Place, Spot)> {
    let mut places: Vec<(Place, Spot)> = Vec::new();
    for _ in 0..4000 {
        let spot = spot_beside(graph, rng.gen_range(0..graph.edges.len()) as u32, 0.5, 40.0);
        let out = spot.at.distance_m(Xy::default());
        if !rng.gen_bool((1.2 - out / 6000.0).clamp(0.1, 1.0))
            || places.iter().any(|(p, _)| p.at.distance_m(spot.at) < 520.0)
        {
            continue;
        }
        let Some((name, class)) = names.place() else { break };
        places.push((Place { name, class, at: spot.at }, spot));
    }
    places
}

/// The spot at share `share` of an edge, `off_m` beside it (left of its direction when positive).
pub fn spot_beside(graph: &Graph, edge: u32, share: f64, off_m: f64) -> Spot {
    let e = &graph.edges[edge as usize];
    let along_m = e.length_m * share;
    let (on, bearing) = point_along(&e.points, along_m);
    let left = (bearing - 90.0).to_radians();
    Spot { edge, along_m, at: on.moved(left.sin() * off_m, left.cos() * off_m) }
}

fn area_of(areas: &[Area], ring: &[Xy]) -> Option<usize> {
    areas.iter().position(|area| ring.iter().all(|p| inside(&area.ring, *p)))
}

/// No-stop zones round some of the places, at most three an area.
pub fn no_stops(rng: &mut ChaCha8Rng, areas: &[Area], places: &[(Place, Spot)]) -> Vec<NoStop> {
    let mut zones: Vec<NoStop> = Vec::new();
    for (place, spot) in places {
        let radius_m = rng.gen_range(45.0..75.0);
        let ring: Vec<Xy> = (0..10)
            .map(|i| f64::from(i) * TAU / 10.0)
            .map(|a| spot.at.moved(radius_m * 1.3 * a.cos(), radius_m * a.sin()))
            .collect();
        let Some(area) = area_of(areas, &ring) else { continue };
        if zones.iter().filter(|zone| zone.area == area).count() < 3 {
            zones.push(NoStop { area, name: format!("{}门前禁停区", place.name), ring, spot: *spot });
        }
    }
    zones
}

/// Parking places: strips along the kerb, spread over the areas, clear of water and no-stop zones.
pub fn parkings(
    rng: &mut ChaCha8Rng,
    graph: &Graph,
    terrain: &Terrain,
    areas: &[Area],
    no_stops: &[NoStop],
) -> Vec<Parking> {
    let mut parkings: Vec<Parking> = Vec::new();
    let mut numbers: std::collections::HashMap<u32, u32> = std::collections::HashMap::new();
    let mut per_area = vec![0; areas.len()];
    for _ in 0..12_000 {
        let edge = rng.gen_range(0..graph.edges.len()) as u32;
        let e = &graph.edges[edge as usize];
        let half_street = [0.0, 15.0, 10.0, 6.5][usize::from(e.class)];
        let side = if rng.gen_bool(0.5) { 1.0 } else { -1.0 };
        let share = rng.gen_range(0.3..0.7);
        let (length_m, depth_m) = (rng.gen_range(12.0..28.0), rng.gen_range(2.5..4.0));
        if e.length_m < length_m + 30.0 {
            continue;
        }
        let spot = spot_beside(graph, edge, share, side * (half_street + depth_m / 2.0));
        if parkings.iter().any(|p| p.spot.at.distance_m(spot.at) < PARKINGS_APART_M) {
            continue;
        }
        let heading = point_along(&e.points, spot.along_m).1.to_radians();
        let (dx, dy) = (heading.sin(), heading.cos());
        let corner =
            |along: f64, across: f64| spot.at.moved(dx * along + dy * across, dy * along - dx * across);
        let (l, d) = (length_m / 2.0, depth_m / 2.0);
        let ring = vec![corner(-l, d), corner(l, d), corner(l, -d), corner(-l, -d)];
        let Some(area) = area_of(areas, &ring) else { continue };
        let wet = ring.iter().any(|p| terrain.water_within(*p, 4.0));
        if wet
            || per_area[area] >= PARKINGS_PER_AREA
            || no_stops.iter().any(|zone| rings_overlap(&zone.ring, &ring))
        {
            continue;
        }
        per_area[area] += 1;
        let number = numbers.entry(e.street).or_default();
        *number += 1;
        let name = format!("{}{}号点", graph.street_name(edge), number);
        let name =
            if parkings.iter().any(|p| p.name == name) { format!("{name}-{}", parkings.len()) } else { name };
        parkings.push(Parking { area, name, ring, capacity: rng.gen_range(12..=45), spot });
    }
    parkings
}
