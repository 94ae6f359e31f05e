//! A hub over a memory of made bikes, and who may look at it.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use async_trait::async_trait;
use axum::Router;
use axum::extract::WebSocketUpgrade;
use axum::routing::get;
use live::Memory;
use live::fleet::{Fleet, Reason, RentFacts, VehicleRecord};
use live::push::{
    Authentication, Denied, Detail, Details, Ended, Hub, HubParts, Limits, PortError, Screens, Viewer,
    upgrade,
};
use live::report::{Flags, Place, Report};
use live::rules::Settings;
use serde_json::{Value, json};
use tokio::sync::broadcast;
use tokio_util::sync::CancellationToken;
use vocabulary::{
    AgentId, AreaId, CarRange, CarView, Cars, Clock, DataOwner, OperatorId, Reach, Scope, SystemClock,
};

use crate::screen::Screen;

pub const WEST: [f64; 4] = [118.0, 24.0, 118.1, 24.1];
pub const EAST: [f64; 4] = [118.2, 24.0, 118.3, 24.1];

/// Each system is a process of its own, as far as its ticks go.
static RUNTIMES: AtomicU32 = AtomicU32::new(0);

/// Accounts by token: `all`, `area1`, `area2`, `few` (K10 to K19 of area 1 while nobody rides them), `blind` (no codes), `brief` (ends within two seconds).
struct Accounts(broadcast::Sender<Ended>);

#[async_trait]
impl Authentication for Accounts {
    async fn admit(&self, token: &str, _t: &str) -> Result<Viewer, Denied> {
        let area = |id| Scope::of(Reach::All, Reach::only([AreaId(id)]));
        let (operator, scope) = match token {
            "all" | "blind" | "brief" => (1, Scope::ALL),
            "area1" => (2, area(1)),
            "area2" => (3, area(2)),
            "few" => {
                let range = CarRange { from: "K10".to_owned(), to: "K19".to_owned() };
                let view =
                    CarView { ranges: vec![range], riding_states: [1, 5].into(), ..CarView::default() };
                (4, Scope { cars: Cars::NONE.and(&view), ..area(1) })
            }
            "disabled" => return Err(Denied::Disabled),
            _ => return Err(Denied::NotSignedIn),
        };
        let blind = token == "blind";
        Ok(Viewer {
            operator: OperatorId(operator),
            session: token.to_owned(),
            full_scope: Arc::new(scope.clone()),
            scope: Arc::new(scope),
            holds: Arc::new(move |code| !blind && ["0301", "0701"].contains(&code)),
            permission_version: 1,
            until: SystemClock.now().plus_millis(if token == "brief" { 2_000 } else { 3_600_000 }),
        })
    }

    fn ended(&self) -> broadcast::Receiver<Ended> {
        self.0.subscribe()
    }
}

struct FromMemory(Memory);

#[async_trait]
impl Details for FromMemory {
    async fn of(&self, car_id: &str) -> Result<Option<Detail>, PortError> {
        let fleet = self.0.read();
        let record = fleet.slot(car_id).and_then(|slot| fleet.record(slot)).cloned();
        let soc = fleet.latest(car_id).map(|latest| latest.soc_percent);
        Ok(record.map(|record| (record.owner(), json!({"carId": record.car_id, "soc": soc}))))
    }
}

/// A wall that tells how often one was put together, and of whom.
#[derive(Clone, Default)]
pub struct CountedWalls(pub Arc<AtomicU32>);

#[async_trait]
impl Screens for CountedWalls {
    fn codes(&self, name: &str) -> Option<&'static [&'static str]> {
        match name {
            "ops" => Some(&["0301"]),
            "revenue" => Some(&["0999"]),
            _ => None,
        }
    }

    async fn picture(&self, _name: &str, scope: &Scope, areas: &[AreaId]) -> Result<Value, PortError> {
        let made = self.0.fetch_add(1, Ordering::Relaxed) + 1;
        let sees = |area| scope.contains(DataOwner::of_area(AgentId(9), AreaId(area)));
        Ok(json!({"made": made, "areas": areas.len(), "first": sees(1), "second": sees(2)}))
    }
}

