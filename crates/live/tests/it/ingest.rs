//! From a bike's MQTT message to the row, the screen and the fleet's alarm.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_nats::jetstream;
use async_trait::async_trait;
use fleet::model::device::About;
use live::Memory;
use live::delivery::Answers;
use live::fleet::{Fleet, Reason, RentFacts};
use live::ingest::{
    AlarmQueue, Alarms, CommandAcks, Downlink, Ingest, IngestError, IngestSettings, Introductions, PortError,
    enrol_all, history, reload_zones, stops_in, told_late,
};
use live::report::{Flags, Place, Report};
use live::rules::{AlarmKind, Evidence, Settings};
use rumqttc::{AsyncClient, Event, Incoming, MqttOptions, QoS};
use sqlx::PgPool;
use testkit::{OwnNats, Services, TestDatabase};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use vocabulary::{Clock, SystemClock, Timestamp};

use crate::stays::stays;

const IMEI: &str = "860000000000017";

/// Hears what the fleet would hear.
#[derive(Default)]
struct Desk {
    alarms: Mutex<Vec<(String, AlarmKind, bool)>>,
    acks: Mutex<Vec<(i64, i32)>>,
    abouts: Mutex<Vec<(String, String)>>,
}

#[async_trait]
impl Alarms for Desk {
    async fn raise(&self, car_id: &str, alarm: AlarmKind, _: Evidence) -> Result<(), PortError> {
        self.alarms.lock().unwrap().push((car_id.to_owned(), alarm, true));
        Ok(())
    }
    async fn clear(&self, car_id: &str, alarm: AlarmKind, _: Evidence) -> Result<(), PortError> {
        self.alarms.lock().unwrap().push((car_id.to_owned(), alarm, false));
        Ok(())
    }
}

#[async_trait]
impl CommandAcks for Desk {
    async fn acknowledged(&self, _: &str, command_id: i64, code: i32, _: Timestamp) -> Result<(), PortError> {
        self.acks.lock().unwrap().push((command_id, code));
        Ok(())
    }
}

#[async_trait]
impl Introductions for Desk {
    async fn introduced(&self, imei: &str, about: &About) -> Result<bool, PortError> {
        self.abouts.lock().unwrap().push((imei.to_owned(), about.firmware.clone()));
        Ok(true)
    }
}

pub struct City {
    _services: Services,
    _database: TestDatabase,
    pub nats: OwnNats,
    pub pool: PgPool,
    desk: Arc<Desk>,
}

impl City {
    /// One area, one bike on its street.
    pub async fn found() -> Self {
        let services = Services::start().await;
        let database = services.database().await;
        let pool = PgPool::connect(&database.url).await.unwrap();
        kernel::migrate(&pool).await.unwrap();
        let nats = OwnNats::start().await;
        let context = jetstream::new(async_nats::connect(nats.url()).await.unwrap());
        let streams: Vec<jetstream::stream::Config> = serde_json::from_str(testkit::STREAMS_JSON).unwrap();
        for stream in streams {
            context.create_stream(stream).await.unwrap();
        }
        sqlx::raw_sql(
            "insert into read.area (area_id, agent_id, name, tel, state, ring, datum, data_version, created_at_ms, updated_at_ms, version)
             values (1, 9, '岛内', '', 1, '[[118,24],[118.2,24],[118.2,24.2],[118,24.2],[118,24]]', 'wgs84', 1, 0, 0, 1);
             insert into read.vehicle (car_id, imei, plate_no, agent_id, area_id, lifecycle, riding_state, operation_states,
                                       alarm_states, created_at_ms, updated_at_ms, version)
             values ('K17', '860000000000017', '闽D17', 9, 1, 2, 1, '{}', '{}', 0, 0, 1);",
        )
        .execute(&pool)
        .await
        .unwrap();
        Self { _services: services, _database: database, nats, pool, desk: Arc::default() }
    }

