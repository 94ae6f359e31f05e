//! Certifications, rebindings and the blacklist: from a rider's program to what changes of him, by the public ports.

use std::collections::BTreeSet;
use std::time::Duration;

use reqwest::Method;
use serde_json::{Value, json};
use simulator::photo::photo;

use crate::bike::Bike;
use crate::city::City;
use crate::client::{Browser, Machine};
use crate::rider::{Rider, id_no};
use crate::stack::{ADMIN, Node, Stack, eventually};

const CERTIFY: &str = "/open/v1/rider/certification";
const REBIND: &str = "/open/v1/rider/rebinding";
const CERTIFICATIONS: &str = "/user/occupation";
const REBINDINGS: &str = "/user/rebind";
const BLACKLIST: &str = "/user/blacklist";

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_else(|| panic!("no text: {value}")).to_owned()
}

/// A photo that the rider's program has brought.
async fn brought(machine: &Machine, rider: &Rider, number: u64) -> String {
    let path = format!("/open/v1/attachments?userPin={}", rider.id);
    text(&machine.upload(&path, photo(number, [118.1, 24.5], 0)).await.data()["attachmentId"])
}

async fn certification(machine: &Machine, rider: &Rider, number: u64) -> Value {
    let photo = brought(machine, rider, number).await;
    json!({"userId": rider.id, "kind": 1, "organisation": "厦门大学", "certNo": "20260012345", "photoIds": [photo]})
}

/// Hands a certification in; its id.
async fn certified(machine: &Machine, rider: &Rider, number: u64) -> String {
    let asked = certification(machine, rider, number).await;
    text(&machine.ok(CERTIFY, &asked).await["certificationId"])
}

/// Hands a rebinding to another phone in; its id.
async fn rebound(machine: &Machine, rider: &Rider, phone: &str, number: u64) -> String {
    let photo = brought(machine, rider, number).await;
    let asked = json!({"userId": rider.id, "kind": 1, "phone": phone, "photoIds": [photo]});
    text(&machine.ok(REBIND, &asked).await["rebindingId"])
}

/// Somebody of an agent who decides cases.
async fn clerk(node: &Node, admin: &Browser, phone: &str, agent: &str) -> Browser {
    let role = json!({"name": format!("审核 {phone}"), "tier": 1, "remark": "", "state": 1, "agentId": agent,
        "codes": ["07", "0703", "0704", "08"]});
    let role = text(&admin.ok("POST", "/platform/permission/role", role).await["id"]);
    admin.new_operator(phone, &[&role], agent).await;
    Browser::signed_in(&node.url, phone).await
}

/// The first bike of the city, locked and full, heard of by riders.
async fn on_line(stack: &Stack, machine: &Machine, city: &City) -> Bike {
    let bike = &city.bikes[0];
    let line = Bike::connect(&stack.nats.mqtt_addr(), &bike.imei, &bike.secret).await;
    line.report(&bike.imei, city.lat, city.lng, 88, true).await;
    let path = format!("/open/v1/rider/scan?carId={}", bike.car);
    eventually("the bike may be taken", Duration::from_mins(1), async || {
        (machine.get(&path).await.data()["rentable"] == true).then_some(())
    })
    .await;
    line
}

