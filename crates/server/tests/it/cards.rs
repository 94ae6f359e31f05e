//! Cards: put on sale, bought by many at once, used up by nobody else, given back; and the ledger that sums to nothing after
//! each.

use std::sync::Arc;
use std::time::Duration;

use kernel::{CommandContext, Foundation, MasterKey, PoolSizes, Pools, Runtime, Stored};
use ledger::{AccountKind, Book, BookCommand, Cause, Entry, Holder, Posting};
use riding::read::orders::OrderRow;
use serde_json::{Value, json};
use sqlx::PgPool;
use vocabulary::{AgentId, AreaId, Clock, RideOrderId, RiderId, Snowflake, SystemClock};

use crate::city::City;
use crate::client::{Browser, Machine, Reply, plain};
use crate::rides::imbalance;
use crate::stack::{ADMIN, Stack, eventually, put_orders};

const SIZES: PoolSizes = PoolSizes { owner: 2, app: 6, projector: 4, feed: 2 };
const BUY: &str = "/open/v1/rider/cards/buy";

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_else(|| panic!("no text: {value}")).to_owned()
}

/// A desk beside the server's, for what has no port of its own: money that is in a wallet.
async fn beside(stack: &Stack) -> Runtime {
    let pools = Pools::connect(&stack.database_url(), SIZES).await.expect("PostgreSQL answers");
    let clock: Arc<dyn Clock> = Arc::new(SystemClock);
    let ids = Arc::new(Snowflake::new(SystemClock, 900));
    let foundation = Foundation::new(pools, MasterKey::new([7; 32]), clock, ids);
    Runtime::open(foundation).await.expect("a second runtime")
}

/// What programs of riders do.
struct Riders {
    machine: Machine,
    token: String,
    url: String,
    runtime: Runtime,
    area: String,
}

impl Riders {
    async fn come(&self, number: usize) -> String {
        let body = json!({"opAreaId": self.area, "phone": format!("1371235{number:04}"), "channel": 1});
        text(&self.machine.ok("/open/v1/rider/register", &body).await["userId"])
    }

    /// Puts money into a wallet: what he paid, or what he was given.
    async fn fill(&self, rider: &str, kind: AccountKind, amount_cents: i64) {
        let holder = Holder::rider(RiderId(rider.parse().unwrap()));
        let other =
            if kind == AccountKind::Present { AccountKind::GiftCost } else { AccountKind::Adjustment };
        let now = SystemClock.now();
        let entry = Entry {
            cause: Cause::new("test-fill", format!("{rider}-{}", kind.number())).unwrap(),
            at: now,
            area_id: None,
            hold: None,
            postings: vec![Posting::debit(other, amount_cents), Posting::credit(kind, amount_cents)],
        };
        let ctx = CommandContext::of_system("test", now);
        self.runtime
            .desk
            .execute::<Book>(&holder, BookCommand::Post(entry), &ctx)
            .await
            .expect("it balances");
    }

    async fn get(&self, path: &str, rider: &str) -> Value {
        let bearer = format!("Bearer {}", self.token);
        let headers = [("authorization", bearer.as_str())];
        plain(&self.url, "GET", &format!("{path}?userId={rider}"), &headers, None)
            .await
            .expect("an answer")
            .data()
    }

    async fn buy(&self, rider: &str, product: &str, number: i64) -> Reply {
        let body = json!({"userId": rider, "productId": product, "number": number});
        self.machine.post(BUY, &body, None).await.expect("an answer")
    }

    async fn recharge_cents(&self, rider: &str) -> i64 {
        self.get("/open/v1/rider/account", rider).await["rechargeCents"].as_i64().expect("cents")
    }
}

async fn scene(letter: &str, index: u32) -> (Stack, crate::stack::Node, City, Browser, Riders) {
    let (stack, node) = Stack::serving().await;
    let machine = Machine::new(&node.url, &stack.full_machine().await);
    let city = City::build(&machine, letter, index, 1).await;
    let token = stack.machine_token("rider", "open:rider,open:territory").await;
    let admin = Browser::signed_in(&node.url, ADMIN).await;
    let riders = Riders {
        machine: Machine::new(&node.url, &token),
        token: token.trim().to_owned(),
        url: node.url.clone(),
        runtime: beside(&stack).await,
        area: city.area.clone(),
    };
    (stack, node, city, admin, riders)
}

fn card(agent: &str, name: &str, kind: i64, price_cents: i64) -> Value {
    json!({"agentId": agent, "kind": kind, "name": name, "days": 30, "times": 5, "isTotalTimes": true,
        "priceCents": price_cents, "originPriceCents": price_cents})
}

