//! A person reminds who owes: his message leaves once, lists and the rider's program tell of it, and he rides no more until
//! he has paid.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Json;
use axum::routing::post;
use riding::model::reminder::is_night;
use serde_json::{Value, json};
use vocabulary::{Clock, SystemClock};

use crate::city::City;
use crate::client::{Browser, Machine};
use crate::rider::Rider;
use crate::stack::{ADMIN, Stack, eventually};

const REMIND: &str = "/order/remind";

/// An SMS provider that takes everything, and what it took.
async fn provider() -> (String, Arc<Mutex<Vec<Value>>>) {
    let taken: Arc<Mutex<Vec<Value>>> = Arc::default();
    let keeps = Arc::clone(&taken);
    let take = move |Json(body): Json<Value>| {
        keeps.lock().unwrap().push(body);
        async { "ok" }
    };
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/sms", listener.local_addr().unwrap());
    let router = axum::Router::new().route("/sms", post(take));
    tokio::spawn(async move { axum::serve(listener, router).await });
    (url, taken)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_person_reminds_who_owes_once_an_hour_and_his_next_unlock_is_still_refused() {
    let (url, taken) = provider().await;
    let stack = Stack::start().await;
    let node = stack.node_with(None, &[("SMS_ADAPTER", "http"), ("SMS_GATEWAY_URL", &url)]);
    stack.know_the_administrator().await;
    let machine = Machine::new(&node.url, &stack.full_machine().await);
    let city = City::build(&machine, "E", 1, 1).await;
    let mut lines = city.on_line(&stack, &machine, (city.lat, city.lng)).await;
    let admin = Browser::signed_in(&node.url, ADMIN).await;
    let rules = json!({"paidByBalance": true, "arrearsByBalance": true, "spendFirst": 1, "unpaidReminded": true,
        "remindIntervalH": 24, "remindersMax": 3, "remindWay": 1});
    let body = json!({"opAreaId": city.area, "version": 0, "content": rules});
    admin.ok("PUT", "/config/area/pay", body).await;
    admin.ok("POST", "/config/area/publish", json!({"kind": 4, "opAreaId": city.area, "version": 1})).await;

    let rider = Rider::come(&machine, &city.area, "debtor").await;
    let ride = rider.ride_off(&machine, &city.bikes[0], &mut lines[0]).await;
    let body = json!({ "orderId": ride.order });
    assert_eq!(admin.call("POST", REMIND, body.clone()).await.code(), "order-not-now", "he rides");
    // Where it stands a fee is due.
    lines[0].report(&city.bikes[0].imei, city.lat, city.lng, 87, true).await;
    ride.post(&machine, "return").await.data();
    let owed = ride.order(&machine).await["owedCents"].as_i64().unwrap();
    assert!(owed > 0);
    let texts = || -> Vec<Value> {
        taken.lock().unwrap().iter().filter(|one| one["text"].is_string()).cloned().collect()
    };

    let other = City::build(&machine, "F", 3, 0).await;
    let role = admin.new_role("他方客服", &["07", "1601"].map(str::to_owned)).await;
    admin.new_operator("13700000074", &[&role], &other.agent).await;
    let stranger = Browser::signed_in(&node.url, "13700000074").await;
    assert_eq!(stranger.call("POST", REMIND, body.clone()).await.code(), "not-found");

    // At night nobody is reminded, and the page says why.
    let (night, path) = (is_night(SystemClock.now()), format!("/order/{}", ride.order));
    let info = admin.ok("GET", &path, json!({})).await;
    assert_eq!(info["actions"]["remind"].is_null(), !night, "{info}");
    if night {
        assert_eq!(admin.call("POST", REMIND, body).await.code(), "order-reminded-by-night");
        assert!(texts().is_empty());
        return;
    }
    let version = json!({"orderId": ride.order, "version": info["version"]});
    let done = admin.ok("POST", REMIND, version).await;
    assert_eq!((&done["way"], &done["sent"]), (&json!(1), &json!(true)), "{done}");
    assert_eq!(admin.call("POST", REMIND, body).await.code(), "order-reminded-lately");
    let sent = texts();
    assert_eq!((sent.len(), &sent[0]["phone"]), (1, &json!(rider.phone)), "{sent:?}");
    let yuan = format!("{}.{:02} 元", owed / 100, owed % 100);
    assert!(sent[0]["text"].as_str().unwrap().contains(&yuan), "{sent:?}");

    // Lists, the page and the rider's program tell of it.
    let row = eventually("the list shows it", Duration::from_mins(1), async || {
        let page = admin.ok("GET", "/order/list", json!({"keyword": ride.order})).await;
        (page["rows"][0]["reminders"] == 1).then(|| page["rows"][0].clone())
    })
    .await;
    assert!(row["remindedAt"].as_i64() > row["endAt"].as_i64(), "{row}");
    let info = admin.ok("GET", &path, json!({})).await;
    assert!(info["actions"]["remind"].as_str().unwrap().contains("一小时"), "{info}");
    let path = format!("/open/v1/rider/arrears?userId={}", rider.id);
    let told = machine.get(&path).await.data();
    assert_eq!((&told["owedCents"], told["rows"].as_array().unwrap().len()), (&json!(owed), 1), "{told}");
    let first = &told["rows"][0];
    assert_eq!((&first["orderId"], &first["reminders"]), (&json!(ride.order), &json!(1)), "{told}");
    assert_eq!((&first["remindWay"], &first["remindedAt"]), (&json!(1), &row["remindedAt"]));
    let log = admin.ok("GET", "/platform/aliyunlog/userlogs", json!({"pageSize": "50"})).await.to_string();
    assert!(log.contains("催缴欠款"), "{log}");
    assert_eq!(rider.unlock(&machine, &city.bikes[0].car).await.code(), "rider-owing");
}
