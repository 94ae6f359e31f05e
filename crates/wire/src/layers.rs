//! What every request passes first and every answer last: trace id, client address, limits, headers. And the
//! [`Wire`] that all of it shares.

use std::any::Any;
use std::collections::HashMap;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use axum::Router;
use axum::extract::{MatchedPath, Request, State};
use axum::http::HeaderValue;
use axum::http::header::CONNECTION;
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use kernel::MasterKey;
use rand::RngCore;
use rand::rngs::OsRng;
use sqlx::PgPool;
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::cors::CorsLayer;
use tracing::Instrument;
use vocabulary::Clock;

use crate::address::{client_address, is_https};
use crate::admission::{Admission, BodyRead, admission};
use crate::exchange::{ExchangeError, ExchangeKeys};
use crate::headers::{SecurityHeaders, cors};
use crate::replay::Replay;
use crate::shares::Shares;
use crate::{
    AddressLimiter, AuditSink, ClientAddress, Directory, Refused, Revocations, Sessions, TRACE_ID, TokenKeys,
    TraceId, WireConfig,
};

const TENDED_EVERY: Duration = Duration::from_mins(1);
const MAX_TRACE_ID: usize = 64;

/// Why the wire cannot open.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// An origin or image source cannot stand in a header.
    #[error("a configured origin or source is no header text")]
    Config(#[from] axum::http::header::InvalidHeaderValue),
    /// The keys of the key exchange are not there.
    #[error("the key exchange cannot start")]
    Exchange(#[source] Box<dyn std::error::Error + Send + Sync>),
}

impl From<ExchangeError> for StartError {
    fn from(error: ExchangeError) -> Self {
        Self::Exchange(Box::new(error))
    }
}

/// What guards and key exchange share.
pub struct Wire {
    /// What the operator of the system set.
    pub config: WireConfig,
    /// All sessions.
    pub sessions: Sessions,
    /// Signs and checks access tokens.
    pub tokens: TokenKeys,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) directory: Arc<dyn Directory>,
    pub(crate) exchange: ExchangeKeys,
    pub(crate) exchange_limit: AddressLimiter,
    pub(crate) replay: Replay,
    audit_sink: OnceLock<Arc<dyn AuditSink>>,
    headers: SecurityHeaders,
    cors: CorsLayer,
    pub(crate) connections: Arc<Shares>,
    pub(crate) sockets: Arc<Shares>,
    pub(crate) waiting: Arc<Shares>,
    pub(crate) body_bytes: Arc<Shares>,
    pub(crate) places: Arc<Shares>,
}

impl std::fmt::Debug for Wire {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Wire").field("config", &self.config).finish_non_exhaustive()
    }
}

impl Wire {
    /// Opens the wire: loads or makes the keys of the key exchange. `db` is a pool that owns schema `authentication`.
    pub async fn start(
        config: WireConfig,
        db: PgPool,
        master: &MasterKey,
        tokens: TokenKeys,
        sessions: Sessions,
        clock: Arc<dyn Clock>,
        directory: Arc<dyn Directory>,
    ) -> Result<Arc<Self>, StartError> {
        let exchange = ExchangeKeys::start(db.clone(), master, config.exchange_key_bits, clock.now()).await?;
        Ok(Arc::new(Self {
            headers: SecurityHeaders::new(&config)?,
            cors: cors(&config)?,
            connections: Shares::new(config.connections),
            sockets: Shares::new(config.sockets),
            // Behind a proxy the connections are the proxy's, and who is behind it is known by request only.
            waiting: Shares::new(config.connections),
            body_bytes: Shares::new(config.body_bytes),
            places: Shares::new(config.requests),
            exchange_limit: AddressLimiter::per_minute(config.key_exchanges_per_minute),
            replay: Replay::new(db),
            audit_sink: OnceLock::new(),
            config,
            sessions,
            tokens,
            clock,
            directory,
            exchange,
        }))
    }

    /// Tells `audit_sink` from now on of refused commands and of data disclosed; the first one named stays.
    pub fn audited_by(&self, audit_sink: Arc<dyn AuditSink>) {
        let _ = self.audit_sink.set(audit_sink);
    }

    /// Who hears of refused commands and of data disclosed.
    pub(crate) fn audit_sink(&self) -> Option<&Arc<dyn AuditSink>> {
        self.audit_sink.get()
    }

