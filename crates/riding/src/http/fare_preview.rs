//! What a ride would cost, and what another billing would have made of the rides of the last days. Nothing is written.

use geofence::judge::{ReturnClass, Stop};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use utoipa_axum::routes;
use vocabulary::{AreaId, RideOrderId, Timestamp, Wgs84};
use wire::{Answer, Body, Call, Handled, Permit, Refused, Routes, Seen};

use super::configs::{CHARGING, place};
use crate::Context;
use crate::model::billing::Billing;
use crate::model::card::CardKind;
use crate::model::config::{BillingConfig, ConfigRefusal};
use crate::model::fare::{Benefits, CardShare, FareRule, Left, Receipt, Ridden, fare};
use crate::model::order::Pricing;
use crate::model::order_terms::left;
use crate::model::simulation::{Moved, Simulation, Sums};
use crate::read::priced;

const COSTS: Permit = Permit::AnyOf(&["1601", "1702"]);
/// A ride that is made up lasts at most so long: 31 days.
const LASTS_MAX_MS: i64 = 31 * 86_400_000;
/// Days of rides that a simulation computes again.
const DAYS: u32 = 7;
const DAY_MS: i64 = 86_400_000;
/// So many rides at most, the latest ones.
const RIDES_MAX: i64 = 20_000;
/// Seconds, metres or cents of a card that is tried, at most.
const AMOUNT_MAX: i64 = 10_000_000;

/// The routes.
pub fn routes(context: &Context) -> Routes {
    Routes::new("riding")
        .add(COSTS, routes!(compute))
        .add(CHARGING, routes!(simulate))
        .with_state(context.clone())
}

/// A riding card that is tried.
#[derive(Deserialize, ToSchema)]
struct TriedCard {
    /// What it takes off.
    kind: CardKind,
    /// Seconds, metres or cents, by its kind; 次卡 takes all.
    #[serde(default)]
    value: i64,
}

impl TriedCard {
    fn share(self) -> Result<CardShare, Refused> {
        let value = self.value;
        match self.kind {
            _ if !(0..=AMOUNT_MAX).contains(&value) => Err(amounts()),
            CardKind::Time => Ok(CardShare::Time(value)),
            CardKind::Distance => Ok(CardShare::Distance(value)),
            CardKind::Money => Ok(CardShare::Money(value)),
            CardKind::Times => Ok(CardShare::Whole),
            CardKind::Membership | CardKind::Discount => Err(Refused::malformed("请选择骑行卡的类型")),
        }
    }
}

fn amounts() -> Refused {
    Refused::malformed("骑行卡与免单的数值需在 0 到 1000 万之间")
}

/// A ride that is computed: one that is made up, or one that was.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct CostAsked {
    /// A ride that was: time, distance, place and benefits are its own, and so is the billing where none is named.
    #[schema(value_type = Option<String>)]
    order_id: Option<RideOrderId>,
    /// The service area; of a ride that was, its own.
    #[schema(value_type = Option<String>)]
    op_area_id: Option<AreaId>,
    /// Epoch milliseconds.
    start_time: Option<i64>,
    /// Epoch milliseconds, at most 31 days later.
    end_time: Option<i64>,
    /// Metres, 0 to 1,000,000.
    distance: Option<i64>,
    /// Where it ends, `[lng, lat]` in WGS-84: judged by the fences of that time.
    end_point: Option<[f64; 2]>,
    /// Where it ends, where no place is named; 0 when left out.
    left: Option<ReturnClass>,
    /// Of one left outside: metres to the nearest parking place; absent: there is none near.
    parking_m: Option<f64>,
    /// Of one left outside: how hard it is to fetch, percent, 10 to 1000; 100 when left out.
    difficulty_percent: Option<u16>,
    /// Of one left in a zone: what that asks for itself, cents.
    zone_cents: Option<i64>,
    /// Whether its helmet is missing.
    #[serde(default)]
    helmet_missing: bool,
    /// A riding card.
    card: Option<TriedCard>,
    /// 免单: so many seconds cost nothing.
    free_ride_s: Option<i64>,
    /// The rider's own discount: percent that he pays, 1 to 100.
    discount_percent: Option<u16>,
    /// A version of the area's billing, 0: the default; absent: what counts when it begins.
    data_version: Option<i64>,
    /// Or this billing, published or not.
    billing: Option<Billing>,
}

