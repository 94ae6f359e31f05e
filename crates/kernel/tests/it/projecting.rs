//! Read models hold what the log says: once, in order, whatever crashes.

use std::sync::Arc;
use std::time::Duration;

use kernel::projecting::{Limits, parked};
use kernel::{ChangeBatch, Position};
use vocabulary::Scope;

use crate::stalls::{Stalls, caught_up, make_table, reached, run, sold};
use crate::support::{Stall, StallCommand, ctx, here, open_stall, runtime, runtime_at};

async fn sell(runtime: &kernel::Runtime, id: &str, count: i64) -> Position {
    runtime.desk.execute::<Stall>(&id.to_owned(), StallCommand::Sell(count), &ctx()).await.unwrap().position
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_just_done_is_seen_and_told() {
    let standing = runtime().await;
    let runtime = &standing.runtime;
    make_table(&runtime.pools.owner).await;
    let mut changes = runtime.changes.subscribe();
    let (_projectors, _running) = run(runtime, Stalls::default());
    open_stall(runtime, "a").await;
    let seen = sell(runtime, "a", 3).await;
    let mut tx = runtime.reads.scoped(&Scope::ALL, Some(seen), &["stalls"]).await.unwrap();
    assert!(tx.caught_up());
    let sold: i64 = sqlx::query_scalar("select sold from read.stalls").fetch_one(&mut *tx).await.unwrap();
    assert_eq!(sold, 3);
    let first = changes.recv().await.unwrap();
    assert!(first.is_of_whole_table(), "whoever begins does not know what was told: {first:?}");
    let told: Arc<ChangeBatch> = changes.recv().await.unwrap();
    assert_eq!((told.table.as_str(), told.changes[0].key.as_str()), ("stalls", "a"));
    assert_eq!(told.changes[0].owner, here());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_position_that_moved_without_a_word_makes_the_table_be_read_anew() {
    let standing = runtime().await;
    let runtime = &standing.runtime;
    make_table(&runtime.pools.owner).await;
    let mut changes = runtime.changes.subscribe();
    let (projectors, _running) = run(runtime, Stalls::default());
    open_stall(runtime, "a").await;
    caught_up(runtime).await;
    // An attempt whose answer was lost, or another who died before he told.
    let moved: Position = sqlx::query_scalar(
        "update log.projectors set position = position + 1 where name = 'stalls' returning position",
    )
    .fetch_one(&runtime.pools.owner)
    .await
    .unwrap();
    let told = async { while changes.recv().await.unwrap().position != moved {} };
    tokio::time::timeout(Duration::from_secs(20), told).await.expect("the move is told");
    projectors.rebuild("stalls").await.unwrap();
    let told = async { while !changes.recv().await.unwrap().is_of_whole_table() {} };
    tokio::time::timeout(Duration::from_secs(20), told).await.expect("a table built anew is told");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_projector_killed_in_the_middle_of_a_batch_applies_every_event_once() {
    let standing = runtime().await;
    make_table(&standing.runtime.pools.owner).await;
    for n in 0..5 {
        open_stall(&standing.runtime, &format!("s{n}")).await;
    }
    for n in 0..60 {
        sell(&standing.runtime, &format!("s{}", n % 5), 1).await;
    }
    // Processes that die one after another, each in the middle of a batch.
    for _ in 0..4 {
        let process = runtime_at(&standing.database.url).await;
        let slow = Stalls { pause: Duration::from_secs(30), ..Stalls::default() };
        let batches = slow.batches.clone();
        let (_, running) = run(&process, slow);
        let began = async {
            while batches.load(std::sync::atomic::Ordering::SeqCst) == 0 {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        };
        tokio::time::timeout(Duration::from_secs(20), began)
            .await
            .expect("the next process leads within seconds");
        running.abort();
        process.close();
        sell(&standing.runtime, "s0", 1).await;
    }
    let (_projectors, _running) = run(&standing.runtime, Stalls::default());
    caught_up(&standing.runtime).await;
    let expected: Vec<(String, i64)> =
        (0..5).map(|n| (format!("s{n}"), if n == 0 { 16 } else { 12 })).collect();
    assert_eq!(sold(&standing.runtime).await, expected);
}

#[tokio::test(flavor = "multi_thread")]
async fn two_processes_never_both_apply_an_event() {
    let standing = runtime().await;
    make_table(&standing.runtime.pools.owner).await;
    let other = runtime_at(&standing.database.url).await;
    let (_a, _ra) = run(&standing.runtime, Stalls::default());
    let (_b, _rb) = run(&other, Stalls::default());
    open_stall(&standing.runtime, "a").await;
    for _ in 0..50 {
        sell(&standing.runtime, "a", 1).await;
    }
    // Even when the leader's lease is given to the other at any moment.
    for _ in 0..3 {
        let taken =
            "update log.leases set holder = '', until = clock_timestamp() where name = 'projector:stalls'";
        sqlx::query(taken).execute(&standing.runtime.pools.owner).await.unwrap();
        sell(&standing.runtime, "a", 1).await;
    }
    for _ in 0..50 {
        sell(&standing.runtime, "a", 1).await;
    }
    caught_up(&standing.runtime).await;
    assert_eq!(sold(&standing.runtime).await, [("a".to_owned(), 103)]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stream_that_fails_is_parked_while_the_others_go_on_and_can_be_tried_again() {
    let standing = runtime().await;
    let runtime = &standing.runtime;
    make_table(&runtime.pools.owner).await;
    let stalls = Stalls::default();
    let poison = stalls.poison.clone();
    for id in ["good", "bad", "other"] {
        open_stall(runtime, id).await;
    }
    poison.lock().unwrap().insert("bad".to_owned());
    let (projectors, _running) = run(runtime, stalls);
    for id in ["bad", "good", "bad", "other"] {
        sell(runtime, id, 2).await;
    }
    caught_up(runtime).await;
    let rows = |bad: i64| -> Vec<(String, i64)> {
        let bad = if bad < 0 { vec![] } else { vec![("bad".to_owned(), bad)] };
        bad.into_iter().chain([("good".to_owned(), 2), ("other".to_owned(), 2)]).collect()
    };
    assert_eq!(sold(runtime).await, rows(-1), "nothing of the parked stream is applied");
    let waiting = parked(&runtime.pools.app).await.unwrap();
    assert_eq!(waiting.len(), 1);
    assert_eq!((waiting[0].reader.as_str(), waiting[0].stream_id.as_str()), ("projector:stalls", "bad"));
    assert_eq!(waiting[0].position, Position(2), "it stands at the event that failed");
    assert!(waiting[0].failure.contains("null value"), "{}", waiting[0].failure);

    assert!(!projectors.retry("stalls", "stall", "bad").await.unwrap(), "it still fails");
    assert_eq!(parked(&runtime.pools.app).await.unwrap()[0].attempts, 2);
    sell(runtime, "bad", 5).await;
    caught_up(runtime).await;
    assert_eq!(sold(runtime).await, rows(-1), "later events of a parked stream are held back too");

    poison.lock().unwrap().clear();
    assert!(projectors.retry("stalls", "stall", "bad").await.unwrap());
    assert_eq!(sold(runtime).await, rows(9));
    sell(runtime, "bad", 1).await;
    caught_up(runtime).await;
    assert_eq!(sold(runtime).await, rows(10));
    assert!(parked(&runtime.pools.app).await.unwrap().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_parked_stream_of_exactly_a_page_or_one_more_is_tried_again_to_its_end() {
    let standing = runtime().await;
    let runtime = &standing.runtime;
    make_table(&runtime.pools.owner).await;
    let stalls = Stalls::default();
    let poison = stalls.poison.clone();
    poison.lock().unwrap().extend(["page".to_owned(), "more".to_owned(), "many".to_owned()]);
    let (projectors, _running) = run(runtime, stalls);
    let projectors = projectors.limited(Limits { retry_page: 10, ..Limits::default() });
    for (id, sales) in [("page", 9), ("more", 10), ("many", 29)] {
        open_stall(runtime, id).await;
        for _ in 0..sales {
            sell(runtime, id, 1).await;
        }
    }
    caught_up(runtime).await;
    poison.lock().unwrap().clear();
    for id in ["page", "more", "many"] {
        assert!(projectors.retry("stalls", "stall", id).await.unwrap(), "{id}");
    }
    let expected = [("many", 29), ("more", 10), ("page", 9)].map(|(id, sold)| (id.to_owned(), sold));
    assert_eq!(sold(runtime).await, expected);
    assert!(parked(&runtime.pools.app).await.unwrap().is_empty());
    for id in ["page", "more", "many"] {
        sell(runtime, id, 1).await;
    }
    caught_up(runtime).await;
    assert_eq!(sold(runtime).await, expected.map(|(id, sold)| (id, sold + 1)));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stream_tried_again_goes_no_further_than_its_projector() {
    let standing = runtime().await;
    let runtime = &standing.runtime;
    make_table(&runtime.pools.owner).await;
    let stalls = Stalls::default();
    let poison = stalls.poison.clone();
    poison.lock().unwrap().insert("a".to_owned());
    let (projectors, running) = run(runtime, stalls);
    let projectors = projectors.limited(Limits { retry_page: 5, ..Limits::default() });
    open_stall(runtime, "a").await;
    for _ in 0..8 {
        sell(runtime, "a", 1).await;
    }
    caught_up(runtime).await;
    running.abort();
    let _ = running.await;
    // Nine of its events are behind the projector, and these are not: a page ends at neither.
    for _ in 0..12 {
        sell(runtime, "a", 1).await;
    }
    poison.lock().unwrap().clear();
    assert!(projectors.retry("stalls", "stall", "a").await.unwrap());
    assert_eq!(sold(runtime).await, [("a".to_owned(), 8)]);
    let (_projectors, _running) = run(runtime, Stalls::default());
    caught_up(runtime).await;
    assert_eq!(sold(runtime).await, [("a".to_owned(), 20)]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_projector_of_money_stops_before_the_event_it_cannot_apply() {
    let standing = runtime().await;
    let runtime = &standing.runtime;
    make_table(&runtime.pools.owner).await;
    let stalls = Stalls { stops: true, ..Stalls::default() };
    let poison = stalls.poison.clone();
    poison.lock().unwrap().insert("bad".to_owned());
    for id in ["good", "bad", "after"] {
        open_stall(runtime, id).await;
    }
    let (projectors, _running) = run(runtime, stalls);
    reached(runtime, Position(1)).await;
    tokio::time::sleep(Duration::from_millis(800)).await;
    let (state, position): (String, i64) = sqlx::query_as("select state, position from log.projectors")
        .fetch_one(&runtime.pools.owner)
        .await
        .unwrap();
    assert_eq!((state.as_str(), position), ("stopped", 1));
    assert_eq!(sold(runtime).await, [("good".to_owned(), 0)]);
    poison.lock().unwrap().clear();
    projectors.resume("stalls").await.unwrap();
    caught_up(runtime).await;
    assert_eq!(sold(runtime).await.len(), 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn events_of_no_concern_move_the_position_alone() {
    let standing = runtime().await;
    let runtime = &standing.runtime;
    make_table(&runtime.pools.owner).await;
    let stalls = Stalls::default();
    let batches = stalls.batches.clone();
    let (_projectors, _running) = run(runtime, stalls);
    sqlx::query(
        "insert into log.events select n, 'other', n::text, 1, 'other.done', 1, '{}',
         '{\"actor\":{\"kind\":\"system\",\"name\":\"x\"}}', now(), h.chain
         from generate_series(1, 2000) n, log.log_head h",
    )
    .execute(&runtime.pools.owner)
    .await
    .unwrap();
    reached(runtime, Position(2000)).await;
    assert_eq!(batches.load(std::sync::atomic::Ordering::SeqCst), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_sign_of_life_is_not_taken_for_progress() {
    let standing = runtime().await;
    let runtime = &standing.runtime;
    make_table(&runtime.pools.owner).await;
    let (_projectors, _running) = run(runtime, Stalls::default());
    open_stall(runtime, "a").await;
    caught_up(runtime).await;
    let read = || async {
        sqlx::query_as::<_, (chrono::DateTime<chrono::Utc>, chrono::DateTime<chrono::Utc>)>(
            "select moved_at, beat_at from log.projectors",
        )
        .fetch_one(&runtime.pools.owner)
        .await
        .unwrap()
    };
    let before = read().await;
    tokio::time::sleep(Duration::from_secs(3)).await;
    let after = read().await;
    assert_eq!(before.0, after.0);
    assert!(after.1 > before.1);
}
