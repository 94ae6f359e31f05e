//! A private nats-server with JetStream and MQTT.

use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, ensure};

use super::place::Place;
use super::port::{free_port, port_is_free};
use super::postgres::write_secret;
use super::process::{Signal, Supervised, http_get_ok};
use super::search::find_nats_server;

/// The configuration; `{{name}}` is filled in below.
const CONFIG: &str = include_str!("../../../../nats/server.conf");
/// The block that hands every login to the server's auth callout.
const AUTH: &str = include_str!("../../../../nats/auth.conf");

/// The ports of a nats-server on 127.0.0.1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NatsPorts {
    /// NATS clients.
    pub client: u16,
    /// MQTT devices.
    pub mqtt: u16,
    /// `/healthz` and friends.
    pub monitor: u16,
}

/// Who decides on logins: the holder of `issuer`'s seed answers for everybody except `user`.
#[derive(Clone, Debug)]
pub struct AuthCallout {
    /// The public account key (`A…`) whose seed signs the answers.
    pub issuer: String,
    /// The product's own user, let in by password.
    pub user: String,
    /// That user's password.
    pub password: String,
}

/// How a private nats-server is run.
#[derive(Clone, Debug, Default)]
pub struct NatsOptions {
    /// Without it everybody is let in.
    pub auth: Option<AuthCallout>,
    /// The ports to listen on when they are free; others otherwise.
    pub ports: Option<NatsPorts>,
}

/// A nats-server of our own on 127.0.0.1. Its streams outlive stop, kill and start.
#[derive(Debug)]
pub struct LocalNats {
    // Dropped in this order: first the server ends, then its place is given up.
    process: Option<Supervised>,
    binary: PathBuf,
    ports: NatsPorts,
    options: NatsOptions,
    place: Arc<Place>,
}

impl LocalNats {
    /// Writes the configuration into `place` and starts the server.
    pub fn start(place: Arc<Place>, options: NatsOptions) -> Result<Self> {
        if let Some(auth) = &options.auth {
            let plain = |text: &str| !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric());
            ensure!(
                plain(&auth.issuer) && auth.issuer.starts_with('A'),
                "the auth callout's issuer must be a public account key (A…), not {:?}",
                auth.issuer
            );
            ensure!(
                plain(&auth.user) && plain(&auth.password),
                "user and password must be letters and digits"
            );
        }
        let ports = options.ports.unwrap_or(NatsPorts { client: 0, mqtt: 0, monitor: 0 });
        let mut this = Self { process: None, binary: find_nats_server()?, ports, options, place };
        this.start_again()?;
        Ok(this)
    }

    /// The URL for NATS clients, without credentials.
    pub fn url(&self) -> String {
        format!("nats://127.0.0.1:{}", self.ports.client)
    }

    /// `host:port` for MQTT devices.
    pub fn mqtt_addr(&self) -> String {
        format!("127.0.0.1:{}", self.ports.mqtt)
    }

    /// Its ports; they stay the same over restarts as long as nobody else takes them.
    pub fn ports(&self) -> NatsPorts {
        self.ports
    }

    /// Ends it in order.
    pub fn stop(&mut self) {
        if let Some(mut process) = self.process.take() {
            process.stop(Duration::from_secs(15));
        }
    }

    /// Ends it like a power cut of the process (not of the disk).
    pub fn kill9(&mut self) {
        if let Some(mut process) = self.process.take() {
            process.kill9();
        }
    }

    /// Starts it on its old streams and, if still free, its old ports.
    pub fn start_again(&mut self) -> Result<()> {
        self.stop();
        let mut tries = 0;
        loop {
            tries += 1;
            for port in [&mut self.ports.client, &mut self.ports.mqtt, &mut self.ports.monitor] {
                if *port == 0 || !port_is_free(*port) {
                    *port = free_port()?;
                }
            }
            match self.launch() {
                Ok(process) => {
                    self.process = Some(process);
                    return Ok(());
                }
                Err(error) if tries == 5 => return Err(error),
                Err(_) => std::thread::sleep(Duration::from_millis(100)),
            }
        }
    }

    fn launch(&self) -> Result<Supervised> {
        let folder = self.place.path();
        let text = CONFIG
            .replace("{{server_name}}", &format!("wheelhouse-{}", self.ports.client))
            .replace("{{listen}}", &format!("127.0.0.1:{}", self.ports.client))
            .replace("{{monitor}}", &format!("127.0.0.1:{}", self.ports.monitor))
            .replace("{{mqtt}}", &format!("127.0.0.1:{}", self.ports.mqtt))
            .replace("{{store_dir}}", &folder.join("jetstream").display().to_string());
        ensure!(!text.contains("{{"), "nats/server.conf has a placeholder that nobody fills");
        let config = folder.join("nats.conf");
        fs::write(&config, text).with_context(|| format!("cannot write {}", config.display()))?;
        let auth = self.options.auth.as_ref().map_or_else(String::new, |auth| {
            AUTH.replace("{{issuer}}", &auth.issuer)
                .replace("{{user}}", &auth.user)
                .replace("{{password}}", &auth.password)
        });
        write_secret(&folder.join("auth.conf"), &auth)?;
        let mut command = Command::new(&self.binary);
        command.arg("-c").arg(&config).current_dir(folder);
        let mut process = Supervised::spawn("nats", command, folder, Signal::Term)?;
        process.wait_until(Duration::from_secs(30), |_| http_get_ok(self.ports.monitor, "/healthz"))?;
        Ok(process)
    }
}
