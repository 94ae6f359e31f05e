//! Where bikes stopped: written with the reports that say so, asked for by place.

use chrono::{DateTime, Utc};
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
    if !stopped.is_empty() {
        begin(db, &stopped, &vehicle_of).await?;
    }
    let left: Vec<&HistoryRow> = rows.iter().filter(|row| row.left).collect();
    if !left.is_empty() {
        end(db, &left, &vehicle_of).await?;
    }
    Ok(())
}

async fn begin(
    db: &mut PgConnection,
    stopped: &[(&HistoryRow, Place)],
    vehicle_of: impl Fn(u32) -> i32,
) -> sqlx::Result<()> {
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

/// Each bike has left where it stopped last before it was open, unless it left there already.
async fn end(
    db: &mut PgConnection,
    left: &[&HistoryRow],
    vehicle_of: impl Fn(u32) -> i32,
) -> sqlx::Result<()> {
    sqlx::query(
        "update live.stop s set left_at = o.left_at
         from (select e.vehicle, n.at, min(e.at) as left_at
               from unnest($1::int[], $2::timestamptz[]) e (vehicle, at)
               cross join lateral (select at, left_at from live.stop
                                   where vehicle = e.vehicle and at < e.at order by at desc limit 1) n
               where n.left_at is null
               group by e.vehicle, n.at) o
         where s.vehicle = o.vehicle and s.at = o.at and s.left_at is null",
    )
    .bind(left.iter().map(|row| vehicle_of(row.slot)).collect::<Vec<_>>())
    .bind(left.iter().map(|row| row.report.at.datetime()).collect::<Vec<_>>())
    .execute(db)
    .await?;
    Ok(())
}

/// Since when each bike stands where it stopped last; of those that left, or were not seen to stop, nothing. One look into the
/// table's key for each bike.
pub async fn standing_since(db: impl PgExecutor<'_>) -> sqlx::Result<Vec<(String, Timestamp)>> {
    let found: Vec<(String, DateTime<Utc>)> = sqlx::query_as(
        "select v.car_id, s.at from live.vehicle v
         cross join lateral (select at, left_at from live.stop where vehicle = v.vehicle order by at desc limit 1) s
         where s.left_at is null",
    )
    .fetch_all(db)
    .await?;
    Ok(found.into_iter().map(|(car_id, at)| (car_id, Timestamp::from(at))).collect())
}

/// A stop that somebody else kept: of the system before, of a device that was away.
#[derive(Clone, Copy, Debug)]
pub struct PastStop<'a> {
    /// 车辆编号.
    pub car_id: &'a str,
    /// When, where and how exactly.
    pub stop: Stop,
    /// When it left, where that is known.
    pub left_at: Option<Timestamp>,
}

/// Takes them down, each once; of bikes that the caller may name. How many are new. What is known of when a bike left is
/// added to a stop that is known.
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
    let kept: Vec<(chrono::DateTime<chrono::Utc>, bool)> = sqlx::query_as(
        "insert into live.stop as known (vehicle, at, lat_e7, lng_e7, hdop, left_at)
         select distinct on (v.vehicle, s.at) v.vehicle, s.at, s.lat_e7, s.lng_e7, s.hdop, s.left_at
         from unnest($1::text[], $2::timestamptz[], $3::int[], $4::int[], $5::smallint[], $6::timestamptz[])
             s (car_id, at, lat_e7, lng_e7, hdop, left_at)
         join live.vehicle v using (car_id)
         on conflict (vehicle, at) do update set left_at = excluded.left_at
             where known.left_at is null and excluded.left_at is not null
         returning at, xmax = 0",
    )
    .bind(&cars)
    .bind(stops.iter().map(|past| past.stop.at.datetime()).collect::<Vec<_>>())
    .bind(places.iter().map(|place| place.lat_e7).collect::<Vec<_>>())
    .bind(places.iter().map(|place| place.lng_e7).collect::<Vec<_>>())
    .bind(stops.iter().map(|past| past.stop.hdop.map(tenths)).collect::<Vec<_>>())
    .bind(stops.iter().map(|past| past.left_at.map(Timestamp::datetime)).collect::<Vec<_>>())
    .fetch_all(&mut *db)
    .await?;
    if let Some(since) = kept.iter().map(|(at, _)| *at).min() {
        sqlx::query(
            "insert into live.stop_told as known (since, told) values ($1, 1)
             on conflict (one) do update set since = least(known.since, excluded.since), told = known.told + 1",
        )
        .bind(since)
        .execute(db)
        .await?;
    }
    Ok(kept.iter().filter(|(_, is_new)| *is_new).count() as u64)
}

/// Stops that were told long after they happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Told {
    /// The oldest.
    pub since: Timestamp,
    /// How often any were told.
    pub times: i64,
}

/// What was told late and not yet looked at by whoever reckons by stops.
pub async fn told_late(db: impl PgExecutor<'_>) -> sqlx::Result<Option<Told>> {
    let found: Option<(chrono::DateTime<chrono::Utc>, i64)> =
        sqlx::query_as("select since, told from live.stop_told").fetch_optional(db).await?;
    Ok(found.map(|(since, times)| Told { since: since.into(), times }))
}

/// It was looked at, unless more was told since.
pub async fn looked_at(db: impl PgExecutor<'_>, told: Told) -> sqlx::Result<()> {
    sqlx::query("delete from live.stop_told where told = $1").bind(told.times).execute(db).await?;
    Ok(())
}

