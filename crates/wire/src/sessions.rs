//! Sessions: made by the key exchange, proved for one phone, signed in by one operator, ended by sign-out, by a
//! change of the account, or by age.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use chrono::{DateTime, Utc};
use kernel::MasterKey;
use rand::RngCore;
use rand::rngs::OsRng;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use sqlx::PgPool;
use tokio::sync::broadcast;
use tokio::sync::broadcast::error::TryRecvError;
use vocabulary::{OperatorId, Phone, Timestamp};

use crate::{Ended, EndedReason, Refused, Revocations, SealedAtRest, SecretKey, WrongSeal};

/// How long a session lives.
pub(crate) const LIFE_MS: i64 = 2 * 24 * 3600 * 1000;
/// A renewed session's old `_t` serves the requests under way for this long.
const RENEWED_GRACE_MS: i64 = 60_000;
/// News of an end may be lost with the connection to NATS: nothing is remembered longer than this.
const REMEMBERED_MS: i64 = 5_000;
const MAX_REMEMBERED: usize = 50_000;

/// Names a session; not the secret `_t`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, sqlx::Type)]
#[serde(transparent)]
#[sqlx(transparent)]
pub struct SessionId(pub i64);

impl std::fmt::Display for SessionId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

/// A live session. Extractor on keyed and signed-in routes.
#[derive(Clone, Debug)]
pub struct Session {
    /// Its name.
    pub id: SessionId,
    /// The device that exchanged keys.
    pub device_code: String,
    /// The phone that it was proved for by SMS or a signed link.
    pub phone: Option<Phone>,
    /// The internal account id told at the proof.
    pub object_id: Option<String>,
    /// The operator that signed in.
    pub operator: Option<OperatorId>,
    /// When it ends by age.
    pub expires_at: Timestamp,
    /// Keys the params cipher.
    pub(crate) key: SecretKey,
}

impl<S: Sync> FromRequestParts<S> for Session {
    type Rejection = Refused;

    async fn from_request_parts(parts: &mut Parts, _state: &S) -> Result<Self, Refused> {
        parts.extensions.get::<Self>().cloned().ok_or_else(Refused::no_session)
    }
}

/// A fresh session, with the secrets that only its client gets.
#[derive(Clone)]
pub struct OpenedSession {
    /// Its name.
    pub id: SessionId,
    /// Header and cookie `_t`.
    pub t: String,
    /// Cookie `_k`.
    pub k: SecretKey,
    /// When it ends by age.
    pub expires_at: Timestamp,
}

impl std::fmt::Debug for OpenedSession {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("OpenedSession").field("id", &self.id).finish_non_exhaustive()
    }
}

/// Why a session cannot be opened, found or changed.
#[derive(Debug, thiserror::Error)]
pub enum SessionError {
    /// It ended, expired, or is another phone's or operator's.
    #[error("the session cannot be used for this")]
    Unusable,
    /// The database is away or refuses.
    #[error("sessions cannot be reached")]
    Database(#[from] sqlx::Error),
    /// Its stored key does not open.
    #[error("the session's key cannot be read")]
    Seal(#[from] WrongSeal),
}

impl From<SessionError> for Refused {
    fn from(error: SessionError) -> Self {
        match error {
            SessionError::Unusable => Self::no_session(),
            SessionError::Database(error) => error.into(),
            SessionError::Seal(error) => Self::internal(error),
        }
    }
}

struct Remembered {
    session: Session,
    until: Timestamp,
}

struct Memory {
    ended: broadcast::Receiver<Arc<Ended>>,
    /// Raised by each end: what was read before it is not remembered.
    ends: u64,
    sessions: HashMap<[u8; 32], Remembered>,
}

impl Memory {
    fn take_in_ends(&mut self) {
        loop {
            match self.ended.try_recv() {
                Ok(ended) => {
                    self.ends += 1;
                    self.sessions.retain(|_, remembered| match *ended {
                        Ended::Session { session, .. } => remembered.session.id != session,
                        Ended::Operator { operator, .. } => remembered.session.operator != Some(operator),
                    });
                }
                Err(TryRecvError::Lagged(_)) => {
                    self.ends += 1;
                    self.sessions.clear();
                }
                Err(TryRecvError::Empty | TryRecvError::Closed) => return,
            }
        }
    }
}

/// All sessions.
#[derive(Clone)]
pub struct Sessions {
    db: PgPool,
    seal: SealedAtRest,
    revocations: Revocations,
    memory: Arc<Mutex<Memory>>,
}

impl std::fmt::Debug for Sessions {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Sessions").finish_non_exhaustive()
    }
}

#[derive(sqlx::FromRow)]
struct Row {
    id: SessionId,
    key_sealed: Vec<u8>,
    device_code: String,
    proved_phone: Option<String>,
    proved_object: Option<String>,
    operator_id: Option<OperatorId>,
    expires_at: DateTime<Utc>,
}

fn digest(t: &str) -> [u8; 32] {
    Sha256::digest(t.as_bytes()).into()
}

fn fresh() -> (String, SecretKey) {
    let (mut t, mut k) = ([0; 32], [0; 32]);
    OsRng.fill_bytes(&mut t);
    OsRng.fill_bytes(&mut k);
    (URL_SAFE_NO_PAD.encode(t), SecretKey::new(k))
}

impl Sessions {
    /// Over `authentication.sessions`; `db` is a pool that owns schema `authentication`.
    pub fn new(db: PgPool, master: &MasterKey, revocations: Revocations) -> Self {
        let memory = Memory { ended: revocations.subscribe(), ends: 0, sessions: HashMap::new() };
        Self {
            db,
            seal: SealedAtRest::new(master, "authentication.session"),
            revocations,
            memory: Arc::new(Mutex::new(memory)),
        }
    }

