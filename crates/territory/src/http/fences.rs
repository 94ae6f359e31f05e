//! Fences: the list, drafts, versions that count from an instant on, and taking them back.

use axum::extract::Path;
use geofence::Ring;
use kernel::{CommandContext, CommandError, List};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::routes;
use vocabulary::{AgentId, AreaId, DataOwner, FenceId, ParkApplicationId, Scope, Timestamp};
use wire::{
    Answer, Body, Call, Caller, Column, Export, Handled, Listed, Listing, MadeId, Nothing, Params, Permit,
    Record, Refused, Routes, Seen, given,
};

use super::park_applications::build_station;
use crate::Context;
use crate::model::area::{Area, AreaState};
use crate::model::fence::{Drawing, Fence, FenceCommand, FenceRefusal, Term};
use crate::model::fence_form::{FenceForm, FenceType};
use crate::read::fences::{self, FenceRow, FenceVersion};

pub(super) const FENCES: Permit = Permit::AnyOf(&["0504", "0505", "0908"]);
const READS: &[&str] = &["fence", "area", "agent"];

/// The routes.
pub fn routes(context: &Context) -> Routes {
    Routes::new("territory")
        .add_list::<FenceQuery>(
            FENCES,
            Listed {
                path: "/fence/list",
                operations: ["listFences", "exportFences"],
                summary: "Fences in scope of the kinds that the caller's codes name, newest change first.",
            },
        )
        .add_record::<FenceQuery>(
            FENCES,
            Record { path: "/fence/{id}", operation: "fenceInfo", summary: "One fence." },
        )
        .add(FENCES, routes!(create, update))
        .add(FENCES, routes!(delete))
        .add(FENCES, routes!(state))
        .add(FENCES, routes!(versions))
        .add(FENCES, routes!(publish))
        .add(FENCES, routes!(discard))
        .add(FENCES, routes!(withdraw))
        .add(FENCES, routes!(rollback))
        .with_state(context.clone())
}

#[derive(Default, Deserialize, Serialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub(super) struct FenceQuery {
    /// Part of the name.
    keyword: Option<String>,
    /// Those of these types, with commas between: parking, noStop, noRide, maintain, custom.
    #[serde(rename = "type")]
    #[param(rename = "type")]
    kinds: Option<String>,
    /// Those of this area.
    op_area_id: Option<AreaId>,
    /// 1: those that may count, 0: those that are switched off.
    state: Option<i16>,
}

impl Listing for FenceQuery {
    type State = Context;
    type Row = FenceRow;
    const READS: &'static [&'static str] = READS;
    const KEY: &'static str = "f.fence_id";
    const FILE: Export<FenceRow> = Export {
        what: "fence",
        title: "围栏",
        columns: &[
            Column::text("name", "名称", |row| &row.drawn.name),
            Column::made("type", "类型", |row| row.kind.kind().label().to_owned()),
            Column::text("state", "状态", stage),
            Column::text("areaName", "服务区", |row| row.area_name.as_deref().unwrap_or_default()),
            Column::count("capacity", "停放上限", |row| row.drawn.capacity.unwrap_or(0).into()),
            Column::made("areaM2", "面积", |row| format!("{:.1} m²", row.drawn.area_m2)),
            Column::count("countsVersion", "生效版本", |row| row.counts_version.unwrap_or(0)),
            Column::text("draft", "草稿", |row| if row.has_draft { "有" } else { "" }),
            Column::made("tags", "标签", |row| row.drawn.tags.join("、")),
            Column::time("updatedAt", "更新时间", |row| Some(row.updated_at)),
            Column::time("untilAt", "失效时间", |row| row.until_at),
            Column::text("remark", "备注", |row| &row.drawn.remark),
            Column::made("id", "围栏编号", |row| row.id.to_string()),
            Column::count("dataVersion", "最新版本", |row| row.data_version),
            Column::time("fromAt", "生效时间", |row| row.from_at),
        ],
    };

    fn list(&self, scope: &Scope) -> Result<List, Refused> {
        Ok(fences::list(scope)
            .contains(&["f.name"], self.keyword.as_deref())
            .is_one_of("f.kind", self.kinds()?)
            .is("f.area_id", self.op_area_id.map(|area| area.0))
            .is("f.enabled", self.state.map(|state| state != 0)))
    }

    fn permitted(&self, list: List, caller: &Caller) -> List {
        let kinds = FenceType::ALL.into_iter().filter(|one| caller.codes.has(one.code()));
        list.is_one_of("f.kind", kinds.map(|one| one.kind().number().into()).collect())
    }
}

