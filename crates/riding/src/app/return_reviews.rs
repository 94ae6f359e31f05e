//! How a return is seen, and what becomes of one that is not sure: the order waits for somebody who looks, or for half an hour.

use attachments::Origin;
use geofence::Proof;
use geofence::judge::{Judgement, Stop};
use kernel::{CommandContext, CommandError, Receipt, Transaction};
use serde_json::{Value, json};
use vocabulary::{AttachmentId, ReturnReviewId, RideOrderId, RiderId, Scope, Timestamp, Wgs84};
use wire::{Caller, Refused, RequestContext};

use super::paying::{Refunding, modify, refund};
use super::returning::priced_by;
use super::{NEWEST, reaching};
use crate::Context;
use crate::model::certainty::{
    CameraVerdict, FIX_MAX_AGE_MS, Facts, Fix, Middle, PhoneSeen, Shown, Weights, certainty, middle,
};
use crate::model::config::ReturnConfig;
use crate::model::fare::{Benefits, Left, fare};
use crate::model::order::{FenceVersion, Opened, Order, PayState};
use crate::model::order_terms::BackTo;
use crate::model::return_review::{
    Opening, ReturnReview, ReturnReviewReason, ReviewCommand, ReviewRefusal, Seen, Wish, going_back,
};
use crate::model::return_rules::ReturnRules;
use crate::model::review::CaseState;
use crate::model::rider::Rider;
use crate::read::return_reviews;

/// Dilution of precision of a place that only a phone tells.
const HDOP_OF_PHONE: f64 = 25.5;
/// Why money goes back.
const WAIVED: &str = "还车审核通过";
/// The rule's name in the log.
const TIMED_OUT: &str = "return-review-timeout";

/// What is looked at of a return.
#[derive(Clone, Debug, Default)]
pub(crate) struct Look {
    /// When the bike was left.
    pub at: Timestamp,
    /// The fix that its device told last.
    pub told: Option<Fix>,
    /// Where its rider's phone was.
    pub rider_place: Option<Wgs84>,
    /// What the bike proved.
    pub proved: Vec<Proof>,
    /// Where it pointed.
    pub heading_degrees: Option<f64>,
    /// Whether its helmet is back.
    pub helmet_back: Option<bool>,
}

/// A return as it is seen.
#[derive(Clone, Debug)]
pub(crate) struct Sight {
    /// What the fences say.
    pub judged: Judgement,
    /// How well the satellites stood.
    pub hdop: f64,
    /// What is kept of it.
    pub seen: Seen,
}

/// What a rider asks for.
pub(crate) struct ReviewAsked {
    /// Who asks.
    pub rider: RiderId,
    /// For which ride.
    pub order_id: RideOrderId,
    /// Why.
    pub reason: ReturnReviewReason,
    /// What he took pictures of.
    pub photo_ids: Vec<AttachmentId>,
    /// Where his phone is.
    pub place: Option<Wgs84>,
    /// Whose the photos must be.
    pub origin: Origin,
}

/// Of how many times a rider may be let off by the picture of his bike.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Impunity {
    /// So many are used.
    pub used: u16,
    /// Of so many.
    pub most: u16,
}

fn refused(refusal: ReviewRefusal) -> Refused {
    CommandError::Refused(refusal).into()
}

fn helmet_missing(order: &Order) -> bool {
    order.end().is_some_and(|end| end.evidence.helmet_back == Some(false))
}

impl Context {
    /// How a bike that is left is seen: the middle of its fixes, judged by the fences of that time, and how sure that is.
    /// Nothing where neither the bike nor the phone tells where it is.
    pub(crate) async fn sight(
        &self,
        opened: &Opened,
        look: &Look,
        weights: &Weights,
    ) -> Result<Option<Sight>, Refused> {
        let since = look.at.plus_millis(-FIX_MAX_AGE_MS);
        let fixes = self.ports.bikes.fixes(&opened.car_id, since, look.at).await;
        let mut fixes = fixes.map_err(Refused::unavailable)?;
        // The newest may not be stored yet.
        fixes.extend(look.told.filter(|told| fixes.iter().all(|fix| fix.at != told.at)));
        fixes.sort_by_key(|fix| std::cmp::Reverse(fix.at));
        let of_phone = look.rider_place.map(|place| Middle {
            place,
            hdop: HDOP_OF_PHONE,
            age_ms: 0,
            fixes: 1,
            spread_m: 0.0,
        });
        let of_bike = middle(&fixes, look.at);
        let Some(where_it_is) = of_bike.or(of_phone) else { return Ok(None) };
        let stop = Stop {
            proved: look.proved.clone(),
            heading_degrees: look.heading_degrees,
            ..Stop::new(where_it_is.place, look.at, where_it_is.hdop, Some(opened.area_id))
        };
        let judged = self.judged(&stop).await?;
        // A phone that tells where the bike is, is no second witness.
        let phone = look.rider_place.filter(|_| of_bike.is_some());
        let around = self.ports.places.around(&judged, &stop, phone).await.map_err(Refused::unavailable)?;
        let facts = Facts::new(judged.class, around.into_m, &where_it_is);
        let shown = Shown {
            phone: phone.map(|place| PhoneSeen {
                into_m: around.phone_into_m,
                away_m: vocabulary::distance_m(place, where_it_is.place),
            }),
            wanted: around.wanted,
            proved: look.proved.clone(),
            helmet_back: look.helmet_back,
            ..Shown::default()
        }
        .pointing(around.direction, look.heading_degrees);
        let sure = certainty(&facts, &shown, weights);
        let is_good = look.proved.contains(&Proof::Camera);
        let seen = Seen {
            ended_at: look.at,
            class: judged.class,
            place: Some(where_it_is.place),
            error_m: facts.error_m(weights),
            fixes,
            rider_place: look.rider_place,
            fence: judged.fence.map(FenceVersion::from),
            parking: judged.nearest.map(|nearest| nearest.fence.into()),
            parking_m: judged.nearest.map(|nearest| nearest.beyond_m),
            missing: judged.missing.iter().map(|proof| proof.number()).collect(),
            camera: if is_good { CameraVerdict::Good } else { CameraVerdict::Unjudged },
            certainty_percent: sure.percent,
            parts: sure.parts,
            reasons: Seen::worded(&judged.reasons),
        };
        Ok(Some(Sight { judged, hdop: where_it_is.hdop, seen }))
    }

