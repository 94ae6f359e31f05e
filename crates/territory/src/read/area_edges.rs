//! The edges of areas as they are drawn and kept: the list of those who draw them, all that an area ever had, and what lies
//! about one.

use geofence::{Ring, Shape};
use kernel::List;
use serde::Serialize;
use sqlx::PgExecutor;
use sqlx::types::Json;
use utoipa::ToSchema;
use vocabulary::{AgentId, AreaId, FenceId, Scope};

use crate::model::area::AreaState;
use crate::model::area_edge::{Enclosed, Neighbour};

/// A service area as those who draw its edge see it.
#[derive(Clone, Debug, Serialize, ToSchema, sqlx::FromRow)]
#[serde(rename_all = "camelCase")]
pub struct AreaEdgeRow {
    /// Its id, as text.
    #[schema(value_type = String)]
    #[sqlx(rename = "area_id")]
    pub id: AreaId,
    /// 名称.
    pub name: String,
    /// Who runs it.
    #[schema(value_type = String)]
    pub agent_id: AgentId,
    /// The agent's company; null when the caller may not see it.
    pub company: Option<String>,
    /// 客服电话.
    pub tel: String,
    /// 服务区状态.
    #[schema(value_type = AreaState)]
    pub state: i16,
    /// Which of its edges holds: 1, 2, 3 …
    pub data_version: i64,
    /// Square metres.
    pub area_m2: f64,
    /// Corners of the edge.
    pub corners: i32,
    /// Fences in it.
    pub fence_count: i64,
    /// Fences that count now and reach out of the edge.
    #[sqlx(skip)]
    pub outside_count: i64,
    /// From when the edge holds, epoch milliseconds.
    #[sqlx(rename = "edge_at_ms")]
    pub edge_at: Option<i64>,
    /// Epoch milliseconds.
    #[sqlx(rename = "updated_at_ms")]
    pub updated_at: i64,
    /// To be sent with a change.
    pub version: i64,
}

/// Areas in scope, newest first.
pub fn list(scope: &Scope) -> List {
    List::new(
        "a.area_id, a.name, a.agent_id, g.company, a.tel, a.state, a.data_version, a.area_m2, a.corners,
         (select count(*) from read.fence f where f.area_id = a.area_id and not f.deleted) as fence_count,
         e.from_at_ms as edge_at_ms, a.updated_at_ms, a.version",
        "read.area a left join read.agent g on g.agent_id = a.agent_id
         left join read.area_version e on e.area_id = a.area_id and e.data_version = a.data_version",
        "a.created_at_ms desc, a.area_id desc",
    )
    .of_agents("a.agent_id", scope)
    .of_areas("a.area_id", scope)
}

/// An edge that an area has or had.
#[derive(Clone, Debug, Serialize, ToSchema, sqlx::FromRow)]
#[serde(rename_all = "camelCase")]
pub struct AreaEdge {
    /// 1, 2, 3 …
    pub data_version: i64,
    /// From when it held, epoch milliseconds.
    #[sqlx(rename = "from_at_ms")]
    pub from_at: i64,
    /// Until when, without it; null: it still does.
    #[sqlx(rename = "until_at_ms")]
    pub until_at: Option<i64>,
    /// Square metres.
    pub area_m2: f64,
    /// Its corners.
    pub corners: i32,
}

/// All edges of an area in scope, newest first; at most 200.
pub async fn versions(db: impl PgExecutor<'_>, area: AreaId) -> sqlx::Result<Vec<AreaEdge>> {
    sqlx::query_as(
        "select data_version, from_at_ms, until_at_ms, area_m2, corners from read.area_version
         where area_id = $1 order by data_version desc limit 200",
    )
    .bind(area)
    .fetch_all(db)
    .await
}

/// An edge of an area; nothing when there is none of this version in scope.
pub async fn edge(db: impl PgExecutor<'_>, area: AreaId, data_version: i64) -> sqlx::Result<Option<Ring>> {
    let found: Option<Json<Ring>> =
        sqlx::query_scalar("select ring from read.area_version where area_id = $1 and data_version = $2")
            .bind(area)
            .bind(data_version)
            .fetch_optional(db)
            .await?;
    Ok(found.map(|ring| ring.0))
}

/// The fences of an area, each in the version that would count at an instant were it switched on, and in those that are to
/// come. Drafts are not among them: they are held to the edge when they are published.
pub async fn enclosed(db: impl PgExecutor<'_>, area: AreaId, at_ms: i64) -> sqlx::Result<Vec<Enclosed>> {
    let found: Vec<(FenceId, String, Json<Shape>)> = sqlx::query_as(
        "select v.fence_id, v.name, v.drawing -> 'shape' from read.fence_version v
             join read.fence f on f.fence_id = v.fence_id
         where v.area_id = $1 and not f.deleted and not v.withdrawn
             and (v.until_at_ms is null or v.until_at_ms > $2)
             and (v.from_at_ms > $2 or not exists (
                 select from read.fence_version later where later.fence_id = v.fence_id
                     and not later.withdrawn and later.from_at_ms <= $2
                     and (later.from_at_ms, later.data_version) > (v.from_at_ms, v.data_version)))
         order by v.name, v.fence_id, v.data_version",
    )
    .bind(area)
    .bind(at_ms)
    .fetch_all(db)
    .await?;
    Ok(found.into_iter().map(|(id, name, shape)| Enclosed { id, name, shape: shape.0 }).collect())
}

/// The areas in scope that are not closed, but for `except`; at most 2,000.
pub async fn neighbours(db: impl PgExecutor<'_>, except: Option<AreaId>) -> sqlx::Result<Vec<Neighbour>> {
    let found: Vec<(String, Json<Vec<[f64; 2]>>)> = sqlx::query_as(
        "select name, ring from read.area where state <> 3 and area_id is distinct from $1
         order by area_id limit 2000",
    )
    .bind(except)
    .fetch_all(db)
    .await?;
    Ok(found.into_iter().map(|(name, ring)| Neighbour { name, ring: ring.0 }).collect())
}
