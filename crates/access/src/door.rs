//! What signing in keeps for minutes, in schema `door`. Nothing here is an event.

use hmac::{Hmac, Mac};
use sha2::Sha256;
use sqlx::PgPool;
use sqlx::types::Json;
use vocabulary::{Phone, Timestamp};

use crate::model::device::Device;

/// A code is worth something for so long.
pub const CODE_LIFE_MS: i64 = 5 * 60_000;
/// After so many wrong tries the phone is locked.
pub const CODE_TRIES: i16 = 5;
/// For so long.
pub const LOCK_MS: i64 = 15 * 60_000;
/// A phone is sent a code at most this often.
pub const RESEND_MS: i64 = 60_000;
/// A phone is sent at most so many codes a day (Asia/Shanghai).
pub const CODES_A_DAY: i16 = 10;
/// A phone's devices that wait for their sign-in; the oldest give way.
const BINDS_MAX: i64 = 20;
/// A device that did not sign in is forgotten after this.
const BIND_LIFE_MS: i64 = 24 * 3_600_000;

/// The keyed hash under which a code is kept: whoever reads the table cannot try all million codes.
pub fn code_hash(pepper: &[u8; 32], phone: &Phone, code: &str) -> [u8; 32] {
    let mut mac = Hmac::<Sha256>::new_from_slice(pepper).expect("HMAC takes a key of any length");
    mac.update(phone.as_str().as_bytes());
    mac.update(b":");
    mac.update(code.as_bytes());
    mac.finalize().into_bytes().into()
}

/// Takes a place among the codes that may be sent; `false`: too soon, or too many today. `hash`: of the code, or none
/// when none will be sent.
pub async fn take_sms_place(
    db: &PgPool,
    phone: &Phone,
    hash: Option<[u8; 32]>,
    now: Timestamp,
) -> sqlx::Result<bool> {
    let done = sqlx::query(
        "insert into door.sms_codes as c (phone, code_hash, expires_at, tries, sent_at, sent_day, sent_today)
         values ($1, $2, $3, 0, $4, ($4::timestamptz at time zone 'Asia/Shanghai')::date, 1)
         on conflict (phone) do update
         set code_hash = excluded.code_hash, expires_at = excluded.expires_at, tries = 0,
             sent_at = excluded.sent_at, sent_day = excluded.sent_day,
             sent_today = case when c.sent_day = excluded.sent_day then c.sent_today + 1 else 1 end
         where c.sent_at <= $5 and (c.sent_day <> excluded.sent_day or c.sent_today < $6)",
    )
    .bind(phone.as_str())
    .bind(hash.map(|hash| hash.to_vec()))
    .bind(now.plus_millis(CODE_LIFE_MS).datetime())
    .bind(now.datetime())
    .bind(now.plus_millis(-RESEND_MS).datetime())
    .bind(CODES_A_DAY)
    .execute(db)
    .await?;
    Ok(done.rows_affected() == 1)
}

/// The code was not sent after all: another may be asked for at once (it still counts for the day).
pub async fn give_back_sms_place(db: &PgPool, phone: &Phone, now: Timestamp) -> sqlx::Result<()> {
    sqlx::query("update door.sms_codes set code_hash = null, sent_at = $2 where phone = $1")
        .bind(phone.as_str())
        .bind(now.plus_millis(-RESEND_MS).datetime())
        .execute(db)
        .await?;
    Ok(())
}

/// What became of a try.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tried {
    /// The right code, for the first time.
    Right,
    /// Any other.
    Wrong,
    /// There were too many wrong ones: nothing is looked at for a while.
    Locked,
}

/// Whether a phone is locked after too many wrong tries.
pub async fn is_locked(db: &PgPool, phone: &Phone, now: Timestamp) -> sqlx::Result<bool> {
    sqlx::query_scalar("select exists (select from door.sms_codes where phone = $1 and locked_until > $2)")
        .bind(phone.as_str())
        .bind(now.datetime())
        .fetch_one(db)
        .await
}

