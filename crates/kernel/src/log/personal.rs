//! Personal data in events: sealed with a key for each person, unreadable for ever once that key is destroyed.
//!
//! In memory an event holds a [`Personal`]; in the log its value is AES-256-GCM under the person's key, bound to the
//! person and the stream. Only events that hold one pay for it.

use std::collections::{BTreeSet, HashMap};

use aes_gcm::aead::{Aead, Payload};
use aes_gcm::{Aes256Gcm, KeyInit, Nonce};
use base64::Engine;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use hkdf::Hkdf;
use rand::RngCore;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;
use sha2::Sha256;
use sqlx::PgPool;
use zeroize::{Zeroize, ZeroizeOnDrop, Zeroizing};

use super::LogError;
use crate::{Recorded, StoredForm};

const MARK: &str = "$personal";

/// The system's master key, 32 random bytes from its configuration. Keys for each purpose are derived from it.
#[derive(Clone, Zeroize, ZeroizeOnDrop)]
pub struct MasterKey([u8; 32]);

impl MasterKey {
    /// Takes the bytes.
    pub const fn new(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// The key for `purpose`, such as `personal keys`.
    pub fn derive(&self, purpose: &str) -> [u8; 32] {
        let mut key = [0; 32];
        Hkdf::<Sha256>::new(None, &self.0)
            .expand(purpose.as_bytes(), &mut key)
            .expect("32 bytes are within HKDF's reach");
        key
    }
}

impl std::fmt::Debug for MasterKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("MasterKey")
    }
}

/// Something about a person that must be forgettable.
#[derive(Clone, PartialEq, Eq)]
pub enum Personal<T> {
    /// It is known.
    Known {
        /// Whose, such as `rider:42`.
        subject: String,
        /// What.
        value: T,
    },
    /// The person was forgotten.
    Forgotten {
        /// Who it was.
        subject: String,
    },
}

impl<T> Personal<T> {
    /// `value` about `subject` (such as `rider:42`).
    pub fn new(subject: impl Into<String>, value: T) -> Self {
        Self::Known { subject: subject.into(), value }
    }

    /// What is known, if it still is.
    pub const fn known(&self) -> Option<&T> {
        match self {
            Self::Known { value, .. } => Some(value),
            Self::Forgotten { .. } => None,
        }
    }

    /// The same with what `change` makes of the value. Of somebody who was forgotten there is nothing to change.
    ///
    /// # Errors
    /// Those of `change`.
    pub fn try_map<U, E>(self, change: impl FnOnce(T) -> Result<U, E>) -> Result<Personal<U>, E> {
        match self {
            Self::Known { subject, value } => Ok(Personal::Known { subject, value: change(value)? }),
            Self::Forgotten { subject } => Ok(Personal::Forgotten { subject }),
        }
    }

    /// Whom it is about.
    pub fn subject(&self) -> &str {
        match self {
            Self::Known { subject, .. } | Self::Forgotten { subject } => subject,
        }
    }
}

/// Shows whom it is about, never what.
impl<T> std::fmt::Debug for Personal<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let state = if self.known().is_some() { "known" } else { "forgotten" };
        write!(f, "Personal({}, {state})", self.subject())
    }
}

#[derive(Serialize, Deserialize)]
struct Marked<V> {
    #[serde(rename = "$personal")]
    personal: Form<V>,
}

#[derive(Serialize, Deserialize)]
struct Form<V> {
    subject: String,
    #[serde(default = "Option::default", skip_serializing_if = "Option::is_none")]
    plain: Option<V>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    sealed: Option<String>,
}

impl<T: Serialize> Serialize for Personal<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let form = Form { subject: self.subject().to_owned(), plain: self.known(), sealed: None };
        Marked { personal: form }.serialize(serializer)
    }
}

impl<'de, T: DeserializeOwned> Deserialize<'de> for Personal<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Form { subject, plain, .. } = Marked::<T>::deserialize(deserializer)?.personal;
        Ok(match plain {
            Some(value) => Self::Known { subject, value },
            None => Self::Forgotten { subject },
        })
    }
}

/// Whether JSON `data` holds personal data. Text inside a JSON string cannot look like it: its quotes are escaped.
pub fn is_sealed(data: &[u8]) -> bool {
    memchr::memmem::find(data, b"\"$personal\":").is_some()
}

/// The keys of all persons, sealed by the master key.
#[derive(Clone)]
pub struct PersonalKeys {
    wrapping: std::sync::Arc<Zeroizing<[u8; 32]>>,
}

