//! Table `fence`.

use std::collections::BTreeMap;

use async_trait::async_trait;
use kernel::projector::ApplyError;
use kernel::{Aggregate, Change, Projector, Recorded, rows};
use serde::{Deserialize, Serialize};
use sqlx::{PgConnection, PgExecutor};
use utoipa::ToSchema;
use vocabulary::{AgentId, AreaId, DataOwner, Datum, FenceId};

use crate::model::fence::{Fence, FenceEvent};

/// Builds table `fence`.
pub struct FenceProjector;

/// A row of it.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Row {
    fence_id: i64,
    area_id: i64,
    agent_id: i64,
    kind: i16,
    name: String,
    capacity: i32,
    enabled: bool,
    ring: Vec<[f64; 2]>,
    datum: Datum,
    data_version: i64,
    created_at_ms: i64,
    updated_at_ms: i64,
    version: i64,
}

#[async_trait]
impl Projector for FenceProjector {
    fn name(&self) -> &'static str {
        "fence"
    }

    fn tables(&self) -> &'static [&'static str] {
        &["fence"]
    }

    fn categories(&self) -> &'static [&'static str] {
        &[Fence::CATEGORY]
    }

    async fn apply(&self, db: &mut PgConnection, events: &[Recorded]) -> Result<Vec<Change>, ApplyError> {
        let keys: Vec<String> = events.iter().map(|event| event.stream_id.to_string()).collect();
        let known: Vec<Row> = rows::load(db, "fence", "fence_id", "bigint", &keys).await?;
        let mut rows: BTreeMap<i64, Row> = known.into_iter().map(|row| (row.fence_id, row)).collect();
        for recorded in events {
            let fence_id: i64 = recorded.stream_id.parse()?;
            let at = recorded.recorded_at.millis();
            match recorded.decode::<FenceEvent>()? {
                FenceEvent::Published { data_version, drawing } => {
                    let before = rows.get(&fence_id);
                    let row = Row {
                        fence_id,
                        area_id: drawing.area_id.0,
                        agent_id: drawing.agent_id.0,
                        kind: drawing.kind.into(),
                        capacity: drawing.capacity,
                        enabled: before.is_none_or(|row| row.enabled),
                        ring: drawing.ring.closed(),
                        datum: drawing.ring.datum,
                        data_version,
                        created_at_ms: before.map_or(at, |row| row.created_at_ms),
                        updated_at_ms: at,
                        version: recorded.version,
                        name: drawing.name,
                    };
                    rows.insert(fence_id, row);
                }
                event @ (FenceEvent::Enabled | FenceEvent::Disabled) => {
                    let row = rows.get_mut(&fence_id).ok_or("a fence changed before it was drawn")?;
                    row.enabled = event == FenceEvent::Enabled;
                    row.updated_at_ms = at;
                    row.version = recorded.version;
                }
            }
        }
        let rows: Vec<Row> = rows.into_values().collect();
        rows::upsert(db, "fence", "fence_id", &rows).await?;
        Ok(rows.iter().map(change).collect())
    }
}

fn change(row: &Row) -> Change {
    let owner = DataOwner::of_area(AgentId(row.agent_id), AreaId(row.area_id));
    Change { table: "fence", key: row.fence_id.to_string(), owner }
}

/// A fence as the map draws it.
#[derive(Clone, Debug, Serialize, ToSchema, sqlx::FromRow)]
#[serde(rename_all = "camelCase")]
pub struct FenceShape {
    /// Its id, as text.
    #[schema(value_type = String)]
    #[sqlx(rename = "fence_id")]
    pub id: FenceId,
    /// The area it lies in.
    #[schema(value_type = String)]
    pub area_id: AreaId,
    /// 2 parking, 4 no-stop.
    #[serde(skip)]
    pub kind: i16,
    /// 名称.
    pub name: String,
    /// 停放上限.
    pub capacity: i32,
    /// `[lng, lat]` corners, closed, WGS-84.
    #[sqlx(json)]
    pub ring: Vec<[f64; 2]>,
}

/// The enabled fences in scope; at most 20,000.
pub async fn shapes(db: impl PgExecutor<'_>) -> sqlx::Result<Vec<FenceShape>> {
    sqlx::query_as(
        "select fence_id, area_id, kind, name, capacity, ring from read.fence where enabled
         order by area_id, kind, fence_id limit 20000",
    )
    .fetch_all(db)
    .await
}
