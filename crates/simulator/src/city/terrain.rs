//! Sea, river, lake and parks: what the streets must go round.

use std::f64::consts::TAU;

use rand::Rng;
use rand_chacha::ChaCha8Rng;

use crate::geometry::{Xy, distance_to_line_m, inside};

/// Half the width of the city's box, metres east to west.
pub const HALF_WIDTH_M: f64 = 6000.0;
/// Half the height of the city's box, metres north to south.
pub const HALF_HEIGHT_M: f64 = 5000.0;
/// How far water and land are drawn beyond the box.
const MARGIN_M: f64 = 3000.0;

/// A sum of three sines: gentle and never repeating within a city.
#[derive(Clone, Debug)]
pub struct Wave {
    terms: [(f64, f64, f64); 3],
}

impl Wave {
    /// A wave of about `height_m`, its longest part `length_m` long.
    pub fn new(rng: &mut ChaCha8Rng, height_m: f64, length_m: f64) -> Self {
        let mut term = |share: f64, part: f64| {
            (
                height_m * share * rng.gen_range(0.7..1.2),
                TAU / (length_m * part * rng.gen_range(0.8..1.25)),
                rng.gen_range(0.0..TAU),
            )
        };
        Self { terms: [term(0.6, 1.0), term(0.3, 0.43), term(0.1, 0.17)] }
    }

    /// Its height at `t` metres.
    pub fn at(&self, t: f64) -> f64 {
        self.terms.iter().map(|(height, rate, phase)| height * (rate * t + phase).sin()).sum()
    }
}

/// A green space.
#[derive(Clone, Debug)]
pub struct Park {
    /// Its name.
    pub name: String,
    /// Its outline.
    pub ring: Vec<Xy>,
}

/// The ground the city stands on.
#[derive(Clone, Debug)]
pub struct Terrain {
    coast_base_m: f64,
    coast: Wave,
    /// Middle line of the river, from the hills to the sea.
    pub river: Vec<Xy>,
    /// Half the river's width at the hills and at the sea.
    river_half_m: (f64, f64),
    /// The lake's outline.
    pub lake: Vec<Xy>,
    /// Parks, on land.
    pub parks: Vec<Park>,
}

fn blob(rng: &mut ChaCha8Rng, centre: Xy, radius_m: f64, stretch: f64) -> Vec<Xy> {
    let phases: [f64; 3] = [rng.gen_range(0.0..TAU), rng.gen_range(0.0..TAU), rng.gen_range(0.0..TAU)];
    let turn = rng.gen_range(0.0..TAU);
    (0..48)
        .map(|i| {
            let a = f64::from(i) * TAU / 48.0;
            let r = radius_m
                * (1.0
                    + 0.16 * (2.0 * a + phases[0]).sin()
                    + 0.09 * (3.0 * a + phases[1]).sin()
                    + 0.05 * (5.0 * a + phases[2]).sin());
            let (u, v) = (r * stretch * a.cos(), r / stretch * a.sin());
            centre.moved(u * turn.cos() - v * turn.sin(), u * turn.sin() + v * turn.cos())
        })
        .collect()
}

impl Terrain {
    /// A coast in the south, a river that crosses the city to it, a lake and parks.
    pub fn new(rng: &mut ChaCha8Rng, mut park_name: impl FnMut() -> String) -> Self {
        let coast_base_m = rng.gen_range(-3900.0..-3500.0);
        let coast = Wave::new(rng, 420.0, 5200.0);
        let start_x = rng.gen_range(-3600.0..-1800.0) * if rng.gen_bool(0.5) { 1.0 } else { -1.0 };
        let lean = -start_x * rng.gen_range(0.1..0.35);
        let meander = Wave::new(rng, 620.0, 4600.0);
        let river = (0..=80)
            .map(|i| {
                let t = f64::from(i) / 80.0;
                let y = (HALF_HEIGHT_M + MARGIN_M) * (1.0 - t) + (coast_base_m - 900.0) * t;
                Xy::new(start_x + lean * t + meander.at(y), y)
            })
            .collect::<Vec<_>>();
        let river_half_m = (rng.gen_range(60.0..85.0), rng.gen_range(130.0..180.0));
        let side = if start_x > 0.0 { -1.0 } else { 1.0 };
        let mut terrain =
            Self { coast_base_m, coast, river, river_half_m, lake: Vec::new(), parks: Vec::new() };
        let lake_at = Xy::new(side * rng.gen_range(1500.0..3300.0), rng.gen_range(800.0..2600.0));
        let radius_m = rng.gen_range(360.0..520.0);
        terrain.lake = blob(rng, lake_at, radius_m, 1.25);
        let shore = lake_at.moved(radius_m * 0.9, -radius_m * 0.9);
        let ring = blob(rng, shore, 330.0, 1.1);
        terrain.parks.push(Park { name: format!("{}湖公园", park_name()), ring });
        for _ in 0..400 {
            if terrain.parks.len() >= 11 {
                break;
            }
            let centre = Xy::new(rng.gen_range(-5200.0..5200.0), rng.gen_range(-3300.0..4500.0));
            let big = centre.distance_m(Xy::default()) > 3300.0;
            let radius_m = if big { rng.gen_range(320.0..620.0) } else { rng.gen_range(130.0..260.0) };
            let apart = terrain.parks.iter().all(|park| park.ring[0].distance_m(centre) > 1300.0);
            if !apart || terrain.water_within(centre, radius_m * 1.25) {
                continue;
            }
            let ring = blob(rng, centre, radius_m, 1.15);
            let name = format!("{}{}", park_name(), if big { "山森林公园" } else { "公园" });
            terrain.parks.push(Park { name, ring });
        }
        terrain
    }

