//! Orders that are made up: they hold like anybody's.

use sqlx::PgPool;

use crate::rides::balance;
use crate::stack::Stack;

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
    let stack = Stack::start().await;
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
async fn a_database_of_somebody_else_gets_no_orders() {
    let stack = Stack::start().await;
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
