//! How long bikes stand unused beside those around them: one that nobody takes where others come and go has likely been carried
//! into a yard or cannot be found.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use vocabulary::Timestamp;

use super::{Fleet, NEVER};
use crate::report::Place;

/// A neighbourhood is a square of three by three of these cells, about 400 m each.
const CELL_DEGREES: f64 = 0.0036;
/// Fewer bikes are no neighbourhood.
const BIKES_LEAST: u32 = 5;
/// So long a bike stands at least before it is likely lost,
const LOST_HOURS: i64 = 24;
/// and so many times as long as those around it.
const LOST_TIMES: i64 = 4;
const HOUR_MS: i64 = 3_600_000;
/// Neighbourhoods are reckoned anew after so long.
const KEPT_MS: i64 = 60_000;

/// A bike's standing beside those around it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Beside {
    /// Unused bikes around it, itself left out.
    pub bikes: u32,
    /// How long they stand unused in the mean, milliseconds.
    pub mean_idle_ms: i64,
    /// Whether it stands so much longer that it is likely lost.
    pub likely_lost: bool,
}

type Cell = (i32, i32);

/// Unused bikes of the streets by cells: how many, and the sum of since when they are, epoch milliseconds.
#[derive(Debug, Default)]
struct Cells(HashMap<Cell, (u32, i64)>);

fn cell(place: Place) -> Cell {
    // Of the whole degree, so that the columns of neighbouring rows lie above each other.
    let lng_scale = place.lat().round().to_radians().cos().max(0.01);
    let of = |degrees: f64| (degrees / CELL_DEGREES).floor() as i32;
    (of(place.lat()), of(place.lng() * lng_scale))
}

impl Cells {
    /// Of the bike that is unused since `since_ms` at `place`; nothing where too few stand around it.
    fn beside(&self, place: Place, since_ms: i64, now: Timestamp) -> Option<Beside> {
        let (row, column) = cell(place);
        let around =
            (row - 1..=row + 1).flat_map(|row| (column - 1..=column + 1).map(move |column| (row, column)));
        let found = around.filter_map(|cell| self.0.get(&cell));
        let (bikes, sum_ms) = found.fold((0, 0), |(bikes, sum), (more, since)| (bikes + more, sum + since));
        let (bikes, sum_ms) = (bikes.checked_sub(1)?, sum_ms - since_ms);
        if bikes < BIKES_LEAST {
            return None;
        }
        let mean_idle_ms = (now.millis() - sum_ms / i64::from(bikes)).max(0);
        let idle_ms = now.millis() - since_ms;
        let likely_lost = idle_ms >= LOST_HOURS * HOUR_MS && idle_ms >= LOST_TIMES * mean_idle_ms;
        Some(Beside { bikes, mean_idle_ms, likely_lost })
    }
}

/// The cells as they were reckoned last, and when.
#[derive(Debug, Default)]
pub(super) struct Neighbourhoods(Mutex<Option<(i64, Arc<Cells>)>>);

impl Fleet {
    /// How long the unused bike in a slot stands beside those around it; nothing where it is used, not on the street, has no
    /// place, or too few stand around it.
    pub fn beside(&self, slot: u32, now: Timestamp) -> Option<Beside> {
        let (place, since_ms) = self.unused(slot as usize)?;
        self.cells(now).beside(place, since_ms, now)
    }

    fn unused(&self, index: usize) -> Option<(Place, i64)> {
        let record = self.records.get(index)?;
        let since_ms = record.idle_since_ms.filter(|_| record.on_the_street())?;
        (self.fix_at[index] != NEVER).then(|| (self.place[index], since_ms))
    }

    fn cells(&self, now: Timestamp) -> Arc<Cells> {
        let mut kept = self.neighbourhoods.0.lock().unwrap_or_else(PoisonError::into_inner);
        match &*kept {
            Some((at_ms, cells)) if (0..KEPT_MS).contains(&(now.millis() - at_ms)) => Arc::clone(cells),
            _ => {
                let mut cells = Cells::default();
                for (place, since_ms) in (0..self.records.len()).filter_map(|index| self.unused(index)) {
                    let (bikes, sum_ms) = cells.0.entry(cell(place)).or_default();
                    (*bikes, *sum_ms) = (*bikes + 1, *sum_ms + since_ms);
                }
                let cells = Arc::new(cells);
                *kept = Some((now.millis(), Arc::clone(&cells)));
                cells
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fleet::testing::Heard;

    /// Seven bikes at one place that stand unused for so many hours.
    fn standing(hours: [i64; 7]) -> Heard {
        let mut heard = Heard::of(7);
        for (number, hours) in (0..).zip(hours) {
            let mut record = heard.fleet.record(number).unwrap().clone();
            record.version += 1;
            record.idle_since_ms = Some(heard.now.millis() - hours * HOUR_MS);
            assert!(heard.fleet.enrol(record, heard.now));
        }
        heard
    }

    #[test]
    fn one_that_stands_much_longer_than_those_around_it_is_likely_lost() {
        let heard = standing([48, 10, 10, 10, 10, 10, 10]);
        let beside = |slot| heard.fleet.beside(slot, heard.now).unwrap();
        assert_eq!(beside(0), Beside { bikes: 6, mean_idle_ms: 10 * HOUR_MS, likely_lost: true });
        assert_eq!(beside(1).mean_idle_ms, 98 * HOUR_MS / 6, "itself left out");
        assert!(!beside(1).likely_lost);
    }

    #[test]
    fn a_long_stand_is_none_where_all_stand_long_and_a_short_one_never_is() {
        let heard = standing([48, 13, 13, 13, 13, 13, 13]);
        assert!(!heard.fleet.beside(0, heard.now).unwrap().likely_lost, "not four times as long");
        let heard = standing([23, 1, 1, 1, 1, 1, 1]);
        assert!(!heard.fleet.beside(0, heard.now).unwrap().likely_lost, "not a day");
    }

    #[test]
    fn a_few_bikes_are_no_neighbourhood() {
        let mut heard = standing([48, 1, 1, 1, 1, 1, 1]);
        for number in 5..7 {
            let mut record = heard.fleet.record(number).unwrap().clone();
            record.version += 1;
            record.idle_since_ms = None;
            assert!(heard.fleet.enrol(record, heard.now));
        }
        assert_eq!(heard.fleet.beside(0, heard.now), None);
        assert_eq!(heard.fleet.beside(5, heard.now), None, "it is ridden");
    }
}
