//! The hours of a day of revenue. They add up to the day of `revenue_days`, for they are its entries; what is booked for a moment of
//! another day (补记) stands in the first or last hour.

use sqlx::{FromRow, PgConnection, QueryBuilder};
use vocabulary::{HOURS, Scope};

use super::revenue_days::Meant;

const HOUR_MS: i64 = 3_600_000;

/// What belongs to an hour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, FromRow)]
pub struct HourSums {
    /// 0 to 23.
    pub hour: i64,
    /// 应收 A.
    pub due_cents: i64,
    /// 实收总额.
    pub received_cents: i64,
    /// 退款.
    pub refund_cents: i64,
    /// 总收益.
    pub revenue_cents: i64,
    /// Of 应收, what was booked for the part of the day that was asked for.
    pub due_so_far_cents: i64,
    /// Of 总收益, the same.
    pub revenue_so_far_cents: i64,
}

/// The first day of `meant` hour by hour, hours without anything left out; "so far" is until so many milliseconds after its
/// beginning.
pub async fn of(
    db: &mut PgConnection,
    meant: &Meant,
    scope: &Scope,
    so_far_ms: i64,
) -> sqlx::Result<Vec<HourSums>> {
    let midnight = meant.from.hour(0).millis();
    let mut query = QueryBuilder::new("select least(greatest((d.at_ms - ");
    query.push_bind(midnight);
    query.push(format!(") / {HOUR_MS}, 0), {}) as hour", HOURS - 1));
    for (column, name) in [
        ("due_cents", "due_cents"),
        ("received_cents", "received_cents"),
        ("refund_cents", "refund_cents"),
        ("revenue_cents", "revenue_cents"),
    ] {
        query.push(format!(", sum(d.{column})::bigint as {name}"));
    }
    for (column, name) in [("due_cents", "due_so_far_cents"), ("revenue_cents", "revenue_so_far_cents")] {
        query.push(format!(", coalesce(sum(d.{column}) filter (where d.at_ms < "));
        query.push_bind(midnight.saturating_add(so_far_ms));
        query.push(format!("), 0)::bigint as {name}"));
    }
    query.push(" from read.revenue_entry d");
    let first = Meant { until: meant.from, ..meant.clone() };
    first.narrow(&mut query, first.from, scope);
    query.push(" group by 1 order by 1");
    query.build_query_as().fetch_all(db).await
}
