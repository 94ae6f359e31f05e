//! Who still sees the tables as they were.
//!
//! A reader's transaction sees what was committed before its snapshot, and finds a table by the name that it has when
//! it gets there. So rows that come under an old name by renaming must be older than every snapshot that may still
//! come to the name: whoever renames waits for the end of all transactions that had a snapshot when the rows were
//! committed, as `create index concurrently` does.

use std::time::Duration;

use sqlx::PgConnection;
use tokio::time::Instant;

use crate::pools::PROJECTOR_CONNECTIONS;

const LOOK: Duration = Duration::from_millis(10);
/// Readers that are named to whoever waits for them in vain.
const NAMED: usize = 5;

/// Transactions of this database that have a snapshot now, by their virtual ids.
///
/// Left out are those that never look at a table by an old snapshot: vacuum, and the projectors' connections, whose
/// every statement has a snapshot of its own, taken after it got its tables' locks. They may wait for the caller.
/// Transactions of users whose doings are hidden from this one count as if they had one.
pub async fn open(db: &mut PgConnection) -> sqlx::Result<Vec<String>> {
    sqlx::query_scalar(
        "select l.virtualxid from pg_stat_activity a join pg_locks l on l.pid = a.pid
         where l.locktype = 'virtualxid' and l.virtualxid = l.virtualtransaction and l.granted
           and a.datname = current_database() and a.pid <> pg_backend_pid() and a.usesysid is not null
           and a.backend_type is distinct from 'walsender' and a.application_name is distinct from $1
           and (a.backend_xmin is not null or a.state is null)",
    )
    .bind(PROJECTOR_CONNECTIONS)
    .fetch_all(db)
    .await
}

/// Waits until `transactions` have ended, until `deadline`; tells who is left. `db` is in no transaction.
pub async fn ended(
    db: &mut PgConnection,
    transactions: &[String],
    deadline: Instant,
) -> sqlx::Result<Result<(), String>> {
    loop {
        let left: Vec<(i32, Option<String>, Option<f64>)> = sqlx::query_as(
            "select a.pid, a.application_name, extract(epoch from clock_timestamp() - a.xact_start)::float8
             from pg_locks l join pg_stat_activity a on a.pid = l.pid
             where l.locktype = 'virtualxid' and l.virtualxid = l.virtualtransaction and l.virtualxid = any($1)
             order by a.xact_start",
        )
        .bind(transactions)
        .fetch_all(&mut *db)
        .await?;
        if left.is_empty() {
            return Ok(Ok(()));
        }
        if Instant::now() >= deadline {
            let named: Vec<String> = left
                .iter()
                .take(NAMED)
                .map(|(pid, name, seconds)| {
                    let name = name.as_deref().unwrap_or_default();
                    format!("process {pid} ({name}) reads since {:.0} s", seconds.unwrap_or_default())
                })
                .collect();
            return Ok(Err(named.join(", ")));
        }
        tokio::time::sleep(LOOK).await;
    }
}
