//! What breaks may not lose an acknowledged command, nor do one twice.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio::task::JoinSet;

use crate::bike::Bike;
use crate::city::City;
use crate::client::{Browser, Machine, Reply};
use crate::screen::Screen;
use crate::stack::{ADMIN, Stack, more};
use crate::stream;

const RIDERS: usize = 26;
const ENROLLERS: usize = 2;
const EDITORS: usize = 4;
/// A command that is not acknowledged after this is a fault of the server.
const PATIENCE: Duration = Duration::from_mins(1);

/// A command that the server said yes to.
#[derive(Clone, Debug)]
struct Done {
    key: String,
    /// Category and id of the stream that it changed.
    stream: (String, String),
    position: i64,
}

/// What the workers share.
struct Stream {
    stop: AtomicBool,
    done: AtomicUsize,
    repeats: AtomicUsize,
}

impl Stream {
    fn goes_on(&self) -> bool {
        !self.stop.load(Ordering::Relaxed)
    }

    /// Sends until it is answered, each time under the same key.
    async fn insist<F: Future<Output = reqwest::Result<Reply>>>(
        &self,
        what: &str,
        mut send: impl FnMut() -> F,
    ) -> Reply {
        let begun = Instant::now();
        loop {
            match send().await {
                Ok(reply) if reply.status == 200 && reply.body["suc"] == true => {
                    self.done.fetch_add(1, Ordering::Relaxed);
                    return reply;
                }
                Ok(reply) if !reply.is_away() => {
                    panic!("{what}: {} {}", reply.status, reply.body)
                }
                away => {
                    assert!(begun.elapsed() < PATIENCE, "{what} is never answered: {away:?}");
                    self.repeats.fetch_add(1, Ordering::Relaxed);
                    tokio::time::sleep(Duration::from_millis(100)).await;
                }
            }
        }
    }
}

/// Works on one bike, over and over.
async fn work(stream: Arc<Stream>, machine: Machine, car: String) -> Vec<Done> {
    let mut done = Vec::new();
    while stream.goes_on() {
        let action = if done.len() % 2 == 0 { "start" } else { "finish" };
        let key = format!("{car}-{}", done.len());
        let path = format!("/open/v1/vehicles/{car}/work");
        let body = json!({"action": action, "kind": "swap", "workerId": "worker-1"});
        let reply = stream.insist(&key, || machine.post(&path, &body, Some(&key))).await;
        let position = reply.position.expect("a command's answer tells its position");
        done.push(Done { key, stream: ("vehicle".to_owned(), car.clone()), position });
    }
    done
}

/// Brings in bikes, two at a time; a batch that was cut off is sent again whole.
async fn enrol(stream: Arc<Stream>, machine: Machine, vehicles: Vec<Value>) -> Vec<String> {
    let mut there = Vec::new();
    for batch in vehicles.chunks(2) {
        if !stream.goes_on() {
            break;
        }
        let body = json!({ "vehicles": batch });
        let key = format!("enrol-{}", batch[0]["carId"].as_str().expect("a number"));
        let reply = stream.insist(&key, || machine.post("/open/v1/vehicles/batch", &body, Some(&key))).await;
        for result in reply.body["data"]["results"].as_array().expect("results") {
            assert!(result["secret"].is_string(), "{result}");
            there.push(result["carId"].as_str().unwrap().to_owned());
        }
    }
    there
}

