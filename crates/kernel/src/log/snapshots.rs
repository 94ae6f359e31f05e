//! The oldest transaction of the database. What it might still see cannot be cleaned away, and a head that is updated at
//! each append gets slower with every version that must be kept.

use std::time::Duration;

use sqlx::PgPool;

use crate::{Runtime, every};

/// A transaction that is older is an alarm.
pub const OLD_S: i64 = 60;
const LOOK: Duration = Duration::from_secs(15);

/// A transaction that is open.
#[derive(Clone, Debug, PartialEq, Eq, sqlx::FromRow)]
pub struct Oldest {
    /// Its age in seconds.
    pub age_s: i64,
    /// PostgreSQL's process.
    pub pid: i32,
    /// What the program calls itself.
    pub application: String,
}

/// The oldest transaction or snapshot on this database, other than the one that asks.
pub async fn oldest(pool: &PgPool) -> sqlx::Result<Option<Oldest>> {
    sqlx::query_as(
        "select extract(epoch from clock_timestamp() - xact_start)::bigint as age_s, pid,
                coalesce(application_name, '') as application
         from pg_stat_activity
         where datname = current_database() and xact_start is not null and pid <> pg_backend_pid()
         order by xact_start limit 1",
    )
    .fetch_optional(pool)
    .await
}

/// Measures the oldest one until the system closes, and warns of one that is too old.
pub async fn watch(runtime: Runtime) {
    every(LOOK, runtime.stopping(), "old transactions", || async {
        let oldest = oldest(&runtime.pools.owner).await?;
        let age_s = oldest.as_ref().map_or(0, |oldest| oldest.age_s);
        metrics::gauge!("wheelhouse_oldest_transaction_seconds").set(age_s as f64);
        if let Some(Oldest { age_s, pid, application }) = oldest.filter(|oldest| oldest.age_s > OLD_S) {
            tracing::warn!(age_s, pid, application, "a transaction is open for long: appends get slower");
        }
        Ok::<(), sqlx::Error>(())
    })
    .await;
}
