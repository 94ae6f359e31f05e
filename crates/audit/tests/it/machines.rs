//! What machine clients did: no row of the log and no copy of the thing, and all of it in the thing's history.

use audit::read::entries::{self, Filter, LogDetail, Slice};
use audit::read::history::{History, Past};
use kernel::{CommandContext, Position};
use vocabulary::{AgentId, Page, Scope};

use crate::runtime::{
    APP, CardEvent, Machine, MachineEvent, Person, PersonEvent, TestRuntime, WANG, agent, open,
};

const ALL: Slice = Slice { limit: 100, offset: 0, before: None };

async fn positions(runtime: &TestRuntime) -> Vec<i64> {
    let mut db = runtime.read(&Scope::ALL).await;
    let rows = entries::page(&mut db, &runtime.schemas, &Scope::ALL, &Filter::default(), ALL).await.unwrap();
    rows.rows.iter().map(|row| row.position).collect()
}

async fn line(runtime: &TestRuntime, position: Position) -> LogDetail {
    let mut db = runtime.read(&Scope::ALL).await;
    entries::one(&mut db, &runtime.schemas, position.0).await.unwrap().expect("a line")
}

async fn history(runtime: &TestRuntime, scope: &Scope, id: &str) -> History {
    let schema = runtime.schemas.of("card").unwrap().as_ref();
    let past = Past { runtime: &runtime.runtime, schemas: &runtime.schemas, schema, id };
    let mut db = runtime.read(scope).await;
    past.page(&mut db, scope, Page::new(None, Some(50))).await.unwrap()
}

/// What is kept of a thing: its name, its agent, and which write of the row this is.
async fn kept(runtime: &TestRuntime, key: &str) -> (String, Option<i64>, String) {
    drop(runtime.read(&Scope::ALL).await);
    sqlx::query_as("select name, agent_id, xmin::text || ctid::text from read.audit_subject where key = $1")
        .bind(key)
        .fetch_one(&runtime.runtime.pools.owner)
        .await
        .unwrap()
}

async fn name_the_app(runtime: &TestRuntime) {
    let added = MachineEvent::Added { name: "骑行应用".to_owned() };
    let rule = CommandContext::of_system("test", vocabulary::Clock::now(&*runtime.clock));
    runtime.runtime.desk.execute::<Machine>(&APP, added, &rule).await.unwrap();
}

#[tokio::test]
async fn what_a_machine_did_is_in_the_things_history_and_not_in_the_log() {
    let runtime = TestRuntime::new().await;
    name_the_app(&runtime).await;
    let made = runtime.make("a", 2, "月卡").await;
    let used = runtime.used("a", "厦门").await;
    let renamed = runtime.rename("a", "年卡").await;
    assert_eq!(positions(&runtime).await, [renamed.0, made.0]);
    // An auditor of the agent reads who it was, as before, though the machine is the platform's.
    for scope in [agent(2), Scope::ALL] {
        let history = history(&runtime, &scope, "a").await;
        let told: Vec<(i64, i16, &str, &str)> = history
            .rows
            .iter()
            .map(|step| {
                (step.position, step.actor.kind, step.actor.name.as_str(), step.action_label.as_str())
            })
            .collect();
        let expected =
            [(renamed.0, 1, "王芳", "改名"), (used.0, 2, "骑行应用", "用卡"), (made.0, 1, "王芳", "制卡")];
        assert_eq!(told, expected);
        assert_eq!(history.rows[1].changes[0].after_text, "厦门");
    }
}

#[tokio::test]
async fn an_event_of_a_machine_that_renames_and_moves_nothing_writes_nothing() {
    let runtime = TestRuntime::new().await;
    runtime.make("a", 2, "月卡").await;
    let before = kept(&runtime, "card/a").await;
    for n in 0..20 {
        runtime.used("a", &format!("第 {n} 站")).await;
    }
    runtime.renamed_by_app("a", "月卡").await;
    assert_eq!(kept(&runtime, "card/a").await, before);
    // What pickers and names show is kept up, whoever did it.
    runtime.renamed_by_app("a", "年卡").await;
    let renamed = kept(&runtime, "card/a").await;
    assert_eq!((renamed.0.as_str(), renamed.1), ("年卡", Some(2)));
    runtime.card("a", CardEvent::Moved { agent: AgentId(3) }, runtime.by_app()).await;
    let moved = kept(&runtime, "card/a").await;
    assert_eq!((moved.0.as_str(), moved.1), ("年卡", Some(3)));
    let made = CardEvent::Made { agent: AgentId(4), name: "周卡".to_owned(), secret: String::new() };
    runtime.card("b", made, runtime.by_app()).await;
    let made = kept(&runtime, "card/b").await;
    assert_eq!((made.0.as_str(), made.1), ("周卡", Some(4)));
}

