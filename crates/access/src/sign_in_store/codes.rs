//! Sign-in codes, and how many are sent and guessed. Both are counted for a phone **and** for who asks, so that nobody
//! uses up what is somebody else's; what all strangers to a phone may do together is bounded as well. The arithmetic is
//! in `docs/adr/0028`.

use std::net::IpAddr;

use hmac::{Hmac, Mac};
use sha2::Sha256;
use sqlx::PgPool;
use vocabulary::{Phone, Timestamp};

/// A code is worth something for so long.
pub const CODE_LIFE_MS: i64 = 5 * 60_000;
/// After so many wrong tries who guessed is locked out of the phone.
const CODE_TRIES: i16 = 5;
/// For so long.
const LOCK_MS: i64 = 15 * 60_000;
/// A requester is sent a code at most this often; so are all strangers to a phone together.
const RESEND_MS: i64 = 60_000;
/// A phone's known devices are sent at most so many codes a day (Asia/Shanghai), and so are all strangers to it.
const CODES_A_DAY: i16 = 10;
/// All strangers to a phone together may be wrong so often a day.
const WRONG_A_DAY: i16 = 20;

/// Who asks for a code or says one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Requester {
    /// Its own device, where it names one.
    device: Option<String>,
    /// Where it is.
    network: String,
    /// Whether the device is one that the phone's account signs in from.
    known: bool,
}

impl Requester {
    /// At `address` on `device`, which is `known` for the phone.
    pub fn new(device: Option<&str>, address: IpAddr, known: bool) -> Self {
        // Whoever has an IPv6 address has a whole /64 of them.
        let network = match address {
            IpAddr::V4(v4) => v4.to_string(),
            IpAddr::V6(v6) => IpAddr::V6((v6.to_bits() >> 64 << 64).into()).to_string(),
        };
        Self { device: device.map(|code| format!("d:{code}")), network: format!("a:{network}"), known }
    }

    /// Whose a code is that it asks for.
    fn key(&self) -> &str {
        self.device.as_deref().unwrap_or(&self.network)
    }

    /// Whose codes it may say: its device's own, and those asked for from its network without naming a device.
    fn keys(&self) -> Vec<&str> {
        self.device.as_deref().into_iter().chain([self.network.as_str()]).collect()
    }
}

/// The keyed hash under which a code is kept: whoever reads the table cannot try all million codes.
pub fn code_hash(pepper: &[u8; 32], phone: &Phone, code: &str) -> [u8; 32] {
    let mut mac = Hmac::<Sha256>::new_from_slice(pepper).expect("HMAC takes a key of any length");
    mac.update(phone.as_str().as_bytes());
    mac.update(b":");
    mac.update(code.as_bytes());
    mac.finalize().into_bytes().into()
}

/// Whether a code may be sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// It may, and counts.
    Taken,
    /// Too soon, or too many today.
    TooMany,
    /// Who asks guessed wrong too often.
    Locked,
}

