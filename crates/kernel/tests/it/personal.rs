//! Personal data can be forgotten while the log stays as it is.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use kernel::projecting::Projectors;
use kernel::projector::ApplyError;
use kernel::{Change, CommandError, LogError, Personal, Position, Projector, Recorded, Runtime};
use sqlx::PgConnection;

use crate::support::{Stall, StallCommand, StallEvent, ctx, open_stall, runtime, runtime_at};

const NAME: &str = "王小明";

#[tokio::test]
async fn a_forgotten_person_is_gone_from_the_log_that_did_not_change() {
    let standing = runtime().await;
    let runtime = &standing.runtime;
    open_stall(runtime, "a").await;
    let hire = StallCommand::Hire(Personal::new("keeper:7", NAME.to_owned()));
    runtime.desk.execute::<Stall>(&"a".to_owned(), hire.clone(), &ctx()).await.unwrap();

    let stored = || async {
        sqlx::query_as::<_, (String, Vec<u8>)>("select data, chain from log.events where position = 2")
            .fetch_one(&runtime.pools.owner)
            .await
            .unwrap()
    };
    let before = stored().await;
    assert!(!before.0.contains(NAME), "the log holds it sealed");
    let other = runtime_at(&standing.database.url).await;
    let known = other.desk.load::<Stall>(&"a".to_owned()).await.unwrap().state.keeper.unwrap();
    assert_eq!(known.known().map(String::as_str), Some(NAME), "whoever has the key reads it");

    assert!(runtime.forget("keeper:7").await.unwrap());
    assert!(!runtime.forget("keeper:7").await.unwrap());
    let event = runtime.reader.read_after(Position(1), 1).await.unwrap().remove(0);
    let forgotten = Personal::Forgotten { subject: "keeper:7".to_owned() };
    assert_eq!(event.decode::<StallEvent>().unwrap(), StallEvent::Hired { keeper: forgotten.clone() });
    assert_eq!(runtime.desk.load::<Stall>(&"a".to_owned()).await.unwrap().state.keeper, Some(forgotten));
    assert_eq!(stored().await, before);

    let again = runtime.desk.execute::<Stall>(&"a".to_owned(), hire, &ctx()).await;
    assert!(matches!(again, Err(CommandError::Log(LogError::Forgotten(_)))), "{again:?}");
}

#[tokio::test]
async fn every_memory_of_every_process_is_told_when_somebody_was_forgotten() {
    let standing = runtime().await;
    let runtime = &standing.runtime;
    open_stall(runtime, "a").await;
    let hire = StallCommand::Hire(Personal::new("keeper:7", NAME.to_owned()));
    runtime.desk.execute::<Stall>(&"a".to_owned(), hire, &ctx()).await.unwrap();
    let other = runtime_at(&standing.database.url).await;
    let counted = |runtime: &Runtime| {
        let dropped = Arc::new(tokio::sync::watch::Sender::new(false));
        let told = Arc::clone(&dropped);
        runtime.on_forgetting(move || {
            told.send_replace(true);
        });
        dropped
    };
    let (here, there) = (counted(runtime), counted(&other));
    assert!(runtime.forget("keeper:7").await.unwrap());
    assert!(*here.borrow(), "at once in the process that did it");
    let mut there = there.subscribe();
    let told = tokio::time::timeout(Duration::from_secs(30), there.wait_for(|dropped| *dropped)).await;
    assert!(told.is_ok(), "soon in another");
}

#[tokio::test]
async fn text_that_looks_like_personal_data_is_only_text() {
    let standing = runtime().await;
    let name = r#"{"$personal":{"subject":"x","sealed":"AAAA"}}"#;
    open_stall(&standing.runtime, "a").await;
    let rename = StallCommand::Rename(name.to_owned());
    standing.runtime.desk.execute::<Stall>(&"a".to_owned(), rename, &ctx()).await.unwrap();
    let event = standing.runtime.reader.read_after(Position(1), 1).await.unwrap().remove(0);
    assert_eq!(event.decode::<StallEvent>().unwrap(), StallEvent::Renamed { name: name.to_owned() });
}

