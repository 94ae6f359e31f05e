//! What is hashed of an event, and how hashes follow each other.
//!
//! `leaf = SHA-256(0x00 ‖ fields)`, each field as its length (4 bytes, big-endian) and its bytes, numbers as 8 bytes
//! big-endian; `chain = SHA-256(previous chain ‖ leaf)`, the first on 32 zero bytes. The position is not in the leaf:
//! the chain gives the order.

use sha2::{Digest, Sha256};
use vocabulary::Timestamp;

/// A SHA-256 value.
pub type Hash = [u8; 32];

/// The chain before the first event.
pub const GENESIS: Hash = [0; 32];

/// Everything of an event that its leaf covers.
#[derive(Clone, Copy, Debug)]
pub struct LeafFields<'a> {
    /// The aggregate's category.
    pub category: &'a str,
    /// The aggregate's id.
    pub stream_id: &'a str,
    /// Place in the stream.
    pub version: i64,
    /// The stored name.
    pub stored_type: &'a str,
    /// Schema version of `data`.
    pub schema_version: i16,
    /// JSON, the exact bytes.
    pub data: &'a [u8],
    /// JSON, the exact bytes.
    pub meta: &'a [u8],
    /// When.
    pub recorded_at: Timestamp,
}

impl LeafFields<'_> {
    /// The event's leaf.
    pub fn leaf(&self) -> Hash {
        let mut hasher = Sha256::new();
        hasher.update([0]);
        for text in [self.category.as_bytes(), self.stream_id.as_bytes()] {
            put(&mut hasher, text);
        }
        hasher.update(self.version.to_be_bytes());
        put(&mut hasher, self.stored_type.as_bytes());
        hasher.update(i64::from(self.schema_version).to_be_bytes());
        put(&mut hasher, self.data);
        put(&mut hasher, self.meta);
        hasher.update(self.recorded_at.millis().to_be_bytes());
        hasher.finalize().into()
    }
}

fn put(hasher: &mut Sha256, bytes: &[u8]) {
    let length = u32::try_from(bytes.len()).expect("the writer bounds every field far below 4 GiB");
    hasher.update(length.to_be_bytes());
    hasher.update(bytes);
}

/// The chain after an event.
pub fn link(previous: &Hash, leaf: &Hash) -> Hash {
    Sha256::new().chain_update(previous).chain_update(leaf).finalize().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields() -> LeafFields<'static> {
        LeafFields {
            category: "role",
            stream_id: "42",
            version: 1,
            stored_type: "role.created",
            schema_version: 1,
            data: br#"{"name":"x"}"#,
            meta: b"{}",
            recorded_at: Timestamp::from_millis(1_700_000_000_000),
        }
    }

    #[test]
    fn a_byte_that_moves_between_fields_changes_the_leaf() {
        let here = LeafFields { category: "role4", stream_id: "2", ..fields() };
        assert_ne!(here.leaf(), fields().leaf());
    }

    #[test]
    fn the_leaf_is_what_it_always_was() {
        let pinned = "963ebeba72a42207b09b745300e20920fa6a23efc9d648fc807a6f2b6eea79d1";
        assert_eq!(hex::encode(fields().leaf()), pinned);
    }
}
