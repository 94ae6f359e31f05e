//! The relay tells NATS of every event, in order, once, whatever dies in between.

use std::time::Duration;

use async_nats::jetstream::{self, consumer, stream};
use futures::StreamExt;
use kernel::relay::{self, Contexts};
use kernel::{Personal, Position, Runtime};
use testkit::OwnNats;

use crate::support::{Stall, StallCommand, ctx, database, foundation_at, open_stall};

pub async fn connect(nats: &OwnNats) -> async_nats::Client {
    async_nats::ConnectOptions::new()
        .retry_on_initial_connect()
        .reconnect_delay_callback(|_| Duration::from_millis(50))
        .connect(nats.url())
        .await
        .unwrap()
}

pub async fn runtime_with(nats: &OwnNats, url: &str) -> Runtime {
    let mut foundation = foundation_at(url).await;
    foundation.nats = Some(connect(nats).await);
    Runtime::open(foundation).await.unwrap()
}

pub async fn make_stream(nats: &OwnNats) {
    let declared: Vec<stream::Config> = serde_json::from_str::<Vec<serde_json::Value>>(testkit::STREAMS_JSON)
        .unwrap()
        .into_iter()
        .filter(|stream| stream["name"] != "TELEMETRY")
        .map(|stream| serde_json::from_value(stream).unwrap())
        .collect();
    let js = jetstream::new(connect(nats).await);
    for stream in declared {
        js.get_or_create_stream(stream).await.unwrap();
    }
}

pub fn contexts() -> Contexts {
    Contexts::from([("stall", "market")])
}

