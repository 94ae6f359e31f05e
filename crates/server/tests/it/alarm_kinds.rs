//! Where alarms begin, as areas say it: what devices, orders and the lives of bikes tell, raised and recovered by itself.

use std::time::Duration;

use riding::model::alarm_rules::AlarmRules;
use serde_json::{Value, json};
use vocabulary::{Clock, SystemClock};

use crate::bike::Bike;
use crate::city::{City, Enrolled};
use crate::client::{Browser, Machine};
use crate::order_anomalies::{Scene, Told};
use crate::rider::Rider;
use crate::stack::{ADMIN, Stack, eventually};

const PATIENCE: Duration = Duration::from_secs(90);
const CONFIG: &str = "/config/area/alarm";
const OPEN: i64 = 0;
const RECOVERED: i64 = 2;

/// Lets rules count in an area from now on.
async fn publish(browser: &Browser, area: &str, rules: &AlarmRules) {
    let version = browser.ok("GET", CONFIG, json!({"opAreaId": area})).await["version"].as_i64().unwrap();
    let body = json!({"opAreaId": area, "version": version, "content": rules});
    browser.ok("PUT", CONFIG, body).await;
    let which = json!({"kind": 6, "opAreaId": area, "version": version + 1});
    browser.ok("POST", "/config/area/publish", which).await;
}

/// Its ticket of a kind, once it stands so; `meanwhile` is done before each look.
async fn ticket(
    browser: &Browser,
    bike: &Enrolled,
    kind: i64,
    state: i64,
    mut meanwhile: impl AsyncFnMut(),
) -> Value {
    eventually(&format!("ticket {kind} stands {state}"), PATIENCE, async || {
        meanwhile().await;
        let asked = json!({"keyword": bike.car, "kind": kind.to_string()});
        let page = browser.ok("GET", "/vehicle/alarm/list", asked).await;
        let row = page["rows"][0].clone();
        (row["state"] == state).then_some(row)
    })
    .await
}

/// A device whose clock goes twenty seconds on with each report, as far as the server lets it be ahead.
struct Device {
    line: Bike,
    imei: String,
    at: i64,
}

impl Device {
    async fn of(stack: &Stack, bike: &Enrolled) -> Self {
        let line = Bike::connect(&stack.nats.mqtt_addr(), &bike.imei, &bike.secret).await;
        Self { line, imei: bike.imei.clone(), at: SystemClock.now().millis() - 200_000 }
    }

