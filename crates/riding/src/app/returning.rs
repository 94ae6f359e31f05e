//! A ride's end: what the fences say, what it costs, and what the wallet pays, in one append.

use geofence::Proof;
use geofence::judge::{Judgement, ReturnClass};
use kernel::{CommandContext, Receipt, Transaction};
use serde_json::json;
use vocabulary::{CommandId, ReturnReviewId, RideOrderId, Timestamp, Wgs84};
use wire::Refused;

use super::paying::pay_at_return;
use super::reconciling::Found;
use super::return_reviews::{Impunity, Look, Sight};
use super::{cards, post};
use crate::Context;
use crate::model::billing::Billing;
use crate::model::certainty::{Fix, Weights};
use crate::model::config::{BillingConfig, ReturnConfig};
use crate::model::fare::{Left, Ridden, fare};
use crate::model::holdings::RideOfCards;
use crate::model::money;
use crate::model::order::{End, EndKind, Evidence, Order, OrderCommand, Pricing};
use crate::model::order_terms::left;
use crate::model::return_review::Seen;
use crate::model::return_rules::{Effect, ReturnRules};
use crate::ports::{LockAction, RideAction};

/// How a ride is to end.
#[derive(Clone, Debug)]
pub struct ReturnAsked {
    /// Which.
    pub order_id: RideOrderId,
    /// How.
    pub kind: EndKind,
    /// When it truly was; none: now.
    pub at: Option<Timestamp>,
    /// Where its rider's phone is.
    pub rider_place: Option<Wgs84>,
    /// What the bike proved: 1 beacon, 2 RFID, 3 direction, 4 kickstand, 5 camera.
    pub proved: Vec<Proof>,
    /// Whether its helmet is back; nothing: nobody tells.
    pub helmet_back: Option<bool>,
}

/// Why a ride is ended.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Why<'a> {
    /// Its rider says so.
    HisOwn,
    /// Somebody says so, for this reason.
    Noted(&'a str),
    /// Its device says so.
    Found(&'a Found),
}

/// What was found out about a return before it is decided.
struct Looked {
    sight: Option<Sight>,
    end: End,
}

/// Why a bike may not be left there; nothing: it may.
fn not_here(rules: &ReturnRules, class: ReturnClass) -> Option<&'static str> {
    match class {
        ReturnClass::OutsideParking if !rules.outside_allowed => Some("请将车辆停入停车区"),
        ReturnClass::NoStop | ReturnClass::NoRide if !rules.no_stop_allowed => Some("此处禁止停车"),
        ReturnClass::OutsideArea if !rules.out_of_service_allowed => Some("车辆在服务区外，请骑回服务区内"),
        _ => None,
    }
}

/// What is to be looked at before a ride is priced, and where it counts as left until then: a place that is not sure to cost
/// something, or a proof that is due and was not given. Nothing: it is sure.
fn unsure(rules: &ReturnRules, sight: &Sight, left: Left) -> Option<(Seen, Left)> {
    let Judgement { class, ref missing, difficulty, .. } = sight.judged;
    let is_due = |proof: &Proof| rules.effect(*proof) == Effect::Force;
    let left = match class {
        ReturnClass::Parked if missing.iter().any(is_due) => {
            Left::Outside { parking_m: Some(0.0), difficulty_percent: (difficulty * 100.0).round() as u16 }
        }
        ReturnClass::Parked => return None,
        _ if rules.certainty.charge(class, sight.seen.certainty_percent) => return None,
        _ => left,
    };
    Some((sight.seen.clone(), left))
}

/// By what an ended ride is priced: the billing of its beginning, and what was ridden.
pub(super) async fn priced_by(tx: &mut Transaction, order: &Order) -> Result<(Billing, Ridden), Refused> {
    let opened = order.opened().ok_or_else(Refused::not_found)?;
    let (start_at, end) = order.started_at().zip(order.end()).ok_or_else(Refused::not_found)?;
    let config = tx.load::<BillingConfig>(&opened.area_id).await?.state;
    let billing = config.version(order.billing_version()).cloned().unwrap_or_default();
    Ok((billing, Ridden { start_at, end_at: end.at, distance_m: end.distance_m }))
}

