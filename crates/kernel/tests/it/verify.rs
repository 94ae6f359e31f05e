//! Whatever is done to the log behind its back is found and named.

use ed25519_dalek::VerifyingKey;
use kernel::log::chain::{Hash, LeafFields};
use kernel::log::checkpoint::Signer;
use kernel::log::lineage::Trust;
use kernel::log::statement::{CheckpointKey, Content, Mark, Statement};
use kernel::log::verify::{Finding, Inclusion, Verified, prove, verify};
use kernel::{Position, Runtime};

use crate::support::{now, open_stall, owners_slip as tamper, runtime};

pub fn key() -> CheckpointKey {
    CheckpointKey::new(&[9; 32])
}

pub async fn thirty(runtime: &Runtime) {
    for n in 0..30 {
        open_stall(runtime, &format!("s{n}")).await;
    }
}

async fn sign(runtime: &Runtime, key: CheckpointKey) {
    Signer::new(runtime.clone(), key, Vec::new()).sign_new().await.unwrap();
}

async fn verified(runtime: &Runtime) -> Verified {
    verify(&runtime.pools.app, &Trust::only(key().public()), &[], now()).await.unwrap()
}

async fn findings(runtime: &Runtime) -> Vec<Finding> {
    verified(runtime).await.findings
}

#[tokio::test]
async fn a_log_that_nobody_touched_verifies() {
    let standing = runtime().await;
    assert_eq!(findings(&standing.runtime).await, []);
    thirty(&standing.runtime).await;
    sign(&standing.runtime, key()).await;
    open_stall(&standing.runtime, "later").await;
    let verified = verified(&standing.runtime).await;
    assert_eq!((verified.events, verified.checkpoints, verified.findings), (31, 1, vec![]));
}

#[tokio::test]
async fn a_changed_byte_is_found_in_every_field() {
    let standing = runtime().await;
    thirty(&standing.runtime).await;
    for (position, sql) in [
        (3, "update log.events set data = replace(data, 's2', 's3') where position = 3"),
        (5, "update log.events set meta = replace(meta, 'test', 'tes7') where position = 5"),
        (7, "update log.events set recorded_at = recorded_at + interval '1 ms' where position = 7"),
        (9, "update log.events set stream_id = 'sX' where position = 9"),
        (11, "update log.events set type = 'stall.Opened' where position = 11"),
        (13, "update log.events set version = 2 where position = 13"),
        (15, "update log.events set schema_version = 2 where position = 15"),
        (17, "update log.events set category = 'stalL' where position = 17"),
    ] {
        tamper(&standing.runtime, sql).await;
        let found = findings(&standing.runtime).await;
        assert_eq!(found.last(), Some(&Finding::Changed { position: Position(position) }), "{sql}");
    }
    assert_eq!(findings(&standing.runtime).await.len(), 8);
}

#[tokio::test]
async fn a_changed_chain_is_found() {
    let standing = runtime().await;
    thirty(&standing.runtime).await;
    tamper(&standing.runtime, "update log.events set chain = sha256('x') where position = 30").await;
    let changed = Finding::Changed { position: Position(30) };
    assert_eq!(findings(&standing.runtime).await, [changed]);
}

#[tokio::test]
async fn a_removed_row_is_found_and_named() {
    let standing = runtime().await;
    thirty(&standing.runtime).await;
    tamper(&standing.runtime, "delete from log.events where position in (10, 11, 20)").await;
    let removed = |first, last| Finding::Removed { first: Position(first), last: Position(last) };
    assert_eq!(findings(&standing.runtime).await, [removed(10, 11), removed(20, 20)]);
}

#[tokio::test]
async fn a_row_removed_with_the_rest_renumbered_is_found() {
    let standing = runtime().await;
    thirty(&standing.runtime).await;
    tamper(
        &standing.runtime,
        "delete from log.events where position = 10;
         update log.events set position = position - 1000 where position > 10;
         update log.events set position = position + 999 where position < 0",
    )
    .await;
    assert_eq!(findings(&standing.runtime).await, [Finding::Changed { position: Position(10) }]);
}

#[tokio::test]
async fn an_inserted_row_is_found_and_named() {
    let standing = runtime().await;
    thirty(&standing.runtime).await;
    tamper(
        &standing.runtime,
        "update log.events set position = -position - 1 where position >= 10;
         update log.events set position = -position where position < 0;
         insert into log.events select 10, category, 'false', 1, type, schema_version, data, meta, recorded_at, sha256('x')
         from log.events where position = 1",
    )
    .await;
    let found = findings(&standing.runtime).await;
    assert_eq!(found[0], Finding::Changed { position: Position(10) }, "{found:?}");
    tamper(
        &standing.runtime,
        "insert into log.events select 32, category, 'false', 2, type, schema_version, data, meta, recorded_at, sha256('x')
         from log.events where position = 1",
    )
    .await;
    assert!(findings(&standing.runtime).await.contains(&Finding::Changed { position: Position(32) }));
}

