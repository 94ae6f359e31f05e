//! Whoever follows the log meets every event once, in order, however many processes append.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use futures::future::join_all;
use kernel::Position;

use crate::support::{Stall, StallCommand, ctx, eventually, open_stall, owners_slip, runtime, runtime_at};

const SELLERS: usize = 8;
const SALES_EACH: usize = 120;

#[tokio::test(flavor = "multi_thread")]
async fn while_two_processes_append_nothing_appears_behind_whoever_follows_in_a_third() {
    let standing = runtime().await;
    let (one, other) = (&standing.runtime, runtime_at(&standing.database.url).await);
    let follower = runtime_at(&standing.database.url).await;
    for n in 0..2 * SELLERS {
        open_stall(one, &format!("s{n}")).await;
    }
    let sold = Arc::new(AtomicUsize::new(0));
    let sellers: Vec<_> = (0..2 * SELLERS)
        .map(|n| {
            let desk = if n % 2 == 0 { one.desk.clone() } else { other.desk.clone() };
            let sold = Arc::clone(&sold);
            tokio::spawn(async move {
                for _ in 0..SALES_EACH {
                    desk.execute::<Stall>(&format!("s{n}"), StallCommand::Sell(1), &ctx())
                        .await
                        .expect("a sale");
                    sold.fetch_add(1, Ordering::Relaxed);
                }
            })
        })
        .collect();

    // As a projector does: wait until there is more, read from where one stands, go on from the last one read.
    let all = 2 * SELLERS * (SALES_EACH + 1);
    let (mut at, mut met, mut looks_while_selling) = (Position(0), Vec::new(), 0);
    let following = async {
        while met.len() < all {
            follower.tail.beyond(at).await;
            let events = follower.reader.read_after(at, 500).await.expect("the log is read");
            for event in events {
                assert_eq!(event.position, Position(at.0 + 1), "the next one, and none was left out");
                at = event.position;
                met.push((event.stream_id.to_string(), event.version));
            }
            looks_while_selling += usize::from(sold.load(Ordering::Relaxed) < 2 * SELLERS * SALES_EACH);
        }
    };
    tokio::time::timeout(Duration::from_mins(1), following).await.expect("every event is met");
    for seller in join_all(sellers).await {
        seller.expect("sold");
    }
    assert!(looks_while_selling > 1, "it followed while they appended");

    // Nothing came to stand where it had already passed.
    let stored: Vec<(String, i64)> =
        sqlx::query_as("select stream_id, version from log.events order by position")
            .fetch_all(&one.pools.owner)
            .await
            .unwrap();
    assert_eq!(met, stored);
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_of_some_categories_are_found_by_category_in_a_log_of_others() {
    let standing = runtime().await;
    let runtime = &standing.runtime;
    open_stall(runtime, "a").await;
    let many = "insert into log.events
        select n, 'crowd', 's' || n, 1, 'crowd.came', 1, '{}', meta, now(), ''::bytea
        from log.events, generate_series(2, 20000) n where position = 1";
    owners_slip(runtime, many).await;
    // From here on the planner believes that any category is half of the log.
    sqlx::query("analyze log.events").execute(&runtime.pools.owner).await.unwrap();
    let wanted = ["crowd", "fair", "market"];
    let (events, reached) =
        runtime.reader.read_of(&wanted, Position(5_000), Position(20_000), 500).await.unwrap();
    assert_eq!((events.len(), reached), (500, Position(5_500)));
    // By positions alone the rest of the log is gone through for each category that is not in it.
    let by_category = async || {
        sqlx::query_scalar::<_, i64>(
            "select pg_stat_get_tuples_returned('log.events_category_position'::regclass)",
        )
        .fetch_one(&runtime.pools.owner)
        .await
        .unwrap()
    };
    eventually("the page is found by category", async || {
        // What a connection read is counted when it is used again a second later.
        runtime.reader.read_of(&["fair"], Position(0), Position(1), 1).await.unwrap();
        by_category().await >= 500
    })
    .await;
}
