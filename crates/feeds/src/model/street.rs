//! The bikes that riders may find on the street.

use std::collections::BTreeMap;

use fleet::model::region::{AlarmState, OperationState, RidingState};
use live::fleet::{Latest, Shown, VehicleRecord};
use vocabulary::{AreaId, FenceId, Timestamp, Wgs84};

use super::ground::Ground;
use crate::ids::VehicleIds;

/// What a rider can do with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Standing {
    /// Take it.
    Free,
    /// Nothing: another one will.
    Reserved,
    /// Nothing: it is not in order, or cannot be lent now.
    Disabled,
}

/// A bike on the street that nobody is on.
#[derive(Clone, Debug)]
pub(crate) struct Bike {
    /// Its name outside, until its next ride.
    pub id: String,
    pub area: Option<AreaId>,
    pub place: Wgs84,
    pub hdop: f64,
    pub soc_percent: u8,
    pub reported_at: Timestamp,
    pub standing: Standing,
}

/// How a bike stands there; nothing when it does not: it is ridden, taken away, lost, or not on the street at all.
pub(crate) fn standing(record: &VehicleRecord, shown: u8) -> Option<Standing> {
    let in_work = |state: OperationState| record.operation_states.has(state.number() as u8);
    let taken_away = [OperationState::OffStreet, OperationState::Moving, OperationState::TowedBack];
    let is_lost = record.alarm_states.has(AlarmState::ReportedLost.number() as u8);
    if !record.on_the_street() || is_lost || taken_away.into_iter().any(in_work) {
        return None;
    }
    match RidingState::try_from(i16::from(record.riding_state)).ok()? {
        RidingState::Riding | RidingState::Paused => None,
        RidingState::Reserved => Some(Standing::Reserved),
        RidingState::Idle if shown == Shown::Rentable as u8 => Some(Standing::Free),
        RidingState::Idle | RidingState::FieldWork => Some(Standing::Disabled),
    }
}

impl Bike {
    /// What is told of a bike by what is known of it; nothing when riders do not find it, or nobody knows where it stands.
    pub(crate) fn of(record: &VehicleRecord, latest: &Latest, ids: &VehicleIds) -> Option<Self> {
        let standing = standing(record, latest.state)?;
        let place = latest.place?;
        Some(Self {
            id: ids.of(&record.car_id, record.freed_version),
            area: record.area,
            place: Wgs84::new(place.lat(), place.lng()).ok()?,
            hdop: latest.hdop.map_or(1.0, f64::from),
            soc_percent: latest.soc_percent.min(100),
            reported_at: latest.report_at,
            standing,
        })
    }
}

/// How many bikes stand in a station.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Count {
    pub free: u32,
    pub disabled: u32,
    pub all: u32,
}

/// The bikes, each with the station that it stands in, and how many stand in each.
pub(crate) struct Street {
    pub bikes: Vec<(Bike, Option<FenceId>)>,
    pub counts: BTreeMap<FenceId, Count>,
}

impl Street {
    /// Of `bikes` on `ground`.
    pub(crate) fn new(bikes: Vec<Bike>, ground: &Ground) -> Self {
        let mut counts: BTreeMap<FenceId, Count> =
            ground.stations.iter().map(|station| (station.id, Count::default())).collect();
        let bikes = bikes.into_iter().map(|bike| {
            let station = ground.station_of(bike.place, bike.hdop, bike.area);
            let count = station.and_then(|station| counts.get_mut(&station));
            let told = count.is_some();
            if let Some(count) = count {
                count.all += 1;
                count.free += u32::from(bike.standing == Standing::Free);
                count.disabled += u32::from(bike.standing == Standing::Disabled);
            }
            (bike, station.filter(|_| told))
        });
        Self { bikes: bikes.collect(), counts }
    }
}

#[cfg(test)]
mod tests {
    use live::fleet::Codes;

    use super::*;

    const RENTABLE: u8 = Shown::Rentable as u8;

    fn record(riding: RidingState) -> VehicleRecord {
        VehicleRecord { lifecycle: 2, riding_state: riding.number() as u8, ..VehicleRecord::default() }
    }

    #[test]
    fn a_bike_that_somebody_is_on_is_not_told_of() {
        for ridden in [RidingState::Riding, RidingState::Paused] {
            assert_eq!(standing(&record(ridden), Shown::Riding as u8), None);
        }
        assert_eq!(standing(&record(RidingState::Reserved), Shown::Held as u8), Some(Standing::Reserved));
        assert_eq!(standing(&record(RidingState::Idle), RENTABLE), Some(Standing::Free));
    }

    #[test]
    fn a_bike_that_cannot_be_lent_is_disabled() {
        for shown in [Shown::Silent, Shown::LowBattery, Shown::NotRentable, Shown::OutOfService] {
            assert_eq!(
                standing(&record(RidingState::Idle), shown as u8),
                Some(Standing::Disabled),
                "{shown:?}"
            );
        }
        assert_eq!(
            standing(&record(RidingState::FieldWork), Shown::FieldWork as u8),
            Some(Standing::Disabled)
        );
    }

    #[test]
    fn a_bike_that_is_away_is_not_told_of() {
        let free = || record(RidingState::Idle);
        assert_eq!(standing(&VehicleRecord { lifecycle: 3, ..free() }, RENTABLE), None);
        for away in [1, 2, 6] {
            let record = VehicleRecord { operation_states: Codes::of(&[away]), ..free() };
            assert_eq!(standing(&record, RENTABLE), None, "{away}");
        }
        assert_eq!(standing(&VehicleRecord { alarm_states: Codes::of(&[9]), ..free() }, RENTABLE), None);
        let swapped = VehicleRecord { operation_states: Codes::of(&[3]), ..free() };
        assert_eq!(standing(&swapped, Shown::FieldWork as u8), Some(Standing::Disabled), "it stands there");
    }
}
