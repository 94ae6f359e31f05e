//! Table `agent`.

use chrono::NaiveDate;
use kernel::list::containing;
use kernel::projector::ApplyError;
use kernel::{Fold, List, Recorded};
use serde::{Deserialize, Serialize};
use sqlx::postgres::PgRow;
use sqlx::{FromRow, PgExecutor};
use utoipa::ToSchema;
use vocabulary::{AgentId, AgentRoleId, AreaId, DataOwner, Phone, Scope};

use crate::model::agent::{Agent, AgentEvent, BillingWay, Profile};

/// A row of it.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Row {
    agent_id: i64,
    parent_id: Option<i64>,
    level: i16,
    company: String,
    contact_name: String,
    phone: String,
    billing_way: i16,
    role_id: Option<i64>,
    contract_begin: Option<NaiveDate>,
    contract_end: Option<NaiveDate>,
    vehicle_quota: Option<i32>,
    remark: String,
    state: i16,
    created_at_ms: i64,
    updated_at_ms: i64,
    version: i64,
    position: i64,
}

impl Row {
    fn set_profile(&mut self, profile: Profile) {
        self.company = profile.company;
        self.contact_name = profile.contact_name;
        self.phone = profile.phone.into();
        self.billing_way = profile.billing_way.into();
        self.role_id = profile.terms.role.map(|role| role.0);
        self.contract_begin = profile.terms.contract_begin;
        self.contract_end = profile.terms.contract_end;
        self.vehicle_quota = profile.terms.vehicle_quota;
        self.remark = profile.terms.remark;
    }
}

impl Fold for Row {
    type Of = Agent;
    const TABLE: &'static str = "agent";
    const KEY: &'static str = "agent_id";
    const VERSION: i32 = 2;

    fn fold(row: Option<Self>, event: AgentEvent, recorded: &Recorded) -> Result<Option<Self>, ApplyError> {
        let at_ms = recorded.recorded_at.millis();
        let mut row = match (&event, row) {
            (AgentEvent::Registered(new), _) => Self {
                agent_id: recorded.stream_id.parse()?,
                parent_id: new.parent.map(|parent| parent.0),
                level: new.level,
                created_at_ms: at_ms,
                ..Self::default()
            },
            (_, row) => row.ok_or("an agent changed before it was registered")?,
        };
        match event {
            AgentEvent::Registered(new) => row.set_profile(new.profile),
            AgentEvent::Changed(profile) => row.set_profile(profile),
            AgentEvent::Enabled => row.state = 1,
            AgentEvent::Disabled => row.state = 0,
            AgentEvent::Deleted => return Ok(None),
        }
        row.updated_at_ms = at_ms;
        row.version = recorded.version;
        row.position = recorded.position.0;
        Ok(Some(row))
    }

    fn owner(&self) -> DataOwner {
        DataOwner::of_agent(AgentId(self.agent_id))
    }
}

/// An agent's account as its management shows it.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AccountRow {
    /// Its id, as text.
    #[schema(value_type = String)]
    pub agent_id: AgentId,
    /// 公司名称.
    pub company: String,
    /// 联系人.
    pub contact: String,
    /// 登录手机号, its middle masked.
    pub phone: String,
    /// Under whom it stands, as text; null: under the platform.
    #[schema(value_type = Option<String>)]
    pub parent_id: Option<AgentId>,
    /// The parent's company; null when there is none that the caller may see.
    pub parent_company: Option<String>,
    /// 1 under the platform, 2 under one of level 1, and so on.
    pub level: i16,
    /// Its template, as text; null: no limit.
    #[schema(value_type = Option<String>)]
    pub role_id: Option<AgentRoleId>,
    /// The template's name; null when there is none that the caller may see.
    pub role_name: Option<String>,
    /// 收银模式.
    #[schema(value_type = BillingWay)]
    pub billing_way: i16,
    /// First day of the contract, `YYYY-MM-DD`.
    pub contract_begin: Option<String>,
    /// Its last day.
    pub contract_end: Option<String>,
    /// 车辆上限; null: no limit.
    pub vehicle_quota: Option<i32>,
    /// 备注.
    pub remark: String,
    /// 0 disabled, 1 enabled.
    pub state: i16,
    /// Service areas that it runs, closed ones not counted.
    pub area_count: i64,
    /// Their ids, as text.
    #[schema(value_type = Vec<String>)]
    pub service_area_ids: Vec<AreaId>,
    /// Agents that stand under it.
    pub child_count: i64,
    /// Epoch milliseconds.
    pub created_at: i64,
    /// Epoch milliseconds.
    pub updated_at: i64,
    /// To be sent with a change.
    pub version: i64,
}

#[derive(sqlx::FromRow)]
struct Found {
    agent_id: AgentId,
    company: String,
    contact_name: String,
    phone: String,
    parent_id: Option<AgentId>,
    parent_company: Option<String>,
    level: i16,
    role_id: Option<AgentRoleId>,
    role_name: Option<String>,
    billing_way: i16,
    contract_begin: Option<NaiveDate>,
    contract_end: Option<NaiveDate>,
    vehicle_quota: Option<i32>,
    remark: String,
    state: i16,
    area_ids: Vec<i64>,
    child_count: i64,
    created_at_ms: i64,
    updated_at_ms: i64,
    version: i64,
}