#[tokio::test]
async fn a_tail_cut_off_is_found_by_the_checkpoint() {
    let standing = runtime().await;
    thirty(&standing.runtime).await;
    sign(&standing.runtime, key()).await;
    tamper(&standing.runtime, "delete from log.events where position > 25").await;
    let truncated = Finding::Truncated { head: Position(25), signed: Position(30) };
    assert_eq!(findings(&standing.runtime).await, [truncated]);
}

#[tokio::test]
async fn a_log_chained_anew_after_a_change_does_not_match_its_checkpoint() {
    let standing = runtime().await;
    thirty(&standing.runtime).await;
    sign(&standing.runtime, key()).await;
    chain_anew(&standing.runtime).await;
    let rewritten = Finding::Rewritten { first: Position(1), position: Position(30) };
    assert_eq!(findings(&standing.runtime).await, [rewritten]);
}

/// Changes event 8 of thirty, and chains it and those behind it anew, as whoever owns the database can; the signature he
/// cannot make.
pub async fn chain_anew(runtime: &Runtime) {
    tamper(runtime, "update log.events set data = replace(data, 's7', 's8') where position = 8").await;
    let owner = &runtime.pools.owner;
    let mut chain: Hash = sqlx::query_scalar::<_, Vec<u8>>("select chain from log.events where position = 7")
        .fetch_one(owner)
        .await
        .unwrap()
        .try_into()
        .unwrap();
    for position in 8..=30 {
        chain = kernel::log::chain::link(&chain, &leaf_at(runtime, position).await);
        let mut owner = owner.acquire().await.unwrap();
        sqlx::raw_sql("set wheelhouse.maintenance = 'on'").execute(&mut *owner).await.unwrap();
        sqlx::query("update log.events set chain = $2 where position = $1")
            .bind(position)
            .bind(chain.as_slice())
            .execute(&mut *owner)
            .await
            .unwrap();
    }
}

#[tokio::test]
async fn a_checkpoint_of_a_stranger_is_found() {
    let standing = runtime().await;
    thirty(&standing.runtime).await;
    sign(&standing.runtime, CheckpointKey::new(&[1; 32])).await;
    assert_eq!(findings(&standing.runtime).await, [Finding::UnknownKey { number: 1 }]);
}

#[tokio::test]
async fn one_event_is_proved_to_be_in_the_log_without_the_log() {
    let standing = runtime().await;
    thirty(&standing.runtime).await;
    sign(&standing.runtime, key()).await;
    open_stall(&standing.runtime, "later").await;
    sign(&standing.runtime, key()).await;
    let public: VerifyingKey = key().public();
    for position in [1, 17, 30, 31] {
        let proof = prove(&standing.runtime.pools.app, Position(position)).await.unwrap().unwrap();
        let json = serde_json::to_string(&proof).unwrap();
        assert!(json.len() < 1500, "{} bytes", json.len());
        let proof: Inclusion = serde_json::from_str(&json).unwrap();
        let leaf = leaf_at(&standing.runtime, position).await;
        assert!(proof.holds(&leaf, &public));
        assert!(!proof.holds(&[0; 32], &public));
        assert!(!proof.holds(&leaf, &CheckpointKey::new(&[1; 32]).public()));
        let mark = Mark { position: Position(position + 1), ..proof.statement.mark().unwrap().clone() };
        let statement = Statement { content: Content::Checkpoint(mark), ..proof.statement.clone() };
        assert!(!Inclusion { statement, ..proof }.holds(&leaf, &public));
    }
    open_stall(&standing.runtime, "uncovered").await;
    assert_eq!(prove(&standing.runtime.pools.app, Position(32)).await.unwrap(), None);
}

async fn leaf_at(runtime: &Runtime, position: i64) -> Hash {
    type Row = (String, String, i64, String, i16, String, String, chrono::DateTime<chrono::Utc>);
    let (category, stream_id, version, stored_type, schema_version, data, meta, at): Row = sqlx::query_as(
        "select category, stream_id, version, type, schema_version, data, meta, recorded_at
         from log.events where position = $1",
    )
    .bind(position)
    .fetch_one(&runtime.pools.owner)
    .await
    .unwrap();
    LeafFields {
        category: &category,
        stream_id: &stream_id,
        version,
        stored_type: &stored_type,
        schema_version,
        data: data.as_bytes(),
        meta: meta.as_bytes(),
        recorded_at: at.into(),
    }
    .leaf()
}

#[tokio::test(flavor = "multi_thread")]
async fn an_event_appended_while_verify_walks_is_not_taken_for_inserted() {
    let standing = runtime().await;
    thirty(&standing.runtime).await;
    let runtime = standing.runtime.clone();
    let appending = tokio::spawn(async move {
        for n in 0.. {
            open_stall(&runtime, &format!("m{n}")).await;
        }
    });
    for round in 0..100 {
        assert_eq!(findings(&standing.runtime).await, [], "round {round}");
    }
    appending.abort();
    assert!(appending.await.unwrap_err().is_cancelled(), "there were appends all the while");
}
