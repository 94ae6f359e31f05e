//! Rides and pauses that last longer than their area allows end by themselves, where the bike stands (单次骑行上限, 临停上限).

use kernel::CommandContext;
use vocabulary::{AreaId, RideOrderId, Timestamp};
use wire::Refused;

use super::returning::{ReturnAsked, Why};
use crate::Context;
use crate::model::order::{EndKind, Order};
use crate::model::use_rules::TooLong;

/// The rule's name in the log.
const RULE: &str = "ride-limits";

impl Context {
    /// Ends a ride that is strange in nothing but how long it lasts, where its area says so; whether it was ended.
    pub(super) async fn end_long_ride(
        &self,
        order: RideOrderId,
        area: AreaId,
        now: Timestamp,
    ) -> Result<bool, Refused> {
        match self.use_rules(area).await?.too_long {
            TooLong::Return => self.end_by_rule(order, "超过单次骑行上限，自动还车", now).await,
            TooLong::Remind | TooLong::Pause => Ok(false),
        }
    }

    /// Ends a ride that is paused for longer than its area allows; whether it was ended.
    pub(super) async fn end_long_pause(
        &self,
        order_id: RideOrderId,
        area: AreaId,
        now: Timestamp,
    ) -> Result<bool, Refused> {
        let order = self.runtime.desk.load::<Order>(&order_id).await?.state;
        let most_ms = self.use_rules(area).await?.pause_max_s * 1000;
        match order.paused_at() {
            Some(at) if order.may_end().is_ok() && now.millis_since(at) >= most_ms => {
                self.end_by_rule(order_id, "超过临停上限，自动还车", now).await
            }
            _ => Ok(false),
        }
    }

    async fn end_by_rule(&self, order_id: RideOrderId, why: &str, now: Timestamp) -> Result<bool, Refused> {
        let asked = ReturnAsked {
            order_id,
            kind: EndKind::TimeOut,
            at: None,
            rider_place: None,
            proved: Vec::new(),
            helmet_back: None,
        };
        let ctx = CommandContext::of_system(RULE, now);
        match self.return_for(&ctx, asked, Why::Noted(why)).await {
            Ok(_) => {
                tracing::info!(order = %order_id, why, "an order was ended by a limit");
                Ok(true)
            }
            // Its rider returned it a moment ago, or its bike says no: then people see it.
            Err(Refused::Business { code, .. }) => {
                tracing::info!(order = %order_id, %code, "an order is not ended by a limit");
                Ok(false)
            }
            Err(error) => Err(error),
        }
    }
}