/// Message ids in the stream's order, once it holds `count` messages.
pub async fn ids(nats: &OwnNats, count: u64) -> Vec<i64> {
    let js = jetstream::new(connect(nats).await);
    let all = async {
        loop {
            if let Ok(stream) = js.get_stream("EVENTS").await
                && stream.cached_info().state.messages >= count
            {
                let state = stream.cached_info().state.clone();
                let mut ids = Vec::new();
                for sequence in state.first_sequence..=state.last_sequence {
                    // Where a message was deleted, there is none.
                    if let Ok(message) = stream.get_raw_message(sequence).await {
                        ids.push(message.headers.get("ce-id").unwrap().as_str().parse().unwrap());
                    }
                }
                return ids;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(30), all).await.expect("the relay tells NATS of everything")
}

#[tokio::test(flavor = "multi_thread")]
async fn an_event_arrives_as_a_cloud_event_with_its_secrets_sealed() {
    let (_services, database) = database().await;
    let nats = OwnNats::start().await;
    make_stream(&nats).await;
    let runtime = runtime_with(&nats, &database.url).await;
    tokio::spawn(relay::run(runtime.clone(), contexts()));
    open_stall(&runtime, "a").await;
    let hire = StallCommand::Hire(Personal::new("keeper:7", "王小明".to_owned()));
    runtime.desk.execute::<Stall>(&"a".to_owned(), hire, &ctx()).await.unwrap();
    let js = jetstream::new(connect(&nats).await);
    let stream = js.get_stream("EVENTS").await.unwrap();
    let config =
        consumer::pull::OrderedConfig { filter_subject: "events.market.>".to_owned(), ..Default::default() };
    let mut messages = stream.create_consumer(config).await.unwrap().messages().await.unwrap();
    let opened = messages.next().await.unwrap().unwrap();
    assert_eq!(opened.subject.as_str(), "events.market.stall.opened");
    let header = |name: &str| opened.headers.as_ref().unwrap().get(name).unwrap().as_str().to_owned();
    for (name, value) in [
        ("ce-specversion", "1.0"),
        ("ce-id", "1"),
        ("ce-source", "/wheelhouse/log"),
        ("ce-type", "stall.opened"),
        ("ce-subject", "stall/a"),
        ("ce-time", "2026-09-21T14:13:20.000Z"),
        ("ce-agentid", "2"),
        ("ce-areaid", "20"),
        ("content-type", "application/json"),
        ("Nats-Msg-Id", "1"),
    ] {
        assert_eq!(header(name), value, "{name}");
    }
    let data: serde_json::Value = serde_json::from_slice(&opened.payload).unwrap();
    assert_eq!(data["name"], "a");
    let hired = messages.next().await.unwrap().unwrap();
    let text = String::from_utf8(hired.payload.to_vec()).unwrap();
    assert!(text.contains("sealed") && !text.contains("王小明"), "{text}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_relay_goes_on_after_nats_was_killed_without_a_gap_or_a_repeat() {
    let (_services, database) = database().await;
    let nats = OwnNats::start().await;
    make_stream(&nats).await;
    let runtime = runtime_with(&nats, &database.url).await;
    tokio::spawn(relay::run(runtime.clone(), contexts()));
    for n in 0..50 {
        open_stall(&runtime, &format!("a{n}")).await;
    }
    nats.kill9().await;
    for n in 0..50 {
        open_stall(&runtime, &format!("b{n}")).await;
    }
    nats.restart().await;
    for n in 0..50 {
        open_stall(&runtime, &format!("c{n}")).await;
    }
    assert!(ids(&nats, 150).await.into_iter().eq(1..=150));
}

#[tokio::test(flavor = "multi_thread")]
async fn relays_that_die_one_after_another_repeat_nothing() {
    let (_services, database) = database().await;
    let nats = OwnNats::start().await;
    make_stream(&nats).await;
    let writer = runtime_with(&nats, &database.url).await;
    for round in 0..4 {
        for n in 0..100 {
            open_stall(&writer, &format!("r{round}-{n}")).await;
        }
        // Dies at once: what was acknowledged is often not yet stored.
        let process = runtime_with(&nats, &database.url).await;
        let running = tokio::spawn(relay::run(process.clone(), contexts()));
        ids(&nats, round * 100 + 1).await;
        running.abort();
        process.close();
    }
    let last = runtime_with(&nats, &database.url).await;
    tokio::spawn(relay::run(last.clone(), contexts()));
    assert!(ids(&nats, 400).await.into_iter().eq(1..=400));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stream_that_lost_everything_is_filled_again_and_what_is_asked_for_is_sent_again() {
    let (_services, database) = database().await;
    let nats = OwnNats::start().await;
    make_stream(&nats).await;
    let runtime = runtime_with(&nats, &database.url).await;
    tokio::spawn(relay::run(runtime.clone(), contexts()));
    for n in 0..30 {
        open_stall(&runtime, &format!("a{n}")).await;
    }
    assert_eq!(ids(&nats, 30).await.len(), 30);
    let js = jetstream::new(connect(&nats).await);
    js.delete_stream("EVENTS").await.unwrap();
    make_stream(&nats).await;
    open_stall(&runtime, "after").await;
    assert!(ids(&nats, 31).await.into_iter().eq(1..=31));

    // NATS remembers ids for two minutes and drops the repeats; a purge makes it forget nothing of that, so a stream with
    // a short memory shows what is sent.
    js.delete_stream("EVENTS").await.unwrap();
    let short = stream::Config {
        name: "EVENTS".to_owned(),
        subjects: vec!["events.>".to_owned()],
        duplicate_window: Duration::from_millis(100),
        ..Default::default()
    };
    js.create_stream(short).await.unwrap();
    open_stall(&runtime, "more").await;
    assert!(ids(&nats, 32).await.into_iter().eq(1..=32));
    tokio::time::sleep(Duration::from_millis(300)).await;
    relay::ask_to_resend(&runtime, Position(30)).await.unwrap();
    let again: Vec<i64> = (1..=32).chain(30..=32).collect();
    assert_eq!(ids(&nats, 35).await, again);
    open_stall(&runtime, "and on").await;
    assert_eq!(ids(&nats, 36).await.last(), Some(&33));
}

#[tokio::test(flavor = "multi_thread")]
async fn changed_rows_are_told_to_other_processes() {
    use kernel::Change;
    let (_services, database) = database().await;
    let nats = OwnNats::start().await;
    let here = runtime_with(&nats, &database.url).await;
    let there = runtime_with(&nats, &database.url).await;
    let mut heard = there.changes.subscribe();
    let mut own = here.changes.subscribe();
    // The other process listens from a moment after its start on.
    tokio::time::sleep(Duration::from_millis(300)).await;
    let change = Change { table: "stalls", key: "a".to_owned(), owner: crate::support::here() };
    here.changes.publish(Position(4), vec![change]).await;
    let told = tokio::time::timeout(Duration::from_secs(30), heard.recv()).await.unwrap().unwrap();
    assert_eq!((told.position, told.changes[0].key.as_str()), (Position(4), "a"));
    assert_eq!(own.recv().await.unwrap().position, Position(4));
    tokio::time::sleep(Duration::from_millis(200)).await;
    assert!(own.try_recv().is_err(), "a process does not hear its own words twice");
}

#[tokio::test(flavor = "multi_thread")]
async fn changes_that_nobody_could_tell_while_nats_was_away_are_a_gap_on_every_node() {
    let (_services, database) = database().await;
    let nats = OwnNats::start().await;
    let [here, there] = [runtime_with(&nats, &database.url).await, runtime_with(&nats, &database.url).await];
    let change = || kernel::Change { table: "stalls", key: "a".to_owned(), owner: crate::support::here() };
    let mut heard = there.changes.subscribe();
    let hears = async |heard: &mut tokio::sync::broadcast::Receiver<std::sync::Arc<kernel::ChangeBatch>>| {
        tokio::time::timeout(Duration::from_secs(30), heard.recv()).await.expect("in time").unwrap()
    };
    // The other listens.
    loop {
        here.changes.publish(Position(1), vec![change()]).await;
        if tokio::time::timeout(Duration::from_millis(200), heard.recv()).await.is_ok() {
            break;
        }
    }
    nats.kill9().await;
    let away = async || {
        while here.nats.as_ref().unwrap().connection_state() == async_nats::connection::State::Connected {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(30), away()).await.expect("the loss is noticed");
    here.changes.publish(Position(2), vec![change()]).await;
    let mut own = here.changes.subscribe();
    nats.restart().await;
    // Nothing changes any more, and both know that they may have missed something.
    loop {
        if hears(&mut heard).await.is_gap() {
            break;
        }
    }
    assert!(hears(&mut own).await.is_gap());
}
