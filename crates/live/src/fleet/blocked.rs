//! Why bikes on the street cannot be rented, area by area.

use std::collections::{BTreeMap, HashMap};

use vocabulary::{DataOwner, Timestamp};

use super::Fleet;

/// Bikes on the street of one owner that nobody uses.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Blocked {
    /// Those that can be rented.
    pub rentable: u32,
    /// Those that cannot, each counted once.
    pub blocked: u32,
    /// The same by the code of each reason; one bike may have several.
    pub reasons: BTreeMap<String, u32>,
}

/// Nobody uses it, or somebody of ours works on it.
const UNUSED: [u8; 2] = [1, 5];
/// Codes that tell only that somebody uses the bike.
const USED: [&str; 2] = ["in-use", "reserved"];

impl Fleet {
    /// Counts the bikes on the street that nobody uses, by owner.
    pub fn blocked(&self, now: Timestamp) -> HashMap<DataOwner, Blocked> {
        let mut all: HashMap<DataOwner, Blocked> = HashMap::new();
        for (slot, record) in (0..).zip(&self.records) {
            if !record.on_the_street() || !UNUSED.contains(&record.riding_state) {
                continue;
            }
            let count = all.entry(record.owner()).or_default();
            let mut reasons = self.reasons(slot, now);
            reasons.retain(|reason| record.riding_state != 1 || !USED.contains(&reason.code.as_str()));
            if reasons.is_empty() {
                count.rentable += 1;
                continue;
            }
            count.blocked += 1;
            // A bike is told of once for each code, however many words there are for it.
            reasons.sort_unstable_by(|a, b| a.code.cmp(&b.code));
            reasons.dedup_by(|a, b| a.code == b.code);
            for reason in reasons {
                // Work shows as being in use.
                let code =
                    if USED.contains(&reason.code.as_str()) { "operation".to_owned() } else { reason.code };
                *count.reasons.entry(code).or_default() += 1;
            }
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use vocabulary::{AreaId, Timestamp};

    use super::*;
    use crate::fleet::{Reason, RentFacts, VehicleRecord};
    use crate::rules::Settings;

    fn rule(facts: &RentFacts) -> Vec<Reason> {
        let told = |code: &str| Reason { code: code.to_owned(), text: code.to_owned() };
        let mut reasons = Vec::new();
        if facts.operation_states.has(5) {
            reasons.push(told("fault"));
        }
        if facts.alarm_states.has(6) {
            reasons.extend([told("battery-removed"), told("battery-removed")]);
        }
        if facts.riding_state != 1 {
            reasons.push(told("in-use"));
        }
        reasons
    }

    #[test]
    fn a_bike_counts_once_among_the_blocked_and_once_for_each_reason_and_ridden_ones_do_not_count() {
        let now = Timestamp::from_millis(1_700_000_000_000);
        let mut fleet = Fleet::new(Settings::default(), Arc::new(rule));
        let bike = |car_id: &str| VehicleRecord {
            car_id: car_id.to_owned(),
            area: Some(AreaId(1)),
            lifecycle: 2,
            riding_state: 1,
            version: 1,
            ..VehicleRecord::default()
        };
        let both = VehicleRecord {
            operation_states: crate::fleet::Codes::of(&[5]),
            alarm_states: crate::fleet::Codes::of(&[6]),
            ..bike("both")
        };
        let elsewhere = VehicleRecord { area: Some(AreaId(2)), ..bike("elsewhere") };
        let ridden = VehicleRecord { riding_state: 2, ..bike("ridden") };
        let stocked = VehicleRecord { lifecycle: 1, ..bike("stocked") };
        let at_work = VehicleRecord { riding_state: 5, ..bike("at work") };
        for record in [bike("fine"), both, elsewhere, ridden, stocked, at_work] {
            assert!(fleet.enrol(record, now));
        }
        let all = fleet.blocked(now);
        let of = |area| {
            all.iter().find(|(owner, _)| owner.area == Some(AreaId(area))).map(|(_, count)| count.clone())
        };
        let reasons = BTreeMap::from([
            ("battery-removed".to_owned(), 1),
            ("fault".to_owned(), 1),
            ("operation".to_owned(), 1),
        ]);
        assert_eq!(of(1), Some(Blocked { rentable: 1, blocked: 2, reasons }));
        assert_eq!(of(2), Some(Blocked { rentable: 1, ..Blocked::default() }));
    }
}
