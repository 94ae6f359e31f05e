//! `payment-simulator`.

use std::io::IsTerminal;

use anyhow::{Result, bail};
use clap::Parser;
use payment_simulator::{Options, start};
use tokio::signal::unix::{SignalKind, signal};
use tracing_subscriber::EnvFilter;

#[tokio::main]
async fn main() -> Result<()> {
    let options = Options::parse().with_secret()?;
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new("info"));
    let colours = std::io::stderr().is_terminal();
    tracing_subscriber::fmt().with_env_filter(filter).with_ansi(colours).with_writer(std::io::stderr).init();
    let mut running = start(&options).await?;
    tracing::info!(
        url = running.url,
        merchant = options.merchant,
        lucky = options.mishaps.lucky,
        "the simulator serves"
    );
    let mut terminate = signal(SignalKind::terminate())?;
    tokio::select! {
        _ = terminate.recv() => Ok(()),
        _ = tokio::signal::ctrl_c() => Ok(()),
        () = running.ended() => bail!("a part ended by itself"),
    }
}
