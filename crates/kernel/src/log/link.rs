//! The writer's connection: a batch goes down it and is applied exactly once.
//!
//! A batch consists of entries: an append to one stream, or appends to several that stand all or none.
//!
//! Nearly always nothing stands in a batch's way, and it goes by the plain statement. When something does, nothing of it
//! is applied and it goes by the judged one, which tells each append what became of it.
//!
//! When a connection breaks while a statement is under way, the batch is in doubt, and stays so until a judged answer
//! settles it: no failure to connect, no error of a later statement says that nothing was applied. What is left of the
//! broken connection is ended before anything else is sent, and whatever arrives after its deadline is refused under the
//! head's lock; so what the log then says is final. An append that finds its stream ahead, or its request done, is looked
//! up: if the event that stands where its first one belongs has its leaf, it was applied the first time.

use std::collections::HashMap;
use std::time::Duration;

use chrono::{DateTime, Utc};
use sqlx::error::DatabaseError;
use sqlx::postgres::{PgConnectOptions, PgDatabaseError, PgSeverity};
use sqlx::{ConnectOptions, Connection, PgConnection};
use tokio::time::Instant;

use super::LogError;
use super::chain::{self, GENESIS, Hash};
use super::columns::{self, Judged, One, Plain, applied};
use super::writer::{Append, Outcome};
use crate::passing::is_passing;

/// By this name `log.end_writer` knows whom it may end.
const APPLICATION: &str = "wheelhouse writer";
const CONNECT_PATIENCE: Duration = Duration::from_secs(5);
/// The answer is waited for so much longer than the deadline allows.
const GRACE: Duration = Duration::from_secs(2);

/// The writer's connection, opened when it is needed.
pub(super) struct Link {
    options: PgConnectOptions,
    /// A commit may take so long; then its deadline has passed.
    commit: Duration,
    line: Option<Line>,
    /// The backend of a connection that broke: nothing is sent before it is gone.
    ghost: Option<Backend>,
}

/// Why a batch has no outcomes.
#[derive(Debug)]
pub(super) enum Failed {
    /// PostgreSQL refuses it. Nothing was applied, unless the batch is in doubt.
    Refused(sqlx::Error),
    /// There was no judged answer in time: what became of it is not known.
    Unknown,
}

impl From<Failed> for LogError {
    fn from(failed: Failed) -> Self {
        match failed {
            Failed::Refused(error) => Self::Database(error),
            Failed::Unknown => Self::Unavailable,
        }
    }
}

/// What to do about a statement that failed.
#[derive(Debug)]
enum Trouble {
    /// There is no connection: nothing was sent.
    Away(sqlx::Error),
    /// PostgreSQL refused it: the statement changed nothing.
    Refused(sqlx::Error),
    /// The same, and it may work later.
    Later(sqlx::Error),
    /// It came after its deadline by the database's clock, which may have been set: the clock is asked anew.
    TooLate,
    /// Something stored stands in the way of the plain statement: the judged one tells what.
    InTheWay,
    /// The connection broke: the statement may have been applied, or may be still.
    Broken(Option<sqlx::Error>),
}

impl Link {
    pub(super) fn new(options: PgConnectOptions, commit: Duration) -> Self {
        Self { options: options.application_name(APPLICATION), commit, line: None, ghost: None }
    }

    /// Applies a batch exactly once, across lost connections and restarts of PostgreSQL, before `until`. `in_doubt` tells
    /// and learns whether something of it may have been applied already.
    pub(super) async fn apply(
        &mut self,
        entries: &[&[Append]],
        until: Instant,
        in_doubt: &mut bool,
    ) -> Result<Vec<Outcome>, Failed> {
        let mut way = if *in_doubt { Way::judged(entries) } else { Way::of(entries) };
        let mut pause = Duration::from_millis(20);
        while Instant::now() < until {
            match self.send(&way, entries, until, *in_doubt).await {
                Ok(outcomes) => return Ok(outcomes),
                Err(Trouble::InTheWay) => {
                    metrics::counter!("wheelhouse_log_judged_total").increment(1);
                    way = Way::judged(entries);
                    continue;
                }
                Err(Trouble::Refused(error)) => return Err(Failed::Refused(error)),
                // What is in doubt is settled by the log, not by a server that lets nobody in.
                Err(Trouble::Away(error)) if !*in_doubt && !is_passing(&error) => {
                    return Err(Failed::Refused(error));
                }
                Err(Trouble::Away(error) | Trouble::Later(error)) => {
                    tracing::warn!(error = %error, "the log's database is away; the batch is sent again");
                }
                Err(Trouble::TooLate) => {
                    tracing::warn!("an append came after its deadline; the clocks are compared anew");
                    self.line = None;
                }
                Err(Trouble::Broken(error)) => {
                    let error = error.map_or_else(|| "no answer".to_owned(), |error| error.to_string());
                    tracing::warn!(error, "the line to the log broke; the batch is sent again");
                    self.ghost = self.line.take().map(|line| line.backend).or(self.ghost.take());
                    *in_doubt = true;
                    way = Way::judged(entries);
                }
            }
            metrics::counter!("wheelhouse_log_resends_total").increment(1);
            tokio::time::sleep(pause).await;
            pause = (pause * 2).min(Duration::from_secs(1));
        }
        Err(Failed::Unknown)
    }

