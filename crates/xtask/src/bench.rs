//! Benches against peers.

use std::fs;
use std::sync::Arc;

use anyhow::{Context, Result};
use testkit::local::{LocalNats, LocalPostgres, NatsOptions, Place, PostgresOptions};

use crate::{packages, shell};

/// Runs one bench on servers of its own that do wait for the disk.
pub fn bench(name: &str, arguments: &[String]) -> Result<()> {
    packages::postgres()?;
    let place = Arc::new(Place::throw_away()?);
    let settings = [("shared_buffers", "1GB"), ("max_wal_size", "8GB")];
    let settings = settings.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec();
    let postgres =
        LocalPostgres::start(Arc::clone(&place), PostgresOptions { durable: true, port: None, settings })?;
    let nats = LocalNats::start(place, NatsOptions::default())?;
    let target = shell::built("bench").context("the target folder")?;
    fs::create_dir_all(&target)?;
    let report = target.join(format!("{name}.json"));
    shell::run(
        shell::cargo()
            .args(["run", "--release", "--manifest-path", "bench/Cargo.toml", "--bin", name, "--"])
            .args(arguments)
            .env("DATABASE_URL", postgres.url())
            .env("NATS_URL", nats.url())
            .env("WHEELHOUSE_TEST_MQTT", nats.mqtt_addr())
            .env("WHEELHOUSE_BENCH_OUT", &report),
    )?;
    println!("Figures: {}", report.display());
    Ok(())
}
