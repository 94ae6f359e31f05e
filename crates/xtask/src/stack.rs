//! The whole product as private processes: PostgreSQL, NATS, the payment provider, the server, the demo city.

use std::fs;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use testkit::local::{
    AuthCallout, LocalNats, LocalPostgres, NatsOptions, NatsPorts, Place, PostgresOptions, Signal,
    Supervised, find_postgres, free_port, http_get_ok, is_root, port_is_free,
};

use crate::packages::real_data;
use crate::shell::{command, read, root, run, web};
use crate::signals;

/// The administrator's phone of every private installation.
pub const ADMIN_PHONE: &str = "13800000000";
/// The product's own NATS user.
const NATS_USER: &str = "wheelhouse";
/// Who the product is to the simulated payment provider.
const MERCHANT: &str = "wheelhouse";
/// The demo city is the same everywhere.
const SEED: &str = "7";
/// Where the browser tests' chat widget comes from; nobody is there.
const CHAT_ORIGIN: &str = "https://chat.example.com";

/// How a stack is started.
pub struct Plan {
    /// The folder for everything that stays.
    pub folder: PathBuf,
    /// The folder with the binaries `wheelhouse`, `simulator` and `payment-simulator`.
    pub binaries: PathBuf,
    /// The HTTP port, if one was asked for.
    pub port: Option<u16>,
    /// How many bikes the demo city has; none without the demo.
    pub bikes: Option<u32>,
    /// A login code that is always right (development only; for browser tests).
    pub fixed_code: Option<&'static str>,
    /// Whether the server is known by other names too, with web configurations of their own (for browser tests).
    pub other_names: bool,
    /// Whether nothing goes wrong at the payment provider's.
    pub lucky: bool,
    /// Whether `DATABASE_URL`, `NATS_URL` and `PAYMENT_URL` of the environment are used.
    pub take_environment: bool,
}

/// The ports of last time, used again when they are free.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
struct Ports {
    http: u16,
    postgres: u16,
    nats: u16,
    mqtt: u16,
    monitor: u16,
    payment: u16,
}

/// What `wheelhouse secrets` prints.
#[derive(Deserialize)]
struct Secrets {
    nats_issuer_public: String,
    nats_password: String,
}

/// A running stack. Dropping it ends its parts in the reverse of their start.
pub struct Stack {
    // Fields are dropped in this order.
    simulator: Option<Supervised>,
    server: Supervised,
    provider: Option<Supervised>,
    _nats: Option<LocalNats>,
    _postgres: Option<LocalPostgres>,
    _place: Arc<Place>,
    /// Where the product is.
    pub url: String,
    /// Where bikes speak to it, host and port.
    pub mqtt: Option<String>,
}

