//! What the operation map asks beside the live fleet: many devices told at once, and why bikes cannot be rented.

use std::time::Duration;

use serde_json::{Value, json};

use crate::bike::Bike;
use crate::city::City;
use crate::client::{Browser, Machine};
use crate::stack::{ADMIN, Stack, eventually};

const HOUR_MS: i64 = 3_600_000;

#[tokio::test(flavor = "multi_thread")]
async fn many_devices_are_told_at_once_each_answered_within_ones_scope_and_once() {
    let (stack, node) = Stack::serving().await;
    let machine = Machine::new(&node.url, &stack.full_machine().await);
    City::build(&machine, "A", 1, 1).await;
    let own = City::build(&machine, "B", 2, 2).await;
    let admin = Browser::signed_in(&node.url, ADMIN).await;
    let role = admin.new_role("指令", &["0305".to_owned()]).await;
    admin.new_operator("13700000011", &[&role], &own.agent).await;
    let operator = Browser::signed_in(&node.url, "13700000011").await;

    let asked = json!({"carIds": ["B00000", "A00000", "B00001", "nobody"], "kind": 10});
    let mut answers = Vec::new();
    for _ in 0..2 {
        let reply = operator.keyed_call("/device/command/batch", &asked, "ring-them").await.unwrap();
        answers.push(reply.data()["results"].clone());
    }
    let fates = |results: &Value| -> Vec<(String, bool)> {
        let results = results.as_array().expect("results");
        results.iter().map(|one| (one["key"].as_str().unwrap().to_owned(), one["suc"] == true)).collect()
    };
    let expected = [("B00000", true), ("A00000", false), ("B00001", true), ("nobody", false)];
    for results in &answers {
        assert_eq!(fates(results), expected.map(|(key, done)| (key.to_owned(), done)));
    }
    assert_eq!(answers[0][1]["error"]["promot"], "记录不存在，或不在您的数据范围内");
    // Asked twice under one key, told once.
    let owner = stack.owner().await;
    let told: i64 = eventually("commands are listed", Duration::from_secs(20), async || {
        let count =
            sqlx::query_scalar("select count(*) from read.device_command").fetch_one(&owner).await.unwrap();
        (count > 1).then_some(count)
    })
    .await;
    assert_eq!(told, 2);

    // A city's office sees the bike, and not who told it what.
    let office = admin.new_role("监管", &["030601".to_owned()]).await;
    admin.new_operator("13700000013", &[&office], &own.agent).await;
    let office = Browser::signed_in(&node.url, "13700000013").await;
    let of_keepers = operator.ok("GET", "/vehicle/B00000", json!({})).await;
    assert_eq!(of_keepers["command"]["kind"], 10);
    let of_office = office.ok("GET", "/vehicle/B00000", json!({})).await;
    assert_eq!((&of_office["carId"], &of_office["command"]), (&json!("B00000"), &Value::Null));
    assert_eq!(office.call("GET", "/vehicle/B00000/commands", json!({})).await.status, 403);
    let counted = office.ok("GET", "/vehicle/map/areas", json!({})).await;
    let areas = counted["areas"].as_array().expect("areas");
    assert_eq!(areas.len(), 1, "of his agent alone: {counted}");
    assert_eq!((&areas[0]["areaId"], &areas[0]["shelved"]), (&json!(own.area), &json!(2)));

    let many: Vec<String> = (0..5001).map(|number| format!("B{number:05}")).collect();
    let refused = operator.call("POST", "/device/command/batch", json!({"carIds": many, "kind": 10})).await;
    assert_eq!(refused.code(), "too-many");
    // Power takes a reason.
    let unreasoned = operator
        .ok("POST", "/device/command/batch", json!({"carIds": ["B00000", "B00001"], "kind": 6}))
        .await;
    assert_eq!(unreasoned["results"][0]["suc"], false);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_board_tells_why_bikes_cannot_be_rented_for_how_long_and_what_that_costs() {
    let (stack, node) = Stack::serving().await;
    let machine = Machine::new(&node.url, &stack.full_machine().await);
    City::build(&machine, "A", 1, 3).await;
    let own = City::build(&machine, "B", 2, 2).await;
    let admin = Browser::signed_in(&node.url, ADMIN).await;
    let role = admin.new_role("地图", &["0301".to_owned()]).await;
    admin.new_operator("13700000012", &[&role], &own.agent).await;
    let operator = Browser::signed_in(&node.url, "13700000012").await;

    // Nobody heard of them yet: each is offline and its charge is not known, and counts once.
    let board = eventually("the bikes are in memory", Duration::from_secs(20), async || {
        let board = admin.ok("GET", "/vehicle/blocked", json!({})).await;
        (board["all"]["bikes"] == 5).then_some(board)
    })
    .await;
    let bikes = |board: &Value| -> Vec<(String, i64)> {
        let reasons = board["reasons"].as_array().expect("reasons");
        reasons
            .iter()
            .map(|one| (one["reason"].as_str().unwrap().to_owned(), one["bikes"].as_i64().unwrap()))
            .collect()
    };
    assert_eq!(bikes(&board), [("offline".to_owned(), 5), ("soc-unknown".to_owned(), 5)]);
    assert_eq!((&board["rentable"], &board["worthCentsPerHour"]), (&json!(0), &Value::Null));
    assert_eq!(operator.ok("GET", "/vehicle/blocked", json!({})).await["all"]["bikes"], 2);
    let narrowed = admin.ok("GET", "/vehicle/blocked", json!({"opAreaIds": own.area})).await;
    assert_eq!(narrowed["all"]["bikes"], 2);
    let wrong = admin.call("GET", "/vehicle/blocked", json!({"opAreaIds": "north"})).await;
    assert_eq!((wrong.status, wrong.code()), (400, "malformed"));

    // As if they had been seen for a while: two bikes offline for an hour each, thirty rentable ones, twelve yuan due.
    let owner = stack.owner().await;
    let now: i64 = sqlx::query_scalar("select (extract(epoch from now()) * 1000)::bigint")
        .fetch_one(&owner)
        .await
        .unwrap();
    let hour = now - now.rem_euclid(HOUR_MS);
    let (agent, area): (i64, i64) = (own.agent.parse().unwrap(), own.area.parse().unwrap());
    for (reason, hours) in [("offline", 2), ("blocked", 2), ("rentable", 30)] {
        sqlx::query("insert into report.blocked_hour values ($1, $2, $3, $4, $5)")
            .bind(hour)
            .bind(agent)
            .bind(area)
            .bind(reason)
            .bind(hours * HOUR_MS)
            .execute(&owner)
            .await
            .unwrap();
    }
    sqlx::query(
        "insert into read.revenue_entry (position, day, agent_id, area_id, rider_id, what, is_late, is_of_earlier, at_ms,
            recorded_at_ms, moved_cents, due_cents, received_cents, refund_cents, revenue_cents)
         values (1, $1, $2, $3, 1, 'ride', false, false, $4, $4, 1200, 1200, 0, 0, 0)",
    )
    .bind((now + 8 * HOUR_MS).div_euclid(24 * HOUR_MS))
    .bind(agent)
    .bind(area)
    .bind(now)
    .execute(&owner)
    .await
    .unwrap();
    let board = operator.ok("GET", "/vehicle/blocked", json!({})).await;
    // Twelve yuan in thirty hours of bikes: forty cents an hour for each, for two of them eighty.
    assert_eq!((&board["worthCentsPerHour"], &board["all"]["lostCentsPerHour"]), (&json!(40), &json!(80)));
    let offline = &board["reasons"][0];
    assert_eq!((&offline["reason"], &offline["bikeHoursToday"]), (&json!("offline"), &json!(2.0)));
    // Another agent's hours are his own.
    let other = admin.ok("GET", "/vehicle/blocked", json!({"opAreaIds": "1"})).await;
    assert_eq!((&other["all"]["bikes"], &other["all"]["bikeHoursToday"]), (&json!(0), &json!(0.0)));
}

