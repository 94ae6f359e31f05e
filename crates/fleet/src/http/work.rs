//! What the field app tells: work on a bike.

use axum::extract::{Path, State};
use serde::Deserialize;
use serde_json::{Value, json};
use utoipa::ToSchema;
use utoipa_axum::router::UtoipaMethodRouterExt;
use utoipa_axum::routes;
use wire::{Answer, Body, Handled, Permit, Refused, RequestContext, Routes};

use crate::Fleet;
use crate::model::region::OperationState;
use crate::model::vehicle::{CarId, Vehicle, VehicleCommand};

/// The routes.
pub fn routes(fleet: &Fleet) -> Routes {
    Routes::new("fleet").add(Permit::Machine("open:ride"), routes!(work).with_state(fleet.clone()))
}

/// Begin or end.
#[derive(Clone, Copy, Debug, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
enum WorkAction {
    /// 开始.
    Start,
    /// 完成.
    Finish,
}

/// Kinds of work on a bike.
#[derive(Clone, Copy, Debug, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
enum WorkKind {
    /// 换电.
    Swap,
    /// 挪车.
    Move,
    /// 维修.
    Repair,
}

/// What a field worker does.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct WorkAsked {
    /// Begin or end.
    action: WorkAction,
    /// What kind.
    kind: WorkKind,
    /// Who, as the field app names him; 1 to 40 characters.
    worker_id: String,
}

/// A field worker begins or ends work on a bike.
#[utoipa::path(post, path = "/open/v1/vehicles/{carId}/work", tag = "open", params(("carId" = String, Path)),
    request_body = WorkAsked, responses((status = 200, body = Answer<Value>)))]
async fn work(
    State(fleet): State<Fleet>,
    request: RequestContext,
    Path(car_id): Path<String>,
    Body(body): Body<WorkAsked>,
) -> Handled<Value> {
    let worker = person(body.worker_id)?;
    let kind = match body.kind {
        WorkKind::Swap => OperationState::Swapping,
        WorkKind::Move => OperationState::Moving,
        WorkKind::Repair => OperationState::Repair,
    };
    let command = match body.action {
        WorkAction::Start => VehicleCommand::StartWork { kind, worker },
        WorkAction::Finish => VehicleCommand::FinishWork { kind, worker },
    };
    run(&fleet, &request, car_id, command).await
}

async fn run(
    fleet: &Fleet,
    request: &RequestContext,
    car_id: String,
    command: VehicleCommand,
) -> Handled<Value> {
    let car_id = CarId::try_from(car_id).map_err(Refused::malformed)?;
    let receipt =
        fleet.runtime.desk.execute::<Vehicle>(&car_id, command, &request.context(json!({}))).await?;
    Ok(Answer::replied(receipt))
}

fn person(name: String) -> Result<String, Refused> {
    if (1..=40).contains(&name.chars().count()) {
        Ok(name)
    } else {
        Err(Refused::malformed("人员编号需 1 到 40 位"))
    }
}
