//! Table `agent_role`.

use kernel::projector::ApplyError;
use kernel::{Fold, List, Recorded};
use serde::{Deserialize, Serialize};
use sqlx::PgConnection;
use utoipa::ToSchema;
use vocabulary::{AgentRoleId, DataOwner};

use crate::model::agent_role::{AgentRole, AgentRoleEvent};

/// A row of it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Row {
    role_id: i64,
    name: String,
    remark: String,
    codes: Vec<String>,
    created_at_ms: i64,
    updated_at_ms: i64,
    version: i64,
    position: i64,
}

impl Fold for Row {
    type Of = AgentRole;
    const TABLE: &'static str = "agent_role";
    const KEY: &'static str = "role_id";

    fn fold(
        row: Option<Self>,
        event: AgentRoleEvent,
        recorded: &Recorded,
    ) -> Result<Option<Self>, ApplyError> {
        let at_ms = recorded.recorded_at.millis();
        Ok(match event {
            AgentRoleEvent::Created { form, .. } | AgentRoleEvent::Changed(form) => Some(Self {
                role_id: recorded.stream_id.parse()?,
                name: form.name,
                remark: form.remark,
                codes: form.codes.into_iter().map(String::from).collect(),
                created_at_ms: row.map_or(at_ms, |row| row.created_at_ms),
                updated_at_ms: at_ms,
                version: recorded.version,
                position: recorded.position.0,
            }),
            AgentRoleEvent::Deleted => None,
        })
    }

    fn owner(&self) -> DataOwner {
        DataOwner::PLATFORM
    }
}

/// A role template as pages show it.
#[derive(Clone, Debug, Serialize, ToSchema, sqlx::FromRow)]
#[serde(rename_all = "camelCase")]
pub struct AgentRoleRow {
    /// Its id, as text.
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

/// Templates, newest first.
pub fn list() -> List {
    List::new(
        "r.role_id, r.name, r.remark, r.codes, r.updated_at_ms, r.version,
         (select count(*) from read.agent a where a.role_id = r.role_id) as agent_count",
        "read.agent_role r",
        "r.created_at_ms desc, r.role_id desc",
    )
}

/// One template; nothing when it is not in scope.
pub async fn one(db: &mut PgConnection, role: AgentRoleId) -> sqlx::Result<Option<AgentRoleRow>> {
    Ok(list().is("r.role_id", Some(role.0)).rows(db, 1).await?.pop())
}
