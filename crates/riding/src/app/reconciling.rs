//! Orders that run although nobody rides: found by what devices say, ended when they truly ended where that is certain, and
//! shown to people where it is not.

use std::collections::HashMap;

use kernel::{CommandContext, CommandError, Receipt, Transaction};
use vocabulary::{AreaId, RideOrderId, Scope, Timestamp};
use wire::{Caller, Refused};

use super::NEWEST;
use super::returning::{ReturnAsked, Why};
use crate::Context;
use crate::model::anomaly::{
    Anomaly, AnomalyKind, DeviceFacts, Finding, Limits, OrderFacts, Reconciliation, find, is_suspicious,
};
use crate::model::billing::Billing;
use crate::model::config::{BillingConfig, UseConfig};
use crate::model::fare::{Left, Ridden, fare};
use crate::model::holdings::{RideOfCards, RiderCards};
use crate::model::order::{End, EndKind, Opened, Order, OrderCommand, OrderRefusal};
use crate::ports::LastReport;
use crate::read::anomalies::{self, OpenAnomaly, UnderWay};

/// The rule's name in the log.
const RULE: &str = "order-reconciler";
/// Why the system ends an order.
const LOCK_IS_CLOSED: &str = "锁已关闭而订单仍在进行，系统按关锁时间结束";
/// The moment that a person saw and the one that is found now may differ by so much, milliseconds.
const SAME_MS: i64 = 60_000;

/// What of an order is found, and why it is ended for that.
#[derive(Clone, Debug)]
pub(crate) struct Found {
    /// What is strange.
    pub anomaly: Anomaly,
    /// What its device says.
    pub device: DeviceFacts,
    /// Why, in words.
    pub reason: String,
}

/// An order that was looked at, and is strange.
struct Looked {
    order: Order,
    device: DeviceFacts,
    finding: Finding,
}

fn told(report: Option<&LastReport>) -> DeviceFacts {
    DeviceFacts {
        report_at: report.map(|report| report.report_at),
        locked: report.is_some_and(|report| report.locked),
        fix_at: report.and_then(|report| report.fix_at),
        place: report.and_then(|report| report.place),
        ..DeviceFacts::default()
    }
}

fn refused(refusal: OrderRefusal) -> Refused {
    CommandError::Refused(refusal).into()
}

/// What a ride costs by a billing and what its rider holds, cents.
fn cost_cents(of: &Opened, billing: &Billing, cards: &RiderCards, ridden: Ridden, left: &Left) -> i64 {
    let ride = RideOfCards { order: of.order_id, area_id: of.area_id, billing: billing.clone(), ridden };
    fare(billing, &ridden, left, false, &cards.best(&ride).benefits).pay_cents
}

fn billed_by(config: &BillingConfig, order: &Order) -> Billing {
    config.version(order.billing_version()).cloned().unwrap_or_default()
}

impl Context {
    /// What counts in an area at `now`.
    async fn limits(&self, area: AreaId, now: Timestamp) -> Result<Limits, Refused> {
        let config = self.runtime.desk.load::<UseConfig>(&area).await?.state;
        Ok(Limits::of(config.at(now).1.ride_max_s))
    }

    /// What was ridden of an order until then.
    pub(super) async fn ridden_until(
        &self,
        of: &Opened,
        start_at: Timestamp,
        end_at: Timestamp,
    ) -> Result<Ridden, Refused> {
        let distance_m = self.ports.bikes.distance_m(&of.car_id, start_at, end_at).await;
        Ok(Ridden { start_at, end_at, distance_m: distance_m.map_err(Refused::unavailable)? })
    }

    /// Looks at an order and its device; nothing where it does not run or nothing is strange.
    async fn look_at_order(
        &self,
        order_id: RideOrderId,
        now: Timestamp,
        limits: &Limits,
    ) -> Result<Option<Looked>, Refused> {
        let order = self.runtime.desk.load::<Order>(&order_id).await?.state;
        let Some((of, started_at)) = order.opened().zip(order.started_at()) else { return Ok(None) };
        if order.may_end().is_err() {
            return Ok(None);
        }
        let mut device = told(self.ports.bikes.last_report(&of.car_id).as_ref());
        let moments = self.ports.bikes.moments(&of.car_id, started_at, now, device.place).await;
        let moments = moments.map_err(Refused::unavailable)?;
        device.lock_open_at = moments.lock_open_at;
        device.lock_closed_at = moments.lock_closed_at;
        device.stood_since = moments.stood_since;
        let facts = OrderFacts { started_at, resumed_at: order.resumed_at(), paused: order.is_paused() };
        let finding = find(&facts, &device, now, limits);
        Ok(finding.map(|finding| Looked { order, device, finding }))
    }

