//! Plays a recording: registers its bikes, then sends its moments as device reports at the chosen speed.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use anyhow::{Context, ensure};
use serde_json::{Value, json};
use tokio::sync::mpsc;

use super::source::Recording;
use crate::demo::setup::register;
use crate::device::{Command, Device};
use crate::firmware::Firmware;
use crate::geometry::{Plane, Xy, convex_hull, ground_distance_m};
use crate::identity::{Identity, Register, stable_hash};
use crate::mqtt::{Connection, Counters, Login, acknowledgement};
use crate::open_api::{OpenApi, OpenApiError};
use crate::report::{Flags, Report};
use crate::wall;

/// Connections of the gateway that carries all bikes.
const CONNECTIONS: usize = 4;
/// How far the area reaches beyond the recording's places.
const BORDER_M: f64 = 300.0;
/// The server calls anything faster an impossible jump, unless the last fix is older than an hour.
const JUMP_KMH: f64 = 160.0;
/// After the last report the queues get this long to empty.
const LAST_WAIT: Duration = Duration::from_secs(20);

/// What the command line asks for.
#[derive(Clone, Debug)]
pub struct Options {
    pub server: String,
    pub token: String,
    pub mqtt: (String, u16),
    pub speed: f64,
    pub agent: String,
    pub area: String,
    /// The instant the first moment gets, epoch milliseconds; none is now.
    pub from_ms: Option<i64>,
    /// Longer stretches without any moment are shortened to this.
    pub longest_gap: Option<Duration>,
    /// Reports carry the recording's own, shifted clock instead of the wall's.
    pub keep_clock: bool,
}

/// A moment of a bike: the lock opened (`locked` false) or closed at a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moment {
    /// Epoch milliseconds in the recording.
    pub at_ms: i64,
    /// Index into the recording's bikes.
    pub bike: u32,
    /// 1e-7 degree.
    pub lng: i32,
    /// 1e-7 degree.
    pub lat: i32,
    /// Whether the lock closed.
    pub locked: bool,
}

/// All moments in time order. Nothing is made up between them.
pub fn moments(recording: &Recording) -> Vec<Moment> {
    let mut moments: Vec<Moment> = Vec::with_capacity(recording.rows.len() * 2);
    for row in &recording.rows {
        let moment = |(at_ms, lng, lat), locked| Moment { at_ms, bike: row.bike, lng, lat, locked };
        moments.extend(row.start.map(|start| moment(start, false)));
        moments.push(moment(row.end, true));
    }
    moments.sort_by_key(|m| m.at_ms);
    moments
}

/// Milliseconds after the first moment at which each is due, gaps shortened, before the speed is applied.
pub fn due_after_ms(moments: &[Moment], longest_gap_ms: Option<i64>) -> Vec<i64> {
    let mut due = 0;
    let mut last = moments.first().map_or(0, |m| m.at_ms);
    moments
        .iter()
        .map(|m| {
            let gap = m.at_ms - last;
            due += longest_gap_ms.map_or(gap, |longest| gap.min(longest));
            last = m.at_ms;
            due
        })
        .collect()
}

/// The area's ring: the places' hull, a little wider; `[lng, lat]`, closed.
pub fn area_ring(moments: &[Moment]) -> Option<Vec<[f64; 2]>> {
    let first = moments.first()?;
    let plane = Plane::at(f64::from(first.lat) / 1e7, f64::from(first.lng) / 1e7);
    let mut points: Vec<Xy> =
        moments.iter().map(|m| plane.xy(f64::from(m.lng) / 1e7, f64::from(m.lat) / 1e7)).collect();
    // The corners round each hull point widen it on every side, a single place included.
    let hull = convex_hull(&points);
    points = hull
        .iter()
        .flat_map(|p| {
            [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)]
                .map(|(x, y)| p.moved(x * BORDER_M, y * BORDER_M))
        })
        .collect();
    let mut ring: Vec<[f64; 2]> = convex_hull(&points)
        .iter()
        .map(|p| {
            let (lng, lat) = plane.lng_lat(*p);
            [(lng * 1e6).round() / 1e6, (lat * 1e6).round() / 1e6]
        })
        .collect();
    ring.push(*ring.first()?);
    Some(ring)
}

/// Stable made-up identities for a recording's bikes, in its order.
pub fn identities(recording: &Recording) -> Vec<Identity> {
    let mut register = Register::default();
    recording.bikes.iter().map(|name| register.identity("R", name)).collect()
}

