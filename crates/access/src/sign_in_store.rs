//! What signing in keeps for minutes, in schema `authentication`. Nothing here is an event.

pub mod codes;

use sqlx::PgPool;
use sqlx::types::Json;
use vocabulary::{OperatorId, Phone, Timestamp};
use wire::SessionId;

use crate::model::device::Device;

/// Devices that one address named for a phone and that wait for their sign-in; its oldest give way, never those that
/// were named from elsewhere.
const BINDS_MAX: i64 = 20;
/// A device that did not sign in is forgotten after this.
const BIND_LIFE_MS: i64 = 24 * 3_600_000;

/// Remembers a device that said which phone it is for.
pub async fn remember_bind(db: &PgPool, phone: &Phone, device: &Device, now: Timestamp) -> sqlx::Result<()> {
    sqlx::query(
        "insert into authentication.device_binds (phone, code, name, kind, address, at) values ($1, $2, $3, $4, $5, $6)
         on conflict (phone, code) do update
         set name = excluded.name, kind = excluded.kind, address = excluded.address, at = excluded.at",
    )
    .bind(phone.as_str())
    .bind(&device.code)
    .bind(&device.name)
    .bind(device.kind)
    .bind(&device.address)
    .bind(now.datetime())
    .execute(db)
    .await?;
    sqlx::query(
        "delete from authentication.device_binds where phone = $1 and code in (
           select code from authentication.device_binds where phone = $1 and address = $2 order by at desc, code offset $3)",
    )
    .bind(phone.as_str())
    .bind(&device.address)
    .bind(BINDS_MAX)
    .execute(db)
    .await?;
    Ok(())
}

/// The device with this code as it described itself for this phone.
pub async fn bind_of(db: &PgPool, phone: &Phone, code: &str, now: Timestamp) -> sqlx::Result<Option<Device>> {
    let found: Option<(String, String, i16, String)> = sqlx::query_as(
        "select code, name, kind, address from authentication.device_binds where phone = $1 and code = $2 and at > $3",
    )
    .bind(phone.as_str())
    .bind(code)
    .bind(now.plus_millis(-BIND_LIFE_MS).datetime())
    .fetch_optional(db)
    .await?;
    Ok(found.map(|(code, name, kind, address)| Device { code, name, kind, address }))
}

/// Uses up a quick-login link: `true` the first time.
pub async fn use_link(db: &PgPool, nonce: &str, now: Timestamp) -> sqlx::Result<bool> {
    let done = sqlx::query(
        "insert into authentication.quick_links (nonce, used_at) values ($1, $2) on conflict do nothing",
    )
    .bind(nonce)
    .bind(now.datetime())
    .execute(db)
    .await?;
    Ok(done.rows_affected() == 1)
}

/// Remembers that a link which `made_by` made opened a session of `operator`.
pub async fn remember_link_session(
    db: &PgPool,
    session: SessionId,
    made_by: OperatorId,
    operator: OperatorId,
) -> sqlx::Result<()> {
    sqlx::query(
        "insert into authentication.link_sessions (session_id, made_by, operator_id) values ($1, $2, $3)
         on conflict (session_id) do update set made_by = excluded.made_by, operator_id = excluded.operator_id",
    )
    .bind(session)
    .bind(made_by)
    .bind(operator)
    .execute(db)
    .await?;
    Ok(())
}

/// What holds of the session `old` holds of the one that takes its place.
pub async fn pass_on_link_session(db: &PgPool, old: SessionId, new: SessionId) -> sqlx::Result<()> {
    sqlx::query(
        "insert into authentication.link_sessions (session_id, made_by, operator_id)
         select $2, made_by, operator_id from authentication.link_sessions where session_id = $1
         on conflict do nothing",
    )
    .bind(old)
    .bind(new)
    .execute(db)
    .await?;
    Ok(())
}

/// Sessions that links opened, made by one of these people or for one of them.
pub async fn link_sessions_of(db: &PgPool, operators: &[OperatorId]) -> sqlx::Result<Vec<SessionId>> {
    let ids: Vec<i64> = operators.iter().map(|operator| operator.0).collect();
    sqlx::query_scalar(
        "select session_id from authentication.link_sessions where made_by = any($1) or operator_id = any($1)",
    )
    .bind(ids)
    .fetch_all(db)
    .await
}

/// What the web configuration of a host name says beside the defaults.
pub async fn web_config(
    db: &PgPool,
    domain: &str,
) -> sqlx::Result<Option<serde_json::Map<String, serde_json::Value>>> {
    let found: Option<Json<serde_json::Map<String, serde_json::Value>>> = sqlx::query_scalar(
        "select config from authentication.web_config where domain in ($1, '') order by domain desc limit 1",
    )
    .bind(domain)
    .fetch_optional(db)
    .await?;
    Ok(found.map(|Json(config)| config))
}

/// Devices of sessions of an operator that are live: those to end when a device is taken away.
pub async fn sessions_of_device(
    db: &PgPool,
    operator: OperatorId,
    device_code: &str,
) -> sqlx::Result<Vec<SessionId>> {
    sqlx::query_scalar(
        "select id from authentication.sessions where operator_id = $1 and device_code = $2 and ended_at is null",
    )
    .bind(operator)
    .bind(device_code)
    .fetch_all(db)
    .await
}

/// Deletes what is worth nothing any more.
pub async fn sweep(db: &PgPool, now: Timestamp) -> sqlx::Result<()> {
    codes::sweep(db, now).await?;
    sqlx::query("delete from authentication.device_binds where at < $1")
        .bind(now.plus_millis(-BIND_LIFE_MS).datetime())
        .execute(db)
        .await?;
    sqlx::query("delete from authentication.quick_links where used_at < $1")
        .bind(now.plus_millis(-10 * 60_000).datetime())
        .execute(db)
        .await?;
    sqlx::query(
        "delete from authentication.link_sessions l where not exists (select from authentication.sessions s where s.id = l.session_id)",
    )
    .execute(db)
    .await?;
    Ok(())
}
