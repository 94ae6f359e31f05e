//! Connections to PostgreSQL, one pool for each role.

use std::str::FromStr;
use std::time::Duration;

use sqlx::PgPool;
use sqlx::postgres::{PgConnectOptions, PgPoolOptions};

/// How many connections each pool may hold.
#[derive(Clone, Copy, Debug)]
pub struct PoolSizes {
    /// The owner's: migrations, rebuilds, maintenance.
    pub owner: u32,
    /// The application's: queries and the entrance's tables.
    pub app: u32,
    /// The projectors', reactors' and relay's.
    pub projector: u32,
}

impl Default for PoolSizes {
    fn default() -> Self {
        Self { owner: 4, app: 24, projector: 12 }
    }
}

/// The pools of a process. All connect as the URL's user; two of them then work as a role that owns nothing.
#[derive(Clone, Debug)]
pub struct Pools {
    /// Owns everything; for migrations, rebuilds and maintenance.
    pub owner: PgPool,
    /// `wheelhouse_app`: reads under row-level security, appends, keeps the entrance's tables.
    pub app: PgPool,
    /// `wheelhouse_projector`: writes read models.
    pub projector: PgPool,
    pub(crate) app_options: PgConnectOptions,
    pub(crate) projector_options: PgConnectOptions,
}

impl Pools {
    /// Connects as the owner and prepares the others, whose roles the first migration makes: they connect when used.
    pub async fn connect(database_url: &str, sizes: PoolSizes) -> sqlx::Result<Self> {
        let options = PgConnectOptions::from_str(database_url)?
            .application_name("wheelhouse")
            .options([("timezone", "UTC"), ("client_min_messages", "warning")]);
        let app_options = options.clone().application_name("wheelhouse app").options([
            ("role", "wheelhouse_app"),
            ("search_path", "read,door,live"),
            ("idle_in_transaction_session_timeout", "60s"),
        ]);
        let projector_options = options
            .clone()
            .application_name("wheelhouse projector")
            .options([("role", "wheelhouse_projector")]);
        Ok(Self {
            owner: pool(sizes.owner).connect_with(options).await?,
            app: pool(sizes.app).connect_lazy_with(app_options.clone()),
            projector: pool(sizes.projector).connect_lazy_with(projector_options.clone()),
            app_options,
            projector_options,
        })
    }

    /// Closes all connections.
    pub async fn close(&self) {
        self.app.close().await;
        self.projector.close().await;
        self.owner.close().await;
    }
}

fn pool(size: u32) -> PgPoolOptions {
    PgPoolOptions::new().max_connections(size.max(1)).acquire_timeout(Duration::from_secs(10))
}

/// Every step of the schema, of all rooms.
pub static MIGRATIONS: sqlx::migrate::Migrator = sqlx::migrate!("../../migrations");

/// Brings the database to the newest schema. Safe to run at the same time from several nodes.
pub async fn migrate(owner: &PgPool) -> Result<(), sqlx::migrate::MigrateError> {
    MIGRATIONS.run(owner).await
}
