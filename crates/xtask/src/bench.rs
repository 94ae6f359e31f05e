//! Benches against peers, and what the walls grow by in hours.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Context, Result};
use testkit::local::{LocalNats, LocalPostgres, NatsOptions, Place, PostgresOptions};

use crate::{packages, shell};

/// Runs one bench: the map's and the walls' in a browser, the fences' by itself, the others on servers of their own that do wait for the
/// disk.
pub fn bench(name: &str, arguments: &[String]) -> Result<()> {
    match name {
        "map" => map(arguments),
        "soak" => soak(arguments),
        "fences" => alone(name, arguments),
        _ => servers(name, arguments),
    }
}

fn report_of(name: &str) -> Result<PathBuf> {
    let target = shell::built("bench").context("the target folder")?;
    fs::create_dir_all(&target)?;
    Ok(target.join(format!("{name}.json")))
}

/// What the live map costs a browser's main thread.
fn map(arguments: &[String]) -> Result<()> {
    packages::node()?;
    let report = report_of("map")?;
    shell::run(
        shell::command("node")
            .arg("scripts/benchMap.mjs")
            .args(arguments)
            .current_dir(shell::web())
            .env("WHEELHOUSE_BENCH_OUT", &report),
    )?;
    println!("Figures: {}", report.display());
    Ok(())
}

/// What a control room's pages, and the server behind them, grow by in an hour: `[MINUTES [HASTE]]`, 60 and 1 unless told. So many minutes of
/// the pages count, after those that warm up; so many of them pass in one of ours.
fn soak(arguments: &[String]) -> Result<()> {
    packages::node()?;
    packages::postgres()?;
    let report = report_of("soak")?;
    let argument = |place: usize, unless: &'static str| arguments.get(place).map_or(unless, String::as_str);
    shell::run(
        shell::command("npx")
            .args(["--no-install", "playwright", "test", "--config", "playwright.soak.config.ts"])
            .current_dir(shell::web())
            // Before Node 22 its WebSocket has to be asked for.
            .env("NODE_OPTIONS", "--experimental-websocket")
            .env("WHEELHOUSE_SOAK_MINUTES", argument(0, "60"))
            .env("WHEELHOUSE_SOAK_HASTE", argument(1, "1"))
            .env("WHEELHOUSE_BENCH_OUT", &report),
    )?;
    println!("Figures: {}", report.display());
    Ok(())
}

/// What needs nothing but the processor.
fn alone(name: &str, arguments: &[String]) -> Result<()> {
    let report = report_of(name)?;
    shell::run(program(name, arguments).env("WHEELHOUSE_BENCH_OUT", &report))?;
    println!("Figures: {}", report.display());
    Ok(())
}

fn program(name: &str, arguments: &[String]) -> std::process::Command {
    let mut command = shell::cargo();
    command
        .args(["run", "--release", "--manifest-path", "bench/Cargo.toml", "--bin", name, "--"])
        .args(arguments);
    command
}

fn servers(name: &str, arguments: &[String]) -> Result<()> {
    packages::postgres()?;
    let place = Arc::new(Place::throw_away()?);
    let settings = &[("shared_buffers", "1GB"), ("max_wal_size", "8GB")];
    let postgres = LocalPostgres::start(
        Arc::clone(&place),
        PostgresOptions { durable: true, port: None, settings, disk_mb: None },
    )?;
    let nats = LocalNats::start(place, NatsOptions::default())?;
    let report = report_of(name)?;
    shell::run(
        program(name, arguments)
            .env("DATABASE_URL", postgres.url())
            .env("NATS_URL", nats.url())
            .env("WHEELHOUSE_TEST_MQTT", nats.mqtt_addr())
            .env("WHEELHOUSE_BENCH_OUT", &report),
    )?;
    println!("Figures: {}", report.display());
    Ok(())
}
