//! One projector at work.
//!
//! Who leads first stores the token of his term in the projector's row. Each batch is one transaction: it locks the row,
//! checks that the token and the version are his and that the position is the one he knows (a rebuild may have taken
//! place), applies, and moves the position. So a batch is applied once, whatever crashes between, by the newest rules
//! alone, and by nobody whose term is over.

use std::sync::Arc;
use std::time::Duration;

use sqlx::PgConnection;
use tokio::time::Instant;

use super::applying::{Applied, ParkedStreams, apply, told};
use super::{Limits, ProjectError, not_newer, reader_name, rebuild};
use crate::{Lease, Position, Projector, Runtime, pools};

/// How long the stored position may lag behind while no event concerns the projector: where other nodes look at it to
/// know how far it is, and where they are told.
const FLUSH: Duration = Duration::from_millis(100);
const FLUSH_TOLD: Duration = Duration::from_secs(1);
const BEAT: Duration = Duration::from_secs(2);
const FIRST_PAUSE: Duration = Duration::from_millis(100);
const LONGEST_PAUSE: Duration = Duration::from_secs(10);
/// Begins the transaction of a batch. It does not wait for the disk: what a crash of PostgreSQL loses of a read model it
/// loses of the stored position too, and it is applied again.
const OPENING: &str = "begin; set local search_path = read; set local synchronous_commit = off";
/// No step takes longer, unless a connection died without a word: then the next step has another.
const LONGEST_STEP: Duration = Duration::from_mins(1);
/// How often a program that stands aside looks whether it still must.
const LOOK: Duration = Duration::from_secs(3);

/// Runs `projector` whenever this process leads it, until the system closes.
pub async fn run(runtime: Runtime, projector: Arc<dyn Projector>, limits: Limits) {
    let stop = runtime.stopping();
    let mut pause = FIRST_PAUSE;
    loop {
        let ended = tokio::select! {
            () = stop.cancelled() => return,
            ended = term(&runtime, projector.as_ref(), limits, &mut pause) => ended,
        };
        match ended {
            Ok(()) => continue,
            // The one who leads or rebuilds says the rest.
            Err(ProjectError::Superseded(_) | ProjectError::Version { .. } | ProjectError::Rebuilding(_)) => {
            }
            Err(error) => {
                tracing::error!(projector = projector.name(), error = %told(&error), "a projector waits and tries again");
                metrics::counter!("wheelhouse_projector_failures_total", "projector" => projector.name())
                    .increment(1);
            }
        }
        tokio::select! {
            () = stop.cancelled() => return,
            () = tokio::time::sleep(pause) => {}
        }
        pause = (pause * 2).min(LONGEST_PAUSE);
    }
}

/// Stands in line and leads to the end of the term, or until another process is to lead. The lease is given back at its
/// end, so that another may try. Tables of older rules are built anew first, beside those that whoever leads by the old rules goes on with.
async fn term(
    runtime: &Runtime,
    projector: &dyn Projector,
    limits: Limits,
    pause: &mut Duration,
) -> Result<(), ProjectError> {
    let stored = stand_aside(runtime, projector).await?;
    if stored.is_some_and(|stored| stored < projector.version()) {
        tracing::info!(
            projector = projector.name(),
            from = stored,
            to = projector.version(),
            "a projector rebuilds itself"
        );
        rebuild::renew(runtime, projector, limits).await?;
    }
    let mut lease = runtime.lease(&reader_name(projector)).await;
    lease.held().await;
    tokio::select! {
        biased;
        () = lease.lost() => Ok(()),
        ended = lead(runtime, projector, &lease, pause) => ended,
    }
}

/// Waits while the tables are of a newer program's rules: that one leads. The version of their rules, where there are some.
async fn stand_aside(runtime: &Runtime, projector: &dyn Projector) -> Result<Option<i32>, ProjectError> {
    let mut said = false;
    loop {
        let stored: Option<i32> = sqlx::query_scalar("select version from log.projectors where name = $1")
            .bind(projector.name())
            .fetch_optional(&runtime.pools.projector)
            .await?;
        let Err(newer) = not_newer(projector.name(), stored.unwrap_or(0), projector.version()) else {
            return Ok(stored);
        };
        if !said {
            tracing::warn!(projector = projector.name(), reason = %newer, "this process stands aside");
            said = true;
        }
        tokio::time::sleep(LOOK).await;
    }
}

/// Leads until another process is to.
async fn lead(
    runtime: &Runtime,
    projector: &dyn Projector,
    lease: &Lease,
    pause: &mut Duration,
) -> Result<(), ProjectError> {
    let mut leader = tokio::select! {
        leader = Leader::begin(runtime, projector, lease.token()) => leader?,
        () = lease.wanted_back() => return Ok(()),
    };
    loop {
        // Here and not where it was learnt: there the projector's row may be locked.
        if std::mem::take(&mut leader.untold) {
            leader.tell_unknown().await;
        }
        tokio::select! {
            biased;
            () = lease.wanted_back() => {
                if leader.position > leader.stored {
                    within(leader.report()).await?;
                }
                return Ok(());
            }
            () = tokio::time::sleep_until(leader.due()) => within(leader.report()).await?,
            () = runtime.feed.beyond(leader.position) => {
                within(leader.step()).await?;
                *pause = FIRST_PAUSE;
            }
        }
    }
}

