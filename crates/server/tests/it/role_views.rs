//! A role that shows some bikes alone cuts everything that names a bike, on the server and in the database.

use std::collections::BTreeSet;
use std::time::Duration;

use serde_json::{Value, json};

use crate::city::City;
use crate::client::{Browser, Machine};
use crate::rider::Rider;
use crate::screen::Screen;
use crate::stack::{ADMIN, Stack, eventually};
use crate::voltage_schemes;

const CODES: [&str; 8] = ["0301", "0302", "0305", "0307", "1402", "1403", "1601", "0903"];
const ROLE: &str = "/platform/permission/role";

/// The numbers of the bikes in an answer's rows.
fn numbers(answer: &Value) -> BTreeSet<String> {
    let rows = answer["rows"].as_array().unwrap_or_else(|| panic!("no rows: {answer}"));
    rows.iter().filter_map(|row| row["carId"].as_str()).map(ToOwned::to_owned).collect()
}

fn set(numbers: &[&str]) -> BTreeSet<String> {
    numbers.iter().map(ToString::to_string).collect()
}

fn held() -> Vec<String> {
    CODES
        .iter()
        .copied()
        .filter(|code| access::permissions::find(code).is_some())
        .map(ToOwned::to_owned)
        .collect()
}

async fn new_role(by: &Browser, name: &str, view: Value) -> String {
    let body = json!({"name": name, "tier": 2, "codes": held(), "viewConfig": view});
    by.ok("POST", ROLE, body).await["id"].as_str().expect("an id").to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_holds_it_finds_and_tells_those_bikes_alone() {
    let (stack, node) = Stack::serving().await;
    let machine = Machine::new(&node.url, &stack.full_machine().await);
    let city = City::build(&machine, "V", 1, 4).await;
    let admin = Browser::signed_in(&node.url, ADMIN).await;
    let mut bikes = city.on_line(&stack, &machine, (city.lat, city.lng)).await;
    let own = json!({"carRanges": [{"from": "V00001", "to": "V00002"}], "ridingStates": [], "voltageSchemeIds": []});
    let role = new_role(&admin, "片区", own.clone()).await;
    admin.new_operator("13700000021", &[&role], &city.agent).await;
    let him = Browser::signed_in(&node.url, "13700000021").await;
    assert_eq!(
        admin.ok("GET", "/platform/permission/role/info", json!({"id": role})).await["viewConfig"],
        own
    );

    // A ride on a bike that is not his, one on his.
    let mut orders = Vec::new();
    for (name, index) in [("vera", 0), ("vico", 1)] {
        let rider = Rider::come(&machine, &city.area, name).await;
        let ride = rider.ride_off(&machine, &city.bikes[index], &mut bikes[index]).await;
        bikes[index].report(&city.bikes[index].imei, city.lat, city.lng, 87, true).await;
        ride.post(&machine, "return").await.data();
        ride.order(&machine).await;
        orders.push(ride.order.clone());
    }

    let expected = set(&["V00001", "V00002"]);
    eventually("memory has all four", Duration::from_secs(30), async || {
        let all = admin.ok("GET", "/vehicle/screening", json!({"pageSize": "50"})).await;
        (numbers(&all).len() == 4).then_some(())
    })
    .await;
    for list in ["/vehicle/query", "/vehicle/screening", "/vehicle/device"] {
        let all = numbers(&admin.ok("GET", list, json!({"pageSize": "50"})).await);
        assert_eq!(all.len(), 4, "{list}");
        assert_eq!(numbers(&him.ok("GET", list, json!({"pageSize": "50"})).await), expected, "{list}");
    }
    let order_list =
        async |browser: &Browser| browser.ok("GET", "/order/list", json!({"pageSize": "50"})).await;
    assert_eq!(numbers(&order_list(&admin).await), set(&["V00000", "V00001"]));
    assert_eq!(numbers(&order_list(&him).await), set(&["V00001"]));
    let strange = him.call("GET", &format!("/order/{}", orders[0]), json!({})).await;
    assert_eq!(strange.code(), "not-found");

    // A bike beyond is not there: for the drawer, the search, its life, its device, and for a command.
    for (car, there) in [("V00001", true), ("V00000", false), ("V00003", false)] {
        let seen = him.call("GET", &format!("/vehicle/{car}"), json!({})).await;
        assert_eq!(seen.body["suc"], there, "{car}: {}", seen.body);
        let found = him.ok("GET", "/vehicle/search", json!({"keyword": car})).await;
        assert_eq!(found.to_string().contains(car), there, "{car}: {found}");
    }
    let told = him
        .ok("POST", "/device/command/batch", json!({"carIds": ["V00001", "V00000", "V00003"], "kind": 10}))
        .await;
    let fates: Vec<bool> =
        told["results"].as_array().expect("results").iter().map(|one| one["suc"] == true).collect();
    assert_eq!(fates, [true, false, false], "{told}");

    // The role shows every bike again: so does what he sees, at once.
    let info = admin.ok("GET", "/platform/permission/role/info", json!({"id": role})).await;
    let all = json!({"id": role, "name": "片区", "tier": 2, "codes": held(), "version": info["version"],
        "viewConfig": {"carRanges": [], "ridingStates": []}});
    admin.ok("PUT", ROLE, all).await;
    let seen = him.ok("GET", "/vehicle/query", json!({"pageSize": "50"})).await;
    assert_eq!(numbers(&seen).len(), 4);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_role_of_voltage_schemes_shows_the_bikes_that_have_one_of_them_live() {
    let (stack, node) = Stack::serving().await;
    let machine = Machine::new(&node.url, &stack.full_machine().await);
    let city = City::build(&machine, "V", 1, 3).await;
    let admin = Browser::signed_in(&node.url, ADMIN).await;
    let _bikes = city.on_line(&stack, &machine, (city.lat, city.lng)).await;
    let mut schemes = Vec::new();
    for (name, car) in [("48V 锂电", "V00000"), ("60V 铅酸", "V00001")] {
        let made = admin.ok("POST", "/production/voltageScheme", voltage_schemes::form(name, None)).await;
        let id = made["id"].as_str().expect("an id").to_owned();
        admin.ok("POST", "/vehicle/keep", json!({"carIds": [car], "act": 12, "voltageSchemeId": id})).await;
        schemes.push(id);
    }
    let own = json!({"carRanges": [], "ridingStates": [], "voltageSchemeIds": [schemes[0]]});
    let role = new_role(&admin, "换电", own.clone()).await;
    admin.new_operator("13700000041", &[&role], &city.agent).await;
    let info = admin.ok("GET", "/platform/permission/role/info", json!({"id": role})).await;
    assert_eq!(info["viewConfig"], own);

    let him = Browser::signed_in(&node.url, "13700000041").await;
    let lists = ["/vehicle/screening", "/vehicle/device"];
    for list in lists {
        eventually("he sees the bike that has it", Duration::from_secs(30), async || {
            let page = him.ok("GET", list, json!({"pageSize": "50"})).await;
            (numbers(&page) == set(&["V00000"])).then_some(())
        })
        .await;
    }
    let mut screen = Screen::open(&him).await;
    screen.look_at(city.lat, city.lng).await;
    screen.until("one bike alone", |s: &Screen| s.bikes.len() == 1).await;
    // Bound to his scheme, a bike comes into sight; bound to another one, it leaves.
    let bind = async |car: &str, scheme: &str| {
        let body = json!({"carIds": [car], "act": 12, "voltageSchemeId": scheme});
        admin.ok("POST", "/vehicle/keep", body).await
    };
    bind("V00002", &schemes[0]).await;
    screen.until("the second one", |s: &Screen| s.bikes.len() == 2).await;
    bind("V00000", &schemes[1]).await;
    screen.until("the first one is gone", |s: &Screen| s.bikes.len() == 1).await;
    let many: Vec<String> = (1..=21).map(|id| id.to_string()).collect();
    let body = json!({"name": "过多", "tier": 2, "codes": held(), "viewConfig": {"voltageSchemeIds": many}});
    assert_eq!(admin.call("POST", ROLE, body).await.code(), "role-too-many-schemes");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_role_shows_is_refused_in_words_and_nobody_hands_on_more_than_he_sees() {
    let (stack, node) = Stack::serving().await;
    let machine = Machine::new(&node.url, &stack.full_machine().await);
    let city = City::build(&machine, "V", 1, 1).await;
    let admin = Browser::signed_in(&node.url, ADMIN).await;
    let of = |from: &str, to: &str| json!({"carRanges": [{"from": from, "to": to}], "ridingStates": []});
    let body = |name: &str, view: Value| json!({"name": name, "tier": 2, "codes": ["1001", "1002", "0302"], "viewConfig": view, "agentId": city.agent});
    for (view, code) in [
        (of("V00009", "V00001"), "role-bad-range"),
        (of("V1", "V10"), "role-bad-range"),
        (of("京A1", "京A2"), "role-bad-range"),
        (json!({"carRanges": [], "ridingStates": [9]}), "role-bad-riding-state"),
    ] {
        assert_eq!(admin.call("POST", ROLE, body("试", view)).await.code(), code);
    }
    let role = admin.ok("POST", ROLE, body("组长", of("V00000", "V00050"))).await["id"].clone();
    let wide = admin.ok("POST", ROLE, body("全部", json!({}))).await["id"].clone();
    admin.new_operator("13700000031", &[role.as_str().unwrap()], &city.agent).await;
    admin.new_operator("13700000032", &[wide.as_str().unwrap()], &city.agent).await;
    let leader = Browser::signed_in(&node.url, "13700000031").await;
    for view in [json!({}), of("V00000", "V00051"), json!({"carRanges": [], "ridingStates": [1]})] {
        assert_eq!(leader.call("POST", ROLE, body("更多", view)).await.code(), "role-beyond-sight");
    }
    leader.ok("POST", ROLE, body("组员", of("V00010", "V00020"))).await;
    // Nor does he act on somebody who sees more.
    let act = json!({"phone": "13700000032", "state": 0});
    let refused = leader.call("POST", "/platform/permission/user/state", act).await;
    assert_eq!(refused.code(), "operator-beyond-sight", "{}", refused.status);
}