    async fn send(
        &mut self,
        way: &Way<'_>,
        entries: &[&[Append]],
        until: Instant,
        in_doubt: bool,
    ) -> Result<Vec<Outcome>, Trouble> {
        let commit = self.commit;
        let connecting = tokio::time::timeout(CONNECT_PATIENCE, self.connected());
        let line = connecting.await.unwrap_or(Err(sqlx::Error::PoolTimedOut)).map_err(Trouble::Away)?;
        let until = until.min(Instant::now() + commit);
        let deadline = line.database_time(until);
        let answer = tokio::time::timeout_at(until + GRACE, async {
            let Line { connection, own, .. } = line;
            let is_known = |append: &Append| own.ends(append);
            let mut outcomes = match way {
                Way::One(one) => applied(entries, one.send(connection, deadline, is_known).await?),
                Way::Plain(plain) => applied(entries, plain.send(connection, deadline, is_known).await?),
                Way::Judged(judged) => {
                    let sent = judged.send(connection, deadline).await;
                    // A lone entry in doubt is settled by the log even if its statement is refused.
                    if let Err(error) = &sent
                        && in_doubt
                        && entries.len() == 1
                        && changed_nothing(error)
                        && let Some(applied) = applied_before(connection, entries[0]).await?
                    {
                        return Ok(vec![applied]);
                    }
                    sent?
                }
            };
            if in_doubt {
                settle(connection, entries, &mut outcomes).await?;
            }
            own.appended(entries, &outcomes);
            Ok(outcomes)
        });
        match answer.await {
            Ok(Ok(outcomes)) => Ok(outcomes),
            Ok(Err(error)) => Err(trouble(error, way.is_plain())),
            Err(_) => Err(Trouble::Broken(None)),
        }
    }

    /// The connection, with nothing left of the one before.
    async fn connected(&mut self) -> sqlx::Result<&mut Line> {
        let line = if let Some(line) = self.line.take() {
            line
        } else {
            let mut line = Line::open(&self.options).await?;
            if let Some(ghost) = &self.ghost
                && !ghost.end(&mut line.connection).await?
            {
                return Err(sqlx::Error::Protocol("what is left of a lost connection still works".into()));
            }
            self.ghost = None;
            line
        };
        Ok(self.line.insert(line))
    }
}

/// A connection, its backend and the database's clock.
struct Line {
    connection: PgConnection,
    backend: Backend,
    /// What the database's clock showed, not after `at`.
    clock: DateTime<Utc>,
    at: Instant,
    own: Own,
}

