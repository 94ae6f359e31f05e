//! Table `ledger_book`: what each book holds now.

use kernel::{After, Fold, Recorded};
use serde::{Deserialize, Serialize};
use sqlx::PgExecutor;
use sqlx::types::Json;
use vocabulary::{AgentId, DataOwner};

use crate::{AccountKind, Book, BookEvent, Hold, Holder};

/// What a book holds.
#[derive(Clone, Debug, Default, Serialize, Deserialize, sqlx::FromRow)]
pub struct BookRow {
    /// Its name: kind and number of its holder.
    pub book: String,
    /// See [`crate::HolderKind`].
    pub holder_kind: i16,
    /// Which of them.
    pub holder_id: i64,
    /// Whose holder.
    pub agent_id: i64,
    /// 充值余额.
    pub recharge_cents: i64,
    /// 赠送余额.
    pub present_cents: i64,
    /// 押金.
    pub deposit_cents: i64,
    /// 待退款.
    pub refund_due_cents: i64,
    /// 应收车费.
    pub receivable_cents: i64,
    /// What of all that is set aside.
    pub held_cents: i64,
    /// Each thing that is.
    pub holds: Json<Vec<Hold>>,
    /// Epoch milliseconds.
    pub updated_at_ms: i64,
    /// Its events.
    pub version: i64,
}

impl BookRow {
    /// The balance of a guarded account.
    pub fn balance_mut(&mut self, kind: AccountKind) -> Option<&mut i64> {
        match kind {
            AccountKind::Recharge => Some(&mut self.recharge_cents),
            AccountKind::Present => Some(&mut self.present_cents),
            AccountKind::Deposit => Some(&mut self.deposit_cents),
            AccountKind::RefundDue => Some(&mut self.refund_due_cents),
            AccountKind::Receivable => Some(&mut self.receivable_cents),
            _ => None,
        }
    }
}

impl Fold for BookRow {
    type Of = Book;
    const TABLE: &'static str = "ledger_book";
    const KEY: &'static str = "book";
    const KEY_TYPE: &'static str = "text";

    fn fold(row: Option<Self>, event: BookEvent, recorded: &Recorded) -> After<Self> {
        let mut row = recorded.begin(row)?;
        let mut freed = None;
        match event {
            BookEvent::Opened { holder, agent_id } => {
                row.book = holder.to_string();
                row.holder_kind = holder.kind.number();
                row.holder_id = holder.id;
                row.agent_id = agent_id.0;
            }
            BookEvent::Posted(entry) => {
                freed = entry.hold;
                for posting in &entry.postings {
                    let kind = posting.account.kind;
                    if let Some(balance) = row.balance_mut(kind) {
                        *balance += kind.grown_by(posting.amount_cents);
                    }
                }
            }
            BookEvent::Held(hold) => row.holds.push(hold),
            BookEvent::Released { id } => freed = Some(id),
        }
        row.holds.retain(|hold| Some(hold.id) != freed);
        row.held_cents = row.holds.iter().map(|hold| hold.amount_cents).sum();
        row.updated_at_ms = recorded.recorded_at.millis();
        row.version = recorded.version;
        Ok(Some(row))
    }

    fn owner(&self) -> DataOwner {
        DataOwner::of_agent(AgentId(self.agent_id))
    }
}

/// A book in scope.
pub async fn find(db: impl PgExecutor<'_>, holder: Holder) -> sqlx::Result<Option<BookRow>> {
    sqlx::query_as("select * from read.ledger_book where book = $1")
        .bind(holder.to_string())
        .fetch_optional(db)
        .await
}
