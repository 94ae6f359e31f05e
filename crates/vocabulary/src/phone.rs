//! Mainland mobile numbers.

use serde::{Deserialize, Serialize};

/// A mainland mobile number: 1, then 3 to 9, then nine digits.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Phone(String);

/// The text is not a mainland mobile number.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("手机号格式不正确")]
pub struct NotAPhone;

impl Phone {
    /// All eleven digits.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// As lists show it: `138****8888`.
    pub fn masked(&self) -> String {
        format!("{}****{}", &self.0[..3], &self.0[7..])
    }
}

impl TryFrom<String> for Phone {
    type Error = NotAPhone;

    fn try_from(text: String) -> Result<Self, NotAPhone> {
        match text.as_bytes() {
            [b'1', b'3'..=b'9', rest @ ..] if rest.len() == 9 && rest.iter().all(u8::is_ascii_digit) => {
                Ok(Self(text))
            }
            _ => Err(NotAPhone),
        }
    }
}

impl std::str::FromStr for Phone {
    type Err = NotAPhone;

    fn from_str(text: &str) -> Result<Self, NotAPhone> {
        Self::try_from(text.to_owned())
    }
}

impl From<Phone> for String {
    fn from(phone: Phone) -> Self {
        phone.0
    }
}

impl std::fmt::Display for Phone {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_mainland_mobile_numbers_pass() {
        for good in ["13012345678", "19912345678"] {
            assert!(good.parse::<Phone>().is_ok(), "{good}");
        }
        for bad in ["12012345678", "1381234567a", "1381234567", "138123456789", "", "１３８１２３４５６７８"]
        {
            assert!(bad.parse::<Phone>().is_err(), "{bad}");
        }
    }

    #[test]
    fn the_middle_is_masked() {
        assert_eq!("13812348888".parse::<Phone>().unwrap().masked(), "138****8888");
    }
}
