//! Lays out the streets: bent main lines, a ring road, diagonals, shore and river roads, and small streets between.

use std::f64::consts::TAU;

use rand::Rng;
use rand_chacha::ChaCha8Rng;

use super::graph::Street;
use super::naming::{Namer, chinese_number};
use super::terrain::{HALF_HEIGHT_M, HALF_WIDTH_M, Terrain, Wave};
use crate::geometry::{Xy, densified, length_m, simplified};

/// From the plan's straight frame to the ground: bent and turned.
struct Bend {
    east: Wave,
    north: Wave,
    turn: f64,
}

impl Bend {
    fn at(&self, u: f64, v: f64) -> Xy {
        let (x, y) = (u + self.east.at(v), v + self.north.at(u));
        let (sin, cos) = self.turn.sin_cos();
        Xy::new(x * cos - y * sin, x * sin + y * cos)
    }

    fn line(&self, from: (f64, f64), to: (f64, f64), step_m: f64) -> Vec<Xy> {
        densified(&[Xy::new(from.0, from.1), Xy::new(to.0, to.1)], step_m, false)
            .iter()
            .map(|p| self.at(p.x, p.y))
            .collect()
    }
}

/// Reach of the plan's lines before they are cut at the edge of the city.
const REACH_M: f64 = 8200.0;

fn main_lines(rng: &mut ChaCha8Rng) -> Vec<(f64, u8)> {
    let mut at = -REACH_M + rng.gen_range(0.0..400.0);
    let mut lines = Vec::new();
    let mut until_arterial = 1;
    while at < REACH_M {
        let class = if until_arterial == 0 { 1 } else { 2 };
        until_arterial = if class == 1 { rng.gen_range(1..=2) } else { until_arterial - 1 };
        lines.push((at, class));
        at += rng.gen_range(430.0..680.0);
    }
    lines
}

struct Layout<'a> {
    terrain: &'a Terrain,
    streets: Vec<Street>,
}

impl Layout<'_> {
    fn allows(&self, p: Xy, class: u8, bridge: bool) -> bool {
        p.x.abs() < HALF_WIDTH_M
            && p.y.abs() < HALF_HEIGHT_M
            && !self.terrain.in_sea_or_lake(p, 45.0)
            && (bridge || !self.terrain.in_river(p, 22.0))
            && (class == 1 || self.terrain.park_at(p).is_none())
    }

    /// Adds the stretches of the line that lie on allowed ground.
    fn add(&mut self, name: &str, class: u8, bridge: bool, line: &[Xy]) {
        let mut run: Vec<Xy> = Vec::new();
        let dense = densified(line, 20.0, false);
        let last = dense.len();
        for (i, p) in dense.iter().map(Some).chain([None]).enumerate() {
            match p {
                Some(p) if self.allows(*p, class, bridge) => run.push(*p),
                _ => {
                    if run.len() > 1 && length_m(&run) > 80.0 {
                        let line = simplified(&run, 0.4);
                        self.streets.push(Street { name: name.to_owned(), class, line });
                    }
                    run.clear();
                }
            }
            debug_assert!(i <= last);
        }
    }
}

/// All streets of a city, cut to its ground, not yet joined at crossings.
pub fn lay_out(rng: &mut ChaCha8Rng, terrain: &Terrain, names: &mut Namer) -> Vec<Street> {
    let bend = Bend {
        east: Wave::new(rng, 330.0, 6800.0),
        north: Wave::new(rng, 300.0, 7400.0),
        turn: rng.gen_range(-0.2..0.2),
    };
    let mut plan = Layout { terrain, streets: Vec::new() };
    let (columns, rows) = (main_lines(rng), main_lines(rng));
    for (u, class) in &columns {
        let halves = [("南", -REACH_M, 0.0), ("北", 0.0, REACH_M)];
        add_main(rng, &mut plan, names, *class, halves, |v0, v1| bend.line((*u, v0), (*u, v1), 60.0));
    }
    for (v, class) in &rows {
        let halves = [("西", -REACH_M, 0.0), ("东", 0.0, REACH_M)];
        add_main(rng, &mut plan, names, *class, halves, |u0, u1| bend.line((u0, *v), (u1, *v), 60.0));
    }
    add_ring_and_diagonals(rng, &mut plan, names);
    plan.add("滨海路", 2, true, &terrain.shore(95.0));
    plan.add("江滨西路", 2, false, &terrain.bank(-1.0, 48.0));
    plan.add("江滨东路", 2, false, &terrain.bank(1.0, 48.0));
    for pair in columns.windows(2) {
        for other in rows.windows(2) {
            fill_block(rng, &mut plan, names, &bend, (pair[0].0, pair[1].0), (other[0].0, other[1].0));
        }
    }
    plan.streets
}

