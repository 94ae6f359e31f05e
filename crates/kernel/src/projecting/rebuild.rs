//! Building a read model anew while the old one serves.

use std::time::Duration;

use sqlx::{AssertSqlSafe, Connection, PgConnection, PgPool, Postgres, Transaction};
use tokio::time::Instant;

use super::applying::{ParkedStreams, apply};
use super::{Limits, ProjectError, not_newer, reader_name, snapshots};
use crate::log::LogError;
use crate::passing::is_passing;
use crate::{Position, Projector, Runtime, pools};

const BATCH: i64 = 1000;
/// With this few events to go, the rest is applied while the live projector is held.
const NEAR: i64 = 200;
/// How long the live projector is held for readers of the old tables, at first and at most.
const FIRST_HOLD: Duration = Duration::from_millis(500);
const LONGEST_HOLD: Duration = Duration::from_secs(8);
/// How long the swap stands in line for the tables, with newer readers behind it, before it lets them pass.
const LOCK_PATIENCE_MS: u32 = 300;
/// Between two swaps that are tried.
const PAUSE: Duration = Duration::from_millis(100);
/// A rebuild that does nothing for so long hangs: the server ends its connections, and another may begin.
const SILENCE: &str = "20s";

/// A read model built anew.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rebuilt {
    /// Which.
    pub name: &'static str,
    /// How far its tables reach.
    pub position: Position,
    /// Streams that it could not go on with.
    pub parked: i64,
    /// How long it took.
    pub took: Duration,
}

/// Fills shadow tables from position 0, then swaps them with the live ones in one transaction. Reads go on; what was
/// parked is tried again with the rest. One rebuild of a projector runs at a time, and none to an older version.
pub async fn rebuild(
    runtime: &Runtime,
    projector: &dyn Projector,
    limits: Limits,
) -> Result<Rebuilt, ProjectError> {
    let alone = Alone::begin(runtime, projector).await?;
    alone.build(runtime, projector, limits).await
}

/// The same where the tables are of older rules; nothing when another process has brought them to these meanwhile.
pub async fn renew(
    runtime: &Runtime,
    projector: &dyn Projector,
    limits: Limits,
) -> Result<Option<Rebuilt>, ProjectError> {
    let alone = Alone::begin(runtime, projector).await?;
    let stored: i32 = sqlx::query_scalar("select version from log.projectors where name = $1")
        .bind(projector.name())
        .fetch_one(&runtime.pools.projector)
        .await?;
    if stored >= projector.version() {
        alone.end().await;
        return Ok(None);
    }
    alone.build(runtime, projector, limits).await.map(Some)
}

/// Nobody else rebuilds the projector. The lock belongs to the connection that alone writes the shadow: closed at the end, whatever
/// happens, it is free again.
struct Alone {
    owner: PgConnection,
    started: Instant,
}

impl Alone {
    async fn begin(runtime: &Runtime, projector: &dyn Projector) -> Result<Self, ProjectError> {
        let started = Instant::now();
        let name = projector.name();
        let stored: i32 = sqlx::query_scalar(
            "with new as (insert into log.projectors (name, version) values ($1, $2) on conflict do nothing)
             select coalesce((select version from log.projectors where name = $1), $2)",
        )
        .bind(name)
        .bind(projector.version())
        .fetch_one(&runtime.pools.projector)
        .await?;
        not_newer(name, stored, projector.version())?;
        let mut owner = runtime.pools.owner.acquire().await?;
        let lock = format!("wheelhouse rebuild {name}");
        let alone: bool = sqlx::query_scalar("select pg_try_advisory_lock(hashtextextended($1, 0))")
            .bind(&lock)
            .fetch_one(&mut *owner)
            .await?;
        if alone { Ok(Self { owner: owner.detach(), started }) } else { Err(ProjectError::Rebuilding(name)) }
    }

    async fn build(
        mut self,
        runtime: &Runtime,
        projector: &dyn Projector,
        limits: Limits,
    ) -> Result<Rebuilt, ProjectError> {
        let name = projector.name();
        let shadow = Shadow::of(projector);
        let done = shadow.build(runtime, &mut self.owner, limits).await;
        if done.is_err() {
            // Left-overs hurt nobody, and the next rebuild removes them too.
            let _ = shadow.clear(&mut self.owner).await;
        }
        let took = self.end().await;
        let (position, parked) = done?;
        runtime.progress.reached(name, position);
        runtime.changes.publish_unknown(position, projector.tables()).await;
        tracing::info!(
            projector = name,
            position = position.0,
            parked,
            seconds = took.as_secs_f64(),
            "a read model was rebuilt"
        );
        Ok(Rebuilt { name, position, parked, took })
    }

