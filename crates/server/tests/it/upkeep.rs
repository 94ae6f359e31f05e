//! What the command line finds and mends: verify, rebuild, doctor, retry.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use serde_json::json;
use sqlx::{AssertSqlSafe, PgPool};

use crate::city::City;
use crate::client::{Browser, Machine};
use crate::stack::{ADMIN, METRICS_TOKEN, Stack, eventually, said};
use crate::stream;

/// A change of the log by hand, as its owner could make it.
async fn tamper(owner: &PgPool, sql: &str) {
    let mut tx = owner.begin().await.unwrap();
    sqlx::raw_sql("set local wheelhouse.maintenance = 'on'").execute(&mut *tx).await.unwrap();
    sqlx::raw_sql(AssertSqlSafe(sql.to_owned())).execute(&mut *tx).await.unwrap();
    tx.commit().await.unwrap();
}

/// What `verify` finds wrong, line by line; it must fail when it finds something and only then.
async fn found(stack: &Stack) -> Vec<String> {
    let output = stack.task(&["verify"]).await;
    let text = said(&output);
    let wrong: Vec<String> =
        text.lines().filter_map(|line| line.strip_prefix("WRONG  ")).map(str::to_owned).collect();
    assert_eq!(output.status.success(), wrong.is_empty(), "{text}");
    wrong
}

