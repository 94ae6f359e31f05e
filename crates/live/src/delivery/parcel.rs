//! What counts in an area as messages: a device's message has at most 64 kB.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::json;
use sha2::{Digest, Sha256};
use vocabulary::{AreaId, Timestamp};

use super::form::Content;

/// So much of the compact form in one message: 32 kB in base64.
pub const PART_BYTES: usize = 24_000;
/// An area whose form is larger is not sent: 1.5 MB, some 75,000 parking places.
pub const PARTS_MAX: usize = 64;
/// Of the digest that goes with each part, hexadecimal digits.
const DIGEST_DIGITS: usize = 32;
/// Kind 15 of the device command: fences.
const KIND: u8 = 15;
const PART_BITS: u32 = 6;

/// The area has more fences than devices can be sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{bytes} bytes are more than {PARTS_MAX} messages hold")]
pub struct TooLarge {
    /// Of the compact form.
    pub bytes: usize,
}

/// An edition ready to be sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parcel {
    area: AreaId,
    edition: i64,
    bytes: usize,
    digest: String,
    /// Base64.
    parts: Vec<String>,
}

impl Parcel {
    /// Cuts the compact form into parts.
    pub fn of(content: &Content) -> Result<Self, TooLarge> {
        let bytes = content.encode();
        let parts: Vec<String> = bytes.chunks(PART_BYTES).map(|part| STANDARD.encode(part)).collect();
        if parts.len() > PARTS_MAX {
            return Err(TooLarge { bytes: bytes.len() });
        }
        let mut digest = hex::encode(Sha256::digest(&bytes));
        digest.truncate(DIGEST_DIGITS);
        Ok(Self { area: content.area, edition: content.edition, bytes: bytes.len(), digest, parts })
    }

    /// Of the compact form.
    pub const fn bytes(&self) -> usize {
        self.bytes
    }

    /// Messages.
    pub const fn parts(&self) -> usize {
        self.parts.len()
    }

    /// A bit for each part.
    pub fn all(&self) -> u64 {
        u64::MAX >> (PARTS_MAX - self.parts.len())
    }

    /// The message of a part, from 0, under `id`, that leaves at `at`.
    pub fn message(&self, part: usize, id: i64, at: Timestamp) -> Vec<u8> {
        json!({
            "id": id.to_string(),
            "kind": KIND,
            "params": {
                "area": self.area,
                "edition": self.edition,
                "part": part + 1,
                "parts": self.parts.len(),
                "digest": self.digest,
                "data": self.parts[part],
            },
            "at": at.millis(),
        })
        .to_string()
        .into_bytes()
    }
}

/// The id of a part in the try that was begun at an instant: below zero, which no command of people is, and never the same
/// twice for one device.
pub fn id_of(sent_at: Timestamp, part: usize) -> i64 {
    -((sent_at.millis() << PART_BITS) | part as i64)
}

/// When the try was begun, and which part it was; nothing for ids of commands.
pub fn read_id(id: i64) -> Option<(Timestamp, usize)> {
    let number = id.checked_neg().filter(|number| *number > 0)?;
    Some((Timestamp::from_millis(number >> PART_BITS), (number & ((1 << PART_BITS) - 1)) as usize))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::Value;

    use super::super::form::tests::vector;
    use super::super::form::{Outline, Zone};
    use super::*;
    use crate::report::Place;

    /// An area with so many triangles.
    fn crowded(fences: i32) -> Content {
        let (mut content, _) = vector();
        let at = |n: i32| Place { lat_e7: 244_000_000 + n * 30, lng_e7: 1_181_000_000 - n * 7 };
        let outline = |n: i32| Outline::Polygon((0..3).map(|corner| at(n * 3 + corner)).collect());
        let zone = Zone { hours: None, until_s: None, outline: outline(0), ..content.fences[0].clone() };
        content.fences = (0..fences).map(|n| Zone { outline: outline(n), ..zone.clone() }).collect();
        content
    }

    #[test]
    fn the_parts_together_are_the_form_and_each_fits_into_a_message() {
        let content = crowded(14_071);
        let parcel = Parcel::of(&content).unwrap();
        assert!(parcel.parts() > 1, "{}", parcel.parts());
        let mut whole = Vec::new();
        for part in 0..parcel.parts() {
            let message = parcel.message(part, -7, Timestamp::from_millis(1));
            assert!(message.len() < 64_000, "{}", message.len());
            let message: Value = serde_json::from_slice(&message).unwrap();
            assert_eq!(message["params"]["part"], part + 1);
            whole.extend(STANDARD.decode(message["params"]["data"].as_str().unwrap()).unwrap());
        }
        assert_eq!(Content::decode(&whole), Some(content));
        assert_eq!(parcel.all().count_ones() as usize, parcel.parts());
    }

    #[test]
    fn the_documented_message_is_this_one() {
        let (content, told) = vector();
        let parcel = Parcel::of(&content).unwrap();
        let id = id_of(Timestamp::from_millis(1_795_363_200_000), 0);
        let message = parcel.message(0, id, Timestamp::from_millis(1_795_363_200_250));
        assert_eq!(serde_json::from_slice::<Value>(&message).unwrap(), told["message"]);
    }

    #[test]
    fn what_is_too_large_is_not_cut_at_all() {
        assert!(
            matches!(Parcel::of(&crowded(400_000)), Err(TooLarge { bytes }) if bytes > PART_BYTES * PARTS_MAX)
        );
    }

    proptest! {
        #[test]
        fn an_id_tells_its_try_and_its_part(at_ms in 1..(1_i64 << 56), part in 0..PARTS_MAX) {
            let id = id_of(Timestamp::from_millis(at_ms), part);
            prop_assert!(id < 0);
            prop_assert_eq!(read_id(id), Some((Timestamp::from_millis(at_ms), part)));
        }
    }

    #[test]
    fn ids_of_commands_are_none_of_a_part() {
        assert_eq!([0, 1, i64::MAX, i64::MIN].map(read_id), [None; 4]);
    }
}
