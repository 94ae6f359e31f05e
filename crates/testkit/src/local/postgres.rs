//! A private PostgreSQL.

use std::fs;
use std::io::Read;
use std::os::unix::fs::{PermissionsExt, chown};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, ensure};

use super::disk::SmallDisk;
use super::place::{Place, passable_by_others};
use super::port::{free_port, port_is_free};
use super::process::{Signal, Supervised};
use super::search::{find_postgres, id_of, is_root};

/// How a private PostgreSQL is run.
#[derive(Clone, Debug, Default)]
pub struct PostgresOptions {
    /// Whether commits reach the disk. Off for tests that do not measure and cut no power.
    pub durable: bool,
    /// The port to listen on when it is free; another one otherwise.
    pub port: Option<u16>,
    /// More `-c name=value` settings.
    pub settings: &'static [(&'static str, &'static str)],
    /// The size of a disk in memory for its data alone, megabytes; without one where none may be mounted.
    pub disk_mb: Option<u32>,
}

/// A PostgreSQL of our own on 127.0.0.1. Its data outlives stop, kill and start.
#[derive(Debug)]
pub struct LocalPostgres {
    // Dropped in this order: first the server ends, then its place is given up.
    process: Option<Supervised>,
    bin: PathBuf,
    port: u16,
    password: String,
    options: PostgresOptions,
    data: PathBuf,
    disk: Option<SmallDisk>,
    place: Arc<Place>,
}

impl LocalPostgres {
    /// Makes the cluster in `place` unless it is there already, and starts it.
    pub fn start(place: Arc<Place>, options: PostgresOptions) -> Result<Self> {
        let bin = find_postgres()?;
        if is_root() {
            ensure!(
                passable_by_others(place.path()),
                "PostgreSQL refuses root and the user postgres cannot enter {}",
                place.path().display()
            );
        }
        let disk = options.disk_mb.and_then(|size_mb| {
            let mounted = SmallDisk::mount(&place, size_mb);
            mounted.inspect_err(|error| eprintln!("PostgreSQL has no disk of its own: {error:#}")).ok()
        });
        let data = disk.as_ref().map_or(place.path(), SmallDisk::path).join("postgres");
        let secret = place.path().join("postgres.password");
        // Only a finished cluster counts: the version file is there from the beginning, so a
        // marker of ours is written last.
        let marker = place.path().join("postgres.made");
        if !marker.is_file() {
            let _ = fs::remove_dir_all(&data);
            write_secret(&secret, &random_password()?)?;
            make_cluster(&bin, &place, &data, &secret)?;
            fs::write(&marker, "")?;
        }
        let password = fs::read_to_string(&secret)
            .with_context(|| format!("cannot read {}", secret.display()))?
            .trim()
            .to_owned();
        let port = options.port.unwrap_or_default();
        let mut this = Self { process: None, bin, port, password, options, data, disk, place };
        this.start_again()?;
        Ok(this)
    }

    /// The superuser's URL of `database`.
    pub fn url_of(&self, database: &str) -> String {
        format!("postgres://postgres:{}@127.0.0.1:{}/{database}", self.password, self.port)
    }

    /// The superuser's URL of the database `postgres`.
    pub fn url(&self) -> String {
        self.url_of("postgres")
    }

    /// The port it listens on; it stays the same over restarts as long as nobody else takes it.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Ends it in order; committed data is kept.
    pub fn stop(&mut self) {
        if let Some(mut process) = self.process.take() {
            process.stop(Duration::from_secs(30));
        }
    }

    /// Ends it like a power cut of the process (not of the disk).
    pub fn kill9(&mut self) {
        if let Some(mut process) = self.process.take() {
            process.kill9();
        }
    }

    /// The disk of its data, when it has one to itself.
    pub fn disk(&self) -> Option<&SmallDisk> {
        self.disk.as_ref()
    }

    /// Starts it again when it ended by itself.
    pub fn revive(&mut self) -> Result<()> {
        let runs = self.process.as_mut().is_some_and(|process| process.ended().is_none());
        if runs { Ok(()) } else { self.start_again() }
    }

