//! From a reservation to the ride: order, bike and lock move together.

use std::collections::BTreeSet;

use geofence::judge::{Judgement, Stop};
use kernel::{CommandContext, CommandError, Receipt, Transaction};
use ledger::{AccountKind, Book, Holder};
use serde_json::json;
use vocabulary::{AreaId, Cents, CommandId, RideOrderId, RiderId, Scope, Timestamp, Wgs84};
use wire::{Caller, Refused, RequestContext};

use super::riders::refused;
use crate::Context;
use crate::misses::Tried;
use crate::model::config::{BillingConfig, RidingPermissionConfig, UseConfig};
use crate::model::holdings::RiderCards;
use crate::model::miss::{MissAct, MissReason};
use crate::model::order::{CancelReason, Opened, Order, OrderCommand, OrderRefusal, PayState};
use crate::model::rider::{Qualification, Rider, RiderRefusal};
use crate::model::use_rules::{RechargeFor, UseRules, Wanting, age_on};
use crate::ports::{Bike, LockAction, RideAction};
use crate::read::orders;

/// What a lock did when it was asked to open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LockAnswer {
    /// It opened.
    Opened,
    /// It said that it cannot.
    Failed,
    /// It said nothing in time.
    Silent,
}

/// Who wants which bike.
#[derive(Clone, Debug)]
pub struct UnlockAsked {
    /// Who.
    pub rider: RiderId,
    /// 车辆编号.
    pub car_id: String,
    /// His reservation of it.
    pub reserved: Option<RideOrderId>,
    /// Where his phone is.
    pub place: Option<Wgs84>,
}

impl Context {
    /// Keeps a bike for a rider.
    pub(crate) async fn reserve(
        &self,
        caller: &Caller,
        request: &RequestContext,
        asked: UnlockAsked,
    ) -> Result<Receipt, Refused> {
        let order_id = RideOrderId(self.runtime.ids.next_id());
        let ctx = request.context(json!({ "orderId": order_id }));
        let reserving = async |mut tx: Transaction| -> Result<_, Refused> {
            let (_, opened) =
                self.handed_out(&mut tx, &asked, order_id, RideAction::Reserve, ctx.now).await?;
            tx.execute::<Order>(&order_id, OrderCommand::Reserve(opened)).await?;
            Ok(tx)
        };
        self.rider(caller, asked.rider).await?;
        self.runtime.desk.transact(&ctx, reserving).await
    }

    /// Asks a lock to open: the order waits for its answer, and is cancelled without one.
    pub(crate) async fn unlock(
        &self,
        caller: &Caller,
        request: &RequestContext,
        asked: UnlockAsked,
    ) -> Result<Receipt, Refused> {
        let order_id = asked.reserved.unwrap_or_else(|| RideOrderId(self.runtime.ids.next_id()));
        let ctx = request.context(json!({ "orderId": order_id }));
        let unlocking = async |mut tx: Transaction| -> Result<_, Refused> {
            let (bike, opened) =
                self.handed_out(&mut tx, &asked, order_id, RideAction::Unlock, ctx.now).await?;
            let config = tx.load::<BillingConfig>(&opened.area_id).await?.state;
            let (billing_version, _) = config.at(ctx.now);
            tx.execute::<Order>(&order_id, OrderCommand::Unlock { opened, billing_version }).await?;
            // The command has the order's id: its answer says whose it is.
            let command = CommandId(order_id.0);
            self.ports.bikes.tell(&mut tx, &bike, LockAction::Open, command, "用户开锁").await?;
            Ok(tx)
        };
        self.rider(caller, asked.rider).await?;
        self.runtime.desk.transact(&ctx, unlocking).await
    }

