//! Which nats-server is new enough.

use std::fmt;
use std::str::FromStr;

/// The oldest nats-server the product works with: before it, key-value buckets cannot be made,
/// MQTT QoS 2 closes the connection and the auth callout does not exist.
pub const OLDEST_NATS: NatsVersion = NatsVersion { major: 2, minor: 10, patch: 0 };

/// A nats-server's version, as `nats-server -v` and the server's greeting say it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct NatsVersion {
    /// Breaking changes.
    pub major: u32,
    /// Features.
    pub minor: u32,
    /// Repairs.
    pub patch: u32,
}

/// The text did not hold a version like `v2.10.27`.
#[derive(Debug, PartialEq, Eq)]
pub struct NotANatsVersion(pub String);

impl fmt::Display for NotANatsVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "not a nats-server version: {:?}", self.0)
    }
}

impl std::error::Error for NotANatsVersion {}

impl fmt::Display for NatsVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.major, self.minor, self.patch)
    }
}

impl FromStr for NatsVersion {
    type Err = NotANatsVersion;

    /// Takes `nats-server: v2.10.27`, `v2.10.27`, `2.12.6-RC.1` and the like.
    fn from_str(text: &str) -> Result<Self, NotANatsVersion> {
        let refused = || NotANatsVersion(text.chars().take(80).collect());
        let word = text.split_whitespace().last().ok_or_else(refused)?;
        let word = word.strip_prefix('v').unwrap_or(word);
        let digits = word.split(['-', '+']).next().unwrap_or_default();
        let mut parts = digits.split('.').map(str::parse::<u32>);
        match (parts.next(), parts.next(), parts.next(), parts.next()) {
            (Some(Ok(major)), Some(Ok(minor)), Some(Ok(patch)), None) => Ok(Self { major, minor, patch }),
            _ => Err(refused()),
        }
    }
}

impl NatsVersion {
    /// An error that says what to do when this version is too old.
    pub fn require(self) -> Result<Self, anyhow::Error> {
        anyhow::ensure!(
            self >= OLDEST_NATS,
            "nats-server {self} is too old: {OLDEST_NATS} or newer is needed (2.12.6 or newer in production). \
             Put a newer one on PATH, or name it in WHEELHOUSE_NATS_SERVER"
        );
        Ok(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn version(major: u32, minor: u32, patch: u32) -> NatsVersion {
        NatsVersion { major, minor, patch }
    }

    #[test]
    fn the_usual_spellings_are_read() {
        for (text, expected) in [
            ("nats-server: v2.10.27\n", version(2, 10, 27)),
            ("2.12.6", version(2, 12, 6)),
            ("v2.15.1-RC.1", version(2, 15, 1)),
            ("2.10.27+b2", version(2, 10, 27)),
        ] {
            assert_eq!(text.parse(), Ok(expected), "{text:?}");
        }
    }

    #[test]
    fn anything_else_is_refused() {
        for text in ["", "nats-server", "2.10", "2.x.1", "2.10.27.1", "v"] {
            assert!(text.parse::<NatsVersion>().is_err(), "{text:?}");
        }
    }

    #[test]
    fn servers_before_2_10_are_refused_with_advice() {
        let error = version(2, 9, 10).require().expect_err("2.9.10 lacks the auth callout");
        assert!(error.to_string().contains("2.9.10 is too old"), "{error}");
        assert!(error.to_string().contains("WHEELHOUSE_NATS_SERVER"), "{error}");
        assert!(version(2, 10, 0).require().is_ok());
        assert!(version(3, 0, 0).require().is_ok());
    }
}
