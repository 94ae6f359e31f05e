//! disintegrate: its PostgreSQL event store's `append`, validated by a query for the caller's own stream from the event
//! it saw last. It runs serializable, and a failed append is tried again at once, as its decision maker's user would.

use anyhow::{Result, bail};
use async_trait::async_trait;
use disintegrate::serde::json::Json;
use disintegrate::{Event, EventStore, StreamItem, StreamQuery, query};
use disintegrate_postgres::{Error, PgEventId, PgEventStore};
use futures::TryStreamExt;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::{Caller, Opened, pool08};
use crate::bike::Seen;

#[derive(Clone, Debug, PartialEq, Event, Serialize, Deserialize)]
enum BikeEvent {
    BikeSeen {
        #[id]
        bike_id: String,
        seen: Seen,
    },
}

type Store = PgEventStore<BikeEvent, Json<BikeEvent>>;

const ATTEMPTS: usize = 10_000;

pub struct Disintegrate {
    pool: sqlx08::PgPool,
    store: Store,
}

pub async fn prepare(url: &str) -> Result<()> {
    let pool = pool08(url, 2).await?;
    Store::try_new(pool.clone(), Json::default()).await?;
    pool.close().await;
    Ok(())
}

pub async fn open(url: &str, connections: u32) -> Result<Disintegrate> {
    let pool = pool08(url, connections).await?;
    let store = Store::new_uninitialized(pool.clone(), Json::default());
    Ok(Disintegrate { pool, store })
}

struct Writer {
    store: Store,
    query: StreamQuery<PgEventId, BikeEvent>,
    stream: String,
    events: i64,
    last: PgEventId,
}

#[async_trait]
impl Opened for Disintegrate {
    async fn caller(&self) -> Result<Box<dyn Caller>> {
        let stream = Uuid::now_v7().to_string();
        let query = query!(BikeEvent; bike_id == stream.clone());
        Ok(Box::new(Writer { store: self.store.clone(), query, stream, events: 0, last: 0 }))
    }

    async fn replay(&self) -> Result<u64> {
        let all: StreamQuery<PgEventId, BikeEvent> = query!(BikeEvent);
        let mut stream = self.store.stream(&all);
        let mut events = 0;
        while let Some(item) = stream.try_next().await? {
            if let StreamItem::Event(event) = item {
                std::hint::black_box(event);
                events += 1;
            }
        }
        Ok(events)
    }

    async fn close(&self) {
        self.pool.close().await;
    }
}

fn lost_a_race(error: &Error) -> bool {
    let code = match error {
        Error::Concurrency => return true,
        Error::Database(sqlx08::Error::Database(error)) => error.code(),
        _ => None,
    };
    matches!(code.as_deref(), Some("40001" | "40P01"))
}

#[async_trait]
impl Caller for Writer {
    async fn append(&mut self, events: usize) -> Result<()> {
        let news: Vec<BikeEvent> = (1..=events as i64)
            .map(|n| BikeEvent::BikeSeen {
                bike_id: self.stream.clone(),
                seen: Seen::new(&self.stream, self.events + n),
            })
            .collect();
        for _ in 0..ATTEMPTS {
            match self.store.append(news.clone(), self.query.clone(), self.last).await {
                Ok(stored) => {
                    self.events += events as i64;
                    self.last = stored.last().map_or(self.last, |event| event.id());
                    return Ok(());
                }
                Err(error) if lost_a_race(&error) => {}
                Err(error) => return Err(error.into()),
            }
        }
        bail!("disintegrate lost {ATTEMPTS} races for a stream that is its caller's alone")
    }
}
