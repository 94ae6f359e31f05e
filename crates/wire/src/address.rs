//! Where a request comes from, and how often one address may ask.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::num::NonZeroU32;
use std::str::FromStr;

use axum::extract::{ConnectInfo, FromRequestParts};
use axum::http::request::Parts;
use axum::http::{Extensions, HeaderMap};
use governor::clock::DefaultClock;
use governor::state::keyed::DashMapStateStore;
use governor::{Quota, RateLimiter};

use crate::Refused;

/// More addresses than this are not remembered one by one.
const MAX_ADDRESSES: usize = 100_000;

/// The client's address, seen through trusted proxies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClientAddress(pub IpAddr);

impl ClientAddress {
    /// What counts as one client: an IPv4 address, or the /64 that an IPv6 address lies in.
    pub(crate) fn network(self) -> IpAddr {
        match self.0 {
            IpAddr::V4(_) => self.0,
            IpAddr::V6(v6) => IpAddr::V6((v6.to_bits() >> 64 << 64).into()),
        }
    }
}

impl<S: Sync> FromRequestParts<S> for ClientAddress {
    type Rejection = Refused;

    async fn from_request_parts(parts: &mut Parts, _state: &S) -> Result<Self, Refused> {
        let found = parts.extensions.get::<Self>().copied();
        found.ok_or_else(|| Refused::internal("the route was mounted past the wire"))
    }
}

/// An address or network (`10.0.0.0/8`) whose `X-Forwarded-For` and `X-Forwarded-Proto` are believed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TrustedProxy {
    network: IpAddr,
    prefix_bits: u32,
}

/// Neither an address nor a network.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("可信代理地址不正确：{0}")]
pub struct NotANetwork(String);

fn bits(address: IpAddr) -> (u128, u32) {
    match address {
        IpAddr::V4(v4) => (u128::from(v4.to_bits()) << 96, 32),
        IpAddr::V6(v6) => (v6.to_bits(), 128),
    }
}

impl TrustedProxy {
    fn contains(self, address: IpAddr) -> bool {
        let ((own, own_width), (other, other_width)) = (bits(self.network), bits(address.to_canonical()));
        let mask = if self.prefix_bits == 0 { 0 } else { u128::MAX << (128 - self.prefix_bits) };
        own_width == other_width && own & mask == other & mask
    }
}

impl FromStr for TrustedProxy {
    type Err = NotANetwork;

    fn from_str(text: &str) -> Result<Self, NotANetwork> {
        let wrong = || NotANetwork(text.to_owned());
        let (address, prefix) = text.split_once('/').map_or((text, None), |(a, p)| (a, Some(p)));
        let network: IpAddr = address.trim().parse().map_err(|_| wrong())?;
        let width = bits(network).1;
        let prefix_bits = prefix.map_or(Ok(width), str::parse).map_err(|_| wrong())?;
        if prefix_bits > width { Err(wrong()) } else { Ok(Self { network, prefix_bits }) }
    }
}

/// Whether an address is a proxy's that is believed.
pub(crate) fn is_trusted(address: IpAddr, trusted: &[TrustedProxy]) -> bool {
    trusted.iter().any(|proxy| proxy.contains(address))
}

/// Whose end of the connection this is, seen without headers.
fn peer(extensions: &Extensions) -> IpAddr {
    extensions
        .get::<ConnectInfo<SocketAddr>>()
        .map_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED), |info| info.0.ip().to_canonical())
}

/// Whether the client speaks https: with a trusted proxy that says so, for the server itself speaks plain http.
pub(crate) fn is_https(headers: &HeaderMap, extensions: &Extensions, trusted: &[TrustedProxy]) -> bool {
    let told = headers.get("x-forwarded-proto").and_then(|value| value.to_str().ok());
    let by_client = told.and_then(|told| told.split(',').next());
    by_client.is_some_and(|scheme| scheme.trim().eq_ignore_ascii_case("https"))
        && is_trusted(peer(extensions), trusted)
}

