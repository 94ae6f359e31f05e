//! What riders wanted and did not get is kept with its reason, once, for whoever it belongs to.

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::{Value, json};

use crate::bike::Bike;
use crate::city::City;
use crate::client::{Browser, Machine};
use crate::exports::{file, lines};
use crate::rider::Rider;
use crate::stack::{ADMIN, Node, Stack, eventually};

const LIST: &str = "/order/miss/list";
const SUMMARY: &str = "/order/miss/summary";
/// Tries are kept within a second, states of bikes are heard of within some.
const PATIENCE: Duration = Duration::from_mins(1);

struct Scene {
    stack: Stack,
    node: Node,
    machine: Machine,
    city: City,
    admin: Browser,
    lines: Vec<Bike>,
}

impl Scene {
    async fn build(bikes: usize) -> Self {
        let (stack, node) = Stack::serving().await;
        let machine = Machine::new(&node.url, &stack.full_machine().await);
        let city = City::build(&machine, "M", 1, bikes).await;
        let admin = Browser::signed_in(&node.url, ADMIN).await;
        let lines = city.on_line(&stack, &machine, (city.lat, city.lng)).await;
        Self { stack, node, machine, city, admin, lines }
    }

    async fn rider(&self, name: &str) -> Rider {
        Rider::come(&self.machine, &self.city.area, name).await
    }

    fn car(&self, number: usize) -> &str {
        &self.city.bikes[number].car
    }

    async fn refused(&self, rider: &Rider, number: usize) -> String {
        rider.unlock(&self.machine, self.car(number)).await.code().to_owned()
    }

    async fn scan(&self, query: &str) -> Value {
        self.machine.get(&format!("/open/v1/rider/scan?{query}")).await.body
    }

    /// Waits until that many misses are listed.
    async fn listed(&self, asked: Value, many: usize) -> Vec<Value> {
        eventually("the misses are kept", PATIENCE, async || {
            let page = self.admin.ok("GET", LIST, asked.clone()).await;
            let rows = page["rows"].as_array().expect("rows").clone();
            (rows.len() >= many).then_some(rows)
        })
        .await
    }

