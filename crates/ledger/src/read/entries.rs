//! Table `ledger_entry`: every journal entry, a row each, with what it added to each kind of account and what its book held
//! after it: a balance at any past moment is the last row before it.

use std::collections::BTreeMap;

use async_trait::async_trait;
use kernel::projector::ApplyError;
use kernel::{Aggregate, Change, Projector, Recorded};
use sqlx::PgConnection;
use sqlx::types::Json;
use vocabulary::{AgentId, DataOwner};

use crate::{AccountKind, Book, BookEvent, Entry, Holder};

/// Kinds of account with a column each, in the order of the columns.
const KINDS: [(AccountKind, &str); 14] = [
    (AccountKind::Channel, "channel_cents"),
    (AccountKind::Receivable, "receivable_cents"),
    (AccountKind::Recharge, "recharge_cents"),
    (AccountKind::Present, "present_cents"),
    (AccountKind::Deposit, "deposit_cents"),
    (AccountKind::RefundDue, "refund_due_cents"),
    (AccountKind::RideIncome, "ride_income_cents"),
    (AccountKind::PenaltyIncome, "penalty_income_cents"),
    (AccountKind::CardIncome, "card_income_cents"),
    (AccountKind::GiftCost, "gift_cost_cents"),
    (AccountKind::WriteOff, "write_off_cents"),
    (AccountKind::RideRefund, "ride_refund_cents"),
    (AccountKind::CardRefund, "card_refund_cents"),
    // Kept last: a kind that is added gets its column before it.
    (AccountKind::Adjustment, "adjustment_cents"),
];

/// Guarded kinds whose balance after the entry is kept.
const AFTER: [AccountKind; 4] =
    [AccountKind::Recharge, AccountKind::Present, AccountKind::Deposit, AccountKind::Receivable];

/// Builds the table.
pub struct Entries;

/// What a book held after the last entry of a batch.
#[derive(Clone, Copy, Default)]
struct Held {
    after: [i64; 4],
    agent_id: i64,
}

/// What a row is made of.
struct Line<'a> {
    recorded: &'a Recorded,
    holder: Holder,
    held: Held,
    entry: Entry,
}

#[async_trait]
impl Projector for Entries {
    fn name(&self) -> &'static str {
        "ledger_entry"
    }

    fn tables(&self) -> &'static [&'static str] {
        &["ledger_entry", "ledger_after"]
    }

    fn categories(&self) -> &'static [&'static str] {
        &[Book::CATEGORY]
    }

    fn stops_on_failure(&self) -> bool {
        true
    }

    async fn apply(&self, db: &mut PgConnection, events: &[Recorded]) -> Result<Vec<Change>, ApplyError> {
        let books: Vec<&str> = events.iter().map(|event| &*event.stream_id).collect();
        let known: Vec<(String, i64, Vec<i64>)> =
            sqlx::query_as("select book, agent_id, after_cents from ledger_after where book = any($1)")
                .bind(&books)
                .fetch_all(&mut *db)
                .await?;
        let mut held: BTreeMap<String, Held> = known
            .into_iter()
            .map(|(book, agent_id, after)| {
                let after = after.try_into().map_err(|_| "a book has four balances")?;
                Ok::<_, ApplyError>((book, Held { after, agent_id }))
            })
            .collect::<Result<_, _>>()?;
        let mut lines = Vec::new();
        for recorded in events {
            let of = held.entry(recorded.stream_id.to_string()).or_default();
            match recorded.decode::<BookEvent>()? {
                BookEvent::Opened { agent_id, .. } => of.agent_id = agent_id.0,
                BookEvent::Posted(entry) => {
                    for (balance, kind) in of.after.iter_mut().zip(AFTER) {
                        *balance += entry.grown(kind);
                    }
                    let holder = recorded.stream_id.parse().map_err(|()| "a book has its holder's name")?;
                    lines.push(Line { recorded, holder, held: *of, entry });
                }
                BookEvent::Held(_) | BookEvent::Released { .. } => {}
            }
        }
        keep(db, &held).await?;
        write(db, &lines).await?;
        Ok(lines.iter().map(Line::change).collect())
    }
}

impl Line<'_> {
    fn change(&self) -> Change {
        let agent = AgentId(self.held.agent_id);
        let owner =
            self.entry.area_id.map_or(DataOwner::of_agent(agent), |area| DataOwner::of_area(agent, area));
        Change { table: "ledger_entry", key: self.recorded.position.0.to_string(), owner }
    }
}

async fn keep(db: &mut PgConnection, held: &BTreeMap<String, Held>) -> sqlx::Result<()> {
    let rows: Vec<_> = held
        .iter()
        .map(|(book, held)| serde_json::json!({ "book": book, "agent_id": held.agent_id, "after_cents": held.after }))
        .collect();
    sqlx::query(
        "insert into ledger_after (book, agent_id, after_cents)
         select r.book, r.agent_id, r.after_cents
         from jsonb_to_recordset($1) as r(book text, agent_id bigint, after_cents bigint[])
         on conflict (book) do update set agent_id = excluded.agent_id, after_cents = excluded.after_cents",
    )
    .bind(Json(rows))
    .execute(db)
    .await
    .map(drop)
}

async fn write(db: &mut PgConnection, lines: &[Line<'_>]) -> Result<(), ApplyError> {
    if lines.is_empty() {
        return Ok(());
    }
    let rows: Vec<serde_json::Value> = lines
        .iter()
        .map(|line| {
            let mut row = serde_json::json!({
                "position": line.recorded.position.0,
                "holder_kind": line.holder.kind.number(),
                "holder_id": line.holder.id,
                "agent_id": line.held.agent_id,
                "area_id": line.entry.area_id.map(|area| area.0),
                "what": line.entry.cause.what(),
                "cause": line.entry.cause.as_str(),
                "channel": line.entry.channel(),
                "at_ms": line.entry.at.millis(),
                "recorded_at_ms": line.recorded.recorded_at.millis(),
                "recharge_after_cents": line.held.after[0],
                "present_after_cents": line.held.after[1],
                "deposit_after_cents": line.held.after[2],
                "receivable_after_cents": line.held.after[3],
            });
            for (kind, column) in KINDS {
                row[column] = line.entry.grown(kind).into();
            }
            row
        })
        .collect();
    sqlx::query(
        "insert into ledger_entry select r.* from jsonb_populate_recordset(null::ledger_entry, $1) r
         on conflict (position) do nothing",
    )
    .bind(Json(rows))
    .execute(db)
    .await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_account_has_a_column() {
        let with_column: Vec<AccountKind> = KINDS.iter().map(|(kind, _)| *kind).collect();
        assert!(AccountKind::ALL.iter().all(|kind| with_column.contains(kind)));
        assert_eq!(with_column.len(), AccountKind::ALL.len());
    }
}
