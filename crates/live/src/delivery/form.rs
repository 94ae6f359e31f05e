//! What counts in an area, as devices keep it: the compact form of `docs/device-protocol.md`.

use geofence::{Rule, Shape};
use vocabulary::{AreaId, Wgs84};

use crate::report::Place;

/// The first byte: form 1.
pub const FORM: u8 = 0xF1;
/// Of the first byte of a fence: its kind.
const KIND: u8 = 0x0F;
const CIRCLE: u8 = 0x10;
const HOURS: u8 = 0x20;
const WEEKDAYS: u8 = 0x40;
const UNTIL: u8 = 0x80;
/// Here one may stop; such fences alone have a buffer.
const PARKING: u8 = 2;
/// Monday to Sunday.
const EVERY_DAY: u8 = 0x7F;
/// Of a varint of 64 bits.
const VARINT_BYTES: u32 = 10;

/// What counts in an area.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Content {
    /// The area.
    pub area: AreaId,
    /// Its number; see [`super::edition`].
    pub edition: i64,
    /// Corners of the area's edge, not closed; none: the area has none any more.
    pub edge: Vec<Place>,
    /// Its fences.
    pub fences: Vec<Zone>,
}

/// A fence as a device needs it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Zone {
    /// 2 parking place, 4 no stopping, 9 no riding.
    pub kind: u8,
    /// Minutes since midnight in Shanghai, from the first until the second; none: all day.
    pub hours: Option<(u16, u16)>,
    /// Bit 0 is Monday.
    pub weekdays: u8,
    /// When it ends by itself, epoch seconds.
    pub until_s: Option<u64>,
    /// So far outside of the edge still counts, decimetres; 0 but for parking places.
    pub buffer_dm: u32,
    /// Where.
    pub outline: Outline,
}

/// Where a fence lies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outline {
    /// Within corners, not closed.
    Polygon(Vec<Place>),
    /// Within a distance.
    Circle {
        /// Of its middle.
        center: Place,
        /// Centimetres.
        radius_cm: u32,
    },
}

fn place(at: Wgs84) -> Place {
    Place::from_degrees(at.lat(), at.lng())
}

impl Zone {
    /// Of a fence's drawing; nothing when it says nothing to riders.
    pub fn of(shape: &Shape, rule: &Rule, until_s: Option<u64>) -> Option<Self> {
        let outline = match shape {
            Shape::Polygon(ring) => Outline::Polygon(ring.corners().iter().copied().map(place).collect()),
            Shape::Circle(circle) => Outline::Circle {
                center: place(circle.center),
                radius_cm: (circle.radius_m * 100.0).round() as u32,
            },
        };
        let (kind, hours, weekdays, buffer_dm) = match rule {
            Rule::Parking(parking) => {
                (PARKING, parking.hours, EVERY_DAY, (parking.buffer_m * 10.0).round() as u32)
            }
            Rule::NoStop(ban) => (4, ban.hours, ban.weekdays.0, 0),
            Rule::NoRide(ban) => (9, ban.hours, ban.weekdays.0, 0),
            Rule::Maintenance | Rule::Custom => return None,
        };
        let hours = hours.map(|hours| (hours.from_min, hours.until_min));
        Some(Self { kind, hours, weekdays, until_s, buffer_dm, outline })
    }
}

/// Writes one thing after the other; places as what they differ from the one before.
struct Writer {
    bytes: Vec<u8>,
    at: Place,
}

impl Writer {
    fn number(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.bytes.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.bytes.push(value as u8);
    }

    fn signed(&mut self, value: i64) {
        self.number(((value << 1) ^ (value >> 63)).cast_unsigned());
    }

    fn place(&mut self, place: Place) {
        self.signed(i64::from(place.lat_e7) - i64::from(self.at.lat_e7));
        self.signed(i64::from(place.lng_e7) - i64::from(self.at.lng_e7));
        self.at = place;
    }

    fn corners(&mut self, corners: &[Place]) {
        self.number(corners.len() as u64);
        for corner in corners {
            self.place(*corner);
        }
    }

