//! The edge of a service area as people draw it, and what a new one means for the fences in it and the areas beside it.

use std::collections::BTreeSet;
use std::fmt;

use geofence::{NotARing, Ring, Shape, overlap_m2};
use vocabulary::{Datum, FenceId};

use super::area::AreaRefusal;
use super::fence_form::Geometry;

/// So many of what is in the way are told by name.
const NAMED_MAX: usize = 3;
/// Areas that have less in common are neighbours, square metres.
const OVERLAP_MIN_M2: f64 = 1.0;
const KM2: f64 = 1_000_000.0;

/// A fence of an area in a version that counts, or may count again.
#[derive(Clone, Debug)]
pub struct Enclosed {
    /// Which.
    pub id: FenceId,
    /// 名称.
    pub name: String,
    /// Its edge.
    pub shape: Shape,
}

/// Another area.
#[derive(Clone, Debug)]
pub struct Neighbour {
    /// 名称.
    pub name: String,
    /// Its closed `[lng, lat]` corners, WGS-84.
    pub ring: Vec<[f64; 2]>,
}

/// Fences that an edge leaves outside, with their names and where the first of them reaches out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outside {
    /// So many.
    pub count: usize,
    names: Vec<String>,
    spot: String,
}

impl fmt::Display for Outside {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { count, names, spot } = self;
        let others = if *count > names.len() { "等" } else { "" };
        let first = names.first().map_or("", String::as_str);
        write!(f, "{count} 个围栏：{}{others}（{first} 在 {spot} 附近）", names.join("、"))
    }
}

/// Other areas that an edge overlaps, each with how much.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Overlaps(Vec<String>);

impl fmt::Display for Overlaps {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let others = if self.0.len() > NAMED_MAX { "等" } else { "" };
        write!(
            f,
            "{} 个服务区重叠：{}{others}",
            self.0.len(),
            self.0[..self.0.len().min(NAMED_MAX)].join("、")
        )
    }
}

/// What lies about a new edge.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct About {
    /// Fences of the area that would lie outside.
    pub outside: Outside,
    /// Other areas that it overlaps.
    pub overlaps: Overlaps,
    /// Whether whoever asks has been told of the overlaps and wants it so.
    pub accepted: bool,
}

impl About {
    /// What lies about `edge`, of the fences of its area and of other areas.
    pub fn new(edge: &Ring, fences: &[Enclosed], others: &[Neighbour], accepted: bool) -> Self {
        Self { outside: outside(edge, fences), overlaps: overlaps(edge, others), accepted }
    }

    /// Whether an area may have that edge.
    pub(super) fn allow(self) -> Result<(), AreaRefusal> {
        if self.outside.count > 0 {
            Err(AreaRefusal::FencesOutside(self.outside))
        } else if self.overlaps.0.is_empty() || self.accepted {
            Ok(())
        } else {
            Err(AreaRefusal::Overlaps(self.overlaps))
        }
    }
}

fn outside(edge: &Ring, fences: &[Enclosed]) -> Outside {
    let mut known = BTreeSet::new();
    let mut outside = Outside::default();
    for fence in fences {
        if known.contains(&fence.id) {
            continue;
        }
        let Some([lng, lat]) = edge.protrusion(&fence.shape) else { continue };
        known.insert(fence.id);
        if outside.names.is_empty() {
            outside.spot = format!("{lng:.6}, {lat:.6}");
        }
        if outside.names.len() < NAMED_MAX {
            outside.names.push(fence.name.clone());
        }
        outside.count += 1;
    }
    outside
}

fn overlaps(edge: &Ring, others: &[Neighbour]) -> Overlaps {
    let common = others.iter().filter_map(|other| {
        let area_m2 = overlap_m2(edge, &other.ring);
        (area_m2 >= OVERLAP_MIN_M2).then(|| format!("{}（{}）", other.name, size(area_m2)))
    });
    Overlaps(common.collect())
}

/// Square metres as people read them.
fn size(area_m2: f64) -> String {
    if area_m2 >= KM2 / 100.0 { format!("{:.2} km²", area_m2 / KM2) } else { format!("{area_m2:.0} m²") }
}

