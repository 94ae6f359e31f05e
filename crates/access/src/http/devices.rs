//! Devices that operators sign in from. This part of the protocol writes names with underscores.

use std::sync::Arc;

use axum::extract::State;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::{IntoParams, ToSchema};
use vocabulary::OperatorDeviceId;
use wire::{
    Answer, Bare, Body, Caller, ClientAddress, Handled, Nothing, Params, Refused, RequestContext, Seen,
    Session, given,
};

use super::phone;
use crate::Access;
use crate::model::device::Device;
use crate::read::devices::{self, DeviceRow};

const CODE_MAX: usize = 128;
const NAME_MAX: usize = 60;

/// Done.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Done {
    suc: bool,
}

#[derive(Deserialize, ToSchema)]
pub(crate) struct Verification {
    /// 1 browser, 2 Android, 3 iOS.
    device_type: i16,
    /// Whose device it is to be.
    #[serde(rename = "mobilePhoneNumber")]
    phone: String,
    /// The device's own random code, 1 to 128 characters.
    device_code: String,
    /// What people call it.
    device_name: String,
}

/// A device's own code, when it can be one.
pub(super) fn device_code(code: &str) -> Result<&str, Refused> {
    let fits = (1..=CODE_MAX).contains(&code.len()) && code.bytes().all(|byte| byte.is_ascii_graphic());
    if fits { Ok(code) } else { Err(Refused::malformed("设备信息不正确")) }
}

impl Verification {
    fn device(&self, address: ClientAddress) -> Result<Device, Refused> {
        device_code(&self.device_code)?;
        if !(1..=3).contains(&self.device_type) {
            return Err(Refused::malformed("设备信息不正确"));
        }
        let name: String = self.device_name.chars().filter(|c| !c.is_control()).take(NAME_MAX).collect();
        let name = if name.trim().is_empty() { "未命名设备".to_owned() } else { name };
        Ok(Device {
            code: self.device_code.clone(),
            name,
            kind: self.device_type,
            address: address.0.to_string(),
        })
    }
}

/// Login step 2: names the device. It is bound once the sign-in of the same device succeeds; where an administrator
/// must accept it, the sign-in says so and he is asked. The answer is the same for every phone.
#[utoipa::path(post, path = "/mieba/platform/opman/device/verification", tag = "access",
    operation_id = "deviceVerification", request_body = Verification, responses((status = 200, body = Done)))]
pub(crate) async fn verification(
    State(access): State<Arc<Access>>,
    address: ClientAddress,
    request: RequestContext,
    Body(body): Body<Verification>,
) -> Result<Bare<Done>, Refused> {
    access.device_limit.check(address)?;
    access.announce_device(&phone(&body.phone)?, &body.device(address)?, request.now()).await?;
    Ok(Bare(Done { suc: true }))
}

#[derive(Deserialize, ToSchema)]
pub(crate) struct DeviceOf {
    #[serde(rename = "mobilePhoneNumber")]
    phone: String,
    device_code: String,
}

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Allowed {
    /// Whether the device may sign in for the phone.
    allowed: bool,
    /// Why not; empty when it may.
    reason: &'static str,
}

/// Whether a device may sign in for a phone. Told only to a session that proved the phone.
#[utoipa::path(post, path = "/mieba/v2/platform/opman/device/permission", tag = "access",
    operation_id = "devicePermission", request_body = DeviceOf,
    responses((status = 200, body = Answer<Allowed>)))]
pub(crate) async fn permission(
    State(access): State<Arc<Access>>,
    address: ClientAddress,
    session: Session,
    Body(body): Body<DeviceOf>,
) -> Handled<Allowed> {
    access.sign_in_limit.check(address)?;
    let account = access.proved_account(&session, &phone(&body.phone)?).await?;
    let allowed = access.device_admitted(&account, &body.device_code).await?;
    let reason = if allowed { "" } else { "当前设备未授权，请联系管理员" };
    Ok(Answer(Allowed { allowed, reason }))
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct PhoneQuery {
    /// Login phone.
    #[serde(rename = "mobilePhoneNumber")]
    #[param(rename = "mobilePhoneNumber")]
    phone: Option<String>,
}

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct DeviceList {
    /// Newest first, at most 200.
    list: Vec<DeviceRow>,
}

/// Devices of the caller; of another phone, within his reach, only for holders of 1002.
#[utoipa::path(get, path = "/mieba/v2/platform/opman/device/login_info", tag = "access",
    operation_id = "deviceLoginInfo", params(PhoneQuery), responses((status = 200, body = Answer<DeviceList>)))]
pub(crate) async fn login_info(
    State(access): State<Arc<Access>>,
    caller: Caller,
    Seen(seen): Seen,
    Params(query): Params<PhoneQuery>,
) -> Handled<DeviceList> {
    let own = caller.phone.clone().ok_or_else(Refused::no_session)?;
    let request = given(query.phone.as_ref()).map(phone).transpose()?.unwrap_or_else(|| own.clone());
    if request != own && !caller.codes.has("1002") {
        return Err(Refused::forbidden());
    }
    let reads = ["operator_device", "operator"];
    let mut db = access.runtime.reads.scoped(&caller.full_scope, seen, &reads).await?;
    Ok(Answer(DeviceList {
        list: devices::list(&mut db, Some(&request), &caller.full_scope, caller.operator()?).await?,
    }))
}

/// Devices that wait, are bound or were removed; of one phone or of all whose reach lies within the caller's.
#[utoipa::path(get, path = "/mieba/v2/platform/opman/device/authorize_info", tag = "access",
    operation_id = "deviceAuthorizeInfo", params(PhoneQuery),
    responses((status = 200, body = Answer<DeviceList>)))]
pub(crate) async fn authorize_info(
    State(access): State<Arc<Access>>,
    caller: Caller,
    Seen(seen): Seen,
    Params(query): Params<PhoneQuery>,
) -> Handled<DeviceList> {
    let request = given(query.phone.as_ref()).map(phone).transpose()?;
    let reads = ["operator_device", "operator"];
    let mut db = access.runtime.reads.scoped(&caller.full_scope, seen, &reads).await?;
    Ok(Answer(DeviceList {
        list: devices::list(&mut db, request.as_ref(), &caller.full_scope, caller.operator()?).await?,
    }))
}

#[derive(Deserialize, ToSchema)]
pub(crate) struct DeviceId {
    #[schema(value_type = String)]
    id: OperatorDeviceId,
}

/// Accepts a device that waits.
#[utoipa::path(post, path = "/mieba/v2/platform/opman/device/authorize_confirm", tag = "access",
    operation_id = "deviceAuthorizeConfirm", request_body = DeviceId,
    responses((status = 200, body = Answer<Nothing>)))]
pub(crate) async fn authorize_confirm(
    State(access): State<Arc<Access>>,
    caller: Caller,
    request: RequestContext,
    Body(body): Body<DeviceId>,
) -> Handled<Value> {
    Ok(Answer::replied(access.confirm_device(&request, &caller, body.id).await?))
}

/// Takes a device away; its sessions end.
#[utoipa::path(post, path = "/mieba/v2/platform/opman/device/authorize_remove", tag = "access",
    operation_id = "deviceAuthorizeRemove", request_body = DeviceId,
    responses((status = 200, body = Answer<Nothing>)))]
pub(crate) async fn authorize_remove(
    State(access): State<Arc<Access>>,
    caller: Caller,
    request: RequestContext,
    Body(body): Body<DeviceId>,
) -> Handled<Value> {
    Ok(Answer::replied(access.remove_device(&request, &caller, body.id).await?))
}