    fn zone(&mut self, zone: &Zone) {
        let flag = |on: bool, bit: u8| if on { bit } else { 0 };
        self.bytes.push(
            zone.kind & KIND
                | flag(matches!(zone.outline, Outline::Circle { .. }), CIRCLE)
                | flag(zone.hours.is_some(), HOURS)
                | flag(zone.weekdays != EVERY_DAY, WEEKDAYS)
                | flag(zone.until_s.is_some(), UNTIL),
        );
        if let Some((from, until)) = zone.hours {
            self.number(from.into());
            self.number(until.into());
        }
        if zone.weekdays != EVERY_DAY {
            self.bytes.push(zone.weekdays);
        }
        if let Some(until_s) = zone.until_s {
            self.number(until_s);
        }
        if zone.kind == PARKING {
            self.number(zone.buffer_dm.into());
        }
        match &zone.outline {
            Outline::Polygon(corners) => self.corners(corners),
            Outline::Circle { center, radius_cm } => {
                self.place(*center);
                self.number((*radius_cm).into());
            }
        }
    }
}

/// Reads what [`Writer`] wrote; nothing where there is something else.
struct Reader<'a> {
    bytes: &'a [u8],
    at: Place,
}

impl Reader<'_> {
    fn byte(&mut self) -> Option<u8> {
        let (first, rest) = self.bytes.split_first()?;
        self.bytes = rest;
        Some(*first)
    }

    fn number(&mut self) -> Option<u64> {
        let mut value = 0_u64;
        for index in 0..VARINT_BYTES {
            let byte = self.byte()?;
            let bits = u64::from(byte & 0x7F);
            let shifted = bits.checked_shl(7 * index)?;
            if shifted >> (7 * index) != bits {
                return None;
            }
            value |= shifted;
            if byte < 0x80 {
                return Some(value);
            }
        }
        None
    }

    fn small<T: TryFrom<u64>>(&mut self) -> Option<T> {
        self.number()?.try_into().ok()
    }

    fn signed(&mut self) -> Option<i64> {
        let value = self.number()?;
        Some((value >> 1).cast_signed() ^ -((value & 1).cast_signed()))
    }

    fn place(&mut self) -> Option<Place> {
        let lat_e7 = i64::from(self.at.lat_e7).checked_add(self.signed()?)?.try_into().ok()?;
        let lng_e7 = i64::from(self.at.lng_e7).checked_add(self.signed()?)?.try_into().ok()?;
        self.at = Place { lat_e7, lng_e7 };
        Some(self.at)
    }

    /// As many things as a number before them says; each takes a byte at least.
    fn many<T>(&mut self, one: impl Fn(&mut Self) -> Option<T>) -> Option<Vec<T>> {
        let count: usize = self.small()?;
        if count > self.bytes.len() {
            return None;
        }
        (0..count).map(|_| one(self)).collect()
    }

    fn zone(&mut self) -> Option<Zone> {
        let first = self.byte()?;
        let has = |bit: u8| first & bit != 0;
        let kind = first & KIND;
        let hours = if has(HOURS) { Some((self.small()?, self.small()?)) } else { None };
        let weekdays = if has(WEEKDAYS) { self.byte()? } else { EVERY_DAY };
        let until_s = if has(UNTIL) { Some(self.number()?) } else { None };
        let buffer_dm = if kind == PARKING { self.small()? } else { 0 };
        let outline = if has(CIRCLE) {
            Outline::Circle { center: self.place()?, radius_cm: self.small()? }
        } else {
            Outline::Polygon(self.many(Self::place)?)
        };
        Some(Zone { kind, hours, weekdays, until_s, buffer_dm, outline })
    }
}

impl Content {
    /// The compact form.
    pub fn encode(&self) -> Vec<u8> {
        let mut out = Writer { bytes: vec![FORM], at: Place::default() };
        out.number(self.area.0.unsigned_abs());
        out.number(self.edition.unsigned_abs());
        out.corners(&self.edge);
        out.number(self.fences.len() as u64);
        for zone in &self.fences {
            out.zone(zone);
        }
        out.bytes
    }

    /// Reads the compact form; nothing when it is none, or anything is behind it.
    pub fn decode(bytes: &[u8]) -> Option<Self> {
        let mut from = Reader { bytes, at: Place::default() };
        if from.byte()? != FORM {
            return None;
        }
        let content = Self {
            area: AreaId(from.small()?),
            edition: from.small()?,
            edge: from.many(Reader::place)?,
            fences: from.many(Reader::zone)?,
        };
        from.bytes.is_empty().then_some(content)
    }
}

#[cfg(test)]
pub(super) mod tests {
    use proptest::prelude::*;
    use serde_json::Value;

    use super::*;

    fn places(most: usize) -> impl Strategy<Value = Vec<Place>> {
        let place = (any::<i32>(), any::<i32>()).prop_map(|(lat_e7, lng_e7)| Place { lat_e7, lng_e7 });
        prop::collection::vec(place, 0..most)
    }

