//! Commands on several aggregates: together or not at all.

use std::sync::atomic::{AtomicUsize, Ordering};

use futures::future::join_all;
use kernel::log::LogError;
use kernel::log::lineage::Trust;
use kernel::log::verify::verify;
use kernel::{AnyRefusal, CommandContext, CommandError, Position, Receipt, Refusal, Runtime, Transaction};
use serde_json::json;
use vocabulary::{AgentId, AreaId, DataOwner, Reach, Scope};

use crate::cutter::Cutter;
use crate::doubt::waiting;
use crate::support::{
    Stall, StallCommand, Standing, ctx, eventually, foundation_at, now, open, open_stall, request, runtime,
    runtime_at, within,
};
use crate::verify::key;
use crate::writer::options;

type Failed = CommandError<AnyRefusal>;
type Told = Result<Receipt, Failed>;

fn id(text: &str) -> String {
    text.to_owned()
}

/// Sells one piece at each of these stalls.
async fn sell(runtime: &Runtime, stalls: &[&str], ctx: &CommandContext) -> Told {
    let selling = async |mut tx: Transaction| {
        for stall in stalls {
            tx.execute::<Stall>(&id(stall), StallCommand::Sell(1)).await?;
        }
        Ok(tx)
    };
    runtime.desk.transact(ctx, selling).await
}

async fn rename(runtime: &Runtime, renamed: &[(&str, &str)]) -> Told {
    let renaming = async |mut tx: Transaction| {
        for (stall, name) in renamed {
            tx.execute::<Stall>(&id(stall), StallCommand::Rename(id(name))).await?;
        }
        Ok(tx)
    };
    runtime.desk.transact(&ctx(), renaming).await
}

fn refused(told: &Told) -> Option<&'static str> {
    match told {
        Err(CommandError::Refused(refusal)) => Some(refusal.code()),
        _ => None,
    }
}

async fn sold(runtime: &Runtime, stall: &str) -> i64 {
    runtime.desk.load::<Stall>(&id(stall)).await.unwrap().state.sold
}

async fn head(runtime: &Runtime) -> i64 {
    runtime.reader.head().await.unwrap().0
}

/// The log is what was written, without gaps.
async fn sound(standing: &Standing) {
    let pool = &standing.runtime.pools.app;
    let verified = verify(pool, &Trust::only(key().public()), &[], now()).await.unwrap();
    assert_eq!(verified.findings, []);
    assert_eq!(verified.events as i64, head(&standing.runtime).await);
}

async fn three(standing: &Standing) {
    for stall in ["a", "b", "c"] {
        open_stall(&standing.runtime, stall).await;
    }
}

#[tokio::test]
async fn several_aggregates_change_in_one_append() {
    let standing = runtime().await;
    let runtime = &standing.runtime;
    open_stall(runtime, "a").await;
    let receipt = runtime
        .desk
        .transact::<Failed, _>(&request("r1", 1, json!("done")), async |mut tx| {
            tx.execute::<Stall>(&id("a"), StallCommand::Sell(2)).await?;
            tx.execute::<Stall>(&id("b"), open("b")).await?;
            // What was decided before counts: it is open, though nothing is written yet.
            tx.execute::<Stall>(&id("b"), StallCommand::Sell(3)).await?;
            tx.execute::<Stall>(&id("a"), StallCommand::Sell(4)).await?;
            assert_eq!(tx.load::<Stall>(&id("a")).await?.state.sold, 6);
            Ok(tx)
        })
        .await
        .unwrap();
    assert_eq!(receipt, Receipt { position: Position(5), version: 2, repeated: false, reply: json!("done") });
    let events = runtime.reader.read_after(Position(1), 10).await.unwrap();
    let places: Vec<_> = events.iter().map(|event| (&*event.stream_id, event.version)).collect();
    assert_eq!(places, [("a", 2), ("a", 3), ("b", 1), ("b", 2)]);
    assert!(events.iter().all(|event| event.meta.request_id.as_deref() == Some("r1")));
    let written: i64 =
        sqlx::query_scalar("select count(distinct xmin::text) from log.events where position > 1")
            .fetch_one(&runtime.pools.owner)
            .await
            .unwrap();
    assert_eq!(written, 1, "one transaction of PostgreSQL");
    // What this process remembers is what another one reads.
    let other = runtime_at(&standing.database.url).await;
    for stall in ["a", "b"] {
        let ours = runtime.desk.execute::<Stall>(&id(stall), StallCommand::Sell(1), &ctx()).await.unwrap();
        let theirs = other.desk.load::<Stall>(&id(stall)).await.unwrap();
        assert_eq!((theirs.version, theirs.state.sold), (ours.version, if stall == "a" { 7 } else { 4 }));
    }
    sound(&standing).await;
}

