//! What rides were priced by, as table `ride_order` keeps it: to compute them again.

use sqlx::types::Json;
use sqlx::{PgConnection, PgExecutor};
use vocabulary::{AreaId, RideOrderId};

use crate::model::order::Pricing;

/// The area of an order in scope and what it was priced by; nothing of one that was not.
pub async fn of(db: impl PgExecutor<'_>, order: RideOrderId) -> sqlx::Result<Option<(AreaId, Pricing)>> {
    let found: Option<(AreaId, Json<Pricing>)> = sqlx::query_as(
        "select area_id, pricing from read.ride_order where order_id = $1 and pricing is not null",
    )
    .bind(order)
    .fetch_optional(db)
    .await?;
    Ok(found.map(|(area, pricing)| (area, pricing.0)))
}

/// Rides of an area that are read at once.
const STRETCH: i64 = 1_000;

/// Hands over what the rides of an area in scope were priced by that ended since an instant, the latest first, at most `most`;
/// answers whether there are more.
pub async fn since(
    db: &mut PgConnection,
    area: AreaId,
    since_ms: i64,
    most: i64,
    mut take: impl FnMut(RideOrderId, Pricing),
) -> sqlx::Result<bool> {
    let mut last = (i64::MAX, i64::MAX);
    let mut taken = 0;
    loop {
        let wanted = STRETCH.min(most - taken);
        let found: Vec<(i64, RideOrderId, Json<Pricing>)> = sqlx::query_as(
            "select end_at_ms, order_id, pricing from read.ride_order
             where area_id = $1 and end_at_ms >= $2 and (end_at_ms, order_id) < ($3, $4) and pricing is not null
             order by end_at_ms desc, order_id desc limit $5",
        )
        .bind(area)
        .bind(since_ms)
        .bind(last.0)
        .bind(last.1)
        .bind(wanted.max(1))
        .fetch_all(&mut *db)
        .await?;
        if taken == most {
            return Ok(!found.is_empty());
        }
        let is_last = (found.len() as i64) < wanted;
        for (end_at_ms, order, Json(pricing)) in found {
            last = (end_at_ms, order.0);
            taken += 1;
            take(order, pricing);
        }
        if is_last {
            return Ok(false);
        }
    }
}
