//! What cards in somebody's hands are told by: whose they are, how they were paid, when they work, what they were used for.

use serde::{Deserialize, Serialize};
use vocabulary::{AgentId, AreaId, CardHoldingId, CardProductId, PaymentId, RideOrderId, RiderId, Timestamp};

use super::billing::Billing;
use super::card::Card;
use super::fare::{CardShare, Ridden};

/// Whose cards they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HolderOf {
    /// Who holds them.
    pub rider_id: RiderId,
    /// Whose rider he is.
    pub agent_id: AgentId,
    /// The area where he registered.
    pub area_id: AreaId,
}

/// How a card was paid for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PaidBy {
    /// The payment; none: the wallet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub payment: Option<PaymentId>,
    /// Its channel; 0: the wallet.
    pub channel: i16,
}

impl PaidBy {
    /// From what the rider paid into his wallet.
    pub const WALLET: Self = Self { payment: None, channel: 0 };
}

/// A card as it is bought.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Purchase {
    /// Its own id.
    pub holding_id: CardHoldingId,
    /// Which product …
    pub product_id: CardProductId,
    /// … in which of its versions …
    pub number: i64,
    /// … which gives this.
    pub card: Card,
    /// What was paid: cents.
    pub price_cents: i64,
    /// How.
    pub paid_by: PaidBy,
}

/// When a card works: from the first until the second, which is no longer part of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Span {
    /// 生效时间.
    pub starts: Timestamp,
    /// 到期时间.
    pub until: Timestamp,
}

/// A card whose time moved, because one before it went back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Moved {
    /// Which.
    pub holding: CardHoldingId,
    /// When it works now.
    pub span: Span,
}

/// A use of a card.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Use {
    /// Which card.
    pub holding: CardHoldingId,
    /// What it took off the ride; none: the ride was billed in the card's way.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub share: Option<CardShare>,
    /// So many cents.
    pub saved_cents: i64,
}

/// A ride that cards may take something off.
#[derive(Clone, Debug, PartialEq)]
pub struct RideOfCards {
    /// Its order.
    pub order: RideOrderId,
    /// The area where it began.
    pub area_id: AreaId,
    /// How rides are billed there.
    pub billing: Billing,
    /// Time and distance.
    pub ridden: Ridden,
}
