//! Which versions of billings, fences and edges there were, to choose one that was wrong.

use geofence::FenceKind;
use serde::Serialize;
use sqlx::PgExecutor;
use utoipa::ToSchema;
use vocabulary::{AreaId, FenceId};

use crate::model::config::BillingConfig;

/// A fence that may have priced rides wrong.
#[derive(Clone, Debug, Serialize, ToSchema, sqlx::FromRow)]
#[serde(rename_all = "camelCase")]
pub struct FenceChoice {
    /// Its id, as text.
    #[sqlx(rename = "fence_id")]
    pub id: FenceId,
    /// What it is for.
    pub kind: FenceKind,
    /// Its name.
    pub name: String,
    /// Whether it is there no more.
    pub deleted: bool,
    /// The area it lies in, of one of the agent's other areas.
    pub area_name: Option<String>,
}

/// Fences that may fine riders of other areas too.
const BANS: [FenceKind; 2] = [FenceKind::NoStop, FenceKind::NoRide];

/// A version to choose.
#[derive(Clone, Debug, Serialize, ToSchema, sqlx::FromRow)]
#[serde(rename_all = "camelCase")]
pub struct VersionChoice {
    /// Its number; of a billing 0 is the default.
    #[sqlx(rename = "number")]
    pub version: i64,
    /// What was said of it.
    pub note: String,
    /// When it counted and will count: `[from, until]`, epoch milliseconds; an open end is null.
    #[schema(value_type = Vec<Vec<Option<i64>>>)]
    #[sqlx(json)]
    pub counted: Vec<[Option<i64>; 2]>,
}

/// Parking places of an area in scope and bans of it and of its agent's other areas in scope that were ever published: its own
/// first, those that changed last first; at most 50.
pub async fn fences(
    db: impl PgExecutor<'_>,
    area: AreaId,
    typed: Option<&str>,
) -> sqlx::Result<Vec<FenceChoice>> {
    sqlx::query_as(
        "select f.fence_id, f.kind, f.name, f.deleted, case when f.area_id <> $1 then a.name end as area_name
         from read.fence f left join read.area a on a.area_id = f.area_id
         where (f.area_id = $1 and f.kind = $4 or f.kind = any($2) and f.agent_id = (
                 select o.agent_id from read.area o where o.area_id = $1))
             and ($3::text is null or f.name like $3)
             and exists (select from read.fence_version v where v.fence_id = f.fence_id)
         order by f.area_id = $1 desc, f.updated_at_ms desc, f.fence_id desc limit 50",
    )
    .bind(area)
    .bind(BANS.map(FenceKind::number).to_vec())
    .bind(typed.map(kernel::list::containing))
    .bind(FenceKind::Parking.number())
    .fetch_all(db)
    .await
}

/// The versions of an area's billing in scope that were not taken back, the newest first, the default last.
pub async fn of_billing(db: impl PgExecutor<'_>, area: AreaId) -> sqlx::Result<Vec<VersionChoice>> {
    let mut found: Vec<VersionChoice> = sqlx::query_as(
        "select number, note,
             (select coalesce(jsonb_agg(jsonb_build_array(lower(r), upper(r)) order by lower(r)), '[]')
              from unnest(counts) r) as counted
         from read.config_version where area_id = $1 and kind = $2 and not withdrawn
         order by number desc limit 1000",
    )
    .bind(area)
    .bind(<BillingConfig as kernel::Aggregate>::CATEGORY)
    .fetch_all(db)
    .await?;
    let first_ms = found.iter().flat_map(|one| &one.counted).filter_map(|[from, _]| *from).min();
    found
        .push(VersionChoice { version: 0, note: "系统默认".to_owned(), counted: vec![[None, first_ms]] });
    Ok(found)
}

/// The versions of a fence that may decide about rides of an area in scope, those that were not taken back, the newest first.
pub async fn of_fence(
    db: impl PgExecutor<'_>,
    area: AreaId,
    fence: FenceId,
) -> sqlx::Result<Vec<VersionChoice>> {
    sqlx::query_as(
        "select data_version as number, name as note,
             (select coalesce(jsonb_agg(jsonb_build_array(lower(r), upper(r)) order by lower(r)), '[]')
              from unnest(counts) r) as counted
         from read.fence_version where fence_id = $2 and not withdrawn and (area_id = $1 or kind = any($3) and agent_id = (
             select o.agent_id from read.area o where o.area_id = $1))
         order by data_version desc limit 1000",
    )
    .bind(area)
    .bind(fence)
    .bind(BANS.map(FenceKind::number).to_vec())
    .fetch_all(db)
    .await
}

/// The edges that an area in scope had, the newest first.
pub async fn of_edge(db: impl PgExecutor<'_>, area: AreaId) -> sqlx::Result<Vec<VersionChoice>> {
    sqlx::query_as(
        "select data_version as number, '' as note, jsonb_build_array(jsonb_build_array(from_at_ms, until_at_ms)) as counted
         from read.area_version where area_id = $1 order by data_version desc limit 1000",
    )
    .bind(area)
    .fetch_all(db)
    .await
}
