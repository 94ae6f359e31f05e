//! Telling a device what to do.

use std::collections::BTreeMap;

use axum::extract::{Path, State};
use kernel::{CommandContext, CommandError, Position, Receipt, Refusal, RequestId};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::UtoipaMethodRouterExt;
use utoipa_axum::routes;
use vocabulary::{AgentId, AreaId, CommandId, FirmwareId, Scope, Timestamp};
use wire::{
    Answer, BatchAnswer, Body, Call, Caller, Handled, Params, Permit, Refused, RequestContext, Routes, Seen,
    batch,
};

use super::keeping::{BIKES_MAX, GROUP, Rows};
use super::vehicles::KEEPER_CODES;
use crate::Fleet;
use crate::model::bell::{self, BellRefusal};
use crate::model::command::{
    CommandCommand, CommandKind, CommandRefusal, CommandState, DeviceCommandState, Order,
};
use crate::model::device::{Device, Imei};
use crate::model::firmware::{Bike, Firmware, Package, UpgradeRefusal};
use crate::model::region::RidingState;
use crate::model::vehicle::{CarId, Vehicle};
use crate::read::commands::CommandRow;
use crate::read::vehicles::VehicleRow;
use crate::read::{commands, vehicles};

/// Codes that let one tell a device what to do.
pub(super) const COMMAND_CODES: &[&str] = &["0301", "0305"];

/// The routes.
pub fn routes(fleet: &Fleet) -> Routes {
    Routes::new("fleet")
        .add(Permit::AnyOf(COMMAND_CODES), routes!(lock).with_state(fleet.clone()))
        .add(Permit::AnyOf(COMMAND_CODES), routes!(lock_state).with_state(fleet.clone()))
        .add(Permit::AnyOf(COMMAND_CODES), routes!(command).with_state(fleet.clone()))
        .add(Permit::AnyOf(KEEPER_CODES), routes!(told).with_state(fleet.clone()))
        .add(Permit::AnyOf(COMMAND_CODES), routes!(command_many).with_state(fleet.clone()))
        .add(Permit::AnyOf(COMMAND_CODES), routes!(cancel).with_state(fleet.clone()))
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
    /// So many minutes it waits where the bike is away (排队; 关锁, 电门关 and 重启 alone), 1 to 1,440; nothing: it is told now or never.
    #[serde(default)]
    wait_minutes: Option<i64>,
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
    /// `sent`, or `waiting` where the bike is away and the command waits for it.
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
    let asked = CommandRequest { kind, reason: body.reason, wait_minutes: body.wait_minutes, firmware: None };
    give(&fleet, &caller, &request, seen, &body.car_id, asked, body.request_id).await
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
    /// So many minutes it waits where the bike is away (排队; 关锁, 电门关 and 重启 alone), 1 to 1,440; nothing: it is told now or never.
    #[serde(default)]
    wait_minutes: Option<i64>,
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
    let asked = CommandRequest { kind, reason: body.reason, wait_minutes: body.wait_minutes, firmware: None };
    give(&fleet, &caller, &request, seen, &body.car_id, asked, body.request_id).await
}

/// What a device is to be told.
#[derive(Clone)]
struct CommandRequest {
    kind: CommandKind,
    reason: String,
    wait_minutes: Option<i64>,
    /// What is to run, for 固件.
    firmware: Option<Firmware>,
}

async fn give(
    fleet: &Fleet,
    caller: &Caller,
    request: &RequestContext,
    seen: Seen,
    car_id: &str,
    asked: CommandRequest,
    request_id: Option<String>,
) -> Handled<Value> {
    let mut tx = fleet.runtime.reads.scoped(&caller.scope, seen.0, &["vehicle"]).await?;
    let row = vehicles::find(&mut *tx, car_id).await?.ok_or_else(Refused::not_found)?;
    drop(tx);
    let mut ctx = request.context(Value::Null);
    if let (None, Some(id)) = (&ctx.request_id, request_id) {
        if !(1..=64).contains(&id.len()) {
            return Err(Refused::malformed("requestId 需 1 到 64 位"));
        }
        ctx.request_id = Some(RequestId(format!("device-command:{id}")));
    }
    Ok(Answer::replied(given(fleet, &caller.name, ctx, row, asked).await?))
}

