//! What devices say they are, packages of firmware, and upgrades of many bikes.

use std::time::Duration;

use serde_json::{Value, json};

use crate::bike::Bike;
use crate::city::{City, Enrolled};
use crate::client::{Browser, Machine};
use crate::stack::{ADMIN, Stack, eventually};

const PACKAGES: &str = "/production/upgrade";
const BATCH: &str = "/device/command/batch";
const MODEL: &str = "WH-EC20";
const PATIENCE: Duration = Duration::from_mins(1);
const FIRMWARE: i64 = 16;

fn package(model: &str, firmware: &str) -> Value {
    json!({"model": model, "firmware": firmware, "url": format!("https://firmware.example/{model}-{firmware}.bin"),
        "md5": "0123456789ABCDEF0123456789abcdef", "sizeBytes": 524_288, "note": "弱信号"})
}

async fn say(line: &Bike, imei: &str, about: &Value) {
    line.publish(&format!("ebike/{imei}/about"), about).await;
}

/// The device says what it is until that stands in the list.
async fn introduced(browser: &Browser, line: &Bike, bike: &Enrolled, model: &str, firmware: &str) {
    let about = json!({"model": model, "firmware": firmware});
    eventually("what the device is stands in the list", PATIENCE, async || {
        say(line, &bike.imei, &about).await;
        let asked = json!({"keyword": bike.car});
        let row = browser.ok("GET", "/vehicle/device", asked).await["rows"][0].clone();
        (row["model"] == model && row["firmware"] == firmware).then_some(())
    })
    .await;
}

async fn introductions(stack: &Stack, imei: &str) -> i64 {
    sqlx::query_scalar(
        "select count(*) from log.events where category = 'device' and stream_id = $1 and type = 'device.introduced'",
    )
    .bind(imei)
    .fetch_one(&stack.owner().await)
    .await
    .unwrap()
}

