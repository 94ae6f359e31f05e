//! One socket, from its first frame to its last.

use std::collections::{HashMap, HashSet};
use std::future::pending;
use std::sync::Arc;

use axum::extract::ws::{Message, WebSocket, WebSocketUpgrade};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use futures::StreamExt;
use futures::stream::SplitStream;
use serde_json::{Value, json};
use tokio::sync::broadcast::{self, error::RecvError};
use tokio::time::{Instant, MissedTickBehavior, interval, timeout};
use vocabulary::AreaId;

use super::cars::CarWatch;
use super::hub::{Beat, Hub};
use super::outlet::{End, Outlet, farewell, instant};
use super::ports::{Denied, RowsChanged};
use super::protocol::{self, Bye, Said, Topic};
use super::screens::WallWatch;
use super::viewport::{RequestContext, Viewport};
use crate::fleet::Pick;

const MAX_TOPICS: usize = 64;
const MAX_FRAME_BYTES: usize = 64 * 1024;
const MAX_FRAMES_A_SECOND: u32 = 50;
/// Bytes that may wait in the socket's own buffer: two full buffers of bikes. Beyond, the next write waits.
const WRITE_BUFFER_BYTES: usize = 128 * 1024;
const MAX_WRITE_BUFFER_BYTES: usize = 4 * 1024 * 1024;
/// Walls that one socket watches at most.
const MAX_WALLS: usize = 4;
/// Keys told of one table at a time; beyond, everything may have changed.
const MAX_KEYS: usize = 200;

/// Slots that one question may name.
const MAX_SLOTS_ASKED: usize = 5000;

/// Codes of which one lets see the whole fleet.
const FLEET_CODES: [&str; 3] = ["0301", "030601", "0221"];
/// Codes of which one lets see a bike.
pub(crate) const VEHICLE_CODES: &[&str] = &["0301", "030601", "0302", "0305", "0307"];
/// Codes of which one lets follow a bike with what people did with it; a city's office (030601) does not.
const KEEPER_CODES: &[&str] = &["0301", "0302", "0305", "0307"];

/// Answers `GET /ebike/v3/backend/ws`; open to everybody, for the first frame must say who it is.
pub fn upgrade(hub: Arc<Hub>, request: WebSocketUpgrade) -> Response {
    let Ok(seat) = Arc::clone(&hub.seats).try_acquire_owned() else {
        return (StatusCode::SERVICE_UNAVAILABLE, "实时连接数已达上限，请稍后再试").into_response();
    };
    request
        .max_message_size(MAX_FRAME_BYTES)
        .max_frame_size(MAX_FRAME_BYTES)
        .write_buffer_size(WRITE_BUFFER_BYTES)
        .max_write_buffer_size(MAX_WRITE_BUFFER_BYTES)
        .on_upgrade(move |socket| async move {
            crate::measure::sockets(1.0);
            serve(hub, socket).await;
            crate::measure::sockets(-1.0);
            drop(seat);
        })
}

async fn serve(hub: Arc<Hub>, socket: WebSocket) {
    let (mut sink, mut stream) = socket.split();
    // Listened to before asking, so that nothing ends unheard in between.
    let ended = hub.authentication.ended();
    let admitted = tokio::select! {
        () = hub.stop.cancelled() => Err(End::Bye(Bye::Draining)),
        admitted = timeout(hub.limits.auth, first_frame(&mut stream)) => {
            admitted.unwrap_or(Err(End::Bye(Bye::AuthTimeout)))
        }
    };
    let (token, t) = match admitted {
        Ok(credentials) => credentials,
        Err(end) => return farewell(&mut sink, end).await,
    };
    let viewer = match hub.authentication.admit(&token, &t).await {
        Ok(viewer) => viewer,
        Err(denied) => return farewell(&mut sink, End::Bye(bye(&denied))).await,
    };
    let outlet = Outlet {
        sink,
        ended,
        until: instant(viewer.until, hub.clock.now()),
        viewer,
        stop: hub.stop.clone(),
        stall: hub.limits.stall,
    };
    let rows = hub.rows();
    let mut session = Session {
        hub,
        outlet,
        credentials: (token, t),
        fleet: None,
        cars: HashMap::new(),
        tables: HashSet::new(),
        walls: HashMap::new(),
        heard: Instant::now(),
        window: (Instant::now(), 0),
    };
    let end = match session.run(&mut stream, rows).await {
        Ok(never) => match never {},
        Err(end) => end,
    };
    farewell(&mut session.outlet.sink, end).await;
}

