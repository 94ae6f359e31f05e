//! Telling many devices the same.

use axum::extract::State;
use futures::StreamExt;
use kernel::Receipt;
use serde::Deserialize;
use serde_json::Value;
use utoipa::ToSchema;
use utoipa_axum::router::UtoipaMethodRouterExt;
use utoipa_axum::routes;
use wire::{
    Answer, BATCH_MAX, BatchAnswer, BatchOutcomes, Body, Caller, Handled, Permit, Refused, RequestContext,
    Routes, Seen, batch,
};

use super::commands::{COMMAND_CODES, ToldToOne, tell};
use crate::Fleet;
use crate::model::command::CommandKind;
use vocabulary::CommandId;

/// Commands of one request that are decided at the same time.
const IN_FLIGHT: usize = 16;

/// The routes.
pub fn routes(fleet: &Fleet) -> Routes {
    Routes::new("fleet").add(Permit::AnyOf(COMMAND_CODES), routes!(command_all).with_state(fleet.clone()))
}

/// What many devices may be told at once: nothing that opens something.
#[derive(Clone, Copy, Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
enum ToldToMany {
    /// 寻车铃.
    Ring,
    /// 关锁.
    Lock,
    /// 电门关.
    PowerOff,
    /// 重启.
    Reboot,
}

/// A command to many.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct CommandToMany {
    /// 车辆编号, at most 200.
    car_ids: Vec<String>,
    /// What.
    command: ToldToMany,
    /// Why; required for power.
    #[serde(default)]
    reason: String,
}

/// Gives many devices the same command; each is judged alone, and the outcome of each comes over the websocket. Repeats
/// under one idempotency key have one effect.
#[utoipa::path(post, path = "/device/command/batch", tag = "fleet", request_body = CommandToMany,
    responses((status = 200, body = Answer<BatchAnswer>)))]
async fn command_all(
    State(fleet): State<Fleet>,
    caller: Caller,
    request: RequestContext,
    seen: Seen,
    Body(body): Body<CommandToMany>,
) -> Handled<BatchAnswer> {
    let kind = match body.command {
        ToldToMany::Ring => CommandKind::FindBell,
        ToldToMany::Lock => CommandKind::Lock,
        ToldToMany::PowerOff => CommandKind::PowerOff,
        ToldToMany::Reboot => CommandKind::Reboot,
    };
    let car_ids = batch(body.car_ids, BATCH_MAX)?;
    let ctx = request.context(Value::Null);
    let (fleet, caller, ctx, reason) = (&fleet, &caller, &ctx, &body.reason);
    let fates: Vec<(String, Result<Receipt, Refused>)> = futures::stream::iter(car_ids)
        .map(|car_id| async move {
            let command_id = CommandId(fleet.runtime.ids.next_id());
            let told = ToldToOne { command_id, kind, reason: reason.clone() };
            // One key stands for the whole request: each bike has a part of its own.
            let ctx = ctx.step(&format!("command:{car_id}"));
            let done = tell(fleet, caller, seen, &car_id, told, &ctx).await;
            (car_id, done)
        })
        .buffered(IN_FLIGHT)
        .collect()
        .await;
    let mut outcomes = BatchOutcomes::default();
    for (car_id, done) in fates {
        outcomes.take(car_id, done)?;
    }
    Ok(outcomes.answer())
}
