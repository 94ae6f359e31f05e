//! Fences on their way to devices: a real PostgreSQL that says what is wanted, and a real NATS between.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use async_nats::jetstream;
use async_trait::async_trait;
use fleet::model::device::About;
use futures::StreamExt;
use live::Memory;
use live::delivery::book::Pauses;
use live::delivery::{Answers, DeliverySettings};
use live::fleet::{Fleet, Reason, RentFacts};
use live::ingest::{
    AlarmQueue, CommandAcks, Ingest, IngestError, IngestSettings, Introductions, PortError, enrol_all,
    reload_zones,
};
use live::rules::Settings;
use serde_json::{Value, json};
use sqlx::PgPool;
use testkit::{OwnNats, Services, TestDatabase};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use vocabulary::{Clock, SystemClock, Timestamp};

const PATIENCE: Duration = Duration::from_secs(20);
/// What no bike is sent within, it is not sent.
const A_WHILE: Duration = Duration::from_millis(2_500);
const SETTINGS: DeliverySettings = DeliverySettings {
    round: Duration::from_millis(40),
    look: Duration::from_millis(80),
    settle: Duration::from_secs(2),
    tend: Duration::from_mins(10),
    pauses: Pauses { first: Duration::from_millis(600), most: Duration::from_secs(5) },
    messages: 50,
    bytes: 1_000_000,
};

struct NoDesk;

#[async_trait]
impl CommandAcks for NoDesk {
    async fn acknowledged(&self, _: &str, id: i64, _: i32, _: Timestamp) -> Result<(), PortError> {
        Err(format!("{id} is no command of people's").into())
    }
}

#[async_trait]
impl Introductions for NoDesk {
    async fn introduced(&self, _: &str, _: &About) -> Result<bool, PortError> {
        Ok(false)
    }
}

/// How a device behaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Manner {
    /// As it should.
    Sound,
    /// It hears nothing of this part, from 1, the first time.
    Misses(u64),
    /// It answers with a code and takes nothing.
    Refuses(i32),
    /// It answers well and tells of nothing.
    Keeps,
}

/// What one device was sent: edition, part, id.
type Heard = Vec<(u64, u64, String)>;

/// All devices.
#[derive(Default)]
struct Devices {
    manners: HashMap<String, Manner>,
    heard: HashMap<String, Heard>,
    parts: HashMap<String, HashSet<u64>>,
}

struct City {
    _services: Services,
    _database: TestDatabase,
    nats: OwnNats,
    client: async_nats::Client,
    pool: PgPool,
    devices: Arc<Mutex<Devices>>,
}

fn imei(number: usize) -> String {
    format!("86000000000{number:04}")
}

