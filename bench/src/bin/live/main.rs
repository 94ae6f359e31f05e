//! How many bikes, each reporting every five seconds over MQTT, can 200 dashboards watch at once while the time from
//! publish to websocket frame stays under 300 ms for 99 of 100 updates? Everything runs on this machine: the server,
//! PostgreSQL (durable), NATS, the bikes and the dashboards.
#![forbid(unsafe_code)]

mod bikes;
mod city;
mod dashboards;
mod fleet;
mod gateways;
mod sign_in;
mod stack;
mod usage;
mod views;

use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use bench::{Report, Row};
use clap::Parser;
use tokio::time::{Instant, sleep};

use crate::bikes::SentTimes;
use crate::city::City;
use crate::dashboards::{Dashboard, Tally};
use crate::fleet::Case;
use crate::gateways::{BIKES_A_GATEWAY, Beat, Load};
use crate::stack::Stack;
use crate::usage::Usage;

const SYSTEM: &str = "wheelhouse";
const GOAL_P99_MS: f64 = 300.0;
/// Beyond this there is no use in adding more bikes.
const HOPELESS_P99_MS: f64 = 3_000.0;
/// Updates that must be seen of 100 that were passed on or passed over.
const LEAST_SHOWN_PERCENT: f64 = 99.0;

/// Highest number of bikes whose positions reach 200 dashboards within 300 ms.
#[derive(Parser)]
#[command(name = "live")]
struct Line {
    /// Numbers of bikes to try, rising.
    #[arg(long, value_delimiter = ',', default_value = "5000,10000,15000,20000,25000")]
    steps: Vec<u32>,
    /// Instead of steps: a city of so many bikes, 8 of 100 ridden, the others standing.
    #[arg(long)]
    fleet: Option<u32>,
    /// Dashboards, each with a view of its own.
    #[arg(long, default_value_t = 200, value_parser = clap::value_parser!(u32).range(1..=1000))]
    dashboards: u32,
    /// Seconds before each measurement.
    #[arg(long, default_value_t = 15, value_parser = clap::value_parser!(u64).range(1..=120))]
    warm_up_s: u64,
    /// Seconds of each measurement.
    #[arg(long, default_value_t = 25, value_parser = clap::value_parser!(u64).range(5..=300))]
    measure_s: u64,
    /// Waits so long after the last step, for looking at the processes.
    #[arg(long, default_value_t = 0, value_parser = clap::value_parser!(u64).range(0..=300))]
    linger_s: u64,
}

/// Everything at one moment.
struct Moment {
    at: Instant,
    parts: [Usage; 3],
    own: Usage,
    machine_s: f64,
    reports: u64,
    late: u64,
    broken: u64,
}

impl Moment {
    fn now(stack: &Stack, load: &Load) -> Result<Self> {
        Ok(Self {
            at: Instant::now(),
            parts: stack.usage()?,
            own: usage::of(std::process::id())?,
            machine_s: usage::machine_busy_s()?,
            reports: load.reports.load(Ordering::Relaxed),
            late: load.late.load(Ordering::Relaxed),
            broken: load.broken.load(Ordering::Relaxed),
        })
    }
}

fn main() -> ExitCode {
    bench::told(measured())
}

fn measured() -> Result<()> {
    let line = Line::parse();
    let most = match line.fleet {
        Some(bikes) => fleet::checked(bikes)?,
        None => line.steps.last().copied().context("no steps")?,
    };
    ensure!(line.steps.is_sorted() && (1..=100_000).contains(&most), "steps must rise, up to 100000");
    // Before the runtime: starting blocks.
    let stack = Stack::start()?;
    println!("Server, NATS, PostgreSQL: {:?}; log {}", stack.pids()?, stack.server_log().display());
    tokio::runtime::Builder::new_multi_thread().enable_all().build()?.block_on(run(&line, most, stack))
}

