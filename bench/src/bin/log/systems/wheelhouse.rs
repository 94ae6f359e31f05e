//! Ours, as a context of the system uses it: a command through the desk (aggregate remembered, scope and version checked,
//! decision, meta, chained leaf) to the batching writer; replay through the reader; a projector rebuilt by the kernel.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Result, anyhow};
use async_trait::async_trait;
use bench::product::{runtime, shut};
use futures::TryStreamExt;
use kernel::projecting::Limits;
use kernel::projector::ApplyError;
use kernel::{
    Aggregate, Change, CommandContext, Event, PoolSizes, Pools, Position, Projector, Recorded, Refusal,
    Runtime, rows,
};
use serde::{Deserialize, Serialize};
use sqlx::PgConnection;
use uuid::Uuid;
use vocabulary::{AgentId, AreaId, Clock, DataOwner, SystemClock};

use super::{Caller, Opened};
use crate::bike::Seen;

#[derive(Clone, Debug, Default)]
struct Bike {
    reports: i64,
    soc_percent: i32,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(tag = "type", content = "data")]
enum BikeEvent {
    #[serde(rename = "bike.seen")]
    Seen(Seen),
}

impl Event for BikeEvent {
    fn stored_type(&self) -> &'static str {
        "bike.seen"
    }
}

/// This bike refuses nothing.
#[derive(Debug)]
struct Never;

impl Refusal for Never {
    fn code(&self) -> &'static str {
        "never"
    }

    fn message(&self) -> String {
        "不会发生".to_owned()
    }
}

/// Reports of a bike of this name: so many at once.
#[derive(Clone, Debug)]
struct Report(Arc<str>, usize);

impl Aggregate for Bike {
    const CATEGORY: &'static str = "bike";
    type Id = Arc<str>;
    type Command = Report;
    type Event = BikeEvent;
    type Refusal = Never;

    fn decide(
        &self,
        Report(id, events): Report,
        _now: vocabulary::Timestamp,
    ) -> Result<Vec<BikeEvent>, Never> {
        Ok((1..=events as i64).map(|n| BikeEvent::Seen(Seen::new(&id, self.reports + n))).collect())
    }

    fn evolve(&mut self, BikeEvent::Seen(seen): &BikeEvent) {
        self.reports += 1;
        self.soc_percent = seen.soc_percent;
    }

    fn owner(&self) -> DataOwner {
        DataOwner::of_area(AgentId(2), AreaId(20))
    }
}

pub struct Wheelhouse(Runtime);

pub async fn open(url: &str) -> Result<Wheelhouse> {
    Ok(Wheelhouse(runtime(url).await?))
}

struct Commander {
    runtime: Runtime,
    id: Arc<str>,
    version: i64,
}

#[async_trait]
impl Opened for Wheelhouse {
    async fn caller(&self) -> Result<Box<dyn Caller>> {
        Ok(Box::new(Commander { runtime: self.0.clone(), id: Uuid::now_v7().to_string().into(), version: 0 }))
    }

    async fn replay(&self) -> Result<u64> {
        let head = self.0.reader.head().await?;
        let mut log = self.0.reader.replay(Position(0), head);
        let mut events = 0;
        while let Some(event) = log.try_next().await? {
            std::hint::black_box(event.decode::<BikeEvent>()?);
            events += 1;
        }
        Ok(events)
    }

    async fn close(&self) {
        shut(&self.0).await;
    }
}

#[async_trait]
impl Caller for Commander {
    async fn append(&mut self, events: usize) -> Result<()> {
        let ctx = CommandContext {
            expected_version: Some(self.version),
            ..CommandContext::of_system("bench", SystemClock.now())
        };
        let receipt = self
            .runtime
            .desk
            .execute::<Bike>(&self.id, Report(self.id.clone(), events), &ctx)
            .await
            .map_err(|error| anyhow!("wheelhouse: {error}"))?;
        self.version += events as i64;
        anyhow::ensure!(receipt.version == self.version, "the desk counts otherwise");
        Ok(())
    }
}

