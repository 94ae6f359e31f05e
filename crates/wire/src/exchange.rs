//! The RSA keys of the key exchange: made here, kept sealed in the database so that several nodes share them, and
//! replaced every day. ADR 0010 says why RSA from this crate is acceptable for this.

use std::sync::{Arc, Mutex, PoisonError, RwLock};

use chrono::{DateTime, Utc};
use kernel::MasterKey;
use rand::RngCore;
use rand::rngs::OsRng;
use rsa::pkcs8::{DecodePrivateKey, EncodePrivateKey, EncodePublicKey, LineEnding};
use rsa::{Oaep, RsaPrivateKey};
use sha2::Sha256;
use sqlx::PgPool;
use tokio::sync::Semaphore;
use vocabulary::Timestamp;

use crate::{SealedAtRest, WrongSeal};

const LIFE_MS: i64 = 24 * 3600 * 1000;
/// A replaced key is accepted this much longer, for clients that fetched it just before.
const GRACE_MS: i64 = 10 * 60 * 1000;
/// Unknown key names make a node look into the database at most this often.
const RELOAD_MS: i64 = 1_000;

/// Why the keys are not there.
#[derive(Debug, thiserror::Error)]
pub enum ExchangeError {
    /// The database is away or refuses.
    #[error("the exchange keys cannot be reached")]
    Database(#[from] sqlx::Error),
    /// Sealed under another master key.
    #[error("a stored exchange key cannot be read: is the master key another one?")]
    Seal(#[from] WrongSeal),
    /// The key's form is broken.
    #[error("an exchange key cannot be encoded or decoded")]
    Form(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// No key could be made.
    #[error("no exchange key could be made")]
    Make(#[from] rsa::Error),
}

struct ExchangeKey {
    id: String,
    created_at: Timestamp,
    private: RsaPrivateKey,
    public_pem: String,
}

/// What a client gets to know.
#[derive(Clone, Debug, serde::Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PublicKey {
    /// Names the key.
    pub key_id: String,
    /// PEM of the SubjectPublicKeyInfo.
    pub public_key: String,
}

/// Why a key-exchange box is not opened. Nothing more is told: no oracle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OpenError {
    UnknownKey,
    Sealed,
    Busy,
}

pub(crate) struct ExchangeKeys {
    db: PgPool,
    seal: SealedAtRest,
    bits: usize,
    /// Newest first.
    known: RwLock<Vec<Arc<ExchangeKey>>>,
    reloaded_at: Mutex<Timestamp>,
    /// Private-key operations at the same time; more wait, at most [`QUEUE`] of them.
    workers: Semaphore,
    queue: Semaphore,
}

const WORKERS: usize = 2;
const QUEUE: usize = 64;

fn form(error: impl std::error::Error + Send + Sync + 'static) -> ExchangeError {
    ExchangeError::Form(Box::new(error))
}

impl ExchangeKeys {
    /// Loads the shared keys; makes one when there is none or the newest is a day old.
    pub async fn start(
        db: PgPool,
        master: &MasterKey,
        bits: usize,
        now: Timestamp,
    ) -> Result<Self, ExchangeError> {
        let keys = Self {
            db,
            seal: SealedAtRest::new(master, "authentication.exchange"),
            bits,
            known: RwLock::new(Vec::new()),
            reloaded_at: Mutex::new(now),
            workers: Semaphore::new(WORKERS),
            queue: Semaphore::new(QUEUE),
        };
        keys.tend(now).await?;
        Ok(keys)
    }

    /// Replaces the newest key when it is a day old, forgets those that are no longer accepted.
    pub async fn tend(&self, now: Timestamp) -> Result<(), ExchangeError> {
        self.reload().await?;
        if self.newest().is_none_or(|key| now.millis_since(key.created_at) >= LIFE_MS) {
            self.make(now).await?;
            self.reload().await?;
        }
        sqlx::query(
            "delete from authentication.exchange_keys k where exists
               (select from authentication.exchange_keys n where n.created_at > k.created_at and n.created_at < $1)",
        )
        .bind(now.plus_millis(-GRACE_MS).datetime())
        .execute(&self.db)
        .await?;
        Ok(())
    }

    async fn make(&self, now: Timestamp) -> Result<(), ExchangeError> {
        let bits = self.bits;
        let private = tokio::task::spawn_blocking(move || RsaPrivateKey::new(&mut OsRng, bits))
            .await
            .map_err(form)??;
        let mut name = [0; 9];
        OsRng.fill_bytes(&mut name);
        let id = hex::encode(name);
        let sealed = self.seal.seal(&id, private.to_pkcs8_der().map_err(form)?.as_bytes());
        // Another node may have made one meanwhile: then its key stands and this one is thrown away.
        sqlx::query(
            "insert into authentication.exchange_keys (id, private_sealed, created_at)
             select $1, $2, $3 where not exists (select from authentication.exchange_keys where created_at > $4)",
        )
        .bind(&id)
        .bind(sealed)
        .bind(now.datetime())
        .bind(now.plus_millis(-LIFE_MS).datetime())
        .execute(&self.db)
        .await?;
        Ok(())
    }

    async fn reload(&self) -> Result<(), ExchangeError> {
        let rows: Vec<(String, Vec<u8>, DateTime<Utc>)> = sqlx::query_as(
            "select id, private_sealed, created_at from authentication.exchange_keys order by created_at desc, id limit 4",
        )
        .fetch_all(&self.db)
        .await?;
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner).clone();
        let mut keys = Vec::with_capacity(rows.len());
        for (id, sealed, created_at) in rows {
            if let Some(key) = known.iter().find(|key| key.id == id) {
                keys.push(Arc::clone(key));
                continue;
            }
            let der = zeroize::Zeroizing::new(self.seal.open(&id, &sealed)?);
            let private = RsaPrivateKey::from_pkcs8_der(&der).map_err(form)?;
            let public_pem = private.to_public_key().to_public_key_pem(LineEnding::LF).map_err(form)?;
            keys.push(Arc::new(ExchangeKey { id, created_at: created_at.into(), private, public_pem }));
        }
        *self.known.write().unwrap_or_else(PoisonError::into_inner) = keys;
        Ok(())
    }

    fn newest(&self) -> Option<Arc<ExchangeKey>> {
        self.known.read().unwrap_or_else(PoisonError::into_inner).first().cloned()
    }

    /// The key to encrypt under now.
    pub fn public(&self) -> Option<PublicKey> {
        let key = self.newest()?;
        Some(PublicKey { key_id: key.id.clone(), public_key: key.public_pem.clone() })
    }

    /// The newest key, or one replaced less than ten minutes ago.
    fn accepted(&self, id: &str, now: Timestamp) -> Option<Arc<ExchangeKey>> {
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
        let at = known.iter().position(|key| key.id == id)?;
        let replaced_at = at.checked_sub(1).map(|newer| known[newer].created_at);
        let in_grace = replaced_at.is_none_or(|replaced| now.millis_since(replaced) < GRACE_MS);
        in_grace.then(|| Arc::clone(&known[at]))
    }

    fn may_reload(&self, now: Timestamp) -> bool {
        let mut last = self.reloaded_at.lock().unwrap_or_else(PoisonError::into_inner);
        let may = now.millis_since(*last) >= RELOAD_MS;
        if may {
            *last = now;
        }
        may
    }

    /// Opens RSA-OAEP-SHA256 `sealed` under key `id`, with blinding, off the async threads.
    pub async fn open(&self, id: &str, sealed: Vec<u8>, now: Timestamp) -> Result<Vec<u8>, OpenError> {
        let mut key = self.accepted(id, now);
        if key.is_none() && self.may_reload(now) {
            // A failed look is the same as an unknown key for this client; the tending task reports the cause.
            let _seen = self.reload().await;
            key = self.accepted(id, now);
        }
        let key = key.ok_or(OpenError::UnknownKey)?;
        let _place = self.queue.try_acquire().map_err(|_| OpenError::Busy)?;
        let _worker = self.workers.acquire().await.map_err(|_| OpenError::Busy)?;
        tokio::task::spawn_blocking(move || {
            key.private.decrypt_blinded(&mut OsRng, Oaep::new::<Sha256>(), &sealed)
        })
        .await
        .map_err(|_| OpenError::Busy)?
        .map_err(|_| OpenError::Sealed)
    }
}

impl std::fmt::Debug for ExchangeKeys {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("ExchangeKeys(…)")
    }
}

