//! Areas and fence versions, found by place.

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};

use rstar::primitives::{GeomWithData, Rectangle};
use rstar::{AABB, Envelope, PointDistance, RTree, RTreeObject};
use vocabulary::{AreaId, FenceId, Timestamp, Wgs84};

use crate::judge::Known;
use crate::outline::Bounds;
use crate::plane::Plane;
use crate::{Outline, Parking, Ring, Rule, Shape};

/// A version of a service area's edge.
#[derive(Clone, Debug)]
pub struct Area {
    /// Which.
    pub id: AreaId,
    /// Which of its edges.
    pub data_version: i64,
    /// The edge.
    pub ring: Ring,
    /// When it holds.
    pub span: Span,
    /// Since when riders are served in it: before that, and where nothing is said, it holds no place of theirs.
    pub opened_at: Option<Timestamp>,
}

impl Area {
    fn serves(&self, at: Timestamp) -> bool {
        self.span.holds(at) && self.opened_at.is_some_and(|opened| opened <= at)
    }
}

/// A version of a fence.
#[derive(Clone, Debug)]
pub struct Fence {
    /// Which.
    pub id: FenceId,
    /// Which of its versions.
    pub data_version: i64,
    /// The area it lies in.
    pub area: AreaId,
    /// Where it is.
    pub shape: Shape,
    /// What it says.
    pub rule: Rule,
    /// When it counts.
    pub span: Span,
}

/// From an instant until another, which is no longer part of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// The first instant.
    pub from: Timestamp,
    /// The end; none: for ever.
    pub until: Option<Timestamp>,
}

impl Span {
    /// Always.
    pub const EVER: Self = Self { from: Timestamp::from_millis(i64::MIN), until: None };

    /// Whether it holds `at`.
    pub fn holds(&self, at: Timestamp) -> bool {
        self.from <= at && self.until.is_none_or(|until| at < until)
    }

    /// Whether there is an instant that both hold.
    pub fn meets(&self, other: &Self) -> bool {
        let begins_before = |one: &Self, end: Option<Timestamp>| end.is_none_or(|until| one.from < until);
        begins_before(self, other.until) && begins_before(other, self.until)
    }
}

type Boxed = GeomWithData<Rectangle<[f64; 2]>, u32>;
type Tree = RTree<Boxed>;

/// Parking places this close are looked at together, metres.
const CLOSE_M: f64 = 22.0;
/// So many they are where there are many.
const CLOSE_COUNT: usize = 32;

/// Every edge and fence version of some stretch of time.
#[derive(Debug)]
pub struct Atlas {
    areas: Vec<(Area, Outline)>,
    fences: Vec<(Fence, Outline)>,
    area_boxes: Tree,
    parking_boxes: Tree,
    other_boxes: Tree,
    widest_buffer_m: f64,
}

/// Something of the atlas near a place.
pub(crate) struct Near<'a> {
    /// What.
    pub fence: &'a Fence,
    /// Metres outside of its edge; 0 within.
    pub beyond_m: f64,
}

fn boxed([min, max]: Bounds, index: usize) -> Boxed {
    GeomWithData::new(Rectangle::from_corners(min, max), index as u32)
}

impl Atlas {
    /// Of these.
    pub fn new(areas: Vec<Area>, fences: Vec<Fence>) -> Self {
        let areas: Vec<_> = areas
            .into_iter()
            .map(|area| {
                let outline = Outline::from(&area.ring);
                (area, outline)
            })
            .collect();
        let fences: Vec<_> = fences
            .into_iter()
            .map(|fence| {
                let outline = Outline::from(&fence.shape);
                (fence, outline)
            })
            .collect();
        let tree = |parking: bool| {
            let some = fences.iter().enumerate().filter(|(_, (fence, _))| fence.rule.is_parking() == parking);
            RTree::bulk_load(some.map(|(index, (_, outline))| boxed(outline.bounds(), index)).collect())
        };
        let (parking_boxes, other_boxes) = (tree(true), tree(false));
        let area_boxes = RTree::bulk_load(
            areas.iter().enumerate().map(|(n, (_, outline))| boxed(outline.bounds(), n)).collect(),
        );
        let buffers = fences.iter().filter_map(|(fence, _)| match &fence.rule {
            Rule::Parking(parking) => Some(parking.buffer_m),
            _ => None,
        });
        let widest_buffer_m = buffers.fold(0.0, f64::max);
        Self { areas, fences, area_boxes, parking_boxes, other_boxes, widest_buffer_m }
    }

