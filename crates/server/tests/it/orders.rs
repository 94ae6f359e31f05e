//! Orders of the back-office: ended at the true time, priced again to the cent, given back by two people where it is much.

use std::sync::Arc;
use std::time::Duration;

use kernel::{CommandContext, Foundation, MasterKey, PoolSizes, Pools, Runtime};
use ledger::{AccountKind, Book, BookCommand, Cause, Entry, Holder, Posting};
use serde_json::{Value, json};
use vocabulary::{Clock, RiderId, Snowflake, SystemClock};

use crate::bike::Bike;
use crate::city::City;
use crate::client::{Browser, Machine};
use crate::rider::{Ride, Rider};
use crate::rides::balance;
use crate::stack::{ADMIN, Node, Stack, eventually};
use crate::stream;

const PATIENCE: Duration = Duration::from_mins(1);
const SIZES: PoolSizes = PoolSizes { owner: 2, app: 6, projector: 4, feed: 2 };
const LIST: &str = "/order/list";
const DECIDE: &str = "/platform/approval/decide";

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_else(|| panic!("no text: {value}")).to_owned()
}

fn number(value: &Value) -> i64 {
    value.as_i64().unwrap_or_else(|| panic!("no number: {value}"))
}

fn codes(list: &[&str]) -> Vec<String> {
    list.iter().map(|code| (*code).to_owned()).collect()
}

/// A city with bikes that are heard of, the administrator and a second person.
pub struct Office {
    pub stack: Stack,
    pub node: Node,
    pub machine: Machine,
    pub city: City,
    pub lines: Vec<Bike>,
    pub admin: Browser,
    pub second: Browser,
    pub runtime: Runtime,
}

impl Office {
    pub async fn open(bikes: usize) -> Self {
        let (stack, node) = Stack::serving().await;
        let machine = Machine::new(&node.url, &stack.full_machine().await);
        let city = City::build(&machine, "O", 1, bikes).await;
        let lines = city.on_line(&stack, &machine, (city.lat, city.lng)).await;
        let admin = Browser::signed_in(&node.url, ADMIN).await;
        let role = admin.new_role("客服", &codes(&["07", "1601"])).await;
        admin.new_operator("13700000061", &[&role], "0").await;
        let second = Browser::signed_in(&node.url, "13700000061").await;
        let pools = Pools::connect(&stack.database_url(), SIZES).await.expect("PostgreSQL answers");
        let clock: Arc<dyn Clock> = Arc::new(SystemClock);
        let ids = Arc::new(Snowflake::new(SystemClock, 901));
        let runtime = Runtime::open(Foundation::new(pools, MasterKey::new([7; 32]), clock, ids)).await;
        let runtime = runtime.expect("a second runtime");
        Self { stack, node, machine, city, lines, admin, second, runtime }
    }

    /// Puts money into a wallet.
    pub async fn fill(&self, rider: &Rider, amount_cents: i64) {
        let holder = Holder::rider(RiderId(rider.id.parse().unwrap()));
        let now = SystemClock.now();
        let entry = Entry {
            cause: Cause::new("test-fill", &rider.id).unwrap(),
            at: now,
            area_id: None,
            hold: None,
            postings: vec![
                Posting::debit(AccountKind::Adjustment, amount_cents),
                Posting::credit(AccountKind::Recharge, amount_cents),
            ],
        };
        let ctx = CommandContext::of_system("test", now);
        self.runtime
            .desk
            .execute::<Book>(&holder, BookCommand::Post(entry), &ctx)
            .await
            .expect("it balances");
    }

    /// A ride of a while on a bike, that stands in a no-stop zone.
    pub async fn ride(&mut self, rider: &Rider, bike: usize) -> Ride {
        let enrolled = self.city.bikes[bike].clone();
        let ride = rider.ride_off(&self.machine, &enrolled, &mut self.lines[bike]).await;
        for _ in 0..3 {
            self.lines[bike].report(&enrolled.imei, self.city.lat, self.city.lng, 88, false).await;
            tokio::time::sleep(Duration::from_secs(1)).await;
        }
        ride
    }

