//! When something of a bike changed last, as its stored reports tell: each is found by walking back from the newest one.

use sqlx::PgConnection;
use vocabulary::{Timestamp, Wgs84};

use crate::report::{Flags, Place};

/// A bike that moves by less than this stands, metres: satellites wander.
const STANDING_M: f64 = 50.0;
/// Metres of a degree of latitude.
const DEGREE_M: f64 = 111_195.0;

/// When a lock closed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LockMoments {
    /// The last report that says that it is open.
    pub open_at: Option<Timestamp>,
    /// The first one after that which says that it is closed.
    pub closed_at: Option<Timestamp>,
}

type At = Option<chrono::DateTime<chrono::Utc>>;

/// When the lock of `car_id` closed last from `from` until `until`.
pub async fn lock_moments(
    db: &mut PgConnection,
    car_id: &str,
    from: Timestamp,
    until: Timestamp,
) -> sqlx::Result<LockMoments> {
    let locked = i32::from(Flags::LOCKED.0);
    let open_at: At = sqlx::query_scalar(
        "select max(t.at) from live.telemetry t
         where t.vehicle = (select vehicle from live.vehicle where car_id = $1) and t.at between $2 and $3
             and t.flags & $4 = 0",
    )
    .bind(car_id)
    .bind(from.datetime())
    .bind(until.datetime())
    .bind(locked)
    .fetch_one(&mut *db)
    .await?;
    let closed_at: At = sqlx::query_scalar(
        "select min(t.at) from live.telemetry t
         where t.vehicle = (select vehicle from live.vehicle where car_id = $1) and t.at between $2 and $3
             and t.flags & $4 <> 0",
    )
    .bind(car_id)
    .bind(open_at.unwrap_or_else(|| from.datetime()))
    .bind(until.datetime())
    .bind(locked)
    .fetch_one(db)
    .await?;
    Ok(LockMoments { open_at: open_at.map(Timestamp::from), closed_at: closed_at.map(Timestamp::from) })
}

/// The first fix of `car_id` from `from` until `until` since it was last farther than 50 m from `place`, east or north.
pub async fn stood_since(
    db: &mut PgConnection,
    car_id: &str,
    from: Timestamp,
    until: Timestamp,
    place: Wgs84,
) -> sqlx::Result<Option<Timestamp>> {
    let at = Place::from_degrees(place.lat(), place.lng());
    let north_e7 = STANDING_M / DEGREE_M * 1e7;
    let east_e7 = north_e7 / place.lat().to_radians().cos().max(0.01);
    let away_at: At = sqlx::query_scalar(
        "select max(t.at) from live.telemetry t
         where t.vehicle = (select vehicle from live.vehicle where car_id = $1) and t.at between $2 and $3
             and t.lat_e7 is not null and (abs(t.lat_e7 - $4) > $5 or abs(t.lng_e7 - $6) > $7)",
    )
    .bind(car_id)
    .bind(from.datetime())
    .bind(until.datetime())
    .bind(at.lat_e7)
    .bind(north_e7 as i32)
    .bind(at.lng_e7)
    .bind(east_e7 as i32)
    .fetch_one(&mut *db)
    .await?;
    let came_at: At = sqlx::query_scalar(
        "select min(t.at) from live.telemetry t
         where t.vehicle = (select vehicle from live.vehicle where car_id = $1) and t.at between $2 and $3
             and t.lat_e7 is not null and ($4::timestamptz is null or t.at > $4)",
    )
    .bind(car_id)
    .bind(away_at.unwrap_or_else(|| from.datetime()))
    .bind(until.datetime())
    .bind(away_at)
    .fetch_one(db)
    .await?;
    Ok(came_at.map(Timestamp::from))
}
