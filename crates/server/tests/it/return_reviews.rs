//! Return reviews: a return that is not sure waits for somebody, and what he says decides the money.

use std::time::Duration;

use serde_json::{Value, json};
use simulator::photo::photo;
use vocabulary::{Clock, SystemClock};

use geofence::judge::ReturnClass;
use kernel::{CommandContext, Foundation, MasterKey, PoolSizes, Pools, Runtime};
use riding::model::fare::Left;
use riding::model::order::{End, EndKind, Evidence, Opened, Order, OrderCommand};
use riding::model::return_review::{Opening, ReturnReview, ReviewCommand, Seen};
use std::sync::Arc;
use vocabulary::{ReturnReviewId, RideOrderId, Snowflake, Timestamp};

use crate::bike::Bike;
use crate::city::City;
use crate::client::{Browser, Machine};
use crate::rider::{Ride, Rider};
use crate::rides::imbalance;
use crate::stack::{ADMIN, Node, Stack, eventually};
use crate::stream;

const LIST: &str = "/order/returnReview/list";
const DECIDE: &str = "/order/returnReview";
const ASK: &str = "/open/v1/rider/return-review";
const PATIENCE: Duration = Duration::from_mins(1);
/// Half of the parking place, degrees of latitude; a degree is about 110,790 m here.
const HALF: f64 = 0.0002;
const DEGREE_M: f64 = 110_790.0;
/// A parking place that nobody draws otherwise reaches so much further, metres.
const BUFFER_M: f64 = 10.0;

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_else(|| panic!("no text: {value}")).to_owned()
}

/// A city with a parking place of its own, away from where its bikes stand.
struct Scene {
    stack: Stack,
    machine: Machine,
    city: City,
    lines: Vec<Bike>,
    admin: Browser,
    /// The middle of the parking place.
    lat: f64,
    node: Node,
}

impl Scene {
    async fn build(bikes: usize) -> Self {
        let (stack, node) = Stack::serving().await;
        let machine = Machine::new(&node.url, &stack.full_machine().await);
        let city = City::build(&machine, "V", 1, bikes).await;
        let (lat, lng) = (city.lat + 0.01, city.lng);
        let ring =
            [[-HALF, -HALF], [HALF, -HALF], [HALF, HALF], [-HALF, HALF]].map(|[x, y]| [lng + x, lat + y]);
        let body =
            json!({"areaId": city.area, "kind": 2, "name": "V 审核停车点", "ring": ring, "datum": "wgs84"});
        machine.ok("/open/v1/fences", &body).await;
        let lines = city.on_line(&stack, &machine, (lat, lng)).await;
        let admin = Browser::signed_in(&node.url, ADMIN).await;
        Self { stack, machine, city, lines, admin, lat, node }
    }

    /// Rides a bike to `beyond_m` north of the parking place's buffer and leaves it there, with the phone beside it or not.
    async fn leave(&mut self, number: usize, name: &str, beyond_m: f64, with_phone: bool) -> Ride {
        let rider = Rider::come(&self.machine, &self.city.area, name).await;
        let bike = self.city.bikes[number].clone();
        let ride = rider.ride_off(&self.machine, &bike, &mut self.lines[number]).await;
        let (lat, lng) = (self.lat + HALF + (BUFFER_M + beyond_m) / DEGREE_M, self.city.lng);
        // A bike that was far away a moment ago is not believed.
        tokio::time::sleep(Duration::from_secs(2)).await;
        self.lines[number].report(&bike.imei, lat, lng, 87, true).await;
        eventually("it is heard where the bike stands", PATIENCE, async || {
            let past = self
                .admin
                .ok("GET", &format!("/vehicle/{}/history", bike.car), json!({"minutes": "10"}))
                .await;
            let points = past["points"].as_array().cloned().unwrap_or_default();
            let at = points.last().and_then(|point| point["lat"].as_f64()).unwrap_or_default();
            ((at - lat).abs() < 1e-5).then_some(())
        })
        .await;
        let mut body = json!({"userId": ride.rider.id, "orderId": ride.order});
        if with_phone {
            (body["lat"], body["lng"]) = (json!(lat), json!(lng));
        }
        self.machine.ok("/open/v1/rider/return", &body).await;
        ride
    }