    async fn says(&mut self, (lat, lng): (f64, f64), soc: u8, flags: &[&str]) {
        self.at = (self.at + 20_000).min(SystemClock.now().millis() + 100_000).max(self.at + 1);
        let flags: Vec<&str> = [&["battery_present", "position_valid"], flags].concat();
        let report = json!({"at": self.at, "lat": lat, "lng": lng, "hdop": 0.9, "satellites": 11, "speed": 0,
            "heading": 90, "soc": soc, "gsm": 22, "voltage_mv": 52_100, "flags": flags});
        self.line.publish(&format!("ebike/{}/up", self.imei), &report).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_devices_tell_rings_where_their_area_says_and_recovers_by_itself() {
    let (stack, node) = Stack::serving().await;
    let machine = Machine::new(&node.url, &stack.full_machine().await);
    let city = City::build(&machine, "A", 1, 4).await;
    let admin = Browser::signed_in(&node.url, ADMIN).await;
    // Half an hour would be ninety reports: these are three.
    let rules = AlarmRules { outside_parking_min: 1, unlocked_s: 60, helmet_min: 1, ..AlarmRules::default() };
    publish(&admin, &city.area, &rules).await;
    // The parking place, which a no-stop zone covers, and a street outside of it.
    let (place, street) = ((city.lat, city.lng), (city.lat + 0.005, city.lng));
    // Its kind, where it is wrong and what it says there; each recovers locked in the place.
    let cases = [
        (5, street, vec!["locked"]),
        (12, place, vec![]),
        (13, place, vec!["locked", "helmet_missing"]),
        (14, place, vec!["locked", "helmet_fault"]),
    ];
    for (bike, (kind, wrong, flags)) in city.bikes.iter().zip(cases) {
        let mut device = Device::of(&stack, bike).await;
        let from = device.at;
        let raised = ticket(&admin, bike, kind, OPEN, async || device.says(wrong, 80, &flags).await).await;
        assert_eq!((&raised["kind"], &raised["times"]), (&json!(kind), &json!(1)), "{raised}");
        assert!(device.at - from < 30 * 60_000, "its area's minute counted, not the usual half hour");
        let recovered =
            ticket(&admin, bike, kind, RECOVERED, async || device.says(place, 80, &["locked"]).await).await;
        assert_eq!((&recovered["id"], &recovered["endedBy"]), (&raised["id"], &json!("")));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_threshold_counts_from_its_instant_on_and_is_rolled_back() {
    let (stack, node) = Stack::serving().await;
    let machine = Machine::new(&node.url, &stack.full_machine().await);
    let city = City::build(&machine, "A", 1, 1).await;
    let admin = Browser::signed_in(&node.url, ADMIN).await;
    let bike = &city.bikes[0];
    let mut device = Device::of(&stack, bike).await;
    let mut is_low = async |low: bool| {
        eventually("the battery is judged so", PATIENCE, async || {
            device.says((city.lat, city.lng), 50, &["locked"]).await;
            let page = admin.ok("GET", "/vehicle/query", json!({"keyword": bike.car})).await;
            let states = page["rows"][0]["operationStates"].as_array().cloned().unwrap_or_default();
            let known = page["rows"][0]["soc"] == 50;
            (known && states.contains(&json!(4)) == low).then_some(())
        })
        .await;
    };
    is_low(false).await;
    publish(&admin, &city.area, &AlarmRules::default()).await;
    let rules = AlarmRules { low_battery_percent: 60, enough_battery_percent: 70, ..AlarmRules::default() };
    publish(&admin, &city.area, &rules).await;
    is_low(true).await;
    let which = json!({"kind": 6, "opAreaId": city.area, "version": 4, "dataVersion": 1});
    admin.ok("POST", "/config/area/rollback", which).await;
    is_low(false).await;
    // A version that is to count later counts then, though nothing tells of it.
    let body = json!({"opAreaId": city.area, "version": 5, "content": rules});
    admin.ok("PUT", CONFIG, body).await;
    let from = SystemClock.now().millis() + 3_000;
    let which = json!({"kind": 6, "opAreaId": city.area, "version": 6, "from": from});
    admin.ok("POST", "/config/area/publish", which).await;
    is_low(true).await;
    assert!(SystemClock.now().millis() >= from, "not before");

    // A bad one is refused, and so is who lacks the page's code or the area.
    let bad = AlarmRules { low_battery_percent: 80, enough_battery_percent: 70, ..AlarmRules::default() };
    let body = json!({"opAreaId": city.area, "version": 7, "content": bad});
    assert_eq!(admin.call("PUT", CONFIG, body.clone()).await.code(), "alarm-battery");
    let other = City::build(&machine, "B", 2, 0).await;
    let role = admin.new_role("计费", &["17".to_owned(), "1702".to_owned()]).await;
    admin.new_operator("13700000291", &[&role], &city.agent).await;
    let clerk = Browser::signed_in(&node.url, "13700000291").await;
    assert_eq!(clerk.call("PUT", CONFIG, body).await.status, 403);
    let which = json!({"kind": 6, "opAreaId": city.area, "version": 7});
    assert_eq!(
        clerk.call("POST", "/config/area/publish", which).await.status,
        403,
        "his code is of another kind"
    );
    let role = admin.new_role("系统配置", &["05".to_owned(), "0502".to_owned()]).await;
    admin.new_operator("13700000292", &[&role], &other.agent).await;
    let stranger = Browser::signed_in(&node.url, "13700000292").await;
    assert_eq!(stranger.call("GET", CONFIG, json!({"opAreaId": city.area})).await.code(), "not-found");
}

#[tokio::test(flavor = "multi_thread")]
async fn orders_without_a_trip_without_an_end_and_short_ones_in_a_row_ring_and_recover() {
    let scene = Scene::build(2).await;
    let Scene { admin, machine, city, .. } = &scene;
    let [still, unbearable] = &city.bikes[..] else { panic!("two bikes") };
    let usual = AlarmRules { order_too_long_h: 1, short_order_count: 2, ..AlarmRules::default() };
    publish(admin, &city.area, &usual).await;

    // Its order began two hours ago, and it stands where it was unlocked.
    let (_ride, _) = scene.rides_since(still, "lotte", 120).await;
    let told = |minutes| scene.told(minutes, false);
    let line = scene.reports(still, &[told(119), told(60), told(0)]).await;
    let nothing = async || ();
    ticket(admin, still, 8, OPEN, nothing).await;
    let long = ticket(admin, still, 10, OPEN, nothing).await;
    assert_eq!(long["urgency"], 2);
    // It sets off at last: it had a trip, and is too long still, until the area allows it.
    let mut north_m = 0.0;
    ticket(admin, still, 8, RECOVERED, async || {
        north_m += 30.0;
        let at = SystemClock.now();
        scene.tell(&line, still, Told { at, locked: false, with_fix: true, north_m }).await;
    })
    .await;
    ticket(admin, still, 10, OPEN, nothing).await;
    publish(admin, &city.area, &AlarmRules { order_too_long_h: 72, ..usual.clone() }).await;
    ticket(admin, still, 10, RECOVERED, nothing).await;

    // Two riders give the other one back at once; who rides it for longer ends that.
    let short = City {
        bikes: vec![unbearable.clone()],
        fences: Vec::new(),
        agent: city.agent.clone(),
        area: city.area.clone(),
        ..*city
    };
    let mut lines = short.on_line(&scene.stack, machine, (city.lat, city.lng)).await;
    for name in ["marta", "nora"] {
        let rider = Rider::come(machine, &city.area, name).await;
        let ride = rider.ride_off(machine, unbearable, &mut lines[0]).await;
        lines[0].report(&unbearable.imei, city.lat, city.lng, 87, true).await;
        ride.post(machine, "return").await.data();
    }
    ticket(admin, unbearable, 11, OPEN, nothing).await;
    let (ride, _) = scene.rides_since(unbearable, "olga", 30).await;
    lines[0].report(&unbearable.imei, city.lat, city.lng, 87, true).await;
    ride.post(machine, "return").await.data();
    ticket(admin, unbearable, 11, RECOVERED, nothing).await;
}