#[tokio::test]
async fn one_refusal_keeps_all_of_it_out() {
    let standing = runtime().await;
    three(&standing).await;
    let runtime = &standing.runtime;
    // A member says no.
    assert_eq!(refused(&sell(runtime, &["a", "b", "none"], &ctx()).await), Some("stall-not-open"));
    // A key is held by a stream that has no part in it.
    assert_eq!(refused(&rename(runtime, &[("a", "free"), ("b", "c")]).await), Some("stall-name-taken"));
    // Two members want the same key.
    assert_eq!(refused(&rename(runtime, &[("a", "x"), ("b", "x")]).await), Some("stall-name-taken"));
    // The actor sees one of them only.
    let elsewhere = Scope::of(Reach::only([AgentId(3)]), Reach::All);
    assert!(matches!(sell(runtime, &["a"], &within(elsewhere.clone())).await, Err(CommandError::NotFound)));
    let there = DataOwner::of_area(AgentId(3), AreaId(30));
    let narrow = within(elsewhere);
    let moving = runtime.desk.transact::<Failed, _>(&narrow, async |mut tx| {
        tx.execute::<Stall>(&id("d"), StallCommand::Open { name: id("d"), owner: there }).await?;
        tx.execute::<Stall>(&id("a"), StallCommand::Sell(1)).await?;
        Ok(tx)
    });
    assert!(matches!(moving.await, Err(CommandError::NotFound)));
    // The actor saw another version of the first.
    let seen = CommandContext { expected_version: Some(7), ..ctx() };
    let stale = sell(runtime, &["a", "b"], &seen).await;
    assert!(matches!(stale, Err(CommandError::Stale { expected: 7, actual: 1 })), "{stale:?}");

    assert_eq!(head(runtime).await, 3, "nothing was written");
    for stall in ["a", "b", "c"] {
        assert_eq!(sold(runtime, stall).await, 0, "and nothing is remembered");
    }
    // No key was taken on the way.
    assert_eq!(rename(runtime, &[("a", "x"), ("b", "free")]).await.unwrap().position, Position(5));
}

#[tokio::test]
async fn members_may_hand_a_key_to_each_other() {
    let standing = runtime().await;
    three(&standing).await;
    let runtime = &standing.runtime;
    rename(runtime, &[("a", "b"), ("b", "c"), ("c", "a")]).await.unwrap();
    let claims: Vec<(String, String)> = sqlx::query_as("select key, stream_id from log.claims order by key")
        .fetch_all(&runtime.pools.app)
        .await
        .unwrap();
    let held: Vec<_> = claims.iter().map(|(key, stream)| (key.as_str(), stream.as_str())).collect();
    assert_eq!(held, [("stall:a", "c"), ("stall:b", "a"), ("stall:c", "b")]);
}

#[tokio::test]
async fn what_postgres_refuses_leaves_nothing_behind() {
    let standing = runtime().await;
    three(&standing).await;
    let runtime = &standing.runtime;
    sqlx::query("alter table log.events add constraint no_poison check (stream_id <> 'b' or version < 2)")
        .execute(&runtime.pools.owner)
        .await
        .unwrap();
    assert!(matches!(sell(runtime, &["a", "b", "c"], &ctx()).await, Err(CommandError::Log(_))));
    assert_eq!((head(runtime).await, sold(runtime, "a").await, sold(runtime, "c").await), (3, 0, 0));
    sell(runtime, &["a", "c"], &ctx()).await.unwrap();
    assert_eq!((sold(runtime, "a").await, sold(runtime, "c").await), (1, 1));
    sound(&standing).await;
}

