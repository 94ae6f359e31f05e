//! Sending what counts in an area to its bikes again. How it goes on is the live context's: what is asked for here stands in
//! the log, and who sends reads it from the area's row.

use serde::Deserialize;
use serde_json::Value;
use utoipa::ToSchema;
use utoipa_axum::routes;
use vocabulary::AreaId;
use wire::{Answer, Body, Call, Handled, Nothing, Permit, Routes};

use crate::Context;
use crate::model::area::{Area, AreaCommand};

/// Whoever draws what counts there.
const DRAWERS: Permit = Permit::AnyOf(&["0503", "0504", "0505"]);

/// The routes.
pub fn routes(context: &Context) -> Routes {
    Routes::new("territory").add(DRAWERS, routes!(again)).with_state(context.clone())
}

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct DeliverAgain {
    #[schema(value_type = String)]
    op_area_id: AreaId,
}

/// Sends an area's fences again to those of its bikes that do not hold them, also to those that refused.
#[utoipa::path(post, path = "/fence/delivery/again", tag = "territory", operation_id = "deliverFencesAgain",
    request_body = DeliverAgain, responses((status = 200, body = Answer<Nothing>)))]
async fn again(call: Call<Context>, Body(body): Body<DeliverAgain>) -> Handled<Value> {
    call.act::<Area>(&body.op_area_id, AreaCommand::DeliverAgain).await
}
