//! The client's half of the protocol, in plain functions: for black-box tests, benches and machine-made traffic.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use rand::{CryptoRng, RngCore};
use rsa::pkcs8::DecodePublicKey;
use rsa::{Oaep, RsaPublicKey};
use serde::Deserialize;
use serde_json::{Value, json};
use sha2::Sha256;
use vocabulary::Timestamp;

use crate::cipher::{NONCE_BYTES, answer_words, open, request_words, seal};
use crate::exchange_routes::ANSWER_WORDS;
use crate::{BoxError, SecretKey};

/// What a client keeps of its session.
#[derive(Clone, Debug)]
pub struct ClientSession {
    /// Header `_t`. A secret: do not print it.
    pub t: HiddenText,
    /// Keys the params cipher.
    pub k: SecretKey,
}

/// A text that does not print itself.
#[derive(Clone, PartialEq, Eq)]
pub struct HiddenText(pub String);

impl std::fmt::Debug for HiddenText {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("HiddenText(…)")
    }
}

/// Why the client's half fails.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// The server's public key cannot be read or used.
    #[error("the server's public key cannot be used")]
    PublicKey,
    /// A box does not open.
    #[error(transparent)]
    Box(#[from] BoxError),
    /// A box opens to something else than JSON of the expected shape.
    #[error("the answer has another shape than expected")]
    Shape(#[from] serde_json::Error),
}

/// Starts the key exchange: the body of `verifySign`, to be answered under `one_time`.
pub fn offer(
    key_id: &str,
    public_pem: &str,
    one_time: &SecretKey,
    device_code: &str,
    now: Timestamp,
    rng: &mut (impl RngCore + CryptoRng),
) -> Result<Value, ClientError> {
    let public = RsaPublicKey::from_public_key_pem(public_pem).map_err(|_| ClientError::PublicKey)?;
    let plain = json!({ "key": one_time.to_text(), "ts": now.millis(), "devId": device_code }).to_string();
    let sealed =
        public.encrypt(rng, Oaep::new::<Sha256>(), plain.as_bytes()).map_err(|_| ClientError::PublicKey)?;
    Ok(json!({ "keyId": key_id, "params": URL_SAFE_NO_PAD.encode(sealed) }))
}

/// Ends the key exchange: opens `aesKey` of the answer.
pub fn accept(one_time: &SecretKey, aes_key: &str) -> Result<ClientSession, ClientError> {
    #[derive(Deserialize)]
    struct Secrets {
        #[serde(rename = "_t")]
        t: String,
        #[serde(rename = "_k")]
        k: String,
    }
    let secrets: Secrets = serde_json::from_slice(&open(one_time, ANSWER_WORDS, aes_key)?)?;
    Ok(ClientSession { t: HiddenText(secrets.t), k: SecretKey::from_text(&secrets.k)? })
}

impl ClientSession {
    /// Boxes a query (an object whose values are strings) or a body for `method path`. `nonce`: 12 random bytes, never
    /// used twice.
    pub fn seal_request(
        &self,
        method: &str,
        path: &str,
        content: &Value,
        now: Timestamp,
        nonce: [u8; NONCE_BYTES],
    ) -> String {
        let plain = json!({ "d": content, "ts": now.millis() }).to_string();
        seal(&self.k, nonce, &request_words(method, path), plain.as_bytes())
    }

    /// The envelope of an answer to `method path`: opened when it came boxed, else as it is (a refusal).
    pub fn open_answer(&self, method: &str, path: &str, answer: &[u8]) -> Result<Value, ClientError> {
        let answer: Value = serde_json::from_slice(answer)?;
        match answer.get("params").and_then(Value::as_str) {
            Some(sealed) => Ok(serde_json::from_slice(&open(&self.k, &answer_words(method, path), sealed)?)?),
            None => Ok(answer),
        }
    }
}