type Keys = HashMap<String, Option<Zeroizing<Vec<u8>>>>;

impl PersonalKeys {
    /// Keys under `master`.
    pub fn new(master: &MasterKey) -> Self {
        Self { wrapping: std::sync::Arc::new(Zeroizing::new(master.derive("wheelhouse personal keys 1"))) }
    }

    /// Destroys the key of `subject`: what the log says about this person can never be read again.
    /// Says whether there was one.
    pub async fn forget(
        &self,
        pool: &PgPool,
        subject: &str,
        at: vocabulary::Timestamp,
    ) -> Result<bool, LogError> {
        let done = sqlx::query(
            "with forgotten as (
               update log.personal_keys set sealed_key = null, forgotten_at = $2
               where subject = $1 and sealed_key is not null returning 1)
             update log.forgotten set times = times + 1 where exists (select from forgotten)",
        )
        .bind(subject)
        .bind(at.datetime())
        .execute(pool)
        .await?;
        Ok(done.rows_affected() > 0)
    }

    /// How often somebody was forgotten so far.
    pub async fn times_forgotten(pool: &PgPool) -> sqlx::Result<i64> {
        sqlx::query_scalar("select times from log.forgotten").fetch_one(pool).await
    }

    /// Seals the personal data in `forms`, events about to be appended to a stream.
    pub async fn seal_all(
        &self,
        pool: &PgPool,
        category: &str,
        stream_id: &str,
        forms: &mut [StoredForm],
    ) -> Result<(), LogError> {
        for form in forms.iter_mut().filter(|form| is_sealed(&form.data)) {
            let broken = |error: serde_json::Error| LogError::Encode(error.to_string());
            let mut value: Value = serde_json::from_slice(&form.data).map_err(broken)?;
            let mut subjects = BTreeSet::new();
            collect_subjects(&value, &mut subjects);
            let keys = self.keys_or_new(pool, subjects).await?;
            walk(&mut value, &mut |form| {
                let Some(plain) = form.remove("plain") else { return Ok(()) };
                let subject = subject_of(form)?;
                let Some(Some(key)) = keys.get(&subject) else { return Err(LogError::Forgotten(subject)) };
                let plain = Zeroizing::new(serde_json::to_vec(&plain).map_err(broken)?);
                let sealed = seal(key, &plain, binding(&subject, category, stream_id).as_bytes());
                form.insert("sealed".to_owned(), Value::String(STANDARD_NO_PAD.encode(sealed)));
                Ok(())
            })?;
            form.data = serde_json::to_vec(&value).map_err(broken)?;
        }
        Ok(())
    }

    /// Opens the personal data in `events`; that of forgotten persons is left out.
    pub async fn open_all(&self, pool: &PgPool, events: &mut [Recorded]) -> Result<(), LogError> {
        let mut values = Vec::new();
        let mut subjects = BTreeSet::new();
        for (at, event) in events.iter().enumerate().filter(|(_, event)| is_sealed(&event.data)) {
            let value: Value =
                serde_json::from_slice(&event.data).map_err(|source| crate::DecodeError::Shape {
                    stored_type: event.stored_type.to_string(),
                    version: event.schema_version,
                    source,
                })?;
            collect_subjects(&value, &mut subjects);
            values.push((at, value));
        }
        let keys = self.keys_of(pool, subjects).await?;
        for (at, mut value) in values {
            let event = &mut events[at];
            walk(&mut value, &mut |form| {
                let Some(sealed) = form.remove("sealed") else { return Ok(()) };
                let subject = subject_of(form)?;
                let Some(Some(key)) = keys.get(&subject) else { return Ok(()) };
                let plain = sealed
                    .as_str()
                    .and_then(|sealed| STANDARD_NO_PAD.decode(sealed).ok())
                    .and_then(|sealed| {
                        open(key, &sealed, binding(&subject, &event.category, &event.stream_id).as_bytes())
                    })
                    .and_then(|plain| serde_json::from_slice(&Zeroizing::new(plain)).ok())
                    .ok_or(LogError::Sealed(subject))?;
                form.insert("plain".to_owned(), plain);
                Ok(())
            })?;
            event.data =
                serde_json::to_vec(&value).map_err(|error| LogError::Encode(error.to_string()))?.into();
        }
        Ok(())
    }

    async fn keys_of(&self, pool: &PgPool, subjects: BTreeSet<String>) -> Result<Keys, LogError> {
        let subjects: Vec<String> = subjects.into_iter().collect();
        let rows: Vec<(String, Option<Vec<u8>>)> =
            sqlx::query_as("select subject, sealed_key from log.personal_keys where subject = any($1)")
                .bind(&subjects)
                .fetch_all(pool)
                .await?;
        rows.into_iter()
            .map(|(subject, sealed)| {
                let key = sealed
                    .map(|sealed| {
                        open(self.wrapping.as_slice(), &sealed, subject.as_bytes())
                            .map(Zeroizing::new)
                            .ok_or_else(|| LogError::Sealed(subject.clone()))
                    })
                    .transpose()?;
                Ok((subject, key))
            })
            .collect()
    }

    async fn keys_or_new(&self, pool: &PgPool, subjects: BTreeSet<String>) -> Result<Keys, LogError> {
        let known = self.keys_of(pool, subjects.clone()).await?;
        let missing: Vec<&String> = subjects.iter().filter(|subject| !known.contains_key(*subject)).collect();
        if missing.is_empty() {
            return Ok(known);
        }
        for subject in missing {
            let mut key = Zeroizing::new([0; 32]);
            rand::rngs::OsRng.fill_bytes(key.as_mut_slice());
            sqlx::query(
                "insert into log.personal_keys (subject, sealed_key) values ($1, $2) on conflict do nothing",
            )
            .bind(subject)
            .bind(seal(self.wrapping.as_slice(), key.as_slice(), subject.as_bytes()))
            .execute(pool)
            .await?;
        }
        self.keys_of(pool, subjects).await
    }
}

