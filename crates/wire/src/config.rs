//! What the operator of the system may set.

use std::fmt;
use std::net::Ipv6Addr;
use std::str::FromStr;
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

/// A web origin as browsers write it: `https://ops.example.com`, `http://10.0.0.5:8080`. No path, no wildcard.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin(String);

/// An [`Origin`] reached over https.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SecureOrigin(Origin);

/// Why a text is no origin.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotAnOrigin {
    /// It does not begin with a scheme of the web.
    #[error("it must begin with http:// or https://")]
    Scheme,
    /// Only https will do.
    #[error("it must begin with https://")]
    Insecure,
    /// What follows is no host.
    #[error(
        "after the scheme only a host is written, in small letters, without path, wildcard or slash at the end"
    )]
    Host,
    /// The port is none, or the one that browsers leave out.
    #[error("its port must be a number, and is left out where it is the scheme's own (80, 443)")]
    Port,
}

impl Origin {
    /// Where sockets of this origin are.
    pub(crate) fn sockets(&self) -> String {
        self.0.replacen("http", "ws", 1)
    }
}

impl SecureOrigin {
    /// Without the promise.
    pub fn origin(&self) -> &Origin {
        &self.0
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl FromStr for Origin {
    type Err = NotAnOrigin;

    fn from_str(text: &str) -> Result<Self, NotAnOrigin> {
        let (own_port, rest) = match text.split_once("://") {
            Some(("http", rest)) => (80, rest),
            Some(("https", rest)) => (443, rest),
            _ => return Err(NotAnOrigin::Scheme),
        };
        let host_end = if rest.starts_with('[') {
            rest.find(']').map_or(rest.len(), |end| end + 1)
        } else {
            rest.find(':').unwrap_or(rest.len())
        };
        let (host, port) = rest.split_at(host_end);
        if !is_host(host) {
            return Err(NotAnOrigin::Host);
        }
        if !port.is_empty() {
            let digits = port.strip_prefix(':').ok_or(NotAnOrigin::Host)?;
            let number: u16 = digits.parse().map_err(|_| NotAnOrigin::Port)?;
            if number == 0 || number == own_port || number.to_string() != digits {
                return Err(NotAnOrigin::Port);
            }
        }
        Ok(Self(text.to_owned()))
    }
}

impl FromStr for SecureOrigin {
    type Err = NotAnOrigin;

    fn from_str(text: &str) -> Result<Self, NotAnOrigin> {
        let origin: Origin = text.parse()?;
        if origin.0.starts_with("https://") { Ok(Self(origin)) } else { Err(NotAnOrigin::Insecure) }
    }
}

/// A name of small letters, digits, `-` and dots (an IPv4 address too), or an IPv6 address in brackets.
fn is_host(host: &str) -> bool {
    if let Some(inside) = host.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
        return inside.parse::<Ipv6Addr>().is_ok_and(|address| address.to_string() == inside);
    }
    let allowed = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    let is_label = |label: &str| {
        (1..=63).contains(&label.len())
            && label.bytes().all(allowed)
            && !label.starts_with('-')
            && !label.ends_with('-')
    };
    host.len() <= 253 && host.split('.').all(is_label)
}

/// A bound, and how much of it one client address may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Share {
    /// Of all clients together.
    pub all: usize,
    /// Of one address (an IPv6 /64 counts as one).
    pub each: usize,
}

