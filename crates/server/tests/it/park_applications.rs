//! Station applications: from a rider's phone to a parking place, by the public ports.

use reqwest::Method;
use serde_json::{Value, json};
use simulator::photo::photo;
use vocabulary::{Clock, SystemClock};

use crate::city::City;
use crate::client::{Browser, Machine, Reply, holds, plain};
use crate::exports::{file, lines};
use crate::stack::{ADMIN, Stack};

const APPLY: &str = "/open/v1/rider/park-application";
const LIST: &str = "/fence/parkApplication";
/// Of a degree of latitude about 11 m.
const STEP: f64 = 0.0001;

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_else(|| panic!("no text: {value}")).to_owned()
}

fn codes(list: &[&str]) -> Vec<String> {
    list.iter().map(|code| (*code).to_owned()).collect()
}

/// A rider's wish for a place.
fn wish(pin: &str, lat: f64, lng: f64, photos: &[String]) -> Value {
    json!({"userPin": pin, "phone": format!("1371234{pin:0>4}"), "location": "集美大道地铁口", "lat": lat, "lng": lng,
        "remark": "附近没有站点", "photoIds": photos})
}

async fn upload(machine: &Machine, pin: &str, content: Vec<u8>) -> Reply {
    machine.upload(&format!("/open/v1/attachments?userPin={pin}"), content).await
}

async fn uploaded(machine: &Machine, pin: &str, content: Vec<u8>) -> String {
    text(&upload(machine, pin, content).await.data()["attachmentId"])
}