impl Stack {
    /// Starts all parts; what stands already is ended again when a later part fails.
    pub fn start(plan: &Plan) -> Result<Self> {
        let state = plan.folder.join("state");
        fs::create_dir_all(&state)?;
        let place = Arc::new(Place::kept(&servers_folder(&plan.folder)?)?);
        let mut ports = Ports::read(&plan.folder);
        let setting =
            |name: &str| std::env::var(name).ok().filter(|value| plan.take_environment && !value.is_empty());
        let wheelhouse = |words: &[&str]| {
            let mut command = command(plan.binaries.join("wheelhouse"));
            command.args(words).env("WHEELHOUSE_STATE_DIR", &state).env("WHEELHOUSE_PROFILE", "development");
            command
        };

        let named = setting("PAYMENT_URL");
        let mut secrets = wheelhouse(&["secrets"]);
        if named.is_none() {
            secrets.env_remove("PAYMENT_SECRET");
        }
        let text = read(&mut secrets)?;
        let secrets: Secrets = serde_json::from_str(&text).context("wheelhouse secrets")?;

        let mut postgres = None;
        let database_url = if let Some(url) = setting("DATABASE_URL") {
            url
        } else {
            eprintln!("Starting PostgreSQL.");
            let port = Some(ports.postgres).filter(|port| *port != 0);
            let options =
                PostgresOptions { durable: plan.take_environment, port, settings: &[], disk_mb: None };
            let server = LocalPostgres::start(Arc::clone(&place), options)?;
            ports.postgres = server.port();
            postgres.insert(server).url()
        };
        signals::go_on()?;

        let mut nats = None;
        let (nats_url, nats_user, nats_password, mqtt) = if let Some(url) = setting("NATS_URL") {
            let user = setting("NATS_USER").unwrap_or_else(|| NATS_USER.into());
            (url, user, setting("NATS_PASSWORD").unwrap_or(secrets.nats_password), setting("WHEELHOUSE_MQTT"))
        } else {
            eprintln!("Starting NATS.");
            let auth = AuthCallout {
                issuer: secrets.nats_issuer_public,
                user: NATS_USER.into(),
                password: secrets.nats_password.clone(),
            };
            let wanted = NatsPorts { client: ports.nats, mqtt: ports.mqtt, monitor: ports.monitor };
            let options = NatsOptions { auth: Some(auth), ports: Some(wanted) };
            let server = nats.insert(LocalNats::start(Arc::clone(&place), options)?);
            let got = server.ports();
            (ports.nats, ports.mqtt, ports.monitor) = (got.client, got.mqtt, got.monitor);
            (server.url(), NATS_USER.into(), secrets.nats_password, Some(server.mqtt_addr()))
        };
        signals::go_on()?;

        ports.http = http_port(plan.port, ports.http)?;
        if named.is_none() {
            ports.payment = Some(ports.payment)
                .filter(|port| *port != 0 && port_is_free(*port))
                .map_or_else(free_port, Ok)?;
        }
        ports.write(&plan.folder)?;
        let provider = match &named {
            Some(_) => None,
            None => Some(payment_provider(plan, &state, &place, ports.payment)?),
        };
        signals::go_on()?;

        run_aside(wheelhouse(&["migrate"]).env("DATABASE_URL", &database_url))?;
        if plan.other_names {
            let mut psql = command(find_postgres()?.join("psql"));
            psql.args(["-X", "-q", "-v", "ON_ERROR_STOP=1", "-d", &database_url, "-c"]);
            run_aside(psql.arg(configure_names(ports.http)))?;
        }
        let map = plan.folder.join("city.geojson");
        let simulator = plan.binaries.join("simulator");
        if !map.is_file() {
            let making = map.with_extension("making");
            run_aside(command(&simulator).args(["city", "--seed", SEED, "--out"]).arg(&making))?;
            fs::rename(&making, &map)?;
        }
        signals::go_on()?;

        let url = format!("http://127.0.0.1:{}", ports.http);
        let full_environment = |command: &mut Command| {
            command
                .env("DATABASE_URL", &database_url)
                .env("NATS_URL", &nats_url)
                .env("NATS_USER", &nats_user)
                .env("NATS_PASSWORD", &nats_password)
                .env("WHEELHOUSE_LISTEN", format!("127.0.0.1:{}", ports.http))
                .env("WHEELHOUSE_WEB_DIR", web().join("dist"))
                .env("WHEELHOUSE_BASE_MAP", &map)
                .env("BOOTSTRAP_ADMIN_PHONE", ADMIN_PHONE)
                .env("SMS_ADAPTER", "log");
            if plan.other_names {
                let runtime = format!("{url},http://localhost:{}", ports.http);
                command.env("WHEELHOUSE_CORS_ORIGINS", runtime).env("WHEELHOUSE_CHAT_ORIGINS", CHAT_ORIGIN);
            }
            if named.is_none() {
                command
                    .env("PAYMENT_URL", format!("http://127.0.0.1:{}", ports.payment))
                    .env("PAYMENT_MERCHANT", MERCHANT)
                    .env("PAYMENT_NOTIFY_URL", format!("http://127.0.0.1:{}", ports.http))
                    .env_remove("PAYMENT_SECRET");
            }
            match plan.fixed_code {
                Some(code) => command.env("SMS_FIXED_CODE", code),
                None => command.env_remove("SMS_FIXED_CODE"),
            };
        };
        let mut serve = wheelhouse(&["serve"]);
        full_environment(&mut serve);
        eprintln!("Starting the server.");
        let mut server = Supervised::spawn("server", serve, place.path(), Signal::Term)?;
        server.wait_until(Duration::from_mins(2), |_| {
            signals::ending() || http_get_ok(ports.http, "/readyz")
        })?;
        signals::go_on()?;

        let mut this = Self {
            simulator: None,
            server,
            provider,
            _nats: nats,
            _postgres: postgres,
            _place: Arc::clone(&place),
            url: url.clone(),
            mqtt: mqtt.clone(),
        };
        if let Some(bikes) = plan.bikes {
            let mqtt = mqtt.context(
                "NATS_URL is set, so WHEELHOUSE_MQTT must name its MQTT listener (host:port) for the demo city; \
                 or use --no-simulator",
            )?;
            let token = state.join("simulator.token");
            if !token.is_file() {
                let mut add =
                    wheelhouse(&["machine", "add", "--name", "simulator", "--preset", "simulator", "--out"]);
                add.arg(&token);
                full_environment(&mut add);
                run_aside(&mut add)?;
            }
            let mut demo = command(&simulator);
            demo.args(["demo", "--server", &url, "--token-file"]).arg(&token);
            demo.args(["--mqtt", &mqtt, "--seed", SEED, "--speed", "1", "--bikes", &bikes.to_string()]);
            demo.args(["--manager", ADMIN_PHONE]);
            if let Some(data) = real_data()? {
                demo.env("WHEELHOUSE_DATA", data);
            }
            eprintln!("Starting the demo city at its morning peak, whatever the hour.");
            this.simulator = Some(Supervised::spawn("simulator", demo, place.path(), Signal::Term)?);
        }
        Ok(this)
    }