impl City {
    /// One area with so many bikes on its streets, and an edge of so many corners.
    async fn found(bikes: i32, corners: usize) -> Self {
        let services = Services::start().await;
        let database = services.database().await;
        let pool = PgPool::connect(&database.url).await.unwrap();
        kernel::migrate(&pool).await.unwrap();
        let nats = OwnNats::start().await;
        let client = async_nats::connect(nats.url()).await.unwrap();
        let streams: Vec<jetstream::stream::Config> = serde_json::from_str(testkit::STREAMS_JSON).unwrap();
        for stream in streams {
            jetstream::new(client.clone()).create_stream(stream).await.unwrap();
        }
        sqlx::query(
            "insert into read.area (area_id, agent_id, name, tel, state, ring, datum, data_version, created_at_ms, updated_at_ms, version)
             values (1, 9, '岛内', '', 1, '[[118,24],[118.2,24],[118.2,24.2],[118,24.2],[118,24]]', 'wgs84', 1, 0, 0, 1)",
        )
        .execute(&pool)
        .await
        .unwrap();
        sqlx::query(
            "insert into read.vehicle (car_id, imei, plate_no, agent_id, area_id, lifecycle, riding_state, operation_states,
                                       alarm_states, created_at_ms, updated_at_ms, version)
             select 'K' || lpad(n::text, 4, '0'), '86000000000' || lpad(n::text, 4, '0'), '', 9, 1, 2, 1, '{}', '{}', 0, 0, 1
             from generate_series(0, $1 - 1) n",
        )
        .bind(bikes)
        .execute(&pool)
        .await
        .unwrap();
        let devices = Arc::<Mutex<Devices>>::default();
        let city = Self { _services: services, _database: database, nats, client, pool, devices };
        city.draw(1, corners).await;
        let down = city.client.subscribe("ebike.*.down").await.unwrap();
        city.client.flush().await.unwrap();
        tokio::spawn(hear(city.client.clone(), down, Arc::clone(&city.devices)));
        city
    }

    /// The edge anew, from now on.
    async fn draw(&self, data_version: i64, corners: usize) {
        let corner = |n: usize| json!({"lat": 24.0 + (n % 7) as f64 / 50.0, "lng": 118.0 + n as f64 / 1e6});
        let ring = json!({"corners": (0..corners).map(corner).collect::<Vec<_>>(), "datum": "wgs84"});
        let now = SystemClock.now().millis();
        sqlx::query("update read.area_version set until_at_ms = $1, version = $2 where until_at_ms is null")
            .bind(now)
            .bind(data_version)
            .execute(&self.pool)
            .await
            .unwrap();
        sqlx::query(
            "insert into read.area_version (area_id, data_version, agent_id, from_at_ms, ring, version)
             values (1, $1, 9, $2, $3, $1)",
        )
        .bind(data_version)
        .bind(now)
        .bind(ring)
        .execute(&self.pool)
        .await
        .unwrap();
    }

    /// A no-stop zone from now on.
    async fn forbid(&self, fence: i64) {
        let corners: Vec<Value> = [(24.1, 118.1), (24.1, 118.101), (24.101, 118.1)]
            .map(|(lat, lng)| json!({"lat": lat, "lng": lng}))
            .into();
        let drawing = json!({"shape": {"polygon": {"corners": corners, "datum": "wgs84"}},
            "rule": {"no_stop": {"penalty_cents": null, "weekdays": 31, "hours": {"from_min": 420, "until_min": 540}}}});
        let now = SystemClock.now().millis();
        sqlx::query(
            "insert into read.fence_version (fence_id, data_version, area_id, agent_id, kind, name, capacity, from_at_ms,
                 published_at_ms, withdrawn, counts, ring, drawing)
             values ($1, 1, 1, 9, 4, '禁停', 0, $2, $2, false, int8multirange(int8range($2, null)), '[]', $3)",
        )
        .bind(fence)
        .bind(now)
        .bind(drawing)
        .execute(&self.pool)
        .await
        .unwrap();
        sqlx::query(
            "insert into read.fence (fence_id, area_id, agent_id, kind, name, enabled, deleted, data_version, off, created_at_ms,
                 updated_at_ms, version)
             values ($1, 1, 9, 4, '禁停', true, false, 1, '[]', 0, 0, 1)",
        )
        .bind(fence)
        .execute(&self.pool)
        .await
        .unwrap();
    }

    fn behaves(&self, number: usize, manner: Manner) {
        self.devices.lock().unwrap().manners.insert(imei(number), manner);
    }

    /// What a bike was sent until now.
    fn heard(&self, number: usize) -> Heard {
        self.devices.lock().unwrap().heard.get(&imei(number)).cloned().unwrap_or_default()
    }

    /// A bike is heard of, and says what it holds.
    async fn report(&self, number: usize, holds: u64) {
        tell(&self.client, &imei(number), holds).await;
    }

    /// A node that has just started.
    async fn node(&self) -> Ingest {
        let rentable = |_: &RentFacts| Vec::<Reason>::new();
        let memory = Memory::new(Fleet::new(Settings::default(), Arc::new(rentable)));
        enrol_all(&self.pool, &memory, &SystemClock).await.unwrap();
        reload_zones(&self.pool, &memory, &SystemClock).await.unwrap();
        Ingest {
            memory,
            owner: self.pool.clone(),
            nats: async_nats::connect(self.nats.url()).await.unwrap(),
            clock: Arc::new(SystemClock),
            alarms: AlarmQueue::default(),
            acks: Arc::new(NoDesk),
            introductions: Arc::new(NoDesk),
            answers: Answers::default(),
            settings: IngestSettings { batch_time: Duration::from_millis(30), ..IngestSettings::default() },
        }
    }

    /// How many bikes hold the edition, as it is kept.
    async fn acknowledged(&self, edition: i64) -> i64 {
        sqlx::query_scalar(
            "select count(*) from live.fence_delivery where edition = $1 and acknowledged_at is not null",
        )
        .bind(edition)
        .fetch_one(&self.pool)
        .await
        .unwrap()
    }

    async fn acknowledged_by(&self, edition: i64, bikes: i64) {
        let told = format!("edition {edition} is held by {bikes}");
        until(&told, async || self.acknowledged(edition).await == bikes).await;
    }
}

