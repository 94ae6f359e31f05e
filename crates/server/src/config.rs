//! What the operator of the system sets: by environment variables, each also a flag of `wheelhouse serve`.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::str::FromStr;

use access::Tiles;
use anyhow::{Context, Result, ensure};
use clap::builder::RangedU64ValueParser;
use clap::{Args, ValueEnum};
use kernel::PoolSizes;
use wire::{NotAnOrigin, Origin, SecureOrigin, WireConfig};

use crate::feed_settings::FeedSettings;
use crate::identity::IdentitySettings;
use crate::payments::PaymentSettings;

/// Development shows codes on the console and lets plain requests through when told to; production never does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Profile {
    /// For the demo and for developers.
    Development,
    /// For a city.
    Production,
}

/// Whether the params cipher is insisted on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum WireEncryption {
    /// Always.
    Required,
    /// Plain requests are let through; development only.
    Optional,
}

/// How SMS codes travel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum SmsAdapter {
    /// To the console; development only.
    Log,
    /// To an HTTP gateway.
    Http,
}

/// Where payment passwords are set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum PayAdapter {
    /// Nowhere yet.
    Off,
    /// On a page of our own; development only.
    StandIn,
    /// At the payment provider's, which an HTTP gateway leads to.
    Http,
}

/// Where everything is.
#[derive(Clone, Debug, Args)]
pub struct Stores {
    /// PostgreSQL 15 or newer; the URL's user owns the database.
    #[arg(long, env = "DATABASE_URL", hide_env_values = true)]
    pub database_url: String,
    /// How many connections to PostgreSQL a node holds at most, beside one for each read model that it builds anew. Those of all
    /// nodes, and a few for maintenance, must be within `max_connections` of the server.
    #[arg(long, env = "DATABASE_CONNECTIONS", default_value_t = PoolSizes::USUAL,
        value_parser = clap::value_parser!(u32).range(i64::from(PoolSizes::FEWEST)..=1_000))]
    pub database_connections: u32,
    /// NATS 2.10 or newer with JetStream; commas stand between several servers of one cluster. Without it commands
    /// and queries work, and nothing is live.
    #[arg(long, env = "NATS_URL", hide_env_values = true)]
    pub nats_url: Option<String>,
    /// The server's own user at NATS; its password is NATS_PASSWORD or in the state folder.
    #[arg(long, env = "NATS_USER", default_value = "wheelhouse")]
    pub nats_user: String,
    /// Folder of the secrets; readable by the owner alone.
    #[arg(long, env = "WHEELHOUSE_STATE_DIR", default_value = ".wheelhouse/state")]
    pub state_dir: PathBuf,
    /// Folder outside of the database that keeps what is signed about the log; better on another machine than the
    /// database. Left out: `checkpoints` in the state folder.
    #[arg(long, env = "WHEELHOUSE_CHECKPOINT_STORE")]
    pub checkpoint_store: Option<PathBuf>,
    /// Folder of photos and documents that cases hold; all nodes share it (a mounted bucket will do). Left out: `attachments`
    /// in the state folder.
    #[arg(long, env = "WHEELHOUSE_ATTACHMENTS")]
    pub attachments: Option<PathBuf>,
}

impl Stores {
    /// The folder that keeps what is signed about the log.
    pub fn checkpoint_folder(&self) -> PathBuf {
        self.checkpoint_store.clone().unwrap_or_else(|| self.state_dir.join("checkpoints"))
    }

    /// The folder of photos and documents.
    pub fn attachments_folder(&self) -> PathBuf {
        self.attachments.clone().unwrap_or_else(|| self.state_dir.join("attachments"))
    }
}