impl Context {
    /// Ends a ride. Where it may not end, it is refused with where to go; where it is not sure that something is to be
    /// paid for the place, nothing is asked before somebody looked.
    pub(crate) async fn return_bike(
        &self,
        ctx: &CommandContext,
        asked: ReturnAsked,
    ) -> Result<Receipt, Refused> {
        self.return_for(ctx, asked, Why::HisOwn).await
    }

    /// The same, and why it is ended.
    pub(crate) async fn return_for(
        &self,
        ctx: &CommandContext,
        asked: ReturnAsked,
        why: Why<'_>,
    ) -> Result<Receipt, Refused> {
        let order = self.runtime.desk.load::<Order>(&asked.order_id).await?.state;
        let (opened, started) = order.opened().zip(order.started_at()).ok_or_else(Refused::not_found)?;
        // Another node's clock may have been ahead when the ride began.
        let now = ctx.now.max(started);
        let at = asked.at.unwrap_or(now);
        let config = self.runtime.desk.load::<ReturnConfig>(&opened.area_id).await?.state;
        let (_, rules) = config.at(at);
        let looked = self.looked_at(&order, &asked, at, &rules.certainty).await?;
        if let (EndKind::Rider, Some(sight)) = (asked.kind, &looked.sight)
            && let Some(why) = not_here(rules, sight.judged.class)
        {
            let refused = self.elsewhere(why, &sight.judged).await?;
            return self.runtime.desk.answered_or(ctx, refused).await;
        }
        let left = looked.sight.as_ref().map_or(Left::Well, |sight| left(&sight.judged));
        let unsure = looked.sight.as_ref().and_then(|sight| unsure(rules, sight, left));
        let review = ReturnReviewId(self.runtime.ids.next_id());
        let impunity = match &unsure {
            Some(_) => self.impunity(opened, rules).await?,
            None => Impunity::default(),
        };
        let command = CommandId(self.runtime.ids.next_id());
        let (car_id, rider) = (opened.car_id.clone(), opened.rider_id);
        let so_far = match why {
            Why::Found(_) => self.ridden_until(opened, started, now).await?,
            Why::HisOwn | Why::Noted(_) => Ridden { start_at: started, end_at: at, distance_m: 0 },
        };
        let returning = async |mut tx: Transaction| -> Result<_, Refused> {
            match why {
                Why::HisOwn => {}
                Why::Noted(reason) => {
                    let command = OrderCommand::Note { reason: reason.to_owned() };
                    tx.execute::<Order>(&asked.order_id, command).await?;
                }
                Why::Found(found) => {
                    // Where it is not sure what the place costs, nothing is counted for it.
                    let left = if unsure.is_some() { Left::Well } else { left };
                    self.keep_found(&mut tx, asked.order_id, &looked.end, &so_far, &left, found).await?;
                }
            }
            tx.execute::<Order>(&asked.order_id, OrderCommand::Return(looked.end.clone())).await?;
            let bike = self.ports.bikes.ride(&mut tx, &car_id, RideAction::Return, rider).await?;
            self.ports.bikes.tell(&mut tx, &bike, LockAction::Close, command, asked.kind.label()).await?;
            match &unsure {
                None => {
                    let helmet_missing = asked.helmet_back == Some(false);
                    self.settle(&mut tx, asked.order_id, left, helmet_missing, ctx.now).await?;
                }
                Some(held) => {
                    self.hold_in(&mut tx, (review, asked.order_id), held.clone(), impunity, ctx.now).await?;
                }
            }
            Ok(tx)
        };
        let ctx = CommandContext { reply: json!({ "orderId": asked.order_id }), ..ctx.clone() };
        self.runtime.desk.transact(&ctx, returning).await
    }

