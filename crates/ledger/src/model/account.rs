//! Accounts (科目): what money is, and whose.

use serde::{Deserialize, Serialize};
use vocabulary::choices;

/// What an account is in the books of the platform: which side makes it grow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Nature {
    /// What there is: grows by debits.
    Asset,
    /// What is owed to others: grows by credits.
    Liability,
    /// What was earned: grows by credits.
    Income,
    /// What was spent: grows by debits.
    Expense,
}

choices! {
    /// 科目.
    pub enum AccountKind("科目") {
        /// Money that a payment provider took in and has not handed over yet. Its party is the channel.
        Channel = 1 => "支付通道",
        /// Fares that a rider has not paid yet. Guarded: nobody pays more than he owes.
        Receivable = 2 => "应收车费",
        /// What a rider paid into his wallet. Guarded.
        Recharge = 10 => "充值余额",
        /// What a rider was given into his wallet. Guarded; never paid out.
        Present = 11 => "赠送余额",
        /// What a rider left as security. Guarded.
        Deposit = 12 => "押金",
        /// What goes back to a rider by the way it came, and has not arrived yet. Guarded.
        RefundDue = 13 => "待退款",
        /// Fares.
        RideIncome = 20 => "骑行收入",
        /// Dispatch fees and penalties of a return.
        PenaltyIncome = 21 => "调度费",
        /// Riding cards, discount cards and memberships sold.
        CardIncome = 22 => "卡类收入",
        /// What was given away: presents into wallets.
        GiftCost = 30 => "赠送成本",
        /// Fares given up.
        WriteOff = 31 => "坏账核销",
        /// Fares and penalties given back.
        RideRefund = 32 => "骑行退款",
        /// Prices of cards given back.
        CardRefund = 33 => "卡类退款",
        /// What somebody put right by hand.
        Adjustment = 34 => "人工调整",
    }
}

impl AccountKind {
    /// Which side makes it grow.
    pub const fn nature(self) -> Nature {
        match self {
            Self::Channel | Self::Receivable => Nature::Asset,
            Self::Recharge | Self::Present | Self::Deposit | Self::RefundDue => Nature::Liability,
            Self::RideIncome | Self::PenaltyIncome | Self::CardIncome => Nature::Income,
            Self::GiftCost | Self::WriteOff | Self::RideRefund | Self::CardRefund | Self::Adjustment => {
                Nature::Expense
            }
        }
    }

    /// Whether it lies in somebody's book and never falls below nothing.
    pub const fn is_guarded(self) -> bool {
        matches!(self, Self::Receivable | Self::Recharge | Self::Present | Self::Deposit | Self::RefundDue)
    }

    /// What a posting of `amount_cents` (debits above, credits below nothing) adds to the balance.
    pub const fn grown_by(self, amount_cents: i64) -> i64 {
        match self.nature() {
            Nature::Asset | Nature::Expense => amount_cents,
            Nature::Liability | Nature::Income => -amount_cents,
        }
    }
}

/// An account: of one kind, and for some kinds of one party: a channel's number; a guarded one is its book's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Account {
    /// 科目.
    pub kind: AccountKind,
    /// Which channel; 0 where a kind has one account alone, or the book says whose it is.
    #[serde(default, skip_serializing_if = "is_none")]
    pub party: i64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the form that serde asks for")]
const fn is_none(party: &i64) -> bool {
    *party == 0
}

impl From<AccountKind> for Account {
    fn from(kind: AccountKind) -> Self {
        Self { kind, party: 0 }
    }
}

impl Account {
    /// What the provider of this channel holds.
    pub const fn channel(number: i16) -> Self {
        Self { kind: AccountKind::Channel, party: number as i64 }
    }
}