/// Gives the command to the bike's device.
async fn given(
    fleet: &Fleet,
    by: &str,
    mut ctx: CommandContext,
    row: VehicleRow,
    asked: CommandRequest,
) -> Result<Receipt, Refused> {
    let CommandRequest { kind, reason, wait_minutes, firmware } = asked;
    let imei =
        row.imei.ok_or_else(|| Refused::business("vehicle-no-device", "车辆未绑定中控，无法下发指令"))?;
    let command_id = CommandId(fleet.runtime.ids.next_id());
    // Who is there is told now.
    let wait_minutes = wait_minutes.filter(|_| !fleet.live.of(&row.car_id).is_some_and(|live| live.online));
    let state = if wait_minutes.is_some() { "waiting" } else { "sent" };
    ctx.reply = json!({ "commandId": command_id, "state": state });
    if kind == CommandKind::FindBell
        && let Err(refusal) = may_ring(fleet, &row.car_id, ctx.now).await?
    {
        // A repeat of one that rang is answered as it was.
        let refused = Refused::business(refusal.code(), refusal.message());
        return fleet.runtime.desk.answered_or(&ctx, refused).await;
    }
    let car_id = CarId::try_from(row.car_id).map_err(Refused::malformed)?;
    let imei = Imei::try_from(imei).map_err(Refused::malformed)?;
    let package = match firmware {
        Some(firmware) => match may_upgrade(fleet, &car_id, &imei, &firmware).await? {
            Ok(package) => Some(Box::new(package)),
            Err(refusal) => {
                let refused = Refused::business(refusal.code(), refusal.message());
                return fleet.runtime.desk.answered_or(&ctx, refused).await;
            }
        },
        None => None,
    };
    let order = Order {
        command_id,
        car_id,
        imei,
        agent_id: AgentId(row.agent_id),
        area_id: AreaId(row.area_id),
        kind,
        reason,
        by: by.to_owned(),
        wait_minutes,
        package,
    };
    let command = CommandCommand::Request(order);
    Ok(fleet.runtime.desk.execute::<DeviceCommandState>(&command_id, command, &ctx).await?)
}

async fn may_ring(fleet: &Fleet, car_id: &str, now: Timestamp) -> Result<Result<(), BellRefusal>, Refused> {
    let newest = Some(Position(i64::MAX));
    let mut db = fleet.runtime.reads.scoped(&Scope::ALL, newest, &["device-command"]).await?;
    let rung = commands::rung(&mut *db, car_id, now.plus_millis(-bell::LOOKS_BACK_MS)).await?;
    Ok(bell::may_ring(&rung, now))
}

/// What the device is told when its bike may take `firmware` now, by what the log and its last report say.
async fn may_upgrade(
    fleet: &Fleet,
    car_id: &CarId,
    imei: &Imei,
    firmware: &Firmware,
) -> Result<Result<Package, UpgradeRefusal>, Refused> {
    let device = fleet.runtime.desk.load::<Device>(imei).await?.state;
    let bike = fleet.runtime.desk.load::<Vehicle>(car_id).await?.state;
    Ok(firmware.for_bike(Bike {
        about: device.about(),
        riding: bike.riding().unwrap_or(RidingState::Idle),
        soc_percent: fleet.live.of(car_id.as_str()).map(|live| live.soc_percent),
    }))
}

/// A command for many.
#[derive(Debug, Deserialize, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct CommandsAsked {
    /// Which bikes: 1 to 5,000 numbers.
    car_ids: Vec<String>,
    /// What: 开锁, 关锁, 电门开, 电门关, 电池仓, 寻车铃, 重启 or 固件.
    kind: CommandKind,
    /// The package, as text; due for 固件, and for nothing else.
    #[serde(default)]
    #[schema(value_type = Option<String>)]
    firmware_id: Option<FirmwareId>,
    /// Why; due to unlock and for power.
    #[serde(default)]
    reason: String,
    /// So many minutes it waits where the bike is away (排队; 关锁, 电门关 and 重启 alone), 1 to 1,440; nothing: it is told now or never.
    #[serde(default)]
    wait_minutes: Option<i64>,
}

/// What a person may tell a device; the rest is told by what configures devices.
const fn is_given_by_hand(kind: CommandKind) -> bool {
    use CommandKind::{BatteryBay, FindBell, Firmware, Lock, PowerOff, PowerOn, Reboot, Unlock};
    matches!(kind, Unlock | Lock | PowerOn | PowerOff | BatteryBay | FindBell | Reboot | Firmware)
}

/// Gives the devices of many bikes in the account's scope a command; each bike is answered, and under an idempotency key each is told
/// once. What becomes of a command stands with the command.
#[utoipa::path(post, path = "/device/command/batch", tag = "fleet", operation_id = "commandVehicles",
    request_body = CommandsAsked, responses((status = 200, body = Answer<BatchAnswer>)))]