/// Somebody of an agent with these codes.
async fn of_agent(admin: &Browser, url: &str, phone: &str, codes: &[&str], agent: &str) -> Browser {
    let codes: Vec<String> = codes.iter().map(|code| (*code).to_owned()).collect();
    let role = admin.new_role(&format!("固件{phone}"), &codes).await;
    admin.new_operator(phone, &[&role], agent).await;
    Browser::signed_in(url, phone).await
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_device_says_it_is_reaches_its_owners_alone_and_nobody_says_it_for_another() {
    let (stack, node) = Stack::serving().await;
    let machine = Machine::new(&node.url, &stack.full_machine().await);
    let [ours, theirs] = [City::build(&machine, "A", 1, 2).await, City::build(&machine, "B", 2, 1).await];
    let admin = Browser::signed_in(&node.url, ADMIN).await;
    let [one, two, foreign] = [&ours.bikes[0], &ours.bikes[1], &theirs.bikes[0]];
    let mqtt = stack.nats.mqtt_addr();
    let line = Bike::connect(&mqtt, &one.imei, &one.secret).await;
    let foreign_line = Bike::connect(&mqtt, &foreign.imei, &foreign.secret).await;

    // Junk, and what is said for another device, is nothing; the line of who tries that is cut.
    say(&line, &one.imei, &json!({"model": "WH EC20", "firmware": "1.0.3"})).await;
    say(&line, &one.imei, &json!({"model": MODEL})).await;
    say(&line, &two.imei, &json!({"model": MODEL, "firmware": "6.6.6"})).await;
    introduced(&admin, &line, one, MODEL, "1.0.3").await;
    introduced(&admin, &foreign_line, foreign, "WH-EC10", "2.0.1").await;
    // What is said again and again is one event.
    for _ in 0..5 {
        say(&line, &one.imei, &json!({"model": MODEL, "firmware": "1.0.3"})).await;
    }
    introduced(&admin, &line, one, MODEL, "1.1.0").await;
    assert_eq!(introductions(&stack, &one.imei).await, 2);
    assert_eq!(introductions(&stack, &two.imei).await, 0);

    let detail = admin.ok("GET", &format!("/vehicle/{}", one.car), json!({})).await;
    assert_eq!((&detail["model"], &detail["firmware"]), (&json!(MODEL), &json!("1.1.0")));
    let keeper = of_agent(&admin, &node.url, "13700000301", &["0305"], &ours.agent).await;
    let summary = keeper.ok("GET", "/vehicle/device/summary", json!({})).await;
    let version = json!({"model": MODEL, "firmware": "1.1.0", "count": 1});
    assert_eq!((&summary["versions"], &summary["untold"]), (&json!([version]), &json!(1)), "{summary}");
    let all = admin.ok("GET", "/vehicle/device/summary", json!({})).await;
    assert_eq!(all["versions"].as_array().map(Vec::len), Some(2), "{all}");
    let found = async |browser: &Browser, asked: Value| {
        let page = browser.ok("GET", "/vehicle/device", asked).await;
        let rows = page["rows"].as_array().expect("rows").clone();
        rows.iter().map(|row| row["carId"].as_str().unwrap_or_default().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(found(&keeper, json!({"model": MODEL, "firmware": "1.1.0"})).await, [&*one.car]);
    assert_eq!(found(&keeper, json!({"firmware": "1.0.3"})).await, Vec::<String>::new());
    assert_eq!(found(&keeper, json!({"firmware": "2.0.1"})).await, Vec::<String>::new(), "theirs");
    assert_eq!(found(&admin, json!({"firmware": "2.0.1"})).await, [&*foreign.car]);
    assert_eq!(found(&keeper, json!({"introduced": "false"})).await, [&*two.car]);
}

#[tokio::test(flavor = "multi_thread")]
async fn packages_are_the_platforms_each_model_and_version_is_one_and_texts_are_judged() {
    let (stack, node) = Stack::serving().await;
    let machine = Machine::new(&node.url, &stack.full_machine().await);
    let city = City::build(&machine, "A", 1, 1).await;
    let admin = Browser::signed_in(&node.url, ADMIN).await;
    let id = admin.ok("POST", PACKAGES, package(MODEL, "1.2.0")).await["id"].clone();
    assert_eq!(admin.call("POST", PACKAGES, package(MODEL, "1.2.0")).await.code(), "firmware-taken");
    for (field, wrong, code) in [
        ("url", json!("ftp://a/b"), "firmware-url"),
        ("md5", json!("xyz"), "firmware-md5"),
        ("sizeBytes", json!(0), "firmware-size"),
        ("firmware", json!("一点二"), "firmware-version"),
        ("model", json!(""), "firmware-model"),
    ] {
        let mut form = package(MODEL, "1.3.0");
        form[field] = wrong;
        assert_eq!(admin.call("POST", PACKAGES, form).await.code(), code);
    }

    // A machine of the platform publishes; the same again is the same one, other content is not.
    let open = machine.ok("/open/v1/firmwares", &package(MODEL, "1.4.0")).await["id"].clone();
    assert_eq!(machine.ok("/open/v1/firmwares", &package(MODEL, "1.2.0")).await["id"], id);
    let listed = admin.ok("GET", PACKAGES, json!({"keyword": "1.2.0"})).await["rows"][0].clone();
    assert_eq!((&listed["id"], &listed["state"]), (&id, &json!(1)));
    assert_eq!(listed["md5"], "0123456789abcdef0123456789abcdef");

    let mut changed = package(MODEL, "1.2.0");
    (changed["id"], changed["version"], changed["note"]) = (id.clone(), json!(1), json!("改"));
    admin.ok("PUT", PACKAGES, changed.clone()).await;
    assert_eq!(admin.call("PUT", PACKAGES, changed.clone()).await.code(), "stale-version");
    (changed["version"], changed["firmware"]) = (json!(2), json!("1.2.1"));
    assert_eq!(admin.call("PUT", PACKAGES, changed).await.code(), "firmware-fixed");

    let off = admin.ok("POST", "/production/upgrade/state", json!({"ids": [id, open], "state": 0})).await;
    assert!(off["results"].as_array().unwrap().iter().all(|row| row["suc"] == true), "{off}");
    admin.ok("POST", "/production/upgrade/state", json!({"id": open, "state": 1})).await;

    // Who works for an agent sees them, chooses among those that are enabled, and keeps none.
    let clerk = of_agent(&admin, &node.url, "13700000302", &["06"], &city.agent).await;
    assert_eq!(clerk.ok("GET", PACKAGES, json!({})).await["count"], 2);
    assert_eq!(clerk.call("POST", PACKAGES, package(MODEL, "2.0.0")).await.code(), "platform-only");
    let state = json!({"id": open, "state": 0});
    assert_eq!(clerk.call("POST", "/production/upgrade/state", state).await.code(), "platform-only");
    assert_eq!(clerk.call("GET", "/device/firmware", json!({})).await.status, 403);
    let watcher = of_agent(&admin, &node.url, "13700000303", &["0305"], &city.agent).await;
    let choices = watcher.ok("GET", "/device/firmware", json!({"model": MODEL})).await;
    assert_eq!(choices["rows"].as_array().map(Vec::len), Some(1), "{choices}");
    assert_eq!(choices["rows"][0]["id"], open);
    assert_eq!(watcher.call("GET", PACKAGES, json!({})).await.status, 403);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_upgrade_of_many_is_answered_bike_by_bike_and_the_new_version_comes_from_the_device() {
    let (stack, node) = Stack::serving().await;
    let machine = Machine::new(&node.url, &stack.full_machine().await);
    let city = City::build(&machine, "A", 1, 4).await;
    let theirs = City::build(&machine, "B", 2, 1).await;
    let admin = Browser::signed_in(&node.url, ADMIN).await;
    let mqtt = stack.nats.mqtt_addr();
    let id = admin.ok("POST", PACKAGES, package(MODEL, "1.2.0")).await["id"].clone();
    let [good, low, other, silent] = [0, 1, 2, 3].map(|number| &city.bikes[number]);
    let mut line = Bike::connect(&mqtt, &good.imei, &good.secret).await;
    let low_line = Bike::connect(&mqtt, &low.imei, &low.secret).await;
    let other_line = Bike::connect(&mqtt, &other.imei, &other.secret).await;
    introduced(&admin, &line, good, MODEL, "1.0.3").await;
    introduced(&admin, &low_line, low, MODEL, "1.0.3").await;
    introduced(&admin, &other_line, other, "WH-EC10", "2.0.1").await;
    for (line, bike, soc) in [(&line, good, 80), (&low_line, low, 29), (&other_line, other, 80)] {
        eventually("its charge is known", PATIENCE, async || {
            line.report(&bike.imei, city.lat, city.lng, soc, true).await;
            let known = admin.ok("GET", &format!("/vehicle/{}", bike.car), json!({})).await;
            (known["soc"] == soc).then_some(())
        })
        .await;
    }
    let upgrade = |cars: &[&Enrolled]| {
        let cars: Vec<&str> = cars.iter().map(|bike| &*bike.car).collect();
        json!({"carIds": cars, "kind": FIRMWARE, "firmwareId": id})
    };
    let bare = json!({"carIds": [good.car], "kind": FIRMWARE});
    assert_eq!(admin.call("POST", BATCH, bare).await.code(), "command-package");
    let keeper = of_agent(&admin, &node.url, "13700000304", &["0305"], &city.agent).await;
    let answered = keeper.ok("POST", BATCH, upgrade(&[good, low, other, silent, &theirs.bikes[0]])).await;
    let fates: Vec<&str> = answered["results"]
        .as_array()
        .expect("results")
        .iter()
        .map(|row| row["error"]["code"].as_str().unwrap_or("done"))
        .collect();
    assert_eq!(fates, ["done", "upgrade-charge-low", "upgrade-model", "upgrade-untold", "not-found"]);

    let (_, told) = line.next_command().await;
    assert_eq!((&told["kind"], &told["params"]["version"]), (&json!(FIRMWARE), &json!("1.2.0")), "{told}");
    assert_eq!(told["params"]["size"], 524_288);
    assert_eq!(told["params"]["md5"], "0123456789abcdef0123456789abcdef");
    line.answer(&good.imei, told["id"].as_str().expect("an id"), 0).await;
    introduced(&admin, &line, good, MODEL, "1.2.0").await;
    assert_eq!(keeper.call("POST", BATCH, upgrade(&[good])).await.code(), "upgrade-already");
    let commands = admin.ok("GET", &format!("/vehicle/{}/commands", good.car), json!({})).await;
    assert_eq!((&commands["rows"][0]["kind"], &commands["rows"][0]["state"]), (&json!(FIRMWARE), &json!(2)));

    // A package that may be chosen no more is not sent.
    admin.ok("POST", "/production/upgrade/state", json!({"id": id, "state": 0})).await;
    assert_eq!(keeper.call("POST", BATCH, upgrade(&[low])).await.code(), "upgrade-disabled");
}
