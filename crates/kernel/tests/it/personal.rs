//! Personal data can be forgotten while the log stays as it is.

use kernel::{CommandError, LogError, Personal, Position};

use crate::support::{Stall, StallCommand, StallEvent, ctx, house, house_at, open_stall};

const NAME: &str = "王小明";

#[tokio::test]
async fn a_forgotten_person_is_gone_from_the_log_that_did_not_change() {
    let standing = house().await;
    let house = &standing.house;
    open_stall(house, "a").await;
    let hire = StallCommand::Hire(Personal::new("keeper:7", NAME.to_owned()));
    house.desk.execute::<Stall>(&"a".to_owned(), hire.clone(), &ctx()).await.unwrap();

    let stored = || async {
        sqlx::query_as::<_, (String, Vec<u8>)>("select data, chain from log.events where position = 2")
            .fetch_one(&house.pools.owner)
            .await
            .unwrap()
    };
    let before = stored().await;
    assert!(!before.0.contains(NAME), "the log holds it sealed");
    let other = house_at(&standing.database.url).await;
    let known = other.desk.load::<Stall>(&"a".to_owned()).await.unwrap().state.keeper.unwrap();
    assert_eq!(known.known().map(String::as_str), Some(NAME), "whoever has the key reads it");

    assert!(house.forget("keeper:7").await.unwrap());
    assert!(!house.forget("keeper:7").await.unwrap());
    let event = house.reader.read_after(Position(1), 1).await.unwrap().remove(0);
    let forgotten = Personal::Forgotten { subject: "keeper:7".to_owned() };
    assert_eq!(event.decode::<StallEvent>().unwrap(), StallEvent::Hired { keeper: forgotten.clone() });
    assert_eq!(house.desk.load::<Stall>(&"a".to_owned()).await.unwrap().state.keeper, Some(forgotten));
    assert_eq!(stored().await, before);

    let again = house.desk.execute::<Stall>(&"a".to_owned(), hire, &ctx()).await;
    assert!(matches!(again, Err(CommandError::Log(LogError::Forgotten(_)))), "{again:?}");
}

#[tokio::test]
async fn text_that_looks_like_personal_data_is_only_text() {
    let standing = house().await;
    let name = r#"{"$personal":{"subject":"x","sealed":"AAAA"}}"#;
    open_stall(&standing.house, "a").await;
    let rename = StallCommand::Rename(name.to_owned());
    standing.house.desk.execute::<Stall>(&"a".to_owned(), rename, &ctx()).await.unwrap();
    let event = standing.house.reader.read_after(Position(1), 1).await.unwrap().remove(0);
    assert_eq!(event.decode::<StallEvent>().unwrap(), StallEvent::Renamed { name: name.to_owned() });
}

#[tokio::test]
async fn sealed_data_moved_to_another_stream_does_not_open() {
    let standing = house().await;
    let house = &standing.house;
    open_stall(house, "a").await;
    let hire = StallCommand::Hire(Personal::new("keeper:7", NAME.to_owned()));
    house.desk.execute::<Stall>(&"a".to_owned(), hire, &ctx()).await.unwrap();
    sqlx::query(
        "insert into log.events select 3, category, 'b', 1, type, schema_version, data, meta, recorded_at, chain
         from log.events where position = 2",
    )
    .execute(&house.pools.owner)
    .await
    .unwrap();
    let moved = house.reader.read_after(Position(2), 1).await;
    assert!(matches!(moved, Err(LogError::Sealed(_))), "{moved:?}");
}

#[test]
fn personal_data_does_not_show_when_printed() {
    let shown = format!("{:?}", Personal::new("keeper:7", NAME.to_owned()));
    assert_eq!(shown, "Personal(keeper:7, known)");
}
