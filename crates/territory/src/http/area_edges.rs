//! Edges of service areas, for those who draw them: the list, a new area, another edge for one, and the edges that it had.

use std::collections::BTreeSet;

use axum::extract::State;
use kernel::{CommandContext, CommandError, List, ReadTx};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::routes;
use vocabulary::{AgentId, AreaId, Choice, Datum, Scope};
use wire::{
    Answer, Body, ById, Call, Caller, Column, Export, Handled, Listed, Listing, MadeId, Nothing, Params,
    Permit, Refused, Routes, Seen,
};

use crate::Context;
use crate::app::area_edges::NewEdge;
use crate::model::area::{AreaRefusal, AreaState, Plan};
use crate::model::area_edge;
use crate::model::fence_form::Geometry;
use crate::read::area_edges::{self, AreaEdge, AreaEdgeRow};

const EDGES: Permit = Permit::AnyOf(&["0503"]);
const READS: &[&str] = &["area", "area_version", "agent", "fence"];

/// The routes.
pub fn routes(context: &Context) -> Routes {
    Routes::new("territory")
        .add_list::<EdgeQuery>(
            EDGES,
            Listed {
                path: "/fence/area/list",
                operations: ["listAreaEdges", "exportAreaEdges"],
                summary: "Service areas in scope with the size of their edges, newest first.",
            },
        )
        .add(EDGES, routes!(info))
        .add(EDGES, routes!(draw, redraw))
        .add(EDGES, routes!(versions))
        .add(EDGES, routes!(version))
        .add(EDGES, routes!(rollback))
        .with_state(context.clone())
}

#[derive(Default, Deserialize, Serialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
struct EdgeQuery {
    /// Part of name or telephone.
    keyword: Option<String>,
    /// Those that this agent runs.
    agent_id: Option<AgentId>,
    /// Those that stand so.
    state: Option<AreaState>,
}

impl Listing for EdgeQuery {
    type State = Context;
    type Row = AreaEdgeRow;
    const READS: &'static [&'static str] = READS;
    const KEY: &'static str = "a.area_id";
    const FILE: Export<AreaEdgeRow> = Export {
        what: "area-edge",
        title: "服务区围栏",
        columns: &[
            Column::text("name", "服务区", |row| &row.name),
            Column::text("state", "状态", |row| AreaState::label_of(row.state)),
            Column::text("company", "运营代理", |row| row.company.as_deref().unwrap_or_default()),
            Column::count("dataVersion", "边界版本", |row| row.data_version),
            Column::made("areaM2", "面积", |row| format!("{:.2} km²", row.area_m2 / 1_000_000.0)),
            Column::count("corners", "顶点", |row| row.corners.into()),
            Column::count("fenceCount", "围栏", |row| row.fence_count),
            Column::count("outsideCount", "界外围栏", |row| row.outside_count),
            Column::time("edgeAt", "边界生效时间", |row| row.edge_at),
            Column::time("updatedAt", "更新时间", |row| Some(row.updated_at)),
            Column::text("tel", "客服电话", |row| &row.tel),
            Column::made("id", "服务区编号", |row| row.id.to_string()),
        ],
    };

    fn list(&self, scope: &Scope) -> Result<List, Refused> {
        Ok(area_edges::list(scope)
            .contains(&["a.name", "a.tel"], self.keyword.as_deref())
            .is("a.agent_id", self.agent_id.map(|agent| agent.0))
            .is("a.state", self.state.map(Choice::number)))
    }

    /// With the fences of each that reach out of it.
    async fn shown(
        context: &Context,
        db: ReadTx,
        mut found: Vec<AreaEdgeRow>,
    ) -> Result<Vec<AreaEdgeRow>, Refused> {
        drop(db);
        let judge = context.judges.now(&context.runtime).await?;
        let now = context.runtime.clock.now();
        let areas: BTreeSet<AreaId> = found.iter().map(|row| row.id).collect();
        let astray = tokio::task::spawn_blocking(move || judge.atlas.astray(&areas, now))
            .await
            .map_err(Refused::internal)?;
        for row in &mut found {
            row.outside_count = astray.get(&row.id).copied().unwrap_or(0);
        }
        Ok(found)
    }
}