    /// How often a rider may still be let off by `rules`.
    pub(crate) async fn impunity(&self, opened: &Opened, rules: &ReturnRules) -> Result<Impunity, Refused> {
        let mut db = self.runtime.reads.scoped(&Scope::ALL, NEWEST, &["return_review"]).await?;
        let used = return_reviews::let_off(&mut *db, opened.rider_id).await?;
        Ok(Impunity { used: used.try_into().unwrap_or(u16::MAX), most: rules.camera_impunity_count })
    }

    /// Lets an ended ride wait for somebody who looks at where it ended, as part of `tx`. One whose bike took a good picture
    /// costs nothing for its place as long as its rider may be let off.
    pub(crate) async fn hold_in(
        &self,
        tx: &mut Transaction,
        (review_id, order_id): (ReturnReviewId, RideOrderId),
        (seen, left): (Seen, Left),
        impunity: Impunity,
        now: Timestamp,
    ) -> Result<(), Refused> {
        let order = tx.load::<Order>(&order_id).await?.state;
        let of = order.opened().ok_or_else(Refused::not_found)?;
        let (billing, ridden) = priced_by(tx, &order).await?;
        // What the place alone would cost.
        let apply_cents = fare(&billing, &ridden, &left, false, &Benefits::default()).dispatch_cents;
        let is_let_off = seen.camera == CameraVerdict::Good && impunity.used < impunity.most;
        let opening = opening(review_id, of, seen, left, apply_cents);
        let command = if is_let_off {
            ReviewCommand::LetOff { opening, used: impunity.used, most: impunity.most }
        } else {
            ReviewCommand::Hold(opening)
        };
        tx.execute::<ReturnReview>(&review_id, command).await?;
        if is_let_off {
            self.settle(tx, order_id, Left::Well, helmet_missing(&order), now).await?;
        }
        Ok(())
    }

    /// A rider asks that somebody looks at what he was charged for.
    pub(crate) async fn ask_return_review(
        &self,
        caller: &Caller,
        request: &RequestContext,
        asked: ReviewAsked,
    ) -> Result<Receipt, Refused> {
        let order = self.order_of(caller, asked.rider, asked.order_id).await?;
        if order.state() == PayState::Held {
            return Err(refused(ReviewRefusal::Open));
        }
        let nothing = || refused(ReviewRefusal::NothingAtStake);
        let of = order.opened().ok_or_else(Refused::not_found)?;
        let (end, pricing) = order.end().zip(order.pricing()).ok_or_else(nothing)?;
        let apply_cents = match asked.reason {
            ReturnReviewReason::HelmetBack => pricing.receipt.helmet_cents,
            _ => pricing.receipt.dispatch_cents,
        };
        if apply_cents <= 0 || !matches!(order.state(), PayState::Unpaid | PayState::Paid) {
            return Err(nothing());
        }
        let review_id = ReturnReviewId(self.runtime.ids.next_id());
        let owner = kernel::Aggregate::owner(&order);
        let photos = self.photos_of(&asked.origin, &asked.photo_ids, owner).await?;
        let config = self.runtime.desk.load::<ReturnConfig>(&of.area_id).await?.state;
        let told = end.place.map(|place| Fix {
            place,
            hdop: end.evidence.hdop.unwrap_or(HDOP_OF_PHONE),
            at: end.at,
        });
        let proved = end.evidence.proved.iter().filter_map(|number| Proof::try_from(*number).ok()).collect();
        let look = Look {
            at: end.at,
            told,
            rider_place: end.evidence.rider_place,
            proved,
            heading_degrees: end.evidence.heading_degrees,
            helmet_back: end.evidence.helmet_back,
        };
        let sight = self.sight(of, &look, &config.at(end.at).1.certainty).await?.ok_or_else(nothing)?;
        // What was charged is what was said then.
        let seen =
            Seen { class: end.class, fence: end.fence, reasons: end.evidence.reasons.clone(), ..sight.seen };
        let wish = Wish { reason: asked.reason, photos, place: asked.place };
        let opening = opening(review_id, of, seen, pricing.left, apply_cents);
        let ctx = request.context(json!({ "reviewId": review_id }));
        Ok(self
            .runtime
            .desk
            .execute::<ReturnReview>(&review_id, ReviewCommand::Ask { opening, wish }, &ctx)
            .await?)
    }

