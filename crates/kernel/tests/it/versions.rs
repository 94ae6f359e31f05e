//! Of two programs on one database the one with the newer rules writes the read model, and the other stands aside.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use kernel::Projectors;

use crate::stalls::{Stalls, caught_up, make_table, run, sold};
use crate::support::{Stall, StallCommand, Standing, ctx, eventually, open_stall, runtime, runtime_at};

fn of_version(version: i32) -> Stalls {
    Stalls { version, ..Stalls::default() }
}

async fn sell(runtime: &kernel::Runtime, count: i64) {
    runtime.desk.execute::<Stall>(&"a".to_owned(), StallCommand::Sell(count), &ctx()).await.unwrap();
}

async fn led_by(standing: &Standing, node: &str) {
    let led = async {
        loop {
            let leader: Option<String> = sqlx::query_scalar("select leader from log.projectors")
                .fetch_one(&standing.runtime.pools.owner)
                .await
                .unwrap();
            if leader.as_deref() == Some(node) {
                return;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(30), led).await.expect("the newer node leads");
}

async fn stored_version(standing: &Standing) -> i32 {
    sqlx::query_scalar("select version from log.projectors")
        .fetch_one(&standing.runtime.pools.owner)
        .await
        .unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_leader_whose_tables_were_rebuilt_by_newer_rules_stands_aside_for_a_newer_node() {
    let standing = runtime().await;
    let (old, new) = (&standing.runtime, runtime_at(&standing.database.url).await);
    make_table(&old.pools.owner).await;
    let stalls = of_version(1);
    let batches = stalls.batches.clone();
    let (_old_projectors, _old_running) = run(old, stalls);
    open_stall(old, "a").await;
    caught_up(old).await;
    let by_hand = Projectors::new(new.clone(), vec![Arc::new(of_version(2))]);
    by_hand.rebuild("stalls").await.unwrap();
    let before = batches.load(Ordering::SeqCst);
    sell(old, 3).await;
    let (_new_projectors, _new_running) = run(&new, of_version(2));
    led_by(&standing, &new.node).await;
    sell(old, 4).await;
    caught_up(old).await;
    assert_eq!(batches.load(Ordering::SeqCst), before, "the old rules wrote nothing more");
    assert_eq!(sold(old).await, [("a".to_owned(), 7)]);
    assert_eq!(stored_version(&standing).await, 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_older_node_neither_leads_nor_rebuilds_downwards() {
    let standing = runtime().await;
    let (new, old) = (&standing.runtime, runtime_at(&standing.database.url).await);
    make_table(&new.pools.owner).await;
    let (_projectors, running) = run(new, of_version(2));
    open_stall(new, "a").await;
    caught_up(new).await;
    running.abort();
    let stalls = of_version(1);
    let batches = stalls.batches.clone();
    let (older, _old_running) = run(&old, stalls);
    for refused in [
        older.rebuild("stalls").await.err(),
        older.retry("stalls", "stall", "a").await.err(),
        older.resume("stalls").await.err(),
    ] {
        let refused = refused.expect("the older program may not").to_string();
        assert!(refused.contains('2') && refused.contains('1'), "{refused}");
    }
    sell(new, 5).await;
    let newest = runtime_at(&standing.database.url).await;
    let (_newest_projectors, _newest_running) = run(&newest, of_version(2));
    led_by(&standing, &newest.node).await;
    caught_up(new).await;
    assert_eq!(batches.load(Ordering::SeqCst), 0, "the old rules wrote nothing");
    assert_eq!((stored_version(&standing).await, sold(new).await), (2, vec![("a".to_owned(), 5)]));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_newer_node_builds_its_tables_beside_those_that_the_older_one_goes_on_with() {
    let standing = runtime().await;
    let (old, new) = (&standing.runtime, runtime_at(&standing.database.url).await);
    make_table(&old.pools.owner).await;
    let (_old_projectors, _old_running) = run(old, of_version(1));
    open_stall(old, "a").await;
    // More than is applied while the live tables are held.
    for _ in 0..250 {
        sell(old, 1).await;
    }
    caught_up(old).await;
    let slow = Stalls { pause: Duration::from_secs(2), ..of_version(2) };
    let (_new_projectors, _new_running) = run(&new, slow);
    eventually("the newer node fills tables of its own", async || {
        sqlx::query_scalar("select to_regclass('shadow_stalls.stalls') is not null")
            .fetch_one(&old.pools.owner)
            .await
            .unwrap()
    })
    .await;
    sell(old, 1).await;
    caught_up(old).await;
    assert_eq!((stored_version(&standing).await, sold(old).await), (1, vec![("a".to_owned(), 251)]));
    led_by(&standing, &new.node).await;
    sell(old, 1).await;
    caught_up(old).await;
    assert_eq!((stored_version(&standing).await, sold(old).await), (2, vec![("a".to_owned(), 252)]));
}

#[tokio::test(flavor = "multi_thread")]
async fn tables_that_another_node_renewed_meanwhile_are_not_renewed_again() {
    let standing = runtime().await;
    let old = &standing.runtime;
    make_table(&old.pools.owner).await;
    let (_projectors, running) = run(old, of_version(1));
    open_stall(old, "a").await;
    caught_up(old).await;
    running.abort();
    // One node has seen that the tables are old, and waits for a connection to rebuild them.
    let late = runtime_at(&standing.database.url).await;
    let mut held = Vec::new();
    while let Ok(Ok(connection)) =
        tokio::time::timeout(Duration::from_millis(500), late.pools.owner.acquire()).await
    {
        held.push(connection);
    }
    let (_late_projectors, _late_running) = run(&late, of_version(2));
    tokio::time::sleep(Duration::from_secs(1)).await;
    let new = runtime_at(&standing.database.url).await;
    let (_new_projectors, _new_running) = run(&new, of_version(2));
    led_by(&standing, &new.node).await;
    let table = async || -> sqlx::postgres::types::Oid {
        let sql = "select 'read.stalls'::regclass::oid";
        sqlx::query_scalar(sql).fetch_one(&old.pools.owner).await.unwrap()
    };
    let renewed = table().await;
    drop(held);
    tokio::time::sleep(Duration::from_secs(2)).await;
    assert_eq!(table().await, renewed, "the tables that the first of them made");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_older_node_that_stood_in_line_while_the_tables_were_renewed_writes_nothing_down() {
    let standing = runtime().await;
    let old = &standing.runtime;
    make_table(&old.pools.owner).await;
    // Somebody leads while it begins to stand in line.
    let other = runtime_at(&standing.database.url).await;
    let mut lease = other.lease("projector:stalls").await;
    lease.held().await;
    let (_projectors, _running) = run(old, of_version(1));
    tokio::time::sleep(Duration::from_secs(1)).await;
    let by_hand = Projectors::new(other.clone(), vec![Arc::new(of_version(2))]);
    by_hand.rebuild("stalls").await.unwrap();
    let row = async || -> (i64, Option<String>) {
        sqlx::query_as("select token, leader from log.projectors").fetch_one(&old.pools.owner).await.unwrap()
    };
    let before = row().await;
    let term = lease.token();
    drop(lease);
    eventually("it had its turn and gave it back", async || {
        let turn = "select token > $1 and holder = '' from log.leases where name = 'projector:stalls'";
        sqlx::query_scalar(turn).bind(term).fetch_one(&old.pools.owner).await.unwrap()
    })
    .await;
    assert_eq!(row().await, before);
}