    /// Lets others rebuild; how long it took.
    async fn end(mut self) -> Duration {
        // Closing is not waited for by the server's end of it: whoever rebuilds next finds the lock free.
        let _ = sqlx::query("select pg_advisory_unlock_all()").execute(&mut self.owner).await;
        let _ = self.owner.close().await;
        self.started.elapsed()
    }
}

struct Shadow<'a> {
    projector: &'a dyn Projector,
    schema: String,
    reader: String,
}

/// What the shadow tables hold.
struct Filled {
    position: Position,
    parked: ParkedStreams,
}

impl<'a> Shadow<'a> {
    fn of(projector: &'a dyn Projector) -> Self {
        let plain: String = projector
            .name()
            .chars()
            .map(|c| if c.is_ascii_lowercase() || c.is_ascii_digit() { c } else { '_' })
            .collect();
        Self {
            projector,
            schema: format!("shadow_{plain}"),
            reader: format!("{}~shadow", reader_name(projector)),
        }
    }

    async fn clear(&self, db: &mut PgConnection) -> Result<(), ProjectError> {
        let sql =
            format!("drop schema if exists {0} cascade; drop schema if exists {0}_old restrict", self.schema);
        sqlx::raw_sql(AssertSqlSafe(sql)).execute(&mut *db).await?;
        sqlx::query("delete from log.parked where reader = $1").bind(&self.reader).execute(db).await?;
        Ok(())
    }

    async fn make(&self, db: &mut PgConnection) -> Result<(), ProjectError> {
        self.clear(db).await?;
        let sql = format!("create schema {0}; create schema {0}_old", self.schema);
        sqlx::raw_sql(AssertSqlSafe(sql)).execute(&mut *db).await?;
        for table in self.projector.tables() {
            sqlx::query("select wheelhouse.make_shadow(('read.' || quote_ident($1))::regclass, $2::name)")
                .bind(table)
                .bind(&self.schema)
                .execute(&mut *db)
                .await?;
        }
        Ok(())
    }

    /// From nothing to the swap; how far the tables reach, and how many streams are parked.
    async fn build(
        &self,
        runtime: &Runtime,
        db: &mut PgConnection,
        limits: Limits,
    ) -> Result<(Position, i64), ProjectError> {
        let quiet = format!(
            "set idle_session_timeout = '{SILENCE}'; set idle_in_transaction_session_timeout = '{SILENCE}'"
        );
        sqlx::raw_sql(AssertSqlSafe(quiet)).execute(&mut *db).await?;
        self.make(db).await?;
        let mut filled = Filled { position: Position(0), parked: ParkedStreams::new() };
        self.catch_up(runtime, db, &mut filled).await?;
        let position = self.swap(runtime, db, &mut filled, limits.swap_patience).await?;
        Ok((position, filled.parked.len() as i64))
    }

    /// Fills until little is missing.
    async fn catch_up(
        &self,
        runtime: &Runtime,
        db: &mut PgConnection,
        filled: &mut Filled,
    ) -> Result<(), ProjectError> {
        loop {
            let head = runtime.feed.reader().head().await?;
            if head.0 - filled.position.0 <= NEAR {
                return Ok(());
            }
            self.fill(runtime, db, filled, head).await?;
        }
    }

    /// Applies what follows up to `to`, a batch of it at most, and commits it.
    async fn fill(
        &self,
        runtime: &Runtime,
        db: &mut PgConnection,
        filled: &mut Filled,
        to: Position,
    ) -> Result<(), ProjectError> {
        let mut tx = db.begin().await?;
        let setting = format!("set local synchronous_commit = off; set local search_path = {}", self.schema);
        sqlx::raw_sql(AssertSqlSafe(setting)).execute(&mut *tx).await?;
        let reader = runtime.feed.reader();
        let (events, to) = reader.read_of(self.projector.categories(), filled.position, to, BATCH).await?;
        apply(&mut tx, self.projector, events, &mut filled.parked, &self.reader).await?;
        tx.commit().await?;
        filled.position = to;
        Ok(())
    }

    /// Swaps as soon as no reader is left who would miss rows of the new tables.
    async fn swap(
        &self,
        runtime: &Runtime,
        db: &mut PgConnection,
        filled: &mut Filled,
        patience: Duration,
    ) -> Result<Position, ProjectError> {
        let deadline = Instant::now() + patience;
        let busy = |readers| ProjectError::Busy { projector: self.projector.name(), readers };
        let mut hold = FIRST_HOLD;
        loop {
            self.catch_up(runtime, db, filled).await?;
            // Long readers are waited for first, while the live projector goes on.
            let readers = snapshots::open(db).await?;
            snapshots::ended(db, &readers, deadline).await?.map_err(busy)?;
            match self.try_swap(runtime, db, filled, hold).await {
                Ok(Ok(reached)) => return Ok(reached),
                Ok(Err(readers)) if Instant::now() >= deadline => return Err(busy(readers)),
                Ok(Err(_)) => {}
                Err(error) => return Err(error),
            }
            hold = (hold * 2).min(LONGEST_HOLD);
            tokio::time::sleep(PAUSE).await;
        }
    }