impl FenceQuery {
    /// The numbers of the kinds that are asked for; none: all.
    fn kinds(&self) -> Result<Vec<i64>, Refused> {
        let named = given(self.kinds.as_ref()).into_iter().flat_map(|list| list.split(','));
        let kind = |name: &str| match serde_json::from_value::<FenceType>(name.trim().into()) {
            Ok(found) => Ok(found.kind().number().into()),
            Err(_) => Err(Refused::malformed("请求参数 type 格式不正确")),
        };
        named.take(FenceType::ALL.len()).map(kind).collect()
    }
}

/// Where a fence stands, in a word.
pub(super) fn stage(row: &FenceRow) -> &'static str {
    match row.counts_version {
        _ if row.data_version == 0 => "草稿",
        _ if row.state == 0 => "停用",
        Some(counts) if counts == row.data_version => "生效中",
        Some(_) => "待换版",
        None => "未生效",
    }
}

/// Refuses who lacks the code for fences of this type.
pub(super) fn permit(caller: &Caller, kind: FenceType) -> Result<(), Refused> {
    if caller.codes.has(kind.code()) { Ok(()) } else { Err(Refused::forbidden()) }
}

/// The edge of an area that the caller may draw in, and who runs it.
pub(super) async fn area_of(call: &Call<Context>, area: AreaId) -> Result<(Ring, AgentId), Refused> {
    let known = call.state.runtime.desk.load::<Area>(&area).await?.state;
    let (Some(edge), Some(agent)) = (known.ring(), known.agent()) else { return Err(no_area()) };
    let open = known.state() != Some(AreaState::Closed);
    let within = call.caller.full_scope.contains(DataOwner::of_area(agent, area));
    if open && within { Ok((edge.clone(), agent)) } else { Err(no_area()) }
}

pub(super) fn no_area() -> Refused {
    Refused::business("area-unknown", "服务区不存在、已关停，或不在您的数据范围内")
}

/// A fence that the caller may see and change.
pub(super) struct Found {
    pub kind: FenceType,
    pub area: AreaId,
    pub agent: AgentId,
    /// The edge of its area.
    pub edge: Ring,
    /// As it was drawn last, published or not.
    pub drawing: Drawing,
}

pub(super) async fn found(call: &Call<Context>, id: FenceId) -> Result<Found, Refused> {
    let fence = call.state.runtime.desk.load::<Fence>(&id).await?.state;
    let drawing = fence.drawing().ok_or_else(Refused::not_found)?;
    let owner = DataOwner::of_area(drawing.agent_id, drawing.area_id);
    if !call.caller.full_scope.contains(owner) {
        return Err(Refused::not_found());
    }
    let kind = FenceType::of(drawing.rule.kind());
    permit(&call.caller, kind)?;
    let known = call.state.runtime.desk.load::<Area>(&drawing.area_id).await?.state;
    let edge = known.ring().ok_or_else(no_area)?.clone();
    Ok(Found { kind, area: drawing.area_id, agent: drawing.agent_id, edge, drawing: drawing.clone() })
}

