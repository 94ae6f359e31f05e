//! Permission codes.

use serde::{Deserialize, Serialize};

/// A permission code such as `0301` or `vehicle:cmd.lock` (权限码): 1 to 48 of letters, digits, `_ : . -`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct PermissionCode(std::sync::Arc<str>);

/// The text is not a permission code.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("权限码格式不正确：{0}")]
pub struct NotAPermissionCode(pub String);

impl PermissionCode {
    /// The code's text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for PermissionCode {
    type Error = NotAPermissionCode;

    fn try_from(text: String) -> Result<Self, NotAPermissionCode> {
        let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"_:.-".contains(&byte);
        if (1..=48).contains(&text.len()) && text.bytes().all(allowed) {
            Ok(Self(text.into()))
        } else {
            Err(NotAPermissionCode(text))
        }
    }
}

impl From<PermissionCode> for String {
    fn from(code: PermissionCode) -> Self {
        code.0.as_ref().to_owned()
    }
}

impl std::borrow::Borrow<str> for PermissionCode {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Display for PermissionCode {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}
