//! What is configured of service areas: written, published now or later, taken back, copied, and kept from others.

use std::time::Duration;

use kernel::Stored;
use riding::model::billing::Billing;
use riding::model::fare::{Benefits, Left, Ridden, fare};
use riding::model::order::Pricing;
use riding::read::orders::OrderRow;
use serde_json::{Value, json};
use vocabulary::{AgentId, AreaId, Clock, RideOrderId, SystemClock, Timestamp};

use crate::city::City;
use crate::client::{Browser, Machine};
use crate::stack::{ADMIN, Stack, put_orders};

const HOUR_MS: i64 = 3_600_000;
const BILLING: &str = "/config/area/billing";

async fn billing_of(browser: &Browser, area: &str) -> Value {
    browser.ok("GET", BILLING, json!({ "opAreaId": area })).await
}

fn priced(cycle_cents: i64) -> Billing {
    Billing { cycle_cents, ..Billing::default() }
}

/// Which version counts when a ride begins at an instant, and what it asks for 25 minutes.
async fn cost_at(browser: &Browser, area: &str, start: i64) -> (i64, i64) {
    let body = json!({"opAreaId": area, "startTime": start, "endTime": start + 25 * 60_000, "distance": 900});
    let cost = browser.ok("POST", "/order/cost/compute", body).await;
    (cost["dataVersion"].as_i64().expect("a version"), cost["total"].as_i64().expect("cents"))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_billing_is_written_published_at_its_time_taken_back_and_rolled_back() {
    let (stack, node) = Stack::serving().await;
    let machine = Machine::new(&node.url, &stack.full_machine().await);
    let city = City::build(&machine, "K", 1, 0).await;
    let browser = Browser::signed_in(&node.url, ADMIN).await;
    let area = &city.area;
    let now = SystemClock.now().millis();

    let fresh = billing_of(&browser, area).await;
    assert_eq!(
        (&fresh["version"], &fresh["draft"], &fresh["versions"]),
        (&json!(0), &Value::Null, &json!([]))
    );
    assert_eq!(fresh["usual"], serde_json::to_value(Billing::default()).unwrap());
    assert_eq!(cost_at(&browser, area, now).await, (0, 300));

    // A draft counts for nobody; a bad one is refused at its bound.
    let body = json!({"opAreaId": area, "version": 0, "content": priced(-1)});
    assert_eq!(browser.call("PUT", BILLING, body).await.code(), "billing-price");
    let body = json!({"opAreaId": area, "version": 0, "content": priced(300)});
    browser.ok("PUT", BILLING, body.clone()).await;
    assert_eq!(browser.call("PUT", BILLING, body).await.code(), "stale-version");
    let drafted = billing_of(&browser, area).await;
    assert_eq!((&drafted["draft"]["cycleCents"], &drafted["version"]), (&json!(300), &json!(1)));
    assert_eq!(cost_at(&browser, area, now + HOUR_MS).await, (0, 300));

    // Published at a later time it changes nothing before.
    let publish =
        json!({"kind": 1, "opAreaId": area, "version": 1, "from": now + 2 * HOUR_MS, "note": "节前调价"});
    browser.ok("POST", "/config/area/publish", publish).await;
    assert_eq!(cost_at(&browser, area, now + HOUR_MS).await, (0, 300));
    assert_eq!(cost_at(&browser, area, now + 3 * HOUR_MS).await, (1, 500));
    let waiting = billing_of(&browser, area).await;
    let version = &waiting["versions"][0];
    assert_eq!((&version["note"], &version["withdrawn"]), (&json!("节前调价"), &json!(false)));
    assert_eq!(version["counted"], json!([[now + 2 * HOUR_MS, null]]));
    assert!(version["who"].as_str().is_some_and(|name| !name.is_empty()), "{version}");

    let which = |version: i64, number: i64| json!({"kind": 1, "opAreaId": area, "version": version, "dataVersion": number});
    browser.ok("POST", "/config/area/withdraw", which(2, 1)).await;
    assert_eq!(cost_at(&browser, area, now + 3 * HOUR_MS).await, (0, 300));
    browser.ok("POST", "/config/area/publish", json!({"kind": 1, "opAreaId": area, "version": 3})).await;
    let body = json!({"opAreaId": area, "version": 4, "content": priced(700)});
    browser.ok("PUT", BILLING, body).await;
    browser.ok("POST", "/config/area/publish", json!({"kind": 1, "opAreaId": area, "version": 5})).await;
    let later = SystemClock.now().millis() + HOUR_MS;
    assert_eq!(cost_at(&browser, area, later).await, (3, 900));
    assert_eq!(browser.call("POST", "/config/area/withdraw", which(6, 3)).await.code(), "config-counted");
    browser.ok("POST", "/config/area/rollback", which(6, 2)).await;
    assert_eq!(cost_at(&browser, area, later).await, (4, 500));
    assert_eq!(cost_at(&browser, area, now).await, (0, 300), "what counted then still does");

    // A program says it too; the same again is no new version.
    let path = format!("/open/v1/areas/{area}/billing");
    for _ in 0..2 {
        machine.ok(&path, &json!({"content": priced(200), "note": "演示价格"})).await;
    }
    let told = billing_of(&browser, area).await;
    assert_eq!(told["versions"].as_array().map(Vec::len), Some(5));
    assert_eq!(told["versions"][0]["who"], Value::Null);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_configuration_is_its_agents_alone_and_is_copied_where_one_may() {
    let (stack, node) = Stack::serving().await;
    let machine = Machine::new(&node.url, &stack.full_machine().await);
    let [own, theirs] = [City::build(&machine, "M", 1, 0).await, City::build(&machine, "N", 2, 0).await];
    let admin = Browser::signed_in(&node.url, ADMIN).await;
    for city in [&own, &theirs] {
        let path = format!("/open/v1/areas/{}/billing", city.area);
        machine.ok(&path, &json!({"content": priced(150), "note": "开城"})).await;
    }
    let role = admin.new_role("计费", &["1702".to_owned()]).await;
    admin.new_operator("13700000081", &[&role], &own.agent).await;
    let clerk = Browser::signed_in(&node.url, "13700000081").await;
    assert_eq!(billing_of(&clerk, &own.area).await["versions"][0]["content"]["cycleCents"], 150);

    let body = |area: &str| json!({"opAreaId": area, "version": 1, "content": priced(800)});
    let which = |area: &str| json!({"kind": 1, "opAreaId": area, "version": 1, "dataVersion": 1});
    let asked = [
        ("GET", BILLING, json!({ "opAreaId": theirs.area })),
        ("PUT", BILLING, body(&theirs.area)),
        ("POST", "/config/area/billing/simulate", json!({"opAreaId": theirs.area, "billing": priced(1)})),
        ("POST", "/config/area/publish", which(&theirs.area)),
        ("POST", "/config/area/rollback", which(&theirs.area)),
        ("POST", "/config/area/discard", which(&theirs.area)),
    ];
    for (method, path, content) in asked {
        assert_eq!(clerk.call(method, path, content).await.code(), "not-found", "{method} {path}");
    }
    // Of another page's kinds nothing, whoever's area it is.
    let use_rules = json!({"kind": 3, "opAreaId": own.area, "version": 0, "dataVersion": 1});
    assert_eq!(clerk.call("POST", "/config/area/publish", use_rules).await.code(), "forbidden");

    clerk.ok("PUT", BILLING, body(&own.area)).await;
    let copy = json!({"kind": 1, "opAreaId": own.area, "dataVersion": null, "to": [theirs.area, own.area],
        "publish": true});
    let results = clerk.ok("POST", "/config/area/copy", copy.clone()).await["results"].clone();
    let codes = |results: &Value| -> Vec<Value> {
        results.as_array().unwrap().iter().map(|one| one["error"]["code"].clone()).collect()
    };
    assert_eq!(codes(&results), [json!("not-found"), Value::Null], "{results}");
    let untouched = billing_of(&admin, &theirs.area).await;
    assert_eq!((&untouched["versions"].as_array().unwrap().len(), &untouched["draft"]), (&1, &Value::Null));
    assert_eq!(untouched["versions"][0]["content"]["cycleCents"], 150);
    let copy =
        json!({"kind": 1, "opAreaId": own.area, "dataVersion": 2, "to": [theirs.area], "publish": false});
    let results = admin.ok("POST", "/config/area/copy", copy).await["results"].clone();
    assert_eq!(codes(&results), [Value::Null]);
    assert_eq!(billing_of(&admin, &theirs.area).await["draft"]["cycleCents"], 800);

    // With the area its configuration goes to who runs it from then on.
    for path in theirs.fences.iter().map(|id| format!("/fence/{id}")) {
        let known = admin.ok("GET", &path, json!({})).await;
        admin.ok("DELETE", &path, json!({"version": known["version"].to_string()})).await;
    }
    let known = admin.ok("GET", "/platform/agent/serviceArea/info", json!({"id": theirs.area})).await;
    let move_to = json!({"id": theirs.area, "agentId": own.agent, "version": known["version"]});
    admin.ok("POST", "/platform/agent/serviceArea/agent", move_to).await;
    crate::stack::eventually("the configuration is handed over", Duration::from_secs(20), async || {
        let seen = clerk.call("GET", BILLING, json!({ "opAreaId": theirs.area })).await.data();
        (seen["versions"].as_array().map(Vec::len) == Some(1)).then_some(())
    })
    .await;
}

/// A ride that ended some hours ago, as its order's row keeps it.
fn ended(city: &City, number: i64, hours: i64, minutes: i64, left: Left) -> OrderRow {
    let end_at = Timestamp::from_millis(SystemClock.now().millis() - hours * HOUR_MS);
    let ridden =
        Ridden { start_at: end_at.plus_millis(-minutes * 60_000), end_at, distance_m: 100 * minutes };
    let (benefits, billing) = (Benefits::default(), Billing::default());
    let receipt = fare(&billing, &ridden, &left, false, &benefits);
    let pricing = Pricing { billing_version: 0, ridden, left, helmet_missing: false, benefits, receipt };
    OrderRow {
        order_id: RideOrderId(number),
        agent_id: AgentId(city.agent.parse().unwrap()),
        op_area_id: AreaId(city.area.parse().unwrap()),
        end_at: Some(end_at.millis()),
        pricing: Some(sqlx::types::Json(pricing)),
        ..OrderRow::default()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_simulation_equals_computing_each_ride_again() {
    let (stack, node) = Stack::serving().await;
    let machine = Machine::new(&node.url, &stack.full_machine().await);
    let [city, other] = [City::build(&machine, "P", 1, 0).await, City::build(&machine, "Q", 2, 0).await];
    let browser = Browser::signed_in(&node.url, ADMIN).await;
    let places =
        [Left::Well, Left::Outside { parking_m: Some(90.0), difficulty_percent: 100 }, Left::OutOfService];
    let rides: Vec<OrderRow> =
        (0..60).map(|n| ended(&city, 1_000 + n, n * 2, n * 3, places[n as usize % 3])).collect();
    // Of another area, and of more than a week ago.
    let strange = [ended(&other, 2_000, 1, 30, Left::Well), ended(&city, 2_001, 24 * 8, 30, Left::Well)];
    let owner = stack.owner().await;
    let rows: Vec<Value> = rides.iter().chain(&strange).map(|row| row.stored().unwrap()).collect();
    put_orders(&owner, &rows).await;
    let mut draft = Billing { cycle_s: 900, cycle_cents: 180, day_cap_cents: 2_000, ..Billing::default() };
    draft.returned.out_of_service_cents = 1_500;
    let (mut before, mut after, mut penalties, mut more, mut less) = (0, 0, 0, 0, 0);
    for row in &rides {
        let priced = &row.pricing.as_ref().unwrap().0;
        let again = fare(&draft, &priced.ridden, &priced.left, false, &priced.benefits);
        before += priced.receipt.pay_cents;
        after += again.pay_cents;
        penalties += again.dispatch_cents;
        more += i64::from(again.pay_cents > priced.receipt.pay_cents);
        less += i64::from(again.pay_cents < priced.receipt.pay_cents);
    }
    let body = json!({"opAreaId": city.area, "billing": draft});
    let told = browser.ok("POST", "/config/area/billing/simulate", body).await;
    assert_eq!(
        (&told["rides"], &told["capped"], &told["days"]),
        (&json!(60), &json!(false), &json!(7)),
        "{told}"
    );
    assert_eq!((&told["before"]["payCents"], &told["after"]["payCents"]), (&json!(before), &json!(after)));
    assert_eq!((&told["more"], &told["less"]), (&json!(more), &json!(less)));
    assert_eq!(told["after"]["penaltyCents"], json!(penalties));
    assert_eq!(told["most"].as_array().map(Vec::len), Some(10));
    // One of them by its order: what it was priced at, and what it would be.
    let order = rides[40].order_id.to_string();
    let was = browser.ok("POST", "/order/cost/compute", json!({ "orderId": order })).await;
    assert_eq!(was["receipt"], serde_json::to_value(&rides[40].pricing.as_ref().unwrap().0.receipt).unwrap());
    let would = browser.ok("POST", "/order/cost/compute", json!({"orderId": order, "billing": draft})).await;
    let priced = &rides[40].pricing.as_ref().unwrap().0;
    let again = fare(&draft, &priced.ridden, &priced.left, false, &priced.benefits);
    assert_eq!((&would["total"], &would["dataVersion"]), (&json!(again.pay_cents), &Value::Null));
}