#[tokio::test]
async fn sealed_data_moved_to_another_stream_does_not_open() {
    let standing = runtime().await;
    let runtime = &standing.runtime;
    open_stall(runtime, "a").await;
    let hire = StallCommand::Hire(Personal::new("keeper:7", NAME.to_owned()));
    runtime.desk.execute::<Stall>(&"a".to_owned(), hire, &ctx()).await.unwrap();
    sqlx::query(
        "insert into log.events select 3, category, 'b', 1, type, schema_version, data, meta, recorded_at, chain
         from log.events where position = 2",
    )
    .execute(&runtime.pools.owner)
    .await
    .unwrap();
    let moved = runtime.reader.read_after(Position(2), 1).await;
    assert!(matches!(moved, Err(LogError::Sealed(_))), "{moved:?}");
}

#[test]
fn personal_data_does_not_show_when_printed() {
    let shown = format!("{:?}", Personal::new("keeper:7", NAME.to_owned()));
    assert_eq!(shown, "Personal(keeper:7, known)");
}

/// Who keeps which stall.
struct Keepers;

#[async_trait]
impl Projector for Keepers {
    fn name(&self) -> &'static str {
        "keepers"
    }

    fn tables(&self) -> &'static [&'static str] {
        &["keepers"]
    }

    fn categories(&self) -> &'static [&'static str] {
        &["stall"]
    }

    async fn apply(&self, db: &mut PgConnection, events: &[Recorded]) -> Result<Vec<Change>, ApplyError> {
        for event in events {
            if let StallEvent::Hired { keeper } = event.decode()? {
                sqlx::query(
                    "insert into keepers (id, name) values ($1, $2) on conflict (id) do update set name = $2",
                )
                .bind(&*event.stream_id)
                .bind(keeper.known())
                .execute(&mut *db)
                .await?;
            }
        }
        Ok(Vec::new())
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_forgotten_person_is_gone_from_read_models_and_from_other_processes() {
    let standing = runtime().await;
    let runtime = &standing.runtime;
    let owner = &runtime.pools.owner;
    for sql in [
        "create table read.keepers (id text primary key, name text)",
        "select wheelhouse.guard_table('read.keepers')",
    ] {
        sqlx::query(sql).execute(owner).await.unwrap();
    }
    for (stall, keeper) in [("a", "keeper:7"), ("b", "keeper:8")] {
        open_stall(runtime, stall).await;
        let hire = StallCommand::Hire(Personal::new(keeper, NAME.to_owned()));
        runtime.desk.execute::<Stall>(&stall.to_owned(), hire, &ctx()).await.unwrap();
    }
    let projectors = Projectors::new(runtime.clone(), vec![Arc::new(Keepers)]);
    projectors.rebuild("keepers").await.unwrap();
    let names = || async {
        sqlx::query_scalar::<_, Option<String>>("select name from read.keepers order by id")
            .fetch_all(owner)
            .await
            .unwrap()
    };
    assert_eq!(names().await, [Some(NAME.to_owned()), Some(NAME.to_owned())]);
    let other = runtime_at(&standing.database.url).await;
    let remembered = || async {
        other.desk.load::<Stall>(&"a".to_owned()).await.unwrap().state.keeper.unwrap().known().cloned()
    };
    assert_eq!(remembered().await.as_deref(), Some(NAME));

    let done = projectors.forget("keeper:7").await.unwrap();
    assert!(done.was_known);
    assert_eq!(names().await, [None, Some(NAME.to_owned())], "he alone is forgotten");
    let gone = async {
        while remembered().await.is_some() {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(20), gone).await.expect("the other process forgets him too");

    // What failed half way is completed by a second call.
    let again = projectors.forget("keeper:7").await.unwrap();
    assert_eq!((again.was_known, again.rebuilt.len()), (false, 1));
}
