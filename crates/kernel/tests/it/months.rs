//! A read model that is kept by months.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use kernel::projecting::{Projectors, fingerprint, parked};
use kernel::projector::ApplyError;
use kernel::{Change, CommandContext, Projector, Recorded, Runtime, rows};
use serde::Serialize;
use sqlx::{AssertSqlSafe, Executor, PgConnection, PgPool};
use tokio::task::JoinHandle;
use vocabulary::{AgentId, DataOwner, Scope, Timestamp};

use crate::rebuild::{counted_through_rebuilds, furniture};
use crate::support::{Stall, StallCommand, ctx, eventually, runtime};

/// The first moment of October 2026 in Shanghai.
const OCTOBER: i64 = 1_790_784_000_000;
const DAY: i64 = 86_400_000;

/// A row for each event of a stall.
struct Sales;

#[derive(Serialize)]
struct Sale {
    position: i64,
    at_ms: i64,
    agent_id: Option<AgentId>,
}

#[async_trait]
impl Projector for Sales {
    fn name(&self) -> &'static str {
        "sales"
    }

    fn version(&self) -> i32 {
        1
    }

    fn tables(&self) -> &'static [&'static str] {
        &["sales"]
    }

    fn categories(&self) -> &'static [&'static str] {
        &["stall"]
    }

    async fn apply(&self, db: &mut PgConnection, events: &[Recorded]) -> Result<Vec<Change>, ApplyError> {
        let sale = |event: &Recorded| Sale {
            position: event.position.0,
            at_ms: event.recorded_at.millis(),
            agent_id: event.meta.owner.agent,
        };
        let sales: Vec<Sale> = events.iter().map(sale).collect();
        rows::make_months(db, "sales", sales.iter().map(|sale| sale.at_ms)).await?;
        rows::upsert(db, "sales", "at_ms, position", &sales).await?;
        Ok(Vec::new())
    }
}

async fn make_table(owner: &PgPool) {
    let sql = "create table read.sales (position bigint not null, at_ms bigint not null check (at_ms > -1),
             agent_id bigint, note text default 'none', primary key (at_ms, position)) partition by range (at_ms);
         create index sales_agent on read.sales (agent_id, at_ms desc) where position > 0;
         select wheelhouse.guard_table('read.sales')";
    owner.execute(sql).await.unwrap();
}

fn run(runtime: &Runtime) -> (Projectors, JoinHandle<()>) {
    let projectors = Projectors::new(runtime.clone(), vec![Arc::new(Sales)]);
    let running = projectors.clone();
    (projectors, tokio::spawn(async move { running.run().await }))
}

/// Opens a stall of an agent at that moment.
async fn opened_at(runtime: &Runtime, id: &str, agent: i64, at_ms: i64) {
    let owner = DataOwner::of_agent(AgentId(agent));
    let open = StallCommand::Open { name: id.to_owned(), owner };
    let ctx = CommandContext { now: Timestamp::from_millis(at_ms), ..ctx() };
    runtime.desk.execute::<Stall>(&id.to_owned(), open, &ctx).await.unwrap();
}

async fn rows(owner: &PgPool) -> i64 {
    sqlx::query_scalar("select count(*) from read.sales").fetch_one(owner).await.unwrap()
}

async fn projected(runtime: &Runtime, expected: i64) {
    eventually("the rows", async || rows(&runtime.pools.owner).await == expected).await;
}

/// The months of the table, oldest first, each with its rows.
async fn months(owner: &PgPool) -> Vec<(String, i64)> {
    sqlx::query_as(
        "select regexp_replace(i.inhrelid::regclass::text, '^months\\.sales_(.*)_\\d+$', '\\1'),
             (select count(*) from read.sales s where s.tableoid = i.inhrelid)
         from pg_inherits i where i.inhparent = 'read.sales'::regclass order by 1",
    )
    .fetch_all(owner)
    .await
    .unwrap()
}

/// Tables of months, of whatever table.
async fn all_months(owner: &PgPool) -> i64 {
    let sql = "select count(*) from pg_tables where schemaname = 'months' and tablename like 'sales%'";
    sqlx::query_scalar(sql).fetch_one(owner).await.unwrap()
}

fn counted<const N: usize>(months: [(&str, i64); N]) -> Vec<(String, i64)> {
    months.map(|(month, rows)| (month.to_owned(), rows)).to_vec()
}