#[tokio::test]
async fn a_lost_race_decides_anew_and_a_member_that_was_only_read_counts() {
    let standing = runtime().await;
    three(&standing).await;
    let runtime = &standing.runtime;
    let other = runtime_at(&standing.database.url).await;
    for (read_only, lost) in [(false, "b"), (true, "b"), (false, "a")] {
        let before = sold(runtime, lost).await;
        let tries = AtomicUsize::new(0);
        let receipt = runtime
            .desk
            .transact::<Failed, _>(&ctx(), async |mut tx| {
                tx.execute::<Stall>(&id("a"), StallCommand::Sell(1)).await?;
                let seen = tx.load::<Stall>(&id("b")).await?.state.sold;
                if !read_only {
                    tx.execute::<Stall>(&id("b"), StallCommand::Sell(1)).await?;
                }
                // Another process is faster, once.
                if tries.fetch_add(1, Ordering::SeqCst) == 0 {
                    other.desk.execute::<Stall>(&id(lost), StallCommand::Sell(10), &ctx()).await.unwrap();
                } else if lost == "b" {
                    assert_eq!(seen, before + 10, "decided on what the other one did");
                }
                Ok(tx)
            })
            .await
            .unwrap();
        assert_eq!(tries.load(Ordering::SeqCst), 2);
        assert_eq!(receipt.position.0, head(runtime).await);
        assert_eq!(sold(runtime, lost).await, before + if read_only { 10 } else { 11 });
    }
    // One that always loses gives up.
    let tries = AtomicUsize::new(0);
    let system = ctx();
    let told = runtime.desk.transact::<Failed, _>(&system, async |mut tx| {
        tries.fetch_add(1, Ordering::SeqCst);
        tx.execute::<Stall>(&id("a"), StallCommand::Sell(1)).await?;
        tx.execute::<Stall>(&id("c"), StallCommand::Sell(1)).await?;
        other.desk.execute::<Stall>(&id("c"), StallCommand::Sell(1), &ctx()).await.unwrap();
        Ok(tx)
    });
    assert!(matches!(told.await, Err(CommandError::Contended)));
    let tries = tries.load(Ordering::SeqCst) as i64;
    assert!((2..20).contains(&tries), "{tries}");
    assert_eq!((sold(runtime, "a").await, sold(runtime, "c").await), (13, tries));
    sound(&standing).await;
}

#[tokio::test]
async fn a_repeated_request_is_done_once_whatever_became_of_its_members() {
    let standing = runtime().await;
    three(&standing).await;
    let runtime = &standing.runtime;
    let asked = || request("r1", 1, json!({"sold": 2}));
    let first = sell(runtime, &["a", "b"], &asked()).await.unwrap();
    for again in [runtime, &runtime_at(&standing.database.url).await] {
        let told = sell(again, &["a", "b"], &asked()).await.unwrap();
        assert_eq!((told.repeated, told.position, &told.reply), (true, first.position, &first.reply));
    }
    // The rules would refuse it by now.
    runtime.desk.execute::<Stall>(&id("b"), StallCommand::Close, &ctx()).await.unwrap();
    assert!(sell(runtime, &["a", "b"], &asked()).await.unwrap().repeated);
    // The same name for something else, whether it could be done or not.
    let other = request("r1", 2, json!(null));
    assert!(matches!(sell(runtime, &["a", "c"], &other).await, Err(CommandError::RequestReused)));
    assert!(matches!(sell(runtime, &["a", "b"], &other).await, Err(CommandError::RequestReused)));
    assert_eq!((sold(runtime, "a").await, sold(runtime, "c").await), (1, 0));

    // "Already so" is remembered too.
    let already = async || {
        runtime
            .desk
            .transact::<Failed, _>(&request("r2", 2, json!("so")), async |mut tx| {
                tx.execute::<Stall>(&id("a"), open("a")).await?;
                tx.execute::<Stall>(&id("c"), open("c")).await?;
                Ok(tx)
            })
            .await
            .unwrap()
    };
    let before = head(runtime).await;
    assert!(!already().await.repeated);
    runtime.desk.execute::<Stall>(&id("c"), StallCommand::Close, &ctx()).await.unwrap();
    let again = already().await;
    assert_eq!((again.repeated, again.reply, again.position), (true, json!("so"), Position(before)));
    assert!(!runtime.desk.load::<Stall>(&id("c")).await.unwrap().state.open);
}

#[tokio::test]
async fn a_repeat_that_would_ask_for_something_else_by_now_gets_its_answer() {
    let standing = runtime().await;
    three(&standing).await;
    let asked = request("r1", 1, json!("named"));
    let naming = async || {
        standing
            .runtime
            .desk
            .transact::<Failed, _>(&asked, async |mut tx| {
                let again = tx.load::<Stall>(&id("a")).await?.state.name == "x";
                tx.execute::<Stall>(&id("a"), StallCommand::Rename(id("x"))).await?;
                if again {
                    tx.execute::<Stall>(&id("b"), StallCommand::Rename(id("x"))).await?;
                }
                Ok(tx)
            })
            .await
            .unwrap()
    };
    let first = naming().await;
    assert_eq!(naming().await, Receipt { repeated: true, ..first });
}

#[tokio::test(flavor = "multi_thread")]
async fn the_same_request_sent_at_once_by_many_is_done_once() {
    let standing = runtime().await;
    three(&standing).await;
    let other = runtime_at(&standing.database.url).await;
    let told = join_all((0..20).map(|n| {
        let runtime = if n % 2 == 0 { standing.runtime.clone() } else { other.clone() };
        tokio::spawn(async move { sell(&runtime, &["a", "b"], &request("same", 1, json!(1))).await })
    }))
    .await;
    let told: Vec<Receipt> = told.into_iter().map(|told| told.unwrap().unwrap()).collect();
    assert_eq!(told.iter().filter(|receipt| !receipt.repeated).count(), 1);
    assert_eq!((sold(&other, "a").await, sold(&other, "b").await), (1, 1));
}

