//! openapi.json and the web's types come from the handlers; both are committed.

use std::fs;
use std::path::Path;

use std::sync::Arc;

use anyhow::{Context, Result, bail};
use testkit::local::{LocalPostgres, Place, PostgresOptions};

use crate::{packages, shell};

/// Writes both, or (`check`) only compares.
pub fn openapi(check: bool) -> Result<()> {
    shell::run(shell::cargo().args(["build", "-p", "server", "-p", "simulator"]))?;
    let fresh = document()?;
    let document_file = shell::root().join("openapi.json");
    let types = shell::web().join("src/api/generated/openapi.d.ts");
    packages::node()?;
    if !check {
        fs::write(&document_file, fresh)?;
        return shell::run(shell::in_web("npm").args(["run", "--silent", "api"]));
    }
    let scratch = testkit::local::Place::throw_away()?;
    let (fresh_document, fresh_types) =
        (scratch.path().join("openapi.json"), scratch.path().join("openapi.d.ts"));
    fs::write(&fresh_document, fresh)?;
    shell::run(
        shell::in_web("npx")
            .args(["--no-install", "openapi-typescript"])
            .arg(&fresh_document)
            .arg("-o")
            .arg(&fresh_types),
    )?;
    same(&document_file, &fresh_document)?;
    same(&types, &fresh_types)
}

/// What the server says of its routes. Its contexts are put together for that, on a database of their own.
fn document() -> Result<String> {
    packages::postgres()?;
    let place = Arc::new(Place::throw_away()?);
    let options = PostgresOptions { durable: false, port: None, settings: &[], disk_mb: None };
    let postgres = LocalPostgres::start(Arc::clone(&place), options)?;
    let wheelhouse = |task: &str| {
        let mut command = shell::command(shell::built("debug")?.join("wheelhouse"));
        command
            .arg(task)
            .env("DATABASE_URL", postgres.url())
            .env("WHEELHOUSE_STATE_DIR", place.path().join("state"));
        anyhow::Ok(command)
    };
    shell::run(&mut wheelhouse("migrate")?)?;
    shell::read(&mut wheelhouse("openapi")?)
}

fn same(committed: &Path, fresh: &Path) -> Result<()> {
    let old =
        fs::read_to_string(committed).with_context(|| format!("cannot read {}", committed.display()))?;
    if old != fs::read_to_string(fresh)? {
        bail!("{} is stale: run `cargo xtask openapi` and commit it", committed.display());
    }
    Ok(())
}
