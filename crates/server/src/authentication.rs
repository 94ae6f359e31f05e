//! Who may look at live data: the wire's rules, for the websocket.

use std::sync::Arc;

use async_trait::async_trait;
use live::push::{Authentication, Denied, EndReason, Ended, Viewer, Whose};
use tokio::sync::broadcast;
use wire::{EndedReason, Wire};

/// The wire, seen from the websocket.
pub struct WireAuthentication {
    wire: Arc<Wire>,
    ended: broadcast::Sender<Ended>,
}

impl WireAuthentication {
    /// Passes on what ends, for as long as the wire lives.
    pub fn new(wire: Arc<Wire>) -> Arc<Self> {
        let (ended, _) = broadcast::channel(1024);
        let mut told = wire.revocations().subscribe();
        let teller = ended.clone();
        tokio::spawn(async move {
            loop {
                match told.recv().await {
                    Ok(one) => drop(teller.send(translated(&one))),
                    Err(broadcast::error::RecvError::Lagged(_)) => {} // sockets ask again every minute anyway
                    Err(broadcast::error::RecvError::Closed) => return,
                }
            }
        });
        Arc::new(Self { wire, ended })
    }
}

fn translated(ended: &wire::Ended) -> Ended {
    let reason = |reason| match reason {
        EndedReason::SignedOut => EndReason::SignedOut,
        EndedReason::Disabled => EndReason::Disabled,
        EndedReason::Changed => EndReason::ScopeChanged,
    };
    match ended {
        wire::Ended::Session { session, reason: why } => {
            Ended { whose: Whose::Session(session.to_string()), reason: reason(*why) }
        }
        wire::Ended::Operator { operator, reason: why } => {
            Ended { whose: Whose::Operator(*operator), reason: reason(*why) }
        }
    }
}

#[async_trait]
impl Authentication for WireAuthentication {
    async fn admit(&self, token: &str, t: &str) -> Result<Viewer, Denied> {
        let admitted = self.wire.admit(token, t).await.map_err(|refused| match refused {
            wire::Refused::NoSession(_) => Denied::NotSignedIn,
            wire::Refused::Disabled => Denied::Disabled,
            other => Denied::Unknown(other.into()),
        })?;
        let codes = Arc::clone(&admitted.caller.codes);
        Ok(Viewer {
            operator: admitted.caller.operator.ok_or(Denied::NotSignedIn)?,
            session: admitted.caller.session.ok_or(Denied::NotSignedIn)?.to_string(),
            scope: Arc::new(admitted.caller.scope),
            full_scope: Arc::new(admitted.caller.full_scope),
            holds: Arc::new(move |code| codes.has(code)),
            permission_version: admitted.permission_version,
            until: admitted.until,
        })
    }

    fn ended(&self) -> broadcast::Receiver<Ended> {
        self.ended.subscribe()
    }
}
