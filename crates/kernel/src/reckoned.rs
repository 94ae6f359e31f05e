//! Table `report.reckoned`: how far something is that is reckoned again and again of more than the log, and in whose term.

use sqlx::PgExecutor;
use vocabulary::Timestamp;

/// Something that one process at a time reckons, by its name in the table.
#[derive(Clone, Copy, Debug)]
pub struct Reckoned(&'static str);

impl Reckoned {
    /// The one of that name.
    pub const fn new(kind: &'static str) -> Self {
        Self(kind)
    }

    /// Takes the place of whoever reckoned before, who writes nothing from then on; false when somebody reckons in a later
    /// term than `token`.
    pub async fn take_over(&self, db: impl PgExecutor<'_>, token: i64) -> sqlx::Result<bool> {
        let taken: Option<i64> = sqlx::query_scalar(
            "insert into report.reckoned as known (kind, until_at_ms, token) values ($1, 0, $2)
             on conflict (kind) do update set token = excluded.token where known.token <= excluded.token
             returning token",
        )
        .bind(self.0)
        .bind(token)
        .fetch_optional(db)
        .await?;
        Ok(taken.is_some())
    }

    /// Until when it is reckoned; nothing before it ever was.
    pub async fn until(&self, db: impl PgExecutor<'_>) -> sqlx::Result<Option<Timestamp>> {
        let until: Option<i64> =
            sqlx::query_scalar("select until_at_ms from report.reckoned where kind = $1 and until_at_ms > 0")
                .bind(self.0)
                .fetch_optional(db)
                .await?;
        Ok(until.map(Timestamp::from_millis))
    }

    /// Tells that it is reckoned until then, in the transaction that writes it; false, and then nothing may be written, when
    /// somebody reckons in a later term than `token`.
    pub async fn reach(&self, db: impl PgExecutor<'_>, until: Timestamp, token: i64) -> sqlx::Result<bool> {
        let leads: Option<i64> = sqlx::query_scalar(
            "update report.reckoned set until_at_ms = greatest(until_at_ms, $3) where kind = $1 and token = $2
             returning token",
        )
        .bind(self.0)
        .bind(token)
        .bind(until.millis())
        .fetch_optional(db)
        .await?;
        Ok(leads.is_some())
    }
}
