//! Bikes whose every report can be recognised in a fleet buffer.
//!
//! A buffer tells slot, place, charge and heading, and the slot's number is the server's own. So place and charge say which
//! bike it is, and the heading which of its reports: places lie on a grid of [`PITCH_E6`] millionths of a degree, and what is
//! left over from the grid, north and east, are two digits of the bike's number; the third is its charge. Reports move the bike by
//! whole steps of the grid, and each turns it by one notch of [`TURN`].

use std::sync::atomic::{AtomicU64, Ordering};

/// Width of the grid, 1e-6 degree: 16 to 18 m, within a receiver's wobble.
pub const PITCH_E6: i32 = 160;
/// Bikes that two digits can tell apart.
const BY_PLACE: u32 = (PITCH_E6 * PITCH_E6) as u32;
/// Charges that are used, from [`LEAST_PERCENT`] on.
const CHARGES: u32 = 4;
/// All of them can be rented.
const LEAST_PERCENT: u8 = 50;
/// Bikes that three digits can tell apart.
pub const MOST_BIKES: u32 = BY_PLACE * CHARGES;
/// Headings (degrees / 2) that are used: reports of a bike before one looks like an earlier one.
pub const TURN: u32 = 176;
/// Reports of a bike whose sending time is remembered.
const REMEMBERED: u32 = 16;

/// South-western corner of the city, 1e-6 degree; multiples of the pitch.
const SOUTH_E6: i32 = 24_450_080 / PITCH_E6 * PITCH_E6;
const WEST_E6: i32 = 118_050_080 / PITCH_E6 * PITCH_E6;
/// The city's side in steps of the grid: about 20 km.
const SIDE_STEPS: u64 = 1_150;
/// Places where half of the bikes gather.
const HOT_SPOTS: u64 = 12;

/// A place as buffers tell it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlaceE6 {
    pub lat_e6: i32,
    pub lng_e6: i32,
}

/// Corners of a box around every place a bike can be at: `[west, south, east, north]` degrees.
pub fn city_box() -> [f64; 4] {
    let side = (SIDE_STEPS as i32 + 8) * PITCH_E6;
    let degrees = |e6: i32| f64::from(e6) / 1e6;
    [
        degrees(WEST_E6 - 4 * PITCH_E6),
        degrees(SOUTH_E6 - 4 * PITCH_E6),
        degrees(WEST_E6 + side),
        degrees(SOUTH_E6 + side),
    ]
}

