//! What moves a rider's money, as people call it: each cause of a journal entry, once.

use vocabulary::{RideOrderId, choices};

choices! {
    /// What an entry of a rider's book is about.
    pub enum Movement("变动类型") {
        Ride = 1 => "骑行费用",
        RidePaid = 2 => "支付骑行",
        RideRefund = 3 => "骑行退款",
        RideLowered = 4 => "费用下调",
        RideWrittenOff = 5 => "欠款核销",
        TopUp = 6 => "充值",
        Adjustment = 7 => "人工充值",
        Deposit = 8 => "缴纳押金",
        GoingBack = 9 => "申请退款",
        WentBack = 10 => "退款到账",
        Stayed = 11 => "退款失败退回",
        Card = 12 => "购卡",
        CardUnsold = 13 => "购卡未成转余额",
        CardRefund = 14 => "退卡",
    }
}

impl Movement {
    /// The word that its causes begin with.
    pub const fn what(self) -> &'static str {
        match self {
            Self::Ride => "ride",
            Self::RidePaid => "ride-paid",
            Self::RideRefund => "ride-refund",
            Self::RideLowered => "ride-lowered",
            Self::RideWrittenOff => "ride-written-off",
            Self::TopUp => "top-up",
            Self::Adjustment => "adjustment",
            Self::Deposit => "deposit",
            Self::GoingBack => "going-back",
            Self::WentBack => "went-back",
            Self::Stayed => "stayed",
            Self::Card => "card",
            Self::CardUnsold => "card-unsold",
            Self::CardRefund => "card-refund",
        }
    }

    /// By that word.
    pub fn named(what: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|one| one.what() == what)
    }

    /// The order that a cause of it is about.
    pub fn order(self, cause: &str) -> Option<RideOrderId> {
        let (_, which) = cause.split_once(':').filter(|_| self.is_of_order())?;
        which.split('-').next()?.parse().ok().map(RideOrderId)
    }

    /// Whether it is about an order, whose number stands in its cause.
    pub const fn is_of_order(self) -> bool {
        matches!(
            self,
            Self::Ride | Self::RidePaid | Self::RideRefund | Self::RideLowered | Self::RideWrittenOff
        )
    }
}

#[cfg(test)]
mod tests {
    use ledger::{AccountKind, Entry};
    use vocabulary::{AreaId, CardHoldingId, PaymentId, RideOrderId, Timestamp};

    use super::*;
    use crate::model::fare::Receipt;
    use crate::model::holdings::{PaidBy, RefundTo};
    use crate::model::order::Share;
    use crate::model::{card_money, money};

    #[test]
    fn every_entry_of_a_rider_has_a_name() {
        let (now, area, order) = (Timestamp::from_millis(0), AreaId(1), RideOrderId(2));
        let (payment, holding) = (PaymentId(3), CardHoldingId(4));
        let share = Share { recharge_cents: 1, present_cents: 1, third_cents: 1 };
        let receipt = Receipt { pay_cents: 1, ..Receipt::default() };
        let entries: Vec<Entry> = [
            money::fare(order, area, now, &receipt),
            money::paid(order, 1, area, now, &share, 3),
            money::refunded(order, 1, area, now, &share),
            money::lowered(order, 1, area, now, 1),
            money::written_off(order, area, now, 1),
            money::topped_up(payment, 3, now, 1),
            money::adjusted(1, now, 1, 1),
            money::deposit(payment, 3, now, 1),
            money::going_back(AccountKind::Deposit, 1, now, 1),
            money::went_back(1, 3, now, 1),
            money::stayed(AccountKind::Deposit, 1, now, 1),
            Some(card_money::sold(holding, area, now, 1, PaidBy::WALLET)),
            Some(card_money::kept(payment, area, now, 1, 3)),
            Some(card_money::refunded(holding, area, now, 1, RefundTo::Wallet)),
        ]
        .into_iter()
        .flatten()
        .collect();
        let named: Vec<Movement> =
            entries.iter().map(|entry| Movement::named(entry.cause.what()).expect("a name")).collect();
        assert_eq!(named, Movement::ALL, "each once, and no other");
        for entry in &entries {
            let movement = Movement::named(entry.cause.what()).unwrap();
            let of_order = movement.is_of_order().then_some(order);
            assert_eq!(movement.order(entry.cause.as_str()), of_order, "{}", entry.cause);
            assert_eq!(movement.is_of_order(), entry.cause.as_str().contains(":2"), "{}", entry.cause);
        }
    }
}
