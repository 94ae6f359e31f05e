//! What a wrong version made orders cost: each is judged and priced again from what is stored of it, by what should have
//! counted instead. Pure.

use geofence::Atlas;
use geofence::judge::{Judgement, ReturnClass, Stop};
use serde::{Deserialize, Serialize};
use vocabulary::{FenceId, RideOrderId, RiderId, choices};

use super::billing::Billing;
use super::fare::{Left, fare};
use super::order::{Order, Pricing};
use super::order_terms::left;

choices! {
    /// What was wrong.
    #[derive(Default)]
    pub enum MispricingSubject("核对对象") {
        #[default]
        Billing = 1 => "计费版本",
        Fence = 2 => "围栏版本",
        Edge = 3 => "服务区边界版本",
    }
}

/// A version that was wrong, and what should have counted in its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Wrong {
    /// Of what.
    pub subject: MispricingSubject,
    /// Which fence, of one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fence_id: Option<FenceId>,
    /// The version that was wrong; of a billing 0 is the default.
    pub version: i64,
    /// The version that should have counted; none: the fence should not have been there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instead: Option<i64>,
}

impl Wrong {
    /// Whether it can be: another version of the same, and a fence where one is meant.
    pub fn is_sound(&self) -> bool {
        let is_fence = self.subject == MispricingSubject::Fence;
        is_fence == self.fence_id.is_some()
            && (is_fence || self.instead.is_some())
            && self.instead != Some(self.version)
            && self.version >= 0
    }
}

/// By what rides are priced again.
#[derive(Clone, Copy, Debug)]
pub enum Retrial<'a> {
    /// By another billing, where they were left as they were judged.
    Billing(&'a Billing),
    /// By the billing that they were priced by, where they were left judged by other fences.
    Places {
        /// The billing of the order.
        billing: &'a Billing,
        /// The fences as they counted.
        was: &'a Atlas,
        /// The fences as they should have.
        instead: &'a Atlas,
    },
}

/// What an order should have cost, cents; nothing where the wrong version has no part in its price. `stop` is how it was left,
/// nothing where nobody knew.
pub fn should_cost(
    retrial: &Retrial<'_>,
    priced: &Pricing,
    stop: Option<&Stop>,
    class: ReturnClass,
) -> Option<i64> {
    let again = |billing: &Billing, left: &Left| {
        fare(billing, &priced.ridden, left, priced.helmet_missing, &priced.benefits).pay_cents
    };
    match *retrial {
        Retrial::Billing(billing) => Some(again(billing, &priced.left)),
        Retrial::Places { billing, was, instead } => {
            let stop = stop?;
            let judged = |atlas: &Atlas| atlas.judge(stop, |_| 0);
            let left = left_instead(&judged(was), &judged(instead), &priced.left, class)?;
            Some(again(billing, &left))
        }
    }
}

/// Where a bike counts as left by other fences; nothing where they change nothing, or where it was not the fences that said
/// what it cost: who was let off stays so.
fn left_instead(was: &Judgement, instead: &Judgement, priced: &Left, class: ReturnClass) -> Option<Left> {
    if was.class != class {
        return None;
    }
    let after = left(instead);
    match (class, priced) {
        // It stood well and was charged for a proof that it did not give: as long as one is asked for, it is.
        (ReturnClass::Parked, Left::Outside { .. }) => {
            (instead.class != ReturnClass::Parked || instead.missing.is_empty()).then_some(after)
        }
        (ReturnClass::Parked, _) => (after != left(was)).then_some(after),
        (_, Left::Well) => None,
        _ => (after != left(was)).then_some(after),
    }
}

/// An order's money, cents.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Paying {
    /// What it costs now.
    pub pay_cents: i64,
    /// What came for it.
    pub paid_cents: i64,
    /// What of that went back.
    pub refunded_cents: i64,
    /// What of it was given up.
    pub written_off_cents: i64,
}

impl From<&Order> for Paying {
    fn from(order: &Order) -> Self {
        let (pay_cents, paid_cents) = (order.pay_cents(), order.paid().sum_cents());
        Self {
            pay_cents,
            paid_cents,
            refunded_cents: order.refunded().sum_cents(),
            written_off_cents: pay_cents - paid_cents - order.owed_cents(),
        }
    }
}

/// What is due to a rider, cents.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Due {
    /// What is still owed is lowered by so much.
    pub lower_cents: i64,
    /// So much of what was paid goes back; not before all that is owed has been lowered.
    pub back_cents: i64,
}

impl Due {
    /// Both together.
    pub const fn sum_cents(&self) -> i64 {
        self.lower_cents + self.back_cents
    }
}

impl Paying {
    /// What its rider bears now, paid or owed.
    pub const fn borne_cents(&self) -> i64 {
        self.pay_cents - self.written_off_cents - self.refunded_cents
    }

    /// What is due where it should have cost `should_cents`: never more than he bears.
    pub fn due(&self, should_cents: i64) -> Due {
        let over_cents = (self.borne_cents() - should_cents.max(0)).max(0);
        let owed_cents = (self.pay_cents - self.paid_cents - self.written_off_cents).max(0);
        let lower_cents = over_cents.min(owed_cents);
        let left_cents = (self.paid_cents - self.refunded_cents).max(0);
        Due { lower_cents, back_cents: (over_cents - lower_cents).min(left_cents) }
    }
}

/// An order that a wrong version priced.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "[i64; 6]", into = "[i64; 6]")]
pub struct Mispriced {
    /// Which.
    pub order_id: RideOrderId,
    /// Whose.
    pub rider_id: RiderId,
    /// What it was priced at, cents.
    pub priced_cents: i64,
    /// What it should have cost, cents.
    pub should_cents: i64,
    /// What is due to its rider, as it stood when it was found.
    pub due: Due,
}

// Thousands of them are kept in one event: numbers alone, in the order of the fields.
impl From<[i64; 6]> for Mispriced {
    fn from([order, rider, priced_cents, should_cents, lower_cents, back_cents]: [i64; 6]) -> Self {
        let due = Due { lower_cents, back_cents };
        Self { order_id: RideOrderId(order), rider_id: RiderId(rider), priced_cents, should_cents, due }
    }
}

impl From<Mispriced> for [i64; 6] {
    fn from(one: Mispriced) -> Self {
        let Due { lower_cents, back_cents } = one.due;
        [one.order_id.0, one.rider_id.0, one.priced_cents, one.should_cents, lower_cents, back_cents]
    }
}

/// What becomes of an order that was priced again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Nothing is due: it cost the same, or what was too much went back already.
    Nothing,
    /// Its rider gets something.
    Due(Due),
    /// It would have cost more: that is told, and never charged.
    Higher,
}

/// What becomes of an order that was priced at `priced_cents`, stands so, and should have cost `should_cents`.
pub fn verdict(priced_cents: i64, paying: &Paying, should_cents: i64) -> Verdict {
    let due = paying.due(should_cents);
    if should_cents > priced_cents {
        Verdict::Higher
    } else if due.sum_cents() > 0 {
        Verdict::Due(due)
    } else {
        Verdict::Nothing
    }
}

#[cfg(test)]
#[path = "mispricing_tests.rs"]
mod tests;
