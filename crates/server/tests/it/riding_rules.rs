//! What is configured of a service area, as riders feel it: who gets a bike, and what a wallet pays by itself.

use std::sync::atomic::{AtomicU32, Ordering};

use serde_json::{Value, json};

use crate::bike::Bike;
use crate::city::City;
use crate::client::{Browser, Machine};
use crate::rider::{Ride, Rider};
use crate::stack::{ADMIN, Node, Stack};

/// Kinds of configuration, with the paths that keep them.
const USE: (i64, &str) = (3, "/config/area/use");
const PAY: (i64, &str) = (4, "/config/area/pay");
const PERMISSION: (i64, &str) = (5, "/config/area/permission");

/// Each has a name of its own.
static TOP_UPS: AtomicU32 = AtomicU32::new(1);

struct Scene {
    stack: Stack,
    machine: Machine,
    admin: Browser,
    city: City,
    lines: Vec<Bike>,
    _node: Node,
}

impl Scene {
    async fn build(index: u32, bikes: usize) -> Self {
        let (stack, node) = Stack::serving().await;
        let machine = Machine::new(&node.url, &stack.full_machine().await);
        let city = City::build(&machine, "W", index, bikes).await;
        let lines = city.on_line(&stack, &machine, (city.lat, city.lng)).await;
        let admin = Browser::signed_in(&node.url, ADMIN).await;
        Self { stack, machine, admin, city, lines, _node: node }
    }

    /// Lets count from now on what is usual but for `change`.
    async fn configure(&self, (kind, path): (i64, &str), change: Value) {
        let area = &self.city.area;
        let known = self.admin.ok("GET", path, json!({ "opAreaId": area })).await;
        let mut content = known["usual"].clone();
        content.as_object_mut().unwrap().extend(change.as_object().unwrap().clone());
        let body = json!({"opAreaId": area, "version": known["version"], "content": content});
        self.admin.ok("PUT", path, body).await;
        let version = known["version"].as_i64().unwrap() + 1;
        let publish = json!({"kind": kind, "opAreaId": area, "version": version, "note": "试"});
        self.admin.ok("POST", "/config/area/publish", publish).await;
    }

    async fn come(&self, name: &str) -> Rider {
        Rider::come(&self.machine, &self.city.area, name).await
    }

    /// Puts money into a wallet: paid in, and given.
    async fn fill(&self, rider: &Rider, amount_cents: i64, gift_cents: i64) {
        let number = TOP_UPS.fetch_add(1, Ordering::Relaxed);
        let request = format!("0190{:04x}-0000-7000-8000-{number:012x}", self.city.bikes.len());
        let body = json!({"userId": rider.id, "amount": amount_cents, "gift": gift_cents,
            "requestId": request, "remark": "试"});
        self.admin.ok("POST", "/user/wallet/topUp", body).await;
    }

    /// What asking for the first bike is refused with; nothing: its lock is asked to open.
    async fn refusal(&self, rider: &Rider) -> String {
        let reply = rider.unlock(&self.machine, &self.city.bikes[0].car).await;
        if reply.body["suc"] == true { String::new() } else { reply.code().to_owned() }
    }

    async fn buy(&self, rider: &Rider, name: &str, areas: &[&str], stock: Option<i64>) -> (String, String) {
        let card = json!({"agentId": self.city.agent, "kind": 5, "name": name, "days": 30, "times": 9_999,
            "priceCents": 1_000, "originPriceCents": 1_000, "areaIds": areas, "stock": stock});
        let product = text(&self.machine.ok("/open/v1/cards", &card).await["id"]);
        let body = json!({"userId": rider.id, "productId": product, "number": 1});
        let holding = text(&self.machine.ok("/open/v1/rider/cards/buy", &body).await["holdingId"]);
        (product, holding)
    }

