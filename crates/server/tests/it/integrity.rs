//! A log that went back, and what is signed about it, through the product's own commands.

use std::time::Duration;

use sqlx::{AssertSqlSafe, PgPool};

use crate::city::City;
use crate::client::Machine;
use crate::stack::{Stack, eventually, said};
use crate::stream;

/// A few; what they are made of is signed within a minute.
const BIKES: usize = 20;

async fn signed(owner: &PgPool) -> i64 {
    eventually("a checkpoint", Duration::from_mins(3), async || {
        let sql = "select max(position) from log.statements";
        sqlx::query_scalar::<_, Option<i64>>(sql).fetch_one(owner).await.unwrap()
    })
    .await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_log_that_went_back_ends_the_server_and_is_gone_on_with_knowingly() {
    let stack = Stack::start().await;
    // Its last words are what it says, and not where in the program it says so.
    let node = stack.node_with(None, &[("RUST_BACKTRACE", "0")]);
    stack.know_the_administrator().await;
    let machine = Machine::new(&node.url, &stack.full_machine().await);
    City::build(&machine, "W", 1, BIKES).await;
    let owner = stack.owner().await;
    let head = stream::settled(&owner).await;
    assert!(signed(&owner).await > 0);
    stream::relayed(&stack, head).await;
    assert!(stack.told(&["doctor"]).await.contains("Nothing to mend."));

    let cut = head - 5;
    let back = format!(
        "begin; set local wheelhouse.maintenance = 'on';
         delete from log.events where position > {cut};
         commit"
    );
    sqlx::raw_sql(AssertSqlSafe(back)).execute(&owner).await.unwrap();
    let (status, words) = node.ended().await;
    assert!(!status.success(), "{words}");
    assert!(words.contains("went back") && words.contains("accept-restore"), "{words}");

    // Started again it does not serve, and the doctor says what to do.
    let again = stack.task(&["serve"]).await;
    assert!(!again.status.success() && said(&again).contains("accept-restore"), "{}", said(&again));
    let told = said(&stack.task(&["doctor"]).await);
    assert!(told.contains(&format!("wheelhouse accept-restore --head {cut}")), "{told}");
    assert!(told.contains(&format!("read model vehicle stands at {head}")), "{told}");

    let wrong = stack.task(&["accept-restore", "--head", "3"]).await;
    assert!(!wrong.status.success() && said(&wrong).contains(&format!("ends at {cut}")), "{}", said(&wrong));
    let accepted = stack.told(&["accept-restore", "--head", &cut.to_string()]).await;
    assert!(accepted.contains("5 messages of EVENTS"), "{accepted}");
    stack.told(&["rebuild", "--all"]).await;
    let verified = stack.told(&["verify"]).await;
    assert!(verified.contains(&format!("日志曾从位置 {head} 退回到 {cut}")), "{verified}");
    let node = stack.node(None);
    let out = stack.state_dir().join("after.token");
    let words =
        ["machine", "add", "--name", "after", "--codes", "open:fleet", "--out", out.to_str().unwrap()];
    stack.told(&words).await;
    let grown = stream::settled(&owner).await;
    assert!(grown > cut);
    stream::relayed(&stack, grown).await;
    assert!(stack.told(&["doctor"]).await.contains("Nothing to mend."));
    drop(node);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_the_owner_rewrites_is_found_outside_and_keys_rotate() {
    let (stack, node) = Stack::serving().await;
    let machine = Machine::new(&node.url, &stack.full_machine().await);
    City::build(&machine, "K", 1, BIKES).await;
    let owner = stack.owner().await;
    signed(&owner).await;
    let (status, _) = node.terminate().await;
    assert!(status.success());
    let verified = stack.told(&["verify"]).await;
    assert!(verified.contains("place  CHECKPOINTS") && verified.contains("/checkpoints\n"), "{verified}");

    stack.told(&["checkpoint-key", "rotate"]).await;
    let verified = stack.told(&["verify"]).await;
    assert!(verified.contains("签名密钥于"), "{verified}");

    let last: i64 =
        sqlx::query_scalar("select max(number) from log.statements").fetch_one(&owner).await.unwrap();
    // The owner empties what lies in the database.
    let emptied = "begin; set local wheelhouse.maintenance = 'on'; delete from log.statements; commit";
    sqlx::raw_sql(emptied).execute(&owner).await.unwrap();
    let verified = stack.task(&["verify"]).await;
    assert!(!verified.status.success(), "{}", said(&verified));
    let missed = format!("WRONG  log.statements 缺少第 1 到 {last} 号");
    assert!(said(&verified).contains(&missed), "{}", said(&verified));

    // A node that starts signs nothing, and the doctor says so.
    let node = stack.node(None);
    let told = eventually("the signer stands still", Duration::from_mins(1), async || {
        let told = said(&stack.task(&["doctor"]).await);
        told.contains("the signer stands still").then_some(told)
    })
    .await;
    let gone = format!("log.statements held {last} signed statements and now holds 0");
    assert!(told.contains(&gone), "{told}");
    drop(node);
}
