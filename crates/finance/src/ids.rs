//! Ids of the room: 64-bit, ordered by time of birth, strings in JSON because a browser's numbers are too short for
//! them.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// An id as clients send it: its text, or a number.
#[derive(Deserialize)]
#[serde(untagged)]
enum Sent {
    Number(i64),
    Text(String),
}

/// Declares a kind of id: a card's cannot be passed as an account's.
macro_rules! typed_id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, sqlx::Type)]
        #[sqlx(transparent)]
        pub struct $name(pub i64);

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                self.0.fmt(f)
            }
        }

        impl std::str::FromStr for $name {
            type Err = std::num::ParseIntError;
            fn from_str(text: &str) -> Result<Self, Self::Err> {
                text.parse().map(Self)
            }
        }

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(&self.0)
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                match Sent::deserialize(deserializer)? {
                    Sent::Number(id) => Ok(Self(id)),
                    Sent::Text(text) => text.parse().map_err(serde::de::Error::custom),
                }
            }
        }
    };
}

typed_id!(
    /// A payment account (支付账户).
    PaymentAccountId
);
typed_id!(
    /// One binding of a bank card to a payment account (绑卡).
    CardId
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_text_in_json_and_is_read_from_either() {
        assert_eq!(serde_json::to_string(&CardId(9_007_199_254_740_993)).unwrap(), "\"9007199254740993\"");
        assert_eq!(serde_json::from_str::<CardId>("7").unwrap(), CardId(7));
        assert_eq!(serde_json::from_str::<CardId>("\"7\"").unwrap(), CardId(7));
        assert!(serde_json::from_str::<CardId>("\"7a\"").is_err());
    }
}
