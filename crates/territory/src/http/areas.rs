//! Managing service areas: the table, names and telephones, opening and closing, who runs them.

use axum::extract::State;
use kernel::{CommandContext, List, ReadTx};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::routes;
use vocabulary::{AgentId, AreaId, Choice, Scope, Timestamp};
use wire::{
    Answer, Body, ById, Call, Caller, Column, Export, Handled, Listed, Listing, Nothing, Params, Permit,
    Refused, RequestContext, Routes, Seen,
};

use crate::Context;
use crate::model::area::{Area, AreaCommand, AreaState};
use crate::model::area_terms::Terms;
use crate::read::agents::{self, AgentOption};
use crate::read::areas::{self, AreaRow};

const AREAS: Permit = Permit::AnyOf(&["1103"]);
const READS: [&str; 4] = ["area", "agent", "fence", "franchisee"];

/// The routes.
pub fn routes(context: &Context) -> Routes {
    Routes::new("territory")
        .add_list::<ListQuery>(
            AREAS,
            Listed {
                path: "/platform/agent/serviceArea",
                operations: ["listServiceAreas", "exportServiceAreas"],
                summary: "Service areas in scope, newest first.",
            },
        )
        .add(AREAS, routes!(info))
        .add(AREAS, routes!(update))
        .add(AREAS, routes!(state))
        .add(AREAS, routes!(hand_over))
        .add(Permit::AnyOf(&["1103", "1101", "0503"]), routes!(choices))
        .with_state(context.clone())
}

#[derive(Default, Deserialize, Serialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
struct ListQuery {
    /// Part of name or telephone.
    keyword: Option<String>,
    /// Those that this agent runs.
    agent_id: Option<AgentId>,
    /// Those that stand so.
    state: Option<AreaState>,
}

impl Listing for ListQuery {
    type State = Context;
    type Row = AreaRow;
    const READS: &'static [&'static str] = &READS;
    const KEY: &'static str = "a.area_id";
    const FILE: Export<AreaRow> = Export {
        what: "service-area",
        title: "服务区",
        columns: &[
            Column::text("name", "服务区", |row| &row.name),
            Column::text("state", "状态", |row| AreaState::label_of(row.state)),
            Column::text("company", "运营代理", |row| row.company.as_deref().unwrap_or_default()),
            Column::count("vehicleCount", "车辆", |row| row.vehicle_count),
            Column::made("vehicleQuota", "投放配额", |row| {
                row.vehicle_quota.map(|quota| quota.to_string()).unwrap_or_default()
            }),
            Column::count("parkingCount", "停车区", |row| row.parking_count),
            Column::text("tel", "客服电话", |row| &row.tel),
            Column::text("notice", "停运公告", |row| &row.notice),
            Column::time("stopBeginAt", "停运开始", |row| row.stop_begin_at),
            Column::time("stopEndAt", "自动恢复", |row| row.stop_end_at),
            Column::text("cityCode", "城市代码", |row| &row.city_code),
            Column::made("supervisionIds", "监管平台编号", |row| row.supervision_ids.join("、")),
            Column::text("takesApplications", "站点申请", |row| {
                if row.takes_applications { "接受" } else { "不接受" }
            }),
            Column::time("updatedAt", "更新时间", |row| Some(row.updated_at)),
            Column::time("createdAt", "创建时间", |row| Some(row.created_at)),
            Column::made("id", "服务区编号", |row| row.id.to_string()),
        ],
    };

    fn list(&self, scope: &Scope) -> Result<List, Refused> {
        Ok(areas::list(scope)
            .contains(&["a.name", "a.tel"], self.keyword.as_deref())
            .is("a.agent_id", self.agent_id.map(|agent| agent.0))
            .is("a.state", self.state.map(Choice::number)))
    }

    /// With the bikes of each.
    async fn shown(context: &Context, db: ReadTx, mut found: Vec<AreaRow>) -> Result<Vec<AreaRow>, Refused> {
        drop(db);
        let ids: Vec<AreaId> = found.iter().map(|area| area.id).collect();
        let vehicles = context.ports.bikes.count_by_area(&ids).await.map_err(Refused::unavailable)?;
        for area in &mut found {
            area.vehicle_count = vehicles.get(&area.id).copied().unwrap_or(0);
        }
        Ok(found)
    }
}

/// A service area with its edge and what may follow on where it stands.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct AreaInfo {
    /// As the table shows it.
    #[serde(flatten)]
    row: AreaRow,
    /// Of the bikes, those on its streets.
    shelved_count: i64,
    /// Fences in it.
    fence_count: i64,
    /// Franchisees who work in it.
    franchisee_count: i64,
    /// `[lng, lat]` corners, closed, WGS-84.
    ring: Vec<[f64; 2]>,
}

/// One service area.
#[utoipa::path(get, path = "/platform/agent/serviceArea/info", tag = "territory", operation_id = "serviceAreaInfo",
    params(ById<AreaId>), responses((status = 200, body = Answer<AreaInfo>)))]
async fn info(
    State(context): State<Context>,
    caller: Caller,
    Seen(seen): Seen,
    Params(ById { id }): Params<ById<AreaId>>,
) -> Handled<AreaInfo> {
    let mut db = context.runtime.reads.scoped(&caller.full_scope, seen, &READS).await?;
    let found = areas::one(&mut db, &caller.full_scope, id).await?.ok_or_else(Refused::not_found)?;
    let ring = areas::ring(&mut *db, id).await?;
    let (fence_count, franchisee_count) = areas::belongings(&mut *db, id).await?;
    let row = ListQuery::shown(&context, db, vec![found]).await?.pop().ok_or_else(Refused::not_found)?;
    let shelved_count = context.ports.bikes.shelved_in(id).await.map_err(Refused::unavailable)?;
    Ok(Answer(AreaInfo { row, shelved_count, fence_count, franchisee_count, ring }))
}

