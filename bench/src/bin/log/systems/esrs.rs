//! esrs: its PostgreSQL store's `persist`, with the aggregate's state kept by the caller; no lock is taken, the unique
//! index checks the sequence. Its own migrations make the table.

use anyhow::Result;
use async_trait::async_trait;
use esrs::store::EventStore;
use esrs::store::postgres::{PgStore, PgStoreBuilder};
use esrs::{Aggregate, AggregateState};
use futures::TryStreamExt;
use uuid::Uuid;

use super::{Caller, Opened, pool08};
use crate::bike::Seen;

struct Bike;

impl Aggregate for Bike {
    const NAME: &'static str = "bike";
    type State = i32;
    type Command = Seen;
    type Event = Seen;
    type Error = std::convert::Infallible;

    fn handle_command(_state: &i32, command: Seen) -> Result<Vec<Seen>, Self::Error> {
        Ok(vec![command])
    }

    fn apply_event(_state: i32, seen: Seen) -> i32 {
        seen.soc_percent
    }
}

pub struct Esrs {
    pool: sqlx08::PgPool,
    store: PgStore<Bike>,
}

pub async fn prepare(url: &str) -> Result<()> {
    let pool = pool08(url, 1).await?;
    PgStoreBuilder::<Bike>::new(pool.clone()).try_build().await?;
    pool.close().await;
    Ok(())
}

pub async fn open(url: &str, connections: u32) -> Result<Esrs> {
    let pool = pool08(url, connections).await?;
    let store = PgStoreBuilder::<Bike>::new(pool.clone()).without_running_migrations().try_build().await?;
    Ok(Esrs { pool, store })
}

struct Writer {
    store: PgStore<Bike>,
    state: AggregateState<i32>,
    stream: String,
}

#[async_trait]
impl Opened for Esrs {
    async fn caller(&self) -> Result<Box<dyn Caller>> {
        let id = Uuid::now_v7();
        Ok(Box::new(Writer {
            store: self.store.clone(),
            state: AggregateState::with_id(id),
            stream: id.to_string(),
        }))
    }

    async fn replay(&self) -> Result<u64> {
        let mut stream = self.store.stream_events(&self.pool);
        let mut events = 0;
        while let Some(event) = stream.try_next().await? {
            std::hint::black_box(event);
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
        let before = i64::from(*self.state.sequence_number());
        let news = (1..=events as i64).map(|n| Seen::new(&self.stream, before + n)).collect();
        // Moves the state's sequence number itself.
        self.store.persist(&mut self.state, news).await?;
        Ok(())
    }
}
