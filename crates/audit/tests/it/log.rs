use audit::read::entries::{self, Filter, LogRow, Slice};
use audit::read::history::Past;
use kernel::CommandContext;
use kernel::projecting::fingerprint;
use vocabulary::{Rows, Scope, Timestamp};

use crate::runtime::{CardEvent, NOW, TestRuntime, WANG, agent};

const ALL: Slice = Slice { limit: 100, offset: 0, before: None };

async fn page(runtime: &TestRuntime, scope: &Scope, filter: &Filter, slice: Slice) -> Rows<LogRow> {
    let mut db = runtime.read(scope).await;
    entries::page(&mut db, &runtime.schemas, scope, filter, slice).await.unwrap()
}

fn actions(rows: &Rows<LogRow>) -> Vec<&str> {
    rows.rows.iter().map(|row| row.action.as_str()).collect()
}

#[tokio::test]
async fn a_row_says_who_did_what_to_what_from_where_and_what_changed() {
    let runtime = TestRuntime::new().await;
    runtime.make("a", 2, "月卡").await;
    let position = runtime.rename("a", "年卡").await;
    let rows = page(&runtime, &Scope::ALL, &Filter::default(), ALL).await;
    assert_eq!(actions(&rows), ["card.renamed", "card.made"], "newest first, and nothing that a rule did");
    let row = &rows.rows[0];
    assert_eq!((row.position, row.time), (position.0, NOW.plus_millis(2000).millis()));
    assert_eq!(
        (row.op_man_id.as_str(), row.name.as_str(), row.phone.as_str()),
        ("71", "王芳", "138****8888")
    );
    assert_eq!((row.action_label.as_str(), row.target.as_str()), ("改名", "卡 年卡"));
    assert_eq!((row.ip.as_str(), row.trace_id.as_str()), ("192.0.2.7", "trace-1"));
    assert_eq!((row.agent_id.as_deref(), row.area_id.as_deref()), (Some("2"), None));
    assert_eq!((row.result, row.detail.as_str()), (1, "卡名：月卡 → 年卡"));
    let made = &rows.rows[1].detail;
    assert_eq!(made, "卡名：月卡；密钥：（不显示）；代理：2", "what is secret is not told");
}

#[tokio::test]
async fn a_agents_auditor_sees_no_row_of_another_and_none_of_the_platforms() {
    let runtime = TestRuntime::new().await;
    runtime.make("a", 2, "月卡").await;
    let theirs = runtime.make("b", 3, "周卡").await;
    let rows = page(&runtime, &agent(2), &Filter::default(), ALL).await;
    assert_eq!((rows.count, rows.rows[0].target_name.as_str()), (1, "月卡"));
    let mut db = runtime.read(&agent(2)).await;
    assert_eq!(entries::one(&mut db, &runtime.schemas, theirs.0).await.unwrap(), None);
    drop(db);
    assert_eq!(page(&runtime, &agent(4), &Filter::default(), ALL).await.count, 0);
    assert_eq!(page(&runtime, &Scope::NONE, &Filter::default(), ALL).await.count, 0);
}

#[tokio::test]
async fn a_thing_that_comes_from_another_agent_does_not_bring_its_past() {
    let runtime = TestRuntime::new().await;
    runtime.make("a", 2, "月卡").await;
    let moved =
        runtime.card("a", CardEvent::Moved { agent: vocabulary::AgentId(3) }, runtime.by_wang()).await;
    let mut db = runtime.read(&agent(3)).await;
    let row = entries::one(&mut db, &runtime.schemas, moved.0).await.unwrap().expect("his now");
    assert!(row.changes.iter().all(|change| change.before.is_null()), "{:?}", row.changes);
    assert_eq!(row.row.action_label, "card.moved", "what nobody named is shown as it is stored");
}

#[tokio::test]
async fn api_055_each_filter_leaves_just_what_it_says() {
    let runtime = TestRuntime::new().await;
    runtime.make("a", 2, "月卡_1").await;
    runtime.make("b", 2, "月卡21").await;
    runtime.rename("b", "周卡").await;
    let elsewhere = CommandContext { trace_id: "trace-3".to_owned(), ..runtime.by_wang() };
    runtime.card("a", CardEvent::Renamed { name: "季卡".to_owned() }, elsewhere).await;
    runtime.renamed_by_app("a", "年卡").await;
    let text = |text: &str| Some(text.to_owned());
    let cases = [
        (Filter { actor: text(&WANG.to_string()), ..Filter::default() }, 4),
        (Filter { actor: text("13812348888"), ..Filter::default() }, 4),
        (Filter { actor: text("9"), ..Filter::default() }, 0),
        (Filter { actor_kind: Some(1), ..Filter::default() }, 4),
        (Filter { actor_kind: Some(2), ..Filter::default() }, 0),
        (Filter { action: text("card.renamed"), ..Filter::default() }, 2),
        (Filter { category: text("operator"), ..Filter::default() }, 0),
        (Filter { target: text("月卡_"), ..Filter::default() }, 1),
        (Filter { target: text("卡_1"), ..Filter::default() }, 0),
        (Filter { target: text("b"), ..Filter::default() }, 2),
        (Filter { result: Some(2), ..Filter::default() }, 0),
        (Filter { trace_id: text("trace-3"), ..Filter::default() }, 1),
        (Filter { from: Some(NOW.plus_millis(2000)), ..Filter::default() }, 3),
        (Filter { to: Some(NOW.plus_millis(1999)), ..Filter::default() }, 1),
        (Filter { from: Some(Timestamp::from_millis(0)), to: Some(NOW), ..Filter::default() }, 0),
    ];
    for (filter, expected) in cases {
        let rows = page(&runtime, &Scope::ALL, &filter, ALL).await;
        assert_eq!((rows.count, rows.rows.len()), (expected, expected as usize), "{filter:?}");
    }
}

