//! What a bike says: the report in its compact and in its JSON form (`docs/device-protocol.md`).

use serde_json::{Value, json};

/// Length of the compact form, bytes.
pub const COMPACT_BYTES: usize = 32;
/// First byte of the compact form: version 1.
pub const COMPACT_FORM: u8 = 0xB1;

/// Flag names in the order of their bits.
pub const FLAG_NAMES: [&str; 13] = [
    "locked",
    "acc",
    "defend",
    "battery_present",
    "moving",
    "helmet_locked",
    "back_wheel_locked",
    "battery_bay_locked",
    "position_valid",
    "vibration",
    "overload",
    "helmet_missing",
    "helmet_fault",
];

/// A set of flags; bit numbers as in the protocol.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Flags(pub u16);

impl Flags {
    /// The wheel is locked.
    pub const LOCKED: u16 = 1;
    /// Power is on.
    pub const ACC: u16 = 1 << 1;
    /// The alarm is armed.
    pub const DEFEND: u16 = 1 << 2;
    /// A battery is in the bay.
    pub const BATTERY_PRESENT: u16 = 1 << 3;
    /// The wheel turns.
    pub const MOVING: u16 = 1 << 4;
    /// The helmet is locked.
    pub const HELMET_LOCKED: u16 = 1 << 5;
    /// The back wheel is locked.
    pub const BACK_WHEEL_LOCKED: u16 = 1 << 6;
    /// The battery bay is locked.
    pub const BATTERY_BAY_LOCKED: u16 = 1 << 7;
    /// The position is a fix.
    pub const POSITION_VALID: u16 = 1 << 8;
    /// Someone shakes the bike.
    pub const VIBRATION: u16 = 1 << 9;
    /// Too much weight.
    pub const OVERLOAD: u16 = 1 << 10;
    /// No helmet hangs in its lock.
    pub const HELMET_MISSING: u16 = 1 << 11;
    /// The helmet's lock or sensor is broken.
    pub const HELMET_FAULT: u16 = 1 << 12;

    /// Whether all of these bits are set.
    pub const fn has(self, bits: u16) -> bool {
        self.0 & bits == bits
    }

    /// Sets or clears bits.
    pub const fn set(&mut self, bits: u16, on: bool) {
        if on {
            self.0 |= bits;
        } else {
            self.0 &= !bits;
        }
    }

    /// The names of the set bits.
    pub fn names(self) -> Vec<&'static str> {
        FLAG_NAMES
            .iter()
            .enumerate()
            .filter(|(bit, _)| self.0 >> bit & 1 == 1)
            .map(|(_, name)| *name)
            .collect()
    }
}

/// One report.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// Counts up, wraps.
    pub seq: u16,
    /// The device's clock, epoch milliseconds UTC.
    pub at_ms: i64,
    /// Degrees north, WGS-84.
    pub lat: f64,
    /// Degrees east, WGS-84.
    pub lng: f64,
    /// Horizontal dilution, tenths.
    pub hdop_tenths: u8,
    /// Satellites in use; 0 is no fix.
    pub satellites: u8,
    /// km/h.
    pub speed_kmh: u8,
    /// Degrees clockwise from north, 0 to 359.
    pub heading_deg: u16,
    /// Battery, percent.
    pub soc_percent: u8,
    /// Signal, 0 to 31.
    pub gsm: u8,
    /// Battery voltage.
    pub voltage_mv: u32,
    /// Flags.
    pub flags: Flags,
    /// Low bits of the fences' version.
    pub fence_version: u16,
}

impl Report {
    /// The compact form.
    pub fn compact(&self) -> [u8; COMPACT_BYTES] {
        let mut out = [0; COMPACT_BYTES];
        out[0] = COMPACT_FORM;
        out[1] = self.hdop_tenths;
        out[2..4].copy_from_slice(&self.seq.to_le_bytes());
        out[4..12].copy_from_slice(&self.at_ms.to_le_bytes());
        out[12..16].copy_from_slice(&((self.lat * 1e7).round() as i32).to_le_bytes());
        out[16..20].copy_from_slice(&((self.lng * 1e7).round() as i32).to_le_bytes());
        out[20] = self.satellites;
        out[21] = self.speed_kmh;
        out[22] = (self.heading_deg % 360 / 2) as u8;
        out[23] = self.soc_percent;
        out[24] = self.gsm;
        out[26..28].copy_from_slice(&((self.voltage_mv / 10) as u16).to_le_bytes());
        out[28..30].copy_from_slice(&self.flags.0.to_le_bytes());
        out[30..32].copy_from_slice(&self.fence_version.to_le_bytes());
        out
    }

    /// The JSON form.
    pub fn json(&self) -> Value {
        json!({
            "seq": self.seq, "at": self.at_ms, "lat": self.lat, "lng": self.lng,
            "hdop": f64::from(self.hdop_tenths) / 10.0, "satellites": self.satellites, "speed": self.speed_kmh,
            "heading": self.heading_deg % 360, "soc": self.soc_percent, "gsm": self.gsm, "voltage_mv": self.voltage_mv,
            "fence_version": self.fence_version, "flags": self.flags.names(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn example() -> Report {
        Report {
            seq: 0x0102,
            at_ms: 1_700_000_000_000,
            lat: 24.48,
            lng: 118.1,
            hdop_tenths: 9,
            satellites: 11,
            speed_kmh: 17,
            heading_deg: 271,
            soc_percent: 87,
            gsm: 22,
            voltage_mv: 52_100,
            flags: Flags(Flags::LOCKED | Flags::BATTERY_PRESENT | Flags::POSITION_VALID),
            fence_version: 3,
        }
    }

    #[test]
    fn the_compact_form_is_the_documented_table() {
        // Packed by another program from the table of docs/device-protocol.md.
        let expected = [
            0xB1, 0x09, 0x02, 0x01, 0x00, 0x68, 0xE5, 0xCF, 0x8B, 0x01, 0x00, 0x00, 0x00, 0x5A, 0x97, 0x0E,
            0x40, 0xA1, 0x64, 0x46, 0x0B, 0x11, 0x87, 0x57, 0x16, 0x00, 0x5A, 0x14, 0x09, 0x01, 0x03, 0x00,
        ];
        assert_eq!(example().compact(), expected);
    }

    #[test]
    fn the_json_form_names_its_flags() {
        let json = example().json();
        assert_eq!(json["flags"], serde_json::json!(["locked", "battery_present", "position_valid"]));
        assert_eq!(
            (json["at"].as_i64(), json["voltage_mv"].as_i64(), json["hdop"].as_f64()),
            (Some(1_700_000_000_000), Some(52_100), Some(0.9))
        );
    }
}
