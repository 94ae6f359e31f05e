//! Renewing the access token.

use std::sync::Arc;

use axum::extract::State;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use vocabulary::{AgentId, AreaId};
use wire::{Answer, Body, Caller, Handled, Refused, RequestContext, Session};

use crate::Access;
use crate::app::sign_in::ClientBuild;

/// Ids that a selection may name, and characters that a client's own texts may have.
const SELECTED_MAX: usize = 1_000;
const TEXT_MAX: usize = 128;

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Renewal {
    /// Selected agents; empty: all.
    #[serde(default)]
    #[schema(value_type = Vec<String>)]
    agent_ids: Vec<AgentId>,
    /// Selected service areas; empty: all.
    #[serde(default)]
    #[schema(value_type = Vec<String>)]
    op_area_ids: Vec<AreaId>,
    /// The client's build.
    #[serde(default)]
    build: String,
    /// The client's device.
    #[serde(default)]
    dev_id: String,
    /// The client's package.
    #[serde(default)]
    package: String,
}

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Renewed {
    /// The access token.
    token: String,
    /// When it ends, epoch milliseconds.
    expires_at: i64,
    /// Replaces the cookie when present.
    #[serde(rename = "_t", skip_serializing_if = "Option::is_none")]
    #[schema(required = false)]
    t: Option<String>,
    /// Replaces the cookie when present.
    #[serde(rename = "_k", skip_serializing_if = "Option::is_none")]
    #[schema(required = false)]
    k: Option<String>,
}

/// A fresh token (7 days) for a selection, cut to what the account may see; when the session has less than 12 hours
/// left, also fresh `_t` and `_k` (2 days).
#[utoipa::path(post, path = "/auth/token", tag = "access", operation_id = "renewToken",
    request_body = Renewal, responses((status = 200, body = Answer<Renewed>)))]
pub(crate) async fn renew(
    State(access): State<Arc<Access>>,
    caller: Caller,
    session: Session,
    request: RequestContext,
    Body(body): Body<Renewal>,
) -> Handled<Renewed> {
    let long = |text: &String| text.chars().count() > TEXT_MAX;
    if body.agent_ids.len().max(body.op_area_ids.len()) > SELECTED_MAX
        || [&body.build, &body.dev_id, &body.package].into_iter().any(long)
    {
        return Err(Refused::malformed("选择的项目过多或参数过长"));
    }
    let build = ClientBuild { build: body.build, dev_id: body.dev_id, package: body.package };
    let selection = (body.agent_ids, body.op_area_ids);
    let (token, fresh) = access.renew(&caller, &session, selection, build, request.now()).await?;
    let (t, k) = fresh.map(|fresh| (fresh.t, fresh.k.to_text())).unzip();
    Ok(Answer(Renewed { token: token.token, expires_at: token.expires_at.millis(), t, k }))
}