#[tokio::test(flavor = "multi_thread")]
async fn rows_come_to_the_month_of_shanghai_and_the_one_after_is_there_before_it_begins() {
    let standing = runtime().await;
    let runtime = &standing.runtime;
    let owner = &runtime.pools.owner;
    make_table(owner).await;
    let (_projectors, _running) = run(runtime);
    opened_at(runtime, "september", 2, OCTOBER - 1).await;
    projected(runtime, 1).await;
    assert_eq!(months(owner).await, counted([("2026_09", 1), ("2026_10", 0)]));
    opened_at(runtime, "october", 2, OCTOBER).await;
    opened_at(runtime, "december", 2, OCTOBER + 70 * DAY).await;
    projected(runtime, 3).await;
    let until_january = [("2026_09", 1), ("2026_10", 1), ("2026_11", 0), ("2026_12", 1), ("2027_01", 0)];
    assert_eq!(months(owner).await, counted(until_january));
    let failed = parked(&runtime.pools.app).await.unwrap();
    assert!(failed.is_empty(), "{failed:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_new_month_waits_for_no_reader_and_none_for_it() {
    let standing = runtime().await;
    let runtime = &standing.runtime;
    make_table(&runtime.pools.owner).await;
    let (_projectors, _running) = run(runtime);
    opened_at(runtime, "october", 2, OCTOBER).await;
    projected(runtime, 1).await;
    let count = "select count(*) from read.sales";
    let mut long = runtime.reads.scoped(&Scope::ALL, None, &[]).await.unwrap();
    assert_eq!(sqlx::query_scalar::<_, i64>(count).fetch_one(&mut *long).await.unwrap(), 1);
    opened_at(runtime, "march", 2, OCTOBER + 160 * DAY).await;
    projected(runtime, 2).await;
    // What he began to read he goes on to read.
    assert_eq!(sqlx::query_scalar::<_, i64>(count).fetch_one(&mut *long).await.unwrap(), 1);
    let mut later = runtime.reads.scoped(&Scope::ALL, None, &[]).await.unwrap();
    assert_eq!(sqlx::query_scalar::<_, i64>(count).fetch_one(&mut *later).await.unwrap(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_wrong_clock_says_stops_nobody_and_is_not_lost() {
    let standing = runtime().await;
    let runtime = &standing.runtime;
    let owner = &runtime.pools.owner;
    make_table(owner).await;
    let (projectors, _running) = run(runtime);
    for (id, at_ms) in [
        ("1970", 0),
        ("2019", 1_577_807_999_999),
        ("2020", 1_577_808_000_000),
        ("2099", 4_102_415_999_999),
        ("2100", 4_102_416_000_000),
        ("9999", 253_402_300_000_000),
    ] {
        opened_at(runtime, id, 2, at_ms).await;
    }
    projected(runtime, 6).await;
    let all = [("2020_01", 1), ("2020_02", 0), ("2099_12", 1), ("before", 2), ("behind", 2)];
    assert_eq!(months(owner).await, counted(all));
    let rebuilt = projectors.rebuild("sales").await.unwrap();
    assert_eq!((rebuilt.parked, months(owner).await), (0, counted(all)));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_month_by_its_own_name_shows_nothing_to_whoever_reads() {
    let standing = runtime().await;
    let runtime = &standing.runtime;
    let owner = &runtime.pools.owner;
    make_table(owner).await;
    let (projectors, _running) = run(runtime);
    opened_at(runtime, "ours", 2, OCTOBER).await;
    opened_at(runtime, "theirs", 3, OCTOBER).await;
    projected(runtime, 2).await;
    projectors.rebuild("sales").await.unwrap();
    let month: String = sqlx::query_scalar("select distinct tableoid::regclass::text from read.sales")
        .fetch_one(owner)
        .await
        .unwrap();
    let readers = ["app", "sees_all", "sees_agents", "sees_areas"];
    let seen = async |reader: &str, table: &str| {
        let mut tx = owner.begin().await.unwrap();
        let role = format!(
            "set local role wheelhouse_{reader}; set local wheelhouse.agents = '2'; set local wheelhouse.areas = '*'"
        );
        tx.execute(AssertSqlSafe(role)).await.unwrap();
        let counting = format!("select count(*) from {table}");
        sqlx::query_scalar::<_, i64>(AssertSqlSafe(counting))
            .fetch_one(&mut *tx)
            .await
            .map_err(|error| error.to_string())
    };
    for (reader, of_the_table) in readers.into_iter().zip([1, 2, 1, 1]) {
        let refused = seen(reader, &month).await.unwrap_err();
        assert!(refused.contains("permission denied for schema months"), "{reader}: {refused}");
        assert_eq!(seen(reader, "read.sales").await, Ok(of_the_table), "{reader}");
    }
    // Even who was granted too much.
    for reader in readers {
        let slip = format!(
            "grant usage on schema months to wheelhouse_{reader}; grant select on {month} to wheelhouse_{reader}"
        );
        owner.execute(AssertSqlSafe(slip)).await.unwrap();
        assert_eq!(seen(reader, &month).await, Ok(0), "{reader}");
    }
}

#[tokio::test]
async fn months_are_made_for_the_owners_tables_by_those_alone_who_write_them() {
    let standing = runtime().await;
    let pools = &standing.runtime.pools;
    make_table(&pools.owner).await;
    let making = "select wheelhouse.make_months('read.sales', array[0])";
    let refused = pools.app.execute(making).await.unwrap_err().to_string();
    assert!(refused.contains("permission denied for function make_months"), "{refused}");
    pools.projector.execute(making).await.unwrap();
    // His own table, which his own catalogue calls the owner's.
    let strange = "create temp table strange (at_ms bigint) partition by range (at_ms);
         create temp table pg_class as select c.oid, relname, relkind, relpartbound, nspowner as relowner
             from pg_catalog.pg_class c, pg_namespace where nspname = 'read';
         select wheelhouse.make_months('pg_temp.strange', array[0])";
    let plain = "select wheelhouse.make_months('log.projectors', array[0])";
    for refused in [strange, plain] {
        let refused = pools.projector.execute(refused).await.unwrap_err().to_string();
        assert!(refused.contains("is not kept by months"), "{refused}");
    }
    assert_eq!(all_months(&pools.owner).await, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rebuild_gives_the_same_bytes_and_months_and_leaves_none_behind() {
    let standing = runtime().await;
    let runtime = &standing.runtime;
    let owner = &runtime.pools.owner;
    make_table(owner).await;
    let (projectors, _running) = run(runtime);
    for n in 0..6 {
        opened_at(runtime, &format!("s{n}"), 2, OCTOBER + n * 20 * DAY).await;
    }
    projected(runtime, 6).await;
    let state = async || {
        let bytes = fingerprint(owner, "sales").await.unwrap();
        (bytes, furniture(runtime, "sales").await, months(owner).await, all_months(owner).await)
    };
    let before = state().await;
    assert_eq!((before.2.len(), before.3), (5, 5));
    assert!(before.1.iter().any(|line| line.starts_with("policy scope")));
    projectors.rebuild("sales").await.unwrap();
    assert_eq!(state().await, before);
    // What fails leaves nothing behind either.
    owner
        .execute(
            "create view read.hanger_on with (security_invoker = true) as select position from read.sales",
        )
        .await
        .unwrap();
    assert!(projectors.rebuild("sales").await.is_err());
    assert_eq!(state().await, before);
    opened_at(runtime, "later", 2, OCTOBER + 200 * DAY).await;
    projected(runtime, 7).await;
    let failed = parked(&runtime.pools.app).await.unwrap();
    assert!(failed.is_empty(), "{failed:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn no_reader_sees_an_empty_or_partial_table_of_months_through_twenty_rebuilds() {
    let standing = runtime().await;
    let runtime = &standing.runtime;
    make_table(&runtime.pools.owner).await;
    let (projectors, _running) = run(runtime);
    for n in 0..12 {
        opened_at(runtime, &format!("s{n}"), 2, OCTOBER + n * 20 * DAY).await;
    }
    projected(runtime, 12).await;
    counted_through_rebuilds(&projectors, runtime, 20, ("select count(*) from read.sales", 12)).await;
    // Who has looked elsewhere only and comes to the table later finds it whole too: he is waited for.
    let mut early = runtime.reads.scoped(&Scope::ALL, None, &[]).await.unwrap();
    early.execute("select position from log.log_head").await.unwrap();
    let mut rebuilding = tokio::spawn(async move { projectors.rebuild("sales").await });
    let waits = tokio::time::timeout(Duration::from_secs(5), &mut rebuilding).await.is_err();
    let seen: i64 =
        sqlx::query_scalar("select count(*) from read.sales").fetch_one(&mut *early).await.unwrap();
    drop(early);
    assert_eq!((seen, waits), (12, true));
    rebuilding.await.unwrap().unwrap();
    let mut tx = runtime.reads.scoped(&Scope::ALL, None, &[]).await.unwrap();
    let left: i64 = sqlx::query_scalar("select count(*) from read.sales").fetch_one(&mut *tx).await.unwrap();
    assert_eq!((left, all_months(&runtime.pools.owner).await), (12, 9));
}
