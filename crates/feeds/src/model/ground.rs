//! The areas and fences that count now, as readers outside are to understand them.
//!
//! Of zones that overlap 禁行 counts before 禁停, that before 停车, and the area last. GBFS takes the first zone that
//! holds a place, and a station's area before all zones: so zones are told in this order, and what a ban takes of a parking
//! place is no part of its station.

use std::collections::BTreeMap;

use geofence::judge::{ReturnClass, Stop};
use geofence::rule::Hours;
use geofence::{Atlas, Outline, Parking, Ring, Rule, Shape, atlas};
use territory::model::area::AreaState;
use vocabulary::{AreaId, FenceId, Timestamp, Wgs84};

use super::shapes::Piece;

/// A service area.
#[derive(Clone, Debug)]
pub(crate) struct Area {
    pub id: AreaId,
    pub name: String,
    pub state: AreaState,
    pub data_version: i64,
    pub ring: Ring,
}

/// A version of a fence, and the stretch of time in which it counts.
#[derive(Clone, Debug)]
pub(crate) struct Fence {
    pub id: FenceId,
    pub area: AreaId,
    pub data_version: i64,
    pub name: String,
    pub shape: Shape,
    pub rule: Rule,
    pub span: atlas::Span,
}

/// A parking place as a station.
#[derive(Clone, Debug)]
pub(crate) struct Station {
    pub id: FenceId,
    pub name: String,
    /// Where one may stop in it.
    pub piece: Piece,
    /// What it asks for.
    pub parking: Parking,
    /// Whether its area lends bikes.
    pub lends: bool,
    /// Whether it is open at this hour.
    pub is_open: bool,
    pub span: atlas::Span,
}

/// A zone where one must not stop, or not even ride.
#[derive(Clone, Debug)]
pub(crate) struct Ban {
    pub name: String,
    pub piece: Piece,
    /// Whether one must not even ride.
    pub is_no_ride: bool,
    pub span: atlas::Span,
}

/// Where one may ride.
#[derive(Clone, Debug)]
pub(crate) struct Zone {
    pub name: String,
    pub piece: Piece,
    /// Whether it lends bikes.
    pub lends: bool,
    /// Whether it has stations: then rides end at these.
    pub has_stations: bool,
}

/// All of it at an instant.
pub(crate) struct Ground {
    pub stations: Vec<Station>,
    pub bans: Vec<Ban>,
    pub zones: Vec<Zone>,
    /// Which station a bike stands in is judged as a rider's stop is.
    atlas: Atlas,
    at: Timestamp,
}

fn piece(shape: &Shape) -> Piece {
    Piece::new(shape.closed(), Outline::from(shape).bounds())
}

impl Ground {
    /// Of the areas that serve riders and the fences in them that count at an instant.
    pub(crate) fn new(areas: Vec<Area>, fences: Vec<Fence>, at: Timestamp) -> Self {
        let lends: BTreeMap<AreaId, bool> =
            areas.iter().map(|area| (area.id, area.state == AreaState::Open)).collect();
        let fences: Vec<Fence> = fences.into_iter().filter(|fence| lends.contains_key(&fence.area)).collect();
        let mut bans: Vec<Ban> = fences.iter().filter_map(|fence| ban(fence, at)).collect();
        bans.sort_by_key(|ban| !ban.is_no_ride);
        let mut has_stations: BTreeMap<AreaId, bool> = BTreeMap::new();
        let mut stations = Vec::new();
        for fence in &fences {
            let Rule::Parking(parking) = &fence.rule else { continue };
            let Some(piece) = piece(&fence.shape).without(bans.iter().map(|ban| &ban.piece)) else {
                continue;
            };
            has_stations.insert(fence.area, true);
            stations.push(Station {
                id: fence.id,
                name: fence.name.clone(),
                piece,
                lends: lends[&fence.area],
                is_open: parking.hours.is_none_or(|hours: Hours| hours.hold(at)),
                parking: parking.clone(),
                span: fence.span,
            });
        }
        let zones = areas.iter().map(|area| Zone {
            name: area.name.clone(),
            piece: piece(&Shape::Polygon(area.ring.clone())),
            lends: lends[&area.id],
            has_stations: has_stations.contains_key(&area.id),
        });
        let zones = zones.collect();
        Self { stations, bans, zones, atlas: atlas_of(areas, fences), at }
    }

