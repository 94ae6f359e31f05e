//! A book (账簿): the guarded accounts of one holder, and every entry that touches them.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use kernel::{Aggregate, Claim, Decision, events, refusals};
use serde::{Deserialize, Serialize};
use vocabulary::{AgentId, Cents, Choice, DataOwner, RiderId, Timestamp, choices};

use super::account::AccountKind;
use super::entry::{Cause, Entry, Hold, HoldId, NotAnEntry};

/// So many holds may be open in a book.
pub const HOLDS_MAX: usize = 20;

choices! {
    /// Whose money a book keeps.
    pub enum HolderKind("账簿主体") {
        Rider = 1 => "骑行用户",
        Agent = 2 => "代理",
    }
}

/// Whose book it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Holder {
    /// A rider or an agent.
    pub kind: HolderKind,
    /// Which.
    pub id: i64,
}

impl fmt::Display for Holder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.kind.number(), self.id)
    }
}

impl FromStr for Holder {
    type Err = ();

    fn from_str(name: &str) -> Result<Self, ()> {
        let (kind, id) = name.split_once('-').ok_or(())?;
        let kind = kind.parse().ok().and_then(|number| HolderKind::of(number).ok()).ok_or(())?;
        Ok(Self { kind, id: id.parse().map_err(drop)? })
    }
}

impl Holder {
    /// A rider.
    pub const fn rider(id: RiderId) -> Self {
        Self { kind: HolderKind::Rider, id: id.0 }
    }
}

/// What may be asked of a book.
#[derive(Clone, Debug)]
pub enum BookCommand {
    /// Begins it, for a holder of this agent.
    Open(Holder, AgentId),
    /// Books an entry.
    Post(Entry),
    /// Sets money aside.
    Hold(Hold),
    /// Frees what was set aside.
    Release(HoldId),
}

events! {
    /// What happened to a book.
    #[derive(Eq)]
    pub enum BookEvent {
        Opened { holder: Holder, agent_id: AgentId } = "ledger-book.opened",
        Posted(Entry) = "ledger-book.posted",
        Held(Hold) = "ledger-book.held",
        Released { id: HoldId } = "ledger-book.released",
    }
}

refusals! {
    /// Why not.
    pub enum BookRefusal {
        Unknown = "ledger-book-unknown": ("账簿不存在"),
        Exists = "ledger-book-exists": ("账簿已存在"),
        Postings = "ledger-postings": ("一笔分录需有 2 到 20 个记账行"),
        Amount = "ledger-amount": ("记账金额需在 0.01 元到 100 万元之间"),
        Twice = "ledger-account-twice": ("同一科目在一笔分录中只能出现一次"),
        Unbalanced(i64) = "ledger-unbalanced": ("借贷不平，相差 {0} 分"),
        Short { kind: AccountKind, short_cents: i64 } = "ledger-short":
            ("{kind}不足，还差 {} 元", Cents(*short_cents)),
        Posted(Cause) = "ledger-posted": ("业务 {0} 已经入账"),
        NotGuarded(AccountKind) = "ledger-not-held": ("{0}不能冻结"),
        TooManyHolds = "ledger-holds": ("冻结笔数已达上限"),
        HoldExists = "ledger-hold-exists": ("这笔冻结已存在"),
        NoHold = "ledger-hold-unknown": ("这笔冻结不存在或已解除"),
    }
}

/// A guarded account.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Balance {
    /// All there is, in cents.
    pub total_cents: i64,
    /// How much of it is set aside.
    pub held_cents: i64,
}

impl Balance {
    /// What may be spent.
    pub const fn free_cents(self) -> i64 {
        self.total_cents - self.held_cents
    }
}

/// The guarded accounts of one holder.
#[derive(Clone, Debug, Default)]
pub struct Book {
    of: Option<(Holder, AgentId)>,
    balances: BTreeMap<AccountKind, Balance>,
    holds: BTreeMap<HoldId, Hold>,
}

impl Book {
    /// Whether there is one.
    pub const fn is_open(&self) -> bool {
        self.of.is_some()
    }

    /// What lies in an account of it.
    pub fn balance(&self, kind: AccountKind) -> Balance {
        self.balances.get(&kind).copied().unwrap_or_default()
    }

    /// What is set aside under this name.
    pub fn hold(&self, id: HoldId) -> Option<&Hold> {
        self.holds.get(&id)
    }

    fn known(&self) -> Result<(), BookRefusal> {
        self.of.map(drop).ok_or(BookRefusal::Unknown)
    }

