//! The box that queries, bodies and answers travel in: base64url(nonce12 ‖ ciphertext ‖ tag16), AES-256-GCM.
//! Pure: key, nonce and time are arguments.

use aes_gcm::aead::{Aead, KeyInit, Payload};
use aes_gcm::{Aes256Gcm, Key, Nonce};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::Deserialize;
use serde_json::value::RawValue;
use vocabulary::Timestamp;
use zeroize::{Zeroize, ZeroizeOnDrop};

/// Length of a nonce.
pub(crate) const NONCE_BYTES: usize = 12;
const TAG_BYTES: usize = 16;
/// A request may be this much older or newer than the server's clock.
pub(crate) const WINDOW_MS: i64 = 5 * 60 * 1000;

/// A 256-bit key. Prints as nothing and leaves memory when dropped.
#[derive(Clone, PartialEq, Eq, Zeroize, ZeroizeOnDrop)]
pub struct SecretKey([u8; 32]);

impl SecretKey {
    /// From its bytes.
    pub const fn new(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// Its bytes, to seal or to send them.
    pub fn expose(&self) -> &[u8; 32] {
        &self.0
    }

    /// From base64url text.
    pub fn from_text(text: &str) -> Result<Self, BoxError> {
        let mut bytes = URL_SAFE_NO_PAD.decode(text).map_err(|_| BoxError::Shape)?;
        let key = <[u8; 32]>::try_from(bytes.as_slice()).map(Self).map_err(|_| BoxError::Shape);
        bytes.zeroize();
        key
    }

    /// As base64url text.
    pub fn to_text(&self) -> String {
        URL_SAFE_NO_PAD.encode(self.0)
    }

    fn cipher(&self) -> Aes256Gcm {
        Aes256Gcm::new(Key::<Aes256Gcm>::from_slice(&self.0))
    }
}

impl std::fmt::Debug for SecretKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("SecretKey(…)")
    }
}

/// Why a box cannot be opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BoxError {
    /// Not base64url, too short, or not the JSON that belongs inside.
    #[error("the box has no proper shape")]
    Shape,
    /// Another key, method or path, or changed on the way.
    #[error("the box does not open")]
    Sealed,
    /// Its time is more than five minutes from now.
    #[error("the box is stale")]
    Stale,
}

/// Additional data of a request.
pub(crate) fn request_words(method: &str, path: &str) -> String {
    format!("{method} {path}")
}

/// Additional data of an answer.
pub(crate) fn answer_words(method: &str, path: &str) -> String {
    format!("{method} {path} answer")
}

/// nonce ‖ ciphertext ‖ tag.
pub(crate) fn seal_bytes(key: &SecretKey, nonce: [u8; NONCE_BYTES], words: &str, plain: &[u8]) -> Vec<u8> {
    let sealed = key
        .cipher()
        .encrypt(Nonce::from_slice(&nonce), Payload { msg: plain, aad: words.as_bytes() })
        .expect("AES-GCM seals anything that fits in memory");
    [nonce.as_slice(), &sealed].concat()
}

/// Opens nonce ‖ ciphertext ‖ tag.
pub(crate) fn open_bytes(key: &SecretKey, words: &str, sealed: &[u8]) -> Result<Vec<u8>, BoxError> {
    if sealed.len() < NONCE_BYTES + TAG_BYTES {
        return Err(BoxError::Shape);
    }
    let (nonce, rest) = sealed.split_at(NONCE_BYTES);
    key.cipher()
        .decrypt(Nonce::from_slice(nonce), Payload { msg: rest, aad: words.as_bytes() })
        .map_err(|_| BoxError::Sealed)
}

/// Seals `plain` under `key`, bound to `words`. A nonce must never be used twice with one key.
pub(crate) fn seal(key: &SecretKey, nonce: [u8; NONCE_BYTES], words: &str, plain: &[u8]) -> String {
    URL_SAFE_NO_PAD.encode(seal_bytes(key, nonce, words, plain))
}