/// Everything `serve` needs beside the stores.
#[derive(Clone, Debug, Args)]
pub struct Settings {
    /// Address and port of HTTP and websocket.
    #[arg(long, env = "WHEELHOUSE_LISTEN", default_value = "127.0.0.1:8080")]
    pub listen: SocketAddr,
    /// development or production.
    #[arg(long, env = "WHEELHOUSE_PROFILE", default_value = "production")]
    pub profile: Profile,
    /// The built web application; without it only the API is served.
    #[arg(long, env = "WHEELHOUSE_WEB_DIR")]
    pub web_dir: Option<PathBuf>,
    /// `GeoJSON` of the base map, WGS-84.
    #[arg(long, env = "WHEELHOUSE_BASE_MAP")]
    pub base_map: Option<PathBuf>,
    /// JSON of the layers that people choose from beneath their maps (`docs/map-layers.json` shows how it is written). Images
    /// are let in from where they come.
    #[arg(long, env = "WHEELHOUSE_MAP_LAYERS")]
    pub map_layers: Option<PathBuf>,
    /// The first administrator's phone; made at start when there is no such account.
    #[arg(long, env = "BOOTSTRAP_ADMIN_PHONE")]
    pub bootstrap_admin_phone: Option<String>,
    /// required or optional (development only).
    #[arg(long, env = "WIRE_ENCRYPTION", default_value = "required")]
    pub wire_encryption: WireEncryption,
    /// Size of the key exchange's RSA keys; less than 3072 in development only, where a key is made at each turn.
    #[arg(long, env = "WHEELHOUSE_EXCHANGE_KEY_BITS", default_value_t = WireConfig::default().exchange_key_bits,
        value_parser = RangedU64ValueParser::<usize>::new().range(2048..=4096))]
    pub exchange_key_bits: usize,
    /// Where there is more than one: the system's web addresses (`https://ops.example.com`), separated by commas. Pages
    /// from these may call, and pages may call these.
    #[arg(long, env = "WHEELHOUSE_CORS_ORIGINS", value_delimiter = ',')]
    pub cors_origins: Vec<String>,
    /// Where the script of a chat widget comes from (`https://chat.example.com`), and whom it may talk to and show,
    /// separated by commas.
    #[arg(long, env = "WHEELHOUSE_CHAT_ORIGINS", value_delimiter = ',')]
    pub chat_origins: Vec<String>,
    /// Further sources of map images, separated by commas.
    #[arg(long, env = "WHEELHOUSE_IMAGE_SOURCES", value_delimiter = ',')]
    pub image_sources: Vec<String>,
    /// Addresses of proxies whose `X-Forwarded-For` and `X-Forwarded-Proto` are believed, separated by commas.
    #[arg(long, env = "WHEELHOUSE_TRUSTED_PROXIES", value_delimiter = ',')]
    pub trusted_proxies: Vec<String>,
    /// What clients may take up.
    #[command(flatten)]
    pub bounds: Bounds,
    /// The open feeds.
    #[command(flatten)]
    pub feeds: FeedSettings,
    /// log (development only) or http.
    #[arg(long, env = "SMS_ADAPTER", default_value = "http")]
    pub sms_adapter: SmsAdapter,
    /// Address of the HTTP gateway for SMS.
    #[arg(long, env = "SMS_GATEWAY_URL")]
    pub sms_gateway_url: Option<String>,
    /// Token of the HTTP gateway for SMS.
    #[arg(long, env = "SMS_GATEWAY_TOKEN", hide_env_values = true)]
    pub sms_gateway_token: Option<String>,
    /// A fixed code instead of a random one; development only.
    #[arg(long, env = "SMS_FIXED_CODE", hide_env_values = true)]
    pub sms_fixed_code: Option<String>,
    /// off, http, or stand-in (development only). Left out: stand-in in development, else off.
    #[arg(long, env = "PAY_ADAPTER")]
    pub pay_adapter: Option<PayAdapter>,
    /// Address of the payment provider's HTTP gateway.
    #[arg(long, env = "PAY_GATEWAY_URL")]
    pub pay_gateway_url: Option<String>,
    /// Token of the payment provider's HTTP gateway.
    #[arg(long, env = "PAY_GATEWAY_TOKEN", hide_env_values = true)]
    pub pay_gateway_token: Option<String>,
    /// Who is asked for riders' money.
    #[command(flatten)]
    pub payment: PaymentSettings,
    /// Who is asked who riders are.
    #[command(flatten)]
    pub identity: IdentitySettings,
    /// Which parts run here: api, push, projectors, reactors, relay, live. Left out: all.
    #[arg(long, value_delimiter = ',')]
    pub parts: Vec<Part>,
    /// Opens `/metrics` and the details of health to whoever says it as bearer; without it they are shut.
    #[arg(long, env = "WHEELHOUSE_METRICS_TOKEN", hide_env_values = true)]
    pub metrics_token: Option<String>,
    /// Days of telemetry to keep.
    #[arg(long, env = "WHEELHOUSE_TELEMETRY_DAYS", default_value_t = 30)]
    pub telemetry_days: u32,
}