    /// Compares every order that runs with its device, in the term `token`: ends what is certain, and lists the others.
    pub async fn reconcile(&self, token: i64, now: Timestamp) -> Result<(), Refused> {
        let pool = &self.runtime.pools.projector;
        if !anomalies::RECKONED.take_over(pool, token).await? {
            return Ok(());
        }
        let mut db = self.runtime.reads.scoped(&Scope::ALL, NEWEST, &["ride_order"]).await?;
        let running = anomalies::under_way(&mut *db).await?;
        drop(db);
        let mut limits: HashMap<AreaId, Limits> = HashMap::new();
        let mut open = Vec::new();
        for one in running {
            let of_area = match limits.get(&one.area_id) {
                Some(known) => *known,
                None => self.limits(one.area_id, now).await?,
            };
            limits.insert(one.area_id, of_area);
            if one.facts().paused && self.end_long_pause(one.order_id, one.area_id, now).await? {
                continue;
            }
            let report = self.ports.bikes.last_report(&one.car_id);
            if !is_suspicious(&one.facts(), &told(report.as_ref()), now, &of_area) {
                continue;
            }
            open.extend(self.end_or_list(&one, now, &of_area).await?);
        }
        if !anomalies::put(pool, &open, now, token).await? {
            tracing::info!("somebody else reconciles orders by now");
        }
        Ok(())
    }

    /// Ends an order that certainly ended, or tells what people should see of it.
    async fn end_or_list(
        &self,
        one: &UnderWay,
        now: Timestamp,
        limits: &Limits,
    ) -> Result<Option<OpenAnomaly>, Refused> {
        let Some(looked) = self.look_at_order(one.order_id, now, limits).await? else { return Ok(None) };
        let Finding { anomaly, end_at, doubt } = looked.finding;
        let is_long = anomaly.kind == AnomalyKind::TooLong;
        if is_long && self.end_long_ride(one.order_id, one.area_id, now).await? {
            return Ok(None);
        }
        if let (None, Some(end_at)) = (doubt, end_at) {
            let found = Found { anomaly, device: looked.device, reason: LOCK_IS_CLOSED.to_owned() };
            let ctx = CommandContext::of_system(RULE, now);
            match self.end_found(&ctx, one.order_id, EndKind::Lock, end_at, &found).await {
                Ok(_) => {
                    tracing::info!(order = %one.order_id, "an order was ended when its lock closed");
                    return Ok(None);
                }
                // Its rider returned it a moment ago, or its bike says no: then people see it.
                Err(Refused::Business { code, .. }) => {
                    tracing::info!(order = %one.order_id, %code, "an order is not ended by the reconciler");
                }
                Err(error) => return Err(error),
            }
        }
        let (of, start_at) =
            looked.order.opened().zip(looked.order.started_at()).ok_or_else(Refused::not_found)?;
        let config = self.runtime.desk.load::<BillingConfig>(&of.area_id).await?.state;
        let billing = billed_by(&config, &looked.order);
        let cards = self.runtime.desk.load::<RiderCards>(&of.rider_id).await?.state;
        let cost = |ridden| cost_cents(of, &billing, &cards, ridden, &Left::Well);
        let would_cents = cost(self.ridden_until(of, start_at, now).await?);
        let end_cents = match end_at {
            Some(end_at) => Some(cost(self.ridden_until(of, start_at, end_at).await?)),
            None => None,
        };
        let found = (&looked.finding, &looked.device);
        Ok(Some(OpenAnomaly::new(of, found, limits.ride_ms, would_cents, end_cents)))
    }