/// The streams to which a connection appended last, with their versions. What stands there need not be looked for while
/// that connection lives: the server behind it did not go back.
#[derive(Default)]
struct Own(HashMap<&'static str, HashMap<String, i64>>);

struct Backend {
    pid: i32,
    started: DateTime<Utc>,
}

impl Line {
    async fn open(options: &PgConnectOptions) -> sqlx::Result<Self> {
        let mut connection = options.connect().await?;
        let (pid, started, clock) = sqlx::query_as("select pid, started, now from log.writer_backend()")
            .fetch_one(&mut connection)
            .await?;
        Ok(Self {
            connection,
            backend: Backend { pid, started },
            clock,
            at: Instant::now(),
            own: Own::default(),
        })
    }

    /// What the database's clock shows at `moment`, or a little less.
    fn database_time(&self, moment: Instant) -> DateTime<Utc> {
        self.clock + (moment - self.at)
    }
}

impl Own {
    /// Streams that are remembered, of each category.
    const MOST: usize = 4096;

    /// Whether `append` follows what was appended.
    fn ends(&self, append: &Append) -> bool {
        self.0.get(append.category).and_then(|versions| versions.get(&append.stream_id))
            == Some(&append.expected)
    }

    fn appended(&mut self, entries: &[&[Append]], outcomes: &[Outcome]) {
        let applied = entries.iter().zip(outcomes).filter(|(_, is)| matches!(is, Outcome::Appended { .. }));
        for append in applied.flat_map(|(entry, _)| entry.iter()).filter(|append| !append.events.is_empty()) {
            let versions = self.0.entry(append.category).or_default();
            let version = append.expected + append.events.len() as i64;
            if let Some(known) = versions.get_mut(&append.stream_id) {
                *known = version;
            } else {
                if versions.len() >= Self::MOST {
                    versions.clear();
                }
                versions.insert(append.stream_id.clone(), version);
            }
        }
    }
}

impl Backend {
    async fn end(&self, connection: &mut PgConnection) -> sqlx::Result<bool> {
        sqlx::query_scalar("select log.end_writer($1, $2)")
            .bind(self.pid)
            .bind(self.started)
            .fetch_one(connection)
            .await
    }
}

enum Way<'a> {
    One(One<'a>),
    Plain(Plain<'a>),
    Judged(Judged<'a>),
}

impl<'a> Way<'a> {
    fn of(entries: &[&'a [Append]]) -> Self {
        One::of(entries)
            .map(Self::One)
            .or_else(|| Plain::of(entries).map(Self::Plain))
            .unwrap_or_else(|| Self::judged(entries))
    }

    fn judged(entries: &[&'a [Append]]) -> Self {
        Self::Judged(Judged::of(entries))
    }

    fn is_plain(&self) -> bool {
        !matches!(self, Self::Judged(_))
    }
}

/// What the failure of a statement says about it.
fn trouble(error: sqlx::Error, plain: bool) -> Trouble {
    if !changed_nothing(&error) {
        return Trouble::Broken(Some(error));
    }
    let code = error.as_database_error().and_then(DatabaseError::code).unwrap_or_default();
    match code.as_ref() {
        "WH002" => Trouble::TooLate,
        "WH001" | "23505" if plain => Trouble::InTheWay,
        _ if is_passing(&error) => Trouble::Later(error),
        _ => Trouble::Refused(error),
    }
}

/// Whether PostgreSQL answered that the statement failed and the connection goes on. What ends the connection may come
/// after the commit.
fn changed_nothing(error: &sqlx::Error) -> bool {
    error
        .as_database_error()
        .and_then(|error| error.try_downcast_ref::<PgDatabaseError>())
        .is_some_and(|error| error.severity() == PgSeverity::Error)
}

/// Tells those that were applied by a statement whose answer was lost from those that others stood in the way of.
async fn settle(
    connection: &mut PgConnection,
    entries: &[&[Append]],
    outcomes: &mut [Outcome],
) -> sqlx::Result<()> {
    for (entry, outcome) in entries.iter().zip(outcomes) {
        if matches!(outcome, Outcome::Conflict { .. } | Outcome::Repeated { .. })
            && let Some(applied) = applied_before(connection, entry).await?
        {
            *outcome = applied;
        }
    }
    Ok(())
}

/// Whether the event at the place of `entry`'s first one is that one: its link follows from the link before it and from
/// its leaf, which covers the stream, the version, who, what, when and the append's nonce. The entry's other events were
/// applied with it.
async fn applied_before(connection: &mut PgConnection, entry: &[Append]) -> sqlx::Result<Option<Outcome>> {
    let Some((append, leaf)) =
        entry.iter().find_map(|append| Some((append, columns::leaves(append).next()?)))
    else {
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
        (chain::link(&before, &leaf)[..] == link[..]).then(|| columns::appended(entry, position - 1))
    }))
}

impl Drop for Link {
    fn drop(&mut self) {
        if let Some(line) = self.line.take()
            && let Ok(runtime) = tokio::runtime::Handle::try_current()
        {
            runtime.spawn(line.connection.close());
        }
    }
}
