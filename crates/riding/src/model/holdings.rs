//! What one rider holds of cards (持卡): bought, used ride by ride, given back, refunded. It stays small: what ended more than a
//! week ago is forgotten here (the read model keeps it), and of each card the last uses alone are remembered.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use kernel::{Aggregate, Decision, events, refusals};
use serde::{Deserialize, Serialize};
use vocabulary::text::line;
use vocabulary::{
    AgentId, AreaId, CardHoldingId, CardProductId, DataOwner, RideOrderId, RiderId, Timestamp, choices,
};

use super::card::{Card, CardKind};
use super::fare::{Benefits, CardShare, DiscountCard, Left, fare};
pub use super::holding_parts::{HolderOf, Moved, PaidBy, Purchase, RideOfCards, Span, Use};

/// A reason has at most so many characters.
pub const REASON_MAX: usize = 200;
/// So many cards that have not ended may be held at a time.
pub const HOLDINGS_MAX: usize = 50;
/// Of each card so many uses are remembered, the last ones.
pub const USES_KEPT: usize = 200;
/// A rider takes an untouched card back himself within this time.
pub const SELF_REFUND_MS: i64 = 24 * 3_600_000;
/// A day.
pub const DAY_MS: i64 = 86_400_000;
const SHANGHAI_MS: i64 = 8 * 3_600_000;
/// What ended is remembered so long.
const KEPT_MS: i64 = 7 * DAY_MS;

choices! {
    /// Where a holding stands.
    #[derive(Default)]
    pub enum HoldingState("持卡状态") {
        Waiting = 0 => "未生效",
        #[default]
        Active = 1 => "使用中",
        Over = 2 => "已过期",
        Refunded = 3 => "已退款",
        UsedUp = 4 => "已用完",
    }
}

choices! {
    /// Where the price of a card goes back to.
    pub enum RefundTo("退款方式") {
        Wallet = 1 => "退到钱包",
        Origin = 2 => "原路退回",
    }
}

/// What may be asked.
#[derive(Clone, Debug)]
pub enum RiderCardsCommand {
    /// He bought a card, of which each rider may have so many.
    Buy { of: HolderOf, purchase: Box<Purchase>, limit: Option<i32> },
    /// His ride is over: what serves him best is used. Of an order that used something already nothing more is.
    Spend(Box<RideOfCards>),
    /// What the order used is given back.
    GiveBack { order: RideOrderId },
    /// A card goes back for what is left of it.
    Refund { holding: CardHoldingId, to: RefundTo, reason: String },
    /// The same as its rider asks for it himself: of an untouched card alone, and soon.
    TakeBack { holding: CardHoldingId, to: RefundTo },
}

events! {
    /// What happened.
    #[derive(Eq)]
    pub enum RiderCardsEvent {
        Bought { of: HolderOf, purchase: Box<Purchase>, span: Span, at: Timestamp } = "rider-cards.bought",
        Used { order: RideOrderId, used: Use, start: Timestamp } = "rider-cards.used",
        GivenBack { order: RideOrderId, used: Use, start: Timestamp } = "rider-cards.given_back",
        Refunded {
            holding: CardHoldingId,
            product_id: CardProductId,
            amount_cents: i64,
            to: RefundTo,
            paid_by: PaidBy,
            reason: String,
            moved: Vec<Moved>,
            at: Timestamp,
        } = "rider-cards.refunded",
    }
}

refusals! {
    /// Why not.
    pub enum RiderCardsRefusal {
        Other = "cards-other": ("持卡属于其他用户"),
        Limit(i32) = "cards-limit": ("该卡每人限购 {0} 张"),
        TooMany = "cards-too-many": ("同时持有的卡最多 {HOLDINGS_MAX} 张"),
        NoHolding = "cards-holding-unknown": ("没有这张卡，或已过期"),
        Refunded = "cards-refunded": ("这张卡已退款"),
        NothingLeft = "cards-nothing-left": ("这张卡已过期或已用完，没有可退的金额"),
        Reason = "cards-reason": ("请填写原因，最多 {REASON_MAX} 个字"),
        NoPayment = "cards-no-payment": ("这张卡是用钱包余额购买的，只能退到钱包"),
        Touched = "cards-touched": ("只能自助退回购买 24 小时内且未使用过的卡，会员卡须尚未生效；其他情况请联系客服"),
    }
}

use RiderCardsRefusal as Refusal;

/// A use as it is remembered.
#[derive(Clone, Copy, Debug)]
struct Remembered {
    used: Use,
    start: Timestamp,
    is_given_back: bool,
}