/// Sums of a kind of account, once it is so.
async fn sums_to(owner: &PgPool, column: &'static str, expected: i64) {
    let sum = format!("select coalesce(sum({column}), 0)::bigint from read.ledger_entry");
    eventually(column, Duration::from_secs(30), async || {
        let found: i64 = sqlx::query_scalar(sqlx::AssertSqlSafe(sum.clone())).fetch_one(owner).await.ok()?;
        (found == expected).then_some(())
    })
    .await;
    assert_eq!(imbalance(owner).await, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn fifty_buyers_of_five_cards_get_five() {
    let (stack, _node, city, admin, riders) = scene("C", 1).await;
    let form = json!({"stock": 5, "limitPerRider": 1});
    let mut wanted = card(&city.agent, "限量次卡", 4, 990);
    wanted.as_object_mut().unwrap().extend(form.as_object().unwrap().clone());
    let product = text(&riders.machine.ok("/open/v1/cards", &wanted).await["id"]);
    let again = riders.machine.ok("/open/v1/cards", &wanted).await;
    assert_eq!(text(&again["id"]), product, "the same again is the same card");

    let mut buyers = Vec::new();
    for number in 0..50 {
        let rider = riders.come(number).await;
        riders.fill(&rider, AccountKind::Recharge, 1_000).await;
        buyers.push(rider);
    }
    let riders = Arc::new(riders);
    let buying = buyers.iter().cloned().map(|rider| {
        let (riders, product) = (Arc::clone(&riders), product.clone());
        tokio::spawn(async move { riders.buy(&rider, &product, 1).await })
    });
    let buying: Vec<_> = buying.collect();
    let mut codes: Vec<String> = Vec::new();
    for one in buying {
        let reply = one.await.unwrap();
        assert_eq!(reply.status, 200, "{}", reply.body);
        codes.push(if reply.body["suc"] == true { "bought".to_owned() } else { reply.code().to_owned() });
    }
    codes.sort();
    let count = |code: &str| codes.iter().filter(|one| *one == code).count();
    assert_eq!((count("bought"), count("card-sold-out")), (5, 45), "{codes:?}");

    let owner = stack.owner().await;
    sums_to(&owner, "card_income_cents", 5 * 990).await;
    sums_to(&owner, "recharge_cents", 50 * 1_000 - 5 * 990).await;
    let row = admin.ok("GET", "/marketing/card/info", json!({"id": product})).await;
    assert_eq!(
        (&row["sold"], &row["left"], &row["soldCents"]),
        (&json!(5), &json!(0), &json!(4_950)),
        "{row}"
    );
    let held =
        admin.ok("GET", "/user/card", json!({"productId": product, "state": "1", "pageSize": "200"})).await;
    assert_eq!(held["count"], 5, "{held}");
    riders.runtime.close();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_card_is_drafted_published_bought_and_given_back() {
    let (stack, _node, city, admin, riders) = scene("D", 2).await;
    let rider = riders.come(1).await;
    let mut draft = card(&city.agent, "月卡", 4, 1_000);
    draft["draft"] = json!(true);
    let product = text(&admin.ok("POST", "/marketing/card", draft.clone()).await["id"]);
    let on_sale =
        async || riders.get("/open/v1/rider/cards", &rider).await["rows"].as_array().unwrap().clone();
    assert!(on_sale().await.is_empty(), "a draft is sold to nobody");
    let version = async || {
        let row = admin.ok("GET", "/marketing/card/info", json!({"id": product})).await;
        row["version"].as_i64().expect("a version")
    };
    let publish = json!({"id": product, "version": version().await});
    admin.ok("POST", "/marketing/card/publish", publish).await;
    let shown = on_sale().await;
    assert_eq!(
        (shown.len(), &shown[0]["priceCents"], &shown[0]["number"]),
        (1, &json!(1_000), &json!(1)),
        "{shown:?}"
    );

    // What he was given buys no cards.
    riders.fill(&rider, AccountKind::Present, 5_000).await;
    assert_eq!(riders.buy(&rider, &product, 1).await.code(), "ledger-short");
    riders.fill(&rider, AccountKind::Recharge, 5_000).await;
    // Nor does he buy what he did not see.
    let mut dearer = draft.clone();
    dearer["id"] = json!(product);
    dearer["version"] = json!(version().await);
    dearer["draft"] = json!(false);
    dearer["priceCents"] = json!(1_500);
    dearer["originPriceCents"] = json!(2_000);
    admin.ok("PUT", "/marketing/card", dearer).await;
    assert_eq!(riders.buy(&rider, &product, 1).await.code(), "card-changed");
    let back = json!({"id": product, "number": 1, "version": version().await});
    admin.ok("POST", "/marketing/card/rollback", back).await;
    let bought = riders.buy(&rider, &product, 3).await.data();
    let holding = text(&bought["holdingId"]);
    assert_eq!(riders.recharge_cents(&rider).await, 4_000);
    let versions = admin.ok("GET", "/marketing/card/versions", json!({"id": product})).await;
    let prices: Vec<i64> =
        versions["rows"].as_array().unwrap().iter().filter_map(|row| row["priceCents"].as_i64()).collect();
    assert_eq!(prices, [1_000, 1_500, 1_000]);

    let held = riders.get("/open/v1/rider/cards/holdings", &rider).await;
    let row = &held["rows"][0];
    assert_eq!(
        (&row["id"], &row["state"], &row["remainTimes"], &row["number"]),
        (&json!(holding), &json!(1), &json!(5), &json!(3)),
        "{row}"
    );
    let refund = |reason: &str, to: i64| json!({"userId": rider, "holdingId": holding, "refundTo": to, "reason": reason});
    let refused = async |body: Value| admin.call("POST", "/user/card/refund", body).await.code().to_owned();
    assert_eq!(refused(refund(" ", 1)).await, "cards-reason");
    assert_eq!(refused(refund("误购", 2)).await, "cards-no-payment");
    admin.ok("POST", "/user/card/refund", refund("误购", 1)).await;
    assert_eq!(refused(refund("误购", 1)).await, "cards-refunded");
    assert_eq!(riders.recharge_cents(&rider).await, 5_000);
    let page = admin.ok("GET", "/user/card", json!({"userId": rider})).await;
    assert_eq!(
        (&page["rows"][0]["state"], &page["rows"][0]["refundedCents"], &page["rows"][0]["refundReason"]),
        (&json!(3), &json!(1_000), &json!("误购")),
        "{page}"
    );
    let owner = stack.owner().await;
    sums_to(&owner, "card_refund_cents", 1_000).await;
    riders.runtime.close();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_membership_lets_its_rider_ride_as_long_as_it_lasts() {
    let (stack, _node, city, admin, riders) = scene("E", 3).await;
    let rider = riders.come(1).await;
    riders.fill(&rider, AccountKind::Recharge, 10_000).await;
    let product =
        text(&riders.machine.ok("/open/v1/cards", &card(&city.agent, "会员月卡", 5, 1_500)).await["id"]);
    let other =
        riders.machine.post("/open/v1/cards", &card(&city.agent, "会员月卡", 4, 1_500), None).await.unwrap();
    assert_eq!(other.code(), "card-different", "{}", other.body);
    let first = text(&riders.buy(&rider, &product, 1).await.data()["holdingId"]);
    let second = text(&riders.buy(&rider, &product, 1).await.data()["holdingId"]);

    let owner = stack.owner().await;
    let qualified = async |wanted: usize| {
        let until = "select qualified -> '2' from read.rider where rider_id = $1";
        eventually("his qualification is read", Duration::from_secs(30), async || {
            let found: Option<Value> =
                sqlx::query_scalar(until).bind(rider.parse::<i64>().unwrap()).fetch_one(&owner).await.ok()?;
            let days = found.and_then(|until| until.as_i64()).map_or(0, |until_ms| {
                usize::try_from((until_ms - SystemClock.now().millis()) / 86_400_000 + 1).unwrap_or(0)
            });
            (days == wanted).then_some(())
        })
        .await;
    };
    qualified(60).await;
    // What follows comes earlier; what has begun is for the support to take back.
    let take_back = async |holding: &str| {
        let body = json!({"userId": rider, "holdingId": holding});
        riders.machine.post("/open/v1/rider/cards/refund", &body, None).await.expect("an answer")
    };
    assert_eq!(take_back(&first).await.code(), "cards-touched");
    let refund = json!({"userId": rider, "holdingId": first, "refundTo": 1, "reason": "客户要求"});
    admin.ok("POST", "/user/card/refund", refund).await;
    qualified(30).await;
    let refund = json!({"userId": rider, "holdingId": second, "refundTo": 1, "reason": "客户要求"});
    admin.ok("POST", "/user/card/refund", refund).await;
    qualified(0).await;
    assert_eq!(riders.recharge_cents(&rider).await, 10_000);
    sums_to(&owner, "card_income_cents", 3_000).await;
    sums_to(&owner, "card_refund_cents", 3_000).await;
    riders.runtime.close();
}

#[tokio::test(flavor = "multi_thread")]
async fn each_page_keeps_the_cards_of_its_own_code() {
    let (_stack, _node, city, admin, riders) = scene("F", 4).await;
    for (name, kind) in [("次卡", 4), ("会员", 5)] {
        riders.machine.ok("/open/v1/cards", &card(&city.agent, name, kind, 990)).await;
    }
    let role = admin.new_role("会员运营", &["1705".to_owned()]).await;
    admin.new_operator("13712360001", &[&role], &city.agent).await;
    let clerk = Browser::signed_in(&admin.url, "13712360001").await;
    let page = clerk.ok("GET", "/marketing/card", json!({})).await;
    let names: Vec<&str> =
        page["rows"].as_array().unwrap().iter().filter_map(|row| row["name"].as_str()).collect();
    assert_eq!(names, ["会员"]);
    let theirs = admin.ok("GET", "/marketing/card", json!({"agentId": city.agent, "kind": "4"})).await;
    let id = &theirs["rows"][0]["id"];
    assert_eq!(clerk.call("POST", "/marketing/card/state", json!({"id": id, "state": 0})).await.status, 403);
    assert_eq!(clerk.call("GET", "/user/card", json!({})).await.status, 403);
    riders.runtime.close();
}

/// A ride of ten minutes that began so many hours ago: 2 yuan by the usual billing.
fn ridden(city: &City, order: i64, rider: i64, hours_ago: i64) -> OrderRow {
    let start_ms = SystemClock.now().millis() - hours_ago * 3_600_000;
    OrderRow {
        order_id: RideOrderId(order),
        user_id: RiderId(rider),
        agent_id: AgentId(city.agent.parse().unwrap()),
        op_area_id: AreaId(city.area.parse().unwrap()),
        opened_at: start_ms,
        start_at: Some(start_ms),
        end_at: Some(start_ms + 600_000),
        distance_m: 900,
        ..OrderRow::default()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_card_would_have_been_worth_is_told_before_it_is_published() {
    let (stack, node, city, admin, riders) = scene("S", 5).await;
    let elsewhere = City::build(&riders.machine, "T", 6, 0).await;
    // One rode eight times, one twice; others rode with another agent, before the month, or not to the end.
    let mut rides: Vec<OrderRow> = (0..8).map(|n| ridden(&city, n, 1, 20 * n + 1)).collect();
    rides.extend((0..2).map(|n| ridden(&city, 20 + n, 2, n + 1)));
    rides.push(ridden(&elsewhere, 30, 3, 1));
    rides.push(ridden(&city, 31, 1, 24 * 31));
    rides.push(OrderRow { end_at: None, ..ridden(&city, 32, 2, 0) });
    let owner = stack.owner().await;
    let rows: Vec<Value> = rides.iter().map(|row| row.stored().unwrap()).collect();
    put_orders(&owner, &rows).await;

    // Five uses at 7 yuan: of eight rides five are free, which is worth it to one.
    let product = text(&admin.ok("POST", "/marketing/card", card(&city.agent, "五次卡", 4, 700)).await["id"]);
    let path = "/marketing/card/simulation";
    let told = admin.ok("GET", path, json!({"id": product})).await;
    let worth = |price: i64, buyers: i64, saved: i64| json!({"priceCents": price, "riders": 2, "buyers": buyers, "savedCents": saved, "soldCents": buyers * price});
    assert_eq!(
        told,
        json!({"days": 30, "rides": 10, "riders": 2, "written": worth(700, 1, 1_000), "counts": null})
    );
    // Cheaper, as a draft: worth it to both. What counts stands beside it.
    let mut cheaper = card(&city.agent, "五次卡", 4, 300);
    let row = admin.ok("GET", "/marketing/card/info", json!({"id": product})).await;
    let more = json!({"id": product, "version": row["version"], "draft": true});
    cheaper.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    admin.ok("PUT", "/marketing/card", cheaper).await;
    let told = admin.ok("GET", path, json!({"id": product})).await;
    assert_eq!((&told["written"], &told["counts"]), (&worth(300, 2, 1_400), &worth(700, 1, 1_000)));

    // Another agent's people do not look at it; of their own they see their riders.
    let role = admin.new_role("卡运营", &["1703".to_owned()]).await;
    admin.new_operator("13712360002", &[&role], &elsewhere.agent).await;
    let stranger = Browser::signed_in(&node.url, "13712360002").await;
    assert_eq!(stranger.call("GET", path, json!({"id": product})).await.code(), "not-found");
    let own = card(&elsewhere.agent, "五次卡", 4, 900);
    let own = text(&stranger.ok("POST", "/marketing/card", own).await["id"]);
    let told = stranger.ok("GET", path, json!({"id": own})).await;
    assert_eq!((&told["rides"], &told["riders"]), (&json!(1), &json!(1)));
    riders.runtime.close();
}