/// The nearest address, walking back from the peer, that is no trusted proxy. Whatever stands before it in the
/// header is the client's own claim and is not believed.
pub(crate) fn client_address(
    headers: &HeaderMap,
    extensions: &Extensions,
    trusted: &[TrustedProxy],
) -> IpAddr {
    let mut address = peer(extensions);
    let claimed: Vec<&str> = headers
        .get_all("x-forwarded-for")
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .collect();
    for claim in claimed.into_iter().rev() {
        if !is_trusted(address, trusted) {
            break;
        }
        match claim.trim().parse::<IpAddr>() {
            Ok(next) => address = next.to_canonical(),
            Err(_) => break,
        }
    }
    address
}

/// So many requests a minute from one address.
#[derive(Debug)]
pub struct AddressLimiter(RateLimiter<IpAddr, DashMapStateStore<IpAddr>, DefaultClock>);

impl AddressLimiter {
    /// `per_minute` at once, then one at a time as the minute passes; at least one.
    pub fn per_minute(per_minute: u32) -> Self {
        let quota = Quota::per_minute(NonZeroU32::new(per_minute).unwrap_or(NonZeroU32::MIN));
        Self(RateLimiter::dashmap(quota))
    }

    /// Counts a request from `address`; 429 when there were too many. IPv6 addresses count by their /64.
    pub fn check(&self, address: ClientAddress) -> Result<(), Refused> {
        if self.0.len() > MAX_ADDRESSES {
            self.0.retain_recent();
            if self.0.len() > MAX_ADDRESSES {
                return Err(Refused::TooMany);
            }
        }
        self.0.check_key(&address.network()).map_err(|_| Refused::TooMany)
    }

    /// Forgets addresses that have been quiet.
    pub fn forget_quiet(&self) {
        self.0.retain_recent();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(peer: &str, forwarded: &str, trusted: &[&str]) -> String {
        let mut extensions = Extensions::new();
        extensions.insert(ConnectInfo(SocketAddr::new(peer.parse().unwrap(), 1)));
        let mut headers = HeaderMap::new();
        headers.insert("x-forwarded-for", forwarded.parse().unwrap());
        let trusted: Vec<TrustedProxy> = trusted.iter().map(|text| text.parse().unwrap()).collect();
        client_address(&headers, &extensions, &trusted).to_string()
    }

    #[test]
    fn a_stranger_cannot_choose_its_address() {
        assert_eq!(seen("203.0.113.9", "1.2.3.4", &[]), "203.0.113.9");
        assert_eq!(seen("203.0.113.9", "1.2.3.4", &["10.0.0.0/8"]), "203.0.113.9");
        // The client put 1.2.3.4 there itself; the proxy added what it saw.
        assert_eq!(seen("10.0.0.1", "1.2.3.4, 203.0.113.9", &["10.0.0.0/8"]), "203.0.113.9");
    }

    #[test]
    fn a_chain_of_trusted_proxies_is_walked_back() {
        assert_eq!(seen("10.0.0.1", "203.0.113.9, 10.0.0.2", &["10.0.0.0/8"]), "203.0.113.9");
        assert_eq!(seen("10.0.0.1", "nonsense", &["10.0.0.0/8"]), "10.0.0.1");
        assert_eq!(seen("::1", "203.0.113.9", &["::1"]), "203.0.113.9");
    }

    #[test]
    fn networks_are_read_strictly() {
        assert!("10.0.0.0/33".parse::<TrustedProxy>().is_err());
        assert!("all".parse::<TrustedProxy>().is_err());
        assert!("0.0.0.0/0".parse::<TrustedProxy>().unwrap().contains("9.9.9.9".parse().unwrap()));
    }

    #[test]
    fn an_address_is_limited_and_its_neighbour_is_not() {
        let limiter = AddressLimiter::per_minute(3);
        let at = |text: &str| ClientAddress(text.parse().unwrap());
        assert!((0..3).all(|_| limiter.check(at("192.0.2.1")).is_ok()));
        assert!(matches!(limiter.check(at("192.0.2.1")), Err(Refused::TooMany)));
        assert!(limiter.check(at("192.0.2.2")).is_ok());
        assert!((1..4).all(|host| limiter.check(at(&format!("2001:db8::{host}"))).is_ok()));
        assert!(limiter.check(at("2001:db8::99")).is_err());
    }
}
