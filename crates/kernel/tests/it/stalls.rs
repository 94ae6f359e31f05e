//! A read model of stalls, with hooks for what may go wrong.

use std::collections::HashSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use kernel::projecting::Projectors;
use kernel::projector::ApplyError;
use kernel::{Change, Position, Projector, Recorded, Runtime};
use sqlx::PgConnection;
use sqlx::PgPool;

use crate::support::StallEvent;

#[derive(Default)]
pub struct Stalls {
    pub version: i32,
    pub stops: bool,
    /// Streams that cannot be applied.
    pub poison: Arc<Mutex<HashSet<String>>>,
    /// How long each batch takes after its SQL.
    pub pause: Duration,
    pub batches: Arc<AtomicUsize>,
}

#[async_trait]
impl Projector for Stalls {
    fn name(&self) -> &'static str {
        "stalls"
    }

    fn version(&self) -> i32 {
        self.version
    }

    fn tables(&self) -> &'static [&'static str] {
        &["stalls"]
    }

    fn categories(&self) -> &'static [&'static str] {
        &["stall"]
    }

    fn stops_on_failure(&self) -> bool {
        self.stops
    }

    async fn apply(&self, db: &mut PgConnection, events: &[Recorded]) -> Result<Vec<Change>, ApplyError> {
        self.batches.fetch_add(1, Ordering::SeqCst);
        let mut changes = Vec::new();
        for event in events {
            let id = &*event.stream_id;
            match event.decode::<StallEvent>()? {
                StallEvent::Opened { name, owner } => {
                    sqlx::query(
                        "insert into stalls (id, name, sold, agent_id, area_id) values ($1, $2, 0, $3, $4)",
                    )
                    .bind(id)
                    .bind(name)
                    .bind(owner.agent)
                    .bind(owner.area)
                    .execute(&mut *db)
                    .await?;
                }
                // Adds on purpose: applied twice it would show.
                StallEvent::Sold { count, .. } => {
                    sqlx::query("update stalls set sold = sold + $2 where id = $1")
                        .bind(id)
                        .bind(count)
                        .execute(&mut *db)
                        .await?;
                }
                StallEvent::Renamed { name } => {
                    sqlx::query("update stalls set name = $2 where id = $1")
                        .bind(id)
                        .bind(name)
                        .execute(&mut *db)
                        .await?;
                }
                StallEvent::Hired { .. } | StallEvent::Closed => {}
            }
            if self.poison.lock().unwrap().contains(id) {
                // A failure of PostgreSQL itself: the transaction is broken until it is rolled back to a savepoint.
                sqlx::query("insert into stalls (id) values (null)").execute(&mut *db).await?;
            }
            changes.push(Change { table: "stalls", key: id.to_owned(), owner: event.meta.owner });
        }
        tokio::time::sleep(self.pause).await;
        Ok(changes)
    }
}

pub async fn make_table(owner: &PgPool) {
    for sql in [
        "create table read.stalls (id text primary key, name text not null, sold bigint not null check (sold >= 0),
         agent_id bigint, area_id bigint, note text default 'none')",
        "create index stalls_by_name on read.stalls (name) where sold >= 0",
        "select wheelhouse.guard_table('read.stalls')",
    ] {
        sqlx::query(sql).execute(owner).await.unwrap();
    }
}

/// Runs it in the background, as a process that leads would.
pub fn run(runtime: &Runtime, stalls: Stalls) -> (Projectors, tokio::task::JoinHandle<()>) {
    let projectors = Projectors::new(runtime.clone(), vec![Arc::new(stalls)]);
    let running = projectors.clone();
    (projectors, tokio::spawn(async move { running.run().await }))
}

/// Waits until the projector has reached the log's head.
pub async fn caught_up(runtime: &Runtime) {
    reached(runtime, runtime.reader.head().await.unwrap()).await;
}

pub async fn reached(runtime: &Runtime, position: Position) {
    let there = async {
        loop {
            let at: Option<Position> =
                sqlx::query_scalar("select position from log.projectors where name = 'stalls'")
                    .fetch_optional(&runtime.pools.owner)
                    .await
                    .unwrap();
            if at.is_some_and(|at| at >= position) {
                return;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(20), there).await.expect("the projector catches up");
}

pub async fn sold(runtime: &Runtime) -> Vec<(String, i64)> {
    sqlx::query_as("select id, sold from read.stalls order by id")
        .fetch_all(&runtime.pools.owner)
        .await
        .unwrap()
}
