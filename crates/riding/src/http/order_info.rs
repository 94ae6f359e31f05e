//! One ride order with all that is known of it: its money, its way, and its fare computed again.

use axum::extract::Path;
use geofence::judge::ReturnClass;
use geofence::{FenceKind, Shape};
use kernel::{Aggregate, Refusal};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::routes;
use vocabulary::{RideOrderId, Timestamp, Wgs84};
use wire::{Answer, Call, Disclosed, Disclosure, Handled, Listing, Params, Permit, Refused, Routes, Seen};

use super::order_acts::OrderShare;
use super::orders::ListQuery;
use crate::Context;
use crate::model::billing::Billing;
use crate::model::config::BillingConfig;
use crate::model::fare::{Left, Receipt, Ridden, fare};
use crate::model::order::{
    CancelReason, Evidence, FenceVersion, Order, OrderCommand, OrderRefusal, PayState, Pricing,
};
use crate::model::pay_rules::PayRules;
use crate::read::orders::{self, OrderEntry, OrderRow};
use crate::read::return_reviews::PlaceSeen;

const ORDER: Permit = Permit::AnyOf(&["1601", "0401"]);
/// A ride that is tried lasts at most so long: 31 days.
const LASTS_MAX_MS: i64 = 31 * 86_400_000;
/// The way of a ride is told for so long from its start: two days.
const TRACK_MAX_MS: i64 = 2 * 86_400_000;

/// The routes.
pub fn routes(context: &Context) -> Routes {
    Routes::new("riding")
        .add(ORDER, routes!(info))
        .add(ORDER, routes!(track))
        .add(ORDER, routes!(replay))
        .with_state(context.clone())
}

/// The fence that decided, as it was drawn then, WGS-84.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct OrderFence {
    /// Which, as text.
    fence_id: String,
    /// Which of its versions.
    data_version: i64,
    /// Its name and shape; absent once that version is too old.
    #[schema(required)]
    drawn: Option<OrderFenceDrawn>,
}

/// A fence as it was drawn.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct OrderFenceDrawn {
    /// Its name.
    name: String,
    /// What it is for.
    kind: FenceKind,
    /// Its corners as `[lng, lat]`, without the first one again; of a circle none.
    ring: Vec<[f64; 2]>,
    /// The middle of a circle.
    #[schema(required)]
    center: Option<PlaceSeen>,
    /// Metres from there to its edge.
    #[schema(required)]
    radius_m: Option<f64>,
}

/// What was shown of a return.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct OrderEvidence {
    /// Dilution of precision of the fix that was judged.
    #[schema(required)]
    hdop: Option<f64>,
    /// Where its rider's phone was.
    #[schema(required)]
    rider_place: Option<PlaceSeen>,
    /// What the bike proved: 1 beacon, 2 RFID, 3 direction, 4 kickstand, 5 camera.
    proved: Vec<i16>,
    /// Where it pointed, degrees clockwise from north.
    #[schema(required)]
    heading_degrees: Option<f64>,
    /// Whether its helmet is back; null: the bike has none or does not tell.
    #[schema(required)]
    helmet_back: Option<bool>,
    /// Every reason of the judgement, in words.
    reasons: Vec<String>,
}

impl From<Evidence> for OrderEvidence {
    fn from(shown: Evidence) -> Self {
        Self {
            hdop: shown.hdop,
            rider_place: shown.rider_place.map(Into::into),
            proved: shown.proved,
            heading_degrees: shown.heading_degrees,
            helmet_back: shown.helmet_back,
            reasons: shown.reasons,
        }
    }
}

/// What can be done with an order now: null, or why not.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct OrderActions {
    /// 强制结束.
    #[schema(required)]
    force_end: Option<String>,
    /// 取消订单.
    #[schema(required)]
    cancel: Option<String>,
    /// 改价.
    #[schema(required)]
    modify: Option<String>,
    /// 退款.
    #[schema(required)]
    refund: Option<String>,
    /// 核销欠款.
    #[schema(required)]
    write_off: Option<String>,
    /// 催缴.
    #[schema(required)]
    remind: Option<String>,
}

