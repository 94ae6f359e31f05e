//! Tables `revenue_day` and `revenue_entry`: what belongs to each day, and each journal entry with the day that it belongs to
//! (`crate::model::revenue`). Sums are added to what is there, in the transaction that says how far the log is read.

use std::collections::BTreeMap;

use async_trait::async_trait;
use kernel::projector::ApplyError;
use kernel::{Aggregate, Change, Projector, Recorded};
use ledger::{Book, BookEvent, Entry, Holder, HolderKind};
use serde_json::{Value, json};
use sqlx::types::Json;
use sqlx::{AssertSqlSafe, PgConnection};
use vocabulary::{AgentId, AreaId, DataOwner, Day, RideOrderId, RiderId, Timestamp};

use crate::model::movement::Movement;
use crate::model::order::{Order, OrderEvent};
use crate::model::revenue::{Added, Figures, RideDays};

/// In the place of an area where there is none.
pub(super) const NO_AREA: AreaId = AreaId(0);

/// Builds the tables.
pub struct RevenueDays;

/// Whose day.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    day: Day,
    agent: AgentId,
    area: AreaId,
}

/// What a batch adds.
#[derive(Default)]
struct Batch {
    days: BTreeMap<Key, (Figures, Timestamp)>,
    entries: Vec<Value>,
}

/// What of an event is counted.
enum Counted {
    Entry(RiderId, Entry),
    Ride(Box<Added>),
}

#[async_trait]
impl Projector for RevenueDays {
    fn name(&self) -> &'static str {
        "revenue_day"
    }

    fn tables(&self) -> &'static [&'static str] {
        &["revenue_day", "revenue_entry"]
    }

    fn categories(&self) -> &'static [&'static str] {
        &[Book::CATEGORY, Order::CATEGORY]
    }

    fn stops_on_failure(&self) -> bool {
        true
    }

    async fn apply(&self, db: &mut PgConnection, events: &[Recorded]) -> Result<Vec<Change>, ApplyError> {
        let mut counted = Vec::new();
        for recorded in events {
            if let Some(one) = read(recorded)? {
                counted.push((recorded, one));
            }
        }
        let mut rides = ride_days(db, &counted).await?;
        let mut batch = Batch::default();
        for (recorded, one) in counted {
            batch.add(recorded, one, &mut rides)?;
        }
        batch.write(db).await?;
        Ok(batch.days.keys().map(Key::change).collect())
    }
}

/// What of an event is counted; nothing of most. Agents' own books are not riders' money.
fn read(recorded: &Recorded) -> Result<Option<Counted>, ApplyError> {
    if &*recorded.category == Order::CATEGORY {
        let OrderEvent::Priced { pricing, .. } = recorded.decode()? else { return Ok(None) };
        return Ok(Some(Counted::Ride(Box::new(Added::by_ride(&pricing, recorded.recorded_at)))));
    }
    let holder: Holder = recorded.stream_id.parse().map_err(|()| "a book has its holder's name")?;
    let BookEvent::Posted(entry) = recorded.decode()? else { return Ok(None) };
    let of_rider = holder.kind == HolderKind::Rider;
    Ok(of_rider.then_some(Counted::Entry(RiderId(holder.id), entry)))
}

/// The days of the rides that entries are about, as far as these were booked before.
async fn ride_days(db: &mut PgConnection, counted: &[(&Recorded, Counted)]) -> sqlx::Result<RideDays> {
    let order = |(_, one): &(&Recorded, Counted)| match one {
        Counted::Entry(_, entry) => Movement::named(entry.cause.what())?.order(entry.cause.as_str()),
        Counted::Ride(_) => None,
    };
    let orders: Vec<i64> = counted.iter().filter_map(order).map(|order| order.0).collect();
    let found: Vec<(RideOrderId, i64)> =
        sqlx::query_as("select order_id, day from revenue_entry where order_id = any($1) and what = 'ride'")
            .bind(orders)
            .fetch_all(db)
            .await?;
    Ok(found.into_iter().map(|(order, day)| (order, Day(day))).collect())
}