    /// Decides a review, with what follows for the money: both or nothing.
    pub(crate) async fn decide_return_review(
        &self,
        scope: &Scope,
        ctx: CommandContext,
        id: ReturnReviewId,
        command: ReviewCommand,
    ) -> Result<Receipt, Refused> {
        let review = self.runtime.desk.load::<ReturnReview>(&id).await?.state;
        review.opening().ok_or_else(Refused::not_found)?;
        let ctx = reaching(scope, kernel::Aggregate::owner(&review), ctx)?;
        let deciding = async |mut tx: Transaction| -> Result<_, Refused> {
            tx.execute::<ReturnReview>(&id, command.clone()).await?;
            let review = tx.load::<ReturnReview>(&id).await?.state;
            self.follow(&mut tx, &review, ctx.now).await?;
            Ok(tx)
        };
        self.runtime.desk.transact(&ctx, deciding).await
    }

    /// Decides a review as a person, who decides none of his own.
    pub(crate) async fn review_return(
        &self,
        caller: &Caller,
        ctx: CommandContext,
        id: ReturnReviewId,
        command: ReviewCommand,
    ) -> Result<Receipt, Refused> {
        let review = self.runtime.desk.load::<ReturnReview>(&id).await?.state;
        let of = review.opening().ok_or_else(Refused::not_found)?;
        let rider = self.runtime.desk.load::<Rider>(&of.rider_id).await?.state;
        let key = caller.phone.as_ref().map(|phone| self.keys.phone(of.agent_id, phone));
        let own = rider.registration().zip(key).is_some_and(|(known, key)| known.phone_key == key);
        if own && kernel::Aggregate::lies_in(&review, &caller.full_scope) {
            return Err(refused(ReviewRefusal::Own));
        }
        self.decide_return_review(&caller.full_scope, ctx, id, command).await
    }

    /// Lets all reviews pass that nobody decided in time at `now`; once, whoever else does the same.
    pub async fn pass_overdue_reviews(&self, now: Timestamp) -> Result<(), Refused> {
        let mut db = self.runtime.reads.scoped(&Scope::ALL, None, &[]).await?;
        let overdue = return_reviews::overdue(&mut *db, now).await?;
        drop(db);
        for review in overdue {
            self.time_out_return_review(review, now).await?;
        }
        Ok(())
    }

    /// Lets a review pass that nobody decided.
    async fn time_out_return_review(&self, id: ReturnReviewId, now: Timestamp) -> Result<(), Refused> {
        let ctx = CommandContext { reply: Value::Null, ..CommandContext::of_system(TIMED_OUT, now) };
        match self.decide_return_review(&Scope::ALL, ctx, id, ReviewCommand::TimeOut).await {
            // Decided a moment ago.
            Ok(_) | Err(Refused::Business { .. }) => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// What a decision means for the money.
    async fn follow(
        &self,
        tx: &mut Transaction,
        review: &ReturnReview,
        now: Timestamp,
    ) -> Result<(), Refused> {
        let of = review.opening().ok_or_else(Refused::not_found)?;
        let (order_id, has_passed) = (of.order_id, review.state() == CaseState::Passed);
        let order = tx.load::<Order>(&order_id).await?.state;
        match order.state() {
            PayState::Held => {
                let left = if has_passed { Left::Well } else { of.left };
                self.settle(tx, order_id, left, helmet_missing(&order), now).await
            }
            PayState::Unpaid if has_passed => {
                let pay_cents = (order.pay_cents() - of.apply_cents).max(order.paid().sum_cents());
                if pay_cents >= order.pay_cents() {
                    return Ok(());
                }
                modify(tx, order_id, pay_cents, WAIVED, now).await
            }
            PayState::Paid if has_passed => {
                let share = going_back(&order.paid(), &order.refunded(), of.apply_cents);
                if share.sum_cents() == 0 {
                    return Ok(());
                }
                let refunding = Refunding { order_id, share, reason: WAIVED.to_owned() };
                refund(&self.runtime, tx, &refunding, BackTo::Original, now).await
            }
            _ => Ok(()),
        }
    }
}

fn opening(review_id: ReturnReviewId, of: &Opened, seen: Seen, left: Left, apply_cents: i64) -> Box<Opening> {
    Box::new(Opening {
        review_id,
        order_id: of.order_id,
        rider_id: of.rider_id,
        car_id: of.car_id.clone(),
        agent_id: of.agent_id,
        area_id: of.area_id,
        seen,
        left,
        apply_cents,
    })
}
