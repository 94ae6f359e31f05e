//! The street network as a graph: streets cut at their crossings, joined where they meet, and ways through it.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

use crate::geometry::{Xy, crossing, length_m};

/// A street as it was laid out, before it met the others.
#[derive(Clone, Debug)]
pub struct Street {
    /// Its name.
    pub name: String,
    /// 1 arterial, 2 collector, 3 local.
    pub class: u8,
    /// Its middle line.
    pub line: Vec<Xy>,
}

/// A stretch of street between two crossings.
#[derive(Clone, Debug)]
pub struct Edge {
    /// Node where its points begin.
    pub a: u32,
    /// Node where its points end.
    pub b: u32,
    /// The street it belongs to.
    pub street: u32,
    /// 1 arterial, 2 collector, 3 local.
    pub class: u8,
    /// Metres.
    pub length_m: f64,
    /// Its line, from `a` to `b`.
    pub points: Vec<Xy>,
}

/// Nodes, edges and who touches whom. Connected: every node reaches every other.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    /// Street names and classes; edges point here.
    pub streets: Vec<(String, u8)>,
    /// Crossings and ends.
    pub nodes: Vec<Xy>,
    /// Stretches between them.
    pub edges: Vec<Edge>,
    /// Edges at each node.
    pub at_node: Vec<Vec<u32>>,
}

/// Dead ends shorter than this are layout debris and removed.
const STUB_M: f64 = 60.0;
/// Ends closer than this are one node.
const SNAP_M: f64 = 1.5;
const CELL_M: f64 = 120.0;

fn cell(p: Xy, size: f64) -> (i64, i64) {
    ((p.x / size).floor() as i64, (p.y / size).floor() as i64)
}

#[derive(Default)]
struct Nodes {
    at: Vec<Xy>,
    by_cell: HashMap<(i64, i64), Vec<u32>>,
}

impl Nodes {
    fn node(&mut self, p: Xy) -> u32 {
        let (cx, cy) = cell(p, SNAP_M);
        for x in cx - 1..=cx + 1 {
            for y in cy - 1..=cy + 1 {
                for &n in self.by_cell.get(&(x, y)).into_iter().flatten() {
                    if self.at[n as usize].distance_m(p) < SNAP_M {
                        return n;
                    }
                }
            }
        }
        let n = self.at.len() as u32;
        self.at.push(p);
        self.by_cell.entry((cx, cy)).or_default().push(n);
        n
    }
}

/// For each street, where others cross it: position along its points (index and share) and the place.
fn crossings(streets: &[Street]) -> Vec<Vec<(f64, Xy)>> {
    let mut segments: Vec<(u32, u32)> = Vec::new();
    let mut grid: HashMap<(i64, i64), Vec<u32>> = HashMap::new();
    let mut cuts: Vec<Vec<(f64, Xy)>> = vec![Vec::new(); streets.len()];
    for (s, street) in streets.iter().enumerate() {
        for (i, pair) in street.line.windows(2).enumerate() {
            let (from, to) = (pair[0], pair[1]);
            let low = cell(Xy::new(from.x.min(to.x), from.y.min(to.y)), CELL_M);
            let high = cell(Xy::new(from.x.max(to.x), from.y.max(to.y)), CELL_M);
            let mut near: Vec<u32> = Vec::new();
            let id = segments.len() as u32;
            for column in low.0..=high.0 {
                for row in low.1..=high.1 {
                    let here = grid.entry((column, row)).or_default();
                    near.extend(here.iter().filter(|other| segments[**other as usize].0 != s as u32));
                    here.push(id);
                }
            }
            near.sort_unstable();
            near.dedup();
            for (other, k) in near.into_iter().map(|id| segments[id as usize]) {
                let line = &streets[other as usize].line;
                let facing = (line[k as usize], line[k as usize + 1]);
                if let Some((here, there)) = crossing((from, to), facing) {
                    let place = from.towards(to, here);
                    cuts[s].push((i as f64 + here, place));
                    cuts[other as usize].push((f64::from(k) + there, place));
                }
            }
            segments.push((s as u32, i as u32));
        }
    }
    cuts
}

impl Graph {
    /// Cuts the streets at their crossings, drops stubs, and keeps the largest connected part.
    pub fn new(streets: &[Street]) -> Self {
        let mut cuts = crossings(streets);
        let mut nodes = Nodes::default();
        let mut edges = Vec::new();
        for (s, street) in streets.iter().enumerate() {
            let (Some(&first), Some(&last)) = (street.line.first(), street.line.last()) else { continue };
            let cut = &mut cuts[s];
            cut.push((0.0, first));
            cut.push(((street.line.len() - 1) as f64, last));
            cut.sort_by(|a, b| a.0.total_cmp(&b.0));
            let mut from: Option<(f64, u32)> = None;
            for &(at, p) in cut.iter() {
                let node = nodes.node(p);
                if let Some((start, a)) = from {
                    if a == node {
                        continue;
                    }
                    let mut points = vec![nodes.at[a as usize]];
                    let inner = (start.floor() as usize + 1)..(at.ceil() as usize);
                    points.extend(inner.filter_map(|i| street.line.get(i)).copied());
                    points.push(nodes.at[node as usize]);
                    edges.push(Edge {
                        a,
                        b: node,
                        street: s as u32,
                        class: street.class,
                        length_m: length_m(&points),
                        points,
                    });
                }
                from = Some((at, node));
            }
        }
        let names = streets.iter().map(|street| (street.name.clone(), street.class)).collect();
        Self::of(names, &nodes.at, edges).without_stubs().largest_part()
    }