enum Never {}

fn bye(denied: &Denied) -> Bye {
    match denied {
        Denied::NotSignedIn => Bye::AuthRefused,
        Denied::Disabled => Bye::Disabled,
        Denied::Unknown(error) => {
            tracing::warn!(error = %error, "a viewer cannot be told");
            Bye::Draining
        }
    }
}

async fn first_frame(stream: &mut SplitStream<WebSocket>) -> Result<(String, String), End> {
    loop {
        match stream.next().await {
            Some(Ok(Message::Text(text))) => {
                return match serde_json::from_str(&text) {
                    Ok(Said::Auth { token, t }) => Ok((token, t)),
                    _ => Err(End::Bye(Bye::AuthRefused)),
                };
            }
            Some(Ok(Message::Ping(_) | Message::Pong(_))) => {}
            Some(Ok(Message::Binary(_))) => return Err(End::Bye(Bye::AuthRefused)),
            Some(Err(error)) => return Err(broken(&error)),
            Some(Ok(Message::Close(_))) | None => return Err(End::Gone),
        }
    }
}

fn broken(error: &axum::Error) -> End {
    // The library tells of a frame beyond the limit by its words alone.
    if error.to_string().contains("too long") { End::Limit("frame too long") } else { End::Gone }
}

struct Session {
    hub: Arc<Hub>,
    outlet: Outlet,
    credentials: (String, String),
    fleet: Option<Viewport>,
    cars: HashMap<String, CarWatch>,
    tables: HashSet<String>,
    /// By topic.
    walls: HashMap<String, WallWatch>,
    heard: Instant,
    window: (Instant, u32),
}

impl Session {
    async fn run(
        &mut self,
        stream: &mut SplitStream<WebSocket>,
        mut rows: broadcast::Receiver<Arc<RowsChanged>>,
    ) -> Result<Never, End> {
        let mut beats = self.hub.beats();
        let mut car_news = self.hub.cars.news();
        let mut wall_news = self.hub.walls.news();
        let limits = self.hub.limits;
        let mut ping = interval(limits.ping);
        let mut recheck = interval(limits.recheck);
        ping.set_missed_tick_behavior(MissedTickBehavior::Delay);
        recheck.set_missed_tick_behavior(MissedTickBehavior::Delay);
        ping.reset();
        recheck.reset();
        self.text(protocol::ready(self.hub.clock.now().millis(), &self.hub.instance)).await?;
        loop {
            tokio::select! {
                biased;
                end = self.outlet.ending() => return Err(end),
                frame = stream.next() => self.hear(frame).await?,
                _ = ping.tick() => {
                    if self.heard.elapsed() > limits.silence {
                        return Err(End::Gone);
                    }
                    self.outlet.send(vec![Message::Ping(bytes::Bytes::new())]).await?;
                }
                _ = recheck.tick() => self.recheck().await?,
                changed = beats.changed(), if self.fleet.is_some() => {
                    if changed.is_err() { return Err(End::Bye(Bye::Draining)); }
                    let beat = Arc::clone(&beats.borrow_and_update());
                    self.beat(&beat).await?;
                }
                changed = car_news.changed(), if !self.cars.is_empty() => {
                    if changed.is_err() { return Err(End::Bye(Bye::Draining)); }
                    car_news.borrow_and_update();
                    self.show_cars().await?;
                }
                changed = wall_news.changed(), if !self.walls.is_empty() => {
                    if changed.is_err() { return Err(End::Bye(Bye::Draining)); }
                    wall_news.borrow_and_update();
                    self.show_walls().await?;
                }
                told = hear_rows(&mut rows, self.tables.is_empty()) => self.show_rows(told).await?,
            }
        }
    }

