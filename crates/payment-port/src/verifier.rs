//! Takes what the other side says, each once.

use std::sync::{Mutex, PoisonError};

use reqwest::header::HeaderMap;
use vocabulary::Timestamp;

use crate::{Message, NONCES_MOST, Nonces, Notice, NoticeFault, SignatureFault, Signer};

/// Knows the other side, and remembers for this process what it said.
#[derive(Debug)]
pub struct Verifier {
    signer: Signer,
    nonces: Mutex<Nonces>,
}

impl Verifier {
    /// For what comes from whoever has the same secret.
    pub fn new(signer: Signer) -> Self {
        Self { signer, nonces: Mutex::new(Nonces::new(NONCES_MOST)) }
    }

    /// Whether the other side asks this, now, and for the first time; its nonce, which the answer has too.
    pub fn admit(
        &self,
        method: &str,
        path: &str,
        told: &HeaderMap,
        body: &[u8],
        now: Timestamp,
    ) -> Result<String, SignatureFault> {
        let signed = self.signer.check(&Message::request(method, path), told, body, now)?;
        self.nonces.lock().unwrap_or_else(PoisonError::into_inner).take(&signed.nonce, now)?;
        Ok(signed.nonce)
    }

    /// What the provider tells, posted to `path` (with its query, as it came). That it was told before, under another nonce,
    /// its `notice_id` says.
    pub fn notice(
        &self,
        path: &str,
        told: &HeaderMap,
        body: &[u8],
        now: Timestamp,
    ) -> Result<Notice, NoticeFault> {
        self.admit("POST", path, told, body, now)?;
        serde_json::from_slice(body).map_err(|error| NoticeFault::Malformed(error.to_string()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{NonceFault, Secret, Stamp};

    const NOW: Timestamp = Timestamp::from_millis(1_800_000_000_000);

    #[test]
    fn the_same_request_again_is_refused_and_a_forged_one_takes_no_nonce() {
        let signer = Signer::new("m", Secret::new(&"k".repeat(32)).unwrap()).unwrap();
        let verifier = Verifier::new(signer.clone());
        let asked = Message::request("GET", "/v1/payments/T1");
        let told = signer.headers(&asked, &Stamp { at: NOW, nonce: "0123456789abcdef" }, b"");
        let admit = |body: &[u8]| verifier.admit("GET", "/v1/payments/T1", &told, body, NOW);
        assert_eq!(admit(b"forged"), Err(SignatureFault::Wrong));
        assert_eq!(admit(b"").as_deref(), Ok("0123456789abcdef"));
        assert_eq!(admit(b""), Err(SignatureFault::Nonce(NonceFault::Seen)));
    }

    #[test]
    fn a_notice_is_read_when_it_is_signed_and_understood() {
        let signer = Signer::new("m", Secret::new(&"k".repeat(32)).unwrap()).unwrap();
        let verifier = Verifier::new(signer.clone());
        let heard = |nonce: &str, body: &[u8]| {
            let told = signer.headers(&Message::request("POST", "/n?a=1"), &Stamp { at: NOW, nonce }, body);
            verifier.notice("/n?a=1", &told, body, NOW)
        };
        let body = br#"{"noticeId":"N1","kind":"payment","atMs":1,"payment":{"tradeNo":"T1","providerNo":"P1","amountCents":1,
            "channel":3,"mode":"agreed","state":"paid","paidAtMs":1,"refundedCents":0,"createdAtMs":0}}"#;
        assert_eq!(heard("0123456789abcdef", body).unwrap().notice_id, "N1");
        assert!(matches!(heard("0123456789abcdeg", b"{}"), Err(NoticeFault::Malformed(_))));
        let elsewhere = signer.headers(
            &Message::request("POST", "/other"),
            &Stamp { at: NOW, nonce: "0123456789abcdeh" },
            body,
        );
        let refused = verifier.notice("/n?a=1", &elsewhere, body, NOW);
        assert_eq!(refused, Err(NoticeFault::Signature(SignatureFault::Wrong)));
    }
}