fn add_main(
    rng: &mut ChaCha8Rng,
    plan: &mut Layout<'_>,
    names: &mut Namer,
    class: u8,
    halves: [(&str, f64, f64); 2],
    line: impl Fn(f64, f64) -> Vec<Xy>,
) {
    let base = if class == 1 { names.arterial() } else { names.pair() };
    for (side, from, to) in halves {
        if class == 1 {
            plan.add(&format!("{base}{side}路"), 1, true, &line(from, to));
            continue;
        }
        // A collector seldom runs through the whole city: some stretches are missing, few have a bridge.
        let bridge = rng.gen_bool(0.15);
        let mut at = from;
        while at < to {
            let next = (at + rng.gen_range(900.0..2200.0)).min(to);
            if rng.gen_bool(0.82) {
                plan.add(&format!("{base}路"), 2, bridge, &line(at, next));
            }
            at = next;
        }
    }
}

fn add_ring_and_diagonals(rng: &mut ChaCha8Rng, plan: &mut Layout<'_>, names: &mut Namer) {
    let phase = rng.gen_range(0.0..TAU);
    let radius_m = rng.gen_range(2250.0..2600.0);
    let ring: Vec<Xy> = (0..=120)
        .map(|i| {
            let a = f64::from(i % 120) * TAU / 120.0;
            let r = radius_m * (1.0 + 0.06 * (3.0 * a + phase).sin());
            Xy::new(r * 1.3 * a.cos(), r * a.sin() + 250.0)
        })
        .collect();
    plan.add("环城路", 1, true, &ring);
    let first = rng.gen_range(0.4..0.8);
    for (i, quarter) in [0.0, 1.0, 2.0].into_iter().enumerate() {
        let angle = first + quarter * TAU / 4.0 + rng.gen_range(-0.15..0.15);
        let bow = rng.gen_range(-500.0..500.0);
        let line: Vec<Xy> = (0..=60)
            .map(|k| {
                let t = f64::from(k) / 60.0;
                let (out, off) = (500.0 + 7000.0 * t, bow * (t * TAU / 2.0).sin());
                Xy::new(out * angle.cos() - off * angle.sin(), out * angle.sin() + off * angle.cos() + 250.0)
            })
            .collect();
        plan.add(&format!("{}大道", names.arterial()), 1, i != 2, &line);
    }
}

/// Small streets inside one block of main lines; fewer of them towards the edge of the city.
fn fill_block(
    rng: &mut ChaCha8Rng,
    plan: &mut Layout<'_>,
    names: &mut Namer,
    bend: &Bend,
    u: (f64, f64),
    v: (f64, f64),
) {
    const OVERHANG_M: f64 = 4.0;
    let middle = bend.at(f64::midpoint(u.0, u.1), f64::midpoint(v.0, v.1));
    if middle.x.abs() > HALF_WIDTH_M + 400.0 || middle.y.abs() > HALF_HEIGHT_M + 400.0 {
        return;
    }
    let out = middle.x.hypot(middle.y * 1.15);
    let density = (1.25 - out / 6500.0).clamp(0.25, 0.95);
    let base = names.pair();
    let ending = ["里", "巷", "街"][rng.gen_range(0..3)];
    let mut number = 0;
    for upright in [true, false] {
        let (across, along) = if upright { (u, v) } else { (v, u) };
        let count = ((across.1 - across.0) / rng.gen_range(125.0..210.0)).round().max(1.0);
        for k in 1..count as u32 {
            if !rng.gen_bool(density) {
                continue;
            }
            number += 1;
            let share = (f64::from(k) + rng.gen_range(-0.22..0.22)) / count;
            let at = across.0 + (across.1 - across.0) * share;
            let lean = rng.gen_range(-25.0..25.0);
            let (mut from, mut to) = (along.0 - OVERHANG_M, along.1 + OVERHANG_M);
            if rng.gen_bool(0.25) {
                let cut = along.0 + (along.1 - along.0) * rng.gen_range(0.45..0.8);
                if rng.gen_bool(0.5) { to = cut } else { from = cut }
            }
            let point = |t: f64, side: f64| if upright { (at + side, t) } else { (t, at + side) };
            let bow = rng.gen_range(-14.0..14.0);
            let steps = ((to - from) / 45.0).ceil().max(2.0) as u32;
            let line: Vec<Xy> = (0..=steps)
                .map(|i| {
                    let t = f64::from(i) / f64::from(steps);
                    let (pu, pv) =
                        point(from + (to - from) * t, lean * (t - 0.5) + bow * (t * TAU / 2.0).sin());
                    bend.at(pu, pv)
                })
                .collect();
            plan.add(&format!("{base}{}{ending}", chinese_number(number)), 3, false, &line);
        }
    }
}
