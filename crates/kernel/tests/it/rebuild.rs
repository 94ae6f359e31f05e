//! A read model built anew is the same to the byte, and serves all the while.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use kernel::Projectors;
use kernel::projecting::{Limits, fingerprint, parked};
use vocabulary::Scope;

use crate::stalls::{Stalls, caught_up, make_table, run, sold};
use crate::support::{Stall, StallCommand, ctx, open_stall, runtime};

async fn fill(runtime: &kernel::Runtime, streams: usize, sales: usize) {
    for n in 0..streams {
        open_stall(runtime, &format!("s{n}")).await;
    }
    let sales = (0..sales).map(|n| {
        let desk = runtime.desk.clone();
        async move {
            desk.execute::<Stall>(&format!("s{}", n % streams), StallCommand::Sell(1), &ctx()).await.unwrap()
        }
    });
    futures::future::join_all(sales).await;
}

/// What the database knows of a table beside its rows.
pub async fn furniture(runtime: &kernel::Runtime, table: &'static str) -> Vec<String> {
    sqlx::query_scalar(
        "select 'column ' || column_name || data_type || is_nullable || coalesce(column_default, '')
           from information_schema.columns where table_schema = 'read' and table_name = $1
         union all select 'index ' || indexdef from pg_indexes where schemaname = 'read' and tablename = $1
         union all select 'policy ' || policyname || roles::text || cmd || coalesce(qual, '') || coalesce(with_check, '')
           from pg_policies where schemaname = 'read' and tablename = $1
         union all select 'grant ' || grantee || privilege_type
           from information_schema.role_table_grants where table_schema = 'read' and table_name = $1
         union all select 'guarded ' || relrowsecurity || coalesce(pg_get_partkeydef(oid), '')
           from pg_class where oid = ('read.' || $1)::regclass
         union all select 'constraint ' || conname || pg_get_constraintdef(oid)
           from pg_constraint where conrelid = ('read.' || $1)::regclass
         union all select 'month ' || pg_get_expr(c.relpartbound, c.oid) || c.relrowsecurity
           from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = ('read.' || $1)::regclass
         order by 1",
    )
    .bind(table)
    .fetch_all(&runtime.pools.owner)
    .await
    .unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rebuild_under_reads_and_writes_gives_the_same_bytes_and_no_read_fails() {
    let standing = runtime().await;
    let runtime = &standing.runtime;
    make_table(&runtime.pools.owner).await;
    let (projectors, _running) = run(runtime, Stalls::default());
    fill(runtime, 20, 1500).await;
    caught_up(runtime).await;
    let before =
        (fingerprint(&runtime.pools.owner, "stalls").await.unwrap(), furniture(runtime, "stalls").await);
    assert!(before.1.iter().any(|line| line.starts_with("policy scope")));

    let stop = Arc::new(AtomicBool::new(false));
    let readers: Vec<_> = (0..3)
        .map(|_| {
            let (reads, stop) = (runtime.reads.clone(), stop.clone());
            tokio::spawn(async move {
                let mut reads_done = 0;
                while !stop.load(Ordering::Relaxed) {
                    let mut tx = reads.scoped(&Scope::ALL, None, &[]).await.unwrap();
                    let (rows, total): (i64, i64) =
                        sqlx::query_as("select count(*), sum(sold)::bigint from read.stalls")
                            .fetch_one(&mut *tx)
                            .await
                            .unwrap();
                    assert_eq!(rows, 20, "a reader never sees a half-built table");
                    assert!(total >= 1500);
                    reads_done += 1;
                }
                reads_done
            })
        })
        .collect();
    let rebuilt = projectors.rebuild("stalls").await.unwrap();
    assert!(rebuilt.position.0 >= 1520);
    assert_eq!(rebuilt.parked, 0);
    assert_eq!(
        (fingerprint(&runtime.pools.owner, "stalls").await.unwrap(), furniture(runtime, "stalls").await),
        before
    );

    // And once more while sales go on: nothing is lost between the old tables and the new.
    let desk = runtime.desk.clone();
    let selling = tokio::spawn(async move {
        for _ in 0..200 {
            desk.execute::<Stall>(&"s0".to_owned(), StallCommand::Sell(1), &ctx()).await.unwrap();
        }
    });
    projectors.rebuild_all().await.unwrap();
    selling.await.unwrap();
    stop.store(true, Ordering::Relaxed);
    for reader in readers {
        assert!(reader.await.unwrap() > 0);
    }
    caught_up(runtime).await;
    let total: i64 = sold(runtime).await.iter().map(|(_, sold)| sold).sum();
    assert_eq!(total, 1700);
    let left: i64 = sqlx::query_scalar("select count(*) from pg_namespace where nspname like 'shadow%'")
        .fetch_one(&runtime.pools.owner)
        .await
        .unwrap();
    assert_eq!(left, 0);
}

/// Counts the rows in transactions of all sorts until `stop`; how many counts there were, and how many were not `expected`.
async fn count_rows(
    runtime: kernel::Runtime,
    stop: Arc<AtomicBool>,
    number: usize,
    (counting, expected): (&'static str, i64),
) -> (u64, u64) {
    let (mut reads, mut wrong) = (0, 0);
    while !stop.load(Ordering::Relaxed) {
        let mut tx = runtime.reads.scoped(&Scope::ALL, None, &[]).await.unwrap();
        // Some have looked at something else before: their snapshot is older than their way to the table.
        if number.is_multiple_of(2) {
            sqlx::query("select position from log.log_head").execute(&mut *tx).await.unwrap();
            tokio::time::sleep(Duration::from_millis(number as u64 % 5)).await;
        }
        let rows: i64 = sqlx::query_scalar(counting).fetch_one(&mut *tx).await.unwrap();
        reads += 1;
        wrong += u64::from(rows != expected);
    }
    (reads, wrong)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn no_reader_sees_an_empty_or_partial_table_through_forty_rebuilds() {
    let standing = runtime().await;
    let runtime = &standing.runtime;
    make_table(&runtime.pools.owner).await;
    let (projectors, _running) = run(runtime, Stalls::default());
    fill(runtime, 20, 40).await;
    caught_up(runtime).await;
    counted_through_rebuilds(&projectors, runtime, 40, ("select count(*) from read.stalls", 20)).await;
}

/// Rebuilds so many times while six readers count, who shall find what they expect.
pub async fn counted_through_rebuilds(
    projectors: &Projectors,
    runtime: &kernel::Runtime,
    times: u64,
    counting: (&'static str, i64),
) {
    let stop = Arc::new(AtomicBool::new(false));
    let readers: Vec<_> =
        (0..6).map(|n| tokio::spawn(count_rows(runtime.clone(), stop.clone(), n, counting))).collect();
    let (mut rebuilt, mut failed) = (0, 0);
    while rebuilt < times {
        match projectors.rebuild(projectors.names()[0]).await {
            Ok(_) => rebuilt += 1,
            Err(error) => {
                failed += 1;
                assert!(failed < times, "{error}");
            }
        }
    }
    stop.store(true, Ordering::Relaxed);
    let (mut reads, mut wrong) = (0, 0);
    for reader in readers {
        let (did, erred) = reader.await.unwrap();
        (reads, wrong) = (reads + did, wrong + erred);
    }
    assert!(reads > 100, "{reads} reads");
    assert_eq!(wrong, 0, "of {reads} reads");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rebuild_that_a_reader_holds_up_ends_with_his_name_and_holds_up_nobody() {
    let standing = runtime().await;
    let runtime = &standing.runtime;
    make_table(&runtime.pools.owner).await;
    let (projectors, _running) = run(runtime, Stalls::default());
    let limits = Limits { swap_patience: Duration::from_millis(1500), ..Limits::default() };
    let impatient = projectors.clone().limited(limits);
    fill(runtime, 3, 30).await;
    caught_up(runtime).await;
    // He has looked elsewhere only, and will come to the table later.
    let mut reader = runtime.reads.scoped(&Scope::ALL, None, &[]).await.unwrap();
    sqlx::query("select position from log.log_head").execute(&mut *reader).await.unwrap();
    let pid: i32 = sqlx::query_scalar("select pg_backend_pid()").fetch_one(&mut *reader).await.unwrap();
    let refused = impatient.rebuild("stalls").await.unwrap_err().to_string();
    assert!(refused.contains(&format!("process {pid} (wheelhouse app)")), "{refused}");
    let rows: i64 =
        sqlx::query_scalar("select count(*) from read.stalls").fetch_one(&mut *reader).await.unwrap();
    assert_eq!(rows, 3);
    open_stall(runtime, "later").await;
    caught_up(runtime).await;
    // A patient one waits for him to end.
    let waiting = tokio::spawn(async move { projectors.rebuild("stalls").await });
    tokio::time::sleep(Duration::from_millis(300)).await;
    assert!(!waiting.is_finished());
    drop(reader);
    waiting.await.unwrap().unwrap();
    assert_eq!(sold(runtime).await.len(), 4);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_projector_of_a_new_version_rebuilds_itself_at_start() {
    let standing = runtime().await;
    let runtime = &standing.runtime;
    make_table(&runtime.pools.owner).await;
    fill(runtime, 3, 10).await;
    let (_projectors, running) = run(runtime, Stalls::default());
    caught_up(runtime).await;
    running.abort();
    sqlx::query("update read.stalls set note = 'made by the old rules'")
        .execute(&runtime.pools.owner)
        .await
        .unwrap();
    let (_projectors, _running) = run(runtime, Stalls { version: 2, ..Stalls::default() });
    let renewed = async {
        loop {
            let old: i64 = sqlx::query_scalar("select count(*) from read.stalls where note <> 'none'")
                .fetch_one(&runtime.pools.owner)
                .await
                .unwrap();
            if old == 0 {
                return;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(20), renewed).await.unwrap();
    assert_eq!(sold(runtime).await.len(), 3);
    let version: i32 = sqlx::query_scalar("select version from log.projectors")
        .fetch_one(&runtime.pools.owner)
        .await
        .unwrap();
    assert_eq!(version, 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rebuild_tries_parked_streams_again_and_parks_those_that_still_fail() {
    let standing = runtime().await;
    let runtime = &standing.runtime;
    make_table(&runtime.pools.owner).await;
    let stalls = Stalls::default();
    let poison = stalls.poison.clone();
    poison.lock().unwrap().extend(["s0".to_owned(), "s1".to_owned()]);
    let (projectors, _running) = run(runtime, stalls);
    fill(runtime, 3, 30).await;
    caught_up(runtime).await;
    assert_eq!(parked(&runtime.pools.app).await.unwrap().len(), 2);
    poison.lock().unwrap().remove("s0");
    let rebuilt = projectors.rebuild("stalls").await.unwrap();
    assert_eq!(rebuilt.parked, 1);
    assert_eq!(sold(runtime).await, [("s0".to_owned(), 10), ("s2".to_owned(), 10)]);
    let left = parked(&runtime.pools.app).await.unwrap();
    assert_eq!(
        (left.len(), left[0].stream_id.as_str(), left[0].reader.as_str()),
        (1, "s1", "projector:stalls")
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rebuild_that_fails_leaves_everything_as_it_was() {
    let standing = runtime().await;
    let runtime = &standing.runtime;
    make_table(&runtime.pools.owner).await;
    let (projectors, _running) = run(runtime, Stalls::default());
    fill(runtime, 3, 30).await;
    caught_up(runtime).await;
    let before = fingerprint(&runtime.pools.owner, "stalls").await.unwrap();
    sqlx::query("create view read.hanger_on with (security_invoker = true) as select id from read.stalls")
        .execute(&runtime.pools.owner)
        .await
        .unwrap();
    assert!(projectors.rebuild("stalls").await.is_err());
    assert_eq!(fingerprint(&runtime.pools.owner, "stalls").await.unwrap(), before);
    open_stall(runtime, "later").await;
    caught_up(runtime).await;
    assert_eq!(sold(runtime).await.len(), 4);
}