async fn run(line: &Line, most: u32, mut stack: Stack) -> Result<()> {
    let http = reqwest::Client::builder().timeout(Duration::from_secs(120)).no_proxy().build()?;
    let server = format!("http://127.0.0.1:{}", stack.port);
    let city = City::found(http.clone(), server.clone(), stack.token.clone()).await?;
    let began = Instant::now();
    city.register(0..most).await?;
    let took = began.elapsed().as_secs_f64();
    println!("{most} bikes registered in {took:.1} s");
    let mut report = Report::new("live");
    report.add(Row::new(SYSTEM, "registration", f64::from(most) / took, "bikes/s"));
    let settled = settle(&stack).await?;
    println!("Settled after {settled:.0} s");

    let load = Arc::new(Load {
        began: Instant::now(),
        sent: SentTimes::new(most),
        reports: AtomicU64::new(0),
        late: AtomicU64::new(0),
        broken: AtomicU64::new(0),
    });
    let session = sign_in::sign_in(&http, &server, stack::ADMIN_PHONE, stack::CODE).await?;
    let mut dashboards = Vec::new();
    for number in 0..line.dashboards {
        dashboards.push(Dashboard::open(stack.port, &session, number, Arc::clone(&load)).await?);
    }
    if let Some(bikes) = line.fleet {
        let case = Case { line, stack: &stack, city: &city, session: &session, load: &load, bikes };
        case.run(&dashboards, &mut report).await?;
        return finish(&stack, &city, report).await;
    }
    let mut open = Vec::new();
    let mut reporting = 0;
    let mut within = 0;
    for step in &line.steps {
        while reporting < *step {
            let end = (reporting + BIKES_A_GATEWAY).min(*step);
            let bikes = reporting..end;
            open.push(
                gateways::open(stack.mqtt_port, &city.gateway, bikes, Beat::Even, Arc::clone(&load)).await?,
            );
            reporting = end;
        }
        sleep(Duration::from_secs(line.warm_up_s)).await;
        stack.check()?;
        dashboards.iter().for_each(|dashboard| drop(dashboard.take()));
        let before = Moment::now(&stack, &load)?;
        sleep(Duration::from_secs(line.measure_s)).await;
        let after = Moment::now(&stack, &load)?;
        let expected = |dashboard: &Dashboard| dashboard.view.shown_for_sure(*step);
        let measured = Measured::of(format!("{step}-bikes"), &dashboards, expected, before, after);
        let p99_ms = measured.tell(&mut report)?;
        if measured.good(p99_ms) {
            within = *step;
        }
        if p99_ms > HOPELESS_P99_MS || measured.closed > 0 {
            println!("No use in more.");
            break;
        }
    }
    report.add(Row::new(SYSTEM, "bikes-under-300ms", f64::from(within), "bikes"));
    sleep(Duration::from_secs(line.linger_s)).await;
    drop((open, dashboards));
    finish(&stack, &city, report).await
}

async fn finish(stack: &Stack, city: &City, report: Report) -> Result<()> {
    println!("{}", of_interest(&city.metrics().await?));
    let path = report.finish()?;
    stack.keep_log(path.parent().context("no folder")?)?;
    println!("Figures: {}", path.display());
    Ok(())
}

/// Waits until the server has digested the registration: less than a tenth of a processor for three seconds. How many
/// seconds that took; an error after eight minutes.
async fn settle(stack: &Stack) -> Result<f64> {
    let began = Instant::now();
    let mut quiet = 0;
    while quiet < 3 {
        ensure!(
            began.elapsed() < Duration::from_mins(8),
            "the server does not come to rest after registration"
        );
        let before = stack.usage()?[0].cpu_s;
        sleep(Duration::from_secs(1)).await;
        quiet = if stack.usage()?[0].cpu_s - before < 0.1 { quiet + 1 } else { 0 };
    }
    Ok(began.elapsed().as_secs_f64())
}

/// Of the server's figures, those about live data.
fn of_interest(metrics: &str) -> String {
    let lines: Vec<&str> = metrics.lines().filter(|line| line.starts_with("wheelhouse_live_")).collect();
    lines.join("\n")
}