    /// Ends an order of which it is found that it ended at `end_at`.
    async fn end_found(
        &self,
        ctx: &CommandContext,
        order_id: RideOrderId,
        kind: EndKind,
        end_at: Timestamp,
        found: &Found,
    ) -> Result<Receipt, Refused> {
        let asked = ReturnAsked {
            order_id,
            kind,
            at: Some(end_at),
            rider_place: None,
            proved: Vec::new(),
            helmet_back: None,
        };
        self.return_for(ctx, asked, Why::Found(found)).await
    }

    /// Ends a strange order for a person who saw that it ended at `seen`: looked at once more, now.
    pub(crate) async fn end_anomaly(
        &self,
        caller: &Caller,
        ctx: CommandContext,
        order_id: RideOrderId,
        seen: Timestamp,
        reason: &str,
    ) -> Result<Receipt, Refused> {
        let (order, ctx) = self.within_reach(caller, order_id, ctx).await?;
        order.may_end().map_err(CommandError::Refused)?;
        let of = order.opened().ok_or_else(Refused::not_found)?;
        let limits = self.limits(of.area_id, ctx.now).await?;
        let looked = self.look_at_order(order_id, ctx.now, &limits).await?;
        let Looked { device, finding, .. } = looked.ok_or_else(|| refused(OrderRefusal::NothingStrange))?;
        let end_at = finding.end_at.ok_or_else(|| refused(OrderRefusal::NoTrueEnd))?;
        if end_at.millis_since(seen).abs() > SAME_MS {
            return Err(refused(OrderRefusal::OtherEnd));
        }
        let found = Found { anomaly: finding.anomaly, device, reason: reason.to_owned() };
        self.end_found(&ctx, order_id, EndKind::Support, end_at, &found).await
    }

    /// Keeps with an order why it ends when it does, as part of `tx`.
    pub(super) async fn keep_found(
        &self,
        tx: &mut Transaction,
        order_id: RideOrderId,
        end: &End,
        so_far: &Ridden,
        left: &Left,
        found: &Found,
    ) -> Result<(), Refused> {
        let order = tx.load::<Order>(&order_id).await?.state;
        let of = order.opened().ok_or_else(Refused::not_found)?;
        let config = tx.load::<BillingConfig>(&of.area_id).await?.state;
        let billing = billed_by(&config, &order);
        let cards = tx.load::<RiderCards>(&of.rider_id).await?.state;
        let ridden = Ridden { end_at: end.at, distance_m: end.distance_m, ..*so_far };
        let found_so = Reconciliation {
            order_id,
            agent_id: of.agent_id,
            area_id: of.area_id,
            kind: found.anomaly.kind,
            since: found.anomaly.since,
            end_at: end.at,
            device: found.device,
            would_cents: cost_cents(of, &billing, &cards, *so_far, left),
            end_cents: cost_cents(of, &billing, &cards, ridden, left),
        };
        let command = OrderCommand::Reconcile { found: Box::new(found_so), reason: found.reason.clone() };
        tx.execute::<Order>(&order_id, command).await?;
        Ok(())
    }

    /// How long each may last where nothing else is configured, for people to read.
    pub(crate) fn usual_limits() -> Limits {
        Limits::of(crate::model::use_rules::UseRules::default().ride_max_s)
    }
}

#[cfg(test)]
mod tests {
    use vocabulary::{AgentId, RiderId};

    use super::*;
    use crate::model::fare::Benefits;

    #[test]
    fn what_a_silent_hour_costs_is_what_the_fare_says_of_it() {
        let of = Opened {
            order_id: RideOrderId(1),
            rider_id: RiderId(2),
            car_id: "WH0001".to_owned(),
            imei: "860000000000001".to_owned(),
            agent_id: AgentId(3),
            area_id: AreaId(4),
            place: None,
            rider_place: None,
        };
        let (billing, cards) = (Billing::default(), RiderCards::default());
        let start_at = Timestamp::from_millis(1_700_000_000_000);
        let until = |minutes: i64| Ridden {
            start_at,
            end_at: start_at.plus_millis(minutes * 60_000),
            distance_m: 2_000,
        };
        let cost = |minutes| cost_cents(&of, &billing, &cards, until(minutes), &Left::Well);
        let receipt = fare(&billing, &until(20), &Left::Well, false, &Benefits::default());
        assert_eq!(cost(20), receipt.pay_cents);
        assert!(cost(80) > cost(20));
    }
}
