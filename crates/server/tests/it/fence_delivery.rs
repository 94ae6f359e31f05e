//! Fences on their way to the devices, from publication to the last report, through the product's own door.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures::StreamExt;
use serde_json::{Value, json};
use vocabulary::{Clock, SystemClock};

use crate::bike::Bike;
use crate::city::City;
use crate::client::{Browser, Machine};
use crate::stack::{ADMIN, Stack, eventually};
use crate::stream::settled;

const PATIENCE: Duration = Duration::from_mins(2);
const BIKES: usize = 1_000;
const OF_AGENT: &str = "13700000061";

/// Sound devices of the city, all in one hand: each answers what comes down and tells of what it holds.
struct Devices {
    nats: async_nats::Client,
    place: (f64, f64),
    /// How many messages each was sent.
    heard: Arc<Mutex<HashMap<String, u32>>>,
}

impl Devices {
    async fn of(stack: &Stack, city: &City) -> Self {
        let nats = stack.nats_client().await;
        let mut down = nats.subscribe("ebike.*.down").await.unwrap();
        nats.flush().await.unwrap();
        let heard = Arc::<Mutex<HashMap<String, u32>>>::default();
        let devices = Self { nats, place: (city.lat + 0.005, city.lng + 0.005), heard: Arc::clone(&heard) };
        let (client, place) = (devices.nats.clone(), devices.place);
        tokio::spawn(async move {
            while let Some(message) = down.next().await {
                let imei = message.subject.split('.').nth(1).unwrap().to_owned();
                *heard.lock().unwrap().entry(imei.clone()).or_default() += 1;
                let command: Value = serde_json::from_slice(&message.payload).unwrap();
                assert_eq!(
                    (&command["kind"], &command["params"]["parts"]),
                    (&json!(15), &json!(1)),
                    "{command}"
                );
                let answer = json!({"id": command["id"], "code": 0, "at": SystemClock.now().millis()});
                client.publish(format!("ebike.{imei}.ack"), answer.to_string().into()).await.unwrap();
                tell(&client, place, &imei, command["params"]["edition"].as_i64().unwrap()).await;
            }
        });
        devices
    }

    async fn report(&self, imei: &str, holds: i64) {
        tell(&self.nats, self.place, imei, holds).await;
    }

    fn messages(&self) -> u32 {
        self.heard.lock().unwrap().values().sum()
    }
}

async fn tell(nats: &async_nats::Client, (lat, lng): (f64, f64), imei: &str, holds: i64) {
    let report = json!({"at": SystemClock.now().millis(), "lat": lat, "lng": lng, "hdop": 0.9, "satellites": 11, "speed": 0,
        "heading": 90, "soc": 80, "gsm": 22, "voltage_mv": 52_100, "fence_version": holds & 0xFFFF,
        "flags": ["battery_present", "position_valid", "locked"]});
    nats.publish(format!("ebike.{imei}.up"), report.to_string().into()).await.unwrap();
}

async fn progress(browser: &Browser, area: &str) -> Value {
    browser.ok("GET", "/fence/delivery", json!({"opAreaIds": area})).await["rows"][0].clone()
}