/// Ends a step that hangs.
async fn within(step: impl Future<Output = Result<(), ProjectError>>) -> Result<(), ProjectError> {
    tokio::time::timeout(LONGEST_STEP, step)
        .await
        .unwrap_or_else(|_| Err(sqlx::Error::Io(std::io::ErrorKind::TimedOut.into()).into()))
}

struct Leader<'a> {
    runtime: &'a Runtime,
    projector: &'a dyn Projector,
    token: i64,
    /// Everything up to here is done.
    position: Position,
    /// What the database says.
    stored: Position,
    stored_at: Instant,
    reported_at: Instant,
    /// The tables may have changed without a word.
    untold: bool,
}

impl<'a> Leader<'a> {
    /// Takes the place of whoever led before, who writes nothing from then on; at most his last transaction is waited
    /// for.
    async fn begin(
        runtime: &'a Runtime,
        projector: &'a dyn Projector,
        token: i64,
    ) -> Result<Self, ProjectError> {
        let (name, own) = (projector.name(), projector.version());
        let pool = &runtime.pools.projector;
        sqlx::query("insert into log.projectors (name, version) values ($1, $2) on conflict do nothing")
            .bind(name)
            .bind(own)
            .execute(pool)
            .await?;
        // Tables of newer rules are not his: they may have been swapped in while he stood in line.
        let taken: Option<Position> = sqlx::query_scalar(
            "update log.projectors set token = $2, leader = $3, beat_at = now()
             where name = $1 and token <= $2 and version = $4 returning position",
        )
        .bind(name)
        .bind(token)
        .bind(&*runtime.node)
        .bind(own)
        .fetch_optional(pool)
        .await?;
        let Some(position) = taken else {
            let stored: i32 = sqlx::query_scalar("select version from log.projectors where name = $1")
                .bind(name)
                .fetch_one(pool)
                .await?;
            return Err(if stored == own {
                ProjectError::Superseded(name)
            } else {
                ProjectError::Version { projector: name, stored, own }
            });
        };
        // Whoever led before may have died between a batch and word of it.
        let untold = true;
        let stored_at = Instant::now();
        let reported_at = stored_at;
        let leader =
            Self { runtime, projector, token, position, stored: position, stored_at, reported_at, untold };
        while !leader.runs().await? {
            tokio::time::sleep(Duration::from_secs(1)).await;
        }
        runtime.progress.reached(name, position);
        Ok(leader)
    }

    /// The position was moved by somebody else, or by an attempt whose answer was lost.
    fn come_upon(&mut self, position: Position) {
        self.adopt(position);
        self.untold = true;
    }

    /// Tells that the tables may have changed without a word.
    async fn tell_unknown(&self) {
        self.runtime.changes.publish_unknown(self.stored, self.projector.tables()).await;
    }

    fn adopt(&mut self, position: Position) {
        (self.position, self.stored, self.stored_at) = (position, position, Instant::now());
    }

    fn flush(&self) -> Duration {
        if self.runtime.progress.is_told() { FLUSH_TOLD } else { FLUSH }
    }

    /// When the next report is due.
    fn due(&self) -> Instant {
        let beat = self.reported_at + BEAT;
        if self.position > self.stored { beat.min(self.stored_at + self.flush()) } else { beat }
    }

    fn superseded(&self) -> ProjectError {
        ProjectError::Superseded(self.projector.name())
    }

    /// Whether it is not stopped, until somebody lets it go on.
    async fn runs(&self) -> Result<bool, ProjectError> {
        let state: Option<String> = sqlx::query_scalar(
            "update log.projectors set beat_at = now() where name = $1 and token = $2 and version = $3 returning state",
        )
        .bind(self.projector.name())
        .bind(self.token)
        .bind(self.projector.version())
        .fetch_optional(&self.runtime.pools.projector)
        .await?;
        Ok(state.ok_or_else(|| self.superseded())? == "running")
    }

