//! Many parking places changed at once: looked at first, done under one name with a reason, and taken back as one.

use std::collections::{BTreeSet, HashMap};

use geofence::Rule;
use kernel::CommandError;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use utoipa::ToSchema;
use utoipa_axum::routes;
use vocabulary::{AreaId, FenceBatchId, FenceId, OperatorId, Timestamp};
use wire::{Answer, Body, Call, Caller, Handled, Permit, Refused, Routes};

use super::fence_preview::StopTally;
use super::fences::refused;
use crate::Context;
use crate::app::fence_batches::{BatchPreview, BatchRequest, Done, Fate, Judged, Shift, Undo, told};
use crate::model::fence::{Drawing, Term};
use crate::model::fence_adjust::Adjustment;
use crate::model::fence_batch::{FENCES_MAX, FenceBatchRefusal, UNDONE_WITHIN_MS, reason};
use crate::model::fence_form::ParkingForm;
use crate::read::fence_batches::FenceBatchRow;

/// Stations alone are changed many at once.
const PARKINGS: Permit = Permit::AnyOf(&["0504"]);
/// Days of stops that a preview looks at.
const DAYS: u32 = 7;

/// The routes.
pub fn routes(context: &Context) -> Routes {
    Routes::new("territory")
        .add(PARKINGS, routes!(preview))
        .add(PARKINGS, routes!(apply))
        .add(PARKINGS, routes!(recent))
        .add(PARKINGS, routes!(undo))
        .with_state(context.clone())
}

/// A fence as it was seen.
#[derive(Deserialize, ToSchema)]
struct SeenFence {
    #[schema(value_type = String)]
    id: FenceId,
    /// The version that was seen; another one is refused.
    version: i64,
}

/// What is to be changed of which, and when.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct FenceBatchForm {
    /// 1 to 200, each once.
    fences: Vec<SeenFence>,
    /// What is to be otherwise.
    change: Adjustment,
    /// From when, epoch milliseconds; absent: from now on.
    from: Option<i64>,
    /// Until when, epoch milliseconds, from when on each says again what it says now; absent: until something else is published.
    until: Option<i64>,
}

impl FenceBatchForm {
    fn request(self) -> Result<BatchRequest, Refused> {
        let once: BTreeSet<FenceId> = self.fences.iter().map(|one| one.id).collect();
        if !(1..=FENCES_MAX).contains(&self.fences.len()) || once.len() < self.fences.len() {
            return Err(CommandError::Refused(FenceBatchRefusal::Count).into());
        }
        if !self.change.is_sound() {
            return Err(CommandError::Refused(FenceBatchRefusal::Nothing).into());
        }
        let at = Timestamp::from_millis;
        Ok(BatchRequest {
            fences: self.fences.into_iter().map(|one| (one.id, one.version)).collect(),
            adjustment: self.change,
            term: Term { from: self.from.map(at), until: self.until.map(at) },
        })
    }
}

/// What a parking place says that may be changed.
#[derive(Debug, Serialize, ToSchema)]
struct ParkingSaid {
    /// What it asks for.
    parking: ParkingForm,
    /// 标签.
    tags: Vec<String>,
}

impl ParkingSaid {
    fn of(drawing: &Drawing) -> Option<Self> {
        let Rule::Parking(parking) = &drawing.rule else { return None };
        Some(Self { parking: parking.into(), tags: drawing.tags.clone() })
    }
}

/// How stops are judged.
#[derive(Debug, Serialize, ToSchema)]
struct StopShift {
    /// By what counts now.
    before: StopTally,
    /// With the change.
    after: StopTally,
}

impl From<Shift> for StopShift {
    fn from(Shift { before, after }: Shift) -> Self {
        Self { before: before.into(), after: after.into() }
    }
}

/// What would become of a fence.
#[derive(Debug, Serialize, ToSchema)]
struct PreviewedRow {
    /// Which, as text.
    #[schema(value_type = String)]
    id: FenceId,
    /// The version that was seen.
    version: i64,
    /// 名称; empty of one that is not the caller's.
    name: String,
    /// As it is; null where it is not changed.
    #[schema(required)]
    before: Option<ParkingSaid>,
    /// As it would be; null where it is not changed.
    #[schema(required)]
    after: Option<ParkingSaid>,
    /// Why it would be left as it is, for people; null where it would be changed or is so already.
    #[schema(required)]
    refused: Option<String>,
    /// Stops about it; null where it is not changed or was not looked at.
    #[schema(required)]
    stops: Option<StopShift>,
}

/// What a change would do.
#[derive(Debug, Serialize, ToSchema)]
struct FenceBatchPreview {
    /// In the order of the request.
    rows: Vec<PreviewedRow>,
    /// Days of stops that were looked at.
    days: u32,
    /// Stops about all that would be changed, each once.
    stops: StopShift,
    /// Whether there are more than the 20,000 stops that were judged.
    capped: bool,
}

