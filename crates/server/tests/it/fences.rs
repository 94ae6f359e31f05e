//! Fences over HTTP: drafts, versions from an instant on, two editors, whose they are; and what is judged by them.

use std::time::Duration;

use serde_json::{Value, json};
use vocabulary::{Clock, SystemClock};

use crate::city::City;
use crate::client::{Browser, Machine};
use crate::stack::{ADMIN, Stack, eventually};

const PARKED: i64 = 0;
const OUTSIDE: i64 = 1;

fn polygon([west, south, east, north]: [f64; 4]) -> Value {
    json!({"type": "Polygon", "coordinates": [[[west, south], [east, south], [east, north], [west, north], [west, south]]]})
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
