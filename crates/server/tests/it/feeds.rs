//! The open feeds, as a reader outside sees them: `docs/feeds.md`.

use std::collections::BTreeSet;
use std::time::Duration;

use reqwest::header::{AUTHORIZATION, CACHE_CONTROL, ETAG, IF_NONE_MATCH};
use serde_json::{Value, json};

use crate::bike::Bike;
use crate::city::City;
use crate::client::Machine;
use crate::rider::{Ride, Rider};
use crate::stack::{Node, Stack, eventually};

mod schemas;

const GBFS: &str = "/open/gbfs/3.0";
const MDS: &str = "/open/mds/2.0";
/// Every feed of GBFS, `gbfs` first.
const NAMES: [&str; 8] = [
    "gbfs",
    "manifest",
    "system_information",
    "vehicle_types",
    "station_information",
    "station_status",
    "vehicle_status",
    "geofencing_zones",
];
const RIDER: &str = "rider-4711";
const PATIENCE: Duration = Duration::from_mins(2);
const SOC: u8 = 80;

/// Somebody who reads feeds, with a token or without.
struct Reader {
    http: reqwest::Client,
    url: String,
    bearer: Option<String>,
}

impl Reader {
    fn new(url: &str, token: Option<&str>) -> Self {
        let http = reqwest::Client::builder().timeout(Duration::from_mins(1)).no_proxy().build().unwrap();
        Self { http, url: url.to_owned(), bearer: token.map(|token| format!("Bearer {}", token.trim())) }
    }

    async fn ask(&self, path: &str, known: Option<&str>) -> reqwest::Response {
        let mut request = self.http.get(format!("{}{path}", self.url));
        if let Some(bearer) = &self.bearer {
            request = request.header(AUTHORIZATION, bearer);
        }
        if let Some(known) = known {
            request = request.header(IF_NONE_MATCH, known);
        }
        request.send().await.expect("an answer")
    }

    async fn status(&self, path: &str) -> u16 {
        self.ask(path, None).await.status().as_u16()
    }

    async fn read(&self, path: &str) -> Value {
        let answer = self.ask(path, None).await;
        let status = answer.status();
        let body: Value = answer.json().await.expect("JSON");
        assert_eq!(status, 200, "{path}: {body}");
        body
    }

    /// What a feed of GBFS says.
    async fn gbfs(&self, name: &str) -> Value {
        self.read(&format!("{GBFS}/{name}.json")).await["data"].clone()
    }

    async fn vehicles(&self) -> Vec<Value> {
        rows(&self.gbfs("vehicle_status").await["vehicles"]).clone()
    }

    /// The one station that there is, as it stands.
    async fn station(&self) -> Value {
        let states = self.gbfs("station_status").await;
        assert_eq!(rows(&states["stations"]).len(), 1, "{states}");
        states["stations"][0].clone()
    }
}

fn rows(value: &Value) -> &Vec<Value> {
    value.as_array().unwrap_or_else(|| panic!("no list: {value}"))
}

fn names(features: &Value) -> Vec<&str> {
    rows(features).iter().filter_map(|one| one["properties"]["name"][0]["text"].as_str()).collect()
}

/// Two cities of two agents. In the first one a parking place reaches into a no-stop zone with its eastern half, and bikes
/// stand in its western half, in the zone and elsewhere. The parking place was drawn twice.
struct Scene {
    stack: Stack,
    node: Node,
    machine: Machine,
    city: City,
    other: City,
    lines: Vec<Bike>,
}

impl Scene {
    async fn build() -> Self {
        let (stack, node) = Stack::serving().await;
        let machine = Machine::new(&node.url, &stack.full_machine().await);
        let city = City::build(&machine, "G", 1, 3).await;
        let other = City::build(&machine, "H", 2, 1).await;
        let draw = async |kind: u8, name: &str, [west, south, east, north]: [f64; 4]| {
            let at = |x: f64, y: f64| json!([city.lng + x, city.lat + y]);
            // Clockwise, as nearly all sources draw.
            let ring = json!([at(west, south), at(west, north), at(east, north), at(east, south)]);
            let body = json!({"areaId": city.area, "kind": kind, "name": name, "ring": ring, "capacity": 20});
            // Drawn anew it is known by its name, as soon as that can be read.
            eventually("the fence is drawn", PATIENCE, async || {
                let reply = machine.post("/open/v1/fences", &body, None).await.expect("an answer");
                (reply.code() != "fence-name-taken").then(|| drop(reply.data()))
            })
            .await;
        };
        draw(2, "东门站", [0.003, 0.004, 0.006, 0.006]).await;
        draw(2, "东门站", [0.004, 0.004, 0.006, 0.006]).await;
        draw(4, "校门口", [0.005, 0.003, 0.008, 0.007]).await;
        draw(9, "步行街", [-0.008, -0.008, -0.006, -0.006]).await;
        let mut scene = Self { stack, node, machine, city, other, lines: Vec::new() };
        scene.put_bikes().await;
        scene
    }

