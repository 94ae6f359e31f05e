//! What is signed about the log. Statements are numbered and each holds the hash of the one before it: none can be taken
//! out, put in or changed without the key, and they say themselves which key came after which.

use ed25519_dalek::{Signature, Signer, SigningKey, Verifier, VerifyingKey};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use vocabulary::Timestamp;

use super::chain::Hash;
use crate::Position;

/// The key that signs statements.
#[derive(Clone)]
pub struct CheckpointKey(SigningKey);

impl CheckpointKey {
    /// From its 32 secret bytes.
    pub fn new(secret: &[u8; 32]) -> Self {
        Self(SigningKey::from_bytes(secret))
    }

    /// What others verify with.
    pub fn public(&self) -> VerifyingKey {
        self.0.verifying_key()
    }
}

/// Names a key: the first 8 bytes of the public one.
pub fn key_id(key: &VerifyingKey) -> [u8; 8] {
    key.as_bytes()[..8].try_into().expect("a key is longer than eight bytes")
}

/// A state of the log.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mark {
    /// The first event that it covers: the one after the mark before it.
    pub first: Position,
    /// The last one.
    pub position: Position,
    /// The chain at `position`.
    #[serde(with = "hexed")]
    pub chain: Hash,
    /// Merkle root over the leaves of `first..=position`.
    #[serde(with = "hexed")]
    pub root: Hash,
}

/// What a statement says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Content {
    /// The log reached this state.
    Checkpoint(Mark),
    /// From here on another key signs. Signed by the old one.
    Rotation {
        /// The old public key.
        #[serde(with = "hexed")]
        from: [u8; 32],
        /// The new one.
        #[serde(with = "hexed")]
        to: [u8; 32],
    },
    /// The log was set back, and its operator accepted that: what was signed or told of after `to` is no more.
    Restore {
        /// How far it had been known to reach.
        from: Position,
        /// Up to here it is known to be the same as before.
        to: Position,
        /// The chain there.
        #[serde(with = "hexed")]
        chain: Hash,
    },
}

/// A statement's place among the others.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Link {
    /// 1, 2, 3 …
    pub number: u64,
    /// Hash of the statement before it; of the first one, of the last checkpoint of version 1, or zeros.
    #[serde(with = "hexed")]
    pub previous: Hash,
}

/// A signed statement.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Statement {
    /// Its place; none in version 1, which knew checkpoints only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub link: Option<Link>,
    /// What it says.
    pub content: Content,
    /// When.
    pub signed_at: Timestamp,
    /// Which key signed it.
    #[serde(with = "hexed")]
    pub key_id: [u8; 8],
    /// Ed25519 over [`Self::text`].
    #[serde(with = "hexed")]
    pub signature: [u8; 64],
}

impl Statement {
    /// Signs the statement that follows `before`.
    pub fn sign(key: &CheckpointKey, before: Option<&Self>, content: Content, signed_at: Timestamp) -> Self {
        let link =
            Link { number: before.map_or(0, Self::number) + 1, previous: before.map_or([0; 32], Self::hash) };
        let key_id = key_id(&key.public());
        let mut statement = Self { link: Some(link), content, signed_at, key_id, signature: [0; 64] };
        statement.signature = key.0.sign(statement.text().as_bytes()).to_bytes();
        statement
    }

    /// Its number; 0 in version 1.
    pub fn number(&self) -> u64 {
        self.link.as_ref().map_or(0, |link| link.number)
    }

    /// The text that is signed.
    pub fn text(&self) -> String {
        let content = match &self.content {
            Content::Checkpoint(Mark { first, position, chain, root }) => {
                format!("{}\n{}\n{}\n{}\n", first.0, position.0, hex::encode(chain), hex::encode(root))
            }
            Content::Rotation { from, to } => {
                format!("rotation\n{}\n{}\n", hex::encode(from), hex::encode(to))
            }
            Content::Restore { from, to, chain } => {
                format!("restore\n{}\n{}\n{}\n", from.0, to.0, hex::encode(chain))
            }
        };
        let at = self.signed_at.millis();
        match (&self.link, &self.content) {
            (None, _) => format!("wheelhouse checkpoint 1\n{content}{at}\n"),
            (Some(link), said) => {
                let kind = if matches!(said, Content::Checkpoint(_)) { "checkpoint\n" } else { "" };
                let previous = hex::encode(link.previous);
                format!("wheelhouse statement 2\n{}\n{previous}\n{kind}{content}{at}\n", link.number)
            }
        }
    }

    /// What the next statement holds of this one.
    pub fn hash(&self) -> Hash {
        Sha256::new().chain_update(self.text()).chain_update(self.signature).finalize().into()
    }

    /// Whether the holder of `key` signed it.
    pub fn is_signed_by(&self, key: &VerifyingKey) -> bool {
        key_id(key) == self.key_id
            && key.verify(self.text().as_bytes(), &Signature::from_bytes(&self.signature)).is_ok()
    }

    /// The state of the log that it signs, if it is a checkpoint.
    pub fn mark(&self) -> Option<&Mark> {
        match &self.content {
            Content::Checkpoint(mark) => Some(mark),
            Content::Rotation { .. } | Content::Restore { .. } => None,
        }
    }
}

/// Bytes as hexadecimal text in JSON.
mod hexed {
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serializer};

    pub fn serialize<S: Serializer>(bytes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&hex::encode(bytes))
    }

    pub fn deserialize<'de, const N: usize, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<[u8; N], D::Error> {
        let text = String::deserialize(deserializer)?;
        let bytes = hex::decode(text).map_err(D::Error::custom)?;
        bytes.try_into().map_err(|_| D::Error::custom(format!("not {N} bytes")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mark() -> Mark {
        Mark { first: Position(1), position: Position(2), chain: [3; 32], root: [4; 32] }
    }

    #[test]
    fn a_checkpoint_of_version_1_is_signed_over_the_text_it_always_was() {
        let (three, four) = ("03".repeat(32), "04".repeat(32));
        let at = Timestamp::from_millis(5);
        let content = Content::Checkpoint(mark());
        let old = Statement { link: None, content, signed_at: at, key_id: [0; 8], signature: [0; 64] };
        assert_eq!(old.text(), format!("wheelhouse checkpoint 1\n1\n2\n{three}\n{four}\n5\n"));
    }

    #[test]
    fn each_statement_holds_the_one_before_it_and_survives_json() {
        let key = CheckpointKey::new(&[1; 32]);
        let at = Timestamp::from_millis(5);
        let first = Statement::sign(&key, None, Content::Checkpoint(mark()), at);
        let rotation = Content::Rotation { from: *key.public().as_bytes(), to: [7; 32] };
        let second = Statement::sign(&key, Some(&first), rotation, at);
        let restore = Content::Restore { from: Position(9), to: Position(2), chain: [3; 32] };
        let third = Statement::sign(&key, Some(&second), restore, at);
        assert_eq!((first.number(), second.number(), third.number()), (1, 2, 3));
        assert_eq!(third.link.as_ref().unwrap().previous, second.hash());
        for statement in [first, second, third] {
            assert!(statement.is_signed_by(&key.public()));
            let json = serde_json::to_string(&statement).unwrap();
            assert_eq!(serde_json::from_str::<Statement>(&json).unwrap(), statement);
            let later = Statement { signed_at: Timestamp::from_millis(6), ..statement };
            assert!(!later.is_signed_by(&key.public()));
        }
    }
}
