//! Fences over HTTP: drafts, versions from an instant on, two editors, whose they are; and what is judged by them.

use std::time::Duration;

use serde_json::{Value, json};
use vocabulary::{Clock, SystemClock};

use crate::city::City;
use crate::client::{Browser, Machine};
use crate::stack::{ADMIN, Stack, eventually};
use crate::stream::settled;

const PARKED: i64 = 0;
const OUTSIDE: i64 = 1;

fn polygon([west, south, east, north]: [f64; 4]) -> Value {
    json!({"type": "Polygon", "coordinates": [[[west, south], [east, south], [east, north], [west, north], [west, south]]]})
}

fn around(lng: f64, lat: f64, half: f64) -> [f64; 4] {
    [lng - half, lat - half, lng + half, lat + half]
}

/// A new fence of a type, drafted or counting from now on.
fn new_fence(city: &City, kind: &str, name: &str, edge: [f64; 4], draft: bool) -> Value {
    json!({"type": kind, "opAreaId": city.area, "name": name, "geometry": polygon(edge), "draft": draft})
}

async fn made(browser: &Browser, body: Value) -> String {
    browser.ok("POST", "/fence", body).await["id"].as_str().expect("an id").to_owned()
}

async fn fence(browser: &Browser, id: &str) -> Value {
    browser.ok("GET", &format!("/fence/{id}"), json!({})).await
}

