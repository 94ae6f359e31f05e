//! Table `operator_device`.

use std::collections::{BTreeMap, BTreeSet};

use async_trait::async_trait;
use kernel::projector::ApplyError;
use kernel::{Aggregate, Change, Projector, Recorded, rows};
use serde::{Deserialize, Serialize};
use sqlx::PgConnection;
use utoipa::ToSchema;
use vocabulary::{AgentId, DataOwner, OperatorDeviceId, OperatorId, Phone, Scope};

use super::operators::ids;
use crate::model::device::{Device, DeviceEvent, DeviceKind, OperatorDevices};
use crate::model::operator::{Operator, OperatorEvent, owner_of};

const WAITING: i16 = 0;
const BOUND: i16 = 1;
const REMOVED: i16 = 2;
/// A list of devices shows at most so many.
const LIST_MAX: i64 = 200;

/// Builds table `operator_device`.
pub struct DeviceProjector;

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Stored {
    operator_device_id: i64,
    operator_id: i64,
    agent_id: Option<i64>,
    code: String,
    name: String,
    kind: i16,
    address: String,
    state: i16,
    requested_at_ms: i64,
    updated_at_ms: i64,
    last_sign_in_at_ms: Option<i64>,
}

impl Stored {
    fn change(&self) -> Change {
        Change {
            table: "operator_device",
            key: self.operator_device_id.to_string(),
            owner: DataOwner { agent: self.agent_id.map(AgentId), area: None },
        }
    }
}

#[async_trait]
impl Projector for DeviceProjector {
    fn name(&self) -> &'static str {
        "operator_device"
    }

    fn version(&self) -> i32 {
        2
    }

    fn tables(&self) -> &'static [&'static str] {
        &["operator_device"]
    }

    fn categories(&self) -> &'static [&'static str] {
        &[OperatorDevices::CATEGORY, Operator::CATEGORY]
    }

    async fn apply(&self, db: &mut PgConnection, events: &[Recorded]) -> Result<Vec<Change>, ApplyError> {
        // Both streams are the operator's and bear his id.
        let keys: Vec<String> = events.iter().map(|event| event.stream_id.to_string()).collect();
        let known: Vec<Stored> = rows::load(db, "operator_device", "operator_id", "bigint", &keys).await?;
        let mut rows: BTreeMap<i64, Stored> =
            known.into_iter().map(|row| (row.operator_device_id, row)).collect();
        let (mut touched, mut changes, mut gone) = (BTreeSet::new(), Vec::new(), Vec::new());
        for recorded in events {
            let operator_id: i64 = recorded.stream_id.parse()?;
            if recorded.category == Operator::CATEGORY {
                let event: OperatorEvent = recorded.decode()?;
                if event == OperatorEvent::Deleted {
                    gone.push(recorded.stream_id.to_string());
                    let his = rows.extract_if(.., |_, row| row.operator_id == operator_id);
                    changes.extend(his.map(|(_, row)| row.change()));
                } else {
                    of_operator(&mut rows, operator_id, event, &mut touched);
                }
            } else {
                touched.insert(of_device(&mut rows, operator_id, recorded.decode()?, recorded)?);
            }
        }
        rows.retain(|id, _| touched.contains(id));
        let rows: Vec<Stored> = rows.into_values().collect();
        rows::delete(db, "operator_device", "operator_id", "bigint", &gone).await?;
        rows::upsert(db, "operator_device", "operator_device_id", &rows).await?;
        changes.extend(rows.iter().map(Stored::change));
        Ok(changes)
    }
}

/// What happened to a device; which one.
fn of_device(
    rows: &mut BTreeMap<i64, Stored>,
    operator_id: i64,
    event: DeviceEvent,
    recorded: &Recorded,
) -> Result<i64, ApplyError> {
    let at = recorded.recorded_at.millis();
    let mut see = |id: OperatorDeviceId, device, owner, state| {
        let before = rows.get(&id.0).and_then(|row| row.last_sign_in_at_ms);
        let row = seen(id, operator_id, device, owner, state, at);
        rows.insert(id.0, Stored { last_sign_in_at_ms: before, ..row });
        id.0
    };
    Ok(match event {
        DeviceEvent::Requested { id, device, owner } => see(id, device, owner, WAITING),
        DeviceEvent::Bound { id, device, owner } => see(id, device, owner, BOUND),
        DeviceEvent::Confirmed { id } => set(rows, id, BOUND, at)?,
        DeviceEvent::Removed { id, .. } => set(rows, id, REMOVED, at)?,
    })
}

/// What happened to their operator: a sign-in on one of them, or he became somebody else's.
fn of_operator(
    rows: &mut BTreeMap<i64, Stored>,
    operator_id: i64,
    event: OperatorEvent,
    touched: &mut BTreeSet<i64>,
) {
    let own = rows.values_mut().filter(|row| row.operator_id == operator_id);
    match event {
        OperatorEvent::SignedIn { device_code, at } => {
            for row in own.filter(|row| row.code == device_code) {
                row.last_sign_in_at_ms = Some(at.millis());
                touched.insert(row.operator_device_id);
            }
        }
        OperatorEvent::Changed { reach, .. } => {
            let agent_id = owner_of(&reach).agent.map(|agent| agent.0);
            for row in own.filter(|row| row.agent_id != agent_id) {
                row.agent_id = agent_id;
                touched.insert(row.operator_device_id);
            }
        }
        _ => {}
    }
}

