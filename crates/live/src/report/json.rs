//! The JSON form.

use std::borrow::Cow;

use serde::Deserialize;
use vocabulary::Timestamp;

use super::{Flags, Place, Refusal, Report};

#[derive(Deserialize)]
struct Text<'a> {
    seq: Option<u16>,
    at: i64,
    lat: f64,
    lng: f64,
    hdop: Option<f64>,
    satellites: Option<u8>,
    speed: f64,
    heading: Option<f64>,
    soc: u32,
    gsm: Option<u8>,
    voltage_mv: Option<u32>,
    fence_version: Option<u64>,
    #[serde(borrow)]
    flags: Vec<Cow<'a, str>>,
}

pub(super) fn decode(payload: &[u8]) -> Result<Report, Refusal> {
    let text: Text = serde_json::from_slice(payload).map_err(|_| Refusal::Malformed)?;
    if text.speed < 0.0 || text.hdop.is_some_and(|hdop| hdop < 0.0) {
        return Err(Refusal::Malformed);
    }
    let mut flags = Flags::default();
    for name in &text.flags {
        let bit = Flags::NAMES.iter().position(|known| known == name).ok_or(Refusal::Malformed)?;
        flags = flags.with(Flags(1 << bit));
    }
    Ok(Report {
        at: Timestamp::from_millis(text.at),
        seq: text.seq,
        place: Place::from_degrees(text.lat, text.lng),
        // `as` saturates: a reading beyond the field's width is its largest value.
        hdop_tenths: text.hdop.map(|hdop| (hdop * 10.0).round() as u8),
        satellites: text.satellites,
        speed_kmh: text.speed.round() as u8,
        heading_half: (text.heading.unwrap_or(0.0).rem_euclid(360.0) / 2.0) as u8 % 180,
        soc_percent: u8::try_from(text.soc).unwrap_or(u8::MAX),
        gsm: text.gsm,
        voltage_mv: text.voltage_mv,
        flags,
        fence_version: text.fence_version.map(|version| version as u16),
    })
}