    /// North edge of the sea at this easting, metres.
    pub fn coast_y(&self, x: f64) -> f64 {
        self.coast_base_m + self.coast.at(x)
    }

    /// Half the river's width at share `t` of its course.
    fn river_half_at(&self, t: f64) -> f64 {
        self.river_half_m.0 + (self.river_half_m.1 - self.river_half_m.0) * t
    }

    /// Whether the river, with a strip of `strip_m` on each side, covers the point.
    pub fn in_river(&self, p: Xy, strip_m: f64) -> bool {
        let top = self.river[0].y;
        let t = ((top - p.y) / (top - self.river[self.river.len() - 1].y)).clamp(0.0, 1.0);
        distance_to_line_m(&self.river, p) < self.river_half_at(t) + strip_m
    }

    /// Whether the sea or the lake, with a strip of `strip_m`, covers the point: what no bridge crosses.
    pub fn in_sea_or_lake(&self, p: Xy, strip_m: f64) -> bool {
        p.y < self.coast_y(p.x) + strip_m || inside(&self.lake, p) || self.lake_edge_m(p) < strip_m
    }

    fn lake_edge_m(&self, p: Xy) -> f64 {
        let Some(first) = self.lake.first() else { return f64::INFINITY };
        distance_to_line_m(&self.lake, p)
            .min(distance_to_line_m(&[self.lake[self.lake.len() - 1], *first], p))
    }

    /// Whether any water lies within `strip_m` of the point.
    pub fn water_within(&self, p: Xy, strip_m: f64) -> bool {
        self.in_sea_or_lake(p, strip_m) || self.in_river(p, strip_m)
    }

    /// The park that covers the point.
    pub fn park_at(&self, p: Xy) -> Option<&Park> {
        self.parks.iter().find(|park| inside(&park.ring, p))
    }

    /// A bank of the river, `beyond_m` from the water; `side` is -1 (west) or 1 (east).
    pub fn bank(&self, side: f64, beyond_m: f64) -> Vec<Xy> {
        let last = self.river.len() - 1;
        (0..=last)
            .map(|i| {
                let (a, b) = (self.river[i.saturating_sub(1)], self.river[(i + 1).min(last)]);
                let length = a.distance_m(b);
                let half = self.river_half_at(i as f64 / last as f64) + beyond_m;
                let (nx, ny) = (-(b.y - a.y) / length, (b.x - a.x) / length);
                self.river[i].moved(side * nx * half, side * ny * half)
            })
            .collect()
    }

    /// A line `inland_m` north of the sea, from west to east.
    pub fn shore(&self, inland_m: f64) -> Vec<Xy> {
        (0..=150)
            .map(|i| -HALF_WIDTH_M + f64::from(i) * 80.0)
            .map(|x| Xy::new(x, self.coast_y(x) + inland_m))
            .collect()
    }

    /// The sea's outline.
    pub fn sea_ring(&self) -> Vec<Xy> {
        let (east, south) = (HALF_WIDTH_M + MARGIN_M, -HALF_HEIGHT_M - MARGIN_M);
        let mut ring = vec![Xy::new(-east, south), Xy::new(east, south)];
        let steps = 140;
        ring.extend(
            (0..=steps)
                .map(|i| east - 2.0 * east * f64::from(i) / f64::from(steps))
                .map(|x| Xy::new(x, self.coast_y(x))),
        );
        ring
    }

    /// The river's outline.
    pub fn river_ring(&self) -> Vec<Xy> {
        let mut ring = self.bank(-1.0, 0.0);
        ring.extend(self.bank(1.0, 0.0).into_iter().rev());
        ring
    }

    /// The outline of everything that is drawn.
    pub fn land_ring(&self) -> Vec<Xy> {
        let (x, y) = (HALF_WIDTH_M + MARGIN_M, HALF_HEIGHT_M + MARGIN_M);
        vec![Xy::new(-x, -y), Xy::new(x, -y), Xy::new(x, y), Xy::new(-x, y)]
    }
}
