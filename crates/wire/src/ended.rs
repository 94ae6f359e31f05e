//! News that a session, or every session of an operator, has ended: heard by caches and by open sockets.

use std::sync::Arc;

use rand::RngCore;
use rand::rngs::OsRng;
use serde::{Deserialize, Serialize};
use tokio::sync::broadcast;
use vocabulary::OperatorId;

use crate::SessionId;

const SUBJECT: &str = "authentication.ended";
/// A listener further behind than this must take everything for ended.
const CAPACITY: usize = 1024;

/// Why it ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EndedReason {
    /// The person signed out.
    SignedOut,
    /// The account was disabled or removed.
    Disabled,
    /// Role, scope or device changed: the caller must look again, or sign in again.
    Changed,
}

/// A session, or all sessions of an operator, ended or must be looked at again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "what", rename_all = "snake_case")]
pub enum Ended {
    /// One session.
    Session {
        /// Which.
        session: SessionId,
        /// Why.
        reason: EndedReason,
    },
    /// Every session of an operator.
    Operator {
        /// Whose.
        operator: OperatorId,
        /// Why.
        reason: EndedReason,
    },
}

#[derive(Serialize, Deserialize)]
struct Told {
    node: u64,
    ended: Ended,
}

/// The broadcast: in this process at once, in the others through NATS core.
#[derive(Clone)]
pub struct Revocations {
    node: u64,
    here: broadcast::Sender<Arc<Ended>>,
    nats: Option<async_nats::Client>,
}

impl Revocations {
    /// With `nats`, other processes hear of it too (while NATS is reachable; caches also forget by age).
    pub fn new(nats: Option<async_nats::Client>) -> Self {
        Self { node: OsRng.next_u64(), here: broadcast::channel(CAPACITY).0, nats }
    }

    /// What ends from now on. A receiver that lags has missed some: treat all as ended.
    pub fn subscribe(&self) -> broadcast::Receiver<Arc<Ended>> {
        self.here.subscribe()
    }

    /// Tells everybody.
    pub async fn tell(&self, ended: Ended) {
        let _nobody_listens = self.here.send(Arc::new(ended.clone()));
        let Some(nats) = &self.nats else { return };
        let told = serde_json::to_vec(&Told { node: self.node, ended }).expect("plain data");
        if let Err(error) = nats.publish(SUBJECT, told.into()).await {
            tracing::warn!(%error, "other nodes were not told that a session ended");
        }
    }

    /// Passes on what other processes tell, until the connection is closed. Without NATS: returns at once.
    pub async fn listen(&self) -> Result<(), async_nats::SubscribeError> {
        use futures::StreamExt;
        let Some(nats) = &self.nats else { return Ok(()) };
        let mut messages = nats.subscribe(SUBJECT).await?;
        while let Some(message) = messages.next().await {
            match serde_json::from_slice::<Told>(&message.payload) {
                Ok(told) if told.node != self.node => {
                    let _nobody_listens = self.here.send(Arc::new(told.ended));
                }
                Ok(_own) => {}
                Err(error) => tracing::warn!(%error, "news of an ended session cannot be read"),
            }
        }
        Ok(())
    }
}

impl std::fmt::Debug for Revocations {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Revocations").finish_non_exhaustive()
    }
}
