//! Table `operator`.

use std::collections::{BTreeMap, BTreeSet};

use kernel::{After, Fold, List, Personal, Recorded};
use serde::{Deserialize, Serialize};
use sqlx::postgres::PgRow;
use sqlx::{FromRow, PgConnection};
use utoipa::ToSchema;
use vocabulary::{AgentId, AreaId, DataOwner, OperatorId, Phone, Reach, RoleId, Scope};

use super::actor;
use crate::model::authority::People;
use crate::model::level::Level;
use crate::model::operator::{Operator, OperatorEvent, owner_of};
use crate::model::profession::Profession;

/// Shown for a person who was forgotten.
const FORGOTTEN: &str = "已注销";

/// A row of it.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Row {
    operator_id: i64,
    agent_id: Option<i64>,
    phone: String,
    name: String,
    level: i64,
    profession: Option<i16>,
    all_agents: bool,
    agents: Vec<i64>,
    all_areas: bool,
    areas: Vec<i64>,
    enabled: bool,
    created_at_ms: i64,
    updated_at_ms: i64,
    updated_by: Option<i64>,
    last_sign_in_at_ms: Option<i64>,
    cs_tool_registered: bool,
    revision: i64,
    position: i64,
}

impl Row {
    fn set_name(&mut self, name: &Personal<String>) {
        self.name = name.known().cloned().unwrap_or_else(|| FORGOTTEN.to_owned());
    }

    fn set_reach(&mut self, reach: &Scope) {
        self.agent_id = owner_of(reach).agent.map(|agent| agent.0);
        (self.all_agents, self.agents) = ids(&reach.agents, |agent| agent.0);
        (self.all_areas, self.areas) = ids(&reach.areas, |area| area.0);
    }
}

/// Whether it is all, and otherwise which.
pub(super) fn ids<T: Ord + Copy>(reach: &Reach<T>, number: impl Fn(T) -> i64) -> (bool, Vec<i64>) {
    match reach {
        Reach::All => (true, Vec::new()),
        Reach::Only(items) => (false, items.iter().copied().map(number).collect()),
    }
}

impl Fold for Row {
    type Of = Operator;
    const TABLE: &'static str = "operator";
    const KEY: &'static str = "operator_id";
    const VERSION: i32 = 3;

    fn fold(row: Option<Self>, event: OperatorEvent, recorded: &Recorded) -> After<Self> {
        let mut row = match (&event, row) {
            (OperatorEvent::Registered { .. }, _) => Self {
                operator_id: recorded.stream_id.parse()?,
                created_at_ms: recorded.recorded_at.millis(),
                ..Self::default()
            },
            (_, row) => row.ok_or("an operator changed before he was registered")?,
        };
        match event {
            OperatorEvent::Registered { phone, name, level, reach, enabled, profession, .. } => {
                row.operator_id = recorded.stream_id.parse()?;
                row.created_at_ms = recorded.recorded_at.millis();
                row.phone = phone.into();
                row.set_name(&name);
                row.level = level.into();
                row.set_reach(&reach);
                row.enabled = enabled;
                row.profession = profession.map(i16::from);
            }
            OperatorEvent::Renamed { name } => row.set_name(&name),
            OperatorEvent::Changed { level, reach } => {
                row.level = level.into();
                row.set_reach(&reach);
            }
            OperatorEvent::ProfessionChanged { profession } => row.profession = profession.map(i16::from),
            OperatorEvent::Enabled => row.enabled = true,
            OperatorEvent::Disabled => row.enabled = false,
            OperatorEvent::SignedIn { at, .. } => {
                row.last_sign_in_at_ms = Some(at.millis());
                return Ok(Some(row));
            }
            OperatorEvent::CsToolRegistered => {
                row.cs_tool_registered = true;
                return Ok(Some(row));
            }
            OperatorEvent::Deleted => return Ok(None),
        }
        row.revision += 1;
        row.updated_at_ms = recorded.recorded_at.millis();
        row.updated_by = actor(&recorded.meta);
        row.position = recorded.position.0;
        Ok(Some(row))
    }

    fn owner(&self) -> DataOwner {
        DataOwner { agent: self.agent_id.map(AgentId), area: None }
    }
}

