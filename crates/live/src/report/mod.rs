//! What a bike says, in either form of `docs/device-protocol.md`. Decoding never panics and never guesses.

mod accept;
mod compact;
mod json;
mod refusal;

pub use accept::{Elsewhere, LastHeard, Verdict};
pub use compact::{COMPACT_BYTES, COMPACT_MARK};
pub use refusal::Refusal;

use vocabulary::Timestamp;

/// The flags of a report, one bit each, in the order of the compact form.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Flags(pub u16);

impl Flags {
    /// The lock is closed.
    pub const LOCKED: Self = Self(1);
    /// Power is on.
    pub const ACC: Self = Self(1 << 1);
    /// The alarm of the device is armed.
    pub const DEFEND: Self = Self(1 << 2);
    /// A battery is in the bay.
    pub const BATTERY_PRESENT: Self = Self(1 << 3);
    /// The wheels or the frame move.
    pub const MOVING: Self = Self(1 << 4);
    /// The helmet hangs locked.
    pub const HELMET_LOCKED: Self = Self(1 << 5);
    /// The back wheel is locked.
    pub const BACK_WHEEL_LOCKED: Self = Self(1 << 6);
    /// The battery bay is locked.
    pub const BATTERY_BAY_LOCKED: Self = Self(1 << 7);
    /// The position is a fix.
    pub const POSITION_VALID: Self = Self(1 << 8);
    /// The frame shakes.
    pub const VIBRATION: Self = Self(1 << 9);
    /// More weight than the bike may carry.
    pub const OVERLOAD: Self = Self(1 << 10);
    /// No helmet hangs in its lock.
    pub const HELMET_MISSING: Self = Self(1 << 11);
    /// The helmet's lock or sensor is broken.
    pub const HELMET_FAULT: Self = Self(1 << 12);

    /// Names of the JSON form, in the order of the bits.
    pub const NAMES: [&'static str; 13] = [
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

    /// Whether all of `flag` is set.
    pub const fn has(self, flag: Self) -> bool {
        self.0 & flag.0 == flag.0
    }

    /// Both together.
    #[must_use]
    pub const fn with(self, flag: Self) -> Self {
        Self(self.0 | flag.0)
    }

    /// This without `flag`.
    #[must_use]
    pub const fn without(self, flag: Self) -> Self {
        Self(self.0 & !flag.0)
    }
}

/// A place in 1e-7 degree, WGS-84; may be off the globe until judged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// Degrees north times 1e7.
    pub lat_e7: i32,
    /// Degrees east times 1e7.
    pub lng_e7: i32,
}

impl Place {
    /// Degrees north.
    pub fn lat(self) -> f64 {
        f64::from(self.lat_e7) / 1e7
    }

    /// Degrees east.
    pub fn lng(self) -> f64 {
        f64::from(self.lng_e7) / 1e7
    }

    /// From degrees; what does not fit becomes the edge, which is off the globe and refused later.
    pub fn from_degrees(lat: f64, lng: f64) -> Self {
        Self { lat_e7: (lat * 1e7).round() as i32, lng_e7: (lng * 1e7).round() as i32 }
    }

    /// Whether this can be a place on the globe; 0,0 is what a receiver without a fix says.
    pub const fn possible(self) -> bool {
        self.lat_e7.unsigned_abs() <= 900_000_000
            && self.lng_e7.unsigned_abs() <= 1_800_000_000
            && !(self.lat_e7 == 0 && self.lng_e7 == 0)
    }

    /// Metres to `other`, flat-earth: good to a metre within a city, and monotonic beyond.
    pub fn distance_m(self, other: Self) -> f64 {
        let north = (self.lat() - other.lat()) * METRES_A_DEGREE;
        let mid = f64::midpoint(self.lat(), other.lat()).to_radians();
        let east = (self.lng() - other.lng()) * METRES_A_DEGREE * mid.cos();
        north.hypot(east)
    }
}

/// Metres in one degree of latitude on the mean sphere.
pub const METRES_A_DEGREE: f64 = 111_195.08;

/// One report, decoded but not yet judged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// The device's clock.
    pub at: Timestamp,
    /// The device's counter; wraps.
    pub seq: Option<u16>,
    /// Where, when the flag says that it is a fix.
    pub place: Place,
    /// Dilution of precision, tenths.
    pub hdop_tenths: Option<u8>,
    /// Satellites in the fix; 0 = no fix.
    pub satellites: Option<u8>,
    /// Speed, km/h.
    pub speed_kmh: u8,
    /// Heading in degrees / 2, clockwise from north, 0-179.
    pub heading_half: u8,
    /// Battery, percent; over 100 is refused later.
    pub soc_percent: u8,
    /// Signal, 0-31.
    pub gsm: Option<u8>,
    /// Battery voltage, mV.
    pub voltage_mv: Option<u32>,
    /// See [`Flags`].
    pub flags: Flags,
    /// Low 16 bits of the fences it carries.
    pub fence_version: Option<u16>,
}

