//! Reading read models: within the caller's scope, and not before they hold what he has just done.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::ops::{Deref, DerefMut};
use std::time::Duration;

use sqlx::{AssertSqlSafe, PgConnection, PgPool, Postgres, Transaction};
use tokio::time::Instant;
use vocabulary::{CarRange, Reach, Scope};

use crate::log::Tail;
use crate::progress::Progress;
use crate::{Position, pools};

/// How long a query waits for its projectors.
const PATIENCE: Duration = Duration::from_secs(2);
/// Between two looks at the stored position where nobody tells of it, at first and at most.
const UNTOLD: (Duration, Duration) = (Duration::from_millis(5), Duration::from_millis(40));
/// The same where other nodes tell of it, for a word that was lost.
const LOST: Duration = Duration::from_millis(500);

/// Why a read could not begin.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// PostgreSQL refused or broke.
    #[error("the read models cannot be read")]
    Database(#[from] sqlx::Error),
}

/// Begins read transactions.
#[derive(Clone)]
pub struct Reads {
    pool: PgPool,
    tail: Tail,
    progress: Progress,
}

/// A read-only transaction that sees the caller's rows alone. Ends when dropped.
pub struct ReadTx {
    transaction: Transaction<'static, Postgres>,
    caught_up: bool,
}

impl ReadTx {
    /// Whether the projectors had reached what the caller has seen when the transaction began.
    pub const fn caught_up(&self) -> bool {
        self.caught_up
    }

    /// Lets each statement from here on take so long at most.
    pub async fn at_most(&mut self, longest: Duration) -> sqlx::Result<()> {
        let sql = format!("set local statement_timeout = {}", longest.as_millis());
        sqlx::query(AssertSqlSafe(sql)).execute(&mut **self).await.map(drop)
    }
}

impl Deref for ReadTx {
    type Target = PgConnection;

    fn deref(&self) -> &PgConnection {
        &self.transaction
    }
}

impl DerefMut for ReadTx {
    fn deref_mut(&mut self) -> &mut PgConnection {
        &mut self.transaction
    }
}

impl Reads {
    /// Reads through `pool`, which works as the application's role.
    pub fn new(pool: PgPool, tail: Tail, progress: Progress) -> Self {
        Self { pool, tail, progress }
    }

    /// Waits (at most 2 s) until each of `projectors` has reached `seen`, then begins a read-only transaction that sees
    /// what lies in `scope`. A projector that is still behind is not waited for any longer: see [`ReadTx::caught_up`].
    pub async fn scoped(
        &self,
        scope: &Scope,
        seen: Option<Position>,
        projectors: &[&str],
    ) -> Result<ReadTx, ReadError> {
        let caught_up = match seen {
            Some(seen) if seen.0 > 0 => self.wait(seen, projectors).await?,
            _ => true,
        };
        let transaction = pools::begin_with(&self.pool, AssertSqlSafe(opening(scope))).await?;
        Ok(ReadTx { transaction, caught_up })
    }

    /// Whether all `projectors` reached `seen` in time.
    async fn wait(&self, seen: Position, projectors: &[&str]) -> Result<bool, ReadError> {
        // Nobody has seen more than there is: a made-up number must not make queries wait.
        let mut seen = seen;
        if seen > self.tail.head() {
            seen = seen.min(self.tail.refresh(&self.pool).await?);
        }
        let deadline = Instant::now() + PATIENCE;
        for projector in projectors {
            if !self.reaches(projector, seen, deadline).await? {
                metrics::counter!("wheelhouse_reads_behind_total", "projector" => (*projector).to_owned())
                    .increment(1);
                return Ok(false);
            }
        }
        Ok(true)
    }

    async fn reaches(&self, projector: &str, seen: Position, deadline: Instant) -> Result<bool, ReadError> {
        let mut reached = self.progress.of(projector);
        let (mut pause, longest) = if self.progress.is_told() { (LOST, LOST) } else { UNTOLD };
        loop {
            if *reached.borrow_and_update() >= seen.0 {
                return Ok(true);
            }
            let told = async { reached.wait_for(|at| *at >= seen.0).await.is_ok() };
            if tokio::time::timeout(pause, told).await.unwrap_or(false) {
                return Ok(true);
            }
            let stored: Option<i64> =
                sqlx::query_scalar("select position from log.projectors where name = $1")
                    .bind(projector)
                    .fetch_optional(&self.pool)
                    .await?;
            if let Some(stored) = stored {
                self.progress.heard(projector, Position(stored));
            }
            if Instant::now() >= deadline {
                return Ok(stored.is_some_and(|stored| stored >= seen.0));
            }
            pause = (pause * 2).min(longest);
        }
    }
}

