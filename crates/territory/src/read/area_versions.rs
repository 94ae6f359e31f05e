//! Table `area_version`: every edge that an area had, and when.

use std::collections::BTreeMap;

use async_trait::async_trait;
use geofence::Ring;
use kernel::projector::ApplyError;
use kernel::{Change, Projector, Recorded, rows};
use serde::{Deserialize, Serialize};
use sqlx::types::Json;
use sqlx::{PgConnection, PgExecutor};
use vocabulary::{AgentId, AreaId};

use super::areas::AreaShape;
use crate::model::area::AreaEvent;

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Row {
    area_id: i64,
    data_version: i64,
    agent_id: i64,
    from_at_ms: i64,
    until_at_ms: Option<i64>,
    /// When the area was opened for riders; one that is planned serves none.
    opened_at_ms: Option<i64>,
    ring: Ring,
    area_m2: f64,
    corners: usize,
    /// Of the area, as it was when this row was last changed.
    version: i64,
}

impl Row {
    fn new(
        area_id: i64,
        agent_id: i64,
        data_version: i64,
        ring: Ring,
        opened_at_ms: Option<i64>,
        recorded: &Recorded,
    ) -> Self {
        Self {
            area_id,
            data_version,
            agent_id,
            from_at_ms: recorded.recorded_at.millis(),
            until_at_ms: None,
            opened_at_ms,
            area_m2: ring.area_m2(),
            corners: ring.corners().len(),
            ring,
            version: recorded.version,
        }
    }
}

/// What held until now holds no more.
fn end(edges: &mut [Row], recorded: &Recorded) {
    for row in edges.iter_mut().filter(|row| row.until_at_ms.is_none()) {
        row.until_at_ms = Some(recorded.recorded_at.millis());
        row.version = recorded.version;
    }
}

/// Builds the table.
pub struct AreaVersions;

#[async_trait]
impl Projector for AreaVersions {
    fn name(&self) -> &'static str {
        "area_version"
    }

    fn version(&self) -> i32 {
        3
    }

    fn tables(&self) -> &'static [&'static str] {
        &["area_version"]
    }

    fn categories(&self) -> &'static [&'static str] {
        &["area"]
    }

    async fn apply(&self, db: &mut PgConnection, events: &[Recorded]) -> Result<Vec<Change>, ApplyError> {
        let keys = rows::streams(events);
        let mut kept: BTreeMap<i64, Vec<Row>> = BTreeMap::new();
        for row in rows::load::<Row>(db, "area_version", "area_id", "bigint", &keys).await? {
            kept.entry(row.area_id).or_default().push(row);
        }
        for edges in kept.values_mut() {
            edges.sort_by_key(|row| row.data_version);
        }
        for recorded in events {
            let area_id: i64 = recorded.stream_id.parse()?;
            let edges = kept.entry(area_id).or_default();
            let (agent_id, opened_at_ms) =
                edges.last().map_or((0, None), |row| (row.agent_id, row.opened_at_ms));
            match recorded.decode()? {
                AreaEvent::Planned(plan) => {
                    edges.push(Row::new(area_id, plan.agent_id.0, 1, plan.ring, None, recorded));
                }
                AreaEvent::Redrawn { data_version, ring } => {
                    end(edges, recorded);
                    edges.push(Row::new(area_id, agent_id, data_version, ring, opened_at_ms, recorded));
                }
                AreaEvent::Closed => end(edges, recorded),
                AreaEvent::HandedOver { to, .. } => {
                    for row in edges {
                        row.agent_id = to.0;
                        row.version = recorded.version;
                    }
                }
                AreaEvent::Opened => {
                    for row in edges {
                        row.opened_at_ms.get_or_insert(recorded.recorded_at.millis());
                        row.version = recorded.version;
                    }
                }
                AreaEvent::Suspended { .. }
                | AreaEvent::Renamed { .. }
                | AreaEvent::TelChanged { .. }
                | AreaEvent::TermsSet(_)
                | AreaEvent::StopPlanned(_)
                | AreaEvent::StopCancelled
                | AreaEvent::DeliveryAsked => {}
            }
        }
        let edges: Vec<&Row> = kept.values().flatten().collect();
        rows::upsert(db, "area_version", "area_id, data_version", &edges).await?;
        // Table `area` tells of changes.
        Ok(Vec::new())
    }
}

/// An edge: area, agent, version, ring, from when and until when it held, and when its area was opened (epoch milliseconds).
pub type Edge = (i64, i64, i64, Json<Ring>, i64, Option<i64>, Option<i64>);

/// The edges that held at some time after `since_ms`.
pub async fn held_since(db: impl PgExecutor<'_>, since_ms: i64) -> sqlx::Result<Vec<Edge>> {
    sqlx::query_as(
        "select area_id, agent_id, data_version, ring, from_at_ms, until_at_ms, opened_at_ms from read.area_version
         where until_at_ms is null or until_at_ms > $1",
    )
    .bind(since_ms)
    .fetch_all(db)
    .await
}

/// The edges that the areas in scope had at an instant; at most 2,000.
pub async fn shapes_at(db: impl PgExecutor<'_>, at_ms: i64) -> sqlx::Result<Vec<AreaShape>> {
    let found: Vec<(AreaId, String, AgentId, i16, Json<Ring>)> = sqlx::query_as(
        "select a.area_id, a.name, a.agent_id, a.state, v.ring
         from read.area_version v join read.area a on a.area_id = v.area_id
         where v.from_at_ms <= $1 and (v.until_at_ms is null or v.until_at_ms > $1) order by a.area_id limit 2000",
    )
    .bind(at_ms)
    .fetch_all(db)
    .await?;
    let shape = |(id, name, agent_id, state, Json(ring)): (AreaId, String, AgentId, i16, Json<Ring>)| {
        AreaShape { id, name, agent_id, state, ring: ring.closed() }
    };
    Ok(found.into_iter().map(shape).collect())
}

/// Every edge that an area had, the oldest first.
pub async fn of_area(db: impl PgExecutor<'_>, area_id: i64) -> sqlx::Result<Vec<Edge>> {
    sqlx::query_as(
        "select area_id, agent_id, data_version, ring, from_at_ms, until_at_ms, opened_at_ms from read.area_version
         where area_id = $1 order by data_version",
    )
    .bind(area_id)
    .fetch_all(db)
    .await
}
