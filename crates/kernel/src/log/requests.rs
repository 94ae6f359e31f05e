//! Forgetting what was asked long ago. `log.requests` gives a repeated command its first answer; after
//! [`REPEATABLE_MS`] a command is no longer repeated by anybody, and its row is forgotten.
//!
//! Only the answer is forgotten. What was done stays in the log: a command that comes once more after that is judged as
//! a new one, by its aggregate's state, its claims and the version that its sender saw.
//!
//! A reactor repeats from where it stands, however long that took: what it asked for after the event that it stands at
//! is kept, and so is what it asked for after an event that is parked.

use sqlx::PgPool;
use vocabulary::Timestamp;

/// A command may be repeated for so long: seven days.
pub const REPEATABLE_MS: i64 = 7 * 86_400_000;
/// Rows that are deleted in one statement, so that appends wait for none.
const BATCH: i64 = 1000;
/// Statements of one round.
const MOST_BATCHES: usize = 50;

/// Forgets requests that nobody repeats at `now`, at most 50,000 of them. `owner` owns the log. Tells how many.
pub async fn forget_old(owner: &PgPool, now: Timestamp) -> sqlx::Result<u64> {
    let mut forgotten = 0;
    for _ in 0..MOST_BATCHES {
        let gone = forget_some(owner, now.plus_millis(-REPEATABLE_MS), BATCH).await?;
        forgotten += gone;
        if gone < BATCH.unsigned_abs() {
            break;
        }
    }
    Ok(forgotten)
}

/// Forgets at most `most` requests recorded before `before`.
async fn forget_some(owner: &PgPool, before: Timestamp, most: i64) -> sqlx::Result<u64> {
    // What a reactor did because of an event lies behind that event.
    let deleted = sqlx::query(
        "delete from log.requests where ctid = any(array(
           select q.ctid from log.requests q
           where q.recorded_at < to_timestamp($1::bigint / 1000.0)
             and q.position <= coalesce((select min(r.position) from log.reactors r), q.position)
             and q.position < coalesce(
               (select min(k.position) from log.parked k where k.reader like 'reactor:%'), q.position + 1)
           limit $2))",
    )
    .bind(before.millis())
    .bind(most)
    .execute(owner)
    .await?;
    Ok(deleted.rows_affected())
}
