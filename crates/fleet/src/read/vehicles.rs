//! Table `vehicle`.

use std::collections::BTreeMap;

use async_trait::async_trait;
use kernel::projector::ApplyError;
use kernel::{Aggregate, Change, Projector, Recorded, rows};
use serde::{Deserialize, Serialize};
use sqlx::{PgConnection, PgExecutor};
use vocabulary::{AgentId, AreaId, DataOwner};

use crate::model::region::{AlarmState, Lifecycle, OperationState, RidingState};
use crate::model::vehicle::{Vehicle, VehicleEvent};

/// Builds table `vehicle`.
pub struct VehicleProjector;

/// A row of table `vehicle`.
#[derive(Clone, Debug, Serialize, Deserialize, sqlx::FromRow)]
pub struct VehicleRow {
    /// 车辆编号.
    pub car_id: String,
    /// Its device, when it has one.
    pub imei: Option<String>,
    /// 号牌.
    pub plate_no: String,
    /// Whose it is.
    pub agent_id: i64,
    /// Where it works.
    pub area_id: i64,
    /// See [`Lifecycle`].
    pub lifecycle: i16,
    /// See [`RidingState`].
    pub riding_state: i16,
    /// See [`OperationState`].
    pub operation_states: Vec<i16>,
    /// See [`AlarmState`].
    pub alarm_states: Vec<i16>,
    /// Where it was put on the street.
    pub shelved_lat: Option<f64>,
    /// Where it was put on the street.
    pub shelved_lng: Option<f64>,
    /// When it came.
    pub created_at_ms: i64,
    /// When a decision last changed it.
    pub updated_at_ms: i64,
    /// Version of the aggregate.
    pub version: i64,
}

impl VehicleRow {
    /// Where it is in its life.
    pub fn lifecycle(&self) -> Lifecycle {
        Lifecycle::try_from(self.lifecycle).unwrap_or(Lifecycle::Expected)
    }

    /// Who uses it.
    pub fn riding(&self) -> RidingState {
        RidingState::try_from(self.riding_state).unwrap_or(RidingState::Idle)
    }

    /// Field work.
    pub fn operations(&self) -> Vec<OperationState> {
        self.operation_states.iter().filter_map(|value| OperationState::try_from(*value).ok()).collect()
    }

    /// What is wrong.
    pub fn alarms(&self) -> Vec<AlarmState> {
        self.alarm_states.iter().filter_map(|value| AlarmState::try_from(*value).ok()).collect()
    }

    fn take_in(&mut self, event: VehicleEvent) {
        let put = |set: &mut Vec<i16>, value: i16| {
            if let Err(place) = set.binary_search(&value) {
                set.insert(place, value);
            }
        };
        match event {
            VehicleEvent::Registered(_) => {}
            VehicleEvent::Bound { imei } => self.imei = Some(imei),
            VehicleEvent::Stocked => self.lifecycle = Lifecycle::Stocked.number(),
            VehicleEvent::Shelved { place } => {
                self.lifecycle = Lifecycle::Shelved.number();
                (self.shelved_lat, self.shelved_lng) = (Some(place.lat()), Some(place.lng()));
            }
            VehicleEvent::RideStateChanged { to, .. } => self.riding_state = to.number(),
            VehicleEvent::OpsStateAdded { state, .. } => put(&mut self.operation_states, state.number()),
            VehicleEvent::OpsStateRemoved { state, .. } => {
                self.operation_states.retain(|value| *value != state.number());
            }
            VehicleEvent::AlarmRaised { alarm, .. } => put(&mut self.alarm_states, alarm.number()),
            VehicleEvent::AlarmCleared { alarm, .. } => {
                self.alarm_states.retain(|value| *value != alarm.number());
            }
        }
    }
}

#[async_trait]
impl Projector for VehicleProjector {
    fn name(&self) -> &'static str {
        "vehicle"
    }

    fn tables(&self) -> &'static [&'static str] {
        &["vehicle"]
    }

    fn categories(&self) -> &'static [&'static str] {
        &[Vehicle::CATEGORY]
    }

    async fn apply(&self, db: &mut PgConnection, events: &[Recorded]) -> Result<Vec<Change>, ApplyError> {
        let keys: Vec<String> = events.iter().map(|event| event.stream_id.to_string()).collect();
        let known: Vec<VehicleRow> = rows::load(db, "vehicle", "car_id", "text", &keys).await?;
        let mut rows: BTreeMap<String, VehicleRow> =
            known.into_iter().map(|row| (row.car_id.clone(), row)).collect();
        for recorded in events {
            let at = recorded.recorded_at.millis();
            let event = recorded.decode::<VehicleEvent>()?;
            if let VehicleEvent::Registered(new) = &event {
                let row = VehicleRow {
                    car_id: recorded.stream_id.to_string(),
                    imei: None,
                    plate_no: new.plate_no.clone(),
                    agent_id: new.agent_id.0,
                    area_id: new.area_id.0,
                    lifecycle: Lifecycle::Expected.number(),
                    riding_state: RidingState::Idle.number(),
                    operation_states: vec![],
                    alarm_states: vec![],
                    shelved_lat: None,
                    shelved_lng: None,
                    created_at_ms: at,
                    updated_at_ms: at,
                    version: 0,
                };
                rows.insert(recorded.stream_id.to_string(), row);
            }
            let row = rows.get_mut(&*recorded.stream_id).ok_or("a bike changed before it was registered")?;
            row.updated_at_ms = at;
            row.version = recorded.version;
            row.take_in(event);
        }
        let rows: Vec<VehicleRow> = rows.into_values().collect();
        rows::upsert(db, "vehicle", "car_id", &rows).await?;
        Ok(rows.iter().map(change).collect())
    }
}

fn change(row: &VehicleRow) -> Change {
    let owner = DataOwner::of_area(AgentId(row.agent_id), AreaId(row.area_id));
    Change { table: "vehicle", key: row.car_id.clone(), owner }
}

/// The bike of this number; nothing when it is not in scope.
pub async fn find(db: impl PgExecutor<'_>, car_id: &str) -> sqlx::Result<Option<VehicleRow>> {
    sqlx::query_as("select * from read.vehicle where car_id = $1").bind(car_id).fetch_optional(db).await
}

/// A hit of the number search.
#[derive(Clone, Debug, sqlx::FromRow)]
pub struct Hit {
    /// 车辆编号.
    pub car_id: String,
    /// Its device.
    pub imei: Option<String>,
    /// Where it works.
    pub area_id: i64,
}

/// Bikes whose device is `keyword` (15 digits that begin with 86), or whose number begins with it; at most 20.
pub async fn search(db: impl PgExecutor<'_>, keyword: &str) -> sqlx::Result<Vec<Hit>> {
    let is_imei =
        keyword.len() == 15 && keyword.starts_with("86") && keyword.bytes().all(|byte| byte.is_ascii_digit());
    let sql = if is_imei {
        "select car_id, imei, area_id from read.vehicle where imei = $1 limit 20"
    } else {
        "select car_id, imei, area_id from read.vehicle where car_id like $1 order by car_id limit 20"
    };
    let wanted = if is_imei {
        keyword.to_owned()
    } else {
        format!("{}%", keyword.replace('\\', r"\\").replace('%', r"\%").replace('_', r"\_"))
    };
    sqlx::query_as(sql).bind(wanted).fetch_all(db).await
}