/// One round trip that begins the transaction, takes the role that sees so much and sets the scope. The ids are
/// numbers, so the text is safe. Statements are planned for their values: an agent may have three rows or two million.
fn opening(scope: &Scope) -> String {
    let cars = scope.cars.ranges();
    let role = match (&cars, &scope.agents, &scope.areas) {
        (Some(_), _, _) => "wheelhouse_sees_cars",
        (None, Reach::All, Reach::All) => "wheelhouse_sees_all",
        (None, Reach::Only(_), Reach::All) => "wheelhouse_sees_agents",
        (None, _, Reach::Only(_)) => "wheelhouse_sees_areas",
    };
    let mut sql = format!(
        "begin isolation level repeatable read read only; set local plan_cache_mode = force_custom_plan; \
         set local role {role}; set local wheelhouse.agents = '"
    );
    put(&mut sql, &scope.agents);
    sql.push_str("'; set local wheelhouse.areas = '");
    put(&mut sql, &scope.areas);
    sql.push('\'');
    if let Some(cars) = cars {
        sql.push_str("; set local wheelhouse.cars = '{");
        put_ranges(&mut sql, &cars);
        sql.push_str("}'");
    }
    sql
}

/// As a multirange of `migrations/0226_seen_cars.sql`. What is no bike's number shows nothing: it comes from the log, and
/// this text goes into a statement.
fn put_ranges(sql: &mut String, ranges: &[&CarRange]) {
    let is_number =
        |text: &str| text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_');
    let sound = ranges.iter().filter(|range| {
        is_number(&range.from)
            && is_number(&range.to)
            && range.from.len() == range.to.len()
            && range.from <= range.to
    });
    for (n, CarRange { from, to }) in sound.enumerate() {
        let comma = if n == 0 { "" } else { "," };
        write!(sql, "{comma}[{0:02}{from},{0:02}{to}]", from.len()).expect("a string takes everything");
    }
}

fn put<T: Ord + std::fmt::Display>(sql: &mut String, reach: &Reach<T>) {
    match reach {
        Reach::All => sql.push('*'),
        Reach::Only(items) => put_ids(sql, items),
    }
}

fn put_ids<T: std::fmt::Display>(sql: &mut String, ids: &BTreeSet<T>) {
    for (n, id) in ids.iter().enumerate() {
        let comma = if n == 0 { "" } else { "," };
        write!(sql, "{comma}{id}").expect("a string takes everything");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use vocabulary::{AgentId, AreaId, CarView, Cars};

    #[test]
    fn a_scope_becomes_a_role_and_settings() {
        let some = Reach::only([AgentId(2), AgentId(7)]);
        let area = Reach::only([AreaId(3)]);
        let cars = |from: &str, to: &str| {
            Cars::Seen(vec![CarView {
                ranges: vec![CarRange { from: from.to_owned(), to: to.to_owned() }],
                ..CarView::default()
            }])
        };
        for (scope, end) in [
            (
                Scope { cars: cars("A100", "A199"), ..Scope::ALL },
                "role wheelhouse_sees_cars; set local wheelhouse.agents = '*'; set local wheelhouse.areas = '*'; \
                 set local wheelhouse.cars = '{[04A100,04A199]}'",
            ),
            (
                Scope { cars: cars("A'; --", "B'; --"), ..Scope::ALL },
                "role wheelhouse_sees_cars; set local wheelhouse.agents = '*'; set local wheelhouse.areas = '*'; \
                 set local wheelhouse.cars = '{}'",
            ),
            (
                Scope { cars: Cars::NONE, ..Scope::ALL },
                "role wheelhouse_sees_cars; set local wheelhouse.agents = '*'; set local wheelhouse.areas = '*'; \
                 set local wheelhouse.cars = '{}'",
            ),
            (
                Scope::ALL,
                "role wheelhouse_sees_all; set local wheelhouse.agents = '*'; set local wheelhouse.areas = '*'",
            ),
            (
                Scope::of(some.clone(), Reach::All),
                "role wheelhouse_sees_agents; set local wheelhouse.agents = '2,7'; set local wheelhouse.areas = '*'",
            ),
            (
                Scope::of(some, area.clone()),
                "role wheelhouse_sees_areas; set local wheelhouse.agents = '2,7'; set local wheelhouse.areas = '3'",
            ),
            (
                Scope::of(Reach::All, area),
                "role wheelhouse_sees_areas; set local wheelhouse.agents = '*'; set local wheelhouse.areas = '3'",
            ),
            (
                Scope::of(Reach::NONE, Reach::NONE),
                "role wheelhouse_sees_areas; set local wheelhouse.agents = ''; set local wheelhouse.areas = ''",
            ),
        ] {
            assert!(opening(&scope).ends_with(end), "{scope:?}");
        }
    }
}
