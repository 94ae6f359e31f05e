//! Rides, from a stranger's phone to the last cent.

use std::collections::BTreeSet;
use std::time::Duration;

use serde_json::{Value, json};
use sqlx::PgPool;

use crate::bike::Bike;
use crate::city::{City, Enrolled};
use crate::client::Machine;
use crate::rider::{Ride, Rider};
use crate::stack::{CONNECTIONS, Node, Stack, eventually};
use crate::stream;

/// A city whose bikes stand in its parking place and are heard of.
struct Scene {
    stack: Stack,
    machine: Machine,
    city: City,
    lines: Vec<Bike>,
    _node: Node,
}

impl Scene {
    async fn build(bikes: usize) -> Self {
        let (stack, node) = Stack::serving().await;
        let machine = Machine::new(&node.url, &stack.full_machine().await);
        let city = City::build(&machine, "R", 1, bikes).await;
        let lines = city.on_line(&stack, &machine, (city.lat, city.lng)).await;
        Self { stack, machine, city, lines, _node: node }
    }

    async fn rides_off(&mut self, rider: &Rider, number: usize) -> Ride {
        rider.ride_off(&self.machine, &self.city.bikes[number], &mut self.lines[number]).await
    }

    fn bike(&self, number: usize) -> &Enrolled {
        &self.city.bikes[number]
    }

    /// Everything that was ever booked sums to nothing, and what books hold is what was booked into them.
    async fn balances(&self) {
        let owner = self.stack.owner().await;
        stream::settled(&owner).await;
        balance(&owner).await;
    }
}

/// What all books and accounts together hold, once all is read: debits less credits.
pub async fn imbalance(owner: &PgPool) -> i64 {
    sqlx::query_scalar(
        "select coalesce(sum(channel_cents + receivable_cents + gift_cost_cents + write_off_cents + ride_refund_cents
             + card_refund_cents + adjustment_cents - recharge_cents - present_cents - deposit_cents - refund_due_cents
             - ride_income_cents - penalty_income_cents - card_income_cents), 0)::bigint from read.ledger_entry",
    )
    .fetch_one(owner)
    .await
    .unwrap()
}

