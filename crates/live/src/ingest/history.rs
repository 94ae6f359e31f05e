//! The history of reports: written by COPY, read for one bike and some hours.

use bytes::{BufMut, BytesMut};
use serde::Serialize;
use sqlx::{PgConnection, Row};
use utoipa::ToSchema;
use vocabulary::Timestamp;

use crate::report::{Place, Report};

/// Microseconds between 1970 and 2000, where PostgreSQL's time begins.
const EPOCH_2000_US: i64 = 946_684_800_000_000;
/// Most points of one answer.
const MAX_POINTS: i64 = 2000;
const COPY: &str = "copy live.telemetry (at, vehicle, lat_e7, lng_e7, flags, voltage_mv, soc, speed, heading, hdop, \
                    satellites, gsm) from stdin (format binary)";
const COLUMNS: i16 = 12;

/// A row to be stored.
#[derive(Clone, Debug)]
pub(super) struct HistoryRow {
    pub(super) slot: u32,
    pub(super) report: Report,
    pub(super) with_fix: bool,
    /// Where the bike stopped, when this tells of it.
    pub(super) stopped: Option<Place>,
    /// Whether it left where it stood.
    pub(super) left: bool,
}

/// Writes `rows`; `vehicle_of` tells the stored number of a slot.
pub(super) async fn store(
    db: &mut PgConnection,
    rows: &[HistoryRow],
    vehicle_of: impl Fn(u32) -> i32,
) -> sqlx::Result<()> {
    let mut buffer = BytesMut::with_capacity(32 + rows.len() * 110);
    buffer.put_slice(b"PGCOPY\n\xff\r\n\0");
    buffer.put_i64(0);
    for row in rows {
        put_row(&mut buffer, row, vehicle_of(row.slot));
    }
    buffer.put_i16(-1);
    let mut copy = db.copy_in_raw(COPY).await?;
    copy.send(buffer.freeze()).await?;
    copy.finish().await?;
    Ok(())
}

fn put_row(buffer: &mut BytesMut, row: &HistoryRow, vehicle: i32) {
    let report = &row.report;
    buffer.put_i16(COLUMNS);
    buffer.put_i32(8);
    buffer.put_i64(report.at.millis() * 1000 - EPOCH_2000_US);
    put_i32(buffer, Some(vehicle));
    put_i32(buffer, row.with_fix.then_some(report.place.lat_e7));
    put_i32(buffer, row.with_fix.then_some(report.place.lng_e7));
    put_i32(buffer, Some(i32::from(report.flags.0)));
    put_i32(buffer, report.voltage_mv.map(|voltage| i32::try_from(voltage).unwrap_or(i32::MAX)));
    put_i16(buffer, Some(report.soc_percent));
    put_i16(buffer, Some(report.speed_kmh));
    put_i16(buffer, Some(report.heading_half));
    put_i16(buffer, report.hdop_tenths);
    put_i16(buffer, report.satellites);
    put_i16(buffer, report.gsm);
}

fn put_i32(buffer: &mut BytesMut, value: Option<i32>) {
    match value {
        Some(value) => {
            buffer.put_i32(4);
            buffer.put_i32(value);
        }
        None => buffer.put_i32(-1),
    }
}

fn put_i16(buffer: &mut BytesMut, value: Option<u8>) {
    match value {
        Some(value) => {
            buffer.put_i32(2);
            buffer.put_i16(i16::from(value));
        }
        None => buffer.put_i32(-1),
    }
}

/// Where a bike was.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct Point {
    /// The device's time, epoch ms.
    pub at: i64,
    /// Degrees north, WGS-84.
    pub lat: f64,
    /// Degrees east, WGS-84.
    pub lng: f64,
    /// Charge, percent.
    pub soc: i16,
    /// km/h.
    pub speed: i16,
}

/// Where `car_id` was since `since`: oldest first, the newest 2,000 points. Who may ask is the caller's to check.
pub async fn history(db: &mut PgConnection, car_id: &str, since: Timestamp) -> sqlx::Result<Vec<Point>> {
    let rows = sqlx::query(
        "select t.at, t.lat_e7, t.lng_e7, t.soc, t.speed
         from live.telemetry t
         where t.vehicle = (select vehicle from live.vehicle where car_id = $1) and t.at >= $2 and t.lat_e7 is not null
         order by t.at desc limit $3",
    )
    .bind(car_id)
    .bind(since.datetime())
    .bind(MAX_POINTS)
    .fetch_all(db)
    .await?;
    let point = |row: &sqlx::postgres::PgRow| {
        let place = Place { lat_e7: row.try_get("lat_e7")?, lng_e7: row.try_get("lng_e7")? };
        Ok(Point {
            at: Timestamp::from(row.try_get::<chrono::DateTime<chrono::Utc>, _>("at")?).millis(),
            lat: place.lat(),
            lng: place.lng(),
            soc: row.try_get("soc")?,
            speed: row.try_get("speed")?,
        })
    };
    rows.iter().rev().map(point).collect()
}