pub struct Runtime {
    pub walls: CountedWalls,
    pub memory: Memory,
    pub hub: Arc<Hub>,
    pub url: String,
    pub ends: broadcast::Sender<Ended>,
    pub stop: CancellationToken,
    pub count: u32,
}

impl Drop for Runtime {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

pub fn record(n: u32, area: i64) -> VehicleRecord {
    VehicleRecord {
        car_id: format!("K{n}"),
        imei: Some(format!("86{n:013}")),
        agent: Some(AgentId(9)),
        area: Some(AreaId(area)),
        lifecycle: 2,
        riding_state: 1,
        version: 1,
        ..VehicleRecord::default()
    }
}

impl Runtime {
    /// `count` bikes, the even ones in area 1 in the west, the odd ones in area 2 in the east.
    pub async fn open(count: u32) -> Self {
        Self::open_with(count, Limits::default()).await
    }

    pub async fn open_with(count: u32, limits: Limits) -> Self {
        let rentable = |_: &RentFacts| Vec::<Reason>::new();
        let memory = Memory::new(Fleet::new(Settings::default(), Arc::new(rentable)));
        let ends = broadcast::Sender::new(16);
        let stop = CancellationToken::new();
        let walls = CountedWalls::default();
        let hub = Hub::start(HubParts {
            screens: Arc::new(walls.clone()),
            memory: memory.clone(),
            authentication: Arc::new(Accounts(ends.clone())),
            details: Arc::new(FromMemory(memory.clone())),
            clock: Arc::new(SystemClock),
            tables: HashMap::from([("role".to_owned(), vec!["0701"]), ("secret".to_owned(), vec!["0999"])]),
            limits,
            instance: format!("process {}", RUNTIMES.fetch_add(1, Ordering::Relaxed)),
            stop: stop.clone(),
        });
        let served = Arc::clone(&hub);
        let app = Router::new().route(
            "/ebike/v3/backend/ws",
            get(move |request: WebSocketUpgrade| async move { upgrade(served, request) }),
        );
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("ws://{}/ebike/v3/backend/ws", listener.local_addr().unwrap());
        tokio::spawn(async move { axum::serve(listener, app).await });
        let runtime = Self { walls, memory, hub, url, ends, stop, count };
        for n in 0..count {
            let area = 1 + i64::from(n % 2);
            runtime.memory.write().enrol(record(n, area), SystemClock.now());
            let west = if n % 2 == 0 { 118.0 } else { 118.2 };
            runtime.report(
                n,
                24.01 + f64::from(n % 40) * 0.002,
                west + 0.01 + f64::from(n / 40 % 40) * 0.002,
                80,
            );
        }
        runtime.hub.beat();
        runtime
    }

    pub fn report(&self, n: u32, lat: f64, lng: f64, soc: u8) {
        let now = SystemClock.now();
        let mut fleet = self.memory.write();
        let place = Place::from_degrees(lat, lng);
        let latest = fleet.latest(&format!("K{n}"));
        let newest = latest.as_ref().map_or(now.plus_millis(-80_000_000), |latest| latest.report_at);
        let far =
            latest.and_then(|latest| latest.place).is_some_and(|before| before.distance_m(place) > 20.0);
        let report = Report {
            // After an hour a bike may be anywhere.
            at: newest.plus_millis(if far { 3_700_000 } else { 1000 }),
            seq: None,
            place,
            hdop_tenths: Some(9),
            satellites: Some(9),
            speed_kmh: 12,
            heading_half: 45,
            soc_percent: soc,
            gsm: None,
            voltage_mv: None,
            flags: Flags::POSITION_VALID.with(Flags::BATTERY_PRESENT),
            fence_version: None,
        };
        fleet
            .take(&format!("86{n:013}"), &report, now, now, &mut Vec::new())
            .expect("a good report is taken");
    }

    pub async fn looking(&self, token: &str, bbox: [f64; 4]) -> Screen {
        let mut screen = Screen::signed_in(&self.url, token).await;
        screen.say(&json!({"op": "watch", "topic": "fleet", "bbox": bbox, "zoom": 14})).await;
        screen.until(|screen| screen.kinds.contains(&4)).await;
        screen
    }
}
