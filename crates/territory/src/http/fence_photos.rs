//! Photos of the place that a fence shows: brought by people who draw there, seen by who sees the fence.

use attachments::{FILE_MAX_BYTES, Kind, Origin};
use axum::body::{Body as Content, to_bytes};
use axum::response::Response;
use serde::Deserialize;
use serde_json::Value;
use utoipa::IntoParams;
use utoipa_axum::routes;
use vocabulary::{AttachmentId, DataOwner, FenceId};
use wire::{Answer, ById, Call, Handled, Nothing, Params, Refused, Routes, Seen};

use super::fences::{FENCES, Found, found};
use crate::Context;
use crate::model::fence::{Fence, FenceCommand};
use crate::read::fences;

/// The routes.
pub fn routes(context: &Context) -> Routes {
    Routes::new("territory")
        .add_upload(FENCES, FILE_MAX_BYTES, routes!(show))
        .add(FENCES, routes!(hide))
        .add_unwrapped(FENCES, routes!(photo))
        .with_state(context.clone())
}

#[derive(Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
struct WhichPhoto {
    /// Of which fence.
    id: FenceId,
    /// Which of its photos.
    photo_id: AttachmentId,
}

/// Shows a photo of the place of a fence: JPEG, PNG or WebP, at most 10 MB, at most three of a fence.
#[utoipa::path(post, path = "/fence/photo", tag = "territory", operation_id = "showFencePhoto", params(ById<FenceId>),
    request_body(content = Vec<u8>, content_type = "application/octet-stream"),
    responses((status = 200, body = Answer<Nothing>)))]
async fn show(
    call: Call<Context>,
    Params(ById { id }): Params<ById<FenceId>>,
    content: Content,
) -> Handled<Value> {
    let Found { area, agent, .. } = found(&call, id).await?;
    // The photo is of the place, and not of who took it.
    let uploader = format!("operator:{}", call.caller.operator()?);
    let origin = Origin { subject: format!("fence:{id}"), uploader };
    // The wire has bounded and read it; here it is only taken out.
    let content = to_bytes(content, FILE_MAX_BYTES).await.map_err(|_| Refused::TooLarge)?;
    let files = &call.state.ports.attachments;
    let received = files.receive(&origin, content).await?;
    if received.kind == Kind::Pdf {
        return Err(Refused::business("fence-photo-kind", "围栏只能附上 JPEG、PNG 或 WebP 图片"));
    }
    files.belong(&[received.id], DataOwner::of_area(agent, area)).await?;
    call.act::<Fence>(&id, FenceCommand::ShowPhoto(received.into())).await
}

/// Shows a photo of a fence no more.
#[utoipa::path(delete, path = "/fence/photo", tag = "territory", operation_id = "hideFencePhoto", params(WhichPhoto),
    responses((status = 200, body = Answer<Nothing>)))]
async fn hide(call: Call<Context>, Params(which): Params<WhichPhoto>) -> Handled<Value> {
    found(&call, which.id).await?;
    call.act::<Fence>(&which.id, FenceCommand::HidePhoto(which.photo_id)).await
}

/// A photo of a fence, as a JPEG without what the camera wrote into it.
#[utoipa::path(get, path = "/fence/photo", tag = "territory", operation_id = "fencePhoto", params(WhichPhoto),
    responses((status = 200, content_type = "image/jpeg", body = Vec<u8>)))]
async fn photo(
    call: Call<Context>,
    Seen(seen): Seen,
    Params(which): Params<WhichPhoto>,
) -> Result<Response, Refused> {
    // Whoever may not see this kind of fence sees no photo of it either.
    found(&call, which.id).await?;
    let mut db = call.state.runtime.reads.scoped(&call.caller.full_scope, seen, &["fence"]).await?;
    if !fences::shows(&mut *db, which.id, which.photo_id).await? {
        return Err(Refused::not_found());
    }
    call.state.ports.attachments.show(db, which.photo_id).await
}