    /// The only miss of a rider.
    async fn only(&self, rider: &Rider) -> Value {
        let rows = self.listed(json!({"userId": rider.id}), 1).await;
        assert_eq!(rows.len(), 1, "{rows:?}");
        rows.into_iter().next().expect("one")
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn each_failure_is_kept_with_its_reason_once_and_for_its_agent_alone() {
    let mut scene = Scene::build(4).await;
    let (lat, lng) = (scene.city.lat, scene.city.lng);
    let parking = scene.city.fences[0].clone();

    // In use: whoever scans it and then tries to unlock it missed it once, by two tries and more.
    let owner = scene.rider("inge").await;
    let taken_bike = scene.city.bikes[0].clone();
    owner.ride_off(&scene.machine, &taken_bike, &mut scene.lines[0]).await;
    let late = scene.rider("late").await;
    let query = format!("carId={}&userId={}&lat={lat}&lng={lng}", scene.car(0), late.id);
    assert_eq!(scene.scan(&query).await["data"]["rentable"], false);
    let first = scene.only(&late).await;
    assert_eq!((&first["act"], &first["tries"]), (&json!(2), &json!(1)), "{first}");
    for _ in 0..3 {
        assert_eq!(scene.refused(&late, 0).await, "vehicle-busy");
    }
    let miss = eventually("later tries are added to the first", PATIENCE, async || {
        let miss = scene.only(&late).await;
        (miss["tries"] == 4).then_some(miss)
    })
    .await;
    assert_eq!((&miss["reason"], &miss["act"], &miss["id"]), (&json!(5), &json!(4), &first["id"]), "{miss}");
    assert_eq!((&miss["carId"], &miss["opAreaId"]), (&json!(scene.car(0)), &json!(scene.city.area)));
    assert_eq!((&miss["parkingId"], &miss["parkingName"]), (&json!(parking), &json!("M 停车点")), "{miss}");
    assert_eq!(
        (miss["lat"].as_f64(), miss["phone"].as_str().map(|it| it.contains("****"))),
        (Some(lat), Some(true))
    );
    assert!(miss["at"].as_i64() < miss["lastAt"].as_i64(), "{miss}");
    // Another bike, or another reason, is another miss.
    assert_eq!(scene.refused(&owner, 1).await, "order-rider-busy");
    assert_eq!(scene.only(&owner).await["reason"], 23);

    // Kept for somebody else.
    let (keeper, other) = (scene.rider("keep").await, scene.rider("othe").await);
    let body = json!({"userId": keeper.id, "carId": scene.car(1)});
    scene.machine.ok("/open/v1/rider/reserve", &body).await;
    assert_eq!(scene.refused(&other, 1).await, "order-car-busy");
    assert_eq!(scene.only(&other).await["reason"], 4);

    // Low in charge, as its device tells.
    let low = scene.city.bikes[2].clone();
    let path = format!("carId={}", low.car);
    eventually("its battery is low", PATIENCE, async || {
        scene.lines[2].report(&low.imei, lat, lng, 9, true).await;
        (scene.scan(&path).await["data"]["rentable"] == false).then_some(())
    })
    .await;
    let tired = scene.rider("tire").await;
    let query = format!("carId={}&userId={}", low.car, tired.id);
    assert_eq!(scene.scan(&query).await["data"]["rentable"], false);
    let miss = scene.only(&tired).await;
    assert_eq!(miss["reason"], 1, "{miss}");
    assert!(miss["detail"].as_str().unwrap().contains("9%"), "{miss}");
    assert_eq!(miss["lat"].as_f64().map(f64::round), Some(lat.round()), "where the bike stands");

    // Who he is.
    let stranger = Rider::unverified(&scene.machine, &scene.city.area, "stra").await;
    assert_eq!(scene.refused(&stranger, 3).await, "rider-unverified");
    assert_eq!(scene.only(&stranger).await["reason"], 20);
    // Such a number there is not.
    let lost = scene.rider("lost").await;
    let query = format!("carId=没有这辆车&userId={}", lost.id);
    assert_eq!(scene.scan(&query).await["error"]["code"], "not-found");
    let miss = scene.only(&lost).await;
    assert_eq!(
        (&miss["reason"], &miss["carId"], &miss["lat"]),
        (&json!(41), &json!("没有这辆车"), &Value::Null)
    );

    // Nothing stands near him, wherever he looks meanwhile; of somebody whom nobody names the place is told.
    let walker = scene.rider("walk").await;
    for step in 0..3 {
        let at = lat + 0.015 + f64::from(step) * 0.001;
        let path = format!("/open/v1/rider/nearby?lat={at}&lng={lng}&userId={}", walker.id);
        assert_eq!(scene.machine.get(&path).await.data()["rows"], json!([]));
    }
    let miss = eventually("all his looks are one", PATIENCE, async || {
        let miss = scene.only(&walker).await;
        (miss["tries"] == 3).then_some(miss)
    })
    .await;
    assert_eq!((&miss["reason"], &miss["act"], &miss["parkingId"]), (&json!(40), &json!(1), &Value::Null));
    scene.machine.get(&format!("/open/v1/rider/nearby?lat={}&lng={lng}", lat + 0.015)).await.data();
    // Where nobody serves nothing is missed.
    scene.machine.get("/open/v1/rider/nearby?lat=10&lng=100").await.data();
    let nameless = scene.listed(json!({"reason": "40"}), 2).await;
    assert!(nameless.iter().any(|row| row["userId"].is_null()), "{nameless:?}");
    assert_eq!(nameless.len(), 2);

    // By reason, cut down, as a file; another agent's people see nothing of it.
    let shares = scene.admin.ok("GET", SUMMARY, json!({"opAreaId": scene.city.area})).await;
    let shares: BTreeMap<i64, i64> = shares["reasons"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| (one["reason"].as_i64().unwrap(), one["misses"].as_i64().unwrap()))
        .collect();
    let wanted = [(4, 1), (5, 1), (20, 1), (23, 1), (40, 2), (41, 1)];
    for (reason, misses) in wanted {
        assert_eq!(shares.get(&reason), Some(&misses), "{reason}: {shares:?}");
    }
    // The probes that nobody named and the rider's own.
    assert_eq!(shares.get(&1), Some(&2), "{shares:?}");
    let of_car = scene.listed(json!({"keyword": scene.car(0)}), 1).await;
    assert_eq!(of_car.len(), 1);
    let of_phone = scene.listed(json!({"keyword": tired.phone}), 1).await;
    assert_eq!((of_phone.len(), &of_phone[0]["reason"]), (1, &json!(1)));
    assert_eq!(scene.admin.ok("GET", LIST, json!({"endTime": "2020-01-01"})).await["count"], 0);
    let file = file(&scene.admin, LIST, "reason=5&columns=reason,carId,tries").await;
    assert_eq!(lines(&file), ["丢单原因,车辆编号,次数", &format!("车辆使用中,{},4", scene.car(0))]);
    let there = City::build(&scene.machine, "N", 3, 0).await;
    let role = scene.admin.new_role("他方客服", &["07", "1601"].map(str::to_owned)).await;
    scene.admin.new_operator("13700000073", &[&role], &there.agent).await;
    let foreign = Browser::signed_in(&scene.node.url, "13700000073").await;
    assert_eq!(foreign.ok("GET", LIST, json!({})).await["count"], 0);
    assert_eq!(foreign.ok("GET", SUMMARY, json!({})).await["reasons"], json!([]));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lock_that_does_not_answer_or_says_no_is_missed_and_one_rider_fills_no_table() {
    let mut scene = Scene::build(2).await;
    // He is not answered within 15 seconds.
    let silent = scene.rider("sile").await;
    assert_eq!(scene.refused(&silent, 0).await, "");
    // The other lock says that it cannot.
    let jammed = scene.rider("jamm").await;
    let order = jammed.unlock(&scene.machine, scene.car(1)).await.data()["orderId"].clone();
    let order = order.as_str().unwrap().to_owned();
    let imei = scene.city.bikes[1].imei.clone();
    while scene.lines[1].next_command().await.1["id"] != order.as_str() {}
    scene.lines[1].answer(&imei, &order, 3).await;
    let miss = scene.only(&jammed).await;
    assert_eq!((&miss["reason"], &miss["act"]), (&json!(31), &json!(4)), "{miss}");
    let path = format!("/open/v1/rider/order?userId={}&orderId={order}", jammed.id);
    assert_eq!(scene.machine.get(&path).await.data()["cancelReason"], 4);
    let miss = scene.only(&silent).await;
    assert_eq!((&miss["reason"], &miss["carId"]), (&json!(30), &json!(scene.car(0))), "{miss}");

    // A program that asks for numbers without end is answered each time, and a rider's day has its bound.
    let flood = scene.rider("floo").await;
    let mut asked = tokio::task::JoinSet::new();
    for number in 0..120 {
        let (machine, id) = (scene.machine.clone(), flood.id.clone());
        asked.spawn(async move {
            let path = format!("/open/v1/rider/scan?carId=X{number}&userId={id}");
            machine.get(&path).await.body["error"]["code"].as_str().map(str::to_owned)
        });
    }
    while let Some(code) = asked.join_next().await {
        assert_eq!(code.unwrap().as_deref(), Some("not-found"));
    }
    let rows = scene.listed(json!({"userId": flood.id, "pageSize": "100"}), 50).await;
    assert_eq!(rows.len(), 50);
    tokio::time::sleep(Duration::from_secs(3)).await;
    let page = scene.admin.ok("GET", LIST, json!({"userId": flood.id})).await;
    assert_eq!(page["count"], 50, "fifty of a day are kept");
    // What is too old is forgotten.
    let owner = scene.stack.owner().await;
    let aged = "update report.miss set at_ms = at_ms - 91::bigint * 86400000 where rider_id = $1";
    sqlx::query(aged).bind(flood.id.parse::<i64>().unwrap()).execute(&owner).await.unwrap();
    let gone =
        riding::read::misses::forget_old(&owner, vocabulary::Clock::now(&vocabulary::SystemClock)).await;
    assert_eq!(gone.unwrap(), 50);
    assert!(scene.listed(json!({}), 2).await.len() >= 2, "the others stay");
}
