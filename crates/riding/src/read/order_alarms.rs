//! What alarms are made of that orders tell: those that run, and how long a bike's last ones lasted.

use sqlx::PgExecutor;
use vocabulary::{AreaId, RideOrderId, Timestamp, Wgs84};

/// Orders of a round, the longest first: more run nowhere at once.
const ROUND_MAX: i64 = 50_000;
/// So many rides of a bike tell whether they are short: no more are asked of it.
const LAST: i64 = 20;

/// An order whose lock was opened and that has not ended.
#[derive(Clone, Debug, sqlx::FromRow)]
pub struct Running {
    /// Which.
    pub order_id: RideOrderId,
    /// 车辆编号.
    pub car_id: String,
    /// Where it began.
    pub area_id: AreaId,
    start_at_ms: i64,
    start_lat: Option<f64>,
    start_lng: Option<f64>,
}

impl Running {
    /// When its lock was opened.
    pub const fn started_at(&self) -> Timestamp {
        Timestamp::from_millis(self.start_at_ms)
    }

    /// Where its bike stood then.
    pub fn start(&self) -> Option<Wgs84> {
        Wgs84::new(self.start_lat?, self.start_lng?).ok()
    }
}

/// Orders that run, the longest first.
pub async fn running(db: impl PgExecutor<'_>) -> sqlx::Result<Vec<Running>> {
    sqlx::query_as(
        "select order_id, car_id, area_id, start_at_ms, start_lat, start_lng from read.ride_order
         where state = 1 and not is_unlocking and start_at_ms is not null order by opened_at_ms, order_id limit $1",
    )
    .bind(ROUND_MAX)
    .fetch_all(db)
    .await
}

/// A bike and its last rides.
#[derive(Clone, Debug, sqlx::FromRow)]
pub struct LastRides {
    /// 车辆编号.
    pub car_id: String,
    /// Where the last one began.
    pub area_id: AreaId,
    /// How long each was ridden, seconds, the last that ended first: at most 20.
    pub ridden_s: Vec<i64>,
}

/// The last rides of bikes of which one ended since then, and of `others`.
pub async fn ended(
    db: impl PgExecutor<'_>,
    since: Timestamp,
    others: &[&str],
) -> sqlx::Result<Vec<LastRides>> {
    sqlx::query_as(
        "select c.car_id, l.area_id, l.ridden_s
         from (select car_id from read.ride_order where end_at_ms >= $1
               union select unnest($2::text[])) c
         cross join lateral (
             select (array_agg(o.area_id order by o.end_at_ms desc, o.order_id desc))[1] as area_id,
                 array_agg(o.riding_s order by o.end_at_ms desc, o.order_id desc) as ridden_s
             from (select area_id, riding_s, end_at_ms, order_id from read.ride_order r
                   where r.car_id = c.car_id and r.end_kind is not null
                   order by r.opened_at_ms desc, r.order_id desc limit $3) o) l
         where l.area_id is not null",
    )
    .bind(since.millis())
    .bind(others)
    .bind(LAST)
    .fetch_all(db)
    .await
}
