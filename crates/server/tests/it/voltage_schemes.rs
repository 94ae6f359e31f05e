//! Voltage schemes: whose they are, what they may say, which bikes have them, and how maps and lists are cut by them.

use std::time::Duration;

use serde_json::{Value, json};
use vocabulary::{Clock, SystemClock};

use crate::city::City;
use crate::client::{Browser, Machine};
use crate::exports::{file, lines};
use crate::screen::Screen;
use crate::stack::{ADMIN, Node, Stack, eventually};

const SCHEME: &str = "/production/voltageScheme";
const KEEP: &str = "/vehicle/keep";
const PATIENCE: Duration = Duration::from_mins(1);
const SET: i64 = 12;

/// What people fill in, for an agent or for whom the caller stands.
pub fn form(name: &str, agent: Option<&str>) -> Value {
    let points: Vec<Value> = [(40_000, 0), (46_000, 20), (48_000, 50), (50_000, 80), (54_600, 100)]
        .map(|(mv, percent)| json!({"voltageMv": mv, "percent": percent}))
        .into();
    let mut form = json!({"name": name, "nominalV": 48, "chemistry": 2, "points": points, "maxMileageKm": 60,
        "lowPercent": 20, "enoughPercent": 80, "state": 1});
    if let Some(agent) = agent {
        form["agentId"] = json!(agent);
    }
    form
}

fn with(mut form: Value, more: Value) -> Value {
    let Value::Object(more) = more else { panic!("no fields: {more}") };
    for (key, value) in more {
        form[key] = value;
    }
    form
}

/// Why it is refused; empty when it is done.
async fn code(browser: &Browser, method: &str, body: Value) -> String {
    browser.call(method, SCHEME, body).await.code().to_owned()
}

async fn made(browser: &Browser, form: Value) -> String {
    browser.ok("POST", SCHEME, form).await["id"].as_str().expect("an id").to_owned()
}

async fn names(browser: &Browser, path: &str) -> Vec<String> {
    let answer = browser.ok("GET", path, json!({"pageSize": "50"})).await;
    let rows = answer["rows"].as_array().expect("rows");
    let mut names: Vec<String> =
        rows.iter().map(|row| row["name"].as_str().expect("a name").to_owned()).collect();
    names.sort();
    names
}

async fn bind(browser: &Browser, cars: &[&str], scheme: Option<&str>) -> Vec<String> {
    let mut body = json!({"carIds": cars, "act": SET});
    if let Some(scheme) = scheme {
        body["voltageSchemeId"] = json!(scheme);
    }
    let answer = browser.ok("POST", KEEP, body).await;
    let results = answer["results"].as_array().expect("results");
    results.iter().map(|row| row["error"]["code"].as_str().unwrap_or("done").to_owned()).collect()
}

/// Why one bike does not get it; empty when it does.
async fn bind_one(browser: &Browser, car: &str, scheme: &str) -> String {
    let body = json!({"carIds": [car], "act": SET, "voltageSchemeId": scheme});
    browser.call("POST", KEEP, body).await.code().to_owned()
}

async fn found(browser: &Browser, path: &str, schemes: &str) -> Vec<String> {
    let page = browser.ok("GET", path, json!({"voltageScheme": schemes, "pageSize": "50"})).await;
    let rows = page["rows"].as_array().expect("rows");
    rows.iter().map(|row| row["carId"].as_str().expect("a number").to_owned()).collect()
}

struct Cast {
    stack: Stack,
    _node: Node,
    machine: Machine,
    admin: Browser,
    own: Browser,
    stranger: Browser,
    cities: [City; 2],
}

