//! The log against other event stores: appends a second, replay, rebuild, all on one durable PostgreSQL in one run.
#![forbid(unsafe_code)]

mod bike;
mod goals;
mod load;
mod systems;

use std::collections::BTreeMap;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, Result};
use bench::{Patience, Report, Row, Server, median};
use clap::Parser;

use crate::systems::{Rebuilder, System, make_table};

/// All systems are measured with the allocator that the server runs with.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const CALLERS: [usize; 4] = [1, 8, 64, 256];
/// The first PostgreSQL whose SQL disintegrate-postgres speaks.
const DISINTEGRATE_FROM: i32 = 160_000;
/// Events of a stream in the databases that are read.
const STREAM: usize = 100;
/// Who fills them.
const FILLERS: usize = 16;

/// Measures the log and its peers.
#[derive(Parser)]
struct Options {
    /// A durable PostgreSQL with nothing else to do; the user must be a superuser.
    #[arg(long, env = "DATABASE_URL", hide_env_values = true)]
    database_url: String,
    /// Rounds; figures are medians over them.
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=100))]
    rounds: u32,
    /// How long each measurement takes, in seconds.
    #[arg(long, default_value_t = 3.0)]
    seconds: f64,
    /// Events that are replayed and rebuilt from.
    #[arg(long, default_value_t = 200_000, value_parser = clap::value_parser!(u64).range(1_000..=10_000_000))]
    events: u64,
    /// Connections that each peer and the bare insert may hold; as many as there are callers if not given. (Ours writes
    /// through one.)
    #[arg(long)]
    pool: Option<u32>,
    #[command(flatten)]
    patience: Patience,
    /// Only these cases, such as `append-8,replay`.
    #[arg(long, value_delimiter = ',')]
    only: Vec<String>,
}

#[tokio::main]
async fn main() -> ExitCode {
    bench::told(measured().await)
}

async fn measured() -> Result<()> {
    let options = Options::parse();
    anyhow::ensure!((0.1..=600.0).contains(&options.seconds), "--seconds is between 0.1 and 600");
    let server = Server::at(&options.database_url).await?;
    let mut systems = vec![System::Wheelhouse, System::CqrsEs, System::Esrs];
    if server.version >= DISINTEGRATE_FROM {
        systems.push(System::Disintegrate);
    } else {
        println!(
            "!!! disintegrate DID NOT RUN: its SQL needs PostgreSQL 16 or newer, this is {}.",
            server.title
        );
    }
    systems.push(System::Bare);

    let run = Run { options, server, systems };
    let mut report = Report::new("log");
    report.postgres(&run.server.title);
    let measured = run.measure(&mut report).await;
    for system in &run.systems {
        run.server.drop(&written(*system)).await?;
        run.server.drop(&read(*system)).await?;
    }
    measured?;
    let path = report.finish()?;
    println!("{}", goals::verdicts(&report, &run.systems));
    println!("Written to {}", path.display());
    Ok(())
}

/// The database in which a system is appended to.
fn written(system: System) -> String {
    format!("bench_log_{}_w", system.name().replace('-', "_"))
}

/// The database from which a system is read.
fn read(system: System) -> String {
    format!("bench_log_{}_r", system.name().replace('-', "_"))
}

struct Run {
    options: Options,
    server: Server,
    systems: Vec<System>,
}

/// What was seen of a case in each round, by case, system and unit, in the order of first sight.
#[derive(Default)]
struct Rounds {
    seen: BTreeMap<(usize, String, String), Vec<f64>>,
    order: Vec<(usize, String, String)>,
    /// Percent that the host kept in each measurement that counts.
    stolen: Vec<f64>,
}

impl Rounds {
    fn saw(&mut self, system: usize, case: &str, unit: &str, value: f64) {
        let key = (system, case.to_owned(), unit.to_owned());
        if !self.order.contains(&key) {
            self.order.push(key.clone());
        }
        self.seen.entry(key).or_default().push(value);
    }
}

impl Run {
    fn wants(&self, case: &str) -> bool {
        self.options.only.is_empty() || self.options.only.iter().any(|only| only == case)
    }

    async fn measure(&self, report: &mut Report) -> Result<()> {
        let mut rounds = Rounds::default();
        self.prepare().await?;
        for round in 0..self.options.rounds as usize {
            self.server.settle().await?;
            for (n, callers) in CALLERS.into_iter().enumerate() {
                let case = format!("append-{callers}");
                if self.wants(&case) {
                    self.append(&mut rounds, &case, callers, round + n).await?;
                }
            }
            if self.wants("replay") {
                self.replay(&mut rounds, round).await?;
            }
            if self.wants("rebuild") {
                self.rebuild(&mut rounds).await?;
            }
            println!("Round {} of {} is done.", round + 1, self.options.rounds);
        }
        // By case, then by system, as they were first told.
        for (system, case, unit) in in_order(&rounds.order) {
            let values = &rounds.seen[&(*system, case.clone(), unit.clone())];
            let middle = median(values).context("a round saw nothing")?;
            report.add(Row::new(self.systems[*system].name(), case, middle, unit));
        }
        let most = rounds.stolen.iter().copied().fold(0.0, f64::max);
        println!(
            "The host kept {:.1} % of the processors in the middle, {most:.1} % at most, of {} measurements.",
            median(&rounds.stolen).context("nothing was measured")?,
            rounds.stolen.len()
        );
        Ok(())
    }

