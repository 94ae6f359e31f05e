//! What is written stays written.

use kernel::Pools;

use crate::support::{SIZES, open_stall, runtime};

const CHANGES: [&str; 3] =
    ["update log.events set data = 'x'", "delete from log.events", "truncate log.events"];

#[tokio::test]
async fn the_application_can_neither_change_the_log_nor_write_past_the_append() {
    let standing = runtime().await;
    open_stall(&standing.runtime, "a").await;
    let past = [
        "insert into log.events select position + 1, category, stream_id, version + 1, type, schema_version, data, meta, recorded_at, chain from log.events",
        "delete from log.claims",
        "delete from log.requests",
        "set session_replication_role = replica",
        "alter table log.events disable trigger all",
        "delete from log.checkpoints",
    ];
    for pool in [&standing.runtime.pools.app, &standing.runtime.pools.projector] {
        for change in CHANGES.iter().chain(&past) {
            let refused = sqlx::query(*change).execute(pool).await.unwrap_err();
            let code = refused.as_database_error().unwrap().code().unwrap().into_owned();
            assert_eq!(code, "42501", "{change}: {refused}");
        }
    }
}

#[tokio::test]
async fn even_the_owner_changes_the_log_only_when_he_says_so() {
    let standing = runtime().await;
    open_stall(&standing.runtime, "a").await;
    let pools = Pools::connect(&standing.database.url, SIZES).await.unwrap();
    for change in CHANGES {
        let refused = sqlx::query(change).execute(&pools.owner).await.unwrap_err();
        assert!(refused.to_string().contains("append-only"), "{change}: {refused}");
    }
    let mut owner = pools.owner.acquire().await.unwrap();
    sqlx::query("set wheelhouse.maintenance = 'on'").execute(&mut *owner).await.unwrap();
    sqlx::query("delete from log.events").execute(&mut *owner).await.unwrap();
}
