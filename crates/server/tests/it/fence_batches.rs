//! Many parking places changed at once: looked at, done under one name, answered row by row, and taken back as one.

use serde_json::{Value, json};
use vocabulary::{Clock, SystemClock};

use crate::city::City;
use crate::client::{Browser, Machine};
use crate::stack::{ADMIN, Stack};

const HOUR_MS: i64 = 3_600_000;
/// A metre of latitude, degrees.
const METRE: f64 = 1.0 / 110_770.0;

/// A rectangle, metres from the middle of the city.
fn rectangle(city: &City, [west, south, east, north]: [f64; 4]) -> Value {
    let at = |x: f64, y: f64| [city.lng + x * METRE / 24.6_f64.to_radians().cos(), city.lat + y * METRE];
    json!({"type": "Polygon", "coordinates":
        [[at(west, south), at(east, south), at(east, north), at(west, north), at(west, south)]]})
}

/// A parking place twenty metres wide, the `n`th of a row half a kilometre north of the middle.
async fn station(browser: &Browser, city: &City, n: i32, parking: Value) -> String {
    let west = 100.0 * f64::from(n);
    let body = json!({"type": "parking", "opAreaId": city.area, "name": format!("{n}号站"),
        "geometry": rectangle(city, [west, 500.0, west + 20.0, 510.0]), "parking": parking});
    browser.ok("POST", "/fence", body).await["id"].as_str().expect("an id").to_owned()
}

async fn fence(browser: &Browser, id: &str) -> Value {
    browser.ok("GET", &format!("/fence/{id}"), json!({})).await
}

/// The fences as a page saw them.
async fn seen(browser: &Browser, ids: &[&String]) -> Vec<Value> {
    let mut seen = Vec::new();
    for id in ids {
        seen.push(json!({"id": id, "version": fence(browser, id).await["version"]}));
    }
    seen
}

async fn capacities(browser: &Browser, ids: &[&String]) -> Vec<i64> {
    let mut told = Vec::new();
    for id in ids {
        told.push(fence(browser, id).await["capacity"].as_i64().expect("a capacity"));
    }
    told
}

/// Who was refused, and why.
fn refusals(rows: &Value) -> Vec<(String, String)> {
    let of = |row: &Value| Some((row["name"].as_str()?.to_owned(), row["refused"].as_str()?.to_owned()));
    rows.as_array().expect("rows").iter().filter_map(of).collect()
}

fn said<const N: usize>(rows: [(&str, &str); N]) -> Vec<(String, String)> {
    rows.map(|(name, why)| (name.to_owned(), why.to_owned())).to_vec()
}