/// A service area with its edge.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct AreaEdgeInfo {
    /// As the table shows it.
    #[serde(flatten)]
    row: AreaEdgeRow,
    /// The edge, WGS-84.
    geometry: Geometry,
    /// The datum it was drawn in.
    #[schema(value_type = String)]
    datum: Datum,
}

/// One service area with the edge that holds.
#[utoipa::path(get, path = "/fence/area/info", tag = "territory", operation_id = "areaEdgeInfo",
    params(ById<AreaId>), responses((status = 200, body = Answer<AreaEdgeInfo>)))]
async fn info(
    State(context): State<Context>,
    caller: Caller,
    Seen(seen): Seen,
    Params(ById { id }): Params<ById<AreaId>>,
) -> Handled<AreaEdgeInfo> {
    let scope = &caller.full_scope;
    let mut db = context.runtime.reads.scoped(scope, seen, READS).await?;
    let found =
        area_edges::list(scope).is(EdgeQuery::KEY, Some(id.0)).rows::<AreaEdgeRow>(&mut db, 1).await?;
    let found = found.into_iter().next().ok_or_else(Refused::not_found)?;
    let edge = area_edges::edge(&mut *db, id, found.data_version).await?.ok_or_else(Refused::not_found)?;
    let row = EdgeQuery::shown(&context, db, vec![found]).await?.pop().ok_or_else(Refused::not_found)?;
    Ok(Answer(AreaEdgeInfo { row, geometry: area_edge::geometry(&edge), datum: edge.datum }))
}

fn refused(refusal: AreaRefusal) -> Refused {
    CommandError::Refused(refusal).into()
}

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct DrawnArea {
    /// Who runs it.
    #[schema(value_type = String)]
    agent_id: AgentId,
    /// 1 to 30 characters, unique within its agent.
    name: String,
    /// 客服电话; may be empty before the area is opened.
    #[serde(default)]
    tel: String,
    /// A polygon of 3 to 10,000 corners.
    geometry: Geometry,
    /// Of the corners: wgs84 (when left out), gcj02 or bd09.
    #[serde(default)]
    #[schema(value_type = String)]
    datum: Datum,
    /// Whether it may overlap other areas; otherwise that is refused, and they are named.
    #[serde(default)]
    may_overlap: bool,
}

/// Draws a new service area, which does not serve riders yet; answers `{id}`.
#[utoipa::path(post, path = "/fence/area", tag = "territory", operation_id = "drawServiceArea",
    request_body = DrawnArea, responses((status = 200, body = Answer<MadeId>)))]
async fn draw(call: Call<Context>, Body(body): Body<DrawnArea>) -> Handled<Value> {
    let ring = area_edge::ring(&body.geometry, body.datum).map_err(refused)?;
    let area_id = AreaId(call.state.runtime.ids.next_id());
    let plan = Plan { area_id, agent_id: body.agent_id, name: body.name, tel: body.tel, ring };
    let ctx = call.request.context_of_account(json!({ "id": area_id.to_string() }));
    Ok(Answer::replied(call.state.draw_area(&call.caller, plan, body.may_overlap, &ctx).await?))
}

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct RedrawnArea {
    #[schema(value_type = String)]
    id: AreaId,
    /// A polygon of 3 to 10,000 corners.
    geometry: Geometry,
    /// Of the corners: wgs84 (when left out), gcj02 or bd09.
    #[serde(default)]
    #[schema(value_type = String)]
    datum: Datum,
    /// Whether it may overlap other areas; otherwise that is refused, and they are named.
    #[serde(default)]
    may_overlap: bool,
    /// The version that the editor saw; another one is refused.
    version: i64,
}