async fn command_many(call: Call<Fleet>, Body(body): Body<CommandsAsked>) -> Handled<BatchAnswer> {
    let CommandsAsked { car_ids, kind, firmware_id, reason, wait_minutes } = body;
    if !is_given_by_hand(kind) {
        return Err(Refused::business("command-not-by-hand", format!("“{kind}”不能在这里下发")));
    }
    let cars = batch(car_ids, BIKES_MAX)?;
    if (kind == CommandKind::Firmware) != firmware_id.is_some() {
        return Err(CommandError::Refused(CommandRefusal::PackageDue).into());
    }
    let firmware = match firmware_id {
        Some(id) => Some(call.state.runtime.desk.load::<Firmware>(&id).await?.state),
        None => None,
    };
    let asked = CommandRequest { kind, reason, wait_minutes, firmware };
    let mut rows = match firmware_id {
        Some(id) => Rows::of(&call, &(kind, &asked.reason, wait_minutes, id), cars.len()),
        None => Rows::of(&call, &(kind, &asked.reason, wait_minutes), cars.len()),
    }?;
    for group in cars.chunks(GROUP) {
        let mut db = call.state.runtime.reads.scoped(&call.caller.full_scope, None, &[]).await?;
        let found = vehicles::find_all(&mut *db, group).await?;
        drop(db);
        let found: BTreeMap<String, VehicleRow> =
            found.into_iter().map(|row| (row.car_id.clone(), row)).collect();
        let (fleet, by, found, asked) = (&call.state, &call.caller.name, &found, &asked);
        rows.each(group, |ctx, car| async move {
            let row = found.get(&car.to_string()).cloned().ok_or_else(Refused::not_found)?;
            given(fleet, by, ctx, row, asked.clone()).await
        })
        .await?;
    }
    Ok(rows.answer())
}

/// A command that is taken back.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct CommandCancelled {
    /// The command's id, as text.
    #[schema(value_type = String)]
    command_id: CommandId,
}

/// Takes a command back that still waits for its bike.
#[utoipa::path(post, path = "/device/command/cancel", tag = "fleet", operation_id = "cancelCommand",
    request_body = CommandCancelled, responses((status = 200, body = Answer<Value>)))]
async fn cancel(call: Call<Fleet>, Body(body): Body<CommandCancelled>) -> Handled<Value> {
    let cancel = CommandCommand::Cancel { by: call.caller.name.clone() };
    call.act::<DeviceCommandState>(&body.command_id, cancel).await
}

/// A command that a bike's device was given. Times are epoch milliseconds.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct BikeCommand {
    /// Its id, as text.
    id: String,
    /// What was asked.
    #[schema(value_type = CommandKind)]
    kind: i16,
    /// How far it got.
    #[schema(value_type = CommandState)]
    state: i16,
    /// 迟到: answered after its timeout.
    late: bool,
    /// The device's answer; 0 is done.
    result_code: Option<i32>,
    /// The version that the device is to run, of 固件.
    firmware: Option<String>,
    /// Why it was asked.
    reason: String,
    /// Who asked.
    by: String,
    /// When it was asked for.
    requested_at: i64,
    /// When it left; null: it waits, or never did.
    sent_at: Option<i64>,
    /// When it was answered.
    ack_at: Option<i64>,
    /// Until when it waits, or waited, for the bike to come back (排队).
    wait_until: Option<i64>,
}

/// The newest commands of a bike.
#[derive(Debug, Serialize, ToSchema)]
struct BikeCommands {
    /// At most 20.
    rows: Vec<BikeCommand>,
}

/// What a bike's device was told lately, the newest first.
#[utoipa::path(get, path = "/vehicle/{carId}/commands", tag = "fleet", operation_id = "vehicleCommands",
    params(("carId" = String, Path)), responses((status = 200, body = Answer<BikeCommands>)))]
async fn told(
    State(fleet): State<Fleet>,
    caller: Caller,
    seen: Seen,
    Path(car_id): Path<String>,
) -> Handled<BikeCommands> {
    let mut tx = fleet.runtime.reads.scoped(&caller.scope, seen.0, &["vehicle", "device-command"]).await?;
    vehicles::find(&mut *tx, &car_id).await?.ok_or_else(Refused::not_found)?;
    let newest = commands::newest_of(&mut *tx, &car_id, 20).await?;
    drop(tx);
    let shown = |row: CommandRow| BikeCommand {
        id: row.command_id.to_string(),
        kind: row.kind,
        state: row.state,
        late: row.late,
        result_code: row.result_code,
        firmware: row.firmware,
        reason: row.reason,
        by: row.by,
        requested_at: row.requested_at_ms,
        sent_at: row.sent_at_ms,
        ack_at: row.ack_at_ms,
        wait_until: row.wait_until_ms,
    };
    Ok(Answer(BikeCommands { rows: newest.into_iter().map(shown).collect() }))
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
