//! Running other programs from the repository's root.

use std::env;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};
use serde_json::Value;

/// The checkout's root folder.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).expect("crates/xtask lies two folders deep")
}

/// The front end's folder.
pub fn web() -> PathBuf {
    root().join("web")
}

/// A command that starts in the root folder and reads nothing.
pub fn command(program: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(program);
    command.current_dir(root()).stdin(Stdio::null());
    command
}

/// Cargo, the one that started us. What it told us of our own package is not passed on: build scripts that look at it
/// would take every call from here for a change, and build their crates anew.
pub fn cargo() -> Command {
    let mut command = command(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    let own = |name: &str| {
        ["CARGO_PKG_", "CARGO_MANIFEST_", "CARGO_BIN_", "CARGO_CRATE_"]
            .iter()
            .any(|prefix| name.starts_with(prefix))
            || ["CARGO_PRIMARY_PACKAGE", "OUT_DIR"].contains(&name)
    };
    for (name, _) in env::vars_os() {
        if name.to_str().is_some_and(own) {
            command.env_remove(name);
        }
    }
    command
}

/// Building the programs that a stack is made of.
pub fn build_programs() -> Command {
    let mut build = cargo();
    build.args(["build", "-p", "server", "-p", "simulator", "-p", "payment-simulator"]);
    build
}

/// Building everything as the tests need it. Cargo builds what several packages share anew for each choice of them, so whoever comes
/// after the tests, or before them, asks for the same.
pub fn build_all() -> Command {
    let mut build = cargo();
    build.args(["build", "--workspace", "--all-targets"]);
    build
}

/// A program of the front end (npm, npx, node), started in its folder.
pub fn in_web(program: &str) -> Command {
    let mut command = command(program);
    command.current_dir(web());
    command
}

/// Prints the command and runs it; an error when it fails.
pub fn run(command: &mut Command) -> Result<()> {
    let shown = shown(command);
    eprintln!("$ {shown}");
    let status = command.status().with_context(|| format!("cannot run {shown}"))?;
    ensure!(status.success(), "{shown}: {status}");
    Ok(())
}

/// What the command prints on its standard output; its errors go to ours.
pub fn read(command: &mut Command) -> Result<String> {
    let shown = shown(command);
    let output = command.stderr(Stdio::inherit()).output().with_context(|| format!("cannot run {shown}"))?;
    ensure!(output.status.success(), "{shown}: {}", output.status);
    String::from_utf8(output.stdout).with_context(|| format!("{shown} did not print UTF-8"))
}

/// The command as one would type it.
pub fn shown(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words.map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ")
}

/// `cargo metadata` of our own crates.
pub fn metadata() -> Result<Value> {
    let text = read(cargo().args(["metadata", "--no-deps", "--format-version", "1"]))?;
    serde_json::from_str(&text).context("cargo metadata")
}

/// The folder of built binaries of a profile (`debug`, `release`).
pub fn built(profile: &str) -> Result<PathBuf> {
    let metadata = metadata()?;
    let target = metadata["target_directory"].as_str().context("cargo metadata names no target folder")?;
    Ok(Path::new(target).join(profile))
}
