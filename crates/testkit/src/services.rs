//! The servers that a test run shares.

use std::env;
use std::future::Future;
use std::sync::{Arc, Weak};

use anyhow::{Context, Result, ensure};
use sqlx::PgPool;
use sqlx::migrate::Migrator;
use tokio::sync::Mutex;

use crate::containers::{NatsContainer, PostgresContainer};
use crate::database::{TestDatabase, connect, require_version};
use crate::local::{LocalNats, LocalPostgres, NatsOptions, NatsVersion, Place, PostgresOptions};

/// PostgreSQL and NATS for tests, shared by all tests of a process.
///
/// Each of the two comes from the first of these that applies:
/// 1. `DATABASE_URL`; `NATS_URL` (and `WHEELHOUSE_TEST_MQTT`, `host:port`, for its MQTT listener).
///    This is how `cargo xtask test` shares one pair among all test processes.
/// 2. containers, when `WHEELHOUSE_TEST_CONTAINERS=1`.
/// 3. private processes, ended with the last `Services` of the process.
///
/// The shared NATS has one set of streams for everybody: a test that makes the product's streams
/// takes an [`OwnNats`](crate::OwnNats).
#[derive(Clone, Debug)]
pub struct Services {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    postgres: Postgres,
    nats: Nats,
}

#[derive(Debug)]
enum Postgres {
    Named(String),
    Container(Box<PostgresContainer>),
    Private(Box<LocalPostgres>),
}

#[derive(Debug)]
enum Nats {
    Named { url: String, mqtt_addr: Option<String> },
    Container(Box<NatsContainer>),
    Private(LocalNats),
}

static SHARED: Mutex<Weak<Inner>> = Mutex::const_new(Weak::new());

impl Services {
    /// The servers, started if no test of this process holds them yet.
    ///
    /// # Panics
    /// When they cannot be had; the message says what to do. Tests are never skipped for that.
    pub async fn start() -> Self {
        match Self::try_start().await {
            Ok(services) => services,
            Err(error) => panic!("testkit: {error:#}"),
        }
    }

    /// As [`Self::start`], for programs.
    pub async fn try_start() -> Result<Self> {
        let mut shared = SHARED.lock().await;
        if let Some(inner) = shared.upgrade() {
            return Ok(Self { inner });
        }
        let (postgres, nats) = tokio::try_join!(start_postgres(), start_nats())?;
        let inner = Arc::new(Inner { postgres, nats });
        *shared = Arc::downgrade(&inner);
        Ok(Self { inner })
    }

    /// The URL of PostgreSQL's database for administration. Tests use [`Self::database`].
    pub fn admin_url(&self) -> String {
        match &self.inner.postgres {
            Postgres::Named(url) => url.clone(),
            Postgres::Container(container) => container.url.clone(),
            Postgres::Private(server) => server.url(),
        }
    }

    /// An empty database, dropped with the value.
    ///
    /// # Panics
    /// When PostgreSQL refuses; the message says why.
    pub async fn database(&self) -> TestDatabase {
        told(TestDatabase::empty(&self.admin_url()).await)
    }

    /// A copy of the database `template` (dropped with the value), which `prepare` fills, given
    /// its URL, if no test process did yet. `prepare` must close its connections. Name the
    /// template after its content (a hash of the migrations): on a server that stays, an old one
    /// would be taken for the new one.
    ///
    /// # Panics
    /// When PostgreSQL refuses or `prepare` fails; the message says why.
    pub async fn database_from<F>(&self, template: &str, prepare: impl FnOnce(String) -> F) -> TestDatabase
    where
        F: Future<Output = Result<()>>,
    {
        told(TestDatabase::from_template(&self.admin_url(), template, prepare).await)
    }

    /// A copy of a database that `migrations` made, dropped with the value. Whoever brings the same ones shares its template.
    ///
    /// # Panics
    /// As [`Self::database_from`].
    pub async fn migrated(&self, migrations: &Migrator) -> TestDatabase {
        self.migrated_with("migrated", migrations, async |_| Ok(())).await
    }