/// Tries a code. Every try counts before it is looked at, and the last one locks the phone unless it was right. Tries
/// on phones that have no account count the same, so that a lock tells nothing of who has one.
pub async fn use_code(db: &PgPool, phone: &Phone, hash: [u8; 32], now: Timestamp) -> sqlx::Result<Tried> {
    if is_locked(db, phone, now).await? {
        return Ok(Tried::Locked);
    }
    let tried: Option<(Option<Vec<u8>>, i16)> = sqlx::query_as(
        "update door.sms_codes set tries = tries + 1
         where phone = $1 and expires_at > $2 and tries < $3 returning code_hash, tries",
    )
    .bind(phone.as_str())
    .bind(now.datetime())
    .bind(CODE_TRIES)
    .fetch_optional(db)
    .await?;
    let Some((stored, tries)) = tried else { return Ok(Tried::Wrong) };
    // Keyed hashes are compared: how long that takes tells nothing about the code.
    if stored.is_some_and(|stored| stored == hash) {
        let used =
            sqlx::query("update door.sms_codes set code_hash = null where phone = $1 and code_hash = $2")
                .bind(phone.as_str())
                .bind(hash.as_slice())
                .execute(db)
                .await?;
        return Ok(if used.rows_affected() == 1 { Tried::Right } else { Tried::Wrong });
    }
    if tries >= CODE_TRIES {
        sqlx::query("update door.sms_codes set code_hash = null, locked_until = $2 where phone = $1")
            .bind(phone.as_str())
            .bind(now.plus_millis(LOCK_MS).datetime())
            .execute(db)
            .await?;
    }
    Ok(Tried::Wrong)
}

/// Remembers a device that said which phone it is for.
pub async fn remember_bind(db: &PgPool, phone: &Phone, device: &Device, now: Timestamp) -> sqlx::Result<()> {
    sqlx::query(
        "insert into door.device_binds (phone, code, name, kind, address, at) values ($1, $2, $3, $4, $5, $6)
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
        "delete from door.device_binds where phone = $1 and code in (
           select code from door.device_binds where phone = $1 order by at desc, code offset $2)",
    )
    .bind(phone.as_str())
    .bind(BINDS_MAX)
    .execute(db)
    .await?;
    Ok(())
}

/// The device with this code as it described itself for this phone.
pub async fn bind_of(db: &PgPool, phone: &Phone, code: &str, now: Timestamp) -> sqlx::Result<Option<Device>> {
    let found: Option<(String, String, i16, String)> = sqlx::query_as(
        "select code, name, kind, address from door.device_binds where phone = $1 and code = $2 and at > $3",
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
    let done =
        sqlx::query("insert into door.quick_links (nonce, used_at) values ($1, $2) on conflict do nothing")
            .bind(nonce)
            .bind(now.datetime())
            .execute(db)
            .await?;
    Ok(done.rows_affected() == 1)
}

/// What the web configuration of a host name says beside the defaults.
pub async fn web_config(
    db: &PgPool,
    domain: &str,
) -> sqlx::Result<Option<serde_json::Map<String, serde_json::Value>>> {
    let found: Option<Json<serde_json::Map<String, serde_json::Value>>> = sqlx::query_scalar(
        "select config from door.web_config where domain in ($1, '') order by domain desc limit 1",
    )
    .bind(domain)
    .fetch_optional(db)
    .await?;
    Ok(found.map(|Json(config)| config))
}

/// Devices of sessions of an operator that are live: those to end when a device is taken away.
pub async fn sessions_of_device(
    db: &PgPool,
    operator: vocabulary::OperatorId,
    device_code: &str,
) -> sqlx::Result<Vec<wire::SessionId>> {
    sqlx::query_scalar(
        "select id from door.sessions where operator_id = $1 and device_code = $2 and ended_at is null",
    )
    .bind(operator)
    .bind(device_code)
    .fetch_all(db)
    .await
}

/// Deletes what is worth nothing any more.
pub async fn sweep(db: &PgPool, now: Timestamp) -> sqlx::Result<()> {
    sqlx::query("delete from door.sms_codes where sent_at < $1")
        .bind(now.plus_millis(-2 * 24 * 3_600_000).datetime())
        .execute(db)
        .await?;
    sqlx::query("delete from door.device_binds where at < $1")
        .bind(now.plus_millis(-BIND_LIFE_MS).datetime())
        .execute(db)
        .await?;
    sqlx::query("delete from door.quick_links where used_at < $1")
        .bind(now.plus_millis(-10 * 60_000).datetime())
        .execute(db)
        .await?;
    Ok(())
}
