//! openapi.json against the running product: schemathesis asks every operation what its schema allows and what it does
//! not, with the same requests in every run, and looks at the answers.

use std::env;
use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use serde::Deserialize;
use sha2::{Digest, Sha256};
use testkit::local::{Place, Signal, on_path, send_signal};

use crate::{packages, shell};

/// The environment's packages.
const REQUIREMENTS: &str = include_str!("../schemathesis.txt");
/// All runs together end within this time.
const PATIENCE: Duration = Duration::from_mins(10);
/// The stack stands within this time.
const START: Duration = Duration::from_mins(5);
/// Requests of the random part, for each operation.
const EXAMPLES: &str = "12";
/// What an answer is looked at for.
const CHECKS: &str =
    "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance";

/// Checks every operation, or says loudly that this machine cannot.
pub fn schema() -> Result<()> {
    let python = match environment() {
        Ok(python) => python,
        Err(error) => {
            println!(
                "!! schemathesis cannot be had here: the running server's answers WERE NOT CHECKED against openapi.json \
                 ({error:#})."
            );
            return Ok(());
        }
    };
    packages::postgres()?;
    packages::node()?;
    shell::run(&mut shell::build_all())?;
    let place = Place::throw_away()?;
    let stack = Running::start(place.path())?;
    let caller = signed_in(&stack.ready)?;
    let machine = fs::read_to_string(place.path().join("stack/state/simulator.token"))?;
    let deadline = Instant::now() + PATIENCE;
    let mut failed = Vec::new();
    for part in parts(&caller, machine.trim()) {
        println!("\n-- {}", part.name);
        if !ask(&python, &stack.ready.url, place.path(), &part, deadline)? {
            failed.push(part.name);
        }
    }
    if !failed.is_empty() {
        println!("The end of the server's log ({}):", stack.ready.server_log.display());
        let log = fs::read_to_string(&stack.ready.server_log).unwrap_or_default();
        let trouble: Vec<&str> = log.lines().filter(|line| line.contains("\"ERROR\"")).collect();
        trouble.iter().rev().take(20).rev().for_each(|line| println!("{line}"));
    }
    stack.stop()?;
    ensure!(failed.is_empty(), "schemathesis found something: {}", failed.join(", "));
    Ok(())
}

/// Some of the operations, and what lets a caller in there.
struct Part {
    name: &'static str,
    filters: Vec<&'static str>,
    headers: Vec<String>,
}

/// Each kind of caller is asked for what is his. What ends or renews the session that asks (`/auth/logout`,
/// `/auth/token`) and the websocket are left to the server's own tests.
fn parts(caller: &SignedIn, machine: &str) -> [Part; 3] {
    [
        Part {
            name: "the administrator's operations",
            filters: vec!["--exclude-path-regex", "^/open/|/auth/(?!quickLink$)|/permission/login$|/ws$"],
            headers: vec![format!("_t: {}", caller.t), format!("Authorization: Bearer {}", caller.token)],
        },
        Part {
            name: "the way in",
            filters: vec![
                "--include-path-regex",
                "/auth/|/permission/login$",
                "--exclude-path-regex",
                "/auth/(logout|token|quickLink)$",
            ],
            headers: vec![format!("_t: {}", caller.door)],
        },
        Part {
            name: "the machines' operations",
            filters: vec!["--include-path-regex", "^/open/"],
            headers: vec![format!("Authorization: Bearer {machine}")],
        },
    ]
}

/// Runs schemathesis over one part; whether it found nothing.
fn ask(python: &Path, url: &str, folder: &Path, part: &Part, deadline: Instant) -> Result<bool> {
    let mut command = Command::new(python);
    command
        .args(["-m", "schemathesis.cli", "run"])
        .arg(shell::root().join("openapi.json"))
        .args(["--url", url, "--checks", CHECKS, "--phases", "examples,coverage,fuzzing"])
        .args(["--max-examples", EXAMPLES, "--seed", "20261121", "--generation-deterministic"])
        .args(["--suppress-health-check", "all"])
        .args(["--workers", "2", "--request-timeout", "10", "--continue-on-failure", "--max-failures", "20"])
        .args(["--no-color", "--warnings", "off"])
        .args(&part.filters)
        // Not in the checkout: it leaves traces where it runs.
        .current_dir(folder)
        .stdin(Stdio::null());
    for header in &part.headers {
        command.args(["--header", header]);
    }
    let mut child = command.spawn().context("schemathesis does not run")?;
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(status.success());
        }
        if Instant::now() > deadline {
            child.kill()?;
            child.wait()?;
            bail!("{}: not done after {} s", part.name, PATIENCE.as_secs());
        }
        thread::sleep(Duration::from_millis(100));
    }
}

/// What proves the callers.
#[derive(Deserialize)]
struct SignedIn {
    /// The administrator's session.
    t: String,
    /// His access token.
    token: String,
    /// A session that proved nothing.
    door: String,
}

fn signed_in(ready: &Ready) -> Result<SignedIn> {
    let mut command = shell::in_web("node");
    command.args(["scripts/signIn.mjs", &ready.url, &ready.admin_phone, &ready.sms_code]);
    serde_json::from_str(&shell::read(&mut command)?).context("what web/scripts/signIn.mjs prints")
}

