//! How many devices are on line, area by area.

use std::collections::HashMap;

use vocabulary::DataOwner;

use super::Fleet;

/// Bikes of one owner that carry a device.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Contact {
    /// All of them.
    pub devices: u32,
    /// Those that reported lately.
    pub online: u32,
}

impl Fleet {
    /// Counts the bikes that carry a device, by owner.
    pub fn contact(&self) -> HashMap<DataOwner, Contact> {
        let mut all: HashMap<DataOwner, Contact> = HashMap::new();
        for (record, online) in self.records.iter().zip(&self.online) {
            if record.device().is_some() {
                let count = all.entry(record.owner()).or_default();
                count.devices += 1;
                count.online += u32::from(*online);
            }
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fleet::testing::Heard;

    #[test]
    fn who_carries_no_device_is_neither_on_line_nor_off() {
        let mut heard = Heard::of(3);
        let mut record = heard.fleet.record(2).unwrap().clone();
        let owner = record.owner();
        record.version += 1;
        record.imei = None;
        assert!(heard.fleet.enrol(record, heard.now));
        assert_eq!(heard.fleet.contact()[&owner], Contact { devices: 2, online: 2 });
    }
}
