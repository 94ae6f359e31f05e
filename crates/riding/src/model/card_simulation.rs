//! What a card would have been worth to the riders of late, and to who sells it: each rider is given one at the first ride that
//! is looked at. Pure.

use super::card_product::CardForm;
use super::holdings::{RideOfCards, would_have_saved};

/// What would have been, had every rider held it for whom it pays.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CardOutcome {
    /// Riders whom it would have saved something.
    pub riders: i64,
    /// Those of them whom it would have saved more than its price.
    pub buyers: i64,
    /// What their rides would have cost less, cents.
    pub saved_cents: i64,
    /// What they would have paid for it, cents.
    pub sold_cents: i64,
}

/// What of its price counts for `days`: all of it, where it does not last longer.
const fn price_cents(form: &CardForm, days: i32) -> i64 {
    let lasts = form.card.days;
    if lasts <= days { form.price_cents } else { form.price_cents * days as i64 / lasts as i64 }
}

/// What of `form` would have been in the last `days`; each of `riders` by rides, the first ones first, as they cost without cards.
pub fn card_outcome(form: &CardForm, riders: &[Vec<RideOfCards>], days: i32) -> CardOutcome {
    let price_cents = price_cents(form, days);
    let mut outcome = CardOutcome::default();
    for rides in riders {
        let Some(first) = rides.first() else { continue };
        let saved_cents = would_have_saved(&form.card, rides, first.ridden.start_at);
        outcome.riders += i64::from(saved_cents > 0);
        if saved_cents > price_cents {
            outcome.buyers += 1;
            outcome.saved_cents += saved_cents;
            outcome.sold_cents += price_cents;
        }
    }
    outcome
}

#[cfg(test)]
mod tests {
    use vocabulary::{AreaId, RideOrderId, Timestamp};

    use super::*;
    use crate::model::billing::Billing;
    use crate::model::card::{Card, CardKind, UNLIMITED};
    use crate::model::fare::Ridden;

    const DAY_MS: i64 = 86_400_000;

    fn form(price_cents: i64, days: i32) -> CardForm {
        let card = Card { kind: CardKind::Times, days, times: UNLIMITED, ..Card::default() };
        CardForm { card, price_cents, ..CardForm::default() }
    }

    /// So many rides of two yuan each, one a day.
    fn rides(count: i64) -> Vec<RideOfCards> {
        let ride = |number: i64| {
            let start_at = Timestamp::from_millis(1_795_140_000_000 + number * DAY_MS);
            let ridden = Ridden { start_at, end_at: start_at.plus_millis(600_000), distance_m: 900 };
            RideOfCards {
                order: RideOrderId(number),
                area_id: AreaId(1),
                billing: Billing::default(),
                ridden,
            }
        };
        (0..count).map(ride).collect()
    }

    #[test]
    fn those_buy_for_whom_it_pays() {
        let riders = [rides(1), rides(3), rides(4), rides(20), Vec::new()];
        // Seven days of it save 2, 6, 8 and 14 yuan.
        let outcome = card_outcome(&form(700, 7), &riders, 30);
        assert_eq!(
            outcome,
            CardOutcome { riders: 4, buyers: 2, saved_cents: 800 + 1_400, sold_cents: 1_400 }
        );
    }

    #[test]
    fn of_one_that_lasts_longer_than_is_looked_at_a_share_of_the_price_counts() {
        let outcome = card_outcome(&form(3_000, 90), &[rides(6), rides(5)], 30);
        assert_eq!(outcome, CardOutcome { riders: 2, buyers: 1, saved_cents: 1_200, sold_cents: 1_000 });
    }
}
