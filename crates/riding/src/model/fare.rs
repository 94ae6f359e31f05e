//! What a ride costs, and why: a pure function of the ride, of where it ended, of the billing of its start, and of what its
//! rider holds. The same arguments give the same cents for ever.
//!
//! In this order: whose billing, time and distance, the day's cap, a card, a free ride, discounts, where the bike was left, the
//! guard of the whole. What is divided is rounded in the rider's favour (`docs/adr/0048`).

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use vocabulary::{Timestamp, choices};

use super::billing::{Billing, DAY_S};

const SHANGHAI_S: i64 = 8 * 3600;
/// A ride is billed for so long at most, whatever clocks say: a year and a day. With the bounds of a billing no sum overflows.
pub const RIDE_MAX_S: i64 = 366 * DAY_S;
/// … and for so many metres: 10,000 km.
pub const RIDE_MAX_M: i64 = 10_000_000;

choices! {
    /// The rule that made a line of a receipt.
    pub enum FareRule("费用规则") {
        Free = 1 => "免费时长与里程内",
        BaseTime = 2 => "起步价",
        Time = 3 => "时长费",
        BaseDistance = 4 => "起步里程费",
        Distance = 5 => "里程费",
        DayCap = 6 => "日封顶",
        Card = 7 => "骑行卡抵扣",
        FreeRide = 8 => "免单",
        Discount = 9 => "折扣",
        OwnBilling = 10 => "按优惠卡计费",
        SmallDispatch = 20 => "调度费（近）",
        LargeDispatch = 21 => "调度费（远）",
        NoStop = 22 => "禁停区",
        OutOfService = 23 => "服务区外",
        NoRide = 24 => "禁行区",
        Helmet = 25 => "头盔未还",
        Guard = 30 => "超过单笔上限，待人工确认",
    }
}

/// A line of a receipt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct FareLine {
    /// Which rule made it.
    pub rule: FareRule,
    /// So many cents; below nothing: taken off.
    pub amount_cents: i64,
    /// Of how much: cycles, metres, days, percent; 0 where the rule counts nothing.
    pub quantity: i64,
}

/// A ride, as far as it costs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ridden {
    /// When it began.
    pub start_at: Timestamp,
    /// When it ended; a clock that ran backwards makes a ride of no time.
    pub end_at: Timestamp,
    /// Metres, at least 0.
    pub distance_m: i64,
}

/// Where a bike was left, as far as it costs.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Left {
    /// Where it may stand; also where nobody can tell for sure that it may not.
    Well,
    /// Outside of all parking places.
    Outside {
        /// Metres to the nearest one; none: there is none near.
        parking_m: Option<f64>,
        /// Percent of the usual dispatch fee: how hard it is to fetch, 100 as usual.
        difficulty_percent: u16,
    },
    /// In a no-stop zone, which may have its own price in cents.
    NoStop(Option<i64>),
    /// In a no-ride zone, which may have its own price in cents.
    NoRide(Option<i64>),
    /// Outside of the service area.
    OutOfService,
}

/// What a riding card takes off one ride (骑行卡).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum CardShare {
    /// 时长卡: so many seconds of it cost nothing.
    Time(i64),
    /// 里程卡: so many metres of it cost nothing.
    Distance(i64),
    /// 减免卡: at most so many cents off.
    Money(i64),
    /// 次卡: time and distance cost nothing.
    Whole,
}

/// 优惠卡: bills rides that begin in its time in its own way instead of the area's.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DiscountCard {
    /// From then on.
    pub begin_at: Timestamp,
    /// Until then, without it.
    pub end_at: Timestamp,
    /// What it was sold with.
    pub billing: Billing,
}

/// What the rider holds at the ride's start.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Benefits {
    /// 优惠卡.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub discount_card: Option<Box<DiscountCard>>,
    /// One riding card.
    pub card: Option<CardShare>,
    /// 免单: so many seconds from the start cost nothing.
    pub free_ride_s: Option<i64>,
    /// His own discount: percent that he pays, 1 to 100.
    pub discount_percent: Option<u16>,
}

/// What a ride costs, line by line.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Receipt {
    /// Each with the rule that made it; they sum to `payCents`.
    pub lines: Vec<FareLine>,
    /// 原价: time and distance after the day's cap.
    pub origin_cents: i64,
    /// What a card or a free ride took off.
    pub card_cents: i64,
    /// What discounts took off.
    pub discount_cents: i64,
    /// 调度费 and penalties of where the bike was left.
    pub dispatch_cents: i64,
    /// 头盔.
    pub helmet_cents: i64,
    /// What is asked now.
    pub pay_cents: i64,
    /// What is above the guard, and asked only after somebody looked at it.
    pub held_back_cents: i64,
}