/// What `xtask stack` says when it stands.
#[derive(Deserialize)]
struct Ready {
    url: String,
    admin_phone: String,
    sms_code: String,
    server_log: PathBuf,
}

/// The complete stack, as a process of its own: it takes calls without boxes.
struct Running {
    child: Child,
    /// It ends when this closes.
    leash: Option<ChildStdin>,
    ready: Ready,
}

impl Running {
    fn start(folder: &Path) -> Result<Self> {
        // Not the running program: a build in between has replaced its file.
        let mut child = shell::command(shell::built("debug")?.join("xtask"))
            .args(["stack", "--json", "--bikes", "5", "--state"])
            .arg(folder.join("stack"))
            .env("WHEELHOUSE_BINARIES", shell::built("debug")?)
            .env("WIRE_ENCRYPTION", "optional")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let leash = child.stdin.take();
        let told = child.stdout.take().context("the stack's words")?;
        let line = first_line(told, START);
        let ready = line.and_then(|line| serde_json::from_str(&line).context("what the stack said"));
        match ready {
            Ok(ready) => Ok(Self { child, leash, ready }),
            Err(error) => {
                drop(leash);
                send_signal(child.id(), Signal::Term);
                child.wait()?;
                Err(error.context("the stack does not stand"))
            }
        }
    }

    fn stop(mut self) -> Result<()> {
        self.leash = None;
        self.child.wait()?;
        Ok(())
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.leash = None;
        let _ = self.child.wait();
    }
}

fn first_line(told: ChildStdout, patience: Duration) -> Result<String> {
    let (heard, line) = std::sync::mpsc::channel();
    thread::spawn(move || {
        let mut reader = BufReader::new(told);
        let mut text = String::new();
        let _ = heard.send(reader.read_line(&mut text).map(|_| text));
        // Read on, so that the stack can go on speaking.
        let _ = std::io::copy(&mut reader, &mut std::io::sink());
    });
    Ok(line.recv_timeout(patience).context("it says nothing")??)
}

/// Python with schemathesis: made once for these requirements, in the cache.
fn environment() -> Result<PathBuf> {
    let system = on_path("python3").context("python3 is missing")?;
    let name = format!("schemathesis-{}", &hex::encode(Sha256::digest(REQUIREMENTS))[..12]);
    let cache = cache()?;
    fs::create_dir_all(&cache)?;
    let folder = cache.join(&name);
    let (python, complete) = (folder.join("bin/python"), folder.join("complete"));
    // Another process may be making it; the lock goes with whoever holds it.
    let lock = File::create(cache.join(format!("{name}.lock")))?;
    lock.lock()?;
    if complete.is_file() {
        return Ok(python);
    }
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    println!("Making the environment of schemathesis in {}.", folder.display());
    let venv = |system: &Path| quiet(Command::new(system).args(["-m", "venv"]).arg(&folder));
    if let Err(error) = venv(&system) {
        // Debian keeps it in a package of its own.
        packages::install(&["python3-venv"]).map_err(|_| error)?;
        venv(&system)?;
    }
    let list = folder.join("requirements.txt");
    fs::write(&list, REQUIREMENTS)?;
    quiet(
        Command::new(&python)
            .args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps"])
            .args(["--timeout", "15", "--retries", "1", "--requirement"])
            .arg(&list),
    )?;
    File::create(&complete)?;
    Ok(python)
}

/// `$XDG_CACHE_HOME/wheelhouse`, where other fetched things lie too.
fn cache() -> Result<PathBuf> {
    let home = || env::var_os("HOME").map(|home| PathBuf::from(home).join(".cache"));
    let cache = env::var_os("XDG_CACHE_HOME").map(PathBuf::from).or_else(home);
    Ok(cache.context("neither XDG_CACHE_HOME nor HOME is set")?.join("wheelhouse"))
}

/// Runs it; what it says is told when it fails.
fn quiet(command: &mut Command) -> Result<()> {
    let shown = shell::shown(command);
    let output = command.stdin(Stdio::null()).output().with_context(|| format!("cannot run {shown}"))?;
    if !output.status.success() {
        let told =
            format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        bail!("{shown}: {}", told.trim().lines().last().unwrap_or_default());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_package_of_the_environment_is_pinned_and_no_source_is_named() {
        let lines: Vec<&str> = REQUIREMENTS.lines().filter(|line| !line.starts_with('#')).collect();
        assert!(lines.iter().any(|line| line.starts_with("schemathesis==")));
        for line in lines {
            let (name, version) = line.split_once("==").unwrap_or_else(|| panic!("{line} is not pinned"));
            assert!(name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_'), "{line}");
            assert!(version.starts_with(|c: char| c.is_ascii_digit()), "{line}");
        }
    }

    #[test]
    fn each_part_brings_what_lets_it_in() {
        let caller = SignedIn { t: "t".into(), token: "token".into(), door: "door".into() };
        let [admin, door, machine] = parts(&caller, "machine");
        assert_eq!(admin.headers, ["_t: t", "Authorization: Bearer token"]);
        assert_eq!(door.headers, ["_t: door"]);
        assert_eq!(machine.headers, ["Authorization: Bearer machine"]);
    }
}
