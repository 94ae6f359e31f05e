//! 统一社会信用代码, the number of a company in China (GB 32100-2015).

use serde::{Deserialize, Serialize};

/// Its characters in the order of their values: digits and capital letters without I, O, S, V and Z.
const ALPHABET: &[u8; 31] = b"0123456789ABCDEFGHJKLMNPQRTUWXY";
const LENGTH: usize = 18;
/// The weight of each place is three times that of the place before it, modulo 31.
const WEIGHT_STEP: usize = 3;

/// A unified social credit code whose check character is right.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct LicenseNo(String);

/// Why a text is no such code.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotALicenseNo {
    /// Another length, or characters that never occur in one.
    #[error("统一社会信用代码应为 18 位数字或大写字母（不含 I、O、S、V、Z）")]
    Shape,
    /// A slip of the pen: the last character does not follow from the others.
    #[error("统一社会信用代码的校验位不正确，请核对是否录错")]
    CheckCharacter,
}

impl LicenseNo {
    /// All 18 characters.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// The character that belongs at the end of 17 others; nothing when one of them never occurs.
fn check_character(body: &[u8]) -> Option<u8> {
    let mut sum = 0;
    let mut weight = 1;
    for letter in body {
        sum += ALPHABET.iter().position(|known| known == letter)? * weight;
        weight = weight * WEIGHT_STEP % ALPHABET.len();
    }
    Some(ALPHABET[(ALPHABET.len() - sum % ALPHABET.len()) % ALPHABET.len()])
}

impl TryFrom<String> for LicenseNo {
    type Error = NotALicenseNo;

    fn try_from(text: String) -> Result<Self, NotALicenseNo> {
        let Some((last, body)) = text.as_bytes().split_last().filter(|_| text.len() == LENGTH) else {
            return Err(NotALicenseNo::Shape);
        };
        if !ALPHABET.contains(last) {
            return Err(NotALicenseNo::Shape);
        }
        match check_character(body) {
            None => Err(NotALicenseNo::Shape),
            Some(right) if right == *last => Ok(Self(text)),
            Some(_) => Err(NotALicenseNo::CheckCharacter),
        }
    }
}

impl std::str::FromStr for LicenseNo {
    type Err = NotALicenseNo;

    fn from_str(text: &str) -> Result<Self, NotALicenseNo> {
        Self::try_from(text.to_owned())
    }
}

impl From<LicenseNo> for String {
    fn from(license: LicenseNo) -> Self {
        license.0
    }
}

impl std::fmt::Display for LicenseNo {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_with_the_right_check_character_pass() {
        // The standard's own example, and codes whose check characters are a letter, a digit and zero.
        for code in ["91350100M000100Y43", "91350200MA31C0001Y", "91350200MA31C00022", "91350200MA31C000N0"] {
            assert_eq!(code.parse::<LicenseNo>().map(String::from), Ok(code.to_owned()));
        }
    }

    #[test]
    fn one_wrong_character_or_two_exchanged_are_noticed() {
        let right = b"91350100M000100Y43";
        for place in 0..LENGTH {
            for other in ALPHABET.iter().filter(|other| **other != right[place]) {
                let mut slip = *right;
                slip[place] = *other;
                let text = String::from_utf8(slip.to_vec()).unwrap();
                assert_eq!(text.parse::<LicenseNo>(), Err(NotALicenseNo::CheckCharacter), "{text}");
            }
        }
        assert_eq!("93150100M000100Y43".parse::<LicenseNo>(), Err(NotALicenseNo::CheckCharacter));
    }

    #[test]
    fn what_has_not_the_shape_is_told_apart() {
        for text in [
            "",
            "91350100M000100Y4",
            "91350100M000100Y433",
            "91350100m000100Y43",
            "9135O100M000100Y43",
            "加盟商的执照",
        ] {
            assert_eq!(text.parse::<LicenseNo>(), Err(NotALicenseNo::Shape), "{text}");
        }
    }
}