#[cfg(test)]
mod tests {
    use std::pin::pin;

    use futures::FutureExt;
    use futures::future::join_all;
    use sqlx::postgres::PgPoolOptions;

    use super::*;

    const NOW: Timestamp = Timestamp::from_millis(1_800_000_000_000);

    /// Keys that are known already; no database is asked for them.
    fn keys() -> ExchangeKeys {
        let private = RsaPrivateKey::new(&mut OsRng, 1024).expect("a key");
        let key = ExchangeKey { id: "k".to_owned(), created_at: NOW, private, public_pem: String::new() };
        ExchangeKeys {
            db: PgPoolOptions::new().connect_lazy("postgres://nobody@127.0.0.1:1/none").expect("an address"),
            seal: SealedAtRest::new(&MasterKey::new([1; 32]), "authentication.exchange"),
            bits: 1024,
            known: RwLock::new(vec![Arc::new(key)]),
            reloaded_at: Mutex::new(NOW),
            workers: Semaphore::new(WORKERS),
            queue: Semaphore::new(QUEUE),
        }
    }

    #[tokio::test]
    async fn beyond_the_queue_it_is_told_at_once_that_it_is_busy_and_who_waits_is_served() {
        let keys = keys();
        let workers = keys.workers.acquire_many(WORKERS as u32).await.expect("open");
        let ask = || keys.open("k", vec![7; 128], NOW);
        let mut waiting = pin!(join_all((0..QUEUE).map(|_| ask())));
        assert!(futures::poll!(&mut waiting).is_pending(), "nobody works");
        assert_eq!(keys.queue.available_permits(), 0);
        assert_eq!(ask().now_or_never(), Some(Err(OpenError::Busy)));
        assert_eq!(ask().now_or_never(), Some(Err(OpenError::Busy)), "a refused one takes no place");
        drop(workers);
        assert!(waiting.await.iter().all(|answer| *answer == Err(OpenError::Sealed)), "each was looked at");
        assert_eq!(ask().await, Err(OpenError::Sealed), "there is room again");
    }
}