#[tokio::test(flavor = "multi_thread")]
async fn transactions_over_the_same_streams_in_any_order_all_finish() {
    let standing = runtime().await;
    three(&standing).await;
    let orders = [["a", "b", "c"], ["c", "b", "a"], ["b", "c", "a"], ["a", "c", "b"]];
    let begun = (0..40).map(|n| {
        let runtime = standing.runtime.clone();
        tokio::spawn(async move {
            if n % 5 == 4 {
                // A plain command between them.
                runtime.desk.execute::<Stall>(&id("b"), StallCommand::Sell(1), &ctx()).await.map_err(|_| n)
            } else {
                sell(&runtime, &orders[n % 4], &ctx()).await.map_err(|_| n)
            }
        })
    });
    let told = join_all(begun).await;
    assert!(told.iter().all(|told| matches!(told, Ok(Ok(_)))), "{told:?}");
    for (stall, pieces) in [("a", 32), ("b", 40), ("c", 32)] {
        assert_eq!(sold(&standing.runtime, stall).await, pieces, "{stall}");
    }
    sound(&standing).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn two_processes_in_opposite_order_lose_nothing_and_do_nothing_by_halves() {
    let standing = runtime().await;
    three(&standing).await;
    let other = runtime_at(&standing.database.url).await;
    let told = join_all((0..20).map(|n| {
        let runtime = if n % 2 == 0 { standing.runtime.clone() } else { other.clone() };
        let stalls = if n % 2 == 0 { ["a", "b"] } else { ["b", "a"] };
        tokio::spawn(async move { sell(&runtime, &stalls, &ctx()).await })
    }))
    .await;
    let done = told.iter().filter(|told| told.as_ref().unwrap().is_ok()).count() as i64;
    assert!(done >= 10, "{done} of 20 went through");
    assert_eq!((sold(&other, "a").await, sold(&other, "b").await), (done, done));
    assert_eq!(head(&other).await, 3 + 2 * done);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_transaction_whose_line_is_cut_or_whose_backend_is_killed_is_done_once() {
    let standing = runtime().await;
    three(&standing).await;
    let owner = &standing.runtime.pools.owner;
    let cutter = Cutter::before(options(&standing.database.url)).await;
    let direct = options(&standing.database.url);
    let url = standing.database.url.replace(
        &format!("{}:{}", direct.get_host(), direct.get_port()),
        &format!("127.0.0.1:{}", cutter.options.get_port()),
    );
    let other = Runtime::open(foundation_at(&url).await).await.unwrap();
    for way in [["a", "b"], ["b", "c"]] {
        sell(&other, &way, &ctx()).await.unwrap();
    }

    // Cut after the commit and before the answer; with a request id and without one.
    for asked in [ctx(), request("cut", 1, json!("sold"))] {
        cutter.arm();
        let told = sell(&other, &["a", "b", "c"], &asked).await.unwrap();
        assert_eq!((told.repeated, told.position.0), (false, head(&other).await));
    }
    assert_eq!(cutter.cuts(), 2);

    // Killed while it waits for the head.
    let mut held = owner.begin().await.unwrap();
    sqlx::query(testkit::HOLD_HEAD).execute(&mut *held).await.unwrap();
    let under_way = tokio::spawn({
        let other = other.clone();
        async move { sell(&other, &["c", "a", "b"], &ctx()).await }
    });
    eventually("it waits for the head", async || waiting(owner).await == 1).await;
    let killed: bool = sqlx::query_scalar(
        "select bool_and(pg_terminate_backend(pid)) from pg_stat_activity
         where wait_event_type = 'Lock' and query like '%log.append%' and datname = current_database()",
    )
    .fetch_one(owner)
    .await
    .unwrap();
    assert!(killed);
    held.rollback().await.unwrap();
    under_way.await.unwrap().unwrap();
    for (stall, pieces) in [("a", 4), ("b", 5), ("c", 4)] {
        assert_eq!(sold(&standing.runtime, stall).await, pieces, "{stall}");
        assert_eq!(sold(&other, stall).await, pieces, "{stall}");
    }
    sound(&standing).await;
}

#[tokio::test]
async fn a_transaction_is_bounded() {
    let standing = runtime().await;
    let system = ctx();
    let refused = standing.runtime.desk.transact::<Failed, _>(&system, async |mut tx| {
        for n in 0..=1000 {
            tx.load::<Stall>(&format!("m{n}")).await?;
        }
        Ok(tx)
    });
    assert!(matches!(refused.await, Err(CommandError::Log(LogError::Invalid(_)))));
}
