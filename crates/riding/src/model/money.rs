//! What rides and wallets mean for a rider's book: the journal entry of each thing that happens, with the cause that is booked
//! once for ever.

use ledger::{Account, AccountKind, Book, Cause, Entry, Posting};
use vocabulary::{AreaId, PaymentId, RideOrderId, Timestamp};

use super::fare::Receipt;
use super::order::Share;
use super::pay_rules::SpendFirst;

/// An entry without postings of nothing; nothing when none is left.
fn entry(cause: Cause, at: Timestamp, area_id: Option<AreaId>, postings: Vec<Posting>) -> Option<Entry> {
    let postings: Vec<Posting> = postings.into_iter().filter(|posting| posting.amount_cents != 0).collect();
    (!postings.is_empty()).then_some(Entry { cause, at, area_id, hold: None, postings })
}

fn cause(what: &str, which: impl std::fmt::Display) -> Cause {
    Cause::new(what, which).expect("a cause is a word and numbers")
}

/// A fare that is asked for: what of it is income of riding, and what of where the bike was left. Booked at the ride's end.
pub fn fare(order: RideOrderId, area: AreaId, end: Timestamp, receipt: &Receipt) -> Option<Entry> {
    let penalty_cents = (receipt.dispatch_cents + receipt.helmet_cents).min(receipt.pay_cents);
    let postings = vec![
        Posting::debit(AccountKind::Receivable, receipt.pay_cents),
        Posting::credit(AccountKind::RideIncome, receipt.pay_cents - penalty_cents),
        Posting::credit(AccountKind::PenaltyIncome, penalty_cents),
    ];
    entry(cause("ride", order), end, Some(area), postings)
}

/// A fare that was lowered before it was paid; `number` tells changes of one order apart.
pub fn lowered(order: RideOrderId, number: i64, area: AreaId, at: Timestamp, by_cents: i64) -> Option<Entry> {
    let postings = vec![
        Posting::debit(AccountKind::RideRefund, by_cents),
        Posting::credit(AccountKind::Receivable, by_cents),
    ];
    entry(cause("ride-lowered", format!("{order}-{number}")), at, Some(area), postings)
}

/// What of `owed_cents` his wallet pays, of what is spent first as much as there is; nothing when it cannot pay all.
pub fn from_wallet(book: &Book, owed_cents: i64, first: SpendFirst) -> Option<Share> {
    let free = |kind| book.balance(kind).free_cents();
    let (present, recharge) = (free(AccountKind::Present), free(AccountKind::Recharge));
    let present_cents = match first {
        SpendFirst::Present => present.min(owed_cents),
        SpendFirst::Recharge => owed_cents - recharge.min(owed_cents),
    };
    let recharge_cents = owed_cents - present_cents;
    let pays = owed_cents > 0 && recharge_cents <= recharge && present_cents <= present;
    pays.then_some(Share { recharge_cents, present_cents, third_cents: 0 })
}

/// A fare paid; `number` tells payments of one order apart, `channel` is where the third share came through.
pub fn paid(
    order: RideOrderId,
    number: i64,
    area: AreaId,
    at: Timestamp,
    share: &Share,
    channel: i16,
) -> Option<Entry> {
    let postings = vec![
        Posting::debit(AccountKind::Recharge, share.recharge_cents),
        Posting::debit(AccountKind::Present, share.present_cents),
        Posting::debit(Account::channel(channel), share.third_cents),
        Posting::credit(AccountKind::Receivable, share.sum_cents()),
    ];
    entry(cause("ride-paid", format!("{order}-{number}")), at, Some(area), postings)
}

/// A fare given back: into the wallet what came from there, and what came through a channel is owed until it arrived.
pub fn refunded(
    order: RideOrderId,
    number: i64,
    area: AreaId,
    at: Timestamp,
    share: &Share,
) -> Option<Entry> {
    let postings = vec![
        Posting::debit(AccountKind::RideRefund, share.sum_cents()),
        Posting::credit(AccountKind::Recharge, share.recharge_cents),
        Posting::credit(AccountKind::Present, share.present_cents),
        Posting::credit(AccountKind::RefundDue, share.third_cents),
    ];
    entry(cause("ride-refund", format!("{order}-{number}")), at, Some(area), postings)
}

/// A debt given up.
pub fn written_off(order: RideOrderId, area: AreaId, at: Timestamp, amount_cents: i64) -> Option<Entry> {
    let postings = vec![
        Posting::debit(AccountKind::WriteOff, amount_cents),
        Posting::credit(AccountKind::Receivable, amount_cents),
    ];
    entry(cause("ride-written-off", order), at, Some(area), postings)
}