/// What a ride costs; `base` + `time` + `distance` + `dispatch` − `discount` = `total`.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct ComputedCost {
    /// 起步, cents.
    base: i64,
    /// 时长费, cents.
    time: i64,
    /// 里程费, cents.
    distance: i64,
    /// 调度费, penalties and the helmet, cents.
    dispatch: i64,
    /// What the day's cap, cards, discounts and the guard take off, cents.
    discount: i64,
    /// 应付, cents.
    total: i64,
    /// The version of the area's billing; null: one that was sent.
    #[schema(required)]
    data_version: Option<i64>,
    /// 还车位置.
    left: ReturnClass,
    /// Why the place is judged so; empty where none was named.
    reasons: Vec<String>,
    /// Line by line.
    receipt: Receipt,
}

const fn class_of(left: &Left) -> ReturnClass {
    match left {
        Left::Well => ReturnClass::Parked,
        Left::Outside { .. } => ReturnClass::OutsideParking,
        Left::NoStop(_) => ReturnClass::NoStop,
        Left::NoRide(_) => ReturnClass::NoRide,
        Left::OutOfService => ReturnClass::OutsideArea,
    }
}

/// What of a ride its cost follows from.
struct Tried {
    area: AreaId,
    ridden: Ridden,
    left: Left,
    helmet_missing: bool,
    benefits: Benefits,
    /// The version it was billed by.
    billed_by: Option<i64>,
    reasons: Vec<String>,
}

impl CostAsked {
    fn left(&self) -> Result<Left, Refused> {
        let zone_cents = self.zone_cents;
        if zone_cents.is_some_and(|cents| !(0..=100_000).contains(&cents)) {
            return Err(Refused::malformed("区域费用需在 0 到 1000 元之间"));
        }
        let difficulty_percent = self.difficulty_percent.unwrap_or(100);
        if !(10..=1000).contains(&difficulty_percent) {
            return Err(Refused::malformed("难度系数需在 10% 到 1000% 之间"));
        }
        Ok(match self.left.unwrap_or(ReturnClass::Parked) {
            ReturnClass::Parked => Left::Well,
            ReturnClass::OutsideParking => Left::Outside {
                parking_m: self.parking_m.filter(|metres| metres.is_finite()),
                difficulty_percent,
            },
            ReturnClass::OutsideArea => Left::OutOfService,
            ReturnClass::NoStop => Left::NoStop(zone_cents),
            ReturnClass::NoRide => Left::NoRide(zone_cents),
        })
    }

    fn ridden(&self) -> Result<Ridden, Refused> {
        let (Some(start), Some(end)) = (self.start_time, self.end_time) else {
            return Err(Refused::malformed("请填写开始时间和结束时间"));
        };
        let distance_m = self.distance.unwrap_or(0);
        if !(0..=LASTS_MAX_MS).contains(&end.saturating_sub(start)) {
            return Err(Refused::malformed("结束时间不能早于开始时间，也不能晚于 31 天之后"));
        }
        if !(0..=1_000_000).contains(&distance_m) {
            return Err(Refused::malformed("里程需在 0 到 1000 公里之间"));
        }
        let at = Timestamp::from_millis;
        Ok(Ridden { start_at: at(start), end_at: at(end), distance_m })
    }