/// `command`, to be refused where what begins to count by it overlaps what tells riders the opposite; as it is once somebody
/// has `confirmed` that.
async fn apart(
    call: &Call<Context>,
    confirmed: bool,
    area: AreaId,
    kind: FenceType,
    command: FenceCommand,
) -> Result<FenceCommand, Refused> {
    if confirmed { Ok(command) } else { call.state.apart(&call.caller, area, kind.kind(), command).await }
}

pub(super) fn refused(refusal: FenceRefusal) -> Refused {
    CommandError::Refused(refusal).into()
}

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = FenceBody)]
struct NewFence {
    /// What it is for.
    #[serde(rename = "type")]
    kind: FenceType,
    /// The area it lies in.
    #[schema(value_type = String)]
    op_area_id: AreaId,
    /// Whether it is kept as a draft, which counts for nobody; otherwise it counts from now on.
    #[serde(default)]
    draft: bool,
    /// Whether it may overlap fences that tell riders the opposite; otherwise that is refused (`fence-overlap`).
    #[serde(default)]
    confirm_overlap: bool,
    /// The station application that this parking place is drawn for: it is built then, both or nothing. Needs `0910` too.
    park_application_id: Option<ParkApplicationId>,
    #[serde(flatten)]
    form: FenceForm,
}

/// Draws a fence; answers `{id}`.
#[utoipa::path(post, path = "/fence", tag = "territory", operation_id = "createFence", request_body = NewFence,
    responses((status = 200, body = Answer<MadeId>)))]
async fn create(call: Call<Context>, Body(body): Body<NewFence>) -> Handled<Value> {
    permit(&call.caller, body.kind)?;
    if body.kind == FenceType::Maintain {
        return Err(without_people());
    }
    let (area, agent) = area_of(&call, body.op_area_id).await?;
    let id = FenceId(call.state.runtime.ids.next_id());
    let drawing = body.form.drawing(id, body.op_area_id, agent, body.kind).map_err(refused)?;
    let command = FenceCommand::drawn(body.draft, drawing, area);
    let command =
        apart(&call, body.draft || body.confirm_overlap, body.op_area_id, body.kind, command).await?;
    match body.park_application_id {
        Some(application) if body.kind == FenceType::Parking => {
            build_station(&call, application, body.op_area_id, id, command).await
        }
        Some(_) => Err(Refused::malformed("站点申请只能建成停车区")),
        None => call.make::<Fence>(&id, command).await,
    }
}

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct ChangedFence {
    #[schema(value_type = String)]
    id: FenceId,
    /// Whether it is kept as a draft; otherwise it counts so from now on.
    #[serde(default)]
    draft: bool,
    /// Whether it may overlap fences that tell riders the opposite; otherwise that is refused (`fence-overlap`).
    #[serde(default)]
    confirm_overlap: bool,
    /// The version that the editor saw; another one is refused.
    version: i64,
    #[serde(flatten)]
    form: FenceForm,
}

/// Draws a fence anew; a stale version is refused.
#[utoipa::path(put, path = "/fence", tag = "territory", operation_id = "updateFence", request_body = ChangedFence,
    responses((status = 200, body = Answer<Nothing>)))]
async fn update(call: Call<Context>, Body(body): Body<ChangedFence>) -> Handled<Value> {
    let Found { kind, area, agent, edge, .. } = found(&call, body.id).await?;
    let drawing = body.form.drawing(body.id, area, agent, kind).map_err(refused)?;
    let command = FenceCommand::drawn(body.draft, drawing, edge);
    let command = apart(&call, body.draft || body.confirm_overlap, area, kind, command).await?;
    done(&call, kind, body.id, command, Some(body.version)).await
}

/// Executes a command on a fence; a maintenance area comes to lie over no other one.
async fn done(
    call: &Call<Context>,
    kind: FenceType,
    id: FenceId,
    command: FenceCommand,
    version: Option<i64>,
) -> Handled<Value> {
    if kind != FenceType::Maintain {
        return Ok(Answer::replied(call.acted::<Fence>(&id, command, version).await?));
    }
    let ctx = CommandContext { expected_version: version, ..call.request.context_of_account(json!({})) };
    Ok(Answer::replied(call.state.change_maintained(id, command, None, &ctx).await?))
}

