//! Days of the history: made ahead, dropped when too old.

use std::collections::BTreeSet;

use chrono::{Days, NaiveDate};
use kernel::pools::begin_with;
use sqlx::{AssertSqlSafe, PgPool};
use vocabulary::Timestamp;

/// Days made ahead: a node that cannot make them for two days has louder troubles.
const AHEAD: u64 = 3;

fn name(day: NaiveDate) -> String {
    format!("telemetry_{}", day.format("%Y%m%d"))
}

/// The day that a partition's name tells.
fn day_of(name: &str) -> Option<NaiveDate> {
    NaiveDate::parse_from_str(name.strip_prefix("telemetry_")?, "%Y%m%d").ok()
}

/// A lock that is not there at once is tried for again later: whoever writes and reads goes first.
const OPENING: &str = "begin; set local lock_timeout = '2s'; set local statement_timeout = '20s'";

/// Makes the days from yesterday (reports may be a day old) on, and drops those older than `keep_days`. Days are UTC's.
/// Neither waits for who reads the history, nor lets him wait.
pub(super) async fn tend(owner: &PgPool, now: Timestamp, keep_days: u32) -> sqlx::Result<()> {
    let today = now.datetime().date_naive();
    let known = attached(owner).await?;
    let first = today.checked_sub_days(Days::new(1)).unwrap_or(today);
    for day in first.iter_days().take(AHEAD as usize + 2) {
        if !known.contains(&day) {
            make(owner, day).await?;
        }
    }
    // A clock that jumped ahead makes no day old: the newest one with reports tells how far time went.
    let Some(newest) = newest_with_reports(owner, &known).await? else { return Ok(()) };
    let oldest =
        today.min(newest).checked_sub_days(Days::new(u64::from(keep_days))).unwrap_or(NaiveDate::MIN);
    for day in known.into_iter().filter(|day| *day < oldest) {
        drop_day(owner, day).await?;
        tracing::info!(%day, "telemetry that is too old was dropped");
    }
    Ok(())
}

/// Made by itself and then attached: that needs no lock that readers hold.
async fn make(owner: &PgPool, day: NaiveDate) -> sqlx::Result<()> {
    let (name, next) = (name(day), day.succ_opt().unwrap_or(day));
    // The names are dates: nothing of a user is in these texts.
    let statements = [
        format!("create table if not exists live.{name} (like live.telemetry including all)"),
        format!(
            "alter table live.telemetry attach partition live.{name} for values from ('{day} 00:00:00+00') to ('{next} 00:00:00+00')"
        ),
    ];
    let mut transaction = begin_with(owner, OPENING).await?;
    for statement in statements {
        sqlx::query(AssertSqlSafe(statement)).execute(&mut *transaction).await?;
    }
    transaction.commit().await
}

/// Taken out beside its readers, then dropped. What was interrupted in between is gone on with the next time.
async fn drop_day(owner: &PgPool, day: NaiveDate) -> sqlx::Result<()> {
    let name = name(day);
    let mut db = owner.acquire().await?;
    // Its settings end with it: a table cannot be taken out beside readers within a transaction.
    db.close_on_drop();
    sqlx::raw_sql("set lock_timeout = '2s'; set statement_timeout = '20s'").execute(&mut *db).await?;
    let pending: Option<bool> =
        sqlx::query_scalar("select inhdetachpending from pg_inherits where inhrelid = to_regclass($1)")
            .bind(format!("live.{name}"))
            .fetch_optional(&mut *db)
            .await?;
    let how = if pending == Some(true) { "finalize" } else { "concurrently" };
    if pending.is_some() {
        let statement = format!("alter table live.telemetry detach partition live.{name} {how}");
        sqlx::query(AssertSqlSafe(statement)).execute(&mut *db).await?;
    }
    sqlx::query(AssertSqlSafe(format!("drop table if exists live.{name}"))).execute(&mut *db).await?;
    Ok(())
}

/// The days that there are, those that are being taken out among them.
async fn attached(owner: &PgPool) -> sqlx::Result<BTreeSet<NaiveDate>> {
    let names: Vec<String> = sqlx::query_scalar(
        "select c.relname::text from pg_inherits i join pg_class c on c.oid = i.inhrelid
         where i.inhparent = 'live.telemetry'::regclass",
    )
    .fetch_all(owner)
    .await?;
    Ok(names.iter().filter_map(|name| day_of(name)).collect())
}

async fn newest_with_reports(owner: &PgPool, days: &BTreeSet<NaiveDate>) -> sqlx::Result<Option<NaiveDate>> {
    for day in days.iter().rev() {
        let any = format!("select exists (select from live.{})", name(*day));
        if sqlx::query_scalar::<_, bool>(AssertSqlSafe(any)).fetch_one(owner).await? {
            return Ok(Some(*day));
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_partition_is_named_by_its_day() {
        let day = NaiveDate::from_ymd_opt(2026, 5, 1).unwrap();
        assert_eq!(name(day), "telemetry_20260501");
        assert_eq!(day_of("telemetry_20260501"), Some(day));
        assert_eq!(day_of("telemetry_old"), None);
        assert_eq!(day_of("pg_class"), None);
    }
}
