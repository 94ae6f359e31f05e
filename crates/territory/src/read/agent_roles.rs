//! Table `agent_role`.

use std::collections::BTreeMap;

use async_trait::async_trait;
use kernel::projector::ApplyError;
use kernel::{Aggregate, Change, Projector, Recorded, rows};
use serde::{Deserialize, Serialize};
use sqlx::PgConnection;
use utoipa::ToSchema;
use vocabulary::{AgentRoleId, COUNT_CAP, DataOwner, Page, Rows};

use super::containing;
use crate::model::agent_role::{AgentRole, AgentRoleEvent};

/// Builds table `agent_role`.
pub struct AgentRoleProjector;

/// A row of it.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Row {
    role_id: i64,
    name: String,
    remark: String,
    codes: Vec<String>,
    created_at_ms: i64,
    updated_at_ms: i64,
    version: i64,
    position: i64,
}

fn change(role_id: &str) -> Change {
    Change { table: "agent_role", key: role_id.to_owned(), owner: DataOwner::PLATFORM }
}

#[async_trait]
impl Projector for AgentRoleProjector {
    fn name(&self) -> &'static str {
        "agent_role"
    }

    fn tables(&self) -> &'static [&'static str] {
        &["agent_role"]
    }

    fn categories(&self) -> &'static [&'static str] {
        &[AgentRole::CATEGORY]
    }

    async fn apply(&self, db: &mut PgConnection, events: &[Recorded]) -> Result<Vec<Change>, ApplyError> {
        let keys: Vec<String> = events.iter().map(|event| event.stream_id.clone()).collect();
        let known: Vec<Row> = rows::load(db, "agent_role", "role_id", "bigint", &keys).await?;
        let mut rows: BTreeMap<i64, Row> = known.into_iter().map(|row| (row.role_id, row)).collect();
        let mut gone = Vec::new();
        for recorded in events {
            let role_id: i64 = recorded.stream_id.parse()?;
            let at = recorded.recorded_at.millis();
            let form = match recorded.decode::<AgentRoleEvent>()? {
                AgentRoleEvent::Created { form, .. } | AgentRoleEvent::Changed(form) => form,
                AgentRoleEvent::Deleted => {
                    rows.remove(&role_id);
                    gone.push(recorded.stream_id.clone());
                    continue;
                }
            };
            let created_at_ms = rows.get(&role_id).map_or(at, |row| row.created_at_ms);
            let row = Row {
                role_id,
                name: form.name,
                remark: form.remark,
                codes: form.codes.into_iter().map(String::from).collect(),
                created_at_ms,
                updated_at_ms: at,
                version: recorded.version,
                position: recorded.position.0,
            };
            rows.insert(role_id, row);
        }
        let rows: Vec<Row> = rows.into_values().collect();
        rows::delete(db, "agent_role", "role_id", "bigint", &gone).await?;
        rows::upsert(db, "agent_role", "role_id", &rows).await?;
        let mut changed: Vec<&str> = keys.iter().map(String::as_str).collect();
        changed.sort_unstable();
        changed.dedup();
        Ok(changed.into_iter().map(change).collect())
    }
}

/// A role template as pages show it.
#[derive(Clone, Debug, Serialize, ToSchema, sqlx::FromRow)]
#[serde(rename_all = "camelCase")]
pub struct AgentRoleRow {
    /// Its id, as text.
    #[schema(value_type = String)]
    #[sqlx(rename = "role_id")]
    pub id: AgentRoleId,
    /// 模板名称.
    pub name: String,
    /// 备注.
    pub remark: String,
    /// What agents' people may hold at most, with the groups above.
    pub codes: Vec<String>,
    /// Agents that it applies to.
    pub agent_count: i64,
    /// Epoch milliseconds.
    #[sqlx(rename = "updated_at_ms")]
    pub updated_at: i64,
    /// To be sent with a change.
    pub version: i64,
}

const COLUMNS: &str = "r.role_id, r.name, r.remark, r.codes, r.updated_at_ms, r.version,
    (select count(*) from read.agent a where a.role_id = r.role_id) as agent_count";

/// Templates whose name or remark holds `keyword`, newest first.
pub async fn page(
    db: &mut PgConnection,
    keyword: Option<&str>,
    page: Page,
) -> sqlx::Result<Rows<AgentRoleRow>> {
    let pattern = keyword.map(containing);
    let list = format!(
        "select {COLUMNS} from read.agent_role r where $1::text is null or r.name like $1 or r.remark like $1
         order by r.created_at_ms desc, r.role_id desc limit $2 offset $3"
    );
    let found = sqlx::query_as(sqlx::AssertSqlSafe(list))
        .bind(&pattern)
        .bind(page.limit())
        .bind(page.offset())
        .fetch_all(&mut *db)
        .await?;
    let counted = sqlx::query_scalar(
        "select count(*) from (
           select from read.agent_role r where $1::text is null or r.name like $1 or r.remark like $1
           limit $2) matching",
    )
    .bind(&pattern)
    .bind(COUNT_CAP + 1)
    .fetch_one(db)
    .await?;
    Ok(Rows::new(found, counted))
}

/// One template; nothing when it is not in scope.
pub async fn one(db: &mut PgConnection, role: AgentRoleId) -> sqlx::Result<Option<AgentRoleRow>> {
    let query = format!("select {COLUMNS} from read.agent_role r where r.role_id = $1");
    sqlx::query_as(sqlx::AssertSqlSafe(query)).bind(role).fetch_optional(db).await
}