    /// Holds the live projector at its row, applies the rest, waits at most for `hold` until all who cannot see it have
    /// ended, and swaps in a transaction that adds no row to any table. Says who stood in the way.
    async fn try_swap(
        &self,
        runtime: &Runtime,
        db: &mut PgConnection,
        filled: &mut Filled,
        hold: Duration,
    ) -> Result<Result<Position, String>, ProjectError> {
        let opening = format!(
            "begin; set local lock_timeout = '{LOCK_PATIENCE_MS}ms';
             set local idle_in_transaction_session_timeout = '{SILENCE}'"
        );
        let mut held = match pools::begin_with(&runtime.pools.owner, AssertSqlSafe(opening)).await {
            Ok(held) => held,
            Err(error) => return in_the_way(error),
        };
        let stored: i32 =
            match sqlx::query_scalar("select version from log.projectors where name = $1 for update")
                .bind(self.projector.name())
                .fetch_one(&mut *held)
                .await
            {
                Ok(stored) => stored,
                Err(error) => return in_the_way(error),
            };
        not_newer(self.projector.name(), stored, self.projector.version())?;
        // Asked behind the lock, so that what the live tables show of this log, the new ones show too.
        let to = runtime.feed.reader().head().await?;
        while filled.position < to {
            self.fill(runtime, db, filled, to).await?;
        }
        let readers = snapshots::open(db).await?;
        if let Err(left) = snapshots::ended(db, &readers, Instant::now() + hold).await? {
            return Ok(Err(left));
        }
        match self.exchange(held, to).await {
            Ok(()) => Ok(Ok(to)),
            Err(error) => in_the_way(error),
        }
    }

    /// The tables change places; the live projector goes on from `to`.
    async fn exchange(&self, mut tx: Transaction<'_, Postgres>, to: Position) -> sqlx::Result<()> {
        sqlx::raw_sql("set local search_path = pg_catalog").execute(&mut *tx).await?;
        for table in self.projector.tables() {
            sqlx::query("select wheelhouse.swap_shadow(('read.' || quote_ident($1))::regclass, $2::name)")
                .bind(table)
                .bind(&self.schema)
                .execute(&mut *tx)
                .await?;
        }
        let sql = format!("drop schema {0} restrict; drop schema {0}_old restrict", self.schema);
        sqlx::raw_sql(AssertSqlSafe(sql)).execute(&mut *tx).await?;
        sqlx::query(
            "update log.projectors set position = $2, version = $3, state = 'running', failure = null, moved_at = now()
             where name = $1",
        )
        .bind(self.projector.name())
        .bind(to)
        .bind(self.projector.version())
        .execute(&mut *tx)
        .await?;
        sqlx::query("delete from log.parked where reader = $1")
            .bind(reader_name(self.projector))
            .execute(&mut *tx)
            .await?;
        sqlx::query("update log.parked set reader = $2 where reader = $1")
            .bind(&self.reader)
            .bind(reader_name(self.projector))
            .execute(&mut *tx)
            .await?;
        tx.commit().await
    }
}

/// Failures of the transaction that swaps: those that pass are somebody who stood in its way.
fn in_the_way<T>(error: sqlx::Error) -> Result<Result<T, String>, ProjectError> {
    let passes = is_passing(&error)
        && (error.as_database_error().is_some() || matches!(error, sqlx::Error::PoolTimedOut));
    if passes { Ok(Err(error.to_string())) } else { Err(error.into()) }
}

/// SHA-256 over all rows of a table of schema `read`, in the order of their text: two tables with the same one are equal
/// to the byte.
pub async fn fingerprint(owner: &PgPool, table: &'static str) -> Result<String, ProjectError> {
    if !table.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_') {
        return Err(LogError::Invalid("a table's name is of a-z, 0-9 and _").into());
    }
    let sql = format!(
        "select encode(sha256(convert_to(coalesce(string_agg(t::text, e'\\n' order by t::text collate \"C\"), ''), 'UTF8')), 'hex')
         from read.{table} t"
    );
    Ok(sqlx::query_scalar(AssertSqlSafe(sql)).fetch_one(owner).await?)
}
