//! Maintenance areas over HTTP: who may look after one, where it may lie, what lies in it, and whose it is.

use std::time::Duration;

use serde_json::{Value, json};

use crate::bike::Bike;
use crate::city::City;
use crate::client::{Browser, Machine, plain};
use crate::stack::{ADMIN, Stack, eventually};

const AREAS: &str = "/ops/area";
const PEOPLE: &str = "/platform/permission/user";
const LEADER: &str = "13700000061";
const SWAPPER: &str = "13700000062";
const ELSEWHERE: &str = "13700000063";

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_else(|| panic!("no text: {value}")).to_owned()
}

fn polygon([west, south, east, north]: [f64; 4]) -> Value {
    json!({"type": "Polygon", "coordinates": [[[west, south], [east, south], [east, north], [west, north], [west, south]]]})
}

/// Somebody of the city's agent who sees these areas; his id.
async fn person(admin: &Browser, phone: &str, name: &str, city: &City, role: &[&str]) -> String {
    let body = json!({"phone": phone, "name": name, "level": 4, "roleIds": role, "agentId": city.agent,
        "opAreaIds": [city.area], "state": 1});
    text(&admin.ok("POST", PEOPLE, body).await["objectId"])
}

fn ids(people: &Value) -> Vec<&str> {
    people.as_array().expect("people").iter().map(|one| one["id"].as_str().expect("an id")).collect()
}

