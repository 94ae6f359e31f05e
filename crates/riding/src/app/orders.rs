//! What support does to an order that is under way.

use kernel::{CommandContext, CommandError, Receipt, Transaction};
use vocabulary::{RideOrderId, Timestamp};
use wire::{Caller, Refused};

use super::{ReturnAsked, Why, reaching};
use crate::Context;
use crate::model::order::{CancelReason, EndKind, MISTAKE_M, Order, OrderCommand, OrderRefusal};

impl Context {
    /// An order in the caller's reach, with the caller's context without bounds: its bike and its rider's book move with it.
    pub(crate) async fn within_reach(
        &self,
        caller: &Caller,
        order_id: RideOrderId,
        ctx: CommandContext,
    ) -> Result<(Order, CommandContext), Refused> {
        let order = self.runtime.desk.load::<Order>(&order_id).await?.state;
        order.opened().ok_or_else(Refused::not_found)?;
        let ctx = reaching(&caller.full_scope, kernel::Aggregate::owner(&order), ctx)?;
        Ok((order, ctx))
    }

    /// Ends a ride when it truly ended, in the place of its rider; none: now.
    pub(crate) async fn force_end(
        &self,
        caller: &Caller,
        ctx: CommandContext,
        order_id: RideOrderId,
        at: Option<Timestamp>,
        reason: &str,
    ) -> Result<Receipt, Refused> {
        let (order, ctx) = self.within_reach(caller, order_id, ctx).await?;
        let at = at.unwrap_or(ctx.now);
        // An order that has ended says so by the command itself, which a repeated request is answered by.
        if order.may_end().is_ok() {
            if at > ctx.now {
                return Err(CommandError::Refused(OrderRefusal::TooLate).into());
            }
            if order.started_at().is_some_and(|start| at < start) {
                return Err(CommandError::Refused(OrderRefusal::TooEarly).into());
            }
        }
        if order.started_at().is_none() {
            order.may_end().map_err(CommandError::Refused)?;
        }
        let asked = ReturnAsked {
            order_id,
            kind: EndKind::Support,
            at: Some(at),
            rider_place: None,
            proved: Vec::new(),
            helmet_back: None,
        };
        self.return_for(&ctx, asked, Why::Noted(reason)).await
    }

    /// Calls off an order whose bike never moved.
    pub(crate) async fn call_off(
        &self,
        caller: &Caller,
        ctx: CommandContext,
        order_id: RideOrderId,
        reason: &str,
    ) -> Result<Receipt, Refused> {
        let (order, ctx) = self.within_reach(caller, order_id, ctx).await?;
        if let (true, Some(opened), Some(start)) = (order.is_open(), order.opened(), order.started_at()) {
            let went = self.ports.bikes.distance_m(&opened.car_id, start, ctx.now).await;
            let distance_m = went.map_err(Refused::unavailable)?;
            if distance_m >= MISTAKE_M {
                return Err(CommandError::Refused(OrderRefusal::Moved { distance_m }).into());
            }
        }
        let calling_off = async |mut tx: Transaction| -> Result<_, Refused> {
            tx.execute::<Order>(&order_id, OrderCommand::Note { reason: reason.to_owned() }).await?;
            self.give_up_in(&mut tx, order_id, CancelReason::ByStaff).await?;
            Ok(tx)
        };
        self.runtime.desk.transact(&ctx, calling_off).await
    }
}
