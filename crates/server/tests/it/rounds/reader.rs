//! Somebody who reads with a snapshot and comes to a table a moment later, over and over: what he saw once stays, whatever tables
//! are swapped meanwhile.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use sqlx::{AssertSqlSafe, PgPool};
use tokio::task::JoinHandle;

/// Tables whose rows only become more.
const TABLES: [&str; 4] = ["vehicle", "ride_order", "ledger_entry", "role"];

/// He reads until he is stopped.
pub struct Reader {
    /// What was missing when he looked again.
    missing: Arc<Mutex<Vec<String>>>,
    task: JoinHandle<()>,
}

impl Reader {
    pub fn begin(owner: PgPool) -> Self {
        let missing = Arc::default();
        let theirs = Arc::clone(&missing);
        let task = tokio::spawn(async move {
            let mut most = [0_i64; TABLES.len()];
            loop {
                for (table, most) in TABLES.into_iter().zip(&mut most) {
                    // PostgreSQL may be away.
                    let look = tokio::time::timeout(Duration::from_secs(10), rows(&owner, table));
                    let Ok(Ok(rows)) = look.await else {
                        tokio::time::sleep(Duration::from_millis(200)).await;
                        continue;
                    };
                    if rows < *most {
                        let said = format!("{table}: {rows} rows, {most} before");
                        locked(&theirs).push(said);
                    }
                    *most = rows.max(*most);
                }
            }
        });
        Self { missing, task }
    }

    /// What he missed so far.
    pub fn missing(&self) -> Vec<String> {
        locked(&self.missing).clone()
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        self.task.abort();
    }
}

fn locked(missing: &Mutex<Vec<String>>) -> std::sync::MutexGuard<'_, Vec<String>> {
    missing.lock().unwrap_or_else(PoisonError::into_inner)
}

async fn rows(owner: &PgPool, table: &str) -> sqlx::Result<i64> {
    let mut tx = owner.begin_with("begin isolation level repeatable read read only").await?;
    sqlx::query("select position from log.log_head").execute(&mut *tx).await?;
    tokio::time::sleep(Duration::from_millis(150)).await;
    let count = AssertSqlSafe(format!("select count(*) from read.{table}"));
    let rows = sqlx::query_scalar(count).fetch_one(&mut *tx).await?;
    tx.commit().await?;
    Ok(rows)
}