    async fn step(&mut self) -> Result<(), ProjectError> {
        let (runtime, projector) = (self.runtime, self.projector);
        let (events, to) = runtime.feed.after(self.position, projector.categories()).await?;
        let count = events.len();
        if events.is_empty() {
            self.position = to;
            runtime.progress.reached(projector.name(), to);
            if self.stored_at.elapsed() >= self.flush() {
                self.report().await?;
            }
            return Ok(());
        }
        let started = Instant::now();
        let mut tx = pools::begin_with(&runtime.pools.projector, OPENING).await?;
        let Some(mut parked) = self.locked(&mut tx).await? else { return Ok(()) };
        let reader = reader_name(projector);
        let Applied { changes, parked: failed } =
            match apply(&mut tx, projector, events, &mut parked, &reader).await {
                Ok(applied) => applied,
                Err(ProjectError::Stopped { projector: name, position, failure }) => {
                    drop(tx);
                    self.stop_before(position, count, &failure).await?;
                    return Err(ProjectError::Stopped { projector: name, position, failure });
                }
                Err(error) => return Err(error),
            };
        sqlx::query("update log.projectors set position = $2, moved_at = now() where name = $1")
            .bind(projector.name())
            .bind(to)
            .execute(&mut *tx)
            .await?;
        tx.commit().await?;
        self.adopt(to);
        runtime.progress.reached(projector.name(), to);
        metrics::counter!("wheelhouse_projector_events_total", "projector" => projector.name())
            .increment(count as u64);
        metrics::histogram!("wheelhouse_projector_batch_seconds", "projector" => projector.name())
            .record(started.elapsed().as_secs_f64());
        for (event, failure) in failed {
            tracing::error!(
                projector = projector.name(), position = event.position.0, category = %event.category,
                stream_id = %event.stream_id, failure = %failure, "a stream is parked"
            );
            metrics::counter!("wheelhouse_parked_total", "reader" => reader.clone()).increment(1);
        }
        runtime.changes.publish(to, changes).await;
        Ok(())
    }

    /// Locks the projector's row and says which streams are parked; nothing when somebody else has moved the position,
    /// which then becomes known. Whose term is over, or whose rules are not the tables', learns it here.
    async fn locked(&mut self, db: &mut PgConnection) -> Result<Option<ParkedStreams>, ProjectError> {
        let (name, own) = (self.projector.name(), self.projector.version());
        let (position, token, stored, categories, streams): (Position, i64, i32, Vec<String>, Vec<String>) =
            sqlx::query_as(
                "select p.position, p.token, p.version,
                 array(select category from log.parked where reader = $2 order by category, stream_id),
                 array(select stream_id from log.parked where reader = $2 order by category, stream_id)
                 from log.projectors p where p.name = $1 for update",
            )
            .bind(name)
            .bind(reader_name(self.projector))
            .fetch_one(db)
            .await?;
        if token != self.token {
            return Err(self.superseded());
        }
        if stored != own {
            return Err(ProjectError::Version { projector: name, stored, own });
        }
        if position != self.stored {
            self.come_upon(position);
            return Ok(None);
        }
        Ok(Some(categories.into_iter().zip(streams).collect()))
    }

    /// A sign of life, with the position where it moved without events of its own; and a look whether the tables are still
    /// of these rules and as far as is known, or whether a crash took the newest of them. That needs no wait for the disk.
    async fn report(&mut self) -> Result<(), ProjectError> {
        let name = self.projector.name();
        let reported: Option<Option<chrono::DateTime<chrono::Utc>>> = sqlx::query_scalar(
            "update log.projectors set position = $2, beat_at = now(),
             moved_at = case when position < $2 then now() else moved_at end
             from (select set_config('synchronous_commit', 'off', true)) as no_wait
             where name = $1 and position = $3 and token = $4 and version = $5
             returning (select recorded_at from log.events where position = $6)",
        )
        .bind(name)
        .bind(self.position)
        .bind(self.stored)
        .bind(self.token)
        .bind(self.projector.version())
        .bind(self.position.0 + 1)
        .fetch_optional(&self.runtime.pools.projector)
        .await?;
        let Some(next) = reported else {
            let mut tx = pools::begin(&self.runtime.pools.projector).await?;
            self.locked(&mut tx).await?;
            return Ok(());
        };
        self.adopt(self.position);
        self.reported_at = self.stored_at;
        let behind_events = (self.runtime.tail.head().0 - self.position.0).max(0);
        let behind_ms = next.map_or(0, |next| self.runtime.clock.now().millis_since(next.into()).max(0));
        metrics::gauge!("wheelhouse_projector_lag_events", "projector" => name).set(behind_events as f64);
        metrics::gauge!("wheelhouse_projector_lag_seconds", "projector" => name)
            .set(behind_ms as f64 / 1000.0);
        Ok(())
    }

    /// A projector that must not skip stands before the event it cannot apply; what came before it, less than `count`
    /// events, is applied.
    async fn stop_before(&mut self, at: Position, count: usize, failure: &str) -> Result<(), ProjectError> {
        let (runtime, projector) = (self.runtime, self.projector);
        let before = Position(at.0 - 1);
        let reader = runtime.feed.reader();
        let (events, _) = reader.read_of(projector.categories(), self.position, before, count as i64).await?;
        let mut tx = pools::begin_with(&runtime.pools.projector, OPENING).await?;
        let Some(mut parked) = self.locked(&mut tx).await? else { return Ok(()) };
        let applied = apply(&mut tx, projector, events, &mut parked, &reader_name(projector)).await?;
        sqlx::query(
            "update log.projectors set position = $2, state = 'stopped', failure = $3, moved_at = now() where name = $1",
        )
        .bind(projector.name())
        .bind(before)
        .bind(failure)
        .execute(&mut *tx)
        .await?;
        tx.commit().await?;
        runtime.progress.reached(projector.name(), before);
        runtime.changes.publish(before, applied.changes).await;
        Ok(())
    }
}
