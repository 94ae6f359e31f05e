//! What lies in PostgreSQL and JetStream, looked at from outside.

use std::collections::BTreeMap;
use std::time::Duration;

use async_nats::jetstream;
use futures::StreamExt;
use sqlx::{AssertSqlSafe, PgPool};

use crate::stack::{Stack, eventually};

pub async fn head(owner: &PgPool) -> i64 {
    sqlx::query_scalar("select position from log.log_head").fetch_one(owner).await.expect("the head")
}

/// Every table of schema `read`: how many rows, and a hash of all of them in order.
pub async fn fingerprints(owner: &PgPool) -> BTreeMap<String, (i64, String)> {
    let tables: Vec<String> =
        sqlx::query_scalar("select tablename::text from pg_tables where schemaname = 'read' order by 1")
            .fetch_all(owner)
            .await
            .unwrap();
    assert!(tables.len() >= 8, "the read models are there: {tables:?}");
    let mut all = BTreeMap::new();
    for table in tables {
        let sql = format!(
            "select count(*), md5(coalesce(string_agg(t::text, E'\\n' order by t::text), '')) from read.{table} t"
        );
        let print: (i64, String) = sqlx::query_as(AssertSqlSafe(sql)).fetch_one(owner).await.unwrap();
        all.insert(table, print);
    }
    all
}

/// Waits until every projector stands at the head and the head stands still; its position.
pub async fn settled(owner: &PgPool) -> i64 {
    let mut before = (-1, 0);
    for _ in 0..100 {
        let now: (i64, i64) = sqlx::query_as(
            "select h.position, (select count(*) from log.projectors p where p.position < h.position)
             from log.log_head h",
        )
        .fetch_one(owner)
        .await
        .unwrap();
        if now == before && now.1 == 0 {
            return now.0;
        }
        before = now;
        tokio::time::sleep(Duration::from_millis(700)).await;
    }
    panic!("the log never stands still");
}

/// Waits until the stream EVENTS has reached `head`, and reads all of it: every event once, in order, none else.
pub async fn relayed(stack: &Stack, head: i64) {
    let context = jetstream::new(stack.nats_client().await);
    let stream = eventually("the relay catches up", Duration::from_mins(1), async || {
        let stream = context.get_stream("EVENTS").await.ok()?;
        let last = stream.cached_info().state.last_sequence;
        let message = stream.get_raw_message(last).await.ok()?;
        let reached: i64 = message.headers.get("ce-id")?.as_str().parse().ok()?;
        (reached >= head).then_some(stream)
    })
    .await;
    let options = jetstream::consumer::pull::OrderedConfig::default();
    let mut messages = stream.create_consumer(options).await.unwrap().messages().await.unwrap();
    let mut before = (0, 0);
    // The log may go on meanwhile.
    let last = async || {
        let state = context.get_stream("EVENTS").await.unwrap().cached_info().state.clone();
        i64::try_from(state.messages).unwrap().max(head)
    };
    for expected in 1..=last().await {
        let message = tokio::time::timeout(Duration::from_mins(1), messages.next())
            .await
            .unwrap_or_else(|_| panic!("EVENTS ends before event {expected} of {head}"))
            .expect("the stream goes on")
            .expect("a message");
        let headers = message.headers.as_ref().expect("CloudEvents headers");
        let event: i64 = headers.get("ce-id").expect("ce-id").as_str().parse().expect("a position");
        let sequence = message.info().expect("of JetStream").stream_sequence;
        if event != expected {
            let state = context.get_stream("EVENTS").await.unwrap().cached_info().state.clone();
            let (last, at) = before;
            panic!(
                "behind event {last} (message {at}) comes event {event} (message {sequence}), headers {headers:?}; {state:?}"
            );
        }
        assert_eq!(headers.get("ce-specversion").expect("ce-specversion").as_str(), "1.0");
        before = (event, sequence);
    }
}