impl OrderActions {
    fn of(order: &Order, now: Timestamp) -> Self {
        let reason = || "-".to_owned();
        let why = |command| order.decide(command, now).err().map(|refusal: OrderRefusal| refusal.message());
        let refund = match order.refundable().sum_cents() {
            0 if order.state() == PayState::Paid => Some("订单没有可退的金额".to_owned()),
            _ => why(OrderCommand::Refund { share: order.refundable(), reason: reason() }),
        };
        Self {
            force_end: order.may_end().err().map(|refusal| refusal.message()),
            cancel: why(OrderCommand::Cancel { why: CancelReason::ByStaff }),
            modify: why(OrderCommand::Modify { pay_cents: order.pay_cents(), reason: reason() }),
            refund,
            write_off: why(OrderCommand::WriteOff { reason: reason() }),
            remind: why(OrderCommand::Remind { rules: PayRules::default(), by_hand: true }),
        }
    }
}

/// A ride order with all that is known of it.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct OrderInfo {
    /// As the list shows it.
    #[serde(flatten)]
    row: OrderRow,
    /// What is still to be paid, cents.
    owed_cents: i64,
    /// What may still go back.
    refundable: OrderShare,
    /// What it cost when it was priced, line by line; null before.
    #[schema(required)]
    receipt: Option<Receipt>,
    /// Where it was billed as left; null before.
    #[schema(required)]
    left: Option<ReturnClass>,
    /// Whether its helmet was billed as missing.
    helmet_missing: bool,
    /// The version of the area's billing that it was priced by.
    #[schema(required)]
    billing: Option<Billing>,
    /// The fence that decided.
    #[schema(required)]
    fence: Option<OrderFence>,
    /// What was shown of the return.
    #[schema(required)]
    evidence: Option<OrderEvidence>,
    /// What was booked for it, oldest first.
    entries: Vec<OrderEntry>,
    /// What can be done with it now.
    actions: OrderActions,
}

/// What follows from where it was left.
const fn class_of(left: &Left) -> ReturnClass {
    match left {
        Left::Well => ReturnClass::Parked,
        Left::Outside { .. } => ReturnClass::OutsideParking,
        Left::NoStop(_) => ReturnClass::NoStop,
        Left::NoRide(_) => ReturnClass::NoRide,
        Left::OutOfService => ReturnClass::OutsideArea,
    }
}

/// An order in scope as the list shows it, and as the log has it.
async fn found(
    call: &Call<Context>,
    seen: Seen,
    id: &str,
) -> Result<(OrderRow, Order, Vec<OrderEntry>), Refused> {
    let id: RideOrderId = id.parse().map_err(|_| Refused::malformed("编号不正确"))?;
    let scope = &call.caller.full_scope;
    let reads = [ListQuery::READS, &["ledger_entry"]].concat();
    let mut db = call.state.runtime.reads.scoped(scope, seen.0, &reads).await?;
    let rows: Vec<OrderRow> = orders::list(scope).is(ListQuery::KEY, Some(id.0)).rows(&mut db, 1).await?;
    let row = rows.into_iter().next().ok_or_else(Refused::not_found)?;
    let entries = orders::entries(&mut *db, row.user_id, id).await?;
    drop(db);
    let order = call.state.runtime.desk.load::<Order>(&id).await?.state;
    Ok((row, order, entries))
}

impl Context {
    /// What a version of an area's billing says; 0: the default.
    async fn billing_of(&self, row: &OrderRow, number: i64) -> Result<Billing, Refused> {
        let config = self.runtime.desk.load::<BillingConfig>(&row.op_area_id).await?.state;
        Ok(config.version(number).cloned().unwrap_or_default())
    }