    /// The review of an order.
    async fn review(&self, ride: &Ride) -> Value {
        let page = self.admin.ok("GET", LIST, json!({"keyword": ride.order})).await;
        assert_eq!(page["count"], 1, "{page}");
        let id = text(&page["rows"][0]["id"]);
        self.admin.ok("GET", &format!("{DECIDE}/{id}"), json!({})).await
    }

    async fn decide(&self, review: &Value, result: &str, remark: &str) -> Value {
        let body =
            json!({"id": review["id"], "result": result, "remark": remark, "version": review["version"]});
        self.admin.call("POST", DECIDE, body).await.body
    }

    /// What is booked of a rider: what he owes, what penalties earned, what was given back.
    async fn booked(&self, ride: &Ride) -> (i64, i64, i64) {
        let owner = self.stack.owner().await;
        stream::settled(&owner).await;
        assert_eq!(imbalance(&owner).await, 0, "everything that was booked sums to nothing");
        sqlx::query_as(
            "select coalesce(sum(receivable_cents), 0)::bigint, coalesce(sum(penalty_income_cents), 0)::bigint,
                 coalesce(sum(ride_refund_cents), 0)::bigint
             from read.ledger_entry where holder_id = $1",
        )
        .bind(ride.rider.id.parse::<i64>().unwrap())
        .fetch_one(&owner)
        .await
        .unwrap()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_return_that_is_not_sure_waits_and_costs_what_the_review_says() {
    let mut scene = Scene::build(2).await;
    let let_go = scene.leave(0, "paula", 6.0, false).await;
    let charged = scene.leave(1, "quirin", 6.0, false).await;
    for ride in [&let_go, &charged] {
        let order = ride.order(&scene.machine).await;
        assert_eq!(
            (&order["state"], &order["payCents"]),
            (&json!(2), &json!(0)),
            "nothing is asked yet: {order}"
        );
    }
    let review = scene.review(&let_go).await;
    assert_eq!(
        (&review["state"], &review["source"], &review["class"]),
        (&json!(0), &json!(3), &json!(1)),
        "{review}"
    );
    assert_eq!(review["applyCents"], 500, "{review}");
    let percent = review["certaintyPercent"].as_i64().unwrap();
    assert!((60..99).contains(&percent), "{review}");
    let parking_m = review["parkingM"].as_f64().unwrap();
    assert!((15.5..16.5).contains(&parking_m), "{review}");
    assert_eq!(review["seen"]["parts"][0]["kind"], 1, "{review}");
    assert_eq!(review["fences"][0]["name"], "V 审核停车点", "{review}");
    assert_eq!(review["former"], json!({"count": 0, "passed": 0, "timedOut": 0}));
    // His own wish has to wait for that.
    let wish = json!({"userId": let_go.rider.id, "orderId": let_go.order, "reason": 1, "photoIds": []});
    assert_eq!(scene.machine.post(ASK, &wish, None).await.unwrap().code(), "return-review-open");

    // Somebody of another agent sees and decides nothing of it.
    let other = City::build(&scene.machine, "W", 3, 0).await;
    let codes = ["07", "returnCarApp"].map(str::to_owned);
    let role = scene.admin.new_role("还车审核员", &codes).await;
    scene.admin.new_operator("13700000051", &[&role], &other.agent).await;
    let stranger = Browser::signed_in(&scene.node.url, "13700000051").await;
    assert_eq!(stranger.ok("GET", LIST, json!({})).await["count"], 0);
    let path = format!("{DECIDE}/{}", text(&review["id"]));
    assert_eq!(stranger.call("GET", &path, json!({})).await.code(), "not-found");
    let body = json!({"id": review["id"], "result": "reject", "remark": "越权"});
    assert_eq!(stranger.call("POST", DECIDE, body).await.code(), "not-found");

    assert_eq!(scene.decide(&review, "accept", "").await["suc"], true);
    let order = let_go.order(&scene.machine).await;
    assert_eq!(
        (&order["state"], &order["payCents"]),
        (&json!(4), &json!(0)),
        "a short ride is free: {order}"
    );
    assert_eq!(scene.booked(&let_go).await, (0, 0, 0));
    let again = scene.decide(&scene.review(&let_go).await, "reject", "再看").await;
    assert_eq!(again["error"]["code"], "return-review-not-now", "{again}");

    let review = scene.review(&charged).await;
    let nameless = scene.decide(&review, "reject", " ").await;
    assert_eq!(nameless["error"]["code"], "return-review-reason", "{nameless}");
    assert_eq!(scene.decide(&review, "reject", "照片中车辆不在停车区内").await["suc"], true);
    let order = charged.order(&scene.machine).await;
    assert_eq!((&order["state"], &order["payCents"]), (&json!(3), &json!(500)), "{order}");
    assert_eq!(scene.booked(&charged).await, (500, 500, 0));
    let told = scene.review(&charged).await;
    assert_eq!((&told["state"], &told["remark"]), (&json!(2), &json!("照片中车辆不在停车区内")), "{told}");
}

#[tokio::test(flavor = "multi_thread")]
async fn who_was_charged_asks_once_with_a_photo_and_owes_the_penalty_no_more() {
    let mut scene = Scene::build(1).await;
    // Far outside, and the phone says the same: charged at once.
    let ride = scene.leave(0, "ronja", 60.0, true).await;
    let order = ride.order(&scene.machine).await;
    assert_eq!((&order["state"], &order["payCents"]), (&json!(3), &json!(500)), "{order}");
    let taken_at = SystemClock.now().millis() / 1000 * 1000;
    let picture = photo(7, [scene.city.lng, scene.lat], taken_at);
    let path = format!("/open/v1/attachments?userPin={}", ride.rider.id);
    let photo_id = text(&scene.machine.upload(&path, picture).await.data()["attachmentId"]);
    let ask = |order: &str, photos: Value| json!({"userId": ride.rider.id, "orderId": order, "reason": 3, "photoIds": photos});
    let none = ask(&ride.order, json!([]));
    assert_eq!(scene.machine.post(ASK, &none, None).await.unwrap().code(), "return-review-photos");
    let another = Rider::come(&scene.machine, &scene.city.area, "selma").await;
    let foreign = json!({"userId": another.id, "orderId": ride.order, "reason": 3, "photoIds": [photo_id]});
    assert_eq!(scene.machine.post(ASK, &foreign, None).await.unwrap().code(), "not-found");
    scene.machine.ok(ASK, &ask(&ride.order, json!([photo_id]))).await;
    let twice = scene.machine.post(ASK, &ask(&ride.order, json!([photo_id])), None).await.unwrap();
    assert!(
        ["return-review-open", "return-review-asked", "return-review-photo-taken"].contains(&twice.code()),
        "{}",
        twice.body
    );

    let review = scene.review(&ride).await;
    assert_eq!((&review["source"], &review["reason"]), (&json!(1), &json!(3)), "{review}");
    assert_eq!(review["photos"].as_array().map(Vec::len), Some(1), "{review}");
    assert_eq!(scene.decide(&review, "accept", "").await["suc"], true);
    let order = ride.order(&scene.machine).await;
    assert_eq!((&order["state"], &order["payCents"]), (&json!(4), &json!(0)), "{order}");
    assert_eq!(scene.booked(&ride).await, (0, 500, 500), "the penalty was earned and given up");
    let after = scene.machine.post(ASK, &ask(&ride.order, json!([photo_id])), None).await.unwrap();
    assert!(!after.code().is_empty(), "nothing is at stake any more: {}", after.body);
}

const MINUTE_MS: i64 = 60_000;

/// The log, written to as a process with a clock of its own would.
struct Past(Runtime);

impl Past {
    async fn open(scene: &Scene) -> Self {
        let sizes = PoolSizes { owner: 1, app: 2, projector: 2, feed: 1 };
        let pools = Pools::connect(&scene.stack.database_url(), sizes).await.unwrap();
        // What is written here holds nothing of a person.
        let key = MasterKey::new([7; 32]);
        let foundation =
            Foundation::new(pools, key, Arc::new(SystemClock), Arc::new(Snowflake::new(SystemClock, 900)));
        Self(Runtime::open(foundation).await.unwrap())
    }

    /// A ride of twenty minutes that ended beside a parking place, and whose review was opened at `opened`.
    async fn held(&self, scene: &Scene, rider: &Rider, opened: Timestamp) -> Ride {
        let next = || self.0.ids.next_id();
        let (order_id, review_id) = (RideOrderId(next()), ReturnReviewId(next()));
        let rider_id = rider.id.parse().unwrap();
        let (agent_id, area_id) = (scene.city.agent.parse().unwrap(), scene.city.area.parse().unwrap());
        let car_id = format!("V9{}", order_id.0 % 1000);
        let of = Opened {
            order_id,
            rider_id,
            car_id: car_id.clone(),
            imei: "860000000000001".to_owned(),
            agent_id,
            area_id,
            place: None,
            rider_place: None,
        };
        let end = End {
            at: opened,
            kind: EndKind::Rider,
            place: None,
            distance_m: 2_000,
            class: ReturnClass::OutsideParking,
            fence: None,
            certainty_percent: 90,
            evidence: Evidence::default(),
        };
        let seen = Seen {
            ended_at: opened,
            class: ReturnClass::OutsideParking,
            place: None,
            error_m: 3.0,
            fixes: Vec::new(),
            rider_place: None,
            fence: None,
            parking: None,
            parking_m: Some(16.0),
            missing: Vec::new(),
            camera: riding::model::certainty::CameraVerdict::Unjudged,
            certainty_percent: 90,
            parts: Vec::new(),
            reasons: Vec::new(),
        };
        let left = Left::Outside { parking_m: Some(16.0), difficulty_percent: 100 };
        let opening = Opening {
            review_id,
            order_id,
            rider_id,
            car_id,
            agent_id,
            area_id,
            seen,
            left,
            apply_cents: 500,
        };
        let begun = opened.plus_millis(-20 * MINUTE_MS);
        for (command, at) in [
            (OrderCommand::Unlock { opened: of, billing_version: 0 }, begun),
            (OrderCommand::Begin, begun),
            (OrderCommand::Return(end), opened),
        ] {
            self.0
                .desk
                .execute::<Order>(&order_id, command, &CommandContext::of_system("past", at))
                .await
                .unwrap();
        }
        let hold = ReviewCommand::Hold(Box::new(opening));
        let ctx = CommandContext::of_system("past", opened);
        self.0.desk.execute::<ReturnReview>(&review_id, hold, &ctx).await.unwrap();
        Ride { rider: rider.clone(), order: order_id.to_string() }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_nobody_decides_in_half_an_hour_passes_by_itself_once() {
    let scene = Scene::build(0).await;
    let past = Past::open(&scene).await;
    let now = SystemClock.now();
    let late = Rider::come(&scene.machine, &scene.city.area, "thea").await;
    let early = Rider::come(&scene.machine, &scene.city.area, "udo").await;
    let overdue = past.held(&scene, &late, now.plus_millis(-31 * MINUTE_MS)).await;
    let waiting = past.held(&scene, &early, now.plus_millis(-20 * MINUTE_MS)).await;
    let order = overdue.until(&scene.machine, "it passes by itself", |order| order["state"] != 2).await;
    // The basic price and one cycle, without the penalty.
    assert_eq!((&order["state"], &order["payCents"]), (&json!(3), &json!(300)), "{order}");
    let review = scene.review(&overdue).await;
    assert_eq!(
        (&review["state"], &review["timedOut"], &review["reviewer"]),
        (&json!(1), &json!(true), &json!(""))
    );
    assert_eq!(scene.booked(&overdue).await, (300, 0, 0));
    // Another round, and nothing more of it.
    tokio::time::sleep(Duration::from_secs(21)).await;
    assert_eq!(scene.review(&overdue).await["version"], review["version"]);
    assert_eq!(waiting.order(&scene.machine).await["state"], 2, "the other one has ten minutes left");
    let list = |query: Value| scene.admin.ok("GET", LIST, query);
    let waits = list(json!({"state": "0", "waitedMin": "15", "userId": early.id})).await;
    assert_eq!(waits["count"], 1, "{waits}");
    let waits = list(json!({"state": "0", "waitedMin": "25", "userId": early.id})).await;
    assert_eq!(waits["count"], 0, "{waits}");
}