    /// What has to be so before somebody gets a bike; that bike, and how his order begins.
    async fn handed_out(
        &self,
        tx: &mut Transaction,
        asked: &UnlockAsked,
        order_id: RideOrderId,
        action: RideAction,
        now: Timestamp,
    ) -> Result<(Bike, Opened), Refused> {
        let rider = tx.load::<Rider>(&asked.rider).await?.state;
        let bike = self.ports.bikes.ride(tx, &asked.car_id, action, asked.rider).await?;
        if rider.owner_agent() != Some(bike.agent_id) {
            return Err(Refused::business("rider-other-agent", "该车辆不属于您注册的品牌，不能使用"));
        }
        let area = self.ports.places.area_in(tx, bike.area_id).await?;
        if !area.is_some_and(|area| area.open) {
            return Err(Refused::business("area-closed", "该服务区暂停服务"));
        }
        let permission = tx.load::<RidingPermissionConfig>(&bike.area_id).await?.state;
        let (_, permission) = permission.at(now);
        let mut paths: BTreeSet<_> =
            Qualification::ALL.iter().copied().filter(|by| permission.opens(*by)).collect();
        let cards = if permission.membership {
            tx.load::<RiderCards>(&asked.rider).await?.state
        } else {
            RiderCards::default()
        };
        let is_member = cards.is_member(now, bike.area_id);
        if !is_member {
            paths.remove(&Qualification::Membership);
        }
        match rider.may_ride(now, &paths) {
            Ok(_) => {}
            Err(RiderRefusal::Unqualified)
                if permission.membership && !is_member && cards.member_until(now).is_some() =>
            {
                return Err(Refused::business("rider-member-elsewhere", "您的会员卡不适用于该服务区"));
            }
            Err(refusal) => return Err(refused(&refusal)),
        }
        let book = tx.load::<Book>(&Holder::rider(asked.rider)).await?.state;
        let owed_cents = book.balance(AccountKind::Receivable).total_cents;
        if owed_cents > 0 {
            let text = format!("您有 {} 元车费未支付，支付后即可用车", Cents(owed_cents));
            return Err(Refused::business("rider-owing", text));
        }
        let report = self.ports.bikes.last_report(&bike.car_id);
        let Some(report) = report.filter(|report| report.online) else {
            return Err(Refused::business("vehicle-offline", "车辆离线，请换一辆"));
        };
        let rules = tx.load::<UseConfig>(&bike.area_id).await?.state.at(now).1.clone();
        let recharge_cents = book.balance(AccountKind::Recharge).free_cents();
        let who = self.wanting(&rules, asked.rider, &rider, recharge_cents, now).await?;
        rules.admit(&who).and_then(|()| rules.suffices(report.soc_percent)).map_err(CommandError::Refused)?;
        let opened = Opened {
            order_id,
            rider_id: asked.rider,
            car_id: bike.car_id.clone(),
            imei: bike.imei.clone(),
            agent_id: bike.agent_id,
            area_id: bike.area_id,
            place: report.place,
            rider_place: asked.place,
        };
        Ok((bike, opened))
    }

    /// Who wants a bike, as far as the rules of its area ask.
    async fn wanting(
        &self,
        rules: &UseRules,
        id: RiderId,
        rider: &Rider,
        recharge_cents: i64,
        now: Timestamp,
    ) -> Result<Wanting, Refused> {
        let age = rider.identity().and_then(|identity| age_on(&identity.id_no, now));
        let is_newcomer = if rules.recharge_first && rules.recharge_for == RechargeFor::Newcomers {
            let mut db = self.runtime.reads.scoped(&Scope::ALL, None, &[]).await?;
            !orders::has_ridden(&mut *db, id).await?
        } else {
            false
        };
        Ok(Wanting { age, is_newcomer, recharge_cents })
    }

    /// What somebody needs to ride in an area now.
    pub(crate) async fn use_rules(&self, area: AreaId) -> Result<UseRules, Refused> {
        let config = self.runtime.desk.load::<UseConfig>(&area).await?.state;
        Ok(config.at(self.runtime.clock.now()).1.clone())
    }

    /// Its rider gives a reservation back, or a ride that he began by mistake.
    pub(crate) async fn cancel(
        &self,
        caller: &Caller,
        request: &RequestContext,
        rider: RiderId,
        order_id: RideOrderId,
    ) -> Result<Receipt, Refused> {
        let order = self.order_of(caller, rider, order_id).await?;
        let ctx = request.context(json!({ "orderId": order_id }));
        let why =
            if order.state() == PayState::Reserved { CancelReason::ByRider } else { CancelReason::Mistake };
        if let (CancelReason::Mistake, Some(opened), Some(started)) =
            (why, order.opened(), order.started_at())
        {
            let went = self.ports.bikes.distance_m(&opened.car_id, started, request.now()).await;
            if went.map_err(Refused::unavailable)? >= crate::model::order::MISTAKE_M {
                let refused = CommandError::Refused(OrderRefusal::NotAMistake).into();
                return self.runtime.desk.answered_or(&ctx, refused).await;
            }
        }
        self.give_up(&ctx, order_id, why).await
    }

    /// Ends an order that came to nothing; its bike is free again, and locked where it was open.
    pub(crate) async fn give_up(
        &self,
        ctx: &CommandContext,
        order_id: RideOrderId,
        why: CancelReason,
    ) -> Result<Receipt, Refused> {
        let giving_up = async |mut tx: Transaction| -> Result<_, Refused> {
            self.give_up_in(&mut tx, order_id, why).await?;
            Ok(tx)
        };
        self.runtime.desk.transact(ctx, giving_up).await
    }

