//! What a request passes before it takes up work: its body is read whole, then it takes one of the places.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use axum::body::{Body, HttpBody};
use axum::extract::{MatchedPath, Request, State};
use axum::http::header::UPGRADE;
use axum::http::request::Parts;
use axum::http::{HeaderMap, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use bytes::{Bytes, BytesMut};
use futures::StreamExt;
use tokio::time::timeout;

use crate::authorisation::as_financial;
use crate::line::Slot;
use crate::mount::{is_financial, is_probe};
use crate::shares::Place;
use crate::{ClientAddress, Refused, Wire, zero};

/// Whether a request's body has been read to its end; the next request can follow on its connection only then.
#[derive(Clone, Debug)]
pub(crate) struct BodyRead(Arc<AtomicBool>);

impl BodyRead {
    /// Of a request that was just received.
    pub fn of(body: &Body) -> Self {
        Self(Arc::new(AtomicBool::new(body.is_end_stream())))
    }

    pub fn is_whole(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    fn set_whole(&self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// What a request passes.
#[derive(Clone)]
pub(crate) struct Admission {
    pub wire: Arc<Wire>,
    /// Routes whose bodies are files, with the bytes that these may have.
    pub uploads: Arc<HashMap<String, usize>>,
}

impl Admission {
    /// The bytes that the body of a request may have.
    fn body_limit(&self, parts: &Parts) -> usize {
        let route = parts.extensions.get::<MatchedPath>().map(MatchedPath::as_str);
        let upload = route.and_then(|route| self.uploads.get(route)).copied();
        upload.unwrap_or(self.wire.config.body_limit_bytes)
    }
}

/// Lets a request in, or answers why not.
pub(crate) async fn admission(State(limits): State<Admission>, request: Request, next: Next) -> Response {
    let financial = is_financial(request.uri().path());
    match admit(&limits, request, next).await {
        Ok(response) => response,
        Err(refused) if financial => as_financial(refused.into_response()),
        Err(refused) => refused.into_response(),
    }
}

async fn admit(limits: &Admission, request: Request, next: Next) -> Result<Response, Refused> {
    let wire = &limits.wire;
    let (parts, body) = request.into_parts();
    if is_probe(parts.uri.path()) {
        // Whoever watches the process must hear from it most of all when everything is taken.
        return Ok(next.run(Request::from_parts(parts, Body::empty())).await);
    }
    let address = parts.extensions.get::<ClientAddress>().copied();
    // Their bytes count until the answer is there.
    let (body, _held) = read(wire, address, limits.body_limit(&parts), body).await?;
    if let Some(read) = parts.extensions.get::<BodyRead>() {
        read.set_whole();
    }
    zero::refuse_in_address(&parts.uri)?;
    let socket = wants_upgrade(&parts.headers).then(|| wire.sockets.take(address, 1)).transpose()?;
    let slot = parts.extensions.get::<Arc<Slot>>().cloned();
    let _place = wire.places.take(address, 1)?;
    let request = Request::from_parts(parts, Body::from(body));
    let answering = timeout(wire.config.request_timeout, next.run(request));
    let response = answering.await.map_err(Refused::unavailable)?;
    if response.status() == StatusCode::SWITCHING_PROTOCOLS
        && let (Some(slot), Some(socket)) = (slot, socket)
    {
        slot.becomes(socket);
    }
    Ok(response)
}

fn wants_upgrade(headers: &HeaderMap) -> bool {
    headers.contains_key(UPGRADE)
}

/// Reads a body whole. It may be `limit` bytes long, may stand still only so long, and takes its bytes from those that all
/// bodies may hold. An address may have as many bodies on their way as it may have connections, whoever forwards them.
async fn read(
    wire: &Wire,
    address: Option<ClientAddress>,
    limit: usize,
    body: Body,
) -> Result<(Bytes, Option<Place>), Refused> {
    let config = &wire.config;
    if body.is_end_stream() {
        return Ok((Bytes::new(), None));
    }
    if body.size_hint().lower() > limit as u64 {
        return Err(Refused::TooLarge);
    }
    let _waiting = wire.waiting.take(address, 1)?;
    let whole = async {
        let mut held = wire.body_bytes.take(address, 0)?;
        let mut read = BytesMut::new();
        let mut pieces = body.into_data_stream();
        while let Some(piece) =
            timeout(config.body_pause, pieces.next()).await.map_err(|_| Refused::TooSlow)?
        {
            let piece = piece.map_err(|_| Refused::malformed("请求内容不完整"))?;
            if read.len() + piece.len() > limit {
                return Err(Refused::TooLarge);
            }
            held.grow(piece.len())?;
            read.extend_from_slice(&piece);
        }
        Ok((read.freeze(), Some(held)))
    };
    timeout(config.body_timeout, whole).await.map_err(|_| Refused::TooSlow)?
}