/// An account as the system itself looks at it.
#[derive(Clone, Debug)]
pub struct Account {
    /// Its id.
    pub id: OperatorId,
    /// What he signs in with.
    pub phone: Phone,
    /// His name.
    pub name: String,
    /// His tiers.
    pub level: Level,
    /// What he may see.
    pub reach: Scope,
    /// Whether he may sign in.
    pub enabled: bool,
    /// The log's position of the last event that is not a sign-in.
    pub position: i64,
    /// When he signed in last, epoch milliseconds.
    pub last_sign_in_at_ms: Option<i64>,
}

#[derive(sqlx::FromRow)]
struct Found {
    operator_id: OperatorId,
    phone: String,
    name: String,
    level: i16,
    profession: Option<i16>,
    all_agents: bool,
    agents: Vec<i64>,
    all_areas: bool,
    areas: Vec<i64>,
    enabled: bool,
    created_at_ms: i64,
    last_sign_in_at_ms: Option<i64>,
    cs_tool_registered: bool,
    revision: i64,
    position: i64,
}

fn broken(error: impl std::error::Error + Send + Sync + 'static) -> sqlx::Error {
    sqlx::Error::Decode(Box::new(error))
}

impl Found {
    fn account(self) -> sqlx::Result<Account> {
        let agents =
            if self.all_agents { Reach::All } else { Reach::only(self.agents.into_iter().map(AgentId)) };
        let areas = if self.all_areas { Reach::All } else { Reach::only(self.areas.into_iter().map(AreaId)) };
        Ok(Account {
            id: self.operator_id,
            phone: self.phone.parse().map_err(broken)?,
            name: self.name,
            level: Level::try_from(i64::from(self.level)).map_err(broken)?,
            reach: Scope::of(agents, areas),
            enabled: self.enabled,
            position: self.position,
            last_sign_in_at_ms: self.last_sign_in_at_ms,
        })
    }
}

/// The account with this id; nothing when it is not in scope.
pub async fn by_id(db: &mut PgConnection, operator: OperatorId) -> sqlx::Result<Option<Account>> {
    let found: Option<Found> = sqlx::query_as("select * from read.operator where operator_id = $1")
        .bind(operator)
        .fetch_optional(db)
        .await?;
    found.map(Found::account).transpose()
}

/// The account with this phone; nothing when it is not in scope.
pub async fn by_phone(db: &mut PgConnection, phone: &Phone) -> sqlx::Result<Option<Account>> {
    let found: Option<Found> = sqlx::query_as("select * from read.operator where phone = $1")
        .bind(phone.as_str())
        .fetch_optional(db)
        .await?;
    found.map(Found::account).transpose()
}

/// These people taken together; who has no account any more is not among them.
pub async fn together(db: &mut PgConnection, operators: &BTreeSet<OperatorId>) -> sqlx::Result<People> {
    let ids: Vec<i64> = operators.iter().map(|operator| operator.0).collect();
    let found: Vec<Found> = sqlx::query_as("select * from read.operator where operator_id = any($1)")
        .bind(&ids)
        .fetch_all(db)
        .await?;
    found.into_iter().try_fold(People::NOBODY, |people, found| {
        let account = found.account()?;
        Ok(people.and(account.id, &account.reach, account.level))
    })
}

/// An operator as the table of people shows him. The phone is whole: it is what the calls on him are named by, and
/// only holders of 1002 see this list.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OperatorRow {
    /// Internal account id, as text.
    #[schema(value_type = String)]
    pub object_id: OperatorId,
    /// What he signs in with, and his key in calls.
    pub phone: String,
    /// His name.
    pub name: String,
    /// Bit-or of tiers 1, 2, 4 and 8.
    pub level: i16,
    /// Their Chinese names.
    pub level_names: Vec<&'static str>,
    /// 工种; null: none.
    #[schema(required, value_type = Option<Profession>)]
    pub profession: Option<i16>,
    /// Roles that he holds, as text.
    #[schema(value_type = Vec<String>)]
    pub role_ids: Vec<RoleId>,
    /// Their names.
    pub role_names: Vec<String>,
    /// Agents that he may see, as text; empty: all.
    pub agent_ids: Vec<String>,
    /// Areas that he may see, as text; empty: all.
    pub op_area_ids: Vec<String>,
    /// Whether he may see everything.
    pub is_root: bool,
    /// 0 disabled, 1 enabled.
    pub state: i16,
    /// Epoch milliseconds.
    pub created_at: i64,
    /// Epoch milliseconds; null: never.
    #[schema(required)]
    pub last_login_at: Option<i64>,
    /// Whether the customer-service tool may know him.
    pub cs_tool_registered: bool,
    /// To be sent with a change.
    pub version: i64,
}