impl Key {
    fn owner(&self) -> DataOwner {
        if self.area == NO_AREA {
            DataOwner::of_agent(self.agent)
        } else {
            DataOwner::of_area(self.agent, self.area)
        }
    }

    fn change(&self) -> Change {
        Change { table: "revenue_day", key: self.day.date().to_string(), owner: self.owner() }
    }
}

impl Batch {
    fn add(&mut self, recorded: &Recorded, one: Counted, rides: &mut RideDays) -> Result<(), ApplyError> {
        let agent = recorded.meta.owner.agent.ok_or("money and rides are an agent's")?;
        let (added, area) = match one {
            Counted::Ride(added) => (*added, recorded.meta.owner.area),
            Counted::Entry(rider, entry) => {
                let added = Added::by_entry(&entry, recorded.recorded_at, rides);
                let key = Key { day: added.booked.day, agent, area: entry.area_id.unwrap_or(NO_AREA) };
                self.entries.push(row(recorded, rider, &entry, key, &added));
                (added, entry.area_id)
            }
        };
        let key = Key { day: added.booked.day, agent, area: area.unwrap_or(NO_AREA) };
        let (sum, until) = self.days.entry(key).or_insert((Figures::default(), recorded.recorded_at));
        *sum = sum.plus(&added.figures).ok_or("sums of a day do not fit")?;
        *until = (*until).max(recorded.recorded_at);
        Ok(())
    }

    async fn write(&self, db: &mut PgConnection) -> sqlx::Result<()> {
        if !self.entries.is_empty() {
            sqlx::query(
                "insert into revenue_entry select r.* from jsonb_populate_recordset(null::revenue_entry, $1) r",
            )
            .bind(Json(&self.entries))
            .execute(&mut *db)
            .await?;
        }
        let rows: Vec<Value> =
            self.days.iter().map(|(key, (sum, until))| day_row(*key, sum, *until)).collect();
        if rows.is_empty() {
            return Ok(());
        }
        let add = |column: &&str| format!("{column} = d.{column} + excluded.{column}");
        let sums: Vec<String> = Figures::COLUMNS.iter().map(add).collect();
        let sql = format!(
            "insert into revenue_day as d select r.* from jsonb_populate_recordset(null::revenue_day, $1) r
             on conflict (day, agent_id, area_id) do update set
                 updated_at_ms = greatest(d.updated_at_ms, excluded.updated_at_ms), {}",
            sums.join(", ")
        );
        sqlx::query(AssertSqlSafe(sql)).bind(Json(rows)).execute(db).await?;
        Ok(())
    }
}

fn day_row(key: Key, sum: &Figures, until: Timestamp) -> Value {
    let mut row = json!({
        "day": key.day.0,
        "agent_id": key.agent.0,
        "area_id": key.area.0,
        "updated_at_ms": until.millis(),
    });
    for (column, value) in Figures::COLUMNS.iter().zip(sum.values()) {
        row[*column] = value.into();
    }
    row
}

fn row(recorded: &Recorded, rider: RiderId, entry: &Entry, key: Key, added: &Added) -> Value {
    let figures = &added.figures;
    json!({
        "position": recorded.position.0,
        "day": key.day.0,
        "agent_id": key.agent.0,
        "area_id": key.area.0,
        "rider_id": rider.0,
        "order_id": added.order.map(|order| order.0),
        "what": entry.cause.what(),
        "channel": entry.channel(),
        "is_late": added.booked.is_late,
        "is_of_earlier": added.is_of_earlier,
        "at_ms": entry.at.millis(),
        "recorded_at_ms": recorded.recorded_at.millis(),
        "moved_cents": entry.moved_cents(),
        "due_cents": figures.due_cents(),
        "received_cents": figures.received_cents(),
        "refund_cents": figures.refunds_cents(),
        "revenue_cents": figures.revenue_cents,
    })
}
