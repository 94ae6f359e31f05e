//! The fleet as it was: what a map shows of a past moment is what the bikes said then, to whom they belonged.

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::{Value, json};
use vocabulary::{Clock, SystemClock};
use wire::BASE;

use crate::city::City;
use crate::client::{Browser, Machine};
use crate::stack::{ADMIN, Stack, eventually};

const PATIENCE: Duration = Duration::from_mins(1);
const HOUR_MS: i64 = 3_600_000;
const RECORD: usize = 16;

/// What a buffer says of a bike: 1e-6 degree north, charge, state byte.
type Seen = (i32, u8, u8);

/// A moment's answer: the kinds of its buffers and its bikes by number; or why there is none.
async fn moment(
    browser: &Browser,
    at: i64,
    since: Option<i64>,
) -> Result<(Vec<u8>, BTreeMap<u32, Seen>), Value> {
    let since = since.map_or_else(String::new, |since| format!("&since={since}"));
    let answer = reqwest::Client::new()
        .get(format!("{}{BASE}/vehicle/map?at={at}{since}", browser.url))
        .header("_t", &browser.session.t.0)
        .bearer_auth(browser.token.as_deref().expect("signed in"))
        .send()
        .await
        .unwrap();
    let is_binary = answer.headers()["content-type"] == "application/octet-stream";
    let bytes = answer.bytes().await.unwrap();
    if !is_binary {
        return Err(serde_json::from_slice(&bytes).unwrap());
    }
    let (mut kinds, mut bikes, mut rest) = (Vec::new(), BTreeMap::new(), &bytes[..]);
    while !rest.is_empty() {
        let (head, after) = rest.split_at(RECORD);
        assert_eq!(head[0], 0xFB, "a buffer begins");
        kinds.push(head[1]);
        let count = usize::from(u16::from_le_bytes([head[2], head[3]]));
        let (records, next) = after.split_at(count * RECORD);
        for record in records.chunks(RECORD) {
            let number = u32::from_le_bytes(record[..4].try_into().unwrap());
            let lat_e6 = i32::from_le_bytes(record[4..8].try_into().unwrap());
            bikes.insert(number, (lat_e6, record[12], record[13]));
        }
        rest = next;
    }
    Ok((kinds, bikes))
}

/// The first moment of which this holds.
async fn once(browser: &Browser, what: &str, holds: impl Fn(&BTreeMap<u32, Seen>) -> bool) -> i64 {
    eventually(what, PATIENCE, async || {
        let at = SystemClock.now().millis();
        moment(browser, at, None).await.ok().filter(|(_, bikes)| holds(bikes)).map(|_| at)
    })
    .await
}

#[tokio::test(flavor = "multi_thread")]
async fn the_fleet_of_a_moment_is_what_it_was_for_whom_it_belonged_to() {
    let (stack, node) = Stack::serving().await;
    let machine = Machine::new(&node.url, &stack.full_machine().await);
    let [city, other] = [City::build(&machine, "A", 1, 2).await, City::build(&machine, "B", 2, 1).await];
    let before = SystemClock.now().millis() - HOUR_MS;
    let lines = city.on_line(&stack, &machine, (city.lat, city.lng)).await;
    let _others = other.on_line(&stack, &machine, (other.lat, other.lng)).await;
    let admin = Browser::signed_in(&node.url, ADMIN).await;
    let first = once(&admin, "all three are kept", |bikes| bikes.len() == 3).await;
    let (kinds, then) = moment(&admin, first, None).await.unwrap();
    assert_eq!(kinds, [2, 3, 4], "a snapshot from its begin to its end");

    // One of them is carried 100 m on and loses charge.
    let moved = &city.bikes[0];
    let number = admin.ok("GET", "/vehicle/map/bike", json!({"carId": moved.car})).await["number"].clone();
    let slot = u32::try_from(number.as_u64().unwrap()).unwrap();
    tokio::time::sleep(Duration::from_secs(6)).await;
    lines[0].report(&moved.imei, city.lat + 0.0009, city.lng, 61, true).await;
    let second = once(&admin, "it is kept elsewhere", |bikes| bikes[&slot].1 == 61).await;
    let (_, now) = moment(&admin, second, None).await.unwrap();
    let lat_e6 = |degrees: f64| (degrees * 1e6).round() as i32;
    assert!((now[&slot].0 - lat_e6(city.lat + 0.0009)).abs() <= 1);
    let (_, again) = moment(&admin, first, None).await.unwrap();
    assert_eq!(again, then, "what was does not change");
    assert!((again[&slot].0 - lat_e6(city.lat)).abs() <= 1 && again[&slot].1 == 88, "{again:?}");
    let (kinds, changes) = moment(&admin, second, Some(first)).await.unwrap();
    assert_eq!(kinds, [1], "only what changed since");
    assert_eq!(changes, BTreeMap::from([(slot, now[&slot])]));

    // Of what nothing is known nothing is made up.
    let gap = moment(&admin, before, None).await.unwrap_err();
    assert_eq!(gap["error"]["code"], "past-gap", "{gap}");
    for never in [SystemClock.now().millis() + HOUR_MS, SystemClock.now().millis() - 8 * 24 * HOUR_MS] {
        assert_eq!(moment(&admin, never, None).await.unwrap_err()["error"]["code"], "malformed");
    }
    let times = admin.ok("GET", "/vehicle/map/times", json!({})).await;
    let known = &times["known"][0];
    assert!(known["from"].as_i64().unwrap() <= first && second <= known["until"].as_i64().unwrap() + 15_000);
    let count = async |at: i64| {
        let fences = admin.ok("GET", "/fence/map", json!({"at": at.to_string()})).await;
        (fences["areas"].as_array().unwrap().len(), fences["parkings"].as_array().unwrap().len())
    };
    assert_eq!((count(second).await, count(before).await), ((2, 2), (0, 0)), "the fences of then");

    // Each sees his own, then as now.
    let role = admin.new_role("监控", &["03".to_owned(), "0301".to_owned()]).await;
    admin.new_operator("13700000181", &[&role], &other.agent).await;
    let theirs = Browser::signed_in(&node.url, "13700000181").await;
    let (_, seen) = moment(&theirs, first, None).await.unwrap();
    assert_eq!(seen.len(), 1);
    assert!((seen.values().next().unwrap().0 - lat_e6(other.lat)).abs() <= 1);
    let refused = theirs.call("GET", "/vehicle/map/bike", json!({"number": number.to_string()})).await;
    assert_eq!(refused.code(), "vehicle-not-found");
    let role = admin.new_role("无地图", &["07".to_owned()]).await;
    admin.new_operator("13700000182", &[&role], &city.agent).await;
    let without = Browser::signed_in(&node.url, "13700000182").await;
    assert_eq!(without.call("GET", "/vehicle/map/times", json!({})).await.status, 403);
}
