//! What must be installed, and installing it where we may.

use std::fs;
use std::path::Path;
use std::time::SystemTime;

use anyhow::{Context, Result, bail, ensure};
use testkit::local::{find_faketime, find_postgres, is_root, on_path};

use crate::shell::{command, in_web, read, root, run, web};

/// PostgreSQL's server, unless `DATABASE_URL` names one.
pub fn postgres() -> Result<()> {
    if std::env::var_os("DATABASE_URL").is_some() || find_postgres().is_ok() {
        return Ok(());
    }
    install(&["postgresql"])
}

/// What lets a process's clock jump, for rounds of faults.
pub fn faketime() -> Result<()> {
    if find_faketime().is_some() { Ok(()) } else { install(&["faketime"]) }
}

/// A browser with Chinese letters; its path. `CHROMIUM` names another one.
pub fn browser() -> Result<String> {
    // The one without windows shows the same pages for two thirds of the processor's time.
    const BROWSERS: [&str; 2] = ["chromium-headless-shell", "chromium"];
    if let Ok(named) = std::env::var("CHROMIUM") {
        ensure!(Path::new(&named).is_file(), "CHROMIUM={named}: no such file");
        return Ok(named);
    }
    let present = || BROWSERS.into_iter().find_map(on_path);
    let fonts = Path::new("/usr/share/fonts/opentype/noto/NotoSansCJK-Regular.ttc");
    if present().is_none() || (is_root() && !fonts.exists()) {
        install(&[BROWSERS[0], "fonts-noto-cjk"])?;
    }
    let found = present().context("chromium is installed but not on PATH; name it in CHROMIUM")?;
    Ok(found.display().to_string())
}

/// Installs Debian packages where we may.
pub fn install(packages: &[&str]) -> Result<()> {
    let names = packages.join(" ");
    if on_path("apt-get").is_none() {
        bail!("missing: {names}. Install it with this system's package manager (names as in Debian)");
    }
    if !is_root() {
        bail!("missing: {names}. Install it: sudo apt-get install {names}");
    }
    eprintln!("Installing {names}.");
    run(command("apt-get").args(["-qq", "update"]))?;
    run(command("apt-get")
        .args(["-qq", "-y", "--no-install-recommends", "install"])
        .args(packages)
        .env("DEBIAN_FRONTEND", "noninteractive"))
}

/// Node in a version the front end builds with, and its packages as the lock file says.
pub fn node() -> Result<()> {
    let advice = "Node 20.19 or newer with npm is needed to build the front end";
    let version = read(command("node").arg("--version")).context(advice)?;
    let mut numbers = version.trim().trim_start_matches('v').split('.').map(str::parse::<u32>);
    let (Some(Ok(major)), Some(Ok(minor))) = (numbers.next(), numbers.next()) else {
        bail!("node --version answered {version:?}. {advice}");
    };
    ensure!((major, minor) >= (20, 19), "{advice}; this is {}", version.trim());
    ensure!(on_path("npm").is_some(), "npm is missing. {advice}");
    let installed = modified(&web().join("node_modules/.package-lock.json"));
    if installed.is_none() || installed < modified(&web().join("package-lock.json")) {
        run(in_web("npm").args(["ci", "--no-audit", "--no-fund"]))?;
    }
    Ok(())
}

/// Builds the front end unless the last build is newer than its sources.
pub fn web_build() -> Result<()> {
    node()?;
    let built = modified(&web().join("dist/index.html"));
    let sources = ["src", "public", "scripts", "index.html", "vite.config.ts", "package-lock.json"];
    let newest = sources.iter().filter_map(|source| newest_in(&web().join(source))).max();
    if built.is_none() || built < newest {
        run(in_web("npm").args(["run", "--silent", "build"]))?;
    }
    ensure!(web().join("dist/index.html").is_file(), "the web build left no web/dist/index.html");
    Ok(())
}

/// When a file was written last.
pub fn modified(path: &Path) -> Option<SystemTime> {
    fs::metadata(path).and_then(|meta| meta.modified()).ok()
}

/// When the newest file below `path` was written.
pub fn newest_in(path: &Path) -> Option<SystemTime> {
    if !path.is_dir() {
        return modified(path);
    }
    fs::read_dir(path).ok()?.flatten().filter_map(|entry| newest_in(&entry.path())).max()
}

/// Absolute path of the real data, when `WHEELHOUSE_DATA` names it.
pub fn real_data() -> Result<Option<String>> {
    folder("WHEELHOUSE_DATA")
}

/// Absolute path of the folder that a variable of the environment names, when it does.
pub fn folder(variable: &str) -> Result<Option<String>> {
    let Some(named) = std::env::var_os(variable).filter(|named| !named.is_empty()) else {
        return Ok(None);
    };
    let path = root().join(&named).canonicalize();
    let path = path.with_context(|| format!("{variable}={}: no such folder", named.display()))?;
    Ok(Some(path.display().to_string()))
}