#[derive(Deserialize, ToSchema)]
struct ChangedArea {
    #[schema(value_type = String)]
    id: AreaId,
    /// 1 to 30 characters, unique within its agent.
    name: String,
    /// 客服电话; may be empty before the area is opened.
    tel: String,
    /// What it is registered as; left out: as it was.
    #[serde(default)]
    terms: Option<TermsForm>,
    /// The version that the editor saw.
    version: i64,
}

/// What an area is registered as.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct TermsForm {
    /// 城市代码: six digits, or empty.
    #[serde(default)]
    city_code: String,
    /// 投放配额, 1 to 1,000,000 bikes; null: the city sets none.
    vehicle_quota: Option<i32>,
    /// 监管平台编号, at most 10 of at most 40 characters.
    #[serde(default)]
    supervision_ids: Vec<String>,
    /// Whether riders may ask for stations in it.
    takes_applications: bool,
}

impl From<TermsForm> for Terms {
    fn from(form: TermsForm) -> Self {
        let TermsForm { city_code, vehicle_quota, supervision_ids, takes_applications } = form;
        Self { city_code, vehicle_quota, supervision_ids, takes_applications }
    }
}

/// Gives an area another name or telephone, or other terms; a stale version is refused.
#[utoipa::path(put, path = "/platform/agent/serviceArea", tag = "territory", operation_id = "updateServiceArea",
    request_body = ChangedArea, responses((status = 200, body = Answer<Nothing>)))]
async fn update(call: Call<Context>, Body(body): Body<ChangedArea>) -> Handled<Value> {
    let terms = body.terms.map(Terms::from);
    let command = AreaCommand::Describe { name: body.name, tel: body.tel, terms };
    Ok(Answer::replied(call.acted::<Area>(&body.id, command, Some(body.version)).await?))
}

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct AreaStateBody {
    #[schema(value_type = String)]
    id: AreaId,
    /// 1 opens it or calls off a stop that is planned, 2 suspends it, 3 closes it for good.
    state: i16,
    /// What riders are told, when it is suspended: 1 to 200 characters.
    #[serde(default)]
    notice: String,
    /// When it is to be suspended, epoch milliseconds; left out: now.
    stop_begin_at: Option<i64>,
    /// When a suspended one resumes by itself, epoch milliseconds; left out: when somebody resumes it.
    stop_end_at: Option<i64>,
}

/// Opens, suspends or closes a service area.
#[utoipa::path(post, path = "/platform/agent/serviceArea/state", tag = "territory",
    operation_id = "setServiceAreaState", request_body = AreaStateBody, responses((status = 200, body = Answer<Nothing>)))]
async fn state(call: Call<Context>, Seen(seen): Seen, Body(body): Body<AreaStateBody>) -> Handled<Value> {
    let Call { state: context, caller, .. } = &call;
    let command = match body.state {
        1 => {
            let mut db = context.runtime.reads.scoped(&caller.full_scope, seen, &READS).await?;
            let parkings =
                areas::one(&mut db, &caller.full_scope, body.id).await?.map_or(0, |area| area.parking_count);
            AreaCommand::Launch { parkings }
        }
        2 => AreaCommand::Stop {
            from: body.stop_begin_at.map(Timestamp::from_millis),
            until: body.stop_end_at.map(Timestamp::from_millis),
            notice: body.notice,
        },
        3 => {
            let shelved = context.ports.bikes.shelved_in(body.id).await.map_err(Refused::unavailable)?;
            AreaCommand::Close { shelved_vehicles: shelved }
        }
        _ => return Err(Refused::malformed("状态应为 1（运营中）、2（暂停服务）或 3（已关停）")),
    };
    call.act::<Area>(&body.id, command).await
}

/// Agents to choose from.
#[derive(Debug, Serialize, ToSchema)]
struct AgentChoices {
    /// By company.
    rows: Vec<AgentOption>,
}

/// Enabled agents in scope, to whom an area or a franchisee may be given.
#[utoipa::path(get, path = "/platform/agent/serviceArea/agents", tag = "territory",
    operation_id = "serviceAreaAgents", responses((status = 200, body = Answer<AgentChoices>)))]
async fn choices(State(context): State<Context>, caller: Caller, Seen(seen): Seen) -> Handled<AgentChoices> {
    let mut db = context.runtime.reads.scoped(&caller.full_scope, seen, &["agent"]).await?;
    Ok(Answer(AgentChoices { rows: agents::options(&mut *db).await? }))
}

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct AreaHandedOver {
    #[schema(value_type = String)]
    id: AreaId,
    /// Who runs it from now on.
    #[schema(value_type = String)]
    agent_id: AgentId,
    /// The version that the editor saw.
    version: i64,
}

/// Gives an area without bikes, fences and franchisees to another enabled agent.
#[utoipa::path(post, path = "/platform/agent/serviceArea/agent", tag = "territory",
    operation_id = "handOverServiceArea", request_body = AreaHandedOver,
    responses((status = 200, body = Answer<Nothing>)))]
async fn hand_over(
    State(context): State<Context>,
    caller: Caller,
    request: RequestContext,
    Body(body): Body<AreaHandedOver>,
) -> Handled<Value> {
    let ctx =
        CommandContext { expected_version: Some(body.version), ..request.context_of_account(json!({})) };
    let receipt = context.hand_over_area(&caller, body.id, body.agent_id, &ctx).await?;
    Ok(Answer::replied(receipt))
}