    /// Where the bike is, and what that means.
    async fn looked_at(
        &self,
        order: &Order,
        asked: &ReturnAsked,
        at: Timestamp,
        weights: &Weights,
    ) -> Result<Looked, Refused> {
        let (opened, started) = order.opened().zip(order.started_at()).ok_or_else(Refused::not_found)?;
        let report = self.ports.bikes.last_report(&opened.car_id);
        let told = report.as_ref().and_then(|report| {
            let (place, at) = report.place.zip(report.fix_at)?;
            Some(Fix { place, hdop: report.hdop.unwrap_or(1.0), at })
        });
        let look = Look {
            at,
            told,
            rider_place: asked.rider_place,
            proved: asked.proved.clone(),
            heading_degrees: report.as_ref().map(|report| report.heading_degrees),
            helmet_back: asked.helmet_back,
        };
        let sight = self.sight(opened, &look, weights).await?;
        let until = at.max(started);
        let distance_m = self.ports.bikes.distance_m(&opened.car_id, started, until).await;
        let seen = sight.as_ref().map(|sight| &sight.seen);
        let class = seen.map_or(ReturnClass::Parked, |seen| seen.class);
        let penalty_percent = seen.map_or(0, |seen| seen.certainty_percent);
        let end = End {
            at: until,
            kind: asked.kind,
            place: seen.and_then(|seen| seen.place),
            distance_m: distance_m.map_err(Refused::unavailable)?,
            class,
            fence: seen.and_then(|seen| seen.fence),
            certainty_percent: if class == ReturnClass::Parked {
                100 - penalty_percent
            } else {
                penalty_percent
            },
            evidence: Evidence {
                hdop: sight.as_ref().map(|sight| sight.hdop),
                rider_place: asked.rider_place,
                proved: asked.proved.iter().map(|proof| proof.number()).collect(),
                heading_degrees: look.heading_degrees,
                helmet_back: asked.helmet_back,
                reasons: seen.map(|seen| seen.reasons.clone()).unwrap_or_default(),
            },
        };
        Ok(Looked { sight, end })
    }

    /// A refusal that says where to go.
    async fn elsewhere(&self, why: &str, judged: &Judgement) -> Result<Refused, Refused> {
        let nearest = match judged.nearest {
            Some(nearest) => {
                self.ports.places.parking(nearest.fence.id).await.map_err(Refused::unavailable)?
            }
            None => None,
        };
        let text = match (nearest, judged.nearest) {
            (Some(parking), Some(nearest)) => {
                format!("{why}：最近的停车区“{}”在 {:.0} 米外", parking.name, nearest.beyond_m.max(1.0))
            }
            _ => format!("{why}：附近没有停车区"),
        };
        Ok(Refused::business("return-not-here", text))
    }

    /// Says what an ended ride costs, books it, and takes it from the wallet where that holds all of it.
    pub(crate) async fn settle(
        &self,
        tx: &mut Transaction,
        order_id: RideOrderId,
        left: Left,
        helmet_missing: bool,
        now: Timestamp,
    ) -> Result<(), Refused> {
        let order = tx.load::<Order>(&order_id).await?.state;
        let opened = order.opened().ok_or_else(Refused::not_found)?;
        let (billing, ridden) = priced_by(tx, &order).await?;
        // Of several cards the one is used that serves him best; who held none, holds none.
        let ride = RideOfCards { order: order_id, area_id: opened.area_id, billing: billing.clone(), ridden };
        let benefits = cards::spend(tx, opened.rider_id, &ride).await?.benefits;
        let receipt = fare(&billing, &ridden, &left, helmet_missing, &benefits);
        let booked = money::fare(order_id, opened.area_id, ridden.end_at, &receipt);
        let pricing = Pricing {
            billing_version: order.billing_version(),
            ridden,
            left,
            helmet_missing,
            benefits,
            receipt,
        };
        tx.execute::<Order>(&order_id, OrderCommand::Price(pricing)).await?;
        post(tx, opened.rider_id, booked).await?;
        pay_at_return(tx, order_id, now).await
    }
}
