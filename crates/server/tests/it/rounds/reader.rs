//! Those who read with a snapshot and come to a table a moment later, over and over: what one saw once stays, whatever tables
//! are swapped meanwhile.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use sqlx::{AssertSqlSafe, PgPool};
use tokio::task::JoinSet;

use crate::stack::Stack;

/// Tables whose rows only become more.
const TABLES: [&str; 4] = ["vehicle", "ride_order", "ledger_entry", "role"];

/// One of each table; they read until they are stopped.
pub struct Readers {
    /// What was missing when one looked again.
    missing: Arc<Mutex<Vec<String>>>,
    /// Ends with its owner.
    _reading: JoinSet<()>,
}

impl Readers {
    /// They come to their tables so long after they have a snapshot.
    pub async fn begin(stack: &Stack, later: Duration) -> Self {
        let missing = Arc::default();
        let mut reading = JoinSet::new();
        for table in TABLES {
            reading.spawn(read(stack.owner().await, table, later, Arc::clone(&missing)));
        }
        Self { missing, _reading: reading }
    }

    /// What they missed so far.
    pub fn missing(&self) -> Vec<String> {
        locked(&self.missing).clone()
    }
}

async fn read(owner: PgPool, table: &'static str, later: Duration, missing: Arc<Mutex<Vec<String>>>) {
    let mut most = 0;
    loop {
        // PostgreSQL may be away.
        let Ok(Ok(rows)) = tokio::time::timeout(Duration::from_secs(10), rows(&owner, table, later)).await
        else {
            tokio::time::sleep(Duration::from_millis(200)).await;
            continue;
        };
        if rows < most {
            locked(&missing).push(format!("{table}: {rows} rows, {most} before"));
        }
        most = rows.max(most);
    }
}

fn locked(missing: &Mutex<Vec<String>>) -> std::sync::MutexGuard<'_, Vec<String>> {
    missing.lock().unwrap_or_else(PoisonError::into_inner)
}

async fn rows(owner: &PgPool, table: &str, later: Duration) -> sqlx::Result<i64> {
    let mut tx = owner.begin_with("begin isolation level repeatable read read only").await?;
    sqlx::query("select position from log.log_head").execute(&mut *tx).await?;
    tokio::time::sleep(later).await;
    let count = AssertSqlSafe(format!("select count(*) from read.{table}"));
    let rows = sqlx::query_scalar(count).fetch_one(&mut *tx).await?;
    tx.commit().await?;
    Ok(rows)
}
