//! Building a read model anew while the old one serves.

use std::time::Duration;

use sqlx::{AssertSqlSafe, Connection, PgConnection, PgPool, Postgres, Transaction};
use tokio::time::Instant;

use super::applying::{ParkedStreams, apply};
use super::{ProjectError, reader_name};
use crate::log::LogError;
use crate::passing::is_passing;
use crate::{House, Position, Projector};

const BATCH: i64 = 1000;
/// With this few events to go, the rest is applied in the transaction that swaps.
const NEAR: i64 = 200;
/// How long the swap stands in line for readers before it lets others pass and tries again.
const LOCK_PATIENCE_MS: u32 = 300;
const SWAPS: usize = 60;

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
/// parked is tried again with the rest. One rebuild of a projector runs at a time.
pub async fn rebuild(house: &House, projector: &dyn Projector) -> Result<Rebuilt, ProjectError> {
    let started = Instant::now();
    let mut owner = house.pools.owner.acquire().await?;
    let lock = format!("wheelhouse rebuild {}", projector.name());
    let alone: bool = sqlx::query_scalar("select pg_try_advisory_lock(hashtextextended($1, 0))")
        .bind(&lock)
        .fetch_one(&mut *owner)
        .await?;
    if !alone {
        return Err(ProjectError::Rebuilding(projector.name()));
    }
    // The lock belongs to the connection: closed at the end, whatever happens, it is free again.
    let mut owner = owner.detach();
    let shadow = Shadow::of(projector);
    let done = async {
        shadow.make(&mut owner).await?;
        let mut position = Position(0);
        let mut parked = ParkedStreams::new();
        loop {
            let head = house.reader.head().await?;
            if head.0 - position.0 <= NEAR {
                break;
            }
            position = shadow.fill(house, &mut owner, position, head, &mut parked).await?;
        }
        shadow
            .swap(house, &mut owner, position, &mut parked)
            .await
            .map(|position| (position, parked.len() as i64))
    }
    .await;
    if done.is_err() {
        // Left-overs hurt nobody, and the next rebuild removes them too.
        let _ = shadow.clear(&mut owner).await;
    }
    let _ = owner.close().await;
    let (position, parked) = done?;
    house.progress.reached(projector.name(), position);
    let took = started.elapsed();
    tracing::info!(
        projector = projector.name(),
        position = position.0,
        parked,
        seconds = took.as_secs_f64(),
        "a read model was rebuilt"
    );
    Ok(Rebuilt { name: projector.name(), position, parked, took })
}

struct Shadow<'a> {
    projector: &'a dyn Projector,
    schema: String,
    reader: String,
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

    async fn fill(
        &self,
        house: &House,
        db: &mut PgConnection,
        from: Position,
        head: Position,
        parked: &mut ParkedStreams,
    ) -> Result<Position, ProjectError> {
        let to = Position(head.0.min(from.0 + BATCH));
        let mut tx = db.begin().await?;
        sqlx::query("set local synchronous_commit = off").execute(&mut *tx).await?;
        self.apply(house, &mut tx, from, to, parked).await?;
        tx.commit().await?;
        Ok(to)
    }

    async fn apply(
        &self,
        house: &House,
        tx: &mut Transaction<'_, Postgres>,
        from: Position,
        to: Position,
        parked: &mut ParkedStreams,
    ) -> Result<(), ProjectError> {
        let events = house.reader.read_between(from, to, Some(self.projector.categories())).await?;
        sqlx::raw_sql(AssertSqlSafe(format!("set local search_path = {}", self.schema)))
            .execute(&mut **tx)
            .await?;
        apply(tx, self.projector, events, parked, &self.reader).await?;
        Ok(())
    }

    /// Applies the rest and swaps, with the live projector held at its row: it goes on from the new position.
    async fn swap(
        &self,
        house: &House,
        db: &mut PgConnection,
        from: Position,
        parked: &mut ParkedStreams,
    ) -> Result<Position, ProjectError> {
        let mut position = from;
        for attempt in 0..SWAPS {
            // Those who wait for a long reader would wait behind the swap: it steps back and lets them pass.
            if attempt > 0 {
                tokio::time::sleep(Duration::from_millis(100)).await;
                let head = house.reader.head().await?;
                position = self.fill(house, db, position, head, parked).await?;
            }
            let mut parked_then = parked.clone();
            match self.try_swap(house, db, position, &mut parked_then).await {
                Ok(reached) => {
                    *parked = parked_then;
                    return Ok(reached);
                }
                Err(ProjectError::Database(error))
                    if is_passing(&error) && error.as_database_error().is_some() => {}
                Err(error) => return Err(error),
            }
        }
        Err(ProjectError::Busy(self.projector.name()))
    }

    async fn try_swap(
        &self,
        house: &House,
        db: &mut PgConnection,
        from: Position,
        parked: &mut ParkedStreams,
    ) -> Result<Position, ProjectError> {
        let name = self.projector.name();
        let mut tx = db.begin().await?;
        sqlx::raw_sql(AssertSqlSafe(format!("set local lock_timeout = '{LOCK_PATIENCE_MS}ms'")))
            .execute(&mut *tx)
            .await?;
        sqlx::query("insert into log.projectors (name, version) values ($1, $2) on conflict do nothing")
            .bind(name)
            .bind(self.projector.version())
            .execute(&mut *tx)
            .await?;
        let live: Position =
            sqlx::query_scalar("select position from log.projectors where name = $1 for update")
                .bind(name)
                .fetch_one(&mut *tx)
                .await?;
        // What the live tables already show, the new ones must show too.
        let to = house.reader.head().await?.max(live);
        self.apply(house, &mut tx, from, to, parked).await?;
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
        .bind(name)
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
        tx.commit().await?;
        Ok(to)
    }
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
