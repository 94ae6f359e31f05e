//! Table `device`.

use kernel::{After, Fold, Recorded};
use serde::{Deserialize, Serialize};
use vocabulary::{AgentId, AreaId, DataOwner};

use crate::model::device::{Device, DeviceEvent};

/// A row of it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Row {
    imei: String,
    agent_id: i64,
    area_id: i64,
    car_id: Option<String>,
    bind_state: i16,
    model: Option<String>,
    firmware: Option<String>,
    introduced_at_ms: Option<i64>,
    created_at_ms: i64,
    updated_at_ms: i64,
    version: i64,
}

const NOT_BOUND: i16 = 0;
const BOUND: i16 = 1;
const UNBOUND: i16 = 2;

impl Fold for Row {
    type Of = Device;
    const TABLE: &'static str = "device";
    const KEY: &'static str = "imei";
    const KEY_TYPE: &'static str = "text";
    const VERSION: i32 = 2;

    fn fold(row: Option<Self>, event: DeviceEvent, recorded: &Recorded) -> After<Self> {
        let at_ms = recorded.recorded_at.millis();
        let mut row = match (&event, row) {
            (DeviceEvent::Registered { agent_id, area_id, .. }, _) => Self {
                imei: recorded.stream_id.to_string(),
                agent_id: agent_id.0,
                area_id: area_id.0,
                car_id: None,
                bind_state: NOT_BOUND,
                model: None,
                firmware: None,
                introduced_at_ms: None,
                created_at_ms: at_ms,
                updated_at_ms: at_ms,
                version: recorded.version,
            },
            (_, row) => row.ok_or("a device changed before it was registered")?,
        };
        match event {
            DeviceEvent::Registered { .. } => {}
            DeviceEvent::Bound { car_id } => (row.car_id, row.bind_state) = (Some(car_id.into()), BOUND),
            DeviceEvent::Relocated { area_id } => row.area_id = area_id.0,
            DeviceEvent::Unbound { .. } => (row.car_id, row.bind_state) = (None, UNBOUND),
            DeviceEvent::Introduced { about, .. } => {
                (row.model, row.firmware) = (Some(about.model), Some(about.firmware));
                row.introduced_at_ms = Some(at_ms);
            }
        }
        row.updated_at_ms = at_ms;
        row.version = recorded.version;
        Ok(Some(row))
    }

    fn owner(&self) -> DataOwner {
        DataOwner::of_area(AgentId(self.agent_id), AreaId(self.area_id))
    }
}
