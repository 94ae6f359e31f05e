//! Records of data that leaves the system through the browser.

use std::sync::Arc;

use axum::extract::State;
use kernel::CommandContext;
use serde::Deserialize;
use serde_json::{Value, json};
use utoipa::ToSchema;
use wire::{Answer, AuditSink, Body, Caller, Disclosed, Handled, RequestContext};

use crate::Audit;

/// What is about to leave.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
#[schema(as = DisclosedKind)]
enum Kind {
    /// A list as a file.
    Export,
    /// Something that is shown masked, in full.
    Unmask,
}

#[derive(Debug, Deserialize, ToSchema)]
pub(crate) struct AccessBody {
    kind: Kind,
    /// Which list, or what is shown: 1 to 64 characters.
    what: String,
    /// Whose data is shown; at most 64 characters.
    #[serde(default)]
    target: String,
    /// What the list was cut down to; at most 4096 bytes.
    #[schema(value_type = Object)]
    filter: Option<Value>,
    /// Rows in the file.
    rows: Option<i64>,
}

/// Notes that data leaves: asked before a file is handed to the user or something masked is shown. A no means: do not.
/// The same again within five minutes is one record; of other things a person is shown sixty at once and six more each
/// minute, then the answer is 429.
#[utoipa::path(post, path = "/platform/aliyunlog/access", tag = "audit", operation_id = "recordAccess",
    request_body = AccessBody, responses((status = 200, body = Answer<Value>)))]
pub(crate) async fn record(
    State(audit): State<Arc<Audit>>,
    caller: Caller,
    request: RequestContext,
    Body(body): Body<AccessBody>,
) -> Handled<Value> {
    let what = match body.kind {
        Kind::Export => Disclosed::Export { what: body.what, filter: body.filter, rows: body.rows },
        Kind::Unmask => Disclosed::Unmask { what: body.what, target: body.target },
    };
    let ctx = CommandContext { scope: caller.full_scope, ..request.context(json!({})) };
    Ok(Answer::replied(audit.records.disclosed(&ctx, what).await?))
}