    /// Where ends of sessions are told.
    pub fn revocations(&self) -> &Revocations {
        self.sessions.revocations()
    }

    /// Keeps system until dropped: rotates keys, sweeps old sessions and nonces, hears of ends on other nodes.
    pub async fn tend(&self) {
        let listening = async {
            loop {
                if let Err(error) = self.revocations().listen().await {
                    tracing::warn!(%error, "ends of sessions on other nodes are not heard");
                }
                tokio::time::sleep(Duration::from_secs(5)).await;
            }
        };
        let sweeping = async {
            let mut tick = tokio::time::interval(TENDED_EVERY);
            loop {
                tick.tick().await;
                self.tend_once().await;
            }
        };
        tokio::join!(listening, sweeping);
    }

    /// One round of housekeeping.
    pub async fn tend_once(&self) {
        let now = self.clock.now();
        if let Err(error) = self.exchange.tend(now).await {
            tracing::error!(error = &error as &dyn std::error::Error, "exchange keys are not tended");
        }
        if let Err(error) = self.sessions.sweep(now).await {
            tracing::error!(error = &error as &dyn std::error::Error, "old sessions are not swept");
        }
        if let Err(error) = self.replay.sweep(now).await {
            tracing::error!(error = &error as &dyn std::error::Error, "old nonces are not swept");
        }
        self.exchange_limit.forget_quiet();
    }
}

/// Puts the wire around `router`. Whoever may call from another origin may read its refusals too, so CORS stands
/// outside of the limits. `uploads` are the routes whose bodies are files, with the bytes that these may have.
pub(crate) fn layer(router: Router, wire: &Arc<Wire>, uploads: HashMap<String, usize>) -> Router {
    let limits = Admission { wire: Arc::clone(wire), uploads: Arc::new(uploads) };
    router
        .layer(CatchPanicLayer::custom(panicked))
        .layer(from_fn_with_state(limits, admission))
        .layer(wire.cors.clone())
        .layer(from_fn_with_state(Arc::clone(wire), enter))
}

#[derive(Debug, thiserror::Error)]
#[error("a handler panicked: {0}")]
struct Panicked(String);

#[expect(clippy::needless_pass_by_value, reason = "the signature is tower-http's")]
fn panicked(payload: Box<dyn Any + Send>) -> Response {
    let text = payload.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| payload.downcast_ref::<&str>().copied()).unwrap_or("no text");
    Refused::internal(Panicked(text.to_owned())).into_response()
}

/// The client's trace id when it is one (letters, digits, `-`, `_`), else a new one.
fn trace_id(request: &Request) -> Arc<str> {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
    let given = request.headers().get(TRACE_ID).and_then(|value| value.to_str().ok());
    if let Some(id) = given.filter(|id| (1..=MAX_TRACE_ID).contains(&id.len()) && id.bytes().all(allowed)) {
        return Arc::from(id);
    }
    let mut bytes = [0; 16];
    OsRng.fill_bytes(&mut bytes);
    Arc::from(hex::encode(bytes))
}

async fn enter(State(wire): State<Arc<Wire>>, mut request: Request, next: Next) -> Response {
    let trace = trace_id(&request);
    let trusted = &wire.config.trusted_proxies;
    let address = client_address(request.headers(), request.extensions(), trusted);
    let https = is_https(request.headers(), request.extensions(), trusted);
    // The path may name a person: the log has the route alone, as it was declared.
    let route = request.extensions().get::<MatchedPath>().map_or("none", MatchedPath::as_str);
    let span = tracing::info_span!(
        "request",
        trace_id = %trace,
        method = %request.method(),
        route,
        client = %address
    );
    let body = BodyRead::of(request.body());
    request.extensions_mut().insert(body.clone());
    request.extensions_mut().insert(TraceId(Arc::clone(&trace)));
    request.extensions_mut().insert(ClientAddress(address));
    let mut response = next.run(request).instrument(span).await;
    let headers = response.headers_mut();
    if !body.is_whole() {
        // The rest of this body must not be taken for the next request.
        headers.insert(CONNECTION, HeaderValue::from_static("close"));
    }
    wire.headers.write(headers, https);
    let echo = HeaderValue::from_str(&trace).expect("a trace id is letters, digits, - and _");
    headers.insert(TRACE_ID, echo);
    response
}
