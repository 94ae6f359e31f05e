use audit::read::history::{HistoryError, Moment, Past};
use audit::read::subjects;
use vocabulary::{AgentId, Page, Scope};

use crate::runtime::{CardEvent, TestRuntime, agent};

fn past<'a>(runtime: &'a TestRuntime, id: &'a str) -> Past<'a> {
    let schema = runtime.schemas.of("card").unwrap().as_ref();
    Past { runtime: &runtime.runtime, schemas: &runtime.schemas, schema, id }
}

async fn at(runtime: &TestRuntime, scope: &Scope, id: &str, position: i64) -> Result<Moment, HistoryError> {
    let mut db = runtime.read(scope).await;
    past(runtime, id).at(&mut db, scope, position).await
}

fn value<'a>(moment: &'a Moment, field: &str) -> Option<&'a str> {
    moment.state.iter().find(|one| one.field == field).map(|one| one.text.as_str())
}

#[tokio::test]
async fn cqrs_024_a_thing_is_seen_as_it_was_after_each_of_its_steps() {
    let runtime = TestRuntime::new().await;
    let names = ["月卡", "季卡", "年卡"];
    let mut steps = vec![runtime.make("a", 2, names[0]).await.0];
    for name in &names[1..] {
        runtime.make(&format!("other {name}"), 2, "别的卡").await;
        steps.push(runtime.rename("a", name).await.0);
    }
    for (n, name) in names.iter().enumerate() {
        let moment = at(&runtime, &agent(2), "a", steps[n]).await.unwrap();
        assert_eq!(value(&moment, "name"), Some(*name));
        assert_eq!(value(&moment, "secret"), Some("（不显示）"));
        assert_eq!((moment.index, moment.count, moment.name.as_str()), (n + 1, 3, "年卡"));
        assert_eq!(moment.previous, n.checked_sub(1).map(|n| steps[n]));
        assert_eq!(moment.following, steps.get(n + 1).copied());
        assert_eq!((moment.first, moment.last), (steps[0], steps[2]));
        assert_eq!(moment.step.actor.name, "王芳");
    }
    let change = &at(&runtime, &agent(2), "a", steps[1]).await.unwrap().step.changes[0];
    assert_eq!((change.before_text.as_str(), change.after_text.as_str()), ("月卡", "季卡"));
    // Between two of its steps it was as after the one before; before its first it was not there.
    let between = at(&runtime, &agent(2), "a", steps[2] - 1).await.unwrap();
    assert_eq!(value(&between, "name"), Some("季卡"));
    assert!(matches!(at(&runtime, &agent(2), "a", steps[0] - 1).await, Err(HistoryError::NotFound)));
    assert_eq!(at(&runtime, &agent(2), "a", i64::MAX).await.unwrap().index, 3);
}

#[tokio::test]
async fn cqrs_024_steps_come_newest_first_in_pages() {
    let runtime = TestRuntime::new().await;
    runtime.make("a", 2, "0").await;
    for n in 1..5 {
        runtime.rename("a", &n.to_string()).await;
    }
    let mut db = runtime.read(&agent(2)).await;
    let second = past(&runtime, "a").page(&mut db, &agent(2), Page::new(Some(2), Some(2))).await.unwrap();
    let told: Vec<(i64, &str, &str)> = second
        .rows
        .iter()
        .map(|step| (step.version, step.changes[0].before_text.as_str(), step.changes[0].after_text.as_str()))
        .collect();
    assert_eq!((second.count, told), (5, vec![(3, "1", "2"), (2, "0", "1")]));
    let beyond = past(&runtime, "a").page(&mut db, &agent(2), Page::new(Some(9), Some(2))).await.unwrap();
    assert!(beyond.rows.is_empty());
}

#[tokio::test]
async fn cqrs_024_an_old_stored_form_is_lifted_before_it_is_shown() {
    let runtime = TestRuntime::new().await;
    let made = runtime.make("a", 2, "月卡").await;
    // As the first version of the program wrote it.
    let owner = &runtime.runtime.pools.owner;
    let mut db = owner.begin().await.unwrap();
    sqlx::query("set local wheelhouse.maintenance = 'on'").execute(&mut *db).await.unwrap();
    sqlx::query(
        r#"update log.events set schema_version = 1, data = '{"agent":"2","title":"老月卡","secret":"geheim"}'
           where position = $1"#,
    )
    .bind(made.0)
    .execute(&mut *db)
    .await
    .unwrap();
    db.commit().await.unwrap();
    let moment = at(&runtime, &agent(2), "a", made.0).await.unwrap();
    assert_eq!(value(&moment, "name"), Some("老月卡"));
}

#[tokio::test]
async fn a_history_is_not_there_for_another_agent_nor_the_part_before_it_came() {
    let runtime = TestRuntime::new().await;
    let made = runtime.make("a", 2, "月卡").await.0;
    assert!(matches!(at(&runtime, &agent(3), "a", made).await, Err(HistoryError::NotFound)));
    assert!(matches!(at(&runtime, &agent(3), "nothing", made).await, Err(HistoryError::NotFound)));
    let moved = runtime.card("a", CardEvent::Moved { agent: AgentId(3) }, runtime.by_wang()).await.0;
    // He who had it no longer sees it; he who has it sees it from the day it came.
    assert!(matches!(at(&runtime, &agent(2), "a", made).await, Err(HistoryError::NotFound)));
    assert!(matches!(at(&runtime, &agent(3), "a", made).await, Err(HistoryError::NotFound)));
    let moment = at(&runtime, &agent(3), "a", moved).await.unwrap();
    assert_eq!((moment.index, moment.count, moment.previous), (1, 1, None));
    assert!(moment.step.changes.iter().all(|change| change.before.is_null()), "{:?}", moment.step.changes);
    // The platform sees all of it.
    let moment = at(&runtime, &Scope::ALL, "a", moved).await.unwrap();
    assert_eq!((moment.index, moment.count, moment.previous), (2, 2, Some(made)));
    let texts: Vec<_> = moment.step.changes.iter().map(|change| change.before_text.as_str()).collect();
    assert_eq!(texts, ["2"]);
}

#[tokio::test]
async fn a_thing_is_found_by_name_or_id_within_the_scope() {
    let runtime = TestRuntime::new().await;
    runtime.make("a", 2, "月卡").await;
    runtime.make("b", 3, "月卡").await;
    runtime.make("c", 2, "100%卡").await;
    let mut db = runtime.read(&agent(2)).await;
    let found = async |db: &mut sqlx::PgConnection, keyword: Option<&str>| {
        let found = subjects::find(db, "card", keyword).await.unwrap();
        found.into_iter().map(|one| one.id).collect::<Vec<_>>()
    };
    assert_eq!(found(&mut db, None).await, ["c", "a"]);
    assert_eq!(found(&mut db, Some("月")).await, ["a"]);
    assert_eq!(found(&mut db, Some("c")).await, ["c"]);
    assert_eq!(found(&mut db, Some("b")).await, Vec::<String>::new());
    assert_eq!(found(&mut db, Some("%")).await, ["c"], "what is typed is taken literally");
}
