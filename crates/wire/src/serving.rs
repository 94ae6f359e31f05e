//! Serving over TCP: who may connect, how long a connection may say nothing, and how it all ends.

use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::{ConnectInfo, Request};
use axum::response::Response;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tower::ServiceExt;

use crate::line::{Line, Slot};
use crate::{ClientAddress, Wire, is_trusted};

/// A request's line and headers have at most so many bytes together.
const HEAD_BYTES: usize = 64 * 1024;
/// After a failure to accept (no descriptor is free, say) the next try waits so long.
const ACCEPT_PAUSE: Duration = Duration::from_millis(200);
/// Connections turned away are told of in the log once in this time.
const TOLD_EVERY: Duration = Duration::from_secs(10);

/// Serves `router` on `listener` until `stop`, then lets requests under way end and returns. Connections beyond the
/// bounds of the configuration are closed at once.
pub async fn serve(listener: TcpListener, router: Router, wire: Arc<Wire>, stop: impl Future<Output = ()>) {
    let under_way = UnderWay::default();
    let mut turned_away = TurnedAway::default();
    let mut failing = false;
    let mut stop = pin!(stop);
    loop {
        let accepted = tokio::select! {
            biased;
            () = &mut stop => break,
            accepted = listener.accept() => accepted,
        };
        match accepted {
            Ok((stream, peer)) => {
                failing = false;
                if let Some(slot) = slot(&wire, peer) {
                    attend(stream, peer, slot, &router, &wire, &under_way);
                } else {
                    turned_away.one(peer);
                }
            }
            Err(error) if is_the_clients(&error) => {}
            Err(error) => {
                if !failing {
                    tracing::error!(%error, "no connection can be accepted");
                }
                failing = true;
                tokio::time::sleep(ACCEPT_PAUSE).await;
            }
        }
    }
    drop(listener);
    under_way.end().await;
}

/// The connections that are served.
#[derive(Default)]
struct UnderWay {
    connections: TaskTracker,
    ending: CancellationToken,
}

impl UnderWay {
    /// Lets each connection answer the request that it has, and waits for all of them.
    async fn end(self) {
        self.ending.cancel();
        self.connections.close();
        self.connections.wait().await;
    }
}

/// A place for a connection from `peer`. Trusted proxies carry many clients, so they have no share of their own.
fn slot(wire: &Wire, peer: SocketAddr) -> Option<Arc<Slot>> {
    let from = ClientAddress(peer.ip().to_canonical());
    let share = (!is_trusted(from.0, &wire.config.trusted_proxies)).then_some(from);
    wire.connections.take(share, 1).ok().map(Slot::new)
}

/// Serves one connection in a task of its own.
fn attend(
    stream: TcpStream,
    peer: SocketAddr,
    slot: Arc<Slot>,
    router: &Router,
    wire: &Wire,
    under_way: &UnderWay,
) {
    // Answers are written whole; waiting for more to send with them gains nothing.
    let _ = stream.set_nodelay(true);
    let line = Line::new(stream, Arc::clone(&slot), wire.config.stall_timeout);
    let router = router.clone();
    let service = hyper::service::service_fn(move |request: Request<Incoming>| {
        let mut request = request.map(Body::new);
        request.extensions_mut().insert(ConnectInfo(peer));
        request.extensions_mut().insert(Arc::clone(&slot));
        let answering = router.clone().oneshot(request);
        async move { Ok::<Response, Infallible>(answering.await.unwrap_or_else(|never| match never {})) }
    });
    // HTTP/1 by itself: a builder that first looks which version is spoken waits for that without an end.
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        // Counts from the moment on which a request may come, so it ends idle connections as well as slow heads.
        .header_read_timeout(wire.config.idle_timeout)
        .max_buf_size(HEAD_BYTES)
        .serve_connection(TokioIo::new(line), service)
        .with_upgrades();
    let ending = under_way.ending.clone();
    under_way.connections.spawn(async move {
        let mut connection = pin!(connection);
        let ended = tokio::select! {
            ended = connection.as_mut() => ended,
            () = ending.cancelled() => {
                connection.as_mut().graceful_shutdown();
                connection.await
            }
        };
        if let Err(error) = ended {
            tracing::trace!(%error, "a connection broke off");
        }
    });
}

/// Whether the client was gone before it was accepted, which is no trouble of ours.
fn is_the_clients(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset};
    matches!(error.kind(), ConnectionAborted | ConnectionRefused | ConnectionReset)
}

/// Tells now and then how many were turned away, so that a flood does not fill the log too.
#[derive(Default)]
struct TurnedAway {
    count: u64,
    told: Option<Instant>,
}

impl TurnedAway {
    fn one(&mut self, peer: SocketAddr) {
        self.count += 1;
        if self.told.is_none_or(|told| told.elapsed() >= TOLD_EVERY) {
            tracing::warn!(count = self.count, latest = %peer.ip(), "connections beyond the bounds are closed");
            *self = Self { count: 0, told: Some(Instant::now()) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_client_that_left_is_no_failure_and_a_lack_of_descriptors_is() {
        assert!(is_the_clients(&io::ErrorKind::ConnectionAborted.into()));
        let no_descriptor_left = io::Error::from_raw_os_error(24);
        assert!(!is_the_clients(&no_descriptor_left));
    }
}