/// What clients may take up, all together and from one address.
#[derive(Clone, Copy, Debug, Args)]
pub struct Bounds {
    /// Connections that are no websockets; more are closed.
    #[arg(long, env = "WHEELHOUSE_CONNECTIONS", default_value_t = Bounds::default().connections)]
    pub connections: usize,
    /// Connections from one address; a trusted proxy's are not counted.
    #[arg(long, env = "WHEELHOUSE_CONNECTIONS_PER_ADDRESS", default_value_t = Bounds::default().connections_per_address)]
    pub connections_per_address: usize,
    /// Websockets.
    #[arg(long, env = "WHEELHOUSE_SOCKETS", default_value_t = Bounds::default().sockets)]
    pub sockets: usize,
    /// Websockets of one address.
    #[arg(long, env = "WHEELHOUSE_SOCKETS_PER_ADDRESS", default_value_t = Bounds::default().sockets_per_address)]
    pub sockets_per_address: usize,
    /// Requests in work at the same time.
    #[arg(long, env = "WHEELHOUSE_REQUESTS", default_value_t = Bounds::default().requests)]
    pub requests: usize,
    /// Requests of one address in work at the same time.
    #[arg(long, env = "WHEELHOUSE_REQUESTS_PER_ADDRESS", default_value_t = Bounds::default().requests_per_address)]
    pub requests_per_address: usize,
    /// Seconds after which a connection that asks nothing is closed; longer than proxies in front keep theirs.
    #[arg(long, env = "WHEELHOUSE_IDLE_SECONDS", default_value_t = Bounds::default().idle_seconds,
        value_parser = clap::value_parser!(u32).range(1..))]
    pub idle_seconds: u32,
}

impl Default for Bounds {
    fn default() -> Self {
        let usual = WireConfig::default();
        Self {
            connections: usual.connections.all,
            connections_per_address: usual.connections.each,
            sockets: usual.sockets.all,
            sockets_per_address: usual.sockets.each,
            requests: usual.requests.all,
            requests_per_address: usual.requests.each,
            idle_seconds: usual.idle_timeout.as_secs() as u32,
        }
    }
}

/// A part of the server that can run alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Part {
    /// HTTP calls.
    Api,
    /// The websocket.
    Push,
    /// Read models; led by one node.
    Projectors,
    /// Rules that answer events; led by one node.
    Reactors,
    /// Events to NATS; led by one node.
    Relay,
    /// Telemetry in.
    Live,
}

impl Settings {
    /// Whether this part runs here.
    pub fn runs(&self, part: Part) -> bool {
        self.parts.is_empty() || self.parts.contains(&part)
    }

    /// Where payment passwords are set.
    pub fn pay_adapter(&self) -> PayAdapter {
        self.pay_adapter.unwrap_or(match self.profile {
            Profile::Development => PayAdapter::StandIn,
            Profile::Production => PayAdapter::Off,
        })
    }

    /// As a task needs them that only looks at routes.
    pub fn for_documents() -> Self {
        Self {
            listen: SocketAddr::from(([127, 0, 0, 1], 0)),
            profile: Profile::Development,
            web_dir: None,
            base_map: None,
            map_layers: None,
            bootstrap_admin_phone: None,
            wire_encryption: WireEncryption::Required,
            exchange_key_bits: WireConfig::default().exchange_key_bits,
            cors_origins: Vec::new(),
            chat_origins: Vec::new(),
            image_sources: Vec::new(),
            trusted_proxies: Vec::new(),
            bounds: Bounds::default(),
            feeds: FeedSettings::default(),
            sms_adapter: SmsAdapter::Log,
            sms_gateway_url: None,
            sms_gateway_token: None,
            sms_fixed_code: None,
            pay_adapter: None,
            pay_gateway_url: None,
            pay_gateway_token: None,
            payment: PaymentSettings::default(),
            identity: IdentitySettings::default(),
            parts: Vec::new(),
            metrics_token: None,
            telemetry_days: 30,
        }
    }

    /// The system's web addresses.
    pub fn cors_origins(&self) -> Result<Vec<Origin>> {
        origins("WHEELHOUSE_CORS_ORIGINS", &self.cors_origins)
    }

    /// Where a chat widget comes from.
    pub fn chat_origins(&self) -> Result<Vec<SecureOrigin>> {
        origins("WHEELHOUSE_CHAT_ORIGINS", &self.chat_origins)
    }