/// Finds or makes the company and the area; answers (area id, agent id).
async fn prepare_area(
    api: &OpenApi,
    options: &Options,
    moments: &[Moment],
) -> anyhow::Result<(String, String)> {
    let known = api.areas().await.context("读取服务区")?;
    if let Some(found) = known.into_iter().find(|k| k.name == options.area) {
        return Ok((found.area_id, found.agent_id));
    }
    let phone = format!("138{:08}", stable_hash(&options.agent) % 100_000_000);
    let agent = api.create_agent(&options.agent, "回放", &phone).await.context("登记代理商")?;
    let ring = area_ring(moments).context("没有可回放的位置")?;
    let area = api.create_area(&agent, &options.area, &ring).await.context("新建服务区")?;
    // An area opens only with a parking place: one where the first bike stands.
    let first = moments.first().context("没有可回放的位置")?;
    let plane = Plane::at(f64::from(first.lat) / 1e7, f64::from(first.lng) / 1e7);
    let corner = |x, y| {
        let (lng, lat) = plane.lng_lat(Xy::new(x, y));
        [lng, lat]
    };
    let ring =
        [corner(-10.0, -4.0), corner(10.0, -4.0), corner(10.0, 4.0), corner(-10.0, 4.0), corner(-10.0, -4.0)];
    let fence = json!({ "areaId": area, "kind": 2, "name": "回放停车点", "ring": ring, "datum": "wgs84", "capacity": 50 });
    for why in api.create_fences(&[fence]).await.context("画停车点")?.into_iter().flatten() {
        println!("停车点未新建：{why}");
    }
    match api.open_area(&area).await {
        Ok(()) => {}
        Err(OpenApiError::Refused(why)) => println!("服务区未开通：{why}"),
        Err(error) => return Err(error).context("开通服务区"),
    }
    Ok((area, agent))
}

/// Registers the bikes where they first appear; counts refusals by reason.
async fn register_bikes(
    api: &OpenApi,
    identities: &[Identity],
    moments: &[Moment],
    area: &str,
    agent: &str,
) -> anyhow::Result<BTreeMap<String, u64>> {
    let mut first: Vec<Option<&Moment>> = vec![None; identities.len()];
    for moment in moments {
        first[moment.bike as usize].get_or_insert(moment);
    }
    let vehicles: Vec<Value> = identities
        .iter()
        .zip(&first)
        .filter_map(|(identity, first)| first.map(|m| (identity, m)))
        .map(|(identity, m)| {
            json!({
                "carId": identity.car_id, "imei": identity.imei, "plateNo": identity.car_id, "areaId": area, "agentId": agent,
                "lat": f64::from(m.lat) / 1e7, "lng": f64::from(m.lng) / 1e7,
            })
        })
        .collect();
    let mut refusals = BTreeMap::new();
    for result in register(api, &vehicles).await? {
        if let Err(why) = result {
            *refusals.entry(why).or_default() += 1;
        }
    }
    Ok(refusals)
}

/// What the playing came to.
#[derive(Debug, Default, serde::Serialize)]
pub struct Played {
    /// Reports queued for sending.
    pub reports: u64,
    /// Of these, so far from the bike's last place that the server will refuse the position.
    pub too_fast_for_the_server: u64,
    /// Reports handed to a socket.
    pub sent: u64,
    /// Reports pushed out of a full queue.
    pub dropped: u64,
    /// Commands answered.
    pub commands_answered: u64,
    /// Vehicles the server did not take, by its reason.
    pub vehicles_refused: BTreeMap<String, u64>,
}

struct Fleet {
    identities: Vec<Identity>,
    by_imei: HashMap<String, u32>,
    devices: Vec<Device>,
    riding: Vec<bool>,
    last: Vec<Option<(i64, i32, i32)>>,
    lines: Vec<Connection>,
}

impl Fleet {
    fn line(&self, bike: u32) -> &Connection {
        &self.lines[bike as usize % self.lines.len()]
    }

    fn report(&mut self, bike: u32, at_ms: i64) {
        let i = bike as usize;
        let Some((_, lng, lat)) = self.last[i] else { return };
        let (seq, at_ms) = self.devices[i].stamp(at_ms);
        let report = Report {
            seq,
            at_ms,
            lat: f64::from(lat) / 1e7,
            lng: f64::from(lng) / 1e7,
            hdop_tenths: 9,
            satellites: 10,
            speed_kmh: 0,
            heading_deg: 0,
            soc_percent: 80,
            gsm: 24,
            voltage_mv: 52_000,
            flags: self.devices[i].flags,
            fence_version: self.devices[i].fences.version,
        };
        self.line(bike).send(format!("ebike/{}/up", self.identities[i].imei), report.compact().to_vec());
    }

    /// Whether the server will take this place for an impossible jump.
    fn too_fast(&self, m: &Moment, at_ms: i64) -> bool {
        let Some((last_ms, lng, lat)) = self.last[m.bike as usize] else { return false };
        let degrees = |e7: i32| f64::from(e7) / 1e7;
        let distance_m = ground_distance_m(degrees(lng), degrees(lat), degrees(m.lng), degrees(m.lat));
        let hours = ((at_ms - last_ms).max(1)) as f64 / 3_600_000.0;
        hours < 1.0 && distance_m / 1000.0 / hours > JUMP_KMH
    }

    /// Devices whose line stood since it was looked at before say what they are, and so do those that restarted.
    fn introduce(&mut self, stood: &mut [u64], now_ms: i64) {
        let lines = self.lines.len();
        for (number, seen) in stood.iter_mut().enumerate() {
            let stands = self.lines[number].stood();
            if std::mem::replace(seen, stands) != stands {
                self.devices.iter_mut().skip(number).step_by(lines).for_each(Device::connected);
            }
        }
        for (i, device) in self.devices.iter_mut().enumerate() {
            if let Some(about) = device.introduction(now_ms) {
                let topic = format!("ebike/{}/about", self.identities[i].imei);
                self.lines[i % lines].send(topic, about.to_string().into_bytes());
            }
        }
    }

