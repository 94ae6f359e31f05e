//! What things are called outside. A bike's name there tells nothing of it and is another after each ride; geographies and
//! policies keep theirs for ever.

use hmac::{Hmac, Mac};
use sha2::Sha256;
use uuid::Uuid;

/// Everything of ours that MDS knows by a UUID is named below this one.
const NAMESPACE: Uuid = Uuid::from_u128(0x7c1f_3a52_9d0e_4b6a_8f27_5e93_c4d1_b086);

/// Names bikes; only who holds the key can tell that two names are one bike's.
#[derive(Clone)]
pub(crate) struct VehicleIds([u8; 32]);

impl VehicleIds {
    /// Under `key`.
    pub(crate) const fn new(key: [u8; 32]) -> Self {
        Self(key)
    }

    /// The bike `car_id` from when it became free, at version `freed_version` of its stream, until it does again.
    pub(crate) fn of(&self, car_id: &str, freed_version: i64) -> String {
        let mut mac = Hmac::<Sha256>::new_from_slice(&self.0).expect("HMAC takes a key of any length");
        // A number of eight bytes at the end leaves no doubt where the text ends.
        mac.update(car_id.as_bytes());
        mac.update(&freed_version.to_be_bytes());
        hex::encode(&mac.finalize().into_bytes()[..16])
    }
}

/// The UUID (version 5) of what is called `path`, such as `geography/fence/17/3`.
pub(crate) fn uuid(path: &str) -> String {
    Uuid::new_v5(&NAMESPACE, path.as_bytes()).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bike_has_another_name_after_each_ride_and_under_each_key() {
        let ids = VehicleIds::new([7; 32]);
        let name = ids.of("A00001", 4);
        assert_eq!(name, ids.of("A00001", 4));
        assert_eq!(name.len(), 32);
        let others = [
            ids.of("A00001", 5),
            ids.of("A00002", 4),
            ids.of("A0000", 4),
            VehicleIds::new([8; 32]).of("A00001", 4),
        ];
        assert!(others.iter().all(|other| *other != name), "{name} {others:?}");
    }

    #[test]
    fn a_uuid_is_always_the_same() {
        assert_eq!(uuid("geography/fence/17/3"), uuid("geography/fence/17/3"));
        assert_ne!(uuid("geography/fence/17/3"), uuid("geography/fence/17/4"));
        assert_eq!(uuid("x").as_bytes()[14], b'5', "{}", uuid("x"));
    }
}
