//! Orders that a wrong version priced (受影响订单), found at a moment and kept as they were then: 0 待退还 → 1 退还中 → 2 已完成, or 3
//! 已作废. Each order is settled in an append of its own that moves its money too, so that it is settled once.

use std::collections::BTreeSet;
use std::sync::Arc;

use kernel::{Aggregate, Decision, events, refusals};
use serde::{Deserialize, Serialize};
use vocabulary::{AgentId, AreaId, DataOwner, MispricingId, RideOrderId, Timestamp, choices};

use super::mispricing::{Due, Mispriced, Wrong};
use super::order::reason;
pub use super::order_terms::BackTo;

/// Orders of one case at most.
pub const ORDERS_MAX: usize = 5_000;
/// Orders that would have cost more and are told, at most.
pub const HIGHER_MAX: usize = 1_000;
/// A case looks at rides of so many days at most.
pub const DAYS_MAX: i64 = 92;

choices! {
    /// Where it stands.
    #[derive(Default)]
    pub enum MispricingState("处理状态") {
        #[default]
        Found = 0 => "待退还",
        Refunding = 1 => "退还中",
        Done = 2 => "已完成",
        Discarded = 3 => "已作废",
    }
}

choices! {
    /// What became of an order of it.
    #[derive(Default)]
    pub enum MispricedState("退还结果") {
        #[default]
        Waiting = 0 => "待退还",
        Given = 1 => "已退还",
        Overtaken = 2 => "已变化，未处理",
        Failed = 3 => "失败",
        Higher = 4 => "少收，不追收",
    }
}

/// What was found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Finding {
    /// Its own id.
    pub mispricing_id: MispricingId,
    /// Whose orders they are.
    pub agent_id: AgentId,
    /// Where they began.
    pub area_id: AreaId,
    /// What was wrong.
    pub wrong: Wrong,
    /// What the fence is called, of one.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// Rides were looked at that ended from then on,
    pub from: Timestamp,
    /// … until then, without it.
    pub until: Timestamp,
    /// So many orders were priced again.
    pub examined: i64,
    /// Whether there are more than were looked at or fit.
    pub is_capped: bool,
    /// Those whose riders are due something, each once, in the order of their ids.
    pub orders: Arc<[Mispriced]>,
    /// Those that would have cost more: so many,
    pub higher_orders: i64,
    /// … and so much more, cents,
    pub higher_cents: i64,
    /// … the first of them.
    pub higher: Arc<[Mispriced]>,
}

impl Finding {
    /// What goes back and what is lowered, cents.
    pub fn sums(&self) -> Due {
        self.orders.iter().fold(Due::default(), |sum, one| Due {
            lower_cents: sum.lower_cents + one.due.lower_cents,
            back_cents: sum.back_cents + one.due.back_cents,
        })
    }

    /// How many riders are due something.
    pub fn riders(&self) -> usize {
        self.orders.iter().map(|one| one.rider_id).collect::<BTreeSet<_>>().len()
    }

    /// The place of an order among those that are due something.
    fn place(&self, order: RideOrderId) -> Option<usize> {
        self.orders.binary_search_by_key(&order, |one| one.order_id).ok()
    }

    fn is_sound(&self) -> bool {
        let in_order = |all: &[Mispriced]| all.windows(2).all(|two| two[0].order_id < two[1].order_id);
        let is_due =
            |one: &Mispriced| one.due.lower_cents >= 0 && one.due.back_cents >= 0 && one.due.sum_cents() > 0;
        self.wrong.is_sound()
            && self.from < self.until
            && self.orders.len() <= ORDERS_MAX
            && self.higher.len() <= HIGHER_MAX
            && in_order(&self.orders)
            && self.orders.iter().all(is_due)
    }
}

/// How an order was settled.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// Its rider got what was due.
    Given {
        /// What he owed was lowered by so much, cents.
        lower_cents: i64,
        /// So much went back, cents.
        back_cents: i64,
    },
    /// The world overtook it, in words: it was left.
    Overtaken(String),
    /// It was refused, in words.
    Failed(String),
}

/// What may be asked.
#[derive(Clone, Debug)]
pub enum MispricingCommand {
    /// Keeps what was found.
    Find(Box<Finding>),
    /// Gives all of it back, and why.
    Refund { to: BackTo, reason: String },
    /// An order of it was settled.
    Settle { order_id: RideOrderId, outcome: Outcome },
    /// Nothing comes of it.
    Discard,
}

events! {
    /// What happened.
    pub enum MispricingEvent {
        Found { finding: Box<Finding>, at: Timestamp } = "mispricing.found",
        RefundBegun { to: BackTo, reason: String, at: Timestamp } = "mispricing.refund_begun",
        Settled { order_id: RideOrderId, outcome: Outcome, at: Timestamp } = "mispricing.settled",
        Discarded { at: Timestamp } = "mispricing.discarded",
    }
}