/// A card that somebody holds.
#[derive(Clone, Debug)]
pub struct Held {
    purchase: Purchase,
    span: Span,
    bought_at: Timestamp,
    uses: BTreeMap<RideOrderId, Remembered>,
    /// Uses that were not given back, those that are not remembered included.
    times: i32,
    was_used: bool,
    is_refunded: bool,
}

/// What of a price is unused at `now`: of a card that counts all uses the share of those that are left, of any other that of the
/// days; a day that has begun counts once the card was used. Rounded down; nothing once it ended.
pub fn unused_cents(
    price_cents: i64,
    remaining_times: Option<i32>,
    card: &Card,
    span: Span,
    was_used: bool,
    now: Timestamp,
) -> i64 {
    if span.until <= now {
        return 0;
    }
    let (left, all) = if let (Some(all), Some(left)) = (card.times_in_all(), remaining_times) {
        (i64::from(left), i64::from(all))
    } else {
        let all = span.until.millis_since(span.starts) / DAY_MS;
        let passed_ms = now.millis_since(span.starts).max(0);
        let begun = i64::from(was_used && passed_ms % DAY_MS > 0);
        ((all - passed_ms / DAY_MS - begun).max(0), all)
    };
    if all < 1 { 0 } else { price_cents.max(0) * left.min(all) / all }
}

/// The day of Shanghai that a moment lies in, counted from 1970.
pub const fn day(at: Timestamp) -> i64 {
    (at.millis() + SHANGHAI_MS).div_euclid(DAY_MS)
}

impl Held {
    /// As it was bought.
    pub const fn purchase(&self) -> &Purchase {
        &self.purchase
    }

    /// When it works.
    pub const fn span(&self) -> Span {
        self.span
    }

    fn id(&self) -> CardHoldingId {
        self.purchase.holding_id
    }

    const fn card(&self) -> &Card {
        &self.purchase.card
    }

    /// 剩余次数, never below nothing; none: uses are not counted in all.
    pub fn remaining_times(&self) -> Option<i32> {
        self.card().times_in_all().map(|all| (all - self.times).max(0))
    }

    /// How often it was used on a day.
    pub fn times_on(&self, day: i64) -> i32 {
        let counts = |one: &&Remembered| self::day(one.start) == day && !one.is_given_back;
        i32::try_from(self.uses.values().filter(counts).count()).unwrap_or(i32::MAX)
    }

    /// Where it stands at `now`.
    pub fn state(&self, now: Timestamp) -> HoldingState {
        if self.is_refunded {
            HoldingState::Refunded
        } else if self.span.until <= now {
            HoldingState::Over
        } else if self.remaining_times() == Some(0) {
            HoldingState::UsedUp
        } else if now < self.span.starts {
            HoldingState::Waiting
        } else {
            HoldingState::Active
        }
    }

    /// Whether there is a use left for a ride that begins at `at`.
    fn serves(&self, at: Timestamp, area: AreaId) -> bool {
        let today = self.card().times_a_day().is_none_or(|most| self.times_on(day(at)) < most);
        self.state(at) == HoldingState::Active && self.card().works_in(area) && today
    }

    /// What goes back when it does at `now`.
    pub fn unused_cents(&self, now: Timestamp) -> i64 {
        if self.is_refunded {
            return 0;
        }
        unused_cents(
            self.purchase.price_cents,
            self.remaining_times(),
            self.card(),
            self.span,
            self.was_used,
            now,
        )
    }

    /// Whether any ride used it, given back or not.
    pub const fn was_used(&self) -> bool {
        self.was_used
    }

    /// Whether its rider may take it back himself.
    pub fn is_untouched(&self, now: Timestamp) -> bool {
        let begun = self.card().kind == CardKind::Membership && self.span.starts <= now;
        !self.was_used && !begun && now.millis_since(self.bought_at) <= SELF_REFUND_MS
    }

    /// Whether one that `other` is follows it in time, instead of working beside it: renewals extend.
    fn is_extended_by(&self, product: CardProductId, card: &Card) -> bool {
        let same = match card.kind {
            CardKind::Membership => self.card().kind == CardKind::Membership,
            _ => self.purchase.product_id == product,
        };
        // A pack of uses is there to be used up; the next one is there at once.
        same && card.times_in_all().is_none() && self.card().times_in_all().is_none()
    }
}

