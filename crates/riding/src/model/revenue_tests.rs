//! Days of revenue: what belongs to which, that closed ones stay, and that nothing is counted twice or not at all.

use std::collections::BTreeMap;

use ledger::{AccountKind, Entry};
use proptest::prelude::*;
use vocabulary::{AreaId, CardHoldingId, Day, PaymentId, RideOrderId, Timestamp};

use super::card_money;
use super::fare::{CardShare, FareLine, FareRule, Left, Receipt, Ridden};
use super::holdings::{PaidBy, RefundTo};
use super::money;
use super::order::{Pricing, Share};
use super::revenue::{Added, Booked, Figures, RideDays, closes_at, first_open};

const AREA: AreaId = AreaId(3);
const HOUR_MS: i64 = 3_600_000;
const DAY: Day = Day(20_783);

/// An instant of a day counted from [`DAY`], at an hour of Shanghai.
fn at(day: i64, hour: f64) -> Timestamp {
    Day(DAY.0 + day).hour(0).plus_millis((hour * HOUR_MS as f64) as i64)
}

/// Entries with the instants at which they were recorded.
#[derive(Default)]
struct Log {
    entries: Vec<(Entry, Timestamp)>,
}

impl Log {
    fn put(&mut self, entry: Option<Entry>, recorded_at: Timestamp) {
        self.entries.push((entry.expect("something moves"), recorded_at));
    }

    fn ride(&mut self, order: i64, cents: i64, end: Timestamp, recorded_at: Timestamp) {
        let receipt = Receipt { pay_cents: cents, ..Receipt::default() };
        self.put(money::fare(RideOrderId(order), AREA, end, &receipt), recorded_at);
    }

    fn paid(&mut self, order: i64, share: Share, paid_at: Timestamp, recorded_at: Timestamp) {
        self.put(money::paid(RideOrderId(order), 1, AREA, paid_at, &share, 3), recorded_at);
    }

    fn days(&self) -> BTreeMap<Day, Figures> {
        days(&self.entries)
    }

    fn of(&self, day: i64) -> Figures {
        self.days().get(&Day(DAY.0 + day)).copied().unwrap_or_default()
    }
}

fn days(entries: &[(Entry, Timestamp)]) -> BTreeMap<Day, Figures> {
    let (mut rides, mut days) = (RideDays::new(), BTreeMap::<Day, Figures>::new());
    for (entry, recorded_at) in entries {
        let added = Added::by_entry(entry, *recorded_at, &mut rides);
        let day = days.entry(added.booked.day).or_default();
        *day = day.plus(&added.figures).expect("it fits");
    }
    days
}

const fn third(cents: i64) -> Share {
    Share { third_cents: cents, recharge_cents: 0, present_cents: 0 }
}

#[test]
fn a_day_is_open_until_two_hours_after_its_end() {
    assert_eq!(closes_at(DAY), at(1, 2.0));
    let booked = |moment: Timestamp, recorded: Timestamp| {
        let Booked { day, is_late } = Booked::of(moment, recorded);
        (day.0 - DAY.0, is_late)
    };
    assert_eq!(booked(at(0, 12.0), at(0, 12.1)), (0, false));
    assert_eq!(booked(at(0, 23.9), at(1, 1.99)), (0, false), "told after midnight");
    assert_eq!(booked(at(0, 23.9), at(1, 2.0)), (1, true), "the first moment after closing");
    assert_eq!(booked(at(-4, 9.0), at(1, 1.0)), (0, true), "the first day that is open");
    assert_eq!(booked(at(-4, 9.0), at(1, 9.0)), (1, true));
    assert_eq!(booked(at(1, 0.1), at(0, 23.9)), (0, false), "a clock that is ahead makes no tomorrow");
    assert_eq!(first_open(at(1, 1.0)), DAY);
}

#[test]
fn what_is_paid_on_the_day_is_received_and_what_is_paid_later_is_arrears() {
    let mut log = Log::default();
    log.ride(1, 500, at(0, 9.0), at(0, 9.0));
    log.paid(1, Share { recharge_cents: 100, present_cents: 50, third_cents: 350 }, at(0, 9.1), at(0, 9.1));
    log.ride(2, 300, at(0, 22.0), at(0, 22.0));
    log.paid(2, third(300), at(3, 8.0), at(3, 8.0));
    let first = log.of(0);
    assert_eq!((first.due_cents(), first.paid_cents(), first.owing_cents()), (800, 500, 300));
    assert_eq!((first.owing_rate(), first.revenue_cents), (Some(3750), 350), "wallets were filled before");
    let fourth = log.of(3);
    assert_eq!((fourth.due_cents(), fourth.paid_cents(), fourth.arrears_cents()), (0, 0, 300));
    assert_eq!((fourth.received_cents(), fourth.revenue_cents, fourth.late_entries), (300, 300, 0));
}

