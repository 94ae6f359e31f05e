//! What keepers of the fleet do with bikes: one and many, within their scope and codes, up to the quota, and once.

use std::time::Duration;

use serde_json::{Value, json};
use vocabulary::{Clock, SystemClock};

use crate::bike::Bike;
use crate::city::City;
use crate::client::{Browser, Machine, Reply};
use crate::stack::{ADMIN, Stack, eventually};

const KEEP: &str = "/vehicle/keep";
const PATIENCE: Duration = Duration::from_mins(1);
const SHELVE: i64 = 1;
const UNSHELVE: i64 = 2;
const RESTOCK: i64 = 3;
const LOSE: i64 = 5;
const FIND: i64 = 6;
const SCRAP: i64 = 7;
const RELOCATE: i64 = 8;
const TAG: i64 = 9;
const BIND: i64 = 10;
const UNBIND: i64 = 11;

async fn asked(browser: &Browser, cars: &[&str], act: i64, more: Value) -> Reply {
    let mut body = json!({"carIds": cars, "act": act, "reason": "集中检修"});
    for (key, value) in more.as_object().expect("fields") {
        body[key] = value.clone();
    }
    browser.call("POST", KEEP, body).await
}

/// Why it is refused; nothing when it is done.
async fn act(browser: &Browser, car: &str, act: i64) -> String {
    asked(browser, &[car], act, json!({})).await.code().to_owned()
}

fn fates(answer: &Value) -> Vec<String> {
    let results = answer["results"].as_array().expect("results");
    results.iter().map(|row| row["error"]["code"].as_str().unwrap_or("done").to_owned()).collect()
}

async fn bike(browser: &Browser, car: &str) -> Value {
    browser.ok("GET", &format!("/vehicle/{car}"), json!({})).await
}

/// Its device reports until its fix is known.
async fn stands(browser: &Browser, line: &Bike, imei: &str, car: &str, (lat, lng): (f64, f64)) {
    eventually("its fix is known", PATIENCE, async || {
        line.report(imei, lat, lng, 80, true).await;
        let known = bike(browser, car).await;
        (known["gpsAt"].is_i64() && (known["lat"].as_f64()? - lat).abs() < 0.0001).then_some(())
    })
    .await;
}