    async fn fence_drawn(&self, row: &OrderRow) -> Result<Option<OrderFence>, Refused> {
        let Some((fence_id, data_version)) = row.end_fence_id.zip(row.end_fence_version) else {
            return Ok(None);
        };
        let version = FenceVersion { fence_id: vocabulary::FenceId(fence_id), data_version };
        let drawn = self.ports.places.drawn(version).await.map_err(Refused::unavailable)?;
        let drawn = drawn.map(|drawn| {
            let (ring, circle) = match drawn.shape {
                Shape::Polygon(ring) => {
                    (ring.corners().iter().map(|at| [at.lng(), at.lat()]).collect(), None)
                }
                Shape::Circle(circle) => (Vec::new(), Some(circle)),
            };
            OrderFenceDrawn {
                name: drawn.name,
                kind: drawn.kind,
                ring,
                center: circle.map(|circle| circle.center.into()),
                radius_m: circle.map(|circle| circle.radius_m),
            }
        });
        Ok(Some(OrderFence { fence_id: fence_id.to_string(), data_version, drawn }))
    }
}

/// One ride order: its row, its receipt with the billing and the fence that made it, the evidence of its return, and every
/// entry of the ledger that was booked for it.
#[utoipa::path(get, path = "/order/{orderId}", tag = "riding", operation_id = "orderInfo",
    params(("orderId" = String, Path, description = "The order's id, as text.")),
    responses((status = 200, body = Answer<OrderInfo>)))]
async fn info(call: Call<Context>, seen: Seen, Path(id): Path<String>) -> Handled<OrderInfo> {
    let (mut row, order, entries) = found(&call, seen, &id).await?;
    let context = &call.state;
    let pricing = row.pricing.take().map(|pricing| pricing.0);
    let billing = match &pricing {
        Some(pricing) => Some(context.billing_of(&row, pricing.billing_version).await?),
        None => None,
    };
    let fence = context.fence_drawn(&row).await?;
    let evidence = row.evidence.take().map(|shown| shown.0.into());
    Ok(Answer(OrderInfo {
        owed_cents: order.owed_cents(),
        refundable: order.refundable().into(),
        left: pricing.as_ref().map(|pricing| class_of(&pricing.left)),
        helmet_missing: pricing.as_ref().is_some_and(|pricing| pricing.helmet_missing),
        receipt: pricing.map(|pricing| pricing.receipt),
        billing,
        fence,
        evidence,
        entries,
        actions: OrderActions::of(&order, call.request.now()),
        row,
    }))
}

/// A point of a way.
#[derive(Debug, Serialize, ToSchema)]
struct OrderPoint {
    /// The device's time, epoch milliseconds.
    at: i64,
    /// Degrees north, WGS-84.
    lat: f64,
    /// Degrees east, WGS-84.
    lng: f64,
    /// km/h.
    speed: i16,
}

/// The way of a ride.
#[derive(Debug, Serialize, ToSchema)]
struct OrderTrack {
    /// Oldest first, at most 2,000, evenly chosen where there were more; none once its reports were dropped.
    points: Vec<OrderPoint>,
}

/// The way of a ride, from its start to its end, or to now. It tells where somebody was: who asked stands in the log.
#[utoipa::path(get, path = "/order/{orderId}/track", tag = "riding", operation_id = "orderTrack",
    params(("orderId" = String, Path, description = "The order's id, as text.")),
    responses((status = 200, body = Answer<OrderTrack>)))]
async fn track(
    call: Call<Context>,
    seen: Seen,
    disclosure: Disclosure,
    Path(id): Path<String>,
) -> Handled<OrderTrack> {
    let (row, order, _) = found(&call, seen, &id).await?;
    let Some(start) = order.started_at() else { return Ok(Answer(OrderTrack { points: Vec::new() })) };
    disclosure
        .note(Disclosed::Unmask { what: "order.track".to_owned(), target: row.order_id.to_string() })
        .await?;
    let until = order.end().map_or(call.request.now(), |end| end.at).min(start.plus_millis(TRACK_MAX_MS));
    let points =
        call.state.ports.bikes.track(&row.car_id, start, until).await.map_err(Refused::unavailable)?;
    let point = |point: crate::ports::TrackPoint| {
        let at: Wgs84 = point.place;
        OrderPoint { at: point.at.millis(), lat: at.lat(), lng: at.lng(), speed: point.speed_kmh }
    };
    Ok(Answer(OrderTrack { points: points.into_iter().map(point).collect() }))
}

