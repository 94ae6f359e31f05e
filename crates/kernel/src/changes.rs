//! Which rows of read models changed, for those who watch them: in this process, and through NATS in the others.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use tokio::sync::broadcast;
use tokio_util::sync::CancellationToken;
use vocabulary::DataOwner;

use crate::peers::Peers;
use crate::{Change, Position};

/// Batches that a slow watcher may be behind before it loses the oldest.
const KEPT: usize = 1024;
/// Where one node tells the others that they may not have heard of changes.
const GAPS: &str = "changes.gap";
/// Rows in one batch; more are told in several.
const MAX_ROWS: usize = 200;

/// A row of a read model that changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RowChanged {
    /// The table.
    pub table: String,
    /// The row's key as lists show it.
    pub key: String,
    /// Whose row it is: only watchers with this in scope hear of it.
    #[serde(rename = "territory")]
    pub owner: DataOwner,
}

impl From<Change> for RowChanged {
    fn from(change: Change) -> Self {
        Self { table: change.table.to_owned(), key: change.key, owner: change.owner }
    }
}

/// Rows of one table that changed together.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChangeBatch {
    /// The table.
    pub table: String,
    /// The log's position that the table has reached.
    pub position: Position,
    /// The rows; none when any of the table's may have changed.
    pub changes: Vec<RowChanged>,
}

impl ChangeBatch {
    /// What nobody could be told: anything may have changed.
    fn gap() -> Self {
        Self { table: String::new(), position: Position(0), changes: Vec::new() }
    }

    /// Whether changes were missed instead: read everything anew.
    pub fn is_gap(&self) -> bool {
        self.table.is_empty()
    }

    /// Whether changes of its table were missed instead: read the whole table anew.
    pub fn is_of_whole_table(&self) -> bool {
        !self.is_gap() && self.changes.is_empty()
    }
}

/// Tells of changed rows.
#[derive(Clone)]
pub struct Changes {
    here: broadcast::Sender<Arc<ChangeBatch>>,
    there: Option<Peers>,
}

impl Changes {
    /// Tells within this process, and those `there` too.
    pub(crate) fn new(there: Option<Peers>) -> Self {
        Self { here: broadcast::Sender::new(KEPT), there }
    }

    /// Hears of changes from now on. One who falls 1024 batches behind is told how many he lost; what other nodes told while
    /// NATS was away is a batch of its own ([`ChangeBatch::is_gap`]), and so is what somebody changed who died before he told
    /// ([`ChangeBatch::is_of_whole_table`]). After any of them he should read anew.
    pub fn subscribe(&self) -> broadcast::Receiver<Arc<ChangeBatch>> {
        self.here.subscribe()
    }

    /// Tells of `changes`, committed at `position`.
    pub async fn publish(&self, position: Position, changes: Vec<Change>) {
        let mut tables: Vec<(&'static str, Vec<RowChanged>)> = Vec::new();
        for change in changes {
            let table = change.table;
            match tables.iter_mut().find(|(name, _)| *name == table) {
                Some((_, rows)) => rows.push(change.into()),
                None => tables.push((table, vec![change.into()])),
            }
        }
        for (table, rows) in tables {
            for rows in rows.chunks(MAX_ROWS) {
                self.tell(ChangeBatch { table: table.to_owned(), position, changes: rows.to_vec() }).await;
            }
        }
    }

    /// Tells that any row of `tables`, which are at `position`, may have changed without a word.
    pub(crate) async fn publish_unknown(&self, position: Position, tables: &[&str]) {
        for table in tables {
            self.tell(ChangeBatch { table: (*table).to_owned(), position, changes: Vec::new() }).await;
        }
    }

    async fn tell(&self, batch: ChangeBatch) {
        if let Some(there) = &self.there {
            there.tell(format!("changes.{}", batch.table), &batch).await;
        }
        // Without watchers there is nobody to tell.
        let _ = self.here.send(Arc::new(batch));
    }

    /// Listens to the other nodes until `stop`.
    pub async fn listen(self, stop: CancellationToken) {
        let Some(there) = &self.there else { return };
        let hear = |batch: ChangeBatch| drop(self.here.send(Arc::new(batch)));
        let listening = there.listen("changes.>".to_owned(), stop, hear);
        tokio::select! {
            () = listening => {}
            () = self.tell_gaps(there) => {}
        }
    }

    /// After a time without NATS nobody has heard of the others here, nor the others of what was told here.
    async fn tell_gaps(&self, there: &Peers) {
        let mut known = there.connects();
        loop {
            known = there.reconnected(known).await;
            there.tell(GAPS.to_owned(), &ChangeBatch::gap()).await;
            let _ = self.here.send(Arc::new(ChangeBatch::gap()));
        }
    }
}
