//! The other nodes: what one tells all others through NATS. Nobody is told while NATS is away.

use std::sync::Arc;

use futures::StreamExt;
use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio_util::sync::CancellationToken;

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
