//! What all measured tables have in common: whose rows they are, and when.

use anyhow::Result;
use sqlx::PgPool;

/// Owns two of five rows.
pub const LARGE: i64 = 2;
/// Owns one of 1,250 rows.
pub const SMALL: i64 = 3;
/// The time of the first row.
pub const BEGAN_MS: i64 = 1_700_000_000_000;
const DAY_MS: i64 = 86_400_000;

/// Runs an `insert` of `rows` rows, one each `apart_ms`: $1 to $5 are `rows`, [`LARGE`], [`SMALL`], [`BEGAN_MS`] and
/// `apart_ms`.
pub async fn insert(owner: &PgPool, sql: &'static str, rows: i64, apart_ms: i64) -> Result<()> {
    let query = sqlx::query(sql).bind(rows).bind(LARGE).bind(SMALL).bind(BEGAN_MS).bind(apart_ms);
    query.execute(owner).await?;
    Ok(())
}

/// Runs statements one after the other.
pub async fn run(owner: &PgPool, statements: &[&'static str]) -> Result<()> {
    for sql in statements {
        sqlx::query(*sql).execute(owner).await?;
    }
    Ok(())
}

/// The first and last moment of one of 300 days.
pub const fn day(pick: i64) -> (i64, i64) {
    let from = BEGAN_MS + (pick % 300) * DAY_MS;
    (from, from + DAY_MS - 1)
}

/// One of the numbers below `of`, far from that of the next pick.
pub const fn nth(pick: i64, of: i64) -> i64 {
    (pick * 7919) % of
}
