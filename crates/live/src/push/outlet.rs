//! The writing half of a socket: gives up on who takes nothing, and hears at once when the session ends.

use std::future::pending;
use std::time::Duration;

use axum::extract::ws::{CloseFrame, Message, WebSocket};
use futures::SinkExt;
use futures::stream::SplitSink;
use tokio::sync::broadcast::{self, error::RecvError};
use tokio::time::{Instant, sleep_until, timeout};
use tokio_util::sync::CancellationToken;
use vocabulary::Timestamp;

use super::ports::{EndReason, Ended, Viewer};
use super::protocol::Bye;

/// Time for a last word.
const FAREWELL: Duration = Duration::from_secs(1);
/// The client broke a limit.
const POLICY: u16 = 1008;
/// No session lives for a year; beyond, timers need not count.
const LONGEST_MS: i64 = 366 * 24 * 3_600_000;

/// Why a socket ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// The other side is gone.
    Gone,
    /// We say goodbye.
    Bye(Bye),
    /// The client broke a limit.
    Limit(&'static str),
}

pub(super) struct Outlet {
    pub(super) sink: SplitSink<WebSocket, Message>,
    pub(super) ended: broadcast::Receiver<Ended>,
    pub(super) viewer: Viewer,
    /// When the viewer's token or session ends by age.
    pub(super) until: Instant,
    pub(super) stop: CancellationToken,
    pub(super) stall: Duration,
}

/// When `until` comes, as timers count.
pub(super) fn instant(until: Timestamp, now: Timestamp) -> Instant {
    let left_ms = until.millis_since(now).clamp(0, LONGEST_MS);
    Instant::now() + Duration::from_millis(left_ms.cast_unsigned())
}

/// Returns when the session ends, by age or by word, or the process.
async fn ending(
    ended: &mut broadcast::Receiver<Ended>,
    viewer: &Viewer,
    until: Instant,
    stop: &CancellationToken,
) -> End {
    let told = async {
        loop {
            match ended.recv().await {
                Ok(ended) if ended.concerns(viewer) => {
                    break Bye::from(ended.reason);
                }
                Ok(_) => {}
                // Ours may be among the missed ones: come again, and be looked at again.
                Err(RecvError::Lagged(_)) => break Bye::ScopeChanged,
                Err(RecvError::Closed) => pending().await,
            }
        }
    };
    tokio::select! {
        biased;
        () = stop.cancelled() => End::Bye(Bye::Draining),
        bye = told => End::Bye(bye),
        () = sleep_until(until) => End::Bye(Bye::Expired),
    }
}

impl From<EndReason> for Bye {
    fn from(reason: EndReason) -> Self {
        match reason {
            EndReason::SignedOut => Self::SignedOut,
            EndReason::Disabled => Self::Disabled,
            EndReason::ScopeChanged => Self::ScopeChanged,
        }
    }
}

impl Outlet {
    /// Returns when there is nothing more to say to this viewer.
    pub(super) async fn ending(&mut self) -> End {
        ending(&mut self.ended, &self.viewer, self.until, &self.stop).await
    }

    pub(super) async fn send(&mut self, messages: Vec<Message>) -> Result<(), End> {
        if messages.is_empty() {
            return Ok(());
        }
        let Self { sink, ended, viewer, until, stop, stall } = self;
        let write = async {
            for message in messages {
                sink.feed(message).await?;
            }
            sink.flush().await
        };
        tokio::select! {
            biased;
            end = ending(ended, viewer, *until, stop) => Err(end),
            written = timeout(*stall, write) => match written {
                Ok(Ok(())) => Ok(()),
                Ok(Err(_)) | Err(_) => Err(End::Gone),
            },
        }
    }
}

/// Says why, as far as the other side still listens.
pub(super) async fn farewell(sink: &mut SplitSink<WebSocket, Message>, end: End) {
    let (text, code, reason) = match end {
        End::Gone => return,
        End::Bye(bye) => (Some(bye.frame()), bye.close_code(), bye.code()),
        End::Limit(reason) => (None, POLICY, reason),
    };
    let words = async {
        if let Some(text) = text {
            sink.feed(Message::Text(text.into())).await?;
        }
        sink.feed(Message::Close(Some(CloseFrame { code, reason: reason.into() }))).await?;
        sink.flush().await
    };
    // Who does not take the last word does not get it.
    let _ = timeout(FAREWELL, words).await;
}
