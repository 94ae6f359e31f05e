//! The whole product as private processes, durable, on 127.0.0.1.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use serde::Deserialize;
use testkit::local::{
    AuthCallout, LocalNats, LocalPostgres, NatsOptions, Place, PostgresOptions, Signal, Supervised,
    free_port, http_get_ok,
};

use crate::usage::{self, Usage};

/// The administrator's phone.
pub const ADMIN_PHONE: &str = "13800000000";
/// The login code that is always right; development profile only.
pub const CODE: &str = "135790";
/// Opens the server's figures.
pub const METRICS_TOKEN: &str = "figures-of-the-bench";
const NATS_USER: &str = "wheelhouse";

#[derive(Deserialize)]
struct Secrets {
    nats_issuer_public: String,
    nats_password: String,
}

/// A running stack; its parts end in the order of the fields when it is dropped.
pub struct Stack {
    server: Supervised,
    _nats: LocalNats,
    _postgres: LocalPostgres,
    place: Arc<Place>,
    pub port: u16,
    pub mqtt_port: u16,
    /// A service token of the open API.
    pub token: String,
}

/// The folder of the repository.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the benches lie in the repository")
}

/// The server's release binary: built now, unless `WHEELHOUSE_BINARIES` names a folder that has it.
fn binary() -> Result<PathBuf> {
    let folder = if let Some(named) = env::var_os("WHEELHOUSE_BINARIES") {
        PathBuf::from(named)
    } else {
        let status = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
            .args(["build", "--release", "-p", "server"])
            .current_dir(root())
            .status()
            .context("cannot run cargo")?;
        ensure!(status.success(), "the server does not build");
        env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from).join("release")
    };
    let binary = folder.join("wheelhouse");
    ensure!(binary.is_file(), "there is no {}", binary.display());
    Ok(binary)
}

fn run(command: &mut Command) -> Result<String> {
    let output =
        command.stdin(Stdio::null()).stderr(Stdio::inherit()).output().context("cannot run wheelhouse")?;
    ensure!(output.status.success(), "wheelhouse failed: {}", output.status);
    Ok(String::from_utf8(output.stdout)?)
}

impl Stack {
    /// Starts everything on a fresh state.
    pub fn start() -> Result<Self> {
        let binary = binary()?;
        let place = Arc::new(Place::throw_away()?);
        let state = place.path().join("state");
        fs::create_dir(&state)?;
        let wheelhouse = |words: &[&str]| {
            let mut command = Command::new(&binary);
            command.args(words).env("WHEELHOUSE_STATE_DIR", &state).env("WHEELHOUSE_PROFILE", "development");
            command
        };
        let secrets: Secrets = serde_json::from_str(&run(&mut wheelhouse(&["secrets"]))?)?;
        let settings = &[("shared_buffers", "512MB"), ("max_wal_size", "4GB")];
        let postgres = LocalPostgres::start(
            Arc::clone(&place),
            PostgresOptions { durable: true, port: None, settings, disk_mb: None },
        )?;
        let auth = AuthCallout {
            issuer: secrets.nats_issuer_public,
            user: NATS_USER.into(),
            password: secrets.nats_password.clone(),
        };
        let nats = LocalNats::start(Arc::clone(&place), NatsOptions { auth: Some(auth), ports: None })?;
        let port = free_port()?;
        let with_environment = |mut command: Command| {
            command
                .env("DATABASE_URL", postgres.url())
                .env("NATS_URL", nats.url())
                .env("NATS_USER", NATS_USER)
                .env("NATS_PASSWORD", &secrets.nats_password)
                .env("WHEELHOUSE_LISTEN", format!("127.0.0.1:{port}"))
                .env("BOOTSTRAP_ADMIN_PHONE", ADMIN_PHONE)
                .env("SMS_ADAPTER", "log")
                .env("SMS_FIXED_CODE", CODE)
                .env("WHEELHOUSE_METRICS_TOKEN", METRICS_TOKEN)
                .env_remove("WHEELHOUSE_WEB_DIR")
                .env_remove("WHEELHOUSE_BASE_MAP");
            command
        };
        run(&mut with_environment(wheelhouse(&["migrate"])))?;
        let mut server = Supervised::spawn(
            "server",
            with_environment(wheelhouse(&["serve"])),
            place.path(),
            Signal::Term,
        )?;
        server.wait_until(Duration::from_mins(2), |_| http_get_ok(port, "/readyz"))?;
        let token = state.join("bench.token");
        let words = ["machine", "add", "--name", "bench", "--preset", "simulator", "--out"];
        run(with_environment(wheelhouse(&words)).arg(&token))?;
        let token = fs::read_to_string(&token).context("the service token")?.trim().to_owned();
        let mqtt_port = nats.ports().mqtt;
        Ok(Self { server, _nats: nats, _postgres: postgres, place, port, mqtt_port, token })
    }

    /// What server, NATS and PostgreSQL have used so far, in this order.
    pub fn usage(&self) -> Result<[Usage; 3]> {
        let pid_of = |name: &str| usage::pid_in(&self.place.path().join(format!("{name}.pid")));
        Ok([usage::of(self.server.pid())?, usage::of(pid_of("nats")?)?, usage::of(pid_of("postgres")?)?])
    }

    /// The pids of server, NATS and PostgreSQL.
    pub fn pids(&self) -> Result<[u32; 3]> {
        let pid_of = |name: &str| usage::pid_in(&self.place.path().join(format!("{name}.pid")));
        Ok([self.server.pid(), pid_of("nats")?, pid_of("postgres")?])
    }

    /// The server's log.
    pub fn server_log(&self) -> &Path {
        self.server.log()
    }

    /// An error when the server ended by itself.
    pub fn check(&mut self) -> Result<()> {
        match self.server.ended() {
            Some(status) => anyhow::bail!("the server ended ({status}):\n{}", self.server.last_words()),
            None => Ok(()),
        }
    }

    /// Keeps the server's log: the rest of the place vanishes.
    pub fn keep_log(&self, folder: &Path) -> Result<()> {
        fs::copy(self.server.log(), folder.join("live-server.log")).context("the server's log")?;
        Ok(())
    }
}
