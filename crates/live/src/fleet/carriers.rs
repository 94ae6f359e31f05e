//! Bikes on the street as those see them who send them what counts in their areas.

use std::ops::Range;

use super::Fleet;
use crate::delivery::book::Heard;

impl Fleet {
    /// Of these slots the bikes on the street whose devices tell which fences they hold.
    pub fn carriers(&self, slots: Range<u32>) -> Vec<(u32, Heard)> {
        let carrier = |slot: u32| {
            let index = slot as usize;
            let record = self.records.get(index).filter(|record| record.on_the_street())?;
            record.device()?;
            let heard = Heard { area: record.area?, told: self.told[index]?, online: self.online[index] };
            Some((slot, heard))
        };
        slots.filter_map(carrier).collect()
    }
}