/// Limits, origins, proxies. [`WireConfig::default`] is what production uses.
#[derive(Clone, Debug)]
pub struct WireConfig {
    /// Whether wrapped routes insist on boxes.
    pub encryption: Encryption,
    /// The system's addresses beside the one that a page came from: pages from these may call, and pages may call
    /// these. None by default.
    pub cors_origins: Vec<Origin>,
    /// Where a chat widget's script comes from, and whom it may talk to and show. None by default.
    pub chat_origins: Vec<SecureOrigin>,
    /// Further sources of images (map tiles) for the content security policy, such as `https://tiles.example.com`.
    pub image_sources: Vec<String>,
    /// Addresses whose `X-Forwarded-For` and `X-Forwarded-Proto` are believed. None by default.
    pub trusted_proxies: Vec<TrustedProxy>,
    /// Longest body, in bytes.
    pub body_limit_bytes: usize,
    /// A body that stands still for longer is answered 408.
    pub body_pause: Duration,
    /// A body that takes longer in all is answered 408.
    pub body_timeout: Duration,
    /// Bytes of the bodies of all requests under way.
    pub body_bytes: Share,
    /// A request that takes longer is answered 503; reading its body does not count.
    pub request_timeout: Duration,
    /// Requests in work at the same time, from when their bodies were read; more are answered 503 or 429. Health and
    /// figures are not among them.
    pub requests: Share,
    /// Connections that are no websockets; more are closed. Trusted proxies have no share of their own: of those behind
    /// them each may have so many requests whose bodies are on their way.
    pub connections: Share,
    /// Websockets; more are answered 503 or 429.
    pub sockets: Share,
    /// Within this time from its beginning, or from the end of the last answer, the head of the next request must have
    /// come whole; else the connection is closed.
    pub idle_timeout: Duration,
    /// A client that takes no byte of an answer for longer is given up.
    pub stall_timeout: Duration,
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
            chat_origins: Vec::new(),
            image_sources: Vec::new(),
            trusted_proxies: Vec::new(),
            body_limit_bytes: 1024 * 1024,
            body_pause: Duration::from_secs(10),
            body_timeout: Duration::from_mins(1),
            body_bytes: Share { all: 256 * 1024 * 1024, each: 64 * 1024 * 1024 },
            request_timeout: Duration::from_secs(30),
            requests: Share { all: 2_000, each: 500 },
            connections: Share { all: 10_000, each: 4_000 },
            sockets: Share { all: 8_000, each: 2_000 },
            // Longer than the proxies in front usually keep a connection, so that they end it.
            idle_timeout: Duration::from_secs(75),
            stall_timeout: Duration::from_mins(1),
            key_exchanges_per_minute: 30,
            exchange_key_bits: 3072,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_origin_is_written_as_browsers_write_it() {
        for right in [
            "https://ops.example.com",
            "http://localhost",
            "http://10.0.0.5:8080",
            "https://pay.example.com:8443",
            "http://[::1]:8080",
        ] {
            assert_eq!(right.parse::<Origin>().map(|origin| origin.to_string()), Ok(right.to_owned()));
        }
        for (wrong, why) in [
            ("", NotAnOrigin::Scheme),
            ("*", NotAnOrigin::Scheme),
            ("null", NotAnOrigin::Scheme),
            ("ops.example.com", NotAnOrigin::Scheme),
            ("wss://ops.example.com", NotAnOrigin::Scheme),
            ("https://", NotAnOrigin::Host),
            ("https://*.example.com", NotAnOrigin::Host),
            ("https://Ops.example.com", NotAnOrigin::Host),
            ("https://ops.example.com/", NotAnOrigin::Host),
            ("https://ops.example.com/chat.js", NotAnOrigin::Host),
            ("https://me@ops.example.com", NotAnOrigin::Host),
            ("https://a.example;script-src", NotAnOrigin::Host),
            ("https://a.example https://b.example", NotAnOrigin::Host),
            ("https://ops..example.com", NotAnOrigin::Host),
            ("https://[::1", NotAnOrigin::Host),
            ("https://[::1]x", NotAnOrigin::Host),
            ("https://ops.example.com:443", NotAnOrigin::Port),
            ("http://ops.example.com:80", NotAnOrigin::Port),
            ("http://ops.example.com:08080", NotAnOrigin::Port),
            ("http://ops.example.com:", NotAnOrigin::Port),
            ("http://ops.example.com:70000", NotAnOrigin::Port),
            ("http://ops.example.com:8080/x", NotAnOrigin::Port),
        ] {
            assert_eq!(wrong.parse::<Origin>(), Err(why), "{wrong}");
        }
    }

    #[test]
    fn a_chat_script_comes_over_https_or_not_at_all() {
        assert!("https://chat.example.com".parse::<SecureOrigin>().is_ok());
        assert_eq!("http://chat.example.com".parse::<SecureOrigin>(), Err(NotAnOrigin::Insecure));
        assert_eq!("https://*.example.com".parse::<SecureOrigin>(), Err(NotAnOrigin::Host));
    }
}
