//! Orders that run although nobody rides: ended when the lock closed where that is certain, and by people where it is not.

use std::sync::Arc;
use std::time::Duration;

use fleet::model::vehicle::{CarId, RideAction, Vehicle, VehicleCommand};
use kernel::{CommandContext, Foundation, MasterKey, PoolSizes, Pools, Runtime};
use riding::model::order::{Opened, Order, OrderCommand};
use serde_json::{Value, json};
use vocabulary::{Clock, RideOrderId, Snowflake, SystemClock, Timestamp};

use crate::bike::Bike;
use crate::city::{City, Enrolled};
use crate::client::{Browser, Machine};
use crate::rider::{Ride, Rider};
use crate::rides::balance;
use crate::stack::{ADMIN, Node, Stack, eventually};
use crate::stream;

const LIST: &str = "/order/anomaly/list";
const SUMMARY: &str = "/order/anomaly/summary";
const CLOSE: &str = "/order/anomaly/close";
/// Orders are looked at every minute, once what was told is stored.
const PATIENCE: Duration = Duration::from_secs(150);
const MINUTE_MS: i64 = 60_000;

/// What a device reports of its lock and of where it is.
#[derive(Clone, Copy)]
pub struct Told {
    pub at: Timestamp,
    pub locked: bool,
    pub with_fix: bool,
    pub north_m: f64,
}

/// A city whose devices and orders have clocks of their own.
pub struct Scene {
    pub stack: Stack,
    pub node: Node,
    pub machine: Machine,
    pub city: City,
    pub admin: Browser,
    past: Runtime,
    pub now: Timestamp,
}

impl Scene {
    pub async fn build(bikes: usize) -> Self {
        let (stack, node) = Stack::serving().await;
        let machine = Machine::new(&node.url, &stack.full_machine().await);
        let city = City::build(&machine, "G", 1, bikes).await;
        let admin = Browser::signed_in(&node.url, ADMIN).await;
        let sizes = PoolSizes { owner: 1, app: 2, projector: 2, feed: 1 };
        let pools = Pools::connect(&stack.database_url(), sizes).await.unwrap();
        // What is written here holds nothing of a person.
        let foundation = Foundation::new(
            pools,
            MasterKey::new([7; 32]),
            Arc::new(SystemClock),
            Arc::new(Snowflake::new(SystemClock, 902)),
        );
        let past = Runtime::open(foundation).await.unwrap();
        Self { stack, node, machine, city, admin, past, now: SystemClock.now() }
    }

    pub fn before(&self, minutes: i64) -> Timestamp {
        self.now.plus_millis(-minutes * MINUTE_MS)
    }

    async fn act(&self, of: &Opened, command: OrderCommand, action: RideAction, at: Timestamp) {
        let ctx = CommandContext::of_system("past", at);
        let car = CarId::try_from(of.car_id.clone()).unwrap();
        let ride = VehicleCommand::Ride { action, rider: of.rider_id.to_string() };
        self.past.desk.execute::<Vehicle>(&car, ride, &ctx).await.unwrap();
        self.past.desk.execute::<Order>(&of.order_id, command, &ctx).await.unwrap();
    }

    /// A ride that began 40 minutes ago.
    async fn rides(&self, bike: &Enrolled, name: &str) -> (Ride, Opened) {
        self.rides_since(bike, name, 40).await
    }

    /// A ride that began so many minutes ago.
    pub async fn rides_since(&self, bike: &Enrolled, name: &str, minutes: i64) -> (Ride, Opened) {
        let rider = Rider::come(&self.machine, &self.city.area, name).await;
        let of = Opened {
            order_id: RideOrderId(self.past.ids.next_id()),
            rider_id: rider.id.parse().unwrap(),
            car_id: bike.car.clone(),
            imei: bike.imei.clone(),
            agent_id: self.city.agent.parse().unwrap(),
            area_id: self.city.area.parse().unwrap(),
            place: None,
            rider_place: None,
        };
        let unlock = OrderCommand::Unlock { opened: of.clone(), billing_version: 0 };
        self.act(&of, unlock, RideAction::Unlock, self.before(minutes)).await;
        let ctx = CommandContext::of_system("past", self.before(minutes));
        self.past.desk.execute::<Order>(&of.order_id, OrderCommand::Begin, &ctx).await.unwrap();
        (Ride { rider, order: of.order_id.to_string() }, of)
    }