pub async fn until(what: &str, mut so: impl AsyncFnMut() -> bool) {
    let begun = Instant::now();
    while !so().await {
        assert!(begun.elapsed() < PATIENCE, "not in time: {what}");
        tokio::time::sleep(Duration::from_millis(25)).await;
    }
}

async fn tell(client: &async_nats::Client, imei: &str, holds: u64) {
    let report = json!({"at": SystemClock.now().millis(), "lat": 24.1, "lng": 118.1, "hdop": 0.9, "satellites": 11, "speed": 0,
        "soc": 80, "flags": ["locked", "battery_present", "position_valid"], "fence_version": holds & 0xFFFF});
    client.publish(format!("ebike.{imei}.up"), report.to_string().into()).await.unwrap();
}

/// Answers for all devices.
async fn hear(client: async_nats::Client, mut down: async_nats::Subscriber, devices: Arc<Mutex<Devices>>) {
    while let Some(message) = down.next().await {
        let imei = message.subject.split('.').nth(1).unwrap().to_owned();
        let command: Value = serde_json::from_slice(&message.payload).unwrap();
        assert_eq!(command["kind"], 15, "{command}");
        let number = |name: &str| command["params"][name].as_u64().unwrap_or_else(|| panic!("{command}"));
        let (edition, part, parts) = (number("edition"), number("part"), number("parts"));
        let id = command["id"].as_str().unwrap().to_owned();
        let (code, whole) = {
            let mut devices = devices.lock().unwrap();
            let devices = &mut *devices;
            let heard = devices.heard.entry(imei.clone()).or_default();
            let first = !heard.iter().any(|(e, p, _)| (*e, *p) == (edition, part));
            heard.push((edition, part, id.clone()));
            let there = devices.parts.entry(format!("{imei}/{edition}")).or_default();
            match devices.manners.get(&imei).copied().unwrap_or(Manner::Sound) {
                Manner::Misses(missed) if first && missed == part => continue,
                Manner::Refuses(code) => (code, false),
                Manner::Keeps => (0, false),
                Manner::Sound | Manner::Misses(_) => {
                    there.insert(part);
                    (0, there.len() as u64 == parts)
                }
            }
        };
        let answer = json!({"id": id, "code": code, "at": SystemClock.now().millis()});
        client.publish(format!("ebike.{imei}.ack"), answer.to_string().into()).await.unwrap();
        if whole {
            // A report is newer than the one before it.
            tokio::time::sleep(Duration::from_millis(2)).await;
            tell(&client, &imei, edition).await;
        }
    }
}

/// A node that takes reports in and sends fences.
struct Leader {
    node: Ingest,
    stop: CancellationToken,
    ingest: JoinHandle<Result<(), IngestError>>,
    sending: JoinHandle<Result<(), IngestError>>,
}

impl Leader {
    async fn of(city: &City, token: i64) -> Self {
        let (node, stop) = (city.node().await, CancellationToken::new());
        let (one, ending) = (node.clone(), stop.clone());
        let ingest = tokio::spawn(async move { one.lead(token, ending).await });
        let (one, ending) = (node.clone(), stop.clone());
        let sending = tokio::spawn(async move { one.deliver(token, SETTINGS, ending).await });
        Self { node, stop, ingest, sending }
    }

