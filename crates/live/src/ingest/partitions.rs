//! Days of the history: made ahead, dropped when too old.

use chrono::{Days, NaiveDate};
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

/// Makes the days from yesterday (reports may be a day old) on, and drops those older than `keep_days`. Days are UTC's.
pub(super) async fn tend(owner: &PgPool, now: Timestamp, keep_days: u32) -> sqlx::Result<()> {
    let today = now.datetime().date_naive();
    for ahead in 0..=(AHEAD + 1) {
        let Some(day) =
            today.checked_sub_days(Days::new(1)).and_then(|first| first.checked_add_days(Days::new(ahead)))
        else {
            continue;
        };
        let Some(next) = day.succ_opt() else { continue };
        // The names are dates: nothing of a user is in this text.
        let sql = format!(
            "create table if not exists live.{} partition of live.telemetry for values from ('{day} 00:00:00+00') to ('{next} 00:00:00+00')",
            name(day),
        );
        sqlx::query(AssertSqlSafe(sql)).execute(owner).await?;
    }
    let oldest = today.checked_sub_days(Days::new(u64::from(keep_days))).unwrap_or(NaiveDate::MIN);
    let partitions: Vec<String> = sqlx::query_scalar(
        "select c.relname from pg_inherits i join pg_class c on c.oid = i.inhrelid
         where i.inhparent = 'live.telemetry'::regclass",
    )
    .fetch_all(owner)
    .await?;
    for partition in partitions.iter().filter(|partition| day_of(partition).is_some_and(|day| day < oldest)) {
        sqlx::query(AssertSqlSafe(format!("drop table live.{partition}"))).execute(owner).await?;
        tracing::info!(partition, "telemetry that is too old was dropped");
    }
    Ok(())
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
