//! What a request tells beside its content: command context, positions, trace id.

use std::sync::Arc;

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::http::{HeaderName, Method};
use kernel::{Actor, CommandContext, Position, RequestId};
use serde_json::Value;
use sha2::{Digest, Sha256};
use vocabulary::{Scope, Timestamp};

use crate::{Caller, Refused};

/// Tells the position that includes an answered command.
pub const POSITION: HeaderName = HeaderName::from_static("x-position");
/// Tells the highest position that the client knows.
pub const SEEN: HeaderName = HeaderName::from_static("x-seen");
/// Names a command so that it can be repeated safely.
pub const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");
/// Runs from the browser's request to the event; echoed.
pub const TRACE_ID: HeaderName = HeaderName::from_static("traceid");

/// The request's trace id: the client's, or one made at the wire.
#[derive(Clone, Debug)]
pub struct TraceId(pub Arc<str>);

/// When a request came in and what was asked, left by the authorisation layer for [`RequestContext`].
#[derive(Clone, Debug)]
pub(crate) struct Arrival {
    pub now: Timestamp,
    pub fingerprint: [u8; 32],
    pub client_address: String,
    pub trace_id: Arc<str>,
}

/// SHA-256 of method, path, plain query and plain body, each with its length in front.
pub(crate) fn fingerprint(method: &Method, path: &str, query: &str, body: &[u8]) -> [u8; 32] {
    let mut hash = Sha256::new();
    for part in [method.as_str().as_bytes(), path.as_bytes(), query.as_bytes(), body] {
        hash.update((part.len() as u64).to_be_bytes());
        hash.update(part);
    }
    hash.finalize().into()
}

/// Extractor for commands: everything about the command that is not the command.
/// On keyed and open routes (sign-in) the actor is the system rule named in [`RequestContext::context_of_runtime`].
#[derive(Clone, Debug)]
pub struct RequestContext {
    caller: Option<Caller>,
    request_key: Option<String>,
    arrival: Arrival,
}

impl RequestContext {
    /// The context of the caller's command. `reply` is stored with the request and given back when it is repeated.
    pub fn context(&self, reply: Value) -> CommandContext {
        match &self.caller {
            Some(caller) => {
                // Each caller has a name space of its own: nobody gets another's stored reply.
                let space = match &caller.actor {
                    Actor::Operator { id } => format!("o{id}"),
                    Actor::Machine { id } => format!("m{id}"),
                    Actor::System { name } => format!("s{name}"),
                };
                self.build(caller.actor.clone(), caller.scope.clone(), &space, reply)
            }
            // Deny by default: a route without a caller reaches nothing with this.
            None => self.build(Actor::System { name: "wire".to_owned() }, Scope::NONE, "open", reply),
        }
    }

    /// The same within all that the account may see, whatever is selected in the header: for what is administered.
    pub fn context_of_account(&self, reply: Value) -> CommandContext {
        let scope = self.caller.as_ref().map_or(Scope::NONE, |caller| caller.full_scope.clone());
        CommandContext { scope, ..self.context(reply) }
    }

    /// The context of a command that a rule of the system gives because of this request (sign-in events, before there
    /// is a caller). Unlimited in scope: the handler has checked what it does.
    pub fn context_of_runtime(&self, rule: &str, reply: Value) -> CommandContext {
        self.build(Actor::System { name: rule.to_owned() }, Scope::ALL, rule, reply)
    }

    /// When the request came in.
    pub fn now(&self) -> Timestamp {
        self.arrival.now
    }

    /// Where it came from.
    pub fn client_address(&self) -> &str {
        &self.arrival.client_address
    }

    /// Its trace id.
    pub fn trace_id(&self) -> &str {
        &self.arrival.trace_id
    }

    fn build(&self, actor: Actor, scope: Scope, space: &str, reply: Value) -> CommandContext {
        CommandContext {
            actor,
            scope,
            now: self.arrival.now,
            request_id: self.request_key.as_ref().map(|key| RequestId(format!("{space}:{key}"))),
            fingerprint: self.arrival.fingerprint,
            reply,
            expected_version: None,
            trace_id: self.arrival.trace_id.to_string(),
            client_address: Some(self.arrival.client_address.clone()),
            causation: None,
        }
    }
}

/// The idempotency key: 1 to 64 letters, digits, `-` and `_`.
fn request_key(parts: &Parts) -> Result<Option<String>, Refused> {
    let Some(value) = parts.headers.get(IDEMPOTENCY_KEY) else { return Ok(None) };
    let allowed = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'-' || *byte == b'_';
    match value.to_str() {
        Ok(key) if (1..=64).contains(&key.len()) && key.as_bytes().iter().all(allowed) => {
            Ok(Some(key.to_owned()))
        }
        _ => Err(Refused::malformed("请求头 Idempotency-Key 格式不正确")),
    }
}

impl<S: Sync> FromRequestParts<S> for RequestContext {
    type Rejection = Refused;

    async fn from_request_parts(parts: &mut Parts, _state: &S) -> Result<Self, Refused> {
        let arrival = parts.extensions.get::<Arrival>().cloned();
        Ok(Self {
            caller: parts.extensions.get::<Caller>().cloned(),
            request_key: request_key(parts)?,
            arrival: arrival
                .ok_or_else(|| Refused::internal("the route was mounted past the authorisation layer"))?,
        })
    }
}

/// Extractor of `X-Seen`: a query waits until its read model has reached this position.
#[derive(Clone, Copy, Debug)]
pub struct Seen(pub Option<Position>);

impl<S: Sync> FromRequestParts<S> for Seen {
    type Rejection = Refused;

    async fn from_request_parts(parts: &mut Parts, _state: &S) -> Result<Self, Refused> {
        let Some(value) = parts.headers.get(SEEN) else { return Ok(Self(None)) };
        let position = value.to_str().ok().and_then(|text| text.parse::<i64>().ok()).filter(|at| *at >= 0);
        match position {
            Some(position) => Ok(Self(Some(Position(position)))),
            None => Err(Refused::malformed("请求头 X-Seen 格式不正确")),
        }
    }
}