fn seen(
    id: OperatorDeviceId,
    operator_id: i64,
    device: Device,
    owner: DataOwner,
    state: i16,
    at: i64,
) -> Stored {
    Stored {
        operator_device_id: id.0,
        operator_id,
        agent_id: owner.agent.map(|agent| agent.0),
        code: device.code,
        name: device.name,
        kind: device.kind,
        address: device.address,
        state,
        requested_at_ms: at,
        updated_at_ms: at,
        last_sign_in_at_ms: None,
    }
}

fn set(
    rows: &mut BTreeMap<i64, Stored>,
    id: OperatorDeviceId,
    state: i16,
    at: i64,
) -> Result<i64, ApplyError> {
    let row = rows.get_mut(&id.0).ok_or("a device changed before it was seen")?;
    row.state = state;
    row.updated_at_ms = at;
    Ok(id.0)
}

/// A device as the administrator's list shows it.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct DeviceRow {
    /// Its id, as text.
    #[schema(value_type = String)]
    pub id: OperatorDeviceId,
    /// The operator's phone, masked.
    #[serde(rename = "mobilePhoneNumber")]
    pub phone: String,
    /// The operator's name.
    #[serde(rename = "operatorName")]
    pub operator_name: String,
    /// Its own code.
    pub device_code: String,
    /// What people call it.
    pub device_name: String,
    /// What it is.
    #[schema(value_type = DeviceKind)]
    pub device_type: i16,
    /// Where it was seen first.
    pub login_address: String,
    /// Epoch milliseconds.
    #[serde(rename = "requestedAt")]
    pub requested_at: i64,
    /// When it last became bound or was removed; epoch milliseconds.
    #[serde(rename = "updatedAt")]
    pub updated_at: i64,
    /// When somebody last signed in on it; epoch milliseconds, null: never.
    #[serde(rename = "lastLoginAt")]
    #[schema(required)]
    pub last_login_at: Option<i64>,
    /// 0 waiting, 1 bound, 2 removed.
    pub state: i16,
}

#[derive(sqlx::FromRow)]
struct Found {
    operator_device_id: OperatorDeviceId,
    phone: String,
    operator_name: String,
    code: String,
    name: String,
    kind: i16,
    address: String,
    requested_at_ms: i64,
    updated_at_ms: i64,
    last_sign_in_at_ms: Option<i64>,
    state: i16,
}

impl From<Found> for DeviceRow {
    fn from(found: Found) -> Self {
        Self {
            id: found.operator_device_id,
            phone: found.phone.parse::<Phone>().map_or_else(|_| "--".to_owned(), |phone| phone.masked()),
            operator_name: found.operator_name,
            device_code: found.code,
            device_name: found.name,
            device_type: found.kind,
            login_address: found.address,
            requested_at: found.requested_at_ms,
            updated_at: found.updated_at_ms,
            last_login_at: found.last_sign_in_at_ms,
            state: found.state,
        }
    }
}

/// Devices of one operator, or of all whose reach lies within `scope`, and one's own; newest first, at most 200.
pub async fn list(
    db: &mut PgConnection,
    phone: Option<&Phone>,
    scope: &Scope,
    own: OperatorId,
) -> sqlx::Result<Vec<DeviceRow>> {
    let (all_agents, agents) = ids(&scope.agents, |agent| agent.0);
    let (all_areas, areas) = ids(&scope.areas, |area| area.0);
    let found: Vec<Found> = sqlx::query_as(
        "select d.operator_device_id, o.phone, o.name as operator_name, d.code, d.name, d.kind, d.address,
                d.requested_at_ms, d.updated_at_ms, d.last_sign_in_at_ms, d.state
         from read.operator_device d join read.operator o on o.operator_id = d.operator_id
         where ($1::text is null or o.phone = $1)
           and (o.operator_id = $3
                or (($4 or (not o.all_agents and o.agents <@ $5)) and ($6 or (not o.all_areas and o.areas <@ $7))))
         order by d.requested_at_ms desc, d.operator_device_id desc limit $2",
    )
    .bind(phone.map(Phone::as_str))
    .bind(LIST_MAX)
    .bind(own)
    .bind(all_agents)
    .bind(agents)
    .bind(all_areas)
    .bind(areas)
    .fetch_all(db)
    .await?;
    Ok(found.into_iter().map(DeviceRow::from).collect())
}

/// Whose device this is; nothing when it is not in scope.
pub async fn owner(db: &mut PgConnection, device: OperatorDeviceId) -> sqlx::Result<Option<OperatorId>> {
    sqlx::query_scalar(
        "select d.operator_id from read.operator_device d join read.operator o on o.operator_id = d.operator_id
         where d.operator_device_id = $1",
    )
    .bind(device)
    .fetch_optional(db)
    .await
}