    fn of(streets: Vec<(String, u8)>, nodes: &[Xy], edges: Vec<Edge>) -> Self {
        let mut at_node = vec![Vec::new(); nodes.len()];
        for (i, edge) in edges.iter().enumerate() {
            at_node[edge.a as usize].push(i as u32);
            at_node[edge.b as usize].push(i as u32);
        }
        Self { streets, nodes: nodes.to_vec(), edges, at_node }
    }

    fn without_stubs(mut self) -> Self {
        for _ in 0..4 {
            let degree = |n: u32| self.at_node[n as usize].len();
            let kept: Vec<Edge> = self
                .edges
                .iter()
                .filter(|e| e.length_m >= STUB_M || (degree(e.a) > 1 && degree(e.b) > 1))
                .cloned()
                .collect();
            if kept.len() == self.edges.len() {
                break;
            }
            self = Self::of(self.streets, &self.nodes, kept);
        }
        self
    }

    /// The part number of each node; parts are numbered in node order.
    pub fn parts(&self) -> Vec<u32> {
        let mut part = vec![u32::MAX; self.nodes.len()];
        let mut next = 0;
        for start in 0..self.nodes.len() {
            if part[start] != u32::MAX {
                continue;
            }
            let mut open = vec![start as u32];
            part[start] = next;
            while let Some(n) = open.pop() {
                for &e in &self.at_node[n as usize] {
                    let m = self.other_end(e, n);
                    if part[m as usize] == u32::MAX {
                        part[m as usize] = next;
                        open.push(m);
                    }
                }
            }
            next += 1;
        }
        part
    }

    fn largest_part(self) -> Self {
        let part = self.parts();
        let mut sizes: Vec<usize> = vec![0; part.iter().max().map_or(0, |m| *m as usize + 1)];
        for p in &part {
            sizes[*p as usize] += 1;
        }
        let largest = (0..sizes.len()).max_by_key(|p| (sizes[*p], Reverse(*p))).unwrap_or(0) as u32;
        let mut renumbered = vec![u32::MAX; self.nodes.len()];
        let mut nodes = Vec::new();
        for (i, p) in self.nodes.iter().enumerate() {
            if part[i] == largest {
                renumbered[i] = nodes.len() as u32;
                nodes.push(*p);
            }
        }
        let edges = self
            .edges
            .into_iter()
            .filter(|e| renumbered[e.a as usize] != u32::MAX)
            .map(|mut e| {
                e.a = renumbered[e.a as usize];
                e.b = renumbered[e.b as usize];
                e
            })
            .collect();
        Self::of(self.streets, &nodes, edges)
    }

    /// The node at the far end of an edge.
    pub fn other_end(&self, edge: u32, node: u32) -> u32 {
        let e = &self.edges[edge as usize];
        if e.a == node { e.b } else { e.a }
    }

    /// The name of the street an edge belongs to.
    pub fn street_name(&self, edge: u32) -> &str {
        &self.streets[self.edges[edge as usize].street as usize].0
    }

    /// The edges of the quickest way between two nodes; none when there is no way.
    pub fn way(&self, from: u32, to: u32) -> Option<Vec<u32>> {
        // Cost in decimetres of arterial: small streets are slower. Integers order without surprises.
        let cost = |e: &Edge| (e.length_m * [10.0, 10.0, 11.0, 13.0][usize::from(e.class.min(3))]) as u64 + 1;
        let goal = self.nodes[to as usize];
        let left = |n: u32| (self.nodes[n as usize].distance_m(goal) * 10.0) as u64;
        let mut best: HashMap<u32, (u64, u32)> = HashMap::new();
        let mut open = BinaryHeap::new();
        best.insert(from, (0, u32::MAX));
        open.push(Reverse((left(from), 0_u64, from)));
        while let Some(Reverse((_, so_far, n))) = open.pop() {
            if n == to {
                let mut edges = Vec::new();
                let mut at = to;
                while let Some(&(_, edge)) = best.get(&at).filter(|(_, edge)| *edge != u32::MAX) {
                    edges.push(edge);
                    at = self.other_end(edge, at);
                }
                edges.reverse();
                return Some(edges);
            }
            if best.get(&n).is_some_and(|(cheapest, _)| *cheapest < so_far) {
                continue;
            }
            for &e in &self.at_node[n as usize] {
                let m = self.other_end(e, n);
                let next = so_far + cost(&self.edges[e as usize]);
                if best.get(&m).is_none_or(|(cheapest, _)| next < *cheapest) {
                    best.insert(m, (next, e));
                    open.push(Reverse((next + left(m), next, m)));
                }
            }
        }
        None
    }

