//! Telling a device what to do.

use axum::extract::State;
use kernel::{CommandContext, Receipt, RequestId};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::UtoipaMethodRouterExt;
use utoipa_axum::routes;
use vocabulary::{AgentId, AreaId, CommandId};
use wire::{Answer, Body, Caller, Handled, Params, Permit, Refused, RequestContext, Routes, Seen};

use crate::Fleet;
use crate::model::command::{CommandCommand, CommandKind, DeviceCommandState, Order};
use crate::model::device::Imei;
use crate::model::vehicle::CarId;
use crate::read::vehicles;

/// Codes that let one tell a device what to do.
pub(super) const COMMAND_CODES: &[&str] = &["0301", "0305"];

/// The routes.
pub fn routes(fleet: &Fleet) -> Routes {
    Routes::new("fleet")
        .add(Permit::AnyOf(COMMAND_CODES), routes!(lock).with_state(fleet.clone()))
        .add(Permit::AnyOf(COMMAND_CODES), routes!(lock_state).with_state(fleet.clone()))
        .add(Permit::AnyOf(COMMAND_CODES), routes!(command).with_state(fleet.clone()))
}

/// What a lock is told.
#[derive(Clone, Copy, Debug, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
enum LockAction {
    /// 关锁.
    Lock,
    /// 开锁.
    Unlock,
}

/// A lock or unlock.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct LockAsked {
    /// 车辆编号.
    car_id: String,
    /// What.
    action: LockAction,
    /// Why; required to unlock.
    #[serde(default)]
    reason: String,
    /// Repeats under one id have one effect.
    #[serde(default)]
    request_id: Option<String>,
}

/// That a command is on its way. Its outcome comes over the websocket.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct CommandGiven {
    /// Its id, as text.
    command_id: String,
    /// Always `sent`.
    state: String,
}

/// Locks or unlocks a bike.
#[utoipa::path(post, path = "/device/lock", tag = "fleet", request_body = LockAsked,
    responses((status = 200, body = Answer<CommandGiven>)))]
async fn lock(
    State(fleet): State<Fleet>,
    caller: Caller,
    request: RequestContext,
    seen: Seen,
    Body(body): Body<LockAsked>,
) -> Handled<Value> {
    let kind = match body.action {
        LockAction::Lock => CommandKind::Lock,
        LockAction::Unlock => CommandKind::Unlock,
    };
    give(&fleet, &caller, &request, seen, &body.car_id, kind, body.reason, body.request_id).await
}

/// What else a device is told.
#[derive(Clone, Copy, Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
enum Told {
    /// 寻车铃.
    Ring,
    /// 电门开.
    PowerOn,
    /// 电门关.
    PowerOff,
    /// 电池仓.
    OpenBattery,
    /// 重启.
    Reboot,
}

/// A command.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct CommandAsked {
    /// 车辆编号.
    car_id: String,
    /// What.
    command: Told,
    /// Why; required for power.
    #[serde(default)]
    reason: String,
    /// Repeats under one id have one effect.
    #[serde(default)]
    request_id: Option<String>,
}

/// Gives a device another command.
#[utoipa::path(post, path = "/device/command", tag = "fleet", request_body = CommandAsked,
    responses((status = 200, body = Answer<CommandGiven>)))]
async fn command(
    State(fleet): State<Fleet>,
    caller: Caller,
    request: RequestContext,
    seen: Seen,
    Body(body): Body<CommandAsked>,
) -> Handled<Value> {
    let kind = match body.command {
        Told::Ring => CommandKind::FindBell,
        Told::PowerOn => CommandKind::PowerOn,
        Told::PowerOff => CommandKind::PowerOff,
        Told::OpenBattery => CommandKind::BatteryBay,
        Told::Reboot => CommandKind::Reboot,
    };
    give(&fleet, &caller, &request, seen, &body.car_id, kind, body.reason, body.request_id).await
}

#[expect(clippy::too_many_arguments, reason = "the parts of two requests with one course")]
async fn give(
    fleet: &Fleet,
    caller: &Caller,
    request: &RequestContext,
    seen: Seen,
    car_id: &str,
    kind: CommandKind,
    reason: String,
    request_id: Option<String>,
) -> Handled<Value> {
    let command_id = CommandId(fleet.runtime.ids.next_id());
    let mut ctx = request.context(json!({ "commandId": command_id, "state": "sent" }));
    if let (None, Some(id)) = (&ctx.request_id, request_id) {
        if !(1..=64).contains(&id.len()) {
            return Err(Refused::malformed("requestId 需 1 到 64 位"));
        }
        ctx.request_id = Some(RequestId(format!("device-command:{id}")));
    }
    let told = ToldToOne { command_id, kind, reason };
    Ok(Answer::replied(tell(fleet, caller, seen, car_id, told, &ctx).await?))
}

/// What one device is told.
pub(super) struct ToldToOne {
    /// The command's own id.
    pub(super) command_id: CommandId,
    /// What.
    pub(super) kind: CommandKind,
    /// Why.
    pub(super) reason: String,
}

/// Tells the device of a bike in the caller's scope.
pub(super) async fn tell(
    fleet: &Fleet,
    caller: &Caller,
    seen: Seen,
    car_id: &str,
    told: ToldToOne,
    ctx: &CommandContext,
) -> Result<Receipt, Refused> {
    let mut tx = fleet.runtime.reads.scoped(&caller.scope, seen.0, &["vehicle"]).await?;
    let row = vehicles::find(&mut *tx, car_id).await?.ok_or_else(Refused::not_found)?;
    drop(tx);
    let imei =
        row.imei.ok_or_else(|| Refused::business("vehicle-no-device", "车辆未绑定中控，无法下发指令"))?;
    let ToldToOne { command_id, kind, reason } = told;
    let order = Order {
        command_id,
        car_id: CarId::try_from(row.car_id).map_err(Refused::malformed)?,
        imei: Imei::try_from(imei).map_err(Refused::malformed)?,
        agent_id: AgentId(row.agent_id),
        area_id: AreaId(row.area_id),
        kind,
        reason,
        by: caller.name.clone(),
    };
    let command = CommandCommand::Request(order);
    Ok(fleet.runtime.desk.execute::<DeviceCommandState>(&command_id, command, ctx).await?)
}

/// Which bike.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(rename_all = "camelCase")]
struct CarParams {
    /// 车辆编号.
    car_id: String,
}

/// Whether a bike is locked.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct LockState {
    /// 车辆编号.
    car_id: String,
    /// Null when it never reported.
    locked: Option<bool>,
    /// Whether it reported within the last five minutes.
    online: bool,
    /// The device's time of that, epoch milliseconds.
    updated_at: Option<i64>,
}

/// Whether a bike is locked, as it last reported.
#[utoipa::path(get, path = "/device/lock/state", tag = "fleet", params(CarParams),
    responses((status = 200, body = Answer<LockState>)))]
async fn lock_state(
    State(fleet): State<Fleet>,
    caller: Caller,
    seen: Seen,
    Params(request): Params<CarParams>,
) -> Handled<LockState> {
    let mut tx = fleet.runtime.reads.scoped(&caller.scope, seen.0, &["vehicle"]).await?;
    let row = vehicles::find(&mut *tx, &request.car_id).await?.ok_or_else(Refused::not_found)?;
    drop(tx);
    let live = fleet.live.of(&row.car_id);
    Ok(Answer(LockState {
        car_id: row.car_id,
        locked: live.as_ref().map(|live| live.locked),
        online: live.as_ref().is_some_and(|live| live.online),
        updated_at: live.map(|live| live.report_at.millis()),
    }))
}
