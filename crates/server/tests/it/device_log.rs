//! What a device was told, answered and reported, and when it was away, is found in its log by whoever its bike belongs to.

use std::time::Duration;

use serde_json::{Value, json};
use sqlx::PgPool;
use vocabulary::{Clock, SystemClock};

use crate::city::City;
use crate::client::{Browser, Machine};
use crate::exports::{file, lines, recorded};
use crate::stack::{ADMIN, Stack, eventually};

const LOG: &str = "/log/device";
const MINUTE_MS: i64 = 60_000;
const DAY_MS: i64 = 1_440 * MINUTE_MS;
const PATIENCE: Duration = Duration::from_mins(1);

fn within(days: i64, mut asked: Value) -> Value {
    let now = SystemClock.now().millis();
    asked["startTime"] = json!((now - days * DAY_MS + 1_000).to_string());
    asked["endTime"] = json!(now.to_string());
    asked
}

async fn page(browser: &Browser, asked: Value) -> Value {
    browser.ok("GET", LOG, within(1, asked)).await
}

async fn told(browser: &Browser, mut asked: Value) -> Vec<Value> {
    asked["pageSize"] = json!("200");
    page(browser, asked).await["rows"].as_array().expect("rows").clone()
}

fn kinds(rows: &[Value]) -> Vec<i64> {
    rows.iter().map(|row| row["kind"].as_i64().expect("a kind")).collect()
}

fn ids(rows: &[Value]) -> Vec<&str> {
    rows.iter().map(|row| row["id"].as_str().expect("an id")).collect()
}

