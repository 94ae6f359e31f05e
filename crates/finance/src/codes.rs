//! Codes of cards that wait for one, in `authentication.card_codes`. Nothing here is an event; how long a code lives and how
//! often one is sent is the account's to decide.

use hmac::{Hmac, Mac};
use sha2::Sha256;
use sqlx::PgPool;
use vocabulary::{BankCardId, PaymentAccountId, Timestamp};

/// After so many wrong codes the card is not bound.
pub const TRIES: i16 = 5;
/// A row is forgotten after this.
const KEPT_MS: i64 = 2 * 24 * 3_600_000;

/// The keyed hash under which a code is kept: whoever reads the table cannot try all million codes.
pub fn hash(pepper: &[u8; 32], card: BankCardId, code: &str) -> [u8; 32] {
    let mut mac = Hmac::<Sha256>::new_from_slice(pepper).expect("HMAC takes a key of any length");
    mac.update(card.to_string().as_bytes());
    mac.update(b":");
    mac.update(code.as_bytes());
    mac.finalize().into_bytes().into()
}

/// Remembers the code of a card that was asked for `at`; one asked for before it is worth nothing any more. Says whether
/// it is the first of that moment: then it has to be sent.
pub async fn put(
    db: &PgPool,
    account: PaymentAccountId,
    card: BankCardId,
    hash: [u8; 32],
    at: Timestamp,
) -> sqlx::Result<bool> {
    let put = sqlx::query(
        "insert into authentication.card_codes (card_id, account_id, code_hash, tries, sent_at) values ($1, $2, $3, 0, $4)
         on conflict (card_id) do update
         set code_hash = excluded.code_hash, tries = 0, sent_at = excluded.sent_at
         where card_codes.sent_at < excluded.sent_at",
    )
    .bind(card)
    .bind(account)
    .bind(hash.as_slice())
    .bind(at.datetime())
    .execute(db)
    .await?;
    Ok(put.rows_affected() > 0)
}

/// The account of a card whose code was sent in these days.
pub async fn account_of(db: &PgPool, card: BankCardId) -> sqlx::Result<Option<PaymentAccountId>> {
    sqlx::query_scalar("select account_id from authentication.card_codes where card_id = $1")
        .bind(card)
        .fetch_optional(db)
        .await
}

/// What became of a try.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tried {
    /// The right code.
    Right,
    /// Another one; further tries are open.
    Wrong,
    /// There are no tries left.
    Over,
}

/// Tries a code. Every try counts before it is looked at, so that many at once get no more of them.
pub async fn try_code(db: &PgPool, card: BankCardId, hash: [u8; 32]) -> sqlx::Result<Tried> {
    let tried: Option<(Vec<u8>, i16)> = sqlx::query_as(
        "update authentication.card_codes set tries = tries + 1 where card_id = $1 and tries < $2 returning code_hash, tries",
    )
    .bind(card)
    .bind(TRIES)
    .fetch_optional(db)
    .await?;
    // Keyed hashes are compared: how long that takes tells nothing about the code.
    Ok(match tried {
        Some((stored, _)) if stored == hash => Tried::Right,
        Some((_, tries)) if tries < TRIES => Tried::Wrong,
        _ => Tried::Over,
    })
}

/// Forgets codes that have long been worth nothing.
pub async fn sweep(db: &PgPool, now: Timestamp) -> sqlx::Result<()> {
    sqlx::query("delete from authentication.card_codes where sent_at < $1")
        .bind(now.plus_millis(-KEPT_MS).datetime())
        .execute(db)
        .await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hash_belongs_to_one_card_under_one_key() {
        let first = hash(&[1; 32], BankCardId(7), "135790");
        assert_eq!(first, hash(&[1; 32], BankCardId(7), "135790"));
        assert_ne!(first, hash(&[1; 32], BankCardId(8), "135790"));
        assert_ne!(first, hash(&[2; 32], BankCardId(7), "135790"));
        assert_ne!(first, hash(&[1; 32], BankCardId(7), "135791"));
    }
}