impl FenceBatchPreview {
    fn new(judged: Vec<Judged>, mut preview: BatchPreview) -> Self {
        let row = |one: Judged| {
            let stops = preview.each.remove(&one.id).map(StopShift::from);
            let (before, after, refused) = match one.fate {
                Fate::Changed { before, after, .. } => {
                    (ParkingSaid::of(&before), ParkingSaid::of(&after), None)
                }
                Fate::Same => (None, None, None),
                Fate::Refused { text, .. } => (None, None, Some(text)),
            };
            PreviewedRow { id: one.id, version: one.version, name: one.name, before, after, refused, stops }
        };
        let rows = judged.into_iter().map(row).collect();
        Self { rows, days: DAYS, stops: preview.all.into(), capped: preview.capped }
    }
}

/// What a change of many parking places would do: to each of them, and to how the stops of the last seven days are judged.
/// Nothing is written.
#[utoipa::path(post, path = "/fence/batch/preview", tag = "territory", operation_id = "previewFenceBatch",
    request_body = FenceBatchForm, responses((status = 200, body = Answer<FenceBatchPreview>)))]
async fn preview(call: Call<Context>, Body(body): Body<FenceBatchForm>) -> Handled<FenceBatchPreview> {
    let wanted = body.request()?;
    let now = call.request.now();
    wanted.term.sound(now).map_err(|fault| refused(fault.into()))?;
    let judged = call.state.judge_batch(&call.caller, FenceBatchId(0), &wanted, now).await?;
    if !judged.iter().any(Judged::is_known) {
        return Err(Refused::not_found());
    }
    let preview = call.state.preview_batch(&judged, DAYS).await?;
    Ok(Answer(FenceBatchPreview::new(judged, preview)))
}

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = NewFenceBatch)]
struct NewBatch {
    #[serde(flatten)]
    form: FenceBatchForm,
    /// 原因, 1 to 100 characters.
    reason: String,
}

/// What became of a fence.
#[derive(Debug, Serialize, ToSchema)]
struct BatchRow {
    /// Which, as text.
    #[schema(value_type = String)]
    id: FenceId,
    /// 名称.
    name: String,
    /// Why it was left as it is, for people; null where it was changed or was so already.
    #[schema(required)]
    refused: Option<String>,
}

/// What became of a change.
#[derive(Debug, Serialize, ToSchema)]
struct FenceBatchOutcome {
    /// What the change is known by, as text; null when nothing was changed.
    #[schema(value_type = Option<String>, required)]
    id: Option<FenceBatchId>,
    /// So many were changed.
    changed: usize,
    /// So many were so already.
    same: usize,
    /// Those that were left as they are, and why.
    refused: Vec<BatchRow>,
}

impl FenceBatchOutcome {
    fn new(id: Option<FenceBatchId>, judged: &[Judged]) -> Self {
        let refused = judged.iter().filter_map(|one| match &one.fate {
            Fate::Refused { text, .. } => {
                Some(BatchRow { id: one.id, name: one.name.clone(), refused: Some(text.clone()) })
            }
            _ => None,
        });
        let refused: Vec<BatchRow> = refused.collect();
        let changed = judged.iter().filter(|one| one.is_changed()).count();
        Self { id, changed, same: judged.len() - changed - refused.len(), refused }
    }
}

/// Changes many parking places at once: those that may be changed, all or none of them, under one id and for one reason. The
/// others are told.
#[utoipa::path(post, path = "/fence/batch", tag = "territory", operation_id = "changeFences",
    request_body = NewBatch, responses((status = 200, body = Answer<FenceBatchOutcome>)))]
async fn apply(call: Call<Context>, Body(body): Body<NewBatch>) -> Handled<Value> {
    let wanted = body.form.request()?;
    let why = reason(&body.reason).map_err(|refusal| Refused::from(CommandError::Refused(refusal)))?;
    let Call { state: context, caller, request } = &call;
    let ctx = request.context_of_account(json!({}));
    let answer = |id, judged: &[Judged]| told(&FenceBatchOutcome::new(Some(id), judged));
    match context.apply_batch(caller, &wanted, &why, &ctx, answer).await? {
        Done::Changed(receipt) => Ok(Answer::replied(receipt)),
        Done::Nothing(judged) if judged.iter().any(Judged::is_known) => {
            Ok(Answer(told(&FenceBatchOutcome::new(None, &judged))?))
        }
        Done::Nothing(_) => Err(Refused::not_found()),
    }
}

/// A fence of a change.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct ChangedFenceOf {
    /// Which, as text.
    #[schema(value_type = String)]
    id: FenceId,
    /// The area it lies in.
    #[schema(value_type = String)]
    op_area_id: AreaId,
    /// What it was called then.
    name: String,
    /// The version that was changed.
    from_version: i64,
    /// The version that it became.
    to_version: i64,
    /// Whether it is as before again.
    back: bool,
}

