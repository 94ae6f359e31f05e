//! Statements in the log's own database. They are written there first: the number is a key, so that of two signers one
//! is refused.

use async_trait::async_trait;
use sqlx::PgPool;

use super::{Place, PlaceError, json, parse};
use crate::log::statement::Statement;

const NAME: &str = "log.statements";

/// The table as a place.
pub struct Table {
    pool: PgPool,
}

impl Table {
    /// Through `pool`, whose role may insert for [`Place::put`].
    pub const fn new(pool: PgPool) -> Self {
        Self { pool }
    }
}

fn away(error: sqlx::Error) -> PlaceError {
    PlaceError::away(NAME, error)
}

#[async_trait]
impl Place for Table {
    fn name(&self) -> &'static str {
        NAME
    }

    async fn last(&self) -> Result<u64, PlaceError> {
        let last: i64 = sqlx::query_scalar("select coalesce(max(number), 0) from log.statements")
            .fetch_one(&self.pool)
            .await
            .map_err(away)?;
        Ok(last.max(0).unsigned_abs())
    }

    async fn get(&self, number: u64) -> Result<Option<Statement>, PlaceError> {
        let body: Option<String> = sqlx::query_scalar("select body from log.statements where number = $1")
            .bind(number as i64)
            .fetch_optional(&self.pool)
            .await
            .map_err(away)?;
        body.map(|body| parse(NAME, number, body.as_bytes())).transpose()
    }

    async fn put(&self, statement: &Statement) -> Result<(), PlaceError> {
        let number = statement.number();
        let mark = statement.mark();
        let stored = sqlx::query(
            "insert into log.statements (number, first, position, body) values ($1, $2, $3, $4)
             on conflict do nothing",
        )
        .bind(number as i64)
        .bind(mark.map(|mark| mark.first))
        .bind(mark.map(|mark| mark.position))
        .bind(json(statement))
        .execute(&self.pool)
        .await
        .map_err(away)?;
        if stored.rows_affected() == 1 || self.get(number).await?.as_ref() == Some(statement) {
            return Ok(());
        }
        Err(PlaceError::occupied(NAME, number))
    }

    async fn all(&self) -> Result<Vec<Statement>, PlaceError> {
        let rows: Vec<(i64, String)> =
            sqlx::query_as("select number, body from log.statements order by number")
                .fetch_all(&self.pool)
                .await
                .map_err(away)?;
        rows.iter().map(|(number, body)| parse(NAME, number.unsigned_abs(), body.as_bytes())).collect()
    }
}
