//! Commands: scope, versions, repeats.

use kernel::{CommandError, Position};
use serde_json::json;
use vocabulary::{AgentId, AreaId, DataOwner, Reach, Scope};

use crate::support::{
    Stall, StallCommand, StallEvent, StallRefusal, ctx, open, open_stall, request, runtime, runtime_at,
    within,
};

fn id(text: &str) -> String {
    text.to_owned()
}

#[tokio::test]
async fn an_aggregate_outside_the_scope_is_not_found() {
    let standing = runtime().await;
    let desk = &standing.runtime.desk;
    open_stall(&standing.runtime, "a").await;
    let elsewhere = Scope::of(Reach::only([AgentId(3)]), Reach::All);
    let there = Scope::of(Reach::only([AgentId(2)]), Reach::only([AreaId(20)]));
    let outside = desk.execute::<Stall>(&id("a"), StallCommand::Sell(1), &within(elsewhere.clone())).await;
    assert!(matches!(outside, Err(CommandError::NotFound)));
    let new = desk.execute::<Stall>(&id("b"), open("b"), &within(elsewhere)).await;
    assert!(matches!(new, Err(CommandError::NotFound)), "a new one cannot be made outside either");
    desk.execute::<Stall>(&id("a"), StallCommand::Sell(1), &within(there)).await.unwrap();
    assert_eq!(standing.runtime.reader.head().await.unwrap(), Position(2));
}

#[tokio::test]
async fn a_command_on_a_version_that_has_passed_is_stale() {
    let standing = runtime().await;
    open_stall(&standing.runtime, "a").await;
    let mut seen = ctx();
    seen.expected_version = Some(1);
    standing.runtime.desk.execute::<Stall>(&id("a"), StallCommand::Sell(1), &seen).await.unwrap();
    let stale = standing.runtime.desk.execute::<Stall>(&id("a"), StallCommand::Sell(1), &seen).await;
    assert!(matches!(stale, Err(CommandError::Stale { expected: 1, actual: 2 })), "{stale:?}");
}

#[tokio::test]
async fn a_version_that_another_process_made_is_known_before_it_is_called_stale() {
    let standing = runtime().await;
    let other = runtime_at(&standing.database.url).await;
    open_stall(&standing.runtime, "a").await;
    other.desk.execute::<Stall>(&id("a"), StallCommand::Sell(1), &ctx()).await.unwrap();
    let mut seen = ctx();
    seen.expected_version = Some(2);
    standing.runtime.desk.execute::<Stall>(&id("a"), StallCommand::Sell(1), &seen).await.unwrap();
}

#[tokio::test]
async fn a_refusal_is_said_of_the_newest_state() {
    let standing = runtime().await;
    let other = runtime_at(&standing.database.url).await;
    open_stall(&standing.runtime, "a").await;
    standing.runtime.desk.execute::<Stall>(&id("a"), StallCommand::Close, &ctx()).await.unwrap();
    // This process still remembers it closed; the other one has opened it again.
    other.desk.execute::<Stall>(&id("a"), open("a"), &ctx()).await.unwrap();
    standing.runtime.desk.execute::<Stall>(&id("a"), StallCommand::Sell(1), &ctx()).await.unwrap();
    let refused = standing.runtime.desk.execute::<Stall>(&id("none"), StallCommand::Sell(1), &ctx()).await;
    assert!(matches!(refused, Err(CommandError::Refused(StallRefusal::NotOpen))));
}

#[tokio::test]
async fn a_repeated_request_gets_its_stored_answer_and_is_done_once() {
    let standing = runtime().await;
    let desk = &standing.runtime.desk;
    open_stall(&standing.runtime, "a").await;
    let first = desk
        .execute::<Stall>(&id("a"), StallCommand::Sell(5), &request("r1", 1, json!({"sold": 5})))
        .await
        .unwrap();
    assert!(!first.repeated);
    desk.execute::<Stall>(&id("a"), StallCommand::Sell(1), &ctx()).await.unwrap();
    let again = desk
        .execute::<Stall>(&id("a"), StallCommand::Sell(5), &request("r1", 1, json!("another answer")))
        .await
        .unwrap();
    assert!(again.repeated);
    assert_eq!(
        (again.position, again.version, again.reply),
        (first.position, first.version, json!({"sold": 5}))
    );
    assert_eq!(desk.load::<Stall>(&id("a")).await.unwrap().state.sold, 6);
}

#[tokio::test]
async fn a_request_id_used_for_something_else_is_refused() {
    let standing = runtime().await;
    let desk = &standing.runtime.desk;
    open_stall(&standing.runtime, "a").await;
    desk.execute::<Stall>(&id("a"), StallCommand::Sell(5), &request("r1", 1, json!(1))).await.unwrap();
    let reused = desk.execute::<Stall>(&id("a"), StallCommand::Sell(6), &request("r1", 2, json!(1))).await;
    assert!(matches!(reused, Err(CommandError::RequestReused)));
    let refused =
        desk.execute::<Stall>(&id("none"), StallCommand::Sell(6), &request("r1", 2, json!(1))).await;
    assert!(matches!(refused, Err(CommandError::RequestReused)), "even where the command would be refused");
}

