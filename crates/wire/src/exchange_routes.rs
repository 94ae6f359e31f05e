//! The two calls of the key exchange.

use std::sync::Arc;

use axum::extract::State;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use rand::RngCore;
use rand::rngs::OsRng;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use utoipa_axum::routes;
use vocabulary::Timestamp;
use zeroize::Zeroizing;

use crate::cipher::{NONCE_BYTES, WINDOW_MS, seal};
use crate::exchange::{OpenError, PublicKey};
use crate::{Answer, Body, ClientAddress, Handled, Permit, Refused, Routes, SecretKey, Wire};

/// Additional data of the answer that carries `_t` and `_k`.
pub(crate) const ANSWER_WORDS: &str = "verifySign";
const MAX_DEVICE_CODE: usize = 128;

pub(crate) fn routes(wire: Arc<Wire>) -> Routes {
    Routes::new("wire")
        .add(Permit::Open, routes!(public_key))
        .add(Permit::Open, routes!(verify_sign))
        .with_state(wire)
}

/// The RSA key under which to send a one-time key to `verifySign`.
#[utoipa::path(get, path = "/auth/publicKey", tag = "wire", responses((status = 200, body = Answer<PublicKey>)))]
async fn public_key(State(wire): State<Arc<Wire>>, address: ClientAddress) -> Handled<PublicKey> {
    wire.exchange_limit.check(address)?;
    let key = wire.exchange.public().ok_or_else(|| Refused::unavailable("no exchange key is loaded"))?;
    Ok(Answer(key))
}

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct VerifySign {
    /// Names the key that `params` is encrypted under.
    key_id: String,
    /// base64url(RSA-OAEP-SHA256(JSON `{key, ts, devId}`)).
    params: String,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct Verified {
    /// base64url(nonce12 ‖ AES-256-GCM(`{_t, _k}`) ‖ tag16) under the client's one-time key, additional data
    /// `verifySign`.
    aes_key: String,
}

/// What the client encrypts.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Offer {
    key: String,
    ts: i64,
    dev_id: String,
}

/// The plaintext that carries the session's secrets.
pub(crate) fn secrets_json(t: &str, k: &SecretKey) -> Zeroizing<String> {
    Zeroizing::new(serde_json::json!({ "_t": t, "_k": k.to_text() }).to_string())
}

/// Opens a session for a device: takes a one-time key, answers the session's secrets under it.
#[utoipa::path(post, path = "/auth/verifySign", tag = "wire", request_body = VerifySign,
    responses((status = 200, body = Answer<Verified>)))]
async fn verify_sign(
    State(wire): State<Arc<Wire>>,
    address: ClientAddress,
    Body(asked): Body<VerifySign>,
) -> Handled<Verified> {
    wire.exchange_limit.check(address)?;
    let now = wire.clock.now();
    let unreadable = || Refused::malformed("签名密钥请求不正确，请刷新页面重试");
    let sealed = URL_SAFE_NO_PAD.decode(&asked.params).map_err(|_| unreadable())?;
    let plain = match wire.exchange.open(&asked.key_id, sealed, now).await {
        Ok(plain) => Zeroizing::new(plain),
        Err(OpenError::UnknownKey) => {
            return Err(Refused::Malformed {
                code: "key-expired", text: "密钥已更新，请重试".to_owned()
            });
        }
        Err(OpenError::Busy) => return Err(Refused::unavailable("the key exchange is overloaded")),
        Err(OpenError::Sealed) => return Err(unreadable()),
    };
    let offer: Offer = serde_json::from_slice(&plain).map_err(|_| unreadable())?;
    let key_text = Zeroizing::new(offer.key);
    let key = SecretKey::from_text(&key_text).map_err(|_| unreadable())?;
    if !(1..=MAX_DEVICE_CODE).contains(&offer.dev_id.len()) || offer.dev_id.contains('\0') {
        return Err(unreadable());
    }
    if now.millis_since(Timestamp::from_millis(offer.ts)).saturating_abs() > WINDOW_MS {
        return Err(Refused::stale());
    }
    let opened = wire.sessions.open(&offer.dev_id, now).await?;
    let mut nonce = [0; NONCE_BYTES];
    OsRng.fill_bytes(&mut nonce);
    let secrets = secrets_json(&opened.t, &opened.k);
    Ok(Answer(Verified { aes_key: seal(&key, nonce, ANSWER_WORDS, secrets.as_bytes()) }))
}
