//! The bikes as they last spoke.

use live::Memory;
use vocabulary::Scope;

use crate::ids::VehicleIds;
use crate::model::street::Bike;

/// So many are looked at before the fleet may be written again.
const AT_ONCE: u32 = 1024;

/// The bikes in scope that riders may find on the street.
pub(crate) fn bikes(memory: &Memory, scope: &Scope, ids: &VehicleIds) -> Vec<Bike> {
    let mut bikes = Vec::new();
    let mut next = 0;
    loop {
        let fleet = memory.read();
        let end = (fleet.len() as u32).min(next + AT_ONCE);
        bikes.extend((next..end).filter_map(|slot| {
            let record = fleet.record(slot).filter(|record| scope.contains(record.owner()))?;
            Bike::of(record, &fleet.latest_in(slot)?, ids)
        }));
        if end == next {
            return bikes;
        }
        next = end;
    }
}
