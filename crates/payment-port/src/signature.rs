//! Who said it, when, and that it was said once. Pure: time and nonces are arguments.

use hmac::{Hmac, Mac};
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use sha2::{Digest, Sha256};
use vocabulary::Timestamp;
use zeroize::Zeroizing;

use crate::NonceFault;

/// A message is taken for so long after it was stamped, and so long before where clocks differ: five minutes.
pub const FRESH_MS: i64 = 5 * 60_000;
/// Characters of a nonce at least.
pub const NONCE_MIN: usize = 16;
/// Characters of a nonce at most.
pub const NONCE_MAX: usize = 64;
/// Bytes of a secret at least.
pub const SECRET_MIN_BYTES: usize = 32;

/// Begins what is signed, so that no signature means anything elsewhere, nor in a later version.
const VERSION: &str = "wheelhouse-payment-1";

/// The headers of a signed message.
pub mod headers {
    /// Which merchant the platform is to the provider.
    pub const MERCHANT: &str = "payment-merchant";
    /// When it was signed, epoch milliseconds.
    pub const TIMESTAMP: &str = "payment-timestamp";
    /// What makes it one; an answer has that of its request.
    pub const NONCE: &str = "payment-nonce";
    /// Hexadecimal, small letters.
    pub const SIGNATURE: &str = "payment-signature";
}

/// What platform and provider both know and nobody else. Never shown.
#[derive(Clone)]
pub struct Secret(Zeroizing<Vec<u8>>);

/// A secret that could be guessed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the payment secret must have at least {SECRET_MIN_BYTES} bytes")]
pub struct WeakSecret;

impl Secret {
    /// The bytes of a text, without blanks around it.
    pub fn new(text: &str) -> Result<Self, WeakSecret> {
        let text = text.trim();
        if text.len() < SECRET_MIN_BYTES {
            return Err(WeakSecret);
        }
        Ok(Self(Zeroizing::new(text.as_bytes().to_vec())))
    }

    fn mac(&self, text: &str) -> Hmac<Sha256> {
        let mut mac = Hmac::<Sha256>::new_from_slice(&self.0).expect("HMAC takes a key of any length");
        mac.update(text.as_bytes());
        mac
    }
}

impl std::fmt::Debug for Secret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Secret")
    }
}

/// What is signed: a request (of the platform, or a notice of the provider), or the answer to one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Message<'a> {
    /// In capitals; of the request, also where its answer is signed.
    pub method: &'a str,
    /// With the query, as it is sent; of the request, also where its answer is signed.
    pub path: &'a str,
    /// The status of the answer; absent in a request.
    pub status: Option<u16>,
}

impl<'a> Message<'a> {
    /// A request.
    pub const fn request(method: &'a str, path: &'a str) -> Self {
        Self { method, path, status: None }
    }

    /// The answer to it.
    #[must_use]
    pub const fn answered(self, status: u16) -> Self {
        Self { status: Some(status), ..self }
    }
}

/// When a message was signed, and what makes it one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stamp<'a> {
    /// When.
    pub at: Timestamp,
    /// 16 to 64 letters, digits, `-` or `_` that nobody can foresee; an answer has that of its request.
    pub nonce: &'a str,
}

/// Why a message is not taken for what it says.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SignatureFault {
    /// A header is missing or is none.
    #[error("缺少请求头 {0}，或其值不正确")]
    Header(&'static str),
    /// It is another merchant's.
    #[error("商户号不正确")]
    Merchant,
    /// The signature is not that of this content, or of another secret.
    #[error("签名不正确")]
    Wrong,
    /// It was signed too long ago, or the clocks differ too much.
    #[error("签名时刻与当前时刻相差超过五分钟")]
    Stale,
    /// It came before, or too many came.
    #[error(transparent)]
    Nonce(#[from] NonceFault),
    /// It answers something else.
    #[error("应答与请求不符")]
    OtherAnswer,
}

impl SignatureFault {
    /// For programs, in the unsigned answer (401) to whoever is not taken for the other side.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Header(_) => "unsigned",
            Self::Merchant => "unknown-merchant",
            Self::Wrong | Self::OtherAnswer => "wrong-signature",
            Self::Stale => "stale",
            Self::Nonce(NonceFault::Seen) => "replayed",
            Self::Nonce(NonceFault::Full) => "busy",
        }
    }
}

/// The text that is signed: each part on a line of its own, none of which can hold a line break.
pub fn to_sign(merchant: &str, message: &Message<'_>, stamp: &Stamp<'_>, body: &[u8]) -> String {
    let what = message.status.map_or_else(|| "request".to_owned(), |status| format!("answer {status}"));
    let Message { method, path, .. } = message;
    let Stamp { at, nonce } = stamp;
    let at_ms = at.millis();
    let digest = hex::encode(Sha256::digest(body));
    format!("{VERSION}\n{what}\n{method}\n{path}\n{merchant}\n{at_ms}\n{nonce}\n{digest}")
}