/// A bike where it stopped, for as long as it stood there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stood {
    /// Since when, where and how exactly.
    pub stop: Stop,
    /// The first instant at which it stood there no more: it had left, or stopped somewhere else.
    pub until: Option<Timestamp>,
    /// Whether that is when it left.
    pub left: bool,
}

/// Of one bike in a stretch of time so many stops are looked at: whoever stops more often is no bike.
const STOPS_OF_A_BIKE: i64 = 1_000;
/// Bikes that are looked at together.
const BIKES_AT_ONCE: i64 = 5_000;

/// Where bikes stood in a stretch of time: those with numbers above `after`, some thousand bikes; and the last one's
/// number, unless there are no more.
pub async fn stood(
    db: &mut PgConnection,
    from: Timestamp,
    until: Timestamp,
    after: i32,
) -> sqlx::Result<(Vec<Stood>, Option<i32>)> {
    let last: Option<i32> = sqlx::query_scalar(
        "select max(vehicle) from (select vehicle from live.vehicle where vehicle > $1 order by vehicle limit $2) v",
    )
    .bind(after)
    .bind(BIKES_AT_ONCE)
    .fetch_one(&mut *db)
    .await?;
    let Some(last) = last else { return Ok((Vec::new(), None)) };
    let rows: Vec<Stayed> = sqlx::query_as(
        "with about as (
             select s.* from live.vehicle v
             cross join lateral (select * from live.stop
                                 where vehicle = v.vehicle and at >= $3 and at < $4 order by at limit $5) s
             where v.vehicle > $1 and v.vehicle <= $2
             union all
             select s.* from live.vehicle v
             cross join lateral (select * from live.stop
                                 where vehicle = v.vehicle and at < $3 order by at desc limit 1) s
             where v.vehicle > $1 and v.vehicle <= $2
         ), each as (
             select *, least(left_at, lead(at) over (partition by vehicle order by at)) as until from about
         )
         select at, lat_e7, lng_e7, hdop, until, until is not null and left_at is not distinct from until
         from each where until is null or until > $3",
    )
    .bind(after)
    .bind(last)
    .bind(from.datetime())
    .bind(until.datetime())
    .bind(STOPS_OF_A_BIKE)
    .fetch_all(db)
    .await?;
    Ok((rows.into_iter().filter_map(stood_of).collect(), Some(last)))
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

/// West, south, east and north of a box of `[lng, lat]` corners, as places are stored.
fn sides_e7([[west, south], [east, north]]: [[f64; 2]; 2]) -> [i32; 4] {
    [west, south, east, north].map(|degrees| (degrees * 1e7).clamp(-1.8e9, 1.8e9) as i32)
}

/// Stops in a box of `[lng, lat]` corners since an instant, newest first, at most `most`. Who may ask is the caller's to
/// check.
pub async fn stops_in(
    db: impl PgExecutor<'_>,
    bounds: [[f64; 2]; 2],
    since: Timestamp,
    most: i64,
) -> sqlx::Result<Vec<Stop>> {
    let [west, south, east, north] = sides_e7(bounds);
    let rows: Vec<Found> = sqlx::query_as(
        "select at, lat_e7, lng_e7, hdop from live.stop
         where lat_e7 between $1 and $2 and lng_e7 between $3 and $4 and at >= $5 order by at desc limit $6",
    )
    .bind(south)
    .bind(north)
    .bind(west)
    .bind(east)
    .bind(since.datetime())
    .bind(most)
    .fetch_all(db)
    .await?;
    Ok(rows.into_iter().filter_map(stop_of).collect())
}

/// Stays in a box of `[lng, lat]` corners that began since an instant or went on then, newest first, at most `most`. Who may
/// ask is the caller's to check.
pub async fn stays_in(
    db: impl PgExecutor<'_>,
    bounds: [[f64; 2]; 2],
    since: Timestamp,
    most: i64,
) -> sqlx::Result<Vec<Stood>> {
    let [west, south, east, north] = sides_e7(bounds);
    let rows: Vec<Stayed> = sqlx::query_as(
        "select s.at, s.lat_e7, s.lng_e7, s.hdop, e.until, e.until is not null and s.left_at is not distinct from e.until
         from live.stop s
         cross join lateral (select least(s.left_at, (select n.at from live.stop n
                                                      where n.vehicle = s.vehicle and n.at > s.at
                                                      order by n.at limit 1)) as until) e
         where s.lat_e7 between $1 and $2 and s.lng_e7 between $3 and $4
             and (s.at >= $5 or e.until is null or e.until > $5)
         order by s.at desc limit $6",
    )
    .bind(south)
    .bind(north)
    .bind(west)
    .bind(east)
    .bind(since.datetime())
    .bind(most)
    .fetch_all(db)
    .await?;
    Ok(rows.into_iter().filter_map(stood_of).collect())
}

type Stayed =
    (chrono::DateTime<chrono::Utc>, i32, i32, Option<i16>, Option<chrono::DateTime<chrono::Utc>>, bool);

fn stood_of((at, lat_e7, lng_e7, hdop, until, left): Stayed) -> Option<Stood> {
    let stop = stop_of((at, lat_e7, lng_e7, hdop))?;
    Some(Stood { stop, until: until.map(Timestamp::from), left })
}

type Found = (chrono::DateTime<chrono::Utc>, i32, i32, Option<i16>);

fn stop_of((at, lat_e7, lng_e7, hdop): Found) -> Option<Stop> {
    let place = Place { lat_e7, lng_e7 };
    let place = Wgs84::new(place.lat(), place.lng()).ok()?;
    Some(Stop { at: at.into(), place, hdop: hdop.map(|tenths| f64::from(tenths) / 10.0) })
}