    /// What counts at an instant and may decide about a place in a box: the edge of `area` and its fences about there, as if
    /// they had always counted.
    pub fn about(&self, area: AreaId, bounds: Bounds, at: Timestamp) -> (Vec<Area>, Vec<Fence>) {
        let ever = |fence: &Fence| Fence { span: Span::EVER, ..fence.clone() };
        let edge = self.area(area, at).map(|(area, _)| Area {
            span: Span::EVER,
            opened_at: Some(Span::EVER.from),
            ..area.clone()
        });
        let envelope = AABB::from_corners(bounds[0], bounds[1]);
        let trees = [&self.parking_boxes, &self.other_boxes].into_iter();
        let near = trees.flat_map(|tree| tree.locate_in_envelope_intersecting(&envelope));
        let fences = near.map(|one| &self.fences[one.data as usize].0);
        let counted = fences.filter(|fence| fence.area == area && fence.span.holds(at)).map(ever);
        (edge.into_iter().collect(), counted.collect())
    }

    /// Every version of a parking place, with what it says.
    pub fn parking_places(&self) -> impl Iterator<Item = (&Fence, &Parking)> {
        self.fences.iter().filter_map(|(fence, _)| match &fence.rule {
            Rule::Parking(parking) => Some((fence, parking)),
            _ => None,
        })
    }

    /// How many of the fences that count at an instant reach out of the edge of their area, of those of `areas` alone.
    pub fn astray(&self, areas: &BTreeSet<AreaId>, at: Timestamp) -> BTreeMap<AreaId, i64> {
        let rings: BTreeMap<AreaId, &Ring> = self
            .areas
            .iter()
            .filter(|(area, _)| areas.contains(&area.id) && area.span.holds(at))
            .map(|(area, _)| (area.id, &area.ring))
            .collect();
        let mut astray = BTreeMap::new();
        for (fence, _) in &self.fences {
            let edge = rings.get(&fence.area).filter(|_| fence.span.holds(at));
            if edge.is_some_and(|ring| ring.protrusion(&fence.shape).is_some()) {
                *astray.entry(fence.area).or_default() += 1;
            }
        }
        astray
    }

    /// The widest buffer of its parking places, metres.
    pub(crate) const fn widest_buffer_m(&self) -> f64 {
        self.widest_buffer_m
    }

    /// The edge of `area` at an instant.
    pub(crate) fn area(&self, area: AreaId, at: Timestamp) -> Option<&(Area, Outline)> {
        self.areas.iter().find(|(known, _)| known.id == area && known.span.holds(at))
    }

    /// An edge of an area by its version.
    pub(crate) fn edge(&self, area: AreaId, data_version: i64) -> Option<&Outline> {
        let found =
            self.areas.iter().find(|(known, _)| known.id == area && known.data_version == data_version);
        found.map(|(_, outline)| outline)
    }

    /// A fence as it was in a version.
    pub fn version(&self, known: Known) -> Option<&Fence> {
        self.fence(known).map(|(fence, _)| fence)
    }

    /// A fence by its version.
    pub(crate) fn fence(&self, known: Known) -> Option<&(Fence, Outline)> {
        self.fences.iter().find(|(fence, _)| fence.id == known.id && fence.data_version == known.data_version)
    }

    /// The area that serves a place; of several the smallest box's.
    pub(crate) fn area_of(&self, place: Wgs84, plane: &Plane, at: Timestamp) -> Option<&Area> {
        self.area_boxes
            .locate_in_envelope_intersecting(&AABB::from_point([place.lng(), place.lat()]))
            .map(|one| &self.areas[one.data as usize])
            .filter(|(area, outline)| area.serves(at) && outline.holds(place, plane))
            .min_by(|(_, a), (_, b)| spread(a.bounds()).total_cmp(&spread(b.bounds())))
            .map(|(area, _)| area)
    }

    /// What is no parking place and holds a place, with how many metres the edge is away.
    pub(crate) fn others_at(
        &self,
        place: Wgs84,
        plane: &Plane,
        at: Timestamp,
    ) -> impl Iterator<Item = (&Fence, f64)> {
        self.other_boxes
            .locate_in_envelope_intersecting(&AABB::from_point([place.lng(), place.lat()]))
            .map(|one| &self.fences[one.data as usize])
            .filter(move |(fence, outline)| fence.span.holds(at) && outline.holds(place, plane))
            .map(|(fence, outline)| (fence, outline.edge_m(plane)))
    }

