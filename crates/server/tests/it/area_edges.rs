//! Edges of service areas over HTTP: drawn, drawn anew about what lies in them, rolled back, and whose they are.

use std::time::Duration;

use serde_json::{Value, json};

use crate::city::City;
use crate::client::{Browser, Machine};
use crate::stack::{ADMIN, Stack, eventually};

const EDGE: &str = "/fence/area";
const OUTSIDE_PARKING: i64 = 1;
const OUTSIDE_AREA: i64 = 2;

/// A square about a place, half as wide as said, in degrees.
fn square((lng, lat): (f64, f64), half: f64) -> Value {
    let (west, south, east, north) = (lng - half, lat - half, lng + half, lat + half);
    json!({"type": "Polygon", "coordinates": [[[west, south], [east, south], [east, north], [west, north], [west, south]]]})
}

async fn info(browser: &Browser, id: &str) -> Value {
    browser.ok("GET", "/fence/area/info", json!({ "id": id })).await
}

fn words(reply: &crate::client::Reply) -> String {
    reply.body["error"]["promt"].as_str().unwrap_or_default().to_owned()
}

/// Until a bike of an area that stops at a place is judged so.
async fn judged(machine: &Machine, area: &str, (lng, lat): (f64, f64), class: i64) {
    let body = json!({"stops": [{"lng": lng, "lat": lat, "hdop": 0.0, "areaId": area}]});
    eventually(&format!("a stop of class {class}"), Duration::from_mins(1), async || {
        let answer = machine.ok("/open/v1/territory/judge", &body).await;
        (answer["results"][0]["class"] == class).then_some(())
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_edge_is_drawn_anew_without_leaving_fences_outside_and_comes_back() {
    let (stack, node) = Stack::serving().await;
    let machine = Machine::new(&node.url, &stack.full_machine().await);
    let city = City::build(&machine, "G", 1, 2).await;
    let browser = Browser::signed_in(&node.url, ADMIN).await;
    let (middle, id) = ((city.lng, city.lat), city.area.as_str());
    let redraw = async |geometry: Value, version: &Value, may_overlap: bool| {
        let body = json!({"id": id, "geometry": geometry, "version": version, "mayOverlap": may_overlap});
        browser.call("PUT", EDGE, body).await
    };

    // As it was planned: 4 km wide, with two fences.
    let first = info(&browser, id).await;
    assert_eq!(
        [&first["dataVersion"], &first["corners"], &first["fenceCount"], &first["outsideCount"]],
        [1, 4, 2, 0],
        "{first}"
    );
    let km2 = first["areaM2"].as_f64().expect("a size") / 1e6;
    assert!((17.0..19.0).contains(&km2), "{km2}");

    // One that leaves both outside is refused by their names, and the place is told.
    let away = (city.lng + 0.01, city.lat + 0.01);
    let refused = redraw(square(away, 0.005), &first["version"], false).await;
    assert_eq!(refused.code(), "area-fences-outside", "{}", refused.body);
    let told = words(&refused);
    assert!(told.starts_with("新边界之外还有 2 个围栏：G 停车点、G 禁停区（G 停车点 在 118.0990"), "{told}");
    let circle = json!({"type": "Point", "coordinates": [city.lng, city.lat], "radiusM": 900.0});
    assert_eq!(redraw(circle, &first["version"], false).await.code(), "area-circle");
    let tie = json!({"type": "Polygon", "coordinates": [[[118.0, 24.0], [118.1, 24.1], [118.1, 24.0], [118.0, 24.1]]]});
    let crossing = redraw(tie, &first["version"], false).await;
    assert_eq!(crossing.code(), "ring");
    assert!(words(&crossing).contains("附近相交"), "{}", crossing.body);

    // A small one about the fences: the bikes stay outside, and do not hinder. A bike that stops there leaves its area.
    let bikes_at = (city.lng + 0.005, city.lat + 0.005);
    judged(&machine, id, bikes_at, OUTSIDE_PARKING).await;
    let done = redraw(square(middle, 0.002), &first["version"], false).await;
    assert_eq!(done.body["suc"], true, "{}", done.body);
    judged(&machine, id, bikes_at, OUTSIDE_AREA).await;
    let second = info(&browser, id).await;
    assert_eq!((&second["dataVersion"], &second["outsideCount"]), (&json!(2), &json!(0)));
    assert_eq!(second["geometry"]["coordinates"][0][0], json!([city.lng - 0.002, city.lat - 0.002]));

    // Of two who edit it the second is told; the same corners again are no new edge.
    let stale = redraw(square(middle, 0.003), &first["version"], false).await;
    assert_eq!(stale.code(), "stale-version", "{}", stale.body);
    assert_eq!(redraw(square(middle, 0.002), &second["version"], false).await.body["suc"], true);
    assert_eq!(info(&browser, id).await["version"], second["version"]);

    // Another area on top of it is asked about, and not refused.
    let draw = |name: &str, geometry: Value| json!({"agentId": city.agent, "name": name, "tel": "0592-1234567", "geometry": geometry});
    let mut over = draw("G 叠区", square(middle, 0.01));
    let asked = browser.call("POST", EDGE, over.clone()).await;
    assert_eq!(asked.code(), "area-overlaps", "{}", asked.body);
    assert!(words(&asked).starts_with("边界与 1 个服务区重叠：G 区（0.18 km²）"), "{}", asked.body);
    over["mayOverlap"] = true.into();
    let made = browser.ok("POST", EDGE, over).await["id"].as_str().expect("an id").to_owned();
    let made_row = info(&browser, &made).await;
    assert_eq!((&made_row["state"], &made_row["name"]), (&json!(0), &json!("G 叠区")), "{made_row}");
    let listed = browser.ok("GET", "/fence/area/list", json!({"keyword": "叠区", "state": "0"})).await;
    assert_eq!((&listed["count"], &listed["rows"][0]["id"]), (&json!(1), &json!(made)));

    // Back to the first edge, which overlaps that one: asked about as well. It is a third version then.
    let back = |may_overlap: bool| json!({"id": id, "dataVersion": 1, "version": second["version"], "mayOverlap": may_overlap});
    assert_eq!(browser.call("POST", "/fence/area/rollback", back(false)).await.code(), "area-overlaps");
    browser.ok("POST", "/fence/area/rollback", back(true)).await;
    judged(&machine, id, bikes_at, OUTSIDE_PARKING).await;
    let edges = browser.ok("GET", "/fence/area/versions", json!({ "id": id })).await;
    let edges = edges["rows"].as_array().expect("rows").clone();
    let of = |key: &str| edges.iter().map(|edge| edge[key].clone()).collect::<Vec<_>>();
    assert_eq!(of("dataVersion"), [3, 2, 1]);
    assert_eq!(of("untilAt")[0], Value::Null);
    assert_eq!(of("untilAt")[1..], of("fromAt")[..2], "each holds until the next one does");
    assert_eq!(edges[0]["areaM2"], edges[2]["areaM2"]);
    let edge = browser.ok("GET", "/fence/area/version", json!({"id": id, "dataVersion": "2"})).await;
    assert_eq!(edge["geometry"], second["geometry"]);
    let none = json!({"id": id, "dataVersion": 9, "version": info(&browser, id).await["version"]});
    assert_eq!(browser.call("POST", "/fence/area/rollback", none).await.code(), "area-no-edge");

    // It stands in the operator log with its size.
    let about = json!({"category": "area", "id": id});
    let history = browser.ok("GET", "/platform/aliyunlog/history", about).await;
    let last = &history["rows"][0];
    assert_eq!(last["actionLabel"], "重画服务区边界", "{history}");
    let told = last.to_string();
    assert!(told.contains("边界面积") && told.contains("边界版本"), "{told}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_edge_of_ten_thousand_corners_is_drawn_and_one_more_is_refused() {
    let (stack, node) = Stack::serving().await;
    let machine = Machine::new(&node.url, &stack.full_machine().await);
    let city = City::build(&machine, "H", 1, 0).await;
    let browser = Browser::signed_in(&node.url, ADMIN).await;
    let round = |corners: u32| {
        let at = |n: u32| f64::from(n % corners) / f64::from(corners) * std::f64::consts::TAU;
        let ring: Vec<[f64; 2]> = (0..=corners)
            .map(|n| at(n).sin_cos())
            .map(|(sin, cos)| [city.lng + 0.05 * cos, city.lat + 0.05 * sin])
            .collect();
        json!({"type": "Polygon", "coordinates": [ring]})
    };
    let known = info(&browser, &city.area).await;
    let body =
        |corners: u32| json!({"id": city.area, "geometry": round(corners), "version": known["version"]});
    let refused = browser.call("PUT", EDGE, body(10_001)).await;
    assert_eq!((refused.code(), words(&refused).contains("3 到 10000 个顶点")), ("ring", true));
    browser.ok("PUT", EDGE, body(10_000)).await;
    let drawn = info(&browser, &city.area).await;
    assert_eq!(drawn["corners"], 10_000);
    assert_eq!(drawn["geometry"]["coordinates"][0].as_array().map(Vec::len), Some(10_001));
}

#[tokio::test(flavor = "multi_thread")]
async fn edges_are_drawn_by_those_who_may_and_within_what_they_see() {
    let (stack, node) = Stack::serving().await;
    let machine = Machine::new(&node.url, &stack.full_machine().await);
    let own = City::build(&machine, "A", 1, 0).await;
    let theirs = City::build(&machine, "B", 2, 0).await;
    let admin = Browser::signed_in(&node.url, ADMIN).await;
    let draws = admin.new_role("画边界", &["05".to_owned(), "0503".to_owned()]).await;
    let parks = admin.new_role("画停车区", &["05".to_owned(), "0504".to_owned()]).await;
    admin.new_operator("13700000061", &[&draws], &own.agent).await;
    admin.new_operator("13700000062", &[&parks], &own.agent).await;
    let one_area = json!({"phone": "13700000063", "name": "王芳", "level": 15, "roleIds": [draws],
        "agentId": own.agent, "opAreaIds": [own.area], "state": 1});
    admin.ok("POST", "/platform/permission/user", one_area).await;

    let drawer = Browser::signed_in(&node.url, "13700000061").await;
    let listed = drawer.ok("GET", "/fence/area/list", json!({})).await;
    assert_eq!((&listed["count"], &listed["rows"][0]["id"]), (&json!(1), &json!(own.area)), "{listed}");
    // An area of another agent is as if it were not there: to see, to draw, to give areas to, to be told of.
    let at = (theirs.lng, theirs.lat);
    for path in ["/fence/area/info", "/fence/area/versions", "/fence/area/version"] {
        let asked = json!({"id": theirs.area, "dataVersion": "1"});
        assert_eq!(drawer.call("GET", path, asked).await.code(), "not-found", "{path}");
    }
    let body = json!({"id": theirs.area, "geometry": square(at, 0.01), "version": 2, "dataVersion": 1});
    assert_eq!(drawer.call("PUT", EDGE, body.clone()).await.code(), "not-found");
    assert_eq!(drawer.call("POST", "/fence/area/rollback", body).await.code(), "not-found");
    let draw =
        |agent: &str| json!({"agentId": agent, "name": "新区", "tel": "", "geometry": square(at, 0.01)});
    assert_eq!(drawer.call("POST", EDGE, draw(&theirs.agent)).await.code(), "agent-unknown");
    let made = drawer.call("POST", EDGE, draw(&own.agent)).await;
    assert_eq!(made.body["suc"], true, "who does not see their area is not asked about it: {}", made.body);
    assert_eq!(drawer.call("POST", EDGE, draw(&own.agent)).await.code(), "area-overlaps", "his own he sees");

    // Without the code nothing opens; who sees one area alone draws that and makes none.
    let parker = Browser::signed_in(&node.url, "13700000062").await;
    assert_eq!(parker.call("GET", "/fence/area/list", json!({})).await.status, 403);
    assert_eq!(parker.call("POST", EDGE, draw(&own.agent)).await.status, 403);
    let local = Browser::signed_in(&node.url, "13700000063").await;
    assert_eq!(local.call("POST", EDGE, draw(&own.agent)).await.code(), "area-not-as-a-whole");
    let known = info(&local, &own.area).await;
    let wider = square((own.lng, own.lat), 0.03);
    local.ok("PUT", EDGE, json!({"id": own.area, "geometry": wider, "version": known["version"]})).await;
    assert_eq!(info(&local, &own.area).await["dataVersion"], 2);

    // A disabled agent gets none.
    let off = json!({"agentId": own.agent, "state": 0});
    admin.ok("POST", "/platform/agent/account/state", off).await;
    assert_eq!(admin.call("POST", EDGE, draw(&own.agent)).await.code(), "agent-unknown");
}
