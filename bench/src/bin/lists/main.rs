//! How long does a page of a list take over millions of rows, for who sees all and for agents with few and many rows? Every
//! filter with every sort, the first page and the deepest, each with its count. Beside it the plain way in the same run:
//! the policy alone instead of the scope in the statement, `offset`, and `count(*)` over everything.
#![forbid(unsafe_code)]

mod lines;
mod orders;
mod plans;
mod riding;
mod rows;

use std::collections::BTreeMap;
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use anyhow::{Context, Result};
use bench::{Report, Row, Server, product, told};
use clap::Parser;
use kernel::Runtime;
use sqlx::{AssertSqlSafe, PgConnection};
use vocabulary::{AgentId, Reach, Scope};

use crate::rows::{LARGE, SMALL};

/// Milliseconds within which 99 of 100 pages shall come.
const GOAL_P99_MS: f64 = 50.0;
/// Rows of a page.
const SIZE: u32 = 20;
/// The first page, one in the middle, and the last that a list offers.
const PAGES: [u32; 3] = [1, 50, 500];
/// The database in which it is measured.
const DATABASE: &str = "bench_lists";

/// Pages of lists over millions of rows.
#[derive(Parser)]
#[command(name = "lists")]
struct Options {
    /// A durable PostgreSQL with nothing else to do; the user must be a superuser.
    #[arg(long, env = "DATABASE_URL", hide_env_values = true)]
    database_url: String,
    /// Ride orders, with their riders and cases.
    #[arg(long, default_value_t = 10_000_000, value_parser = clap::value_parser!(i64).range(10_000..=50_000_000))]
    orders: i64,
    /// Rows like orders, of a table made for the list builder alone.
    #[arg(long, default_value_t = 5_000_000, value_parser = clap::value_parser!(i64).range(10_000..=50_000_000))]
    rows: i64,
    /// Lines of the operator log.
    #[arg(long, default_value_t = 2_000_000, value_parser = clap::value_parser!(i64).range(10_000..=50_000_000))]
    lines: i64,
    /// How often each page is asked for, with other values each time.
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(i64).range(1..=1000))]
    times: i64,
    /// Which lists: riding, builder or log; left out: all.
    #[arg(long, value_delimiter = ',', value_parser = ["riding", "builder", "log"])]
    only: Vec<String>,
    /// Leaves the database for the next run, which then measures it as it is.
    #[arg(long)]
    keep: bool,
}

/// A list that is measured.
#[derive(Clone, Copy)]
enum Measured {
    Orders,
    Lines,
}

/// What is asked of a list.
struct PageQuery {
    filter: &'static str,
    sort: &'static str,
    page: u32,
    /// Chooses the filter's value.
    pick: i64,
}

impl Measured {
    const fn name(self) -> &'static str {
        match self {
            Self::Orders => "orders",
            Self::Lines => "log",
        }
    }

    const fn group(self) -> &'static str {
        match self {
            Self::Orders => "builder",
            Self::Lines => "log",
        }
    }

    const fn offers(self) -> (&'static [&'static str], &'static [&'static str]) {
        match self {
            Self::Orders => (&orders::FILTERS, &orders::SORTS),
            Self::Lines => (&lines::FILTERS, &lines::SORTS),
        }
    }

    async fn ours(self, db: &mut PgConnection, scope: &Scope, asked: &PageQuery) -> Result<usize> {
        match self {
            Self::Orders => orders::ours(db, scope, asked).await,
            Self::Lines => lines::ours(db, scope, asked).await,
        }
    }

    async fn plain(self, db: &mut PgConnection, asked: &PageQuery) -> Result<usize> {
        let (columns, table, condition, order) = match self {
            Self::Orders => orders::plain(asked),
            Self::Lines => lines::plain(asked),
        };
        let offset = (asked.page - 1) * SIZE;
        let rows = format!(
            "select {columns} from {table} where {condition} order by {order} limit {SIZE} offset {offset}"
        );
        let rows = sqlx::query(AssertSqlSafe(rows)).fetch_all(&mut *db).await?;
        let count = format!("select count(*) from {table} where {condition}");
        let _: i64 = sqlx::query_scalar(AssertSqlSafe(count)).fetch_one(db).await?;
        Ok(rows.len())
    }
}

#[tokio::main]
async fn main() -> ExitCode {
    told(measured().await)
}

async fn measured() -> Result<()> {
    let options = Options::parse();
    let server = Server::at(&options.database_url).await?;
    let kept = options.keep && server.has(DATABASE).await?;
    if !kept {
        server.fresh(DATABASE).await?;
    }
    let mut report = Report::new("lists");
    report.postgres(&server.title);
    let done = all(&server.url_of(DATABASE), &options, kept, &mut report).await;
    if !options.keep {
        server.drop(DATABASE).await?;
    }
    done
}

