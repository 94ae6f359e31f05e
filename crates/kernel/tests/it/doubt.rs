//! Lines that break while an append is under way: what is told of it is what became of it.

use std::str::FromStr;
use std::time::{Duration, Instant};

use futures::future::join_all;
use kernel::log::{Append, BatchWriter, ClaimChange, LogError, Outcome, Tail, WriterLimits};
use kernel::{Position, Runtime};
use sqlx::PgPool;
use sqlx::postgres::PgConnectOptions;

use crate::cutter::Cutter;
use crate::support::{Stall, StallCommand, ctx, foundation_at, open_stall, runtime};
use crate::writer::{append, event, options};

/// As a writer that gives a commit little time.
fn hasty(options: PgConnectOptions, patience: Duration) -> BatchWriter {
    let limits = WriterLimits { commit: Duration::from_millis(400), patience, ..WriterLimits::default() };
    BatchWriter::start(options, limits, Tail::new())
}

fn patient(options: PgConnectOptions) -> BatchWriter {
    BatchWriter::start(options, WriterLimits::default(), Tail::new())
}

fn claiming(stream: &str, expected: i64, take: bool) -> Append {
    Append { claims: vec![ClaimChange { key: "k".to_owned(), take }], ..append(stream, expected, 1) }
}

async fn events_of(pool: &PgPool, stream: &str) -> i64 {
    sqlx::query_scalar("select count(*) from log.events where stream_id = $1")
        .bind(stream)
        .fetch_one(pool)
        .await
        .unwrap()
}

