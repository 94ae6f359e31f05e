//! Table `role`.

use std::collections::BTreeSet;

use kernel::{After, Fold, List, Recorded};
use serde::{Deserialize, Serialize};
use sqlx::postgres::PgRow;
use sqlx::types::Json;
use sqlx::{FromRow, PgConnection};
use utoipa::ToSchema;
use vocabulary::{
    AgentId, CarRange, CarView, Cars, DataOwner, OperatorId, PermissionCode, RoleId, Scope, VoltageSchemeId,
};

use super::actor;
use crate::model::level::Level;
use crate::model::role::{Role, RoleEvent};
use crate::permissions;

/// A row of it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Row {
    role_id: i64,
    agent_id: Option<i64>,
    name: String,
    tier: i16,
    remark: String,
    codes: Vec<String>,
    view_config: CarView,
    system: bool,
    enabled: bool,
    holders: BTreeSet<i64>,
    user_count: usize,
    created_at_ms: i64,
    updated_at_ms: i64,
    updated_by: Option<i64>,
    revision: i64,
    position: i64,
}

impl Fold for Row {
    type Of = Role;
    const TABLE: &'static str = "role";
    const KEY: &'static str = "role_id";

    fn fold(row: Option<Self>, event: RoleEvent, recorded: &Recorded) -> After<Self> {
        let at_ms = recorded.recorded_at.millis();
        if let RoleEvent::Created { agent, name, tier, remark, codes, view, enabled, system } = event {
            return Ok(Some(Self {
                role_id: recorded.stream_id.parse()?,
                agent_id: agent.map(|agent| agent.0),
                name,
                tier: u8::from(tier).into(),
                remark,
                codes: codes.into_iter().map(String::from).collect(),
                view_config: view,
                system,
                enabled,
                holders: BTreeSet::new(),
                user_count: 0,
                created_at_ms: at_ms,
                updated_at_ms: at_ms,
                updated_by: actor(&recorded.meta),
                revision: 1,
                position: recorded.position.0,
            }));
        }
        let mut row = row.ok_or("a role changed before it was created")?;
        row.position = recorded.position.0;
        match event {
            RoleEvent::Granted { operator } => {
                row.holders.insert(operator.0);
                row.user_count = row.holders.len();
                return Ok(Some(row));
            }
            RoleEvent::Withdrawn { operator } => {
                row.holders.remove(&operator.0);
                row.user_count = row.holders.len();
                return Ok(Some(row));
            }
            RoleEvent::Renamed { name } => row.name = name,
            RoleEvent::Changed { tier, remark, codes, view } => {
                row.view_config = view;
                row.tier = u8::from(tier).into();
                row.remark = remark;
                row.codes = codes.into_iter().map(String::from).collect();
            }
            RoleEvent::Enabled => row.enabled = true,
            RoleEvent::Disabled => row.enabled = false,
            RoleEvent::Deleted => return Ok(None),
            RoleEvent::Created { .. } => {}
        }
        row.revision += 1;
        row.updated_at_ms = at_ms;
        row.updated_by = actor(&recorded.meta);
        Ok(Some(row))
    }

    fn owner(&self) -> DataOwner {
        DataOwner { agent: self.agent_id.map(AgentId), area: None }
    }
}

/// Which bikes the holders of a role see (可见车辆): every one, unless it says otherwise.
#[derive(Clone, Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub struct ViewConfig {
    /// Numbers of bikes, at most 20 ranges; none: every number.
    pub car_ranges: Vec<NumberRange>,
    /// Riding states (1 待使用, 2 骑行中, 3 临停, 4 预约中, 5 运维中) in which a bike is shown live; none: all.
    pub riding_states: BTreeSet<u8>,
    /// Voltage schemes (at most 20) of which a bike has one where it is shown live; none: all, and bikes without one.
    #[schema(value_type = Vec<String>)]
    pub voltage_scheme_ids: BTreeSet<VoltageSchemeId>,
}

/// Numbers between two of the same length, compared character by character, both included.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NumberRange {
    /// The first.
    pub from: String,
    /// The last.
    pub to: String,
}

impl From<CarView> for ViewConfig {
    fn from(view: CarView) -> Self {
        let range = |CarRange { from, to }| NumberRange { from, to };
        Self {
            car_ranges: view.ranges.into_iter().map(range).collect(),
            riding_states: view.riding_states,
            voltage_scheme_ids: view.voltage_schemes,
        }
    }
}

impl From<ViewConfig> for CarView {
    fn from(view: ViewConfig) -> Self {
        let range = |NumberRange { from, to }| CarRange { from, to };
        Self {
            ranges: view.car_ranges.into_iter().map(range).collect(),
            riding_states: view.riding_states,
            voltage_schemes: view.voltage_scheme_ids,
        }
    }
}