    fn hear(&mut self, imei: &str, command: &Command, now_ms: i64) -> bool {
        let Some(&bike) = self.by_imei.get(imei) else { return false };
        let i = bike as usize;
        let Some(answer) = self.devices[i].answer(now_ms, command, self.riding[i]) else { return false };
        self.line(bike).send(format!("ebike/{imei}/ack"), acknowledgement(&command.id, answer.code, now_ms));
        if answer.report {
            self.report(bike, now_ms);
        }
        true
    }
}

fn device(identity: &Identity) -> Device {
    let mut device = Device::default();
    device.firmware = Firmware::of(&identity.imei, 0.0);
    device
}

/// Registers and plays; what came of it.
pub async fn run(options: &Options, recording: &Recording) -> anyhow::Result<Played> {
    ensure!(options.speed > 0.0 && options.speed <= 10_000.0, "速度须大于 0，不超过 10000");
    let moments = moments(recording);
    ensure!(!moments.is_empty(), "没有可回放的行");
    let api = OpenApi::new(&options.server, &options.token)?;
    let (area, agent) = prepare_area(&api, options, &moments).await?;
    let identities = identities(recording);
    let vehicles_refused = register_bikes(&api, &identities, &moments, &area, &agent).await?;
    let (user, password) = api.create_gateway("replay").await.context("登记网关")?;
    let counters = Arc::new(Counters::default());
    let (heard, mut commands) = mpsc::channel(8_192);
    let lines = (0..CONNECTIONS)
        .map(|i| {
            let carries: HashSet<String> =
                identities.iter().skip(i).step_by(CONNECTIONS).map(|id| id.imei.clone()).collect();
            let login = Login {
                host: options.mqtt.0.clone(),
                port: options.mqtt.1,
                client_id: format!("{user}:{i}-{}", wall::now_ms()),
                user: user.clone(),
                password: password.clone(),
                subscribe: "ebike/+/down".into(),
            };
            Connection::open(login, carries, Arc::clone(&counters), heard.clone())
        })
        .collect();
    let mut fleet = Fleet {
        by_imei: identities.iter().enumerate().map(|(i, id)| (id.imei.clone(), i as u32)).collect(),
        devices: identities.iter().map(device).collect(),
        riding: vec![false; identities.len()],
        last: vec![None; identities.len()],
        identities,
        lines,
    };
    let due = due_after_ms(&moments, options.longest_gap.map(|gap| gap.as_millis() as i64));
    let from_ms = options.from_ms.unwrap_or_else(wall::now_ms);
    let began = Instant::now();
    let mut played = Played { vehicles_refused, ..Played::default() };
    let mut told = Instant::now();
    let mut next = 0;
    let mut ticks = tokio::time::interval(Duration::from_millis(50));
    let mut over: Option<Instant> = None;
    let mut stood = vec![0; fleet.lines.len()];
    loop {
        tokio::select! {
            _ = ticks.tick() => {}
            Some((imei, command)) = commands.recv() => {
                played.commands_answered += u64::from(fleet.hear(&imei, &command, wall::now_ms()));
            }
            _ = tokio::signal::ctrl_c() => break,
        }
        fleet.introduce(&mut stood, wall::now_ms());
        let lived_ms = (began.elapsed().as_millis() as f64 * options.speed) as i64;
        while next < moments.len() && due[next] <= lived_ms {
            let m = moments[next];
            let after_ms =
                if options.keep_clock { due[next] } else { (due[next] as f64 / options.speed) as i64 };
            let at_ms = from_ms + after_ms;
            played.too_fast_for_the_server += u64::from(fleet.too_fast(&m, at_ms));
            fleet.last[m.bike as usize] = Some((at_ms, m.lng, m.lat));
            fleet.riding[m.bike as usize] = !m.locked;
            fleet.devices[m.bike as usize].lock(m.locked);
            fleet.devices[m.bike as usize].flags.set(Flags::MOVING, false);
            fleet.report(m.bike, at_ms);
            played.reports += 1;
            next += 1;
        }
        let waiting: usize = fleet.lines.iter().map(Connection::waiting).sum();
        if told.elapsed() >= Duration::from_secs(10) {
            told = Instant::now();
            println!(
                "已回放 {next}/{}，排队 {waiting}，丢弃 {}",
                moments.len(),
                counters.dropped.load(Ordering::Relaxed)
            );
        }
        if next == moments.len() {
            let since = *over.get_or_insert_with(Instant::now);
            // A second more for what the socket still holds.
            if (waiting == 0 && since.elapsed() > Duration::from_secs(1)) || since.elapsed() > LAST_WAIT {
                break;
            }
        }
    }
    played.sent = counters.sent.load(Ordering::Relaxed);
    played.dropped = counters.dropped.load(Ordering::Relaxed);
    Ok(played)
}