#[tokio::test]
async fn pages_by_position_and_by_number_are_the_same_pages() {
    let runtime = TestRuntime::new().await;
    for n in 0..7 {
        runtime.make(&format!("c{n}"), 2, &format!("卡 {n}")).await;
    }
    let all = Filter::default();
    let (mut before, mut by_key) = (None, Vec::new());
    loop {
        let rows = page(&runtime, &agent(2), &all, Slice { limit: 3, offset: 0, before }).await;
        assert_eq!((rows.count, rows.capped), (7, false), "the count is of all, wherever one stands");
        let Some(last) = rows.rows.last() else { break };
        before = Some(last.position);
        by_key.extend(rows.rows.iter().map(|row| row.position));
    }
    let mut by_number = Vec::new();
    for offset in [0, 3, 6] {
        let rows = page(&runtime, &agent(2), &all, Slice { limit: 3, offset, before: None }).await;
        by_number.extend(rows.rows.iter().map(|row| row.position));
    }
    assert_eq!(by_key, by_number);
    assert!(by_key.len() == 7 && by_key.windows(2).all(|pair| pair[0] > pair[1]), "{by_key:?}");
}

#[tokio::test]
async fn lines_of_several_months_are_one_log() {
    let runtime = TestRuntime::new().await;
    let mut positions = vec![runtime.make("a", 2, "一月卡").await.0];
    for name in ["二月卡", "三月卡", "四月卡"] {
        runtime.clock.advance(31 * 86_400_000);
        positions.push(runtime.rename("a", name).await.0);
    }
    let (scope, all) = (agent(2), Filter::default());
    let mut walked = Vec::new();
    loop {
        let before = walked.last().copied();
        let rows = page(&runtime, &scope, &all, Slice { limit: 1, offset: 0, before }).await;
        assert_eq!(rows.count, 4);
        let Some(row) = rows.rows.first() else { break };
        walked.push(row.position);
    }
    walked.reverse();
    assert_eq!(walked, positions);
    let mut db = runtime.read(&scope).await;
    let months = "select count(distinct tableoid) from read.audit_entry";
    let months: i64 = sqlx::query_scalar(months).fetch_one(&mut *db).await.unwrap();
    assert_eq!(months, 4);
    for position in &positions {
        let line = entries::one(&mut db, &runtime.schemas, *position).await.unwrap().expect("it is in scope");
        assert_eq!((line.row.position, line.row.name.as_str()), (*position, "王芳"));
    }
    assert_eq!(entries::one(&mut db, &runtime.schemas, positions[3] + 1).await.unwrap(), None);
    let schema = runtime.schemas.of("card").unwrap().as_ref();
    let past = Past { runtime: &runtime.runtime, schemas: &runtime.schemas, schema, id: "a" };
    let history = past.page(&mut db, &scope, vocabulary::Page::new(None, None)).await.unwrap();
    assert_eq!(history.rows.len(), 4);
    assert!(history.rows.iter().all(|step| step.actor.name == "王芳"), "{:?}", history.rows);
}

#[tokio::test]
async fn a_rebuild_gives_the_same_bytes() {
    let runtime = TestRuntime::new().await;
    runtime.make("a", 2, "月卡").await;
    runtime.rename("a", "年卡").await;
    runtime.card("a", CardEvent::Moved { agent: vocabulary::AgentId(3) }, runtime.by_wang()).await;
    runtime.rename("a", "周\u{0}卡").await;
    runtime.used("a", "厦门").await;
    runtime.rename("a", "夜卡").await;
    runtime.renamed_by_app("a", "日卡").await;
    runtime.make("b", 2, "别的卡").await;
    drop(runtime.read(&Scope::ALL).await);
    let owner = &runtime.runtime.pools.owner;
    let tables = ["audit_entry", "audit_subject"];
    let mut lived = Vec::new();
    for table in tables {
        lived.push(fingerprint(owner, table).await.unwrap());
    }
    let rebuilt = runtime.projectors.rebuild("audit").await.unwrap();
    assert_eq!(rebuilt.parked, 0);
    for (table, lived) in tables.into_iter().zip(lived) {
        assert_eq!(fingerprint(owner, table).await.unwrap(), lived, "{table}");
    }
    assert_eq!(page(&runtime, &Scope::ALL, &Filter::default(), ALL).await.count, 6);
}

#[tokio::test]
async fn a_forgotten_persons_name_is_gone_from_the_log_after_a_rebuild() {
    let runtime = TestRuntime::new().await;
    runtime.make("a", 2, "月卡").await;
    assert!(runtime.runtime.forget(&format!("operator:{WANG}")).await.unwrap());
    runtime.projectors.rebuild("audit").await.unwrap();
    let rows = page(&runtime, &Scope::ALL, &Filter::default(), ALL).await;
    assert_eq!((rows.rows[0].name.as_str(), rows.rows[0].op_man_id.as_str()), ("", "71"));
}