/// Takes a place among the codes that may be sent. `hash`: of the code, or none when none will be sent. The code before
/// it of the same requester is worth nothing any more; those of others stay.
pub async fn take_place(
    db: &PgPool,
    phone: &Phone,
    requester: &Requester,
    hash: Option<[u8; 32]>,
    now: Timestamp,
) -> sqlx::Result<Place> {
    let mut tx = db.begin().await?;
    let locked = sqlx::query_scalar(
        "select exists (select from authentication.sign_in_codes where phone = $1 and requester = $2 and locked_until > $3)",
    )
    .bind(phone.as_str())
    .bind(requester.key())
    .bind(now.datetime())
    .fetch_one(&mut *tx)
    .await?;
    if locked {
        return Ok(Place::Locked);
    }
    let counted = sqlx::query(
        "insert into authentication.sign_in_phones as p (phone, day, asked_known, asked_unknown, wrong_unknown, unknown_at)
         values ($1, ($3::timestamptz at time zone 'Asia/Shanghai')::date, $2::int, 1 - $2::int, 0,
                 case when $2::int = 0 then $3 end)
         on conflict (phone) do update
         set day = excluded.day,
             asked_known = excluded.asked_known + case when p.day = excluded.day then p.asked_known else 0 end,
             asked_unknown = excluded.asked_unknown + case when p.day = excluded.day then p.asked_unknown else 0 end,
             wrong_unknown = case when p.day = excluded.day then p.wrong_unknown else 0 end,
             unknown_at = coalesce(excluded.unknown_at, p.unknown_at)
         where case when $2::int = 1 then p.day <> excluded.day or p.asked_known < $5
                    else (p.day <> excluded.day or p.asked_unknown < $5)
                         and (p.unknown_at is null or p.unknown_at <= $4) end",
    )
    .bind(phone.as_str())
    .bind(i32::from(requester.known))
    .bind(now.datetime())
    .bind(now.plus_millis(-RESEND_MS).datetime())
    .bind(CODES_A_DAY)
    .execute(&mut *tx)
    .await?;
    if counted.rows_affected() == 0 {
        return Ok(Place::TooMany);
    }
    let kept = sqlx::query(
        "insert into authentication.sign_in_codes as c (phone, requester, code_hash, expires_at, tries, sent_at)
         values ($1, $2, $3, $4, 0, $5)
         on conflict (phone, requester) do update
         set code_hash = excluded.code_hash, expires_at = excluded.expires_at, tries = 0, sent_at = excluded.sent_at
         where c.sent_at <= $6",
    )
    .bind(phone.as_str())
    .bind(requester.key())
    .bind(hash.map(|hash| hash.to_vec()))
    .bind(now.plus_millis(CODE_LIFE_MS).datetime())
    .bind(now.datetime())
    .bind(now.plus_millis(-RESEND_MS).datetime())
    .execute(&mut *tx)
    .await?;
    if kept.rows_affected() == 0 {
        return Ok(Place::TooMany);
    }
    tx.commit().await?;
    Ok(Place::Taken)
}

/// The code was not sent after all: another may be asked for at once (it still counts for the day).
pub async fn give_back_place(
    db: &PgPool,
    phone: &Phone,
    requester: &Requester,
    now: Timestamp,
) -> sqlx::Result<()> {
    let earlier = now.plus_millis(-RESEND_MS).datetime();
    let mut tx = db.begin().await?;
    sqlx::query("update authentication.sign_in_phones set unknown_at = $2 where phone = $1 and not $3")
        .bind(phone.as_str())
        .bind(earlier)
        .bind(requester.known)
        .execute(&mut *tx)
        .await?;
    sqlx::query(
        "update authentication.sign_in_codes set code_hash = null, sent_at = $3 where phone = $1 and requester = $2",
    )
    .bind(phone.as_str())
    .bind(requester.key())
    .bind(earlier)
    .execute(&mut *tx)
    .await?;
    tx.commit().await
}

/// What became of a try.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tried {
    /// The right code, for the first time.
    Right,
    /// Any other.
    Wrong,
    /// Who tries was wrong too often: nothing is looked at for a while.
    Locked,
    /// Strangers to the phone were wrong too often today: nothing of theirs is looked at until tomorrow.
    LockedToday,
}

/// A code that somebody says.
#[derive(Clone, Copy, Debug)]
pub struct Guess {
    /// Its keyed hash.
    pub hash: [u8; 32],
    /// Whether it is worth nothing any more once it was right.
    pub once: bool,
}