/// The edge that is drawn, of 3 to 10,000 corners.
pub fn ring(geometry: &Geometry, datum: Datum) -> Result<Ring, AreaRefusal> {
    let drawn = match geometry {
        Geometry::Polygon { coordinates } => match coordinates.as_slice() {
            [ring] => Ring::draw_area(ring, datum),
            rings => Err(NotARing::Rings(rings.len())),
        },
        Geometry::Point { .. } => return Err(AreaRefusal::Circle),
    };
    drawn.map_err(|error| AreaRefusal::Shape(error.to_string()))
}

/// The edge as it is told, WGS-84.
pub fn geometry(ring: &Ring) -> Geometry {
    Geometry::Polygon { coordinates: vec![ring.closed()] }
}

#[cfg(test)]
mod tests {
    use vocabulary::Timestamp;

    use super::*;
    use crate::model::area::{Area, AreaCommand, AreaEvent, Plan};
    use kernel::Aggregate;
    use vocabulary::{AgentId, AreaId};

    fn square(west: f64, south: f64, side: f64) -> Ring {
        let (east, north) = (west + side, south + side);
        let corners = [[west, south], [east, south], [east, north], [west, north]];
        Ring::draw_area(&corners, Datum::Wgs84).unwrap()
    }

    fn fence(id: i64, name: &str, west: f64) -> Enclosed {
        let shape = Shape::Polygon(square(west, 24.001, 0.0002));
        Enclosed { id: FenceId(id), name: name.to_owned(), shape }
    }

    fn neighbour(name: &str, west: f64) -> Neighbour {
        Neighbour { name: name.to_owned(), ring: square(west, 24.0, 0.01).closed() }
    }

    fn plan(ring: Ring) -> Plan {
        Plan {
            area_id: AreaId(20),
            agent_id: AgentId(2),
            name: " 湖滨 ".to_owned(),
            tel: String::new(),
            ring,
        }
    }

    fn decided(area: &Area, command: AreaCommand) -> Result<Vec<AreaEvent>, AreaRefusal> {
        area.decide(command, Timestamp::from_millis(0))
    }

    fn after(commands: Vec<AreaCommand>) -> Area {
        let mut area = Area::default();
        for command in commands {
            for event in decided(&area, command).unwrap() {
                area.evolve(&event);
            }
        }
        area
    }

    fn drawn() -> AreaCommand {
        AreaCommand::Draw { plan: plan(square(118.0, 24.0, 0.01)), about: About::default() }
    }

    fn redrawn(side: f64) -> AreaCommand {
        AreaCommand::Redraw { ring: square(118.0, 24.0, side), about: About::default() }
    }

    #[test]
    fn an_area_that_people_draw_has_a_sound_name_and_telephone() {
        let made = decided(&Area::default(), drawn()).unwrap();
        let [AreaEvent::Planned(made)] = made.as_slice() else { panic!("it is planned: {made:?}") };
        assert_eq!(made.name, "湖滨");
        let with = |name: &str, tel: &str| {
            let plan = Plan { name: name.to_owned(), tel: tel.to_owned(), ..plan(square(118.0, 24.0, 0.01)) };
            decided(&Area::default(), AreaCommand::Draw { plan, about: About::default() }).unwrap_err()
        };
        assert_eq!(with("湖滨", "打给小王"), AreaRefusal::TelephoneForm);
        assert_eq!(with(" ", ""), AreaRefusal::Name);
        assert_eq!(decided(&after(vec![drawn()]), drawn()), Err(AreaRefusal::Different));
    }

    #[test]
    fn an_edge_that_leaves_fences_outside_is_refused_with_their_names_and_the_place() {
        let fences = [
            fence(1, "东门", 118.001),
            fence(2, "西门", 118.006),
            fence(3, "南门", 118.007),
            fence(3, "南门", 118.0075),
            fence(4, "北门", 118.008),
            fence(5, "中门", 118.0085),
        ];
        let ring = square(118.0, 24.0, 0.005);
        let about = About::new(&ring, &fences, &[], false);
        let refusal = decided(&after(vec![drawn()]), AreaCommand::Redraw { ring, about }).unwrap_err();
        assert_eq!(
            refusal.to_string(),
            "新边界之外还有 4 个围栏：西门、南门、北门等（西门 在 118.006200, 24.001000 附近），请先移动或删除，或者扩大边界"
        );
        let ring = square(118.0, 24.0, 0.0088);
        let about = About::new(&ring, &fences, &[], false);
        assert_eq!(about.outside, Outside::default());
        assert_eq!(
            decided(&after(vec![drawn()]), AreaCommand::Redraw { ring, about }).map(|events| events.len()),
            Ok(1)
        );
    }