    /// The line ridden from one spot to another: along the streets, with the few metres at either kerb.
    pub fn ride(&self, from: &Spot, to: &Spot) -> Option<Vec<Xy>> {
        let mut line = vec![from.at];
        if from.edge == to.edge {
            line.extend(self.stretch(from.edge, from.along_m, to.along_m));
            line.push(to.at);
            return Some(line);
        }
        let (first, last) = (&self.edges[from.edge as usize], &self.edges[to.edge as usize]);
        let way = self.way(first.b, last.a)?;
        // Starting towards `b` and arriving from `a` is right for half the rides; the way itself tells the rest.
        let skips_back = way.first() == Some(&from.edge);
        let overshoots = way.last() == Some(&to.edge);
        let (mut node, start_to) = if skips_back { (first.a, 0.0) } else { (first.b, first.length_m) };
        line.extend(self.stretch(from.edge, from.along_m, start_to));
        let inner = &way[usize::from(skips_back)
            ..way.len() - usize::from(overshoots && way.len() > usize::from(skips_back))];
        for &edge in inner {
            let points = &self.edges[edge as usize].points;
            if self.edges[edge as usize].a == node {
                line.extend(points.iter().skip(1));
            } else {
                line.extend(points.iter().rev().skip(1));
            }
            node = self.other_end(edge, node);
        }
        let end_from = if node == last.a { 0.0 } else { last.length_m };
        line.extend(self.stretch(to.edge, end_from, to.along_m));
        line.push(to.at);
        Some(line)
    }

    /// The points of an edge between two distances along it, in that direction.
    fn stretch(&self, edge: u32, from_m: f64, to_m: f64) -> Vec<Xy> {
        let points = &self.edges[edge as usize].points;
        let (low, high) = (from_m.min(to_m), from_m.max(to_m));
        let mut part = vec![crate::geometry::point_along(points, low).0];
        let mut at = 0.0;
        for pair in points.windows(2) {
            at += pair[0].distance_m(pair[1]);
            if at > low && at < high {
                part.push(pair[1]);
            }
        }
        part.push(crate::geometry::point_along(points, high).0);
        if from_m > to_m {
            part.reverse();
        }
        part
    }
}

/// A place at the side of a street.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spot {
    /// The stretch of street it lies at.
    pub edge: u32,
    /// Metres from the stretch's beginning.
    pub along_m: f64,
    /// The place itself, a few metres off the middle line.
    pub at: Xy,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn street(line: &[(f64, f64)]) -> Street {
        Street { name: "试路".into(), class: 2, line: line.iter().map(|(x, y)| Xy::new(*x, *y)).collect() }
    }

    #[test]
    fn streets_that_cross_share_a_node_and_stubs_go() {
        let graph = Graph::new(&[
            street(&[(-500.0, 0.0), (500.0, 0.0)]),
            street(&[(0.0, -500.0), (0.0, 500.0)]),
            street(&[(200.0, -4.0), (200.0, 300.0)]),
        ]);
        assert_eq!(graph.edges.len(), 6);
        assert_eq!(graph.nodes.iter().filter(|p| p.distance_m(Xy::default()) < 0.1).count(), 1);
    }

    #[test]
    fn a_ride_never_leaves_the_streets_and_starts_and_ends_where_it_should() {
        let graph = Graph::new(&[
            street(&[(-500.0, 0.0), (500.0, 0.0)]),
            street(&[(-500.0, 300.0), (500.0, 300.0)]),
            street(&[(-300.0, -10.0), (-300.0, 310.0)]),
            street(&[(300.0, -10.0), (300.0, 310.0)]),
        ]);
        for from_edge in 0..graph.edges.len() as u32 {
            for to_edge in 0..graph.edges.len() as u32 {
                let spot = |edge: u32, share: f64| {
                    let e = &graph.edges[edge as usize];
                    let along_m = e.length_m * share;
                    Spot {
                        edge,
                        along_m,
                        at: crate::geometry::point_along(&e.points, along_m).0.moved(3.0, 3.0),
                    }
                };
                let (from, to) = (spot(from_edge, 0.3), spot(to_edge, 0.8));
                let line = graph.ride(&from, &to).expect("connected");
                assert_eq!((line[0], line[line.len() - 1]), (from.at, to.at));
                for p in crate::geometry::densified(&line, 5.0, false) {
                    let off = graph
                        .edges
                        .iter()
                        .map(|e| crate::geometry::distance_to_line_m(&e.points, p))
                        .fold(f64::INFINITY, f64::min);
                    assert!(off < 5.0, "{off} m off at {p:?} from {from_edge} to {to_edge}");
                }
                assert!(
                    crate::geometry::length_m(&line) < 2700.0,
                    "{from_edge} to {to_edge} goes in circles"
                );
            }
        }
    }
}
