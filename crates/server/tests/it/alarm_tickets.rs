//! From a bike that leaves its area to what a person says of it.

use std::time::Duration;

use serde_json::{Value, json};

use crate::city::City;
use crate::client::{Browser, Machine};
use crate::exports::{file, lines};
use crate::stack::{ADMIN, Stack, eventually};

const PATIENCE: Duration = Duration::from_mins(1);
const LIST: &str = "/vehicle/alarm/list";
const OUT_OF_AREA: i64 = 3;

async fn tickets(browser: &Browser, asked: Value) -> Vec<Value> {
    browser.ok("GET", LIST, asked).await["rows"].as_array().expect("rows").clone()
}

/// Why it is refused; nothing when it is done.
async fn act(browser: &Browser, what: &str, body: Value) -> String {
    browser.call("POST", &format!("/vehicle/alarm/{what}"), body).await.code().to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bike_that_leaves_its_area_has_one_ticket_until_it_is_back() {
    let (stack, node) = Stack::serving().await;
    let machine = Machine::new(&node.url, &stack.full_machine().await);
    let [city, other] = [City::build(&machine, "A", 1, 1).await, City::build(&machine, "B", 2, 0).await];
    let lines_of = city.on_line(&stack, &machine, (city.lat, city.lng)).await;
    let (bike, line) = (&city.bikes[0], &lines_of[0]);
    let admin = Browser::signed_in(&node.url, ADMIN).await;
    let stands_at = async |degrees: f64, state: i64| {
        eventually("the ticket stands so", PATIENCE, async || {
            line.report(&bike.imei, city.lat + degrees, city.lng, 80, true).await;
            let of_bike = json!({"keyword": bike.car, "kind": OUT_OF_AREA.to_string()});
            tickets(&admin, of_bike).await.into_iter().find(|ticket| ticket["state"] == state)
        })
        .await
    };
    // The area ends 0.02 degrees from its middle.
    let ticket = stands_at(0.024, 0).await;
    let id = ticket["id"].as_str().unwrap().to_owned();
    assert_eq!(
        (&ticket["carId"], &ticket["times"], &ticket["urgency"]),
        (&json!(bike.car), &json!(1), &json!(2))
    );
    assert!(ticket["distanceM"].as_f64().unwrap() > 300.0 && ticket["lat"].is_f64(), "{ticket}");
    let counted = admin.ok("GET", "/vehicle/alarm/count", json!({})).await;
    assert_eq!(counted["waiting"]["open"], 1);
    assert_eq!(counted["first"]["id"], json!(id));

    // Whoever does not reach the bike sees no ticket and says nothing of it; whoever lacks the code asks for none.
    let role = admin.new_role("监控", &["03".to_owned(), "0301".to_owned()]).await;
    admin.new_operator("13700000191", &[&role], &other.agent).await;
    admin.new_operator("13700000192", &[&role], &city.agent).await;
    let role = admin.new_role("无车辆", &["07".to_owned()]).await;
    admin.new_operator("13700000193", &[&role], &city.agent).await;
    let stranger = Browser::signed_in(&node.url, "13700000191").await;
    assert!(tickets(&stranger, json!({})).await.is_empty());
    assert_eq!(stranger.ok("GET", "/vehicle/alarm/count", json!({})).await["waiting"]["open"], 0);
    assert_eq!(act(&stranger, "acknowledge", json!({"ids": [id]})).await, "not-found");
    let without = Browser::signed_in(&node.url, "13700000193").await;
    assert_eq!(without.call("GET", LIST, json!({})).await.status, 403);

    // One takes it on, nobody takes it twice.
    let own = Browser::signed_in(&node.url, "13700000192").await;
    assert_eq!(act(&own, "acknowledge", json!({"ids": [id]})).await, "");
    assert_eq!(act(&admin, "acknowledge", json!({"ids": [id]})).await, "alarm-taken");
    let inbox = own.ok("GET", "/vehicle/alarm/inbox", json!({})).await;
    assert_eq!((&inbox["tickets"][0]["state"], &inbox["waiting"]["acknowledged"]), (&json!(1), &json!(1)));
    assert_ne!(inbox["tickets"][0]["acknowledgedBy"], "");

    // Back in its area it recovers by itself; out again at once it is the same ticket, which is settled now.
    stands_at(0.0, 2).await;
    let again = stands_at(0.024, 0).await;
    assert_eq!((&again["id"], &again["times"]), (&json!(id), &json!(2)));
    assert_eq!(act(&own, "settle", json!({"ids": [id]})).await, "alarm-note");
    let several = json!({"ids": [id, "1"], "cause": 1});
    let outcomes = own.ok("POST", "/vehicle/alarm/settle", several).await["results"].clone();
    assert_eq!((&outcomes[0]["suc"], &outcomes[1]["error"]["code"]), (&json!(true), &json!("not-found")));
    let [settled] = &tickets(&admin, json!({"state": "4"})).await[..] else { panic!("one false alarm") };
    assert_eq!((&settled["id"], &settled["cause"]), (&json!(id), &json!(1)));
    assert_eq!(act(&admin, "settle", json!({"ids": [id], "note": "已找回"})).await, "alarm-over");
    assert_eq!(admin.ok("GET", "/vehicle/alarm/info", json!({"id": id})).await["note"], "");
    let rows = lines(&file(&admin, LIST, "").await);
    assert!(rows.iter().any(|line| line.contains("出服务区") && line.contains("定位漂移")), "{rows:?}");
}
