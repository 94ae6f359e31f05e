//! What answers events with commands or calls to the outside.

use async_trait::async_trait;

use crate::{Recorded, RequestId};

/// Reads the log in order and acts. Led by one node at a time.
#[async_trait]
pub trait Reactor: Send + Sync + 'static {
    /// Its name; the key of its stored position.
    fn name(&self) -> &'static str;

    /// The categories whose events it wants.
    fn categories(&self) -> &'static [&'static str];

    /// Acts on `event`. May be called again for the same event after a crash: commands it issues carry
    /// [`request_id`] so that they are done once.
    async fn react(&self, event: &Recorded) -> Result<(), ReactError>;
}

/// Why a reaction failed.
#[derive(Debug, thiserror::Error)]
pub enum ReactError {
    /// Something outside is away: the reactor waits and tries this event again.
    #[error("the reaction has to wait")]
    Later(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// It will never work: the event is parked and shown to operators.
    #[error("the reaction cannot be done")]
    Never(#[source] Box<dyn std::error::Error + Send + Sync>),
}

/// The request id of the `step`-th command that `reactor` issues because of `event`.
pub fn request_id(reactor: &str, event: &Recorded, step: &str) -> RequestId {
    RequestId(format!("{reactor}:{}:{step}", event.position.0))
}