#[tokio::test(flavor = "multi_thread")]
async fn route_019_a_certification_is_decided_once_and_qualifies_its_rider() {
    let (stack, node) = Stack::serving().await;
    let machine = Machine::new(&node.url, &stack.full_machine().await);
    let (city, other) = (City::build(&machine, "P", 1, 0).await, City::build(&machine, "Q", 2, 0).await);
    let admin = Browser::signed_in(&node.url, ADMIN).await;
    let own = clerk(&node, &admin, "13700000061", &city.agent).await;
    let stranger = clerk(&node, &admin, "13700000062", &other.agent).await;

    let unverified = Rider::unverified(&machine, &city.area, "未实名").await;
    let asked = certification(&machine, &unverified, 1).await;
    assert_eq!(machine.post(CERTIFY, &asked, None).await.unwrap().code(), "rider-unverified");
    let rider = Rider::come(&machine, &city.area, "学生").await;
    let id = certified(&machine, &rider, 2).await;
    let again = certification(&machine, &rider, 3).await;
    assert_eq!(machine.post(CERTIFY, &again, None).await.unwrap().code(), "certification-waiting");

    // Who runs another area sees nothing of it; the own people see it masked, and in whole when they ask.
    assert_eq!(stranger.ok("GET", &format!("{CERTIFICATIONS}/list"), json!({})).await["count"], 0);
    let photo_id =
        &own.ok("GET", &format!("{CERTIFICATIONS}/info"), json!({"id": id})).await["photos"][0]["id"];
    let photo_path = format!("{CERTIFICATIONS}/photo?id={id}&photoId={}", text(photo_id));
    for (method, path, body) in [
        ("GET", "info", json!({"id": id})),
        ("POST", "unmask", json!({"id": id})),
        ("POST", "review", json!({"id": id, "result": "reject", "remark": "越权"})),
    ] {
        let reply = stranger.call(method, &format!("{CERTIFICATIONS}/{path}"), body).await;
        assert_eq!(reply.code(), "not-found", "{path}: {}", reply.body);
    }
    let shown = async |browser: &Browser| {
        let answer = browser.plainly(Method::GET, &photo_path).send().await.unwrap();
        text(&json!(answer.headers()["content-type"].to_str().unwrap()))
    };
    assert_eq!((shown(&own).await, shown(&stranger).await), ("image/jpeg".into(), "application/json".into()));
    let row =
        own.ok("GET", &format!("{CERTIFICATIONS}/list"), json!({"state": "0"})).await["rows"][0].clone();
    assert_eq!(
        (&row["nameMasked"], &row["certNoMasked"], &row["organisation"], &row["state"]),
        (&json!("陈*"), &json!("****2345"), &json!("厦门大学"), &json!(0)),
        "{row}"
    );
    assert!(!row.to_string().contains(&rider.phone) && !row.to_string().contains("20260012345"), "{row}");
    let whole = own.ok("POST", &format!("{CERTIFICATIONS}/unmask"), json!({"id": id})).await;
    assert_eq!(whole, json!({"name": "陈一", "phone": rider.phone, "certNo": "20260012345"}));
    let log = admin.ok("GET", "/platform/aliyunlog/userlogs", json!({"pageSize": "50"})).await;
    assert!(log.to_string().contains("certification"), "it stands in the log who asked: {log}");

    let review = |result: &str, remark: &str, until: &str, version: i64| json!({"id": id, "result": result, "remark": remark, "validUntil": until, "version": version});
    let path = format!("{CERTIFICATIONS}/review");
    let refused = async |body: Value| own.call("POST", &path, body).await.code().to_owned();
    assert_eq!(refused(review("reject", " ", "", 1)).await, "certification-reason");
    assert_eq!(refused(review("accept", "", "2020-01-01", 1)).await, "certification-until");
    assert_eq!(refused(review("accept", "", "2027-08-31", 7)).await, "stale-version");
    own.ok("POST", &path, review("accept", "", "2027-08-31", 1)).await;
    assert_eq!(refused(review("reject", "模糊", "", 1)).await, "stale-version");
    let twice = json!({"id": id, "result": "reject", "remark": "模糊"});
    assert_eq!(refused(twice).await, "certification-not-now");
    // 3: 职业认证. Both were one append.
    let known = admin.ok("GET", "/user/list", json!({"keyword": rider.phone})).await["rows"][0].clone();
    assert_eq!(known["qualifications"], json!([3]), "{known}");
    let passed = own.ok("GET", &format!("{CERTIFICATIONS}/info"), json!({"id": id})).await;
    assert_eq!((&passed["state"], &passed["reviewer"].is_string()), (&json!(1), &true), "{passed}");

    // Nobody decides his own; what its rider takes back is decided by nobody.
    let mine = json!({"opAreaId": city.area, "phone": "13700000061", "channel": 1});
    let mine = machine.ok("/open/v1/rider/register", &mine).await;
    let mine = Rider { id: text(&mine["userId"]), phone: "13700000061".to_owned() };
    let proof = json!({"userId": mine.id, "name": "李审", "idNo": id_no("李审")});
    machine.ok("/open/v1/rider/verify", &proof).await;
    let own_case = certified(&machine, &mine, 4).await;
    let decide = json!({"id": own_case, "result": "accept", "remark": "", "validUntil": "2027-08-31"});
    assert_eq!(refused(decide.clone()).await, "certification-own");
    machine.ok(&format!("{CERTIFY}/cancel"), &json!({"userId": mine.id, "certificationId": own_case})).await;
    assert_eq!(admin.call("POST", &path, decide).await.code(), "certification-not-now");
}