/// A change of many fences.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct RecentBatch {
    /// Its id, as text.
    #[schema(value_type = String)]
    id: FenceBatchId,
    /// 原因.
    reason: String,
    /// What was to be otherwise.
    change: Adjustment,
    /// Who asked for it; null when the caller may not know him.
    #[schema(required)]
    operator_name: Option<String>,
    /// When, epoch milliseconds.
    made_at: i64,
    /// From when it counts, epoch milliseconds.
    from_at: i64,
    /// Until when, epoch milliseconds.
    #[schema(required)]
    until_at: Option<i64>,
    /// When it was taken back, epoch milliseconds.
    #[schema(required)]
    undone_at: Option<i64>,
    /// By whom; null when the caller may not know him.
    #[schema(required)]
    undone_name: Option<String>,
    /// Those that the caller may see.
    fences: Vec<ChangedFenceOf>,
}

/// Changes of many fences.
#[derive(Debug, Serialize, ToSchema)]
struct RecentBatches {
    /// Newest first, at most 100.
    rows: Vec<RecentBatch>,
    /// Whether there are more.
    more: bool,
    /// For so long a change can be taken back as one, days.
    days: i64,
}

impl RecentBatch {
    fn new(row: FenceBatchRow, names: &HashMap<OperatorId, String>) -> Self {
        let name = |id: Option<OperatorId>| id.and_then(|id| names.get(&id).cloned());
        let back: BTreeSet<FenceId> = row.back.0.into_iter().collect();
        let fences = row.members.0.into_iter().map(|one| ChangedFenceOf {
            id: one.fence_id,
            op_area_id: one.area_id,
            name: one.name,
            from_version: one.adjusted.from_version,
            to_version: one.adjusted.to_version,
            back: back.contains(&one.fence_id),
        });
        Self {
            id: row.batch_id,
            reason: row.reason,
            change: row.adjustment.0,
            operator_name: name(row.operator_id),
            made_at: row.made_at_ms,
            from_at: row.from_at_ms,
            until_at: row.until_at_ms,
            undone_at: row.undone_at_ms,
            undone_name: name(row.undone_by),
            fences: fences.collect(),
        }
    }
}

/// The names of people whom the caller may know.
async fn names(
    context: &Context,
    caller: &Caller,
    ids: &BTreeSet<OperatorId>,
) -> Result<HashMap<OperatorId, String>, Refused> {
    let people = context.ports.people.of(&caller.full_scope, ids).await.map_err(Refused::unavailable)?;
    Ok(people.into_iter().map(|person| (person.id, person.name)).collect())
}

/// 最近的批量修改: changes of many parking places in the last 30 days, newest first.
#[utoipa::path(get, path = "/fence/batch/list", tag = "territory", operation_id = "recentFenceBatches",
    responses((status = 200, body = Answer<RecentBatches>)))]
async fn recent(call: Call<Context>) -> Handled<RecentBatches> {
    let (rows, more) = call.state.recent_batches(&call.caller, call.request.now()).await?;
    let ids = rows.iter().flat_map(|row| [row.operator_id, row.undone_by]).flatten().collect();
    let names = names(&call.state, &call.caller, &ids).await?;
    let rows = rows.into_iter().map(|row| RecentBatch::new(row, &names)).collect();
    Ok(Answer(RecentBatches { rows, more, days: UNDONE_WITHIN_MS / 86_400_000 }))
}

#[derive(Deserialize, ToSchema)]
struct UndoneBatch {
    #[schema(value_type = String)]
    id: FenceBatchId,
    /// Whether it is only looked what would become of its fences.
    #[serde(default)]
    check: bool,
}

/// What became of the fences of a change that was taken back.
#[derive(Debug, Serialize, ToSchema)]
struct UndoOutcome {
    /// So many are as before again.
    back: usize,
    /// Those that are left as they are, and why.
    left: Vec<BatchRow>,
}

impl From<&Undo> for UndoOutcome {
    fn from(undo: &Undo) -> Self {
        let left = undo.left.iter().map(|(member, text)| BatchRow {
            id: member.fence_id,
            name: member.name.clone(),
            refused: Some(text.clone()),
        });
        Self { back: undo.back.len(), left: left.collect() }
    }
}

/// Takes a change of many back: each fence says again what it said before, unless something came after; these are told.
#[utoipa::path(post, path = "/fence/batch/undo", tag = "territory", operation_id = "undoFenceBatch",
    request_body = UndoneBatch, responses((status = 200, body = Answer<UndoOutcome>)))]
async fn undo(call: Call<Context>, Body(body): Body<UndoneBatch>) -> Handled<Value> {
    let Call { state: context, caller, request } = &call;
    let answer = |undo: &Undo| told(&UndoOutcome::from(undo));
    if body.check {
        return Ok(Answer(answer(&context.judge_undo(caller, body.id, request.now()).await?)?));
    }
    let ctx = request.context_of_account(json!({}));
    Ok(Answer::replied(context.undo_batch(caller, body.id, &ctx, answer).await?))
}
