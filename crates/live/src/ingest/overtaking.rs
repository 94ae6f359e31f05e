//! While what bikes said waits to be stored, memory hears what they say now, past the stream: a database that stands still
//! does not stop the map.

use std::time::Duration;

use tokio::task::JoinSet;
use tokio::time::Instant;

use super::hearing;
use super::leader::{Ingest, IngestError};

/// A batch that fills up is no reason yet.
const AFTER: Duration = Duration::from_secs(1);

/// See the module. Ends with its owner.
#[derive(Default)]
pub(super) struct Overtaking {
    behind_since: Option<Instant>,
    listening: JoinSet<Result<(), IngestError>>,
}

impl Overtaking {
    /// Begins, goes on or ends; `behind` says whether storing is.
    pub(super) fn judge(&mut self, ingest: &Ingest, behind: bool, now: Instant) {
        // A subscription that ended by itself is begun again.
        while self.listening.try_join_next().is_some() {}
        if !behind {
            self.behind_since = None;
            if self.goes_on() {
                tracing::info!("storing has caught up");
                self.listening = JoinSet::new();
            }
            return;
        }
        let since = *self.behind_since.get_or_insert(now);
        if now - since >= AFTER && !self.goes_on() {
            tracing::warn!("storing is behind: memory takes reports past the stream");
            let (hearing, answering) = (ingest.clone(), ingest.clone());
            self.listening.spawn(async move { hearing::reports(&hearing, Some(&hearing.alarms)).await });
            self.listening.spawn(async move { hearing::answers(&answering).await });
        }
    }

    pub(super) fn goes_on(&self) -> bool {
        !self.listening.is_empty()
    }
}
