//! Where the programs are.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use super::fetch::{cached_nats_server, fetch_nats_server};
use super::version::NatsVersion;

/// Whether this process runs as root.
pub fn is_root() -> bool {
    id_of(&["-u"]).is_ok_and(|id| id == 0)
}

/// What `id <args>` says, as a number.
pub(crate) fn id_of(args: &[&str]) -> Result<u32> {
    let output = Command::new("id").args(args).output().context("cannot run `id`")?;
    let text = String::from_utf8_lossy(&output.stdout);
    text.trim().parse().with_context(|| format!("`id {}` answered {text:?}", args.join(" ")))
}

/// A program on `PATH`.
pub fn on_path(program: &str) -> Option<PathBuf> {
    env::split_paths(&env::var_os("PATH")?).map(|folder| folder.join(program)).find(|path| path.is_file())
}

/// The folder with `initdb` and `postgres`: Debian's newest, else the one on `PATH`.
pub fn find_postgres() -> Result<PathBuf> {
    let debian = std::fs::read_dir("/usr/lib/postgresql")
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|entry| {
            Some((entry.file_name().to_str()?.parse::<u32>().ok()?, entry.path().join("bin")))
        })
        .filter(|(_, bin)| bin.join("initdb").is_file() && bin.join("postgres").is_file())
        .max_by_key(|(version, _)| *version)
        .map(|(_, bin)| bin);
    if let Some(bin) = debian {
        return Ok(bin);
    }
    on_path("initdb").and_then(|path| path.parent().map(Path::to_path_buf)).context(
        "PostgreSQL's server is not installed. Install it (Debian, Ubuntu: apt-get install postgresql), \
         or set DATABASE_URL to a server of version 15 or newer",
    )
}

/// libfaketime, which lets a process's clock jump: Debian's package `faketime` has it, below the machine's own name.
pub fn find_faketime() -> Option<PathBuf> {
    let folders = std::fs::read_dir("/usr/lib").ok()?.flatten();
    folders.map(|folder| folder.path().join("faketime/libfaketimeMT.so.1")).find(|path| path.is_file())
}

/// A nats-server that is new enough: the one in `WHEELHOUSE_NATS_SERVER`, else on `PATH`, else the
/// cached one, else a fetched one.
pub fn find_nats_server() -> Result<PathBuf> {
    if let Some(named) = env::var_os("WHEELHOUSE_NATS_SERVER") {
        let named = PathBuf::from(named);
        version_of(&named)?.require().context("WHEELHOUSE_NATS_SERVER")?;
        return Ok(named);
    }
    for candidate in on_path("nats-server").into_iter().chain(cached_nats_server().ok()) {
        if candidate.is_file() && version_of(&candidate).is_ok_and(|version| version.require().is_ok()) {
            return Ok(candidate);
        }
    }
    let fetched = fetch_nats_server()?;
    version_of(&fetched)?.require()?;
    Ok(fetched)
}

fn version_of(server: &Path) -> Result<NatsVersion> {
    let output = Command::new(server)
        .arg("-v")
        .output()
        .with_context(|| format!("cannot run {} -v", server.display()))?;
    if !output.status.success() {
        bail!("{} -v failed: {}", server.display(), String::from_utf8_lossy(&output.stderr));
    }
    Ok(String::from_utf8_lossy(&output.stdout).parse()?)
}
