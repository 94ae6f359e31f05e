//! GBFS 3.0: <https://gbfs.org>. Raw JSON by its own schemas; texts are Chinese, times say their zone.

#![expect(clippy::struct_field_names, reason = "the names are the format's")]

use chrono::{FixedOffset, SecondsFormat};
use geofence::atlas::Span;
use geofence::rule::Hours;
use serde::Serialize;
use utoipa::ToSchema;
use vocabulary::Timestamp;

use super::ground::{Ground, Station};
use super::shapes::Geometry;
use super::street::{Standing, Street};
use crate::About;

/// Of GBFS.
pub(crate) const VERSION: &str = "3.0";
/// Where the feeds lie.
pub(crate) const PATH: &str = "/open/gbfs/3.0";
/// How long a reader may keep what changes by configuration alone, seconds.
pub(crate) const SYSTEM_TTL_S: u32 = 3_600;
/// How long stations and zones, seconds.
pub(crate) const GROUND_TTL_S: u32 = 30;
/// How long what bikes do, seconds.
pub(crate) const STREET_TTL_S: u32 = 10;

/// Every feed that `gbfs.json` names.
const FEEDS: [&str; 6] = [
    "system_information",
    "vehicle_types",
    "station_information",
    "station_status",
    "vehicle_status",
    "geofencing_zones",
];
const LANGUAGE: &str = "zh-CN";
/// All bikes are of one type until models of bikes are kept.
const TYPE: &str = "ebike";
/// Shanghai's clock, +08:00 all year.
const OFFSET_S: i32 = 8 * 3_600;

/// A feed.
#[derive(ToSchema)]
#[expect(dead_code, reason = "a shape for the document; feeds are written in `answer`")]
pub(crate) struct Gbfs<D> {
    /// When it began to say this, RFC 3339 with the zone.
    last_updated: String,
    /// Seconds that it may be kept.
    ttl: u32,
    /// 3.0.
    version: String,
    /// What it says.
    data: D,
}

/// An instant as GBFS writes it.
pub(crate) fn rfc3339(at: Timestamp) -> String {
    let offset = FixedOffset::east_opt(OFFSET_S).expect("eight hours is an offset");
    at.datetime().with_timezone(&offset).to_rfc3339_opts(SecondsFormat::Secs, false)
}

/// A text and its language.
#[derive(Serialize, ToSchema)]
#[schema(as = GbfsText)]
pub(crate) struct Text {
    text: String,
    language: &'static str,
}

fn text(text: &str) -> Vec<Text> {
    vec![Text { text: text.to_owned(), language: LANGUAGE }]
}

/// `gbfs.json`.
#[derive(Serialize, ToSchema)]
#[schema(as = GbfsFeeds)]
pub(crate) struct Discovery {
    feeds: Vec<Feed>,
}

#[derive(Serialize, ToSchema)]
#[schema(as = GbfsFeed)]
pub(crate) struct Feed {
    name: &'static str,
    url: String,
}

/// Every feed, below `base`.
pub(crate) fn discovery(base: &str) -> Discovery {
    let feed = |name| Feed { name, url: format!("{base}{PATH}/{name}.json") };
    Discovery { feeds: FEEDS.into_iter().map(feed).collect() }
}

/// `manifest.json`.
#[derive(Serialize, ToSchema)]
#[schema(as = GbfsManifest)]
pub(crate) struct Manifest {
    datasets: Vec<Dataset>,
}

#[derive(Serialize, ToSchema)]
#[schema(as = GbfsDataset)]
pub(crate) struct Dataset {
    system_id: String,
    versions: Vec<VersionAt>,
}

#[derive(Serialize, ToSchema)]
#[schema(as = GbfsVersion)]
pub(crate) struct VersionAt {
    version: &'static str,
    url: String,
}

/// The one system that there is, below `base`.
pub(crate) fn manifest(about: &About, base: &str) -> Manifest {
    let version = VersionAt { version: VERSION, url: format!("{base}{PATH}/gbfs.json") };
    Manifest { datasets: vec![Dataset { system_id: about.system_id.clone(), versions: vec![version] }] }
}