    /// Its device reports all of that, in order, north of the parking place.
    pub async fn reports(&self, bike: &Enrolled, told: &[Told]) -> Bike {
        let line = Bike::connect(&self.stack.nats.mqtt_addr(), &bike.imei, &bike.secret).await;
        for one in told {
            self.tell(&line, bike, *one).await;
        }
        line
    }

    /// Its device reports that on the line that it has.
    pub async fn tell(&self, line: &Bike, bike: &Enrolled, told: Told) {
        let Told { at, locked, with_fix, north_m } = told;
        let mut flags = vec!["battery_present"];
        flags.extend(locked.then_some("locked"));
        flags.extend(with_fix.then_some("position_valid"));
        let lat = self.city.lat + 0.004 + north_m / 110_790.0;
        let report = json!({"at": at.millis(), "lat": lat, "lng": self.city.lng, "hdop": 0.9, "satellites": 11,
            "speed": 0, "heading": 90, "soc": 80, "gsm": 22, "voltage_mv": 52_100, "flags": flags});
        line.publish(&format!("ebike/{}/up", bike.imei), &report).await;
    }

    pub fn told(&self, minutes: i64, locked: bool) -> Told {
        Told { at: self.before(minutes), locked, with_fix: true, north_m: 0.0 }
    }

    async fn listed(&self, by: &Browser, asked: Value) -> Value {
        by.ok("GET", LIST, asked).await
    }

    /// Waits until the list tells that of an order.
    async fn until(&self, ride: &Ride, what: &str, so: impl Fn(&Value) -> bool) -> Value {
        eventually(what, PATIENCE, async || {
            let page = self.listed(&self.admin, json!({"keyword": ride.order})).await;
            let row = page["rows"][0].clone();
            so(&row).then_some(row)
        })
        .await
    }
}

fn number(value: &Value) -> i64 {
    value.as_i64().unwrap_or_else(|| panic!("no number: {value}"))
}