    /// Starts it on its old data and, if still free, its old port.
    pub fn start_again(&mut self) -> Result<()> {
        self.stop();
        // Another process may take a free port before we do, and a killed server's children may
        // hold its shared memory for a moment.
        let mut tries = 0;
        loop {
            tries += 1;
            if self.port == 0 || !port_is_free(self.port) {
                self.port = free_port()?;
            }
            match self.launch() {
                Ok(process) => {
                    self.process = Some(process);
                    return Ok(());
                }
                Err(error) if tries == 5 => return Err(error),
                Err(_) => std::thread::sleep(Duration::from_millis(200)),
            }
        }
    }

    fn launch(&self) -> Result<Supervised> {
        let mut command = as_postgres(&self.bin.join("postgres"));
        command.arg("-D").arg(&self.data).args(["-p", &self.port.to_string()]);
        let mut settings = vec![
            ("listen_addresses", "127.0.0.1"),
            // No socket file: its path would be too long under a deep checkout.
            ("unix_socket_directories", ""),
            ("max_connections", "300"),
            ("log_min_messages", "warning"),
        ];
        if !self.options.durable {
            settings.extend([("fsync", "off"), ("full_page_writes", "off"), ("synchronous_commit", "off")]);
        }
        for (name, value) in settings.iter().chain(self.options.settings) {
            command.arg("-c").arg(format!("{name}={value}"));
        }
        command.current_dir(self.place.path());
        let signal = if self.place.is_throw_away() { Signal::Quit } else { Signal::Int };
        let mut process = Supervised::spawn("postgres", command, self.place.path(), signal)?;
        process.wait_until(Duration::from_mins(1), |pid| says_ready(&self.data, pid))?;
        Ok(process)
    }
}

/// The server's own status file: the first line is its pid, the eighth its state.
fn says_ready(data: &Path, pid: u32) -> bool {
    let text = fs::read_to_string(data.join("postmaster.pid")).unwrap_or_default();
    let mut lines = text.lines();
    lines.next().is_some_and(|line| line.trim() == pid.to_string())
        && lines.nth(6).is_some_and(|line| line.trim() == "ready")
}

fn make_cluster(bin: &Path, place: &Place, data: &Path, secret: &Path) -> Result<()> {
    fs::create_dir(data)?;
    fs::set_permissions(data, fs::Permissions::from_mode(0o700))?;
    let password_file = data.with_extension("initdb-password");
    fs::copy(secret, &password_file)?;
    if is_root() {
        let (user, group) = (id_of(&["-u", "postgres"])?, id_of(&["-g", "postgres"])?);
        chown(data, Some(user), Some(group))?;
        chown(&password_file, Some(user), Some(group))?;
    }
    let mut command = as_postgres(&bin.join("initdb"));
    command
        .arg("-D")
        .arg(data)
        .args(["-U", "postgres", "-E", "UTF8", "--no-locale", "--no-sync"])
        // Tests connect by the ten thousand, and SCRAM makes each connection compute four thousand hashes. These are
        // against guessing, and nobody guesses 128 random bits.
        .arg(if place.is_throw_away() { "--auth=md5" } else { "--auth=scram-sha-256" })
        .arg("--pwfile")
        .arg(&password_file)
        .current_dir(place.path())
        .stdin(Stdio::null());
    let output = command.output().context("cannot run initdb")?;
    fs::remove_file(&password_file)?;
    ensure!(output.status.success(), "initdb failed: {}", String::from_utf8_lossy(&output.stderr).trim());
    Ok(())
}

/// PostgreSQL refuses root, so root runs it as the user the package made for it.
fn as_postgres(program: &Path) -> Command {
    if is_root() {
        let mut command = Command::new("setpriv");
        command.args(["--reuid=postgres", "--regid=postgres", "--clear-groups"]).arg(program);
        command
    } else {
        Command::new(program)
    }
}

fn random_password() -> Result<String> {
    let mut bytes = [0_u8; 16];
    fs::File::open("/dev/urandom")?.read_exact(&mut bytes)?;
    Ok(bytes.iter().fold(String::new(), |text, byte| text + &format!("{byte:02x}")))
}

pub(crate) fn write_secret(path: &Path, text: &str) -> Result<()> {
    fs::write(path, "")?;
    fs::set_permissions(path, fs::Permissions::from_mode(0o600))?;
    fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
}
