//! A bike's latest state, as a drawer shows it and as it is kept for a restart.

use vocabulary::{DataOwner, Timestamp};

use super::{Codes, Fleet, NEVER, SOC_UNKNOWN, Shown};
use crate::report::{Flags, Place, Report};

/// Everything a bike last said.
#[derive(Clone, Debug, PartialEq)]
pub struct Latest {
    /// See [`super::Shown`].
    pub state: u8,
    /// Charge, percent.
    pub soc_percent: u8,
    /// km/h at the last fix.
    pub speed_kmh: u8,
    /// Degrees clockwise from north at the last fix.
    pub heading_deg: u16,
    /// Where the last fix was.
    pub place: Option<Place>,
    /// When it was.
    pub fix_at: Option<Timestamp>,
    /// Dilution of precision of the last fix.
    pub hdop: Option<f32>,
    /// Satellites.
    pub satellites: Option<u8>,
    /// Signal, 0-31.
    pub gsm: Option<u8>,
    /// Battery, mV.
    pub voltage_mv: Option<u32>,
    /// See [`Flags`].
    pub flags: Flags,
    /// Heard of within five minutes.
    pub online: bool,
    /// The device's time of its last report.
    pub report_at: Timestamp,
    /// The server's time of it.
    pub heard_at: Timestamp,
}

/// A bike's latest state as it is kept for a restart.
#[derive(Clone, Debug, PartialEq)]
pub struct Stored {
    /// Vehicle number.
    pub car_id: String,
    /// Its last report, with the place of the last fix.
    pub report: Report,
    /// When that fix was; nothing when there never was one.
    pub fix_at: Option<Timestamp>,
    /// The server's time of the report.
    pub heard_at: Timestamp,
}

/// A bike on the streets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StreetBike {
    /// Whose it is.
    pub owner: DataOwner,
    /// Where its last fix was.
    pub place: Place,
    /// Dilution of precision of that, in tenths, where the device told.
    pub hdop_tenths: Option<u8>,
    /// See [`super::Shown`].
    pub state: u8,
    /// Whether there is an alarm about it.
    pub alarmed: bool,
    /// Whether it was reported broken.
    pub broken: bool,
}

/// Of [`super::VehicleRecord::operation_states`].
const REPORTED_BROKEN: u8 = 5;

impl Fleet {
    /// What a bike last said; nothing when it never did, or is not known.
    pub fn latest(&self, car_id: &str) -> Option<Latest> {
        self.latest_in(self.slot(car_id)?)
    }

    /// What the bike in a slot last said; nothing when it never did, or there is none.
    pub fn latest_in(&self, slot: u32) -> Option<Latest> {
        let index = slot as usize;
        if *self.report_at.get(index)? == NEVER {
            return None;
        }
        let cold = &self.cold[index];
        let fix_at = (self.fix_at[index] != NEVER).then(|| Timestamp::from_millis(self.fix_at[index]));
        Some(Latest {
            state: self.state[index] & 0x0f,
            soc_percent: self.soc[index],
            speed_kmh: self.speed[index],
            heading_deg: u16::from(self.heading[index]) * 2,
            place: fix_at.map(|_| self.place[index]),
            fix_at,
            hdop: cold.hdop_tenths.map(|tenths| f32::from(tenths) / 10.0),
            satellites: cold.satellites,
            gsm: cold.gsm,
            voltage_mv: cold.voltage_mv,
            flags: self.flags[index],
            online: self.online[index],
            report_at: Timestamp::from_millis(self.report_at[index]),
            heard_at: Timestamp::from_millis(self.heard_at[index]),
        })
    }

