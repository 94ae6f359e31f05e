//! Ports, endings, and two nodes on one database.

use std::time::{Duration, Instant};

use serde_json::json;

use crate::bike::Bike;
use crate::city::City;
use crate::client::{Browser, Machine};
use crate::screen::Screen;
use crate::stack::{ADMIN, Stack, eventually, said};
use crate::stream;

#[tokio::test(flavor = "multi_thread")]
async fn a_second_node_takes_over_within_seconds_of_the_leaders_death() {
    let (stack, first) = Stack::serving().await;
    let token = stack.full_machine().await;
    let machine = Machine::new(&first.url, &token);
    let city = City::build(&machine, "T", 1, 3).await;
    let owner = stack.owner().await;
    let leader = async || -> Option<String> {
        let sql = "select leader from log.projectors where name = 'vehicle'";
        sqlx::query_scalar(sql).fetch_one(&owner).await.unwrap()
    };
    let before = eventually("the read models are led", Duration::from_secs(10), &leader).await;

    // A taken port is said plainly and ends the start.
    let mut taken = stack.command(&["serve"]);
    taken.env("WHEELHOUSE_LISTEN", format!("127.0.0.1:{}", first.port));
    let refused = tokio::task::spawn_blocking(move || taken.output()).await.unwrap().unwrap();
    let words = said(&refused);
    assert!(!refused.status.success() && words.contains("cannot listen on"), "{words}");
    assert!(words.contains(&first.port.to_string()), "{words}");

    let second = stack.node(None);
    assert_eq!(leader().await.as_ref(), Some(&before), "the newcomer only follows");

    // Who looks through one node sees what happens at the other.
    let browser = Browser::signed_in(&second.url, ADMIN).await;
    let bike = Bike::connect(&stack.nats.mqtt_addr(), &city.bikes[0].imei, &city.bikes[0].secret).await;
    let mut screen = Screen::open(&browser).await;
    screen.look_at(city.lat, city.lng).await;
    screen.watch("read/vehicle").await;
    screen.until("the table is watched", |s| s.texts.iter().any(|t| t["topic"] == "read/vehicle")).await;
    let (lat, lng) = (city.lat + 0.005, city.lng + 0.005);
    bike.report(&city.bikes[0].imei, lat, lng, 55, false).await;
    screen.until("a report, through the follower", |s| s.bikes.values().any(|b| b.soc == 55)).await;
    let ride = |number: usize| format!("/open/v1/vehicles/{}/ride", city.bikes[number].car);
    machine.ok(&ride(0), &json!({"action": "unlock", "riderId": "r"})).await;
    let told = |screen: &Screen, car: &str| {
        let of_table = screen.texts.iter().filter(|text| text["topic"] == "read/vehicle");
        of_table
            .into_iter()
            .any(|text| text["data"]["keys"].as_array().is_some_and(|k| k.contains(&json!(car))))
    };
    screen.until("the change, through the follower", |s| told(s, &city.bikes[0].car)).await;

    // A session of one node is a session of the other; a box taken by one is taken.
    let at = format!("{}/platform/permission/role", wire::BASE);
    let mut elsewhere = Browser::keyed(&first.url, "x").await;
    elsewhere.session = browser.session.clone();
    elsewhere.token.clone_from(&browser.token);
    let body = json!({"name": "两处", "tier": 1, "remark": "", "codes": ["0301"], "state": 1});
    let sealed = browser.sealed("POST", &at, &body);
    elsewhere.send("POST", &at, &sealed, None).await.unwrap().data();
    let again = browser.send("POST", &at, &sealed, None).await.unwrap();
    assert_eq!((again.status, again.code()), (400, "replayed"), "{}", again.body);

    first.kill9();
    let died = Instant::now();
    let machine = Machine::new(&second.url, &token);
    machine.ok(&ride(1), &json!({"action": "unlock", "riderId": "r"})).await;
    screen.until("a change after the death", |s| told(s, &city.bikes[1].car)).await;
    let took = died.elapsed();
    assert!(took < Duration::from_secs(10), "read models stood still for {took:?}");
    bike.report(&city.bikes[0].imei, lat, lng, 54, false).await;
    screen.until("telemetry after the death", |s| s.bikes.values().any(|b| b.soc == 54)).await;
    eventually("the history goes on", Duration::from_secs(15), async || {
        let sql = "select count(*) from live.telemetry where soc = 54";
        (sqlx::query_scalar::<_, i64>(sql).fetch_one(&owner).await.ok()? == 1).then_some(())
    })
    .await;
    eventually("another leader", Duration::from_secs(10), async || {
        leader().await.filter(|now| *now != before)
    })
    .await;
    // The relay and the commands to devices, too.
    let mut bike = bike;
    let order = json!({"carId": city.bikes[0].car, "command": "ring", "reason": "", "requestId": "a"});
    browser.ok("POST", "/device/command", order).await;
    assert_eq!(bike.next_command().await.1["kind"], 10);
    let head = stream::settled(&owner).await;
    stream::relayed(&stack, head).await;

    // Asked to end, it says goodbye and is gone within seconds.
    let (status, took) = second.terminate().await;
    assert!(status.success() && took < Duration::from_secs(10), "{status} after {took:?}");
    assert_eq!(screen.until_closed().await, 1012);
    assert_eq!(screen.said("bye").expect("a goodbye")["code"], "draining");
}