/// `system_information.json`.
#[derive(Serialize, ToSchema)]
#[schema(as = GbfsSystem)]
pub(crate) struct System {
    system_id: String,
    languages: Vec<&'static str>,
    name: Vec<Text>,
    /// As OpenStreetMap writes hours.
    opening_hours: &'static str,
    feed_contact_email: String,
    timezone: &'static str,
}

/// What is configured of the system.
pub(crate) fn system_information(about: &About) -> System {
    System {
        system_id: about.system_id.clone(),
        languages: vec![LANGUAGE],
        name: text(&about.name),
        // Stations have hours of their own; nothing closes the system as a whole.
        opening_hours: "24/7",
        feed_contact_email: about.email.clone(),
        timezone: "Asia/Shanghai",
    }
}

/// `vehicle_types.json`.
#[derive(Serialize, ToSchema)]
#[schema(as = GbfsVehicleTypes)]
pub(crate) struct VehicleTypes {
    vehicle_types: Vec<VehicleType>,
}

#[derive(Serialize, ToSchema)]
#[schema(as = GbfsVehicleType)]
pub(crate) struct VehicleType {
    vehicle_type_id: &'static str,
    form_factor: &'static str,
    propulsion_type: &'static str,
    /// Metres.
    max_range_meters: u32,
    name: Vec<Text>,
}

/// The one type.
pub(crate) fn vehicle_types(about: &About) -> VehicleTypes {
    VehicleTypes {
        vehicle_types: vec![VehicleType {
            vehicle_type_id: TYPE,
            form_factor: "bicycle",
            propulsion_type: "electric_assist",
            max_range_meters: about.range_m,
            name: text("电单车"),
        }],
    }
}

/// `station_information.json`.
#[derive(Serialize, ToSchema)]
#[schema(as = GbfsStations)]
pub(crate) struct StationInformation {
    stations: Vec<StationInfo>,
}

#[derive(Serialize, ToSchema)]
#[schema(as = GbfsStation)]
pub(crate) struct StationInfo {
    station_id: String,
    name: Vec<Text>,
    lat: f64,
    lon: f64,
    is_virtual_station: bool,
    station_area: Geometry,
    /// 停放上限; absent: as many as there is room for.
    #[serde(skip_serializing_if = "Option::is_none")]
    capacity: Option<u32>,
    /// Absent: always.
    #[serde(skip_serializing_if = "Option::is_none")]
    station_opening_hours: Option<String>,
}

fn capacity(station: &Station) -> Option<u32> {
    u32::try_from(station.parking.capacity).ok().filter(|capacity| *capacity > 0)
}

/// Hours of every day as OpenStreetMap writes them.
fn opening_hours(hours: Hours) -> String {
    let time = |minute: u16| format!("{:02}:{:02}", minute / 60, minute % 60);
    format!("{}-{}", time(hours.from_min), time(hours.until_min))
}

/// Where stations lie.
pub(crate) fn station_information(ground: &Ground) -> StationInformation {
    let stations = ground.stations.iter().map(|station| {
        let [lon, lat] = station.piece.middle();
        StationInfo {
            station_id: station.id.to_string(),
            name: text(&station.name),
            lat,
            lon,
            is_virtual_station: true,
            station_area: station.piece.geometry(),
            capacity: capacity(station),
            station_opening_hours: station.parking.hours.map(opening_hours),
        }
    });
    StationInformation { stations: stations.collect() }
}

/// `station_status.json`.
#[derive(Serialize, ToSchema)]
#[schema(as = GbfsStationStates)]
pub(crate) struct StationStatus {
    stations: Vec<StationState>,
}

#[derive(Serialize, ToSchema)]
#[schema(as = GbfsStationState)]
pub(crate) struct StationState {
    station_id: String,
    /// Bikes that may be taken.
    num_vehicles_available: u32,
    vehicle_types_available: Vec<TypeCount>,
    num_vehicles_disabled: u32,
    /// Absent where the capacity is.
    #[serde(skip_serializing_if = "Option::is_none")]
    num_docks_available: Option<u32>,
    is_installed: bool,
    is_renting: bool,
    is_returning: bool,
    last_reported: String,
}

#[derive(Serialize, ToSchema)]
#[schema(as = GbfsTypeCount)]
pub(crate) struct TypeCount {
    vehicle_type_id: &'static str,
    count: u32,
}

