//! `simulator demo`: a city set up through the open API, then living on MQTT.

mod past;
pub(crate) mod setup;

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use anyhow::{Context, ensure};
use tokio::sync::{Semaphore, mpsc};

use crate::mqtt::{Connection, Counters, Login, acknowledgement};
use crate::open_api::OpenApi;
use crate::riders::{AreaOfCity, Riders, Wanted};
use crate::wall;
use crate::world::{Action, Call, Habits, Outcome, World};

/// Bikes one gateway connection carries.
const BIKES_PER_CONNECTION: usize = 500;
/// Calls of the open API at one time.
const CALLS_IN_FLIGHT: usize = 64;
/// Calls that wait for their turn; more are not made.
const CALLS_WAITING: usize = 4_000;
/// How often a bike stopped on a day of the past.
const STOPS_A_DAY: u32 = 3;
/// Commands waiting to be looked at.
const COMMANDS_WAITING: usize = 8_192;
/// Faster, and the server rightly calls a 25 km/h ride an impossible jump (over 160 km/h).
const FASTEST: f64 = 6.0;

/// What the command line asks for.
#[derive(Clone, Debug)]
pub struct Options {
    pub server: String,
    pub token: String,
    pub mqtt: (String, u16),
    pub seed: u64,
    pub bikes: u32,
    pub speed: f64,
    pub report_every: Option<Duration>,
    pub run_for: Option<Duration>,
    pub own_connections: usize,
    pub trouble: f64,
    /// Rides a bike makes on a mean day.
    pub rides_per_bike_day: f64,
    /// Login phone of who leads the maintenance areas; without one there are none.
    pub manager: Option<String>,
    /// Days before the start whose stops are told.
    pub past_days: i64,
    /// The hour of the city's day at the start; nothing: the hour that it is.
    pub wakes_at: Option<f64>,
}

struct Answered {
    id: u64,
    outcome: Outcome,
}

/// Runs until `run_for` is over or the process is told to stop.
pub async fn run(options: Options) -> anyhow::Result<()> {
    ensure!(options.bikes >= 1, "至少要有一辆车");
    ensure!(options.wakes_at.is_none_or(|hour| (0.0..24.0).contains(&hour)), "起始钟点须在 0 到 24 之间");
    ensure!(
        (0.1..=FASTEST).contains(&options.speed),
        "速度须在 0.1 到 {FASTEST} 之间：再快，服务器会把正常骑行判为位置跳变"
    );
    let start_ms = wall::now_ms();
    let habits = Habits {
        report_every_ms: options.report_every.map(|every| (every.as_millis() as f64 * options.speed) as i64),
        trouble: options.trouble,
        rides_per_bike_day: options.rides_per_bike_day,
        wakes_at: options.wakes_at,
    };
    let mut world = World::new(options.seed, options.bikes, start_ms, habits);
    println!(
        "城市 {}：{} 个服务区，{} 个停车点，{} 条路段，{} 辆车",
        world.city.name,
        world.city.areas.len(),
        world.city.parkings.len(),
        world.city.graph.edges.len(),
        world.bikes.len()
    );
    if let Some(hour) = options.wakes_at {
        println!("城市的一天从 {hour} 时开始（与此刻的钟点无关），骑行量随它变化");
    }
    let api = OpenApi::new(&options.server, &options.token)?;
    // Where bikes stopped in the past is judged by the fences of the past.
    let since_ms = (options.past_days > 0).then(|| start_ms - options.past_days * past::DAY_MS);
    let ready =
        setup::set_up(&api, &world, options.manager.as_deref(), since_ms).await.context("布置演示城市")?;
    setup::tell_past(&api, &past::stops(&world, start_ms, options.past_days, STOPS_A_DAY)).await?;
    let (heard, commands) = mpsc::channel(COMMANDS_WAITING);
    let lines = Lines::open(&options, &world, &ready, &heard);
    drop(heard);
    live(&options, &mut world, &api, lines, &ready.areas, commands).await
}

/// The connections, and which bike speaks through which.
struct Lines {
    all: Vec<Connection>,
    line_of: Vec<usize>,
    own: usize,
    counters: Arc<Counters>,
}

