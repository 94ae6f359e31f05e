//! Which rows of read models changed, for those who watch them: in this process, and through NATS in the others.

use std::sync::Arc;

use futures::StreamExt;
use serde::{Deserialize, Serialize};
use tokio::sync::broadcast;
use tokio_util::sync::CancellationToken;
use vocabulary::DataOwner;

use crate::{Change, Position};

/// Batches that a slow watcher may be behind before it loses the oldest.
const KEPT: usize = 1024;
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
    /// The rows.
    pub changes: Vec<RowChanged>,
}

/// Tells of changed rows.
#[derive(Clone)]
pub struct Changes {
    here: broadcast::Sender<Arc<ChangeBatch>>,
    there: Option<Elsewhere>,
}

#[derive(Clone)]
struct Elsewhere {
    nats: async_nats::Client,
    /// Tells this process's messages from others'.
    node: String,
}

const NODE: &str = "Wheelhouse-Node";

impl Changes {
    /// Tells within this process, and with `nats` in others too; `node` names this process among them.
    pub fn new(nats: Option<async_nats::Client>, node: &str) -> Self {
        Self {
            here: broadcast::Sender::new(KEPT),
            there: nats.map(|nats| Elsewhere { nats, node: node.to_owned() }),
        }
    }

    /// Hears of changes from now on. One who falls 1024 batches behind is told how many he lost, and should read anew.
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
                let batch = ChangeBatch { table: table.to_owned(), position, changes: rows.to_vec() };
                self.elsewhere(&batch).await;
                // Without watchers there is nobody to tell.
                let _ = self.here.send(Arc::new(batch));
            }
        }
    }

    async fn elsewhere(&self, batch: &ChangeBatch) {
        let Some(there) = &self.there else { return };
        if there.nats.connection_state() != async_nats::connection::State::Connected {
            return;
        }
        let Ok(json) = serde_json::to_vec(batch) else { return };
        let mut headers = async_nats::HeaderMap::new();
        headers.insert(NODE, there.node.as_str());
        let subject = format!("changes.{}", batch.table);
        if let Err(error) = there.nats.publish_with_headers(subject, headers, json.into()).await {
            tracing::debug!(error = %error, "other nodes were not told of changed rows");
        }
    }

    /// Listens to the other nodes until `stop`.
    pub async fn listen(self, stop: CancellationToken) {
        let Some(there) = &self.there else { return };
        let mut messages = match there.nats.subscribe("changes.>").await {
            Ok(messages) => messages,
            Err(error) => {
                tracing::warn!(error = %error, "changes of other nodes are not heard");
                return;
            }
        };
        loop {
            let message = tokio::select! {
                () = stop.cancelled() => return,
                message = messages.next() => message,
            };
            let Some(message) = message else { return };
            let own = message
                .headers
                .as_ref()
                .and_then(|headers| headers.get(NODE))
                .is_some_and(|node| node.as_str() == there.node);
            if own {
                continue;
            }
            match serde_json::from_slice::<ChangeBatch>(&message.payload) {
                Ok(batch) => drop(self.here.send(Arc::new(batch))),
                Err(error) => tracing::debug!(error = %error, "a message about changed rows is not one"),
            }
        }
    }
}