    async fn put_bikes(&mut self) {
        let mqtt = self.stack.nats.mqtt_addr();
        let places = [(0.0045, 0.005), (0.0058, 0.005), (-0.01, 0.01)];
        for (bike, (x, y)) in self.city.bikes.iter().zip(places) {
            let line = Bike::connect(&mqtt, &bike.imei, &bike.secret).await;
            line.report(&bike.imei, self.city.lat + y, self.city.lng + x, SOC, true).await;
            self.lines.push(line);
        }
        let theirs = &self.other.bikes[0];
        let line = Bike::connect(&mqtt, &theirs.imei, &theirs.secret).await;
        line.report(&theirs.imei, self.other.lat + 0.005, self.other.lng + 0.005, SOC, true).await;
        self.lines.push(line);
    }

    /// A machine that reads feeds and does nothing else.
    async fn reader(&self, name: &str) -> Reader {
        let token = self.stack.machine_token(name, "open:feeds").await;
        let reader = Reader::new(&self.node.url, Some(&token));
        eventually("all bikes are told of", PATIENCE, async || {
            (reader.vehicles().await.len() == self.lines.len()).then_some(())
        })
        .await;
        reader
    }

    /// Somebody rides off with the bike of this number in the first city.
    async fn ride(&mut self, number: usize) -> Ride {
        let (bike, line) = (&self.city.bikes[number], &mut self.lines[number]);
        let rider = Rider::come(&self.machine, &self.city.area, RIDER).await;
        rider.ride_off(&self.machine, bike, line).await
    }

    /// What nobody outside may learn: numbers of bikes, devices and people, and names.
    fn secrets(&self) -> Vec<String> {
        let bikes = self.city.bikes.iter().chain(&self.other.bikes);
        let numbers = bikes.flat_map(|bike| [bike.car.clone(), bike.imei.clone(), bike.secret.clone()]);
        let people = ["闽", "陈伟", "1390000000", "05920000000", "出行有限公司", RIDER].map(str::to_owned);
        numbers.chain(people).collect()
    }
}

/// Twice the area that a closed ring runs around, positive when counter-clockwise.
fn signed(ring: &Value) -> f64 {
    let at = |corner: &Value| [0, 1].map(|axis| corner[axis].as_f64().expect("degrees"));
    let corners: Vec<[f64; 2]> = rows(ring).iter().map(at).collect();
    assert!(corners.len() >= 4 && corners.first() == corners.last(), "a closed ring: {ring}");
    let [x, y] = corners[0];
    let from = |[a, b]: [f64; 2]| [a - x, b - y];
    corners
        .windows(2)
        .map(|side| (from(side[0]), from(side[1])))
        .map(|(a, b)| a[0] * b[1] - b[0] * a[1])
        .sum()
}

/// Every MultiPolygon in `value`, its rings running as GeoJSON wants them; how many there are.
fn well_drawn(value: &Value) -> usize {
    match value {
        Value::Object(fields) if fields.get("type") == Some(&json!("MultiPolygon")) => {
            for polygon in rows(&fields["coordinates"]) {
                let (outer, holes) = rows(polygon).split_first().expect("an outer ring");
                assert!(signed(outer) > 0.0, "counter-clockwise: {outer}");
                assert!(holes.iter().all(|hole| signed(hole) < 0.0), "holes run clockwise: {polygon}");
            }
            assert!(!rows(&fields["coordinates"]).is_empty(), "{value}");
            1
        }
        Value::Object(fields) => fields.values().map(well_drawn).sum(),
        Value::Array(items) => items.iter().map(well_drawn).sum(),
        _ => 0,
    }
}