/// Why a maintenance area is not drawn like other fences.
pub(super) fn without_people() -> Refused {
    Refused::business("fence-without-people", "运维区须有负责人，请在区域管理中新增")
}

/// A command on a fence as an editor saw it.
async fn act(
    call: &Call<Context>,
    id: FenceId,
    version: Option<i64>,
    command: FenceCommand,
) -> Handled<Value> {
    let kind = found(call, id).await?.kind;
    done(call, kind, id, command, version).await
}

/// A command by which a fence goes, or its draft. Of a parking place that was never published nothing is left: what it was
/// to be built for is told.
async fn take_away(
    call: &Call<Context>,
    id: FenceId,
    version: Option<i64>,
    command: FenceCommand,
) -> Handled<Value> {
    let kind = found(call, id).await?.kind;
    let published = call.state.runtime.desk.load::<Fence>(&id).await?.state.newest_number() > 0;
    if published || kind != FenceType::Parking {
        return done(call, kind, id, command, version).await;
    }
    let ctx = CommandContext { expected_version: version, ..call.request.context_of_account(json!({})) };
    Ok(Answer::replied(call.state.give_station_up(id, command, &ctx).await?))
}

/// A command by which a drawing of a fence begins to count.
async fn count(
    call: &Call<Context>,
    id: FenceId,
    version: Option<i64>,
    confirmed: bool,
    command: impl FnOnce(Ring) -> FenceCommand + Send,
) -> Handled<Value> {
    let Found { kind, area, edge, .. } = found(call, id).await?;
    let command = apart(call, confirmed, area, kind, command(edge)).await?;
    done(call, kind, id, command, version).await
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct Gone {
    /// The version that the editor saw; another one is refused.
    version: Option<i64>,
}

/// Takes a fence away; stops before that are judged by it all the same.
#[utoipa::path(delete, path = "/fence/{id}", tag = "territory", operation_id = "deleteFence",
    params(("id" = String, Path), Gone), responses((status = 200, body = Answer<Nothing>)))]
async fn delete(call: Call<Context>, Path(id): Path<String>, Params(gone): Params<Gone>) -> Handled<Value> {
    let id = id.parse().map_err(|_| Refused::malformed("围栏编号不正确"))?;
    take_away(&call, id, gone.version, FenceCommand::Delete).await
}

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct FenceState {
    #[schema(value_type = String)]
    id: FenceId,
    /// 1: it may count, 0: it does not.
    state: i16,
    /// Whether it may overlap fences that tell riders the opposite; otherwise that is refused (`fence-overlap`).
    #[serde(default)]
    confirm_overlap: bool,
}

/// Lets a fence count, or not.
#[utoipa::path(post, path = "/fence/state", tag = "territory", operation_id = "setFenceState",
    request_body = FenceState, responses((status = 200, body = Answer<Nothing>)))]
async fn state(call: Call<Context>, Body(body): Body<FenceState>) -> Handled<Value> {
    match body.state {
        0 => act(&call, body.id, None, FenceCommand::Disable).await,
        1 => count(&call, body.id, None, body.confirm_overlap, |_| FenceCommand::Enable).await,
        _ => Err(Refused::malformed("状态应为 0（停用）或 1（启用）")),
    }
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct Which {
    #[param(value_type = String)]
    id: FenceId,
}

/// Versions of a fence.
#[derive(Debug, Serialize, ToSchema)]
struct FenceVersions {
    /// Newest first, at most 500.
    rows: Vec<FenceVersion>,
}

/// The versions of a fence with the times at which they count.
#[utoipa::path(get, path = "/fence/versions", tag = "territory", operation_id = "fenceVersions", params(Which),
    responses((status = 200, body = Answer<FenceVersions>)))]