/// Makes roles through encrypted calls.
async fn edit(stream: Arc<Stream>, browser: Arc<Browser>, number: usize) -> Vec<Done> {
    let mut done = Vec::new();
    while stream.goes_on() {
        let key = format!("role-{number}-{}", done.len());
        let body = json!({"name": key, "tier": 1, "remark": "", "codes": ["0301"], "state": 1});
        let reply =
            stream.insist(&key, || browser.keyed_call("/platform/permission/role", &body, &key)).await;
        let id = reply.body["data"]["id"].as_str().expect("an id").to_owned();
        let position = reply.position.expect("a command's answer tells its position");
        done.push(Done { key, stream: ("role".to_owned(), id), position });
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    done
}

async fn reports(gateway: &Bike, city: &City, soc: u8) {
    for (number, bike) in city.bikes.iter().enumerate() {
        let lat = city.lat + 0.005 + (number as f64) * 0.000_01;
        gateway.report(&bike.imei, lat, city.lng + 0.005, soc, false).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn killing_server_postgres_and_nats_amid_commands_loses_nothing_and_does_nothing_twice() {
    let stack = Stack::durable().await;
    let mut node = stack.node(None);
    let machine = Machine::new(&node.url, &stack.full_machine().await);
    let city = City::build(&machine, "F", 1, RIDERS).await;
    let credential = machine.ok("/open/v1/gateways", &json!({"name": "fault"})).await;
    let login = (credential["user"].as_str().unwrap(), credential["secret"].as_str().unwrap());
    let (gateway, granted) =
        Bike::try_connect(&stack.nats.mqtt_addr(), Some(login), "ebike/+/down").await.expect("a gateway");
    assert!(granted, "a gateway hears commands");
    let browser = Arc::new(Browser::signed_in(&node.url, ADMIN).await);
    let mut screen = Screen::open(&browser).await;
    screen.look_at(city.lat, city.lng).await;
    reports(&gateway, &city, 90).await;
    let all_at =
        |soc: u8| move |s: &Screen| s.bikes.values().filter(|seen| seen.soc == soc).count() == RIDERS;
    screen.until("all bikes at 90", all_at(90)).await;

    let stream = Arc::new(Stream {
        stop: AtomicBool::new(false),
        done: AtomicUsize::new(0),
        repeats: AtomicUsize::new(0),
    });
    let mut workers = JoinSet::new();
    for bike in &city.bikes {
        workers.spawn(work(Arc::clone(&stream), machine.clone(), bike.car.clone()));
    }
    for number in 0..EDITORS {
        workers.spawn(edit(Arc::clone(&stream), Arc::clone(&browser), number));
    }
    let mut enrollers = JoinSet::new();
    for number in 0..ENROLLERS {
        let new = (0..400).map(|one| city.vehicle("N", 2 + number as u32, number * 1000 + one)).collect();
        enrollers.spawn(enrol(Arc::clone(&stream), machine.clone(), new));
    }

    more(&stream.done, 300, PATIENCE).await;
    let port = node.kill9();
    assert_eq!(screen.until_closed().await, 1006, "a killed server says nothing");
    node = stack.node(Some(port));
    more(&stream.done, 300, PATIENCE).await;
    stack.postgres().kill9().await;
    stack.postgres().restart().await;
    more(&stream.done, 300, PATIENCE).await;
    stack.nats.kill9().await;
    more(&stream.done, 300, PATIENCE).await; // commands do not need NATS
    stack.nats.restart().await;
    more(&stream.done, 300, PATIENCE).await;
    stream.stop.store(true, Ordering::Relaxed);

    let mut done = Vec::new();
    while let Some(worker) = workers.join_next().await {
        done.extend(worker.expect("every command was answered"));
    }
    let mut enrolled = Vec::new();
    while let Some(worker) = enrollers.join_next().await {
        enrolled.extend(worker.expect("every batch was answered"));
    }
    assert!(stream.repeats.load(Ordering::Relaxed) > 0, "the kills were felt");

    let owner = stack.owner().await;
    let head = stream::settled(&owner).await;
    every_command_once(&owner, &done).await;
    every_bike_enrolled_once(&owner, &enrolled).await;

    // The relay caught up, without a duplicate.
    stream::relayed(&stack, head).await;

    // A browser that comes back sees what a newcomer sees: the newest report of every bike.
    let mut returned = Screen::open(&browser).await;
    returned.look_at(city.lat, city.lng).await;
    let begun = Instant::now();
    while returned.bikes.values().filter(|seen| seen.soc == 70).count() < RIDERS {
        // The gateway's own connection comes back in its own time: what it says before may be lost.
        assert!(begun.elapsed() < PATIENCE, "telemetry never comes back; {}", node.last_words());
        reports(&gateway, &city, 70).await;
        let _ = tokio::time::timeout(Duration::from_secs(2), returned.until("all at 70", all_at(70))).await;
    }
    let mut fresh = Screen::open(&browser).await;
    fresh.look_at(city.lat, city.lng).await;
    fresh.until("a fresh screen", all_at(70)).await;
    returned.until("the returned one", |screen| screen.bikes == fresh.bikes).await;

    // The read models are what the log says, and the log is what was written.
    let owner = stack.owner().await;
    let head = stream::settled(&owner).await;
    let before = stream::fingerprints(&owner).await;
    stack.told(&["rebuild", "--all"]).await;
    assert_eq!(stream::fingerprints(&owner).await, before, "rebuilt at {head}");
    let verified = stack.told(&["verify"]).await;
    assert!(verified.contains(&format!("{head} events")), "{verified}");
    let (status, took) = node.terminate().await;
    assert!(status.success() && took < Duration::from_secs(30), "{status} after {took:?}");
}

/// The log against what was acknowledged: each command's request id stands at one place, at the position it was told,
/// and each stream holds as many events as commands were acknowledged.
async fn every_command_once(owner: &sqlx::PgPool, done: &[Done]) {
    assert!(done.len() > 600, "a stream of commands: {}", done.len());
    let rows: Vec<(String, String, String, i64)> = sqlx::query_as(
        "select split_part(meta::jsonb ->> 'request_id', ':', 2), category, stream_id, position from log.events
         where meta::jsonb ->> 'request_id' is not null and (type = 'vehicle.ride-state-changed' or type = 'role.created')
         order by position",
    )
    .fetch_all(owner)
    .await
    .unwrap();
    let mut found: BTreeMap<String, Vec<(String, String, i64)>> = BTreeMap::new();
    for (key, category, id, position) in rows {
        found.entry(key).or_default().push((category, id, position));
    }
    for command in done {
        let at = found.get(&command.key).map(Vec::as_slice).unwrap_or_default();
        let expected = (command.stream.0.clone(), command.stream.1.clone());
        assert_eq!(at.len(), 1, "{command:?} stands in the log {} times", at.len());
        assert_eq!((at[0].0.clone(), at[0].1.clone()), expected, "{command:?}");
        assert!(at[0].2 <= command.position, "{command:?} at {}", at[0].2);
    }
    assert_eq!(found.len(), done.len(), "nothing in the log that nobody asked for");
    let rides: Vec<(String, Vec<String>)> = sqlx::query_as(
        "select stream_id, array_agg(data::jsonb ->> 'to' order by version) from log.events
         where type = 'vehicle.ride-state-changed' group by stream_id",
    )
    .fetch_all(owner)
    .await
    .unwrap();
    assert_eq!(rides.len(), RIDERS);
    for (car, states) in rides {
        let acknowledged = done.iter().filter(|command| command.stream.1 == car).count();
        assert_eq!(states.len(), acknowledged, "{car}");
        assert!(states.windows(2).all(|pair| pair[0] != pair[1]), "{car} alternates: {states:?}");
    }
}

/// Each of these bikes came once, as a whole.
pub async fn every_bike_enrolled_once(owner: &sqlx::PgPool, enrolled: &[String]) {
    assert!(!enrolled.is_empty());
    let types: Vec<(String, Vec<String>)> = sqlx::query_as(
        "select stream_id, array_agg(type order by version) from log.events
         where category = 'vehicle' and stream_id = any($1) group by stream_id",
    )
    .bind(enrolled)
    .fetch_all(owner)
    .await
    .unwrap();
    assert_eq!(types.len(), enrolled.len(), "no acknowledged bike is missing");
    let expected = ["vehicle.registered", "vehicle.bound", "vehicle.stocked", "vehicle.shelved"];
    for (car, types) in types {
        assert_eq!(types, expected, "{car}");
    }
}
