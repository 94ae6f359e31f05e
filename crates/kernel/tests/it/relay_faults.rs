//! What stands in the relay's way stops it loudly or is gone around; nothing is skipped, nothing is sent half.

use std::time::{Duration, Instant};

use async_nats::jetstream::{self, stream};
use kernel::relay::{self, Contexts};
use kernel::{Position, Runtime};
use testkit::OwnNats;

use crate::relay::{connect, contexts, ids, make_stream, runtime_with};
use crate::support::{database, open_stall, owners_slip, runtime_at};

async fn stream(nats: &OwnNats) -> stream::Stream {
    jetstream::new(connect(nats).await).get_stream("EVENTS").await.unwrap()
}

/// What the relay says of itself, once it says something.
pub async fn failure(runtime: &Runtime) -> String {
    let begun = Instant::now();
    loop {
        let told: Option<String> = sqlx::query_scalar("select failure from log.relay")
            .fetch_one(&runtime.pools.owner)
            .await
            .unwrap();
        if let Some(told) = told {
            return told;
        }
        assert!(begun.elapsed() < Duration::from_secs(20), "the relay says nothing");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

pub async fn stalls(runtime: &Runtime, name: &str, count: usize) {
    for n in 0..count {
        open_stall(runtime, &format!("{name}{n}")).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_gap_in_the_log_stops_the_relay_and_nothing_behind_it_is_sent() {
    let (_services, database) = database().await;
    let nats = OwnNats::start().await;
    make_stream(&nats).await;
    let runtime = runtime_with(&nats, &database.url).await;
    stalls(&runtime, "a", 5).await;
    owners_slip(
        &runtime,
        "create table public.aside as select * from log.events where position = 3;
        delete from log.events where position = 3",
    )
    .await;
    tokio::spawn(relay::run(runtime.clone(), contexts()));
    assert_eq!(ids(&nats, 2).await, [1, 2]);
    let told = failure(&runtime).await;
    assert!(told.contains('3'), "{told}");
    assert_eq!(ids(&nats, 2).await, [1, 2], "nothing behind the gap");
    owners_slip(&runtime, "insert into log.events select * from public.aside").await;
    assert_eq!(ids(&nats, 5).await, [1, 2, 3, 4, 5], "it goes on by itself when the event is back");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_deleted_last_message_is_sent_again() {
    let (_services, database) = database().await;
    let nats = OwnNats::start().await;
    make_stream(&nats).await;
    let runtime = runtime_with(&nats, &database.url).await;
    let running = tokio::spawn(relay::run(runtime.clone(), contexts()));
    stalls(&runtime, "a", 10).await;
    assert_eq!(ids(&nats, 10).await.len(), 10);
    running.abort();
    runtime.close();
    let events = stream(&nats).await;
    events.delete_message(9).await.unwrap();
    events.delete_message(10).await.unwrap();
    let runtime = runtime_with(&nats, &database.url).await;
    tokio::spawn(relay::run(runtime.clone(), contexts()));
    open_stall(&runtime, "more").await;
    assert!(ids(&nats, 11).await.into_iter().eq(1..=11));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_relay_that_dies_amid_sending_again_finishes_it_and_sends_nothing_else_twice() {
    let (_services, database) = database().await;
    let nats = OwnNats::start().await;
    let short = stream::Config {
        name: "EVENTS".to_owned(),
        subjects: vec!["events.>".to_owned()],
        duplicate_window: Duration::from_millis(100),
        ..Default::default()
    };
    jetstream::new(connect(&nats).await).create_stream(short).await.unwrap();
    let writer = runtime_at(&database.url).await;
    stalls(&writer, "a", 1000).await;
    let runtime = runtime_with(&nats, &database.url).await;
    let running = tokio::spawn(relay::run(runtime.clone(), contexts()));
    assert_eq!(ids(&nats, 1000).await.len(), 1000);
    tokio::time::sleep(Duration::from_millis(1500)).await;
    relay::ask_to_resend(&runtime, Position(1)).await.unwrap();
    loop {
        let sent = stream(&nats).await.cached_info().state.messages;
        assert!(sent < 2000, "it was too fast to be cut off");
        if sent > 1050 {
            break;
        }
    }
    running.abort();
    runtime.close();
    tokio::time::sleep(Duration::from_millis(300)).await;
    let runtime = runtime_with(&nats, &database.url).await;
    tokio::spawn(relay::run(runtime.clone(), contexts()));
    let asked = async || -> Option<i64> {
        sqlx::query_scalar("select resend_from from log.relay").fetch_one(&runtime.pools.owner).await.unwrap()
    };
    let begun = Instant::now();
    while asked().await.is_some() {
        assert!(begun.elapsed() < Duration::from_mins(1), "it is never finished");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    open_stall(&runtime, "and on").await;
    let begun = Instant::now();
    let all = loop {
        let all = ids(&nats, 2001).await;
        if all.last() == Some(&1001) {
            break all;
        }
        assert!(begun.elapsed() < Duration::from_secs(30), "the new event is not sent");
    };
    assert!(all[..1000].iter().copied().eq(1..=1000));
    let again = &all[1000..all.len() - 1];
    for position in 1..=1000 {
        assert!(again.contains(&position), "{position} was not sent again");
    }
    assert!(again.len() <= 1100, "sent again {} events of 1000", again.len());
}

#[tokio::test(flavor = "multi_thread")]
async fn an_event_too_large_for_nats_is_sent_as_a_reference_and_those_behind_it_follow() {
    let (_services, database) = database().await;
    let nats = OwnNats::start().await;
    make_stream(&nats).await;
    let runtime = runtime_with(&nats, &database.url).await;
    open_stall(&runtime, "a").await;
    // As an older version let it in.
    owners_slip(&runtime, "select log.append_one('stall', 'b', 1, 'stall.opened', 1::smallint,
        '{\"name\":\"' || repeat('x', 1048500) || '\"}', (select meta from log.events limit 1), now(), sha256('b'),
        null, null, null, null, null, now() + interval '1 minute')")
    .await;
    open_stall(&runtime, "c").await;
    tokio::spawn(relay::run(runtime.clone(), contexts()));
    assert_eq!(ids(&nats, 3).await, [1, 2, 3]);
    let large = stream(&nats).await.get_raw_message(2).await.unwrap();
    assert!(large.payload.is_empty());
    assert_eq!(large.headers.get("wheelhouse-reference").unwrap().as_str(), "log");
    assert_eq!(large.headers.get("wheelhouse-size").unwrap().as_str(), "1048511");
    assert_eq!(large.headers.get("ce-id").unwrap().as_str(), "2");
}

async fn relayed_ten(nats: &OwnNats, url: &str) {
    make_stream(nats).await;
    let runtime = runtime_with(nats, url).await;
    let running = tokio::spawn(relay::run(runtime.clone(), contexts()));
    stalls(&runtime, "a", 10).await;
    assert_eq!(ids(nats, 10).await.len(), 10);
    running.abort();
    runtime.close();
    runtime.pools.close().await;
}

const CUT: &str = "delete from log.events where position > 5;
    delete from log.claims";

#[tokio::test(flavor = "multi_thread")]
async fn the_relay_refuses_when_nats_knows_more_than_the_log() {
    let (_services, database) = database().await;
    let nats = OwnNats::start().await;
    relayed_ten(&nats, &database.url).await;
    let early = runtime_at(&database.url).await;
    owners_slip(&early, CUT).await;
    early.close();
    let runtime = runtime_with(&nats, &database.url).await;
    tokio::spawn(relay::run(runtime.clone(), contexts()));
    let told = failure(&runtime).await;
    assert!(told.contains("10") && told.contains("accept-restore"), "{told}");
    assert_eq!(ids(&nats, 10).await.len(), 10);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_relay_refuses_when_another_event_stands_at_the_place_of_the_last_one_sent() {
    let (_services, database) = database().await;
    let nats = OwnNats::start().await;
    relayed_ten(&nats, &database.url).await;
    let early = runtime_at(&database.url).await;
    owners_slip(&early, CUT).await;
    early.close();
    let runtime = runtime_with(&nats, &database.url).await;
    stalls(&runtime, "b", 8).await;
    tokio::spawn(relay::run(runtime.clone(), contexts()));
    let told = failure(&runtime).await;
    assert!(told.contains("10") && told.contains("accept-restore"), "{told}");
    assert_eq!(ids(&nats, 10).await.len(), 10, "nothing is built on it");
}

#[test]
fn a_subject_is_one_that_nats_takes_whatever_the_names() {
    for (category, stored_type) in
        [("a b", "x\ty"), ("a", "a."), ("a..b", "..x"), ("a*", "a*.>"), ("é\u{7f}", "\n")]
    {
        let event = kernel::Recorded {
            position: Position(1),
            category: category.into(),
            stream_id: "1".into(),
            version: 1,
            stored_type: stored_type.into(),
            schema_version: 1,
            data: b"null"[..].into(),
            meta: serde_json::from_str(r#"{"actor":{"kind":"system","name":"t"}}"#).unwrap(),
            recorded_at: crate::support::now(),
        };
        let subject = relay::subject(&event, &Contexts::new());
        assert!(subject.split('.').all(|token| !token.is_empty()), "{subject}");
        assert!(
            !subject.contains(|c: char| c.is_whitespace() || c.is_control() || c == '*' || c == '>'),
            "{subject}"
        );
        assert!(subject.starts_with("events.house."));
    }
}

#[tokio::test]
async fn an_event_that_nats_might_not_carry_is_refused_at_the_append() {
    let standing = crate::support::runtime().await;
    open_stall(&standing.runtime, "a").await;
    let hire = crate::support::StallCommand::Hire(kernel::Personal::new("keeper:7", "长".repeat(300_000)));
    let refused = standing
        .runtime
        .desk
        .execute::<crate::support::Stall>(&"a".to_owned(), hire, &crate::support::ctx())
        .await;
    let told = format!("{:?}", refused.unwrap_err());
    assert!(told.contains("900 KiB"), "{told}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_relay_whose_term_is_over_stores_no_place() {
    let (_services, database) = database().await;
    let nats = OwnNats::start().await;
    make_stream(&nats).await;
    let runtime = runtime_with(&nats, &database.url).await;
    tokio::spawn(relay::run(runtime.clone(), contexts()));
    stalls(&runtime, "a", 5).await;
    let place = async || -> i64 {
        sqlx::query_scalar("select position from log.relay").fetch_one(&runtime.pools.owner).await.unwrap()
    };
    crate::support::eventually("the place is stored", async || place().await == 5).await;
    // As the term after this one does.
    let later = "update log.relay set token = token + 1";
    sqlx::query(later).execute(&runtime.pools.owner).await.unwrap();
    stalls(&runtime, "b", 5).await;
    ids(&nats, 6).await;
    tokio::time::sleep(Duration::from_secs(3)).await;
    assert_eq!(place().await, 5);
    let sent = ids(&nats, 6).await;
    assert!(
        sent.iter().copied().eq(1..=sent.len() as i64),
        "what was on its way arrived once, in order: {sent:?}"
    );
}