/// What machines are told of a bike that stops at a place, now unless said otherwise, when that is of `class`.
async fn judged(machine: &Machine, (lng, lat): (f64, f64), at: Option<i64>, class: i64) -> Value {
    let body = json!({"stops": [{"lng": lng, "lat": lat, "at": at, "hdop": 0.0}]});
    eventually(&format!("a stop of class {class}"), Duration::from_mins(1), async || {
        let answer = machine.ok("/open/v1/territory/judge", &body).await;
        (answer["results"][0]["class"] == class).then(|| answer["results"][0].clone())
    })
    .await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_fence_is_drafted_published_moved_and_rolled_back_and_stops_are_judged_by_its_time() {
    let (stack, node) = Stack::serving().await;
    let token = stack.full_machine().await;
    let machine = Machine::new(&node.url, &token);
    let city = City::build(&machine, "F", 1, 1).await;
    let browser = Browser::signed_in(&node.url, ADMIN).await;
    let (lng, lat) = (city.lng + 0.004, city.lat + 0.004);
    let place = (lng, lat);
    let here = [lng - 0.0005, lat - 0.0005, lng + 0.0005, lat + 0.0005];
    let there = here.map(|degree| degree + 0.002);

    // A draft counts for nobody.
    let form = |edge: [f64; 4]| json!({"name": "东门站", "geometry": polygon(edge), "parking": {"capacity": 30, "bufferM": 5}});
    let mut new = form(here);
    new["type"] = "parking".into();
    new["opAreaId"] = city.area.clone().into();
    new["draft"] = true.into();
    let id = browser.ok("POST", "/fence", new.clone()).await["id"].as_str().expect("an id").to_owned();
    judged(&machine, place, None, OUTSIDE).await;
    let row = |id: &str| {
        let path = format!("/fence/{id}");
        let browser = &browser;
        async move { browser.ok("GET", &path, json!({})).await }
    };
    let drafted = row(&id).await;
    assert_eq!((&drafted["hasDraft"], &drafted["dataVersion"]), (&json!(true), &json!(0)), "{drafted}");

    // Published, it does; where it is, what it asks for and the version that says so are told.
    let publish = json!({"id": id, "version": drafted["version"]});
    browser.ok("POST", "/fence/publish", publish.clone()).await;
    let first = judged(&machine, place, None, PARKED).await;
    assert_eq!(
        (&first["fence"]["fenceId"], &first["fence"]["dataVersion"]),
        (&json!(id), &json!(1)),
        "{first}"
    );
    let published_at = SystemClock.now().millis();

    // Of two who edit it, the second is told and nothing is lost.
    let stale = browser.call("POST", "/fence/publish", publish).await;
    assert_eq!((stale.status, stale.code()), (200, "stale-version"), "{}", stale.body);

    // Moved away from now on; what happened before is judged as it was.
    let known = row(&id).await;
    let mut moved = form(there);
    moved["id"] = id.clone().into();
    moved["version"] = known["version"].clone();
    browser.ok("PUT", "/fence", moved).await;
    let now = judged(&machine, place, None, OUTSIDE).await;
    assert!(now["nearest"]["beyondM"].as_f64().is_some_and(|m| (100.0..400.0).contains(&m)), "{now}");
    let then = judged(&machine, place, Some(published_at), PARKED).await;
    assert_eq!(then["fence"]["dataVersion"], 1, "{then}");

    // Rolled back it is a third version, drawn as the first.
    let known = row(&id).await;
    browser
        .ok("POST", "/fence/rollback", json!({"id": id, "dataVersion": 1, "version": known["version"]}))
        .await;
    let back = judged(&machine, place, None, PARKED).await;
    assert_eq!(back["fence"]["dataVersion"], 3, "{back}");
    let versions = browser.ok("GET", "/fence/versions", json!({"id": id})).await;
    let numbers: Vec<i64> = versions["rows"]
        .as_array()
        .expect("rows")
        .iter()
        .filter_map(|row| row["dataVersion"].as_i64())
        .collect();
    assert_eq!(numbers, [3, 2, 1]);
    assert_eq!(versions["rows"][1]["counted"].as_array().map(Vec::len), Some(1), "the second counted once");

    // A version that is to come is taken back before it counts, and what was drawn is kept.
    let known = row(&id).await;
    let mut draft = form(there);
    draft["id"] = id.clone().into();
    draft["version"] = known["version"].clone();
    draft["draft"] = true.into();
    browser.ok("PUT", "/fence", draft).await;
    let tomorrow = SystemClock.now().millis() + 86_400_000;
    let known = row(&id).await;
    browser
        .ok("POST", "/fence/publish", json!({"id": id, "version": known["version"], "from": tomorrow}))
        .await;
    judged(&machine, place, Some(tomorrow), OUTSIDE).await;
    judged(&machine, place, None, PARKED).await;
    let known = row(&id).await;
    browser
        .ok("POST", "/fence/withdraw", json!({"id": id, "dataVersion": 4, "version": known["version"]}))
        .await;
    judged(&machine, place, Some(tomorrow), PARKED).await;
    assert_eq!(row(&id).await["hasDraft"], true);

    // Switched off it counts for nobody, and its past stays.
    browser.ok("POST", "/fence/state", json!({"id": id, "state": 0})).await;
    judged(&machine, place, None, OUTSIDE).await;
    let known = row(&id).await;
    browser.ok("DELETE", &format!("/fence/{id}"), json!({"version": known["version"].to_string()})).await;
    judged(&machine, place, Some(published_at), PARKED).await;
    let listed = browser.ok("GET", "/fence/list", json!({"keyword": "东门站"})).await;
    assert_eq!(listed["count"], 0, "{listed}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_would_count_where_the_opposite_counts_is_asked_about_and_drafts_are_free() {
    let (stack, node) = Stack::serving().await;
    let machine = Machine::new(&node.url, &stack.full_machine().await);
    let city = City::build(&machine, "G", 2, 0).await;
    let browser = Browser::signed_in(&node.url, ADMIN).await;
    let (lng, lat) = (city.lng + 0.008, city.lat + 0.008);
    let refused = async |method: &str, path: &str, body: Value| {
        let reply = browser.call(method, path, body).await;
        assert_eq!((reply.status, reply.code()), (200, "fence-overlap"), "{path}: {}", reply.body);
        reply.body["error"]["promot"].as_str().expect("a text").to_owned()
    };
    let confirmed = |mut body: Value| {
        body["confirmOverlap"] = true.into();
        body
    };
    let versioned = async |id: &str, mut body: Value| {
        body["id"] = id.into();
        body["version"] = fence(&browser, id).await["version"].clone();
        body
    };
    let station =
        made(&browser, new_fence(&city, "parking", "北门站", around(lng, lat, 0.0005), false)).await;

    // A zone across it is refused by its name, drawn at once or published; its draft is not.
    let zone =
        |name: &str, draft: bool| new_fence(&city, "noStop", name, around(lng + 0.0005, lat, 0.0005), draft);
    let text = refused("POST", "/fence", zone("路口", false)).await;
    assert_eq!(text, "与停车区「北门站」重叠，确认后可继续");
    let drafted = made(&browser, zone("路口", true)).await;
    refused("POST", "/fence/publish", versioned(&drafted, json!({})).await).await;
    // Beside it there is nothing to ask.
    made(&browser, new_fence(&city, "noRide", "旁边", around(lng + 0.0015, lat, 0.0005), false)).await;
    // Said so, it counts, and is not asked about when it is drawn so again.
    browser.ok("POST", "/fence/publish", confirmed(versioned(&drafted, json!({})).await)).await;
    assert_eq!(fence(&browser, &drafted).await["countsVersion"], 1);

    // The other way round: a station where the zone counts, drawn anew, rolled back and switched on again.
    let refusal = refused(
        "PUT",
        "/fence",
        versioned(&station, json!({"name": "北门站", "geometry": polygon(around(lng + 0.001, lat, 0.0004))}))
            .await,
    )
    .await;
    assert!(refusal.contains("禁停区「路口」") && refusal.contains("禁行区「旁边」"), "{refusal}");
    let away = json!({"name": "北门站", "geometry": polygon(around(lng - 0.004, lat, 0.0005))});
    browser.ok("PUT", "/fence", versioned(&station, away).await).await;
    let back = json!({"dataVersion": 1});
    refused("POST", "/fence/rollback", versioned(&station, back.clone()).await).await;
    browser.ok("POST", "/fence/rollback", confirmed(versioned(&station, back).await)).await;
    browser.ok("POST", "/fence/state", json!({"id": station, "state": 0})).await;
    refused("POST", "/fence/state", json!({"id": station, "state": 1})).await;
    assert_eq!(fence(&browser, &station).await["state"], 0);
    browser.ok("POST", "/fence/state", json!({"id": station, "state": 1, "confirmOverlap": true})).await;
    assert_eq!(fence(&browser, &station).await["state"], 1);

    // What tells riders nothing lies where it likes.
    made(&browser, new_fence(&city, "custom", "校园", around(lng, lat, 0.002), false)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn all_that_is_filled_in_of_a_fence_is_kept_and_told_with_its_datum() {
    let (stack, node) = Stack::serving().await;
    let machine = Machine::new(&node.url, &stack.full_machine().await);
    let city = City::build(&machine, "H", 3, 0).await;
    let browser = Browser::signed_in(&node.url, ADMIN).await;
    let edge = around(city.lng + 0.008, city.lat + 0.008, 0.0005);
    let parking = json!({"capacity": 40, "minKeep": 5, "bufferM": 12.5, "fullIsClosed": true,
        "direction": {"degrees": 90, "toleranceDegrees": 20}, "proofs": [1, 3],
        "hours": {"fromMin": 1320, "untilMin": 360}, "difficulty": 1.5, "rfidCodes": ["A-01", "A-02"]});
    let mut body = new_fence(&city, "parking", "夜间站", edge, false);
    body["parking"] = parking.clone();
    body["tags"] = json!(["地铁口"]);
    body["remark"] = "夜间开放".into();
    let id = made(&browser, body.clone()).await;
    let told = fence(&browser, &id).await;
    assert_eq!(
        (&told["parking"], &told["tags"], &told["remark"], &told["datum"]),
        (&parking, &body["tags"], &body["remark"], &json!("wgs84"))
    );

    let ban =
        json!({"penaltyCents": 2050, "weekdays": 0b001_1111, "hours": {"fromMin": 420, "untilMin": 540}});
    let mut zone = new_fence(&city, "noRide", "学校门口", edge.map(|degree| degree - 0.003), true);
    zone["ban"] = ban.clone();
    zone["datum"] = "gcj02".into();
    let id = made(&browser, zone.clone()).await;
    let told = fence(&browser, &id).await;
    assert_eq!((&told["ban"], &told["datum"], &told["type"]), (&ban, &json!("gcj02"), &json!("noRide")));
    let corner = |fence: &Value| {
        let [lng, lat] =
            [0, 1].map(|axis| fence["geometry"]["coordinates"][0][0][axis].as_f64().expect("degrees"));
        vocabulary::Wgs84::new(lat, lng).expect("a place")
    };
    let off_m = vocabulary::distance_m(corner(&told), corner(&zone));
    assert!((300.0..800.0).contains(&off_m), "{off_m} m between what was drawn and what GPS says");

    // The type stays as it is, whatever is asked for.
    zone["id"] = id.clone().into();
    zone["version"] = told["version"].clone();
    zone["type"] = "parking".into();
    browser.ok("PUT", "/fence", zone).await;
    let again = fence(&browser, &id).await;
    assert_eq!((&again["type"], &again["version"]), (&json!("noRide"), &told["version"]), "{again}");
}

#[tokio::test(flavor = "multi_thread")]
async fn several_types_are_listed_at_once_and_only_those_of_ones_codes() {
    let (stack, node) = Stack::serving().await;
    let machine = Machine::new(&node.url, &stack.full_machine().await);
    let city = City::build(&machine, "J", 4, 0).await;
    let admin = Browser::signed_in(&node.url, ADMIN).await;
    let types = ["parking", "noStop", "noRide", "custom"];
    for (n, kind) in types.into_iter().enumerate() {
        let edge = around(city.lng + 0.002 * n as f64, city.lat + 0.01, 0.0005);
        made(&admin, new_fence(&city, kind, &format!("多类型 {kind}"), edge, false)).await;
    }
    let listed = async |browser: &Browser, asked: Value| {
        let mut asked = asked;
        asked["keyword"] = "多类型".into();
        let found = browser.ok("GET", "/fence/list", asked).await;
        let rows = found["rows"].as_array().expect("rows").iter();
        let mut kinds: Vec<String> =
            rows.map(|row| row["type"].as_str().expect("a type").to_owned()).collect();
        kinds.sort();
        kinds
    };
    assert_eq!(listed(&admin, json!({})).await, ["custom", "noRide", "noStop", "parking"]);
    assert_eq!(listed(&admin, json!({"type": "noStop,noRide,custom"})).await, ["custom", "noRide", "noStop"]);
    assert_eq!(listed(&admin, json!({"type": "parking"})).await, ["parking"]);
    let wrong = admin.call("GET", "/fence/list", json!({"type": "noStop,all"})).await;
    assert_eq!((wrong.status, wrong.code()), (400, "malformed"), "{}", wrong.body);

    let codes = ["05", "0505"].map(str::to_owned);
    let role = admin.new_role("禁停围栏", &codes).await;
    admin.new_operator("13700000071", &[&role], "0").await;
    let clerk = Browser::signed_in(&node.url, "13700000071").await;
    assert_eq!(listed(&clerk, json!({})).await, ["custom", "noRide", "noStop"]);
    assert_eq!(listed(&clerk, json!({"type": "parking,noRide"})).await, ["noRide"]);
    assert_eq!(listed(&clerk, json!({"type": "parking,maintain"})).await, [""; 0]);
    let edge = around(city.lng, city.lat - 0.01, 0.0005);
    let drawn = clerk.call("POST", "/fence", new_fence(&city, "parking", "越权站", edge, true)).await;
    assert_eq!(drawn.status, 403, "{}", drawn.body);
    made(&clerk, new_fence(&city, "noRide", "步行街", edge, true)).await;

    // All that count lie on the map.
    let map = clerk.ok("GET", "/fence/map", json!({})).await;
    let names = |key: &str| {
        map[key].as_array().expect("fences").iter().filter(|one| one["areaId"] == city.area).count()
    };
    assert_eq!((names("noRides"), names("customs")), (1, 1), "{map}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_fence_asked_for_again_is_the_same_one_although_lists_are_behind() {
    let (stack, node) = Stack::serving().await;
    let token = stack.full_machine().await;
    let machine = Machine::new(&node.url, &token);
    let city = City::build(&machine, "F", 1, 1).await;
    let owner = stack.owner().await;
    // Lists that did not know the area yet would refuse the first one too.
    settled(&owner).await;
    let mut held = owner.begin().await.unwrap();
    sqlx::query("select from log.projectors where name = 'fence' for update")
        .execute(&mut *held)
        .await
        .unwrap();
    let [west, south, east, north] = around(city.lng + 0.004, city.lat + 0.004, 0.0005);
    let body = json!({"areaId": city.area, "kind": 4, "name": "西门", "datum": "wgs84",
        "ring": [[west, south], [east, south], [east, north], [west, north]]});
    let drawn = machine.ok("/open/v1/fences", &body).await;
    let again = machine.post("/open/v1/fences", &body, None).await.unwrap();
    assert!(again.is_away(), "nobody knows yet: {} {}", again.status, again.body);
    held.rollback().await.unwrap();
    let again = machine.insist("/open/v1/fences", &body, "again").await.data();
    assert_eq!(again["fenceId"], drawn["fenceId"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn who_makes_the_same_agent_area_or_fence_at_the_same_time_hears_of_the_same_one() {
    let (stack, node) = Stack::serving().await;
    let machine = Machine::new(&node.url, &stack.full_machine().await);
    let city = City::build(&machine, "F", 1, 1).await;
    let same = async |path: &str, body: Value, id: &str| {
        let asked = (0..4).map(async |_| machine.ok(path, &body).await[id].clone());
        let ids = futures::future::join_all(asked).await;
        assert!(ids.iter().all(|id| id.is_string() && *id == ids[0]), "{path}: {ids:?}");
    };
    for number in 0..6 {
        let [west, south, east, north] = around(city.lng + 0.004, city.lat + 0.004, 0.0005);
        let ring = [[west, south], [east, south], [east, north], [west, north]];
        let agent = json!({"company": format!("同时 {number}"), "contactName": "陈伟",
            "phone": format!("1390001000{number}"), "billingWay": 0});
        same("/open/v1/agents", agent, "agentId").await;
        let area = json!({"agentId": city.agent, "name": format!("西区 {number}"), "ring": ring,
            "datum": "wgs84", "tel": "05920000000"});
        same("/open/v1/areas", area, "areaId").await;
        let fence = json!({"areaId": city.area, "kind": 4, "name": format!("西门 {number}"), "datum": "wgs84",
            "ring": ring});
        same("/open/v1/fences", fence, "fenceId").await;
    }
}