    /// The slots of all bikes that a map shows somewhere, each with whose it is.
    pub(crate) fn on_maps(&self) -> impl Iterator<Item = (u32, DataOwner)> + '_ {
        let all = (0..).zip(&self.records).zip(&self.fix_at);
        all.filter(|((_, record), fix_at)| record.outside() && **fix_at != NEVER)
            .map(|((slot, record), _)| (slot, record.owner()))
    }

    /// Where the bikes on the streets had their last fix, each with whose it is; of those without one nothing.
    pub fn street_places(&self) -> impl Iterator<Item = (DataOwner, Place)> + '_ {
        let all = self.records.iter().zip(&self.fix_at).zip(&self.place);
        all.filter(|((record, fix_at), _)| record.on_the_street() && **fix_at != NEVER)
            .map(|((record, _), place)| (record.owner(), *place))
    }

    /// The bikes on the streets that had a fix, as they are shown.
    pub fn street_bikes(&self) -> impl Iterator<Item = StreetBike> + '_ {
        let with_fix = self.fix_at.iter().enumerate().filter(|(_, fix_at)| **fix_at != NEVER);
        with_fix
            .map(|(index, _)| (index, &self.records[index]))
            .filter(|(_, record)| record.on_the_street())
            .map(|(index, record)| StreetBike {
                owner: record.owner(),
                place: self.place[index],
                hdop_tenths: self.cold[index].hdop_tenths,
                state: self.state[index] & 0x0f,
                alarmed: record.alarm_states != Codes::default(),
                broken: record.operation_states.has(REPORTED_BROKEN),
            })
    }

    /// The bikes that may be handed out, each with its number, its owner, where its last fix was and its charge in percent.
    pub fn rentable_bikes(&self) -> impl Iterator<Item = (&str, DataOwner, Place, u8)> + '_ {
        let with_fix = self.fix_at.iter().enumerate().filter(|(_, fix_at)| **fix_at != NEVER);
        let rentable = with_fix.filter(|(index, _)| self.state[*index] & 0x0f == Shown::Rentable as u8);
        rentable.map(|(index, _)| {
            let record = &self.records[index];
            (&*record.car_id, record.owner(), self.place[index], self.soc[index])
        })
    }

    /// What to keep of a slot; nothing when it never reported.
    pub fn stored(&self, slot: u32) -> Option<Stored> {
        let index = slot as usize;
        if self.report_at[index] == NEVER || self.soc[index] == SOC_UNKNOWN {
            return None;
        }
        let cold = &self.cold[index];
        Some(Stored {
            car_id: self.records[index].car_id.clone(),
            report: Report {
                at: Timestamp::from_millis(self.report_at[index]),
                seq: None,
                place: self.place[index],
                hdop_tenths: cold.hdop_tenths,
                satellites: cold.satellites,
                speed_kmh: self.speed[index],
                heading_half: self.heading[index],
                soc_percent: self.soc[index],
                gsm: cold.gsm,
                voltage_mv: cold.voltage_mv,
                flags: self.flags[index],
                fence_version: self.told[index],
            },
            fix_at: (self.fix_at[index] != NEVER).then(|| Timestamp::from_millis(self.fix_at[index])),
            heard_at: Timestamp::from_millis(self.heard_at[index]),
        })
    }

    /// Puts a bike where it was kept, unless more is known of it. For a bike that is not known yet that waits until it is.
    pub fn restore(&mut self, stored: Stored, now: Timestamp) {
        let Some(slot) = self.slot(&stored.car_id) else {
            self.unclaimed.insert(stored.car_id.clone(), stored);
            return;
        };
        let index = slot as usize;
        if self.report_at[index] >= stored.report.at.millis() {
            return;
        }
        self.write(slot, &stored.report, stored.fix_at.is_some(), stored.heard_at);
        self.fix_at[index] = stored.fix_at.map_or(NEVER, Timestamp::millis);
        self.heard_at[index] = stored.heard_at.millis();
        self.refresh(slot, now);
        self.board.touch(slot);
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::Heard;

    #[test]
    fn what_was_kept_of_a_bike_that_is_not_known_yet_waits_for_it() {
        let mut before = Heard::of(2);
        let kept = [0, 1].map(|slot| before.fleet.stored(slot).unwrap());
        let records: Vec<_> = before.fleet.records().cloned().collect();
        before.now = before.now.plus_millis(60_000);
        before.report(0..1);

        let mut after = Heard::of(0);
        for stored in kept.clone() {
            after.fleet.restore(stored, after.now);
        }
        after.fleet.restore(before.fleet.stored(0).unwrap(), after.now);
        assert_eq!(after.fleet.latest("K0"), None);
        for record in records {
            assert!(after.fleet.enrol(record, after.now));
        }
        assert_eq!(after.fleet.stored(0), before.fleet.stored(0), "the newest of what was kept");
        assert_eq!(after.fleet.stored(1).as_ref(), Some(&kept[1]));
        assert!(after.fleet.unclaimed.is_empty());
    }
}
