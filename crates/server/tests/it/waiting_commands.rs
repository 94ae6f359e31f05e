//! Commands that wait for bikes that are away.

use std::time::Duration;

use serde_json::{Value, json};

use crate::bike::Bike;
use crate::city::{City, Enrolled};
use crate::client::{Browser, Machine};
use crate::stack::{ADMIN, Stack, eventually};

const COMMAND: &str = "/device/command";
const PATIENCE: Duration = Duration::from_mins(1);

async fn tell(browser: &Browser, bike: &Enrolled, command: &str, wait_minutes: i64) -> (String, Value) {
    let body =
        json!({"carId": bike.car, "command": command, "reason": "联系不到", "waitMinutes": wait_minutes});
    let reply = browser.call("POST", COMMAND, body).await;
    (reply.code().to_owned(), reply.body["data"].clone())
}

async fn newest(browser: &Browser, bike: &Enrolled) -> Value {
    browser.ok("GET", &format!("/vehicle/{}/commands", bike.car), json!({})).await["rows"][0].clone()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_command_waits_until_its_bike_is_back_and_leaves_with_the_next_report() {
    let (stack, node) = Stack::serving().await;
    let machine = Machine::new(&node.url, &stack.full_machine().await);
    let city = City::build(&machine, "W", 1, 3).await;
    let other = City::build(&machine, "V", 2, 1).await;
    let admin = Browser::signed_in(&node.url, ADMIN).await;
    let [bike, taken_back, exchanged] = [0, 1, 2].map(|n| city.bikes[n].clone());

    // What opens a bike does not wait, nothing waits longer than a day, and there is one of a kind.
    assert_eq!(tell(&admin, &bike, "powerOn", 60).await.0, "command-may-not-wait");
    assert_eq!(tell(&admin, &bike, "powerOff", 1_441).await.0, "command-wait");
    let (_, given) = tell(&admin, &bike, "powerOff", 60).await;
    assert_eq!(given["state"], "waiting", "{given}");
    let id = given["commandId"].as_str().expect("an id").to_owned();
    assert_eq!(tell(&admin, &bike, "powerOff", 60).await.0, "command-waits");
    let shown = newest(&admin, &bike).await;
    assert_eq!((&shown["id"], &shown["state"]), (&json!(id), &json!(0)));
    assert!(shown["waitUntil"].as_i64().unwrap() - shown["requestedAt"].as_i64().unwrap() == 3_600_000);

    // One that is taken back is not sent; nobody of another agent takes it back.
    let (_, given) = tell(&admin, &taken_back, "reboot", 60).await;
    let cancel = json!({"commandId": given["commandId"]});
    let role = admin.new_role("指令", &["0305".to_owned()]).await;
    admin.new_operator("13700000051", &[&role], &other.agent).await;
    let stranger = Browser::signed_in(&node.url, "13700000051").await;
    assert_eq!(stranger.call("POST", "/device/command/cancel", cancel.clone()).await.code(), "not-found");
    admin.ok("POST", "/device/command/cancel", cancel.clone()).await;
    admin.ok("POST", "/device/command/cancel", cancel).await;
    assert_eq!(newest(&admin, &taken_back).await["state"], 5);
    // Of many each is answered, and those that are away wait.
    let many = json!({"carIds": [taken_back.car, bike.car], "kind": 2, "waitMinutes": 5});
    let answered = admin.ok("POST", "/device/command/batch", many).await;
    let all = answered["results"].as_array().expect("results");
    assert!(all.len() == 2 && all.iter().all(|row| row["suc"] == true), "{answered}");

    // The bike comes back: it is told, and its answer counts.
    let mut line = Bike::connect(&stack.nats.mqtt_addr(), &bike.imei, &bike.secret).await;
    let mut told = Vec::new();
    while told.len() < 2 {
        line.report(&bike.imei, city.lat, city.lng, 88, true).await;
        let next = tokio::time::timeout(Duration::from_secs(2), line.down.recv()).await;
        if let Ok(Some((_, message))) = next {
            let left = message["expires_at"].as_i64().unwrap() - message["at"].as_i64().unwrap();
            assert!((1..=15_000).contains(&left), "its time runs from its leaving on: {message}");
            told.push(message["id"].as_str().expect("an id").to_owned());
        }
    }
    assert!(told.contains(&id), "{told:?}");
    for id in &told {
        line.answer(&bike.imei, id, 0).await;
    }
    eventually("both are done", PATIENCE, async || {
        let path = format!("/vehicle/{}/commands", bike.car);
        let rows = admin.ok("GET", &path, json!({})).await["rows"].clone();
        rows.as_array().unwrap().iter().all(|row| row["state"] == 2).then_some(())
    })
    .await;

    // A bike with another device: that one was never asked of anything.
    tell(&admin, &exchanged, "reboot", 60).await;
    let off = json!({"carIds": [exchanged.car], "act": 2, "reason": "换中控"});
    admin.ok("POST", "/vehicle/keep", off).await;
    let unbound = json!({"carIds": [exchanged.car], "act": 11, "reason": "换中控"});
    admin.ok("POST", "/vehicle/keep", unbound).await;
    let ended = eventually("it is ended", PATIENCE, async || {
        let row = newest(&admin, &exchanged).await;
        (row["state"] == 5).then_some(row)
    })
    .await;
    assert_eq!(ended["kind"], 12);
}