/// The code of the refusal.
async fn refused(browser: &Browser, method: &str, path: &str, body: Value) -> String {
    let asked = body.to_string();
    let reply = browser.call(method, path, body).await;
    assert_eq!((reply.status, &reply.body["suc"]), (200, &json!(false)), "{asked}: {}", reply.body);
    reply.code().to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_maintenance_area_has_people_who_can_work_there_and_lies_over_no_other() {
    let (stack, node) = Stack::serving().await;
    let machine = Machine::new(&node.url, &stack.full_machine().await);
    let city = City::build(&machine, "A", 1, 1).await;
    let other = City::build(&machine, "B", 2, 1).await;
    let admin = Browser::signed_in(&node.url, ADMIN).await;
    let role = json!({"name": "运维经理", "tier": 4, "remark": "", "codes": ["09", "0908"], "state": 1,
        "agentId": city.agent});
    let role = text(&admin.ok("POST", "/platform/permission/role", role).await["id"]);
    let leader = person(&admin, LEADER, "王芳", &city, &[&role]).await;
    let swapper = person(&admin, SWAPPER, "李强", &city, &[]).await;
    let elsewhere = person(&admin, ELSEWHERE, "陈伟", &other, &[]).await;
    let (lng, lat) = (city.lng, city.lat);
    // The city's parking place lies about its middle.
    let west = [lng - 0.01, lat - 0.01, lng + 0.002, lat + 0.01];
    let east = [lng + 0.002, lat - 0.01, lng + 0.01, lat + 0.01];
    let form = |name: &str, edge: [f64; 4], more: Value| {
        let mut form = json!({"name": name, "opAreaId": city.area, "geometry": polygon(edge)});
        form.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        form
    };

    // Somebody must lead it, be enabled, and see the service area.
    for (more, code) in [
        (json!({}), "crew-no-leader"),
        (json!({"leaders": ["424242"]}), "crew-person-unknown"),
        (json!({"leaders": [leader], "checkers": [elsewhere]}), "crew-person-beyond"),
        (json!({"manager": "13799999999"}), "crew-manager-unknown"),
        (json!({"leaders": [leader], "kpi": {"swapSlaH": 0, "moveSlaH": 1, "repairSlaH": 1}}), "crew-hours"),
    ] {
        assert_eq!(refused(&admin, "POST", AREAS, form("西片", west, more)).await, code);
    }
    let disabled = json!({"phone": SWAPPER, "state": 0});
    admin.ok("POST", &format!("{PEOPLE}/state"), disabled).await;
    let more = json!({"leaders": [leader], "changePowerPersons": [swapper]});
    assert_eq!(
        refused(&admin, "POST", AREAS, form("西片", west, more.clone())).await,
        "crew-person-disabled"
    );
    admin.ok("POST", &format!("{PEOPLE}/state"), json!({"phone": SWAPPER, "state": 1})).await;
    let listed = admin.ok("GET", AREAS, json!({})).await;
    assert_eq!(listed["count"], 0, "a refusal of the people leaves no fence: {listed}");

    // Both or nothing, and what lies in it is counted.
    let made = admin.ok("POST", AREAS, form("西片", west, more)).await;
    let id = text(&made["id"]);
    let info =
        async |browser: &Browser| browser.ok("GET", &format!("{AREAS}/info"), json!({ "id": id })).await;
    let row = info(&admin).await;
    assert_eq!(
        (ids(&row["leaders"]), ids(&row["changePowerPersons"])),
        (vec![&*leader], vec![&*swapper]),
        "{row}"
    );
    assert_eq!(
        (&row["leaders"][0]["name"], &row["leaders"][0]["phone"]),
        (&json!("王芳"), &json!("137****0061"))
    );
    assert_eq!(
        (&row["stationCount"], &row["vehicleCount"]),
        (&json!(1), &json!(0)),
        "no bike has said where it is"
    );
    assert_eq!(row["kpi"], json!({"swapSlaH": 24, "moveSlaH": 24, "repairSlaH": 24}));
    assert_eq!((&row["version"], &row["fenceVersion"]), (&json!(2), &json!(1)));

    // Side by side with another it may lie, not over it; also not by what the fence's own calls bring about.
    let over = form("东片", [lng, lat - 0.01, lng + 0.01, lat + 0.01], json!({"manager": LEADER}));
    let reply = admin.call("POST", AREAS, over.clone()).await;
    assert_eq!(reply.code(), "maintain-overlap", "{}", reply.body);
    assert!(
        reply.body["error"]["promot"].as_str().is_some_and(|said| said.contains("「西片」")),
        "{}",
        reply.body
    );
    let second = text(&admin.ok("POST", AREAS, form("东片", east, json!({"manager": LEADER}))).await["id"]);
    let grown = json!({"id": second, "version": 1, "name": "东片", "geometry": over["geometry"]});
    assert_eq!(refused(&admin, "PUT", "/fence", grown.clone()).await, "maintain-overlap");
    let mut drafted = grown;
    drafted["draft"] = true.into();
    assert_eq!(refused(&admin, "PUT", "/fence", drafted).await, "maintain-overlap");
    let alone =
        json!({"type": "maintain", "opAreaId": city.area, "name": "没有人", "geometry": polygon(east)});
    assert_eq!(refused(&admin, "POST", "/fence", alone).await, "fence-without-people");

    // Switched off it is in nobody's way; whoever took its place is in its.
    admin.ok("POST", "/fence/state", json!({"id": id, "state": 0})).await;
    assert_eq!(info(&admin).await["stationCount"], Value::Null);
    let version = admin.ok("GET", &format!("/fence/{second}"), json!({})).await["version"].clone();
    let grown = json!({"id": second, "version": version, "name": "东片", "geometry": over["geometry"]});
    admin.ok("PUT", "/fence", grown).await;
    assert_eq!(
        refused(&admin, "POST", "/fence/state", json!({"id": id, "state": 1})).await,
        "maintain-overlap"
    );
    let version = admin.ok("GET", &format!("{AREAS}/info"), json!({ "id": second })).await["version"].clone();
    admin.ok("DELETE", AREAS, json!({"id": second, "version": version.to_string()})).await;
    admin.ok("POST", "/fence/state", json!({"id": id, "state": 1})).await;
    assert_eq!(info(&admin).await["stationCount"], 1);

    // People change without a new version of the edge; of two editors the second is told.
    let row = info(&admin).await;
    let change = |more: Value| {
        let mut body = form("西片", west, more);
        body["id"] = id.clone().into();
        body["version"] = row["version"].clone();
        body
    };
    let more = json!({"maxParkingNumber": 300, "kpi": {"swapSlaH": 4, "moveSlaH": 8, "repairSlaH": 48}});
    admin.ok("PUT", AREAS, change(more.clone())).await;
    assert_eq!(refused(&admin, "PUT", AREAS, change(more)).await, "stale-version");
    let after = info(&admin).await;
    assert_eq!((&after["maxParkingNumber"], &after["kpi"]["repairSlaH"]), (&json!(300), &json!(48)));
    assert_eq!(
        (ids(&after["changePowerPersons"]), &after["dataVersion"]),
        (vec![&*swapper], &row["dataVersion"])
    );

    // Disabled since, somebody is shown so and stays; the list finds him.
    admin.ok("POST", &format!("{PEOPLE}/state"), json!({"phone": SWAPPER, "state": 0})).await;
    let found = admin.ok("GET", AREAS, json!({"personId": swapper})).await;
    assert_eq!(
        (&found["count"], &found["rows"][0]["changePowerPersons"][0]["state"]),
        (&json!(1), &json!(0)),
        "{found}"
    );
    assert_eq!(admin.ok("GET", AREAS, json!({"personId": elsewhere})).await["count"], 0);
    let people =
        admin.ok("GET", &format!("{AREAS}/people"), json!({"opAreaId": city.area, "keyword": "李强"})).await;
    assert_eq!(people["rows"], json!([]), "he cannot be chosen any more");

    // A manager of this agent sees his own areas and people alone.
    let manager = Browser::signed_in(&node.url, LEADER).await;
    assert_eq!(info(&manager).await["name"], "西片");
    let people = manager.ok("GET", &format!("{AREAS}/people"), json!({"opAreaId": city.area})).await;
    assert_eq!(ids(&people["rows"]), [&*leader], "{people}");
    let theirs = json!({"opAreaId": other.area});
    assert_eq!(refused(&manager, "GET", &format!("{AREAS}/people"), theirs).await, "area-unknown");
    let stranger = text(&admin.ok("GET", &format!("{PEOPLE}/{ADMIN}"), json!({})).await["objectId"]);
    let row = info(&manager).await;
    let body = json!({"id": id, "version": row["version"], "name": "西片", "geometry": polygon(west), "checkers": [stranger]});
    assert_eq!(
        refused(&manager, "PUT", AREAS, body).await,
        "crew-person-unknown",
        "somebody of the platform"
    );

    // As a file it has the names, and what was done stands in the log of its people.
    let bearer = format!("Bearer {}", admin.token.as_deref().unwrap());
    let headers =
        [("_t", admin.session.t.0.as_str()), ("authorization", &*bearer), ("x-seen", "9223372036854775807")];
    let path = format!("{}{AREAS}/export?columns=name,leaders,sla", wire::BASE);
    let file = plain(&node.url, "GET", &path, &headers, None).await.unwrap();
    let lines = file.body.as_str().expect("a file");
    assert!(lines.contains("西片,王芳,换电 4 · 挪车 8 · 维修 48 小时"), "{lines}");
    let history = admin.ok("GET", "/platform/aliyunlog/history", json!({"category": "crew", "id": id})).await;
    assert!(history["rows"][0].to_string().contains("安排运维区人员"), "{history}");
}

#[tokio::test(flavor = "multi_thread")]
async fn bikes_are_counted_where_they_stand_and_machines_draw_an_area_once() {
    let (stack, node) = Stack::serving().await;
    let machine = Machine::new(&node.url, &stack.full_machine().await);
    let city = City::build(&machine, "A", 1, 2).await;
    let admin = Browser::signed_in(&node.url, ADMIN).await;
    let (lng, lat) = (city.lng, city.lat);
    let body = json!({"areaId": city.area, "name": "全区", "manager": ADMIN,
        "geometry": polygon([lng - 0.01, lat - 0.01, lng + 0.01, lat + 0.01])});
    let first = text(&machine.ok("/open/v1/maintenance-areas", &body).await["fenceId"]);
    let again = text(&machine.ok("/open/v1/maintenance-areas", &body).await["fenceId"]);
    assert_eq!(first, again);
    let fence = json!({"areaId": city.area, "kind": 8, "name": "没有人", "ring": [[lng, lat], [lng + 0.001, lat], [lng, lat + 0.001]]});
    let alone = machine.post("/open/v1/fences", &fence, None).await.unwrap();
    assert_eq!(alone.code(), "fence-without-people", "{}", alone.body);
    let row = async || admin.ok("GET", &format!("{AREAS}/info"), json!({ "id": first })).await;
    assert_eq!((&row().await["vehicleCount"], &row().await["stationCount"]), (&json!(0), &json!(1)));

    // One bike stands in it, the other one beside it.
    let mqtt = stack.nats.mqtt_addr();
    let mut lines = Vec::new();
    for (bike, east) in city.bikes.iter().zip([0.005, 0.015]) {
        let line = Bike::connect(&mqtt, &bike.imei, &bike.secret).await;
        line.report(&bike.imei, lat + 0.005, lng + east, 80, true).await;
        lines.push(line);
    }
    eventually("both bikes have said where they are", Duration::from_mins(1), async || {
        let heard = async |car: &str| {
            admin.ok("GET", &format!("/vehicle/{car}"), json!({})).await["reportAt"].is_number()
        };
        (heard(&city.bikes[0].car).await && heard(&city.bikes[1].car).await).then_some(())
    })
    .await;
    assert_eq!(row().await["vehicleCount"], 1);
}