    async fn ends(self) {
        self.stop.cancel();
        self.ingest.await.unwrap().unwrap();
        self.sending.await.unwrap().unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bike_is_sent_what_counts_when_it_is_there_and_again_when_that_changes() {
    let city = City::found(2, 40).await;
    let leader = Leader::of(&city, 1).await;
    city.report(0, 0).await;
    city.acknowledged_by(1, 1).await;
    assert_eq!(city.heard(0).len(), 1);
    assert!(city.heard(1).is_empty(), "nobody has heard of it");

    // While it is away two more come into force; it gets the last alone.
    city.forbid(70).await;
    city.acknowledged_by(2, 1).await;
    city.draw(2, 50).await;
    city.acknowledged_by(4, 1).await;
    assert!(city.heard(1).is_empty());
    city.report(1, 0).await;
    city.acknowledged_by(4, 2).await;
    let editions: Vec<u64> = city.heard(1).iter().map(|(edition, ..)| *edition).collect();
    assert_eq!(editions, [4]);

    // Nothing more is sent to anybody who holds it.
    let before = (city.heard(0).len(), city.heard(1).len());
    tokio::time::sleep(A_WHILE).await;
    assert_eq!((city.heard(0).len(), city.heard(1).len()), before);
    let wanted: (i64, i16, i32) = sqlx::query_as("select edition, parts, fences from live.fence_edition")
        .fetch_one(&city.pool)
        .await
        .unwrap();
    assert_eq!(wanted, (4, 1, 1));
    leader.ends().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_part_that_was_lost_is_sent_again_alone() {
    let city = City::found(1, 9_000).await;
    city.behaves(0, Manner::Misses(2));
    let leader = Leader::of(&city, 1).await;
    city.report(0, 0).await;
    city.acknowledged_by(1, 1).await;
    let parts: Vec<u64> = city.heard(0).iter().map(|(_, part, _)| *part).collect();
    let all = *parts.iter().max().unwrap();
    assert!(all >= 2, "{parts:?}");
    let expected: Vec<u64> = (1..=all).chain([2]).collect();
    assert_eq!(parts, expected);
    let ids: HashSet<String> = city.heard(0).into_iter().map(|(.., id)| id).collect();
    assert_eq!(ids.len(), parts.len(), "each message has an id of its own");
    leader.ends().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_device_that_refuses_is_asked_once_until_a_person_asks_again() {
    let city = City::found(2, 40).await;
    city.behaves(0, Manner::Refuses(111));
    city.behaves(1, Manner::Keeps);
    let leader = Leader::of(&city, 1).await;
    city.report(0, 0).await;
    city.report(1, 0).await;
    tokio::time::sleep(A_WHILE).await;
    assert_eq!(city.heard(0).len(), 1, "it said that it cannot");
    let tries = city.heard(1).len();
    assert!((2..=4).contains(&tries), "an answer is no report: after growing pauses again, {tries}");
    assert_eq!(city.acknowledged(1).await, 0);
    let kept: Option<i32> =
        sqlx::query_scalar("select refused_code from live.fence_delivery where car_id = 'K0000'")
            .fetch_one(&city.pool)
            .await
            .unwrap();
    assert_eq!(kept, Some(111));

    city.behaves(0, Manner::Sound);
    sqlx::query("update read.area set delivery_asked_at_ms = $1")
        .bind(SystemClock.now().millis())
        .execute(&city.pool)
        .await
        .unwrap();
    city.acknowledged_by(1, 1).await;
    assert_eq!(city.heard(0).len(), 2);
    leader.ends().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn only_the_leader_sends_and_who_follows_goes_on() {
    let city = City::found(3, 40).await;
    city.behaves(2, Manner::Keeps);
    let first = Leader::of(&city, 1).await;
    for number in 0..3 {
        city.report(number, 0).await;
    }
    city.acknowledged_by(1, 2).await;
    // What its last reports told is kept every few seconds, and read again by who follows.
    tokio::time::sleep(Duration::from_secs(6)).await;
    let tries: i16 = sqlx::query_scalar("select tries from live.fence_delivery where car_id = 'K0002'")
        .fetch_one(&city.pool)
        .await
        .unwrap();
    assert!(tries >= 2, "{tries}");
    let before = city.heard(2).len();

    // A second leads in a later term; the first one is not told.
    let second = Leader::of(&city, 2).await;
    until("the second has taken over", async || {
        let token: i64 = sqlx::query_scalar("select token from live.ingest where name = 'fences'")
            .fetch_one(&city.pool)
            .await
            .unwrap();
        token == 2
    })
    .await;
    let went_on = city.heard(2).len() - before;
    assert!(went_on <= 1, "its pauses go on: {went_on}");
    assert_eq!((city.heard(0).len(), city.heard(1).len()), (1, 1), "who holds it is not sent it again");

    // Both see what changes and all bikes; only one may send.
    city.forbid(70).await;
    city.acknowledged_by(2, 2).await;
    tokio::time::sleep(A_WHILE).await;
    assert_eq!((city.heard(0).len(), city.heard(1).len()), (2, 2), "one of the two sent");
    let ended = first.sending.await.unwrap();
    assert!(matches!(ended, Err(IngestError::Superseded)), "{ended:?}");
    assert_eq!(first.node.memory.read().len(), 3);
    first.stop.cancel();
    drop(first.ingest.await);
    second.ends().await;
}
