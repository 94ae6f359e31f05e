//! Bounds that one address cannot use up alone.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::{ClientAddress, Refused, Share};

/// So much in all and so much of it for each address. Amounts are places, connections or bytes.
#[derive(Debug)]
pub(crate) struct Shares {
    share: Share,
    taken: Mutex<Taken>,
}

/// What is taken. An address without anything is not in the map, so `all` bounds it.
#[derive(Debug, Default)]
struct Taken {
    all: usize,
    each: HashMap<IpAddr, usize>,
}

/// Why nothing more is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Full {
    /// Everything is taken.
    All,
    /// The address has its share.
    Address,
}

/// Something taken, given back when dropped.
#[derive(Debug)]
pub(crate) struct Place {
    shares: Arc<Shares>,
    of: Option<IpAddr>,
    amount: usize,
}

impl Shares {
    pub fn new(share: Share) -> Arc<Self> {
        Arc::new(Self { share, taken: Mutex::default() })
    }

    /// Takes `amount` for `address`; without an address only the bound in all counts.
    pub fn take(self: &Arc<Self>, address: Option<ClientAddress>, amount: usize) -> Result<Place, Full> {
        let of = address.map(ClientAddress::network);
        let mut place = Place { shares: Arc::clone(self), of, amount: 0 };
        place.grow(amount)?;
        Ok(place)
    }

    fn taken(&self) -> MutexGuard<'_, Taken> {
        // Nothing inside can panic halfway.
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Place {
    /// Takes more; what was taken before stays when that fails.
    pub fn grow(&mut self, amount: usize) -> Result<(), Full> {
        let Share { all, each } = self.shares.share;
        let mut taken = self.shares.taken();
        if taken.all.saturating_add(amount) > all {
            return Err(Full::All);
        }
        if let Some(of) = self.of {
            let own = taken.each.get(&of).copied().unwrap_or(0);
            if own.saturating_add(amount) > each {
                return Err(Full::Address);
            }
            if amount > 0 {
                taken.each.insert(of, own + amount);
            }
        }
        taken.all += amount;
        self.amount += amount;
        Ok(())
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut taken = self.shares.taken();
        taken.all -= self.amount;
        let Some(of) = self.of else { return };
        let own = taken.each.get(&of).copied().unwrap_or(0);
        if own > self.amount {
            taken.each.insert(of, own - self.amount);
        } else {
            taken.each.remove(&of);
        }
    }
}

impl From<Full> for Refused {
    fn from(full: Full) -> Self {
        match full {
            Full::All => Self::unavailable("too many requests at the same time"),
            Full::Address => Self::TooMany,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> ClientAddress {
        ClientAddress(text.parse().unwrap())
    }

    fn left(shares: &Shares) -> (usize, usize) {
        let taken = shares.taken();
        (taken.all, taken.each.len())
    }

    #[test]
    fn an_address_has_its_share_and_its_neighbour_has_another() {
        let shares = Shares::new(Share { all: 3, each: 2 });
        let first = shares.take(Some(at("192.0.2.1")), 1).unwrap();
        let second = shares.take(Some(at("192.0.2.1")), 1).unwrap();
        assert_eq!(shares.take(Some(at("192.0.2.1")), 1).unwrap_err(), Full::Address);
        let third = shares.take(Some(at("192.0.2.2")), 1).unwrap();
        assert_eq!(shares.take(Some(at("192.0.2.3")), 1).unwrap_err(), Full::All);
        drop(first);
        assert!(shares.take(Some(at("192.0.2.1")), 1).is_ok());
        drop((second, third));
        assert_eq!(left(&shares), (0, 0), "nothing is remembered");
    }

    #[test]
    fn a_place_grows_as_far_as_its_share_and_gives_back_all_of_it() {
        let shares = Shares::new(Share { all: 100, each: 60 });
        let mut place = shares.take(Some(at("192.0.2.1")), 0).unwrap();
        place.grow(50).unwrap();
        assert_eq!(place.grow(11), Err(Full::Address));
        place.grow(10).unwrap();
        let mut other = shares.take(Some(at("192.0.2.2")), 40).unwrap();
        assert_eq!(other.grow(1), Err(Full::All));
        drop(place);
        other.grow(20).unwrap();
        drop(other);
        assert_eq!(left(&shares), (0, 0));
    }

    #[test]
    fn an_ipv6_network_is_one_address_and_nobody_in_particular_has_no_share() {
        let shares = Shares::new(Share { all: 4, each: 1 });
        let _held = shares.take(Some(at("2001:db8::1")), 1).unwrap();
        assert_eq!(shares.take(Some(at("2001:db8::2")), 1).unwrap_err(), Full::Address);
        let _more: Vec<Place> = (0..3).map(|_| shares.take(None, 1).unwrap()).collect();
        assert_eq!(shares.take(None, 1).unwrap_err(), Full::All);
    }
}
