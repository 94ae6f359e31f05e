//! `wheelhouse demo`: orders of two years, made up, for a database that is no real system's.

use std::io::IsTerminal as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow, ensure};
use chrono::{NaiveDate, NaiveTime};
use fleet::model::device::{Device, DeviceCommand, Imei};
use fleet::model::vehicle::{self, CarId, Vehicle, VehicleCommand};
use geofence::Ring;
use kernel::log::checkpoint;
use kernel::projecting::Projectors;
use kernel::{CommandContext, MasterKey, Runtime};
use riding::RiderKeys;
use riding::demo::life::Times;
use riding::demo::logged::{DemoArea, Logged};
use riding::demo::{LOGGED_MAX, ORDERS_MAX, filled};
use serde_json::Value;
use sqlx::types::Json;
use territory::model::agent::{self, Agent, AgentCommand, BillingWay, Profile as Company, Terms};
use territory::model::area::{Area, AreaCommand, Plan};
use tokio::task::JoinSet;
use vocabulary::{AgentId, AreaId, Clock as _, Datum, Scope, SystemClock, Timestamp, Wgs84};
use wire::Refused;

use crate::config::{Profile, Stores};
use crate::{checkpoints, contexts, maintenance};

const DAY_MS: i64 = 86_400_000;
/// Shanghai's clock is ahead of UTC by this.
const AHEAD_MS: i64 = 8 * 3_600_000;
/// Orders at work at the same time; a rider's come one after the other.
const WORKERS: i64 = 32;
/// One rider for so many orders, at least and at most so many.
const ORDERS_OF_RIDER: i64 = 20;
const RIDERS: (i64, i64) = (20, 50_000);
/// Companies of demo cities end so; a database that has another one is somebody's.
const COMPANIES: [&str; 3] = ["轻骑出行", "绿行科技", "小鹭单车"];
/// Of a city that is made because there is none: areas of each company, bikes of each area.
const AREAS: i64 = 2;
const BIKES: i64 = 40;

/// What is made.
#[derive(Clone, Copy, Debug, clap::Args)]
pub struct DemoOptions {
    /// So many orders. Up to a million go through the log; older ones beyond stand in the read model alone, and a rebuild
    /// leaves them out.
    #[arg(long, value_parser = clap::value_parser!(i64).range(1..=ORDERS_MAX))]
    orders: i64,
    /// Other numbers make other orders; the same ones, with the same last day, make the same orders, once.
    #[arg(long, default_value_t = 7)]
    seed: i64,
    /// They lie in so many days before …
    #[arg(long, default_value_t = 700, value_parser = clap::value_parser!(i64).range(1..=730))]
    days: i64,
    /// … the beginning of this day (`YYYY-MM-DD`, Shanghai); left out: today. To go on with a run of another day, name its day.
    #[arg(long)]
    until: Option<NaiveDate>,
    /// development or production; only the first makes anything up.
    #[arg(long, env = "WHEELHOUSE_PROFILE", default_value = "production")]
    profile: Profile,
}

impl DemoOptions {
    fn times(&self, now: Timestamp) -> Result<Times> {
        let day_ms = match self.until {
            Some(day) => day.and_time(NaiveTime::MIN).and_utc().timestamp_millis(),
            None => (now.millis() + AHEAD_MS) / DAY_MS * DAY_MS,
        };
        let until = Timestamp::from_millis(day_ms - AHEAD_MS);
        let span_ms = self.days * DAY_MS;
        let since = until.plus_millis(-span_ms);
        ensure!(until <= now, "--until lies in the future");
        ensure!(since > Times::IDS_SINCE, "ids count from 2024 on: fewer --days, or a later --until");
        Ok(Times { orders: self.orders, since, span_ms, seed: self.seed })
    }
}

/// Makes orders. What stands already is left as it is, so it may be broken off and begun again.
pub async fn demo(stores: &Stores, options: &DemoOptions) -> Result<()> {
    ensure!(
        options.profile == Profile::Development,
        "orders are made up in the development profile alone (--profile development): never in a real system"
    );
    let times = options.times(SystemClock.now())?;
    let (runtime, secrets) = maintenance::runtime(stores).await?;
    is_demo(&runtime).await?;
    let projectors = Projectors::new(runtime.clone(), contexts::projectors(&runtime));
    let names = projectors.names();
    let following = tokio::spawn(async move { projectors.run().await });
    // Where no server ever ran nobody else signs, and `verify` would miss it.
    let signing = tokio::spawn(checkpoint::run(checkpoints::signer(&runtime, stores, &secrets)));
    let keys = RiderKeys::new(&MasterKey::new(secrets.master));
    let made = make(&runtime, keys, times, &names).await;
    runtime.close();
    following.await?;
    signing.await?;
    made
}