/// What stands in the stations at an instant.
pub(crate) fn station_status(ground: &Ground, street: &Street, at: Timestamp) -> StationStatus {
    let stations = ground.stations.iter().map(|station| {
        let count = street.counts.get(&station.id).copied().unwrap_or_default();
        let room = capacity(station).map(|capacity| capacity.saturating_sub(count.all));
        let is_full =
            station.parking.full_is_closed && i64::from(count.all) >= station.parking.capacity.into();
        StationState {
            station_id: station.id.to_string(),
            num_vehicles_available: count.free,
            vehicle_types_available: vec![TypeCount { vehicle_type_id: TYPE, count: count.free }],
            num_vehicles_disabled: count.disabled,
            num_docks_available: room,
            is_installed: true,
            is_renting: station.lends,
            is_returning: station.is_open && !is_full,
            last_reported: rfc3339(at),
        }
    });
    StationStatus { stations: stations.collect() }
}

/// `vehicle_status.json`.
#[derive(Serialize, ToSchema)]
#[schema(as = GbfsVehicles)]
pub(crate) struct VehicleStatus {
    vehicles: Vec<Vehicle>,
}

#[derive(Serialize, ToSchema)]
#[schema(as = GbfsVehicle)]
pub(crate) struct Vehicle {
    /// Another one after each ride.
    vehicle_id: String,
    lat: f64,
    lon: f64,
    is_reserved: bool,
    is_disabled: bool,
    vehicle_type_id: &'static str,
    last_reported: String,
    /// Metres.
    current_range_meters: u32,
    /// 0 to 1.
    current_fuel_percent: f64,
    /// The station that it stands in.
    #[serde(skip_serializing_if = "Option::is_none")]
    station_id: Option<String>,
}

/// The bikes that nobody is on.
pub(crate) fn vehicle_status(street: &Street, about: &About) -> VehicleStatus {
    let rounded = |degrees: f64| (degrees * 1e6).round() / 1e6;
    let mut vehicles: Vec<Vehicle> = street
        .bikes
        .iter()
        .map(|(bike, station)| Vehicle {
            vehicle_id: bike.id.clone(),
            lat: rounded(bike.place.lat()),
            lon: rounded(bike.place.lng()),
            is_reserved: bike.standing == Standing::Reserved,
            is_disabled: bike.standing == Standing::Disabled,
            vehicle_type_id: TYPE,
            last_reported: rfc3339(bike.reported_at),
            current_range_meters: (u64::from(about.range_m) * u64::from(bike.soc_percent) / 100) as u32,
            current_fuel_percent: f64::from(bike.soc_percent) / 100.0,
            station_id: station.map(|station| station.to_string()),
        })
        .collect();
    // In the order of the fleet the same bike would be found at the same place after its ride.
    vehicles.sort_by(|a, b| a.vehicle_id.cmp(&b.vehicle_id));
    VehicleStatus { vehicles }
}

/// `geofencing_zones.json`.
#[derive(Serialize, ToSchema)]
#[schema(as = GbfsZones)]
pub(crate) struct GeofencingZones {
    geofencing_zones: ZoneCollection,
    /// Where no zone holds a place.
    global_rules: Vec<ZoneRule>,
}

#[derive(Serialize, ToSchema)]
#[schema(as = GbfsZoneCollection)]
pub(crate) struct ZoneCollection {
    #[serde(rename = "type")]
    kind: &'static str,
    /// Of zones that overlap the earlier counts.
    features: Vec<ZoneFeature>,
}

#[derive(Serialize, ToSchema)]
#[schema(as = GbfsZone)]
pub(crate) struct ZoneFeature {
    #[serde(rename = "type")]
    kind: &'static str,
    properties: ZoneProperties,
    geometry: Geometry,
}

#[derive(Serialize, ToSchema)]
#[schema(as = GbfsZoneProperties)]
pub(crate) struct ZoneProperties {
    name: Vec<Text>,
    #[serde(skip_serializing_if = "Option::is_none")]
    start: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    end: Option<String>,
    rules: Vec<ZoneRule>,
}

