//! SMS codes. These calls answer without an envelope: `{}`, `{objectId}` or `{error}`.

use std::sync::Arc;

use axum::extract::State;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use vocabulary::Phone;
use wire::{Bare, Body, ClientAddress, Nothing, Params, Refused, RequestContext, Session, given};

use super::devices::device_code;
use crate::Access;
use crate::app::sign_in::Asker;

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PhoneBody {
    /// 11 digits.
    mobile_phone_number: String,
    /// The device's own code, as the device verification and the key exchange name it: the code then works on a session
    /// of that device alone, and no stranger uses up what is sent to a device that is known for the phone. Without it
    /// the code works on sessions from the same network address.
    device_code: Option<String>,
}

fn phone(text: &str) -> Result<Phone, Refused> {
    text.parse().map_err(|error: vocabulary::NotAPhone| Refused::Bare(error.to_string()))
}

async fn send(
    access: &Access,
    address: ClientAddress,
    request: &RequestContext,
    body: &PhoneBody,
) -> Result<Bare<Nothing>, Refused> {
    access.sms_limit.check(address)?;
    let device = given(body.device_code.as_ref()).map(device_code).transpose()?;
    let asker = Asker { device, address };
    access.send_code(&phone(&body.mobile_phone_number)?, asker, request.now()).await?;
    Ok(Bare(Nothing {}))
}

/// Sends a sign-in code: one a minute and ten a day for each phone, and as many again for the devices that are known for
/// it; none for a quarter of an hour to who said five wrong ones.
#[utoipa::path(post, path = "/auth/sms/code", tag = "access", operation_id = "sendSmsCode",
    request_body = PhoneBody, responses((status = 200, body = Nothing)))]
pub(crate) async fn send_code(
    State(access): State<Arc<Access>>,
    address: ClientAddress,
    request: RequestContext,
    Body(body): Body<PhoneBody>,
) -> Result<Bare<Nothing>, Refused> {
    send(&access, address, &request, &body).await
}

/// The same for clients whose storage type is `obs`.
#[utoipa::path(post, path = "/auth/obs/sms/code", tag = "access", operation_id = "sendSmsCodeObs",
    request_body = PhoneBody, responses((status = 200, body = Nothing)))]
pub(crate) async fn send_code_obs(
    State(access): State<Arc<Access>>,
    address: ClientAddress,
    request: RequestContext,
    Body(body): Body<PhoneBody>,
) -> Result<Bare<Nothing>, Refused> {
    send(&access, address, &request, &body).await
}

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = SmsCodeAsked)]
pub(crate) struct CodeBody {
    /// 11 digits.
    mobile_phone_number: String,
    /// 6 digits.
    sms_code: String,
}

/// The internal account id.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ObjectId {
    /// As text.
    object_id: String,
}

/// Proves the phone on this session.
#[utoipa::path(post, path = "/auth/sms/verify", tag = "access", operation_id = "verifySmsCode",
    request_body = CodeBody, responses((status = 200, body = ObjectId)))]
pub(crate) async fn verify_code(
    State(access): State<Arc<Access>>,
    address: ClientAddress,
    session: Session,
    request: RequestContext,
    Body(body): Body<CodeBody>,
) -> Result<Bare<ObjectId>, Refused> {
    access.verify_limit.check(address)?;
    let code = body.sms_code.trim();
    if code.len() != 6 || !code.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(Refused::Bare("无效的验证码".to_owned()));
    }
    let phone = phone(&body.mobile_phone_number)?;
    let account = access.verify_code(&session, &phone, code, address, request.now()).await;
    let account = account.map_err(|refused| match refused {
        Refused::Business { text, .. } => Refused::Bare(text),
        other => other,
    })?;
    Ok(Bare(ObjectId { object_id: account.id.to_string() }))
}

#[derive(Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub(crate) struct LookUp {
    /// 11 digits.
    mobile_phone_number: String,
}

/// The account of a phone that this session proved; nobody else's.
#[utoipa::path(get, path = "/auth/sms/user", tag = "access", operation_id = "lookUpOperator",
    params(LookUp), responses((status = 200, body = ObjectId)))]
pub(crate) async fn look_up(
    State(access): State<Arc<Access>>,
    address: ClientAddress,
    session: Session,
    Params(query): Params<LookUp>,
) -> Result<Bare<ObjectId>, Refused> {
    access.sign_in_limit.check(address)?;
    let phone = phone(&query.mobile_phone_number)?;
    match session.object_id {
        Some(object_id) if session.phone == Some(phone) => Ok(Bare(ObjectId { object_id })),
        _ => Err(Refused::Bare("手机号未通过验证，请重新登录".to_owned())),
    }
}