/// Opens a box; fails when key, words or content differ from what was sealed.
pub(crate) fn open(key: &SecretKey, words: &str, sealed: &str) -> Result<Vec<u8>, BoxError> {
    open_bytes(key, words, &URL_SAFE_NO_PAD.decode(sealed).map_err(|_| BoxError::Shape)?)
}

/// An opened request box.
#[derive(Debug)]
pub(crate) struct Opened {
    /// The query object or the body, exactly as the client wrote it.
    pub content: Box<RawValue>,
    /// To be remembered, so that the same box is not taken twice.
    pub nonce: [u8; NONCE_BYTES],
}

/// Opens the box of a request and checks its time.
pub(crate) fn open_request(
    key: &SecretKey,
    method: &str,
    path: &str,
    sealed: &str,
    now: Timestamp,
) -> Result<Opened, BoxError> {
    #[derive(Deserialize)]
    struct Inside {
        d: Box<RawValue>,
        ts: i64,
    }
    let bytes = URL_SAFE_NO_PAD.decode(sealed).map_err(|_| BoxError::Shape)?;
    let plain = open_bytes(key, &request_words(method, path), &bytes)?;
    let inside: Inside = serde_json::from_slice(&plain).map_err(|_| BoxError::Shape)?;
    if now.millis_since(Timestamp::from_millis(inside.ts)).saturating_abs() > WINDOW_MS {
        return Err(BoxError::Stale);
    }
    let nonce = bytes[..NONCE_BYTES].try_into().map_err(|_| BoxError::Shape)?;
    Ok(Opened { content: inside.d, nonce })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const KEY: SecretKey = SecretKey::new([7; 32]);

    fn request(ts: i64) -> String {
        seal(&KEY, [1; 12], "GET /a", format!(r#"{{"d":{{"x":"1"}},"ts":{ts}}}"#).as_bytes())
    }

    proptest! {
        #[test]
        fn what_was_sealed_opens_again(key: [u8; 32], nonce: [u8; 12], words in ".{0,60}", plain: Vec<u8>) {
            let key = SecretKey::new(key);
            prop_assert_eq!(open(&key, &words, &seal(&key, nonce, &words, &plain)).unwrap(), plain);
        }

        #[test]
        fn a_changed_byte_is_noticed(plain: Vec<u8>, at: prop::sample::Index, flip in 1u8..) {
            let mut sealed = seal_bytes(&KEY, [3; 12], "GET /a", &plain);
            let at = at.index(sealed.len());
            sealed[at] ^= flip;
            prop_assert_eq!(open_bytes(&KEY, "GET /a", &sealed), Err(BoxError::Sealed));
        }

        #[test]
        fn any_text_is_refused_and_nothing_panics(text in ".{0,80}") {
            prop_assert!(open_request(&KEY, "GET", "/a", &text, Timestamp::from_millis(0)).is_err());
        }
    }

    #[test]
    fn another_method_path_or_key_does_not_open() {
        let now = Timestamp::from_millis(1000);
        let sealed = request(1000);
        assert!(open_request(&KEY, "GET", "/a", &sealed, now).is_ok());
        assert_eq!(open_request(&KEY, "POST", "/a", &sealed, now).unwrap_err(), BoxError::Sealed);
        assert_eq!(open_request(&KEY, "GET", "/b", &sealed, now).unwrap_err(), BoxError::Sealed);
        let other = SecretKey::new([8; 32]);
        assert_eq!(open_request(&other, "GET", "/a", &sealed, now).unwrap_err(), BoxError::Sealed);
    }

    #[test]
    fn five_minutes_are_the_limit_on_both_sides() {
        let at = |ms| open_request(&KEY, "GET", "/a", &request(10_000_000), Timestamp::from_millis(ms)).err();
        assert_eq!(at(10_000_000 + WINDOW_MS), None);
        assert_eq!(at(10_000_000 - WINDOW_MS), None);
        assert_eq!(at(10_000_001 + WINDOW_MS), Some(BoxError::Stale));
        assert_eq!(at(9_999_999 - WINDOW_MS), Some(BoxError::Stale));
    }

    #[test]
    fn a_key_does_not_print_itself() {
        assert_eq!(format!("{:?}", SecretKey::new([0xab; 32])), "SecretKey(…)");
    }
}