    /// The parking place that a bike of `area` stands in, as a stop there would be judged: with the buffer of the place and
    /// the error of the fix in its favour, whatever the hour and however many stand in it.
    pub(crate) fn station_of(&self, place: Wgs84, hdop: f64, area: Option<AreaId>) -> Option<FenceId> {
        let judged = self.atlas.judge(&Stop::new(place, self.at, hdop, area), |_| 0);
        judged.fence.filter(|_| judged.class == ReturnClass::Parked).map(|fence| fence.id)
    }
}

fn ban(fence: &Fence, at: Timestamp) -> Option<Ban> {
    let (Rule::NoStop(ban) | Rule::NoRide(ban)) = &fence.rule else { return None };
    ban.counts(at).then(|| Ban {
        name: fence.name.clone(),
        piece: piece(&fence.shape),
        is_no_ride: matches!(fence.rule, Rule::NoRide(_)),
        span: fence.span,
    })
}

fn atlas_of(areas: Vec<Area>, fences: Vec<Fence>) -> Atlas {
    let areas = areas.into_iter().map(|area| atlas::Area {
        id: area.id,
        data_version: area.data_version,
        ring: area.ring,
        span: atlas::Span::EVER,
        opened_at: Some(atlas::Span::EVER.from),
    });
    // Bikes go on standing where they stand when a place closes for the night or fills up.
    let whatever_the_hour = |rule: Rule| match rule {
        Rule::Parking(parking) => Rule::Parking(Parking { hours: None, full_is_closed: false, ..parking }),
        rule => rule,
    };
    let fences = fences.into_iter().map(|fence| atlas::Fence {
        id: fence.id,
        data_version: fence.data_version,
        area: fence.area,
        shape: fence.shape,
        rule: whatever_the_hour(fence.rule),
        span: atlas::Span::EVER,
    });
    Atlas::new(areas.collect(), fences.collect())
}

#[cfg(test)]
pub(crate) mod tests {
    use geofence::Ban as BanRule;
    use geofence::rule::Weekdays;
    use vocabulary::Datum;

    use super::*;

    /// 2026-11-23 is a Monday; midnight in Shanghai.
    pub(crate) const MONDAY: Timestamp = Timestamp::from_millis(1_795_363_200_000);
    const AREA: AreaId = AreaId(20);

    /// In thousandths of a degree from 118.1, 24.5.
    fn ring([west, south, east, north]: [f64; 4]) -> Ring {
        let at = |x: f64, y: f64| [118.1 + x / 1000.0, 24.5 + y / 1000.0];
        let corners = [at(west, south), at(east, south), at(east, north), at(west, north)];
        Ring::draw(&corners, Datum::Wgs84).unwrap()
    }

    pub(crate) fn area(state: AreaState) -> Area {
        Area {
            id: AREA, name: "湖滨".into(), state, data_version: 1, ring: ring([-20.0, -20.0, 20.0, 20.0])
        }
    }

    pub(crate) fn fence(id: i64, edge: [f64; 4], rule: Rule) -> Fence {
        Fence {
            id: FenceId(id),
            area: AREA,
            data_version: 1,
            name: format!("围栏{id}"),
            shape: Shape::Polygon(ring(edge)),
            rule,
            span: atlas::Span::EVER,
        }
    }

    pub(crate) fn parking(capacity: i32) -> Rule {
        Rule::Parking(Parking { capacity, ..Parking::default() })
    }

