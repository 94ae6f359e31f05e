//! Table `agent_role`.

use kernel::{After, Fold, List, Recorded, row};
use serde::Serialize;
use utoipa::ToSchema;
use vocabulary::{AgentRoleId, DataOwner};

use crate::model::agent_role::{AgentRole, AgentRoleEvent};

row! {
    /// A role template as pages show it.
    #[derive(Clone, Debug, Serialize, ToSchema, sqlx::FromRow)]
    #[serde(rename_all = "camelCase")]
    pub struct AgentRoleRow {
        /// Its id, as text.
        pub id: AgentRoleId = "role_id",
        /// 模板名称.
        pub name: String,
        /// 备注.
        pub remark: String,
        /// What agents' people may hold at most, with the groups above.
        pub codes: Vec<String>,
        /// Agents that it applies to.
        pub agent_count: i64 as default,
        /// Epoch milliseconds.
        pub updated_at: i64 = "updated_at_ms",
        /// To be sent with a change.
        pub version: i64,
        #[serde(skip)]
        created_at_ms: i64,
        #[serde(skip)]
        position: i64,
    }
}

impl Fold for AgentRoleRow {
    type Of = AgentRole;
    const TABLE: &'static str = "agent_role";
    const KEY: &'static str = "role_id";

    fn fold(row: Option<Self>, event: AgentRoleEvent, recorded: &Recorded) -> After<Self> {
        let at_ms = recorded.recorded_at.millis();
        Ok(match event {
            AgentRoleEvent::Created { form, .. } | AgentRoleEvent::Changed(form) => Some(Self {
                id: recorded.stream_id.parse()?,
                name: form.name,
                remark: form.remark,
                codes: form.codes.into_iter().map(String::from).collect(),
                agent_count: 0,
                created_at_ms: row.map_or(at_ms, |row| row.created_at_ms),
                updated_at: at_ms,
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

/// Templates, newest first.
pub fn list() -> List {
    List::new(
        "r.*, (select count(*) from read.agent a where a.role_id = r.role_id) as agent_count",
        "read.agent_role r",
        "r.created_at_ms desc, r.role_id desc",
    )
}
