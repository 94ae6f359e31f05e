//! Table `area`.

use std::collections::BTreeMap;

use async_trait::async_trait;
use kernel::projector::ApplyError;
use kernel::{Aggregate, Change, Projector, Recorded, rows};
use serde::{Deserialize, Serialize};
use sqlx::{PgConnection, PgExecutor};
use utoipa::ToSchema;
use vocabulary::{AgentId, AreaId, Datum, Territory};

use crate::model::area::{Area, AreaEvent, AreaState};

/// Builds table `area`.
pub struct AreaProjector;

/// A row of it.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Row {
    area_id: i64,
    agent_id: i64,
    name: String,
    tel: String,
    state: i16,
    ring: Vec<[f64; 2]>,
    datum: Datum,
    data_version: i64,
    created_at_ms: i64,
    updated_at_ms: i64,
    version: i64,
}

#[async_trait]
impl Projector for AreaProjector {
    fn name(&self) -> &'static str {
        "area"
    }

    fn tables(&self) -> &'static [&'static str] {
        &["area"]
    }

    fn categories(&self) -> &'static [&'static str] {
        &[Area::CATEGORY]
    }

    async fn apply(&self, db: &mut PgConnection, events: &[Recorded]) -> Result<Vec<Change>, ApplyError> {
        let keys: Vec<String> = events.iter().map(|event| event.stream_id.clone()).collect();
        let known: Vec<Row> = rows::load(db, "area", "area_id", "bigint", &keys).await?;
        let mut rows: BTreeMap<i64, Row> = known.into_iter().map(|row| (row.area_id, row)).collect();
        for recorded in events {
            let area_id: i64 = recorded.stream_id.parse()?;
            let at = recorded.recorded_at.millis();
            let event = recorded.decode::<AreaEvent>()?;
            if let AreaEvent::Planned(plan) = &event {
                let row = Row {
                    area_id,
                    agent_id: plan.agent_id.0,
                    name: plan.name.clone(),
                    tel: plan.tel.clone(),
                    state: AreaState::Planned as i16,
                    ring: plan.ring.closed(),
                    datum: plan.ring.datum,
                    data_version: 1,
                    created_at_ms: at,
                    updated_at_ms: at,
                    version: 0,
                };
                rows.insert(area_id, row);
            }
            let row = rows.get_mut(&area_id).ok_or("an area changed before it was planned")?;
            row.updated_at_ms = at;
            row.version = recorded.version;
            match event {
                AreaEvent::Planned(_) => {}
                AreaEvent::Opened => row.state = AreaState::Open as i16,
                AreaEvent::Suspended { .. } => row.state = AreaState::Suspended as i16,
                AreaEvent::Closed => row.state = AreaState::Closed as i16,
                AreaEvent::Redrawn { data_version, ring } => {
                    row.data_version = data_version;
                    row.datum = ring.datum;
                    row.ring = ring.closed();
                }
            }
        }
        let rows: Vec<Row> = rows.into_values().collect();
        rows::upsert(db, "area", "area_id", &rows).await?;
        Ok(rows.iter().map(change).collect())
    }
}

fn change(row: &Row) -> Change {
    let territory = Territory::of_area(AgentId(row.agent_id), AreaId(row.area_id));
    Change { table: "area", key: row.area_id.to_string(), territory }
}

/// A service area as selectors list it.
#[derive(Clone, Debug, Serialize, ToSchema, sqlx::FromRow)]
#[serde(rename_all = "camelCase")]
pub struct AreaOption {
    /// Its id, as text.
    #[schema(value_type = String)]
    #[sqlx(rename = "area_id")]
    pub id: AreaId,
    /// 名称.
    pub name: String,
    /// Who runs it.
    #[schema(value_type = String)]
    pub agent_id: AgentId,
}

/// Areas in scope that are not closed, by name, of `agents` (empty: of all in scope); at most 2,000.
pub async fn options(db: impl PgExecutor<'_>, agents: &[AgentId]) -> sqlx::Result<Vec<AreaOption>> {
    let agents: Vec<i64> = agents.iter().map(|agent| agent.0).collect();
    sqlx::query_as(
        "select area_id, name, agent_id from read.area
         where state <> 3 and (cardinality($1::bigint[]) = 0 or agent_id = any($1))
         order by name, area_id limit 2000",
    )
    .bind(agents)
    .fetch_all(db)
    .await
}

/// A service area as the map draws it.
#[derive(Clone, Debug, Serialize, ToSchema, sqlx::FromRow)]
#[serde(rename_all = "camelCase")]
pub struct AreaShape {
    /// Its id, as text.
    #[schema(value_type = String)]
    #[sqlx(rename = "area_id")]
    pub id: AreaId,
    /// 名称.
    pub name: String,
    /// Who runs it.
    #[schema(value_type = String)]
    pub agent_id: AgentId,
    /// 0 planned, 1 open, 2 suspended.
    pub state: i16,
    /// `[lng, lat]` corners, closed, WGS-84.
    #[sqlx(json)]
    pub ring: Vec<[f64; 2]>,
}

/// The edges of the areas in scope; at most 2,000.
pub async fn shapes(db: impl PgExecutor<'_>) -> sqlx::Result<Vec<AreaShape>> {
    sqlx::query_as(
        "select area_id, name, agent_id, state, ring from read.area where state <> 3 order by area_id limit 2000",
    )
    .fetch_all(db)
    .await
}