impl Receipt {
    fn line(&mut self, rule: FareRule, amount_cents: i64, quantity: i64) -> i64 {
        self.lines.push(FareLine { rule, amount_cents, quantity });
        amount_cents
    }
}

/// The whole seconds of a ride; a begun one does not count.
pub fn ridden_s(ride: &Ridden) -> i64 {
    ride.end_at.millis_since(ride.start_at).max(0) / 1000
}

impl Ridden {
    /// It as far as it is billed: not backwards, and not for ever.
    fn billed(&self) -> Self {
        let time_s = ridden_s(self).min(RIDE_MAX_S);
        let end_at = self.start_at.plus_millis(time_s * 1000);
        Self { end_at, distance_m: self.distance_m.clamp(0, RIDE_MAX_M), ..*self }
    }
}

impl Benefits {
    /// The billing that goes before the area's for a ride that begins at `start_at`.
    fn billing(&self, start_at: Timestamp) -> Option<&Billing> {
        let card = self.discount_card.as_deref()?;
        (card.begin_at <= start_at && start_at < card.end_at).then_some(&card.billing)
    }
}

/// What `ride` costs in an area with this billing.
pub fn fare(area: &Billing, ride: &Ridden, left: &Left, helmet_missing: bool, held: &Benefits) -> Receipt {
    let mut receipt = Receipt::default();
    let own = held.billing(ride.start_at);
    if own.is_some() {
        receipt.line(FareRule::OwnBilling, 0, 0);
    }
    let (billing, ride) = (own.unwrap_or(area), ride.billed());
    ridden(&mut receipt, billing, &ride);
    relieved(&mut receipt, billing, &ride, held);
    returned(&mut receipt, billing, left, helmet_missing);
    let due = receipt.origin_cents - receipt.card_cents - receipt.discount_cents
        + receipt.dispatch_cents
        + receipt.helmet_cents;
    receipt.held_back_cents = (due - billing.max_order_cents).max(0);
    if receipt.held_back_cents > 0 {
        receipt.line(FareRule::Guard, -receipt.held_back_cents, 0);
    }
    receipt.pay_cents = due - receipt.held_back_cents;
    receipt
}

/// Whether nothing is asked for it, however it is counted.
fn is_free(billing: &Billing, time_s: i64, distance_m: i64) -> bool {
    time_s <= billing.free_time_s && distance_m <= billing.free_distance_m
}

/// Time and distance, with the day's cap.
fn ridden(receipt: &mut Receipt, billing: &Billing, ride: &Ridden) {
    let (time_s, distance_m) = (ridden_s(ride), ride.distance_m);
    if is_free(billing, time_s, distance_m) {
        receipt.line(FareRule::Free, 0, time_s);
        return;
    }
    let mut sum = receipt.line(FareRule::BaseTime, billing.base_time_cents, billing.base_time_s);
    let (cycles, time_cents) = cycles(billing, ride.start_at, time_s);
    if cycles > 0 {
        sum += receipt.line(FareRule::Time, time_cents, cycles);
    }
    if billing.base_distance_cents > 0 {
        sum += receipt.line(FareRule::BaseDistance, billing.base_distance_cents, billing.base_distance_m);
    }
    let over_m = (distance_m - billing.base_distance_m).max(0);
    let distance_cents = over_m * billing.per_km_cents / 1000;
    if distance_cents > 0 {
        sum += receipt.line(FareRule::Distance, distance_cents, over_m);
    }
    let days = ceil(time_s.max(1), DAY_S);
    let cap = billing.day_cap_cents * days;
    if cap > 0 && sum > cap {
        receipt.line(FareRule::DayCap, cap - sum, days);
        sum = cap;
    }
    receipt.origin_cents = sum;
}

/// Cycles beyond the basic time, and what they cost: each by the band in which it begins.
fn cycles(billing: &Billing, start_at: Timestamp, time_s: i64) -> (i64, i64) {
    let cycles = ceil((time_s - billing.base_time_s).max(0), billing.cycle_s);
    if billing.bands.is_empty() {
        return (cycles, cycles * billing.cycle_cents);
    }
    let first_s = start_at.millis().div_euclid(1000) + SHANGHAI_S + billing.base_time_s;
    let price = |cycle: i64| {
        let minute = (first_s + cycle * billing.cycle_s).rem_euclid(DAY_S) / 60;
        let band = billing
            .bands
            .iter()
            .find(|band| (i64::from(band.from_min)..band.until_min.into()).contains(&minute));
        billing.cycle_cents * band.map_or(100, |band| band.percent.into()) / 100
    };
    // Every day is like the other: whole ones are counted once.
    let of_a_day = DAY_S / gcd(DAY_S, billing.cycle_s);
    let sum = |count: i64| (0..count).map(price).sum::<i64>();
    let cents = if cycles > of_a_day {
        cycles / of_a_day * sum(of_a_day) + sum(cycles % of_a_day)
    } else {
        sum(cycles)
    };
    (cycles, cents)
}

