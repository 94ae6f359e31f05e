//! The customer-service tool: who signed in makes himself known to it.

use std::sync::Arc;

use axum::extract::State;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;
use wire::{Answer, Body, Caller, Handled, Refused, RequestContext};

use super::phone;
use crate::Access;

/// Characters that a name or company may have.
const TEXT_MAX: usize = 64;

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Registration {
    /// His name, as the tool shall show it.
    name: String,
    /// The caller's own login phone.
    phone: String,
    /// His company; may be empty.
    company: String,
    /// The caller's own account id.
    object_id: String,
}

/// Where the tool is.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Tool {
    /// Address of its script; empty: the page's own panel.
    url: String,
}

/// Makes the caller known to the customer-service tool; once is enough, again changes nothing. Whoever connects a tool
/// hears of it by the event `operator.cs_tool_registered`.
#[utoipa::path(post, path = "/platform/permission/user/bangwo8", tag = "access", operation_id = "registerCsTool",
    request_body = Registration, responses((status = 200, body = Answer<Tool>)))]
pub(crate) async fn register(
    State(access): State<Arc<Access>>,
    caller: Caller,
    request: RequestContext,
    Body(body): Body<Registration>,
) -> Handled<Value> {
    let long = |text: &String| text.chars().count() > TEXT_MAX || text.chars().any(char::is_control);
    if [&body.name, &body.company].into_iter().any(long) {
        return Err(Refused::malformed("姓名或公司名称过长"));
    }
    let phone = phone(&body.phone)?;
    Ok(Answer::replied(access.register_cs_tool(&request, &caller, &phone, &body.object_id).await?))
}
