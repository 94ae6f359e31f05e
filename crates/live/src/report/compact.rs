//! The compact binary form: 32 bytes, little-endian.

use vocabulary::Timestamp;

use super::{Flags, Place, Refusal, Report};

/// First byte of the compact form, version 1.
pub const COMPACT_MARK: u8 = 0xB1;
/// Length of the compact form.
pub const COMPACT_BYTES: usize = 32;

const HALF_TURN: u8 = 180;

pub(super) fn decode(payload: &[u8]) -> Result<Report, Refusal> {
    let bytes: &[u8; COMPACT_BYTES] = payload.try_into().map_err(|_| Refusal::Malformed)?;
    let u16_at = |at: usize| u16::from_le_bytes([bytes[at], bytes[at + 1]]);
    let i32_at = |at: usize| i32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
    let mut at_ms = [0; 8];
    at_ms.copy_from_slice(&bytes[4..12]);
    Ok(Report {
        at: Timestamp::from_millis(i64::from_le_bytes(at_ms)),
        seq: Some(u16_at(2)),
        place: Place { lat_e7: i32_at(12), lng_e7: i32_at(16) },
        hdop_tenths: Some(bytes[1]),
        satellites: Some(bytes[20]),
        speed_kmh: bytes[21],
        heading_half: bytes[22] % HALF_TURN,
        soc_percent: bytes[23],
        gsm: Some(bytes[24]),
        voltage_mv: Some(u32::from(u16_at(26)) * 10),
        flags: Flags(u16_at(28)),
        fence_version: Some(u16_at(30)),
    })
}

pub(super) fn encode(report: &Report) -> [u8; COMPACT_BYTES] {
    let mut bytes = [0; COMPACT_BYTES];
    bytes[0] = COMPACT_MARK;
    bytes[1] = report.hdop_tenths.unwrap_or(0);
    bytes[2..4].copy_from_slice(&report.seq.unwrap_or(0).to_le_bytes());
    bytes[4..12].copy_from_slice(&report.at.millis().to_le_bytes());
    bytes[12..16].copy_from_slice(&report.place.lat_e7.to_le_bytes());
    bytes[16..20].copy_from_slice(&report.place.lng_e7.to_le_bytes());
    bytes[20] = report.satellites.unwrap_or(0);
    bytes[21] = report.speed_kmh;
    bytes[22] = report.heading_half;
    bytes[23] = report.soc_percent;
    bytes[24] = report.gsm.unwrap_or(0);
    let voltage = u16::try_from(report.voltage_mv.unwrap_or(0) / 10).unwrap_or(u16::MAX);
    bytes[26..28].copy_from_slice(&voltage.to_le_bytes());
    bytes[28..30].copy_from_slice(&report.flags.0.to_le_bytes());
    bytes[30..32].copy_from_slice(&report.fence_version.unwrap_or(0).to_le_bytes());
    bytes
}