    async fn text(&mut self, text: String) -> Result<(), End> {
        self.outlet.send(vec![Message::Text(text.into())]).await
    }

    async fn hear(&mut self, frame: Option<Result<Message, axum::Error>>) -> Result<(), End> {
        let frame = match frame {
            Some(Ok(frame)) => frame,
            Some(Err(error)) => return Err(broken(&error)),
            None => return Err(End::Gone),
        };
        self.heard = Instant::now();
        if self.window.0.elapsed().as_secs() >= 1 {
            self.window = (Instant::now(), 0);
        }
        self.window.1 += 1;
        if self.window.1 > MAX_FRAMES_A_SECOND {
            return Err(End::Limit("too many frames"));
        }
        let text = match frame {
            Message::Text(text) => text,
            Message::Ping(_) | Message::Pong(_) => return Ok(()),
            Message::Binary(_) => return Err(End::Limit("binary frames are not understood")),
            Message::Close(_) => return Err(End::Gone),
        };
        match serde_json::from_str::<Said>(&text) {
            Ok(Said::Watch { topic, bbox, zoom, since, instance, pick }) => match Topic::parse(&topic) {
                Some(Topic::Fleet) => {
                    // A tick of another process says nothing about this one's.
                    let since = since.filter(|_| instance.as_deref() == Some(self.hub.instance.as_str()));
                    self.watch_fleet(bbox, zoom, since, pick).await
                }
                Some(Topic::Vehicle(car_id)) => self.watch_car(&topic, &car_id).await,
                Some(Topic::Read(table)) => self.watch_table(&topic, table).await,
                Some(Topic::Screen { name, areas }) => self.watch_wall(&topic, &name, &areas).await,
                None => self.refuse(&topic, "没有这个主题").await,
            },
            Ok(Said::Unwatch { topic }) => {
                match Topic::parse(&topic) {
                    Some(Topic::Fleet) => self.fleet = None,
                    Some(Topic::Vehicle(car_id)) => drop(self.cars.remove(&car_id)),
                    Some(Topic::Read(table)) => drop(self.tables.remove(&table)),
                    Some(Topic::Screen { .. }) => drop(self.walls.remove(&topic)),
                    None => {}
                }
                Ok(())
            }
            Ok(Said::Who { slots: Some(slots), n, .. }) => self.who_all(&slots, &n).await,
            Ok(Said::Who { slot, n, .. }) => self.who(slot, &n).await,
            Ok(Said::Ping) => self.text(protocol::pong(self.hub.clock.now().millis())).await,
            Ok(Said::Auth { .. }) => self.refuse("", "已验证身份，无需重复").await,
            Err(_) => self.refuse("", "无法理解的请求").await,
        }
    }

    async fn refuse(&mut self, topic: &str, promot: &str) -> Result<(), End> {
        // A name that is too long to be one need not be sent back whole.
        let told: String =
            if Topic::parse(topic).is_some() { topic.to_owned() } else { topic.chars().take(80).collect() };
        self.text(protocol::error(&told, promot)).await
    }

    fn full(&self) -> Result<(), End> {
        let topics =
            usize::from(self.fleet.is_some()) + self.cars.len() + self.tables.len() + self.walls.len();
        if topics >= MAX_TOPICS { Err(End::Limit("too many topics")) } else { Ok(()) }
    }

    async fn watch_fleet(
        &mut self,
        bbox: Option<[f64; 4]>,
        zoom: Option<f64>,
        since: Option<u32>,
        pick: Option<Pick>,
    ) -> Result<(), End> {
        if !self.outlet.viewer.may(&FLEET_CODES) {
            return self.refuse("fleet", "没有查看车辆分布的权限").await;
        }
        let scope = Arc::clone(&self.outlet.viewer.scope);
        let request = match RequestContext::parse(bbox, zoom, pick, &scope.cars) {
            Ok(request) => request,
            Err(promot) => return self.refuse("fleet", promot).await,
        };
        if self.fleet.is_none() {
            self.full()?;
        }
        let earliest = self.hub.resumable_since(&self.outlet.viewer);
        let since = since.filter(|since| *since >= earliest);
        let viewport = self.fleet.get_or_insert_with(|| Viewport::new(scope));
        let buffers = viewport.turn_to(request, since, &self.hub);
        let beat = Arc::clone(&self.hub.beats().borrow());
        let mut messages = vec![Message::Text(protocol::watching("fleet", i64::from(viewport.seen)).into())];
        messages.extend(buffers);
        messages.extend(viewport.totals(&beat, &self.hub));
        self.outlet.send(messages).await
    }