#[test]
fn a_ride_that_is_closed_late_belongs_to_the_day_of_its_record() {
    let mut log = Log::default();
    log.ride(1, 500, at(0, 9.0), at(0, 9.0));
    let closed = log.of(0);
    // Found by the reconciler two days later, and paid at once.
    log.ride(2, 700, at(0, 11.0), at(2, 11.0));
    log.paid(2, third(700), at(2, 11.1), at(2, 11.1));
    assert_eq!(log.of(0), closed);
    let found = log.of(2);
    assert_eq!((found.due_cents(), found.paid_cents(), found.arrears_cents()), (700, 700, 0));
    assert_eq!((found.late_entries, found.late_due_cents, found.late_revenue_cents), (1, 700, 0));
}

#[test]
fn nobody_pays_for_a_ride_before_it_is_booked() {
    let mut log = Log::default();
    log.ride(1, 500, at(1, 0.001), at(1, 0.001));
    // By the provider's clock he paid yesterday.
    log.paid(1, third(500), at(0, 23.999), at(1, 0.01));
    assert_eq!(log.of(0), Figures::default());
    assert_eq!((log.of(1).paid_cents(), log.of(1).arrears_cents()), (500, 0));
}

#[test]
fn what_is_lowered_on_the_day_was_never_due_and_later_is_told_apart() {
    let mut log = Log::default();
    log.ride(1, 500, at(0, 9.0), at(0, 9.0));
    log.put(money::lowered(RideOrderId(1), 2, AREA, at(0, 10.0), 200), at(0, 10.0));
    log.put(money::lowered(RideOrderId(1), 3, AREA, at(1, 10.0), 100), at(1, 10.0));
    log.put(money::written_off(RideOrderId(1), AREA, at(2, 10.0), 200), at(2, 10.0));
    assert_eq!((log.of(0).due_cents(), log.of(0).owing_cents()), (300, 300));
    assert_eq!((log.of(1).due_cents(), log.of(1).lowered_past_cents), (0, 100));
    assert_eq!(log.of(2).written_off_cents, 200);
}

#[test]
fn revenue_is_what_channels_brought_for_good() {
    let mut log = Log::default();
    let (payment, holding, noon) = (PaymentId(7), CardHoldingId(8), at(0, 12.0));
    log.put(money::topped_up(payment, 3, noon, 5_000), noon);
    log.put(money::deposit(payment, 3, noon, 19_900), noon);
    log.put(money::adjusted(1, noon, 1_000, 300), noon);
    let by_channel = PaidBy { payment: Some(payment), channel: 3 };
    log.put(Some(card_money::sold(holding, AREA, noon, 2_000, by_channel)), noon);
    log.put(Some(card_money::sold(holding, AREA, noon, 1_500, PaidBy::WALLET)), noon);
    log.put(Some(card_money::kept(payment, AREA, noon, 900, 3)), noon);
    log.put(Some(card_money::refunded(holding, AREA, noon, 800, RefundTo::Origin)), noon);
    log.put(Some(card_money::refunded(holding, AREA, noon, 70, RefundTo::Wallet)), noon);
    log.put(money::going_back(AccountKind::Deposit, 1, noon, 19_900), noon);
    log.put(money::going_back(AccountKind::Recharge, 2, noon, 400), noon);
    log.put(money::stayed(AccountKind::Recharge, 2, noon, 400), noon);
    log.put(money::went_back(1, 3, noon, 19_900), noon);
    let back = Share { recharge_cents: 10, present_cents: 20, third_cents: 30 };
    log.put(money::refunded(RideOrderId(1), 2, AREA, noon, &back), noon);
    let day = log.of(0);
    assert_eq!((day.top_up_cents, day.card_third_cents, day.card_recharge_cents), (5_900, 2_000, 1_500));
    assert_eq!((day.receipts_cents(), day.refunds_cents()), (7_900, 830), "failed and arrived make nothing");
    assert_eq!(day.revenue_cents, 7_070);
    assert_eq!(day.refund_rate(), Some(1_050));
    assert_eq!((day.deposit_paid_cents, day.deposit_back_cents), (19_900, 19_900));
    assert_eq!((day.gift_cents, day.adjustment_cents), (300, 1_000), "neither is revenue");
    assert_eq!((day.ride_refund_wallet_cents, day.card_refund_wallet_cents), (30, 70));
}

#[test]
fn money_of_a_name_that_is_not_known_is_counted_too() {
    let mut entry = money::topped_up(PaymentId(7), 3, at(0, 12.0), 5_000).unwrap();
    entry.cause = ledger::Cause::new("insurance", 7).unwrap();
    let added = Added::by_entry(&entry, at(0, 12.0), &mut RideDays::new());
    assert_eq!((added.figures.other_cents, added.figures.revenue_cents), (5_000, 5_000));
}

