//! Keyed hashes under which a phone or an identity number is one rider's alone: whoever reads the log's keys cannot try all
//! numbers.

use hmac::{Hmac, Mac};
use kernel::MasterKey;
use sha2::Sha256;
use vocabulary::{AgentId, Phone};
use wire::SecretKey;

/// Makes them.
#[derive(Clone)]
pub struct RiderKeys(SecretKey);

impl RiderKeys {
    /// From the system's master key.
    pub fn new(master: &MasterKey) -> Self {
        Self(SecretKey::new(master.derive("wheelhouse rider keys 1")))
    }

    /// Of a phone among an agent's riders, 32 hexadecimal digits.
    pub fn phone(&self, agent: AgentId, phone: &Phone) -> String {
        self.hash("phone", agent, phone.as_str())
    }

    /// Of an identity number among an agent's riders, 32 hexadecimal digits.
    pub fn id_no(&self, agent: AgentId, id_no: &str) -> String {
        self.hash("id", agent, &id_no.trim().to_ascii_uppercase())
    }

    fn hash(&self, what: &str, agent: AgentId, text: &str) -> String {
        let mut mac =
            Hmac::<Sha256>::new_from_slice(self.0.expose()).expect("HMAC takes a key of any length");
        mac.update(format!("{what}:{agent}:{text}").as_bytes());
        hex::encode(&mac.finalize().into_bytes()[..16])
    }
}
