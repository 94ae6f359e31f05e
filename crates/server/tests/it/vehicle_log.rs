//! A bike's life is found in its log: what riders, field workers, the back-office and its device did, for whoever it belongs to.

use std::time::Duration;

use serde_json::{Value, json};
use sqlx::PgPool;
use vocabulary::{Clock, SystemClock};

use crate::city::City;
use crate::client::{Browser, Machine};
use crate::exports::{file, lines, recorded};
use crate::rider::Rider;
use crate::stack::{ADMIN, Stack, eventually};
use crate::stream;

const LOG: &str = "/log/vehicle";
const DAY_MS: i64 = 86_400_000;
const PATIENCE: Duration = Duration::from_mins(1);

/// `asked` of so many days until tomorrow.
fn within(days: i64, mut asked: Value) -> Value {
    let now = SystemClock.now().millis();
    asked["startTime"] = json!((now - (days - 1) * DAY_MS).to_string());
    asked["endTime"] = json!((now + DAY_MS).to_string());
    asked["pageSize"] = json!("200");
    asked
}

/// The last day of it, oldest first.
async fn told(browser: &Browser, asked: Value) -> Vec<Value> {
    let page = browser.ok("GET", LOG, within(2, asked)).await;
    let mut rows = page["rows"].as_array().expect("rows").clone();
    rows.reverse();
    rows
}

fn events(rows: &[Value]) -> Vec<i64> {
    rows.iter().map(|row| row["event"].as_i64().expect("an event")).collect()
}