async fn limit(browser: &Browser, area: &str, name: &str, quota: i64) {
    let info = browser.ok("GET", "/platform/agent/serviceArea/info", json!({ "id": area })).await;
    let body = json!({"id": area, "name": name, "tel": info["tel"], "version": info["version"],
        "terms": {"cityCode": "", "vehicleQuota": quota, "supervisionIds": [], "takesApplications": true}});
    browser.ok("PUT", "/platform/agent/serviceArea", body).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bike_goes_through_its_life_and_its_log_tells_of_it() {
    let (stack, node) = Stack::serving().await;
    let machine = Machine::new(&node.url, &stack.full_machine().await);
    let city = City::build(&machine, "A", 1, 2).await;
    let admin = Browser::signed_in(&node.url, ADMIN).await;
    let (car, imei) = (&*city.bikes[0].car, &*city.bikes[0].imei);
    let no_reason = asked(&admin, &[car], UNSHELVE, json!({"reason": " "})).await;
    assert_eq!(no_reason.code(), "vehicle-reason");
    assert_eq!(act(&admin, car, UNSHELVE).await, "");
    assert_eq!(act(&admin, car, UNSHELVE).await, "vehicle-life-forbids");
    assert_eq!(act(&admin, car, RESTOCK).await, "");
    assert_eq!(act(&admin, car, SHELVE).await, "vehicle-no-fix");
    let line = Bike::connect(&stack.nats.mqtt_addr(), imei, &city.bikes[0].secret).await;
    stands(&admin, &line, imei, car, (city.lat + 0.05, city.lng)).await;
    assert_eq!(act(&admin, car, SHELVE).await, "vehicle-place-outside-area");
    // Devices do not jump that far within a second: another bike is where it belongs.
    let (near, near_imei) = (&*city.bikes[1].car, &*city.bikes[1].imei);
    let other = Bike::connect(&stack.nats.mqtt_addr(), near_imei, &city.bikes[1].secret).await;
    stands(&admin, &other, near_imei, near, (city.lat, city.lng)).await;
    for step in [UNSHELVE, RESTOCK, SHELVE, LOSE] {
        assert_eq!(act(&admin, near, step).await, "", "{step}");
    }
    let lost = bike(&admin, near).await;
    assert_eq!((&lost["lifecycle"], &lost["alarmStates"]), (&json!(5), &json!([9])));
    let reasons: Vec<&str> =
        lost["reasons"].as_array().unwrap().iter().filter_map(|reason| reason["code"].as_str()).collect();
    assert!(reasons.contains(&"lifecycle") && reasons.contains(&"reported-lost"), "{reasons:?}");
    let tickets = json!({"keyword": near, "kind": "9", "state": "0"});
    assert_eq!(admin.ok("GET", "/vehicle/alarm/list", tickets.clone()).await["count"], 1);
    assert_eq!(act(&admin, near, FIND).await, "");
    let found = bike(&admin, near).await;
    assert_eq!((&found["lifecycle"], &found["alarmStates"]), (&json!(2), &json!([])));
    assert_eq!(admin.ok("GET", "/vehicle/alarm/list", tickets).await["count"], 0);

    for step in [UNSHELVE, SCRAP] {
        assert_eq!(act(&admin, near, step).await, "", "{step}");
    }
    let gone = bike(&admin, near).await;
    assert_eq!((&gone["lifecycle"], &gone["imei"]), (&json!(6), &Value::Null));
    assert_eq!(act(&admin, near, RESTOCK).await, "vehicle-life-forbids");
    // Its device serves another.
    assert_eq!(asked(&admin, &[car], UNBIND, json!({})).await.code(), "");
    assert_eq!(asked(&admin, &[car], BIND, json!({"imei": near_imei})).await.code(), "");
    assert_eq!(bike(&admin, car).await["imei"], json!(near_imei));
    let taken = asked(&admin, &[car], BIND, json!({"imei": imei})).await;
    assert_eq!(taken.code(), "vehicle-has-device");

    let day = SystemClock.now().local()[..10].to_owned();
    let told = async |car: &str| {
        let asked = json!({"carId": car, "startTime": day, "pageSize": "200"});
        let rows = admin.ok("GET", "/log/vehicle", asked).await["rows"].as_array().expect("rows").clone();
        rows.iter().filter_map(|row| row["event"].as_i64()).collect::<Vec<_>>()
    };
    let near_told = told(near).await;
    for event in [203, 201, 202, 205, 206, 207, 501, 502, 103] {
        assert!(near_told.contains(&event), "{event} is not in {near_told:?}");
    }
    assert_eq!(near_told.iter().filter(|event| **event == 103).count(), 1, "told once, by the bike");
    let car_told = told(car).await;
    assert!(car_told.contains(&103) && car_told.iter().filter(|event| **event == 102).count() == 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn keepers_act_within_their_scope_and_codes_and_scrapping_is_the_offices() {
    let (stack, node) = Stack::serving().await;
    let machine = Machine::new(&node.url, &stack.full_machine().await);
    let [ours, theirs] = [City::build(&machine, "A", 1, 2).await, City::build(&machine, "B", 2, 1).await];
    let admin = Browser::signed_in(&node.url, ADMIN).await;
    let role = admin.new_role("查询", &["0302".to_owned()]).await;
    admin.new_operator("13700000201", &[&role], &ours.agent).await;
    let role = admin.new_role("用户", &["070101".to_owned()]).await;
    admin.new_operator("13700000202", &[&role], &ours.agent).await;
    let keeper = Browser::signed_in(&node.url, "13700000201").await;
    let (first, second, foreign) = (&*ours.bikes[0].car, &*ours.bikes[1].car, &*theirs.bikes[0].car);
    assert_eq!(act(&keeper, foreign, UNSHELVE).await, "not-found");
    let answer = asked(&keeper, &[first, foreign, "无此车"], UNSHELVE, json!({})).await.data();
    assert_eq!(fates(&answer), ["done", "not-found", "vehicle-number"]);
    assert_eq!(asked(&keeper, &[first], SCRAP, json!({})).await.status, 403);
    assert_eq!(asked(&admin, &[first], SCRAP, json!({})).await.code(), "");
    let nobody = Browser::signed_in(&node.url, "13700000202").await;
    assert_eq!(asked(&nobody, &[second], UNSHELVE, json!({})).await.status, 403);

    // Into another area of the agent alone, with its device.
    assert_eq!(act(&keeper, second, UNSHELVE).await, "");
    let to_them = asked(&keeper, &[second], RELOCATE, json!({"areaId": theirs.area})).await;
    assert_eq!(to_them.code(), "area-unknown");
    let to_them = asked(&admin, &[second], RELOCATE, json!({"areaId": theirs.area})).await;
    assert_eq!(to_them.code(), "vehicle-area-of-another");
    let square = json!([[118.3, 24.6], [118.34, 24.6], [118.34, 24.64], [118.3, 24.64]]);
    let body = json!({"agentId": ours.agent, "name": "A 二区", "ring": square, "datum": "wgs84", "tel": "05920000000"});
    let area = machine.ok("/open/v1/areas", &body).await["areaId"].as_str().unwrap().to_owned();
    assert_eq!(asked(&keeper, &[second], RELOCATE, json!({ "areaId": area })).await.code(), "");
    assert_eq!(bike(&keeper, second).await["areaId"], json!(area));

    let tagged = asked(&keeper, &[second], TAG, json!({"addTags": ["新车", "校园"]})).await;
    assert_eq!(tagged.code(), "");
    assert_eq!(bike(&keeper, second).await["tags"], json!(["新车", "校园"]));
    let none = asked(&keeper, &[second], TAG, json!({})).await;
    assert_eq!(none.code(), "tags-due");
    let screened = keeper.call("GET", "/vehicle/screening", json!({})).await;
    assert_eq!(screened.status, 403);
    let found = async |query: Value| {
        let page = admin.ok("GET", "/vehicle/screening", query).await;
        let rows = page["rows"].as_array().expect("rows").clone();
        rows.iter().map(|row| row["carId"].as_str().expect("a number").to_owned()).collect::<Vec<_>>()
    };
    eventually("memory knows its tags", PATIENCE, async || {
        (found(json!({"tags": "校园"})).await == [second]).then_some(())
    })
    .await;
    assert_eq!(found(json!({"lifecycle": "3,6"})).await, [first, second]);
    assert_eq!(found(json!({"opAreaId": theirs.area})).await, [foreign]);
    assert_eq!(found(json!({"socMin": "0"})).await, Vec::<String>::new(), "nobody reported yet");
    let wrong = admin.call("GET", "/vehicle/screening", json!({"socMin": "viel"})).await;
    assert_eq!(wrong.status, 400);
}

#[tokio::test(flavor = "multi_thread")]
async fn no_area_has_more_bikes_on_its_streets_than_its_quota_whoever_shelves_at_once() {
    let (stack, node) = Stack::serving().await;
    let second = stack.node(None);
    let machine = Machine::new(&node.url, &stack.full_machine().await);
    let city = City::build(&machine, "A", 1, 8).await;
    let lines = city.on_line(&stack, &machine, (city.lat, city.lng)).await;
    let admin = Browser::signed_in(&node.url, ADMIN).await;
    let cars: Vec<&str> = city.bikes.iter().map(|bike| &*bike.car).collect();
    let off = asked(&admin, &cars[..6], UNSHELVE, json!({})).await.data();
    assert!(fates(&off).iter().all(|fate| *fate == "done"), "{off}");
    let back = asked(&admin, &cars[..6], RESTOCK, json!({})).await.data();
    assert!(fates(&back).iter().all(|fate| *fate == "done"), "{back}");
    limit(&admin, &city.area, "A 区", 5).await;
    let role = admin.new_role("查询", &["0302".to_owned()]).await;
    admin.new_operator("13700000209", &[&role], &city.agent).await;
    let there = Browser::signed_in(&second.url, "13700000209").await;
    // Both nodes have heard of the bikes.
    eventually("the other node knows where they are", PATIENCE, async || {
        for (bike, line) in city.bikes.iter().zip(&lines) {
            line.report(&bike.imei, city.lat, city.lng, 80, true).await;
        }
        let known = bike(&there, cars[0]).await;
        known["gpsAt"].is_i64().then_some(())
    })
    .await;
    // Two stand there; six more at once from two nodes, one by one and together: three come in.
    let mut tries = Vec::new();
    for (number, car) in cars[..6].iter().enumerate() {
        let browser = if number % 2 == 0 { &admin } else { &there };
        tries.push(async move { act(browser, car, SHELVE).await });
    }
    let fates = futures::future::join_all(tries).await;
    let done = fates.iter().filter(|fate| fate.is_empty()).count();
    assert_eq!(done, 3, "{fates:?}");
    assert!(fates.iter().all(|fate| fate.is_empty() || fate == "vehicle-quota-full"), "{fates:?}");
    // Nor does enrolment.
    let one_more = json!({"vehicles": [city.vehicle("A", 1, 99)]});
    let enrolled = machine.ok("/open/v1/vehicles/batch", &one_more).await;
    assert!(enrolled["results"][0]["error"].as_str().unwrap().contains("配额"), "{enrolled}");
    let again = json!({"vehicles": [city.vehicle("A", 1, 7)]});
    let enrolled = machine.ok("/open/v1/vehicles/batch", &again).await;
    assert!(
        enrolled["results"][0]["error"].is_null(),
        "one that stands there takes no other place: {enrolled}"
    );
    // A place that was left is taken again.
    let free = cars[..6].iter().zip(&fates).find(|(_, fate)| fate.is_empty()).unwrap().0;
    assert_eq!(act(&admin, free, UNSHELVE).await, "");
    let waiting = cars[..6].iter().zip(&fates).find(|(_, fate)| !fate.is_empty()).unwrap().0;
    assert_eq!(act(&there, waiting, SHELVE).await, "");
}

#[tokio::test(flavor = "multi_thread")]
async fn thousands_are_answered_row_by_row_and_a_repeat_does_nothing_twice() {
    let (stack, node) = Stack::serving().await;
    let machine = Machine::new(&node.url, &stack.full_machine().await);
    let city = City::build(&machine, "A", 1, 40).await;
    let admin = Browser::signed_in(&node.url, ADMIN).await;
    let mut cars: Vec<String> = city.bikes.iter().map(|bike| bike.car.clone()).collect();
    cars.extend((0..4_960).map(|number| format!("NONE{number:05}")));
    let body = json!({"carIds": cars, "act": UNSHELVE, "reason": "台风"});
    let answer = admin.keyed_call(KEEP, &body, "typhoon").await.unwrap().data();
    let told = fates(&answer);
    assert_eq!(told.len(), 5_000);
    assert!(told[..40].iter().all(|fate| *fate == "done"), "{:?}", &told[..40]);
    assert!(told[40..].iter().all(|fate| fate == "vehicle-unknown"), "{}", told[40]);
    let version = bike(&admin, &cars[0]).await["version"].clone();

    // The same again, and a part of it: what was done is answered as it was, and nothing happens.
    let answer = admin.keyed_call(KEEP, &body, "typhoon").await.unwrap().data();
    assert!(fates(&answer)[..40].iter().all(|fate| *fate == "done"));
    let part = json!({"carIds": cars[..2], "act": UNSHELVE, "reason": "台风"});
    let answer = admin.keyed_call(KEEP, &part, "typhoon").await.unwrap().data();
    assert_eq!(fates(&answer), ["done", "done"]);
    assert_eq!(bike(&admin, &cars[0]).await["version"], version);
    // Something else under the same name is refused.
    let other = json!({"carIds": cars[..2], "act": UNSHELVE, "reason": "检修"});
    let answer = admin.keyed_call(KEEP, &other, "typhoon").await.unwrap().data();
    assert_eq!(fates(&answer), ["request-reused", "request-reused"]);

    cars.push("ONE-MORE".to_owned());
    let reply = admin.call("POST", KEEP, json!({"carIds": cars, "act": UNSHELVE, "reason": "台风"})).await;
    assert_eq!(reply.code(), "too-many");
}

#[tokio::test(flavor = "multi_thread")]
async fn commands_go_to_many_and_a_bell_rings_ten_times_a_minute() {
    let (stack, node) = Stack::serving().await;
    let machine = Machine::new(&node.url, &stack.full_machine().await);
    let city = City::build(&machine, "A", 1, 2).await;
    let admin = Browser::signed_in(&node.url, ADMIN).await;
    let cars: Vec<&str> = city.bikes.iter().map(|bike| &*bike.car).collect();
    let told = async |kind: i64, reason: &str| {
        let body = json!({"carIds": cars, "kind": kind, "reason": reason});
        admin.call("POST", "/device/command/batch", body).await
    };
    assert_eq!(fates(&told(12, "").await.data()), ["done", "done"]);
    assert_eq!(fates(&told(6, "").await.data()), ["command-reason", "command-reason"]);
    assert_eq!(told(15, "围栏").await.code(), "command-not-by-hand");
    for _ in 0..10 {
        assert_eq!(fates(&told(10, "").await.data()), ["done", "done"]);
    }
    assert_eq!(fates(&told(10, "").await.data()), ["bell-too-often", "bell-too-often"]);
    let alone = json!({"carId": cars[0], "command": "ring", "reason": ""});
    assert_eq!(admin.call("POST", "/device/command", alone).await.code(), "bell-too-often");
    let shown = admin.ok("GET", &format!("/vehicle/{}/commands", cars[0]), json!({})).await;
    assert_eq!(shown["rows"].as_array().unwrap().len(), 11);
    let summary = admin.ok("GET", "/vehicle/device/summary", json!({})).await;
    assert_eq!((&summary["total"], &summary["never"]), (&json!(2), &json!(2)));
}