    pub async fn info(&self, order: &str) -> Value {
        self.admin.ok("GET", &format!("/order/{order}"), json!({})).await
    }

    pub async fn refused(&self, path: &str, body: Value) -> String {
        self.admin.call("POST", path, body).await.code().to_owned()
    }

    async fn listed(&self, asked: Value) -> Vec<String> {
        let page = self.admin.ok("GET", LIST, asked).await;
        page["rows"].as_array().unwrap().iter().map(|row| text(&row["orderId"])).collect()
    }

    /// Everything that was booked sums to nothing, and what orders say is owed, books say too.
    pub async fn balances(&self) {
        let owner = self.stack.owner().await;
        stream::settled(&owner).await;
        balance(&owner).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_ride_is_ended_at_the_true_time_and_given_back_by_two() {
    let mut office = Office::open(1).await;
    let area = office.city.area.clone();
    let rider = Rider::come(&office.machine, &area, "olga").await;
    office.fill(&rider, 50_000).await;
    let ride = office.ride(&rider, 0).await;
    let order = ride.order.clone();
    let before = office.info(&order).await;
    let start = number(&before["startAt"]);
    assert_eq!((&before["state"], &before["actions"]["forceEnd"]), (&json!(1), &Value::Null), "{before}");
    assert!(before["actions"]["refund"].is_string());

    let end = |at: i64| json!({"orderId": order, "at": at, "reason": "用户来电，锁未上报", "version": before["version"]});
    assert_eq!(office.refused("/order/forceEnd", end(start - 1)).await, "order-too-early");
    assert_eq!(office.refused("/order/forceEnd", end(start + 86_400_000)).await, "order-too-late");
    let unsaid = json!({"orderId": order, "reason": " "});
    assert_eq!(office.refused("/order/forceEnd", unsaid).await, "order-reason");
    office.admin.ok("POST", "/order/forceEnd", end(start + 1500)).await;
    let ended = office.info(&order).await;
    assert_eq!(
        (number(&ended["endAt"]), &ended["endKind"], &ended["ridingS"]),
        (start + 1500, &json!(4), &json!(1))
    );
    assert_eq!((&ended["state"], &ended["class"]), (&json!(4), &json!(3)), "paid from the wallet: {ended}");
    let paid = number(&ended["paidCents"]);
    assert!(
        paid > 100 && ended["payCents"] == paid && ended["refundable"]["rechargeCents"] == paid,
        "{ended}"
    );
    assert!(!ended["evidence"]["reasons"].as_array().unwrap().is_empty());
    assert_eq!(ended["fence"]["fenceId"], office.city.fences[1]);
    let booked: Vec<&str> =
        ended["entries"].as_array().unwrap().iter().map(|entry| entry["what"].as_str().unwrap()).collect();
    assert_eq!(booked, ["ride", "ride-paid"]);
    let path = format!("/open/v1/rider/scan?carId={}", office.city.bikes[0].car);
    let free = async || (office.machine.get(&path).await.data()["rentable"] == true).then_some(());
    office.lines[0].report(&office.city.bikes[0].imei, office.city.lat, office.city.lng, 88, true).await;
    eventually("the bike is free", PATIENCE, free).await;

    // The fare follows from what was stored, to the cent; without the place it is less by just that.
    let replay = format!("/order/{order}/replay");
    let again = office.admin.ok("GET", &replay, json!({})).await;
    assert_eq!(
        (&again["same"], &again["computed"], &again["tried"]),
        (&json!(true), &ended["receipt"], &Value::Null)
    );
    let spared = office.admin.ok("GET", &replay, json!({"withoutPenalty": "true"})).await;
    assert_eq!(number(&spared["tried"]["payCents"]), paid - number(&ended["dispatchCents"]));
    let parked = office.admin.ok("GET", &replay, json!({"left": "0"})).await;
    assert_eq!(parked["tried"], spared["tried"]);
    let longer = office.admin.ok("GET", &replay, json!({"endTime": (start + 7_200_000).to_string()})).await;
    assert!(number(&longer["tried"]["payCents"]) > paid, "{longer}");

    // Its way is told, and who looked at it.
    let way = office.admin.ok("GET", &format!("/order/{order}/track"), json!({})).await;
    let points = way["points"].as_array().unwrap();
    assert!(points.iter().all(|point| (start..=start + 1500).contains(&number(&point["at"]))), "{way}");
    let log =
        office.admin.ok("GET", "/platform/aliyunlog/userlogs", json!({"pageSize": "50"})).await.to_string();
    assert!(log.contains("查看脱敏信息") && log.contains("order.track"), "{log}");

    // Never more than was paid, the same request once, and above the limit a second person.
    let refund = |cents: i64| json!({"orderId": order, "rideCents": cents, "reason": "误收调度费"});
    assert_eq!(office.refused("/order/refund", refund(paid + 1)).await, "order-refund-too-much");
    assert_eq!(office.refused("/order/refund", refund(0)).await, "order-amount");
    let more = json!({"orderId": order, "share": {"rechargeCents": paid - 1, "presentCents": 1, "thirdCents": 0}, "reason": "x"});
    assert_eq!(
        office.refused("/order/refund", more).await,
        "order-refund-too-much",
        "each part never above its own"
    );
    for _ in 0..2 {
        let done = office.admin.keyed_call("/order/refund", &refund(100), "refund-1").await.unwrap();
        assert_eq!(done.data(), json!({}));
    }
    assert_eq!(office.info(&order).await["refundCents"], 100, "once");
    let rules = json!([{"kind": "order.refund", "need": 1, "aboveCents": 100}]);
    let limits = json!({"agentId": office.city.agent, "rules": rules, "version": 0});
    office.admin.ok("POST", "/platform/approval/limits", limits).await;
    let asked = office.admin.ok("POST", "/order/refund", refund(paid - 100)).await;
    let waits = office.info(&order).await;
    assert_eq!((&waits["state"], &waits["refundCents"]), (&json!(4), &json!(100)), "nothing has moved");
    let accept = json!({"id": asked["approvalId"], "result": "accept"});
    assert_eq!(office.refused(DECIDE, accept.clone()).await, "approval-own");
    office.second.ok("POST", DECIDE, accept).await;
    let back = office.info(&order).await;
    assert_eq!((&back["state"], &back["refundCents"]), (&json!(6), &json!(paid)));
    let wallet = rider.account(&office.machine).await;
    assert_eq!(number(&wallet["rechargeCents"]), 50_000, "all of it is in his wallet again");
    office.balances().await;

    // What another agent's people see of it: nothing.
    let other = City::build(&office.machine, "P", 3, 0).await;
    let role = office.admin.new_role("他方客服", &codes(&["07", "1601"])).await;
    office.admin.new_operator("13700000062", &[&role], &other.agent).await;
    let stranger = Browser::signed_in(&office.node.url, "13700000062").await;
    assert_eq!(stranger.ok("GET", LIST, json!({})).await["count"], 0);
    for path in [format!("/order/{order}"), format!("/order/{order}/track"), replay] {
        assert_eq!(stranger.call("GET", &path, json!({})).await.code(), "not-found", "{path}");
    }
    for path in ["/order/forceEnd", "/order/cancel", "/order/writeOff"] {
        let body = json!({"orderId": order, "reason": "越权"});
        assert_eq!(stranger.call("POST", path, body).await.code(), "not-found", "{path}");
    }
    let refunding = stranger.call("POST", "/order/refund", refund(1)).await;
    assert_eq!(refunding.code(), "not-found");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_debt_is_lowered_by_one_and_given_up_by_two() {
    let mut office = Office::open(2).await;
    let area = office.city.area.clone();
    let rider = Rider::come(&office.machine, &area, "petra").await;
    let mistaken = Rider::come(&office.machine, &area, "quinn").await;
    let ride = office.ride(&rider, 0).await;
    let called_off = office.ride(&mistaken, 1).await;
    let why = |order: &str| json!({"orderId": order, "reason": "开锁后车辆无法骑行"});
    office.admin.ok("POST", "/order/cancel", why(&called_off.order)).await;
    let gone = office.info(&called_off.order).await;
    assert_eq!((&gone["state"], &gone["cancelReason"], &gone["payCents"]), (&json!(5), &json!(6), &json!(0)));
    assert_eq!(office.refused("/order/cancel", why(&called_off.order)).await, "order-not-now");

    office.admin.ok("POST", "/order/forceEnd", why(&ride.order)).await;
    let owing = office.info(&ride.order).await;
    let asked = number(&owing["payCents"]);
    assert_eq!((&owing["state"], &owing["owedCents"]), (&json!(3), &json!(asked)), "{owing}");
    let modify = |cents: i64, version: &Value| json!({"orderId": ride.order, "payCents": cents, "reason": "协商减免", "version": version});
    assert_eq!(office.refused("/order/modify", modify(asked + 1, &owing["version"])).await, "order-amount");
    assert_eq!(office.refused("/order/modify", modify(-1, &owing["version"])).await, "order-amount");
    assert_eq!(
        office.admin.ok("POST", "/order/modify", modify(asked - 50, &owing["version"])).await,
        json!({})
    );
    let stale = office.admin.call("POST", "/order/modify", modify(asked - 60, &owing["version"])).await;
    assert_eq!(stale.code(), "stale-version", "{}", stale.body);
    let lowered = office.info(&ride.order).await;
    assert_eq!((&lowered["isModified"], &lowered["owedCents"]), (&json!(true), &json!(asked - 50)));

    let waits = office.admin.ok("POST", "/order/writeOff", why(&ride.order)).await;
    assert_eq!(office.info(&ride.order).await["state"], 3, "it always takes two");
    let info = office
        .second
        .ok("GET", &format!("/platform/approval/{}", text(&waits["approvalId"])), json!({}))
        .await;
    assert!(info["outlook"].to_string().contains("核销欠款"), "{info}");
    office.second.ok("POST", DECIDE, json!({"id": waits["approvalId"], "result": "accept"})).await;
    let settled = office.info(&ride.order).await;
    assert_eq!((&settled["state"], &settled["writtenOffCents"]), (&json!(4), &json!(asked - 50)));
    assert!(settled["actions"]["refund"].is_string(), "nothing was paid: {}", settled["actions"]);
    office.balances().await;

    let ids = |orders: &[&Ride]| orders.iter().map(|ride| ride.order.clone()).collect::<Vec<_>>();
    assert_eq!(office.listed(json!({"keyword": ride.order})).await, ids(&[&ride]));
    assert_eq!(office.listed(json!({"keyword": mistaken.phone})).await, ids(&[&called_off]));
    assert_eq!(office.listed(json!({"modified": "true", "endKind": "4", "class": "3"})).await, ids(&[&ride]));
    assert_eq!(office.listed(json!({"refunded": "true"})).await, ids(&[]));
    assert_eq!(office.listed(json!({"minCents": "1"})).await, ids(&[&ride]));
    assert_eq!(office.listed(json!({"sort": "-payCents"})).await, ids(&[&ride, &called_off]));
    assert_eq!(office.listed(json!({"sort": "payCents", "maxCents": "0"})).await, ids(&[&called_off]));
    let log =
        office.admin.ok("GET", "/platform/aliyunlog/userlogs", json!({"pageSize": "100"})).await.to_string();
    for act in ["取消订单", "修改订单金额", "核销订单欠款", "说明原因", "还车"] {
        assert!(log.contains(act), "{act}: {log}");
    }
}
