//! PostgreSQL dies while commands are under way: what was acknowledged is there, and nothing is there twice.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use testkit::OwnPostgres;

use crate::stalls::{Stalls, make_table, run};
use crate::support::{Stall, StallCommand, ctx, eventually, foundation_at, open_stall};
use kernel::Runtime;

#[tokio::test(flavor = "multi_thread")]
async fn no_acknowledged_command_is_lost_and_none_is_done_twice_when_postgres_is_killed() {
    let postgres = OwnPostgres::durable().await;
    let foundation = foundation_at(&postgres.url()).await;
    kernel::migrate(&foundation.pools.owner).await.unwrap();
    let runtime = Runtime::open(foundation).await.unwrap();
    let stop = Arc::new(AtomicBool::new(false));
    let mut sellers = Vec::new();
    for n in 0..12 {
        open_stall(&runtime, &format!("s{n}")).await;
        let (desk, stop) = (runtime.desk.clone(), stop.clone());
        sellers.push(tokio::spawn(async move {
            let (mut acknowledged, mut unsure) = (0_i64, 0_i64);
            while !stop.load(Ordering::Relaxed) {
                let sale = desk.execute::<Stall>(&format!("s{n}"), StallCommand::Sell(1), &ctx()).await;
                if sale.is_ok() {
                    acknowledged += 1;
                } else {
                    unsure += 1;
                    tokio::time::sleep(Duration::from_millis(20)).await;
                }
            }
            (acknowledged, unsure)
        }));
    }
    for _ in 0..3 {
        tokio::time::sleep(Duration::from_millis(400)).await;
        postgres.kill9().await;
        tokio::time::sleep(Duration::from_millis(150)).await;
        postgres.restart().await;
    }
    tokio::time::sleep(Duration::from_millis(1500)).await;
    stop.store(true, Ordering::Relaxed);
    let mut total = 0;
    for (n, seller) in sellers.into_iter().enumerate() {
        let (acknowledged, unsure) = seller.await.unwrap();
        let sold = runtime.desk.load::<Stall>(&format!("s{n}")).await.unwrap().state.sold;
        // A failure was told before anything was sent or leaves it open; here all but those must agree exactly.
        assert!(
            acknowledged <= sold && sold <= acknowledged + unsure,
            "{acknowledged} ≤ {sold} ≤ {acknowledged} + {unsure}"
        );
        total += acknowledged;
    }
    assert!(total > 100, "{total} sales");
    let head = runtime.reader.head().await.unwrap().0;
    let positions: (i64, i64) = sqlx::query_as("select count(*), max(position) from log.events")
        .fetch_one(&runtime.pools.owner)
        .await
        .unwrap();
    assert_eq!(positions, (head, head));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_read_model_loses_when_postgres_is_killed_is_applied_again() {
    let postgres = OwnPostgres::durable().await;
    let foundation = foundation_at(&postgres.url()).await;
    kernel::migrate(&foundation.pools.owner).await.unwrap();
    let runtime = Runtime::open(foundation).await.unwrap();
    make_table(&runtime.pools.owner).await;
    let (_projectors, _running) = run(&runtime, Stalls::default());
    open_stall(&runtime, "a").await;
    for sales in 1..=5 {
        let sale =
            runtime.desk.execute::<Stall>(&"a".to_owned(), StallCommand::Sell(1), &ctx()).await.unwrap();
        // Told of, and not yet on the disk; no event follows that would have it looked at.
        runtime.progress.of("stalls").wait_for(|at| *at >= sale.position.0).await.unwrap();
        postgres.kill9().await;
        postgres.restart().await;
        eventually("the sale is in the read model", async || {
            let sold = sqlx::query_scalar("select sold from read.stalls where id = 'a'");
            sold.fetch_one(&runtime.pools.owner).await.is_ok_and(|sold: i64| sold == sales)
        })
        .await;
    }
}
