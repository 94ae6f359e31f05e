//! A database, NATS and the product's own binary, of one test alone.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use kernel::{MIGRATIONS, PoolSizes};
use payment_port::Secret;
use payment_simulator::{Mishaps, Options, Running};
use serde_json::Value;
use sqlx::postgres::PgPoolOptions;
use sqlx::{AssertSqlSafe, PgPool};
use testkit::local::{AuthCallout, Place, Signal, Supervised, free_port, http_get_ok, send_signal};
use testkit::{OwnNats, OwnPostgres, Services, TestDatabase};
use tokio::task::block_in_place;

use crate::beginning;

pub const ADMIN: &str = "13800000000";
pub const SMS_CODE: &str = "246810";
/// Opens the details of health, and the figures.
pub const METRICS_TOKEN: &str = "figures-for-tests";
/// How many connections a node has: the fewest that it may, since each plans its statements anew, which is half of what a short test costs.
pub const CONNECTIONS: u32 = PoolSizes::FEWEST;
const DATABASE: &str = "wheelhouse";
/// For a database of a few thousand events, built anew once, and PostgreSQL's own log.
const DISK_MB: u32 = 640;
const NATS_USER: &str = "wheelhouse";
pub const MERCHANT: &str = "wheelhouse";

/// Waits until `ready` gives something; panics with `what` after `patience`.
pub async fn eventually<T>(what: &str, patience: Duration, mut ready: impl AsyncFnMut() -> Option<T>) -> T {
    let begun = Instant::now();
    loop {
        if let Some(found) = ready().await {
            return found;
        }
        assert!(begun.elapsed() < patience, "not within {patience:?}: {what}");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

/// Waits until a counter has grown by so much.
pub async fn more(counter: &AtomicUsize, by: usize, patience: Duration) {
    let wanted = counter.load(Ordering::Relaxed) + by;
    eventually("it goes on", patience, async || (counter.load(Ordering::Relaxed) >= wanted).then_some(()))
        .await;
}

/// One serving process.
pub struct Node {
    process: Supervised,
    pub port: u16,
    pub url: String,
    /// Who drops its stack before it waits for its end, not for the folder's watchdog.
    _place: Arc<Place>,
}

/// Whoever wants it to end in order asks for that: by now its database may be gone, and it would wait for it.
impl Drop for Node {
    fn drop(&mut self) {
        self.process.kill9();
    }
}

impl Node {
    /// Like a power cut of the process.
    pub fn kill9(self) -> u16 {
        self.port
    }

    /// Asks it to end; how it ended, and after how long.
    pub async fn terminate(mut self) -> (std::process::ExitStatus, Duration) {
        let begun = Instant::now();
        assert!(send_signal(self.process.pid(), Signal::Term), "the process lives");
        let deadline = Duration::from_secs(30);
        loop {
            if let Some(status) = self.process.ended() {
                return (status, begun.elapsed());
            }
            assert!(begun.elapsed() < deadline, "still there: {}", self.process.last_words());
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    /// Lets it hang: its connections stay, and nothing in it moves.
    pub fn freeze(&self) {
        assert!(send_signal(self.process.pid(), Signal::Stop), "the process lives");
    }

    /// Lets it go on as if nothing had happened.
    pub fn thaw(&self) {
        assert!(send_signal(self.process.pid(), Signal::Continue), "the process lives");
    }

    /// Waits until it ends by itself; how, and what it said last.
    pub async fn ended(mut self) -> (std::process::ExitStatus, String) {
        let begun = Instant::now();
        loop {
            if let Some(status) = self.process.ended() {
                return (status, self.process.last_words());
            }
            assert!(begun.elapsed() < Duration::from_secs(30), "still there: {}", self.process.last_words());
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    /// The last lines that it logged.
    pub fn last_words(&self) -> String {
        self.process.last_words()
    }
}

/// Where the data lie.
enum Data {
    /// On the server that all tests share, migrated.
    Shared(Box<TestDatabase>, #[expect(dead_code, reason = "the server ends with it")] Services),
    /// On a server of the test alone, with nothing in it.
    Own(OwnPostgres),
}

/// The servers below, and how to run the binary on them.
pub struct Stack {
    data: Data,
    pub nats: OwnNats,
    pub nats_password: String,
    /// A payment provider at which nothing goes wrong.
    pub payments: Running,
    place: Arc<Place>,
    /// Whether its program is one of newer rules now.
    is_ahead: AtomicBool,
}

impl Stack {
    /// A migrated database of the shared server, with what all of them begin with, and NATS with the product's auth callout.
    pub async fn start() -> Self {
        Self::shared(async |services| services.migrated_with("server", &MIGRATIONS, beginning::put).await)
            .await
    }

    /// The same with nothing in the log.
    pub async fn untouched() -> Self {
        Self::shared(async |services| services.migrated(&MIGRATIONS).await).await
    }

    async fn shared(database: impl AsyncFnOnce(&Services) -> TestDatabase) -> Self {
        Self::on(Box::pin(async {
            let services = Services::start().await;
            let database = database(&services).await;
            Data::Shared(Box::new(database), services)
        }))
        .await
    }

    /// The same with an empty PostgreSQL of its own, to be killed: its commits are on the disk.
    pub async fn durable() -> Self {
        Self::with_own(OwnPostgres::durable()).await
    }

    /// The same on a disk of its own, to be filled, where one may be mounted.
    pub async fn on_small_disk() -> Self {
        Self::with_own(OwnPostgres::on_small_disk(DISK_MB)).await
    }

    async fn with_own(server: impl Future<Output = OwnPostgres>) -> Self {
        Self::on(async {
            let server = server.await;
            let admin = PgPool::connect(&server.url()).await.expect("PostgreSQL answers");
            sqlx::raw_sql(AssertSqlSafe(format!("create database {DATABASE}")))
                .execute(&admin)
                .await
                .unwrap();
            admin.close().await;
            Data::Own(server)
        })
        .await
    }

    async fn on(data: impl Future<Output = Data>) -> Self {
        let place = Arc::new(block_in_place(Place::throw_away).expect("a folder"));
        let state = place.path().join("state");
        block_in_place(|| beginning::be_opened_from(&state)).expect("a file");
        let mut secrets = Command::new(env!("CARGO_BIN_EXE_wheelhouse"));
        secrets.arg("secrets").env("WHEELHOUSE_STATE_DIR", &state);
        secrets.env_remove("PAYMENT_SECRET");
        let printed = block_in_place(|| secrets.output()).expect("the binary runs");
        let printed: Value = serde_json::from_slice(&printed.stdout).expect("secrets are JSON");
        let text = |name: &str| printed[name].as_str().expect(name).to_owned();
        let nats_password = text("nats_password");
        let callout = AuthCallout {
            issuer: text("nats_issuer_public"),
            user: NATS_USER.to_owned(),
            password: nats_password.clone(),
        };
        let payments = payment_provider(&state);
        let (data, nats, payments) = tokio::join!(data, OwnNats::with_auth_callout(callout), payments);
        Self { data, nats, nats_password, payments, place, is_ahead: AtomicBool::new(false) }
    }

    /// The PostgreSQL of a test that has its own.
    pub fn postgres(&self) -> &OwnPostgres {
        match &self.data {
            Data::Own(server) => server,
            Data::Shared(..) => panic!("all tests share this PostgreSQL"),
        }
    }

    /// The stack with one node that serves.
    pub async fn serving() -> (Self, Node) {
        let stack = Self::start().await;
        let node = stack.node(None);
        stack.know_the_administrator().await;
        (stack, node)
    }

    /// A node is ready before its read models have caught up; the first sign-in wants the first administrator.
    pub async fn know_the_administrator(&self) {
        let owner = self.owner().await;
        eventually("the administrator is known", Duration::from_mins(1), async || {
            let known = sqlx::query_scalar("select exists (select from read.operator where phone = $1)");
            known.bind(ADMIN).fetch_one(&owner).await.ok().filter(|known: &bool| *known)
        })
        .await;
    }

    pub fn state_dir(&self) -> PathBuf {
        self.place.path().join("state")
    }

    pub fn database_url(&self) -> String {
        match &self.data {
            Data::Own(server) => server.url_of(DATABASE),
            Data::Shared(database, _) => database.url.clone(),
        }
    }

    /// What the payment provider knows the server by.
    pub fn payment_secret(&self) -> String {
        std::fs::read_to_string(self.state_dir().join("payment.secret")).expect("the secret was made")
    }

    /// The owner's connection, which row-level security does not bind.
    pub async fn owner(&self) -> PgPool {
        let url = self.database_url();
        PgPoolOptions::new().max_connections(3).connect(&url).await.expect("PostgreSQL answers")
    }

    /// NATS as the product itself.
    pub async fn nats_client(&self) -> async_nats::Client {
        async_nats::ConnectOptions::with_user_and_password(NATS_USER.to_owned(), self.nats_password.clone())
            .connect(self.nats.url())
            .await
            .expect("NATS answers")
    }

    /// The binary with everything that it needs of its environment.
    pub fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_wheelhouse"));
        command
            .args(words)
            .env("DATABASE_URL", self.database_url())
            .env("DATABASE_CONNECTIONS", CONNECTIONS.to_string())
            .env("NATS_URL", self.nats.url())
            .env("NATS_USER", NATS_USER)
            .env("WHEELHOUSE_STATE_DIR", self.state_dir())
            .env("WHEELHOUSE_PROFILE", "development")
            .env("WIRE_ENCRYPTION", "required")
            .env("BOOTSTRAP_ADMIN_PHONE", ADMIN)
            .env("SMS_ADAPTER", "log")
            .env("SMS_FIXED_CODE", SMS_CODE)
            .env("WHEELHOUSE_METRICS_TOKEN", METRICS_TOKEN)
            .env("PAYMENT_URL", &self.payments.url)
            .env("PAYMENT_MERCHANT", MERCHANT)
            .env("PAYMENT_NOTIFY_URL", "http://127.0.0.1")
            .env_remove("PAYMENT_SECRET")
            .env_remove("NATS_PASSWORD")
            .env_remove("RUST_LOG");
        if self.is_ahead() {
            command.env("WHEELHOUSE_RULES_AHEAD", "1");
        }
        command
    }

    /// From now on its program is one whose rules of all read models are newer.
    pub fn go_ahead(&self) {
        self.is_ahead.store(true, Ordering::Relaxed);
    }

    pub fn is_ahead(&self) -> bool {
        self.is_ahead.load(Ordering::Relaxed)
    }

    /// Runs a task of the command line to its end.
    pub async fn task(&self, words: &[&str]) -> Output {
        self.task_with(words, &[]).await
    }

    /// The same with settings of its own.
    pub async fn task_with(&self, words: &[&str], settings: &[(&str, &str)]) -> Output {
        let mut command = self.command(words);
        command.envs(settings.iter().copied());
        tokio::task::spawn_blocking(move || command.output()).await.unwrap().expect("the binary runs")
    }

    /// What a task that succeeds prints.
    pub async fn told(&self, words: &[&str]) -> String {
        let output = self.task(words).await;
        assert!(output.status.success(), "{words:?}: {}", said(&output));
        String::from_utf8(output.stdout).expect("text")
    }

    /// Starts a node, on `port` if that is named, and waits until it is ready.
    pub fn node(&self, port: Option<u16>) -> Node {
        self.node_with(port, &[])
    }

    /// The same with settings of its own.
    pub fn node_with(&self, port: Option<u16>, settings: &[(&str, &str)]) -> Node {
        let port = port.unwrap_or_else(|| free_port().expect("a free port"));
        let mut serve = self.command(&["serve"]);
        serve.env("PAYMENT_NOTIFY_URL", format!("http://127.0.0.1:{port}"));
        // A database without a key has one made for it, which takes a second when it is longer.
        serve.env("WHEELHOUSE_EXCHANGE_KEY_BITS", beginning::BITS.to_string());
        serve.envs(settings.iter().copied());
        serve.env("WHEELHOUSE_LISTEN", format!("127.0.0.1:{port}"));
        block_in_place(|| {
            let name = format!("server-{port}");
            let mut process =
                Supervised::spawn(&name, serve, self.place.path(), Signal::Term).expect("it starts");
            process
                .wait_until(Duration::from_mins(1), |_| http_get_ok(port, "/readyz"))
                .expect("the server is ready");
            Node { process, port, url: format!("http://127.0.0.1:{port}"), _place: Arc::clone(&self.place) }
        })
    }

    /// A machine client's token with these codes.
    pub async fn machine_token(&self, name: &str, codes: &str) -> String {
        let out = self.state_dir().join(format!("{name}.token"));
        let words = ["machine", "add", "--name", name, "--codes", codes, "--out", out.to_str().unwrap()];
        self.told(&words).await;
        self.machine_is_known(name).await;
        std::fs::read_to_string(out).expect("the token is there")
    }

    /// Whoever added it was a process of its own: the serving one hears of the machine by the log.
    async fn machine_is_known(&self, name: &str) {
        let owner = self.owner().await;
        eventually("the machine is known", Duration::from_mins(1), async || {
            let known = sqlx::query_scalar("select exists (select from read.machine where name = $1)");
            known.bind(name).fetch_one(&owner).await.ok().filter(|known: &bool| *known)
        })
        .await;
    }

    /// The token of the machine that may do all that machines do.
    pub async fn full_machine(&self) -> String {
        let (name, codes) = beginning::MACHINE;
        match &self.data {
            Data::Shared(..) => {
                let token =
                    beginning::token(&self.owner().await).await.expect("it is there from the beginning");
                self.machine_is_known(name).await;
                token
            }
            Data::Own(_) => self.machine_token(name, codes).await,
        }
    }
}

/// In this process, with the secret that `wheelhouse secrets` made.
async fn payment_provider(state: &Path) -> Running {
    let secret = std::fs::read_to_string(state.join("payment.secret")).expect("the secret was made");
    let options = Options {
        listen: SocketAddr::from(([127, 0, 0, 1], 0)),
        public_url: None,
        state_file: state.join("payments.jsonl"),
        merchant: MERCHANT.to_owned(),
        secret: Some(Secret::new(&secret).expect("a long one")),
        secret_file: None,
        most: 100_000,
        mishaps: Mishaps::lucky(),
    };
    payment_simulator::start(&options).await.expect("the payment provider starts")
}

/// All that a task said.
pub fn said(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

/// Puts rows of orders where the read model keeps them, without their events.
pub async fn put_orders(owner: &PgPool, rows: &[Value]) {
    let mut db = owner.begin().await.unwrap();
    sqlx::query("set local search_path = read").execute(&mut *db).await.unwrap();
    kernel::rows::upsert(&mut db, "ride_order", "order_id", rows).await.unwrap();
    db.commit().await.unwrap();
}
