//! The open API's prices: what a program says that rides cost in an area.

use axum::extract::{Path, State};
use serde::Deserialize;
use serde_json::{Value, json};
use utoipa::ToSchema;
use utoipa_axum::routes;
use vocabulary::AreaId;
use wire::{Answer, Body, Caller, Handled, Nothing, Permit, Refused, RequestContext, Routes};

use crate::Context;
use crate::model::billing::Billing;
use crate::model::config::{BillingConfig, ConfigAct, ConfigCommand, Place};

/// The routes.
pub fn routes(context: &Context) -> Routes {
    Routes::new("riding")
        .add(Permit::Machine("open:territory"), routes!(set_billing))
        .with_state(context.clone())
}

/// What rides cost.
#[derive(Deserialize, ToSchema)]
struct OpenBilling {
    /// All of it.
    content: Billing,
    /// 发布说明, at most 200 characters.
    #[serde(default)]
    note: String,
}

/// Lets a billing count in an area from now on; the same again changes nothing. A draft that somebody is writing there is left
/// as it is, and the call refused.
#[utoipa::path(post, path = "/open/v1/areas/{areaId}/billing", tag = "open", operation_id = "setAreaBilling",
    params(("areaId" = String, Path)), request_body = OpenBilling, responses((status = 200, body = Answer<Nothing>)))]
async fn set_billing(
    State(context): State<Context>,
    caller: Caller,
    request: RequestContext,
    Path(area): Path<String>,
    Body(body): Body<OpenBilling>,
) -> Handled<Value> {
    let area: AreaId = area.parse().map_err(|_| Refused::malformed("服务区编号不正确"))?;
    let known = context.ports.places.area(area).await.map_err(Refused::unavailable)?;
    let of = known.map(|known| Place { area_id: area, agent_id: known.agent_id });
    let of = of.filter(|of| caller.scope.contains(of.owner())).ok_or_else(Refused::not_found)?;
    let act = ConfigAct::Set { said: body.content, from: None, note: body.note };
    let ctx = request.context(json!({}));
    let receipt =
        context.runtime.desk.execute::<BillingConfig>(&area, ConfigCommand { of, act }, &ctx).await?;
    Ok(Answer::replied(receipt))
}