/// The frame of a feed of GBFS: when, for how long, which version.
fn framed(feed: &Value) {
    let fields: BTreeSet<&str> = feed.as_object().expect("an object").keys().map(String::as_str).collect();
    assert_eq!(fields, BTreeSet::from(["last_updated", "ttl", "version", "data"]), "{feed}");
    let when = feed["last_updated"].as_str().expect("text");
    assert!(when.len() == 25 && when.ends_with("+08:00") && when.as_bytes()[10] == b'T', "{when}");
    assert!(feed["ttl"].is_u64() && feed["version"] == "3.0" && feed["data"].is_object(), "{feed}");
}

#[tokio::test(flavor = "multi_thread")]
async fn readers_see_stations_bikes_and_zones_and_nothing_of_people() {
    let mut scene = Scene::build().await;
    let (city, reader) = (&scene.city, scene.reader("reader").await);
    let [edge, west] = [0.005, 0.004].map(|x| city.lng + x);

    // A feed of each kind, framed and drawn as the formats want it, and nobody in any of them.
    let mut all = Vec::new();
    for name in NAMES {
        let feed = reader.read(&format!("{GBFS}/{name}.json")).await;
        framed(&feed);
        all.push(feed);
    }
    for name in ["geographies", "policies", "policies?start_date=0"] {
        all.push(reader.read(&format!("{MDS}/{name}")).await);
    }
    let drawn: usize = all.iter().map(well_drawn).sum();
    assert!(drawn > 10, "{drawn} shapes");
    let text = all.iter().map(Value::to_string).collect::<String>();
    for secret in scene.secrets() {
        assert!(!text.contains(&secret), "{secret} is told");
    }

    // Stations: the half that no ban takes, and none of the places that bans cover.
    let stations = reader.gbfs("station_information").await;
    let station = &stations["stations"][0];
    assert_eq!(rows(&stations["stations"]).len(), 1, "{stations}");
    assert_eq!((&station["name"][0]["text"], &station["capacity"]), (&json!("东门站"), &json!(20)));
    assert_eq!(station["is_virtual_station"], true);
    let corners = rows(&station["station_area"]["coordinates"][0][0]);
    let lngs = || corners.iter().map(|corner| corner[0].as_f64().unwrap());
    assert!(lngs().all(|lng| lng < edge + 1e-6) && lngs().any(|lng| lng < west + 1e-6), "{station}");
    let lon = station["lon"].as_f64().unwrap();
    assert!(west < lon && lon < edge, "it is named within: {station}");

    // One bike in it, one in the ban, one elsewhere; the other agent's.
    let id = station["station_id"].clone();
    let state = reader.station().await;
    let count = |name: &str| state[name].as_i64();
    assert_eq!(state["station_id"], id);
    assert_eq!(
        ["num_vehicles_available", "num_vehicles_disabled", "num_docks_available"].map(count),
        [Some(1), Some(0), Some(19)],
        "{state}"
    );
    assert_eq!([&state["is_renting"], &state["is_returning"]], [true, true]);
    let vehicles = reader.vehicles().await;
    let within: Vec<&Value> = vehicles.iter().filter(|one| one["station_id"] == id).collect();
    let standing = within[0];
    assert_eq!(within.len(), 1, "{vehicles:?}");
    assert_eq!(
        (&standing["current_range_meters"], &standing["current_fuel_percent"]),
        (&json!(40_000), &json!(0.8))
    );
    assert_eq!([&standing["is_reserved"], &standing["is_disabled"]], [false, false]);
    assert!((standing["lon"].as_f64().unwrap() - (city.lng + 0.0045)).abs() < 1e-6, "{standing}");

    // Zones: the harder first, parking before its area, and what no zone holds is closed.
    let zones = reader.gbfs("geofencing_zones").await;
    let features = &zones["geofencing_zones"]["features"];
    assert_eq!(names(features), ["步行街", "G 禁停区", "H 禁停区", "校门口", "东门站", "G 区", "H 区"]);
    let rules = |n: usize| {
        let rule = &features[n]["properties"]["rules"][0];
        ["ride_start_allowed", "ride_end_allowed", "ride_through_allowed"].map(|name| rule[name] == true)
    };
    assert_eq!([rules(0), rules(3), rules(4)], [[false; 3], [true, false, true], [true; 3]]);
    assert_eq!(zones["global_rules"][0]["ride_end_allowed"], false);

    a_ride_changes_the_name(&mut scene, &reader, standing["vehicle_id"].as_str().unwrap()).await;
}

