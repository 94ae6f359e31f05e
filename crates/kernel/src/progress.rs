//! How far the projectors have come: those that this process leads tell at once, those of other processes through NATS,
//! many times a second and all in one message.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use dashmap::DashMap;
use sqlx::PgPool;
use tokio::sync::{Notify, watch};
use tokio_util::sync::CancellationToken;

use crate::Position;
use crate::peers::Peers;

/// Between two messages to the other nodes.
const PACE: Duration = Duration::from_millis(20);

/// How far the projectors have come.
#[derive(Clone)]
pub struct Progress {
    reached: Arc<DashMap<String, watch::Sender<i64>>>,
    there: Option<Arc<Elsewhere>>,
}

struct Elsewhere {
    peers: Peers,
    /// Nodes of one log speak on one subject.
    subject: String,
    /// What is still to be told.
    news: Mutex<HashMap<String, i64>>,
    some: Notify,
}

impl Progress {
    /// Knows nothing yet. Those of `peers` that are on the log behind `pool` are told and listened to, until `stop`.
    pub(crate) async fn start(
        pool: &PgPool,
        peers: Option<Peers>,
        stop: CancellationToken,
    ) -> sqlx::Result<Self> {
        let Some(peers) = peers else { return Ok(Self { reached: Arc::default(), there: None }) };
        let there = Elsewhere {
            peers,
            subject: format!("progress.{}", log_id(pool).await?),
            news: Mutex::default(),
            some: Notify::new(),
        };
        let progress = Self { reached: Arc::default(), there: Some(Arc::new(there)) };
        tokio::spawn(progress.clone().tell(stop.clone()));
        tokio::spawn(progress.clone().listen(stop));
        Ok(progress)
    }

    /// Tells, here and elsewhere, that `projector` has reached `position`.
    pub fn reached(&self, projector: &str, position: Position) {
        if self.heard(projector, position)
            && let Some(there) = &self.there
        {
            there.news().insert(projector.to_owned(), position.0);
            there.some.notify_one();
        }
    }

    /// Whether what other nodes lead is told of by them: then the stored positions need not be looked at.
    pub fn is_told(&self) -> bool {
        self.there.as_ref().is_some_and(|there| there.peers.is_connected())
    }

    /// Knows that `projector` has reached `position`; says whether that is news.
    pub(crate) fn heard(&self, projector: &str, position: Position) -> bool {
        self.sender(projector).send_if_modified(|reached| {
            let further = position.0 > *reached;
            *reached = position.0.max(*reached);
            further
        })
    }

    /// Told whenever `projector` gets further.
    pub fn of(&self, projector: &str) -> watch::Receiver<i64> {
        self.sender(projector).subscribe()
    }

    fn sender(&self, projector: &str) -> watch::Sender<i64> {
        if let Some(sender) = self.reached.get(projector) {
            return sender.clone();
        }
        self.reached.entry(projector.to_owned()).or_insert_with(|| watch::Sender::new(0)).clone()
    }

    async fn tell(self, stop: CancellationToken) {
        let Some(there) = self.there else { return };
        loop {
            tokio::select! {
                () = stop.cancelled() => return,
                () = there.some.notified() => {}
            }
            let news = std::mem::take(&mut *there.news());
            there.peers.tell(there.subject.clone(), &news).await;
            tokio::time::sleep(PACE).await;
        }
    }

    async fn listen(self, stop: CancellationToken) {
        let Some(there) = &self.there else { return };
        let hear = |news: HashMap<String, i64>| {
            for (projector, position) in news {
                self.heard(&projector, Position(position));
            }
        };
        there.peers.listen(there.subject.clone(), stop, hear).await;
    }
}

impl Elsewhere {
    fn news(&self) -> std::sync::MutexGuard<'_, HashMap<String, i64>> {
        self.news.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Names the log's database among all that may share a NATS.
async fn log_id(pool: &PgPool) -> sqlx::Result<String> {
    sqlx::query_scalar(
        "select (pg_control_system()).system_identifier || '-' || oid from pg_database where datname = current_database()",
    )
    .fetch_one(pool)
    .await
}
