//! What the benches share: figures, medians, the table on the screen and the JSON beside it.
#![forbid(unsafe_code)]

pub mod product;
mod server;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::{env, fs};

use anyhow::{Context, Result};
use serde::Serialize;

pub use server::Server;

/// How a bench ends: a failure, such as an option that is refused, is told in a line.
pub fn told(measured: Result<()>) -> ExitCode {
    match measured {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error:#}");
            ExitCode::FAILURE
        }
    }
}

/// One figure.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    /// Who was measured, such as `wheelhouse`.
    pub system: String,
    /// What was measured, such as `append-8`.
    pub case: String,
    /// How much.
    pub value: f64,
    /// Of what, such as `events/s`.
    pub unit: String,
}

impl Row {
    /// A figure.
    pub fn new(system: &str, case: &str, value: f64, unit: &str) -> Self {
        Self { system: system.to_owned(), case: case.to_owned(), value, unit: unit.to_owned() }
    }
}

/// Where it was measured. A figure without it means little.
#[derive(Clone, Debug, Serialize)]
pub struct Machine {
    /// The processor's own name.
    pub cpu: String,
    /// Threads that can run at the same time.
    pub cores: usize,
    /// The operating system's kernel.
    pub kernel: String,
    /// The database server, where one took part.
    pub postgres: Option<String>,
}

impl Machine {
    /// This one.
    pub fn here() -> Self {
        let info = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        let cpu = info
            .lines()
            .find_map(|line| {
                line.strip_prefix("model name")?.split_once(':').map(|(_, name)| name.trim().to_owned())
            })
            .unwrap_or_else(|| env::consts::ARCH.to_owned());
        let kernel = fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default().trim().to_owned();
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        Self { cpu, cores, kernel: format!("{} {kernel}", env::consts::OS), postgres: None }
    }
}

/// What the host of a virtual machine keeps from its processors while something is measured.
pub struct Host(Option<Ticks>);

struct Ticks {
    stolen: f64,
    all: f64,
}

impl Host {
    /// From now on.
    pub fn watched() -> Self {
        Self(fs::read_to_string("/proc/stat").ok().as_deref().and_then(Ticks::of))
    }

    /// Percent that it kept since then; nothing where the system does not tell.
    pub fn stolen_percent(&self) -> f64 {
        let (Some(before), Self(Some(now))) = (&self.0, Self::watched()) else { return 0.0 };
        let all = now.all - before.all;
        if all > 0.0 { 100.0 * (now.stolen - before.stolen) / all } else { 0.0 }
    }
}

impl Ticks {
    /// The first line of proc(5)'s `stat`: user, nice, system, idle, iowait, irq, softirq, steal, then guests, which are
    /// in the first two already.
    fn of(stat: &str) -> Option<Self> {
        let numbers = stat.lines().next()?.strip_prefix("cpu ")?.split_whitespace();
        let ticks: Vec<f64> = numbers.take(8).map_while(|number| number.parse().ok()).collect();
        Some(Self { stolen: *ticks.get(7)?, all: ticks.iter().sum() })
    }
}

/// How much a measurement may be disturbed: options of a bench.
#[derive(Clone, Copy, Debug, clap::Args)]
pub struct Patience {
    /// A measurement counts when the host of a virtual machine kept at most so many percent of the processors meanwhile.
    #[arg(long, default_value_t = 2.0)]
    stolen_percent: f64,
    /// Else it is repeated, so often in all; then the least disturbed one counts.
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..=1000))]
    tries: u32,
}

impl Patience {
    /// Measures until it was left alone; what it found, and percent that the host kept meanwhile.
    pub async fn undisturbed<T>(self, mut measure: impl AsyncFnMut() -> Result<T>) -> Result<(T, f64)> {
        let mut best: Option<(T, f64)> = None;
        for _ in 0..self.tries {
            let host = Host::watched();
            let found = measure().await?;
            let stolen = host.stolen_percent();
            if best.as_ref().is_none_or(|(_, least)| stolen < *least) {
                best = Some((found, stolen));
            }
            if stolen <= self.stolen_percent {
                break;
            }
        }
        best.context("it was measured")
    }
}

/// The figures of one bench.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// Which bench.
    pub bench: String,
    /// Where.
    pub machine: Machine,
    /// The figures, in the order they were added.
    pub rows: Vec<Row>,
}

impl Report {
    /// An empty report.
    pub fn new(bench: &str) -> Self {
        Self { bench: bench.to_owned(), machine: Machine::here(), rows: Vec::new() }
    }

    /// Names the database server (`select version()`, or `show server_version`).
    pub fn postgres(&mut self, version: &str) {
        self.machine.postgres = Some(version.to_owned());
    }