#[derive(Serialize, ToSchema)]
#[schema(as = GbfsZoneRule)]
pub(crate) struct ZoneRule {
    ride_start_allowed: bool,
    ride_end_allowed: bool,
    ride_through_allowed: bool,
    /// Whether rides end in stations alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    station_parking: Option<bool>,
}

fn feature(name: &str, span: Option<Span>, rule: ZoneRule, geometry: Geometry) -> ZoneFeature {
    let properties = ZoneProperties {
        name: text(name),
        start: span.map(|span| rfc3339(span.from)),
        end: span.and_then(|span| span.until).map(rfc3339),
        rules: vec![rule],
    };
    ZoneFeature { kind: "Feature", properties, geometry }
}

/// Where one may ride and stop: 禁行, 禁停, 停车 and 服务区, in this order.
pub(crate) fn geofencing_zones(ground: &Ground) -> GeofencingZones {
    let bans = ground.bans.iter().map(|ban| {
        let rule = ZoneRule {
            // Whoever takes away what stands where it must not does everybody a service.
            ride_start_allowed: !ban.is_no_ride,
            ride_end_allowed: false,
            ride_through_allowed: !ban.is_no_ride,
            station_parking: None,
        };
        feature(&ban.name, Some(ban.span), rule, ban.piece.geometry())
    });
    let parkings = ground.stations.iter().map(|station| {
        let rule = ZoneRule {
            ride_start_allowed: station.lends,
            ride_end_allowed: station.is_open,
            ride_through_allowed: true,
            station_parking: Some(true),
        };
        feature(&station.name, Some(station.span), rule, station.piece.geometry())
    });
    let zones = ground.zones.iter().map(|zone| {
        let rule = ZoneRule {
            ride_start_allowed: zone.lends,
            ride_end_allowed: true,
            ride_through_allowed: true,
            station_parking: Some(zone.has_stations),
        };
        feature(&zone.name, None, rule, zone.piece.geometry())
    });
    let features = bans.chain(parkings).chain(zones).collect();
    let outside = ZoneRule {
        ride_start_allowed: false,
        ride_end_allowed: false,
        ride_through_allowed: false,
        station_parking: None,
    };
    GeofencingZones {
        geofencing_zones: ZoneCollection { kind: "FeatureCollection", features },
        global_rules: vec![outside],
    }
}

#[cfg(test)]
mod tests {
    use geofence::{Ban, Parking, Rule};
    use serde_json::{Value, json};
    use territory::model::area::AreaState;
    use vocabulary::{AreaId, Wgs84};

    use super::*;
    use crate::model::ground::tests::{MONDAY, area, fence, parking};
    use crate::model::street::Bike;

    fn about() -> About {
        About {
            system_id: "wheelhouse".into(),
            name: "惠行出行".into(),
            email: "feeds@example.com".into(),
            url: None,
            range_m: 50_000,
            gbfs_public: false,
            mds_public: false,
        }
    }

    fn bike(n: u32, [x, y]: [f64; 2], standing: Standing) -> Bike {
        Bike {
            id: format!("{n:032x}"),
            area: Some(AreaId(20)),
            place: Wgs84::new(24.5 + y / 1000.0, 118.1 + x / 1000.0).unwrap(),
            hdop: 1.0,
            soc_percent: 37,
            reported_at: MONDAY,
            standing,
        }
    }

    fn told<T: Serialize>(feed: &T) -> Value {
        serde_json::to_value(feed).unwrap()
    }

    #[test]
    fn times_say_their_zone() {
        assert_eq!(rfc3339(MONDAY), "2026-11-23T00:00:00+08:00");
    }

