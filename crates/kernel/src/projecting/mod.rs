//! Running projectors: in order, exactly once, led by one process at a time; parking what fails; rebuilding anew.

mod applying;
mod forgetting;
mod parking;
mod rebuild;
mod runner;
mod snapshots;

use std::sync::Arc;
use std::time::Duration;

use crate::log::LogError;
use crate::{Position, Projector, Runtime, pools};

pub(crate) use applying::told;
pub use forgetting::Forgetting;
pub use parking::{Parked, parked};
pub use rebuild::{Rebuilt, fingerprint, rebuild};

/// Why projecting stopped or could not be done.
#[derive(Debug, thiserror::Error)]
pub enum ProjectError {
    /// PostgreSQL refused or broke.
    #[error("the read models' database failed")]
    Database(#[from] sqlx::Error),
    /// The log could not be read.
    #[error(transparent)]
    Log(#[from] LogError),
    /// An event could not be applied, and this projector parks nothing.
    #[error("{projector} stops at position {}: {failure}", position.0)]
    Stopped {
        /// Which.
        projector: &'static str,
        /// At which event.
        position: Position,
        /// Why.
        failure: String,
    },
    /// No projector has this name.
    #[error("no projector is named {0}")]
    Unknown(String),
    /// The shadow tables could not take the place of the live ones because readers never let go.
    #[error("the tables of {projector} could not be swapped: {readers}")]
    Busy {
        /// Which.
        projector: &'static str,
        /// Who reads, as PostgreSQL knows them.
        readers: String,
    },
    /// Its tables are of another version than this program's rules.
    #[error("{projector} has version {stored} in the database and {own} in this program: {}", way_out(*stored, *own))]
    Version {
        /// Which.
        projector: &'static str,
        /// Of the tables.
        stored: i32,
        /// Of this program.
        own: i32,
    },
    /// Another process leads it in a later term.
    #[error("{0} is led by another process now")]
    Superseded(&'static str),
    /// Another process rebuilds it now.
    #[error("{0} is being rebuilt by another process")]
    Rebuilding(&'static str),
}

const fn way_out(stored: i32, own: i32) -> &'static str {
    if stored > own { "use the newer program" } else { "rebuild it first" }
}

/// A program of version `own` touches no tables of newer rules.
const fn not_newer(projector: &'static str, stored: i32, own: i32) -> Result<(), ProjectError> {
    if stored > own { Err(ProjectError::Version { projector, stored, own }) } else { Ok(()) }
}

/// How much is done in one go, and how long is waited.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Events of a parked stream that are applied in one transaction.
    pub retry_page: i64,
    /// How long a rebuild waits for readers of the old tables.
    pub swap_patience: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self { retry_page: 10_000, swap_patience: Duration::from_mins(1) }
    }
}

/// The projectors of this process.
#[derive(Clone)]
pub struct Projectors {
    runtime: Runtime,
    all: Arc<Vec<Arc<dyn Projector>>>,
    limits: Limits,
}

impl Projectors {
    /// Knows them; [`Self::run`] runs them.
    pub fn new(runtime: Runtime, all: Vec<Arc<dyn Projector>>) -> Self {
        Self { runtime, all: Arc::new(all), limits: Limits::default() }
    }

    /// With other limits than the usual.
    #[must_use]
    pub const fn limited(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Runs each of them where this process leads it, until the system closes.
    pub async fn run(&self) {
        let mut tasks = tokio::task::JoinSet::new();
        for projector in self.all.iter() {
            tasks.spawn(runner::run(self.runtime.clone(), projector.clone(), self.limits));
        }
        while tasks.join_next().await.is_some() {}
    }

    /// Those who want it find a projector by name.
    pub fn named(&self, name: &str) -> Result<&Arc<dyn Projector>, ProjectError> {
        self.all
            .iter()
            .find(|projector| projector.name() == name)
            .ok_or_else(|| ProjectError::Unknown(name.to_owned()))
    }

    /// Their names.
    pub fn names(&self) -> Vec<&'static str> {
        self.all.iter().map(|projector| projector.name()).collect()
    }

    /// Rebuilds one while it serves.
    pub async fn rebuild(&self, name: &str) -> Result<Rebuilt, ProjectError> {
        rebuild::rebuild(&self.runtime, self.named(name)?.as_ref(), self.limits).await
    }

    /// Rebuilds all, one after another.
    pub async fn rebuild_all(&self) -> Result<Vec<Rebuilt>, ProjectError> {
        let mut done = Vec::new();
        for projector in self.all.iter() {
            done.push(rebuild::rebuild(&self.runtime, projector.as_ref(), self.limits).await?);
        }
        Ok(done)
    }

    /// Tries a parked stream again; with success it is parked no more.
    pub async fn retry(&self, name: &str, category: &str, stream_id: &str) -> Result<bool, ProjectError> {
        let projector = self.named(name)?.as_ref();
        parking::retry(&self.runtime, projector, category, stream_id, self.limits.retry_page).await
    }

    /// Lets a projector that stopped go on at the event that stopped it.
    pub async fn resume(&self, name: &str) -> Result<(), ProjectError> {
        let projector = self.named(name)?;
        let mut tx = pools::begin(&self.runtime.pools.projector).await?;
        let stored = sqlx::query_scalar("select version from log.projectors where name = $1 for update")
            .bind(projector.name())
            .fetch_optional(&mut *tx)
            .await?;
        not_newer(projector.name(), stored.unwrap_or(0), projector.version())?;
        sqlx::query("update log.projectors set state = 'running', failure = null where name = $1")
            .bind(projector.name())
            .execute(&mut *tx)
            .await?;
        tx.commit().await?;
        Ok(())
    }
}

/// Under which name a projector's parked streams lie.
pub(crate) fn reader_name(projector: &dyn Projector) -> String {
    format!("projector:{}", projector.name())
}