impl Lines {
    fn open(
        options: &Options,
        world: &World,
        ready: &setup::Ready,
        heard: &mpsc::Sender<(String, crate::device::Command)>,
    ) -> Self {
        let counters = Arc::new(Counters::default());
        let own = options.own_connections.min(world.bikes.len());
        let (host, port) = options.mqtt.clone();
        let mut all = Vec::new();
        let mut line_of = Vec::with_capacity(world.bikes.len());
        for (bike, secret) in world.bikes.iter().zip(&ready.secrets).take(own) {
            let imei = &bike.identity.imei;
            line_of.push(all.len());
            all.push(Connection::open(
                Login {
                    host: host.clone(),
                    port,
                    client_id: imei.clone(),
                    user: imei.clone(),
                    password: secret.clone(),
                    subscribe: format!("ebike/{imei}/down"),
                },
                HashSet::from([imei.clone()]),
                Arc::clone(&counters),
                heard.clone(),
            ));
        }
        let carried = world.bikes.len() - own;
        for (i, bikes) in world.bikes[own..].chunks(BIKES_PER_CONNECTION).enumerate() {
            all.push(Connection::open(
                Login {
                    host: host.clone(),
                    port,
                    client_id: format!("{}:{i}", ready.gateway.0),
                    user: ready.gateway.0.clone(),
                    password: ready.gateway.1.clone(),
                    subscribe: "ebike/+/down".into(),
                },
                bikes.iter().map(|b| b.identity.imei.clone()).collect(),
                Arc::clone(&counters),
                heard.clone(),
            ));
        }
        line_of.extend((0..carried).map(|i| own + i / BIKES_PER_CONNECTION));
        Self { all, line_of, own, counters }
    }

    /// Tells `each` of the bikes whose line stood since it was looked at before, when it had stood `seen` times.
    fn each_anew(&self, seen: &mut [u64], mut each: impl FnMut(u32)) {
        let anew: Vec<bool> = self
            .all
            .iter()
            .zip(seen)
            .map(|(line, seen)| {
                let stood = line.stood();
                std::mem::replace(seen, stood) != stood
            })
            .collect();
        if anew.contains(&true) {
            let bikes = self.line_of.iter().enumerate().filter(|(_, line)| anew[**line]);
            bikes.for_each(|(bike, _)| each(bike as u32));
        }
    }

    fn send(&self, bike: u32, topic: String, payload: Vec<u8>) {
        self.all[self.line_of[bike as usize]].send(topic, payload);
    }
}

/// From simulated to wall time: what a device puts into its reports.
#[derive(Clone, Copy)]
struct Pace {
    start_ms: i64,
    speed: f64,
}

impl Pace {
    fn simulated(self, wall_ms: i64) -> i64 {
        self.start_ms + ((wall_ms - self.start_ms) as f64 * self.speed) as i64
    }

    fn wall(self, simulated_ms: i64) -> i64 {
        self.start_ms + ((simulated_ms - self.start_ms) as f64 / self.speed) as i64
    }
}

