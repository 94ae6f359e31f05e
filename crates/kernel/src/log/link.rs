//! The writer's connection: a batch goes down it and is applied exactly once.

use std::time::Duration;

use sqlx::postgres::PgConnectOptions;
use sqlx::{ConnectOptions, Connection, PgConnection};

use super::chain::{Hash, LeafFields};
use super::writer::{Append, Outcome};
use crate::Position;
use crate::passing::is_passing;

/// A commit that takes longer is held to be lost, and sent again.
const COMMIT_PATIENCE: Duration = Duration::from_secs(20);

/// The writer's connection, and the number of the batch it carries.
pub(super) struct Link {
    options: PgConnectOptions,
    connection: Option<PgConnection>,
    name: String,
    batch: i64,
}

const APPEND: &str = "select outcome, at, version, detail from log.append(\
    $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20)";

type Verdict = (i16, i64, i64, Option<String>);

impl Link {
    pub(super) fn new(options: PgConnectOptions, name: String) -> Self {
        Self { options, connection: None, name, batch: 0 }
    }

    /// Applies a batch exactly once, across lost connections and restarts of PostgreSQL.
    /// An error says that nothing of it was applied.
    pub(super) async fn apply(&mut self, appends: &[&Append]) -> sqlx::Result<Vec<Outcome>> {
        self.batch += 1;
        let columns = Columns::of(appends);
        let mut pause = Duration::from_millis(20);
        loop {
            let sent = match self.connection().await {
                Ok(connection) => tokio::time::timeout(COMMIT_PATIENCE, columns.send(connection)).await,
                Err(error) => Ok(Err(error)),
            };
            match sent {
                Ok(Ok(verdicts)) if verdicts.len() == appends.len() => {
                    return Ok(verdicts.into_iter().map(outcome).collect());
                }
                Ok(Ok(verdicts)) => {
                    let (got, asked) = (verdicts.len(), appends.len());
                    return Err(sqlx::Error::Protocol(format!("{got} outcomes for {asked} appends")));
                }
                Ok(Err(error)) if !is_passing(&error) => return Err(error),
                Ok(Err(error)) => {
                    tracing::warn!(error = %error, "the log's database is away; the batch is sent again");
                }
                Err(_) => tracing::warn!("a commit takes too long; the batch is sent again"),
            }
            metrics::counter!("wheelhouse_log_resends_total").increment(1);
            self.connection = None;
            tokio::time::sleep(pause).await;
            pause = (pause * 2).min(Duration::from_secs(1));
        }
    }

    async fn connection(&mut self) -> sqlx::Result<(&mut PgConnection, &str, i64)> {
        let connection = match self.connection.take() {
            Some(connection) => connection,
            None => tokio::time::timeout(Duration::from_secs(5), self.options.connect())
                .await
                .map_err(|_| sqlx::Error::PoolTimedOut)??,
        };
        Ok((self.connection.insert(connection), &self.name, self.batch))
    }
}

fn outcome((outcome, at, version, detail): Verdict) -> Outcome {
    match outcome {
        0 => Outcome::Appended { position: Position(at), version },
        1 => Outcome::Repeated { reply: detail.unwrap_or_default(), position: Position(at), version },
        2 => Outcome::RequestReused,
        3 => Outcome::Conflict { actual: version },
        _ => Outcome::ClaimTaken { key: detail.unwrap_or_default() },
    }
}

/// A batch as the arrays that `log.append` takes.
#[derive(Default)]
struct Columns<'a> {
    category: Vec<&'a str>,
    stream: Vec<&'a str>,
    expected: Vec<Option<i64>>,
    actor: Vec<Option<&'a str>>,
    request: Vec<Option<&'a str>>,
    fingerprint: Vec<Option<&'a [u8]>>,
    reply: Vec<Option<&'a str>>,
    at: Vec<Option<chrono::DateTime<chrono::Utc>>>,
    e_append: Vec<i32>,
    e_type: Vec<&'a str>,
    e_schema: Vec<i16>,
    e_data: Vec<&'a str>,
    e_meta: Vec<&'a str>,
    e_at: Vec<chrono::DateTime<chrono::Utc>>,
    e_leaf: Vec<Hash>,
    c_append: Vec<i32>,
    c_key: Vec<&'a str>,
    c_take: Vec<bool>,
}

impl<'a> Columns<'a> {
    fn of(appends: &[&'a Append]) -> Self {
        let mut columns = Self::default();
        for (append, n) in appends.iter().copied().zip(1..) {
            let request = append.request.as_ref();
            columns.category.push(append.category);
            columns.stream.push(&append.stream_id);
            columns.expected.push((!append.events.is_empty()).then_some(append.expected));
            columns.actor.push(request.map(|request| request.actor.as_str()));
            columns.request.push(request.map(|request| request.id.as_str()));
            columns.fingerprint.push(request.map(|request| request.fingerprint.as_slice()));
            columns.reply.push(request.map(|request| request.reply.as_str()));
            columns.at.push(request.map(|request| request.at.datetime()));
            for (event, version) in append.events.iter().zip(append.expected + 1..) {
                let data = std::str::from_utf8(&event.form.data).expect("checked when it was handed in");
                let leaf = LeafFields {
                    category: append.category,
                    stream_id: &append.stream_id,
                    version,
                    stored_type: &event.form.stored_type,
                    schema_version: event.form.schema_version,
                    data: &event.form.data,
                    meta: event.meta.as_bytes(),
                    recorded_at: event.recorded_at,
                };
                columns.e_append.push(n);
                columns.e_type.push(&event.form.stored_type);
                columns.e_schema.push(event.form.schema_version);
                columns.e_data.push(data);
                columns.e_meta.push(&event.meta);
                columns.e_at.push(event.recorded_at.datetime());
                columns.e_leaf.push(leaf.leaf());
            }
            for claim in &append.claims {
                columns.c_append.push(n);
                columns.c_key.push(&claim.key);
                columns.c_take.push(claim.take);
            }
        }
        columns
    }

    async fn send(
        &self,
        (connection, name, batch): (&mut PgConnection, &str, i64),
    ) -> sqlx::Result<Vec<Verdict>> {
        sqlx::query_as(APPEND)
            .bind(name)
            .bind(batch)
            .bind(&self.category)
            .bind(&self.stream)
            .bind(&self.expected)
            .bind(&self.actor)
            .bind(&self.request)
            .bind(&self.fingerprint)
            .bind(&self.reply)
            .bind(&self.at)
            .bind(&self.e_append)
            .bind(&self.e_type)
            .bind(&self.e_schema)
            .bind(&self.e_data)
            .bind(&self.e_meta)
            .bind(&self.e_at)
            .bind(&self.e_leaf)
            .bind(&self.c_append)
            .bind(&self.c_key)
            .bind(&self.c_take)
            .fetch_all(connection)
            .await
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        if let Some(connection) = self.connection.take()
            && let Ok(runtime) = tokio::runtime::Handle::try_current()
        {
            runtime.spawn(connection.close());
        }
    }
}
