//! Orders that a wrong version priced: found, given back by two people order by order, once, whatever is killed meanwhile.

use std::time::Duration;

use geofence::judge::ReturnClass;
use kernel::{AnyRefusal, CommandContext, CommandError, Transaction};
use ledger::{Book, BookCommand, Holder};
use riding::model::billing::Billing;
use riding::model::fare::{Benefits, Left, Ridden, fare};
use riding::model::money;
use riding::model::order::{
    End, EndKind, Evidence, FenceVersion, Opened, Order, OrderCommand, Pricing, Share,
};
use serde_json::{Value, json};
use vocabulary::{Clock, FenceId, RideOrderId, RiderId, SystemClock, Timestamp, Wgs84};

use crate::city::City;
use crate::client::Browser;
use crate::orders::Office;
use crate::rider::Rider;
use crate::stack::eventually;

const FIND: &str = "/order/mispricing/find";
const LIST: &str = "/order/mispricing/list";
const ORDERS: &str = "/order/mispricing/order/list";
const REFUND: &str = "/order/mispricing/refund";
const DECIDE: &str = "/platform/approval/decide";
const PATIENCE: Duration = Duration::from_mins(2);
const HOUR_MS: i64 = 3_600_000;

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_else(|| panic!("no text: {value}")).to_owned()
}

fn number(value: &Value) -> i64 {
    value.as_i64().unwrap_or_else(|| panic!("no number: {value}"))
}

/// That the city's ban should not have been there.
fn without_ban(city: &City) -> Value {
    let now = SystemClock.now().millis();
    json!({"opAreaId": city.area, "subject": 2, "fenceId": city.fences[1], "version": 1, "instead": null,
        "from": now - 24 * HOUR_MS, "until": now + HOUR_MS})
}

async fn case_of(by: &Browser, id: &str) -> Value {
    by.ok("GET", &format!("/order/mispricing/{id}"), json!({})).await
}

async fn orders_of(by: &Browser, id: &str) -> Vec<Value> {
    let asked = json!({"mispricingId": id, "pageSize": "200"});
    by.ok("GET", ORDERS, asked).await["rows"].as_array().unwrap().clone()
}

/// Waits until every order of a case is settled.
async fn done(by: &Browser, id: &str) -> Value {
    eventually("every order is settled", PATIENCE, async || {
        let case = case_of(by, id).await;
        (case["state"] == 2).then_some(case)
    })
    .await
}

impl Office {
    /// The same with a server that was killed and started again.
    fn killed(self) -> Self {
        let port = self.node.kill9();
        Self { node: self.stack.node(Some(port)), ..self }
    }

    /// A ride that ended in the ban, paid where the rider's wallet holds enough.
    async fn banned(&mut self, rider: &Rider, bike: usize) -> (String, i64) {
        let ride = self.ride(rider, bike).await;
        self.admin.ok("POST", "/order/forceEnd", json!({"orderId": ride.order, "reason": "用户来电"})).await;
        let order = self.info(&ride.order).await;
        assert_eq!(order["class"], 3, "{order}");
        (ride.order, number(&order["dispatchCents"]))
    }

    async fn two_for_all(&self) {
        let rules = json!([{"kind": "order.refund-mispriced", "need": 1, "aboveCents": 100}]);
        let limits = json!({"agentId": self.city.agent, "rules": rules, "version": 0});
        self.admin.ok("POST", "/platform/approval/limits", limits).await;
    }

    async fn found(&self, asked: Value) -> String {
        text(&self.admin.ok("POST", FIND, asked).await["id"])
    }

    /// An order of the past that was paid from the wallet, ridden for ten minutes and left in the ban.
    async fn past(&self, rider: &Rider, at: Timestamp) -> RideOrderId {
        self.past_in(&self.city.area, (&self.city.fences[1], self.city.lng), rider, at).await
    }