/// What narrows the table of people.
#[derive(Clone, Debug, Default)]
pub struct OperatorFilter {
    /// Part of name or phone.
    pub keyword: Option<String>,
    /// Only enabled, or only disabled.
    pub state: Option<bool>,
    /// Only those with at least one of these tiers.
    pub level: Option<i16>,
    /// Only holders of this role.
    pub role: Option<RoleId>,
    /// Only those whose reach names this agent.
    pub agent: Option<AgentId>,
    /// Only those whose reach names this area.
    pub area: Option<AreaId>,
    /// Only those of this profession.
    pub profession: Option<i16>,
}

impl OperatorFilter {
    /// Operators in scope that it leaves, newest first.
    pub fn list(&self, scope: &Scope) -> List {
        let mut list = List::new("o.*", "read.operator o", "o.created_at_ms desc, o.operator_id desc")
            .of_agents("o.agent_id", scope)
            .contains(&["o.name", "o.phone"], self.keyword.as_deref())
            .is("o.enabled", self.state)
            .with_area("o.areas", scope, self.area)
            .is("o.profession", self.profession);
        if let Some(level) = self.level {
            list = list.matching(&["(o.level & ", ") <> 0"], vec![level.into()]);
        }
        if let Some(role) = self.role {
            let holders = "o.operator_id in (select unnest(r.holders) from read.role r where r.role_id = ";
            list = list.matching(&[holders, ")"], vec![role.0.into()]);
        }
        if let Some(agent) = self.agent {
            list = list.matching(&["", " = any(o.agents)"], vec![agent.0.into()]);
        }
        list
    }
}

/// One operator; nothing when he is not in scope.
pub async fn one(db: &mut PgConnection, phone: &Phone) -> sqlx::Result<Option<OperatorRow>> {
    let found: Vec<OperatorRow> = sqlx::query_as("select * from read.operator where phone = $1")
        .bind(phone.as_str())
        .fetch_all(&mut *db)
        .await?;
    Ok(with_roles(db, found).await?.pop())
}

/// With the roles that they hold.
pub async fn with_roles(
    db: &mut PgConnection,
    mut found: Vec<OperatorRow>,
) -> sqlx::Result<Vec<OperatorRow>> {
    let ids: Vec<i64> = found.iter().map(|row| row.object_id.0).collect();
    let held: Vec<(OperatorId, RoleId, String)> = sqlx::query_as(
        "select h.operator_id, r.role_id, r.name
         from read.role r cross join lateral unnest(r.holders) as h(operator_id)
         where r.holders && $1 and h.operator_id = any($1) order by r.name, r.role_id",
    )
    .bind(&ids)
    .fetch_all(db)
    .await?;
    let mut roles: BTreeMap<OperatorId, Vec<(RoleId, String)>> = BTreeMap::new();
    for (operator, role, name) in held {
        roles.entry(operator).or_default().push((role, name));
    }
    for row in &mut found {
        (row.role_ids, row.role_names) = roles.remove(&row.object_id).unwrap_or_default().into_iter().unzip();
    }
    Ok(found)
}

impl FromRow<'_, PgRow> for OperatorRow {
    fn from_row(row: &PgRow) -> sqlx::Result<Self> {
        let found = Found::from_row(row)?;
        let text = |ids: &[i64]| ids.iter().map(ToString::to_string).collect();
        let level = Level::try_from(i64::from(found.level)).map_err(broken)?;
        Ok(Self {
            object_id: found.operator_id,
            phone: found.phone,
            name: found.name,
            level: found.level,
            level_names: level.names(),
            profession: found.profession,
            role_ids: Vec::new(),
            role_names: Vec::new(),
            agent_ids: text(&found.agents),
            op_area_ids: text(&found.areas),
            is_root: found.all_agents && found.all_areas,
            state: found.enabled.into(),
            created_at: found.created_at_ms,
            last_login_at: found.last_sign_in_at_ms,
            cs_tool_registered: found.cs_tool_registered,
            version: found.revision,
        })
    }
}
