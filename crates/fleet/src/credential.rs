//! The secrets that devices and gateways connect with, derived from one key so that none has to be stored.
//! See `docs/device-protocol.md`.

use hmac::{Hmac, Mac};
use sha2::Sha256;

use crate::model::device::Imei;

/// The key that all device credentials come from. Never shown, not even by `Debug`.
#[derive(Clone)]
pub struct DeviceKey([u8; 32]);

impl std::fmt::Debug for DeviceKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("DeviceKey(…)")
    }
}

/// Who a connection is, once its credential was checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Identity {
    /// One device, under its own IMEI.
    Device(Imei),
    /// A vendor's gateway with many devices.
    Gateway(String),
}

impl Identity {
    /// Reads a user name: 15 digits, or `gateway:` and 1 to 40 letters, digits, `-` or `_`.
    pub fn from_user(user: &str) -> Option<Self> {
        match user.strip_prefix("gateway:") {
            Some(name) if is_gateway_name(name) => Some(Self::Gateway(name.to_owned())),
            Some(_) => None,
            None => Imei::try_from(user.to_owned()).ok().map(Self::Device),
        }
    }

    /// The user name that it connects with.
    pub fn user(&self) -> String {
        match self {
            Self::Device(imei) => imei.to_string(),
            Self::Gateway(name) => format!("gateway:{name}"),
        }
    }

    /// Whether a connection of this identity may bear `client_id`. A broker ends the older of two connections of one
    /// client id, so each belongs to one credential: a device's is its IMEI; a gateway's is its user name, alone or
    /// followed by `:` and what tells its connections apart.
    pub fn owns(&self, client_id: &str) -> bool {
        let user = self.user();
        match (self, client_id.strip_prefix(&user)) {
            (_, Some("")) => true,
            (Self::Gateway(_), Some(rest)) => rest.starts_with(':'),
            _ => false,
        }
    }

    fn label(&self) -> String {
        match self {
            Self::Device(imei) => format!("device:{imei}"),
            Self::Gateway(name) => format!("gateway:{name}"),
        }
    }
}

/// Whether `name` may name a gateway.
pub fn is_gateway_name(name: &str) -> bool {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
    (1..=40).contains(&name.len()) && name.bytes().all(allowed)
}

impl DeviceKey {
    /// From its bytes.
    pub const fn new(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// The credential: `hex(HMAC-SHA256(key, label))`.
    pub fn secret(&self, identity: &Identity) -> String {
        hex::encode(self.mac(identity).finalize().into_bytes())
    }

    /// Whether `secret` is the credential of `identity`; takes the same time whether it is or not.
    pub fn accepts(&self, identity: &Identity, secret: &str) -> bool {
        hex::decode(secret).is_ok_and(|secret| self.mac(identity).verify_slice(&secret).is_ok())
    }

    fn mac(&self, identity: &Identity) -> Hmac<Sha256> {
        let mut mac = Hmac::<Sha256>::new_from_slice(&self.0).expect("HMAC takes keys of any length");
        mac.update(identity.label().as_bytes());
        mac
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn identity(user: &str) -> Identity {
        Identity::from_user(user).unwrap()
    }

    #[test]
    fn a_credential_opens_its_own_identity_only() {
        let key = DeviceKey::new([7; 32]);
        let secret = key.secret(&identity("860000000000001"));
        assert!(key.accepts(&identity("860000000000001"), &secret));
        assert!(!key.accepts(&identity("860000000000002"), &secret));
        assert!(!key.accepts(&identity("gateway:860000000000001"), &secret));
        assert!(!DeviceKey::new([8; 32]).accepts(&identity("860000000000001"), &secret));
    }

    #[test]
    fn names_with_wildcards_or_dots_are_nobody() {
        for user in ["gateway:a.b", "gateway:>", "gateway:*", "gateway:", "86000000000000*", "admin", ""] {
            assert_eq!(Identity::from_user(user), None, "{user}");
        }
    }

    #[test]
    fn a_client_id_belongs_to_one_identity() {
        let (device, gateway) = (identity("860000000000001"), identity("gateway:one"));
        assert!(device.owns("860000000000001"));
        for other in ["860000000000002", "8600000000000011", "860000000000001:2", "gateway:one", ""] {
            assert!(!device.owns(other), "{other}");
        }
        assert!(gateway.owns("gateway:one") && gateway.owns("gateway:one:") && gateway.owns("gateway:one:2"));
        for other in ["gateway:one2", "gateway:one-2", "gateway:on", "one", "860000000000001", ""] {
            assert!(!gateway.owns(other), "{other}");
        }
    }

    #[test]
    fn the_key_is_not_shown() {
        assert_eq!(format!("{:?}", DeviceKey::new([7; 32])), "DeviceKey(…)");
    }
}