/// What a card would take off a ride, for who asks why one was chosen.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Considered {
    /// Which card.
    pub holding: CardHoldingId,
    /// 卡名称.
    pub name: String,
    /// So many cents.
    pub saved_cents: i64,
    /// Whether it is used.
    pub is_used: bool,
}

/// What of his cards serves a rider best.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Spent {
    /// For the fare: a riding card and a discount card, if they are used.
    pub benefits: Benefits,
    /// The cards that are used: at most one of each sort.
    pub uses: Vec<Use>,
    /// All that would serve, those that are used first and the others by what they would save.
    pub considered: Vec<Considered>,
}

/// The cards of a rider.
#[derive(Clone, Debug, Default)]
pub struct RiderCards {
    of: Option<HolderOf>,
    held: BTreeMap<CardHoldingId, Held>,
    /// How many of each product he has bought; one that went back unused does not count.
    bought: BTreeMap<CardProductId, i32>,
}

/// What time and distance of a ride cost who holds this.
fn cost_cents(ride: &RideOfCards, held: &Benefits) -> i64 {
    let receipt = fare(&ride.billing, &ride.ridden, &Left::Well, false, held);
    receipt.origin_cents - receipt.card_cents - receipt.discount_cents
}

impl RiderCards {
    /// Whose they are; nothing before the first.
    pub const fn of(&self) -> Option<HolderOf> {
        self.of
    }

    /// A card of his, as long as it is remembered.
    pub fn holding(&self, id: CardHoldingId) -> Option<&Held> {
        self.held.get(&id)
    }

    /// How many of a product he has bought.
    pub fn bought(&self, product: CardProductId) -> i32 {
        self.bought.get(&product).copied().unwrap_or(0)
    }

    /// The cards that serve a ride that begins at `at` in `area`, each with what it takes off; none: how it is billed.
    pub fn benefits(&self, at: Timestamp, area: AreaId) -> Vec<(CardHoldingId, Option<CardShare>, &Card)> {
        let serve = self
            .held
            .values()
            .filter(|held| held.serves(at, area) && held.card().kind != CardKind::Membership);
        serve.map(|held| (held.id(), held.card().share(), held.card())).collect()
    }

    /// Until when his membership lasts that he has at `now`, with those that follow it.
    pub fn member_until(&self, now: Timestamp) -> Option<Timestamp> {
        let live =
            self.held.values().filter(|held| held.card().kind == CardKind::Membership && !held.is_refunded);
        let mut spans: Vec<Span> = live.map(|held| held.span).collect();
        spans.sort_unstable_by_key(|span| span.starts);
        let reach = |reached: Timestamp, span: Span| {
            if span.starts <= reached { reached.max(span.until) } else { reached }
        };
        let until = spans.into_iter().fold(now, reach);
        (until > now).then_some(until)
    }

    /// Whether he is a member at `now` in `area`.
    pub fn is_member(&self, now: Timestamp, area: AreaId) -> bool {
        self.held.values().any(|held| held.card().kind == CardKind::Membership && held.serves(now, area))
    }

    /// Whether the order used a card, given back or not.
    pub fn has_spent(&self, order: RideOrderId) -> bool {
        self.held.values().any(|held| held.uses.contains_key(&order))
    }

    /// What serves him best on this ride. First how it is billed: the cheapest way, the area's own where none is cheaper. Then
    /// the riding card that takes most off. Of equal ones the one that ends first, then the one that he bought first; what saves
    /// nothing is not used. Of an order that used cards already: nothing.
    pub fn best(&self, ride: &RideOfCards) -> Spent {
        let at = ride.ridden.start_at;
        if self.has_spent(ride.order) {
            return Spent::default();
        }
        let serving = || self.held.values().filter(|held| held.serves(at, ride.area_id));
        let mut spent = Spent::default();
        let usual_cents = cost_cents(ride, &spent.benefits);
        let ways = serving().filter_map(|held| {
            let billing = held.card().billing_for(&ride.billing)?;
            let card =
                Box::new(DiscountCard { begin_at: held.span.starts, end_at: held.span.until, billing });
            let benefits = Benefits { discount_card: Some(card), ..Benefits::default() };
            Some((held, usual_cents - cost_cents(ride, &benefits), benefits))
        });
        if let Some((held, saved_cents, benefits)) = choose(ways.collect(), &mut spent.considered) {
            spent.uses.push(Use { holding: held.id(), share: None, saved_cents });
            spent.benefits = benefits;
        }
        let bare_cents = cost_cents(ride, &spent.benefits);
        let cards = serving().filter_map(|held| {
            let card = held.card().share()?;
            let benefits = Benefits { card: Some(card), ..spent.benefits.clone() };
            Some((held, bare_cents - cost_cents(ride, &benefits), card))
        });
        let cards = cards.collect();
        if let Some((held, saved_cents, share)) = choose(cards, &mut spent.considered) {
            spent.uses.push(Use { holding: held.id(), share: Some(share), saved_cents });
            spent.benefits.card = Some(share);
        }
        spent.considered.sort_by_key(|one| (!one.is_used, Reverse(one.saved_cents), one.holding));
        spent
    }