#[tokio::test(flavor = "multi_thread")]
async fn how_devices_were_on_line_is_counted_by_the_hour_and_told_to_their_owners() {
    const ONLINE: &str = "/vehicle/device/online";
    let (stack, node) = Stack::serving().await;
    let machine = Machine::new(&node.url, &stack.full_machine().await);
    let city = City::build(&machine, "A", 1, 2).await;
    let own = City::build(&machine, "B", 2, 2).await;
    let admin = Browser::signed_in(&node.url, ADMIN).await;
    let role = admin.new_role("设备", &["0305".to_owned()]).await;
    admin.new_operator("13700000013", &[&role], &own.agent).await;
    let operator = Browser::signed_in(&node.url, "13700000013").await;
    for hours in ["0", "745"] {
        assert_eq!(admin.call("GET", ONLINE, json!({ "hours": hours })).await.code(), "malformed");
    }

    // One of the two reports; a look each minute counts both.
    let bike = &city.bikes[0];
    let line = Bike::connect(&stack.nats.mqtt_addr(), &bike.imei, &bike.secret).await;
    let asked = json!({"hours": "24", "opAreaId": city.area});
    let seen = eventually("an hour is counted", Duration::from_mins(3), async || {
        line.report(&bike.imei, city.lat, city.lng, 88, true).await;
        let points = admin.ok("GET", ONLINE, asked.clone()).await["points"].clone();
        points.as_array().unwrap().last().filter(|point| point["onlinePercent"].as_f64() > Some(0.0)).cloned()
    })
    .await;
    assert!(
        seen["onlinePercent"].as_f64() <= Some(50.0) && seen["deviceHours"].as_f64() > Some(0.0),
        "{seen}"
    );

    // Whose they are not sees nothing of them.
    let theirs = operator.ok("GET", ONLINE, asked).await;
    assert_eq!(theirs["points"], json!([]));
    let theirs = operator.ok("GET", ONLINE, json!({"hours": "24"})).await;
    assert_eq!(theirs["points"][0]["onlinePercent"], 0.0, "his own are silent: {theirs}");
}

