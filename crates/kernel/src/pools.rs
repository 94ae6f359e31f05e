//! Connections to PostgreSQL, one pool for each role.

use std::str::FromStr;
use std::time::Duration;

use sqlx::postgres::{PgConnectOptions, PgPoolOptions};
use sqlx::{PgPool, Postgres, SqlSafeStr, Transaction};

use crate::lease::TERM;

/// No statement of a projector or reactor takes longer; one of a process that hangs holds up its successor no longer.
const LONGEST_STATEMENT: Duration = Duration::from_secs(30);

/// How PostgreSQL lists the connections of [`Pools::projector`]. Each of their statements sees what was committed
/// before it began: none keeps an older state of the tables.
pub(crate) const PROJECTOR_CONNECTIONS: &str = "wheelhouse projector";

/// How many connections each pool may hold.
#[derive(Clone, Copy, Debug)]
pub struct PoolSizes {
    /// The owner's: migrations, rebuilds, maintenance.
    pub owner: u32,
    /// The application's: queries and the wire's tables.
    pub app: u32,
    /// The projectors', reactors' and relay's.
    pub projector: u32,
    /// The feed's.
    pub feed: u32,
}

/// A process has one connection to append by and one that keeps its leases, beside its pools; one more for each read model that it
/// builds anew is not counted.
const BESIDE_POOLS: u32 = 2;

impl PoolSizes {
    /// Of fewer connections altogether nothing would be left for people.
    pub const FEWEST: u32 = 16;
    /// How many connections a process may have where nobody says otherwise.
    pub const USUAL: u32 = 45;

    /// For a process that holds at most `connections` altogether; fewer than [`Self::FEWEST`] count as so many.
    pub fn within(connections: u32) -> Self {
        let pooled = connections.max(Self::FEWEST) - BESIDE_POOLS;
        let part = |usual: u32, least: u32| (pooled * usual / (Self::USUAL - BESIDE_POOLS)).max(least);
        let (owner, projector, feed) = (part(4, 2), part(12, 4), part(3, 2));
        Self { owner, app: pooled - owner - projector - feed, projector, feed }
    }
}

impl Default for PoolSizes {
    fn default() -> Self {
        Self::within(Self::USUAL)
    }
}

/// The pools of a process. All connect as the URL's user; two of them then work as a role that owns nothing.
#[derive(Clone, Debug)]
pub struct Pools {
    /// Owns everything; for migrations, rebuilds and maintenance.
    pub owner: PgPool,
    /// `wheelhouse_app`: reads under row-level security, appends, keeps the wire's tables.
    pub app: PgPool,
    /// `wheelhouse_projector`: writes read models.
    pub projector: PgPool,
    /// `wheelhouse_app` too: reads the log for projectors and reactors, and how far it reaches. No query of a user waits
    /// behind them, nor they behind one.
    pub feed: PgPool,
    pub(crate) app_options: PgConnectOptions,
    pub(crate) projector_options: PgConnectOptions,
}

impl Pools {
    /// Connects as the owner and prepares the others, whose roles the first migration makes: they connect when used.
    pub async fn connect(database_url: &str, sizes: PoolSizes) -> sqlx::Result<Self> {
        let options = PgConnectOptions::from_str(database_url)?
            .application_name("wheelhouse")
            .options([("timezone", "UTC"), ("client_min_messages", "warning")])
            // Statements are short: to compile one takes longer than to run it.
            .options([("jit", "off")])
            // A host that vanished or reads no more is noticed by the server, also amid an answer.
            .options([
                ("tcp_keepalives_idle", "4"),
                ("tcp_keepalives_interval", "2"),
                ("tcp_keepalives_count", "2"),
                ("tcp_user_timeout", "8s"),
                ("idle_in_transaction_session_timeout", "60s"),
            ]);
        let app_options = options
            .clone()
            .application_name("wheelhouse app")
            .options([("role", "wheelhouse_app"), ("search_path", "read,authentication,live")])
            // To start workers takes 10 to 40 ms, longer than a page of a list; and no user takes several processors.
            .options([("max_parallel_workers_per_gather", "0")]);
        let projector_options = options
            .clone()
            .application_name(PROJECTOR_CONNECTIONS)
            .options([("role", "wheelhouse_projector")])
            // What a leader that hangs has locked is free again when its term ends.
            .options([
                ("idle_in_transaction_session_timeout", milliseconds(TERM)),
                ("statement_timeout", milliseconds(LONGEST_STATEMENT)),
            ]);
        Ok(Self {
            owner: pool(sizes.owner).connect_with(options).await?,
            app: pool(sizes.app).connect_lazy_with(app_options.clone()),
            projector: pool(sizes.projector).connect_lazy_with(projector_options.clone()),
            feed: pool(sizes.feed).connect_lazy_with(app_options.clone().application_name("wheelhouse feed")),
            app_options,
            projector_options,
        })
    }

    /// Closes all connections.
    pub async fn close(&self) {
        self.app.close().await;
        self.projector.close().await;
        self.feed.close().await;
        self.owner.close().await;
    }
}

fn pool(size: u32) -> PgPoolOptions {
    PgPoolOptions::new().max_connections(size.max(1)).acquire_timeout(Duration::from_secs(10))
}

fn milliseconds(duration: Duration) -> String {
    format!("{}ms", duration.as_millis())
}

/// Begins a transaction. One whose owner goes away while it begins is rolled back: dropped amid its first round trip,
/// sqlx's own would go back to the pool open, and the next to get the connection would be in it unknowingly.
pub async fn begin(pool: &PgPool) -> sqlx::Result<Transaction<'static, Postgres>> {
    begin_with(pool, "begin").await
}

/// As [`begin`], with what begins it, and perhaps sets it up, in one round trip.
pub async fn begin_with(
    pool: &PgPool,
    opening: impl SqlSafeStr,
) -> sqlx::Result<Transaction<'static, Postgres>> {
    let (pool, opening) = (pool.clone(), opening.into_sql_str());
    // A task of its own is not dropped with whoever waits for it.
    let beginning = tokio::spawn(async move { pool.begin_with(opening).await });
    beginning.await.map_err(|gone| sqlx::Error::Protocol(gone.to_string()))?
}

/// Every step of the schema, of all contexts.
pub static MIGRATIONS: sqlx::migrate::Migrator = sqlx::migrate!("../../migrations");

/// Brings the database to the newest schema. Safe to run at the same time from several nodes.
pub async fn migrate(owner: &PgPool) -> Result<(), sqlx::migrate::MigrateError> {
    MIGRATIONS.run(owner).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pools_share_what_a_process_may_have() {
        for (most, expected) in
            [(45, [4, 24, 12, 3]), (16, [2, 6, 4, 2]), (1, [2, 6, 4, 2]), (100, [9, 56, 27, 6])]
        {
            let PoolSizes { owner, app, projector, feed } = PoolSizes::within(most);
            assert_eq!([owner, app, projector, feed], expected, "of {most}");
            assert_eq!(owner + app + projector + feed + BESIDE_POOLS, most.max(PoolSizes::FEWEST));
        }
    }
}