refusals! {
    /// Why not.
    pub enum MispricingRefusal {
        Unknown = "mispricing-unknown": ("核对记录不存在"),
        Exists = "mispricing-exists": ("该核对记录已存在"),
        Unsound = "mispricing-unsound": ("请选择有误的版本，以及应当生效的另一个版本"),
        Nothing = "mispricing-nothing": ("没有需要退还的订单"),
        NotNow { now: &'static str, act: &'static str } = "mispricing-not-now": ("核对记录当前为“{now}”，不能{act}"),
        Reason = "mispricing-reason": ("请填写原因，最多 {} 个字", super::order::REASON_MAX),
        NotOfIt = "mispricing-order": ("订单不在该核对记录中"),
        Settled = "mispricing-settled": ("该订单已处理"),
    }
}

use MispricingRefusal as Refusal;

/// A case as decisions need it.
#[derive(Clone, Debug, Default)]
pub struct Mispricing {
    finding: Option<Arc<Finding>>,
    state: MispricingState,
    refund: Option<(BackTo, Arc<str>)>,
    settled: Vec<bool>,
}

impl Mispricing {
    /// What was found.
    pub fn finding(&self) -> Option<&Finding> {
        self.finding.as_deref()
    }

    /// Where it stands.
    pub const fn state(&self) -> MispricingState {
        self.state
    }

    /// Where money goes back to, and why; nothing before that was decided.
    pub fn refund(&self) -> Option<(BackTo, &str)> {
        self.refund.as_ref().map(|(to, reason)| (*to, &**reason))
    }

    /// Orders that wait to be settled.
    pub fn waiting(&self) -> impl Iterator<Item = &Mispriced> {
        let orders = self.finding.iter().flat_map(|finding| finding.orders.iter());
        orders.zip(&self.settled).filter_map(|(one, settled)| (!settled).then_some(one))
    }

    fn known(&self) -> Result<&Finding, MispricingRefusal> {
        self.finding().ok_or(Refusal::Unknown)
    }

    fn is(&self, wanted: MispricingState, act: &'static str) -> Result<(), MispricingRefusal> {
        if self.state == wanted { Ok(()) } else { Err(Refusal::NotNow { now: self.state.label(), act }) }
    }
}

impl Aggregate for Mispricing {
    const CATEGORY: &'static str = "mispricing";
    type Id = MispricingId;
    type Command = MispricingCommand;
    type Event = MispricingEvent;
    type Refusal = MispricingRefusal;

    fn decide(&self, command: MispricingCommand, now: Timestamp) -> Decision<Self> {
        let event = match command {
            MispricingCommand::Find(_) if self.finding.is_some() => return Err(Refusal::Exists),
            MispricingCommand::Find(finding) if !finding.is_sound() => return Err(Refusal::Unsound),
            MispricingCommand::Find(finding) => MispricingEvent::Found { finding, at: now },
            MispricingCommand::Refund { to, reason: why } => {
                let finding = self.known()?;
                self.is(MispricingState::Found, "退还")?;
                if finding.orders.is_empty() {
                    return Err(Refusal::Nothing);
                }
                let reason = reason(&why).map_err(|_| Refusal::Reason)?;
                MispricingEvent::RefundBegun { to, reason, at: now }
            }
            MispricingCommand::Settle { order_id, outcome } => {
                let place = self.known()?.place(order_id).ok_or(Refusal::NotOfIt)?;
                if self.settled[place] {
                    return Err(Refusal::Settled);
                }
                self.is(MispricingState::Refunding, "退还订单")?;
                MispricingEvent::Settled { order_id, outcome, at: now }
            }
            MispricingCommand::Discard => {
                self.known()?;
                self.is(MispricingState::Found, "作废")?;
                MispricingEvent::Discarded { at: now }
            }
        };
        Ok(vec![event])
    }

    fn evolve(&mut self, event: &MispricingEvent) {
        match event {
            MispricingEvent::Found { finding, .. } => {
                self.settled = vec![false; finding.orders.len()];
                self.finding = Some(Arc::new((**finding).clone()));
            }
            MispricingEvent::RefundBegun { to, reason, .. } => {
                self.state = MispricingState::Refunding;
                self.refund = Some((*to, reason.as_str().into()));
            }
            MispricingEvent::Settled { order_id, .. } => {
                if let Some(place) = self.finding.as_ref().and_then(|finding| finding.place(*order_id)) {
                    self.settled[place] = true;
                }
                if self.settled.iter().all(|settled| *settled) {
                    self.state = MispricingState::Done;
                }
            }
            MispricingEvent::Discarded { .. } => self.state = MispricingState::Discarded,
        }
    }

    fn owner(&self) -> DataOwner {
        self.finding().map_or(DataOwner::PLATFORM, |of| DataOwner::of_area(of.agent_id, of.area_id))
    }
}

#[cfg(test)]
#[path = "mispricing_case_tests.rs"]
mod tests;