    /// Parking places about a place, roughly from near to far. `visit` answers how far away another may be that it still
    /// wants to know of, metres.
    pub(crate) fn parkings<'a>(
        &'a self,
        place: Wgs84,
        plane: &Plane,
        at: Timestamp,
        mut visit: impl FnMut(Near<'a>) -> f64,
    ) {
        let least_m = plane.least_degree_m();
        let point = [place.lng(), place.lat()];
        let reach_m = Cell::new(f64::INFINITY);
        // Whether it and what lies further away may still matter.
        let mut look = |one: &Boxed, degrees2: f64| {
            if degrees2.sqrt() * least_m > reach_m.get() {
                return false;
            }
            let (fence, outline) = &self.fences[one.data as usize];
            if fence.span.holds(at) {
                reach_m.set(visit(Near { fence, beyond_m: outline.beyond_m(place, plane) }));
            }
            true
        };
        // Most stop near one: those close by are found without putting all others in order.
        let corner = |sign: f64| point.map(|degree| degree + sign * CLOSE_M / least_m);
        let close = AABB::from_corners(corner(-1.0), corner(1.0));
        let mut near: Vec<(f64, &Boxed)> = Vec::with_capacity(CLOSE_COUNT);
        let found = self.parking_boxes.locate_in_envelope_intersecting(&close);
        near.extend(found.map(|one| (one.distance_2(&point), one)));
        near.sort_unstable_by(|(one, _), (other, _)| one.total_cmp(other));
        let all_matter = near.into_iter().all(|(degrees2, one)| look(one, degrees2));
        if all_matter && reach_m.get() > CLOSE_M {
            let further = self.parking_boxes.nearest_neighbor_iter_with_distance_2(&point);
            let mut further = further.filter(|(one, _)| !one.envelope().intersects(&close));
            further.all(|(one, degrees2)| look(one, degrees2));
        }
    }
}

fn spread([min, max]: Bounds) -> f64 {
    (max[0] - min[0]) * (max[1] - min[1])
}

#[cfg(test)]
mod tests {
    use vocabulary::Datum;

    use super::*;
    use crate::Parking;

    #[test]
    fn spans_meet_when_they_share_an_instant() {
        let span = |from: i64, until: Option<i64>| Span {
            from: Timestamp::from_millis(from),
            until: until.map(Timestamp::from_millis),
        };
        for (one, other, meet) in [
            (span(0, Some(5)), span(4, Some(9)), true),
            (span(0, Some(5)), span(5, Some(9)), false),
            (span(0, None), span(9, Some(10)), true),
            (span(9, None), span(0, Some(9)), false),
            (span(0, None), Span::EVER, true),
        ] {
            assert_eq!((one.meets(&other), other.meets(&one)), (meet, meet), "{one:?} {other:?}");
        }
    }

    const AREA: AreaId = AreaId(20);

    fn square(west: f64, side: f64) -> Ring {
        let corners = [[west, 24.0], [west + side, 24.0], [west + side, 24.0 + side], [west, 24.0 + side]];
        Ring::draw_area(&corners, Datum::Wgs84).unwrap()
    }

    #[test]
    fn fences_that_count_and_reach_out_of_their_area_are_counted() {
        let until = Span { from: Timestamp::from_millis(0), until: Some(Timestamp::from_millis(100)) };
        let fence = |id: i64, area: AreaId, west: f64, span: Span| Fence {
            id: FenceId(id),
            data_version: 1,
            area,
            shape: Shape::Polygon(square(west, 0.001)),
            rule: Rule::Parking(Parking::default()),
            span,
        };
        let area = |id: AreaId, data_version: i64, side: f64, span: Span| Area {
            id,
            data_version,
            ring: square(118.0, side),
            span,
            opened_at: None,
        };
        let later = Span { from: Timestamp::from_millis(100), until: None };
        let atlas = Atlas::new(
            vec![
                area(AREA, 1, 0.1, until),
                area(AREA, 2, 0.01, later),
                area(AreaId(21), 1, 0.01, Span::EVER),
            ],
            vec![
                fence(1, AREA, 118.005, Span::EVER),
                fence(2, AREA, 118.05, Span::EVER),
                fence(3, AREA, 118.06, until),
                fence(4, AreaId(21), 118.05, Span::EVER),
            ],
        );
        let astray = |areas: &[AreaId], at_ms: i64| {
            atlas.astray(&areas.iter().copied().collect(), Timestamp::from_millis(at_ms))
        };
        assert_eq!(astray(&[AREA], 50), BTreeMap::new(), "the wide edge held all");
        assert_eq!(astray(&[AREA], 100), BTreeMap::from([(AREA, 1)]), "the third counts no more");
        assert_eq!(astray(&[AREA, AreaId(21)], 100), BTreeMap::from([(AREA, 1), (AreaId(21), 1)]));
    }

    #[test]
    fn an_area_that_is_only_planned_holds_no_place() {
        let area = |id: i64, side: f64, opened_at: Option<i64>| Area {
            id: AreaId(id),
            data_version: 1,
            ring: square(118.0, side),
            span: Span::EVER,
            opened_at: opened_at.map(Timestamp::from_millis),
        };
        let atlas =
            Atlas::new(vec![area(1, 0.1, Some(0)), area(2, 0.05, Some(100)), area(3, 0.02, None)], vec![]);
        let place = Wgs84::new(24.01, 118.01).unwrap();
        let held = |at_ms| {
            let found = atlas.area_of(place, &Plane::at(place), Timestamp::from_millis(at_ms));
            found.map(|area| area.id)
        };
        assert_eq!(held(-1), None);
        assert_eq!(held(99), Some(AreaId(1)), "the smaller ones are not open yet");
        assert_eq!(held(100), Some(AreaId(2)));
    }
}