    /// The server's log.
    pub fn server_log(&self) -> &Path {
        self.server.log()
    }

    /// The server's process.
    pub fn server_pid(&self) -> u32 {
        self.server.pid()
    }

    /// The demo city's log.
    pub fn simulator_log(&self) -> Option<&Path> {
        self.simulator.as_ref().map(Supervised::log)
    }

    /// All logs: the server's, the demo city's, the payment provider's.
    pub fn logs(&self) -> Vec<String> {
        let parts = [Some(&self.server), self.simulator.as_ref(), self.provider.as_ref()];
        parts.into_iter().flatten().map(|part| part.log().display().to_string()).collect()
    }

    /// An error when a part ended by itself.
    pub fn check(&mut self) -> Result<()> {
        let parts = [
            Some(("the server", &mut self.server)),
            self.simulator.as_mut().map(|s| ("the demo city", s)),
            self.provider.as_mut().map(|p| ("the payment provider", p)),
        ];
        for (name, part) in parts.into_iter().flatten() {
            if let Some(status) = part.ended() {
                bail!("{name} ended ({status}):\n{}\nIts log: {}", part.last_words(), part.log().display());
            }
        }
        Ok(())
    }

    /// Ends all parts: first the city, then the server, which drains, then whom it asks.
    pub fn stop(mut self) {
        if let Some(mut simulator) = self.simulator.take() {
            simulator.stop(Duration::from_secs(10));
        }
        self.server.stop(Duration::from_secs(30));
        if let Some(mut provider) = self.provider.take() {
            provider.stop(Duration::from_secs(5));
        }
    }
}

/// The simulated provider, with the secret that `wheelhouse secrets` made for both.
fn payment_provider(plan: &Plan, state: &Path, place: &Arc<Place>, port: u16) -> Result<Supervised> {
    let mut provide = command(plan.binaries.join("payment-simulator"));
    provide.args(["--listen", &format!("127.0.0.1:{port}"), "--merchant", MERCHANT, "--seed", SEED]);
    provide.arg("--state-file").arg(state.join("payments.jsonl"));
    provide.arg("--secret-file").arg(state.join("payment.secret")).env_remove("PAYMENT_SECRET");
    if plan.lucky {
        provide.arg("--lucky");
    }
    eprintln!("Starting the payment provider.");
    let mut provider = Supervised::spawn("payment-simulator", provide, place.path(), Signal::Term)?;
    provider.wait_until(Duration::from_secs(20), |_| signals::ending() || http_get_ok(port, "/healthz"))?;
    Ok(provider)
}

