//! Orders that are made up: they hold like anybody's.

use riding::demo::filled;
use riding::demo::life::Times;
use serde_json::json;
use sqlx::PgPool;

use crate::client::Browser;
use crate::rides::balance;
use crate::stack::{ADMIN, Stack};

const ORDERS: i64 = 1_500;

async fn made(stack: &Stack, orders: i64, profile: &str) -> std::process::Output {
    let orders = orders.to_string();
    let line = ["demo", "--orders", &orders, "--until", "2026-01-01", "--profile", profile];
    stack.task(&line).await
}

async fn counted(owner: &PgPool, sql: &'static str) -> i64 {
    sqlx::query_scalar(sql).fetch_one(owner).await.unwrap()
}

async fn head(owner: &PgPool) -> i64 {
    counted(owner, "select position from log.log_head").await
}

/// A table's content, whatever the order of its rows.
async fn content(owner: &PgPool, table: &str) -> String {
    let sql = format!(
        "select coalesce(md5(string_agg(to_jsonb(t)::text, ',' order by to_jsonb(t)::text)), '') from {table} t"
    );
    sqlx::query_scalar(sqlx::AssertSqlSafe(sql)).fetch_one(owner).await.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn made_up_orders_are_verified_rebuilt_and_balanced_and_made_once() {
    let stack = Stack::untouched().await;
    let owner = stack.owner().await;
    let refused = made(&stack, ORDERS, "production").await;
    assert!(!refused.status.success(), "never in production");
    assert_eq!(head(&owner).await, 0);

    let done = made(&stack, ORDERS, "development").await;
    assert!(done.status.success(), "{done:?}");
    assert_eq!(counted(&owner, "select count(*) from read.ride_order").await, ORDERS);
    balance(&owner).await;
    // As in a city: some come to nothing, few are unpaid, changed or given back, and none is open.
    for (what, sql, least) in [
        ("cancelled", "select count(*) from read.ride_order where state = 5", 60),
        ("unpaid", "select count(*) from read.ride_order where state = 3", 3),
        ("given back", "select count(*) from read.ride_order where refund_cents > 0", 3),
        ("changed", "select count(*) from read.ride_order where is_modified", 1),
        ("paid through a channel", "select count(*) from read.ride_order where third_cents > 0", 100),
        ("penalties", "select count(*) from read.ride_order where dispatch_cents > 0", 20),
        ("top-ups", "select count(*) from read.payment where purpose = 'top_up' and state = 1", 20),
    ] {
        assert!(counted(&owner, sql).await >= least, "{what}");
    }
    assert_eq!(counted(&owner, "select count(*) from read.ride_order where state in (0, 1, 2)").await, 0);
    assert_eq!(
        counted(&owner, "select count(*) from log.claims where key like 'riding-%'").await,
        0,
        "nobody rides"
    );

    let before = head(&owner).await;
    let again = made(&stack, ORDERS, "development").await;
    assert!(again.status.success(), "{again:?}");
    assert_eq!(head(&owner).await, before, "the same again adds nothing");

    let verified = stack.task(&["verify"]).await;
    assert!(verified.status.success(), "{verified:?}");
    let tables = [
        "read.ride_order",
        "read.rider_riding",
        "read.ledger_entry",
        "read.ledger_book",
        "read.payment",
        "read.rider",
    ];
    let mut contents = Vec::new();
    for table in tables {
        contents.push(content(&owner, table).await);
    }
    let rebuilt = stack.task(&["rebuild", "--all"]).await;
    assert!(rebuilt.status.success(), "{rebuilt:?}");
    for (table, before) in tables.into_iter().zip(contents) {
        assert_eq!(content(&owner, table).await, before, "{table} is what it was");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn orders_that_no_event_tells_of_are_listed_and_opened_like_any() {
    let stack = Stack::untouched().await;
    let owner = stack.owner().await;
    assert!(made(&stack, 50, "development").await.status.success());
    let mut db = owner.acquire().await.unwrap();
    let times = Times { orders: 700, since: Times::IDS_SINCE, span_ms: 86_400_000 * 90, seed: 3 };
    for _ in 0..2 {
        filled::fill(&mut db, &times, 700, |_| ()).await.unwrap();
    }
    drop(db);
    assert_eq!(
        counted(&owner, "select count(*) from read.ride_order").await,
        750,
        "the same again adds nothing"
    );
    let node = stack.node(None);
    stack.know_the_administrator().await;
    let admin = Browser::signed_in(&node.url, ADMIN).await;
    let mut seen = 0;
    for page in 1..=4 {
        let rows = admin.ok("GET", "/order/list", json!({"page": page.to_string(), "pageSize": "200"})).await
            ["rows"]
            .clone();
        for row in rows.as_array().unwrap().iter().step_by(40) {
            let path = format!("/order/{}", row["orderId"].as_str().unwrap());
            let order = admin.ok("GET", &path, json!({})).await;
            assert_eq!(order["orderId"], row["orderId"], "{order}");
        }
        seen += rows.as_array().unwrap().len();
    }
    assert_eq!(seen, 750);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_database_of_somebody_else_gets_no_orders() {
    let stack = Stack::untouched().await;
    let owner = stack.owner().await;
    sqlx::query("insert into read.agent values (1, '真实出行', '张', '13800000000', 0, 1, 1, 1, 1)")
        .execute(&owner)
        .await
        .unwrap();
    let refused = made(&stack, 10, "development").await;
    let told = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(!refused.status.success() && told.contains("真实出行"), "{told}");
    assert_eq!(head(&owner).await, 0);
}