#[tokio::test(flavor = "multi_thread")]
async fn bikes_that_stand_much_longer_than_those_around_them_are_screened() {
    let (stack, node) = Stack::serving().await;
    let machine = Machine::new(&node.url, &stack.full_machine().await);
    let city = City::build(&machine, "L", 5, 7).await;
    let lines = city.on_line(&stack, &machine, (city.lat, city.lng)).await;
    node.terminate().await;
    // As if one of them had stood for two days, the others for an hour.
    let owner = stack.owner().await;
    sqlx::query(
        "update read.vehicle set idle_since_ms = (extract(epoch from now()) * 1000)::bigint
             - case when car_id = $1 then 49 else 1 end * 3600000",
    )
    .bind(&city.bikes[3].car)
    .execute(&owner)
    .await
    .unwrap();
    let node = stack.node(None);
    let admin = Browser::signed_in(&node.url, ADMIN).await;
    let found = async |lost: bool| -> Vec<String> {
        let page = admin
            .ok("GET", "/vehicle/screening", json!({"keyword": "L", "likelyLost": lost.to_string()}))
            .await;
        page["rows"]
            .as_array()
            .expect("rows")
            .iter()
            .map(|row| row["carId"].as_str().unwrap().to_owned())
            .collect()
    };
    eventually("the one is found", Duration::from_mins(1), async || {
        for (bike, line) in city.bikes.iter().zip(&lines) {
            line.report(&bike.imei, city.lat, city.lng, 88, true).await;
        }
        (found(true).await == [city.bikes[3].car.clone()]).then_some(())
    })
    .await;
    assert_eq!(found(false).await.len(), 6);
}