    /// Makes all databases; warms each system up; fills those that are read.
    async fn prepare(&self) -> Result<()> {
        let reads = self.wants("replay") || self.wants("rebuild");
        for system in self.systems.iter().copied() {
            let name = written(system);
            self.server.fresh(&name).await?;
            system.prepare(&self.server, &name).await?;
            let opened = system.open(&self.server, &name, self.connections(8)).await?;
            load::append(opened.as_ref(), 8, Duration::from_secs(1)).await?;
            opened.close().await;

            let read_too = self.wants("replay") || system == System::Wheelhouse;
            if reads && read_too {
                let name = read(system);
                self.server.fresh(&name).await?;
                system.prepare(&self.server, &name).await?;
                let opened = system.open(&self.server, &name, self.connections(FILLERS)).await?;
                load::fill(opened.as_ref(), self.streams(), STREAM, FILLERS).await?;
                opened.close().await;
                self.server.maintain(&name, "vacuum analyze").await?;
                println!("{} holds {} events.", system.name(), self.events());
            }
        }
        if self.wants("rebuild") {
            make_table(&self.server.url_of(&read(System::Wheelhouse))).await?;
        }
        Ok(())
    }

    fn streams(&self) -> usize {
        self.options.events as usize / STREAM
    }

    fn events(&self) -> u64 {
        (self.streams() * STREAM) as u64
    }

    fn connections(&self, callers: usize) -> u32 {
        self.options.pool.unwrap_or(callers as u32).clamp(1, self.server.context)
    }

    /// All systems one after another; each round another one begins.
    fn rotated(&self, by: usize) -> impl Iterator<Item = (usize, System)> {
        let count = self.systems.len();
        (0..count).map(move |n| (n + by) % count).map(|n| (n, self.systems[n]))
    }

    async fn undisturbed<T>(&self, measure: impl AsyncFnMut() -> Result<T>) -> Result<(T, f64)> {
        self.options.patience.undisturbed(measure).await
    }

    async fn append(&self, rounds: &mut Rounds, case: &str, callers: usize, turn: usize) -> Result<()> {
        let connections = self.connections(callers);
        if connections < callers as u32 && turn < CALLERS.len() {
            println!("{case}: peers share {connections} connections among {callers} callers.");
        }
        for (n, system) in self.rotated(turn) {
            let opened = system.open(&self.server, &written(system), connections).await?;
            let time = Duration::from_secs_f64(self.options.seconds);
            let seen = self.undisturbed(async || load::append(opened.as_ref(), callers, time).await).await;
            opened.close().await;
            let (seen, stolen) = seen.with_context(|| format!("{} in {case}", system.name()))?;
            rounds.stolen.push(stolen);
            rounds.saw(n, case, "appends/s", seen.rate);
            rounds.saw(n, case, "p50 ms", seen.p50_ms);
            rounds.saw(n, case, "p99 ms", seen.p99_ms);
        }
        Ok(())
    }

    async fn replay(&self, rounds: &mut Rounds, turn: usize) -> Result<()> {
        for (n, system) in self.rotated(turn) {
            let opened = system.open(&self.server, &read(system), 2).await?;
            // Once for the caches.
            opened.replay().await?;
            let time = Duration::from_secs_f64(self.options.seconds);
            let seen =
                self.undisturbed(async || load::replay(opened.as_ref(), self.events(), time).await).await;
            opened.close().await;
            let (rate, stolen) = seen.with_context(|| format!("{} in replay", system.name()))?;
            rounds.stolen.push(stolen);
            rounds.saw(n, "replay", "events/s", rate);
        }
        Ok(())
    }

    async fn rebuild(&self, rounds: &mut Rounds) -> Result<()> {
        let ours = self.systems.iter().position(|system| *system == System::Wheelhouse).context("ours")?;
        let rebuilder = Rebuilder::open(&self.server.url_of(&read(System::Wheelhouse))).await?;
        let seen = self.undisturbed(async || rebuilder.rebuild(self.events()).await).await;
        rebuilder.close().await;
        let (rate, stolen) = seen?;
        rounds.stolen.push(stolen);
        rounds.saw(ours, "rebuild", "events/s", rate);
        Ok(())
    }
}

/// The keys of all figures: case after case, unit after unit, within them the systems in their order.
fn in_order(keys: &[(usize, String, String)]) -> Vec<&(usize, String, String)> {
    let mut lines: Vec<(&str, &str)> = Vec::new();
    for (_, case, unit) in keys {
        if !lines.contains(&(case, unit)) {
            lines.push((case, unit));
        }
    }
    let mut sorted: Vec<&(usize, String, String)> = keys.iter().collect();
    sorted.sort_by_key(|(system, case, unit)| {
        (lines.iter().position(|line| *line == (case.as_str(), unit.as_str())), *system)
    });
    sorted
}