    /// The same, as part of `tx`.
    pub(crate) async fn give_up_in(
        &self,
        tx: &mut Transaction,
        order_id: RideOrderId,
        why: CancelReason,
    ) -> Result<(), Refused> {
        let order = tx.load::<Order>(&order_id).await?.state;
        let opened = order.opened().ok_or_else(Refused::not_found)?;
        tx.execute::<Order>(&order_id, OrderCommand::Cancel { why }).await?;
        let action =
            if order.state() == PayState::Reserved { RideAction::Cancel } else { RideAction::Return };
        let bike = self.ports.bikes.ride(tx, &opened.car_id, action, opened.rider_id).await?;
        // A lock that answers late would stand open: it is told to close whatever it did.
        if order.state() == PayState::Riding {
            let command = CommandId(self.runtime.ids.next_id());
            self.ports.bikes.tell(tx, &bike, LockAction::Close, command, why.label()).await?;
        }
        Ok(())
    }

    /// The lock answered: the ride begins, or there is none.
    pub async fn lock_answered(
        &self,
        ctx: &CommandContext,
        order_id: RideOrderId,
        answer: LockAnswer,
    ) -> Result<(), Refused> {
        let order = self.runtime.desk.load::<Order>(&order_id).await?.state;
        if !order.is_unlocking() || !order.is_open() {
            return Ok(()); // no order of ours, or ended by something else
        }
        let (why, reason) = match answer {
            LockAnswer::Opened => {
                self.runtime.desk.execute::<Order>(&order_id, OrderCommand::Begin, ctx).await?;
                return Ok(());
            }
            LockAnswer::Failed => (CancelReason::Refused, MissReason::LockFailed),
            LockAnswer::Silent => (CancelReason::NoAnswer, MissReason::NoAnswer),
        };
        self.give_up(ctx, order_id, why).await?;
        if let Some(opened) = order.opened() {
            let tried = Tried {
                act: MissAct::Unlock,
                rider: Some(opened.rider_id),
                car_id: Some(opened.car_id.clone()),
                place: opened.rider_place.or(opened.place),
                scope: Scope::ALL,
                at: ctx.now,
            };
            self.misses.found(tried, reason, &format!("订单 {order_id}"));
        }
        Ok(())
    }

    /// Its rider locks the bike for a while, or goes on.
    pub(crate) async fn pause(
        &self,
        caller: &Caller,
        request: &RequestContext,
        rider: RiderId,
        order_id: RideOrderId,
        resumes: bool,
    ) -> Result<Receipt, Refused> {
        self.order_of(caller, rider, order_id).await?;
        let ctx = request.context(json!({ "orderId": order_id }));
        let (asked, action, lock, word) = if resumes {
            (OrderCommand::Resume, RideAction::Resume, LockAction::Open, "继续骑行")
        } else {
            (OrderCommand::Pause, RideAction::Pause, LockAction::Close, "临停")
        };
        let command = CommandId(self.runtime.ids.next_id());
        let pausing = async |mut tx: Transaction| -> Result<_, Refused> {
            let order = tx.load::<Order>(&order_id).await?.state;
            let opened = order.opened().ok_or_else(Refused::not_found)?;
            tx.execute::<Order>(&order_id, asked.clone()).await?;
            let bike = self.ports.bikes.ride(&mut tx, &opened.car_id, action, rider).await?;
            self.ports.bikes.tell(&mut tx, &bike, lock, command, word).await?;
            Ok(tx)
        };
        self.runtime.desk.transact(&ctx, pausing).await
    }

    /// An order of a rider in the caller's reach.
    pub(crate) async fn order_of(
        &self,
        caller: &Caller,
        rider: RiderId,
        order_id: RideOrderId,
    ) -> Result<Order, Refused> {
        let order = self.runtime.desk.load::<Order>(&order_id).await?.state;
        let his = order.opened().is_some_and(|opened| opened.rider_id == rider);
        let seen = his && kernel::Aggregate::lies_in(&order, &caller.scope);
        if seen { Ok(order) } else { Err(Refused::not_found()) }
    }

    /// What the fences of now say of a place.
    pub(crate) async fn judged(&self, stop: &Stop) -> Result<Judgement, Refused> {
        self.ports.places.judge(stop).await.map_err(Refused::unavailable)
    }
}
