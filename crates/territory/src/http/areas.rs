//! Managing service areas: the table, names and telephones, opening and closing, who runs them.

use std::collections::BTreeMap;

use axum::extract::State;
use axum::response::Response;
use kernel::{CommandContext, List};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::UtoipaMethodRouterExt;
use utoipa_axum::routes;
use vocabulary::{AgentId, AreaId, Choice, Scope, Timestamp};
use wire::{
    Answer, Body, Caller, Column, Disclosure, EXPORT_ROWS_READ, Export, ExportColumns, Handled, Nothing,
    PageOf, PageQuery, Params, Permit, Refused, RequestContext, Routes, Seen, given, number,
};

use crate::Context;
use crate::model::area::{Area, AreaCommand, AreaState};
use crate::read::agents::{self, AgentOption};
use crate::read::areas::{self, AreaFound};

const AREAS: Permit = Permit::AnyOf(&["1103"]);
const READS: [&str; 4] = ["area", "agent", "fence", "franchisee"];

/// The routes.
pub fn routes(context: &Context) -> Routes {
    Routes::new("territory")
        .add(AREAS, routes!(list, update).with_state(context.clone()))
        .add_unwrapped(AREAS, routes!(export).with_state(context.clone()))
        .add(AREAS, routes!(info).with_state(context.clone()))
        .add(AREAS, routes!(state).with_state(context.clone()))
        .add(AREAS, routes!(hand_over).with_state(context.clone()))
        .add(Permit::AnyOf(&["1103", "1101"]), routes!(choices).with_state(context.clone()))
}

/// A service area as its management shows it.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct AreaRow {
    /// Its id, as text.
    #[schema(value_type = String)]
    id: AreaId,
    /// 名称.
    name: String,
    /// Who runs it.
    #[schema(value_type = String)]
    agent_id: AgentId,
    /// The agent's company; null when the caller may not see it.
    company: Option<String>,
    /// 客服电话.
    tel: String,
    /// Bikes that belong to it, on the street or not.
    vehicle_count: i64,
    /// Parking places in it that count.
    parking_count: i64,
    /// 服务区状态.
    #[schema(value_type = AreaState)]
    state: i16,
    /// What riders are told while it is suspended.
    notice: String,
    /// Epoch milliseconds.
    created_at: i64,
    /// Epoch milliseconds.
    updated_at: i64,
    /// To be sent with a change.
    version: i64,
}

impl AreaRow {
    fn new(found: AreaFound, vehicles: &BTreeMap<AreaId, i64>) -> Self {
        Self {
            id: found.area_id,
            name: found.name,
            agent_id: found.agent_id,
            company: found.company,
            tel: found.tel,
            vehicle_count: vehicles.get(&found.area_id).copied().unwrap_or(0),
            parking_count: found.parking_count,
            state: found.state,
            notice: found.notice,
            created_at: found.created_at_ms,
            updated_at: found.updated_at_ms,
            version: found.version,
        }
    }
}

#[derive(Deserialize, Serialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
struct ListQuery {
    /// Part of name or telephone.
    keyword: Option<String>,
    /// Those that this agent runs.
    agent_id: Option<String>,
    /// 0 planned, 1 open, 2 suspended, 3 closed.
    state: Option<String>,
}

impl ListQuery {
    fn list(&self, scope: &Scope) -> Result<List, Refused> {
        let state: Option<i16> = number("state", self.state.as_ref())?;
        Ok(areas::list(scope)
            .contains(&["a.name", "a.tel"], given(self.keyword.as_ref()))
            .is("a.agent_id", number("agentId", self.agent_id.as_ref())?.map(|agent: AgentId| agent.0))
            .is("a.state", state))
    }
}

/// Service areas in scope, newest first.
#[utoipa::path(get, path = "/platform/agent/serviceArea", tag = "territory", operation_id = "listServiceAreas",
    params(PageQuery, ListQuery), responses((status = 200, body = Answer<PageOf<AreaRow>>)))]
async fn list(
    State(context): State<Context>,
    caller: Caller,
    Seen(seen): Seen,
    Params(paging): Params<PageQuery>,
    Params(query): Params<ListQuery>,
) -> Handled<PageOf<AreaRow>> {
    let list = query.list(&caller.full_scope)?;
    let mut db = context.runtime.reads.scoped(&caller.full_scope, seen, &READS).await?;
    let found = list.page(&mut db, paging.page()).await?;
    drop(db);
    let rows = with_vehicles(&context, found.rows).await?;
    Ok(Answer(PageOf { rows, count: found.count, capped: found.capped }))
}

/// The rows with the bikes of each.
async fn with_vehicles(context: &Context, found: Vec<AreaFound>) -> Result<Vec<AreaRow>, Refused> {
    let ids: Vec<AreaId> = found.iter().map(|area| area.area_id).collect();
    let vehicles = context.ports.bikes.count_by_area(&ids).await.map_err(Refused::unavailable)?;
    Ok(found.into_iter().map(|area| AreaRow::new(area, &vehicles)).collect())
}