    fn outline() -> impl Strategy<Value = Outline> {
        prop_oneof![
            places(8).prop_map(Outline::Polygon),
            (any::<i32>(), any::<i32>(), any::<u32>()).prop_map(|(lat_e7, lng_e7, radius_cm)| {
                Outline::Circle { center: Place { lat_e7, lng_e7 }, radius_cm }
            }),
        ]
    }

    fn zone() -> impl Strategy<Value = Zone> {
        let times = (prop::option::of(any::<(u16, u16)>()), any::<u8>(), prop::option::of(any::<u64>()));
        (prop::sample::select(vec![2_u8, 4, 9]), times, any::<u32>(), outline()).prop_map(
            |(kind, (hours, weekdays, until_s), buffer, outline)| {
                let buffer_dm = if kind == PARKING { buffer } else { 0 };
                Zone { kind, hours, weekdays, until_s, buffer_dm, outline }
            },
        )
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_again(
            area in 1..i64::MAX, edition in 1..i64::MAX, edge in places(20),
            fences in prop::collection::vec(zone(), 0..12),
        ) {
            let content = Content { area: AreaId(area), edition, edge, fences };
            let bytes = content.encode();
            prop_assert_eq!(Content::decode(&bytes), Some(content));
            prop_assert_eq!(Content::decode(&bytes[..bytes.len() - 1]), None, "a byte is missing");
            prop_assert_eq!(Content::decode(&[&bytes[..], &[0]].concat()), None, "a byte too many");
        }

        #[test]
        fn nonsense_is_read_without_a_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let _ = Content::decode(&[&[FORM], &bytes[..]].concat());
        }
    }

    /// The vector that whoever builds a device reads, too.
    pub(in crate::delivery) fn vector() -> (Content, Value) {
        let e7 = |lat_e7, lng_e7| Place { lat_e7, lng_e7 };
        let content = Content {
            area: AreaId(7_001),
            edition: 300,
            edge: vec![
                e7(244_800_000, 1_181_000_000),
                e7(244_800_000, 1_181_400_000),
                e7(245_200_000, 1_181_200_000),
            ],
            fences: vec![
                Zone {
                    kind: 2,
                    hours: Some((420, 1320)),
                    weekdays: EVERY_DAY,
                    until_s: None,
                    buffer_dm: 100,
                    outline: Outline::Polygon(vec![
                        e7(244_900_000, 1_181_100_000),
                        e7(244_900_000, 1_181_100_600),
                        e7(244_900_150, 1_181_100_600),
                        e7(244_900_150, 1_181_100_000),
                    ]),
                },
                Zone {
                    kind: 4,
                    hours: None,
                    weekdays: 0b001_1111,
                    until_s: Some(1_800_000_000),
                    buffer_dm: 0,
                    outline: Outline::Circle { center: e7(244_950_000, 1_181_150_000), radius_cm: 2_550 },
                },
                Zone {
                    kind: 9,
                    hours: None,
                    weekdays: EVERY_DAY,
                    until_s: None,
                    buffer_dm: 0,
                    outline: Outline::Polygon(vec![
                        e7(245_000_000, 1_181_200_000),
                        e7(245_000_000, 1_181_200_900),
                        e7(245_000_500, 1_181_200_900),
                    ]),
                },
            ],
        };
        let told = include_str!("../../../../docs/fence-vector.json");
        (content, serde_json::from_str(told).expect("JSON"))
    }

    #[test]
    fn the_documented_vector_is_this_form() {
        let (content, told) = vector();
        let bytes = content.encode();
        assert_eq!(told["hex"], hex::encode(&bytes));
        assert_eq!(Content::decode(&bytes), Some(content));
    }

    #[test]
    fn a_tiny_parking_place_takes_about_twenty_bytes() {
        let (mut content, _) = vector();
        let tiny = Zone { hours: None, ..content.fences[0].clone() };
        content.fences = vec![tiny.clone()];
        let one = content.encode().len();
        let shifted = |n: i32| match &tiny.outline {
            Outline::Polygon(corners) => Outline::Polygon(
                corners.iter().map(|at| Place { lat_e7: at.lat_e7 + n * 3000, ..*at }).collect(),
            ),
            Outline::Circle { .. } => unreachable!(),
        };
        content.fences.extend((1..1000).map(|n| Zone { outline: shifted(n), ..tiny.clone() }));
        let each = (content.encode().len() - one) / 999;
        assert!(each <= 20, "{each} bytes");
    }
}
