//! No library: one prepared INSERT for each commit into a table like our log's; the version is checked by the unique
//! constraint. There is no chain, no head, no gap-free order, and every event is typed and signed off alike.

use std::sync::Arc;
use std::time::Duration;

use anyhow::Result;
use async_trait::async_trait;
use futures::TryStreamExt;
use sqlx::PgPool;
use sqlx::postgres::PgPoolOptions;
use uuid::Uuid;

use super::{Caller, Opened};
use crate::bike::Seen;

pub const SCHEMA: &str = "create table events (
    position       bigint      generated always as identity primary key,
    category       text        not null,
    stream_id      text        not null,
    version        bigint      not null,
    type           text        not null,
    schema_version smallint    not null,
    data           text        not null,
    meta           text        not null,
    recorded_at    timestamptz not null default now(),
    unique (category, stream_id, version)
)";

/// What our log writes beside the data of such an event.
const META: &str = r#"{"actor":{"kind":"system","name":"bench"},"territory":{"agent":2,"area":20}}"#;

pub struct Bare(PgPool);

pub async fn open(url: &str, connections: u32) -> Result<Bare> {
    let pool = PgPoolOptions::new()
        .max_connections(connections)
        .min_connections(connections)
        .acquire_timeout(Duration::from_secs(60))
        .connect(url)
        .await?;
    Ok(Bare(pool))
}

struct Writer {
    pool: PgPool,
    stream: Arc<str>,
    version: i64,
}

#[async_trait]
impl Opened for Bare {
    async fn caller(&self) -> Result<Box<dyn Caller>> {
        Ok(Box::new(Writer { pool: self.0.clone(), stream: Uuid::now_v7().to_string().into(), version: 0 }))
    }

    async fn replay(&self) -> Result<u64> {
        let mut rows = sqlx::query_as::<_, (i64, String, i64, String, String)>(
            "select position, stream_id, version, type, data from events order by position",
        )
        .fetch(&self.0);
        let mut events = 0;
        while let Some((.., data)) = rows.try_next().await? {
            std::hint::black_box(serde_json::from_str::<Seen>(&data)?);
            events += 1;
        }
        Ok(events)
    }

    async fn close(&self) {
        self.0.close().await;
    }
}

#[async_trait]
impl Caller for Writer {
    async fn append(&mut self, events: usize) -> Result<()> {
        if let [json] = self.next(events)?.as_slice() {
            sqlx::query(
                "insert into events (category, stream_id, version, type, schema_version, data, meta)
                 values ('bike', $1, $2, 'bike.seen', 1, $3, $4)",
            )
            .bind(&*self.stream)
            .bind(self.version + 1)
            .bind(json)
            .bind(META)
            .execute(&self.pool)
            .await?;
        } else {
            sqlx::query(
                "insert into events (category, stream_id, version, type, schema_version, data, meta)
                 select 'bike', $1, $2 + n, 'bike.seen', 1, data, $4
                 from unnest($3::text[]) with ordinality as e(data, n) order by n",
            )
            .bind(&*self.stream)
            .bind(self.version)
            .bind(self.next(events)?)
            .bind(META)
            .execute(&self.pool)
            .await?;
        }
        self.version += events as i64;
        Ok(())
    }
}

impl Writer {
    fn next(&self, events: usize) -> serde_json::Result<Vec<String>> {
        (1..=events as i64)
            .map(|n| serde_json::to_string(&Seen::new(&self.stream, self.version + n)))
            .collect()
    }
}
