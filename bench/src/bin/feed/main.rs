//! How long after an append is its read model there, with forty of them at two thousand events a second; and how long does
//! a rebuild of a small one take in a log full of others' events? Beside it in the same run `each`: every read model reads
//! the log for itself at each move of its head.
#![forbid(unsafe_code)]

mod counts;
mod lag;

use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Result;
use bench::{Patience, Report, Row, Server, product, told};
use clap::Parser;
use kernel::{Projector, Projectors, Runtime};
use sqlx::PgPool;

use crate::counts::Counts;
use crate::lag::{Lags, Load};

/// Read models.
const MODELS: usize = 40;
const GOAL_LAG_P99_MS: f64 = 200.0;
const GOAL_REBUILD_S: f64 = 10.0;
const LAGGED: &str = "bench_feed";
const LONG: &str = "bench_feed_long";

/// Measures the feed.
#[derive(Parser)]
#[command(name = "feed")]
struct Options {
    /// A durable PostgreSQL with nothing else to do; the user must be a superuser.
    #[arg(long, env = "DATABASE_URL", hide_env_values = true)]
    database_url: String,
    /// Events appended a second.
    #[arg(long, default_value_t = 2_000, value_parser = clap::value_parser!(u32).range(100..=20_000))]
    rate: u32,
    /// How long, in seconds.
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..=600))]
    seconds: u64,
    /// Others' events in the log in which a small read model is rebuilt.
    #[arg(long, default_value_t = 5_000_000, value_parser = clap::value_parser!(i64).range(10_000..=50_000_000))]
    others: i64,
    #[command(flatten)]
    patience: Patience,
}

#[tokio::main]
async fn main() -> ExitCode {
    told(measured().await)
}

async fn measured() -> Result<()> {
    let options = Options::parse();
    let server = Server::at(&options.database_url).await?;
    let mut report = Report::new("feed");
    report.postgres(&server.title);
    let done = async {
        lags(&server, &options, &mut report).await?;
        rebuild(&server, &options, &mut report).await
    };
    let done = done.await;
    for name in [LAGGED, LONG] {
        server.drop(name).await?;
    }
    done?;
    let path = report.finish()?;
    let verdict = |case, unit, goal| {
        let value = report.value("wheelhouse", case, unit).unwrap_or(f64::INFINITY);
        println!("{:<8} {case}: {value:.1} {unit} (goal {goal:.0})", bench::verdict(value <= goal));
    };
    verdict("lag-p99", "ms", GOAL_LAG_P99_MS);
    verdict("rebuild-small", "s", GOAL_REBUILD_S);
    verdict("users-pool", "connections", 0.0);
    println!("Written to {}", path.display());
    Ok(())
}

/// Who hands events to the read models.
#[derive(Clone, Copy)]
enum System {
    Wheelhouse,
    Each,
}

impl System {
    const fn name(self) -> &'static str {
        match self {
            Self::Wheelhouse => "wheelhouse",
            Self::Each => "each",
        }
    }
}

async fn lags(server: &Server, options: &Options, report: &mut Report) -> Result<()> {
    for system in [System::Wheelhouse, System::Each] {
        let (seen, stolen) =
            options.patience.undisturbed(async || lag(server, options, system).await).await?;
        println!("{}: the host kept {stolen:.1} % of the processors.", system.name());
        for (case, value, unit) in seen {
            report.add(Row::new(system.name(), case, value, unit));
        }
    }
    Ok(())
}

async fn lag(
    server: &Server,
    options: &Options,
    system: System,
) -> Result<Vec<(&'static str, f64, &'static str)>> {
    server.fresh(LAGGED).await?;
    let url = server.url_of(LAGGED);
    product::prepare(&url).await?;
    // One process works on read models, another appends: what the first one's pools do is its own.
    let runtime = product::runtime(&url).await?;
    let models: Vec<Counts> = (0..MODELS).map(Counts::of).collect();
    for model in &models {
        model.make_table(&runtime.pools.owner).await?;
    }
    let categories: Vec<&'static str> = models.iter().map(|model| model.category).collect();
    let names: Vec<&'static str> = models.iter().map(Projector::name).collect();
    let running = match system {
        System::Wheelhouse => {
            let all = models.into_iter().map(|model| Arc::new(model) as Arc<dyn Projector>).collect();
            let projectors = Projectors::new(runtime.clone(), all);
            tokio::spawn(async move { projectors.run().await })
        }
        System::Each => {
            let runtime = runtime.clone();
            tokio::spawn(async move {
                futures::future::join_all(models.iter().map(|model| lag::each(&runtime, model))).await;
            })
        }
    };
    let lags = Lags::watched(&runtime, &names);
    let load = Load::start(&url, &runtime, &categories, lags.clone());
    load.run(options.rate / 4, Duration::from_secs(2)).await?;
    lags.ended(Duration::from_secs(10)).await?;
    lags.forget();
    let before = committed(server, &runtime).await?;
    let appended = load.run(options.rate, Duration::from_secs(options.seconds)).await?;
    let seen = lags.ended(Duration::from_secs(10)).await?;
    let transactions = committed(server, &runtime).await? - before;
    let users = runtime.pools.app.size();
    running.abort();
    product::shut(&runtime).await;
    anyhow::ensure!(seen.len() as u64 == appended, "{} of {appended} events were projected", seen.len());
    let ms = |quantile| seen.value_at_quantile(quantile) as f64 / 1000.0;
    Ok(vec![
        ("appended", appended as f64 / options.seconds as f64, "events/s"),
        ("lag-p50", ms(0.5), "ms"),
        ("lag-p99", ms(0.99), "ms"),
        ("transactions", transactions as f64 / options.seconds as f64, "1/s"),
        ("users-pool", f64::from(users), "connections"),
    ])
}

/// Transactions of the measured database so far.
async fn committed(server: &Server, runtime: &Runtime) -> Result<i64> {
    // Backends tell of themselves once a second.
    tokio::time::sleep(Duration::from_millis(1_200)).await;
    server.settle().await?;
    Ok(sqlx::query_scalar("select xact_commit from pg_stat_database where datname = current_database()")
        .fetch_one(&runtime.pools.owner)
        .await?)
}

async fn rebuild(server: &Server, options: &Options, report: &mut Report) -> Result<()> {
    server.fresh(LONG).await?;
    let url = server.url_of(LONG);
    product::prepare(&url).await?;
    let model = Counts::of(0);
    let owner = PgPool::connect(&url).await?;
    model.make_table(&owner).await?;
    counts::fill(&owner, options.others, model.category).await?;
    owner.close().await;
    println!("The log has {} events of others.", options.others);

    let runtime = product::runtime(&url).await?;
    let projectors = Projectors::new(runtime.clone(), vec![Arc::new(model)]);
    let rebuilt = projectors.rebuild("bench_0").await?;
    anyhow::ensure!(rebuilt.parked == 0, "{} streams were parked", rebuilt.parked);
    let counted: i64 = sqlx::query_scalar("select sum(events)::bigint from read.bench_0")
        .fetch_one(&runtime.pools.owner)
        .await?;
    anyhow::ensure!(counted == options.others / counts::RARE, "{counted} events were counted");
    product::shut(&runtime).await;
    report.add(Row::new("wheelhouse", "rebuild-small", rebuilt.took.as_secs_f64(), "s"));
    Ok(())
}