/// Tries a code that was asked for by the same requester. Every try counts before it is looked at, and the last one
/// locks who tries unless it was right. Tries on phones that have no account count the same, so that a lock tells
/// nothing of who has one.
pub async fn use_code(
    db: &PgPool,
    phone: &Phone,
    requester: &Requester,
    guess: Guess,
    now: Timestamp,
) -> sqlx::Result<Tried> {
    // A device's own code goes before one that its network asked for: `d:` sorts after `a:`.
    let asked: Option<(String, bool)> = sqlx::query_as(
        "select requester, coalesce(locked_until > $3, false) from authentication.sign_in_codes
         where phone = $1 and requester = any($2) and (expires_at > $3 or locked_until > $3)
         order by requester desc limit 1",
    )
    .bind(phone.as_str())
    .bind(requester.keys())
    .bind(now.datetime())
    .fetch_optional(db)
    .await?;
    let key = match asked {
        None => return Ok(Tried::Wrong),
        Some((_, true)) => return Ok(Tried::Locked),
        Some((key, false)) => key,
    };
    if !requester.known && !count_stranger(db, phone, now).await? {
        return Ok(Tried::LockedToday);
    }
    let tried: Option<(Option<Vec<u8>>, i16)> = sqlx::query_as(
        "update authentication.sign_in_codes set tries = tries + 1
         where phone = $1 and requester = $2 and expires_at > $3 and tries < $4 returning code_hash, tries",
    )
    .bind(phone.as_str())
    .bind(&key)
    .bind(now.datetime())
    .bind(CODE_TRIES)
    .fetch_optional(db)
    .await?;
    let Some((stored, tries)) = tried else { return Ok(Tried::Wrong) };
    // Keyed hashes are compared: how long that takes tells nothing about the code.
    if stored.is_some_and(|stored| stored == guess.hash) {
        return right(db, phone, requester, &key, guess).await;
    }
    if tries >= CODE_TRIES {
        sqlx::query(
            "update authentication.sign_in_codes set code_hash = null, locked_until = $3 where phone = $1 and requester = $2",
        )
        .bind(phone.as_str())
        .bind(&key)
        .bind(now.plus_millis(LOCK_MS).datetime())
        .execute(db)
        .await?;
    }
    Ok(Tried::Wrong)
}

/// Counts a try of a stranger to the phone; `false`: there were too many today.
async fn count_stranger(db: &PgPool, phone: &Phone, now: Timestamp) -> sqlx::Result<bool> {
    let counted = sqlx::query(
        "update authentication.sign_in_phones p
         set day = d.today,
             asked_known = case when p.day = d.today then p.asked_known else 0 end,
             asked_unknown = case when p.day = d.today then p.asked_unknown else 0 end,
             wrong_unknown = case when p.day = d.today then p.wrong_unknown + 1 else 1 end
         from (select ($2::timestamptz at time zone 'Asia/Shanghai')::date as today) d
         where p.phone = $1 and (p.day <> d.today or p.wrong_unknown < $3)",
    )
    .bind(phone.as_str())
    .bind(now.datetime())
    .bind(WRONG_A_DAY)
    .execute(db)
    .await?;
    Ok(counted.rows_affected() == 1)
}

/// The right code was said, which was no guess.
async fn right(
    db: &PgPool,
    phone: &Phone,
    requester: &Requester,
    key: &str,
    guess: Guess,
) -> sqlx::Result<Tried> {
    let used = sqlx::query(
        "update authentication.sign_in_codes set code_hash = case when $4 then null else code_hash end
         where phone = $1 and requester = $2 and code_hash = $3",
    )
    .bind(phone.as_str())
    .bind(key)
    .bind(guess.hash.as_slice())
    .bind(guess.once)
    .execute(db)
    .await?;
    if used.rows_affected() == 0 {
        return Ok(Tried::Wrong);
    }
    if !requester.known {
        sqlx::query(
            "update authentication.sign_in_phones set wrong_unknown = greatest(wrong_unknown - 1, 0) where phone = $1",
        )
        .bind(phone.as_str())
        .execute(db)
        .await?;
    }
    Ok(Tried::Right)
}

/// Deletes codes and counters that count no more.
pub async fn sweep(db: &PgPool, now: Timestamp) -> sqlx::Result<()> {
    let two_days_ago = now.plus_millis(-2 * 24 * 3_600_000).datetime();
    sqlx::query("delete from authentication.sign_in_codes where sent_at < $1")
        .bind(two_days_ago)
        .execute(db)
        .await?;
    sqlx::query(
        "delete from authentication.sign_in_phones where day < ($1::timestamptz at time zone 'Asia/Shanghai')::date",
    )
    .bind(two_days_ago)
    .execute(db)
    .await?;
    Ok(())
}
