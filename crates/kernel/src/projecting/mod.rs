//! Running projectors: in order, exactly once, led by one process at a time; parking what fails; rebuilding anew.

mod applying;
mod forgetting;
mod parking;
mod rebuild;
mod runner;

use std::sync::Arc;

use crate::log::LogError;
use crate::{House, Position, Projector};

pub(crate) use applying::told;
pub use forgetting::Forgetting;
pub use parking::{Parked, parked, retry};
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
    #[error("readers of {0} did not let go of its tables")]
    Busy(&'static str),
    /// Another process rebuilds it now.
    #[error("{0} is being rebuilt by another process")]
    Rebuilding(&'static str),
}

/// The projectors of this process.
#[derive(Clone)]
pub struct Projectors {
    house: House,
    all: Arc<Vec<Arc<dyn Projector>>>,
}

impl Projectors {
    /// Knows them; [`Self::run`] runs them.
    pub fn new(house: House, all: Vec<Arc<dyn Projector>>) -> Self {
        Self { house, all: Arc::new(all) }
    }

    /// Runs each of them where this process leads it, until the house closes.
    pub async fn run(&self) {
        let mut tasks = tokio::task::JoinSet::new();
        for projector in self.all.iter() {
            tasks.spawn(runner::run(self.house.clone(), projector.clone()));
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
        rebuild(&self.house, self.named(name)?.as_ref()).await
    }

    /// Rebuilds all, one after another.
    pub async fn rebuild_all(&self) -> Result<Vec<Rebuilt>, ProjectError> {
        let mut done = Vec::new();
        for projector in self.all.iter() {
            done.push(rebuild(&self.house, projector.as_ref()).await?);
        }
        Ok(done)
    }

    /// Tries a parked stream again; with success it is parked no more.
    pub async fn retry(&self, name: &str, category: &str, stream_id: &str) -> Result<bool, ProjectError> {
        retry(&self.house, self.named(name)?.as_ref(), category, stream_id).await
    }

    /// Lets a projector that stopped go on at the event that stopped it.
    pub async fn resume(&self, name: &str) -> Result<(), ProjectError> {
        let name = self.named(name)?.name();
        sqlx::query("update log.projectors set state = 'running', failure = null where name = $1")
            .bind(name)
            .execute(&self.house.pools.projector)
            .await?;
        Ok(())
    }
}

/// Under which name a projector's parked streams lie.
pub(crate) fn reader_name(projector: &dyn Projector) -> String {
    format!("projector:{}", projector.name())
}
