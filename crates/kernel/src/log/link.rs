//! The writer's connection: a batch goes down it and is applied exactly once.
//!
//! Nearly always nothing stands in a batch's way, and it goes by the plain statement. When something does, nothing of it
//! is applied and it goes by the judged one, which tells each append what became of it. When a connection breaks while a
//! commit is in flight, the batch goes down again, judged; an append that then finds its stream ahead is looked up: if
//! the event that stands where its first one belongs has its leaf, it was applied the first time.

use std::time::Duration;

use sqlx::postgres::PgConnectOptions;
use sqlx::{ConnectOptions, Connection, PgConnection};

use super::chain::{self, GENESIS, Hash};
use super::columns::{self, Judged, One, Plain, applied};
use super::writer::{Append, Outcome};
use crate::Position;
use crate::passing::is_passing;

/// A commit that takes longer is held to be lost, and sent again.
const COMMIT_PATIENCE: Duration = Duration::from_secs(20);

/// The writer's connection, opened when it is needed.
pub(super) struct Link {
    options: PgConnectOptions,
    connection: Option<PgConnection>,
}

impl Link {
    pub(super) fn new(options: PgConnectOptions) -> Self {
        Self { options, connection: None }
    }

    /// Applies a batch exactly once, across lost connections and restarts of PostgreSQL.
    /// An error says that nothing of it was applied.
    pub(super) async fn apply(&mut self, appends: &[&Append]) -> sqlx::Result<Vec<Outcome>> {
        let mut way = Way::of(appends);
        let mut in_doubt = false;
        let mut pause = Duration::from_millis(20);
        loop {
            let sent = match self.connection().await {
                Ok(connection) => {
                    tokio::time::timeout(COMMIT_PATIENCE, send(connection, &way, appends, in_doubt)).await
                }
                Err(error) => Ok(Err(error)),
            };
            match sent {
                Ok(Ok(outcomes)) => return Ok(outcomes),
                Ok(Err(error)) if way.is_plain() && stands_in_the_way(&error) => {
                    metrics::counter!("wheelhouse_log_judged_total").increment(1);
                    way = Way::Judged(Judged::of(appends));
                    continue;
                }
                Ok(Err(error)) if !is_passing(&error) => return Err(error),
                Ok(Err(error)) => {
                    tracing::warn!(error = %error, "the log's database is away; the batch is sent again");
                }
                Err(_) => tracing::warn!("a commit takes too long; the batch is sent again"),
            }
            metrics::counter!("wheelhouse_log_resends_total").increment(1);
            self.connection = None;
            in_doubt = true;
            way = Way::Judged(Judged::of(appends));
            tokio::time::sleep(pause).await;
            pause = (pause * 2).min(Duration::from_secs(1));
        }
    }

    async fn connection(&mut self) -> sqlx::Result<&mut PgConnection> {
        let connection = match self.connection.take() {
            Some(connection) => connection,
            None => tokio::time::timeout(Duration::from_secs(5), self.options.connect())
                .await
                .map_err(|_| sqlx::Error::PoolTimedOut)??,
        };
        Ok(self.connection.insert(connection))
    }
}

enum Way<'a> {
    One(One<'a>),
    Plain(Plain<'a>),
    Judged(Judged<'a>),
}

impl<'a> Way<'a> {
    fn of(appends: &[&'a Append]) -> Self {
        One::of(appends)
            .map(Self::One)
            .or_else(|| Plain::of(appends).map(Self::Plain))
            .unwrap_or_else(|| Self::Judged(Judged::of(appends)))
    }

    fn is_plain(&self) -> bool {
        !matches!(self, Self::Judged(_))
    }
}

async fn send(
    connection: &mut PgConnection,
    way: &Way<'_>,
    appends: &[&Append],
    in_doubt: bool,
) -> sqlx::Result<Vec<Outcome>> {
    let mut outcomes = match way {
        Way::One(one) => applied(appends, one.send(connection).await?),
        Way::Plain(plain) => applied(appends, plain.send(connection).await?),
        Way::Judged(judged) => judged.send(connection).await?,
    };
    if in_doubt {
        for (append, outcome) in appends.iter().zip(&mut outcomes) {
            if matches!(outcome, Outcome::Conflict { .. })
                && let Some(applied) = applied_before(connection, append).await?
            {
                *outcome = applied;
            }
        }
    }
    Ok(outcomes)
}

/// Whether the event at the place of `append`'s first one is that one: its link follows from the link before it and
/// from its leaf, which covers the stream, the version, who, what and when.
async fn applied_before(connection: &mut PgConnection, append: &Append) -> sqlx::Result<Option<Outcome>> {
    let Some(leaf) = columns::leaves(append).next() else {
        return Ok(None);
    };
    let found: Option<(i64, Vec<u8>, Option<Vec<u8>>)> = sqlx::query_as(
        "select e.position, e.chain, before.chain from log.events e \
         left join log.events before on before.position = e.position - 1 \
         where e.category = $1 and e.stream_id = $2 and e.version = $3",
    )
    .bind(append.category)
    .bind(&append.stream_id)
    .bind(append.expected + 1)
    .fetch_optional(connection)
    .await?;
    Ok(found.and_then(|(position, link, before)| {
        let before: Hash = before.map_or(Some(GENESIS), |before| before.try_into().ok())?;
        let events = append.events.len() as i64;
        (chain::link(&before, &leaf)[..] == link[..]).then_some(Outcome::Appended {
            position: Position(position + events - 1),
            version: append.expected + events,
        })
    }))
}

/// Whether the plain statement was refused because of what is stored; anything else would fail judged as well.
fn stands_in_the_way(error: &sqlx::Error) -> bool {
    error
        .as_database_error()
        .is_some_and(|error| error.is_unique_violation() || error.code().is_some_and(|code| code == "WH001"))
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