    /// A new session of a device, two days long. Nobody is proved or signed in.
    pub async fn open(&self, device_code: &str, now: Timestamp) -> Result<OpenedSession, SessionError> {
        let (t, k) = fresh();
        let digest = digest(&t);
        let expires_at = now.plus_millis(LIFE_MS);
        let id = sqlx::query_scalar(
            "insert into authentication.sessions (token_sha256, key_sealed, device_code, created_at, expires_at)
             values ($1, $2, $3, $4, $5) returning id",
        )
        .bind(digest.as_slice())
        .bind(self.seal.seal(&hex::encode(digest), k.expose()))
        .bind(device_code)
        .bind(now.datetime())
        .bind(expires_at.datetime())
        .fetch_one(&self.db)
        .await?;
        Ok(OpenedSession { id, t, k, expires_at })
    }

    /// The live session of a `_t`.
    pub async fn find(&self, t: &str, now: Timestamp) -> Result<Option<Session>, SessionError> {
        let digest = digest(t);
        let ends = {
            let mut memory = self.memory.lock().expect("nothing panics while holding the sessions");
            memory.take_in_ends();
            match memory.sessions.get(&digest) {
                Some(known) if now < known.until && now < known.session.expires_at => {
                    return Ok(Some(known.session.clone()));
                }
                _ => memory.ends,
            }
        };
        let Some(session) = self.read(&digest, now).await? else { return Ok(None) };
        // Before sign-in a session changes with every step, perhaps on another node: only afterwards is it remembered.
        if session.operator.is_some() {
            let mut memory = self.memory.lock().expect("nothing panics while holding the sessions");
            memory.take_in_ends();
            if memory.ends == ends {
                if memory.sessions.len() >= MAX_REMEMBERED {
                    memory.sessions.retain(|_, known| now < known.until);
                }
                if memory.sessions.len() < MAX_REMEMBERED {
                    let until = now.plus_millis(REMEMBERED_MS);
                    memory.sessions.insert(digest, Remembered { session: session.clone(), until });
                }
            }
        }
        Ok(Some(session))
    }

    async fn read(&self, digest: &[u8; 32], now: Timestamp) -> Result<Option<Session>, SessionError> {
        let row: Option<Row> = sqlx::query_as(
            "select id, key_sealed, device_code, proved_phone, proved_object, operator_id, expires_at
             from authentication.sessions where token_sha256 = $1 and ended_at is null and expires_at > $2",
        )
        .bind(digest.as_slice())
        .bind(now.datetime())
        .fetch_optional(&self.db)
        .await?;
        let Some(row) = row else { return Ok(None) };
        let key = self.seal.open(&hex::encode(digest), &row.key_sealed)?;
        Ok(Some(Session {
            id: row.id,
            device_code: row.device_code,
            phone: row.proved_phone.and_then(|phone| phone.parse().ok()),
            object_id: row.proved_object,
            operator: row.operator_id,
            expires_at: row.expires_at.into(),
            key: SecretKey::new(key.try_into().map_err(|_| WrongSeal)?),
        }))
    }