    /// What lies beneath maps.
    pub fn tiles(&self) -> Result<Tiles> {
        let Some(path) = self.map_layers.as_ref().filter(|path| !path.as_os_str().is_empty()) else {
            return Ok(Tiles::default());
        };
        let read = || -> Result<Tiles> {
            let tiles: Tiles = serde_json::from_str(&std::fs::read_to_string(path)?)?;
            tiles.check()?;
            Ok(tiles)
        };
        read().with_context(|| format!("WHEELHOUSE_MAP_LAYERS: {}", path.display()))
    }

    /// Where pages may load images from, beside their own origin: what is listed, and what the map's layers need.
    pub fn image_sources(&self) -> Result<Vec<String>> {
        let mut sources = self.image_sources.clone();
        sources.extend(self.tiles()?.sources());
        Ok(sources)
    }

    /// Whether anything is set that only development may have, or that cannot be.
    pub fn check(&self) -> Result<()> {
        self.cors_origins()?;
        self.chat_origins()?;
        self.tiles()?;
        let development = self.profile == Profile::Development;
        self.feeds.check(development)?;
        ensure!(
            self.metrics_token.as_ref().is_none_or(|token| !token.is_empty()),
            "WHEELHOUSE_METRICS_TOKEN is empty; leave it out to shut /metrics"
        );
        ensure!(
            development || self.wire_encryption == WireEncryption::Required,
            "WIRE_ENCRYPTION=optional is for WHEELHOUSE_PROFILE=development only"
        );
        let usual_bits = WireConfig::default().exchange_key_bits;
        ensure!(
            development || self.exchange_key_bits >= usual_bits,
            "WHEELHOUSE_EXCHANGE_KEY_BITS below {usual_bits} is for WHEELHOUSE_PROFILE=development only"
        );
        ensure!(
            development || self.sms_adapter != SmsAdapter::Log,
            "SMS_ADAPTER=log shows codes on the console and is for WHEELHOUSE_PROFILE=development only; \
             set SMS_ADAPTER=http and SMS_GATEWAY_URL"
        );
        ensure!(
            development || self.sms_fixed_code.is_none(),
            "SMS_FIXED_CODE is for WHEELHOUSE_PROFILE=development only"
        );
        ensure!(
            self.sms_adapter != SmsAdapter::Http || self.sms_gateway_url.is_some(),
            "SMS_ADAPTER=http needs SMS_GATEWAY_URL"
        );
        ensure!(
            development || self.pay_adapter() != PayAdapter::StandIn,
            "PAY_ADAPTER=stand-in stands in for the payment provider and is for WHEELHOUSE_PROFILE=development only; \
             set PAY_ADAPTER=http and PAY_GATEWAY_URL, or PAY_ADAPTER=off"
        );
        ensure!(
            self.pay_adapter() != PayAdapter::Http || self.pay_gateway_url.is_some(),
            "PAY_ADAPTER=http needs PAY_GATEWAY_URL"
        );
        self.payment.provider()?;
        self.identity.check(development)?;
        Ok(())
    }
}

