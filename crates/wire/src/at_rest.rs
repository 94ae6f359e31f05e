//! Secrets in the database: sealed under keys derived from the master key.

use kernel::MasterKey;
use rand::RngCore;
use rand::rngs::OsRng;

use crate::SecretKey;
use crate::cipher::{NONCE_BYTES, open_bytes, seal_bytes};

/// Seals small secrets for one purpose.
#[derive(Clone, Debug)]
pub struct SealedAtRest(SecretKey);

/// A stored secret was sealed under another master key or for another row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a stored secret does not open: another master key, or another row's")]
pub struct WrongSeal;

impl SealedAtRest {
    /// For `purpose`, such as `authentication.session`.
    pub fn new(master: &MasterKey, purpose: &str) -> Self {
        Self(SecretKey::new(master.derive(purpose)))
    }

    /// Seals `plain` for the row named `row`.
    pub fn seal(&self, row: &str, plain: &[u8]) -> Vec<u8> {
        let mut nonce = [0; NONCE_BYTES];
        OsRng.fill_bytes(&mut nonce);
        seal_bytes(&self.0, nonce, row, plain)
    }

    /// Opens what was sealed for `row`.
    pub fn open(&self, row: &str, sealed: &[u8]) -> Result<Vec<u8>, WrongSeal> {
        open_bytes(&self.0, row, sealed).map_err(|_| WrongSeal)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seal_opens_for_its_own_purpose_row_and_master_only() {
        let master = MasterKey::new([1; 32]);
        let seal = SealedAtRest::new(&master, "a");
        let sealed = seal.seal("7", b"secret");
        assert_eq!(seal.open("7", &sealed).unwrap(), b"secret");
        assert_eq!(seal.open("8", &sealed), Err(WrongSeal));
        assert_eq!(SealedAtRest::new(&master, "b").open("7", &sealed), Err(WrongSeal));
        assert_eq!(SealedAtRest::new(&MasterKey::new([2; 32]), "a").open("7", &sealed), Err(WrongSeal));
        assert_eq!(format!("{seal:?}"), "SealedAtRest(SecretKey(…))");
    }
}