/// One side's name and secret.
#[derive(Clone, Debug)]
pub struct Signer {
    merchant: String,
    secret: Secret,
}

/// What a signed message says of itself, once it is known to be true.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Signed {
    pub nonce: String,
}

impl Signer {
    /// Nothing when the merchant's name would not stand in a header: 1 to 64 letters, digits, `-` or `_`.
    pub fn new(merchant: &str, secret: Secret) -> Option<Self> {
        is_word(merchant, 1, NONCE_MAX).then(|| Self { merchant: merchant.to_owned(), secret })
    }

    /// The signature, hexadecimal.
    pub fn signature(&self, message: &Message<'_>, stamp: &Stamp<'_>, body: &[u8]) -> String {
        hex::encode(self.secret.mac(&to_sign(&self.merchant, message, stamp, body)).finalize().into_bytes())
    }

    /// The headers that make a message a signed one.
    pub fn headers(&self, message: &Message<'_>, stamp: &Stamp<'_>, body: &[u8]) -> HeaderMap {
        let signature = self.signature(message, stamp, body);
        let at = stamp.at.millis().to_string();
        let told = [
            (headers::MERCHANT, self.merchant.as_str()),
            (headers::TIMESTAMP, &at),
            (headers::NONCE, stamp.nonce),
            (headers::SIGNATURE, &signature),
        ];
        told.into_iter()
            .map(|(name, value)| {
                let value =
                    HeaderValue::from_str(value).expect("names, numbers and nonces are visible letters");
                (HeaderName::from_static(name), value)
            })
            .collect()
    }

    /// Whether the other side said this, and not long ago. The comparison takes as long for any wrong signature.
    pub(crate) fn check(
        &self,
        message: &Message<'_>,
        told: &HeaderMap,
        body: &[u8],
        now: Timestamp,
    ) -> Result<Signed, SignatureFault> {
        if header(told, headers::MERCHANT)? != self.merchant {
            return Err(SignatureFault::Merchant);
        }
        let at = header(told, headers::TIMESTAMP)?;
        let at = at.parse().map_err(|_| SignatureFault::Header(headers::TIMESTAMP))?;
        let at = Timestamp::from_millis(at);
        let nonce = header(told, headers::NONCE)?;
        if !is_word(nonce, NONCE_MIN, NONCE_MAX) {
            return Err(SignatureFault::Header(headers::NONCE));
        }
        let signature = header(told, headers::SIGNATURE)?;
        let signature = hex::decode(signature).map_err(|_| SignatureFault::Header(headers::SIGNATURE))?;
        let text = to_sign(&self.merchant, message, &Stamp { at, nonce }, body);
        self.secret.mac(&text).verify_slice(&signature).map_err(|_| SignatureFault::Wrong)?;
        if now.millis_since(at).saturating_abs() > FRESH_MS {
            return Err(SignatureFault::Stale);
        }
        Ok(Signed { nonce: nonce.to_owned() })
    }
}

/// The one value of a header; two are none.
fn header<'a>(told: &'a HeaderMap, name: &'static str) -> Result<&'a str, SignatureFault> {
    let mut values = told.get_all(name).iter();
    let (Some(value), None) = (values.next(), values.next()) else {
        return Err(SignatureFault::Header(name));
    };
    value.to_str().map_err(|_| SignatureFault::Header(name))
}