/// One measurement.
struct Measured {
    case: String,
    before: Moment,
    after: Moment,
    sum: Tally,
    /// Pairs of dashboard and bike where nothing was seen.
    missing: u64,
    /// Dashboards that lost their socket.
    closed: u64,
}

impl Measured {
    /// What `dashboards` saw between two moments; each of the bikes that `expected` names is to be among it.
    fn of(
        case: String,
        dashboards: &[Dashboard],
        expected: impl Fn(&Dashboard) -> Vec<u32>,
        before: Moment,
        after: Moment,
    ) -> Self {
        let mut sum = Tally::default();
        let (mut missing, mut closed) = (0, 0);
        for dashboard in dashboards {
            let tally = dashboard.take();
            missing += tally.missing(&expected(dashboard));
            closed += u64::from(!dashboard.is_open());
            sum.add(&tally);
        }
        Self { case, before, after, sum, missing, closed }
    }

    fn shown_percent(&self) -> f64 {
        100.0 * self.sum.updates as f64 / (self.sum.updates + self.sum.skipped).max(1) as f64
    }

    fn good(&self, p99_ms: f64) -> bool {
        p99_ms < GOAL_P99_MS
            && self.sum.updates > 0
            && self.missing == 0
            && self.closed == 0
            && self.after.broken == self.before.broken
            && self.shown_percent() >= LEAST_SHOWN_PERCENT
    }

    /// Prints and adds the figures; the 99th percentile in ms.
    fn tell(&self, report: &mut Report) -> Result<f64> {
        let Self { before, after, sum, .. } = self;
        let seconds = (after.at - before.at).as_secs_f64();
        let latency = |percentile: f64| sum.latency_us.value_at_percentile(percentile) as f64 / 1000.0;
        let cores = |before: Usage, after: Usage| (after.cpu_s - before.cpu_s) / seconds;
        let updates = sum.updates.max(1) as f64;
        let p99_ms = latency(99.0);
        let ours: f64 = (0..3).map(|part| after.parts[part].cpu_s - before.parts[part].cpu_s).sum::<f64>()
            + after.own.cpu_s
            - before.own.cpu_s;
        let mut figures = vec![
            ("p50 ms", latency(50.0)),
            ("p95 ms", latency(95.0)),
            ("p99 ms", p99_ms),
            ("max ms", sum.latency_us.max() as f64 / 1000.0),
            ("reports/s in", (after.reports - before.reports) as f64 / seconds),
            ("updates/s out", sum.updates as f64 / seconds),
            ("frames/s out", sum.frames as f64 / seconds),
            ("record bytes an update", 16.0 * (sum.updates + sum.repeated + sum.unknown) as f64 / updates),
            ("frame bytes an update", sum.frame_bytes as f64 / updates),
            ("% shown", self.shown_percent()),
            ("bikes missing", self.missing as f64),
            ("sockets lost", self.closed as f64),
            ("repeated", sum.repeated as f64),
            ("unknown", sum.unknown as f64),
            ("reports sent late", (after.late - before.late) as f64),
        ];
        for (part, name) in ["server", "NATS", "PostgreSQL"].into_iter().enumerate() {
            let (cpu, memory) = match name {
                "server" => ("server cores", "server MB"),
                "NATS" => ("NATS cores", "NATS MB"),
                _ => ("PostgreSQL cores", "PostgreSQL MB"),
            };
            figures.push((cpu, cores(before.parts[part], after.parts[part])));
            figures.push((memory, after.parts[part].memory_bytes as f64 / 1e6));
        }
        figures.push(("generator cores", cores(before.own, after.own)));
        figures.push(("generator MB", after.own.memory_bytes as f64 / 1e6));
        // A busy neighbour spoils the figures: how busy, stands beside them.
        figures.push(("others' cores", (after.machine_s - before.machine_s - ours) / seconds));
        println!("{}:", self.case);
        for (unit, value) in figures {
            println!("  {unit:<24} {value:>12.2}");
            report.add(Row::new(SYSTEM, &self.case, value, unit));
        }
        Ok(p99_ms)
    }
}
