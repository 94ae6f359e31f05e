//! Where bikes stopped: written with the reports that say so, asked for by place.

use sqlx::{PgConnection, PgExecutor, PgPool};
use vocabulary::{Timestamp, Wgs84};

use super::history::HistoryRow;
use crate::report::Place;

/// Stops are kept so long: what is asked of a month has a whole one.
pub const KEEP_DAYS: i64 = 35;
const DAY_MS: i64 = 86_400_000;
/// Old ones go so many at a time.
const FORGOTTEN_AT_ONCE: i64 = 20_000;

/// A bike that was locked.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stop {
    /// When, by the device's clock.
    pub at: Timestamp,
    /// Where.
    pub place: Wgs84,
    /// Dilution of precision of the fix, where it told.
    pub hdop: Option<f64>,
}

/// Writes the stops among `rows`; `vehicle_of` tells the stored number of a slot.
pub(super) async fn store(
    db: &mut PgConnection,
    rows: &[HistoryRow],
    vehicle_of: impl Fn(u32) -> i32,
) -> sqlx::Result<()> {
    let stopped: Vec<(&HistoryRow, Place)> =
        rows.iter().filter_map(|row| row.stopped.map(|place| (row, place))).collect();
    if stopped.is_empty() {
        return Ok(());
    }
    sqlx::query(
        "insert into live.stop (vehicle, at, lat_e7, lng_e7, hdop)
         select * from unnest($1::int[], $2::timestamptz[], $3::int[], $4::int[], $5::smallint[])
         on conflict do nothing",
    )
    .bind(stopped.iter().map(|(row, _)| vehicle_of(row.slot)).collect::<Vec<_>>())
    .bind(stopped.iter().map(|(row, _)| row.report.at.datetime()).collect::<Vec<_>>())
    .bind(stopped.iter().map(|(_, place)| place.lat_e7).collect::<Vec<_>>())
    .bind(stopped.iter().map(|(_, place)| place.lng_e7).collect::<Vec<_>>())
    .bind(stopped.iter().map(|(row, _)| row.report.hdop_tenths.map(i16::from)).collect::<Vec<_>>())
    .execute(db)
    .await?;
    Ok(())
}

/// A stop that somebody else kept: of the system before, of a device that was away.
#[derive(Clone, Copy, Debug)]
pub struct PastStop<'a> {
    /// 车辆编号.
    pub car_id: &'a str,
    /// When, where and how exactly.
    pub stop: Stop,
}

/// Takes them down, each once; of bikes that the caller may name. How many are new.
pub async fn keep_past(db: &mut PgConnection, stops: &[PastStop<'_>]) -> sqlx::Result<u64> {
    let cars: Vec<&str> = stops.iter().map(|past| past.car_id).collect();
    sqlx::query(
        "insert into live.vehicle (car_id) select distinct unnest($1::text[]) on conflict do nothing",
    )
    .bind(&cars)
    .execute(&mut *db)
    .await?;
    let places: Vec<Place> =
        stops.iter().map(|past| Place::from_degrees(past.stop.place.lat(), past.stop.place.lng())).collect();
    let tenths = |hdop: f64| (hdop * 10.0).round().clamp(0.0, 255.0) as i16;
    let done = sqlx::query(
        "insert into live.stop (vehicle, at, lat_e7, lng_e7, hdop)
         select v.vehicle, s.at, s.lat_e7, s.lng_e7, s.hdop
         from unnest($1::text[], $2::timestamptz[], $3::int[], $4::int[], $5::smallint[])
             s (car_id, at, lat_e7, lng_e7, hdop)
         join live.vehicle v using (car_id) on conflict do nothing",
    )
    .bind(&cars)
    .bind(stops.iter().map(|past| past.stop.at.datetime()).collect::<Vec<_>>())
    .bind(places.iter().map(|place| place.lat_e7).collect::<Vec<_>>())
    .bind(places.iter().map(|place| place.lng_e7).collect::<Vec<_>>())
    .bind(stops.iter().map(|past| past.stop.hdop.map(tenths)).collect::<Vec<_>>())
    .execute(&mut *db)
    .await?;
    Ok(done.rows_affected())
}

/// Forgets what is too old.
pub(super) async fn tend(owner: &PgPool, now: Timestamp) -> sqlx::Result<()> {
    let oldest = now.plus_millis(-KEEP_DAYS * DAY_MS).datetime();
    loop {
        let gone = sqlx::query(
            "delete from live.stop where ctid in (select ctid from live.stop where at < $1 order by at limit $2)",
        )
        .bind(oldest)
        .bind(FORGOTTEN_AT_ONCE)
        .execute(owner)
        .await?;
        if gone.rows_affected() < FORGOTTEN_AT_ONCE.unsigned_abs() {
            return Ok(());
        }
    }
}

/// Stops in a box of `[lng, lat]` corners since an instant, newest first, at most `most`. Who may ask is the caller's to
/// check.
pub async fn stops_in(
    db: impl PgExecutor<'_>,
    [[west, south], [east, north]]: [[f64; 2]; 2],
    since: Timestamp,
    most: i64,
) -> sqlx::Result<Vec<Stop>> {
    let e7 = |degrees: f64| (degrees * 1e7).clamp(-1.8e9, 1.8e9) as i32;
    let rows: Vec<(chrono::DateTime<chrono::Utc>, i32, i32, Option<i16>)> = sqlx::query_as(
        "select at, lat_e7, lng_e7, hdop from live.stop
         where lat_e7 between $1 and $2 and lng_e7 between $3 and $4 and at >= $5 order by at desc limit $6",
    )
    .bind(e7(south))
    .bind(e7(north))
    .bind(e7(west))
    .bind(e7(east))
    .bind(since.datetime())
    .bind(most)
    .fetch_all(db)
    .await?;
    let stop = |(at, lat_e7, lng_e7, hdop): (chrono::DateTime<chrono::Utc>, i32, i32, Option<i16>)| {
        let place = Place { lat_e7, lng_e7 };
        let place = Wgs84::new(place.lat(), place.lng()).ok()?;
        Some(Stop { at: at.into(), place, hdop: hdop.map(|tenths| f64::from(tenths) / 10.0) })
    };
    Ok(rows.into_iter().filter_map(stop).collect())
}