impl Report {
    /// Reads either form.
    pub fn decode(payload: &[u8]) -> Result<Self, Refusal> {
        match payload.first() {
            Some(&COMPACT_MARK) => compact::decode(payload),
            Some(b'{' | b' ' | b'\n' | b'\r' | b'\t') => json::decode(payload),
            _ => Err(Refusal::Malformed),
        }
    }

    /// The compact form of this report.
    pub fn compact(&self) -> [u8; COMPACT_BYTES] {
        compact::encode(self)
    }

    /// Whether the position is a fix.
    pub fn has_fix(&self) -> bool {
        self.flags.has(Flags::POSITION_VALID) && self.satellites != Some(0)
    }
}

/// A device's 15-digit number as a number; nothing else is one.
pub fn imei(text: &str) -> Option<u64> {
    (text.len() == 15 && text.bytes().all(|byte| byte.is_ascii_digit())).then(|| text.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn report() -> Report {
        Report {
            at: Timestamp::from_millis(1_700_000_000_000),
            seq: Some(1),
            place: Place { lat_e7: 244_800_000, lng_e7: 1_181_000_000 },
            hdop_tenths: Some(9),
            satellites: Some(11),
            speed_kmh: 0,
            heading_half: 45,
            soc_percent: 87,
            gsm: Some(22),
            voltage_mv: Some(52_100),
            flags: Flags::LOCKED.with(Flags::BATTERY_PRESENT).with(Flags::POSITION_VALID),
            fence_version: Some(3),
        }
    }

    #[test]
    fn the_documented_json_report_says_the_same_as_its_compact_form() {
        let json =
            br#"{"seq":1,"at":1700000000000,"lat":24.48,"lng":118.1,"hdop":0.9,"satellites":11,"speed":0,
            "heading":90,"soc":87,"gsm":22,"voltage_mv":52100,"fence_version":3,
            "flags":["locked","battery_present","position_valid"]}"#;
        assert_eq!(Report::decode(json).unwrap(), report());
        assert_eq!(Report::decode(&report().compact()).unwrap(), report());
    }

    #[test]
    fn the_compact_form_has_its_fields_at_the_documented_offsets() {
        let mut bytes = [0u8; 32];
        bytes[0] = 0xB1;
        bytes[1] = 9;
        bytes[2..4].copy_from_slice(&1u16.to_le_bytes());
        bytes[4..12].copy_from_slice(&1_700_000_000_000i64.to_le_bytes());
        bytes[12..16].copy_from_slice(&244_800_000i32.to_le_bytes());
        bytes[16..20].copy_from_slice(&1_181_000_000i32.to_le_bytes());
        bytes[20..25].copy_from_slice(&[11, 0, 45, 87, 22]);
        bytes[26..28].copy_from_slice(&5210u16.to_le_bytes());
        bytes[28..30].copy_from_slice(&0b1_0000_1001u16.to_le_bytes());
        bytes[30..32].copy_from_slice(&3u16.to_le_bytes());
        assert_eq!(Report::decode(&bytes).unwrap(), report());
        assert_eq!(report().compact(), bytes);
    }

    #[test]
    fn json_without_its_optional_fields_is_a_report() {
        let json = br#"{"at":1,"lat":1.5,"lng":2,"speed":3,"soc":4,"flags":[]}"#;
        let report = Report::decode(json).unwrap();
        assert_eq!((report.seq, report.gsm, report.voltage_mv), (None, None, None));
        assert!(!report.has_fix());
    }

    #[test]
    fn neither_form_is_malformed() {
        for payload in [&b""[..], b"hello", b"{}", b"[]", &[0xB1; 31], &[0xB1; 33], &[0xB2; 32]] {
            assert_eq!(Report::decode(payload), Err(Refusal::Malformed));
        }
        let unknown_flag = br#"{"at":1,"lat":1.5,"lng":2,"speed":3,"soc":4,"flags":["flying"]}"#;
        assert_eq!(Report::decode(unknown_flag), Err(Refusal::Malformed));
    }

    #[test]
    fn an_imei_is_fifteen_digits() {
        assert_eq!(imei("860000000000017"), Some(860_000_000_000_017));
        for other in ["86000000000001", "8600000000000170", "86000000000001x", "+60000000000017", ""] {
            assert_eq!(imei(other), None, "{other}");
        }
    }

    proptest! {
        #[test]
        fn random_bytes_never_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let _ = Report::decode(&bytes);
        }

        #[test]
        fn any_32_bytes_behind_the_mark_are_a_report(mut bytes in proptest::array::uniform32(any::<u8>())) {
            bytes[0] = COMPACT_MARK;
            let report = Report::decode(&bytes).unwrap();
            prop_assert_eq!(Report::decode(&report.compact()).unwrap(), report);
        }

        #[test]
        fn random_json_numbers_never_panic(lat in any::<f64>(), lng in any::<f64>(), at in any::<i64>(), soc in any::<i64>()) {
            let text = serde_json::json!({"at": at, "lat": lat, "lng": lng, "speed": lat, "soc": soc, "heading": lng, "flags": []});
            let _ = Report::decode(text.to_string().as_bytes());
        }
    }
}