/// Ridden, a bike is gone; afterwards nobody can tell that it is the same.
async fn a_ride_changes_the_name(scene: &mut Scene, reader: &Reader, before: &str) {
    let ride = scene.ride(0).await;
    eventually("the bike is gone", PATIENCE, async || {
        let vehicles = reader.vehicles().await;
        (vehicles.len() == 3).then(|| assert!(vehicles.iter().all(|one| one["vehicle_id"] != before)))
    })
    .await;
    assert_eq!(reader.station().await["num_vehicles_available"], 0);
    ride.post(&scene.machine, "return").await.data();
    let vehicles = eventually("the bike is back", PATIENCE, async || {
        Some(reader.vehicles().await).filter(|vehicles| vehicles.len() == 4)
    })
    .await;
    assert!(vehicles.iter().all(|one| one["vehicle_id"] != before), "{before}: {vehicles:?}");
    assert_eq!(reader.station().await["num_vehicles_available"], 1);
    // What a bike without a ride was called it is called still.
    let names: BTreeSet<&str> = vehicles.iter().filter_map(|one| one["vehicle_id"].as_str()).collect();
    assert_eq!(names.len(), 4);
}

#[tokio::test(flavor = "multi_thread")]
async fn geographies_and_policies_are_told_by_version() {
    let scene = Scene::build().await;
    let token = scene.stack.machine_token("reader", "open:feeds").await;
    let reader = Reader::new(&scene.node.url, Some(&token));
    let geographies = reader.read(&format!("{MDS}/geographies")).await;
    let of = |name: &str| -> Vec<Value> {
        rows(&geographies["geographies"]).iter().filter(|one| one["name"] == name).cloned().collect()
    };
    let station = of("东门站");
    assert_eq!(station.len(), 2, "{geographies}");
    assert_eq!(station[0]["prev_geographies"], json!([station[1]["geography_id"]]), "the newest first");
    assert_eq!(station[0]["effective_date"], station[1]["retire_date"]);
    let types = ["东门站", "校门口", "步行街", "G 区"].map(|name| of(name)[0]["geography_type"].clone());
    assert_eq!(types, ["stop", "policy_zone", "policy_zone", "service_area"]);
    let one = station[0]["geography_id"].as_str().unwrap();
    let alone = reader.read(&format!("{MDS}/geographies/{one}")).await;
    assert_eq!((&alone["geography"], &alone["version"]), (&station[0], &json!("2.0.0")));

    // Policies that count now, and all that ever did.
    let named = |all: &Value, name: &str| -> Vec<Value> {
        rows(&all["policies"]).iter().filter(|one| one["name"] == name).cloned().collect()
    };
    let now = reader.read(&format!("{MDS}/policies")).await;
    let [parking, no_stop, no_ride] = ["东门站", "校门口", "步行街"].map(|name| named(&now, name));
    assert_eq!([parking.len(), no_stop.len(), no_ride.len()], [1, 1, 1], "{now}");
    assert_eq!(parking[0]["rules"][0]["geographies"], json!([one]));
    let maximum = [&parking, &no_stop, &no_ride].map(|all| all[0]["rules"][0]["maximum"].as_i64());
    assert_eq!(maximum, [Some(20), Some(0), Some(0)]);
    let ever = reader.read(&format!("{MDS}/policies?start_date=0")).await;
    let versions = named(&ever, "东门站");
    assert_eq!(versions.len(), 2, "{ever}");
    assert_eq!(versions[1]["end_date"], versions[0]["start_date"]);
    let id = versions[1]["policy_id"].as_str().unwrap();
    assert_eq!(reader.read(&format!("{MDS}/policies/{id}")).await["policies"], json!([versions[1]]));

    // Pages are bounded and say where the others are; what is not there is not found.
    assert_eq!(ever["links"]["next"], Value::Null);
    let first =
        ever["links"]["first"].as_str().unwrap().strip_prefix(&reader.url).expect("an address of ours");
    assert_eq!(reader.read(first).await["policies"], ever["policies"]);
    assert!(rows(&reader.read(&format!("{MDS}/geographies?page=2")).await["geographies"]).is_empty());
    for (path, status) in [
        ("geographies?page=0", 400),
        ("policies?start_date=soon", 400),
        ("policies?start_date=5&end_date=5", 400),
        ("geographies/00000000-0000-5000-8000-000000000000", 404),
        ("policies/none", 400),
        ("policies/00000000-0000-5000-8000-000000000000", 404),
    ] {
        assert_eq!(reader.status(&format!("{MDS}/{path}")).await, status, "{path}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn feeds_are_for_machines_that_may_unless_they_are_for_everybody() {
    let scene = Scene::build().await;
    let reader = scene.reader("reader").await;
    let stranger = Reader::new(&scene.node.url, None);
    let riding = scene.stack.machine_token("riding", "open:ride").await;
    let riding = Reader::new(&scene.node.url, Some(&riding));
    let paths = || {
        let gbfs = NAMES.iter().map(|name| format!("{GBFS}/{name}.json"));
        gbfs.chain(["geographies", "policies"].map(|name| format!("{MDS}/{name}")))
    };
    for path in paths() {
        assert_eq!([stranger.status(&path).await, riding.status(&path).await], [401, 403], "{path}");
    }

    // Whoever has it already is told so and sent nothing, for as long as it says the same.
    let path = format!("{GBFS}/station_information.json");
    let first = reader.ask(&path, None).await;
    let header = |answer: &reqwest::Response, name| answer.headers()[name].to_str().unwrap().to_owned();
    assert_eq!(header(&first, CACHE_CONTROL), "private, max-age=30");
    let again = reader.ask(&path, Some(&header(&first, ETAG))).await;
    assert_eq!(again.status(), 304);
    assert!(again.bytes().await.unwrap().is_empty());

    // One agent's machine sees that agent's.
    let theirs = limited(&scene).await;
    assert_eq!(theirs.vehicles().await.len(), 1);
    let zones = theirs.gbfs("geofencing_zones").await;
    assert_eq!(names(&zones["geofencing_zones"]["features"]), ["H 禁停区", "H 区"]);
    let told = theirs.read(&format!("{MDS}/geographies")).await.to_string();
    assert!(told.contains("H 区") && !told.contains("G 区") && !told.contains("东门站"), "{told}");

    // Switched on by the operator of the system, GBFS is for everybody; MDS is not by that.
    let public = scene.stack.node_with(None, &[("WHEELHOUSE_GBFS_PUBLIC", "true")]);
    let stranger = Reader::new(&public.url, None);
    let discovery = stranger.gbfs("gbfs").await;
    let named: Vec<&str> = rows(&discovery["feeds"]).iter().filter_map(|feed| feed["url"].as_str()).collect();
    assert_eq!(named.len(), NAMES.len() - 2, "all but itself and the manifest: {discovery}");
    for url in named {
        let path = url.strip_prefix(&public.url).expect("at the address that was asked");
        framed(&stranger.read(path).await);
    }
    let answer = stranger.ask(&format!("{GBFS}/vehicle_status.json"), None).await;
    assert_eq!(header(&answer, CACHE_CONTROL), "public, max-age=10");
    assert_eq!(stranger.status(&format!("{MDS}/policies")).await, 401);
    for secret in scene.secrets() {
        let text = stranger.gbfs("vehicle_status").await.to_string();
        assert!(!text.contains(&secret), "{secret} is told");
    }
}

/// A reader that is limited to the other city's agent. One that does more cannot be.
async fn limited(scene: &Scene) -> Reader {
    let out = scene.stack.state_dir().join("theirs.token");
    let add = |codes: &'static str| {
        let words = ["machine", "add", "--name", "theirs", "--codes", codes, "--agents"];
        let (agent, out) = (scene.other.agent.clone(), out.to_str().unwrap().to_owned());
        async move { scene.stack.task(&[&words[..], &[&agent, "--out", &out]].concat()).await }
    };
    assert!(!add("open:feeds,open:ride").await.status.success(), "a machine that does more is not limited");
    let added = add("open:feeds").await;
    assert!(added.status.success(), "{}", crate::stack::said(&added));
    let token = std::fs::read_to_string(&out).expect("the token is there");
    let reader = Reader::new(&scene.node.url, Some(&token));
    eventually("the machine is known", PATIENCE, async || {
        (reader.status(&format!("{GBFS}/gbfs.json")).await == 200).then_some(())
    })
    .await;
    reader
}
