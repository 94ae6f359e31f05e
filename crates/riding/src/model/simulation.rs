//! What another billing would have made of rides that were: each is computed again from what is stored of it. Pure.

use vocabulary::RideOrderId;

use super::billing::Billing;
use super::fare::{Receipt, Ridden, fare};
use super::order::Pricing;

/// So many rides are told one by one: those that would change most.
pub const TOLD_MAX: usize = 10;

/// Sums of rides, cents.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sums {
    /// What was asked for them at once.
    pub pay_cents: i64,
    /// What waited for a person, as it was above the guard.
    pub held_back_cents: i64,
    /// Of both for where bikes were left, helmets included.
    pub penalty_cents: i64,
    /// Rides of which anything was asked for that.
    pub penalties: i64,
}

impl Sums {
    fn add(&mut self, receipt: &Receipt) {
        let penalty_cents = receipt.dispatch_cents + receipt.helmet_cents;
        self.pay_cents = self.pay_cents.saturating_add(receipt.pay_cents);
        self.held_back_cents = self.held_back_cents.saturating_add(receipt.held_back_cents);
        self.penalty_cents = self.penalty_cents.saturating_add(penalty_cents);
        self.penalties += i64::from(penalty_cents > 0);
    }
}

/// A ride that would cost something else.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moved {
    /// Its order.
    pub order_id: RideOrderId,
    /// When and how far.
    pub ridden: Ridden,
    /// What it was priced at, cents.
    pub before_cents: i64,
    /// What it would be priced at, cents.
    pub after_cents: i64,
}

impl Moved {
    /// By how much, cents.
    const fn by_cents(&self) -> i64 {
        (self.after_cents - self.before_cents).abs()
    }
}

/// What would have been.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Simulation {
    /// Rides that were computed again.
    pub rides: i64,
    /// Those that would cost more.
    pub more: i64,
    /// Those that would cost less.
    pub less: i64,
    /// As they were priced.
    pub before: Sums,
    /// As they would be.
    pub after: Sums,
    /// Those that would change most, the largest change first; at most [`TOLD_MAX`].
    pub most: Vec<Moved>,
}

impl Simulation {
    /// Takes a ride in. A ride costs what is asked at once and what waits for a person.
    pub fn take(&mut self, billing: &Billing, order_id: RideOrderId, priced: &Pricing) {
        let Pricing { ridden, left, helmet_missing, benefits, receipt, .. } = priced;
        let after = fare(billing, ridden, left, *helmet_missing, benefits);
        self.rides += 1;
        self.before.add(receipt);
        self.after.add(&after);
        let before_cents = receipt.pay_cents + receipt.held_back_cents;
        let after_cents = after.pay_cents + after.held_back_cents;
        self.more += i64::from(after_cents > before_cents);
        self.less += i64::from(after_cents < before_cents);
        let moved = Moved { order_id, ridden: *ridden, before_cents, after_cents };
        if moved.by_cents() > 0 {
            let place = self.most.partition_point(|one| one.by_cents() >= moved.by_cents());
            self.most.insert(place, moved);
            self.most.truncate(TOLD_MAX);
        }
    }
}

#[cfg(test)]
mod tests {
    use vocabulary::Timestamp;

    use super::*;
    use crate::model::fare::{Benefits, Left};

    const MINUTE_MS: i64 = 60_000;

    fn priced(minutes: i64, left: Left) -> Pricing {
        let start_at = Timestamp::from_millis(1_795_140_000_000);
        let ridden = Ridden { start_at, end_at: start_at.plus_millis(minutes * MINUTE_MS), distance_m: 900 };
        let receipt = fare(&Billing::default(), &ridden, &left, false, &Benefits::default());
        Pricing {
            billing_version: 0,
            ridden,
            left,
            helmet_missing: false,
            benefits: Benefits::default(),
            receipt,
        }
    }

    #[test]
    fn the_same_billing_changes_nothing() {
        let mut same = Simulation::default();
        for minutes in 0..200 {
            same.take(&Billing::default(), RideOrderId(minutes), &priced(minutes, Left::OutOfService));
        }
        assert_eq!((same.rides, same.more, same.less, same.before), (200, 0, 0, same.after));
        assert_eq!(same.most, []);
        assert_eq!((same.after.penalties, same.after.penalty_cents), (200, 400_000));
    }

    #[test]
    fn rides_are_counted_by_what_becomes_of_them_and_the_largest_changes_are_told() {
        // Short rides get cheaper by a yuan, those beyond the basic time dearer by half a yuan a cycle.
        let other = Billing { base_time_cents: 100, cycle_cents: 150, ..Billing::default() };
        let mut simulated = Simulation::default();
        for minutes in [10, 25, 35, 45, 55, 65, 75, 85, 95, 105, 115, 125, 135] {
            simulated.take(&other, RideOrderId(minutes), &priced(minutes, Left::Well));
        }
        // Of 35 minutes both ask for 4 yuan.
        assert_eq!((simulated.rides, simulated.less, simulated.more), (13, 2, 10));
        let told: Vec<(i64, i64, i64)> =
            simulated.most.iter().map(|one| (one.order_id.0, one.before_cents, one.after_cents)).collect();
        assert_eq!(told[..2], [(135, 1_400, 1_900), (125, 1_300, 1_750)]);
        assert_eq!(told.len(), TOLD_MAX);
        assert_eq!(simulated.before.pay_cents, 200 + (1..=12).map(|n| 200 + n * 100).sum::<i64>());
        assert_eq!(simulated.after.pay_cents, 100 + (1..=12).map(|n| 100 + n * 150).sum::<i64>());
    }
}