#[tokio::test]
async fn a_repeat_of_a_command_that_would_now_be_refused_gets_its_answer() {
    let standing = runtime().await;
    let desk = &standing.runtime.desk;
    open_stall(&standing.runtime, "a").await;
    desk.execute::<Stall>(&id("a"), StallCommand::Sell(5), &request("r1", 1, json!("ok"))).await.unwrap();
    desk.execute::<Stall>(&id("a"), StallCommand::Close, &ctx()).await.unwrap();
    let again =
        desk.execute::<Stall>(&id("a"), StallCommand::Sell(5), &request("r1", 1, json!("ok"))).await.unwrap();
    assert!(again.repeated);
}

#[tokio::test]
async fn a_command_that_changes_nothing_remembers_its_request() {
    let standing = runtime().await;
    let desk = &standing.runtime.desk;
    open_stall(&standing.runtime, "a").await;
    let first =
        desk.execute::<Stall>(&id("a"), open("a"), &request("r1", 1, json!("already"))).await.unwrap();
    assert_eq!((first.position, first.version, first.repeated), (Position(1), 1, false));
    desk.execute::<Stall>(&id("a"), StallCommand::Close, &ctx()).await.unwrap();
    // It would open the stall now; it was answered before.
    let again = desk.execute::<Stall>(&id("a"), open("a"), &request("r1", 1, json!("?"))).await.unwrap();
    assert_eq!((again.repeated, again.reply), (true, json!("already")));
    assert!(!desk.load::<Stall>(&id("a")).await.unwrap().state.open);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_same_request_sent_at_once_by_many_is_done_once() {
    let standing = runtime().await;
    let other = runtime_at(&standing.database.url).await;
    open_stall(&standing.runtime, "a").await;
    let sales = (0..20).map(|n| {
        let desk = if n % 2 == 0 { standing.runtime.desk.clone() } else { other.desk.clone() };
        tokio::spawn(async move {
            desk.execute::<Stall>(&id("a"), StallCommand::Sell(1), &request("same", 1, json!("done"))).await
        })
    });
    let receipts: Vec<_> =
        futures::future::join_all(sales).await.into_iter().map(|sale| sale.unwrap().unwrap()).collect();
    assert_eq!(receipts.iter().filter(|receipt| !receipt.repeated).count(), 1);
    assert_eq!(other.desk.load::<Stall>(&id("a")).await.unwrap().state.sold, 1);
}

#[tokio::test]
async fn events_of_every_schema_version_are_read() {
    let standing = runtime().await;
    open_stall(&standing.runtime, "old").await;
    let meta = r#"{"actor":{"kind":"system","name":"test"}}"#;
    for (version, schema, data) in
        [(2_i64, 1_i16, r#"{"amount":3}"#), (3, 2, r#"{"count":4}"#), (4, 3, r#"{"count":5,"unit":"box"}"#)]
    {
        sqlx::query(
            "insert into log.events values ($1, 'stall', 'old', $1, 'stall.sold', $2, $3, $4, now(), ''::bytea)",
        )
        .bind(version)
        .bind(schema)
        .bind(data)
        .bind(meta)
        .execute(&standing.runtime.pools.owner)
        .await
        .unwrap();
    }
    let loaded = standing.runtime.desk.load::<Stall>(&id("old")).await.unwrap();
    assert_eq!((loaded.state.sold, loaded.version), (12, 4));
    let events = standing.runtime.reader.read_stream("stall", "old", 1, 10).await.unwrap();
    let sold = |count, unit: &str| StallEvent::Sold { count, unit: unit.to_owned() };
    let decoded: Vec<StallEvent> = events.iter().map(|event| event.decode().unwrap()).collect();
    assert_eq!(decoded, [sold(3, "piece"), sold(4, "piece"), sold(5, "box")]);
}

#[tokio::test]
async fn an_event_newer_than_this_program_is_an_error_and_not_a_guess() {
    let standing = runtime().await;
    open_stall(&standing.runtime, "new").await;
    sqlx::query(
        r#"insert into log.events values (2, 'stall', 'new', 2, 'stall.sold', 4, '{"count":1,"unit":"x"}',
           '{"actor":{"kind":"system","name":"test"}}', now(), ''::bytea)"#,
    )
    .execute(&standing.runtime.pools.owner)
    .await
    .unwrap();
    assert!(standing.runtime.desk.load::<Stall>(&id("new")).await.is_err());
}

#[tokio::test]
async fn what_is_known_about_a_command_lies_beside_its_events() {
    let standing = runtime().await;
    let mut asked = request("r9", 1, json!(null));
    asked.trace_id = "trace".to_owned();
    asked.client_address = Some("10.0.0.9".to_owned());
    asked.causation = Some(Position(4));
    standing.runtime.desk.execute::<Stall>(&id("a"), open("a"), &asked).await.unwrap();
    let event = standing.runtime.reader.read_after(Position(0), 1).await.unwrap().remove(0);
    assert_eq!(event.meta.trace_id, "trace");
    assert_eq!(event.meta.client_address.as_deref(), Some("10.0.0.9"));
    assert_eq!(event.meta.request_id.as_deref(), Some("r9"));
    assert_eq!(event.meta.causation, Some(Position(4)));
    assert_eq!(event.meta.owner, DataOwner::of_area(AgentId(2), AreaId(20)));
    assert_eq!(event.recorded_at, crate::support::now());
}
