//! Table `agent`.

use chrono::NaiveDate;
use kernel::{After, Fold, List, Recorded, row};
use serde::{Serialize, Serializer};
use sqlx::PgExecutor;
use utoipa::ToSchema;
use vocabulary::{AgentId, AgentRoleId, AreaId, DataOwner, Phone, Scope};

use crate::model::agent::{Agent, AgentEvent, BillingWay, Profile};

row! {
    /// An agent's account as its management shows it.
    #[derive(Clone, Debug, Default, Serialize, ToSchema, sqlx::FromRow)]
    #[serde(rename_all = "camelCase")]
    pub struct AccountRow {
        /// Its id, as text.
        #[schema(value_type = String)]
        pub agent_id: AgentId,
        /// 公司名称.
        pub company: String,
        /// 联系人.
        pub contact: String = "contact_name",
        /// 登录手机号, its middle masked.
        #[serde(serialize_with = "told_masked")]
        pub phone: String,
        /// Under whom it stands, as text; null: under the platform.
        #[schema(value_type = Option<String>)]
        pub parent_id: Option<AgentId>,
        /// The parent's company; null when there is none that the caller may see.
        pub parent_company: Option<String> as default,
        /// 1 under the platform, 2 under one of level 1, and so on.
        pub level: i16,
        /// Its template, as text; null: no limit.
        #[schema(value_type = Option<String>)]
        pub role_id: Option<AgentRoleId>,
        /// The template's name; null when there is none that the caller may see.
        pub role_name: Option<String> as default,
        /// 收银模式.
        #[schema(value_type = BillingWay)]
        pub billing_way: i16,
        /// First day of the contract, `YYYY-MM-DD`.
        #[schema(value_type = Option<String>)]
        pub contract_begin: Option<NaiveDate>,
        /// Its last day.
        #[schema(value_type = Option<String>)]
        pub contract_end: Option<NaiveDate>,
        /// 车辆上限; null: no limit.
        pub vehicle_quota: Option<i32>,
        /// 备注.
        pub remark: String,
        /// 0 disabled, 1 enabled.
        pub state: i16,
        /// Service areas that it runs, closed ones not counted.
        pub area_count: i64 as skip,
        /// Their ids, as text.
        #[schema(value_type = Vec<String>)]
        pub service_area_ids: Vec<AreaId> as default,
        /// Agents that stand under it.
        pub child_count: i64 as default,
        /// Epoch milliseconds.
        pub created_at: i64 = "created_at_ms",
        /// Epoch milliseconds.
        pub updated_at: i64 = "updated_at_ms",
        /// To be sent with a change.
        pub version: i64,
        #[serde(skip)]
        position: i64,
    }
}

/// A phone as people see it; the table has it whole, to be found by.
pub fn masked(phone: &str) -> String {
    phone.parse::<Phone>().map(|phone| phone.masked()).unwrap_or_default()
}

fn told_masked<S: Serializer>(phone: &str, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(&masked(phone))
}

impl AccountRow {
    fn set_profile(&mut self, profile: Profile) {
        self.company = profile.company;
        self.contact = profile.contact_name;
        self.phone = profile.phone.into();
        self.billing_way = profile.billing_way.into();
        self.role_id = profile.terms.role;
        self.contract_begin = profile.terms.contract_begin;
        self.contract_end = profile.terms.contract_end;
        self.vehicle_quota = profile.terms.vehicle_quota;
        self.remark = profile.terms.remark;
    }
}

impl Fold for AccountRow {
    type Of = Agent;
    const TABLE: &'static str = "agent";
    const KEY: &'static str = "agent_id";
    const VERSION: i32 = 2;

    fn fold(row: Option<Self>, event: AgentEvent, recorded: &Recorded) -> After<Self> {
        let at_ms = recorded.recorded_at.millis();
        let mut row = recorded.begin(row)?;
        match event {
            AgentEvent::Registered(new) => {
                row.agent_id = new.agent_id;
                row.parent_id = new.parent;
                row.level = new.level;
                row.created_at = at_ms;
                row.set_profile(new.profile);
            }
            AgentEvent::Changed(profile) => row.set_profile(profile),
            AgentEvent::Enabled => row.state = 1,
            AgentEvent::Disabled => row.state = 0,
            AgentEvent::Deleted => return Ok(None),
        }
        row.updated_at = at_ms;
        row.version = recorded.version;
        row.position = recorded.position.0;
        Ok(Some(row))
    }

    fn owner(&self) -> DataOwner {
        DataOwner::of_agent(self.agent_id)
    }
}

/// Accounts in scope, newest first.
pub fn list(scope: &Scope) -> List {
    List::new(COLUMNS, "read.agent a", "a.created_at_ms desc, a.agent_id desc").of_agents("a.agent_id", scope)
}

const COLUMNS: &str = "
    a.*,
    (select p.company from read.agent p where p.agent_id = a.parent_id) as parent_company,
    (select r.name from read.agent_role r where r.role_id = a.role_id) as role_name,
    array(select s.area_id from read.area s where s.agent_id = a.agent_id and s.state <> 3
          order by s.name, s.area_id limit 1000) as service_area_ids,
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
