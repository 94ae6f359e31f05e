//! A transaction whose owner went away while it began is nobody's, and ends.

use std::time::{Duration, Instant};

use crate::support::runtime;

/// A timer knows milliseconds; beginning takes less.
async fn passed(patience: Duration) {
    let from = Instant::now();
    while from.elapsed() < patience {
        tokio::task::yield_now().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_begin_that_is_cancelled_leaves_no_open_transaction() {
    let standing = runtime().await;
    let pool = &standing.runtime.pools.projector;
    let (mut cancelled, mut inside) = (0_u64, 0_u64);
    for round in 0..3000_u64 {
        let patience = Duration::from_micros(10 + round % 400);
        tokio::select! {
            biased;
            _ = kernel::pools::begin(pool) => {}
            () = passed(patience) => cancelled += 1,
        }
        // Whoever has the connection next believes to be in no transaction: what he writes is there.
        let mut next = pool.acquire().await.unwrap();
        sqlx::query("select set_config('wheelhouse.left', 'behind', true)")
            .execute(&mut *next)
            .await
            .unwrap();
        let left: String =
            sqlx::query_scalar("select coalesce(current_setting('wheelhouse.left', true), '')")
                .fetch_one(&mut *next)
                .await
                .unwrap();
        if !left.is_empty() {
            inside += 1;
            sqlx::query("rollback").execute(&mut *next).await.unwrap();
        }
    }
    assert!(cancelled > 100, "{cancelled} were cancelled");
    assert_eq!(inside, 0, "connections handed out within a transaction, of {cancelled} cancelled");
}