fn is_word(text: &str, min: usize, max: usize) -> bool {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
    (min..=max).contains(&text.len()) && text.bytes().all(allowed)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const NOW: Timestamp = Timestamp::from_millis(1_800_000_000_000);
    const NONCE: &str = "0123456789abcdef";
    const SECRET: &str = "0123456789abcdef0123456789abcdef";

    fn signer(merchant: &str, secret: &str) -> Signer {
        Signer::new(merchant, Secret::new(secret).unwrap()).unwrap()
    }

    const ASKED: Message<'static> = Message::request("POST", "/v1/payments");

    #[test]
    fn what_was_signed_is_taken_for_five_minutes_either_way() {
        let ours = signer("m-1", SECRET);
        let told = ours.headers(&ASKED, &Stamp { at: NOW, nonce: NONCE }, b"{}");
        let after = |ms: i64| ours.check(&ASKED, &told, b"{}", NOW.plus_millis(ms));
        for ms in [0, FRESH_MS, -FRESH_MS] {
            assert_eq!(after(ms), Ok(Signed { nonce: NONCE.to_owned() }), "{ms}");
        }
        for ms in [FRESH_MS + 1, -FRESH_MS - 1, i64::MAX, i64::MIN] {
            assert_eq!(after(ms), Err(SignatureFault::Stale), "{ms}");
        }
    }

    #[test]
    fn whatever_is_changed_the_signature_is_wrong() {
        let ours = signer("m-1", SECRET);
        let told = ours.headers(&ASKED, &Stamp { at: NOW, nonce: NONCE }, b"{}");
        let changed = |name: &'static str, value: &str| {
            let mut told = told.clone();
            told.insert(name, value.parse().unwrap());
            ours.check(&ASKED, &told, b"{}", NOW)
        };
        let wrong = Err(SignatureFault::Wrong);
        assert_eq!(ours.check(&ASKED, &told, b"{ }", NOW), wrong, "body");
        assert_eq!(ours.check(&Message::request("GET", "/v1/payments"), &told, b"{}", NOW), wrong, "method");
        assert_eq!(ours.check(&Message::request("POST", "/v1/payments?a"), &told, b"{}", NOW), wrong, "path");
        assert_eq!(ours.check(&ASKED.answered(200), &told, b"{}", NOW), wrong, "a request is no answer");
        assert_eq!(changed(headers::TIMESTAMP, "1800000000001"), wrong);
        assert_eq!(changed(headers::NONCE, "0123456789abcdeg"), wrong);
        assert_eq!(changed(headers::SIGNATURE, &"0".repeat(64)), wrong);
        assert_eq!(changed(headers::SIGNATURE, "00"), wrong, "shorter");
        assert_eq!(changed(headers::MERCHANT, "m-2"), Err(SignatureFault::Merchant));
        let other = signer("m-1", &SECRET.replace('0', "1"));
        assert_eq!(other.check(&ASKED, &told, b"{}", NOW), wrong, "another secret");
    }

    #[test]
    fn an_answer_is_of_its_request_and_status_alone() {
        let ours = signer("m-1", SECRET);
        let stamp = Stamp { at: NOW, nonce: NONCE };
        let told = ours.headers(&ASKED.answered(409), &stamp, b"{}");
        assert!(ours.check(&ASKED.answered(409), &told, b"{}", NOW).is_ok());
        assert_eq!(ours.check(&ASKED.answered(200), &told, b"{}", NOW), Err(SignatureFault::Wrong));
        assert_eq!(ours.check(&ASKED, &told, b"{}", NOW), Err(SignatureFault::Wrong));
        let elsewhere = Message::request("POST", "/v1/refunds").answered(409);
        assert_eq!(ours.check(&elsewhere, &told, b"{}", NOW), Err(SignatureFault::Wrong));
    }

    #[test]
    fn headers_that_are_missing_twice_there_or_of_another_form_are_named() {
        let ours = signer("m-1", SECRET);
        let told = ours.headers(&ASKED, &Stamp { at: NOW, nonce: NONCE }, b"{}");
        for name in [headers::MERCHANT, headers::TIMESTAMP, headers::NONCE, headers::SIGNATURE] {
            let mut without = told.clone();
            without.remove(name);
            assert_eq!(ours.check(&ASKED, &without, b"{}", NOW), Err(SignatureFault::Header(name)));
            let mut twice = told.clone();
            twice.append(name, told[name].clone());
            assert_eq!(ours.check(&ASKED, &twice, b"{}", NOW), Err(SignatureFault::Header(name)));
        }
        for (name, value) in [
            (headers::TIMESTAMP, "soon"),
            (headers::NONCE, "short"),
            (headers::NONCE, "with blanks in it, here"),
            (headers::SIGNATURE, "not hexadecimal"),
        ] {
            let mut told = told.clone();
            told.insert(name, value.parse().unwrap());
            assert_eq!(ours.check(&ASKED, &told, b"{}", NOW), Err(SignatureFault::Header(name)), "{value}");
        }
    }

    #[test]
    fn a_secret_is_long_and_never_shown() {
        assert_eq!(Secret::new(&format!("  {}\n", "x".repeat(31))).unwrap_err(), WeakSecret);
        let ours = signer("m-1", SECRET);
        assert!(!format!("{ours:?}").contains("0123"), "{ours:?}");
        assert!(Signer::new("no blanks", Secret::new(SECRET).unwrap()).is_none());
    }

    proptest! {
        /// Two different messages never have the same text to sign.
        #[test]
        fn parts_do_not_run_into_each_other(
            one in ("[A-Z]{1,6}", "/[a-z/?=0-9]{0,12}", proptest::option::of(100_u16..600), "[a-z0-9]{16,20}", 0_i64..100),
            other in ("[A-Z]{1,6}", "/[a-z/?=0-9]{0,12}", proptest::option::of(100_u16..600), "[a-z0-9]{16,20}", 0_i64..100),
        ) {
            let text = |(method, path, status, nonce, at): &(String, String, Option<u16>, String, i64)| {
                let message = Message { method, path, status: *status };
                to_sign("m", &message, &Stamp { at: Timestamp::from_millis(*at), nonce }, b"")
            };
            prop_assert_eq!(one == other, text(&one) == text(&other));
        }
    }
}
