//! Ports, endings, and two nodes on one database.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::bike::Bike;
use crate::city::City;
use crate::client::{Browser, Machine};
use crate::screen::Screen;
use crate::stack::{ADMIN, Stack, eventually, said};
use crate::stream;

#[tokio::test(flavor = "multi_thread")]
async fn a_second_node_takes_over_within_seconds_of_the_leaders_death() {
    let (stack, first) = Stack::serving().await;
    let token = stack.full_machine().await;
    let machine = Machine::new(&first.url, &token);
    let city = City::build(&machine, "T", 1, 3).await;
    let owner = stack.owner().await;
    let leader = async || -> Option<String> {
        let sql = "select leader from log.projectors where name = 'vehicle'";
        sqlx::query_scalar(sql).fetch_one(&owner).await.unwrap()
    };
    let before = eventually("the read models are led", Duration::from_mins(1), &leader).await;

    // A taken port is said plainly and ends the start.
    let taken = format!("127.0.0.1:{}", first.port);
    let refused = stack.task_with(&["serve"], &[("WHEELHOUSE_LISTEN", &taken)]).await;
    let words = said(&refused);
    assert!(!refused.status.success() && words.contains("cannot listen on"), "{words}");
    assert!(words.contains(&first.port.to_string()), "{words}");

    let second = stack.node(None);
    let led = shared(&owner).await.len();

    // Who looks through one node sees what happens at the other.
    let browser = Browser::signed_in(&second.url, ADMIN).await;
    let bike = Bike::connect(&stack.nats.mqtt_addr(), &city.bikes[0].imei, &city.bikes[0].secret).await;
    let mut screen = Screen::open(&browser).await;
    screen.look_at(city.lat, city.lng).await;
    screen.watch("read/vehicle").await;
    screen.until("the table is watched", |s| s.texts.iter().any(|t| t["topic"] == "read/vehicle")).await;
    let (lat, lng) = (city.lat + 0.005, city.lng + 0.005);
    bike.report(&city.bikes[0].imei, lat, lng, 55, false).await;
    screen.until("a report, through the second", |s| s.bikes.values().any(|b| b.soc == 55)).await;
    let work = |number: usize| format!("/open/v1/vehicles/{}/work", city.bikes[number].car);
    machine.ok(&work(0), &json!({"action": "start", "kind": "swap", "workerId": "w"})).await;
    let told = |screen: &Screen, car: &str| {
        let of_table = screen.texts.iter().filter(|text| text["topic"] == "read/vehicle");
        of_table
            .into_iter()
            .any(|text| text["data"]["keys"].as_array().is_some_and(|k| k.contains(&json!(car))))
    };
    screen.until("the change, through the second", |s| told(s, &city.bikes[0].car)).await;

    // A session of one node is a session of the other; a box taken by one is taken.
    let at = format!("{}/platform/permission/role", wire::BASE);
    let mut elsewhere = Browser::keyed(&first.url, "x").await;
    elsewhere.session = browser.session.clone();
    elsewhere.token.clone_from(&browser.token);
    let body = json!({"name": "两处", "tier": 1, "remark": "", "codes": ["0301"], "state": 1});
    let sealed = browser.sealed("POST", &at, &body);
    elsewhere.send("POST", &at, &sealed, None).await.unwrap().data();
    let again = browser.send("POST", &at, &sealed, None).await.unwrap();
    assert_eq!((again.status, again.code()), (400, "replayed"), "{}", again.body);

    first.kill9();
    let died = Instant::now();
    let machine = Machine::new(&second.url, &token);
    machine.ok(&work(1), &json!({"action": "start", "kind": "swap", "workerId": "w"})).await;
    screen.until("a change after the death", |s| told(s, &city.bikes[1].car)).await;
    let took = died.elapsed();
    assert!(took < Duration::from_secs(30), "read models stood still for {took:?}");
    bike.report(&city.bikes[0].imei, lat, lng, 54, false).await;
    screen.until("telemetry after the death", |s| s.bikes.values().any(|b| b.soc == 54)).await;
    eventually("the history goes on", Duration::from_mins(1), async || {
        let sql = "select count(*) from live.telemetry where soc = 54";
        (sqlx::query_scalar::<_, i64>(sql).fetch_one(&owner).await.ok()? == 1).then_some(())
    })
    .await;
    eventually("another leader of all", Duration::from_mins(1), async || {
        let terms = terms(&owner).await;
        (terms.len() >= led && terms.iter().all(|(_, by, _)| *by != before)).then_some(())
    })
    .await;
    // The relay and the commands to devices, too.
    let mut bike = bike;
    let order = json!({"carId": city.bikes[0].car, "command": "ring", "reason": "", "requestId": "a"});
    browser.ok("POST", "/device/command", order).await;
    assert_eq!(bike.next_command().await.1["kind"], 10);
    let head = stream::settled(&owner).await;
    stream::relayed(&stack, head).await;

    // Asked to end, it says goodbye and is gone within seconds.
    let (status, took) = second.terminate().await;
    assert!(status.success() && took < Duration::from_secs(30), "{status} after {took:?}");
    assert_eq!(screen.until_closed().await, 1012);
    assert_eq!(screen.said("bye").expect("a goodbye")["code"], "draining");
}