async fn live(
    options: &Options,
    world: &mut World,
    api: &OpenApi,
    lines: Lines,
    areas: &[AreaOfCity],
    mut commands: mpsc::Receiver<(String, crate::device::Command)>,
) -> anyhow::Result<()> {
    let pace = Pace { start_ms: world.now_ms(), speed: options.speed };
    let by_imei: HashMap<String, u32> =
        world.bikes.iter().enumerate().map(|(i, b)| (b.identity.imei.clone(), i as u32)).collect();
    let (done, mut answers) = mpsc::channel::<Answered>(CALLS_WAITING);
    let turns = Arc::new(Semaphore::new(CALLS_IN_FLIGHT));
    let riders = Arc::new(Riders::new(api.clone()));
    let mut calls: VecDeque<(u64, u32, Call)> = VecDeque::new();
    let mut refusals: HashMap<String, u64> = HashMap::new();
    let mut ticks = tokio::time::interval(Duration::from_millis(100));
    ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Skip);
    let began = Instant::now();
    let mut stood = vec![0; lines.all.len()];
    let mut stats = Stats { last: Instant::now(), sent: 0 };
    loop {
        let mut actions = Vec::new();
        tokio::select! {
            _ = ticks.tick() => {
                lines.each_anew(&mut stood, |bike| world.connected(bike));
                actions = world.step(pace.simulated(wall::now_ms()));
            }
            Some((imei, command)) = commands.recv() => {
                if let Some(bike) = by_imei.get(&imei) { world.command(*bike, command); }
            }
            Some(Answered { id, outcome }) = answers.recv() => {
                if let Outcome::Refused(why) = &outcome && (refusals.len() < 200 || refusals.contains_key(why)) {
                    *refusals.entry(why.clone()).or_default() += 1;
                }
                actions = world.answered(id, &outcome);
            }
            _ = tokio::signal::ctrl_c() => break,
        }
        let mut queue: VecDeque<Action> = actions.into();
        while let Some(action) = queue.pop_front() {
            match action {
                Action::Report { bike, mut report } => {
                    report.at_ms = pace.wall(report.at_ms);
                    let topic = format!("ebike/{}/up", world.bikes[bike as usize].identity.imei);
                    let own = (bike as usize) < lines.own;
                    let payload =
                        if own { report.json().to_string().into_bytes() } else { report.compact().to_vec() };
                    lines.send(bike, topic, payload);
                }
                Action::Ack { bike, id, code, at_ms } => {
                    let topic = format!("ebike/{}/ack", world.bikes[bike as usize].identity.imei);
                    lines.send(bike, topic, acknowledgement(&id, code, pace.wall(at_ms)));
                }
                Action::About { bike, about } => {
                    let topic = format!("ebike/{}/about", world.bikes[bike as usize].identity.imei);
                    lines.send(bike, topic, about.to_string().into_bytes());
                }
                Action::Call { id, bike, call } if calls.len() < CALLS_WAITING => {
                    calls.push_back((id, bike, call));
                }
                Action::Call { id, .. } => queue.extend(world.answered(id, &Outcome::Failed)),
                Action::Wish(wish) => {
                    // Nobody waits for its answer; where all are busy it is not asked.
                    let Ok(turn) = Arc::clone(&turns).try_acquire_owned() else { continue };
                    let (api, at_ms) = (api.clone(), pace.wall(wish.at_ms));
                    tokio::spawn(async move {
                        match api.apply_for_parking(&wish, at_ms).await {
                            Outcome::Done => {}
                            Outcome::Refused(why) => println!("  站点申请未受理：{why}"),
                            Outcome::Failed => println!("  站点申请没有送达"),
                        }
                        drop(turn);
                    });
                }
                Action::Look(look) => {
                    let Ok(turn) = Arc::clone(&turns).try_acquire_owned() else { continue };
                    let car_id = look.bike.map(|bike| world.bikes[bike as usize].identity.car_id.clone());
                    let (riders, area) = (Arc::clone(&riders), areas[look.area].clone());
                    tokio::spawn(async move {
                        if let Err(error) = riders.look(look.rider, &area, look.at, car_id).await {
                            println!("  找车没有得到回答：{error}");
                        }
                        drop(turn);
                    });
                }
            }
        }
        while let Some((id, bike, call)) = calls.pop_front() {
            let Ok(turn) = Arc::clone(&turns).try_acquire_owned() else {
                calls.push_front((id, bike, call));
                break;
            };
            let (api, done, riders) = (api.clone(), done.clone(), Arc::clone(&riders));
            let of = &world.bikes[bike as usize];
            let (car_id, area) = (of.identity.car_id.clone(), areas[of.area].clone());
            let at = world.city.degrees(of.at);
            let key = format!("{}-{id}", pace.start_ms);
            tokio::spawn(async move {
                let outcome = match call {
                    Call::Ride { action, rider } => {
                        riders.act(&Wanted { bike, car_id, area, at, action, rider, key }).await
                    }
                    Call::Work { action, kind, worker } => {
                        api.work(&car_id, (action, kind), worker, &key).await
                    }
                };
                drop(turn);
                // The receiver is gone only when the run is over.
                let _ = done.send(Answered { id, outcome }).await;
            });
        }
        if stats.last.elapsed() >= Duration::from_secs(10) {
            stats.print(world, &lines, calls.len(), &refusals);
        }
        if options.run_for.is_some_and(|limit| began.elapsed() >= limit) {
            break;
        }
    }
    stats.print(world, &lines, calls.len(), &refusals);
    Ok(())
}

struct Stats {
    last: Instant,
    sent: u64,
}

impl Stats {
    fn print(&mut self, world: &World, lines: &Lines, calls: usize, refusals: &HashMap<String, u64>) {
        let c = &lines.counters;
        let get = |counter: &std::sync::atomic::AtomicU64| counter.load(Ordering::Relaxed);
        let sent = get(&c.sent);
        let seconds = self.last.elapsed().as_secs_f64().max(0.001);
        let waiting: usize = lines.all.iter().map(Connection::waiting).sum();
        println!(
            "报文 {sent}（{:.0}/秒，排队 {waiting}，丢弃 {}）连接 {}/{}（断开 {}）指令 {}（未读 {}）调用排队 {calls} {}",
            (sent - self.sent) as f64 / seconds,
            get(&c.dropped),
            get(&c.standing),
            lines.all.len(),
            get(&c.breaks),
            get(&c.commands),
            get(&c.commands_lost),
            serde_json::to_string(&world.tally).unwrap_or_default(),
        );
        let mut reasons: Vec<_> = refusals.iter().collect();
        reasons.sort_by(|a, b| b.1.cmp(a.1).then(a.0.cmp(b.0)));
        for (why, count) in reasons.into_iter().take(5) {
            println!("  拒绝 {count}：{why}");
        }
        (self.last, self.sent) = (Instant::now(), sent);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wall_and_simulated_time_are_each_others_inverse() {
        let pace = Pace { start_ms: 1_000_000, speed: 4.0 };
        assert_eq!(pace.simulated(1_002_500), 1_010_000);
        assert_eq!(pace.wall(1_010_000), 1_002_500);
    }
}