#[tokio::test]
async fn what_a_person_changed_is_compared_with_what_machines_made_of_it() {
    let runtime = TestRuntime::new().await;
    runtime.make("a", 2, "月卡").await;
    runtime.used("a", "厦门").await;
    runtime.renamed_by_app("a", "季卡").await;
    let renamed = runtime.rename("a", "年卡").await;
    assert_eq!(line(&runtime, renamed).await.row.detail, "卡名：季卡 → 年卡");
    // Many events lie between: they are read in several pages.
    for n in 0..1_100 {
        runtime.used("a", &n.to_string()).await;
    }
    let ctx = runtime.by_wang();
    let used = runtime.card("a", CardEvent::Used { place: "泉州".to_owned() }, ctx).await;
    assert_eq!(line(&runtime, used).await.row.detail, "地点：1099 → 泉州");
    assert_eq!(line(&runtime, used).await.row.target_name, "年卡");
    let lived = kept(&runtime, "card/a").await;
    assert_eq!(runtime.projectors.rebuild("audit").await.unwrap().parked, 0);
    assert_eq!(line(&runtime, used).await.row.detail, "地点：1099 → 泉州");
    assert_eq!(kept(&runtime, "card/a").await.0, lived.0);
    // A machine that moves it takes its past out of sight as well.
    runtime.card("a", CardEvent::Moved { agent: AgentId(3) }, runtime.by_app()).await;
    let home = runtime.card("a", CardEvent::Moved { agent: AgentId(2) }, runtime.by_wang()).await;
    assert!(line(&runtime, home).await.changes.iter().all(|change| change.before.is_null()));
}

/// Gives an event of the log other data, and the data that it had.
async fn overwritten(runtime: &TestRuntime, position: Position, data: &str) -> String {
    let mut db = runtime.runtime.pools.owner.begin().await.unwrap();
    sqlx::query("set local wheelhouse.maintenance = 'on'").execute(&mut *db).await.unwrap();
    let before = sqlx::query_scalar("select data from log.events where position = $1").bind(position.0);
    let before = before.fetch_one(&mut *db).await.unwrap();
    let overwrite = sqlx::query("update log.events set data = $2 where position = $1").bind(position.0);
    overwrite.bind(data).execute(&mut *db).await.unwrap();
    db.commit().await.unwrap();
    before
}

/// No event.
const SPOILT: &str = "[]";

#[tokio::test]
async fn many_acts_on_one_thing_read_its_stream_once() {
    let runtime = TestRuntime::new().await;
    let made = runtime.make("a", 2, "月卡").await;
    let used = runtime.used("a", "厦门").await;
    let renamed = runtime.rename("a", "季卡").await;
    drop(runtime.read(&Scope::ALL).await);
    for position in [made, used, renamed] {
        overwritten(&runtime, position, SPOILT).await;
    }
    let renamed = runtime.rename("a", "年卡").await;
    assert_eq!(line(&runtime, renamed).await.row.detail, "卡名：季卡 → 年卡");
}

#[tokio::test]
async fn a_long_stream_is_read_on_where_reading_broke_off() {
    let runtime = TestRuntime::new().await;
    let mut used = Vec::new();
    for n in 0..600 {
        used.push(runtime.used("a", &n.to_string()).await);
    }
    drop(runtime.read(&Scope::ALL).await);
    let data = overwritten(&runtime, used[550], SPOILT).await;
    let renamed = runtime.rename("a", "年卡").await;
    drop(runtime.read(&Scope::ALL).await);
    let parked = kernel::projecting::parked(&runtime.runtime.pools.owner).await.unwrap();
    assert_eq!(parked.iter().map(|one| one.position).collect::<Vec<_>>(), [renamed]);
    overwritten(&runtime, used[550], &data).await;
    overwritten(&runtime, used[0], SPOILT).await;
    assert!(runtime.projectors.retry("audit", "card", "a").await.unwrap());
    assert_eq!(line(&runtime, renamed).await.row.detail, "卡名：年卡");
}

#[tokio::test]
async fn a_name_that_another_process_forgot_is_not_written_from_memory() {
    let runtime = TestRuntime::new().await;
    let signs_in = async || {
        runtime.clock.advance(1000);
        let at = vocabulary::Clock::now(&*runtime.clock);
        let ctx = runtime.by_wang();
        runtime
            .runtime
            .desk
            .execute::<Person>(&WANG, PersonEvent::SignedIn { at }, &ctx)
            .await
            .unwrap()
            .position
    };
    let before = signs_in().await;
    assert_eq!(line(&runtime, before).await.row.name, "王芳");
    let other = open(&runtime.database_url, runtime.clock.clone()).await;
    assert!(other.forget(&format!("operator:{WANG}")).await.unwrap());
    other.close();
    let after = line(&runtime, signs_in().await).await;
    assert_eq!((after.row.name.as_str(), after.row.target_name.as_str()), ("", ""));
    assert_eq!(kept(&runtime, "operator/71").await.0, "");
}
