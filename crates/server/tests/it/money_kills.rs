//! Riders pay, ride and get their money back while server, database and broker are killed: no cent comes or goes by it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use reqwest::Method;
use serde_json::{Value, json};
use tokio::task::JoinSet;

use crate::bike::Bike;
use crate::city::{City, Enrolled};
use crate::client::Machine;
use crate::rider::Rider;
use crate::rides::balance;
use crate::stack::{Stack, eventually, more};
use crate::stream;

const RIDERS: usize = 8;
const TOP_UP_CENTS: i64 = 2_000;
/// What is not answered after this never is.
const PATIENCE: Duration = Duration::from_mins(2);

/// Somebody who tops up, rides and asks for the rest of his money, over and over, and never asks anything anew before he was
/// answered.
struct Customer {
    machine: Machine,
    rider: Rider,
    bike: Enrolled,
    line: Bike,
    place: (f64, f64),
    asked: usize,
}

impl Customer {
    /// Sends until there is an answer, under one key.
    async fn ask(&mut self, what: &str, body: &Value) -> Value {
        self.asked += 1;
        let key = format!("{}-{}", self.rider.id, self.asked);
        self.machine.insist(&format!("/open/v1/rider/{what}"), body, &key).await.body
    }

    /// How something stands, as soon as it is so.
    async fn until(&self, path: &str, what: &str, so: impl Fn(&Value) -> bool) -> Value {
        let path = format!("/open/v1/rider/{path}");
        let begun = Instant::now();
        loop {
            if let Ok(reply) = self.machine.try_send(Method::GET, &path).await
                && reply.body["suc"] == true
                && so(&reply.body["data"])
            {
                return reply.body["data"].clone();
            }
            assert!(begun.elapsed() < PATIENCE, "waited for: {what}");
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    }

    /// One turn; what was answered with "no" is left there.
    async fn turn(&mut self) {
        let user = self.rider.id.clone();
        let top_up = json!({"userId": user, "channel": 3, "agreed": true, "amountCents": TOP_UP_CENTS});
        let payment = self.ask("top-up", &top_up).await;
        assert_eq!(payment["suc"], true, "{payment}");
        let payment = payment["data"]["paymentId"].as_str().expect("an id").to_owned();
        let path = format!("payment?userId={user}&paymentId={payment}");
        self.until(&path, "the payment is settled", |payment| payment["state"] != 0).await;

        let order = self.ask("unlock", &json!({"userId": user, "carId": self.bike.car})).await;
        // Offline while the broker is away, say; his money is not lost by it.
        let Some(order) = order["data"]["orderId"].as_str().map(str::to_owned) else { return };
        let command = tokio::time::timeout(Duration::from_secs(5), self.line.down.recv()).await;
        if command.is_ok() {
            self.line.answer(&self.bike.imei, &order, 0).await;
        }
        let path = format!("order?userId={user}&orderId={order}");
        let begun = self
            .until(&path, "it begins or is called off", |order| {
                order["state"] != 1 || order["isUnlocking"] == false
            })
            .await;
        if begun["state"] == 1 {
            let of_order = json!({"userId": user, "orderId": order});
            let returning = Instant::now();
            loop {
                let (lat, lng) = self.place;
                self.line.report(&self.bike.imei, lat, lng, 80, true).await;
                if self.ask("return", &of_order).await["suc"] == true {
                    break;
                }
                assert!(returning.elapsed() < PATIENCE, "a bike is never given back");
                tokio::time::sleep(Duration::from_millis(200)).await;
            }
        }
        while self.line.down.try_recv().is_ok() {}
        // Refused where he owes or has nothing left; both are looked at in the end.
        self.ask("balance/refund", &json!({"userId": user})).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn no_cent_is_lost_or_made_when_servers_are_killed_amid_payments() {
    let stack = Stack::durable().await;
    let mut node = stack.node(None);
    let machine = Machine::new(&node.url, &stack.full_machine().await);
    let city = City::build(&machine, "K", 1, RIDERS).await;
    let lines = city.on_line(&stack, &machine, (city.lat, city.lng)).await;
    let stop = Arc::new(AtomicBool::new(false));
    let turns = Arc::new(AtomicUsize::new(0));
    let mut riders = JoinSet::new();
    for (number, (bike, line)) in city.bikes.iter().zip(lines).enumerate() {
        let mut customer = Customer {
            machine: machine.clone(),
            rider: Rider::come(&machine, &city.area, &format!("kill-{number}")).await,
            bike: bike.clone(),
            line,
            place: (city.lat, city.lng),
            asked: 0,
        };
        let (stop, turns) = (Arc::clone(&stop), Arc::clone(&turns));
        riders.spawn(async move {
            while !stop.load(Ordering::Relaxed) {
                customer.turn().await;
                turns.fetch_add(1, Ordering::Relaxed);
            }
        });
    }
    more(&turns, RIDERS, 2 * PATIENCE).await;
    for _ in 0..2 {
        let port = node.kill9();
        node = stack.node(Some(port));
        more(&turns, RIDERS, 2 * PATIENCE).await;
        stack.postgres().kill9().await;
        stack.postgres().restart().await;
        more(&turns, RIDERS, 2 * PATIENCE).await;
        stack.nats.kill9().await;
        stack.nats.restart().await;
        more(&turns, RIDERS, 2 * PATIENCE).await;
    }
    stop.store(true, Ordering::Relaxed);
    while let Some(rider) = riders.join_next().await {
        rider.expect("every rider was answered");
    }
    let owner = stack.owner().await;
    // What is on its way arrives: every payment and every refund has an end.
    eventually("nothing is on its way", PATIENCE, async || {
        stream::settled(&owner).await;
        let due: i64 = sqlx::query_scalar(
            "select (select coalesce(sum(refund_due_cents), 0)::bigint from read.ledger_book)
                 + (select count(*) from read.payment where state = 0)",
        )
        .fetch_one(&owner)
        .await
        .ok()?;
        (due == 0).then_some(())
    })
    .await;
    balance(&owner).await;

    // What the channel holds is what it told that was paid, less what it told that went back.
    let (booked, told): (i64, i64) = sqlx::query_as(
        "select (select coalesce(sum(channel_cents), 0)::bigint from read.ledger_entry),
             (select coalesce(sum(amount_cents - refunding_cents), 0)::bigint from read.payment where state = 1)",
    )
    .fetch_one(&owner)
    .await
    .unwrap();
    assert_eq!(booked, told);
    let (booked, paid): (i64, i64) = sqlx::query_as(
        "select (select count(*) from read.ledger_entry where what = 'top-up'),
             (select count(*) from read.payment where state = 1)",
    )
    .fetch_one(&owner)
    .await
    .unwrap();
    assert_eq!(booked, paid, "what was paid is booked");
    let done = turns.load(Ordering::Relaxed);
    assert!(paid >= i64::try_from(done).unwrap(), "{paid} of {done} top-ups are booked");
    drop(node);
}
