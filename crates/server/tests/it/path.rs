//! The whole way: from a bike's report to a screen, and from a click to a lock.

use std::time::Duration;

use async_nats::jetstream;
use serde_json::{Value, json};

use crate::bike::Bike;
use crate::city::City;
use crate::client::{Browser, Machine};
use crate::screen::Screen;
use crate::stack::{ADMIN, Stack, eventually};
use crate::stream;

#[tokio::test(flavor = "multi_thread")]
async fn a_report_reaches_the_screen_and_a_click_reaches_the_lock_and_strangers_reach_nothing() {
    let (stack, node) = Stack::serving().await;
    let owner = stack.owner().await;
    let machine = Machine::new(&node.url, &stack.full_machine().await);
    let city = City::build(&machine, "A", 1, 2).await;
    let mqtt = stack.nats.mqtt_addr();
    let (one, two) = (&city.bikes[0], &city.bikes[1]);
    let (lat, lng) = (city.lat + 0.005, city.lng + 0.005);

    let mut bike = Bike::connect(&mqtt, &one.imei, &one.secret).await;
    let browser = Browser::signed_in(&node.url, ADMIN).await;
    let mut screen = Screen::open(&browser).await;
    screen.look_at(city.lat, city.lng).await;

    // A report moves its slot.
    bike.report(&one.imei, lat, lng, 81, false).await;
    let at_81 = |screen: &Screen| screen.bikes.iter().find(|(_, seen)| seen.soc == 81).map(|(slot, _)| *slot);
    screen.until("the first report", |screen| at_81(screen).is_some()).await;
    let slot = at_81(&screen).expect("just seen");
    assert_eq!(screen.who(slot).await.as_deref(), Some(one.car.as_str()));
    let before = screen.bikes[&slot];
    bike.report(&one.imei, lat + 0.000_02, lng, 80, false).await;
    screen.until("the slot moves", |screen| screen.bikes[&slot].lat_e6 == before.lat_e6 + 20).await;
    assert_eq!(screen.bikes[&slot].soc, 80);

    // A click reaches the lock, and the lock's word the screen.
    let topic = format!("vehicle/{}", one.car);
    screen.watch(&topic).await;
    screen.until("the bike's data", |screen| screen.data(&topic).is_some()).await;
    assert_eq!(screen.data(&topic).unwrap()["locked"], false);
    let body = json!({"carId": one.car, "action": "lock", "reason": "", "requestId": "click-1"});
    let given = browser.ok("POST", "/device/lock", body).await;
    let command = given["commandId"].as_str().expect("an id").to_owned();
    assert_eq!(given["state"], "sent");
    let (heard_on, told) = bike.next_command().await;
    assert_eq!(heard_on, format!("ebike/{}/down", one.imei));
    assert_eq!((&told["id"], &told["kind"]), (&json!(command), &json!(2)), "{told}");
    bike.answer(&one.imei, &command, 0).await;
    bike.report(&one.imei, lat + 0.000_02, lng, 80, true).await;
    let done = |screen: &Screen| {
        screen.data(&topic).is_some_and(|data| data["command"]["state"] == 2 && data["locked"] == true)
    };
    screen.until("the command is done", done).await;
    assert_eq!(screen.data(&topic).unwrap()["command"]["id"], json!(command));

    // It stands in the log, in the read model and in JetStream.
    let events: Vec<(i64, String)> = sqlx::query_as(
        "select position, type from log.events where category = 'device-command' and stream_id = $1
         order by version",
    )
    .bind(&command)
    .fetch_all(&owner)
    .await
    .unwrap();
    let types: Vec<&str> = events.iter().map(|(_, kind)| kind.as_str()).collect();
    let expected = ["device-command.requested", "device-command.sent", "device-command.acknowledged"];
    assert_eq!(types, expected);
    let row: (i16, Option<i32>, String) =
        sqlx::query_as("select state, result_code, car_id from read.device_command where command_id = $1")
            .bind(command.parse::<i64>().unwrap())
            .fetch_one(&owner)
            .await
            .unwrap();
    assert_eq!(row, (2, Some(0), one.car.clone()));
    let head = stream::head(&owner).await;
    stream::relayed(&stack, head).await;
    let context = jetstream::new(stack.nats_client().await);
    let events_stream = context.get_stream("EVENTS").await.unwrap();
    for (position, kind) in &events {
        let message = events_stream.get_raw_message(u64::try_from(*position).unwrap()).await.unwrap();
        let header = |name: &str| message.headers.get(name).expect(name).as_str().to_owned();
        assert_eq!(header("ce-id"), position.to_string());
        assert_eq!(&header("ce-type"), kind);
        assert_eq!(header("ce-source"), "/wheelhouse/log");
        assert_eq!(header("ce-subject"), format!("device-command/{command}"));
        assert_eq!(header("ce-agentid"), city.agent);
        assert_eq!(message.subject.as_str(), format!("events.fleet.{kind}"));
        let content: Value = serde_json::from_slice(&message.payload).expect("JSON");
        assert!(content.is_object() || content.is_null(), "{content}");
    }

    // The same click again is the same command.
    let body = json!({"carId": one.car, "action": "lock", "reason": "", "requestId": "click-1"});
    assert_eq!(browser.ok("POST", "/device/lock", body).await["commandId"], json!(command));

    // Nobody else gets in, and nobody speaks or listens for another.
    let down = format!("ebike/{}/down", one.imei);
    for login in [
        Some((one.imei.as_str(), two.secret.as_str())),
        Some((one.imei.as_str(), "")),
        Some(("admin", "")),
        None,
    ] {
        assert!(Bike::try_connect(&mqtt, login, &down).await.is_err(), "{login:?} was let in");
    }
    let login = Some((two.imei.as_str(), two.secret.as_str()));
    let (mut eavesdropper, granted) =
        Bike::try_connect(&mqtt, login, &down).await.expect("it is a bike after all");
    assert!(!granted, "another bike's commands are not to be heard");
    let ring = json!({"carId": one.car, "command": "ring", "reason": "", "requestId": "click-2"});
    browser.ok("POST", "/device/command", ring).await;
    assert_eq!(bike.next_command().await.1["kind"], 10);
    assert!(eavesdropper.down.try_recv().is_err(), "nothing reached the other bike");
    eavesdropper.report(&one.imei, lat, lng, 7, true).await;
    drop(eavesdropper);
    let other = Bike::connect(&mqtt, &two.imei, &two.secret).await;
    other.report(&two.imei, lat, lng, 66, true).await;
    screen.until("the other bike's own report", |screen| screen.bikes.values().any(|s| s.soc == 66)).await;
    let forged: i64 = sqlx::query_scalar("select count(*) from live.telemetry where soc = 7")
        .fetch_one(&owner)
        .await
        .unwrap();
    assert_eq!((forged, screen.bikes[&slot].soc), (0, 80), "nobody reports for another");

    // The way that it came is told.
    let way = eventually("the bike's way is stored", Duration::from_mins(1), async || {
        let at = format!("/vehicle/{}/history", one.car);
        let way = browser.ok("GET", &at, json!({"minutes": "10"})).await;
        (way["points"].as_array()?.len() == 3).then_some(way)
    })
    .await;
    assert_eq!(way["points"][0]["soc"], 81);
}