    /// A ride that ends in a no-stop zone, for which a fee is due.
    async fn costly(&mut self, rider: &Rider) -> Ride {
        let ride = rider.ride_off(&self.machine, &self.city.bikes[0], &mut self.lines[0]).await;
        let imei = &self.city.bikes[0].imei;
        self.lines[0].report(imei, self.city.lat, self.city.lng, 87, true).await;
        ride.post(&self.machine, "return").await.data();
        ride
    }
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_else(|| panic!("no text: {value}")).to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bike_is_handed_out_by_age_charge_and_what_is_in_the_wallet() {
    let mut scene = Scene::build(31, 1).await;
    let (area, car) = (scene.city.area.clone(), scene.city.bikes[0].car.clone());
    let child = Rider::unverified(&scene.machine, &area, "child").await;
    // Born on 2 March 2015: not sixteen before 2031.
    let body = json!({"userId": child.id, "name": "陈小", "idNo": "350203201503020013"});
    let verified = scene.machine.post("/open/v1/rider/verify", &body, None).await.unwrap();
    assert_eq!(verified.body["suc"], true, "{}", verified.body);
    assert_eq!(scene.refusal(&child).await, "use-too-young", "by law, whatever is configured");

    let anna = scene.come("rules-anna").await;
    scene.configure(USE, json!({"batteryMinPercent": 40, "rechargeFirst": true, "rechargeCents": 500})).await;
    assert_eq!(scene.refusal(&anna).await, "use-recharge-first");
    scene.fill(&anna, 499, 10_000).await;
    assert_eq!(scene.refusal(&anna).await, "use-recharge-first", "what was given does not count");
    scene.fill(&anna, 1, 0).await;

    // A charge of 39 percent is too little here, and riders neither see nor may take the bike.
    let imei = scene.city.bikes[0].imei.clone();
    let near = format!("/open/v1/rider/nearby?lat={}&lng={}", scene.city.lat, scene.city.lng);
    let scan = format!("/open/v1/rider/scan?carId={car}");
    let shown = async |scene: &Scene, soc: u8, wanted: bool| {
        crate::stack::eventually("its charge is known", std::time::Duration::from_mins(1), async || {
            scene.lines[0].report(&imei, scene.city.lat, scene.city.lng, soc, true).await;
            let seen = scene.machine.get(&scan).await.data();
            (seen["rentable"] == wanted).then_some(seen)
        })
        .await
    };
    let seen = shown(&scene, 39, false).await;
    assert_eq!(seen["reasons"], json!(["车辆电量 39%，低于可用电量 40%，请换一辆"]));
    assert_eq!(scene.machine.get(&near).await.data()["rows"], json!([]));
    assert_eq!(scene.refusal(&anna).await, "use-low-battery");
    shown(&scene, 40, true).await;
    assert_eq!(scene.machine.get(&near).await.data()["rows"][0]["carId"], car);
    let ride = anna.ride_off(&scene.machine, &scene.city.bikes[0].clone(), &mut scene.lines[0]).await;
    ride.post(&scene.machine, "cancel").await.data();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_membership_lets_its_rider_ride_in_its_areas_alone() {
    let scene = Scene::build(32, 1).await;
    let (lat, lng) = (scene.city.lat + 0.5, scene.city.lng);
    let ring = json!([[lng, lat], [lng + 0.01, lat], [lng + 0.01, lat + 0.01], [lng, lat + 0.01]]);
    let body = json!({"agentId": scene.city.agent, "name": "W 别处", "ring": ring, "datum": "wgs84",
        "tel": "05920000000"});
    let elsewhere = text(&scene.machine.ok("/open/v1/areas", &body).await["areaId"]);
    scene.configure(PERMISSION, json!({"free": false, "membership": true})).await;
    let rider = scene.come("member").await;
    scene.fill(&rider, 10_000, 0).await;
    assert_eq!(scene.refusal(&rider).await, "rider-unqualified");
    scene.buy(&rider, "别处会员", &[&elsewhere], None).await;
    assert_eq!(scene.refusal(&rider).await, "rider-member-elsewhere");
    // Renewals follow each other in time, whatever their areas: the next member has his own alone.
    let other = scene.come("other-member").await;
    scene.fill(&other, 10_000, 0).await;
    let area = scene.city.area.clone();
    scene.buy(&other, "此处会员", &[&area], None).await;
    assert_eq!(scene.refusal(&other).await, "");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_card_that_goes_back_unused_lies_in_stock_again() {
    let scene = Scene::build(33, 0).await;
    let (one, two) = (scene.come("stock-one").await, scene.come("stock-two").await);
    for rider in [&one, &two] {
        scene.fill(rider, 5_000, 0).await;
    }
    let (product, holding) = scene.buy(&one, "限量会员", &[], Some(1)).await;
    let body = json!({"userId": two.id, "productId": product, "number": 1});
    let buy = async || scene.machine.post("/open/v1/rider/cards/buy", &body, None).await.unwrap();
    assert_eq!(buy().await.code(), "card-sold-out");
    let refund = json!({"userId": one.id, "holdingId": holding, "refundTo": 1, "reason": "客户要求"});
    scene.admin.ok("POST", "/user/card/refund", refund).await;
    let shown = scene.admin.ok("GET", "/marketing/card/info", json!({"id": product})).await;
    assert_eq!(
        (&shown["sold"], &shown["refunded"], &shown["left"]),
        (&json!(1), &json!(1), &json!(1)),
        "{shown}"
    );
    buy().await.data();
    assert_eq!(buy().await.code(), "card-sold-out");
    let (endless, _) = scene.buy(&two, "不限量会员", &[], None).await;
    let shown = scene.admin.ok("GET", "/marketing/card/info", json!({"id": endless})).await;
    assert_eq!((&shown["sold"], &shown["left"]), (&json!(1), &Value::Null), "none is not nothing: {shown}");
    let on_sale = scene.machine.get(&format!("/open/v1/rider/cards?userId={}", two.id)).await.data();
    let left = |id: &str| {
        let row = on_sale["rows"].as_array().unwrap().iter().find(|row| row["productId"] == id);
        row.unwrap_or_else(|| panic!("{id} is on sale: {on_sale}"))["left"].clone()
    };
    assert_eq!((left(&endless), left(&product)), (Value::Null, json!(0)));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wallet_pays_by_itself_what_its_area_lets_it_pay() {
    let mut scene = Scene::build(34, 1).await;
    scene.configure(PAY, json!({"paidByBalance": false, "arrearsByBalance": true, "spendFirst": 2})).await;
    let rider = scene.come("payer").await;
    scene.fill(&rider, 300, 10_000).await;
    let ride = scene.costly(&rider).await;
    let order = ride.order(&scene.machine).await;
    assert_eq!(order["state"], 3, "it waits for his word: {order}");
    let cents = order["owedCents"].as_i64().unwrap();
    ride.post(&scene.machine, "pay").await.data();
    let account = rider.account(&scene.machine).await;
    let left = (account["rechargeCents"].as_i64().unwrap(), account["presentCents"].as_i64().unwrap());
    let spent = cents.min(300);
    assert_eq!(left, (300 - spent, 10_000 - (cents - spent)), "what he paid in goes first");

    // Who owes is paid for by what comes later, all of an order or nothing of it.
    let poor = scene.come("poor").await;
    let ride = scene.costly(&poor).await;
    let owed = ride.order(&scene.machine).await["owedCents"].as_i64().unwrap();
    scene.fill(&poor, owed - 1, 0).await;
    assert_eq!(ride.order(&scene.machine).await["state"], 3);
    scene.fill(&poor, 1, 0).await;
    assert_eq!(ride.order(&scene.machine).await["state"], 4);
    assert_eq!(poor.account(&scene.machine).await["rechargeCents"], 0);
    let owner = scene.stack.owner().await;
    crate::stream::settled(&owner).await;
    crate::rides::balance(&owner).await;
}