    /// When a card that is bought at `now` works.
    fn span_of(&self, product: CardProductId, card: &Card, now: Timestamp) -> Span {
        let before =
            self.held.values().filter(|held| !held.is_refunded && held.is_extended_by(product, card));
        let starts = before.map(|held| held.span.until).max().map_or(now, |until| until.max(now));
        Span { starts, until: starts.plus_millis(i64::from(card.days) * DAY_MS) }
    }

    /// The cards that come earlier when this one goes at `now`.
    fn moved(&self, gone: &Held, now: Timestamp) -> Vec<Moved> {
        let freed_ms = gone.span.until.millis_since(gone.span.starts.max(now)).max(0);
        let after = self.held.values().filter(|held| {
            held.span.starts >= gone.span.until
                && !held.is_refunded
                && held.id() != gone.id()
                && gone.is_extended_by(held.purchase.product_id, held.card())
        });
        let moved = |span: Span| Span {
            starts: span.starts.plus_millis(-freed_ms),
            until: span.until.plus_millis(-freed_ms),
        };
        after.map(|held| Moved { holding: held.id(), span: moved(held.span) }).collect()
    }

    fn refund(&self, id: CardHoldingId, to: RefundTo, reason: String, now: Timestamp) -> Decision<Self> {
        let held = self.held.get(&id).ok_or(Refusal::NoHolding)?;
        if held.is_refunded {
            return Err(Refusal::Refunded);
        }
        if to == RefundTo::Origin && held.purchase.paid_by.payment.is_none() {
            return Err(Refusal::NoPayment);
        }
        let amount_cents = held.unused_cents(now);
        if amount_cents < 1 {
            return Err(Refusal::NothingLeft);
        }
        let moved = self.moved(held, now);
        let Purchase { product_id, paid_by, .. } = held.purchase;
        let refunded = RiderCardsEvent::Refunded {
            holding: id,
            product_id,
            amount_cents,
            to,
            paid_by,
            reason,
            moved,
            at: now,
        };
        Ok(vec![refunded])
    }
}

/// What `card` would have taken off `rides`, each with its area's billing, the first ones first, had he held it at `from`.
pub fn would_have_saved(card: &Card, rides: &[RideOfCards], from: Timestamp) -> i64 {
    let mut cards = RiderCards::default();
    let purchase = Purchase {
        holding_id: CardHoldingId(1),
        product_id: CardProductId(1),
        number: 1,
        card: card.clone(),
        price_cents: 0,
        paid_by: PaidBy::WALLET,
    };
    let span = cards.span_of(purchase.product_id, card, from);
    let of = HolderOf { rider_id: RiderId(0), agent_id: AgentId(0), area_id: AreaId(0) };
    cards.evolve(&RiderCardsEvent::Bought { of, purchase: Box::new(purchase), span, at: from });
    let mut saved_cents = 0;
    for ride in rides {
        for used in cards.best(ride).uses {
            saved_cents += used.saved_cents;
            cards.evolve(&RiderCardsEvent::Used { order: ride.order, used, start: ride.ridden.start_at });
        }
    }
    saved_cents
}

/// The one that saves most, if any saves something, with all of them put down.
fn choose<'a, T>(
    of: Vec<(&'a Held, i64, T)>,
    considered: &mut Vec<Considered>,
) -> Option<(&'a Held, i64, T)> {
    considered.extend(of.iter().map(|(held, saved_cents, _)| Considered {
        holding: held.id(),
        name: held.card().name.clone(),
        saved_cents: *saved_cents,
        is_used: false,
    }));
    let best = of
        .into_iter()
        .min_by_key(|(held, saved_cents, _)| (Reverse(*saved_cents), held.span.until, held.id()));
    let best = best.filter(|(_, saved_cents, _)| *saved_cents > 0)?;
    if let Some(one) = considered.iter_mut().find(|one| one.holding == best.0.id()) {
        one.is_used = true;
    }
    Some(best)
}

