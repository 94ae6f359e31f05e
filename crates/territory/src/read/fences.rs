//! Table `fence`.

use kernel::{After, Fold, Recorded};
use serde::{Deserialize, Serialize};
use sqlx::PgExecutor;
use utoipa::ToSchema;
use vocabulary::{AgentId, AreaId, DataOwner, Datum, FenceId};

use crate::model::fence::{Fence, FenceEvent};

/// A row of it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Row {
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

impl Fold for Row {
    type Of = Fence;
    const TABLE: &'static str = "fence";
    const KEY: &'static str = "fence_id";

    fn fold(row: Option<Self>, event: FenceEvent, recorded: &Recorded) -> After<Self> {
        let at_ms = recorded.recorded_at.millis();
        Ok(Some(match event {
            FenceEvent::Published { data_version, drawing } => Self {
                fence_id: recorded.stream_id.parse()?,
                area_id: drawing.area_id.0,
                agent_id: drawing.agent_id.0,
                kind: drawing.kind.into(),
                name: drawing.name,
                capacity: drawing.capacity,
                enabled: row.as_ref().is_none_or(|row| row.enabled),
                datum: drawing.ring.datum,
                ring: drawing.ring.closed(),
                data_version,
                created_at_ms: row.map_or(at_ms, |row| row.created_at_ms),
                updated_at_ms: at_ms,
                version: recorded.version,
            },
            FenceEvent::Enabled | FenceEvent::Disabled => Self {
                enabled: event == FenceEvent::Enabled,
                updated_at_ms: at_ms,
                version: recorded.version,
                ..row.ok_or("a fence changed before it was drawn")?
            },
        }))
    }

    fn owner(&self) -> DataOwner {
        DataOwner::of_area(AgentId(self.agent_id), AreaId(self.area_id))
    }
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
