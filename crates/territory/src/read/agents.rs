//! Table `agent`.

use std::collections::BTreeMap;

use async_trait::async_trait;
use kernel::projector::ApplyError;
use kernel::{Aggregate, Change, Projector, Recorded, rows};
use serde::{Deserialize, Serialize};
use sqlx::{PgConnection, PgExecutor};
use utoipa::ToSchema;
use vocabulary::{AgentId, Territory};

use crate::model::agent::{Agent, AgentEvent};

/// Builds table `agent`.
pub struct AgentProjector;

/// A row of it.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Row {
    agent_id: i64,
    company: String,
    contact_name: String,
    phone: String,
    billing_way: i16,
    state: i16,
    created_at_ms: i64,
    updated_at_ms: i64,
    version: i64,
}

#[async_trait]
impl Projector for AgentProjector {
    fn name(&self) -> &'static str {
        "agent"
    }

    fn tables(&self) -> &'static [&'static str] {
        &["agent"]
    }

    fn categories(&self) -> &'static [&'static str] {
        &[Agent::CATEGORY]
    }

    async fn apply(&self, db: &mut PgConnection, events: &[Recorded]) -> Result<Vec<Change>, ApplyError> {
        let keys: Vec<String> = events.iter().map(|event| event.stream_id.clone()).collect();
        let known: Vec<Row> = rows::load(db, "agent", "agent_id", "bigint", &keys).await?;
        let mut rows: BTreeMap<i64, Row> = known.into_iter().map(|row| (row.agent_id, row)).collect();
        for recorded in events {
            let at = recorded.recorded_at.millis();
            let agent_id: i64 = recorded.stream_id.parse()?;
            match recorded.decode::<AgentEvent>()? {
                AgentEvent::Registered(new) => {
                    let row = Row {
                        agent_id,
                        company: new.company,
                        contact_name: new.contact_name,
                        phone: new.phone.into(),
                        billing_way: new.billing_way.into(),
                        state: 0,
                        created_at_ms: at,
                        updated_at_ms: at,
                        version: recorded.version,
                    };
                    rows.insert(agent_id, row);
                }
                event @ (AgentEvent::Enabled | AgentEvent::Disabled) => {
                    let row = rows.get_mut(&agent_id).ok_or("an agent changed before it was registered")?;
                    row.state = i16::from(event == AgentEvent::Enabled);
                    row.updated_at_ms = at;
                    row.version = recorded.version;
                }
            }
        }
        let rows: Vec<Row> = rows.into_values().collect();
        rows::upsert(db, "agent", "agent_id", &rows).await?;
        Ok(rows.iter().map(change).collect())
    }
}

fn change(row: &Row) -> Change {
    Change {
        table: "agent",
        key: row.agent_id.to_string(),
        territory: Territory::of_agent(AgentId(row.agent_id)),
    }
}

/// A franchisee as the header's selector lists it.
#[derive(Clone, Debug, Serialize, ToSchema, sqlx::FromRow)]
#[serde(rename_all = "camelCase")]
pub struct AgentOption {
    /// Its id, as text.
    #[schema(value_type = String)]
    pub agent_id: AgentId,
    /// 公司名称.
    pub company: String,
}

/// Enabled franchisees in scope, by name; at most 1,000.
pub async fn options(db: impl PgExecutor<'_>) -> sqlx::Result<Vec<AgentOption>> {
    sqlx::query_as(
        "select agent_id, company from read.agent where state = 1 order by company, agent_id limit 1000",
    )
    .fetch_all(db)
    .await
}

/// How a franchisee's money is taken; nothing when it is not in scope.
pub async fn billing_way(db: impl PgExecutor<'_>, agent: AgentId) -> sqlx::Result<Option<i16>> {
    sqlx::query_scalar("select billing_way from read.agent where agent_id = $1")
        .bind(agent)
        .fetch_optional(db)
        .await
}
