use std::time::Duration;

use audit::Audit;
use audit::read::entries::{self, Filter, LogRow, Slice};
use audit::read::refusals;
use kernel::CommandContext;
use serde_json::json;
use vocabulary::{Rows, Scope};
use wire::{AuditSink, Disclosed, RefusedWrite};

use crate::runtime::{NOW, TestRuntime, agent};

const DAY_MS: i64 = 86_400_000;

fn refused(status: u16, text: &str) -> RefusedWrite {
    RefusedWrite {
        name: "王芳".to_owned(),
        phone: "13812348888".to_owned(),
        method: "POST".to_owned(),
        path: "/platform/permission/role".to_owned(),
        status,
        code: "role-in-use".to_owned(),
        text: text.to_owned(),
    }
}

async fn seen(runtime: &TestRuntime, scope: &Scope, filter: Filter) -> Rows<LogRow> {
    let mut db = runtime.read(scope).await;
    let slice = Slice { limit: 200, offset: 0, before: None };
    entries::page(&mut db, &runtime.schemas, scope, &filter, slice).await.unwrap()
}

async fn eventually(runtime: &TestRuntime, scope: &Scope, filter: Filter, rows: usize) -> Rows<LogRow> {
    for _ in 0..200 {
        let found = seen(runtime, scope, filter.clone()).await;
        if found.rows.len() >= rows {
            return found;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    panic!("never {rows} rows");
}

fn audit(runtime: &TestRuntime) -> std::sync::Arc<Audit> {
    Audit::new(runtime.runtime.clone(), std::sync::Arc::clone(&runtime.schemas))
}

#[tokio::test]
async fn cqrs_014_a_refused_command_is_known_without_an_event_and_only_where_its_caller_is() {
    let runtime = TestRuntime::new().await;
    let audit_sink = audit(&runtime).audit_sink();
    let head = runtime.runtime.reader.head().await.unwrap();
    let ctx = CommandContext { scope: agent(2), ..runtime.by_wang() };
    audit_sink.refused(ctx.clone(), refused(200, "手机号 13912345678 已被使用"));
    audit_sink.refused(ctx, refused(503, "服务暂时不可用"));
    let rows = eventually(&runtime, &agent(2), Filter::default(), 2).await;
    assert_eq!(runtime.runtime.reader.head().await.unwrap(), head, "the log did not grow");
    assert!(rows.rows.iter().all(|row| row.position < 0 && row.phone == "138****8888"), "{:?}", rows.rows);
    let no = seen(&runtime, &agent(2), Filter { result: Some(2), ..Filter::default() }).await;
    assert_eq!((no.count, no.rows[0].detail.as_str()), (1, "手机号 139****5678 已被使用"));
    assert_eq!(no.rows[0].target, "POST /platform/permission/role");
    let failed = seen(&runtime, &agent(2), Filter { result: Some(3), ..Filter::default() }).await;
    assert_eq!((failed.count, failed.rows[0].result_label.as_str()), (1, "失败"));
    let done = seen(&runtime, &agent(2), Filter { result: Some(1), ..Filter::default() }).await;
    assert_eq!(done.count, 0);
    assert_eq!(seen(&runtime, &agent(3), Filter::default()).await.count, 0);
    let mut db = runtime.read(&agent(3)).await;
    let theirs = entries::one(&mut db, &runtime.schemas, no.rows[0].position).await.unwrap();
    assert_eq!(theirs, None);
}

#[tokio::test]
async fn a_machine_that_is_refused_is_on_record_and_bounded_as_people_are() {
    let runtime = TestRuntime::new().await;
    let audit_sink = audit(&runtime).audit_sink();
    audit_sink.refused(runtime.by_wang(), refused(200, "角色正被使用"));
    for _ in 0..200 {
        audit_sink.refused(runtime.by_app(), refused(403, "没有权限"));
    }
    let machines = Filter { actor_kind: Some(2), ..Filter::default() };
    let rows = eventually(&runtime, &Scope::ALL, machines, 30).await;
    assert!(
        rows.count < 40 && rows.rows.iter().all(|row| row.actor_kind == 2 && row.result == 2),
        "{rows:?}"
    );
    let people = Filter { actor_kind: Some(1), ..Filter::default() };
    assert_eq!(eventually(&runtime, &Scope::ALL, people, 1).await.count, 1);
    let done = Filter { actor_kind: Some(2), result: Some(1), ..Filter::default() };
    assert_eq!(seen(&runtime, &Scope::ALL, done).await.count, 0);
}

#[tokio::test]
async fn whoever_is_refused_over_and_over_does_not_fill_the_disk() {
    let runtime = TestRuntime::new().await;
    let audit_sink = audit(&runtime).audit_sink();
    for _ in 0..200 {
        audit_sink.refused(runtime.by_wang(), refused(200, "角色正被使用"));
    }
    eventually(&runtime, &Scope::ALL, Filter::default(), 30).await;
    tokio::time::sleep(Duration::from_millis(200)).await;
    let kept = seen(&runtime, &Scope::ALL, Filter::default()).await.count;
    assert!((30..40).contains(&kept), "{kept}");
}

#[tokio::test]
async fn what_was_written_about_refusals_is_not_changed_by_the_program() {
    let runtime = TestRuntime::new().await;
    audit(&runtime).audit_sink().refused(runtime.by_wang(), refused(200, "角色正被使用"));
    eventually(&runtime, &Scope::ALL, Filter::default(), 1).await;
    for pool in [&runtime.runtime.pools.app, &runtime.runtime.pools.projector, &runtime.runtime.pools.owner] {
        for sql in ["update log.refused_write set reason = ''", "delete from log.refused_write"] {
            assert!(sqlx::query(sql).execute(pool).await.is_err(), "{sql}");
        }
    }
}

#[tokio::test]
async fn a_refusal_is_kept_for_a_year_and_then_pruned() {
    let runtime = TestRuntime::new().await;
    let audit_sink = audit(&runtime).audit_sink();
    audit_sink.refused(runtime.by_wang(), refused(200, "早先"));
    let later = CommandContext { now: NOW.plus_millis(DAY_MS), ..runtime.by_wang() };
    audit_sink.refused(later, refused(200, "后来"));
    eventually(&runtime, &Scope::ALL, Filter::default(), 2).await;
    let owner = &runtime.runtime.pools.owner;
    let a_year = NOW.plus_millis(refusals::KEPT_MS);
    assert_eq!(refusals::prune(owner, a_year).await.unwrap(), 0, "a year is not over yet");
    assert_eq!(refusals::prune(owner, a_year.plus_millis(1)).await.unwrap(), 1);
    let left = seen(&runtime, &Scope::ALL, Filter::default()).await;
    assert_eq!(left.rows.iter().map(|row| row.detail.as_str()).collect::<Vec<_>>(), ["后来"]);
    // What is no maintenance is refused as before.
    assert!(sqlx::query("delete from log.refused_write").execute(owner).await.is_err());
}

#[tokio::test]
async fn data_handed_out_is_an_event_of_whoever_took_it() {
    let runtime = TestRuntime::new().await;
    let audit_sink = audit(&runtime).audit_sink();
    let export =
        Disclosed::Export { what: "role".to_owned(), filter: Some(json!({"state": "1"})), rows: Some(3) };
    let ctx = CommandContext { scope: agent(2), ..runtime.by_wang() };
    let receipt = audit_sink.disclosed(&ctx, export).await.unwrap();
    let rows =
        seen(&runtime, &agent(2), Filter { category: Some("access-record".to_owned()), ..Filter::default() })
            .await;
    let row = &rows.rows[0];
    assert_eq!(
        (row.position, row.name.as_str(), row.action_label.as_str()),
        (receipt.position.0, "王芳", "导出数据")
    );
    assert_eq!(row.detail, r#"3 行，条件 {"state":"1"}"#);
    let nameless = Disclosed::Unmask { what: String::new(), target: String::new() };
    let no = audit_sink.disclosed(&runtime.by_wang(), nameless).await;
    assert!(no.is_err(), "what is not on record does not leave");
}

async fn on_record(runtime: &TestRuntime) -> i64 {
    seen(runtime, &Scope::ALL, Filter { category: Some("access-record".to_owned()), ..Filter::default() })
        .await
        .count
}

#[tokio::test]
async fn what_one_person_is_shown_is_bounded_and_all_of_it_is_on_record() {
    let runtime = TestRuntime::new().await;
    let audit_sink = audit(&runtime).audit_sink();
    let unmask = |target: &str| Disclosed::Unmask { what: "operator".to_owned(), target: target.to_owned() };
    let (mut shown, mut refused) = (0, 0);
    for number in 0..300 {
        match audit_sink.disclosed(&runtime.by_wang(), unmask(&format!("person-{number}"))).await {
            Ok(_) => shown += 1,
            Err(wire::Refused::TooMany) => refused += 1,
            Err(other) => panic!("{other}"),
        }
    }
    assert!((60..100).contains(&shown) && refused >= 200, "{shown} shown, {refused} refused");
    assert_eq!(on_record(&runtime).await, shown, "what is shown is recorded");
    // What is on record already is shown again, and leaves no other record.
    for _ in 0..50 {
        audit_sink.disclosed(&runtime.by_wang(), unmask("person-3")).await.unwrap();
    }
    assert_eq!(on_record(&runtime).await, shown);
}

#[tokio::test]
async fn the_same_shown_again_is_one_record_for_some_minutes() {
    let runtime = TestRuntime::new().await;
    let audit_sink = audit(&runtime).audit_sink();
    let export = |rows| Disclosed::Export { what: "role".to_owned(), filter: None, rows: Some(rows) };
    let first = audit_sink.disclosed(&runtime.by_wang(), export(3)).await.unwrap();
    let again = audit_sink.disclosed(&runtime.by_wang(), export(3)).await.unwrap();
    assert_eq!((again.position, on_record(&runtime).await), (first.position, 1));
    audit_sink.disclosed(&runtime.by_wang(), export(4)).await.unwrap();
    assert_eq!(on_record(&runtime).await, 2, "another file");
    let later = CommandContext { now: runtime.by_wang().now.plus_millis(5 * 60_000), ..runtime.by_wang() };
    audit_sink.disclosed(&later, export(3)).await.unwrap();
    assert_eq!(on_record(&runtime).await, 3, "some minutes later");
}