#[tokio::test(flavor = "multi_thread")]
async fn route_021_a_rebinding_moves_the_phone_unless_it_is_taken_or_a_ride_is_open() {
    let (stack, node) = Stack::serving().await;
    let machine = Machine::new(&node.url, &stack.full_machine().await);
    let (city, other) = (City::build(&machine, "P", 1, 1).await, City::build(&machine, "Q", 2, 0).await);
    let admin = Browser::signed_in(&node.url, ADMIN).await;
    let own = clerk(&node, &admin, "13700000071", &city.agent).await;
    let stranger = clerk(&node, &admin, "13700000072", &other.agent).await;
    let path = format!("{REBINDINGS}/review");
    let accept = |id: &str| json!({"id": id, "result": "accept", "remark": ""});

    let rider = Rider::come(&machine, &city.area, "换手机").await;
    let neighbour = Rider::unverified(&machine, &city.area, "邻居").await;
    let photo = brought(&machine, &rider, 1).await;
    let same = json!({"userId": rider.id, "kind": 1, "phone": rider.phone, "photoIds": [photo]});
    assert_eq!(machine.post(REBIND, &same, None).await.unwrap().code(), "rebinding-same");
    let both =
        json!({"userId": rider.id, "kind": 1, "phone": "13900001111", "name": "陈二", "photoIds": [photo]});
    assert_eq!(machine.post(REBIND, &both, None).await.unwrap().status, 400);

    // Somebody else's phone: the reviewer reads why, and nothing changes.
    let taken = rebound(&machine, &rider, &neighbour.phone, 2).await;
    assert_eq!(stranger.ok("GET", &format!("{REBINDINGS}/list"), json!({})).await["count"], 0);
    assert_eq!(stranger.call("POST", &path, accept(&taken)).await.code(), "not-found");
    let refused = own.call("POST", &path, accept(&taken)).await;
    assert_eq!(refused.code(), "rider-phone-taken", "{}", refused.body);
    let row = own.ok("GET", &format!("{REBINDINGS}/info"), json!({"id": taken})).await;
    assert_eq!((&row["state"], &row["version"]), (&json!(0), &json!(1)), "both or nothing");
    own.ok("POST", &path, json!({"id": taken, "result": "reject", "remark": "新手机号已被使用"})).await;

    // As long as he rides it is not decided for him.
    let id = rebound(&machine, &rider, "13900001111", 3).await;
    let mut line = on_line(&stack, &machine, &city).await;
    let ride = rider.ride_off(&machine, &city.bikes[0], &mut line).await;
    assert_eq!(own.call("POST", &path, accept(&id)).await.code(), "rebinding-riding");
    assert_eq!(ride.post(&machine, "cancel").await.status, 200);
    ride.until(&machine, "it is over", |order| order["state"] != 1).await;
    own.ok("POST", &path, accept(&id)).await;
    assert_eq!(own.call("POST", &path, accept(&id)).await.code(), "rebinding-not-now");
    let account = rider.account(&machine).await;
    assert_eq!(account["phone"], "139****1111", "{account}");
    let old = json!({"opAreaId": city.area, "phone": rider.phone, "channel": 1});
    assert_eq!(machine.ok("/open/v1/rider/register", &old).await["known"], false, "the old phone is free");

    // Another name and number.
    let photo = brought(&machine, &rider, 5).await;
    let asked =
        json!({"userId": rider.id, "kind": 2, "name": "陈二", "idNo": id_no("陈二"), "photoIds": [photo]});
    let id = text(&machine.ok(REBIND, &asked).await["rebindingId"]);
    own.ok("POST", &path, accept(&id)).await;
    let whole = own.ok("POST", &format!("{REBINDINGS}/unmask"), json!({"id": id})).await;
    assert_eq!(
        (&whole["name"], &whole["wantedName"], &whole["wantedIdNo"]),
        (&json!("陈一"), &json!("陈二"), &json!(id_no("陈二")))
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn api_079_route_020_who_is_listed_unlocks_nothing_more_and_is_let_off_again() {
    let (stack, node) = Stack::serving().await;
    let machine = Machine::new(&node.url, &stack.full_machine().await);
    let (city, other) = (City::build(&machine, "P", 1, 1).await, City::build(&machine, "Q", 2, 0).await);
    let admin = Browser::signed_in(&node.url, ADMIN).await;
    let own = clerk(&node, &admin, "13700000081", &city.agent).await;
    let stranger = clerk(&node, &admin, "13700000082", &other.agent).await;
    let rider = Rider::come(&machine, &city.area, "拉黑").await;
    let new =
        |scope: i16, reason: &str| json!({"userId": rider.id, "kind": 1, "scope": scope, "reason": reason});

    let found = own.ok("GET", &format!("{BLACKLIST}/riders"), json!({"keyword": rider.phone})).await;
    assert_eq!(found["rows"][0]["userId"], rider.id, "{found}");
    assert_eq!(
        stranger.ok("GET", &format!("{BLACKLIST}/riders"), json!({"keyword": rider.phone})).await["rows"],
        json!([])
    );
    assert_eq!(stranger.call("POST", BLACKLIST, new(2, "越权")).await.code(), "not-found");
    assert_eq!(own.call("POST", BLACKLIST, new(3, "全平台")).await.code(), "blacklist-reach");
    assert_eq!(own.call("POST", BLACKLIST, new(2, " ")).await.code(), "blacklist-reason");

    let mut line = on_line(&stack, &machine, &city).await;
    let ride = rider.ride_off(&machine, &city.bikes[0], &mut line).await;
    let id = text(&own.ok("POST", BLACKLIST, new(2, "多次乱停")).await["id"]);
    assert_eq!(own.call("POST", BLACKLIST, new(2, "再次")).await.code(), "blacklist-listed");
    assert_eq!(ride.order(&machine).await["state"], 1, "a ride that is under way is not cut");
    assert_eq!(rider.account(&machine).await["accountState"], 2);
    assert_eq!(ride.post(&machine, "cancel").await.status, 200);
    assert_eq!(rider.unlock(&machine, &city.bikes[0].car).await.code(), "rider-blacklisted");

    // Its photo is shown to its own people alone.
    let shown =
        own.plainly(Method::POST, &format!("{BLACKLIST}/photo?id={id}")).body(photo(9, [118.1, 24.5], 0));
    assert_eq!(shown.send().await.unwrap().status(), 200);
    let row = own.ok("GET", &format!("{BLACKLIST}/info"), json!({"id": id})).await;
    assert_eq!((&row["state"], row["photos"].as_array().map(Vec::len)), (&json!(1), Some(1)), "{row}");
    assert!(!row.to_string().contains(&rider.phone), "{row}");
    assert_eq!(
        stranger.call("GET", &format!("{BLACKLIST}/info"), json!({"id": id})).await.code(),
        "not-found"
    );
    let unmasked = own.ok("POST", &format!("{BLACKLIST}/unmask"), json!({"id": id})).await;
    assert_eq!(unmasked["phone"], rider.phone);

    // The whole platform: all accounts of his phone, seen and ended by who sees all.
    let elsewhere = json!({"opAreaId": other.area, "phone": rider.phone, "channel": 1});
    let elsewhere = text(&machine.ok("/open/v1/rider/register", &elsewhere).await["userId"]);
    let lift = async |who: &Browser, ids: &[&str], reason: &str| {
        who.ok("POST", &format!("{BLACKLIST}/lift"), json!({"ids": ids, "reason": reason})).await["results"]
            .clone()
    };
    let outcomes = lift(&own, &[&id, "1"], "申诉成立").await;
    assert_eq!((&outcomes[0]["suc"], &outcomes[1]["suc"]), (&json!(true), &json!(false)), "{outcomes}");
    assert_eq!(rider.account(&machine).await["accountState"], 0);
    let everywhere = text(&admin.ok("POST", BLACKLIST, new(3, "盗用车辆")).await["id"]);
    let all: BTreeSet<String> = [&rider.id, &elsewhere].into_iter().cloned().collect();
    for user in &all {
        let account = machine.get(&format!("/open/v1/rider/account?userId={user}")).await.data();
        assert_eq!(account["accountState"], 2, "{account}");
    }
    assert_eq!(lift(&own, &[&everywhere], "越权").await[0]["suc"], false);
    assert_eq!(admin.ok("GET", BLACKLIST, json!({"state": "1", "keyword": rider.id})).await["count"], 1);
    assert_eq!(own.ok("GET", BLACKLIST, json!({"state": "1"})).await["count"], 0);
    let off = admin.call("DELETE", BLACKLIST, json!({"userId": rider.id, "reason": "误判"})).await;
    assert_eq!(off.status, 200, "{}", off.body);
    for user in &all {
        let account = machine.get(&format!("/open/v1/rider/account?userId={user}")).await.data();
        assert_eq!(account["accountState"], 0, "{account}");
    }
    let again = lift(&admin, &[&everywhere], "再次").await;
    assert_eq!(again[0]["error"]["code"], "blacklist-not-now", "{again}");
}