/// Reports so many minutes ago, the last ones of a device that was away twice.
async fn reported(owner: &PgPool, car: &str, minutes_ago: &[(i64, bool)], now_ms: i64) {
    for (minutes, with_fix) in minutes_ago {
        sqlx::query(
            "insert into live.telemetry (at, vehicle, lat_e7, lng_e7, flags, voltage_mv, soc, speed, heading, hdop, satellites, gsm)
             select to_timestamp($2 / 1000.0), vehicle, case when $3 then 246000000 end, case when $3 then 1181000000 end,
                 9, 52100, 87, 0, 45, 9, 11, 22 from live.vehicle where car_id = $1",
        )
        .bind(car)
        .bind(now_ms - minutes * MINUTE_MS)
        .bind(with_fix)
        .execute(owner)
        .await
        .unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn route_040_a_devices_talk_is_told_by_time_and_to_its_owners_alone() {
    let (stack, node) = Stack::serving().await;
    let machine = Machine::new(&node.url, &stack.full_machine().await);
    let city = City::build(&machine, "D", 1, 1).await;
    let other = City::build(&machine, "E", 2, 1).await;
    let admin = Browser::signed_in(&node.url, ADMIN).await;
    let mut devices = city.on_line(&stack, &machine, (city.lat, city.lng)).await;
    let bike = city.bikes[0].clone();

    // Without a bike there is nothing, and neither is there of one that nobody has.
    assert_eq!(page(&admin, json!({})).await["count"], 0);
    assert_eq!(page(&admin, json!({"carId": "没有这辆车"})).await["count"], 0);

    // A command that is answered, and one whose answer comes too late.
    let tell = async |command: &str| {
        let body = json!({"carId": bike.car, "command": command});
        admin.ok("POST", "/device/command", body).await["commandId"].as_str().expect("an id").to_owned()
    };
    let answered = tell("ring").await;
    while devices[0].next_command().await.1["id"] != answered.as_str() {}
    devices[0].answer(&bike.imei, &answered, 132).await;
    let late = tell("reboot").await;
    let commands = async |so: fn(&[Value]) -> bool| {
        eventually("the commands end", PATIENCE, async || {
            let rows = told(&admin, json!({"carId": bike.car, "kinds": "1"})).await;
            so(&rows).then_some(rows)
        })
        .await
    };
    commands(|rows| rows[0]["command"]["state"] == 4).await;
    devices[0].answer(&bike.imei, &late, 0).await;
    let rows = commands(|rows| rows[0]["command"]["late"] == true).await;
    assert_eq!(ids(&rows), [format!("c-{late}"), format!("c-{answered}")]);
    assert_eq!(rows[0]["content"], "重启：超时，迟到应答，应答代码 0");
    let of = &rows[1]["command"];
    assert_eq!(
        (&of["kind"], &of["state"], &of["resultCode"], &of["channel"]),
        (&json!(10), &json!(3), &json!(132), &json!(1))
    );
    assert!(
        of["requestedAt"].as_i64() <= of["sentAt"].as_i64() && of["sentAt"].as_i64() <= of["ackAt"].as_i64()
    );

    // Reports of an hour ago, between which the device was away: it went five minutes after the last of them.
    let owner = stack.owner().await;
    let now_ms = SystemClock.now().millis();
    reported(&owner, &bike.car, &[(90, true), (87, true), (84, false), (60, true), (58, true)], now_ms).await;
    let contacts = told(&admin, json!({"carId": bike.imei, "kinds": "2"})).await;
    let told_as: Vec<(bool, i64)> = contacts
        .iter()
        .map(|row| (row["contact"]["online"] == true, (now_ms - row["at"].as_i64().unwrap()) / MINUTE_MS))
        .collect();
    assert_eq!(told_as[1..], [(false, 53), (true, 60), (false, 79), (true, 90)], "{contacts:?}");
    assert!(told_as[0].0, "it is back: {contacts:?}");
    assert_eq!(contacts[2]["content"], "上线：此前 24 分钟 没有上报");
    let blind = told(&admin, json!({"carId": bike.car, "kinds": "4"})).await;
    assert_eq!((blind.len(), &blind[0]["report"]["lat"]), (1, &Value::Null));
    assert_eq!(blind[0]["report"]["flags"], json!([0, 3]));

    // All of it, page by page: each line once, newest first, and each found again by its id.
    let whole = told(&admin, json!({"carId": bike.car})).await;
    assert!(whole.is_sorted_by(|one, next| one["at"].as_i64() >= next["at"].as_i64()), "{whole:?}");
    for kind in 1..=4 {
        assert!(kinds(&whole).contains(&kind), "{kind} in {:?}", kinds(&whole));
    }
    let mut walked: Vec<Value> = Vec::new();
    let mut after = json!({"carId": bike.car, "pageSize": "3", "endTime": ""});
    let upto = whole[0]["at"].as_i64().unwrap();
    let span = json!({"startTime": (now_ms - DAY_MS / 2).to_string(), "endTime": upto.to_string()});
    loop {
        after["startTime"] = span["startTime"].clone();
        after["endTime"] = span["endTime"].clone();
        let part = admin.ok("GET", LOG, after.clone()).await;
        walked.extend(part["rows"].as_array().unwrap().iter().cloned());
        let Some(place) = part["place"].as_str() else { break };
        after["after"] = json!(place);
    }
    assert_eq!(ids(&walked), ids(&whole));
    let numbered = json!({"carId": bike.car, "pageSize": "3", "page": "2", "startTime": span["startTime"], "endTime": span["endTime"]});
    let second = admin.ok("GET", LOG, numbered).await;
    assert_eq!(
        (ids(second["rows"].as_array().unwrap()), &second["count"]),
        (ids(&whole[3..6]), &json!(whole.len()))
    );
    for row in [&whole[0], &rows[0], &contacts[2], &blind[0]] {
        let one = admin.ok("GET", &format!("{LOG}/{}", row["id"].as_str().unwrap()), json!({})).await;
        assert_eq!(&one, row);
    }

    // Another agent's people get nothing, by the bike, by its device or by a line's id.
    let role = admin.new_role("设备", &["1403".to_owned()]).await;
    admin.new_operator("13700000042", &[&role], &other.agent).await;
    let stranger = Browser::signed_in(&node.url, "13700000042").await;
    for asked in [json!({"carId": bike.car}), json!({"imei": bike.imei})] {
        assert_eq!(told(&stranger, asked).await.len(), 0);
    }
    for row in [&rows[0], &contacts[2], &blind[0]] {
        let hidden = stranger.call("GET", &format!("{LOG}/{}", row["id"].as_str().unwrap()), json!({})).await;
        assert_eq!(hidden.code(), "not-found", "{}", hidden.body);
    }

    let long = admin.call("GET", LOG, within(32, json!({"carId": bike.car}))).await;
    assert_eq!(long.code(), "log-span", "{}", long.body);
    let asked = within(1, json!({}));
    let span = format!(
        "startTime={}&endTime={}",
        asked["startTime"].as_str().unwrap(),
        asked["endTime"].as_str().unwrap()
    );
    let taken = lines(&file(&admin, LOG, &format!("{span}&carId={}&kinds=1", bike.car)).await);
    assert_eq!(taken.len(), 3, "{taken:?}");
    assert!(taken[0].starts_with("时间,类型,内容,通道,指令状态,应答代码"), "{}", taken[0]);
    assert_eq!(
        lines(&file(&stranger, LOG, &format!("{span}&carId={}", bike.car)).await).len(),
        1,
        "its head alone"
    );
    assert_eq!(recorded(&admin, "device-log").await.1, 2);
}