    #[test]
    fn an_overlap_is_told_once_and_accepted_then() {
        let others = [neighbour("集美", 118.005), neighbour("翔安", 118.02), neighbour("同安", 118.01)];
        let ring = square(118.0, 24.0, 0.01);
        let about = About::new(&ring, &[], &others, false);
        let draw = |about| AreaCommand::Draw { plan: plan(ring.clone()), about };
        let refusal = decided(&Area::default(), draw(about)).unwrap_err();
        assert_eq!(
            refusal.to_string(),
            "边界与 1 个服务区重叠：集美（0.56 km²）；重叠处的还车按范围较小的服务区判断"
        );
        let about = About::new(&ring, &[], &others, true);
        assert_eq!(decided(&Area::default(), draw(about)).map(|events| events.len()), Ok(1));
    }

    #[test]
    fn an_edge_comes_back_as_a_new_version() {
        let area = after(vec![drawn(), redrawn(0.02), redrawn(0.03)]);
        let back = |data_version| AreaCommand::RollBack { data_version, about: About::default() };
        assert_eq!(
            decided(&area, back(2)),
            Ok(vec![AreaEvent::Redrawn { data_version: 4, ring: square(118.0, 24.0, 0.02) }])
        );
        assert_eq!(decided(&area, back(3)), Ok(vec![]), "it is so already");
        for none in [0, -1, 4] {
            assert_eq!(decided(&area, back(none)), Err(AreaRefusal::NoEdge(none)));
        }
        let fences = [fence(1, "东门", 118.025)];
        let about = About::new(area.edge(2).unwrap(), &fences, &[], false);
        let refused = decided(&area, AreaCommand::RollBack { data_version: 2, about });
        assert!(matches!(refused, Err(AreaRefusal::FencesOutside(_))), "{refused:?}");
    }

    #[test]
    fn the_same_corners_are_no_new_edge_in_whatever_datum_they_were_drawn() {
        let mut given = square(118.0, 24.0, 0.01);
        given.datum = Datum::Gcj02;
        let fences = [fence(1, "东门", 118.05)];
        let about = About::new(&given, &fences, &[], false);
        assert_eq!(decided(&after(vec![drawn()]), AreaCommand::Redraw { ring: given, about }), Ok(vec![]));
    }

    #[test]
    fn a_closed_area_keeps_its_edge_and_none_has_edges_without_end() {
        let closed = after(vec![drawn(), AreaCommand::Close { shelved_vehicles: 0 }]);
        assert_eq!(decided(&closed, redrawn(0.02)), Err(AreaRefusal::Closed));
        let mut commands = vec![drawn()];
        commands.extend((1..200).map(|n| redrawn(0.01 + f64::from(n) / 10_000.0)));
        let area = after(commands);
        assert_eq!(decided(&area, redrawn(0.5)), Err(AreaRefusal::TooManyEdges));
    }

    #[test]
    fn what_is_no_edge_is_refused() {
        let circle = Geometry::Point { coordinates: [118.0, 24.0], radius_m: 500.0 };
        assert_eq!(ring(&circle, Datum::Wgs84), Err(AreaRefusal::Circle));
        let holed = Geometry::Polygon { coordinates: vec![square(118.0, 24.0, 0.01).closed(); 2] };
        assert!(
            matches!(ring(&holed, Datum::Wgs84), Err(AreaRefusal::Shape(text)) if text.contains("不能有洞"))
        );
        let sound = geometry(&square(118.0, 24.0, 0.01));
        assert_eq!(ring(&sound, Datum::Wgs84), Ok(square(118.0, 24.0, 0.01)));
    }
}
