//! Made-up identities that stay the same: an IMEI and a car number from any text.

use std::collections::HashSet;

/// FNV-1a with a final mix, 64 bits: the same on every machine and in every release.
pub fn stable_hash(text: &str) -> u64 {
    let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
    for byte in text.bytes() {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
    }
    hash ^= hash >> 33;
    hash = hash.wrapping_mul(0xff51_afd7_ed55_8ccd);
    hash ^= hash >> 33;
    hash = hash.wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    hash ^ (hash >> 33)
}

/// A bike's names: 15 digits for its device, letters and digits for its frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    /// 15 digits that begin with 86 and end with their check digit.
    pub imei: String,
    /// At most 15 characters.
    pub car_id: String,
}

/// The 15th digit of an IMEI (Luhn).
fn check_digit(first_14: &str) -> u8 {
    let sum: u32 = first_14
        .bytes()
        .enumerate()
        .map(|(i, byte)| {
            let digit = u32::from(byte - b'0') * if i % 2 == 1 { 2 } else { 1 };
            digit / 10 + digit % 10
        })
        .sum();
    ((10 - sum % 10) % 10) as u8
}

/// Gives identities; two different texts never share one within a register.
#[derive(Debug, Default)]
pub struct Register {
    taken: HashSet<u64>,
}

impl Register {
    /// The identity of `text`. Should its hash be taken already, the next free one: so give texts in a fixed order.
    pub fn identity(&mut self, prefix: &str, text: &str) -> Identity {
        let mut number = stable_hash(text) % 1_000_000_000_000;
        while !self.taken.insert(number) {
            number = (number + 1) % 1_000_000_000_000;
        }
        let first_14 = format!("86{number:012}");
        Identity {
            imei: format!("{first_14}{}", check_digit(&first_14)),
            car_id: format!("{prefix}{number:012}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_imei_has_15_digits_starts_with_86_and_checks() {
        // 49015420323751 has the check digit 8: the standard's own example.
        assert_eq!(check_digit("49015420323751"), 8);
        let id = Register::default().identity("R", "ff2085d23f44ba5e9d72e7065b801a21");
        assert_eq!((id.imei.len(), &id.imei[..2], id.car_id.len()), (15, "86", 13));
        assert!(id.imei.bytes().all(|b| b.is_ascii_digit()));
    }

    #[test]
    fn the_same_text_gets_the_same_identity_and_a_taken_one_is_never_given_twice() {
        let one = Register::default().identity("R", "a");
        assert_eq!(one, Register::default().identity("R", "a"));
        let mut register = Register::default();
        let (first, second) = (register.identity("R", "a"), register.identity("R", "a"));
        assert_ne!(first.imei, second.imei);
    }
}