impl From<Found> for AccountRow {
    fn from(found: Found) -> Self {
        Self {
            agent_id: found.agent_id,
            company: found.company,
            contact: found.contact_name,
            phone: found.phone.parse::<Phone>().map(|phone| phone.masked()).unwrap_or_default(),
            parent_id: found.parent_id,
            parent_company: found.parent_company,
            level: found.level,
            role_id: found.role_id,
            role_name: found.role_name,
            billing_way: found.billing_way,
            contract_begin: found.contract_begin.map(|day| day.to_string()),
            contract_end: found.contract_end.map(|day| day.to_string()),
            vehicle_quota: found.vehicle_quota,
            remark: found.remark,
            state: found.state,
            area_count: found.area_ids.len() as i64,
            service_area_ids: found.area_ids.into_iter().map(AreaId).collect(),
            child_count: found.child_count,
            created_at: found.created_at_ms,
            updated_at: found.updated_at_ms,
            version: found.version,
        }
    }
}

impl FromRow<'_, PgRow> for AccountRow {
    fn from_row(row: &PgRow) -> sqlx::Result<Self> {
        Found::from_row(row).map(Self::from)
    }
}

/// What narrows the table of accounts.
#[derive(Clone, Debug, Default)]
pub struct AccountFilter {
    /// Part of company or contact, or the whole phone.
    pub keyword: Option<String>,
    /// 0 disabled, 1 enabled.
    pub state: Option<i16>,
    /// Those under this one.
    pub parent: Option<AgentId>,
    /// Those with this template.
    pub role: Option<AgentRoleId>,
    /// Just this one.
    pub agent: Option<AgentId>,
}

impl AccountFilter {
    /// Accounts in scope that it leaves, newest first.
    pub fn list(&self, scope: &Scope) -> List {
        let list = List::new(COLUMNS, "read.agent a", "a.created_at_ms desc, a.agent_id desc")
            .of_agents("a.agent_id", scope)
            .is("a.state", self.state)
            .is("a.parent_id", self.parent.map(|parent| parent.0))
            .is("a.role_id", self.role.map(|role| role.0))
            .is("a.agent_id", self.agent.map(|agent| agent.0));
        let Some(keyword) = self.keyword.as_deref() else { return list };
        let part = containing(keyword);
        let values = vec![part.clone().into(), part.into(), keyword.into()];
        list.matching(&["(a.company like ", " or a.contact_name like ", " or a.phone = ", ")"], values)
    }
}

const COLUMNS: &str = "
    a.agent_id, a.company, a.contact_name, a.phone, a.parent_id, a.level, a.role_id, a.billing_way, a.contract_begin,
    a.contract_end, a.vehicle_quota, a.remark, a.state, a.created_at_ms, a.updated_at_ms, a.version,
    (select p.company from read.agent p where p.agent_id = a.parent_id) as parent_company,
    (select r.name from read.agent_role r where r.role_id = a.role_id) as role_name,
    array(select s.area_id from read.area s where s.agent_id = a.agent_id and s.state <> 3
          order by s.name, s.area_id limit 1000) as area_ids,
    (select count(*) from read.agent c where c.parent_id = a.agent_id) as child_count";

/// What hangs on an agent: those under it, and service areas that it runs, closed ones not counted.
pub async fn hanging_on(db: impl PgExecutor<'_>, agent: AgentId) -> sqlx::Result<(i64, i64)> {
    sqlx::query_as(
        "select (select count(*) from read.agent where parent_id = $1),
                (select count(*) from read.area where agent_id = $1 and state <> 3)",
    )
    .bind(agent)
    .fetch_one(db)
    .await
}

/// How an agent's people stand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Standing {
    /// Whether they may sign in.
    pub enabled: bool,
    /// What they may hold at most; none: no limit. A template that is gone permits nothing.
    pub codes: Option<Vec<String>>,
    /// The log's position of the last event of the agent or its template.
    pub position: i64,
}

/// How an agent's people stand; nothing when there is no such agent.
pub async fn standing(db: impl PgExecutor<'_>, agent: AgentId) -> sqlx::Result<Option<Standing>> {
    let found: Option<(bool, bool, Vec<String>, i64)> = sqlx::query_as(
        "select a.state = 1, a.role_id is not null, coalesce(r.codes, '{}'),
                greatest(a.position, coalesce(r.position, 0))
         from read.agent a left join read.agent_role r on r.role_id = a.role_id where a.agent_id = $1",
    )
    .bind(agent)
    .fetch_optional(db)
    .await?;
    let standing = |(enabled, limited, codes, position): (bool, bool, Vec<String>, i64)| Standing {
        enabled,
        codes: limited.then_some(codes),
        position,
    };
    Ok(found.map(standing))
}

/// The agents that a template applies to.
pub async fn under_template(db: impl PgExecutor<'_>, role: AgentRoleId) -> sqlx::Result<Vec<AgentId>> {
    sqlx::query_scalar("select agent_id from read.agent where role_id = $1 order by agent_id")
        .bind(role)
        .fetch_all(db)
        .await
}

/// An agent as the header's selector lists it.
#[derive(Clone, Debug, Serialize, ToSchema, sqlx::FromRow)]
#[serde(rename_all = "camelCase")]
pub struct AgentOption {
    /// Its id, as text.
    #[schema(value_type = String)]
    pub agent_id: AgentId,
    /// 公司名称.
    pub company: String,
}

/// Enabled agents in scope, by name; at most 1,000.
pub async fn options(db: impl PgExecutor<'_>) -> sqlx::Result<Vec<AgentOption>> {
    sqlx::query_as(
        "select agent_id, company from read.agent where state = 1 order by company, agent_id limit 1000",
    )
    .fetch_all(db)
    .await
}

/// How an agent's money is taken; nothing when it is not in scope.
pub async fn billing_way(db: impl PgExecutor<'_>, agent: AgentId) -> sqlx::Result<Option<i16>> {
    sqlx::query_scalar("select billing_way from read.agent where agent_id = $1")
        .bind(agent)
        .fetch_optional(db)
        .await
}