    async fn watch_car(&mut self, topic: &str, car_id: &str) -> Result<(), End> {
        if !self.outlet.viewer.may(KEEPER_CODES) {
            return self.refuse(topic, "没有查看车辆的权限").await;
        }
        let (slot, seq, seen) = {
            let fleet = self.hub.memory.read();
            let slot = fleet.slot(car_id);
            let record = slot.and_then(|slot| fleet.record(slot));
            let seen = record.is_some_and(|record| record.is_shown_to(&self.outlet.viewer.scope));
            (slot, fleet.tick_seq(), seen)
        };
        if !seen {
            return self.refuse(topic, "没有这辆车，或不在您的数据范围内").await;
        }
        if !self.cars.contains_key(car_id) {
            self.full()?;
            let watch = self.hub.cars.watch(car_id, slot);
            self.cars.insert(car_id.to_owned(), watch);
        }
        self.text(protocol::watching(topic, i64::from(seq))).await?;
        self.show_cars().await
    }

    async fn watch_table(&mut self, topic: &str, table: String) -> Result<(), End> {
        let codes = self.hub.tables.get(&table);
        if !codes.is_some_and(|codes| codes.is_empty() || self.outlet.viewer.may(codes)) {
            return self.refuse(topic, "没有这个主题，或没有查看的权限").await;
        }
        if !self.tables.contains(&table) {
            self.full()?;
            self.tables.insert(table.clone());
        }
        // Asked only now: what is told from here on is sent.
        let quiet = self.hub.quiet(&table, &self.outlet.viewer.scope);
        self.text(protocol::watching_rows(topic, quiet)).await
    }

    async fn watch_wall(&mut self, topic: &str, name: &str, areas: &[AreaId]) -> Result<(), End> {
        let codes = self.hub.walls.screens.codes(name);
        if !codes.is_some_and(|codes| self.outlet.viewer.may(codes)) {
            return self.refuse(topic, "没有这块大屏，或没有查看的权限").await;
        }
        if !self.walls.contains_key(topic) {
            self.full()?;
            if self.walls.len() >= MAX_WALLS {
                return self.refuse(topic, "同时关注的大屏过多，请关闭一些页面").await;
            }
            let watch = self.hub.walls.watch(topic, name, areas, &self.outlet.viewer.full_scope);
            self.walls.insert(topic.to_owned(), watch);
        }
        self.text(protocol::watching(topic, 0)).await?;
        self.show_walls().await
    }

    async fn show_walls(&mut self) -> Result<(), End> {
        let frames = self.walls.values_mut().filter_map(WallWatch::unsent);
        let messages = frames.map(Message::Text).collect();
        self.outlet.send(messages).await
    }

    async fn who(&mut self, slot: u32, n: &Value) -> Result<(), End> {
        let car_id = self.names(&[slot]).pop().flatten();
        self.text(protocol::who(slot, n, car_id.as_deref())).await
    }

    async fn who_all(&mut self, slots: &[u32], n: &Value) -> Result<(), End> {
        if slots.len() > MAX_SLOTS_ASKED {
            return Err(End::Limit("too many slots asked for"));
        }
        let car_ids = self.names(slots);
        self.text(protocol::who_all(n, &car_ids)).await
    }

    /// The bikes in these slots, as far as the viewer may know them.
    fn names(&self, slots: &[u32]) -> Vec<Option<String>> {
        let viewer = &self.outlet.viewer;
        if !viewer.may(VEHICLE_CODES) {
            return vec![None; slots.len()];
        }
        let fleet = self.hub.memory.read();
        let seen = |slot: &u32| fleet.record(*slot).filter(|record| record.is_shown_to(&viewer.scope));
        slots.iter().map(|slot| seen(slot).map(|record| record.car_id.clone())).collect()
    }