/// A row for each bike, as a list would show it.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Listed {
    bike_id: String,
    agent_id: Option<i64>,
    area_id: Option<i64>,
    reports: i64,
    longitude: f64,
    latitude: f64,
    soc_percent: i32,
    reason: String,
    note: String,
    seen_at_ms: i64,
}

/// Written as the projectors of the system are: the rows a batch touches are read, folded in memory, written back in one
/// statement.
struct Bikes;

#[async_trait]
impl Projector for Bikes {
    fn name(&self) -> &'static str {
        "bench_bike"
    }

    fn tables(&self) -> &'static [&'static str] {
        &["bench_bike"]
    }

    fn categories(&self) -> &'static [&'static str] {
        &[Bike::CATEGORY]
    }

    async fn apply(&self, db: &mut PgConnection, events: &[Recorded]) -> Result<Vec<Change>, ApplyError> {
        let mut keys: Vec<String> = events.iter().map(|event| event.stream_id.to_string()).collect();
        keys.sort_unstable();
        keys.dedup();
        let known: Vec<Listed> = rows::load(db, "bench_bike", "bike_id", "text", &keys).await?;
        let mut listed: BTreeMap<String, Listed> =
            known.into_iter().map(|row| (row.bike_id.clone(), row)).collect();
        let mut changes = Vec::with_capacity(keys.len());
        for event in events {
            let BikeEvent::Seen(seen) = event.decode()?;
            let reports = listed.get(&*event.stream_id).map_or(0, |row| row.reports) + 1;
            let owner = event.meta.owner;
            let row = Listed {
                bike_id: event.stream_id.to_string(),
                agent_id: owner.agent.map(|id| id.0),
                area_id: owner.area.map(|id| id.0),
                reports,
                longitude: seen.longitude,
                latitude: seen.latitude,
                soc_percent: seen.soc_percent,
                reason: seen.reason,
                note: seen.note,
                seen_at_ms: seen.at_ms,
            };
            if listed.insert(event.stream_id.to_string(), row).is_none() || reports == 1 {
                changes.push(Change { table: "bench_bike", key: event.stream_id.to_string(), owner });
            }
        }
        let rows: Vec<Listed> = listed.into_values().collect();
        rows::upsert(db, "bench_bike", "bike_id", &rows).await?;
        Ok(changes)
    }
}

/// Makes the read model's table, empty.
pub async fn make_table(url: &str) -> Result<()> {
    let pools = Pools::connect(url, PoolSizes::default()).await?;
    sqlx::raw_sql(
        "create table read.bench_bike (bike_id text primary key, agent_id bigint, area_id bigint,
         reports bigint not null, longitude float8 not null, latitude float8 not null, soc_percent integer not null,
         reason text not null, note text not null, seen_at_ms bigint not null);
         create index bench_bike_by_charge on read.bench_bike (area_id, soc_percent);
         select wheelhouse.guard_table('read.bench_bike')",
    )
    .execute(&pools.owner)
    .await?;
    pools.close().await;
    Ok(())
}

/// Rebuilds the read model, again and again.
pub struct Rebuilder(Runtime);

impl Rebuilder {
    /// On the database at `url`.
    pub async fn open(url: &str) -> Result<Self> {
        Ok(Self(runtime(url).await?))
    }

    /// Rebuilds it; says how many events a second. All events must have been counted, none parked.
    pub async fn rebuild(&self, expected: u64) -> Result<f64> {
        let rebuilt = kernel::projecting::rebuild(&self.0, &Bikes, Limits::default()).await?;
        anyhow::ensure!(rebuilt.parked == 0, "{} streams were parked", rebuilt.parked);
        let counted: i64 =
            sqlx::query_scalar("select coalesce(sum(reports), 0)::bigint from read.bench_bike")
                .fetch_one(&self.0.pools.owner)
                .await?;
        anyhow::ensure!(counted as u64 == expected, "{counted} of {expected} events were projected");
        Ok(expected as f64 / rebuilt.took.max(Duration::from_nanos(1)).as_secs_f64())
    }

    /// Lets the connections go.
    pub async fn close(&self) {
        shut(&self.0).await;
    }
}
