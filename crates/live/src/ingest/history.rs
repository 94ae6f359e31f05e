//! The history of reports: written by COPY, read for one bike and some hours.

use bytes::{BufMut, BytesMut};
use serde::Serialize;
use sqlx::{PgConnection, Row};
use utoipa::ToSchema;
use vocabulary::{Timestamp, Wgs84, distance_m};

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

/// A fix that is so near to the one before it tells of no way, metres: satellites wander.
const STANDING_M: f64 = 5.0;
/// Most fixes of one ride: two days of one each five seconds.
const MAX_FIXES: i64 = 40_000;

/// How far `car_id` went from `from` until `until`, metres along its fixes.
pub async fn travelled_m(
    db: &mut PgConnection,
    car_id: &str,
    from: Timestamp,
    until: Timestamp,
) -> sqlx::Result<f64> {
    let fixes: Vec<(i32, i32)> = sqlx::query_as(
        "select t.lat_e7, t.lng_e7 from live.telemetry t
         where t.vehicle = (select vehicle from live.vehicle where car_id = $1) and t.at between $2 and $3
             and t.lat_e7 is not null
         order by t.at limit $4",
    )
    .bind(car_id)
    .bind(from.datetime())
    .bind(until.datetime())
    .bind(MAX_FIXES)
    .fetch_all(db)
    .await?;
    let places = fixes.into_iter().filter_map(|(lat_e7, lng_e7)| {
        let place = Place { lat_e7, lng_e7 };
        Wgs84::new(place.lat(), place.lng()).ok()
    });
    Ok(along(places))
}

/// A fix of a bike.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FixKept {
    /// Where.
    pub place: Wgs84,
    /// Dilution of precision; nothing where its device did not tell.
    pub hdop: Option<f64>,
    /// When, by its device.
    pub at: Timestamp,
}

/// The fixes of `car_id` from `from` until `until`, the newest first, at most `most`.
pub async fn fixes(
    db: &mut PgConnection,
    car_id: &str,
    from: Timestamp,
    until: Timestamp,
    most: i64,
) -> sqlx::Result<Vec<FixKept>> {
    let found: Vec<(i64, i32, i32, Option<i16>)> = sqlx::query_as(
        "select (extract(epoch from t.at) * 1000)::bigint, t.lat_e7, t.lng_e7, t.hdop from live.telemetry t
         where t.vehicle = (select vehicle from live.vehicle where car_id = $1) and t.at between $2 and $3
             and t.lat_e7 is not null
         order by t.at desc limit $4",
    )
    .bind(car_id)
    .bind(from.datetime())
    .bind(until.datetime())
    .bind(most)
    .fetch_all(db)
    .await?;
    let kept = found.into_iter().filter_map(|(at_ms, lat_e7, lng_e7, hdop_tenths)| {
        let place = Place { lat_e7, lng_e7 };
        Some(FixKept {
            place: Wgs84::new(place.lat(), place.lng()).ok()?,
            hdop: hdop_tenths.map(|tenths| f64::from(tenths) / 10.0),
            at: Timestamp::from_millis(at_ms),
        })
    });
    Ok(kept.collect())
}

/// Metres along `places`, without those that stay where the one before was.
fn along(places: impl Iterator<Item = Wgs84>) -> f64 {
    let mut last: Option<Wgs84> = None;
    let mut sum_m = 0.0;
    for place in places {
        let step_m = last.map_or(0.0, |last| distance_m(last, place));
        if last.is_none() || step_m >= STANDING_M {
            sum_m += step_m;
            last = Some(place);
        }
    }
    sum_m
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

/// How a device did at a report.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema, sqlx::FromRow)]
#[serde(rename_all = "camelCase")]
pub struct Pulse {
    /// The device's time, epoch ms.
    pub at: i64,
    /// Signal, 0 to 31.
    pub gsm: Option<i16>,
    /// Battery, millivolts.
    pub voltage_mv: Option<i32>,
}

/// How the device of `car_id` did since `since`: oldest first, the newest 2,000 reports. Who may ask is the caller's to check.
pub async fn pulses(db: &mut PgConnection, car_id: &str, since: Timestamp) -> sqlx::Result<Vec<Pulse>> {
    let mut found: Vec<Pulse> = sqlx::query_as(
        "select (extract(epoch from t.at) * 1000)::bigint as at, t.gsm, t.voltage_mv from live.telemetry t
         where t.vehicle = (select vehicle from live.vehicle where car_id = $1) and t.at >= $2
         order by t.at desc limit $3",
    )
    .bind(car_id)
    .bind(since.datetime())
    .bind(MAX_POINTS)
    .fetch_all(db)
    .await?;
    found.reverse();
    Ok(found)
}

/// The way of `car_id` from `from` until `until`, oldest first: at most 2,000 points, evenly chosen where it reported more
/// often, its first and last among them. Who may ask is the caller's to check.
pub async fn track(
    db: &mut PgConnection,
    car_id: &str,
    from: Timestamp,
    until: Timestamp,
) -> sqlx::Result<Vec<Point>> {
    let found: Vec<(i64, i32, i32, i16, i16)> = sqlx::query_as(
        "select (extract(epoch from t.at) * 1000)::bigint, t.lat_e7, t.lng_e7, t.soc, t.speed from live.telemetry t
         where t.vehicle = (select vehicle from live.vehicle where car_id = $1) and t.at between $2 and $3
             and t.lat_e7 is not null
         order by t.at limit $4",
    )
    .bind(car_id)
    .bind(from.datetime())
    .bind(until.datetime())
    .bind(MAX_FIXES)
    .fetch_all(db)
    .await?;
    let points = thinned(&found, MAX_POINTS as usize);
    Ok(points
        .map(|&(at, lat_e7, lng_e7, soc, speed)| {
            let place = Place { lat_e7, lng_e7 };
            Point { at, lat: place.lat(), lng: place.lng(), soc, speed }
        })
        .collect())
}

/// At most `most` of them, evenly chosen, the first and the last among them.
fn thinned<T>(all: &[T], most: usize) -> impl Iterator<Item = &T> {
    let kept = all.len().min(most);
    (0..kept).map(move |number| &all[if kept < 2 { 0 } else { number * (all.len() - 1) / (kept - 1) }])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_way_keeps_its_ends() {
        let all: Vec<usize> = (0..40_000).collect();
        let kept: Vec<usize> = thinned(&all, 2000).copied().collect();
        assert_eq!((kept.len(), kept[0], kept[1999]), (2000, 0, 39_999));
        assert!(kept.windows(2).all(|two| two[0] < two[1]));
        assert_eq!(thinned(&all[..3], 2000).copied().collect::<Vec<_>>(), [0, 1, 2]);
        assert_eq!((thinned(&all[..1], 2000).count(), thinned(&all[..0], 2000).count()), (1, 0));
    }

    #[test]
    fn a_bike_that_stands_goes_nowhere_however_its_fixes_wander() {
        let place = |north_m: f64| Wgs84::new(30.0 + north_m / 111_195.0, 120.0).unwrap();
        let wandering = (0..1000).map(|n| place(f64::from(n % 3)));
        assert!(along(wandering) < 5.0);
        let riding = along((0..=100).map(|n| place(f64::from(n) * 10.0)));
        assert!((riding - 1000.0).abs() < 2.0, "{riding}");
        // Slow, yet away: what is left out of one step is in the next.
        let slow = along((0..=1000).map(|n| place(f64::from(n))));
        assert!((slow - 1000.0).abs() < 6.0, "{slow}");
    }
}