    /// A bike that carries this device comes into the tables.
    pub async fn enrol(&self, car: &str, imei: &str, lifecycle: i16) {
        sqlx::query(
            "insert into read.vehicle (car_id, imei, plate_no, agent_id, area_id, lifecycle, riding_state,
                                       operation_states, alarm_states, created_at_ms, updated_at_ms, version)
             values ($1, $2, '闽D' || $1, 9, 1, $3, 1, '{}', '{}', 0, 0, 1)",
        )
        .bind(car)
        .bind(imei)
        .bind(lifecycle)
        .execute(&self.pool)
        .await
        .unwrap();
    }

    /// A node that has just started.
    pub async fn node(&self) -> Ingest {
        let rentable = |_: &RentFacts| Vec::<Reason>::new();
        let memory = Memory::new(Fleet::new(Settings::default(), Arc::new(rentable)));
        enrol_all(&self.pool, &memory, &SystemClock).await.unwrap();
        reload_zones(&self.pool, &memory, &SystemClock).await.unwrap();
        let alarms = AlarmQueue::default();
        tokio::spawn(alarms.clone().run(Arc::clone(&self.desk) as Arc<dyn Alarms>, CancellationToken::new()));
        Ingest {
            memory,
            owner: self.pool.clone(),
            nats: async_nats::connect(self.nats.url()).await.unwrap(),
            clock: Arc::new(SystemClock),
            alarms,
            acks: Arc::clone(&self.desk) as Arc<dyn CommandAcks>,
            introductions: Arc::clone(&self.desk) as Arc<dyn Introductions>,
            answers: Answers::default(),
            settings: IngestSettings { batch_time: Duration::from_millis(50), ..IngestSettings::default() },
        }
    }

    /// A bike's connection; what comes down to it arrives in the receiver.
    pub async fn bike(&self) -> (AsyncClient, tokio::sync::mpsc::Receiver<Vec<u8>>) {
        let address = self.nats.mqtt_addr();
        let (host, port) = address.rsplit_once(':').unwrap();
        let (client, mut events) =
            AsyncClient::new(MqttOptions::new("bike17", host, port.parse().unwrap()), 100);
        let (down, heard) = tokio::sync::mpsc::channel(10);
        let (subscribed, ready) = tokio::sync::oneshot::channel();
        tokio::spawn(async move {
            let mut subscribed = Some(subscribed);
            while let Ok(event) = events.poll().await {
                match event {
                    Event::Incoming(Incoming::SubAck(_)) => {
                        if let Some(subscribed) = subscribed.take() {
                            let _ = subscribed.send(());
                        }
                    }
                    Event::Incoming(Incoming::Publish(message)) => {
                        let _ = down.send(message.payload.to_vec()).await;
                    }
                    _ => {}
                }
            }
        });
        client.subscribe(format!("ebike/{IMEI}/down"), QoS::AtMostOnce).await.unwrap();
        ready.await.unwrap();
        (client, heard)
    }

    /// Another connection to NATS.
    pub async fn client(&self) -> async_nats::Client {
        async_nats::connect(self.nats.url()).await.unwrap()
    }

    /// Whose alarms began (true) or ended.
    pub fn alarms(&self) -> Vec<(String, bool)> {
        self.desk.alarms.lock().unwrap().iter().map(|(car_id, _, raised)| (car_id.clone(), *raised)).collect()
    }

    pub async fn rows(&self) -> i64 {
        sqlx::query_scalar("select count(*) from live.telemetry").fetch_one(&self.pool).await.unwrap()
    }

    pub async fn rows_reach(&self, wanted: i64) {
        for _ in 0..200 {
            if self.rows().await >= wanted {
                return;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        panic!("{} rows instead of {wanted}", self.rows().await);
    }
}

pub fn report(at: Timestamp, soc: u8) -> Report {
    Report {
        at,
        seq: Some(1),
        place: Place::from_degrees(24.1, 118.1),
        hdop_tenths: Some(9),
        satellites: Some(10),
        speed_kmh: 3,
        heading_half: 10,
        soc_percent: soc,
        gsm: Some(20),
        voltage_mv: Some(52_000),
        flags: Flags::POSITION_VALID.with(Flags::BATTERY_PRESENT).with(Flags::LOCKED),
        fence_version: None,
    }
}

/// `node` leads with this token until `stop`.
pub fn lead(node: &Ingest, token: i64, stop: &CancellationToken) -> JoinHandle<Result<(), IngestError>> {
    let (node, stop) = (node.clone(), stop.clone());
    tokio::spawn(async move { node.lead(token, stop).await })
}

pub async fn say(bike: &AsyncClient, kind: &str, payload: Vec<u8>) {
    say_as(bike, IMEI, kind, payload).await;
}

pub async fn say_as(bike: &AsyncClient, imei: &str, kind: &str, payload: Vec<u8>) {
    bike.publish(format!("ebike/{imei}/{kind}"), QoS::AtLeastOnce, false, payload).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_report_over_mqtt_becomes_a_row_a_buffer_and_an_alarm() {
    let city = City::found().await;
    let node = city.node().await;
    let stop = CancellationToken::new();
    let leading = lead(&node, 1, &stop);
    let (bike, mut down) = city.bike().await;
    let now = SystemClock.now();
    say(&bike, "up", report(now.plus_millis(-2000), 50).compact().to_vec()).await;
    say(&bike, "up", b"nonsense".to_vec()).await;
    say(&bike, "up", report(now.plus_millis(-1000), 12).compact().to_vec()).await;
    say(&bike, "ack", br#"{"id":"77","code":132,"at":1700000000000}"#.to_vec()).await;
    for firmware in ["1.0.3", "1.0.3", "1 0", "1.1.0"] {
        say(&bike, "about", format!(r#"{{"model":"WH-EC20","firmware":"{firmware}"}}"#).into_bytes()).await;
    }
    city.rows_reach(2).await;

    let latest = node.memory.latest("K17").unwrap();
    assert_eq!((latest.soc_percent, latest.online, latest.state), (12, true, 4));
    let tick = node.memory.write().tick(now);
    assert_eq!(tick.changed, [0]);
    let buffer = &tick.cells.values().next().unwrap()[0].1.changed[0];
    assert_eq!(i32::from_le_bytes(buffer[20..24].try_into().unwrap()), 24_100_000);

    let mut db = city.pool.acquire().await.unwrap();
    let points = history(&mut db, "K17", now.plus_millis(-60_000)).await.unwrap();
    assert_eq!(points.iter().map(|point| point.soc).collect::<Vec<_>>(), [50, 12]);
    assert!((points[0].lat - 24.1).abs() < 1e-9 && points[0].at == now.plus_millis(-2000).millis());

    for _ in 0..100 {
        let told = !city.desk.acks.lock().unwrap().is_empty() && city.desk.abouts.lock().unwrap().len() > 1;
        if told && !city.desk.alarms.lock().unwrap().is_empty() {
            break;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    // It is heard past the stream and told once more when the batch is stored.
    let mut acks = city.desk.acks.lock().unwrap().clone();
    acks.dedup();
    assert_eq!(acks, [(77, 132)]);
    assert_eq!(*city.desk.alarms.lock().unwrap(), [("K17".to_owned(), AlarmKind::LowBattery, true)]);
    // What it says again is no news, and what is no version is none.
    let abouts = city.desk.abouts.lock().unwrap().clone();
    assert_eq!(abouts.iter().map(|(_, firmware)| &**firmware).collect::<Vec<_>>(), ["1.0.3", "1.1.0"]);

    let command = serde_json::json!({"id": "78", "kind": 2, "params": {}, "at": 1});
    Downlink::new(node.nats.clone()).send(IMEI, &command).await.unwrap();
    let heard = tokio::time::timeout(Duration::from_secs(30), down.recv()).await.unwrap().unwrap();
    assert_eq!(serde_json::from_slice::<serde_json::Value>(&heard).unwrap(), command);

    stop.cancel();
    leading.await.unwrap().unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_leader_that_dies_loses_nothing_and_stores_nothing_twice() {
    let city = City::found().await;
    let (bike, _down) = city.bike().await;
    let start = SystemClock.now().plus_millis(-3_600_000);
    let at = |n: i64| start.plus_millis(n * 1000);

    let first = city.node().await;
    let dying = tokio::spawn({
        let first = first.clone();
        async move { first.lead(1, CancellationToken::new()).await }
    });
    for n in 0..50 {
        say(&bike, "up", report(at(n), 90).compact().to_vec()).await;
    }
    city.rows_reach(50).await;
    // Without a last store, keeping or acknowledgement.
    dying.abort();
    for n in 50..100 {
        say(&bike, "up", report(at(n), 60).compact().to_vec()).await;
    }

    let second = city.node().await;
    second.restore().await.unwrap();
    assert_eq!(second.memory.latest("K17").map(|latest| latest.soc_percent), Some(90), "from history alone");
    let stop = CancellationToken::new();
    let leading = lead(&second, 2, &stop);
    city.rows_reach(100).await;
    stop.cancel();
    leading.await.unwrap().unwrap();
    let distinct: i64 = sqlx::query_scalar("select count(distinct at) from live.telemetry")
        .fetch_one(&city.pool)
        .await
        .unwrap();
    assert_eq!((city.rows().await, distinct), (100, 100));

    let third = city.node().await;
    third.restore().await.unwrap();
    let latest = third.memory.latest("K17").unwrap();
    assert_eq!((latest.soc_percent, latest.report_at), (60, at(99)));
    assert_eq!(latest.place, Some(Place::from_degrees(24.1, 118.1)));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_follower_saw_while_nobody_led_is_stored_when_it_leads() {
    let city = City::found().await;
    let (bike, _down) = city.bike().await;
    let start = SystemClock.now().plus_millis(-3_600_000);
    let node = city.node().await;
    let follows = CancellationToken::new();
    let following = tokio::spawn({
        let (node, follows) = (node.clone(), follows.clone());
        async move { node.follow(follows).await }
    });
    // It is there when it shows what only the subscription tells.
    let shown = async |n: i64| {
        let shows = || {
            node.memory.latest("K17").is_some_and(|latest| latest.report_at == start.plus_millis(n * 1000))
        };
        for _ in 0..400 {
            say(&bike, "up", report(start.plus_millis(n * 1000), 90).compact().to_vec()).await;
            tokio::time::sleep(Duration::from_millis(50)).await;
            if shows() {
                return;
            }
        }
        panic!("it does not follow");
    };
    for n in 0..5 {
        shown(n).await;
    }
    follows.cancel();
    following.await.unwrap().unwrap();
    assert_eq!(city.rows().await, 0, "nobody led");

    let stop = CancellationToken::new();
    let leading = lead(&node, 1, &stop);
    city.rows_reach(5).await;
    stop.cancel();
    leading.await.unwrap().unwrap();
    assert_eq!(city.rows().await, 5, "each once");

    // The same process leads again, and its memory is ahead of what is stored: as after a database that was away.
    sqlx::raw_sql("delete from live.telemetry where at = (select max(at) from live.telemetry); update live.ingest set stream_seq = 0")
        .execute(&city.pool)
        .await
        .unwrap();
    let stop = CancellationToken::new();
    let leading = lead(&node, 2, &stop);
    city.rows_reach(5).await;
    stop.cancel();
    leading.await.unwrap().unwrap();
    assert_eq!(city.rows().await, 5, "each once");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bike_that_is_locked_and_was_not_stopped_there_whoever_leads() {
    let city = City::found().await;
    let (bike, _down) = city.bike().await;
    let start = SystemClock.now().plus_millis(-3_600_000);
    let open = Flags::POSITION_VALID.with(Flags::BATTERY_PRESENT);
    let at = |n: i64, flags: Flags| {
        let place = Place::from_degrees(24.1 + 0.0001 * n as f64, 118.1);
        Report { flags, place, ..report(start.plus_millis(n * 10_000), 90) }
    };
    let shut = open.with(Flags::LOCKED);
    let no_fix = Flags::BATTERY_PRESENT.with(Flags::LOCKED);
    let node = city.node().await;
    let stop = CancellationToken::new();
    let leading = lead(&node, 1, &stop);
    // Locked from the first it did not stop here; then ridden, locked, and locked still; at last ridden again.
    for (n, flags) in [(0, shut), (1, open), (2, shut), (3, shut), (4, open)] {
        say(&bike, "up", at(n, flags).compact().to_vec()).await;
    }
    city.rows_reach(5).await;
    stop.cancel();
    leading.await.unwrap().unwrap();
    // Another one knows from history that it was open, and takes a fix of some seconds ago where there is none.
    let other = city.node().await;
    let stop = CancellationToken::new();
    let leading = lead(&other, 2, &stop);
    for (n, flags) in [(5, no_fix), (6, open), (20, no_fix)] {
        say(&bike, "up", at(n, flags).compact().to_vec()).await;
    }
    city.rows_reach(8).await;
    stop.cancel();
    leading.await.unwrap().unwrap();

    let mut db = city.pool.acquire().await.unwrap();
    let everywhere = [[118.0, 24.0], [119.0, 25.0]];
    let stops = stops_in(&mut *db, everywhere, start, 10).await.unwrap();
    let told: Vec<(i64, i64)> = stops
        .iter()
        .map(|stop| (stop.at.millis_since(start) / 10_000, ((stop.place.lat() - 24.1) * 1e4).round() as i64))
        .collect();
    assert_eq!(told, [(5, 4), (2, 2)], "not where the last fix is older than a minute");
    let elsewhere = [[118.0, 24.0], [118.05, 25.0]];
    assert_eq!(stops_in(&mut *db, elsewhere, start, 10).await.unwrap(), []);
    assert_eq!(
        stays(&city.pool, start).await,
        [(2, Some(4), true), (5, Some(6), true)],
        "until it was open again"
    );
    assert_eq!(told_late(&mut *db).await.unwrap(), None, "what bikes say themselves is never told late");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_former_leader_who_does_not_know_it_yet_stores_nothing_more() {
    let city = City::found().await;
    let (bike, _down) = city.bike().await;
    let start = SystemClock.now().plus_millis(-3_600_000);
    // It holds what it heard in memory, as one that hangs does.
    let mut first = city.node().await;
    first.settings.batch_time = Duration::from_mins(10);
    first.settings.keep_every = Duration::from_mins(10);
    let wakes = CancellationToken::new();
    let hung = lead(&first, 1, &wakes);
    for n in 0..5 {
        say(&bike, "up", report(start.plus_millis(n * 1000), 90).compact().to_vec()).await;
    }
    let heard = async {
        while first.memory.latest("K17").is_none_or(|latest| latest.report_at != start.plus_millis(4000)) {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    tokio::time::timeout(Duration::from_mins(1), heard).await.expect("it hears the bike");

    let second = city.node().await;
    let stop = CancellationToken::new();
    let leading = lead(&second, 2, &stop);
    city.rows_reach(5).await;
    wakes.cancel();
    let ended = hung.await.unwrap();
    stop.cancel();
    leading.await.unwrap().unwrap();
    assert_eq!(city.rows().await, 5, "each once");
    // Its consumer was taken away, or its last batch was refused.
    assert!(ended.is_err(), "it learns that it leads no more");
    assert!(matches!(second.lead(1, stop).await, Err(IngestError::Superseded)), "a lower token never leads");
}

#[tokio::test(flavor = "multi_thread")]
async fn reports_are_on_the_map_while_an_earlier_one_waits_for_the_database() {
    let city = City::found().await;
    let node = city.node().await;
    let stop = CancellationToken::new();
    let leading = lead(&node, 1, &stop);
    let (bike, _down) = city.bike().await;
    let now = SystemClock.now();
    say(&bike, "up", report(now.plus_millis(-3000), 50).compact().to_vec()).await;
    city.rows_reach(1).await;

    let mut busy = city.pool.begin().await.unwrap();
    sqlx::query("lock table live.telemetry in exclusive mode").execute(&mut *busy).await.unwrap();
    for (ago, soc) in [(2000, 49), (1000, 48)] {
        say(&bike, "up", report(now.plus_millis(-ago), soc).compact().to_vec()).await;
        let seen = async {
            while node.memory.latest("K17").is_none_or(|latest| latest.soc_percent != soc) {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        };
        tokio::time::timeout(Duration::from_secs(20), seen).await.expect("taken in at once");
        // Long enough for its storing to begin.
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    busy.rollback().await.unwrap();
    city.rows_reach(3).await;
    stop.cancel();
    leading.await.unwrap().unwrap();
    assert_eq!(city.rows().await, 3, "each once");
}

#[tokio::test]
async fn a_command_that_finds_nats_away_is_refused_and_does_not_leave_later() {
    let nats = OwnNats::start().await;
    let everything = jetstream::stream::Config {
        name: "DOWN".to_owned(),
        subjects: vec!["ebike.*.down".to_owned()],
        ..jetstream::stream::Config::default()
    };
    jetstream::new(async_nats::connect(nats.url()).await.unwrap()).create_stream(everything).await.unwrap();
    let client = async_nats::connect(nats.url()).await.unwrap();
    let is = async |state: async_nats::connection::State| {
        let reached = async {
            while client.connection_state() != state {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        };
        tokio::time::timeout(Duration::from_secs(30), reached).await.expect("NATS comes and goes");
    };
    let downlink = Downlink::new(client.clone());
    nats.stop().await;
    is(async_nats::connection::State::Disconnected).await;
    let refused = tokio::time::timeout(Duration::from_secs(20), downlink.send_bytes(IMEI, b"stale".to_vec()));
    let refused = refused.await;
    nats.restart().await;
    is(async_nats::connection::State::Connected).await;
    downlink.send_bytes(IMEI, b"fresh".to_vec()).await.unwrap();

    let context = jetstream::new(async_nats::connect(nats.url()).await.unwrap());
    let mut stream = context.get_stream("DOWN").await.unwrap();
    let count = stream.info().await.unwrap().state.messages;
    let first = stream.get_raw_message(1).await.unwrap();
    assert_eq!(
        (first.payload.as_ref(), count),
        (&b"fresh"[..], 1),
        "what was asked for in vain never leaves"
    );
    assert!(matches!(refused, Ok(Err(_))), "its asker hears at once that it did not leave: {refused:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn reports_of_unknown_and_of_scrapped_devices_are_neither_stored_nor_shown() {
    const UNKNOWN: &str = "860000000000099";
    const SCRAPPED: &str = "860000000000066";
    let city = City::found().await;
    city.enrol("K66", SCRAPPED, 6).await;
    let node = city.node().await;
    let stop = CancellationToken::new();
    let leading = lead(&node, 1, &stop);
    let (bike, _down) = city.bike().await;
    let now = SystemClock.now();
    // What is on the board before any report came.
    node.memory.write().tick(now);
    for ago in [4000, 3000] {
        for imei in [UNKNOWN, SCRAPPED] {
            // Nearly empty: a bike of the fleet would raise an alarm.
            say_as(&bike, imei, "up", report(now.plus_millis(-ago), 5).compact().to_vec()).await;
        }
    }
    // Taken in after them, on the same line.
    say(&bike, "up", report(now.plus_millis(-1000), 50).compact().to_vec()).await;
    city.rows_reach(1).await;

    let known = node.memory.read().slot("K17").expect("enrolled");
    let tick = node.memory.write().tick(now);
    assert_eq!(tick.changed, [known], "only what is of the fleet is pushed");
    let scrapped = node.memory.latest("K66");
    assert!(
        scrapped.is_none_or(|latest| latest.place.is_none() && !latest.online),
        "as if it had said nothing"
    );
    stop.cancel();
    leading.await.unwrap().unwrap();
    let mut db = city.pool.acquire().await.unwrap();
    let stored = history(&mut db, "K17", now.plus_millis(-60_000)).await.unwrap();
    assert_eq!((city.rows().await, stored.len()), (1, 1), "the row is the known bike's");
    drop(db);
    assert!(city.desk.alarms.lock().unwrap().is_empty());

    // A bike that is scrapped while it reports is heard no longer, and heard again when that was undone.
    let mut fleet = node.memory.write();
    let slot = fleet.slot("K17").expect("enrolled");
    let serving = fleet.record(slot).expect("its record").clone();
    let mut told = Vec::new();
    for (lifecycle, version, heard) in [(6, 2, false), (2, 3, true)] {
        assert!(fleet.enrol(live::fleet::VehicleRecord { lifecycle, version, ..serving.clone() }, now));
        let taken = fleet.take(IMEI, &report(now, 50), now, now, &mut told);
        assert_eq!(taken.is_ok(), heard, "lifecycle {lifecycle}: {taken:?}");
    }
}