async fn versions(
    call: Call<Context>,
    Seen(seen): Seen,
    Params(Which { id }): Params<Which>,
) -> Handled<FenceVersions> {
    found(&call, id).await?;
    let mut db =
        call.state.runtime.reads.scoped(&call.caller.full_scope, seen, &["fence", "fence_batch"]).await?;
    Ok(Answer(FenceVersions { rows: fences::versions(&mut *db, id).await? }))
}

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct PublishedFence {
    #[schema(value_type = String)]
    id: FenceId,
    /// The version that the editor saw; another one is refused.
    version: i64,
    /// Whether it may overlap fences that tell riders the opposite; otherwise that is refused (`fence-overlap`).
    #[serde(default)]
    confirm_overlap: bool,
    /// From when it counts, epoch milliseconds; absent: from now on.
    from: Option<i64>,
    /// When it ends by itself, epoch milliseconds; absent: with the next version.
    until: Option<i64>,
}

/// Lets a draft count, now or from an instant on.
#[utoipa::path(post, path = "/fence/publish", tag = "territory", operation_id = "publishFence",
    request_body = PublishedFence, responses((status = 200, body = Answer<Nothing>)))]
async fn publish(call: Call<Context>, Body(body): Body<PublishedFence>) -> Handled<Value> {
    let term =
        Term { from: body.from.map(Timestamp::from_millis), until: body.until.map(Timestamp::from_millis) };
    count(&call, body.id, Some(body.version), body.confirm_overlap, |area| FenceCommand::Publish {
        term,
        area,
    })
    .await
}

#[derive(Deserialize, ToSchema)]
struct DiscardedFence {
    #[schema(value_type = String)]
    id: FenceId,
    /// The version that the editor saw; another one is refused.
    version: i64,
}

/// Throws a draft away; a fence that was never published goes with it.
#[utoipa::path(post, path = "/fence/discard", tag = "territory", operation_id = "discardFenceDraft",
    request_body = DiscardedFence, responses((status = 200, body = Answer<Nothing>)))]
async fn discard(call: Call<Context>, Body(body): Body<DiscardedFence>) -> Handled<Value> {
    take_away(&call, body.id, Some(body.version), FenceCommand::Discard).await
}

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct OfFenceVersion {
    #[schema(value_type = String)]
    id: FenceId,
    /// Which of its versions.
    data_version: i64,
    /// The version that the editor saw; another one is refused.
    version: i64,
}

/// Takes back a version that does not count yet; what was drawn is a draft again.
#[utoipa::path(post, path = "/fence/withdraw", tag = "territory", operation_id = "withdrawFence",
    request_body = OfFenceVersion, responses((status = 200, body = Answer<Nothing>)))]
async fn withdraw(call: Call<Context>, Body(body): Body<OfFenceVersion>) -> Handled<Value> {
    let command = FenceCommand::Withdraw { data_version: body.data_version };
    act(&call, body.id, Some(body.version), command).await
}

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct RolledBackFence {
    #[serde(flatten)]
    to: OfFenceVersion,
    /// Whether it may overlap fences that tell riders the opposite; otherwise that is refused (`fence-overlap`).
    #[serde(default)]
    confirm_overlap: bool,
}

/// Draws a fence from now on as it was in an earlier version.
#[utoipa::path(post, path = "/fence/rollback", tag = "territory", operation_id = "rollBackFence",
    request_body = RolledBackFence, responses((status = 200, body = Answer<Nothing>)))]
async fn rollback(call: Call<Context>, Body(body): Body<RolledBackFence>) -> Handled<Value> {
    let RolledBackFence { to: OfFenceVersion { id, data_version, version }, confirm_overlap } = body;
    count(&call, id, Some(version), confirm_overlap, |area| FenceCommand::RollBack { data_version, area })
        .await
}