/// Everything that was booked sums to nothing, books hold what was booked into them, and are owed what orders say.
pub async fn balance(owner: &PgPool) {
    assert_eq!(imbalance(owner).await, 0, "everything that was booked sums to nothing");
    let differ: Vec<(String,)> = sqlx::query_as(
        "select b.book from read.ledger_book b left join (
             select holder_kind || '-' || holder_id as book, sum(recharge_cents)::bigint as recharge,
                 sum(present_cents)::bigint as present, sum(receivable_cents)::bigint as receivable,
                 sum(deposit_cents)::bigint as deposit, sum(refund_due_cents)::bigint as due
             from read.ledger_entry group by 1) e on e.book = b.book
         where (b.recharge_cents, b.present_cents, b.receivable_cents, b.deposit_cents, b.refund_due_cents)
             is distinct from (coalesce(e.recharge, 0), coalesce(e.present, 0), coalesce(e.receivable, 0),
                 coalesce(e.deposit, 0), coalesce(e.due, 0))",
    )
    .fetch_all(owner)
    .await
    .unwrap();
    assert!(differ.is_empty(), "{differ:?}");
    let open: i64 = sqlx::query_scalar(
        "select coalesce(sum(pay_cents - paid_cents - written_off_cents), 0)::bigint from read.ride_order where state = 3",
    )
    .fetch_one(owner)
    .await
    .unwrap();
    let owed: i64 =
        sqlx::query_scalar("select coalesce(sum(receivable_cents), 0)::bigint from read.ledger_book")
            .fetch_one(owner)
            .await
            .unwrap();
    assert_eq!(open, owed, "what orders say is owed, books say too");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_ride_from_a_strangers_phone_to_its_fare() {
    let mut scene = Scene::build(2).await;
    let area = scene.city.area.clone();
    let stranger = Rider::unverified(&scene.machine, &area, "stranger").await;
    let refused = stranger.unlock(&scene.machine, &scene.bike(0).car.clone()).await;
    assert_eq!(refused.code(), "rider-unverified", "{}", refused.body);

    let rider = Rider::come(&scene.machine, &area, "anna").await;
    assert_eq!(Rider::unverified(&scene.machine, &area, "anna").await.id, rider.id, "one phone is one rider");
    let ride = scene.rides_off(&rider, 0).await;
    let other = rider.unlock(&scene.machine, &scene.bike(1).car.clone()).await;
    assert_eq!(other.code(), "order-rider-busy", "{}", other.body);
    let somebody = Rider::come(&scene.machine, &area, "berta").await;
    let taken = somebody.unlock(&scene.machine, &scene.bike(0).car.clone()).await;
    assert_eq!(taken.code(), "vehicle-busy", "{}", taken.body);
    // Another's order is nobody's.
    let his = Ride { rider: somebody, order: ride.order.clone() };
    assert_eq!(his.post(&scene.machine, "return").await.code(), "not-found");

    ride.post(&scene.machine, "lock").await.data();
    assert_eq!(ride.post(&scene.machine, "lock").await.code(), "order-paused");
    ride.post(&scene.machine, "resume").await.data();
    // It stands in a parking place and in a no-stop zone that covers it: the ban comes first.
    let bike = scene.bike(0).clone();
    scene.lines[0].report(&bike.imei, scene.city.lat, scene.city.lng, 87, true).await;
    ride.post(&scene.machine, "return").await.data();
    let order = ride.order(&scene.machine).await;
    assert_eq!(order["state"], 3, "in a no-stop zone a fee is due: {order}");
    let lines = order["receipt"]["lines"].as_array().unwrap();
    let sum: i64 = lines.iter().map(|line| line["amountCents"].as_i64().unwrap()).sum();
    assert_eq!(sum, order["payCents"].as_i64().unwrap());
    assert_eq!(order["owedCents"], order["payCents"]);
    // He owes, and rides no more before he has paid.
    let again = rider.unlock(&scene.machine, &bike.car).await;
    assert_eq!(again.code(), "rider-owing", "{}", again.body);
    assert_eq!(ride.post(&scene.machine, "pay").await.code(), "wallet-short");
    let account = rider.account(&scene.machine).await;
    assert_eq!((&account["userState"], &account["owedCents"]), (&json!(7), &order["owedCents"]));
    scene.balances().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lock_that_does_not_answer_costs_nothing_and_gives_the_bike_back() {
    let mut scene = Scene::build(1).await;
    let rider = Rider::come(&scene.machine, &scene.city.area.clone(), "carla").await;
    let car = scene.bike(0).car.clone();
    let order = rider.unlock(&scene.machine, &car).await.data()["orderId"].as_str().unwrap().to_owned();
    let ride = Ride { rider: rider.clone(), order };
    let ended = ride.until(&scene.machine, "it is cancelled", |order| order["state"] == 5).await;
    assert_eq!(ended["cancelReason"], 3);
    // The lock answers late: nobody rides by it.
    let imei = scene.bike(0).imei.clone();
    scene.lines[0].answer(&imei, &ride.order, 0).await;
    let next = scene.rides_off(&rider, 0).await;
    assert_eq!(ride.order(&scene.machine).await["state"], 5);
    // Called off at once it costs nothing either.
    next.post(&scene.machine, "cancel").await.data();
    assert_eq!(next.order(&scene.machine).await["cancelReason"], 5);
    scene.balances().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reservation_holds_for_its_rider_alone() {
    let scene = Scene::build(1).await;
    let area = scene.city.area.clone();
    let (anna, berta) =
        (Rider::come(&scene.machine, &area, "dora").await, Rider::come(&scene.machine, &area, "emma").await);
    let car = scene.bike(0).car.clone();
    let body = json!({"userId": anna.id, "carId": car});
    let given = scene.machine.ok("/open/v1/rider/reserve", &body).await;
    let reserved = Ride { rider: anna.clone(), order: given["orderId"].as_str().unwrap().to_owned() };
    assert!(!berta.unlock(&scene.machine, &car).await.code().is_empty());
    let body = json!({"userId": berta.id, "carId": car, "orderId": reserved.order});
    let stolen = scene.machine.post("/open/v1/rider/unlock", &body, None).await.unwrap();
    assert!(["order-other", "vehicle-busy"].contains(&stolen.code()), "{}", stolen.body);
    reserved.post(&scene.machine, "cancel").await.data();
    assert_eq!(reserved.order(&scene.machine).await["cancelReason"], 1);
    assert_eq!(berta.unlock(&scene.machine, &car).await.status, 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_thousand_unlocks_of_ten_bikes_at_once_give_ten_rides() {
    let mut scene = Scene::build(10).await;
    // Each opens at once, or the last of the thousand might come when nobody waits for its lock any longer.
    let mut opening = tokio::task::JoinSet::new();
    for (mut line, bike) in std::mem::take(&mut scene.lines).into_iter().zip(scene.city.bikes.clone()) {
        opening.spawn(async move {
            while let Some((_, command)) = line.down.recv().await {
                line.answer(&bike.imei, command["id"].as_str().expect("an id"), 0).await;
            }
        });
    }
    let area = scene.city.area.clone();
    let mut riders = Vec::new();
    for number in 0..100 {
        riders.push(Rider::come(&scene.machine, &area, &format!("rider-{number}")).await);
    }
    let mut asked = tokio::task::JoinSet::new();
    for rider in &riders {
        for bike in &scene.city.bikes {
            let (rider, machine, car) = (rider.clone(), scene.machine.clone(), bike.car.clone());
            asked.spawn(async move {
                let body = json!({"userId": rider.id, "carId": car});
                let key = format!("{}-{car}", rider.id);
                let reply = machine.insist("/open/v1/rider/unlock", &body, &key).await;
                (rider.id, car, reply)
            });
        }
    }
    let mut won: Vec<(String, String)> = Vec::new();
    while let Some(done) = asked.join_next().await {
        let (rider, car, reply) = done.unwrap();
        let begun: Option<&Value> = reply.body["data"].get("orderId");
        if reply.body["suc"] == true && begun.is_some() {
            won.push((rider, car));
        }
    }
    let riders: BTreeSet<&str> = won.iter().map(|(rider, _)| rider.as_str()).collect();
    let cars: BTreeSet<&str> = won.iter().map(|(_, car)| car.as_str()).collect();
    assert_eq!((won.len(), riders.len(), cars.len()), (10, 10, 10), "{won:?}");
    let owner = scene.stack.owner().await;
    stream::settled(&owner).await;
    let rows: i64 =
        sqlx::query_scalar("select count(*) from read.ride_order").fetch_one(&owner).await.unwrap();
    assert_eq!(rows, 10, "no refused unlock leaves an order");
    // Who has opened one keeps it for minutes.
    let held: i64 = sqlx::query_scalar(
        "select count(*) from pg_stat_activity where datname = current_database() and application_name like 'wheelhouse%'",
    )
    .fetch_one(&owner)
    .await
    .unwrap();
    assert!((8..=i64::from(CONNECTIONS)).contains(&held), "{held} connections of at most {CONNECTIONS}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_asked_twice_under_one_key_is_done_once_and_answered_alike() {
    let mut scene = Scene::build(1).await;
    let rider = Rider::come(&scene.machine, &scene.city.area.clone(), "frieda").await;
    let of_rider = json!({"userId": rider.id});
    let twice = async |machine: &Machine, path: &str, body: &Value| {
        let key = path.replace('/', "-");
        let path = format!("/open/v1/rider/{path}");
        let first = machine.post(&path, body, Some(&key)).await.unwrap();
        assert_eq!(first.body["suc"], true, "{path}: {}", first.body);
        let second = machine.post(&path, body, Some(&key)).await.unwrap();
        assert_eq!(second.body["data"], first.body["data"], "{path}: {}", second.body);
    };
    let ride = scene.rides_off(&rider, 0).await;
    let bike = scene.bike(0).clone();
    scene.lines[0].report(&bike.imei, scene.city.lat, scene.city.lng, 87, true).await;
    let of_ride = json!({"userId": rider.id, "orderId": ride.order});
    twice(&scene.machine, "return", &of_ride).await;
    let owed = ride.order(&scene.machine).await["owedCents"].as_i64().unwrap();
    assert!(owed > 0, "in a no-stop zone a fee is due");
    let body = json!({"userId": rider.id, "orderId": ride.order, "channel": 3, "agreed": true});
    twice(&scene.machine, "pay-by-channel", &body).await;
    ride.until(&scene.machine, "it is paid", |order| order["state"] == 4).await;
    // Asked once more, now that nothing is owed.
    twice(&scene.machine, "pay-by-channel", &body).await;
    let body = json!({"userId": rider.id, "channel": 3, "agreed": true, "amountCents": 2000});
    twice(&scene.machine, "top-up", &body).await;
    eventually("his money came", Duration::from_mins(1), async || {
        let account = rider.account(&scene.machine).await;
        (account["rechargeCents"] == 2000).then_some(())
    })
    .await;
    twice(&scene.machine, "balance/refund", &of_rider).await;
    let next = scene.rides_off(&rider, 0).await;
    twice(&scene.machine, "cancel", &json!({"userId": rider.id, "orderId": next.order})).await;
    scene.balances().await;
}
