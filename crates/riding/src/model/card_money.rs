//! What cards mean for a rider's book: the journal entry of each thing that happens to one.

use ledger::{Account, AccountKind, Cause, Entry, Posting};
use vocabulary::{AreaId, CardHoldingId, PaymentId, Timestamp};

use super::holdings::{PaidBy, RefundTo};

fn cause(what: &str, which: impl std::fmt::Display) -> Cause {
    Cause::new(what, which).expect("a cause is a word and numbers")
}

/// A card sold: from what its rider paid into his wallet, or straight through a channel. What he was given buys no cards.
pub fn sold(holding: CardHoldingId, area: AreaId, at: Timestamp, price_cents: i64, paid_by: PaidBy) -> Entry {
    let from = match paid_by.payment {
        None => Account::from(AccountKind::Recharge),
        Some(_) => Account::channel(paid_by.channel),
    };
    let postings =
        vec![Posting::debit(from, price_cents), Posting::credit(AccountKind::CardIncome, price_cents)];
    Entry { cause: cause("card", holding), at, area_id: Some(area), hold: None, postings }
}

/// A card paid through a channel that can be sold no more: the money lies in the wallet.
pub fn kept(payment: PaymentId, area: AreaId, at: Timestamp, amount_cents: i64, channel: i16) -> Entry {
    let postings = vec![
        Posting::debit(Account::channel(channel), amount_cents),
        Posting::credit(AccountKind::Recharge, amount_cents),
    ];
    Entry { cause: cause("card-unsold", payment), at, area_id: Some(area), hold: None, postings }
}

/// What is left of a card given back: into the wallet, or owed until it arrived by the way it came.
pub fn refunded(
    holding: CardHoldingId,
    area: AreaId,
    at: Timestamp,
    amount_cents: i64,
    to: RefundTo,
) -> Entry {
    let to = match to {
        RefundTo::Wallet => AccountKind::Recharge,
        RefundTo::Origin => AccountKind::RefundDue,
    };
    let postings =
        vec![Posting::debit(AccountKind::CardRefund, amount_cents), Posting::credit(to, amount_cents)];
    Entry { cause: cause("card-refund", holding), at, area_id: Some(area), hold: None, postings }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Timestamp = Timestamp::from_millis(1_790_000_000_000);
    const HOLDING: CardHoldingId = CardHoldingId(9);
    const AREA: AreaId = AreaId(3);

    #[test]
    fn every_movement_balances_and_has_a_cause_of_its_own() {
        let by_channel = PaidBy { payment: Some(PaymentId(5)), channel: 3 };
        let all = [
            sold(HOLDING, AREA, NOW, 990, PaidBy::WALLET),
            sold(CardHoldingId(10), AREA, NOW, 990, by_channel),
            kept(PaymentId(5), AREA, NOW, 990, 3),
            refunded(HOLDING, AREA, NOW, 330, RefundTo::Wallet),
            refunded(CardHoldingId(10), AREA, NOW, 330, RefundTo::Origin),
        ];
        assert!(all.iter().all(|entry| entry.fault().is_none()));
        let mut causes: Vec<&str> = all.iter().map(|entry| entry.cause.as_str()).collect();
        causes.sort_unstable();
        causes.dedup();
        assert_eq!(causes.len(), all.len());
        assert_eq!(all[0].postings[0].account, Account::from(AccountKind::Recharge));
        assert_eq!(all[1].postings[0].account, Account::channel(3));
    }
}