/// Backends that stand in line for the head.
pub async fn waiting(pool: &PgPool) -> i64 {
    sqlx::query_scalar(
        "select count(*) from pg_stat_activity
         where wait_event_type = 'Lock' and query like '%log.append%' and datname = current_database()",
    )
    .fetch_one(pool)
    .await
    .unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_batch_whose_answer_was_lost_is_known_again_after_a_refused_reconnect() {
    let standing = runtime().await;
    let owner = &standing.runtime.pools.owner;
    let cutter = Cutter::before(options(&standing.database.url)).await;
    let writer = patient(cutter.options.clone());
    // All statements are prepared: two alone, two together, one that is judged.
    writer.append(append("warm", 0, 1)).await.unwrap();
    join_all((0..8).map(|n| writer.append(append(&format!("warm{n}"), 0, 1)))).await;
    writer.append(append("warm", 0, 1)).await.unwrap();
    let before = standing.runtime.reader.head().await.unwrap();

    // While the first one stands in line the others gather to one batch; it is committed, its answer is lost, and the
    // first try to come back is refused.
    let mut held = owner.begin().await.unwrap();
    sqlx::query(testkit::HOLD_HEAD).execute(&mut *held).await.unwrap();
    let alone = tokio::spawn({
        let writer = writer.clone();
        async move { writer.append(append("alone", 0, 1)).await }
    });
    while waiting(owner).await == 0 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    let many: Vec<_> = (0..30)
        .map(|n| {
            let writer = writer.clone();
            tokio::spawn(async move { writer.append(append(&format!("s{n}"), 0, 1)).await })
        })
        .collect();
    tokio::time::sleep(Duration::from_millis(100)).await;
    cutter.arm_after(1);
    cutter.refuse(1);
    held.rollback().await.unwrap();

    alone.await.unwrap().unwrap();
    let told = join_all(many).await.into_iter().map(Result::unwrap);
    let appended = told.filter(|told| matches!(told, Ok(Outcome::Appended { version: 1, .. }))).count();
    assert_eq!((cutter.cuts(), cutter.refused()), (1, 1));
    let stored = standing.runtime.reader.head().await.unwrap().0 - before.0;
    assert_eq!((appended, stored), (30, 31), "told as appended, and stored with the one before");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refused_reconnect_without_doubt_is_told_at_once() {
    let standing = runtime().await;
    let cutter = Cutter::before(options(&standing.database.url)).await;
    cutter.refuse(1);
    let refused = patient(cutter.options.clone()).append(append("a", 0, 1)).await;
    assert!(matches!(refused, Err(LogError::Database(_))), "{refused:?}");
    assert_eq!(standing.runtime.reader.head().await.unwrap(), Position(0));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_held_head_gathers_no_backends() {
    let standing = runtime().await;
    let owner = &standing.runtime.pools.owner;
    let writer = hasty(options(&standing.database.url), Duration::from_secs(30));
    writer.append(append("warm", 0, 1)).await.unwrap();
    let mut held = owner.begin().await.unwrap();
    sqlx::query(testkit::HOLD_HEAD).execute(&mut *held).await.unwrap();
    let under_way = tokio::spawn(async move { writer.append(append("a", 0, 1)).await });
    let mut most = 0;
    for _ in 0..150 {
        most = most.max(waiting(owner).await);
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    held.rollback().await.unwrap();
    let told = under_way.await.unwrap().unwrap();
    assert_eq!(told, Outcome::Appended { position: Position(2), version: 1 });
    assert_eq!(most, 1, "backends in line for the head");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_refused_is_not_applied_later() {
    let standing = runtime().await;
    let owner = &standing.runtime.pools.owner;
    let other = patient(options(&standing.database.url));
    other.append(claiming("holder", 0, true)).await.unwrap();
    let cutter = Cutter::before(options(&standing.database.url)).await;
    let writer = patient(cutter.options.clone());
    writer.append(Append { claims: vec![], ..append("warm", 0, 1) }).await.unwrap();
    writer.append(append("warm", 0, 1)).await.unwrap();

    // The request is under way for long; the writer comes back and is told that the key is taken.
    cutter.hold();
    let (refused, ()) = tokio::join!(writer.append(claiming("wants", 0, true)), cutter.held());
    assert_eq!(refused.unwrap(), Outcome::ClaimTaken { key: "k".to_owned() });
    // Then the key is given back, and then the request arrives.
    other.append(claiming("holder", 1, false)).await.unwrap();
    cutter.release().await;
    assert_eq!(events_of(owner, "wants").await, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_request_that_arrives_after_its_deadline_is_not_applied() {
    let standing = runtime().await;
    let owner = &standing.runtime.pools.owner;
    // A backend that the writer cannot end, as behind a pooler or on another host.
    sqlx::query(
        "create or replace function log.end_writer(_pid integer, _started timestamptz) returns boolean
         language sql as 'select true'",
    )
    .execute(owner)
    .await
    .unwrap();
    let cutter = Cutter::before(options(&standing.database.url)).await;
    let writer = hasty(cutter.options.clone(), Duration::from_secs(1));
    writer.append(append("warm", 0, 1)).await.unwrap();
    writer.append(append("warm", 0, 1)).await.unwrap();

    // Nobody comes through until the caller has lost patience; then the request arrives.
    cutter.hold();
    let holding = async {
        cutter.held().await;
        cutter.shut(true);
    };
    let (unknown, ()) = tokio::join!(writer.append(append("late", 0, 1)), holding);
    assert!(matches!(unknown, Err(LogError::Unavailable)), "{unknown:?}");
    cutter.release().await;
    assert_eq!(events_of(owner, "late").await, 0);
    cutter.shut(false);
    // Its patience is a second, and before it tries again it rests as long.
    let begun = Instant::now();
    let again = loop {
        match writer.append(append("late", 0, 1)).await {
            Err(LogError::Unavailable) if begun.elapsed() < Duration::from_secs(30) => {}
            answer => break answer.unwrap(),
        }
    };
    assert!(matches!(again, Outcome::Appended { version: 1, .. }), "{again:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn two_nodes_that_decide_the_same_at_the_same_moment_are_not_taken_for_one() {
    let standing = runtime().await;
    let cutter = Cutter::before(PgConnectOptions::from_str(&standing.database.url).unwrap()).await;
    let direct = PgConnectOptions::from_str(&standing.database.url).unwrap();
    let url = standing.database.url.replace(
        &format!("{}:{}", direct.get_host(), direct.get_port()),
        &format!("127.0.0.1:{}", cutter.options.get_port()),
    );
    let other = Runtime::open(foundation_at(&url).await).await.unwrap();
    let stall = "one".to_owned();
    open_stall(&standing.runtime, &stall).await;
    // Both know the stall, and the writer's line stands.
    open_stall(&other, "two").await;
    other.desk.load::<Stall>(&stall).await.unwrap();

    cutter.hold();
    let holding = async {
        cutter.held().await;
        cutter.shut(true);
        // The same sale, on the same version, in the same millisecond.
        standing.runtime.desk.execute::<Stall>(&stall, StallCommand::Sell(1), &ctx()).await.unwrap();
        cutter.shut(false);
    };
    let sale = ctx();
    let selling = other.desk.execute::<Stall>(&stall, StallCommand::Sell(1), &sale);
    let (sold, ()) = tokio::join!(selling, holding);
    sold.unwrap();
    let loaded = standing.runtime.desk.load::<Stall>(&stall).await.unwrap();
    assert_eq!(loaded.state.sold, 2, "both sales were acknowledged");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_append_that_never_gets_through_is_given_up_and_does_not_stand_in_others_way() {
    let standing = runtime().await;
    let owner = &standing.runtime.pools.owner;
    // Every statement that has to wait is ended by PostgreSQL, which looks like something that passes.
    let options = options(&standing.database.url).options([("statement_timeout", "100ms")]);
    let limits = WriterLimits { patience: Duration::from_secs(2), ..WriterLimits::default() };
    let writer = BatchWriter::start(options, limits, Tail::new());
    writer.append(append("warm", 0, 1)).await.unwrap();
    let mut held = owner.begin().await.unwrap();
    sqlx::query(testkit::HOLD_HEAD).execute(&mut *held).await.unwrap();
    let given_up = writer.append(append("a", 0, 1)).await;
    assert!(matches!(given_up, Err(LogError::Unavailable)), "{given_up:?}");
    held.rollback().await.unwrap();
    let next = writer.append(append("b", 0, 1)).await.unwrap();
    assert_eq!(next, Outcome::Appended { position: Position(2), version: 1 });
    assert_eq!(events_of(owner, "a").await, 0);
}

#[tokio::test]
async fn an_append_larger_than_a_statement_can_be_is_refused_before_it_is_sent() {
    let standing = runtime().await;
    let writer = patient(options(&standing.database.url));
    let mut large = event();
    large.form.data = format!("\"{}\"", "x".repeat(800 << 10)).into_bytes();
    let of = |events: usize| Append { events: vec![large.clone(); events], ..append("large", 0, 0) };
    assert!(matches!(writer.append(of(42)).await, Err(LogError::Invalid(_))));
    assert!(matches!(writer.append(of(40)).await, Ok(Outcome::Appended { version: 40, .. })));
}
