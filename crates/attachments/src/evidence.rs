//! Where and when a photo says it was taken. Anybody can write that into a file: it is shown beside what is known, and
//! decides nothing.

use std::io::Cursor;

use chrono::NaiveDate;
use exif::{DateTime, Exif, In, Tag, Value};
use vocabulary::{Timestamp, Wgs84};

/// Cameras that name no offset run on Asia/Shanghai here.
const SHANGHAI_MINUTES: i64 = 8 * 60;

/// What a photo tells of itself.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Evidence {
    /// Where it was taken; GPS gives WGS-84.
    pub place: Option<Wgs84>,
    /// When.
    pub taken_at: Option<Timestamp>,
}

impl Evidence {
    /// Of a picture's bytes; nothing of what is not there or cannot be read.
    pub fn of(content: &[u8]) -> Self {
        let Ok(exif) = exif::Reader::new().read_from_container(&mut Cursor::new(content)) else {
            return Self::default();
        };
        Self { place: place(&exif), taken_at: taken_at(&exif) }
    }
}

fn place(exif: &Exif) -> Option<Wgs84> {
    let lat = degrees(exif, Tag::GPSLatitude, Tag::GPSLatitudeRef, b'S')?;
    let lng = degrees(exif, Tag::GPSLongitude, Tag::GPSLongitudeRef, b'W')?;
    Wgs84::new(lat, lng).ok()
}

/// Degrees, minutes and seconds as degrees; those of the `negative` side below zero.
fn degrees(exif: &Exif, tag: Tag, side: Tag, negative: u8) -> Option<f64> {
    let Value::Rational(parts) = &exif.get_field(tag, In::PRIMARY)?.value else { return None };
    let [degrees, minutes, seconds] = parts.as_slice() else { return None };
    let value = degrees.to_f64() + minutes.to_f64() / 60.0 + seconds.to_f64() / 3600.0;
    let sign = if ascii(exif, side)?.first() == Some(&negative) { -1.0 } else { 1.0 };
    Some(value * sign)
}

fn taken_at(exif: &Exif) -> Option<Timestamp> {
    let mut at = DateTime::from_ascii(ascii(exif, Tag::DateTimeOriginal)?).ok()?;
    if let Some(offset) = ascii(exif, Tag::OffsetTimeOriginal) {
        at.parse_offset(offset).ok()?;
    }
    let day = NaiveDate::from_ymd_opt(at.year.into(), at.month.into(), at.day.into())?;
    let local = day.and_hms_opt(at.hour.into(), at.minute.into(), at.second.into())?;
    let ahead_minutes = at.offset.map_or(SHANGHAI_MINUTES, i64::from);
    Some(Timestamp::from_millis(local.and_utc().timestamp_millis() - ahead_minutes * 60_000))
}

fn ascii(exif: &Exif, tag: Tag) -> Option<&[u8]> {
    match &exif.get_field(tag, In::PRIMARY)?.value {
        Value::Ascii(texts) => texts.first().map(Vec::as_slice),
        _ => None,
    }
}
