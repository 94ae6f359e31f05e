//! Links that sign somebody in, for trusted sibling systems.

use std::sync::Arc;

use axum::extract::State;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use wire::{Answer, Body, Caller, Handled, RequestContext};

use super::phone;
use crate::{Access, quick_link};

#[derive(Deserialize, ToSchema)]
pub(crate) struct LinkFor {
    /// Whom the link signs in; he may have no code, agent, service area or level beyond the caller's.
    phone: String,
}

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Link {
    /// The signed origin.
    origin: String,
    /// Path and fragment to open in the browser.
    url: String,
    /// When it stops working, epoch milliseconds.
    expires_at: i64,
}

/// Mints a link: works once, for less than a minute; the device must be authorised as ever.
#[utoipa::path(post, path = "/auth/quickLink", tag = "access", operation_id = "mintQuickLink",
    request_body = LinkFor, responses((status = 200, body = Answer<Link>)))]
pub(crate) async fn mint(
    State(access): State<Arc<Access>>,
    caller: Caller,
    request: RequestContext,
    Body(body): Body<LinkFor>,
) -> Handled<Link> {
    let origin = access.mint_link(&caller, &phone(&body.phone)?, request.now()).await?;
    Ok(Answer(Link {
        url: format!("/#/login-home?origin={origin}"),
        origin,
        expires_at: request.now().plus_millis(quick_link::LIFE_MS).millis(),
    }))
}
