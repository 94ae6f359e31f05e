//! How programs bring files: one in each request, as its body.

use axum::body::{Body, to_bytes};
use axum::extract::State;
use kernel::Actor;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::routes;
use vocabulary::AttachmentId;
use wire::{Answer, Caller, Handled, Params, Permit, Refused, Routes};

use crate::{Attachments, FILE_MAX_BYTES, Kind, Origin};

/// A rider's id has at most so many characters.
const PIN_MAX: usize = 32;

/// The routes.
pub fn routes(attachments: &Attachments) -> Routes {
    Routes::new("attachments")
        .add_upload(Permit::Machine("open:ride"), FILE_MAX_BYTES, routes!(upload))
        .with_state(attachments.clone())
}

#[derive(Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
struct Whose {
    /// The rider whose file it is: 1 to 32 letters, digits, `-` and `_`.
    user_pin: String,
}

/// A file that was taken in.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct AttachmentGiven {
    /// Its id, as text: a case names it within 23 hours.
    #[schema(value_type = String)]
    attachment_id: AttachmentId,
    /// What it is.
    kind: Kind,
    /// SHA-256 of what came, hexadecimal.
    sha256: String,
}

/// Whose a rider's file is that `caller` brings.
pub fn of_rider(caller: &Caller, user_pin: &str) -> Result<Origin, Refused> {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
    if !(1..=PIN_MAX).contains(&user_pin.len()) || !user_pin.bytes().all(allowed) {
        return Err(Refused::malformed(format!("userPin 需 1 到 {PIN_MAX} 个字母、数字、- 或 _")));
    }
    let uploader = match &caller.actor {
        Actor::Operator { id } => format!("operator:{id}"),
        Actor::Machine { id } => format!("machine:{id}"),
        Actor::System { name } => format!("system:{name}"),
    };
    Ok(Origin { subject: format!("rider:{user_pin}"), uploader })
}

/// Takes a rider's photo or document in: JPEG, PNG, WebP or PDF, at most 10 MB. A case that names it keeps it; what none does
/// is deleted after a day.
#[utoipa::path(post, path = "/open/v1/attachments", tag = "open", operation_id = "uploadAttachment", params(Whose),
    request_body(content = Vec<u8>, content_type = "application/octet-stream"),
    responses((status = 200, body = Answer<AttachmentGiven>)))]
async fn upload(
    State(attachments): State<Attachments>,
    caller: Caller,
    Params(whose): Params<Whose>,
    body: Body,
) -> Handled<AttachmentGiven> {
    let origin = of_rider(&caller, &whose.user_pin)?;
    // The wire has bounded and read it; here it is only taken out.
    let content = to_bytes(body, FILE_MAX_BYTES).await.map_err(|_| Refused::TooLarge)?;
    let received = attachments.receive(&origin, content).await?;
    Ok(Answer(AttachmentGiven { attachment_id: received.id, kind: received.kind, sha256: received.sha256 }))
}