#[tokio::test(flavor = "multi_thread")]
async fn stations_are_previewed_changed_at_once_answered_by_row_and_taken_back() {
    let (stack, node) = Stack::serving().await;
    let machine = Machine::new(&node.url, &stack.full_machine().await);
    let city = City::build(&machine, "T", 1, 1).await;
    let browser = Browser::signed_in(&node.url, ADMIN).await;
    let keyed = async |path: &str, body: &Value, key: &str| {
        browser.keyed_call(path, body, key).await.expect("an answer").data()
    };
    let first = station(&browser, &city, 0, json!({"capacity": 30, "bufferM": 0})).await;
    let second = station(&browser, &city, 1, json!({"capacity": 41, "bufferM": 2})).await;
    let strict = station(&browser, &city, 2, json!({"capacity": 20, "minKeep": 20, "bufferM": 0})).await;
    let drafted = station(&browser, &city, 3, json!({"capacity": 10})).await;
    let open = json!({"id": drafted, "version": 1, "draft": true, "name": "改名中",
        "geometry": rectangle(&city, [300.0, 500.0, 320.0, 510.0]), "parking": {"capacity": 11}});
    browser.ok("PUT", "/fence", open).await;

    // Four bikes stopped three metres north of the first: outside now, inside with a buffer of five metres.
    let now = SystemClock.now().millis();
    let stop = |n: u32| {
        json!({"carId": city.bikes[0].car, "at": now - 24 * HOUR_MS - i64::from(n) * 60_000, "hdop": 0,
            "lng": city.lng + 10.0 * METRE / 24.6_f64.to_radians().cos(), "lat": city.lat + 513.0 * METRE})
    };
    let stops: Vec<Value> = (0..4).map(stop).collect();
    assert_eq!(machine.ok("/open/v1/stops", &json!({ "stops": stops })).await["taken"], 4);

    let all = [&first, &second, &strict, &drafted];
    let mut asked = json!({"fences": seen(&browser, &all).await,
        "change": {"capacity": {"percent": -50}, "bufferM": 5, "proofs": [{"proof": 4, "on": true}]}});
    let preview = browser.ok("POST", "/fence/batch/preview", asked.clone()).await;
    assert_eq!(
        refusals(&preview["rows"]),
        said([("2号站", "保有下限需在 0 到停放上限之间"), ("改名中", "有未发布的草稿，请先发布或丢弃")]),
        "{preview}"
    );
    let row = &preview["rows"][1];
    assert_eq!(
        (&row["before"]["parking"]["capacity"], &row["after"]["parking"]["capacity"]),
        (&json!(41), &json!(21))
    );
    assert_eq!(row["after"]["parking"]["proofs"], json!([4]));
    let stops = &preview["rows"][0]["stops"];
    assert_eq!(
        (&stops["before"]["outsideParking"], &stops["after"]["parked"]),
        (&json!(4), &json!(4)),
        "{preview}"
    );
    assert_eq!(
        (&preview["stops"], &preview["capped"]),
        (stops, &json!(false)),
        "one station had any: {preview}"
    );
    assert_eq!(capacities(&browser, &all).await, [30, 41, 20, 11], "nothing was written");

    // Without a reason it is refused; with one, those that may be changed are, each as one more version under one name.
    asked["reason"] = " ".into();
    assert_eq!(browser.call("POST", "/fence/batch", asked.clone()).await.code(), "fence-batch-reason");
    asked["reason"] = "冬季缩容".into();
    let done = keyed("/fence/batch", &asked, "batch-1").await;
    assert_eq!((&done["changed"], refusals(&done["refused"]).len()), (&json!(2), 2), "{done}");
    assert_eq!(capacities(&browser, &all).await, [15, 21, 20, 11]);
    // Asked again under the same name it answers what it did, and does nothing more.
    let again = keyed("/fence/batch", &asked, "batch-1").await;
    assert_eq!(again, done);
    assert_eq!(capacities(&browser, &all).await, [15, 21, 20, 11]);
    // Under another name it finds that all of them were changed since they were seen.
    let stale = browser.ok("POST", "/fence/batch", asked.clone()).await;
    assert_eq!((&stale["id"], &stale["changed"]), (&Value::Null, &json!(0)), "{stale}");

    let id = done["id"].clone();
    let versions = browser.ok("GET", "/fence/versions", json!({"id": first})).await;
    assert_eq!(
        (&versions["rows"][0]["batchId"], &versions["rows"][0]["batchReason"]),
        (&id, &json!("冬季缩容"))
    );
    assert_eq!(versions["rows"][1]["batchId"], Value::Null);
    let recent = browser.ok("GET", "/fence/batch/list", json!({})).await;
    let told = &recent["rows"][0];
    assert_eq!(
        (&told["id"], &told["reason"], &told["undoneAt"]),
        (&id, &json!("冬季缩容"), &Value::Null),
        "{recent}"
    );
    assert_eq!(told["fences"].as_array().map(Vec::len), Some(2));
    assert!(told["operatorName"].as_str().is_some_and(|name| !name.is_empty()), "{told}");

    // The second is changed again: it is left alone, the first is as before.
    let known = fence(&browser, &second).await;
    let body = json!({"id": second, "version": known["version"], "name": "1号站", "geometry": known["geometry"],
        "parking": {"capacity": 99}});
    browser.ok("PUT", "/fence", body).await;
    let checked = browser.ok("POST", "/fence/batch/undo", json!({"id": id, "check": true})).await;
    assert_eq!(refusals(&checked["left"]), said([("1号站", "之后又被修改过，没有撤销")]), "{checked}");
    assert_eq!(capacities(&browser, &all).await, [15, 99, 20, 11], "it was only looked");
    let undone = keyed("/fence/batch/undo", &json!({"id": id}), "undo-1").await;
    assert_eq!((&undone["back"], &undone["left"]), (&json!(1), &checked["left"]));
    assert_eq!(capacities(&browser, &all).await, [30, 99, 20, 11]);
    assert_eq!(fence(&browser, &first).await["dataVersion"], 3, "as a new version");
    let again = keyed("/fence/batch/undo", &json!({"id": id}), "undo-1").await;
    assert_eq!(again, undone);
    let twice = browser.call("POST", "/fence/batch/undo", json!({"id": id})).await;
    assert_eq!(twice.code(), "fence-batch-undone", "{}", twice.body);
    let recent = browser.ok("GET", "/fence/batch/list", json!({})).await;
    let back: Vec<&Value> =
        recent["rows"][0]["fences"].as_array().expect("fences").iter().map(|one| &one["back"]).collect();
    assert_eq!(back, [&json!(true), &json!(false)], "{recent}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_change_for_a_time_ends_with_what_was_there_before_and_one_to_come_is_taken_back_whole() {
    let (stack, node) = Stack::serving().await;
    let machine = Machine::new(&node.url, &stack.full_machine().await);
    let city = City::build(&machine, "U", 2, 0).await;
    let browser = Browser::signed_in(&node.url, ADMIN).await;
    let only = station(&browser, &city, 0, json!({"capacity": 30})).await;
    let now = SystemClock.now().millis();
    let (from, until) = (now + HOUR_MS, now + 3 * HOUR_MS);
    let asked = json!({"fences": seen(&browser, &[&only]).await, "change": {"capacity": {"to": 60}},
        "from": from, "until": until, "reason": "演唱会"});
    let done = browser.ok("POST", "/fence/batch", asked).await;
    let versions = async || browser.ok("GET", "/fence/versions", json!({"id": only})).await["rows"].clone();
    let told = versions().await;
    let capacity = |n: usize| told[n]["capacity"].as_i64();
    assert_eq!([capacity(0), capacity(1), capacity(2)], [Some(30), Some(60), Some(30)], "{told}");
    assert_eq!(told[1]["counted"], json!([[from, until]]));
    assert_eq!(told[0]["counted"], json!([[until, null]]));
    assert_eq!(fence(&browser, &only).await["countsVersion"], 1);

    browser.ok("POST", "/fence/batch/undo", json!({"id": done["id"]})).await;
    let told = versions().await;
    let taken_back: Vec<&Value> =
        told.as_array().expect("rows").iter().map(|row| &row["withdrawn"]).collect();
    assert_eq!(taken_back, [&json!(true), &json!(true), &json!(false)], "{told}");
    let known = fence(&browser, &only).await;
    assert_eq!(
        (&known["hasDraft"], &known["dataVersion"], &known["capacity"]),
        (&json!(false), &json!(1), &json!(30))
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn anothers_fence_is_refused_by_row_and_the_rest_stands_whole() {
    let (stack, node) = Stack::serving().await;
    let machine = Machine::new(&node.url, &stack.full_machine().await);
    let theirs = City::build(&machine, "V", 1, 0).await;
    let own = City::build(&machine, "W", 3, 0).await;
    let admin = Browser::signed_in(&node.url, ADMIN).await;
    let codes = ["05", "0504"].map(str::to_owned);
    let role = admin.new_role("站点管理", &codes).await;
    admin.new_operator("13700000041", &[&role], &own.agent).await;
    let operator = Browser::signed_in(&node.url, "13700000041").await;
    let mine = station(&admin, &own, 0, json!({"capacity": 30})).await;
    let also = station(&admin, &own, 1, json!({"capacity": 40})).await;
    let other = station(&admin, &theirs, 0, json!({"capacity": 50})).await;
    let zone = &own.fences[1];

    let ids = [&mine, &other, zone, &also];
    let asked =
        json!({"fences": seen(&admin, &ids).await, "change": {"capacity": {"by": 5}}, "reason": "扩容"});
    let preview = operator.ok("POST", "/fence/batch/preview", asked.clone()).await;
    let row = &preview["rows"][1];
    assert_eq!(
        (&row["name"], &row["before"], &row["stops"]),
        (&json!(""), &Value::Null, &Value::Null),
        "{preview}"
    );
    let done = operator.ok("POST", "/fence/batch", asked.clone()).await;
    assert_eq!(done["changed"], 2, "{done}");
    let why: Vec<&str> =
        done["refused"].as_array().expect("rows").iter().filter_map(|row| row["refused"].as_str()).collect();
    assert_eq!(why, ["记录不存在，或不在您的数据范围内", "只有停车区可以批量修改"]);
    assert_eq!(capacities(&admin, &[&mine, &other, &also]).await, [35, 50, 45]);

    // The platform, which may change both, does so agent by agent.
    let both = json!({"fences": seen(&admin, &[&mine, &other]).await, "change": {"capacity": {"by": 5}}, "reason": "扩容"});
    let done = admin.ok("POST", "/fence/batch", both).await;
    assert_eq!(refusals(&done["refused"]), said([("0号站", "属于另一个代理，请按代理分开修改")]), "{done}");

    // What was done to theirs is neither told nor undone by whoever has no part in it.
    let of_theirs = json!({"fences": seen(&admin, &[&other]).await, "change": {"capacity": {"by": 5}}, "reason": "他们的"});
    let id = admin.ok("POST", "/fence/batch", of_theirs).await["id"].clone();
    let told = operator.ok("GET", "/fence/batch/list", json!({})).await;
    assert_eq!(told["rows"].as_array().map(Vec::len), Some(2), "{told}");
    assert!(!told.to_string().contains("他们的"), "{told}");
    for check in [true, false] {
        let refused = operator.call("POST", "/fence/batch/undo", json!({"id": id, "check": check})).await;
        assert_eq!(refused.code(), "not-found", "{}", refused.body);
    }
    // Who lacks the code of stations does none of it.
    let role = admin.new_role("禁停管理", &["05", "0505"].map(str::to_owned)).await;
    admin.new_operator("13700000042", &[&role], &own.agent).await;
    let zones = Browser::signed_in(&node.url, "13700000042").await;
    assert_eq!(zones.call("POST", "/fence/batch", asked).await.status, 403);

    // More than two hundred, none, and one named twice are refused.
    let one = json!({"id": mine, "version": 1});
    for fences in [json!([]), json!([one, one])] {
        let body = json!({"fences": fences, "change": {"capacity": {"by": 5}}, "reason": "扩容"});
        assert_eq!(admin.call("POST", "/fence/batch", body).await.code(), "fence-batch-count");
    }
    let many: Vec<Value> = (1..=201).map(|id| json!({"id": id.to_string(), "version": 1})).collect();
    let body = json!({"fences": many, "change": {"capacity": {"by": 5}}, "reason": "扩容"});
    assert_eq!(admin.call("POST", "/fence/batch/preview", body).await.code(), "fence-batch-count");
    let body = json!({"fences": [one], "change": {}, "reason": "扩容"});
    assert_eq!(admin.call("POST", "/fence/batch", body).await.code(), "fence-batch-nothing");
}
