//! openapi.json and the web's types come from the handlers; both are committed.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};

use crate::{packages, shell};

/// Writes both, or (`check`) only compares.
pub fn openapi(check: bool) -> Result<()> {
    shell::run(shell::cargo().args(["build", "-p", "server", "-p", "simulator"]))?;
    let fresh = shell::read(shell::command(shell::built("debug")?.join("wheelhouse")).arg("openapi"))?;
    let document = shell::root().join("openapi.json");
    let types = shell::web().join("src/api/generated/openapi.d.ts");
    packages::node()?;
    if !check {
        fs::write(&document, fresh)?;
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
    same(&document, &fresh_document)?;
    same(&types, &fresh_types)
}

fn same(committed: &Path, fresh: &Path) -> Result<()> {
    let old =
        fs::read_to_string(committed).with_context(|| format!("cannot read {}", committed.display()))?;
    if old != fs::read_to_string(fresh)? {
        bail!("{} is stale: run `cargo xtask openapi` and commit it", committed.display());
    }
    Ok(())
}