    /// The same with `more` in it, which is put in once, given the database's URL. `name` says what.
    ///
    /// # Panics
    /// As [`Self::database_from`].
    pub async fn migrated_with(
        &self,
        name: &str,
        migrations: &Migrator,
        more: impl AsyncFnOnce(String) -> Result<()>,
    ) -> TestDatabase {
        let bytes = migrations.iter().flat_map(|step| step.checksum.iter());
        let sum = bytes.fold(0_i64, |sum, byte| sum.wrapping_mul(31).wrapping_add(i64::from(*byte)));
        let prepare = async |url: String| {
            let owner = PgPool::connect(&url).await?;
            migrations.run(&owner).await?;
            owner.close().await;
            more(url).await
        };
        self.database_from(&format!("{name}_{:x}", sum.cast_unsigned()), prepare).await
    }

    /// The URL for NATS clients; everybody is let in, except where `NATS_URL` says otherwise.
    pub fn nats_url(&self) -> String {
        match &self.inner.nats {
            Nats::Named { url, .. } => url.clone(),
            Nats::Container(container) => container.url.clone(),
            Nats::Private(server) => server.url(),
        }
    }

    /// `host:port` of the MQTT listener.
    ///
    /// # Panics
    /// When `NATS_URL` names a server but `WHEELHOUSE_TEST_MQTT` does not say where its MQTT is.
    pub fn nats_mqtt_addr(&self) -> String {
        match &self.inner.nats {
            Nats::Named { mqtt_addr, .. } => told(mqtt_addr.clone().context(
                "NATS_URL is set, so WHEELHOUSE_TEST_MQTT must name its MQTT listener (host:port); \
                 or unset NATS_URL to let the tests start a private server",
            )),
            Nats::Container(container) => container.mqtt_addr.clone(),
            Nats::Private(server) => server.mqtt_addr(),
        }
    }
}

fn told<T>(result: Result<T>) -> T {
    match result {
        Ok(value) => value,
        Err(error) => panic!("testkit: {error:#}"),
    }
}

fn set(name: &str) -> Option<String> {
    env::var(name).ok().filter(|value| !value.is_empty())
}

fn containers_wanted() -> Result<bool> {
    let wanted = set("WHEELHOUSE_TEST_CONTAINERS");
    ensure!(
        wanted.as_deref().is_none_or(|value| value == "0" || value == "1"),
        "WHEELHOUSE_TEST_CONTAINERS is 1 or 0, not {wanted:?}"
    );
    Ok(wanted.as_deref() == Some("1"))
}

async fn start_postgres() -> Result<Postgres> {
    let postgres = if let Some(url) = set("DATABASE_URL") {
        Postgres::Named(url)
    } else if containers_wanted()? {
        Postgres::Container(Box::new(PostgresContainer::start().await?))
    } else {
        let start = || LocalPostgres::start(Arc::new(Place::throw_away()?), PostgresOptions::default());
        Postgres::Private(Box::new(tokio::task::spawn_blocking(start).await??))
    };
    let url = match &postgres {
        Postgres::Named(url) => url.clone(),
        Postgres::Container(container) => container.url.clone(),
        Postgres::Private(server) => server.url(),
    };
    require_version(&mut connect(&url).await?).await?;
    Ok(postgres)
}

async fn start_nats() -> Result<Nats> {
    if let Some(url) = set("NATS_URL") {
        let client = async_nats::connect(&url).await.with_context(|| {
            format!("cannot reach NATS at {url}. Unset NATS_URL to let the tests start a private server")
        })?;
        client.server_info().version.parse::<NatsVersion>()?.require()?;
        Ok(Nats::Named { url, mqtt_addr: set("WHEELHOUSE_TEST_MQTT") })
    } else if containers_wanted()? {
        Ok(Nats::Container(Box::new(NatsContainer::start().await?)))
    } else {
        let start = || LocalNats::start(Arc::new(Place::throw_away()?), NatsOptions::default());
        Ok(Nats::Private(tokio::task::spawn_blocking(start).await??))
    }
}
