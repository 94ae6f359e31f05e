//! One reader of the log for all projectors and reactors of a process.

use std::time::Duration;

use kernel::log::Personal;
use kernel::{Position, Runtime};

use crate::relay::runtime_with;
use crate::stalls::{caught_up, make_table, run, sold};
use crate::support::{
    Stall, StallCommand, StallEvent, ctx, database, eventually, open_stall, owners_slip, runtime, runtime_at,
};

async fn sell(runtime: &Runtime, count: i64) {
    runtime.desk.execute::<Stall>(&"a".to_owned(), StallCommand::Sell(count), &ctx()).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn projecting_takes_no_connection_of_the_users() {
    let standing = runtime().await;
    make_table(&standing.runtime.pools.owner).await;
    let projecting = runtime_at(&standing.database.url).await;
    let (projectors, _running) = run(&projecting, crate::stalls::Stalls::default());
    open_stall(&standing.runtime, "a").await;
    for _ in 0..20 {
        sell(&standing.runtime, 1).await;
    }
    caught_up(&standing.runtime).await;
    projectors.rebuild("stalls").await.unwrap();
    assert_eq!(sold(&standing.runtime).await, [("a".to_owned(), 20)]);
    assert_eq!(projecting.pools.app.size(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_event_that_cannot_be_read_stops_nobody_who_does_not_want_it() {
    let standing = runtime().await;
    make_table(&standing.runtime.pools.owner).await;
    let (_projectors, _running) = run(&standing.runtime, crate::stalls::Stalls::default());
    open_stall(&standing.runtime, "a").await;
    caught_up(&standing.runtime).await;
    let unreadable = "insert into log.events
        select position + 1, 'strange', 's', 1, 'strange.made', 1, '{}', 'no meta', now(), sha256(chain) from log.log_head";
    owners_slip(&standing.runtime, unreadable).await;
    sell(&standing.runtime, 2).await;
    caught_up(&standing.runtime).await;
    assert_eq!(sold(&standing.runtime).await, [("a".to_owned(), 2)]);
    sell(&standing.runtime, 3).await;
    caught_up(&standing.runtime).await;
    assert_eq!(sold(&standing.runtime).await, [("a".to_owned(), 5)]);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_forgotten_is_not_handed_out_from_memory() {
    let standing = runtime().await;
    let here = &standing.runtime;
    let there = runtime_at(&standing.database.url).await;
    open_stall(here, "a").await;
    for runtime in [here, &there] {
        // From here on it remembers.
        runtime.feed.beyond(Position(0)).await;
    }
    let keeper = Personal::new("keeper:7", "王芳".to_owned());
    here.desk.execute::<Stall>(&"a".to_owned(), StallCommand::Hire(keeper.clone()), &ctx()).await.unwrap();
    let hired = async |runtime: &Runtime| {
        let (events, _) = runtime.feed.after(Position(1), &["stall"]).await.unwrap();
        events.first().map(|event| event.decode::<StallEvent>().unwrap())
    };
    for runtime in [here, &there] {
        runtime.feed.beyond(Position(1)).await;
        assert_eq!(hired(runtime).await, Some(StallEvent::Hired { keeper: keeper.clone() }));
    }
    here.forget("keeper:7").await.unwrap();
    let forgotten =
        Some(StallEvent::Hired { keeper: Personal::Forgotten { subject: "keeper:7".to_owned() } });
    assert_eq!(hired(here).await, forgotten);
    eventually("the other process forgets too", async || hired(&there).await == forgotten).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn other_nodes_hear_through_nats_how_far_a_read_model_is_and_those_of_another_log_do_not() {
    let (_services, database_of_one) = database().await;
    let (_more, database_of_another) = database().await;
    let nats = testkit::OwnNats::start().await;
    let one = runtime_with(&nats, &database_of_one.url).await;
    let same = runtime_with(&nats, &database_of_one.url).await;
    let another = runtime_with(&nats, &database_of_another.url).await;
    // A subscription is made in the background.
    let told = async |runtime: &Runtime, position| {
        let mut reached = runtime.progress.of("stalls");
        tokio::time::timeout(Duration::from_millis(100), reached.wait_for(|at| *at >= position)).await.is_ok()
    };
    let mut position = 0;
    eventually("the node of the same log is told", async || {
        position += 1;
        one.progress.reached("stalls", Position(position));
        told(&same, position).await
    })
    .await;
    assert!(!told(&another, 1).await);
}