async fn all(url: &str, options: &Options, kept: bool, report: &mut Report) -> Result<()> {
    product::prepare(url).await?;
    let runtime = product::runtime(url).await?;
    let owner = &runtime.pools.owner;
    let wanted = |what: &str| options.only.is_empty() || options.only.iter().any(|only| only == what);
    let lists: Vec<Measured> =
        [Measured::Orders, Measured::Lines].into_iter().filter(|list| wanted(list.group())).collect();
    if !kept {
        if wanted("riding") {
            riding::fill(&runtime, options.orders).await?;
            println!("{} ride orders are there.", options.orders);
        }
        if wanted("builder") {
            orders::fill(owner, options.rows).await?;
            println!("{} rows are there.", options.rows);
        }
        if wanted("log") {
            lines::fill(owner, options.lines).await?;
            println!("{} lines are there.", options.lines);
        }
    }

    let mut worst = (0.0, String::new());
    let mut three = (0.0, String::new());
    if wanted("riding") {
        [worst, three] = riding::measure(&runtime, options.times, report).await?;
        riding::writes(owner, report).await?;
    }
    for list in &lists {
        for (caller, scope) in callers() {
            let place = format!("{}-{caller}", list.name());
            let slowest = measure(&runtime, *list, &scope, options.times, &place, report).await?;
            if slowest.0 > worst.0 {
                worst = (slowest.0, format!("{place}, {}", slowest.1));
            }
        }
    }
    product::shut(&runtime).await;
    for (case, (p99_ms, which)) in [("p99-worst-filter", &worst), ("p99-worst-three", &three)] {
        report.add(Row::new("wheelhouse", case, *p99_ms, "ms"));
        let reached = bench::verdict(*p99_ms <= GOAL_P99_MS);
        println!("{case}: {p99_ms:.1} ms ({which}). Goal {GOAL_P99_MS} ms: {reached}.");
    }
    let path = report.finish()?;
    println!("Written to {}", path.display());
    explain(url, &path.with_file_name("lists-plans.txt"), &lists, wanted("riding")).await
}

fn callers() -> [(&'static str, Scope); 3] {
    let one = |agent| Scope::of(Reach::only([AgentId(agent)]), Reach::All);
    [("all", Scope::ALL), ("small", one(SMALL)), ("large", one(LARGE))]
}

/// Every page that `list` offers.
fn offered(list: Measured) -> impl Iterator<Item = PageQuery> {
    let (filters, sorts) = list.offers();
    let pages = move |filter, sort| PAGES.map(|page| PageQuery { filter, sort, page, pick: 0 });
    filters.iter().flat_map(move |filter| sorts.iter().flat_map(move |sort| pages(*filter, *sort)))
}

/// Asks for every page; the filter with the highest p99.
async fn measure(
    runtime: &Runtime,
    list: Measured,
    scope: &Scope,
    times: i64,
    place: &str,
    report: &mut Report,
) -> Result<(f64, String)> {
    let mut ours: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    let mut plain = Vec::new();
    for mut asked in offered(list) {
        // Once with a value of its own, not counted: right after the filling the first page of a filter comes from the disk.
        asked.pick = times;
        let mut db = runtime.reads.scoped(scope, None, &[]).await?;
        list.ours(&mut db, scope, &asked).await?;
        drop(db);
        for pick in 0..times {
            asked.pick = pick;
            let begun = Instant::now();
            let mut db = runtime.reads.scoped(scope, None, &[]).await?;
            let rows = list.ours(&mut db, scope, &asked).await?;
            drop(db);
            ours.entry(asked.filter).or_default().push(ms(begun));
            // Once is enough for what takes seconds.
            if pick == 0 {
                let begun = Instant::now();
                let mut db = runtime.reads.scoped(scope, None, &[]).await?;
                let same = list.plain(&mut db, &asked).await?;
                plain.push(ms(begun));
                // The log's own query has what was refused between what was done.
                anyhow::ensure!(
                    rows == same || matches!(list, Measured::Lines),
                    "{place} {} {}: {rows} rows, the plain way {same}",
                    asked.filter,
                    asked.sort
                );
            }
        }
    }
    let mut all: Vec<f64> = ours.values().flatten().copied().collect();
    for (system, taken) in [("wheelhouse", &mut all), ("plain", &mut plain)] {
        for quantile in [50, 99] {
            report.add(Row::new(system, &format!("p{quantile}-{place}"), percentile(taken, quantile), "ms"));
        }
    }
    let mut filters: Vec<(f64, String)> =
        ours.into_iter().map(|(filter, mut taken)| (percentile(&mut taken, 99), filter.to_owned())).collect();
    filters.sort_by(|one, other| other.0.total_cmp(&one.0));
    let told: Vec<String> = filters.iter().map(|(p99_ms, filter)| format!("{filter} {p99_ms:.1}")).collect();
    println!("{place}, p99 in ms: {}", told.join(", "));
    filters.into_iter().next().context("a list offers a filter")
}

fn ms(begun: Instant) -> f64 {
    begun.elapsed().as_secs_f64() * 1000.0
}

/// The value that `quantile` of 100 do not exceed.
fn percentile(values: &mut [f64], quantile: usize) -> f64 {
    values.sort_by(f64::total_cmp);
    let place = (values.len() * quantile).div_ceil(100).saturating_sub(1);
    values.get(place).copied().unwrap_or_default()
}

/// Writes the plan of every statement, as the role that reads and with its actual rows.
async fn explain(url: &str, path: &Path, lists: &[Measured], riding: bool) -> Result<()> {
    plans::write_to(path)?;
    let runtime = product::runtime(&plans::explained(url)).await?;
    if riding {
        riding::explain(&runtime).await?;
    }
    for list in lists.iter().copied() {
        for (caller, scope) in callers() {
            for asked in offered(list) {
                plans::heading(&format!(
                    "{}-{caller} {} {} page {}",
                    list.name(),
                    asked.filter,
                    asked.sort,
                    asked.page
                ));
                let mut db = runtime.reads.scoped(&scope, None, &[]).await?;
                sqlx::query("set local client_min_messages = log").execute(&mut *db).await?;
                list.ours(&mut db, &scope, &asked).await?;
            }
        }
    }
    println!("Plans: {}", path.display());
    product::shut(&runtime).await;
    Ok(())
}
