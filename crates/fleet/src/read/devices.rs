//! Table `device`.

use std::collections::BTreeMap;

use async_trait::async_trait;
use kernel::projector::ApplyError;
use kernel::{Aggregate, Change, Projector, Recorded, rows};
use serde::{Deserialize, Serialize};
use sqlx::PgConnection;
use vocabulary::{AgentId, AreaId, DataOwner};

use crate::model::device::{Device, DeviceEvent};

/// Builds table `device`.
pub struct DeviceProjector;

/// A row of it.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Row {
    imei: String,
    agent_id: i64,
    area_id: i64,
    car_id: Option<String>,
    bind_state: i16,
    created_at_ms: i64,
    updated_at_ms: i64,
    version: i64,
}

const NOT_BOUND: i16 = 0;
const BOUND: i16 = 1;
const UNBOUND: i16 = 2;

#[async_trait]
impl Projector for DeviceProjector {
    fn name(&self) -> &'static str {
        "device"
    }

    fn tables(&self) -> &'static [&'static str] {
        &["device"]
    }

    fn categories(&self) -> &'static [&'static str] {
        &[Device::CATEGORY]
    }

    async fn apply(&self, db: &mut PgConnection, events: &[Recorded]) -> Result<Vec<Change>, ApplyError> {
        let keys: Vec<String> = events.iter().map(|event| event.stream_id.to_string()).collect();
        let known: Vec<Row> = rows::load(db, "device", "imei", "text", &keys).await?;
        let mut rows: BTreeMap<String, Row> = known.into_iter().map(|row| (row.imei.clone(), row)).collect();
        for recorded in events {
            let at = recorded.recorded_at.millis();
            let event = recorded.decode::<DeviceEvent>()?;
            if let DeviceEvent::Registered { agent_id, area_id, .. } = &event {
                let row = Row {
                    imei: recorded.stream_id.to_string(),
                    agent_id: agent_id.0,
                    area_id: area_id.0,
                    car_id: None,
                    bind_state: NOT_BOUND,
                    created_at_ms: at,
                    updated_at_ms: at,
                    version: 0,
                };
                rows.insert(recorded.stream_id.to_string(), row);
            }
            let row =
                rows.get_mut(&*recorded.stream_id).ok_or("a device changed before it was registered")?;
            row.updated_at_ms = at;
            row.version = recorded.version;
            match event {
                DeviceEvent::Registered { .. } => {}
                DeviceEvent::Bound { car_id } => (row.car_id, row.bind_state) = (Some(car_id.into()), BOUND),
                DeviceEvent::Unbound { .. } => (row.car_id, row.bind_state) = (None, UNBOUND),
            }
        }
        let rows: Vec<Row> = rows.into_values().collect();
        rows::upsert(db, "device", "imei", &rows).await?;
        Ok(rows.iter().map(change).collect())
    }
}

fn change(row: &Row) -> Change {
    let owner = DataOwner::of_area(AgentId(row.agent_id), AreaId(row.area_id));
    Change { table: "device", key: row.imei.clone(), owner }
}