/// The list as a file.
const FILE: Export<AreaRow> = Export {
    what: "service-area",
    title: "服务区",
    columns: &[
        Column { key: "name", title: "服务区", text: |row| row.name.clone() },
        Column { key: "state", title: "状态", text: |row| AreaState::label_of(row.state).to_owned() },
        Column { key: "company", title: "运营代理", text: |row| row.company.clone().unwrap_or_default() },
        Column { key: "vehicleCount", title: "车辆", text: |row| row.vehicle_count.to_string() },
        Column { key: "parkingCount", title: "停车区", text: |row| row.parking_count.to_string() },
        Column { key: "tel", title: "客服电话", text: |row| row.tel.clone() },
        Column { key: "notice", title: "停运公告", text: |row| row.notice.clone() },
        Column { key: "updatedAt", title: "更新时间", text: |row| written(row.updated_at) },
        Column { key: "createdAt", title: "创建时间", text: |row| written(row.created_at) },
        Column { key: "id", title: "服务区编号", text: |row| row.id.to_string() },
    ],
};

fn written(at_ms: i64) -> String {
    Timestamp::from_millis(at_ms).local()
}

/// Service areas in scope as CSV, at most 50000. It stands in the log who took it, cut down to what.
#[utoipa::path(get, path = "/platform/agent/serviceArea/export", tag = "territory",
    operation_id = "exportServiceAreas", params(ListQuery, ExportColumns),
    responses((status = 200, body = String, content_type = "text/csv")))]
async fn export(
    State(context): State<Context>,
    caller: Caller,
    Seen(seen): Seen,
    disclosure: Disclosure,
    Params(query): Params<ListQuery>,
    Params(columns): Params<ExportColumns>,
) -> Result<Response, Refused> {
    let list = query.list(&caller.full_scope)?;
    let mut db = context.runtime.reads.scoped(&caller.full_scope, seen, &READS).await?;
    let found = list.rows(&mut db, EXPORT_ROWS_READ).await?;
    drop(db);
    let rows = with_vehicles(&context, found).await?;
    FILE.hand_out(&disclosure, &columns, &query, &rows).await
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct AreaQuery {
    /// The area.
    #[param(value_type = String)]
    id: String,
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
    params(AreaQuery), responses((status = 200, body = Answer<AreaInfo>)))]
async fn info(
    State(context): State<Context>,
    caller: Caller,
    Seen(seen): Seen,
    Params(query): Params<AreaQuery>,
) -> Handled<AreaInfo> {
    let id: AreaId =
        number("id", Some(&query.id))?.ok_or_else(|| Refused::malformed("请求参数 id 不能为空"))?;
    let mut db = context.runtime.reads.scoped(&caller.full_scope, seen, &READS).await?;
    let found = areas::one(&mut db, &caller.full_scope, id).await?.ok_or_else(Refused::not_found)?;
    let ring = areas::ring(&mut *db, id).await?;
    let (fence_count, franchisee_count) = areas::belongings(&mut *db, id).await?;
    drop(db);
    let vehicles = context.ports.bikes.count_by_area(&[id]).await.map_err(Refused::unavailable)?;
    let shelved_count = context.ports.bikes.shelved_in(id).await.map_err(Refused::unavailable)?;
    let row = AreaRow::new(found, &vehicles);
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
    /// The version that the editor saw.
    version: i64,
}

/// Gives an area another name or telephone; a stale version is refused.
#[utoipa::path(put, path = "/platform/agent/serviceArea", tag = "territory", operation_id = "updateServiceArea",
    request_body = ChangedArea, responses((status = 200, body = Answer<Nothing>)))]
async fn update(
    State(context): State<Context>,
    request: RequestContext,
    Body(body): Body<ChangedArea>,
) -> Handled<Value> {
    let ctx =
        CommandContext { expected_version: Some(body.version), ..request.context_of_account(json!({})) };
    let command = AreaCommand::Describe { name: body.name, tel: body.tel };
    Ok(Answer::replied(context.runtime.desk.execute::<Area>(&body.id, command, &ctx).await?))
}

#[derive(Deserialize, ToSchema)]
struct AreaStateBody {
    #[schema(value_type = String)]
    id: AreaId,
    /// 1 opens it, 2 suspends it, 3 closes it for good.
    state: i16,
    /// What riders are told, when it is suspended: 1 to 200 characters.
    #[serde(default)]
    notice: String,
}

/// Opens, suspends or closes a service area.
#[utoipa::path(post, path = "/platform/agent/serviceArea/state", tag = "territory",
    operation_id = "setServiceAreaState", request_body = AreaStateBody, responses((status = 200, body = Answer<Nothing>)))]
async fn state(
    State(context): State<Context>,
    caller: Caller,
    request: RequestContext,
    seen: Seen,
    Body(body): Body<AreaStateBody>,
) -> Handled<Value> {
    let command = match body.state {
        1 => {
            let mut db = context.runtime.reads.scoped(&caller.full_scope, seen.0, &READS).await?;
            let parkings =
                areas::one(&mut db, &caller.full_scope, body.id).await?.map_or(0, |area| area.parking_count);
            AreaCommand::Launch { parkings }
        }
        2 => AreaCommand::Suspend { notice: body.notice.trim().to_owned() },
        3 => {
            let shelved = context.ports.bikes.shelved_in(body.id).await.map_err(Refused::unavailable)?;
            AreaCommand::Close { shelved_vehicles: shelved }
        }
        _ => return Err(Refused::malformed("状态应为 1（运营中）、2（暂停服务）或 3（已关停）")),
    };
    let receipt = context
        .runtime
        .desk
        .execute::<Area>(&body.id, command, &request.context_of_account(json!({})))
        .await?;
    Ok(Answer::replied(receipt))
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
