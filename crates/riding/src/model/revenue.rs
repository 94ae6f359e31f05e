//! 每日统计: to which day of Shanghai a movement of money or a ride belongs, and what it adds to that day. A closed day never
//! changes: what is recorded later belongs to the first day that was open then (`docs/adr/0052`).

use std::collections::BTreeMap;

use ledger::{AccountKind, Entry};
use vocabulary::{Day, RideOrderId, Timestamp};

use super::fare::{FareRule, ridden_s};
use super::movement::Movement;
use super::order::{MISTAKE_MS, Pricing};
pub use super::revenue_figures::Figures;

/// A day is closed so long after its end.
pub const CLOSING_MS: i64 = 2 * 3_600_000;

/// When a day is closed: what is recorded from then on is no part of it.
pub const fn closes_at(day: Day) -> Timestamp {
    day.hour(vocabulary::HOURS).plus_millis(CLOSING_MS)
}

/// The first day that is open at an instant.
pub const fn first_open(at: Timestamp) -> Day {
    Day::of(at.plus_millis(-CLOSING_MS))
}

/// A day, and why it is that one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Booked {
    /// The day that it belongs to.
    pub day: Day,
    /// Whether its own day was closed already (补记).
    pub is_late: bool,
}

impl Booked {
    /// Where something belongs that happened `at` and was recorded then: to the day of its own moment while that is open,
    /// otherwise to the first one that is. What a clock ahead of ours dates to tomorrow belongs to today.
    pub fn of(at: Timestamp, recorded_at: Timestamp) -> Self {
        let (own, open) = (Day::of(at), first_open(recorded_at));
        Self { day: own.clamp(open, Day::of(recorded_at)), is_late: own < open }
    }

    /// Never before `day`: nobody pays for a ride before it is booked, whatever the provider's clock says.
    fn not_before(self, day: Option<Day>) -> Self {
        Self { day: day.map_or(self.day, |day| self.day.max(day)), ..self }
    }
}

/// What one event adds to a day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Added {
    /// To which, and why to that one.
    pub booked: Booked,
    /// The order that it is about.
    pub order: Option<RideOrderId>,
    /// What of.
    pub movement: Option<Movement>,
    /// Whether it is about a ride of an earlier day.
    pub is_of_earlier: bool,
    /// How much.
    pub figures: Figures,
}

/// The days that rides were booked on, as far as they are needed.
pub type RideDays = BTreeMap<RideOrderId, Day>;

impl Added {
    /// By a journal entry. `rides` has the days of the orders that it may be about, and learns that of its own ride.
    pub fn by_entry(entry: &Entry, recorded_at: Timestamp, rides: &mut RideDays) -> Self {
        let movement = Movement::named(entry.cause.what());
        let order = movement.and_then(|movement| movement.order(entry.cause.as_str()));
        let ride = order.and_then(|order| rides.get(&order).copied());
        let booked = Booked::of(entry.at, recorded_at).not_before(ride);
        if movement == Some(Movement::Ride) {
            rides.extend(order.map(|order| (order, booked.day)));
        }
        let is_of_earlier = ride.is_some_and(|ride| ride < booked.day);
        let figures = of_entry(entry, movement, is_of_earlier).told_late(booked.is_late);
        Self { booked, order, movement, is_of_earlier, figures }
    }

    /// By a ride's fare, which is decided once. What it costs is told by the journal; this tells how it was ridden.
    pub fn by_ride(pricing: &Pricing, recorded_at: Timestamp) -> Self {
        let booked = Booked::of(pricing.ridden.end_at, recorded_at);
        let figures = of_ride(pricing);
        Self { booked, order: None, movement: None, is_of_earlier: false, figures }
    }
}

/// What an entry adds. Of money that riders left with the platform for good (总收益) is all that channels brought, less what
/// is to go back by them and what is kept as security.
fn of_entry(entry: &Entry, movement: Option<Movement>, of_earlier: bool) -> Figures {
    let grown = |kind| entry.grown(kind);
    let (third, recharge, present) =
        (grown(AccountKind::Channel), grown(AccountKind::Recharge), grown(AccountKind::Present));
    let due = grown(AccountKind::RefundDue);
    let mut day = Figures {
        revenue_cents: third - due - grown(AccountKind::Deposit),
        gift_cents: grown(AccountKind::GiftCost),
        adjustment_cents: grown(AccountKind::Adjustment),
        ..Figures::default()
    };
    match movement {
        Some(Movement::Ride) => day.fare_cents = grown(AccountKind::Receivable),
        Some(Movement::RideLowered) if of_earlier => day.lowered_past_cents = grown(AccountKind::RideRefund),
        Some(Movement::RideLowered) => day.lowered_cents = grown(AccountKind::RideRefund),
        Some(Movement::RidePaid) if of_earlier => {
            (day.arrears_third_cents, day.arrears_recharge_cents, day.arrears_present_cents) =
                (third, -recharge, -present);
        }
        Some(Movement::RidePaid) => {
            (day.paid_third_cents, day.paid_recharge_cents, day.paid_present_cents) =
                (third, -recharge, -present);
        }
        Some(Movement::RideWrittenOff) => day.written_off_cents = grown(AccountKind::WriteOff),
        Some(Movement::RideRefund) => {
            (day.ride_refund_third_cents, day.ride_refund_wallet_cents) = (due, recharge + present);
        }
        Some(Movement::TopUp | Movement::CardUnsold) => day.top_up_cents = third,
        Some(Movement::Card) => (day.card_third_cents, day.card_recharge_cents) = (third, -recharge),
        Some(Movement::CardRefund) => {
            (day.card_refund_third_cents, day.card_refund_wallet_cents) = (due, recharge);
        }
        Some(Movement::Deposit) => day.deposit_paid_cents = grown(AccountKind::Deposit),
        Some(Movement::GoingBack) => {
            (day.balance_back_cents, day.deposit_back_cents) = (-recharge, -grown(AccountKind::Deposit));
        }
        Some(Movement::Stayed) => {
            (day.refund_failed_cents, day.deposit_back_cents) = (recharge, -grown(AccountKind::Deposit));
        }
        Some(Movement::WentBack | Movement::Adjustment) => {}
        None => day.other_cents = day.revenue_cents,
    }
    day
}

/// How a ride was ridden. Short ones are counted, and apart from what a ride is on average.
fn of_ride(pricing: &Pricing) -> Figures {
    let (receipt, ridden) = (&pricing.receipt, &pricing.ridden);
    let has = |rules: &[FareRule]| i64::from(receipt.lines.iter().any(|line| rules.contains(&line.rule)));
    let is_free = has(&[FareRule::FreeRide]);
    let by_card = has(&[FareRule::Card]) * (1 - is_free);
    let by_discount = has(&[FareRule::Discount, FareRule::OwnBilling]) * (1 - is_free) * (1 - by_card);
    let mut day = Figures {
        orders: 1,
        free_orders: is_free,
        card_orders: by_card,
        discount_orders: by_discount,
        ..Figures::default()
    };
    let riding_s = ridden_s(ridden);
    if riding_s < MISTAKE_MS / 1000 {
        day.short_orders = 1;
    } else {
        day.riding_s = riding_s;
        day.distance_m = ridden.distance_m.max(0);
        day.usual_cents = receipt.pay_cents;
    }
    day
}
