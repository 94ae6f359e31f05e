//! What was asked long ago is forgotten; what may still be repeated is not, and what was done stays done.

use kernel::aggregate::Refusal;
use kernel::log::requests::{REPEATABLE_MS, forget_old};
use kernel::{CommandContext, CommandError, Runtime};
use serde_json::json;
use sqlx::AssertSqlSafe;
use vocabulary::Timestamp;

use crate::support::{Stall, StallCommand, here, now, request, runtime};

fn open(name: &str) -> StallCommand {
    StallCommand::Open { name: name.to_owned(), owner: here() }
}

async fn asked(
    runtime: &Runtime,
    stall: &str,
    command: StallCommand,
    ctx: &CommandContext,
) -> Result<bool, String> {
    match runtime.desk.execute::<Stall>(&stall.to_owned(), command, ctx).await {
        Ok(receipt) => Ok(receipt.repeated),
        Err(CommandError::Refused(refusal)) => Err(refusal.code().to_owned()),
        Err(error) => Err(error.to_string()),
    }
}

async fn kept(runtime: &Runtime) -> Vec<String> {
    let sql = "select request_id from log.requests order by position";
    sqlx::query_scalar(sql).fetch_all(&runtime.pools.app).await.unwrap()
}

fn later(ctx: &CommandContext, by_ms: i64) -> CommandContext {
    CommandContext { now: ctx.now.plus_millis(by_ms), ..ctx.clone() }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_request_is_repeated_for_seven_days_and_judged_anew_after_them() {
    let standing = runtime().await;
    let runtime = &standing.runtime;
    let first = request("o7:first", 1, json!({"id": "1"}));
    assert_eq!(asked(runtime, "1", open("Nord"), &first).await, Ok(false));
    let second = later(&request("o7:second", 2, json!({})), 1000);
    assert_eq!(asked(runtime, "2", open("Süd"), &second).await, Ok(false));

    let week = now().plus_millis(REPEATABLE_MS);
    assert_eq!(forget_old(&runtime.pools.owner, week).await.unwrap(), 0, "the week is not over");
    assert_eq!(asked(runtime, "1", open("Nord"), &first).await, Ok(true), "the first answer again");

    assert_eq!(forget_old(&runtime.pools.owner, week.plus_millis(1)).await.unwrap(), 1);
    assert_eq!(kept(runtime).await, ["o7:second"]);
    // The log still tells: the same once more is refused by what was done, and nothing is done twice.
    let head = runtime.reader.head().await.unwrap();
    assert!(asked(runtime, "3", open("Nord"), &first).await.is_err(), "its name is claimed");
    assert_eq!(
        asked(runtime, "1", open("Nord"), &first).await,
        Ok(false),
        "the stall is open: nothing to do"
    );
    let stale = CommandContext { expected_version: Some(0), ..request("o7:third", 3, json!({})) };
    assert!(asked(runtime, "1", StallCommand::Sell(1), &stale).await.is_err(), "he saw another version");
    assert_eq!(runtime.reader.head().await.unwrap(), head);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_reactor_may_repeat_is_kept_however_old() {
    let standing = runtime().await;
    let runtime = &standing.runtime;
    for (number, name) in ["Nord", "Süd", "West"].into_iter().enumerate() {
        let ctx = request(&format!("s:{number}"), 1, json!({}));
        assert_eq!(asked(runtime, &number.to_string(), open(name), &ctx).await, Ok(false));
    }
    let at = |sql: &'static str| sqlx::query(AssertSqlSafe(sql)).execute(&runtime.pools.owner);
    at("insert into log.reactors (name, position) values ('quick', 3), ('slow', 2)").await.unwrap();
    at("insert into log.parked (reader, category, stream_id, position, failure)
        values ('reactor:quick', 'stall', '1', 2, 'x'), ('projector:stall', 'stall', '0', 1, 'x')")
    .await
    .unwrap();
    let old = Timestamp::from_millis(now().millis() + 10 * REPEATABLE_MS);
    assert_eq!(forget_old(&runtime.pools.owner, old).await.unwrap(), 1, "what came before the parked event");
    assert_eq!(kept(runtime).await, ["s:1", "s:2"]);
    at("delete from log.parked").await.unwrap();
    assert_eq!(forget_old(&runtime.pools.owner, old).await.unwrap(), 1, "up to where the slow one stands");
    at("update log.reactors set position = 3").await.unwrap();
    assert_eq!(forget_old(&runtime.pools.owner, old).await.unwrap(), 1);
    assert!(kept(runtime).await.is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_round_is_bounded() {
    let standing = runtime().await;
    let owner = &standing.runtime.pools.owner;
    let many =
        "insert into log.requests (actor, request_id, fingerprint, reply, position, version, recorded_at)
        select 'a', n::text, '', '{}', 0, 1, 'epoch' from generate_series(1, 51000) n";
    sqlx::query(many).execute(owner).await.unwrap();
    assert_eq!(forget_old(owner, now()).await.unwrap(), 50_000);
    assert_eq!(forget_old(owner, now()).await.unwrap(), 1000);
}