async fn make(runtime: &Runtime, keys: RiderKeys, times: Times, names: &[&str]) -> Result<()> {
    let mut areas = standing(runtime).await?;
    if areas.is_empty() {
        make_city(runtime).await?;
        caught_up(runtime, names).await?;
        areas = standing(runtime).await?;
    }
    ensure!(!areas.is_empty(), "no service area has a bike");
    println!(
        "{} service areas, {} bikes.",
        areas.len(),
        areas.iter().map(|area| area.bikes.len()).sum::<usize>()
    );
    let riders = (times.orders / ORDERS_OF_RIDER).clamp(RIDERS.0, RIDERS.1);
    let logged =
        Logged::new(runtime.clone(), keys, times, areas, riders).await.map_err(|refused| told(&refused))?;
    let logged = Arc::new(logged);
    let of = logged.clone();
    let enrol = move |rider| {
        let of = of.clone();
        async move { of.enrol(rider).await }
    };
    at_work("riders", 0, riders, |rider| rider, enrol).await.map_err(|refused| told(&refused))?;
    let first = (times.orders - LOGGED_MAX).max(0);
    if first > 0 {
        caught_up(runtime, names).await?;
        let progress = Told::of("orders in the read model alone", first);
        let mut owner = runtime.pools.owner.acquire().await?;
        filled::fill(&mut owner, &times, first, |done| progress.so_far(done)).await?;
    }
    let (of, whose) = (logged.clone(), logged);
    let live = move |order| {
        let of = of.clone();
        async move { of.live(order).await }
    };
    at_work("orders", first, times.orders, move |order| whose.rider_of(order), live)
        .await
        .map_err(|refused| told(&refused))?;
    caught_up(runtime, names).await?;
    println!("Done. The same again adds nothing; `wheelhouse verify` and `wheelhouse rebuild --all` hold.");
    Ok(())
}

fn told(refused: &Refused) -> anyhow::Error {
    anyhow!("{refused:?}")
}

/// A database without agents, or with those of demo cities alone.
async fn is_demo(runtime: &Runtime) -> Result<()> {
    let companies: Vec<String> =
        sqlx::query_scalar("select company from read.agent").fetch_all(&runtime.pools.owner).await?;
    let other = companies.iter().find(|company| !COMPANIES.iter().any(|known| company.ends_with(known)));
    ensure!(
        other.is_none(),
        "“{}” is no company of a demo city: orders are made up in an empty database or a demo city's alone",
        other.map_or("", String::as_str)
    );
    Ok(())
}

/// Areas that have bikes, as the read models know them.
async fn standing(runtime: &Runtime) -> Result<Vec<DemoArea>> {
    let owner = &runtime.pools.owner;
    let areas: Vec<(i64, i64, Json<Value>)> =
        sqlx::query_as("select area_id, agent_id, ring from read.area where state <> 3 order by area_id")
            .fetch_all(owner)
            .await?;
    let mut all = Vec::new();
    for (area_id, agent_id, Json(ring)) in areas {
        let bikes: Vec<(String, String)> = sqlx::query_as(
            "select car_id, imei from read.vehicle where area_id = $1 and imei is not null order by car_id limit 50000",
        )
        .bind(area_id)
        .fetch_all(owner)
        .await?;
        if bikes.is_empty() {
            continue;
        }
        let corners: Vec<[f64; 2]> = serde_json::from_value(ring).context("an area's ring")?;
        let mean =
            |axis: usize| corners.iter().map(|corner| corner[axis]).sum::<f64>() / corners.len() as f64;
        let place = Wgs84::new(mean(1), mean(0))?;
        all.push(DemoArea { area_id: AreaId(area_id), agent_id: AgentId(agent_id), place, bikes });
    }
    Ok(all)
}

/// Companies with areas and bikes, by the commands that any would be made by.
async fn make_city(runtime: &Runtime) -> Result<()> {
    let ctx = CommandContext::of_system("demo-city", runtime.clock.now());
    for (company, name) in COMPANIES.into_iter().enumerate() {
        let number = company as i64;
        let agent_id = AgentId(runtime.ids.next_id());
        let profile = Company {
            company: format!("演示{name}"),
            contact_name: "林建国".to_owned(),
            phone: format!("1390007{:04}", number + 1).parse()?,
            billing_way: BillingWay::PlatformCashier,
            terms: Terms::default(),
        };
        let registration = agent::Registration::of_platform(agent_id, profile);
        runtime.desk.execute::<Agent>(&agent_id, AgentCommand::Register(registration), &ctx).await?;
        for area in 0..AREAS {
            let (lat, lng) = (24.40 + 0.05 * number as f64, 118.05 + 0.05 * area as f64);
            let corners = [[lng, lat], [lng + 0.03, lat], [lng + 0.03, lat + 0.03], [lng, lat + 0.03]];
            let plan = Plan {
                area_id: AreaId(runtime.ids.next_id()),
                agent_id,
                name: format!("演示{name}{}区", area + 1),
                tel: "4000000000".to_owned(),
                ring: Ring::draw(&corners, Datum::Wgs84)?,
            };
            let area_id = plan.area_id;
            runtime.desk.execute::<Area>(&area_id, AreaCommand::Plan(plan), &ctx).await?;
            runtime.desk.execute::<Area>(&area_id, AreaCommand::Open, &ctx).await?;
            for bike in 0..BIKES {
                let serial = (number * AREAS + area) * BIKES + bike;
                enrol(runtime, &ctx, agent_id, area_id, serial, Wgs84::new(lat + 0.01, lng + 0.01)?).await?;
            }
        }
    }
    Ok(())
}