/// How far the area is once all of its bikes hold what it wants, which is not `before`.
async fn all_hold(browser: &Browser, area: &str, before: i64) -> Value {
    eventually("all bikes hold what counts", PATIENCE, async || {
        let now = progress(browser, area).await;
        let all = now["acknowledged"] == now["bikes"] && now["edition"].as_i64() > Some(before);
        if !all {
            tokio::time::sleep(Duration::from_millis(300)).await;
        }
        all.then_some(now)
    })
    .await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_thousand_bikes_are_sent_their_fences_and_the_logs_head_stands_still() {
    let (stack, node) = Stack::serving().await;
    let machine = Machine::new(&node.url, &stack.full_machine().await);
    let city = City::build(&machine, "L", 1, BIKES).await;
    let browser = Browser::signed_in(&node.url, ADMIN).await;
    let devices = Devices::of(&stack, &city).await;
    let owner = stack.owner().await;
    let before = settled(&owner).await;
    for bike in &city.bikes {
        devices.report(&bike.imei, 0).await;
    }
    let first = all_hold(&browser, &city.area, 0).await;
    assert_eq!((&first["bikes"], &first["fences"]), (&json!(BIKES), &json!(2)), "{first}");
    assert_eq!(settled(&owner).await, before, "the log's head");
    assert_eq!(devices.messages() as usize, BIKES, "each once");

    // A fence more, and all get the next edition.
    let (lng, lat) = (city.lng + 0.01, city.lat + 0.01);
    let ring = json!([[[lng, lat], [lng + 0.0005, lat], [lng + 0.0005, lat + 0.0005], [lng, lat]]]);
    let new = json!({"type": "noRide", "opAreaId": city.area, "name": "桥上",
        "geometry": {"type": "Polygon", "coordinates": ring}});
    browser.ok("POST", "/fence", new).await;
    let published = settled(&owner).await;
    assert!(published > before);
    let second = all_hold(&browser, &city.area, first["edition"].as_i64().unwrap()).await;
    assert_eq!(second["fences"], 3, "{second}");
    assert_eq!(settled(&owner).await, published, "the log's head");
}

#[tokio::test(flavor = "multi_thread")]
async fn who_lags_is_listed_with_the_reason_and_asked_for_again_by_who_may() {
    let (stack, node) = Stack::serving().await;
    let machine = Machine::new(&node.url, &stack.full_machine().await);
    let (city, other) = (City::build(&machine, "M", 1, 4).await, City::build(&machine, "N", 2, 1).await);
    let browser = Browser::signed_in(&node.url, ADMIN).await;
    let role = browser.new_role("围栏员", &["0504".to_owned()]).await;
    browser.new_operator(OF_AGENT, &[&role], &city.agent).await;

    // The first takes it, the second refuses, the third tells of no fences, the fourth was never heard of.
    let mqtt = stack.nats.mqtt_addr();
    let mut lines = Vec::new();
    for bike in &city.bikes[..3] {
        lines.push(Bike::connect(&mqtt, &bike.imei, &bike.secret).await);
    }
    let place = (city.lat + 0.005, city.lng + 0.005);
    let nats = stack.nats_client().await;
    for bike in &city.bikes[..2] {
        tell(&nats, place, &bike.imei, 0).await;
    }
    lines[2].report(&city.bikes[2].imei, place.0, place.1, 80, true).await;
    for (number, code) in [(0, 0), (1, 111)] {
        let imei = &city.bikes[number].imei;
        let (topic, command) = lines[number].next_command().await;
        assert_eq!(topic, format!("ebike/{imei}/down"));
        lines[number].answer(imei, command["id"].as_str().unwrap(), code).await;
        if code == 0 {
            tell(&nats, place, imei, command["params"]["edition"].as_i64().unwrap()).await;
        }
    }
    let counts = |row: &Value| {
        ["bikes", "acknowledged", "refused", "offline", "untold"].map(|name| row[name].as_i64().unwrap())
    };
    eventually("each stands where it should", PATIENCE, async || {
        let row = progress(&browser, &city.area).await;
        (counts(&row) == [4, 1, 1, 1, 1]).then_some(())
    })
    .await;
    let lagging =
        browser.ok("GET", "/fence/delivery/bikes", json!({"opAreaId": city.area, "lagging": "true"})).await;
    let told: Vec<(&str, i64)> = lagging["rows"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| (row["carId"].as_str().unwrap(), row["state"].as_i64().unwrap()))
        .collect();
    let cars: Vec<&str> = city.bikes.iter().map(|bike| bike.car.as_str()).collect();
    assert_eq!(told, [(cars[1], 4), (cars[2], 5), (cars[3], 3)], "{lagging}");
    assert_eq!(lagging["rows"][0]["refusedCode"], 111);
    let one = browser.ok("GET", "/fence/delivery/bikes", json!({"opAreaId": city.area, "state": "0"})).await;
    assert_eq!((&one["count"], &one["rows"][0]["carId"]), (&json!(1), &json!(cars[0])), "{one}");

    // Who sees one agent sees nothing of another's, and sends nothing there.
    let narrow = Browser::signed_in(&node.url, OF_AGENT).await;
    let both = format!("{},{}", city.area, other.area);
    let rows = narrow.ok("GET", "/fence/delivery", json!({"opAreaIds": both})).await;
    let areas: Vec<&str> =
        rows["rows"].as_array().unwrap().iter().map(|row| row["opAreaId"].as_str().unwrap()).collect();
    assert_eq!(areas, [city.area.as_str()]);
    let none = narrow.ok("GET", "/fence/delivery/bikes", json!({"opAreaId": other.area})).await;
    assert_eq!(none["count"], 0, "{none}");
    let foreign = narrow.call("POST", "/fence/delivery/again", json!({"opAreaId": other.area})).await;
    assert_eq!(foreign.body["suc"], false, "{}", foreign.body);

    // He asks for it again, the device has learned it meanwhile, and the log knows who asked.
    narrow.ok("POST", "/fence/delivery/again", json!({"opAreaId": city.area})).await;
    let (_, command) = lines[1].next_command().await;
    lines[1].answer(&city.bikes[1].imei, command["id"].as_str().unwrap(), 0).await;
    tell(&nats, place, &city.bikes[1].imei, command["params"]["edition"].as_i64().unwrap()).await;
    eventually("the second holds it too", PATIENCE, async || {
        let row = progress(&browser, &city.area).await;
        (counts(&row) == [4, 2, 0, 1, 1] && row["askedAt"].is_i64()).then_some(())
    })
    .await;
    let owner = stack.owner().await;
    let asked: i64 = sqlx::query_scalar(
        "select count(*) from log.events where type = 'area.delivery_asked' and stream_id = $1",
    )
    .bind(&city.area)
    .fetch_one(&owner)
    .await
    .unwrap();
    assert_eq!(asked, 1);
}
