//! Journal entries (分录): what moves together, or not at all.

use std::fmt;

use serde::{Deserialize, Serialize};
use vocabulary::text::line;
use vocabulary::{AreaId, Timestamp};

use super::account::{Account, AccountKind};

/// An entry has at most so many postings.
pub const POSTINGS_MAX: usize = 20;
/// One posting moves at most so many cents: a million yuan.
pub const AMOUNT_MAX: i64 = 100_000_000;
/// A cause has at most so many characters.
pub const CAUSE_MAX: usize = 64;

/// Why money moves: a business fact, named once for ever, such as `ride-charge:381`. Two entries never have the same one.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Cause(String);

impl Cause {
    /// `what` happened to the subject `which`.
    pub fn new(what: &str, which: impl fmt::Display) -> Option<Self> {
        line(&format!("{what}:{which}"), CAUSE_MAX).map(Self)
    }

    /// As text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// What happened, without to whom.
    pub fn what(&self) -> &str {
        self.0.split_once(':').map_or(&self.0, |(what, _)| what)
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// What one account gains or loses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Posting {
    /// Which.
    pub account: Account,
    /// Debits above, credits below nothing.
    pub amount_cents: i64,
}

impl Posting {
    /// `amount_cents` on the left.
    pub fn debit(account: impl Into<Account>, amount_cents: i64) -> Self {
        Self { account: account.into(), amount_cents }
    }

    /// `amount_cents` on the right.
    pub fn credit(account: impl Into<Account>, amount_cents: i64) -> Self {
        Self { account: account.into(), amount_cents: -amount_cents }
    }
}

/// Names what is set aside in a book.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct HoldId(pub i64);

/// Money of a guarded account that is set aside: still there, not to be spent otherwise.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hold {
    /// Its name in the book.
    pub id: HoldId,
    /// Of which account.
    pub kind: AccountKind,
    /// More than nothing.
    pub amount_cents: i64,
    /// What for.
    pub cause: Cause,
}

/// A movement of money, whole.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// Why.
    pub cause: Cause,
    /// The moment that it is booked for: a ride's end, a payment's.
    pub at: Timestamp,
    /// Where it was earned or spent; none: nowhere.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub area_id: Option<AreaId>,
    /// What was set aside for it, and is free again or spent with it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hold: Option<HoldId>,
    /// They sum to nothing; each account stands in them once.
    pub postings: Vec<Posting>,
}

/// Why something is no entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotAnEntry {
    /// Fewer than two postings, or too many.
    Postings,
    /// A posting of nothing, or of more than may move at once.
    Amount,
    /// An account twice.
    Twice,
    /// The two sides differ by so many cents.
    Unbalanced(i64),
}

impl Entry {
    /// What it adds to the accounts of a kind, in cents.
    pub fn grown(&self, kind: AccountKind) -> i64 {
        let of_kind = self.postings.iter().filter(|posting| posting.account.kind == kind);
        of_kind.map(|posting| kind.grown_by(posting.amount_cents)).sum()
    }

    /// All that it moves: its debits, in cents.
    pub fn moved_cents(&self) -> i64 {
        self.postings.iter().map(|posting| posting.amount_cents.max(0)).sum()
    }

    /// The channel that it moves money through, by its number.
    pub fn channel(&self) -> Option<i16> {
        let found = self.postings.iter().find(|posting| posting.account.kind == AccountKind::Channel);
        found.and_then(|posting| i16::try_from(posting.account.party).ok())
    }

    /// What of it is wrong, if anything.
    pub fn fault(&self) -> Option<NotAnEntry> {
        let postings = &self.postings;
        if !(2..=POSTINGS_MAX).contains(&postings.len()) {
            return Some(NotAnEntry::Postings);
        }
        if !postings.iter().all(|one| (1..=AMOUNT_MAX).contains(&one.amount_cents.abs())) {
            return Some(NotAnEntry::Amount);
        }
        let mut accounts: Vec<Account> = postings.iter().map(|one| one.account).collect();
        accounts.sort_unstable();
        if accounts.windows(2).any(|pair| pair[0] == pair[1]) {
            return Some(NotAnEntry::Twice);
        }
        // At most 20 amounts of 10⁸: the sum fits.
        let sum: i64 = postings.iter().map(|one| one.amount_cents).sum();
        (sum != 0).then_some(NotAnEntry::Unbalanced(sum))
    }
}
