//! A bike's number.

use serde::{Deserialize, Serialize};

/// A bike's number (车辆编号): 1 to 40 letters, digits, `-` or `_`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct CarId(String);

impl TryFrom<String> for CarId {
    type Error = String;
    fn try_from(text: String) -> Result<Self, String> {
        let allowed = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
        if (1..=40).contains(&text.len()) && text.bytes().all(allowed) {
            Ok(Self(text))
        } else {
            Err("车辆编号需 1 到 40 位字母、数字、- 或 _".to_owned())
        }
    }
}

impl From<CarId> for String {
    fn from(id: CarId) -> Self {
        id.0
    }
}

impl CarId {
    /// Its characters.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Display for CarId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}
