//! Table `vehicle`.

use kernel::{After, Fold, Recorded};
use serde::{Deserialize, Serialize};
use sqlx::PgExecutor;
use vocabulary::{AgentId, AreaId, DataOwner, VoltageSchemeId};

use crate::model::region::{AlarmState, Lifecycle, OperationState, RidingState};
use crate::model::vehicle::{Vehicle, VehicleEvent};

/// A row of table `vehicle`.
#[derive(Clone, Debug, Default, Serialize, Deserialize, sqlx::FromRow)]
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
    /// What it is called.
    pub tags: Vec<String>,
    /// What tells of its battery by voltage.
    pub voltage_scheme_id: Option<VoltageSchemeId>,
    /// Where it was put on the street.
    pub shelved_lat: Option<f64>,
    /// Where it was put on the street.
    pub shelved_lng: Option<f64>,
    /// Version of the aggregate when it last became free; 0 when it always was.
    pub freed_version: i64,
    /// Since when nobody used it: it became free, or came onto the street.
    pub idle_since_ms: Option<i64>,
    /// When its last ride ended.
    pub last_ride_end_ms: Option<i64>,
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
            VehicleEvent::Registered(_)
            | VehicleEvent::AlarmAcknowledged { .. }
            | VehicleEvent::AlarmSettled { .. }
            | VehicleEvent::AlarmEscalated { .. } => {}
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
            VehicleEvent::Unshelved { .. } => self.lifecycle = Lifecycle::Unshelved.number(),
            VehicleEvent::Restocked { .. } => self.lifecycle = Lifecycle::Stocked.number(),
            VehicleEvent::SentToFactory { .. } => self.lifecycle = Lifecycle::AtFactory.number(),
            VehicleEvent::ReportedLost { .. } => self.lifecycle = Lifecycle::Lost.number(),
            VehicleEvent::Found { back, .. } => self.lifecycle = back.number(),
            VehicleEvent::Scrapped { .. } => self.lifecycle = Lifecycle::Scrapped.number(),
            VehicleEvent::Relocated { to, .. } => self.area_id = to.0,
            VehicleEvent::Tagged { added, removed } => {
                self.tags.retain(|tag| !removed.contains(tag));
                self.tags.extend(added);
                self.tags.sort();
            }
            VehicleEvent::Unbound { .. } => self.imei = None,
            VehicleEvent::VoltageSchemeSet { to, .. } => self.voltage_scheme_id = to,
        }
    }
}

impl Fold for VehicleRow {
    type Of = Vehicle;
    const TABLE: &'static str = "vehicle";
    const KEY: &'static str = "car_id";
    const KEY_TYPE: &'static str = "text";
    const VERSION: i32 = 4;

    fn fold(row: Option<Self>, event: VehicleEvent, recorded: &Recorded) -> After<Self> {
        let at_ms = recorded.recorded_at.millis();
        let mut row = match (&event, row) {
            (VehicleEvent::Registered(new), _) => Self {
                car_id: recorded.stream_id.to_string(),
                plate_no: new.plate_no.clone(),
                agent_id: new.agent_id.0,
                area_id: new.area_id.0,
                lifecycle: Lifecycle::Expected.number(),
                riding_state: RidingState::Idle.number(),
                created_at_ms: at_ms,
                ..Self::default()
            },
            (_, row) => row.ok_or("a bike changed before it was registered")?,
        };
        match &event {
            VehicleEvent::RideStateChanged { from, to: RidingState::Idle, .. } => {
                row.freed_version = recorded.version;
                row.idle_since_ms = Some(at_ms);
                if matches!(from, RidingState::Riding | RidingState::Paused) {
                    row.last_ride_end_ms = Some(at_ms);
                }
            }
            VehicleEvent::RideStateChanged { .. } => row.idle_since_ms = None,
            VehicleEvent::Shelved { .. } => row.idle_since_ms = Some(at_ms),
            _ => {}
        }
        row.take_in(event);
        row.updated_at_ms = at_ms;
        row.version = recorded.version;
        Ok(Some(row))
    }

    fn owner(&self) -> DataOwner {
        DataOwner::of_area(AgentId(self.agent_id), AreaId(self.area_id))
    }
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

/// How many bikes are on the streets of each of these areas.
pub async fn on_streets(
    db: impl PgExecutor<'_>,
    areas: &[i64],
) -> sqlx::Result<std::collections::BTreeMap<AreaId, i64>> {
    let counted: Vec<(AreaId, i64)> = sqlx::query_as(
        "select area_id, count(*) from read.vehicle where area_id = any($1) and lifecycle = 2 group by area_id",
    )
    .bind(areas)
    .fetch_all(db)
    .await?;
    Ok(counted.into_iter().collect())
}

/// Those of these bikes that are in scope.
pub async fn find_all(db: impl PgExecutor<'_>, car_ids: &[String]) -> sqlx::Result<Vec<VehicleRow>> {
    sqlx::query_as("select * from read.vehicle where car_id = any($1)").bind(car_ids).fetch_all(db).await
}
