//! Numbers that the platform gives to what it asks for (the same number is the same thing), and what else stands in paths.

use serde::{Deserialize, Serialize};

/// Characters that a number has at most.
pub const NUMBER_MAX: usize = 64;

/// The text is no number of the protocol.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("单号须为 1 至 {NUMBER_MAX} 位字母、数字、“-”或“_”")]
pub struct NotANumber;

fn is_number(text: &str) -> bool {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
    (1..=NUMBER_MAX).contains(&text.len()) && text.bytes().all(allowed)
}

/// Declares a kind of number: a `TradeNo` cannot be passed as a `RefundNo`.
macro_rules! number {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(try_from = "String", into = "String")]
        pub struct $name(String);

        impl $name {
            /// As it travels; letters, digits, `-` and `_`, so it stands in a path as it is.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl TryFrom<String> for $name {
            type Error = NotANumber;

            fn try_from(text: String) -> Result<Self, NotANumber> {
                if is_number(&text) { Ok(Self(text)) } else { Err(NotANumber) }
            }
        }

        impl std::str::FromStr for $name {
            type Err = NotANumber;

            fn from_str(text: &str) -> Result<Self, NotANumber> {
                Self::try_from(text.to_owned())
            }
        }

        impl From<$name> for String {
            fn from(number: $name) -> Self {
                number.0
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(&self.0)
            }
        }
    };
}

number!(
    /// Of a payment (交易单号).
    TradeNo
);
number!(
    /// Of a refund (退款单号).
    RefundNo
);
number!(
    /// The provider's, of the place where a page of a statement ends.
    Cursor
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_stands_in_a_path_as_it_is() {
        for good in ["7", "R-2026_11", &"x".repeat(64)] {
            assert_eq!(good.parse::<TradeNo>().unwrap().as_str(), good);
        }
        for bad in ["", " 7", "a/b", "a?b", "..", "七", "a\n", &"x".repeat(65)] {
            assert_eq!(bad.parse::<TradeNo>(), Err(NotANumber), "{bad:?}");
            assert!(serde_json::from_value::<RefundNo>(bad.into()).is_err(), "{bad:?}");
        }
    }
}