/// The origins that `setting` lists.
fn origins<O: FromStr<Err = NotAnOrigin>>(setting: &str, listed: &[String]) -> Result<Vec<O>> {
    let listed = listed.iter().map(|text| text.trim()).filter(|text| !text.is_empty());
    listed.map(|text| text.parse().map_err(|why| anyhow::anyhow!("{setting}: {text}: {why}"))).collect()
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        settings: Settings,
    }

    fn checked(words: &[&str]) -> Result<()> {
        Line::parse_from(["wheelhouse"].iter().chain(words)).settings.check()
    }

    #[test]
    fn production_refuses_what_only_development_may_have() {
        for words in [
            &["--sms-adapter", "log"][..],
            &["--sms-gateway-url", "http://sms", "--wire-encryption", "optional"],
            &["--sms-gateway-url", "http://sms", "--exchange-key-bits", "2048"],
            &["--sms-gateway-url", "http://sms", "--sms-fixed-code", "135790"],
            &["--sms-adapter", "http"],
            &["--sms-gateway-url", "http://sms", "--pay-adapter", "stand-in"],
            &["--sms-gateway-url", "http://sms", "--pay-adapter", "http"],
            &["--sms-gateway-url", "http://sms", "--identity-adapter", "form"],
            &["--sms-gateway-url", "http://sms", "--identity-adapter", "http"],
        ] {
            assert!(checked(words).is_err(), "{words:?}");
        }
        assert!(checked(&["--sms-gateway-url", "http://sms"]).is_ok());
    }

    #[test]
    fn payment_passwords_are_set_nowhere_in_production_until_a_gateway_is_named() {
        let adapter =
            |words: &[&str]| Line::parse_from(["wheelhouse"].iter().chain(words)).settings.pay_adapter();
        assert_eq!(adapter(&[]), PayAdapter::Off);
        assert_eq!(adapter(&["--profile", "development"]), PayAdapter::StandIn);
        assert_eq!(adapter(&["--profile", "development", "--pay-adapter", "off"]), PayAdapter::Off);
        let named =
            ["--sms-gateway-url", "http://sms", "--pay-adapter", "http", "--pay-gateway-url", "http://pay"];
        assert!(checked(&named).is_ok());
    }

    #[test]
    fn development_may_show_codes_on_the_console() {
        assert!(
            checked(&["--profile", "development", "--sms-adapter", "log", "--sms-fixed-code", "135790"])
                .is_ok()
        );
    }

    #[test]
    fn a_chat_script_comes_from_exact_origins_over_https_and_from_nowhere_by_default() {
        let settings = |words: &[&str]| Line::parse_from(["wheelhouse"].iter().chain(words)).settings;
        assert_eq!(settings(&[]).chat_origins().unwrap(), []);
        assert_eq!(settings(&["--chat-origins", ""]).chat_origins().unwrap(), [], "set to nothing");
        let two = settings(&["--chat-origins", "https://chat.example.com, https://cdn.example.com:8443"]);
        let listed: Vec<String> =
            two.chat_origins().unwrap().iter().map(|from| from.origin().to_string()).collect();
        assert_eq!(listed, ["https://chat.example.com", "https://cdn.example.com:8443"]);
        for wrong in
            ["http://chat.example.com", "https://*.example.com", "https://chat.example.com/c.js", "*"]
        {
            let words = ["--sms-gateway-url", "http://sms", "--chat-origins", wrong];
            let told = checked(&words).unwrap_err().to_string();
            assert!(told.starts_with(&format!("WHEELHOUSE_CHAT_ORIGINS: {wrong}: ")), "{told}");
        }
    }

    #[test]
    fn layers_of_the_map_are_read_checked_and_let_in() {
        let settings = |words: &[&str]| Line::parse_from(["wheelhouse"].iter().chain(words)).settings;
        assert_eq!(settings(&[]).tiles().unwrap(), Tiles::default());
        let document = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/map-layers.json");
        let told = settings(&["--map-layers", document, "--image-sources", "https://photos.example.com"]);
        assert_eq!(told.tiles().unwrap().layers.len(), 4);
        let sources = told.image_sources().unwrap();
        for source in
            ["https://photos.example.com", "https://webrd04.is.autonavi.com", "https://rt0.map.gtimg.com"]
        {
            assert!(sources.iter().any(|one| one == source), "{source}: {sources:?}");
        }
        let file = std::env::temp_dir().join(format!("map-layers-{}.json", std::process::id()));
        let wrong =
            r#"{"layers":[{"id":"own","name":"自有","url":"http://tiles/{z}/{x}/{y}","datum":"wgs84"}]}"#;
        std::fs::write(&file, wrong).unwrap();
        let path = file.display().to_string();
        let words = ["--sms-gateway-url", "http://sms", "--map-layers", &path];
        let told = format!("{:#}", checked(&words).unwrap_err());
        std::fs::remove_file(&file).unwrap();
        assert!(
            told.starts_with("WHEELHOUSE_MAP_LAYERS: ") && told.contains("底图“own”：地址须以 https://"),
            "{told}"
        );
    }

    #[test]
    fn the_runtimes_addresses_are_exact_origins() {
        for wrong in ["https://ops.example.com/", "ops.example.com", "*"] {
            let words = ["--sms-gateway-url", "http://sms", "--cors-origins", wrong];
            let told = checked(&words).unwrap_err().to_string();
            assert!(told.starts_with(&format!("WHEELHOUSE_CORS_ORIGINS: {wrong}: ")), "{told}");
        }
        let words =
            ["--sms-gateway-url", "http://sms", "--cors-origins", "http://10.0.0.5,https://ops.example.com"];
        assert!(checked(&words).is_ok());
    }
}
