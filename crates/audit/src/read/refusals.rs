//! Table `log.refused_write`: commands that were not done. They leave no event, so they are not rebuilt from the log;
//! they are written once, beside it, and shown with the rest.

use sqlx::PgPool;
use vocabulary::{Territory, Timestamp};

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
    pub territory: Territory,
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
    .bind(refusal.territory.agent)
    .bind(refusal.territory.area)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_is_kept_short_and_without_phones() {
        assert_eq!(kept("手机号 13812348888 已被使用\n", LONG_MAX), "手机号 138****8888 已被使用");
        assert_eq!(kept(&"长".repeat(500), LONG_MAX).chars().count(), LONG_MAX);
    }
}