/// What would have been otherwise.
#[derive(Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
struct WhatIf {
    /// It ended then, epoch milliseconds: from its start to 31 days later.
    end_time: Option<i64>,
    /// It was left so.
    left: Option<ReturnClass>,
    /// Nothing is asked for where it was left, nor for its helmet.
    #[serde(default)]
    without_penalty: bool,
}

impl WhatIf {
    fn is_asked(&self) -> bool {
        self.end_time.is_some() || self.left.is_some() || self.without_penalty
    }

    /// What the fare follows from, had it been so.
    fn tried(&self, stored: &Pricing) -> Result<(Ridden, Left, bool), Refused> {
        let mut ridden = stored.ridden;
        if let Some(end) = self.end_time {
            if !(0..=LASTS_MAX_MS).contains(&end.saturating_sub(ridden.start_at.millis())) {
                return Err(Refused::malformed("结束时间不能早于开始时间，也不能晚于 31 天之后"));
            }
            ridden.end_at = Timestamp::from_millis(end);
        }
        let left = match self.left {
            Some(class) if class != class_of(&stored.left) => match class {
                ReturnClass::Parked => Left::Well,
                ReturnClass::OutsideParking => Left::Outside { parking_m: None, difficulty_percent: 100 },
                ReturnClass::OutsideArea => Left::OutOfService,
                ReturnClass::NoStop => Left::NoStop(None),
                ReturnClass::NoRide => Left::NoRide(None),
            },
            _ => stored.left,
        };
        Ok(if self.without_penalty {
            (ridden, Left::Well, false)
        } else {
            (ridden, left, stored.helmet_missing)
        })
    }
}

/// A fare computed again.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct OrderReplay {
    /// The version of the area's billing; 0: the default.
    billing_version: i64,
    /// As it was priced.
    stored: Receipt,
    /// The same computed now from what was stored.
    computed: Receipt,
    /// Whether both are the same, each line and each cent.
    same: bool,
    /// What it would cost, had it been as asked; null: nothing was.
    #[schema(required)]
    tried: Option<Receipt>,
}

/// Computes the fare of an order again from what was stored of it, by the version of the billing that counted, and what it
/// would be, had the ride ended otherwise. Nothing is written.
#[utoipa::path(get, path = "/order/{orderId}/replay", tag = "riding", operation_id = "replayOrder",
    params(("orderId" = String, Path, description = "The order's id, as text."), WhatIf),
    responses((status = 200, body = Answer<OrderReplay>)))]
async fn replay(
    call: Call<Context>,
    seen: Seen,
    Path(id): Path<String>,
    Params(asked): Params<WhatIf>,
) -> Handled<OrderReplay> {
    let (mut row, ..) = found(&call, seen, &id).await?;
    let stored = row.pricing.take().map(|pricing| pricing.0);
    let stored = stored.ok_or_else(|| Refused::business("order-unpriced", "订单尚未计费"))?;
    let billing = call.state.billing_of(&row, stored.billing_version).await?;
    let again = |ridden: &Ridden, left: &Left, helmet| fare(&billing, ridden, left, helmet, &stored.benefits);
    let computed = again(&stored.ridden, &stored.left, stored.helmet_missing);
    let tried = if asked.is_asked() {
        let (ridden, left, helmet) = asked.tried(&stored)?;
        Some(again(&ridden, &left, helmet))
    } else {
        None
    };
    Ok(Answer(OrderReplay {
        billing_version: stored.billing_version,
        same: computed == stored.receipt,
        computed,
        tried,
        stored: stored.receipt,
    }))
}
