//! cqrs-es with postgres-es: its event store's own commit, behind the sequence the caller saw last, so that nothing is
//! loaded again for each command. Its schema as its documentation gives it.

use std::collections::HashMap;
use std::convert::Infallible;
use std::sync::Arc;

use anyhow::{Result, anyhow};
use async_trait::async_trait;
use cqrs_es::event_sink::EventSink;
use cqrs_es::persist::{EventStoreAggregateContext, PersistedEventRepository, PersistedEventStore};
use cqrs_es::{Aggregate, DomainEvent, EventStore};
use postgres_es::PostgresEventRepository;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::{Caller, Opened, pool08};
use crate::bike::Seen;

pub const SCHEMA: &str = "create table events (
    aggregate_type text                         not null,
    aggregate_id   text                         not null,
    sequence       bigint check (sequence >= 0) not null,
    event_type     text                         not null,
    event_version  text                         not null,
    payload        json                         not null,
    metadata       json                         not null,
    primary key (aggregate_type, aggregate_id, sequence)
)";

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct BikeSeen(Seen);

impl DomainEvent for BikeSeen {
    fn event_type(&self) -> String {
        "bike.seen".to_owned()
    }

    fn event_version(&self) -> String {
        "1".to_owned()
    }
}

#[derive(Default, Serialize, Deserialize)]
struct Bike {
    soc_percent: i32,
}

impl Aggregate for Bike {
    const TYPE: &'static str = "bike";
    type Command = Seen;
    type Event = BikeSeen;
    type Error = Infallible;
    type Services = ();

    async fn handle(&mut self, seen: Seen, (): &(), sink: &EventSink<Self>) -> Result<(), Infallible> {
        sink.write(BikeSeen(seen), self).await;
        Ok(())
    }

    fn apply(&mut self, event: BikeSeen) {
        self.soc_percent = event.0.soc_percent;
    }
}

type Store = PersistedEventStore<PostgresEventRepository, Bike>;

pub struct Cqrs {
    pool: sqlx08::PgPool,
    store: Arc<Store>,
}

pub async fn open(url: &str, connections: u32) -> Result<Cqrs> {
    let pool = pool08(url, connections).await?;
    let store = Arc::new(Store::new_event_store(PostgresEventRepository::new(pool.clone())));
    Ok(Cqrs { pool, store })
}

struct Writer {
    store: Arc<Store>,
    stream: String,
    version: usize,
}

#[async_trait]
impl Opened for Cqrs {
    async fn caller(&self) -> Result<Box<dyn Caller>> {
        Ok(Box::new(Writer { store: self.store.clone(), stream: Uuid::now_v7().to_string(), version: 0 }))
    }

    async fn replay(&self) -> Result<u64> {
        // A wider channel than its default of 200 costs it nothing and helps it.
        let repository = PostgresEventRepository::new(self.pool.clone()).with_streaming_channel_size(2000);
        let mut stream = repository.stream_all_events::<Bike>().await?;
        let mut events = 0;
        while let Some(event) = stream.next::<Bike>(&[]).await {
            std::hint::black_box(event?);
            events += 1;
        }
        Ok(events)
    }

    async fn close(&self) {
        self.pool.close().await;
    }
}

#[async_trait]
impl Caller for Writer {
    async fn append(&mut self, events: usize) -> Result<()> {
        let context = EventStoreAggregateContext {
            aggregate_id: self.stream.clone(),
            aggregate: Bike::default(),
            current_sequence: self.version,
            current_snapshot: None,
        };
        let news =
            (1..=events).map(|n| BikeSeen(Seen::new(&self.stream, (self.version + n) as i64))).collect();
        self.store
            .commit(news, context, HashMap::new())
            .await
            .map_err(|error| anyhow!("cqrs-es: {error}"))?;
        self.version += events;
        Ok(())
    }
}