    /// Refuses an entry after which a guarded account had less than nothing free.
    fn covers(&self, entry: &Entry) -> Result<(), BookRefusal> {
        let freed = match entry.hold {
            Some(id) => Some(self.holds.get(&id).ok_or(BookRefusal::NoHold)?),
            None => None,
        };
        for posting in entry.postings.iter().filter(|one| one.account.kind.is_guarded()) {
            let kind = posting.account.kind;
            let freed_cents = freed.filter(|hold| hold.kind == kind).map_or(0, |hold| hold.amount_cents);
            let left = self.balance(kind).free_cents() + freed_cents + kind.grown_by(posting.amount_cents);
            if left < 0 {
                return Err(BookRefusal::Short { kind, short_cents: -left });
            }
        }
        Ok(())
    }
}

impl From<NotAnEntry> for BookRefusal {
    fn from(fault: NotAnEntry) -> Self {
        match fault {
            NotAnEntry::Postings => Self::Postings,
            NotAnEntry::Amount => Self::Amount,
            NotAnEntry::Twice => Self::Twice,
            NotAnEntry::Unbalanced(cents) => Self::Unbalanced(cents),
        }
    }
}

impl Aggregate for Book {
    const CATEGORY: &'static str = "ledger-book";
    type Id = Holder;
    type Command = BookCommand;
    type Event = BookEvent;
    type Refusal = BookRefusal;

    fn decide(&self, command: BookCommand, _now: Timestamp) -> Decision<Self> {
        match command {
            BookCommand::Open(..) if self.is_open() => Err(BookRefusal::Exists),
            BookCommand::Open(holder, agent_id) => Ok(vec![BookEvent::Opened { holder, agent_id }]),
            BookCommand::Post(entry) => {
                self.known()?;
                if let Some(fault) = entry.fault() {
                    return Err(fault.into());
                }
                self.covers(&entry)?;
                Ok(vec![BookEvent::Posted(entry)])
            }
            BookCommand::Hold(hold) => {
                self.known()?;
                if !hold.kind.is_guarded() {
                    return Err(BookRefusal::NotGuarded(hold.kind));
                }
                if hold.amount_cents < 1 {
                    return Err(BookRefusal::Amount);
                }
                if self.holds.contains_key(&hold.id) {
                    return Err(BookRefusal::HoldExists);
                }
                if self.holds.len() >= HOLDS_MAX {
                    return Err(BookRefusal::TooManyHolds);
                }
                let left = self.balance(hold.kind).free_cents() - hold.amount_cents;
                if left < 0 {
                    return Err(BookRefusal::Short { kind: hold.kind, short_cents: -left });
                }
                Ok(vec![BookEvent::Held(hold)])
            }
            BookCommand::Release(id) => {
                self.holds.get(&id).ok_or(BookRefusal::NoHold)?;
                Ok(vec![BookEvent::Released { id }])
            }
        }
    }

    fn evolve(&mut self, event: &BookEvent) {
        let mut free = |id: &HoldId| {
            if let Some(hold) = self.holds.remove(id) {
                self.balances.entry(hold.kind).or_default().held_cents -= hold.amount_cents;
            }
        };
        match event {
            BookEvent::Opened { holder, agent_id } => self.of = Some((*holder, *agent_id)),
            BookEvent::Posted(entry) => {
                entry.hold.iter().for_each(&mut free);
                for posting in entry.postings.iter().filter(|one| one.account.kind.is_guarded()) {
                    let kind = posting.account.kind;
                    self.balances.entry(kind).or_default().total_cents += kind.grown_by(posting.amount_cents);
                }
            }
            BookEvent::Held(hold) => {
                self.balances.entry(hold.kind).or_default().held_cents += hold.amount_cents;
                self.holds.insert(hold.id, hold.clone());
            }
            BookEvent::Released { id } => free(id),
        }
    }

    fn owner(&self) -> DataOwner {
        self.of.map_or(DataOwner::PLATFORM, |(_, agent)| DataOwner::of_agent(agent))
    }

    /// A cause is booked once, in whatever book.
    fn claims(&self, event: &BookEvent) -> Vec<Claim<BookRefusal>> {
        match event {
            BookEvent::Posted(Entry { cause, .. }) => {
                vec![Claim::Take {
                    key: format!("ledger:{cause}"),
                    refusal: BookRefusal::Posted(cause.clone()),
                }]
            }
            _ => Vec::new(),
        }
    }
}
