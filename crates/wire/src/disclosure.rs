//! What leaves no event of its own and must still be known: commands that were refused, and data that left the system.

use std::sync::Arc;

use async_trait::async_trait;
use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::http::{Method, StatusCode};
use axum::response::Response;
use kernel::{CommandContext, Receipt};
use serde_json::Value;
use tokio::sync::{Semaphore, SemaphorePermit};
use vocabulary::Timestamp;

use crate::refused::Plain;
use crate::request_context::RequestContext;
use crate::{BASE, Caller, ClientAddress, Refused, TraceId};

/// A command that was not done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefusedWrite {
    /// The caller's name.
    pub name: String,
    /// The caller's phone; empty for machines.
    pub phone: String,
    /// `POST`, `PUT`, `DELETE` …
    pub method: String,
    /// As in the list of endpoints, such as `/platform/permission/role`.
    pub path: String,
    /// The answer's status: 200 for a no of the rules, 403, or 5xx for a failure.
    pub status: u16,
    /// For programs, such as `role-in-use`.
    pub code: String,
    /// As the caller was told.
    pub text: String,
}

/// Data that is about to leave the system.
#[derive(Clone, Debug, PartialEq)]
pub enum Disclosed {
    /// A list, as a file.
    Export {
        /// Which list, such as `role`.
        what: String,
        /// What it was cut down to.
        filter: Option<Value>,
        /// Rows in the file, when they are known.
        rows: Option<i64>,
    },
    /// Something that is shown masked, in full.
    Unmask {
        /// What, such as `rider.phone`.
        what: String,
        /// Whose.
        target: String,
    },
}

/// Hears of both. Fulfilled by the context of auditors; contexts `scope` are what the account may see in all.
#[async_trait]
pub trait AuditSink: Send + Sync + 'static {
    /// A command was refused or failed. Must not hold up the answer.
    fn refused(&self, ctx: CommandContext, write: RefusedWrite);

    /// Data is to leave the system; after an error it must not.
    async fn disclosed(&self, ctx: &CommandContext, what: Disclosed) -> Result<Receipt, Refused>;
}

/// A file is held in memory until it is sent; so many are made at the same time.
static FILES: Semaphore = Semaphore::const_new(4);

/// Extractor for handlers that hand out data: they say so first, and stop when that fails. Too many of them at the same
/// time are refused.
pub struct Disclosure {
    request: RequestContext,
    audit_sink: Option<Arc<dyn AuditSink>>,
    _place: SemaphorePermit<'static>,
}

impl Disclosure {
    /// When it was asked for.
    pub fn now(&self) -> Timestamp {
        self.request.now()
    }

    /// Notes that `what` is about to leave. Where nobody listens (a context tested alone) nothing is noted.
    pub async fn note(&self, what: Disclosed) -> Result<(), Refused> {
        let Some(audit_sink) = &self.audit_sink else { return Ok(()) };
        // Not under the request's own id: that one belongs to the command itself.
        let ctx = CommandContext { request_id: None, ..self.request.context_of_account(Value::Null) };
        audit_sink.disclosed(&ctx, what).await.map(drop)
    }
}

impl<S: Sync> FromRequestParts<S> for Disclosure {
    type Rejection = Refused;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Refused> {
        // Nobody in particular gets nothing.
        Caller::from_request_parts(parts, state).await?;
        Ok(Self {
            request: RequestContext::from_request_parts(parts, state).await?,
            audit_sink: parts.extensions.get::<Arc<dyn AuditSink>>().cloned(),
            _place: FILES.try_acquire().map_err(|_| Refused::TooMany)?,
        })
    }
}

/// What stays of a request whose body and caller have gone on to the handler.
pub(crate) struct WriteObserver {
    audit_sink: Arc<dyn AuditSink>,
    caller: Caller,
    method: Method,
    path: String,
    now: Timestamp,
    client_address: Option<String>,
    trace_id: String,
}

impl WriteObserver {
    /// Looks on at a command of `caller`; nothing to see at queries, or where nobody is called or listens.
    pub fn of(
        audit_sink: Option<&Arc<dyn AuditSink>>,
        caller: Option<&Caller>,
        parts: &Parts,
        now: Timestamp,
    ) -> Option<Self> {
        if parts.method == Method::GET || parts.method == Method::HEAD {
            return None;
        }
        let path = parts.uri.path();
        Some(Self {
            audit_sink: Arc::clone(audit_sink?),
            caller: caller?.clone(),
            method: parts.method.clone(),
            path: path.strip_prefix(BASE).unwrap_or(path).to_owned(),
            now,
            client_address: parts.extensions.get::<ClientAddress>().map(|address| address.0.to_string()),
            trace_id: parts.extensions.get::<TraceId>().map_or_else(String::new, |id| id.0.to_string()),
        })
    }

    /// Tells of a no of the rules, a missing permission or a failure; what could not be read was no command yet.
    pub fn tell(self, response: &Response) {
        let Some(plain) = response.extensions().get::<Plain>() else { return };
        let status = response.status();
        if !(status.is_success() || status == StatusCode::FORBIDDEN || status.is_server_error()) {
            return;
        }
        let write = RefusedWrite {
            name: self.caller.name,
            phone: self.caller.phone.map(String::from).unwrap_or_default(),
            method: self.method.to_string(),
            path: self.path,
            status: status.as_u16(),
            code: plain.code.clone(),
            text: plain.text.clone(),
        };
        let ctx = CommandContext {
            actor: self.caller.actor,
            scope: self.caller.full_scope,
            now: self.now,
            request_id: None,
            fingerprint: [0; 32],
            reply: Value::Null,
            expected_version: None,
            trace_id: self.trace_id,
            client_address: self.client_address,
            causation: None,
        };
        self.audit_sink.refused(ctx, write);
    }
}