/// Money paid into a wallet through a channel.
pub fn topped_up(payment: PaymentId, channel: i16, at: Timestamp, amount_cents: i64) -> Option<Entry> {
    let postings = vec![
        Posting::debit(Account::channel(channel), amount_cents),
        Posting::credit(AccountKind::Recharge, amount_cents),
    ];
    entry(cause("top-up", payment), at, None, postings)
}

/// Money given into a wallet, or put there by hand: `gift_cents` is given, `amount_cents` is what somebody says was paid.
pub fn adjusted(
    which: impl std::fmt::Display,
    at: Timestamp,
    amount_cents: i64,
    gift_cents: i64,
) -> Option<Entry> {
    let postings = vec![
        Posting::debit(AccountKind::Adjustment, amount_cents),
        Posting::credit(AccountKind::Recharge, amount_cents),
        Posting::debit(AccountKind::GiftCost, gift_cents),
        Posting::credit(AccountKind::Present, gift_cents),
    ];
    entry(cause("adjustment", which), at, None, postings)
}

/// A deposit paid through a channel.
pub fn deposit(payment: PaymentId, channel: i16, at: Timestamp, amount_cents: i64) -> Option<Entry> {
    let postings = vec![
        Posting::debit(Account::channel(channel), amount_cents),
        Posting::credit(AccountKind::Deposit, amount_cents),
    ];
    entry(cause("deposit", payment), at, None, postings)
}

/// Money of a rider that is to go back by the way it came: his deposit, or what is left in his wallet.
pub fn going_back(
    from: AccountKind,
    which: impl std::fmt::Display,
    at: Timestamp,
    amount_cents: i64,
) -> Option<Entry> {
    let postings =
        vec![Posting::debit(from, amount_cents), Posting::credit(AccountKind::RefundDue, amount_cents)];
    entry(cause("going-back", which), at, None, postings)
}

/// It arrived.
pub fn went_back(
    which: impl std::fmt::Display,
    channel: i16,
    at: Timestamp,
    amount_cents: i64,
) -> Option<Entry> {
    let postings = vec![
        Posting::debit(AccountKind::RefundDue, amount_cents),
        Posting::credit(Account::channel(channel), amount_cents),
    ];
    entry(cause("went-back", which), at, None, postings)
}

/// It could not, and lies again where it was.
pub fn stayed(
    to: AccountKind,
    which: impl std::fmt::Display,
    at: Timestamp,
    amount_cents: i64,
) -> Option<Entry> {
    let postings =
        vec![Posting::debit(AccountKind::RefundDue, amount_cents), Posting::credit(to, amount_cents)];
    entry(cause("stayed", which), at, None, postings)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Timestamp = Timestamp::from_millis(1_790_000_000_000);
    const ORDER: RideOrderId = RideOrderId(9);
    const AREA: AreaId = AreaId(3);

    fn sound(entry: Option<Entry>) -> Vec<(AccountKind, i64)> {
        let entry = entry.expect("something moves");
        assert_eq!(entry.fault(), None);
        entry.postings.iter().map(|posting| (posting.account.kind, posting.amount_cents)).collect()
    }

    #[test]
    fn a_fare_is_income_of_riding_and_of_penalties() {
        let receipt = Receipt { pay_cents: 900, dispatch_cents: 500, ..Receipt::default() };
        let expected = [
            (AccountKind::Receivable, 900),
            (AccountKind::RideIncome, -400),
            (AccountKind::PenaltyIncome, -500),
        ];
        assert_eq!(sound(fare(ORDER, AREA, NOW, &receipt)), expected);
        // Under the guard less is asked than the penalty alone.
        let guarded = Receipt { pay_cents: 300, dispatch_cents: 500, ..Receipt::default() };
        let expected = [(AccountKind::Receivable, 300), (AccountKind::PenaltyIncome, -300)];
        assert_eq!(sound(fare(ORDER, AREA, NOW, &guarded)), expected);
        assert_eq!(fare(ORDER, AREA, NOW, &Receipt::default()), None, "what costs nothing moves nothing");
    }

    #[test]
    fn every_movement_balances() {
        let share = Share { recharge_cents: 3, present_cents: 4, third_cents: 5 };
        let all = [
            lowered(ORDER, 1, AREA, NOW, 7),
            paid(ORDER, 1, AREA, NOW, &share, 3),
            refunded(ORDER, 1, AREA, NOW, &share),
            written_off(ORDER, AREA, NOW, 7),
            topped_up(PaymentId(1), 3, NOW, 7),
            adjusted(1, NOW, 7, 8),
            deposit(PaymentId(1), 3, NOW, 7),
            going_back(AccountKind::Deposit, 1, NOW, 7),
            went_back(1, 3, NOW, 7),
            stayed(AccountKind::Deposit, 1, NOW, 7),
        ];
        for entry in all {
            sound(entry);
        }
    }
}
