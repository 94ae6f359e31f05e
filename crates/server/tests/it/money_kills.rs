//! Riders pay, ride and get their money back while server, database, broker and payment provider are killed: no cent comes or goes
//! by it.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use payment_port::{Client, Moved, PaymentPort, Secret, Signer, day_of};
use reqwest::Method;
use serde_json::{Value, json};
use sqlx::PgPool;
use testkit::local::{Place, Signal, Supervised, free_port, http_get_ok};
use tokio::task::{JoinSet, block_in_place};
use vocabulary::{Clock, SystemClock, Timestamp};

use crate::bike::Bike;
use crate::city::{City, Enrolled};
use crate::client::Machine;
use crate::rider::Rider;
use crate::rides::balance;
use crate::stack::{MERCHANT, Stack, eventually, more};
use crate::stream;

const RIDERS: usize = 8;
/// More than a ride costs that ends in a no-stop zone: something is left to give back.
const TOP_UP_CENTS: i64 = 5_000;
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

/// Customers at work, until they are told to stop.
pub struct Crowd {
    riders: JoinSet<()>,
    stop: Arc<AtomicBool>,
    turns: Arc<AtomicUsize>,
}

impl Crowd {
    /// So many, who speak through these machines by turns.
    pub async fn gather(stack: &Stack, machines: &[Machine], letter: &str, riders: usize) -> Self {
        let machine = &machines[0];
        let city = City::build(machine, letter, 1, riders).await;
        let lines = city.on_line(stack, machine, (city.lat, city.lng)).await;
        let (stop, turns) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicUsize::new(0)));
        let mut riders = JoinSet::new();
        for (number, (bike, line)) in city.bikes.iter().zip(lines).enumerate() {
            let mut customer = Customer {
                machine: machines[number % machines.len()].clone(),
                rider: Rider::come(machine, &city.area, &format!("kill-{number}")).await,
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
        Self { riders, stop, turns }
    }

    /// Until as many turns more are over as there are customers.
    async fn go_on(&self) {
        self.go_on_by(RIDERS).await;
    }

    /// Until so many turns more are over.
    pub async fn go_on_by(&self, turns: usize) {
        more(&self.turns, turns, 2 * PATIENCE).await;
    }

    /// How many turns there were, once everybody was answered.
    pub async fn dismissed(mut self) -> usize {
        self.stop.store(true, Ordering::Relaxed);
        while let Some(rider) = self.riders.join_next().await {
            rider.expect("every rider was answered");
        }
        self.turns.load(Ordering::Relaxed)
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn no_cent_is_lost_or_made_when_servers_are_killed_amid_payments() {
    let stack = Stack::durable().await;
    let mut node = stack.node(None);
    let machine = Machine::new(&node.url, &stack.full_machine().await);
    let crowd = Crowd::gather(&stack, std::slice::from_ref(&machine), "K", RIDERS).await;
    crowd.go_on().await;
    for _ in 0..2 {
        let port = node.kill9();
        node = stack.node(Some(port));
        crowd.go_on().await;
        stack.postgres().kill9().await;
        stack.postgres().restart().await;
        crowd.go_on().await;
        stack.nats.kill9().await;
        stack.nats.restart().await;
        crowd.go_on().await;
    }
    let done = crowd.dismissed().await;
    accounts_agree(&stack.owner().await, done).await;
    drop(node);
}

/// A payment provider that is a process of its own.
struct OwnProvider {
    port: u16,
    secret: String,
    place: Place,
    process: Supervised,
}

impl OwnProvider {
    fn start(secret: String) -> Self {
        let (port, place) = block_in_place(|| (free_port().unwrap(), Place::throw_away().unwrap()));
        let process = Self::run(port, &secret, &place);
        Self { port, secret, place, process }
    }

    fn run(port: u16, secret: &str, place: &Place) -> Supervised {
        // All binaries of the workspace are built together.
        let program = Path::new(env!("CARGO_BIN_EXE_wheelhouse")).with_file_name("payment-simulator");
        let mut command = Command::new(program);
        command
            .args(["--listen", &format!("127.0.0.1:{port}"), "--lucky", "--state-file"])
            .arg(place.path().join("payments.jsonl"))
            .env("PAYMENT_MERCHANT", MERCHANT)
            .env("PAYMENT_SECRET", secret)
            .env_remove("RUST_LOG");
        block_in_place(|| {
            let mut process =
                Supervised::spawn("payment-simulator", command, place.path(), Signal::Term).unwrap();
            process.wait_until(Duration::from_secs(30), |_| http_get_ok(port, "/healthz")).unwrap();
            process
        })
    }

    fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// Kills it, leaves everybody without it for a while, and starts it again with what it had written down.
    async fn kill_and_restart(&mut self) {
        block_in_place(|| self.process.kill9());
        tokio::time::sleep(Duration::from_secs(2)).await;
        self.process = Self::run(self.port, &self.secret, &self.place);
    }

    /// What its statements of these days say: what came, by payment, and what went back, by refund, cents.
    async fn statement(&self, from: Timestamp, until: Timestamp) -> (Money, Money) {
        let signer = Signer::new(MERCHANT, Secret::new(&self.secret).unwrap()).unwrap();
        let client = Client::new(&self.url(), signer, Arc::new(SystemClock)).unwrap();
        let (mut came, mut went) = (Money::new(), Money::new());
        let mut day = day_of(from);
        while day <= day_of(until) {
            let mut after = None;
            loop {
                let page = client.statement(day, after.as_ref()).await.expect("a statement");
                for row in page.rows {
                    let (money, number) = match row.moved {
                        Moved::Payment => (&mut came, row.trade_no.as_str().to_owned()),
                        Moved::Refund { refund_no } => (&mut went, refund_no.as_str().to_owned()),
                    };
                    let known = money.insert(number.clone(), row.amount_cents.0);
                    assert_eq!(known, None, "{number} moved once");
                }
                after = page.next;
                if after.is_none() {
                    break;
                }
            }
            day = day.succ_opt().unwrap();
        }
        (came, went)
    }
}

/// Cents by number.
type Money = BTreeMap<String, i64>;

#[tokio::test(flavor = "multi_thread")]
async fn ledger_and_statement_agree_when_the_payment_provider_is_killed_amid_payments_and_refunds() {
    let stack = Stack::start().await;
    let mut provider = OwnProvider::start(stack.payment_secret());
    let begun = SystemClock.now();
    let node = stack.node_with(None, &[("PAYMENT_URL", &provider.url())]);
    let machine = Machine::new(&node.url, &stack.full_machine().await);
    let crowd = Crowd::gather(&stack, std::slice::from_ref(&machine), "P", RIDERS).await;
    crowd.go_on().await;
    for _ in 0..4 {
        provider.kill_and_restart().await;
        crowd.go_on().await;
    }
    let done = crowd.dismissed().await;
    let owner = stack.owner().await;
    accounts_agree(&owner, done).await;

    let (came, went) = provider.statement(begun, SystemClock.now()).await;
    let booked = async |cause: &str, sign: i64| -> Money {
        let rows: Vec<(String, i64)> = sqlx::query_as(
            "select split_part(cause, ':', 2), channel_cents from read.ledger_entry where what = $1 and channel_cents <> 0",
        )
        .bind(cause)
        .fetch_all(&owner)
        .await
        .unwrap();
        rows.into_iter().map(|(number, cents)| (number, sign * cents)).collect()
    };
    assert_eq!(booked("top-up", 1).await, came, "each payment of the statement is booked, and no other");
    assert_eq!(booked("went-back", -1).await, went, "each refund too");
    assert!(!came.is_empty() && !went.is_empty(), "money moved both ways");
    drop(node);
}

/// Everything has an end, the books balance, and hold what the channel told; there were so many turns.
pub async fn accounts_agree(owner: &PgPool, done: usize) {
    // What is on its way arrives: every payment and every refund has an end.
    eventually("nothing is on its way", PATIENCE, async || {
        stream::settled(owner).await;
        let due: i64 = sqlx::query_scalar(
            "select (select coalesce(sum(refund_due_cents), 0)::bigint from read.ledger_book)
                 + (select count(*) from read.payment where state = 0)",
        )
        .fetch_one(owner)
        .await
        .ok()?;
        (due == 0).then_some(())
    })
    .await;
    balance(owner).await;

    // What the channel holds is what it told that was paid, less what it told that went back.
    let (booked, told): (i64, i64) = sqlx::query_as(
        "select (select coalesce(sum(channel_cents), 0)::bigint from read.ledger_entry),
             (select coalesce(sum(amount_cents - refunding_cents), 0)::bigint from read.payment where state = 1)",
    )
    .fetch_one(owner)
    .await
    .unwrap();
    assert_eq!(booked, told);
    let (booked, paid): (i64, i64) = sqlx::query_as(
        "select (select count(*) from read.ledger_entry where what = 'top-up'),
             (select count(*) from read.payment where state = 1)",
    )
    .fetch_one(owner)
    .await
    .unwrap();
    assert_eq!(booked, paid, "what was paid is booked");
    assert!(paid >= i64::try_from(done).unwrap(), "{paid} of {done} top-ups are booked");
}
