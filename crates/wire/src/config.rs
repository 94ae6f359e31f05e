//! What the operator of the house may set.

use std::time::Duration;

use crate::TrustedProxy;

/// Whether wrapped routes insist on boxes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Encryption {
    /// Requests must be boxed.
    #[default]
    Required,
    /// Plain requests are let through and answered plain. For development only: the server refuses to start with
    /// this in the production profile.
    Optional,
}

/// Limits, origins, proxies. [`WireConfig::default`] is what production uses.
#[derive(Clone, Debug)]
pub struct WireConfig {
    /// Whether wrapped routes insist on boxes.
    pub encryption: Encryption,
    /// Web origins of other addresses that may call, such as `https://ops.example.com`. None by default.
    pub cors_origins: Vec<String>,
    /// Further sources of images (map tiles) for the content security policy, such as `https://tiles.example.com`.
    pub image_sources: Vec<String>,
    /// Addresses whose `X-Forwarded-For` is believed. None by default.
    pub trusted_proxies: Vec<TrustedProxy>,
    /// Longest body, in bytes.
    pub body_limit_bytes: usize,
    /// A request that takes longer is answered 503.
    pub request_timeout: Duration,
    /// Requests in work at the same time; more are answered 503.
    pub concurrency: usize,
    /// Key exchanges that one address may start in a minute.
    pub key_exchanges_per_minute: u32,
    /// Size of the key exchange's RSA keys.
    pub exchange_key_bits: usize,
}

impl Default for WireConfig {
    fn default() -> Self {
        Self {
            encryption: Encryption::Required,
            cors_origins: Vec::new(),
            image_sources: Vec::new(),
            trusted_proxies: Vec::new(),
            body_limit_bytes: 1024 * 1024,
            request_timeout: Duration::from_secs(30),
            concurrency: 2_000,
            key_exchanges_per_minute: 30,
            exchange_key_bits: 3072,
        }
    }
}
