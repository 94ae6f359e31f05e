//! What the log promises about order and neighbours.

use std::collections::HashSet;
use std::str::FromStr;

use futures::future::join_all;
use kernel::CommandError;
use kernel::log::{Append, BatchWriter, ClaimChange, NewEvent, Outcome, RequestRecord, Tail, WriterLimits};
use kernel::{Position, StoredForm};
use sqlx::postgres::PgConnectOptions;

use crate::cutter::Cutter;
use crate::support::{
    Stall, StallCommand, StallRefusal, ctx, now, open, open_stall, owners_slip, runtime, runtime_at,
};

pub fn event() -> NewEvent {
    let data = br#"{"name":"x"}"#.to_vec();
    let form = StoredForm { stored_type: "stall.renamed".to_owned(), schema_version: 1, data };
    NewEvent { form, meta: r#"{"actor":{"kind":"system","name":"test"}}"#.to_owned(), recorded_at: now() }
}

pub fn append(stream_id: &str, expected: i64, events: usize) -> Append {
    Append {
        category: "stall",
        stream_id: stream_id.to_owned(),
        expected,
        events: vec![event(); events],
        claims: vec![],
        request: None,
    }
}

pub fn options(url: &str) -> PgConnectOptions {
    PgConnectOptions::from_str(url).unwrap().options([("role", "wheelhouse_app")])
}

fn writer(url: &str) -> BatchWriter {
    BatchWriter::start(options(url), WriterLimits::default(), Tail::new())
}

#[tokio::test(flavor = "multi_thread")]
async fn sixty_four_callers_on_one_stream_leave_contiguous_versions() {
    let standing = runtime().await;
    open_stall(&standing.runtime, "one").await;
    let sales = (0..64).map(|_| {
        let desk = standing.runtime.desk.clone();
        tokio::spawn(
            async move { desk.execute::<Stall>(&"one".to_owned(), StallCommand::Sell(1), &ctx()).await },
        )
    });
    let versions: HashSet<i64> =
        join_all(sales).await.into_iter().map(|sale| sale.unwrap().unwrap().version).collect();
    assert_eq!(versions, (2..=65).collect());
    let events = standing.runtime.reader.read_stream("stall", "one", 0, 1000).await.unwrap();
    assert!(events.iter().map(|event| event.version).eq(1..=65));
    assert_eq!(standing.runtime.desk.load::<Stall>(&"one".to_owned()).await.unwrap().state.sold, 64);
}

#[tokio::test(flavor = "multi_thread")]
async fn callers_who_come_back_at_once_share_their_commits() {
    let standing = runtime().await;
    let writer = writer(&standing.database.url);
    let callers = (0..8).map(|caller| {
        let writer = writer.clone();
        tokio::spawn(async move {
            for version in 0..50 {
                let appended = writer.append(append(&format!("caller-{caller}"), version, 1)).await.unwrap();
                assert!(matches!(appended, Outcome::Appended { .. }));
            }
        })
    });
    for caller in join_all(callers).await {
        caller.unwrap();
    }
    let commits: i64 = sqlx::query_scalar("select count(distinct xmin::text) from log.events")
        .fetch_one(&standing.runtime.pools.owner)
        .await
        .unwrap();
    assert!(commits < 400 / 2, "{commits} commits for 400 appends of 8 callers");
}

#[tokio::test(flavor = "multi_thread")]
async fn two_processes_on_one_stream_lose_no_sale() {
    let standing = runtime().await;
    let other = runtime_at(&standing.database.url).await;
    open_stall(&standing.runtime, "shared").await;
    let sales = (0..40).map(|n| {
        let desk = if n % 2 == 0 { standing.runtime.desk.clone() } else { other.desk.clone() };
        tokio::spawn(async move {
            desk.execute::<Stall>(&"shared".to_owned(), StallCommand::Sell(1), &ctx()).await
        })
    });
    let done = join_all(sales).await.into_iter().filter(|sale| sale.as_ref().unwrap().is_ok()).count();
    assert!(done >= 20, "{done} of 40 sales went through");
    let loaded = other.desk.load::<Stall>(&"shared".to_owned()).await.unwrap();
    assert_eq!(loaded.state.sold, done as i64);
    assert_eq!(loaded.version, done as i64 + 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn positions_have_no_gaps_whatever_fails_between() {
    let standing = runtime().await;
    let writer = writer(&standing.database.url);
    let appends = (0..300).map(|n| {
        let writer = writer.clone();
        // Every third one expects a version that is not there.
        let expected = if n % 3 == 0 { 9 } else { 0 };
        tokio::spawn(
            async move { writer.append(append(&format!("s{n}"), expected, 1 + n % 4)).await.unwrap() },
        )
    });
    let outcomes: Vec<Outcome> = join_all(appends).await.into_iter().map(Result::unwrap).collect();
    for (n, outcome) in outcomes.iter().enumerate() {
        match outcome {
            Outcome::Conflict { actual: 0 } => assert_eq!(n % 3, 0),
            Outcome::Appended { version, .. } => assert_eq!(*version, (1 + n % 4) as i64),
            other => panic!("{other:?}"),
        }
    }
    let positions: Vec<i64> = sqlx::query_scalar("select position from log.events order by position")
        .fetch_all(&standing.runtime.pools.owner)
        .await
        .unwrap();
    assert!(positions.iter().copied().eq(1..=positions.len() as i64));
    assert_eq!(standing.runtime.reader.head().await.unwrap(), Position(positions.len() as i64));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_append_that_postgres_refuses_fails_alone() {
    let standing = runtime().await;
    sqlx::query("alter table log.events add constraint no_poison check (stream_id <> 'poison')")
        .execute(&standing.runtime.pools.owner)
        .await
        .unwrap();
    let writer = writer(&standing.database.url);
    let names = ["a", "b", "poison", "c", "d"];
    let outcomes = join_all(names.map(|name| writer.append(append(name, 0, 1)))).await;
    for (name, outcome) in names.iter().zip(outcomes) {
        assert_eq!(outcome.is_ok(), *name != "poison", "{name}: {outcome:?}");
    }
    assert_eq!(standing.runtime.reader.head().await.unwrap(), Position(4));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_stored_is_refused_before_it_is_sent() {
    let standing = runtime().await;
    let writer = writer(&standing.database.url);
    for stream_id in ["", "nul\0", &"x".repeat(201)] {
        assert!(writer.append(append(stream_id, 0, 1)).await.is_err());
    }
    assert!(writer.append(append("many", 0, 1001)).await.is_err());
    assert_eq!(
        writer.append(append("many", 0, 1000)).await.unwrap(),
        Outcome::Appended { position: Position(1000), version: 1000 }
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn of_many_who_claim_a_key_one_gets_it() {
    let standing = runtime().await;
    let other = runtime_at(&standing.database.url).await;
    let claims = (0..32).map(|n| {
        let desk = if n % 2 == 0 { standing.runtime.desk.clone() } else { other.desk.clone() };
        tokio::spawn(async move { desk.execute::<Stall>(&format!("s{n}"), open("best"), &ctx()).await })
    });
    let results: Vec<_> = join_all(claims).await.into_iter().map(Result::unwrap).collect();
    assert_eq!(results.iter().filter(|result| result.is_ok()).count(), 1);
    let refused = |result: &&Result<_, CommandError<StallRefusal>>| {
        matches!(result, Err(CommandError::Refused(StallRefusal::NameTaken)))
    };
    assert_eq!(results.iter().filter(refused).count(), 31);
}

#[tokio::test]
async fn a_key_given_back_can_be_taken_by_another() {
    let standing = runtime().await;
    let desk = &standing.runtime.desk;
    open_stall(&standing.runtime, "first").await;
    let taken = desk.execute::<Stall>(&"second".to_owned(), open("first"), &ctx()).await;
    assert!(matches!(taken, Err(CommandError::Refused(StallRefusal::NameTaken))), "{taken:?}");
    desk.execute::<Stall>(&"first".to_owned(), StallCommand::Rename("other".to_owned()), &ctx())
        .await
        .unwrap();
    desk.execute::<Stall>(&"second".to_owned(), open("first"), &ctx()).await.unwrap();
    desk.execute::<Stall>(&"first".to_owned(), StallCommand::Close, &ctx()).await.unwrap();
    desk.execute::<Stall>(&"second".to_owned(), StallCommand::Rename("other".to_owned()), &ctx())
        .await
        .unwrap();
}

#[tokio::test]
async fn only_the_holder_can_give_a_key_back() {
    let standing = runtime().await;
    let writer = writer(&standing.database.url);
    let claim = |take| vec![ClaimChange { key: "k".to_owned(), take }];
    let with = |stream: &str, expected, take| Append { claims: claim(take), ..append(stream, expected, 1) };
    writer.append(with("a", 0, true)).await.unwrap();
    writer.append(with("b", 0, false)).await.unwrap();
    let taken = writer.append(with("b", 1, true)).await.unwrap();
    assert_eq!(taken, Outcome::ClaimTaken { key: "k".to_owned() });
}

#[tokio::test]
async fn a_reader_of_another_process_hears_of_an_append_within_a_poll() {
    let standing = runtime().await;
    let other = runtime_at(&standing.database.url).await;
    let waiting = tokio::spawn(async move { other.tail.beyond(Position(0)).await });
    open_stall(&standing.runtime, "heard").await;
    let heard = tokio::time::timeout(std::time::Duration::from_secs(20), waiting).await.unwrap().unwrap();
    assert_eq!(heard, Position(1));
}

#[tokio::test]
async fn a_replay_and_the_pages_read_the_same_events() {
    use futures::TryStreamExt;
    let standing = runtime().await;
    for n in 0..20 {
        open_stall(&standing.runtime, &format!("s{n}")).await;
    }
    let reader = &standing.runtime.reader;
    let replayed: Vec<_> = reader.replay(Position(0), Position(i64::MAX)).try_collect().await.unwrap();
    let mut paged = reader.read_after(Position(0), 7).await.unwrap();
    paged.extend(reader.read_after(Position(7), 100).await.unwrap());
    let bytes = |events: &[kernel::Recorded]| -> Vec<_> {
        events.iter().map(|event| (event.position, event.data.clone())).collect()
    };
    assert_eq!(bytes(&replayed), bytes(&paged));
    assert_eq!(replayed.len(), 20);
}

fn request(id: &str) -> RequestRecord {
    let reply = r#"{"done":true}"#.to_owned();
    RequestRecord {
        actor: "system:test".to_owned(),
        id: id.to_owned(),
        fingerprint: [7; 32],
        reply,
        at: now(),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_append_whose_answer_was_lost_is_told_as_appended_and_stands_once() {
    let standing = runtime().await;
    let cutter = Cutter::before(options(&standing.database.url)).await;
    let writer = BatchWriter::start(cutter.options.clone(), WriterLimits::default(), Tail::new());
    // Both statements are prepared before the line is cut.
    writer.append(append("a", 0, 1)).await.unwrap();
    writer.append(append("a", 0, 1)).await.unwrap();

    cutter.arm();
    let appended = writer.append(append("a", 1, 3)).await.unwrap();
    assert_eq!(appended, Outcome::Appended { position: Position(4), version: 4 });

    writer.append(append("b", 0, 1)).await.unwrap();
    cutter.arm();
    let of_another = Append { request: Some(request("r1")), ..append("b", 1, 1) };
    let named = writer.append(of_another.clone()).await.unwrap();
    assert_eq!(named, Outcome::Appended { position: Position(6), version: 2 }, "done now, and not before");
    let repeated = writer.append(of_another).await.unwrap();
    let reply = r#"{"done":true}"#.to_owned();
    assert_eq!(repeated, Outcome::Repeated { reply, position: Position(6), version: 2 });

    // With a claim it goes the judged way.
    cutter.arm();
    let claims = vec![ClaimChange { key: "k".to_owned(), take: true }];
    let claimed = writer.append(Append { claims, ..append("b", 2, 1) }).await.unwrap();
    assert_eq!(claimed, Outcome::Appended { position: Position(7), version: 3 });
    assert_eq!(standing.runtime.reader.head().await.unwrap(), Position(7));
    assert_eq!(cutter.cuts(), 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_conflict_whose_answer_was_lost_stays_a_conflict() {
    let standing = runtime().await;
    let cutter = Cutter::before(options(&standing.database.url)).await;
    let writer = BatchWriter::start(cutter.options.clone(), WriterLimits::default(), Tail::new());
    writer.append(append("a", 0, 2)).await.unwrap();
    cutter.arm();
    let other = NewEvent { meta: r#"{"actor":{"kind":"system","name":"other"}}"#.to_owned(), ..event() };
    let conflict = writer.append(Append { events: vec![other], ..append("a", 1, 1) }).await.unwrap();
    assert_eq!(conflict, Outcome::Conflict { actual: 2 });
    assert_eq!(cutter.cuts(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_appended_over_a_lost_connection_is_looked_for_again() {
    let standing = runtime().await;
    let writer = writer(&standing.database.url);
    for (stream, expected) in [("a", 0), ("a", 1), ("b", 0), ("b", 1), ("b", 2)] {
        writer.append(append(stream, expected, 1)).await.unwrap();
    }
    // As after the failover to a server that had not heard of the last two.
    let back = "delete from log.events where position > 3;
        select pg_terminate_backend(pid, 5000) from pg_stat_activity
        where application_name = 'wheelhouse writer' and datname = current_database()";
    owners_slip(&standing.runtime, back).await;

    writer.append(append("c", 0, 1)).await.unwrap();
    let alone = writer.append(append("b", 3, 1)).await.unwrap();
    assert_eq!(alone, Outcome::Conflict { actual: 1 }, "the only one of its batch");
    // The first one leaves at once, the others together.
    let several =
        [("d", 0), ("e", 0), ("b", 3)].map(|(stream, expected)| writer.append(append(stream, expected, 1)));
    let last = join_all(several).await.remove(2).unwrap();
    assert_eq!(last, Outcome::Conflict { actual: 1 }, "one of several");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_request_that_was_done_fails_no_neighbour_in_its_batch() {
    let standing = runtime().await;
    let writer = writer(&standing.database.url);
    let with = |stream: &str, id: &str| Append { request: Some(request(id)), ..append(stream, 0, 1) };
    writer.append(with("first", "r0")).await.unwrap();
    let again = join_all((0..20).map(|n| {
        let id = if n == 7 { "r0".to_owned() } else { format!("n{n}") };
        writer.append(with(&format!("s{n}"), &id))
    }))
    .await;
    for (n, outcome) in again.into_iter().enumerate() {
        match outcome.unwrap() {
            Outcome::Repeated { position, .. } => assert_eq!((n, position), (7, Position(1))),
            Outcome::Appended { .. } => assert_ne!(n, 7),
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(standing.runtime.reader.head().await.unwrap(), Position(20));
}

#[tokio::test]
async fn what_an_open_snapshot_keeps_stands_in_no_appends_way() {
    let standing = runtime().await;
    let owner = &standing.runtime.pools.owner;
    let writer = writer(&standing.database.url);
    let mut report = owner.begin_with("begin isolation level repeatable read").await.unwrap();
    sqlx::query("select from log.events").execute(&mut *report).await.unwrap();
    // Each append walks over all dead versions of a row that appends rewrite.
    let rewritten = async || -> i64 {
        sqlx::query_scalar(
            "select sum(pg_total_relation_size(c.oid))::bigint from pg_class c
             where c.relnamespace = 'log'::regnamespace and c.relkind = 'r' and c.relname <> 'events'",
        )
        .fetch_one(owner)
        .await
        .unwrap()
    };
    writer.append(append("a", 0, 1)).await.unwrap();
    let before = rewritten().await;
    for expected in 1..400 {
        writer.append(append("a", expected, 1)).await.unwrap();
    }
    assert_eq!(rewritten().await, before);
    report.rollback().await.unwrap();
}
