//! What riders owe for orders, and who is to be reminded of it.

use serde::Serialize;
use sqlx::PgExecutor;
use utoipa::ToSchema;
use vocabulary::{AreaId, RideOrderId, RiderId, Timestamp};

use crate::model::pay_rules::{REMINDERS_MAX, RemindWay};
use crate::model::reminder::BY_HAND_MS;

/// An order that is not paid, as far as it is known without asking more.
#[derive(Clone, Copy, Debug, sqlx::FromRow)]
pub struct Unpaid {
    /// Which.
    pub order_id: RideOrderId,
    /// The service area where it began.
    pub area_id: AreaId,
}

/// Orders with ids above `after` that are not paid and may have to be reminded of at `now`, by their ids; at most `most`.
pub async fn to_remind(
    db: impl PgExecutor<'_>,
    after: RideOrderId,
    now: Timestamp,
    most: i64,
) -> sqlx::Result<Vec<Unpaid>> {
    sqlx::query_as(
        "select order_id, area_id from read.ride_order
         where state = 3 and order_id > $1 and reminders < $2 and coalesce(reminded_at_ms, end_at_ms) <= $3
         order by order_id limit $4",
    )
    .bind(after)
    .bind(i16::try_from(REMINDERS_MAX).unwrap_or(i16::MAX))
    // No rules have an interval shorter than an hour.
    .bind(now.plus_millis(-BY_HAND_MS).millis())
    .bind(most)
    .fetch_all(db)
    .await
}

/// What a rider owes for an order, and how often he was reminded of it.
#[derive(Clone, Debug, Serialize, ToSchema, sqlx::FromRow)]
#[serde(rename_all = "camelCase")]
pub struct Arrear {
    /// Which order, as text.
    #[schema(value_type = String)]
    pub order_id: RideOrderId,
    /// 车辆编号.
    pub car_id: String,
    /// 开始时间, epoch milliseconds.
    #[sqlx(rename = "start_at_ms")]
    pub start_at: Option<i64>,
    /// 结束时间, epoch milliseconds.
    #[sqlx(rename = "end_at_ms")]
    pub end_at: Option<i64>,
    /// What is still to be paid, cents.
    pub owed_cents: i64,
    /// 催缴次数.
    pub reminders: i16,
    /// 最近催缴, epoch milliseconds.
    #[sqlx(rename = "reminded_at_ms")]
    pub reminded_at: Option<i64>,
    /// How that was.
    pub remind_way: Option<RemindWay>,
}

/// What a rider owes, the oldest first; at most 50 orders.
pub async fn arrears(db: impl PgExecutor<'_>, rider: RiderId) -> sqlx::Result<Vec<Arrear>> {
    sqlx::query_as(
        "select order_id, car_id, start_at_ms, end_at_ms, pay_cents - paid_cents - written_off_cents as owed_cents,
             reminders, reminded_at_ms, remind_way
         from read.ride_order where rider_id = $1 and state = 3 order by opened_at_ms limit 50",
    )
    .bind(rider)
    .fetch_all(db)
    .await
}
