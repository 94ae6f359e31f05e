//! What the indexes of orders cost when they are written: the same rows, put in and changed as the projector does it, into a
//! table with the indexes of now and into one with those of before.

use std::time::Instant;

use anyhow::Result;
use bench::{Report, Row};
use kernel::rows;
use serde_json::Value;
use sqlx::{AssertSqlSafe, PgPool};

/// Rows that are there already.
const THERE: i64 = 300_000;
/// Rows that come, and are changed once.
const COMING: i64 = 40_000;
/// Rows of one statement.
const AT_ONCE: usize = 500;

/// The indexes before lists were made for volume (`migrations/0179`, `0186`).
const BEFORE: [&str; 14] = [
    "(opened_at_ms desc, order_id desc)",
    "(agent_id, opened_at_ms desc, order_id desc)",
    "(area_id, opened_at_ms desc, order_id desc)",
    "(rider_id, opened_at_ms desc, order_id desc)",
    "(car_id, opened_at_ms desc, order_id desc)",
    "(opened_at_ms) where state in (0, 1)",
    "(area_id, end_at_ms) where end_at_ms is not null",
    "(state, opened_at_ms desc, order_id desc)",
    "(agent_id, state, opened_at_ms desc, order_id desc)",
    "(agent_id, class, opened_at_ms desc, order_id desc) where class is not null",
    "(agent_id, opened_at_ms desc, order_id desc) where is_modified",
    "(agent_id, opened_at_ms desc, order_id desc) where refund_cents > 0",
    "(pay_cents, order_id)",
    "(agent_id, pay_cents, order_id)",
];

/// Measures both.
pub async fn writes(owner: &PgPool, report: &mut Report) -> Result<()> {
    let sql = "select to_jsonb(o) - 'outcome' - 'touched' from read.ride_order o order by opened_at_ms desc limit $1";
    let coming: Vec<Value> = sqlx::query_scalar(sql).bind(COMING).fetch_all(owner).await?;
    for (table, system) in [("read.bench_now", "wheelhouse"), ("read.bench_before", "indexes-before")] {
        let now = table == "read.bench_now";
        let mut db = owner.acquire().await?;
        let all = if now { "including all" } else { "including generated including defaults" };
        let make = format!("drop table if exists {table}; create table {table} (like read.ride_order {all})");
        sqlx::raw_sql(AssertSqlSafe(make)).execute(&mut *db).await?;
        if !now {
            sqlx::raw_sql(AssertSqlSafe(format!("alter table {table} add primary key (order_id)")))
                .execute(&mut *db)
                .await?;
            for index in BEFORE {
                sqlx::raw_sql(AssertSqlSafe(format!("create index on {table} {index}")))
                    .execute(&mut *db)
                    .await?;
            }
        }
        let there: Vec<Value> = sqlx::query_scalar(
            "select to_jsonb(o) - 'outcome' - 'touched' from read.ride_order o order by opened_at_ms limit $1",
        )
        .bind(THERE)
        .fetch_all(owner)
        .await?;
        for some in there.chunks(5_000) {
            rows::upsert(&mut db, table, "order_id", some)
                .await
                .map_err(|error| anyhow::anyhow!("{error:?}"))?;
        }
        drop(there);
        for statement in [format!("vacuum analyze {table}"), "checkpoint".to_owned()] {
            sqlx::raw_sql(AssertSqlSafe(statement)).execute(&mut *db).await?;
        }
        // Each comes as it rides, and is changed when it is paid.
        let mut riding = coming.clone();
        for row in &mut riding {
            row["state"] = 1.into();
            row["class"] = Value::Null;
            row["end_kind"] = Value::Null;
            row["pay_cents"] = 0.into();
        }
        let begun = Instant::now();
        for some in riding.chunks(AT_ONCE).zip(coming.chunks(AT_ONCE)) {
            for some in [some.0, some.1] {
                rows::upsert(&mut db, table, "order_id", some)
                    .await
                    .map_err(|error| anyhow::anyhow!("{error:?}"))?;
            }
        }
        let rate = 2.0 * COMING as f64 / begun.elapsed().as_secs_f64();
        report.add(Row::new(system, "order-writes", rate, "rows/s"));
        let size: i64 =
            sqlx::query_scalar(AssertSqlSafe(format!("select pg_indexes_size('{table}')::bigint")))
                .fetch_one(&mut *db)
                .await?;
        report.add(Row::new(system, "index-bytes", size as f64 / (THERE + COMING) as f64, "bytes/row"));
        sqlx::raw_sql(AssertSqlSafe(format!("drop table {table}"))).execute(&mut *db).await?;
    }
    Ok(())
}