    #[test]
    fn a_station_counts_the_bikes_that_stand_in_it() {
        let full = Parking { capacity: 3, full_is_closed: true, ..Parking::default() };
        let fences = vec![
            fence(1, [0.0, 0.0, 2.0, 1.0], parking(20)),
            fence(2, [5.0, 0.0, 7.0, 1.0], Rule::Parking(full)),
            fence(3, [10.0, 0.0, 12.0, 1.0], parking(0)),
        ];
        let ground = Ground::new(vec![area(AreaState::Open)], fences, MONDAY);
        let bikes = vec![
            bike(1, [1.0, 0.5], Standing::Free),
            bike(2, [1.0, 0.6], Standing::Reserved),
            bike(3, [1.0, 0.7], Standing::Disabled),
            bike(4, [6.0, 0.5], Standing::Free),
            bike(5, [6.0, 0.5], Standing::Free),
            bike(6, [6.0, 0.5], Standing::Disabled),
            bike(7, [6.0, 0.5], Standing::Disabled),
            bike(8, [3.5, 0.5], Standing::Free),
        ];
        let street = Street::new(bikes, &ground);
        let states = told(&station_status(&ground, &street, MONDAY));
        let of = |n: usize, name: &str| states["stations"][n][name].clone();
        let row = |n| {
            ["num_vehicles_available", "num_vehicles_disabled", "num_docks_available"].map(|name| of(n, name))
        };
        assert_eq!(row(0), [json!(1), json!(1), json!(17)], "{states}");
        assert_eq!(row(1), [json!(2), json!(2), json!(0)], "{states}");
        assert_eq!(row(2), [json!(0), json!(0), Value::Null], "{states}");
        assert_eq!([0, 1, 2].map(|n| of(n, "is_returning")), [json!(true), json!(false), json!(true)]);
        let vehicles = told(&vehicle_status(&street, &about()));
        let seventh = vehicles["vehicles"].as_array().unwrap().iter().find(|one| one["station_id"].is_null());
        assert_eq!(seventh.map(|one| &one["lon"]), Some(&json!(118.1035)), "{vehicles}");
        assert_eq!(vehicles["vehicles"][0]["current_range_meters"], 18_500);
        assert_eq!(vehicles["vehicles"][0]["current_fuel_percent"], json!(0.37));
    }

    #[test]
    fn zones_stand_in_the_order_in_which_they_count() {
        let fences = vec![
            fence(1, [0.0, 0.0, 2.0, 1.0], parking(20)),
            fence(2, [1.0, 0.0, 3.0, 1.0], Rule::NoStop(Ban::default())),
            fence(3, [5.0, 0.0, 7.0, 1.0], Rule::NoRide(Ban::default())),
            fence(4, [8.0, 0.0, 9.0, 1.0], Rule::Maintenance),
        ];
        let ground = Ground::new(vec![area(AreaState::Open)], fences, MONDAY);
        let zones = told(&geofencing_zones(&ground));
        let features = zones["geofencing_zones"]["features"].as_array().unwrap();
        let rows: Vec<(&str, [bool; 3])> = features
            .iter()
            .map(|one| {
                let rule = &one["properties"]["rules"][0];
                let allowed = ["ride_start_allowed", "ride_end_allowed", "ride_through_allowed"];
                let name = one["properties"]["name"][0]["text"].as_str().unwrap();
                (name, allowed.map(|name| rule[name].as_bool().unwrap()))
            })
            .collect();
        assert_eq!(
            rows,
            [
                ("围栏3", [false, false, false]),
                ("围栏2", [true, false, true]),
                ("围栏1", [true, true, true]),
                ("湖滨", [true, true, true]),
            ]
        );
        assert_eq!(features[3]["properties"]["rules"][0]["station_parking"], true);
        assert_eq!(zones["global_rules"][0]["ride_end_allowed"], false);
    }

    #[test]
    fn every_feed_is_named_below_where_it_was_asked_for() {
        let discovery = told(&discovery("https://city.example.com"));
        let urls: Vec<&str> =
            discovery["feeds"].as_array().unwrap().iter().map(|feed| feed["url"].as_str().unwrap()).collect();
        assert_eq!(urls.len(), FEEDS.len());
        assert_eq!(urls[3], "https://city.example.com/open/gbfs/3.0/station_status.json");
        let manifest = told(&manifest(&about(), "https://city.example.com"));
        assert_eq!(
            manifest["datasets"][0]["versions"][0]["url"],
            "https://city.example.com/open/gbfs/3.0/gbfs.json"
        );
    }

    #[test]
    fn hours_are_written_as_openstreetmap_does() {
        assert_eq!(opening_hours(Hours { from_min: 450, until_min: 1440 }), "07:30-24:00");
        assert_eq!(opening_hours(Hours { from_min: 1320, until_min: 360 }), "22:00-06:00");
    }
}
