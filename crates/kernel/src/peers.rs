//! The other nodes: what one tells all others through NATS. Nobody is told while NATS is away.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use futures::StreamExt;
use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio_util::sync::CancellationToken;

/// How often the connection is looked at.
const LOOK: Duration = Duration::from_secs(1);
/// Tells one node's messages from others'.
const NODE: &str = "Wheelhouse-Node";

/// Talks with the other nodes. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Peers {
    nats: async_nats::Client,
    node: Arc<str>,
}

impl Peers {
    /// `node` names this process among them.
    pub(crate) const fn new(nats: async_nats::Client, node: Arc<str>) -> Self {
        Self { nats, node }
    }

    pub(crate) fn is_connected(&self) -> bool {
        self.nats.connection_state() == async_nats::connection::State::Connected
    }

    /// Tells those who listen to `subject`, while there is a connection.
    pub(crate) async fn tell(&self, subject: String, message: &impl Serialize) {
        if !self.is_connected() {
            return;
        }
        let Ok(json) = serde_json::to_vec(message) else { return };
        let mut headers = async_nats::HeaderMap::new();
        headers.insert(NODE, &*self.node);
        if let Err(error) = self.nats.publish_with_headers(subject.clone(), headers, json.into()).await {
            tracing::debug!(subject, error = %error, "other nodes were not told");
        }
    }

    /// Waits until a connection stands again after one was away, and its subscriptions with it. `known` is how often there was
    /// one, as this said last.
    pub(crate) async fn reconnected(&self, known: u64) -> u64 {
        loop {
            tokio::time::sleep(LOOK).await;
            let connects = self.connects();
            if connects != known && self.is_connected() {
                // Subscriptions are the first that a new connection sends: they stand a look later.
                tokio::time::sleep(LOOK).await;
                return connects;
            }
        }
    }

    /// How often there was a connection.
    pub(crate) fn connects(&self) -> u64 {
        self.nats.statistics().connects.load(Ordering::Relaxed)
    }

    /// Hears what others tell on `subject`, until `stop`.
    pub(crate) async fn listen<T: DeserializeOwned>(
        &self,
        subject: String,
        stop: CancellationToken,
        mut hear: impl FnMut(T),
    ) {
        let mut messages = match self.nats.subscribe(subject.clone()).await {
            Ok(messages) => messages,
            Err(error) => {
                tracing::warn!(subject, error = %error, "other nodes are not heard");
                return;
            }
        };
        loop {
            let message = tokio::select! {
                () = stop.cancelled() => return,
                message = messages.next() => message,
            };
            let Some(message) = message else { return };
            let node = message.headers.as_ref().and_then(|headers| headers.get(NODE));
            if node.is_some_and(|node| node.as_str() == &*self.node) {
                continue;
            }
            match serde_json::from_slice(&message.payload) {
                Ok(message) => hear(message),
                Err(error) => {
                    tracing::debug!(subject, error = %error, "a message of another node is not one");
                }
            }
        }
    }
}
