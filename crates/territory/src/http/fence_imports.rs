//! Fences from a file: a part of it at a time, first to see what would become of each, then to draw those that may stand.

use kernel::CommandError;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;
use utoipa_axum::routes;
use vocabulary::AreaId;
use wire::{Answer, Body, Call, Handled, Refused, Routes};

use super::fences::{FENCES, area_of, permit, without_people};
use crate::Context;
use crate::app::fence_imports::{Fate, Fault, Import};
use crate::model::fence_form::{FenceForm, FenceType};

/// Rows that one request may bring.
const ROWS_MAX: usize = 500;

/// The routes.
pub fn routes(context: &Context) -> Routes {
    Routes::new("territory").add(FENCES, routes!(import)).with_state(context.clone())
}

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct FenceImport {
    /// What all of them are for.
    #[serde(rename = "type")]
    kind: FenceType,
    /// The area that all of them lie in.
    #[schema(value_type = String)]
    op_area_id: AreaId,
    /// Whether they are kept as drafts, which count for nobody; otherwise they count from now on.
    #[serde(default)]
    draft: bool,
    /// Whether they may overlap fences that tell riders the opposite; otherwise such rows are refused (`fence-overlap`).
    #[serde(default)]
    confirm_overlap: bool,
    /// Whether it is only looked what would become of them.
    #[serde(default)]
    check: bool,
    /// 1 to 500.
    rows: Vec<FenceForm>,
}

/// What became of the rows, or would.
#[derive(Debug, Default, Serialize, ToSchema)]
struct ImportOutcome {
    /// So many were drawn, or would be.
    made: usize,
    /// So many are there already, drawn just so.
    same: usize,
    /// The others, in the order of the request.
    refused: Vec<RefusedRow>,
}

/// A row that may not stand.
#[derive(Debug, Serialize, ToSchema)]
struct RefusedRow {
    /// Which of the request's rows, from 0.
    row: usize,
    /// For programs, such as `fence-name-taken`.
    code: String,
    /// For people.
    text: String,
    /// Where, `[lng, lat]` in WGS-84, when it is about a place.
    spot: Option<[f64; 2]>,
}

impl RefusedRow {
    fn new(row: usize, Fault { refusal, spot }: Fault) -> Result<Self, Refused> {
        match Refused::from(CommandError::Refused(refusal)) {
            Refused::Business { code, text } => Ok(Self { row, code: code.into_owned(), text, spot }),
            other => Err(other),
        }
    }
}

/// Draws the fences of a file that may stand, all of them in one append; the others are told. With `check` nothing is drawn.
#[utoipa::path(post, path = "/fence/import", tag = "territory", operation_id = "importFences",
    request_body = FenceImport, responses((status = 200, body = Answer<ImportOutcome>)))]
async fn import(call: Call<Context>, Body(body): Body<FenceImport>) -> Handled<Value> {
    permit(&call.caller, body.kind)?;
    if body.kind == FenceType::Maintain {
        return Err(without_people());
    }
    if !(1..=ROWS_MAX).contains(&body.rows.len()) {
        return Err(Refused::malformed(format!("一次需有 1 到 {ROWS_MAX} 个围栏")));
    }
    let (edge, agent) = area_of(&call, body.op_area_id).await?;
    let import = Import {
        area: body.op_area_id,
        agent,
        edge,
        kind: body.kind,
        draft: body.draft,
        overlaps: body.confirm_overlap,
    };
    let Call { state: context, caller, request } = &call;
    let (import, fates) = context.judge_import(caller, import, body.rows, request.now()).await?;
    let mut outcome = ImportOutcome::default();
    let mut drawings = Vec::with_capacity(fates.len());
    for (row, fate) in fates.into_iter().enumerate() {
        match fate {
            Fate::New(drawing) => drawings.push(drawing),
            Fate::Same => outcome.same += 1,
            Fate::Refused(fault) => outcome.refused.push(RefusedRow::new(row, fault)?),
        }
    }
    outcome.made = drawings.len();
    let told = serde_json::to_value(&outcome).map_err(Refused::internal)?;
    if body.check || drawings.is_empty() {
        return Ok(Answer(told));
    }
    let ctx = request.context_of_account(told);
    Ok(Answer::replied(context.draw_imported(&import, &drawings, &ctx).await?))
}
