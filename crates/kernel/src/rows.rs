//! Rows of a read model as plain structs: read those that a batch of events touches, fold the events into them in
//! memory, write them back in one statement.
//!
//! A struct's serde names are the table's columns; columns that a struct leaves out keep their defaults.

use std::collections::BTreeSet;

use serde::Serialize;
use serde::de::DeserializeOwned;
use sqlx::{AssertSqlSafe, PgConnection, Row};

use crate::Recorded;
use crate::projector::ApplyError;

const HOUR_MS: i64 = 3_600_000;

/// Text for `like`: what somebody typed, taken literally, anywhere in the column; at most `most` characters of it.
pub fn containing(typed: &str, most: usize) -> String {
    let mut pattern = String::with_capacity(typed.len() + 2);
    pattern.push('%');
    for letter in typed.trim().chars().take(most) {
        if matches!(letter, '%' | '_' | '\\') {
            pattern.push('\\');
        }
        pattern.push(letter);
    }
    pattern.push('%');
    pattern
}

/// The streams of `events`, each once, in order.
pub fn streams(events: &[Recorded]) -> Vec<String> {
    let streams: BTreeSet<&str> = events.iter().map(|event| &*event.stream_id).collect();
    streams.into_iter().map(str::to_owned).collect()
}

/// The rows of `table` whose `key` column (of SQL type `key_type`) is one of `keys`. Names come from the code only.
pub async fn load<R: DeserializeOwned>(
    db: &mut PgConnection,
    table: &'static str,
    key: &'static str,
    key_type: &'static str,
    keys: &[String],
) -> Result<Vec<R>, ApplyError> {
    let found = load_keyed(db, table, key, key_type, keys).await?;
    Ok(found.into_iter().map(|(_, row)| row).collect())
}

/// The same, each with its key as text.
pub async fn load_keyed<R: DeserializeOwned>(
    db: &mut PgConnection,
    table: &'static str,
    key: &'static str,
    key_type: &'static str,
    keys: &[String],
) -> Result<Vec<(String, R)>, ApplyError> {
    let sql = format!(
        "select t.{key}::text, to_jsonb(t) from {table} t where t.{key} = any($1::text[]::{key_type}[])"
    );
    let found = sqlx::query(AssertSqlSafe(sql)).bind(keys).fetch_all(db).await?;
    found.iter().map(|row| Ok((row.try_get(0)?, serde_json::from_value(row.try_get(1)?)?))).collect()
}

/// Makes what is missing of the months of `table`, which is kept by months of its column `at_ms`, for rows of these
/// moments: before they are written, in the same transaction.
pub async fn make_months(
    db: &mut PgConnection,
    table: &'static str,
    at_ms: impl Iterator<Item = i64>,
) -> Result<(), ApplyError> {
    // Every month begins with an hour.
    let hours: BTreeSet<i64> = at_ms.map(|at| at - at.rem_euclid(HOUR_MS)).collect();
    if !hours.is_empty() {
        sqlx::query("select wheelhouse.make_months($1::text::regclass, $2)")
            .bind(table)
            .bind(hours.into_iter().collect::<Vec<_>>())
            .execute(db)
            .await?;
    }
    Ok(())
}

/// Writes `rows` to `table`, replacing those with the same `key`, which may be several columns (`a, b`).
pub async fn upsert<R: Serialize>(
    db: &mut PgConnection,
    table: &'static str,
    key: &'static str,
    rows: &[R],
) -> Result<(), ApplyError> {
    let rows = serde_json::to_value(rows)?;
    let Some(first) = rows.get(0).and_then(serde_json::Value::as_object) else { return Ok(()) };
    let columns: Vec<&str> = first.keys().map(String::as_str).collect();
    let list = columns.join(", ");
    let sets: Vec<String> = columns
        .iter()
        .filter(|column| !key.split(", ").any(|part| part == **column))
        .map(|column| format!("{column} = excluded.{column}"))
        .collect();
    let sql = format!(
        "insert into {table} ({list}) select {list} from jsonb_populate_recordset(null::{table}, $1) \
         on conflict ({key}) do update set {}",
        sets.join(", ")
    );
    sqlx::query(AssertSqlSafe(sql)).bind(&rows).execute(db).await?;
    Ok(())
}

/// Removes the rows of `table` whose `key` column is one of `keys`.
pub async fn delete(
    db: &mut PgConnection,
    table: &'static str,
    key: &'static str,
    key_type: &'static str,
    keys: &[String],
) -> Result<(), ApplyError> {
    let sql = format!("delete from {table} where {key} = any($1::text[]::{key_type}[])");
    sqlx::query(AssertSqlSafe(sql)).bind(keys).execute(db).await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::containing;

    #[test]
    fn what_is_typed_is_taken_literally_and_cut_off() {
        assert_eq!(containing(" 50%_off\\ ", 50), "%50\\%\\_off\\\\%");
        assert_eq!(containing("abc", 2), "%ab%");
    }
}