/// A role as lists and its page show it.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RoleRow {
    /// Its id, as text.
    #[schema(value_type = String)]
    pub id: RoleId,
    /// The agent it belongs to; null: the platform's.
    #[schema(value_type = Option<String>, required)]
    pub agent_id: Option<AgentId>,
    /// Its name.
    pub name: String,
    /// 1 管理员, 2 运营, 4 运维, 8 生产.
    pub tier: i16,
    /// What it is for.
    pub remark: String,
    /// 0 disabled, 1 enabled.
    pub state: i16,
    /// What it permits.
    pub codes: Vec<String>,
    /// Which bikes its holders see.
    pub view_config: ViewConfig,
    /// Whether it is the system role, which nobody edits.
    pub system: bool,
    /// Operators who hold it.
    pub user_count: i32,
    /// Epoch milliseconds.
    pub updated_at: i64,
    /// Name of the operator who changed it last; null: the system, or nobody the caller may see.
    #[schema(required)]
    pub updated_by: Option<String>,
    /// To be sent with a change.
    pub version: i64,
}

#[derive(sqlx::FromRow)]
struct Found {
    role_id: RoleId,
    agent_id: Option<AgentId>,
    name: String,
    tier: i16,
    remark: String,
    enabled: bool,
    codes: Vec<String>,
    view_config: Json<CarView>,
    system: bool,
    user_count: i32,
    updated_at_ms: i64,
    updated_by_name: Option<String>,
    revision: i64,
    position: i64,
}

impl From<Found> for RoleRow {
    fn from(found: Found) -> Self {
        let codes = if found.system {
            permissions::every_code().into_iter().map(String::from).collect()
        } else {
            found.codes
        };
        Self {
            id: found.role_id,
            agent_id: found.agent_id,
            name: found.name,
            tier: found.tier,
            remark: found.remark,
            state: found.enabled.into(),
            codes,
            view_config: found.view_config.0.into(),
            system: found.system,
            user_count: found.user_count,
            updated_at: found.updated_at_ms,
            updated_by: found.updated_by_name,
            version: found.revision,
        }
    }
}

impl FromRow<'_, PgRow> for RoleRow {
    fn from_row(row: &PgRow) -> sqlx::Result<Self> {
        Found::from_row(row).map(Self::from)
    }
}

/// Roles in scope, newest first.
pub fn list(scope: &Scope) -> List {
    List::new(
        "r.role_id, r.agent_id, r.name, r.tier, r.remark, r.enabled, r.codes, r.view_config, r.system, r.user_count, r.updated_at_ms,
         r.revision, r.position, o.name as updated_by_name",
        "read.role r left join read.operator o on o.operator_id = r.updated_by",
        "r.created_at_ms desc, r.role_id desc",
    )
    .of_agents("r.agent_id", scope)
}

/// A role in a picker.
#[derive(Clone, Debug, Serialize, ToSchema, sqlx::FromRow)]
pub struct RoleOption {
    /// Its id, as text.
    #[schema(value_type = String)]
    pub id: RoleId,
    /// Its name.
    pub name: String,
}

/// Enabled roles by name; at most 1,000.
pub async fn options(db: &mut PgConnection) -> sqlx::Result<Vec<RoleOption>> {
    sqlx::query_as(
        "select role_id as id, name from read.role where enabled order by name, role_id limit 1000",
    )
    .fetch_all(db)
    .await
}

/// A role that an operator holds.
#[derive(Clone, Debug)]
pub struct HeldRole {
    /// Its id.
    pub id: RoleId,
    /// Its name.
    pub name: String,
    /// Whether its codes work.
    pub enabled: bool,
    /// What it permits.
    pub codes: Vec<String>,
    /// Which bikes its holders see.
    pub view: CarView,
    /// Whether it is the system role.
    pub system: bool,
    /// The log's position of its last event.
    pub position: i64,
}

impl HeldRole {
    /// The codes that an operator of these tiers has by it now: none while it is disabled, and none that his tiers
    /// may not hold, however the role or his tiers changed since it was given to him.
    pub fn working_codes(&self, level: Level) -> impl Iterator<Item = PermissionCode> {
        let working = self.enabled.then(|| self.codes.iter()).into_iter().flatten();
        working
            .filter_map(|code| PermissionCode::try_from(code.clone()).ok())
            .filter(move |code| self.system || permissions::not_for(level, [code]).is_none())
    }
}

/// The bikes that these show: together what any of them shows; without one that works, none.
pub fn cars(held: &[HeldRole]) -> Cars {
    held.iter().filter(|role| role.enabled).fold(Cars::NONE, |cars, role| cars.and(&role.view))
}

/// The roles that an operator holds, disabled ones included; by name.
pub async fn of_operator(db: &mut PgConnection, operator: OperatorId) -> sqlx::Result<Vec<HeldRole>> {
    let found: Vec<Found> = sqlx::query_as(
        "select role_id, agent_id, name, tier, remark, enabled, codes, view_config, system, user_count, updated_at_ms,
                null as updated_by_name, revision, position
         from read.role where holders @> array[$1::bigint] order by name, role_id",
    )
    .bind(operator)
    .fetch_all(db)
    .await?;
    let held = |found: Found| {
        let (position, enabled) = (found.position, found.enabled);
        let view = found.view_config.0.clone();
        let RoleRow { id, name, codes, system, .. } = found.into();
        HeldRole { id, name, enabled, codes, view, system, position }
    };
    Ok(found.into_iter().map(held).collect())
}