    fn ids(ground: &Ground) -> Vec<i64> {
        ground.stations.iter().map(|station| station.id.0).collect()
    }

    fn at(x: f64, y: f64) -> Wgs84 {
        Wgs84::new(24.5 + y / 1000.0, 118.1 + x / 1000.0).unwrap()
    }

    #[test]
    fn what_a_ban_takes_is_no_part_of_a_station() {
        let no_stop = || Rule::NoStop(BanRule::default());
        let fences = vec![
            fence(1, [0.0, 0.0, 2.0, 1.0], parking(20)),
            fence(2, [1.0, 0.0, 3.0, 1.0], no_stop()),
            fence(3, [5.0, 5.0, 6.0, 6.0], parking(20)),
            fence(4, [4.0, 4.0, 7.0, 7.0], Rule::NoRide(BanRule::default())),
            fence(5, [0.0, 3.0, 1.0, 4.0], Rule::Custom),
        ];
        let ground = Ground::new(vec![area(AreaState::Open)], fences, MONDAY);
        assert_eq!(ids(&ground), [1], "nothing is left of the other one");
        let left = ground.stations[0].piece.geometry();
        assert!(left.coordinates[0][0].iter().all(|[lng, _]| *lng <= 118.101), "{left:?}");
        let names: Vec<&str> = ground.bans.iter().map(|ban| ban.name.as_str()).collect();
        assert_eq!(names, ["围栏4", "围栏2"], "the harder one first");
        // The judge says the same of those who stop there.
        assert_eq!(ground.station_of(at(0.5, 0.5), 0.0, Some(AREA)), Some(FenceId(1)));
        assert_eq!(ground.station_of(at(1.5, 0.5), 0.0, Some(AREA)), None);
    }

    #[test]
    fn a_ban_counts_at_its_hours_alone() {
        let weekend = BanRule { weekdays: Weekdays(0b110_0000), ..BanRule::default() };
        let fences = vec![
            fence(1, [0.0, 0.0, 2.0, 1.0], parking(20)),
            fence(2, [0.0, 0.0, 3.0, 1.0], Rule::NoStop(weekend)),
        ];
        let ground = |at| Ground::new(vec![area(AreaState::Open)], fences.clone(), at);
        let monday = ground(MONDAY);
        assert_eq!((ids(&monday), monday.bans.len()), (vec![1], 0));
        let saturday = ground(MONDAY.plus_millis(5 * 86_400_000));
        assert_eq!((ids(&saturday), saturday.bans.len()), (vec![], 1));
    }

    #[test]
    fn a_parking_place_that_is_closed_or_full_still_holds_its_bikes() {
        let by_day = Parking {
            hours: Some(Hours { from_min: 420, until_min: 1320 }),
            full_is_closed: true,
            capacity: 0,
            ..Parking::default()
        };
        let fences = vec![fence(1, [0.0, 0.0, 2.0, 1.0], Rule::Parking(by_day))];
        let night = Ground::new(vec![area(AreaState::Open)], fences, MONDAY);
        assert!(!night.stations[0].is_open);
        assert_eq!(night.station_of(at(1.0, 0.5), 0.0, Some(AREA)), Some(FenceId(1)));
        assert_eq!(night.station_of(at(9.0, 0.5), 0.0, Some(AREA)), None);
    }

    #[test]
    fn an_area_that_is_suspended_takes_bikes_back_and_lends_none() {
        let fences = vec![fence(1, [0.0, 0.0, 2.0, 1.0], parking(20))];
        let ground = Ground::new(vec![area(AreaState::Suspended)], fences.clone(), MONDAY);
        assert!(!ground.stations[0].lends && !ground.zones[0].lends && ground.zones[0].has_stations);
        // One that is only planned is not told of at all, nor what lies in it.
        let elsewhere = Ground::new(Vec::new(), fences, MONDAY);
        assert!(elsewhere.stations.is_empty() && elsewhere.zones.is_empty());
    }
}
