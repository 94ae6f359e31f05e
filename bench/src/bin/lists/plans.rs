//! Plans as the server tells them beside the rows: `auto_explain`, heard as notices.

use std::fs::File;
use std::path::Path;

use anyhow::{Context, Result};
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

const EXPLAINED: &str = "options[session_preload_libraries]=auto_explain\
    &options[auto_explain.log_min_duration]=0&options[auto_explain.log_analyze]=on&options[auto_explain.log_buffers]=on";
const NOTICES: &str = "sqlx::postgres::notice";

/// The same database, where every statement of a connection tells its plan.
pub fn explained(url: &str) -> String {
    let sign = if url.contains('?') { '&' } else { '?' };
    format!("{url}{sign}{EXPLAINED}")
}

/// What is told from now on goes to a file.
pub fn write_to(path: &Path) -> Result<()> {
    let file = File::create(path).with_context(|| path.display().to_string())?;
    let lines = tracing_subscriber::fmt::layer()
        .with_writer(file)
        .with_ansi(false)
        .without_time()
        .with_level(false)
        .with_target(false);
    let plans =
        Targets::new().with_target(NOTICES, LevelFilter::TRACE).with_target("lists", LevelFilter::INFO);
    tracing_subscriber::registry().with(plans).with(lines).try_init().context("a subscriber")
}

/// Above the plans that follow.
pub fn heading(text: &str) {
    tracing::info!("\n## {text}");
}
