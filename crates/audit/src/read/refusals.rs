//! Table `log.refused_write`: commands that were not done. They leave no event, so they are not rebuilt from the log;
//! they are written once, beside it, and shown with the rest.

use sqlx::PgPool;
use vocabulary::{DataOwner, Timestamp};

use super::Person;
use crate::mask;

/// A code or an address is kept up to so many characters, a reason or a path up to more.
const SHORT_MAX: usize = 64;
const LONG_MAX: usize = 200;

/// A command that was not done.
#[derive(Clone, Debug)]
pub(crate) struct Refusal {
    pub at: Timestamp,
    pub person: Person,
    pub name: String,
    pub phone: String,
    pub owner: DataOwner,
    pub what: String,
    pub status: u16,
    pub code: String,
    pub reason: String,
    pub client_address: String,
    pub trace_id: String,
}

/// Text as it was told, without what a row cannot hold and nobody may read.
fn kept(text: &str, max: usize) -> String {
    mask::text_masked(&text.chars().filter(|c| !c.is_control()).take(max).collect::<String>())
}

/// Writes it down.
pub(crate) async fn keep(pool: &PgPool, refusal: &Refusal) -> sqlx::Result<()> {
    sqlx::query(
        "insert into log.refused_write (at_ms, actor_kind, actor_id, actor_name, actor_phone, agent_id, area_id,
           target_name, status, code, reason, client_address, trace_id)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)",
    )
    .bind(refusal.at.millis())
    .bind(refusal.person.kind)
    .bind(&refusal.person.id)
    .bind(&refusal.name)
    .bind(&refusal.phone)
    .bind(refusal.owner.agent)
    .bind(refusal.owner.area)
    .bind(kept(&refusal.what, LONG_MAX))
    .bind(i16::try_from(refusal.status).unwrap_or(500))
    .bind(kept(&refusal.code, SHORT_MAX))
    .bind(kept(&refusal.reason, LONG_MAX))
    .bind(kept(&refusal.client_address, SHORT_MAX))
    .bind(kept(&refusal.trace_id, SHORT_MAX))
    .execute(pool)
    .await?;
    Ok(())
}

/// A refused command is kept for so long: a year.
pub const KEPT_MS: i64 = 365 * 86_400_000;
/// Rows that are deleted in one transaction.
const BATCH: i64 = 1000;
/// Transactions of one round.
const MOST_BATCHES: usize = 50;

/// Deletes what was kept long enough at `now`, at most 50,000 rows. `owner` owns the table. Tells how many.
pub async fn prune(owner: &PgPool, now: Timestamp) -> sqlx::Result<u64> {
    let before = now.plus_millis(-KEPT_MS);
    let mut pruned = 0;
    for _ in 0..MOST_BATCHES {
        let mut tx = kernel::pools::begin(owner).await?;
        // The table refuses changes to everybody who does not say that this is maintenance.
        sqlx::query("set local wheelhouse.maintenance = 'on'").execute(&mut *tx).await?;
        let deleted = sqlx::query(
            "delete from log.refused_write where position = any(array(
               select w.position from log.refused_write w where w.at_ms < $1 order by w.at_ms limit $2))",
        )
        .bind(before.millis())
        .bind(BATCH)
        .execute(&mut *tx)
        .await?
        .rows_affected();
        tx.commit().await?;
        pruned += deleted;
        if deleted < BATCH.unsigned_abs() {
            break;
        }
    }
    Ok(pruned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_is_kept_short_and_without_phones() {
        assert_eq!(kept("手机号 13812348888 已被使用\n", LONG_MAX), "手机号 138****8888 已被使用");
        assert_eq!(kept(&"长".repeat(500), LONG_MAX).chars().count(), LONG_MAX);
    }
}