/// Gives a service area another edge from now on. One that leaves fences of the area outside is refused; bikes do not hinder.
#[utoipa::path(put, path = "/fence/area", tag = "territory", operation_id = "redrawServiceArea",
    request_body = RedrawnArea, responses((status = 200, body = Answer<Nothing>)))]
async fn redraw(call: Call<Context>, Body(body): Body<RedrawnArea>) -> Handled<Value> {
    let ring = area_edge::ring(&body.geometry, body.datum).map_err(refused)?;
    edge_from_now_on(&call, body.id, NewEdge::Drawn(ring), body.may_overlap, body.version).await
}

async fn edge_from_now_on(
    call: &Call<Context>,
    area: AreaId,
    edge: NewEdge,
    may_overlap: bool,
    version: i64,
) -> Handled<Value> {
    let ctx =
        CommandContext { expected_version: Some(version), ..call.request.context_of_account(json!({})) };
    Ok(Answer::replied(call.state.redraw_area(&call.caller, area, edge, may_overlap, &ctx).await?))
}

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct OfAreaVersion {
    #[schema(value_type = String)]
    id: AreaId,
    /// Which of its edges.
    data_version: i64,
    /// Whether it may overlap other areas; otherwise that is refused, and they are named.
    #[serde(default)]
    may_overlap: bool,
    /// The version that the editor saw; another one is refused.
    version: i64,
}

/// Gives a service area, from now on, the edge that it had in an earlier version.
#[utoipa::path(post, path = "/fence/area/rollback", tag = "territory", operation_id = "rollBackAreaEdge",
    request_body = OfAreaVersion, responses((status = 200, body = Answer<Nothing>)))]
async fn rollback(call: Call<Context>, Body(body): Body<OfAreaVersion>) -> Handled<Value> {
    edge_from_now_on(&call, body.id, NewEdge::OfVersion(body.data_version), body.may_overlap, body.version)
        .await
}

/// Edges of a service area.
#[derive(Debug, Serialize, ToSchema)]
struct AreaEdges {
    /// Newest first, at most 200.
    rows: Vec<AreaEdge>,
}

/// The edges that a service area has and had, with the times at which they held.
#[utoipa::path(get, path = "/fence/area/versions", tag = "territory", operation_id = "areaEdgeVersions",
    params(ById<AreaId>), responses((status = 200, body = Answer<AreaEdges>)))]
async fn versions(
    State(context): State<Context>,
    caller: Caller,
    Seen(seen): Seen,
    Params(ById { id }): Params<ById<AreaId>>,
) -> Handled<AreaEdges> {
    let mut db = context.runtime.reads.scoped(&caller.full_scope, seen, READS).await?;
    let rows = area_edges::versions(&mut *db, id).await?;
    if rows.is_empty() { Err(Refused::not_found()) } else { Ok(Answer(AreaEdges { rows })) }
}

#[derive(Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
struct WhichEdge {
    #[param(value_type = String)]
    id: AreaId,
    /// Which of its edges.
    data_version: i64,
}

/// One edge of a service area.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct DrawnEdge {
    /// Which.
    data_version: i64,
    /// The edge, WGS-84.
    geometry: Geometry,
}

/// An edge that a service area has or had.
#[utoipa::path(get, path = "/fence/area/version", tag = "territory", operation_id = "areaEdgeVersion",
    params(WhichEdge), responses((status = 200, body = Answer<DrawnEdge>)))]
async fn version(
    State(context): State<Context>,
    caller: Caller,
    Seen(seen): Seen,
    Params(WhichEdge { id, data_version }): Params<WhichEdge>,
) -> Handled<DrawnEdge> {
    let mut db = context.runtime.reads.scoped(&caller.full_scope, seen, READS).await?;
    let ring = area_edges::edge(&mut *db, id, data_version).await?.ok_or_else(Refused::not_found)?;
    Ok(Answer(DrawnEdge { data_version, geometry: area_edge::geometry(&ring) }))
}