    async fn beat(&mut self, beat: &Beat) -> Result<(), End> {
        let Some(viewport) = &mut self.fleet else { return Ok(()) };
        let messages = viewport.beat(beat, &self.hub);
        if messages.is_empty() {
            return Ok(());
        }
        self.outlet.send(messages).await?;
        crate::measure::pushed(beat.buffers.oldest, self.hub.clock.now());
        Ok(())
    }

    async fn show_cars(&mut self) -> Result<(), End> {
        let mut messages = Vec::new();
        let scope = Arc::clone(&self.outlet.viewer.scope);
        let shown = |car_id: &str| {
            let fleet = self.hub.memory.read();
            let record = fleet.slot(car_id).and_then(|slot| fleet.record(slot));
            scope.cars.is_all() || record.is_some_and(|record| record.is_shown_to(&scope))
        };
        for watch in self.cars.values_mut() {
            let Some(frame) = self.hub.cars.frame(&watch.car_id) else { continue };
            if frame.seq > watch.sent {
                watch.sent = frame.seq;
                // A bike that went to another area is not shown any more.
                // Nor is one whose state is not for him.
                if self.outlet.viewer.scope.contains(frame.owner) && shown(&watch.car_id) {
                    messages.push(Message::Text(frame.text));
                }
            }
        }
        self.outlet.send(messages).await
    }

    async fn show_rows(&mut self, told: Option<Arc<RowsChanged>>) -> Result<(), End> {
        let time_ms = self.hub.clock.now().millis();
        let frame = |table: &str, position: i64, keys: &[&str]| {
            let text = protocol::data(&format!("read/{table}"), position, time_ms, &json!({ "keys": keys }));
            Message::Text(text.into())
        };
        let messages = match &told {
            // Missed some: everything may have changed.
            None => self.tables.iter().map(|table| frame(table, 0, &[])).collect(),
            Some(changed) if !self.tables.contains(&changed.table) => Vec::new(),
            Some(changed) if changed.rows.is_empty() => vec![frame(&changed.table, changed.position, &[])],
            Some(changed) => {
                let keys: Vec<&str> = changed.keys_in(&self.outlet.viewer.scope).collect();
                match keys.len() {
                    0 => Vec::new(),
                    1..=MAX_KEYS => vec![frame(&changed.table, changed.position, &keys)],
                    _ => vec![frame(&changed.table, changed.position, &[])],
                }
            }
        };
        self.outlet.send(messages).await
    }

    /// Asks again whether this viewer may look: what ended while nobody could tell us ends here.
    async fn recheck(&mut self) -> Result<(), End> {
        match self.hub.authentication.admit(&self.credentials.0, &self.credentials.1).await {
            Ok(viewer) => {
                let old = &self.outlet.viewer;
                if *viewer.scope != *old.scope
                    || *viewer.full_scope != *old.full_scope
                    || viewer.permission_version != old.permission_version
                {
                    return Err(End::Bye(Bye::ScopeChanged));
                }
                // A session may have been told to end earlier than it said at first.
                self.outlet.until = instant(viewer.until, self.hub.clock.now());
                Ok(())
            }
            Err(Denied::NotSignedIn) => Err(End::Bye(Bye::SignedOut)),
            Err(Denied::Disabled) => Err(End::Bye(Bye::Disabled)),
            // The database is away: that is no reason to go dark.
            Err(Denied::Unknown(error)) => {
                tracing::warn!(error = %error, "a viewer cannot be looked at again");
                Ok(())
            }
        }
    }
}

/// The next change of rows, or nothing when some were missed; never while no table is watched.
async fn hear_rows(
    rows: &mut broadcast::Receiver<Arc<RowsChanged>>,
    unwatched: bool,
) -> Option<Arc<RowsChanged>> {
    if unwatched {
        // What happens before a table is watched need not be heard.
        *rows = rows.resubscribe();
        return pending().await;
    }
    match rows.recv().await {
        Ok(changed) => Some(changed),
        Err(RecvError::Lagged(_)) => None,
        Err(RecvError::Closed) => pending().await,
    }
}
