//! Places where nobody may park, drawn and lifted again while things go wrong, and what nodes say of them afterwards.

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::{Value, json};
use sqlx::PgPool;

use super::World;
use super::load::Speaker;
use super::plan::JUMP_S;
use crate::client::{Browser, insist};
use crate::stack::eventually;

/// Of a fence's kinds the one that forbids, and what is said of a bike that stops in one.
const BAN: i16 = 4;
const IN_A_BAN: i16 = 3;
/// Bans in a row of the area, and at most in all.
const ROW: usize = 30;
const MOST: usize = 210;
const STEP_DEGREES: f64 = 0.001_2;
const HALF_DEGREES: f64 = 0.000_4;
/// A ban counts from when its node drew it, by its node's clock.
const PATIENCE: Duration = Duration::from_secs(60 + JUMP_S.unsigned_abs() as u64);

/// A ban that was acknowledged.
#[derive(Clone, Debug)]
pub struct Ban {
    pub name: String,
    pub id: String,
    pub lat: f64,
    pub lng: f64,
    /// Whether it was not lifted.
    pub counts: bool,
}

/// Draws one after the other, each in its own place, and lifts every second one, through either node.
pub async fn draw(
    speaker: Speaker,
    browsers: Vec<Browser>,
    area: String,
    (lat, lng): (f64, f64),
) -> Vec<Ban> {
    let mut bans = Vec::new();
    for number in 0..MOST {
        if !speaker.goes_on() {
            break;
        }
        let (row, column) = (number / ROW, number % ROW);
        let (lat, lng) =
            (lat - 0.018 + STEP_DEGREES * row as f64, lng - 0.018 + STEP_DEGREES * column as f64);
        let (west, east, south, north) =
            (lng - HALF_DEGREES, lng + HALF_DEGREES, lat - HALF_DEGREES, lat + HALF_DEGREES);
        let name = format!("禁停 {number}");
        let body = json!({"areaId": area, "kind": BAN, "name": name, "datum": "wgs84",
            "ring": [[west, south], [east, south], [east, north], [west, north]]});
        let reply = speaker.insist(number, "/open/v1/fences", &body, &format!("ban-{number}")).await.data();
        let id = reply["fenceId"].as_str().expect("an id").to_owned();
        let counts = number % 2 == 0;
        if !counts {
            let others = browsers.iter().cycle().skip(number + 1);
            let body = json!({"id": id, "state": 0});
            insist(others, "/fence/state", &body, &format!("lift-{number}")).await.data();
        }
        speaker.timeline.note(format!("{name} {}", if counts { "drawn" } else { "drawn and lifted" }));
        bans.push(Ban { name, id, lat, lng, counts });
        tokio::time::sleep(Duration::from_millis(300)).await;
    }
    bans
}

/// Each stands once, under the id that was told.
pub async fn each_once(owner: &PgPool, bans: &[Ban]) {
    let sql = "select name, fence_id::text from read.fence where name like '禁停 %' and not deleted";
    let found: Vec<(String, String)> =
        sqlx::query_as(sql).fetch_all(owner).await.expect("the database answers");
    let mut ids: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (name, id) in &found {
        ids.entry(name).or_default().push(id);
    }
    for ban in bans {
        let stand = ids.remove(ban.name.as_str()).unwrap_or_default();
        assert_eq!(
            stand,
            [ban.id.as_str()],
            "{}: the fences of this name, and the id that was acknowledged",
            ban.name
        );
    }
    assert!(ids.is_empty(), "fences that nobody was told of: {ids:?}");
}

/// Every node judges by those that count, and by no other.
pub async fn judged(world: &World) {
    let bans = &world.done.bans;
    if bans.is_empty() {
        return;
    }
    let stops: Vec<Value> = bans.iter().map(|ban| json!({"lat": ban.lat, "lng": ban.lng})).collect();
    for (node, machine) in world.machines.iter().enumerate() {
        let mut wrong = Vec::new();
        eventually(&format!("node {node} judges by the bans that count"), PATIENCE, async || {
            let asked = json!({ "stops": stops });
            let told = machine.post("/open/v1/territory/judge", &asked, None).await.ok()?.data();
            let results = told["results"].as_array().expect("results");
            let differ = |(ban, found): (&Ban, &Value)| {
                let forbids = found["class"] == IN_A_BAN && found["fence"]["fenceId"] == ban.id.as_str();
                (forbids != ban.counts).then(|| format!("{ban:?}: {found}"))
            };
            wrong = bans.iter().zip(results).filter_map(differ).collect();
            wrong.is_empty().then_some(())
        })
        .await;
    }
}