/// Both tables as they stand.
async fn standing(owner: &PgPool) -> (String, String) {
    sqlx::query_as(
        "select (select md5(string_agg(l::text, '|' order by l.position)) from read.vehicle_log l),
             (select md5(string_agg(t::text, '|' order by t.key)) from read.vehicle_log_thread t)",
    )
    .fetch_one(owner)
    .await
    .unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn route_039_a_bikes_life_is_told_from_its_registration_to_the_fare_of_its_ride() {
    let (stack, node) = Stack::serving().await;
    let machine = Machine::new(&node.url, &stack.full_machine().await);
    let city = City::build(&machine, "V", 1, 2).await;
    let other = City::build(&machine, "W", 2, 1).await;
    let admin = Browser::signed_in(&node.url, ADMIN).await;
    let mut bikes = city.on_line(&stack, &machine, (city.lat, city.lng)).await;
    let (bike, worked) = (city.bikes[0].clone(), city.bikes[1].clone());

    // A ride with a pause, that its rider ends in a no-stop zone.
    let rider = Rider::come(&machine, &city.area, "vera").await;
    let ride = rider.ride_off(&machine, &bike, &mut bikes[0]).await;
    ride.post(&machine, "lock").await.data();
    ride.post(&machine, "resume").await.data();
    bikes[0].report(&bike.imei, city.lat, city.lng, 87, true).await;
    ride.post(&machine, "return").await.data();
    let order = ride.order(&machine).await;
    let modified = json!({"orderId": ride.order, "payCents": 0, "reason": "客服减免"});
    admin.ok("POST", "/order/modify", modified).await;
    // Field work, and a command of the back-office that nobody answers in time.
    for action in ["start", "finish"] {
        let body = json!({"action": action, "kind": "swap", "workerId": "13812348888"});
        machine.ok(&format!("/open/v1/vehicles/{}/work", worked.car), &body).await;
    }
    let bell = json!({"carId": worked.car, "command": "ring"});
    admin.ok("POST", "/device/command", bell).await;

    let life = told(&admin, json!({"carId": bike.car})).await;
    let of_order: Vec<Value> =
        life.iter().filter(|row| row["orderId"] == ride.order.as_str()).cloned().collect();
    let life = events(&life);
    assert_eq!(life[..4], [101, 102, 201, 202], "{life:?}");
    // The bike's own region and its order tell of each step; the lock answers between request and beginning.
    assert_eq!(events(&of_order)[..5], [301, 602, 801, 802, 603], "{of_order:?}");
    let told_by = events(&of_order);
    for event in [604, 605, 606, 701, 702] {
        assert!(told_by.contains(&event), "{event} of {told_by:?}");
    }
    let of = |event: i64| of_order.iter().find(|row| row["event"] == event).expect("an event");
    let masked = format!("{}****{}", &rider.phone[..3], &rider.phone[7..]);
    assert_eq!((&of(602)["actorKind"], &of(602)["actorName"]), (&json!(1), &json!(masked)));
    assert_eq!((&of(801)["actorKind"], &of(801)["actorName"]), (&json!(1), &json!(masked)));
    assert_eq!((&of(802)["actorKind"], &of(802)["actorName"]), (&json!(5), &json!(bike.imei)));
    assert_eq!(of(603)["changes"], json!([{"field": "订单状态", "from": "开锁中", "to": "骑行中"}]));
    assert_eq!(of(301)["changes"], json!([{"field": "骑行状态", "from": "待使用", "to": "骑行中"}]));
    assert_eq!((&of(702)["actorKind"], &of(702)["content"]), (&json!(3), &json!("客服减免")));
    let yuan = format!("{:.2} 元", order["payCents"].as_f64().unwrap() / 100.0);
    assert_eq!(of(702)["changes"][0], json!({"field": "应付金额", "from": yuan, "to": "0.00 元"}));
    assert!(!of(602).to_string().contains(&rider.phone), "{}", of(602));

    // What followed from the request has its trace, though lock and rule named none.
    let trace = of(602)["traceId"].as_str().expect("a trace").to_owned();
    assert!(!trace.is_empty());
    assert_eq!(events(&told(&admin, json!({"traceId": trace})).await), [301, 602, 801, 802, 603]);
    let by_order = told(&admin, json!({"orderId": ride.order})).await;
    assert_eq!(by_order, of_order);
    let by_device = told(&admin, json!({"carId": bike.imei, "group": "7"})).await;
    assert_eq!(events(&by_device), [701, 702]);
    assert_eq!(
        told(&admin, json!({"carId": bike.imei, "group": "7", "events": "602"})).await,
        [Value::Null; 0]
    );
    assert_eq!(events(&told(&admin, json!({"carId": bike.car, "events": "602,606"})).await), [602, 606]);
    let one = admin.ok("GET", &format!("{LOG}/{}", of(602)["id"].as_str().unwrap()), json!({})).await;
    assert_eq!(&one, of(602));

    let work = told(&admin, json!({"carId": worked.car, "actorKind": "2"})).await;
    assert_eq!(events(&work), [301, 401, 402, 301]);
    assert!(work.iter().all(|row| row["actorName"] == "138****8888"), "{work:?}");
    eventually("the command is given up", PATIENCE, async || {
        let commands = events(&told(&admin, json!({"carId": worked.car, "group": "8"})).await);
        (commands == [801, 804]).then_some(())
    })
    .await;

    // Another agent's people see nothing of it, by whatever they ask.
    let role = admin.new_role("日志", &["1402".to_owned()]).await;
    admin.new_operator("13700000041", &[&role], &other.agent).await;
    let stranger = Browser::signed_in(&node.url, "13700000041").await;
    for asked in [json!({"carId": bike.car}), json!({"traceId": trace}), json!({"orderId": ride.order})] {
        assert_eq!(told(&stranger, asked).await.len(), 0);
    }
    let own = told(&stranger, json!({})).await;
    assert!(own.iter().all(|row| row["carId"] == other.bikes[0].car.as_str()) && own.len() == 4, "{own:?}");
    let hidden = stranger.call("GET", &format!("{LOG}/{}", of(602)["id"].as_str().unwrap()), json!({})).await;
    assert_eq!(hidden.code(), "not-found");

    // A month at a time, also as a file.
    let long = admin.call("GET", LOG, within(32, json!({}))).await;
    assert_eq!(long.code(), "log-span", "{}", long.body);
    assert_eq!(admin.call("GET", LOG, json!({})).await.code(), "log-span");
    assert_eq!(told(&admin, json!({"orderId": "没有这样的订单"})).await.len(), 0);
    assert_eq!(admin.call("GET", LOG, within(2, json!({"events": "602,999"}))).await.code(), "malformed");
    assert_eq!(file(&admin, LOG, &format!("carId={}", bike.car)).await.code(), "log-span");
    let asked = within(2, json!({}));
    let query = format!(
        "startTime={}&endTime={}&carId={}&events=606",
        asked["startTime"].as_str().unwrap(),
        asked["endTime"].as_str().unwrap(),
        bike.car
    );
    let taken = lines(&file(&admin, LOG, &query).await);
    assert_eq!(taken.len(), 2, "{taken:?}");
    assert!(
        taken[0].starts_with("时间,车辆编号,事件,内容,变化,操作主体,操作人") && taken[1].contains("还车")
    );
    assert_eq!(recorded(&admin, "vehicle-log").await.1, 1);

    let owner = stack.owner().await;
    stream::settled(&owner).await;
    let before = standing(&owner).await;
    stack.told(&["rebuild", "vehicle_log"]).await;
    assert_eq!(standing(&owner).await, before, "the log alone makes it");
}
