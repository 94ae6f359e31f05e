//! One process at a time holds a lease, and none for longer than it lives and moves.

use std::sync::mpsc;
use std::time::Duration;

use crate::support::{runtime, runtime_at};

const SOON: Duration = Duration::from_secs(15);

#[tokio::test(flavor = "multi_thread")]
async fn a_lease_dropped_and_wanted_at_once_is_free_when_it_is_dropped_again() {
    let standing = runtime().await;
    let mut lease = standing.runtime.lease("thing").await;
    tokio::time::timeout(SOON, lease.held()).await.expect("nobody else wants it");
    for _ in 0..3 {
        drop(lease);
        lease = standing.runtime.lease("thing").await;
        tokio::time::timeout(SOON, lease.held()).await.expect("it is free again");
    }
    drop(lease);
    let other = runtime_at(&standing.database.url).await;
    let mut lease = other.lease("thing").await;
    tokio::time::timeout(SOON, lease.held()).await.expect("nobody holds it any more");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_process_that_hangs_leads_no_longer_than_its_term() {
    let standing = runtime().await;
    let url = standing.database.url.clone();
    let (told, leads) = mpsc::channel();
    let (wake, woken) = mpsc::channel::<()>();
    // A process whose only thread is blocked: its connections live, and nothing in it moves.
    let hung = std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async move {
            let runtime = runtime_at(&url).await;
            let mut lease = runtime.lease("thing").await;
            lease.held().await;
            told.send(()).unwrap();
            woken.recv().unwrap();
            tokio::time::timeout(Duration::from_secs(1), lease.lost()).await.is_ok()
        })
    });
    tokio::task::spawn_blocking(move || leads.recv().unwrap()).await.unwrap();
    let mut lease = standing.runtime.lease("thing").await;
    let taken = tokio::time::timeout(SOON, lease.held()).await;
    wake.send(()).unwrap();
    let knew = tokio::task::spawn_blocking(move || hung.join().unwrap()).await.unwrap();
    taken.expect("its term ends by itself");
    assert!(knew, "the process that woke knows at once that it leads no more");
}

#[tokio::test(flavor = "multi_thread")]
async fn each_term_has_a_higher_token_and_none_ends_while_it_is_renewed() {
    let standing = runtime().await;
    let other = runtime_at(&standing.database.url).await;
    let mut tokens = Vec::new();
    for runtime in [&standing.runtime, &other, &standing.runtime, &standing.runtime] {
        let mut lease = runtime.lease("thing").await;
        assert!(!lease.is_held());
        tokio::time::timeout(SOON, lease.held()).await.expect("the one before was given back");
        assert!(lease.is_held());
        tokens.push(lease.token());
    }
    assert!(tokens.windows(2).all(|pair| pair[0] < pair[1]), "{tokens:?}");
    let mut lease = standing.runtime.lease("thing").await;
    lease.held().await;
    assert!(tokio::time::timeout(Duration::from_secs(9), lease.lost()).await.is_err(), "it is renewed");
    // Two of one process stand in line like two processes.
    let mut second = standing.runtime.lease("thing").await;
    assert!(tokio::time::timeout(Duration::from_millis(500), second.held()).await.is_err());
    let first = lease.token();
    drop(lease);
    tokio::time::timeout(SOON, second.held()).await.expect("it is its turn");
    assert!(second.token() > first);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lease_that_another_took_is_lost_and_a_runtime_that_closes_gives_back_at_once() {
    let standing = runtime().await;
    let mut lease = standing.runtime.lease("thing").await;
    lease.held().await;
    let taken = "update log.leases set holder = 'another', token = token + 1,
                 until = clock_timestamp() + interval '1 second' where name = 'thing'";
    sqlx::query(taken).execute(&standing.runtime.pools.owner).await.unwrap();
    tokio::time::timeout(SOON, lease.lost()).await.expect("the next renewal tells");
    assert!(!lease.is_held());
    let first = lease.token();
    tokio::time::timeout(SOON, lease.held()).await.expect("the other's term ended");
    assert!(lease.token() > first + 1, "a term of its own");
    standing.runtime.close();
    assert!(lease.is_held(), "what it leads is brought to its end");
    drop(lease);
    tokio::time::timeout(SOON, standing.runtime.closed()).await.expect("nothing is held any more");
    let held: bool =
        sqlx::query_scalar("select until > clock_timestamp() from log.leases where name = 'thing'")
            .fetch_one(&standing.runtime.pools.owner)
            .await
            .unwrap();
    assert!(!held);
}