    /// The same of a ride that began in this area and was left in this ban, so far east.
    async fn past_in(
        &self,
        area: &str,
        (ban, lng): (&str, f64),
        rider: &Rider,
        at: Timestamp,
    ) -> RideOrderId {
        let (order_id, rider_id) =
            (RideOrderId(self.runtime.ids.next_id()), RiderId(rider.id.parse().unwrap()));
        let opened = Opened {
            order_id,
            rider_id,
            car_id: "O00000".to_owned(),
            imei: "860000000000001".to_owned(),
            agent_id: self.city.agent.parse().unwrap(),
            area_id: area.parse().unwrap(),
            place: None,
            rider_place: None,
        };
        let area = opened.area_id;
        let ridden = Ridden { start_at: at.plus_millis(-600_000), end_at: at, distance_m: 900 };
        let left = Left::NoStop((ban != self.city.fences[1]).then_some(5_000));
        let receipt = fare(&Billing::default(), &ridden, &left, false, &Benefits::default());
        let pay_cents = receipt.pay_cents;
        let fence_id = FenceId(ban.parse().unwrap());
        let end = End {
            at,
            kind: EndKind::Rider,
            place: Wgs84::new(self.city.lat, lng).ok(),
            distance_m: 900,
            class: ReturnClass::NoStop,
            fence: Some(FenceVersion { fence_id, data_version: 1 }),
            certainty_percent: 99,
            evidence: Evidence { hdop: Some(0.9), ..Evidence::default() },
        };
        let pricing = Pricing {
            billing_version: 0,
            ridden,
            left,
            helmet_missing: false,
            benefits: Benefits::default(),
            receipt: receipt.clone(),
        };
        let share = Share { recharge_cents: pay_cents, ..Share::default() };
        let riding = async |mut tx: Transaction| -> Result<_, CommandError<AnyRefusal>> {
            let unlock = OrderCommand::Unlock { opened: opened.clone(), billing_version: 0 };
            let pay = OrderCommand::Pay { share, channel: 0, payment: None };
            for command in [OrderCommand::Return(end.clone()), OrderCommand::Price(pricing.clone()), pay] {
                if matches!(command, OrderCommand::Return(_)) {
                    tx.execute::<Order>(&order_id, unlock.clone()).await?;
                    tx.execute::<Order>(&order_id, OrderCommand::Begin).await?;
                }
                tx.execute::<Order>(&order_id, command).await?;
            }
            let holder = Holder::rider(rider_id);
            let booked =
                [money::fare(order_id, area, at, &receipt), money::paid(order_id, 5, area, at, &share, 0)];
            for entry in booked.into_iter().flatten() {
                tx.execute::<Book>(&holder, BookCommand::Post(entry)).await?;
            }
            Ok(tx)
        };
        let ctx = CommandContext::of_system("past", ridden.start_at);
        self.runtime.desk.transact(&ctx, riding).await.expect("a ride of the past");
        order_id
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wrong_ban_is_given_back_by_two_and_what_the_world_overtook_is_told() {
    let mut office = Office::open(4).await;
    let area = office.city.area.clone();
    let [paid, owing, refunded, settles] = ["uta", "vera", "wilma", "xenia"];
    let mut riders = Vec::new();
    for (name, has_money) in [(paid, true), (owing, false), (refunded, true), (settles, false)] {
        let rider = Rider::come(&office.machine, &area, name).await;
        if has_money {
            office.fill(&rider, 50_000).await;
        }
        riders.push(rider);
    }
    let mut orders = Vec::new();
    for (bike, rider) in riders.iter().enumerate() {
        orders.push(office.banned(rider, bike).await);
    }
    let fee = orders[0].1;
    assert!(fee > 100 && orders.iter().all(|(_, cents)| *cents == fee), "{orders:?}");
    let before: Vec<i64> = {
        let mut all = Vec::new();
        for (order, _) in &orders {
            all.push(number(&office.info(order).await["payCents"]));
        }
        all
    };

    // What may have been wrong is chosen from what there was.
    let of_area = json!({ "opAreaId": area });
    let fences = office.admin.ok("GET", "/order/mispricing/fences", of_area).await;
    assert_eq!(fences.as_array().unwrap().len(), 2, "{fences}");
    let versions = json!({"opAreaId": area, "subject": "2", "fenceId": office.city.fences[1]});
    let versions = office.admin.ok("GET", "/order/mispricing/versions", versions).await;
    assert_eq!(
        (&versions[0]["version"], &versions[0]["note"]),
        (&json!(1), &json!("O 禁停区")),
        "{versions}"
    );
    for (what, unsound) in [("version", json!(7)), ("instead", json!(1)), ("subject", json!(1))] {
        let mut asked = without_ban(&office.city);
        asked[what] = unsound;
        assert_eq!(office.refused(FIND, asked).await, "mispricing-unsound", "{what}");
    }
    let mut long = without_ban(&office.city);
    long["from"] = json!(number(&long["until"]) - 100 * 24 * HOUR_MS);
    assert_eq!(office.refused(FIND, long).await, "malformed");

    // Every order that it priced is found, and nothing moves by looking.
    let id = office.found(without_ban(&office.city)).await;
    let case = case_of(&office.admin, &id).await;
    assert_eq!(
        (number(&case["orders"]), number(&case["riders"]), number(&case["higherOrders"]), &case["isCapped"]),
        (4, 4, 0, &json!(false)),
        "{case}"
    );
    assert_eq!((number(&case["backCents"]), number(&case["lowerCents"])), (2 * fee, 2 * fee), "{case}");
    let rows = orders_of(&office.admin, &id).await;
    assert_eq!(rows.len(), 4);
    for row in &rows {
        assert_eq!(number(&row["pricedCents"]) - number(&row["shouldCents"]), fee, "{row}");
        assert_eq!(number(&row["backCents"]) + number(&row["lowerCents"]), fee, "{row}");
    }
    // The same ban in its place changes nothing; with none at all nobody would have stood outside either.
    let parking = json!({"fenceId": office.city.fences[0]});
    let mut asked = without_ban(&office.city);
    asked["fenceId"] = parking["fenceId"].clone();
    let other = office.found(asked).await;
    let other = case_of(&office.admin, &other).await;
    assert_eq!(
        (number(&other["orders"]), number(&other["higherOrders"])),
        (0, 0),
        "the ban came first: {other}"
    );
    let empty = json!({"id": other["id"], "reason": "x"});
    assert_eq!(office.refused(REFUND, empty).await, "mispricing-nothing");
    office.admin.ok("POST", "/order/mispricing/discard", json!({"id": other["id"]})).await;

    // Another agent's people see nothing of it, and look at nothing here.
    let city = City::build(&office.machine, "P", 3, 0).await;
    let codes = ["07", "1601"].map(str::to_owned);
    let role = office.admin.new_role("他方客服", &codes).await;
    office.admin.new_operator("13700000063", &[&role], &city.agent).await;
    let stranger = Browser::signed_in(&office.node.url, "13700000063").await;
    assert_eq!(stranger.ok("GET", LIST, json!({})).await["count"], 0);
    assert_eq!(orders_of(&stranger, &id).await, Vec::<Value>::new());
    assert_eq!(stranger.call("GET", &format!("/order/mispricing/{id}"), json!({})).await.code(), "not-found");
    let foreign = stranger.call("POST", FIND, without_ban(&office.city)).await;
    assert_ne!(foreign.body["suc"], true, "{}", foreign.body);
    let mut smuggled = without_ban(&office.city);
    smuggled["opAreaId"] = json!(city.area);
    let smuggled = stranger.call("POST", FIND, smuggled).await;
    assert_ne!(smuggled.body["suc"], true, "{}", smuggled.body);
    for path in [REFUND, "/order/mispricing/discard"] {
        let body = json!({"id": id, "reason": "越权"});
        assert_eq!(stranger.call("POST", path, body).await.code(), "not-found", "{path}");
    }

    // On the word of two.
    office.two_for_all().await;
    let asked = json!({"id": id, "to": "original", "reason": "禁停区画错，位于停车点之上"});
    let waits = office.admin.ok("POST", REFUND, asked).await;
    let approval = text(&waits["approvalId"]);
    assert_eq!(case_of(&office.admin, &id).await["state"], 0, "nothing has moved");
    let accept = json!({"id": approval, "result": "accept"});
    assert_eq!(office.refused(DECIDE, accept.clone()).await, "approval-own");
    let info = office.second.ok("GET", &format!("/platform/approval/{approval}"), json!({})).await;
    assert!(info["outlook"].to_string().contains("4 个订单、4 位用户"), "{info}");
    // Meanwhile one gets some of it back, and another pays what he owes.
    let refund = json!({"orderId": orders[2].0, "rideCents": 100, "reason": "用户投诉"});
    office.admin.ok("POST", "/order/refund", refund).await;
    office.fill(&riders[3], 50_000).await;
    let pays = json!({"userId": riders[3].id, "orderId": orders[3].0});
    office.machine.ok("/open/v1/rider/pay", &pays).await;
    office.second.ok("POST", DECIDE, accept.clone()).await;

    let case = done(&office.admin, &id).await;
    assert_eq!(
        (number(&case["givenOrders"]), number(&case["overtakenOrders"]), number(&case["failedOrders"])),
        (3, 1, 0),
        "{case}"
    );
    // Who paid meanwhile got it back: as much, another way.
    assert_eq!((number(&case["givenCents"]), number(&case["loweredCents"])), (2 * fee, fee), "{case}");
    let rows = orders_of(&office.admin, &id).await;
    let of = |order: &str| rows.iter().find(|row| row["orderId"] == order).unwrap();
    assert_eq!((&of(&orders[0].0)["state"], &of(&orders[2].0)["state"]), (&json!(1), &json!(2)), "{rows:?}");
    assert!(text(&of(&orders[2].0)["note"]).contains("核对后订单已变化"), "{rows:?}");
    for (number_of, (order, _)) in orders.iter().enumerate() {
        let now = office.info(order).await;
        let (lowered, back) = match number_of {
            1 => (fee, 0),
            2 => (0, 100),
            _ => (0, fee),
        };
        assert_eq!(number(&now["payCents"]), before[number_of] - lowered, "{now}");
        assert_eq!(number(&now["refundCents"]), back, "{now}");
    }
    let wallet = riders[0].account(&office.machine).await;
    assert_eq!(number(&wallet["rechargeCents"]), 50_000 - before[0] + fee);
    assert_eq!(office.second.call("POST", DECIDE, accept).await.body["suc"], false, "once");
    let again = json!({"id": id, "reason": "再来一次"});
    assert_eq!(office.refused(REFUND, again).await, "mispricing-not-now");
    // Looked at again, nothing is due but what was left.
    let again = office.found(without_ban(&office.city)).await;
    let again = case_of(&office.admin, &again).await;
    assert_eq!((number(&again["orders"]), number(&again["backCents"])), (1, fee - 100), "{again}");
    office.balances().await;
    let log =
        office.admin.ok("GET", "/platform/aliyunlog/userlogs", json!({"pageSize": "100"})).await.to_string();
    for act in ["核对受影响订单", "开始批量退还", "作废核对记录"] {
        assert!(log.contains(act), "{act}: {log}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_ban_that_fined_rides_of_another_area_is_tried_for_each_area() {
    let office = Office::open(0).await;
    let (city, machine) = (&office.city, &office.machine);
    let (lat, edge) = (city.lat, city.lng + 0.02);
    let ring = |west: f64, south: f64, east: f64, north: f64| {
        json!([[west, south], [east, south], [east, north], [west, north]])
    };
    let body = json!({"agentId": city.agent, "name": "邻区", "ring": ring(edge, lat - 0.02, edge + 0.04, lat + 0.02),
        "datum": "wgs84", "tel": "05920000001"});
    let next = text(&machine.ok("/open/v1/areas", &body).await["areaId"]);
    machine.ok(&format!("/open/v1/areas/{next}/open"), &json!({})).await;
    // A ban of ours that costs more than to stand outside of one's area.
    let spot = city.lng + 0.01;
    let [west, east] = [spot - 0.001, spot + 0.001];
    let [south, north] = [lat - 0.001, lat + 0.001];
    let corners = json!([[west, south], [east, south], [east, north], [west, north], [west, south]]);
    let body = json!({"type": "noStop", "opAreaId": city.area, "name": "高价禁停",
        "geometry": {"type": "Polygon", "coordinates": [corners]},
        "ban": {"penaltyCents": 5_000, "weekdays": 127, "hours": null}, "confirmOverlap": true});
    let ban = text(&office.admin.ok("POST", "/fence", body).await["id"]);
    let rider = Rider::come(machine, &next, "next").await;
    office.fill(&rider, 50_000).await;
    let at = SystemClock.now();
    let ours = office.past_in(&city.area, (&ban, spot), &rider, at).await;
    let theirs = office.past_in(&next, (&ban, spot), &rider, at).await;

    let offered = office.admin.ok("GET", "/order/mispricing/fences", json!({"opAreaId": next})).await;
    let offered: Vec<(&Value, &Value)> =
        offered.as_array().unwrap().iter().map(|one| (&one["id"], &one["areaName"])).collect();
    let name = json!("O 区");
    assert_eq!(
        offered,
        [(&json!(ban), &name), (&json!(city.fences[1]), &name)],
        "bans, not the parking place"
    );
    let asked = |area: &str| {
        let mut asked = without_ban(city);
        (asked["opAreaId"], asked["fenceId"]) = (json!(area), json!(ban));
        asked
    };
    for (area, order) in [(&city.area, ours), (&next, theirs)] {
        let case = office.found(asked(area)).await;
        let orders = orders_of(&office.admin, &case).await;
        let ids: Vec<&Value> = orders.iter().map(|one| &one["orderId"]).collect();
        assert_eq!(ids, [&json!(order.to_string())], "{area}");
    }
    // Another agent's ban is none of theirs.
    let other = City::build(machine, "P", 2, 0).await;
    assert_eq!(office.admin.call("POST", FIND, asked(&other.area)).await.code(), "not-found");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_billing_is_held_against_another_and_what_was_too_little_is_told() {
    let office = Office::open(0).await;
    let area = office.city.area.clone();
    let rider = Rider::come(&office.machine, &area, "yara").await;
    office.fill(&rider, 50_000).await;
    let now = SystemClock.now();
    office.past(&rider, now).await;
    let publish = async |billing: Value, version: i64| {
        let body = json!({"opAreaId": area, "version": version, "content": billing});
        office.admin.ok("PUT", "/config/area/billing", body).await;
        let body = json!({"kind": 1, "opAreaId": area, "version": version + 1, "note": "试"});
        office.admin.ok("POST", "/config/area/publish", body).await;
    };
    let usual = serde_json::to_value(Billing::default()).unwrap();
    let mut cheaper = usual.clone();
    cheaper["returned"]["noStopCents"] = json!(0);
    let mut dearer = usual.clone();
    dearer["returned"]["noStopCents"] = json!(9_000);
    publish(cheaper, 0).await;
    publish(dearer, 2).await;
    let asked = |instead: i64| {
        json!({"opAreaId": area, "subject": 1, "version": 0, "instead": instead,
            "from": now.millis() - HOUR_MS, "until": now.millis() + HOUR_MS})
    };
    let less = case_of(&office.admin, &office.found(asked(1)).await).await;
    let fee = Billing::default().returned.no_stop_cents;
    assert_eq!(
        (number(&less["orders"]), number(&less["backCents"]), number(&less["higherOrders"])),
        (1, fee, 0)
    );
    let more = office.found(asked(2)).await;
    let told = case_of(&office.admin, &more).await;
    assert_eq!((number(&told["orders"]), number(&told["higherOrders"])), (0, 1), "{told}");
    assert_eq!(number(&told["higherCents"]), 9_000 - fee, "{told}");
    assert_eq!(orders_of(&office.admin, &more).await[0]["state"], 4, "told, never charged");
    let body = json!({"id": more, "reason": "多收"});
    assert_eq!(office.refused(REFUND, body).await, "mispricing-nothing");
}

#[tokio::test(flavor = "multi_thread")]
async fn hundreds_are_given_back_once_each_though_the_server_is_killed_amid() {
    const RIDES: usize = 300;
    let mut office = Office::open(0).await;
    let area = office.city.area.clone();
    let rider = Rider::come(&office.machine, &area, "zoe").await;
    office.fill(&rider, 9_000_000).await;
    let now = SystemClock.now();
    for _ in 0..RIDES {
        office.past(&rider, now).await;
    }
    let paid = number(&rider.account(&office.machine).await["rechargeCents"]);
    let fee = Billing::default().returned.no_stop_cents;
    let id = office.found(without_ban(&office.city)).await;
    let case = case_of(&office.admin, &id).await;
    assert_eq!((number(&case["orders"]), number(&case["riders"])), (RIDES as i64, 1), "{case}");
    office.two_for_all().await;
    let asked = json!({"id": id, "to": "wallet", "reason": "禁停区画错"});
    let waits = office.admin.ok("POST", REFUND, asked).await;
    let accept = json!({"id": waits["approvalId"], "result": "accept"});
    office.second.ok("POST", DECIDE, accept).await;
    for wanted in [10, 60, 140] {
        eventually("some are settled", PATIENCE, async || {
            (number(&case_of(&office.admin, &id).await["givenOrders"]) > wanted).then_some(())
        })
        .await;
        office = office.killed();
    }
    let case = done(&office.admin, &id).await;
    assert_eq!((number(&case["givenOrders"]), number(&case["givenCents"])), (300, 300 * fee), "{case}");
    office.balances().await;
    let owner = office.stack.owner().await;
    let once: i64 = sqlx::query_scalar(
        "select count(*) from read.ride_order where refund_cents = $1 and area_id = $2::bigint",
    )
    .bind(fee)
    .bind(area.parse::<i64>().unwrap())
    .fetch_one(&owner)
    .await
    .unwrap();
    assert_eq!(once, RIDES as i64, "each once");
    let wallet = number(&rider.account(&office.machine).await["rechargeCents"]);
    assert_eq!(wallet, paid + 300 * fee);
}