#[tokio::test(flavor = "multi_thread")]
async fn who_forgot_to_return_pays_until_his_lock_closed_and_the_rest_waits_for_people() {
    let scene = Scene::build(4).await;
    let [forgotten, blind, silent, paused] = &scene.city.bikes[..] else { panic!("four bikes") };
    let (ghost, _) = scene.rides(forgotten, "gerda").await;
    let (without_fix, _) = scene.rides(blind, "hanna").await;
    let (gone, _) = scene.rides(silent, "ingrid").await;
    let (resting, of) = scene.rides(paused, "jette").await;
    scene.act(&of, OrderCommand::Pause, RideAction::Pause, scene.before(20)).await;
    let blinded = |minutes, locked| Told { with_fix: false, ..scene.told(minutes, locked) };
    let away = Told { north_m: 400.0, ..scene.told(31, false) };
    let closed = Told { north_m: 400.0, ..scene.told(30, true) };
    let _lines = [
        scene
            .reports(forgotten, &[scene.told(39, false), away, closed, Told { at: scene.now, ..closed }])
            .await,
        scene
            .reports(blind, &[blinded(39, false), blinded(28, false), blinded(27, true), blinded(0, true)])
            .await,
        scene.reports(silent, &[scene.told(39, false), scene.told(25, false)]).await,
        scene.reports(paused, &[scene.told(39, false), scene.told(19, true), scene.told(0, true)]).await,
    ];

    // The lock says when the ride ended, and the order is ended then.
    let ended = scene.until(&ghost, "the system ends the order", |row| row["state"] == 1).await;
    assert_eq!(
        (&ended["kind"], &ended["isBySystem"], &ended["who"]),
        (&json!(1), &json!(true), &Value::Null)
    );
    assert_eq!(number(&ended["endAt"]), closed.at.millis(), "{ended}");
    assert_eq!(
        (number(&ended["lockOpenAt"]), number(&ended["lockClosedAt"])),
        (away.at.millis(), closed.at.millis())
    );
    let order = scene.admin.ok("GET", &format!("/order/{}", ghost.order), json!({})).await;
    assert_eq!((number(&order["endAt"]), &order["endKind"]), (closed.at.millis(), &json!(5)), "{order}");
    assert_eq!(order["ridingS"], 600);
    // Of then no fences are known: what is not sure of the place is never charged, but looked at.
    assert_eq!((&order["state"], &order["payCents"]), (&json!(2), &json!(0)), "{order}");
    let review = scene.admin.ok("GET", "/order/returnReview/list", json!({"keyword": ghost.order})).await;
    let review = &review["rows"][0];
    let passes = json!({"id": review["id"], "result": "accept", "remark": "", "version": review["version"]});
    scene.admin.ok("POST", "/order/returnReview", passes).await;
    let order = scene.admin.ok("GET", &format!("/order/{}", ghost.order), json!({})).await;
    assert_eq!(number(&order["payCents"]), number(&ended["endCents"]), "{order}");
    // What it would have cost is what the fare says of a ride until it was ended, all else being the same.
    let asked = json!({"endTime": number(&ended["listedAt"]).to_string()});
    let longer = scene.admin.ok("GET", &format!("/order/{}/replay", ghost.order), asked).await;
    assert_eq!(longer["tried"]["payCents"], ended["wouldCents"], "{longer}");
    let saved = number(&ended["wouldCents"]) - number(&ended["endCents"]);
    assert_eq!(number(&ended["savedCents"]), saved);
    assert!(saved > 0, "{ended}");
    let path = format!("/open/v1/rider/scan?carId={}", forgotten.car);
    eventually("the bike is free", PATIENCE, async || {
        (scene.machine.get(&path).await.data()["rentable"] == true).then_some(())
    })
    .await;

    // What is not certain waits for people, and tells why.
    let unsure = scene.until(&without_fix, "a lock without a place waits", |row| row["kind"] == 1).await;
    assert_eq!((&unsure["state"], &unsure["doubt"]), (&json!(0), &json!(4)), "{unsure}");
    assert_eq!(number(&unsure["endAt"]), scene.before(27).millis(), "{unsure}");
    let quiet = scene
        .until(&gone, "a silent device waits", |row| number(&row["sinceAt"]) == scene.before(25).millis())
        .await;
    assert_eq!(
        (&quiet["kind"], &quiet["doubt"], &quiet["locked"]),
        (&json!(2), &json!(1), &json!(false)),
        "{quiet}"
    );
    assert!(number(&quiet["wouldCents"]) >= number(&quiet["endCents"]), "{quiet}");
    let none = scene.listed(&scene.admin, json!({"keyword": resting.order})).await;
    assert_eq!(none["count"], 0, "a pause is nothing strange: {none}");
    let summary = scene.admin.ok("GET", SUMMARY, json!({})).await;
    assert_eq!((&summary["open"], &summary["closedBySystem"]), (&json!(2), &json!(1)), "{summary}");
    assert_eq!(number(&summary["savedCents"]), saved);
    assert!(number(&summary["lookedAt"]) > scene.now.millis(), "{summary}");

    // People of another agent see and end nothing of it.
    let other = City::build(&scene.machine, "H", 3, 0).await;
    let role = scene.admin.new_role("他方客服", &["07", "1601"].map(str::to_owned)).await;
    scene.admin.new_operator("13700000071", &[&role], &other.agent).await;
    let stranger = Browser::signed_in(&scene.node.url, "13700000071").await;
    assert_eq!(scene.listed(&stranger, json!({})).await["count"], 0);
    let nothing = stranger.ok("GET", SUMMARY, json!({})).await;
    assert_eq!(
        (&nothing["open"], &nothing["closed"], &nothing["savedCents"]),
        (&json!(0), &json!(0), &json!(0))
    );
    let named = |row: &Value| json!({"orderId": row["orderId"], "endAt": row["endAt"]});
    let all =
        json!({"orders": [named(&unsure), named(&quiet), named(&ended)], "reason": "设备失联，已与用户核实"});
    let foreign = stranger.ok("POST", CLOSE, all.clone()).await;
    assert!(
        foreign["results"].as_array().unwrap().iter().all(|one| one["error"]["code"] == "not-found"),
        "{foreign}"
    );

    // One request, looked at once more, and what became of each.
    let unsaid = json!({"orders": [named(&quiet)], "reason": " "});
    assert_eq!(scene.admin.call("POST", CLOSE, unsaid).await.code(), "order-reason");
    let later = json!({"orders": [{"orderId": quiet["orderId"], "endAt": number(&quiet["endAt"]) + 300_000},
        {"orderId": resting.order, "endAt": scene.before(19).millis()}], "reason": "核实"});
    let refused = scene.admin.ok("POST", CLOSE, later).await;
    let codes = |answer: &Value| -> Vec<String> {
        let results = answer["results"].as_array().unwrap();
        results.iter().map(|one| one["error"]["code"].as_str().unwrap_or("done").to_owned()).collect()
    };
    assert_eq!(codes(&refused), ["order-other-end", "order-not-strange"], "{refused}");
    let many: Vec<Value> = (0..201).map(|n| json!({"orderId": n.to_string(), "endAt": 1})).collect();
    let many = json!({"orders": many, "reason": "核实"});
    assert_eq!(scene.admin.call("POST", CLOSE, many).await.code(), "too-many");
    let done = scene.admin.ok("POST", CLOSE, all).await;
    assert_eq!(codes(&done), ["done", "done", "order-not-now"], "{done}");
    let by_hand = scene.until(&gone, "it was ended", |row| row["state"] == 1).await;
    assert_eq!(
        (&by_hand["isBySystem"], &by_hand["reason"]),
        (&json!(false), &json!("设备失联，已与用户核实"))
    );
    assert!(by_hand["who"].is_string(), "{by_hand}");
    let order = gone.order(&scene.machine).await;
    assert_eq!(number(&order["endAt"]), scene.before(25).millis(), "{order}");
    let blind = scene.admin.ok("GET", &format!("/order/{}", without_fix.order), json!({})).await;
    assert_eq!(
        (&blind["class"], &blind["dispatchCents"]),
        (&json!(0), &json!(0)),
        "nobody is fined for a place that is not known"
    );
    assert_eq!(scene.listed(&scene.admin, json!({"state": "0"})).await["count"], 0);
    assert_eq!(scene.listed(&scene.admin, json!({"state": "1", "bySystem": "false"})).await["count"], 2);
    assert_eq!(resting.order(&scene.machine).await["state"], 1, "who rests goes on");
    let log =
        scene.admin.ok("GET", "/platform/aliyunlog/userlogs", json!({"pageSize": "50"})).await.to_string();
    assert!(log.contains("按真实时间结束异常订单"), "{log}");
    let owner = scene.stack.owner().await;
    stream::settled(&owner).await;
    balance(&owner).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_ride_and_a_pause_end_by_themselves_at_their_areas_limits() {
    let scene = Scene::build(3).await;
    let area = &scene.city.area;
    let path = "/config/area/use";
    let known = scene.admin.ok("GET", path, json!({ "opAreaId": area })).await;
    let configure = async |version: i64, ride_max_s: i64| {
        let mut content = known["usual"].clone();
        (content["rideMaxS"], content["pauseMaxS"]) = (json!(ride_max_s), json!(900));
        let body = json!({"opAreaId": area, "version": version, "content": content});
        scene.admin.ok("PUT", path, body).await;
        let publish = json!({"kind": 3, "opAreaId": area, "version": version + 1});
        scene.admin.ok("POST", "/config/area/publish", publish).await;
    };
    configure(0, 43_200).await;
    let [long, paused, resting] = &scene.city.bikes[..] else { panic!("three bikes") };
    // It still moves, with its lock open: it is only long.
    let (far, _) = scene.rides(long, "karla").await;
    let moving = |minutes, north_m| Told { north_m, ..scene.told(minutes, false) };
    let (rest, of) = scene.rides(paused, "lena").await;
    scene.act(&of, OrderCommand::Pause, RideAction::Pause, scene.before(16)).await;
    let (short, of) = scene.rides(resting, "mona").await;
    scene.act(&of, OrderCommand::Pause, RideAction::Pause, scene.before(5)).await;
    let _lines = [
        scene.reports(long, &[moving(39, 0.0), moving(5, 300.0), moving(0, 900.0)]).await,
        scene.reports(paused, &[scene.told(39, false), scene.told(15, true), scene.told(0, true)]).await,
        scene.reports(resting, &[scene.told(39, false), scene.told(4, true), scene.told(0, true)]).await,
    ];
    let ended = async |ride: &Ride| {
        let order = eventually("a limit ends it", PATIENCE, async || {
            let order = scene.admin.ok("GET", &format!("/order/{}", ride.order), json!({})).await;
            (!order["endAt"].is_null()).then_some(order)
        })
        .await;
        assert!(number(&order["endAt"]) >= scene.now.millis(), "when it was looked at: {order}");
        assert_eq!(order["endKind"], 2, "{order}");
    };
    ended(&rest).await;
    assert_eq!(short.order(&scene.machine).await["isPaused"], true, "its pause is within the limit");
    assert_eq!(far.order(&scene.machine).await["state"], 1);
    configure(2, 2_100).await;
    ended(&far).await;
    ended(&short).await;
    assert_eq!(scene.listed(&scene.admin, json!({})).await["count"], 0, "nothing waits for people");
    let owner = scene.stack.owner().await;
    stream::settled(&owner).await;
    balance(&owner).await;
}