async fn enrol(
    runtime: &Runtime,
    ctx: &CommandContext,
    agent_id: AgentId,
    area_id: AreaId,
    serial: i64,
    place: Wgs84,
) -> Result<()> {
    let car_id = CarId::try_from(format!("77{serial:06}")).map_err(|why| anyhow!(why))?;
    let imei = Imei::try_from(format!("8677{serial:011}")).map_err(|why| anyhow!("{why}"))?;
    let plate_no = format!("演{serial:05}");
    let registration = vehicle::Registration { car_id: car_id.clone(), plate_no, agent_id, area_id };
    let enrol = VehicleCommand::Enrol { registration, imei: imei.to_string(), place, place_in_area: true };
    runtime.desk.execute::<Vehicle>(&car_id, enrol, ctx).await?;
    let register = DeviceCommand::Register { imei: imei.clone(), car_id, agent_id, area_id };
    runtime.desk.execute::<Device>(&imei, register, ctx).await?;
    Ok(())
}

/// Does `work` for each number from `first` to `end`, several at a time, those of one `lane` one after the other.
async fn at_work<W, F>(
    what: &'static str,
    first: i64,
    end: i64,
    lane: impl Fn(i64) -> i64 + Clone + Send + Sync + 'static,
    work: W,
) -> Result<(), Refused>
where
    W: Fn(i64) -> F + Clone + Send + Sync + 'static,
    F: Future<Output = Result<(), Refused>> + Send,
{
    let told = Arc::new(Told::of(what, end - first));
    let done = Arc::new(AtomicI64::new(0));
    let mut workers = JoinSet::new();
    for worker in 0..WORKERS {
        let (lane, work, told, done) = (lane.clone(), work.clone(), told.clone(), done.clone());
        workers.spawn(async move {
            for number in (first..end).filter(|number| lane(*number) % WORKERS == worker) {
                work(number).await?;
                told.so_far(done.fetch_add(1, Ordering::Relaxed) + 1);
            }
            Ok::<(), Refused>(())
        });
    }
    while let Some(ended) = workers.join_next().await {
        ended.map_err(Refused::unavailable)??;
    }
    Ok(())
}

/// Waits until the read models have all that is in the log.
async fn caught_up(runtime: &Runtime, names: &[&str]) -> Result<()> {
    let head = runtime.reader.head().await?;
    let begun = Instant::now();
    let mut said = Instant::now();
    while !runtime.reads.scoped(&Scope::ALL, Some(head), names).await?.caught_up() {
        if said.elapsed() > Duration::from_secs(10) {
            said = Instant::now();
            println!("Read models follow the log, {} s so far.", begun.elapsed().as_secs());
        }
    }
    Ok(())
}

/// Says how far something is, every few seconds.
struct Told {
    what: &'static str,
    all: i64,
    begun: Instant,
    next_s: AtomicI64,
}

impl Told {
    fn of(what: &'static str, all: i64) -> Self {
        Self { what, all, begun: Instant::now(), next_s: AtomicI64::new(2) }
    }

    fn so_far(&self, done: i64) {
        let (passed, apart_s) = (self.begun.elapsed(), if std::io::stdout().is_terminal() { 2 } else { 10 });
        let due = self.next_s.load(Ordering::Relaxed);
        let is_due = passed.as_secs() as i64 >= due
            && self.next_s.compare_exchange(due, due + apart_s, Ordering::Relaxed, Ordering::Relaxed).is_ok();
        if !is_due && done < self.all {
            return;
        }
        let rate = done as f64 / passed.as_secs_f64().max(0.001);
        let left_s = (self.all - done) as f64 / rate.max(0.001);
        let percent = 100 * done / self.all.max(1);
        println!(
            "{}: {done} of {} ({percent} %), {rate:.0} a second, {left_s:.0} s left",
            self.what, self.all
        );
    }
}