/// A number that looks like chance and is the same in every run.
pub fn scatter(of: u64) -> u64 {
    let mut mixed = of.wrapping_add(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

/// Where a bike rests: half of them anywhere, half within about 1.5 km of a hot spot.
pub fn home(bike: u32) -> PlaceE6 {
    let chance = |salt: u64| scatter(u64::from(bike) * 64 + salt);
    let step = |axis: u64| {
        if chance(0) % 2 == 0 {
            return chance(1 + axis) % SIDE_STEPS;
        }
        let spot = scatter(7_000_000 + (chance(3) % HOT_SPOTS) * 2 + axis) % SIDE_STEPS;
        // The sum of four dice: thick in the middle.
        let dice: u64 = (0..4).map(|die| chance(8 + axis * 8 + die) % 45).sum();
        (spot + dice).saturating_sub(88).min(SIDE_STEPS - 1)
    };
    let in_place = (bike % BY_PLACE) as i32;
    let digits = (in_place / PITCH_E6, in_place % PITCH_E6);
    PlaceE6 {
        lat_e6: SOUTH_E6 + step(0) as i32 * PITCH_E6 + digits.0,
        lng_e6: WEST_E6 + step(1) as i32 * PITCH_E6 + digits.1,
    }
}

/// Where report number `report` of a bike is sent from: its home, or a step beside it.
pub fn place(bike: u32, report: u32) -> PlaceE6 {
    let home = home(bike);
    PlaceE6 {
        lat_e6: home.lat_e6 + (report & 1) as i32 * PITCH_E6,
        lng_e6: home.lng_e6 + (report >> 1 & 1) as i32 * PITCH_E6,
    }
}

/// The notch that report number `report` shows.
pub const fn notch(report: u32) -> u8 {
    (report % TURN) as u8
}

/// What a bike tells of its charge.
const fn charge_percent(bike: u32) -> u8 {
    LEAST_PERCENT + (bike / BY_PLACE) as u8
}

/// The bike with this charge at a place; nothing of ours has another.
pub fn bike_at(place: PlaceE6, charge_percent: u8) -> Option<u32> {
    let digit = |e6: i32| e6.rem_euclid(PITCH_E6) as u32;
    let block = u32::from(charge_percent.checked_sub(LEAST_PERCENT)?);
    let in_place = digit(place.lat_e6) * PITCH_E6 as u32 + digit(place.lng_e6);
    (block < CHARGES).then_some(block * BY_PLACE + in_place)
}

/// The compact form of a report, 32 bytes, as `docs/device-protocol.md` says: a locked bike that stands.
pub fn payload(bike: u32, report: u32, at_ms: i64) -> Vec<u8> {
    let place = place(bike, report);
    let mut out = vec![0_u8; 32];
    out[0] = 0xB1;
    out[1] = 9;
    out[2..4].copy_from_slice(&(report as u16).to_le_bytes());
    out[4..12].copy_from_slice(&at_ms.to_le_bytes());
    out[12..16].copy_from_slice(&(place.lat_e6 * 10).to_le_bytes());
    out[16..20].copy_from_slice(&(place.lng_e6 * 10).to_le_bytes());
    out[20] = 11;
    out[22] = notch(report);
    out[23] = charge_percent(bike);
    out[24] = 22;
    out[26..28].copy_from_slice(&5_210_u16.to_le_bytes());
    // Locked, armed, battery present, position valid.
    out[28..30].copy_from_slice(&0b1_0000_1101_u16.to_le_bytes());
    out
}

/// When each of the last reports of each bike was sent.
pub struct SentTimes(Vec<AtomicU64>);

impl SentTimes {
    /// Room for `bikes`.
    pub fn new(bikes: u32) -> Self {
        Self((0..bikes * REMEMBERED).map(|_| AtomicU64::new(0)).collect())
    }

    fn cell(&self, bike: u32, notch: u32) -> Option<&AtomicU64> {
        self.0.get((bike * REMEMBERED + notch % REMEMBERED) as usize)
    }

    /// Report `report` of `bike` goes out `at_us` microseconds after the beginning (at least 1).
    pub fn remember(&self, bike: u32, report: u32, at_us: u64) {
        if let Some(cell) = self.cell(bike, report % TURN) {
            cell.store(at_us << 8 | u64::from(notch(report)), Ordering::Relaxed);
        }
    }

    /// When the report that shows `notch` went out; nothing when that is forgotten or never was.
    pub fn sent_us(&self, bike: u32, notch: u8) -> Option<u64> {
        let held = self.cell(bike, u32::from(notch))?.load(Ordering::Relaxed);
        (held != 0 && held as u8 == notch).then_some(held >> 8)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_report_of_every_bike_is_recognised_by_its_place_and_heading() {
        for bike in 0..MOST_BIKES {
            for report in [0, 1, 2, 3, 175, 176, 1_000_001] {
                let bytes = payload(bike, report, 5);
                assert_eq!(bike_at(place(bike, report), bytes[23]), Some(bike));
                let e7 = |at: usize| i32::from_le_bytes(bytes[at..at + 4].try_into().unwrap());
                // The server cuts the last digit off.
                assert_eq!(PlaceE6 { lat_e6: e7(12) / 10, lng_e6: e7(16) / 10 }, place(bike, report));
                assert_eq!((e7(12) % 10, e7(16) % 10, u32::from(bytes[22])), (0, 0, report % TURN));
            }
        }
    }

    #[test]
    fn all_places_lie_in_the_city() {
        let [west, south, east, north] = city_box();
        for bike in 0..MOST_BIKES {
            for report in 0..4 {
                let place = place(bike, report);
                let (lat, lng) = (f64::from(place.lat_e6) / 1e6, f64::from(place.lng_e6) / 1e6);
                assert!(west < lng && lng < east && south < lat && lat < north, "bike {bike}");
            }
        }
    }

    #[test]
    fn the_time_of_a_report_is_told_until_sixteen_later_ones() {
        let sent = SentTimes::new(2);
        assert_eq!(sent.sent_us(1, notch(0)), None, "never sent");
        for report in 0..TURN + 40 {
            sent.remember(1, report, 1_000 + u64::from(report));
            assert_eq!(sent.sent_us(1, notch(report)), Some(1_000 + u64::from(report)));
            if report >= REMEMBERED {
                let oldest = report - REMEMBERED + 1;
                assert_eq!(sent.sent_us(1, notch(oldest)), Some(1_000 + u64::from(oldest)));
                assert_eq!(sent.sent_us(1, notch(report - REMEMBERED)), None, "forgotten");
            }
        }
        assert_eq!(sent.sent_us(0, notch(0)), None, "another bike");
        assert_eq!(sent.sent_us(2, 0), None, "no such bike");
    }
}
