//! Signed links that sign somebody in: `base64url(JSON{phone, ts, nonce, by}) . base64url(HMAC-SHA256)`.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, Mac};
use serde::{Deserialize, Serialize};
use sha2::Sha256;
use vocabulary::{OperatorId, Phone, Timestamp};

/// A link is followed within this.
pub const LIFE_MS: i64 = 60_000;
/// The clock of whoever made a link may be ahead by this.
const AHEAD_MS: i64 = 5_000;

/// What a link says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Origin {
    /// Who is signed in.
    pub phone: Phone,
    /// When it was made, epoch milliseconds.
    pub ts: i64,
    /// Used once.
    pub nonce: String,
    /// Who made it.
    pub by: OperatorId,
}

/// The link is not ours, too old, or not yet valid. Which of these, nobody is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("登录链接已失效")]
pub struct BadLink;

fn signature(key: &[u8; 32], payload: &str) -> Hmac<Sha256> {
    let mut mac = Hmac::<Sha256>::new_from_slice(key).expect("HMAC takes a key of any length");
    mac.update(b"quick-login:");
    mac.update(payload.as_bytes());
    mac
}

/// Signs `origin`.
pub fn seal(key: &[u8; 32], origin: &Origin) -> String {
    let payload = URL_SAFE_NO_PAD.encode(serde_json::to_vec(origin).expect("plain data"));
    let signed = URL_SAFE_NO_PAD.encode(signature(key, &payload).finalize().into_bytes());
    format!("{payload}.{signed}")
}

/// What a link says, when it is ours and followed in time. Whether it was used before is for the caller to see.
pub fn open(key: &[u8; 32], link: &str, now: Timestamp) -> Result<Origin, BadLink> {
    let (payload, signed) = link.split_once('.').ok_or(BadLink)?;
    let signed = URL_SAFE_NO_PAD.decode(signed).map_err(|_| BadLink)?;
    signature(key, payload).verify_slice(&signed).map_err(|_| BadLink)?;
    let payload = URL_SAFE_NO_PAD.decode(payload).map_err(|_| BadLink)?;
    let origin: Origin = serde_json::from_slice(&payload).map_err(|_| BadLink)?;
    let age = now.millis_since(Timestamp::from_millis(origin.ts));
    if (-AHEAD_MS..LIFE_MS).contains(&age) { Ok(origin) } else { Err(BadLink) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: [u8; 32] = [7; 32];
    const NOW: Timestamp = Timestamp::from_millis(1_800_000_000_000);

    fn link() -> (Origin, String) {
        let origin = Origin {
            phone: "13812348888".parse().unwrap(),
            ts: NOW.millis(),
            nonce: "n".repeat(22),
            by: OperatorId(7),
        };
        let link = seal(&KEY, &origin);
        (origin, link)
    }

    #[test]
    fn quick_001_a_link_opens_for_less_than_a_minute() {
        let (origin, link) = link();
        assert_eq!(open(&KEY, &link, NOW.plus_millis(59_999)), Ok(origin.clone()));
        assert_eq!(open(&KEY, &link, NOW.plus_millis(60_000)), Err(BadLink));
        assert_eq!(open(&KEY, &link, NOW.plus_millis(-5_000)), Ok(origin));
        assert_eq!(open(&KEY, &link, NOW.plus_millis(-5_001)), Err(BadLink));
    }

    #[test]
    fn quick_007_a_link_of_another_key_or_with_another_phone_is_no_link() {
        let (origin, link) = link();
        assert_eq!(open(&[8; 32], &link, NOW), Err(BadLink));
        let other = seal(&[8; 32], &Origin { phone: "13900000000".parse().unwrap(), ..origin });
        let forged = format!("{}.{}", other.split('.').next().unwrap(), link.split('.').nth(1).unwrap());
        assert_eq!(open(&KEY, &forged, NOW), Err(BadLink));
        for nonsense in ["", ".", "a.b", "a"] {
            assert_eq!(open(&KEY, nonsense, NOW), Err(BadLink));
        }
    }
}