/// Standard output is for our own answer; what helpers say goes where errors go.
fn run_aside(command: &mut Command) -> Result<()> {
    run(command.stdout(std::io::stderr()))
}

impl Ports {
    fn read(folder: &Path) -> Self {
        let text = fs::read_to_string(folder.join("ports.json")).unwrap_or_default();
        serde_json::from_str(&text).unwrap_or_default()
    }

    fn write(self, folder: &Path) -> Result<()> {
        Ok(fs::write(folder.join("ports.json"), serde_json::to_string_pretty(&self)? + "\n")?)
    }
}

/// Web configurations of the names that browser tests open pages under.
fn configure_names(port: u16) -> String {
    let here = format!("http://127.0.0.1:{port}");
    // The policy of a page lets it call no address that is not the system's; and the system answers no page that was
    // opened at another one.
    let strange = format!("http://strange.localhost:{port}");
    let names: [(&str, Value); 3] = [
        (
            "localhost",
            json!({
                "financialHost": here, "deviceHost": here, "apiKey": "browser-tests", "appId": "browser-tests-app",
                "chatScript": format!("{CHAT_ORIGIN}/widget.js"),
            }),
        ),
        ("no-device.localhost", json!({ "deviceHost": strange })),
        (
            "no-finance.localhost",
            json!({ "financialHost": here, "chatScript": "https://strange.example.com/widget.js" }),
        ),
    ];
    let rows = names.map(|(name, config)| format!("('{name}', '{config}')")).join(", ");
    format!("insert into authentication.web_config (domain, config) values {rows}")
}

fn http_port(asked: Option<u16>, last: u16) -> Result<u16> {
    if let Some(port) = asked {
        TcpListener::bind(("127.0.0.1", port)).with_context(|| format!("port {port} cannot be used"))?;
        return Ok(port);
    }
    match [last, 8080].into_iter().find(|port| *port != 0 && port_is_free(*port)) {
        Some(port) => Ok(port),
        None => free_port(),
    }
}

/// Where the private servers keep their data: in `folder`, unless root works in a folder that the
/// user postgres cannot enter; then below /var/tmp, named after the folder.
fn servers_folder(folder: &Path) -> Result<PathBuf> {
    use std::os::unix::fs::PermissionsExt;
    let folder = folder.canonicalize()?;
    let closed = folder
        .ancestors()
        .any(|part| fs::metadata(part).is_ok_and(|meta| meta.permissions().mode() & 0o001 == 0));
    if !(is_root() && closed) {
        return Ok(folder.join("servers"));
    }
    let elsewhere =
        PathBuf::from(format!("/var/tmp/wheelhouse-{:016x}", fnv(folder.as_os_str().as_encoded_bytes())));
    ensure!(
        fs::symlink_metadata(&elsewhere).map_or(true, |meta| {
            use std::os::unix::fs::MetadataExt;
            meta.is_dir() && meta.uid() == 0
        }),
        "{} belongs to somebody else",
        elsewhere.display()
    );
    Ok(elsewhere)
}

/// FNV-1a: the same name in every run and every version.
fn fnv(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}

/// The standing folder of `cargo xtask run`.
pub fn standing_folder() -> PathBuf {
    root().join(".wheelhouse")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_checkouts_hash_is_the_published_fnv() {
        assert_eq!(fnv(b""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(fnv(b"a"), 0xaf63_dc4c_8601_ec8c);
    }

    #[test]
    fn a_taken_port_is_refused_when_asked_for_and_passed_over_when_remembered() {
        let taken = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = taken.local_addr().expect("its address").port();
        assert!(http_port(Some(port), 0).is_err());
        assert_ne!(http_port(None, port).expect("another port"), port);
        drop(taken);
        assert_eq!(http_port(None, port).expect("free again"), port);
    }
}