/// `of` divided by `by`, rounded up; both above nothing.
const fn ceil(of: i64, by: i64) -> i64 {
    (of + by - 1) / by
}

const fn gcd(left: i64, right: i64) -> i64 {
    if right == 0 { left } else { gcd(right, left % right) }
}

/// What of time and distance would be left to pay when so many seconds from the start and so many metres cost nothing.
fn rest_of(billing: &Billing, ride: &Ridden, free_s: i64, free_m: i64) -> i64 {
    let start_at = ride.start_at.plus_millis(free_s.saturating_mul(1000));
    let rest = Ridden { start_at, distance_m: (ride.distance_m - free_m).max(0), ..*ride };
    let covered_s = free_s > 0 && start_at >= ride.end_at;
    let covered_m = free_m > 0 && free_m >= ride.distance_m;
    if covered_s || covered_m {
        return 0;
    }
    let mut receipt = Receipt::default();
    ridden(&mut receipt, billing, &rest);
    receipt.origin_cents
}

/// Card, free ride and discounts, in this order; what one takes off, the next one no longer sees.
fn relieved(receipt: &mut Receipt, billing: &Billing, ride: &Ridden, held: &Benefits) {
    let origin = receipt.origin_cents;
    let (free_s, free_m, money) = match held.card {
        None => (0, 0, 0),
        Some(CardShare::Time(seconds)) => (seconds.max(0), 0, 0),
        Some(CardShare::Distance(metres)) => (0, metres.max(0), 0),
        Some(CardShare::Money(cents)) => (0, 0, cents.max(0)),
        Some(CardShare::Whole) => (0, 0, origin),
    };
    // Without this much of it; a rest that begins in a dearer band costs nobody more than the whole.
    let ridden = rest_of(billing, ride, free_s, free_m).min(origin);
    let carded = (ridden - money).max(0);
    taken(receipt, FareRule::Card, origin - carded);
    let mut rest = carded;
    if let Some(seconds) = held.free_ride_s {
        let more_s = free_s.saturating_add(seconds.max(0));
        rest = (rest_of(billing, ride, more_s, free_m) - money).clamp(0, carded);
        taken(receipt, FareRule::FreeRide, carded - rest);
    }
    receipt.card_cents = origin - rest;
    let percents = [billing.discount_percent, held.discount_percent.unwrap_or(100)];
    for percent in
        percents.into_iter().map(|percent| i64::from(percent.min(100))).filter(|percent| *percent < 100)
    {
        let off = rest - rest * percent / 100;
        if off > 0 {
            receipt.line(FareRule::Discount, -off, percent);
        }
        receipt.discount_cents += off;
        rest -= off;
    }
}

/// Says what was taken off, when it was anything.
fn taken(receipt: &mut Receipt, rule: FareRule, off_cents: i64) {
    if off_cents > 0 {
        receipt.line(rule, -off_cents, 0);
    }
}

/// What is asked for where the bike was left. One thing is asked for alone: the worst is what the place is.
fn returned(receipt: &mut Receipt, billing: &Billing, left: &Left, helmet_missing: bool) {
    let prices = &billing.returned;
    let asked = match *left {
        Left::Well => None,
        Left::Outside { parking_m, difficulty_percent } => {
            let near = parking_m.is_some_and(|metres| metres <= prices.large_distance_m as f64);
            let (rule, cents) = if near {
                (FareRule::SmallDispatch, prices.small_penalty_cents)
            } else {
                (FareRule::LargeDispatch, prices.large_penalty_cents)
            };
            Some((
                rule,
                cents * i64::from(difficulty_percent) / 100,
                parking_m.map_or(0, |metres| metres as i64),
            ))
        }
        Left::NoStop(own) => Some((FareRule::NoStop, own.unwrap_or(prices.no_stop_cents), 0)),
        Left::NoRide(own) => Some((FareRule::NoRide, own.unwrap_or(prices.no_ride_cents), 0)),
        Left::OutOfService => Some((FareRule::OutOfService, prices.out_of_service_cents, 0)),
    };
    if let Some((rule, cents, quantity)) = asked.filter(|(_, cents, _)| *cents > 0) {
        receipt.dispatch_cents = receipt.line(rule, cents, quantity);
    }
    if helmet_missing && prices.helmet_cents > 0 {
        receipt.helmet_cents = receipt.line(FareRule::Helmet, prices.helmet_cents, 0);
    }
}