/// Waits until two nodes each lead as much as the other, or one thing more.
async fn shared(owner: &sqlx::PgPool) -> Vec<(String, String, i64)> {
    eventually("the two share what there is to lead", Duration::from_mins(1), async || {
        let terms = terms(owner).await;
        let mut counts: BTreeMap<&str, i32> = BTreeMap::new();
        for (_, by, _) in &terms {
            *counts.entry(by).or_default() += 1;
        }
        let counts: Vec<i32> = counts.into_values().collect();
        matches!(counts[..], [a, b] if (a - b).abs() <= 1).then_some(terms)
    })
    .await
}

/// Who leads now, and in which term, by what is led.
async fn terms(owner: &sqlx::PgPool) -> Vec<(String, String, i64)> {
    let sql = "select name, holder, token from log.leases where until > clock_timestamp() order by name";
    sqlx::query_as(sql).fetch_all(owner).await.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_node_that_hangs_is_replaced_within_seconds_and_does_nothing_twice_when_it_wakes() {
    let (stack, first) = Stack::serving().await;
    let token = stack.full_machine().await;
    let machine = Machine::new(&first.url, &token);
    let city = City::build(&machine, "H", 1, 2).await;
    let owner = stack.owner().await;
    let before = eventually("the first node leads", Duration::from_mins(1), async || {
        let terms = terms(&owner).await;
        terms.iter().any(|(name, ..)| name == "relay").then_some(terms)
    })
    .await;
    let holder = before[0].1.clone();
    assert!(before.iter().all(|(_, by, _)| *by == holder), "{before:?}");
    let second = stack.node(None);
    let machine = Machine::new(&second.url, &token);
    shared(&owner).await;

    first.freeze();
    let hangs_since = Instant::now();
    let after = eventually("the second leads all that was led", Duration::from_mins(1), async || {
        let after = terms(&owner).await;
        let taken = |(name, _, token): &(String, String, i64)| {
            after.iter().any(|(now, by, term)| now == name && *by != holder && term > token)
        };
        before.iter().all(taken).then_some(after)
    })
    .await;
    let ended = hangs_since.elapsed();
    let work = |number: usize| format!("/open/v1/vehicles/{}/work", city.bikes[number].car);
    machine.ok(&work(0), &json!({"action": "start", "kind": "swap", "workerId": "w"})).await;
    // NATS may ask the node that hangs whether a bike may come in; a bike tries again.
    let (address, it) = (stack.nats.mqtt_addr(), &city.bikes[0]);
    let bike = eventually("the bike is let in", Duration::from_mins(1), async || {
        let topic = format!("ebike/{}/down", it.imei);
        let tried = Bike::try_connect(&address, Some((&it.imei, &it.secret)), &topic).await;
        tried.ok().map(|(bike, _)| bike)
    })
    .await;
    bike.report(&it.imei, city.lat + 0.005, city.lng + 0.005, 53, false).await;
    let stored = async || {
        let sql = "select count(*) from live.telemetry where soc = 53";
        sqlx::query_scalar::<_, i64>(sql).fetch_one(&owner).await.unwrap()
    };
    eventually("the second stores telemetry", Duration::from_mins(1), async || {
        (stored().await > 0).then_some(())
    })
    .await;
    let head = stream::settled(&owner).await;
    stream::relayed(&stack, head).await;

    // Awake again, it has its share anew; what it was at is refused.
    first.thaw();
    machine.ok(&work(1), &json!({"action": "start", "kind": "swap", "workerId": "w"})).await;
    let woken = Machine::new(&first.url, &token);
    woken.ok(&work(1), &json!({"action": "finish", "kind": "swap", "workerId": "w"})).await;
    let head = stream::settled(&owner).await;
    stream::relayed(&stack, head).await;
    assert_eq!(stored().await, 1, "each report once");
    let now = shared(&owner).await;
    for (name, by, token) in &now {
        let (_, then, term) = after.iter().find(|(led, ..)| led == name).expect("it was led");
        assert!((by, token) == (then, term) || token > term, "{name} went back to an older term: {now:?}");
    }
    let said = stack.told(&["doctor"]).await;
    let (name, by, _) = now.iter().find(|(name, ..)| name.starts_with("projector:")).unwrap();
    assert!(said.contains(&format!("led by {by}")), "{said}");
    assert!(said.contains(&format!("node {by} leads")) && said.contains(name), "{said}");
    assert!(said.contains(&format!("node {holder} leads")), "{said}");
    assert!(ended < Duration::from_secs(20), "the first led for {ended:?} more");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tick_of_one_process_is_worth_nothing_at_another_and_a_socket_ends_with_its_session() {
    let (stack, older) = Stack::serving().await;
    let machine = Machine::new(&older.url, &stack.full_machine().await);
    let city = City::build(&machine, "T", 1, 3).await;
    let mut browser = Browser::signed_in(&older.url, ADMIN).await;
    let mut bikes = Vec::new();
    let mut at_older = Screen::open(&browser).await;
    at_older.look_at(city.lat, city.lng).await;
    for bike in &city.bikes {
        let line = Bike::connect(&stack.nats.mqtt_addr(), &bike.imei, &bike.secret).await;
        line.report(&bike.imei, city.lat + 0.005, city.lng + 0.005, 55, false).await;
        bikes.push(line);
    }
    at_older.until("three bikes", |screen| screen.bikes.len() == 3).await;
    let (own, since) = (at_older.instance(), {
        at_older.move_to(city.lat, city.lng).await;
        at_older.until("the watch", |s| s.texts.iter().filter(|t| t["op"] == "watching").count() == 2).await;
        at_older.tick()
    });

    // The younger process has counted less far, so its ticks are all among those of the older one.
    let younger = stack.node(None);
    browser.url.clone_from(&younger.url);
    let mut at_younger = Screen::open(&browser).await;
    at_younger.look_at(city.lat, city.lng).await;
    let (other, early) = (at_younger.instance(), at_younger.tick());
    assert_ne!(own, other);

    browser.url.clone_from(&older.url);
    let mut back = Screen::open(&browser).await;
    assert_eq!(back.instance(), own);
    back.resume(city.lat, city.lng, early, &other).await;
    back.until("a snapshot, not a difference", |s| s.snapshots == 1 && s.bikes.len() == 3).await;
    let mut again = Screen::open(&browser).await;
    again.resume(city.lat, city.lng, since, &own).await;
    again.until("the watch", |screen| screen.said("watching").is_some()).await;
    bikes[0].report(&city.bikes[0].imei, city.lat + 0.005, city.lng + 0.005, 54, false).await;
    again.until("a change", |screen| screen.bikes.values().any(|bike| bike.soc == 54)).await;
    assert_eq!(again.snapshots, 0, "its own tick is resumed from");

    // A session that ends by age takes its sockets with it. The younger process has not met this one yet.
    let role = browser.new_role("短暂", &["0301".to_owned()]).await;
    browser.new_operator("13700000009", &[&role], "0").await;
    let mut brief = Browser::signed_in(&older.url, "13700000009").await;
    let sql = "update authentication.sessions set expires_at = now() + interval '15 seconds'
               where operator_id = (select operator_id from read.operator where phone = '13700000009')";
    let ending = sqlx::query(sql).execute(&stack.owner().await).await.unwrap();
    assert_eq!(ending.rows_affected(), 1);
    brief.url.clone_from(&younger.url);
    let mut ends = Screen::open(&brief).await;
    assert_eq!(ends.until_closed().await, 4401);
    assert_eq!(ends.said("bye").expect("a goodbye")["code"], "expired");
}