async fn cast() -> Cast {
    let (stack, node) = Stack::serving().await;
    let machine = Machine::new(&node.url, &stack.full_machine().await);
    let cities = [City::build(&machine, "A", 1, 4).await, City::build(&machine, "B", 2, 1).await];
    let admin = Browser::signed_in(&node.url, ADMIN).await;
    let codes = ["03", "0301", "0302", "0307", "06"].map(str::to_owned);
    let role = admin.new_role("电池", &codes).await;
    for (phone, city) in [("13700000301", &cities[0]), ("13700000302", &cities[1])] {
        admin.new_operator(phone, &[&role], &city.agent).await;
    }
    let own = Browser::signed_in(&node.url, "13700000301").await;
    let stranger = Browser::signed_in(&node.url, "13700000302").await;
    Cast { stack, _node: node, machine, admin, own, stranger, cities }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_scheme_is_its_agents_or_the_platforms_and_only_its_keepers_change_it() {
    let Cast { stack: _stack, _node, admin, own, stranger, cities, .. } = cast().await;
    let first = made(&own, form(" 48V 锂电 ", None)).await;
    made(&admin, form("平台通用", None)).await;
    assert_eq!(names(&own, SCHEME).await, ["48V 锂电", "平台通用"]);
    assert_eq!(names(&stranger, SCHEME).await, ["平台通用"], "another agent sees nothing of it");
    assert_eq!(names(&stranger, "/vehicle/voltage-scheme").await, ["平台通用"]);
    assert_eq!(names(&admin, SCHEME).await, ["48V 锂电", "平台通用"]);
    let told = lines(&file(&stranger, SCHEME, "").await).join("\n");
    assert!(told.contains("平台通用") && !told.contains("锂电"), "{told}");
    let one = format!("{SCHEME}/{first}");
    let row = own.ok("GET", &one, json!({})).await;
    assert_eq!(
        (&row["minMv"], &row["maxMv"], &row["boundCount"]),
        (&json!(40_000), &json!(54_600), &json!(0))
    );
    assert_eq!(row["agentId"], json!(cities[0].agent));
    assert_eq!(stranger.call("GET", &one, json!({})).await.code(), "not-found");
    let only = |query: Value| own.ok("GET", SCHEME, query);
    assert_eq!(only(json!({"nominalV": "72"})).await["count"], 0);
    assert_eq!(only(json!({"chemistry": "2", "state": "1", "keyword": "锂"})).await["count"], 1);

    // What may not stand is refused in words.
    for (more, refusal) in [
        (json!({"name": " "}), "voltage-scheme-name"),
        (json!({"points": []}), "voltage-scheme-points"),
        (json!({"nominalV": 72}), "voltage-scheme-points"),
        (json!({"maxMileageKm": 0}), "voltage-scheme-mileage"),
        (json!({"lowPercent": 80}), "voltage-scheme-thresholds"),
    ] {
        assert_eq!(code(&own, "POST", with(form("不成立", None), more)).await, refusal);
    }
    // A name is one scheme of an agent.
    assert_eq!(code(&own, "POST", form("48V 锂电", None)).await, "voltage-scheme-name-taken");
    assert_eq!(code(&stranger, "POST", form("48V 锂电", None)).await, "");
    assert_ne!(code(&stranger, "POST", form("越权", Some(&cities[0].agent))).await, "");

    let changed =
        |id: &str, name: &str, version: i64| with(form(name, None), json!({"id": id, "version": version}));
    assert_eq!(code(&stranger, "PUT", changed(&first, "改名", 1)).await, "not-found");
    assert_eq!(code(&stranger, "DELETE", json!({"id": first})).await, "not-found");
    let platforms = admin.ok("GET", SCHEME, json!({"keyword": "平台"})).await["rows"][0]["id"].clone();
    let platforms = platforms.as_str().expect("an id");
    assert_eq!(code(&own, "PUT", changed(platforms, "改名", 1)).await, "not-found", "the platform's own");
    assert_eq!(code(&own, "DELETE", json!({"id": platforms})).await, "not-found");
    assert_eq!(code(&own, "PUT", changed(&first, "60 公里", 1)).await, "");
    assert_eq!(code(&own, "PUT", changed(&first, "80 公里", 1)).await, "stale-version");
    assert_eq!(code(&own, "DELETE", json!({"id": first})).await, "");
    assert_eq!(code(&own, "DELETE", json!({"id": first})).await, "voltage-scheme-unknown");
    assert_eq!(code(&own, "POST", form("60 公里", None)).await, "", "what is given up is free again");

    // Without the group's code there is none.
    let role = admin.new_role("无生产", &["03".to_owned(), "0302".to_owned()]).await;
    admin.new_operator("13700000303", &[&role], &cities[0].agent).await;
    let without = Browser::signed_in(&own.url, "13700000303").await;
    assert_eq!(without.call("GET", SCHEME, json!({})).await.status, 403);
    assert_eq!(without.call("POST", SCHEME, form("没有权限", None)).await.status, 403);
    assert_eq!(names(&without, "/vehicle/voltage-scheme").await, ["60 公里", "平台通用"], "he binds bikes");
}

#[tokio::test(flavor = "multi_thread")]
async fn bikes_are_bound_row_by_row_to_schemes_of_their_agent_and_a_scheme_with_bikes_stays() {
    let Cast { stack: _stack, _node, machine, admin, own, stranger, cities, .. } = cast().await;
    let [ours, theirs] = &cities;
    let cars: Vec<&str> = ours.bikes.iter().map(|bike| &*bike.car).collect();
    let foreign = &*theirs.bikes[0].car;
    let scheme = made(&own, form("48V 锂电", None)).await;
    let hidden = made(&stranger, form("他们的", None)).await;
    let platforms = made(&admin, form("平台通用", None)).await;
    let off = made(&own, with(form("旧方案", None), json!({"state": 0}))).await;

    let fates = bind(&own, &[cars[0], foreign, "无此车", cars[1]], Some(&scheme)).await;
    assert_eq!(fates, ["done", "not-found", "vehicle-number", "done"]);
    assert_eq!(
        bind_one(&own, cars[2], &hidden).await,
        "voltage-scheme-unknown",
        "another agent's is not there"
    );
    assert_eq!(bind_one(&admin, cars[2], &hidden).await, "voltage-scheme-of-another");
    assert_eq!(bind_one(&own, cars[2], &off).await, "voltage-scheme-off");
    assert_eq!(bind_one(&own, cars[2], "1").await, "voltage-scheme-unknown");
    assert_eq!(bind_one(&own, cars[2], &platforms).await, "");
    assert_eq!(bind_one(&stranger, foreign, &platforms).await, "");

    // Counted for each within his scope, and for nobody's deletion beyond it.
    let count = async |browser: &Browser, id: &str| {
        browser.ok("GET", &format!("{SCHEME}/{id}"), json!({})).await["boundCount"].as_i64()
    };
    assert_eq!(count(&own, &scheme).await, Some(2));
    assert_eq!((count(&own, &platforms).await, count(&admin, &platforms).await), (Some(1), Some(2)));
    assert_eq!(code(&own, "DELETE", json!({"id": scheme})).await, "voltage-scheme-in-use");
    assert_eq!(code(&admin, "DELETE", json!({"id": platforms})).await, "voltage-scheme-in-use");

    // Once under one key, and an older binding is no hindrance to a newer one.
    let body = json!({"carIds": [cars[0], cars[1]], "act": SET, "voltageSchemeId": platforms});
    for _ in 0..2 {
        let answer = own.keyed_call(KEEP, &body, "rebind").await.unwrap();
        assert!(answer.data()["results"].as_array().unwrap().iter().all(|row| row["error"].is_null()));
    }
    let bike = own.ok("GET", &format!("/vehicle/{}", cars[0]), json!({})).await;
    assert_eq!(bike["voltageScheme"]["name"], "平台通用");
    assert_eq!(bike["voltageScheme"]["percent"], Value::Null, "nobody reported yet");
    assert_eq!(code(&own, "DELETE", json!({"id": scheme})).await, "", "its bikes have another");
    assert_eq!(bind(&own, &[cars[0], cars[1]], None).await, ["done", "done"]);
    let bike = own.ok("GET", &format!("/vehicle/{}", cars[0]), json!({})).await;
    assert_eq!(bike["voltageScheme"], Value::Null);
    // Its life tells of each: bound, bound to another, to none.
    let day = SystemClock.now().local()[..10].to_owned();
    let asked = json!({"carId": cars[0], "startTime": day, "events": "106", "pageSize": "50"});
    let life = admin.ok("GET", "/log/vehicle", asked).await;
    let told: Vec<&str> =
        life["rows"].as_array().expect("rows").iter().filter_map(|row| row["content"].as_str()).collect();
    assert_eq!(told, ["取消电压方案", "设置电压方案：平台通用", "设置电压方案：48V 锂电"]);

    // A program makes them by name, and enrols bikes with one.
    let asked = form("开城方案", Some(&ours.agent));
    let id = machine.ok("/open/v1/voltage-schemes", &asked).await["id"].clone();
    let again = machine.ok("/open/v1/voltage-schemes", &with(asked, json!({"maxMileageKm": 70}))).await;
    assert_eq!(again["id"], id);
    let vehicle = with(ours.vehicle("A", 1, 50), json!({"voltageSchemeId": id}));
    let results = machine.ok("/open/v1/vehicles/batch", &json!({"vehicles": [vehicle]})).await;
    assert!(results["results"][0]["error"].is_null(), "{results}");
    let rows = own.ok("GET", "/vehicle/query", json!({"voltageScheme": id, "pageSize": "50"})).await;
    assert_eq!((&rows["count"], &rows["rows"][0]["voltageSchemeName"]), (&json!(1), &json!("开城方案")));
}

#[tokio::test(flavor = "multi_thread")]
async fn map_screening_and_query_are_cut_by_scheme_and_follow_a_binding_at_once() {
    let Cast { stack, _node, machine, own, stranger, cities, .. } = cast().await;
    let city = &cities[0];
    let scheme = made(&own, form("48V 锂电", None)).await;
    let cars: Vec<&str> = city.bikes.iter().map(|bike| &*bike.car).collect();
    let _lines = city.on_line(&stack, &machine, (city.lat, city.lng)).await;
    let mut screen = Screen::open(&own).await;
    let bbox = [city.lng - 0.02, city.lat - 0.02, city.lng + 0.02, city.lat + 0.02];
    let watch = json!({"op": "watch", "topic": "fleet", "bbox": bbox, "zoom": 15,
        "pick": {"voltage_schemes": [scheme]}});
    screen.say(&watch).await;
    screen.until("a snapshot", |screen| screen.snapshots > 0).await;
    assert!(screen.bikes.is_empty(), "none has it yet");

    assert_eq!(bind(&own, &cars[..2], Some(&scheme)).await, ["done", "done"]);
    screen.until("both are shown", |screen| screen.bikes.len() == 2).await;
    for path in ["/vehicle/screening", "/vehicle/query"] {
        eventually(path, PATIENCE, async || (found(&own, path, &scheme).await == cars[..2]).then_some(()))
            .await;
        assert_eq!(found(&own, path, "0").await, cars[2..], "{path}: those without");
        assert_eq!(found(&own, path, &format!("0,{scheme}")).await, cars, "{path}");
        assert_eq!(found(&stranger, path, &scheme).await, Vec::<String>::new(), "{path}: cut to the scope");
        let wrong = own.call("GET", path, json!({"voltageScheme": "x"})).await;
        assert_eq!(wrong.status, 400, "{path}");
    }

    // 52.1 V lies between 50.0 V at 80 % and 54.6 V at 100 %; the device itself told 88 %.
    let bike = own.ok("GET", &format!("/vehicle/{}", cars[0]), json!({})).await;
    let told = &bike["voltageScheme"];
    assert_eq!((&bike["soc"], &bike["voltageMv"]), (&json!(88), &json!(52_100)));
    assert_eq!(
        (&told["percent"], &told["remainingM"], &told["level"]),
        (&json!(89), &json!(52_800), &json!(3)),
        "{told}"
    );

    let unset = json!({"carIds": [cars[0], cars[1]], "act": SET});
    own.ok("POST", KEEP, unset).await;
    screen.until("none is shown", |screen| screen.bikes.is_empty()).await;
}
