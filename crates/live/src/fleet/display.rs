//! The state that a map shows, and the reasons why a bike cannot be rented.

use serde::Serialize;
use vocabulary::{AreaId, Timestamp};

use super::{Codes, VehicleRecord};

/// States of `docs/push.md`, the low four bits of a record.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Shown {
    /// Can be rented.
    Rentable = 0,
    /// A rider is on it.
    Riding = 1,
    /// Paused or reserved.
    Held = 2,
    /// Someone of ours works on it.
    FieldWork = 3,
    /// Too little charge.
    LowBattery = 4,
    /// Broken or out of service.
    OutOfService = 5,
    /// Not rentable for another reason.
    NotRentable = 6,
    /// Not heard for too long.
    #[default]
    Silent = 7,
}

/// Number of states.
pub const SHOWN_STATES: usize = 8;

/// What the rule of renting looks at.
#[derive(Clone, Copy, Debug)]
pub struct RentFacts {
    /// See [`VehicleRecord::lifecycle`].
    pub lifecycle: u8,
    /// See [`VehicleRecord::riding_state`].
    pub riding_state: u8,
    /// See [`VehicleRecord::operation_states`].
    pub operation_states: Codes,
    /// See [`VehicleRecord::alarm_states`].
    pub alarm_states: Codes,
    /// Charge, when the device ever said.
    pub soc_percent: Option<u8>,
    /// Heard of within five minutes.
    pub online: bool,
    /// Service area.
    pub area: Option<AreaId>,
    /// The area's state (1 = open); nothing when the area is not known.
    pub area_state: Option<i16>,
    /// The present.
    pub now: Timestamp,
}

/// One reason against renting.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Reason {
    /// For programs.
    pub code: String,
    /// For people, in Chinese.
    pub text: String,
}

/// Why a bike cannot be rented; none means that it can. The rule is the fleet's; whoever composes the system hands it
/// in (any function of this shape will do).
pub trait Rentability: Send + Sync + 'static {
    /// Every reason against renting.
    fn reasons(&self, facts: &RentFacts) -> Vec<Reason>;
}

impl<F: Fn(&RentFacts) -> Vec<Reason> + Send + Sync + 'static> Rentability for F {
    fn reasons(&self, facts: &RentFacts) -> Vec<Reason> {
        self(facts)
    }
}

/// The state to show. What people do with the bike comes before what is wrong with it.
pub fn shown(record: &VehicleRecord, online: bool, low: bool, rentable: bool) -> Shown {
    match record.riding_state {
        2 => return Shown::Riding,
        3 | 4 => return Shown::Held,
        5 => return Shown::FieldWork,
        _ => {}
    }
    if record.operation_states.has_any(&[2, 3]) {
        Shown::FieldWork
    } else if !record.on_the_street() || record.operation_states.has_any(&[1, 5, 6]) {
        Shown::OutOfService
    } else if !online {
        Shown::Silent
    } else if low {
        Shown::LowBattery
    } else if rentable {
        Shown::Rentable
    } else {
        Shown::NotRentable
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn free() -> VehicleRecord {
        VehicleRecord { lifecycle: 2, riding_state: 1, ..VehicleRecord::default() }
    }

    #[test]
    fn a_free_bike_that_speaks_is_rentable() {
        assert_eq!(shown(&free(), true, false, true), Shown::Rentable);
        assert_eq!(shown(&free(), true, false, false), Shown::NotRentable);
    }

    #[test]
    fn a_ridden_bike_is_shown_ridden_even_when_silent_and_low() {
        let ridden = VehicleRecord { riding_state: 2, ..free() };
        assert_eq!(shown(&ridden, false, true, false), Shown::Riding);
    }

    #[test]
    fn silence_comes_before_the_charge_that_is_then_old_news() {
        assert_eq!(shown(&free(), false, true, false), Shown::Silent);
        assert_eq!(shown(&free(), true, true, false), Shown::LowBattery);
    }

    #[test]
    fn a_broken_bike_is_out_of_service_and_one_being_swapped_is_field_work() {
        let broken = VehicleRecord { operation_states: Codes::of(&[5]), ..free() };
        assert_eq!(shown(&broken, true, false, false), Shown::OutOfService);
        let swapped = VehicleRecord { operation_states: Codes::of(&[3, 4]), ..free() };
        assert_eq!(shown(&swapped, true, true, false), Shown::FieldWork);
        let stocked = VehicleRecord { lifecycle: 3, ..free() };
        assert_eq!(shown(&stocked, true, false, false), Shown::OutOfService);
    }
}