    /// Marks a session as proved for one phone. A session that was proved for another phone, or that somebody signed
    /// in on, is unusable for this.
    pub async fn prove(
        &self,
        session: SessionId,
        phone: &Phone,
        object_id: &str,
    ) -> Result<(), SessionError> {
        let done = sqlx::query(
            "update authentication.sessions set proved_phone = $2, proved_object = $3
             where id = $1 and ended_at is null and operator_id is null
               and (proved_phone is null or proved_phone = $2)",
        )
        .bind(session)
        .bind(phone.as_str())
        .bind(object_id)
        .execute(&self.db)
        .await?;
        if done.rows_affected() == 1 { Ok(()) } else { Err(SessionError::Unusable) }
    }

    /// Signs an operator in on a proved session. `true` the first time, `false` when the same operator already was.
    pub async fn sign_in(&self, session: SessionId, operator: OperatorId) -> Result<bool, SessionError> {
        // The lock makes "first time" true for one of two requests at once.
        let before: Option<Option<OperatorId>> = sqlx::query_scalar(
            "with before as (
               select id, operator_id from authentication.sessions
               where id = $1 and ended_at is null and proved_phone is not null
                 and (operator_id is null or operator_id = $2)
               for update)
             update authentication.sessions s set operator_id = $2 from before b where s.id = b.id returning b.operator_id",
        )
        .bind(session)
        .bind(operator)
        .fetch_optional(&self.db)
        .await?;
        Ok(before.ok_or(SessionError::Unusable)?.is_none())
    }

    /// A fresh `_t` and `_k` for the same person on the same device, two days from `now`; the old ones serve requests
    /// under way for a minute more.
    pub async fn renew(&self, session: &Session, now: Timestamp) -> Result<OpenedSession, SessionError> {
        let (t, k) = fresh();
        let digest = digest(&t);
        let expires_at = now.plus_millis(LIFE_MS);
        let id: Option<SessionId> = sqlx::query_scalar(
            "with old as (
               update authentication.sessions set expires_at = least(expires_at, $6)
               where id = $1 and ended_at is null and expires_at > $5
               returning device_code, proved_phone, proved_object, operator_id)
             insert into authentication.sessions
               (token_sha256, key_sealed, device_code, proved_phone, proved_object, operator_id, created_at, expires_at)
             select $2, $3, device_code, proved_phone, proved_object, operator_id, $5, $4 from old
             returning id",
        )
        .bind(session.id)
        .bind(digest.as_slice())
        .bind(self.seal.seal(&hex::encode(digest), k.expose()))
        .bind(expires_at.datetime())
        .bind(now.datetime())
        .bind(now.plus_millis(RENEWED_GRACE_MS).datetime())
        .fetch_optional(&self.db)
        .await?;
        Ok(OpenedSession { id: id.ok_or(SessionError::Unusable)?, t, k, expires_at })
    }

    /// Ends one session, here and on all nodes. Ending an ended one is no error.
    pub async fn end(
        &self,
        session: SessionId,
        reason: EndedReason,
        now: Timestamp,
    ) -> Result<(), SessionError> {
        sqlx::query("update authentication.sessions set ended_at = $2 where id = $1 and ended_at is null")
            .bind(session)
            .bind(now.datetime())
            .execute(&self.db)
            .await?;
        self.revocations.tell(Ended::Session { session, reason }).await;
        Ok(())
    }

    /// Ends every session of an operator, here and on all nodes.
    pub async fn end_of_operator(
        &self,
        operator: OperatorId,
        reason: EndedReason,
        now: Timestamp,
    ) -> Result<(), SessionError> {
        sqlx::query(
            "update authentication.sessions set ended_at = $2 where operator_id = $1 and ended_at is null",
        )
        .bind(operator)
        .bind(now.datetime())
        .execute(&self.db)
        .await?;
        self.revocations.tell(Ended::Operator { operator, reason }).await;
        Ok(())
    }

    /// What ends from now on.
    pub fn subscribe(&self) -> broadcast::Receiver<Arc<Ended>> {
        self.revocations.subscribe()
    }

    /// Where ends are told.
    pub fn revocations(&self) -> &Revocations {
        &self.revocations
    }

    /// Deletes what ended more than a day ago.
    pub(crate) async fn sweep(&self, now: Timestamp) -> Result<u64, SessionError> {
        let done = sqlx::query("delete from authentication.sessions where least(ended_at, expires_at) < $1")
            .bind(now.plus_millis(-24 * 3600 * 1000).datetime())
            .execute(&self.db)
            .await?;
        Ok(done.rows_affected())
    }
}