#[tokio::test(flavor = "multi_thread")]
async fn verify_names_what_was_changed_removed_or_inserted() {
    let (stack, node) = Stack::serving().await;
    let machine = Machine::new(&node.url, &stack.full_machine().await);
    City::build(&machine, "V", 1, 20).await;
    let owner = stack.owner().await;
    let head = stream::settled(&owner).await;
    assert!(head > 60, "{head}");
    // Without the word even the owner is refused.
    let slip = sqlx::query("update log.events set data = data where position = 1").execute(&owner).await;
    assert!(slip.unwrap_err().to_string().contains("append-only"));
    let (status, took) = node.terminate().await;
    assert!(status.success() && took < Duration::from_secs(30), "{status} after {took:?}");
    assert_eq!(found(&stack).await, [""; 0]);

    // One byte.
    let before: String = sqlx::query_scalar("select data from log.events where position = 17")
        .fetch_one(&owner)
        .await
        .unwrap();
    let one_byte =
        "update log.events set data = overlay(data placing chr(ascii(substr(data, 3, 1)) # 1) from 3 for 1)
        where position = 17";
    tamper(&owner, one_byte).await;
    let after: String = sqlx::query_scalar("select data from log.events where position = 17")
        .fetch_one(&owner)
        .await
        .unwrap();
    let differing = before.bytes().zip(after.bytes()).filter(|(a, b)| a != b).count();
    assert_eq!((before.len(), differing), (after.len(), 1));
    assert_eq!(found(&stack).await, ["位置 17 的事件被改动、插入或替换"]);
    tamper(&owner, one_byte).await;
    assert_eq!(found(&stack).await, [""; 0], "put back");

    // One row gone, then put back.
    tamper(&owner, "create table public.kept as select * from log.events where position = 23").await;
    tamper(&owner, "delete from log.events where position = 23").await;
    assert_eq!(found(&stack).await, ["位置 23 到 23 的事件被删除"]);
    tamper(&owner, "insert into log.events select * from public.kept").await;
    assert_eq!(found(&stack).await, [""; 0], "put back");

    // One row more, in the middle with all later ones moved up, and one behind the end.
    let insert_at = |position: i64| {
        format!(
            "insert into log.events select {position}, category, 'intruder-{position}', 1, type, schema_version, data,
             meta, recorded_at, chain from log.events where position = 30"
        )
    };
    tamper(&owner, &insert_at(head + 1)).await;
    assert_eq!(found(&stack).await, [format!("位置 {} 的事件被改动、插入或替换", head + 1)]);
    tamper(&owner, &format!("delete from log.events where position = {}", head + 1)).await;
    let moved_up = format!(
        "update log.events set position = -position where position >= 31;
         update log.events set position = 1 - position where position < 0;
         {};",
        insert_at(31)
    );
    tamper(&owner, &moved_up).await;
    let wrong = found(&stack).await;
    assert!(wrong.contains(&"位置 31 的事件被改动、插入或替换".to_owned()), "{wrong:?}");
    assert!(wrong.iter().all(|line| !line.contains("位置 30 ")), "{wrong:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rebuild_changes_no_byte_while_reads_go_on_and_a_parked_stream_is_shown_and_mended() {
    let (stack, node) = Stack::serving().await;
    let machine = Machine::new(&node.url, &stack.full_machine().await);
    let city = City::build(&machine, "R", 1, 300).await;
    let browser = Arc::new(Browser::signed_in(&node.url, ADMIN).await);
    let owner = stack.owner().await;
    stream::settled(&owner).await;
    let before = stream::fingerprints(&owner).await;
    assert_eq!(before["vehicle"].0, 300);

    let (reading, reads) = (Arc::new(AtomicBool::new(true)), Arc::new(AtomicUsize::new(0)));
    let reader = {
        let (browser, reading, reads) = (Arc::clone(&browser), Arc::clone(&reading), Arc::clone(&reads));
        let car = city.bikes[7].car.clone();
        tokio::spawn(async move {
            while reading.load(Ordering::Relaxed) {
                let shapes = browser.ok("GET", "/fence/map", json!({})).await;
                assert_eq!(shapes["areas"].as_array().unwrap().len(), 1);
                assert_eq!(browser.ok("GET", &format!("/vehicle/{car}"), json!({})).await["carId"], car);
                reads.fetch_add(1, Ordering::Relaxed);
            }
        })
    };
    let rebuilt = stack.told(&["rebuild", "--all"]).await;
    reading.store(false, Ordering::Relaxed);
    reader.await.expect("every read was answered");
    assert!(reads.load(Ordering::Relaxed) > 0);
    for name in ["role", "operator", "agent", "area", "fence", "vehicle", "device", "device-command"] {
        assert!(rebuilt.contains(&format!("{name}: to position")), "{rebuilt}");
    }
    assert_eq!(stream::fingerprints(&owner).await, before);

    // A row of a read model is lost by somebody's hand: its stream can no longer be followed.
    let (lost, other) = (&city.bikes[0].car, &city.bikes[1].car);
    sqlx::raw_sql(AssertSqlSafe(format!(
        "create table public.kept as select * from read.vehicle where car_id = '{lost}';
         delete from read.vehicle where car_id = '{lost}'"
    )))
    .execute(&owner)
    .await
    .unwrap();
    for car in [lost, other] {
        let body = json!({"action": "start", "kind": "swap", "workerId": "worker-1"});
        machine.ok(&format!("/open/v1/vehicles/{car}/work"), &body).await;
    }
    stream::settled(&owner).await;
    let riding = async |car: &str| -> Option<i16> {
        let sql = "select riding_state from read.vehicle where car_id = $1";
        sqlx::query_scalar(sql).bind(car).fetch_optional(&owner).await.unwrap()
    };
    assert_eq!(riding(lost).await, None);
    assert!(riding(other).await.is_some_and(|state| state != 1), "the others go on");
    let doctor = stack.task(&["doctor"]).await;
    let told = said(&doctor);
    assert!(!doctor.status.success(), "{told}");
    assert!(told.contains(&format!("projector:vehicle parked vehicle/{lost}")), "{told}");
    assert!(told.contains("a bike changed before it was registered"), "{told}");
    assert!(told.contains(&format!("wheelhouse retry vehicle vehicle/{lost}")), "{told}");
    let token = format!("Bearer {METRICS_TOKEN}");
    let known = [("authorization", token.as_str())];
    let healthz = crate::client::plain(&node.url, "GET", "/healthz", &known, None).await.unwrap().body;
    assert_eq!(healthz["status"], "degraded", "{healthz}");

    let stream_name = format!("vehicle/{lost}");
    let still = stack.task(&["retry", "vehicle", &stream_name]).await;
    assert!(!still.status.success(), "the cause is not mended yet: {}", said(&still));
    sqlx::raw_sql("insert into read.vehicle select * from public.kept").execute(&owner).await.unwrap();
    stack.told(&["retry", "vehicle", &stream_name]).await;
    assert_eq!(riding(lost).await, riding(other).await);
    let told = stack.told(&["doctor"]).await;
    assert!(told.contains("Nothing to mend."), "{told}");
    let told = said(&stack.task_with(&["doctor"], &[("DATABASE_CONNECTIONS", "1000")]).await);
    assert!(told.contains("a node may hold 1000 connections, and PostgreSQL takes "), "{told}");
    let healthy = eventually("healthy again", Duration::from_mins(1), async || {
        let body = crate::client::plain(&node.url, "GET", "/healthz", &known, None).await.ok()?.body;
        (body["status"] == "ok").then_some(body)
    })
    .await;
    assert!(healthy["details"]["projections"].as_array().unwrap().iter().all(|one| one["parked"] == 0));

    // And a rebuild says the same as the mended rows.
    let before = stream::fingerprints(&owner).await;
    stack.told(&["rebuild", "vehicle"]).await;
    assert_eq!(stream::fingerprints(&owner).await, before);
}
