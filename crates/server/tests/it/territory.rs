//! An operator of one agent sees nothing of another's, whichever way is tried.

use std::time::Duration;

use serde_json::{Value, json};

use crate::bike::Bike;
use crate::city::City;
use crate::client::{Browser, Machine};
use crate::screen::Screen;
use crate::stack::{ADMIN, Stack, eventually};
use crate::walk::{collect, table};

#[tokio::test(flavor = "multi_thread")]
async fn an_operator_sees_nothing_of_another_agent_over_http_or_websocket() {
    let (stack, node) = Stack::serving().await;
    let machine = Machine::new(&node.url, &stack.full_machine().await);
    let theirs = City::build(&machine, "A", 1, 3).await;
    let own = City::build(&machine, "B", 2, 2).await;
    let admin = Browser::signed_in(&node.url, ADMIN).await;
    let mut codes = Vec::new();
    collect(&admin.ok("GET", "/platform/permission/tree", json!({})).await, &mut codes);
    let role = admin.new_role("加盟商", &codes).await;
    admin.new_operator("13700000009", &[&role], &own.agent).await;
    let operator = Browser::signed_in(&node.url, "13700000009").await;

    // Both cities are alive, and the other one has a command in its records.
    let mqtt = stack.nats.mqtt_addr();
    let mut bikes = Vec::new();
    for bike in theirs.bikes.iter().chain(&own.bikes) {
        bikes.push((Bike::connect(&mqtt, &bike.imei, &bike.secret).await, bike.clone()));
    }
    let report_all = async |soc: u8| {
        for (connection, bike) in &bikes {
            let lat = if bike.car.starts_with('A') { theirs.lat } else { own.lat };
            connection.report(&bike.imei, lat + 0.005, own.lng + 0.005, soc, false).await;
        }
    };
    let mut everything = Screen::open(&admin).await;
    everything.look_at(theirs.lat, theirs.lng).await;
    report_all(77).await;
    everything.until("their bikes, for the administrator", |s| seen_at(s, 77) == 3).await;
    let their_slot = *everything.bikes.keys().next().expect("a slot");
    let lock = json!({"carId": theirs.bikes[0].car, "action": "lock", "reason": "", "requestId": "r-1"});
    let command = admin.ok("POST", "/device/lock", lock).await["commandId"].as_str().unwrap().to_owned();

    // HTTP: whatever is asked for by whatever name of theirs, nothing of theirs is told.
    let mut secrets = vec![&theirs.agent, &theirs.area, &command];
    secrets.extend(&theirs.fences);
    secrets.extend(theirs.bikes.iter().flat_map(|bike| [&bike.car, &bike.imei, &bike.secret]));
    let routes = table(&stack).await;
    let mut told = 0;
    for route in
        routes.iter().filter(|route| route.method == "GET" && route.wrapped && route.needs_operator())
    {
        let mut asked: Vec<(&str, Value)> = vec![("1", json!({}))];
        asked.extend(secrets.iter().map(|secret| (secret.as_str(), route.asking_for(secret))));
        for (value, query) in asked {
            let at = &route.addresses(value)[0];
            let reply = operator.call_at("GET", at, &query).await;
            assert!(matches!(reply.status, 200 | 400 | 403), "{}: {}", route.name(at), reply.body);
            if reply.body["suc"] != true && reply.body["success"] != true {
                continue;
            }
            told += 1;
            let text = reply.body.to_string();
            for secret in &secrets {
                assert!(!text.contains(secret.as_str()), "{} tells {secret}: {text}", route.name(at));
            }
        }
    }
    assert!(told > 10, "the walk was answered: {told}");

    // What is his own he sees; what is theirs does not exist for him, to look at or to command.
    let shapes = operator.ok("GET", "/fence/map", json!({})).await;
    let ids = |list: &Value| -> Vec<String> {
        list.as_array().unwrap().iter().map(|one| one["id"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(ids(&shapes["areas"]), std::slice::from_ref(&own.area));
    assert_eq!([ids(&shapes["parkings"]), ids(&shapes["noStops"])].concat(), own.fences);
    let mine = operator.ok("GET", &format!("/vehicle/{}", own.bikes[0].car), json!({})).await;
    assert_eq!(mine["soc"], 77);
    let found = operator.ok("GET", "/vehicle/search", json!({"keyword": "A"})).await;
    assert_eq!(found["rows"], json!([]));
    let car = &theirs.bikes[0].car;
    for (path, body) in [
        ("/device/lock", json!({"carId": car, "action": "lock", "reason": "", "requestId": "r-2"})),
        ("/device/command", json!({"carId": car, "command": "ring", "reason": "", "requestId": "r-3"})),
    ] {
        assert_eq!(operator.call("POST", path, body).await.code(), "not-found", "{path}");
    }
    let owner = stack.owner().await;
    let commands: i64 = sqlx::query_scalar(
        "select count(distinct stream_id) from log.events where category = 'device-command'",
    )
    .fetch_one(&owner)
    .await
    .unwrap();
    assert_eq!(commands, 1, "his clicks on their bikes left nothing");

    // The websocket: an empty street where theirs stand, no answer to their names, no news of their rows.
    let mut screen = Screen::open(&operator).await;
    screen.look_at(theirs.lat, theirs.lng).await;
    assert!(screen.bikes.is_empty(), "{:?}", screen.bikes);
    assert_eq!(screen.who(their_slot).await, None);
    let topic = format!("vehicle/{car}");
    screen.watch(&topic).await;
    screen.until("an answer", |s| s.texts.iter().any(|text| text["topic"] == topic)).await;
    screen.watch("read/vehicle").await;
    screen.watch("read/device_command").await;
    screen.until("watching", |s| s.texts.iter().any(|text| text["topic"] == "read/device_command")).await;
    for bike in [&theirs.bikes[1], &own.bikes[1]] {
        let body = json!({"action": "start", "kind": "swap", "workerId": "w"});
        machine.ok(&format!("/open/v1/vehicles/{}/work", bike.car), &body).await;
    }
    report_all(76).await;
    everything.until("their news, for the administrator", |s| seen_at(s, 76) == 3).await;
    let of_own = |s: &Screen| {
        s.texts
            .iter()
            .any(|text| text["topic"] == "read/vehicle" && text.to_string().contains(&own.bikes[1].car))
    };
    screen.until("news of his own row", of_own).await;
    let totals = |s: &Screen| s.data("fleet").is_some_and(|data| sum(&data["states"]) == 2);
    screen.until("totals of his own two", totals).await;
    assert!(screen.bikes.is_empty(), "{:?}", screen.bikes);
    for text in &screen.texts {
        let about = text.to_string();
        for secret in &secrets {
            // The refusal of a topic names the topic that was asked for.
            assert!(
                !about.contains(secret.as_str()) || text["topic"] == topic,
                "the socket tells {secret}: {about}"
            );
        }
        assert!(text["topic"] != topic || text["data"].is_null(), "the socket tells of their bike: {about}");
    }
    screen.move_to(own.lat, own.lng).await;
    screen.until("his own street", |s| seen_at(s, 76) == 2).await;

    // An agent taken from him closes his socket, and his next request sees it.
    let rows = admin.ok("GET", "/platform/permission/user", json!({"keyword": "13700000009"})).await;
    let body = json!({"name": "王芳", "level": 15, "agentId": theirs.agent, "opAreaIds": [],
        "version": rows["rows"][0]["version"]});
    admin.ok("POST", "/platform/permission/user/13700000009", body).await;
    assert_eq!(screen.until_closed().await, 4401);
    eventually("the new agent's map", Duration::from_mins(1), async || {
        let shapes = operator.ok("GET", "/fence/map", json!({})).await;
        (ids(&shapes["areas"]) == [theirs.area.clone()]).then_some(())
    })
    .await;
}

fn seen_at(screen: &Screen, soc: u8) -> usize {
    screen.bikes.values().filter(|seen| seen.soc == soc).count()
}

fn sum(states: &Value) -> i64 {
    states.as_array().map_or(-1, |states| states.iter().filter_map(Value::as_i64).sum())
}