/// A photo as a browser gets it: its headers, and its bytes.
async fn shown(browser: &Browser, id: &str, photo: &str) -> (reqwest::header::HeaderMap, Vec<u8>) {
    let path = format!("{LIST}/photo?id={id}&photoId={photo}");
    let answer = browser.plainly(Method::GET, &path).send().await.unwrap();
    assert_eq!(answer.status(), 200);
    (answer.headers().clone(), answer.bytes().await.unwrap().to_vec())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wish_gathers_votes_is_accepted_and_becomes_a_parking_place() {
    let (stack, node) = Stack::serving().await;
    let machine = Machine::new(&node.url, &stack.full_machine().await);
    let city = City::build(&machine, "P", 1, 1).await;
    let admin = Browser::signed_in(&node.url, ADMIN).await;
    let (lat, lng) = (city.lat + 0.01, city.lng);
    let taken_at = SystemClock.now().millis() / 1000 * 1000;
    let original = photo(7, [lng, lat + STEP], taken_at);
    let picture = uploaded(&machine, "7", original.clone()).await;

    let given = machine.ok(APPLY, &wish("7", lat, lng, std::slice::from_ref(&picture))).await;
    let id = text(&given["applicationId"]);
    assert_eq!(given["merged"], false);
    // His own again, another's 22 m away: votes. 66 m away it is another place.
    for (pin, north) in [("7", 0.0), ("8", 2.0), ("8", 1.0)] {
        let vote = machine.ok(APPLY, &wish(pin, lat + north * STEP, lng, &[])).await;
        assert_eq!((&vote["applicationId"], &vote["merged"]), (&json!(id), &json!(true)), "{pin}");
    }
    let other = machine.ok(APPLY, &wish("9", lat + 6.0 * STEP, lng, &[])).await;
    assert_eq!(other["merged"], false);

    let page = admin.ok("GET", LIST, json!({"opAreaId": city.area, "state": "0"})).await;
    assert_eq!(page["count"], 2, "{page}");
    let row = admin.ok("GET", &format!("{LIST}/info"), json!({"id": id})).await;
    assert_eq!(
        (&row["votes"], &row["applicantPhone"], &row["areaName"]),
        (&json!(2), &json!("137****0007"), &json!("P 区")),
        "{row}"
    );
    let told = &row["photos"][0];
    let away_m = told["distanceM"].as_f64().expect("a distance");
    assert!((10.0..13.0).contains(&away_m), "{told}");
    assert_eq!((&told["id"], &told["takenAt"]), (&json!(picture), &json!(taken_at)), "{told}");
    let votes = admin.ok("GET", &format!("{LIST}/votes"), json!({"id": id})).await;
    let pins: Vec<&str> =
        votes["rows"].as_array().expect("rows").iter().filter_map(|vote| vote["userPin"].as_str()).collect();
    assert_eq!(pins, ["7", "8"]);

    let (headers, bytes) = shown(&admin, &id, &picture).await;
    let header = |name: &str| headers[name].to_str().unwrap().to_owned();
    assert_eq!(header("content-type"), "image/jpeg");
    assert_eq!(header("x-content-type-options"), "nosniff");
    assert_eq!(header("cache-control"), "private, no-store");
    assert_eq!(header("content-disposition"), format!("inline; filename=\"{picture}.jpg\""));
    assert!(bytes.starts_with(b"\xff\xd8") && holds(&original, "Exif") && !holds(&bytes, "Exif"));

    // By a whole phone it is found, by a part of one only as it is shown.
    for (keyword, count) in [("13712340007", 1), ("0007", 1), ("地铁口", 2), ("1371234", 0)] {
        let found = admin.ok("GET", LIST, json!({"keyword": keyword, "opAreaId": city.area})).await;
        assert_eq!(found["count"], count, "{keyword}");
    }
    let exported =
        lines(&file(&admin, LIST, "columns=location,state,applicantPhone,votes&keyword=0007").await);
    assert_eq!(exported, ["地址,状态,票数,申请人", "集美大道地铁口,待处理,2,137****0007"]);

    let review = |result: &str, remark: &str| json!({"id": id, "result": result, "remark": remark});
    let path = format!("{LIST}/review");
    let refused = admin.call("POST", &path, review("reject", " ")).await;
    assert_eq!(refused.code(), "park-application-reason", "{}", refused.body);
    admin.ok("POST", &path, review("accept", "位置合适")).await;
    let stale = json!({"id": id, "result": "reject", "remark": "太近", "version": row["version"]});
    assert_eq!(admin.call("POST", &path, stale).await.code(), "stale-version");
    assert_eq!(admin.call("POST", &path, review("reject", "太近")).await.code(), "park-application-not-now");

    // Drawing the fence and building the station are one thing.
    let edge = json!([[
        [lng - STEP, lat - STEP],
        [lng + STEP, lat - STEP],
        [lng + STEP, lat + STEP],
        [lng - STEP, lat + STEP],
        [lng - STEP, lat - STEP]
    ]]);
    let fence = |name: &str, kind: &str, application: &str| {
        json!({"type": kind, "opAreaId": city.area, "name": name, "parkApplicationId": application,
            "geometry": {"type": "Polygon", "coordinates": edge}, "parking": {"capacity": 20}})
    };
    let clerk = admin.new_role("只画围栏", &codes(&["05", "0504"])).await;
    admin.new_operator("13700000041", &[&clerk], "0").await;
    let drawer = Browser::signed_in(&node.url, "13700000041").await;
    assert_eq!(drawer.call("POST", "/fence", fence("地铁口站", "parking", &id)).await.status, 403);
    let built = text(&admin.ok("POST", "/fence", fence("地铁口站", "parking", &id)).await["id"]);
    let row = admin.ok("GET", &format!("{LIST}/info"), json!({"id": id})).await;
    assert_eq!(
        (&row["state"], &row["parkingId"], &row["parkingName"]),
        (&json!(3), &json!(built), &json!("地铁口站")),
        "{row}"
    );
    // A second one is drawn and thrown away again before it ever counted: it is to be built again, once.
    let second = text(&other["applicationId"]);
    let mut draft = fence("草稿站", "parking", &second);
    draft["draft"] = true.into();
    let drawn = text(&admin.ok("POST", "/fence", draft.clone()).await["id"]);
    let stood = async || admin.ok("GET", &format!("{LIST}/info"), json!({"id": second})).await;
    assert_eq!((&stood().await["state"], &stood().await["parkingId"]), (&json!(3), &json!(drawn)));
    let stale = admin.call("POST", "/fence/discard", json!({"id": drawn, "version": 7})).await;
    assert_eq!(stale.code(), "stale-version", "{}", stale.body);
    assert_eq!(stood().await["state"], 3, "both or nothing");
    admin.ok("POST", "/fence/discard", json!({"id": drawn, "version": 1})).await;
    assert_eq!((&stood().await["state"], &stood().await["parkingId"]), (&json!(1), &Value::Null));
    admin.ok("POST", "/fence", draft).await;
    assert_eq!(stood().await["state"], 3);
    let again = admin.call("POST", "/fence", fence("另一站", "parking", &id)).await;
    assert_eq!(again.code(), "park-application-not-now", "{}", again.body);
    let drawn = admin.ok("GET", "/fence/list", json!({"keyword": "另一站"})).await;
    assert_eq!(drawn["count"], 0, "both or nothing");
    assert_eq!(admin.call("POST", "/fence", fence("禁停", "noStop", &id)).await.status, 400);
    // The same wish once more: there is a station now.
    let there = machine.post(APPLY, &wish("10", lat, lng, &[]), None).await.unwrap();
    assert_eq!(there.code(), "park-application-there", "{}", there.body);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_may_not_come_in_is_refused_and_a_repeated_wish_is_one() {
    let (stack, node) = Stack::serving().await;
    let machine = Machine::new(&node.url, &stack.full_machine().await);
    let city = City::build(&machine, "Q", 2, 1).await;
    let (lat, lng) = (city.lat + 0.01, city.lng);
    let refused = async |body: Value| machine.post(APPLY, &body, None).await.unwrap().code().to_owned();
    // A smaller area over the place that is only planned: the wish below is still one of the city's.
    let corner = |east: f64, north: f64| json!([lng + east, lat + north]);
    let ring = [corner(-0.002, -0.002), corner(0.002, -0.002), corner(0.002, 0.002), corner(-0.002, 0.002)];
    let planned =
        json!({"agentId": city.agent, "name": "筹备中的区", "ring": ring, "datum": "wgs84", "tel": ""});
    machine.ok("/open/v1/areas", &planned).await;
    assert_eq!(refused(wish("7", city.lat + 1.0, lng, &[])).await, "park-application-outside");
    assert_eq!(refused(wish("7", city.lat, city.lng, &[])).await, "park-application-there");
    assert_eq!(refused(wish("7", lat, lng, &["1".to_owned()])).await, "attachment-unknown");
    let mut nameless = wish("7", lat, lng, &[]);
    nameless["location"] = " ".into();
    assert_eq!(refused(nameless).await, "park-application-location");
    assert_eq!(machine.post(APPLY, &wish("七", lat, lng, &[]), None).await.unwrap().status, 400);

    // A photo of somebody else, one that is none, one too many, one too large; a stranger.
    let mine = uploaded(&machine, "7", photo(1, [lng, lat], 0)).await;
    assert_eq!(refused(wish("8", lat, lng, std::slice::from_ref(&mine))).await, "attachment-unknown");
    assert_eq!(upload(&machine, "7", b"<html></html>".to_vec()).await.code(), "attachment-kind");
    assert_eq!(upload(&machine, "7", vec![0xff; 10 * 1024 * 1024 + 1]).await.status, 413);
    let long = json!({"fences": [], "filler": "x".repeat(1_100_000)});
    assert_eq!(
        machine.post("/open/v1/fences/batch", &long, None).await.unwrap().status,
        413,
        "JSON is short"
    );
    let lender = Machine::new(&node.url, &stack.machine_token("fleet", "open:fleet").await);
    assert_eq!(upload(&lender, "7", photo(1, [lng, lat], 0)).await.status, 403);
    let bare = plain(&node.url, "POST", "/open/v1/attachments?userPin=7", &[], None).await.unwrap();
    assert_eq!(bare.status, 401);

    // Sent twice under one name it is one, photos and all.
    let asked = wish("7", lat, lng, std::slice::from_ref(&mine));
    let first = machine.post(APPLY, &asked, Some("wish-1")).await.unwrap().data();
    let again = machine.post(APPLY, &asked, Some("wish-1")).await.unwrap().data();
    assert_eq!((&first["merged"], &again), (&json!(false), &first));
    // A photo belongs to one application alone.
    assert_eq!(
        refused(wish("7", lat - 0.005, lng, std::slice::from_ref(&mine))).await,
        "park-application-photo-taken"
    );

    // An area may take none; what was handed in before stays.
    let admin = Browser::signed_in(&node.url, ADMIN).await;
    let info = admin.ok("GET", "/platform/agent/serviceArea/info", json!({"id": city.area})).await;
    assert_eq!(info["takesApplications"], true);
    let change = |takes: bool, info: &Value| {
        json!({"id": city.area, "name": info["name"], "tel": info["tel"], "version": info["version"],
            "terms": {"cityCode": "350200", "vehicleQuota": 500, "supervisionIds": ["XM-01"],
                "takesApplications": takes}})
    };
    admin.ok("PUT", "/platform/agent/serviceArea", change(false, &info)).await;
    assert_eq!(refused(wish("9", lat - 0.005, lng, &[])).await, "park-application-not-taken");
    let info = admin.ok("GET", "/platform/agent/serviceArea/info", json!({"id": city.area})).await;
    assert_eq!(
        (&info["cityCode"], &info["vehicleQuota"], &info["supervisionIds"], &info["takesApplications"]),
        (&json!("350200"), &json!(500), &json!(["XM-01"]), &json!(false))
    );
    admin.ok("PUT", "/platform/agent/serviceArea", change(true, &info)).await;
    machine.ok(APPLY, &wish("9", lat - 0.005, lng, &[])).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn another_agents_people_see_nothing_of_it_and_whoever_is_forgotten_leaves_no_photo() {
    let (stack, node) = Stack::serving().await;
    let machine = Machine::new(&node.url, &stack.full_machine().await);
    let (city, other) = (City::build(&machine, "R", 3, 1).await, City::build(&machine, "S", 4, 1).await);
    let admin = Browser::signed_in(&node.url, ADMIN).await;
    let (lat, lng) = (city.lat + 0.01, city.lng);
    let picture = uploaded(&machine, "7", photo(3, [lng, lat], 0)).await;
    let given = machine.ok(APPLY, &wish("7", lat, lng, std::slice::from_ref(&picture))).await;
    let id = text(&given["applicationId"]);
    let mut people = Vec::new();
    for (phone, agent) in [("13700000051", &city.agent), ("13700000052", &other.agent)] {
        let role = json!({"name": format!("站点审核 {phone}"), "tier": 1, "remark": "", "state": 1, "agentId": agent,
            "codes": ["09", "0910"]});
        let role = text(&admin.ok("POST", "/platform/permission/role", role).await["id"]);
        admin.new_operator(phone, &[&role], agent).await;
        people.push(Browser::signed_in(&node.url, phone).await);
    }
    let [own, stranger] = people.as_slice() else { panic!("two people") };
    assert_eq!(own.ok("GET", LIST, json!({})).await["count"], 1);
    assert_eq!(shown(own, &id, &picture).await.0["content-type"], "image/jpeg");
    assert_eq!(stranger.ok("GET", LIST, json!({})).await["count"], 0);
    for (method, path, body) in [
        ("GET", "info", json!({"id": id})),
        ("GET", "votes", json!({"id": id})),
        ("POST", "review", json!({"id": id, "result": "accept", "remark": ""})),
    ] {
        let reply = stranger.call(method, &format!("{LIST}/{path}"), body).await;
        assert_eq!(reply.code(), "not-found", "{path}: {}", reply.body);
    }
    let (headers, refusal) = shown(stranger, &id, &picture).await;
    assert_eq!(headers["content-type"], "application/json");
    assert!(holds(&refusal, "not-found"));

    let told = stack.told(&["forget", "rider:7", "--yes"]).await;
    assert!(told.contains("Forgotten.") && told.contains("1 photos and documents deleted."), "{told}");
    let row = own.ok("GET", &format!("{LIST}/info"), json!({"id": id})).await;
    assert_eq!(
        (&row["applicantPhone"], &row["remark"], &row["photos"]),
        (&json!(""), &json!(""), &json!([]))
    );
    assert_eq!(row["location"], "集美大道地铁口", "the wish stays");
    assert!(holds(&shown(own, &id, &picture).await.1, "not-found"));
    assert_eq!(upload(&machine, "7", photo(4, [lng, lat], 0)).await.code(), "attachment-forgotten");
}