    fn benefits(&mut self) -> Result<Benefits, Refused> {
        if self.discount_percent.is_some_and(|percent| !(1..=100).contains(&percent)) {
            return Err(Refused::malformed("折扣需在 1% 到 100% 之间"));
        }
        if self.free_ride_s.is_some_and(|seconds| !(0..=AMOUNT_MAX).contains(&seconds)) {
            return Err(amounts());
        }
        Ok(Benefits {
            card: self.card.take().map(TriedCard::share).transpose()?,
            free_ride_s: self.free_ride_s,
            discount_percent: self.discount_percent,
            ..Benefits::default()
        })
    }

    /// A ride that is made up.
    async fn made_up(mut self, call: &Call<Context>) -> Result<Tried, Refused> {
        let area = self.op_area_id.ok_or_else(|| Refused::malformed("请选择服务区"))?;
        place(call, area).await?;
        let (ridden, benefits) = (self.ridden()?, self.benefits()?);
        let (mut at, mut reasons) = (self.left()?, Vec::new());
        if let Some([lng, lat]) = self.end_point {
            let point = Wgs84::new(lat, lng).map_err(|_| Refused::malformed("还车位置的坐标不正确"))?;
            let stop = Stop::new(point, ridden.end_at, 1.0, Some(area));
            let judged = call.state.ports.places.judge(&stop).await.map_err(Refused::unavailable)?;
            at = left(&judged);
            reasons = judged.reasons.iter().map(ToString::to_string).collect();
        }
        let helmet_missing = self.helmet_missing;
        Ok(Tried { area, ridden, left: at, helmet_missing, benefits, billed_by: None, reasons })
    }
}

/// A ride that was, in scope and priced.
async fn ridden_before(call: &Call<Context>, seen: Seen, order: RideOrderId) -> Result<Tried, Refused> {
    let mut db = call.state.runtime.reads.scoped(&call.caller.full_scope, seen.0, &["ride_order"]).await?;
    let found = priced::of(&mut *db, order).await?.ok_or_else(Refused::not_found)?;
    let (area, Pricing { billing_version, ridden, left, helmet_missing, benefits, .. }) = found;
    let billed_by = Some(billing_version);
    Ok(Tried { area, ridden, left, helmet_missing, benefits, billed_by, reasons: Vec::new() })
}

/// Computes what a ride costs: one that is made up, or one that was, by any version of its area's billing or by one that nobody
/// published. Stores nothing.
#[utoipa::path(post, path = "/order/cost/compute", tag = "riding", operation_id = "computeCost",
    request_body = CostAsked, responses((status = 200, body = Answer<ComputedCost>)))]
async fn compute(call: Call<Context>, seen: Seen, Body(mut body): Body<CostAsked>) -> Handled<ComputedCost> {
    let (sent, number) = (body.billing.take(), body.data_version);
    let tried = match body.order_id {
        Some(order) => ridden_before(&call, seen, order).await?,
        None => body.made_up(&call).await?,
    };
    let (data_version, billing) = if let Some(sent) = sent {
        (None, checked(sent)?)
    } else {
        let config = call.state.runtime.desk.load::<BillingConfig>(&tried.area).await?.state;
        if let Some(number) = number.or(tried.billed_by) {
            let known = config.version(number).cloned();
            (Some(number), known.ok_or_else(|| refused(ConfigRefusal::NoVersion(number)))?)
        } else {
            let (number, billing) = config.at(tried.ridden.start_at);
            (Some(number), billing.clone())
        }
    };
    let receipt = fare(&billing, &tried.ridden, &tried.left, tried.helmet_missing, &tried.benefits);
    let sum = |rules: &[FareRule]| -> i64 {
        let lines = receipt.lines.iter().filter(|line| rules.contains(&line.rule));
        lines.map(|line| line.amount_cents).sum()
    };
    let base = sum(&[FareRule::BaseTime, FareRule::BaseDistance]);
    let (time, distance) = (sum(&[FareRule::Time]), sum(&[FareRule::Distance]));
    let dispatch = receipt.dispatch_cents + receipt.helmet_cents;
    Ok(Answer(ComputedCost {
        base,
        time,
        distance,
        dispatch,
        discount: base + time + distance + dispatch - receipt.pay_cents,
        total: receipt.pay_cents,
        data_version,
        left: class_of(&tried.left),
        reasons: tried.reasons,
        receipt,
    }))
}