fn pricing(seconds: i64, rules: &[FareRule]) -> Pricing {
    let lines = rules.iter().map(|rule| FareLine { rule: *rule, amount_cents: 0, quantity: 0 }).collect();
    let receipt = Receipt { lines, pay_cents: 250, ..Receipt::default() };
    let ridden =
        Ridden { start_at: at(0, 9.0), end_at: at(0, 9.0).plus_millis(seconds * 1000), distance_m: 900 };
    Pricing {
        billing_version: 0,
        ridden,
        left: Left::Well,
        helmet_missing: false,
        benefits: super::fare::Benefits { card: Some(CardShare::Whole), ..Default::default() },
        receipt,
    }
}

#[test]
fn orders_are_counted_by_relief_and_short_ones_are_no_part_of_averages() {
    let all = [
        (600, vec![FareRule::Time]),
        (300, vec![FareRule::Card]),
        (300, vec![FareRule::FreeRide, FareRule::Card, FareRule::Discount]),
        (300, vec![FareRule::OwnBilling]),
        (119, vec![FareRule::Free]),
    ];
    let of = |(seconds, rules): &(i64, Vec<FareRule>)| Added::by_ride(&pricing(*seconds, rules), at(0, 10.0));
    let sum = all.iter().map(of).try_fold(Figures::default(), |sum, added| {
        assert_eq!(added.booked.day, DAY);
        sum.plus(&added.figures)
    });
    let sum = sum.unwrap();
    assert_eq!((sum.orders, sum.short_orders), (5, 1));
    assert_eq!((sum.free_orders, sum.card_orders, sum.discount_orders), (1, 1, 1));
    assert_eq!((sum.each_s(), sum.each_m(), sum.each_cents()), (Some(375), Some(900), Some(250)));
    assert_eq!(sum.relief_rate(), Some(6_000));
    assert_eq!(Figures::default().each_s(), None, "of no ride there is no average");
}

/// Something that happens to one of a few orders or to a wallet: what, how much, how long before it is recorded.
fn any_facts() -> impl Strategy<Value = Vec<(u8, i64, i64, i64)>> {
    proptest::collection::vec(
        (0_u8..9, 1_i64..5_000, -600_000_i64..4 * 24 * HOUR_MS, 0_i64..7 * HOUR_MS),
        1..120,
    )
}

/// Entries in the order of the log, each recorded no earlier than the one before.
fn log_of(facts: &[(u8, i64, i64, i64)]) -> Vec<(Entry, Timestamp)> {
    let mut now = at(0, 20.0);
    let (mut order, mut entries) = (0, Vec::new());
    for (number, (what, cents, before_ms, after_ms)) in (1_i64..).zip(facts) {
        now = now.plus_millis(*after_ms);
        let then = now.plus_millis(-before_ms);
        let of = RideOrderId(order.max(1));
        let receipt = Receipt { pay_cents: *cents, ..Receipt::default() };
        let share = Share { recharge_cents: cents / 3, present_cents: cents / 5, third_cents: *cents };
        let entry = match what {
            0 | 1 => {
                order += 1;
                money::fare(RideOrderId(order), AREA, then, &receipt)
            }
            2 | 3 => money::paid(of, number, AREA, then, &share, 3),
            4 => money::lowered(of, number, AREA, then, *cents),
            5 => money::refunded(of, number, AREA, then, &share),
            6 => money::topped_up(PaymentId(number), 3, then, *cents),
            7 => money::going_back(AccountKind::Recharge, number, then, *cents),
            _ => money::deposit(PaymentId(number), 3, then, *cents),
        };
        entries.extend(entry.map(|entry| (entry, now)));
    }
    entries
}

fn sum<'a>(all: impl Iterator<Item = &'a Figures>) -> Figures {
    all.fold(Figures::default(), |sum, one| sum.plus(one).expect("it fits"))
}

proptest! {
    #[test]
    fn closed_days_stay_and_no_cent_is_lost(facts in any_facts(), cut in any::<prop::sample::Index>()) {
        let entries = log_of(&facts);
        let cut = cut.index(entries.len());
        let (before, after) = (days(&entries[..cut]), days(&entries));
        let open = first_open(entries[cut].1);
        let closed = |of: &BTreeMap<Day, Figures>| {
            of.range(..open).map(|(day, figures)| (*day, *figures)).collect::<Vec<_>>()
        };
        prop_assert_eq!(closed(&before), closed(&after), "what comes later changes no closed day");

        // Each day, and so all of them: revenue is its parts, and what channels brought.
        for day in after.values() {
            prop_assert_eq!(day.revenue_cents, day.receipts_cents() - day.refunds_cents() + day.other_cents);
        }
        let all = sum(after.values());
        let grown = |kind: AccountKind| entries.iter().map(|(entry, _)| entry.grown(kind)).sum::<i64>();
        let brought = grown(AccountKind::Channel) - grown(AccountKind::RefundDue) - grown(AccountKind::Deposit);
        prop_assert_eq!(all.revenue_cents, brought);
        let owed = all.owing_cents() - all.arrears_cents() - all.lowered_past_cents - all.written_off_cents;
        prop_assert_eq!(owed, grown(AccountKind::Receivable), "what is owed in the end");
    }
}