    /// Adds a figure.
    pub fn add(&mut self, row: Row) {
        self.rows.push(row);
    }

    /// The figure of `system` in `case` with `unit`.
    pub fn value(&self, system: &str, case: &str, unit: &str) -> Option<f64> {
        self.rows
            .iter()
            .find(|row| row.system == system && row.case == case && row.unit == unit)
            .map(|row| row.value)
    }

    /// The figures as a table: a line for each case and unit, a column for each system.
    pub fn table(&self) -> String {
        let mut systems: Vec<&str> = Vec::new();
        let mut lines: Vec<(&str, &str)> = Vec::new();
        let mut cells: BTreeMap<(&str, &str, &str), f64> = BTreeMap::new();
        for row in &self.rows {
            if !systems.contains(&row.system.as_str()) {
                systems.push(&row.system);
            }
            if !lines.contains(&(&row.case, &row.unit)) {
                lines.push((&row.case, &row.unit));
            }
            cells.insert((&row.case, &row.unit, &row.system), row.value);
        }
        let mut text = format!("{:<16} {:<12}", "case", "unit");
        for system in &systems {
            text += &format!(" {system:>14}");
        }
        text.push('\n');
        for (case, unit) in lines {
            text += &format!("{case:<16} {unit:<12}");
            for system in &systems {
                let cell =
                    cells.get(&(case, unit, system)).map_or_else(|| "–".to_owned(), |value| number(*value));
                text += &format!(" {cell:>14}");
            }
            text.push('\n');
        }
        text
    }

    /// Prints the table and writes the JSON to `WHEELHOUSE_BENCH_OUT` (else `target/bench/<name>.json`); says where.
    pub fn finish(&self) -> Result<PathBuf> {
        let Machine { cpu, cores, kernel, postgres } = &self.machine;
        println!(
            "\n{}: {cpu}, {cores} cores, {kernel}, {}",
            self.bench,
            postgres.as_deref().unwrap_or("no database")
        );
        println!("\n{}", self.table());
        let path = env::var_os("WHEELHOUSE_BENCH_OUT").map_or_else(
            || {
                Path::new(env!("CARGO_MANIFEST_DIR"))
                    .join("../target/bench")
                    .join(format!("{}.json", self.bench))
            },
            PathBuf::from,
        );
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
        }
        fs::write(&path, serde_json::to_string_pretty(self)?).with_context(|| path.display().to_string())?;
        Ok(path)
    }
}

/// How a goal is told.
pub fn verdict(reached: bool) -> &'static str {
    if reached { "reached" } else { "MISSED" }
}

/// The middle of `values`; of an even number, the mean of the two middle ones. Nothing of nothing.
pub fn median(values: &[f64]) -> Option<f64> {
    let mut values = values.to_vec();
    values.sort_by(f64::total_cmp);
    let half = values.len() / 2;
    match (values.len() % 2, values.get(half)) {
        (1, middle) => middle.copied(),
        (_, Some(upper)) => Some((values[half - 1] + upper) / 2.0),
        (_, None) => None,
    }
}

fn number(value: f64) -> String {
    if value.abs() >= 100.0 { format!("{value:.0}") } else { format!("{value:.2}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_is_the_middle_and_of_an_even_number_the_mean_of_the_two() {
        assert_eq!(median(&[]), None);
        assert_eq!(median(&[3.0]), Some(3.0));
        assert_eq!(median(&[9.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median(&[9.0, 1.0, 2.0, 4.0]), Some(3.0));
    }

    #[test]
    fn what_the_host_keeps_is_the_eighth_number() {
        let ticks = Ticks::of("cpu  10 1 5 70 4 0 2 8 3 0\ncpu0 1 1 1 1\n").unwrap();
        assert_eq!((ticks.stolen, ticks.all), (8.0, 100.0));
        assert!(Ticks::of("cpu 1 2 3").is_none());
    }

    #[test]
    fn the_table_has_a_line_for_each_case_and_says_where_nothing_was_measured() {
        let mut report = Report::new("x");
        report.add(Row::new("ours", "append-1", 1234.4, "events/s"));
        report.add(Row::new("peer", "append-1", 12.346, "events/s"));
        report.add(Row::new("ours", "rebuild", 5.0, "events/s"));
        let table = report.table();
        let lines: Vec<&str> = table.lines().collect();
        assert_eq!(lines.len(), 3);
        assert!(lines[1].contains("1234") && lines[1].contains("12.35"));
        assert!(lines[2].contains("5.00") && lines[2].ends_with('–'));
    }
}