fn refused(refusal: ConfigRefusal) -> Refused {
    kernel::CommandError::Refused(refusal).into()
}

fn checked(billing: Billing) -> Result<Billing, Refused> {
    billing.checked().map_err(|fault| kernel::CommandError::Refused(fault).into())
}

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct SimulatedBilling {
    /// The service area.
    #[schema(value_type = String)]
    op_area_id: AreaId,
    /// What would count, published or not.
    billing: Billing,
}

/// Sums of rides.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct FareSums {
    /// What is asked at once, cents.
    pay_cents: i64,
    /// What waits for a person, as it is above the guard; cents.
    held_back_cents: i64,
    /// Of both for where bikes were left, helmets included; cents.
    penalty_cents: i64,
    /// Rides of which anything is asked for that.
    penalties: i64,
}

impl From<Sums> for FareSums {
    fn from(sums: Sums) -> Self {
        let Sums { pay_cents, held_back_cents, penalty_cents, penalties } = sums;
        Self { pay_cents, held_back_cents, penalty_cents, penalties }
    }
}

/// A ride that would cost something else.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct MovedFare {
    /// Its order, as text.
    #[schema(value_type = String)]
    order_id: RideOrderId,
    /// Epoch milliseconds.
    start_at: i64,
    /// Seconds.
    riding_s: i64,
    /// Metres.
    distance_m: i64,
    /// What it was priced at, cents.
    before_cents: i64,
    /// What it would be priced at, cents.
    after_cents: i64,
}

impl From<Moved> for MovedFare {
    fn from(moved: Moved) -> Self {
        Self {
            order_id: moved.order_id,
            start_at: moved.ridden.start_at.millis(),
            riding_s: crate::model::fare::ridden_s(&moved.ridden),
            distance_m: moved.ridden.distance_m,
            before_cents: moved.before_cents,
            after_cents: moved.after_cents,
        }
    }
}

/// What would have been.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct BillingSimulation {
    /// Days that were looked at.
    days: u32,
    /// Rides of them that ended and were priced.
    rides: i64,
    /// Whether there are more than the 20,000 that were computed: the latest ones were.
    capped: bool,
    /// Those that would cost more.
    more: i64,
    /// Those that would cost less.
    less: i64,
    /// As they were priced.
    before: FareSums,
    /// As they would be.
    after: FareSums,
    /// Those that would change most, at most 10.
    most: Vec<MovedFare>,
}

/// What a billing would have made of the rides that ended in an area in the last seven days: each is computed again from what
/// is stored of it. What was changed of a price later, or paid back, is not looked at.
#[utoipa::path(post, path = "/config/area/billing/simulate", tag = "riding", operation_id = "simulateBilling",
    request_body = SimulatedBilling, responses((status = 200, body = Answer<BillingSimulation>)))]
async fn simulate(
    call: Call<Context>,
    seen: Seen,
    Body(body): Body<SimulatedBilling>,
) -> Handled<BillingSimulation> {
    place(&call, body.op_area_id).await?;
    let billing = checked(body.billing)?;
    let since_ms = call.request.now().plus_millis(-i64::from(DAYS) * DAY_MS).millis();
    let mut db = call.state.runtime.reads.scoped(&call.caller.full_scope, seen.0, &["ride_order"]).await?;
    let mut simulation = Simulation::default();
    let capped = priced::since(&mut db, body.op_area_id, since_ms, RIDES_MAX, |order, pricing| {
        simulation.take(&billing, order, &pricing);
    })
    .await?;
    let Simulation { rides, more, less, before, after, most } = simulation;
    Ok(Answer(BillingSimulation {
        days: DAYS,
        rides,
        capped,
        more,
        less,
        before: before.into(),
        after: after.into(),
        most: most.into_iter().map(MovedFare::from).collect(),
    }))
}