fn binding(subject: &str, category: &str, stream_id: &str) -> String {
    format!("{subject}\n{category}\n{stream_id}")
}

fn seal(key: &[u8], plain: &[u8], bound_to: &[u8]) -> Vec<u8> {
    let mut sealed = vec![0; 12];
    rand::rngs::OsRng.fill_bytes(&mut sealed);
    let cipher = Aes256Gcm::new_from_slice(key).expect("every key here is 32 bytes");
    let text = cipher
        .encrypt(Nonce::from_slice(&sealed), Payload { msg: plain, aad: bound_to })
        .expect("an event is far below AES-GCM's 64 GiB");
    sealed.extend(text);
    sealed
}

fn open(key: &[u8], sealed: &[u8], bound_to: &[u8]) -> Option<Vec<u8>> {
    let (nonce, text) = sealed.split_at_checked(12)?;
    Aes256Gcm::new_from_slice(key)
        .ok()?
        .decrypt(Nonce::from_slice(nonce), Payload { msg: text, aad: bound_to })
        .ok()
}

type Fields = serde_json::Map<String, Value>;

fn subject_of(form: &Fields) -> Result<String, LogError> {
    form.get("subject")
        .and_then(Value::as_str)
        .map(str::to_owned)
        .ok_or(LogError::Invalid("personal data without a subject"))
}

fn walk(
    value: &mut Value,
    visit: &mut impl FnMut(&mut Fields) -> Result<(), LogError>,
) -> Result<(), LogError> {
    match value {
        Value::Object(fields) => match fields.get_mut(MARK) {
            Some(Value::Object(form)) => visit(form),
            _ => fields.values_mut().try_for_each(|value| walk(value, visit)),
        },
        Value::Array(items) => items.iter_mut().try_for_each(|value| walk(value, visit)),
        _ => Ok(()),
    }
}

fn collect_subjects(value: &Value, subjects: &mut BTreeSet<String>) {
    match value {
        Value::Object(fields) => match fields.get(MARK) {
            Some(Value::Object(form)) => subjects.extend(subject_of(form)),
            _ => fields.values().for_each(|value| collect_subjects(value, subjects)),
        },
        Value::Array(items) => items.iter().for_each(|value| collect_subjects(value, subjects)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_forgotten_stays_forgotten_whatever_changes() {
        let halved =
            |of: Personal<i32>| of.try_map(|value| if value % 2 == 0 { Ok(value / 2) } else { Err(value) });
        assert_eq!(halved(Personal::new("rider:1", 4)).map(|of| of.known().copied()), Ok(Some(2)));
        assert!(halved(Personal::new("rider:1", 3)).is_err());
        let forgotten = halved(Personal::Forgotten { subject: "rider:1".to_owned() });
        assert_eq!(
            forgotten.map(|of| (of.known().copied(), of.subject().to_owned())),
            Ok((None, "rider:1".to_owned()))
        );
    }
}
