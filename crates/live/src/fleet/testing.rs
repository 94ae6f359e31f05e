//! A fleet for tests.

use std::sync::Arc;

use vocabulary::{AreaId, Timestamp};

use super::{Fleet, Reason, RentFacts, VehicleRecord};
use crate::report::{Flags, Place, Report};
use crate::rules::Settings;

/// A fleet on the streets, each bike heard once.
pub(crate) struct Heard {
    pub(crate) fleet: Fleet,
    pub(crate) now: Timestamp,
}

impl Heard {
    pub(crate) fn of(bikes: u32) -> Self {
        let mut heard = Self {
            fleet: Fleet::new(Settings::default(), Arc::new(|_: &RentFacts| Vec::<Reason>::new())),
            now: Timestamp::from_millis(1_700_000_000_000),
        };
        heard.add(bikes);
        heard
    }

    /// So many more bikes.
    pub(crate) fn add(&mut self, bikes: u32) {
        let known = self.fleet.len() as u32;
        for number in known..known + bikes {
            let record = VehicleRecord {
                car_id: format!("K{number}"),
                imei: Some(format!("86{number:013}")),
                area: Some(AreaId(1)),
                lifecycle: 2,
                riding_state: 1,
                version: 1,
                ..VehicleRecord::default()
            };
            assert!(self.fleet.enrol(record, self.now));
        }
        self.report(known..known + bikes);
    }

    /// Each of them stands where it stood.
    pub(crate) fn report(&mut self, bikes: std::ops::Range<u32>) {
        let flags = Flags::POSITION_VALID.with(Flags::BATTERY_PRESENT).with(Flags::LOCKED);
        for number in bikes {
            let report = Report {
                at: self.now,
                seq: None,
                place: Place::from_degrees(24.1, 118.1),
                hdop_tenths: Some(9),
                satellites: Some(9),
                speed_kmh: 0,
                heading_half: 0,
                soc_percent: 80,
                gsm: None,
                voltage_mv: None,
                flags,
                fence_version: None,
            };
            self.fleet
                .take(&format!("86{number:013}"), &report, self.now, self.now, &mut Vec::new())
                .unwrap();
        }
    }
}