impl Aggregate for RiderCards {
    const CATEGORY: &'static str = "rider-cards";
    type Id = RiderId;
    type Command = RiderCardsCommand;
    type Event = RiderCardsEvent;
    type Refusal = RiderCardsRefusal;

    fn decide(&self, command: RiderCardsCommand, now: Timestamp) -> Decision<Self> {
        match command {
            RiderCardsCommand::Buy { of, purchase, limit } => {
                if self.of.is_some_and(|known| known.rider_id != of.rider_id || known.agent_id != of.agent_id)
                {
                    return Err(Refusal::Other);
                }
                if let Some(limit) = limit.filter(|limit| self.bought(purchase.product_id) >= *limit) {
                    return Err(Refusal::Limit(limit));
                }
                let live = |held: &&Held| !held.is_refunded && now < held.span.until;
                if self.held.values().filter(live).count() >= HOLDINGS_MAX {
                    return Err(Refusal::TooMany);
                }
                let span = self.span_of(purchase.product_id, &purchase.card, now);
                Ok(vec![RiderCardsEvent::Bought { of, purchase, span, at: now }])
            }
            RiderCardsCommand::Spend(ride) => {
                let (order, start) = (ride.order, ride.ridden.start_at);
                let uses = self.best(&ride).uses;
                Ok(uses.into_iter().map(|used| RiderCardsEvent::Used { order, used, start }).collect())
            }
            RiderCardsCommand::GiveBack { order } => {
                let used = self.held.values().filter_map(|held| held.uses.get(&order));
                let used = used.filter(|one| !one.is_given_back);
                let given_back =
                    |one: &Remembered| RiderCardsEvent::GivenBack { order, used: one.used, start: one.start };
                Ok(used.map(given_back).collect())
            }
            RiderCardsCommand::Refund { holding, to, reason } => {
                let reason = line(&reason, REASON_MAX).ok_or(Refusal::Reason)?;
                self.refund(holding, to, reason, now)
            }
            RiderCardsCommand::TakeBack { holding, to } => {
                let held = self.held.get(&holding).ok_or(Refusal::NoHolding)?;
                if !held.is_refunded && !held.is_untouched(now) {
                    return Err(Refusal::Touched);
                }
                self.refund(holding, to, "用户自助退卡".to_owned(), now)
            }
        }
    }

    fn evolve(&mut self, event: &RiderCardsEvent) {
        match event {
            RiderCardsEvent::Bought { of, purchase, span, at } => {
                self.of = Some(*of);
                self.held.retain(|_, held| !held.is_refunded && held.span.until.plus_millis(KEPT_MS) > *at);
                *self.bought.entry(purchase.product_id).or_default() += 1;
                let held = Held {
                    purchase: (**purchase).clone(),
                    span: *span,
                    bought_at: *at,
                    uses: BTreeMap::new(),
                    times: 0,
                    was_used: false,
                    is_refunded: false,
                };
                self.held.insert(purchase.holding_id, held);
            }
            RiderCardsEvent::Used { order, used, start } => {
                let Some(held) = self.held.get_mut(&used.holding) else { return };
                held.uses.insert(*order, Remembered { used: *used, start: *start, is_given_back: false });
                if held.uses.len() > USES_KEPT {
                    held.uses.pop_first();
                }
                held.times += 1;
                held.was_used = true;
            }
            RiderCardsEvent::GivenBack { order, used, .. } => {
                let Some(held) = self.held.get_mut(&used.holding) else { return };
                if let Some(one) = held.uses.get_mut(order).filter(|one| !one.is_given_back) {
                    one.is_given_back = true;
                    held.times = (held.times - 1).max(0);
                }
            }
            RiderCardsEvent::Refunded { holding, moved, .. } => {
                for Moved { holding, span } in moved {
                    if let Some(held) = self.held.get_mut(holding) {
                        held.span = *span;
                    }
                }
                let Some(held) = self.held.get_mut(holding) else { return };
                held.is_refunded = true;
                if !held.was_used
                    && let Some(bought) = self.bought.get_mut(&held.purchase.product_id)
                {
                    *bought = (*bought - 1).max(0);
                }
            }
        }
    }

    fn owner(&self) -> DataOwner {
        self.of.map_or(DataOwner::PLATFORM, |of| DataOwner::of_area(of.agent_id, of.area_id))
    }
}

#[cfg(test)]
#[path = "holdings_tests.rs"]
mod tests;
