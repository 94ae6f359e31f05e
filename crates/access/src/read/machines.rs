//! Table `machine`.

use std::collections::BTreeMap;

use async_trait::async_trait;
use kernel::projector::ApplyError;
use kernel::{Aggregate, Change, Projector, Recorded, rows};
use serde::{Deserialize, Serialize};
use sqlx::PgConnection;
use sqlx::types::Json;
use vocabulary::{AgentId, DataOwner, MachineId, PermissionCode, Scope};

use crate::model::machine::{Machine, MachineEvent};
use crate::model::operator::owner_of;

/// Builds table `machine`.
pub struct MachineProjector;

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Stored {
    machine_id: i64,
    agent_id: Option<i64>,
    name: String,
    codes: Vec<String>,
    scope: Scope,
    token_sha256: String,
    enabled: bool,
    created_at_ms: i64,
}

#[async_trait]
impl Projector for MachineProjector {
    fn name(&self) -> &'static str {
        "machine"
    }

    fn tables(&self) -> &'static [&'static str] {
        &["machine"]
    }

    fn categories(&self) -> &'static [&'static str] {
        &[Machine::CATEGORY]
    }

    async fn apply(&self, db: &mut PgConnection, events: &[Recorded]) -> Result<Vec<Change>, ApplyError> {
        let keys: Vec<String> = events.iter().map(|event| event.stream_id.to_string()).collect();
        let known: Vec<Stored> = rows::load(db, "machine", "machine_id", "bigint", &keys).await?;
        let mut rows: BTreeMap<i64, Stored> = known.into_iter().map(|row| (row.machine_id, row)).collect();
        for recorded in events {
            let machine_id: i64 = recorded.stream_id.parse()?;
            match recorded.decode::<MachineEvent>()? {
                MachineEvent::Added { name, codes, scope, token_sha256 } => {
                    let row = Stored {
                        machine_id,
                        agent_id: owner_of(&scope).agent.map(|agent| agent.0),
                        name,
                        codes: codes.into_iter().map(String::from).collect(),
                        scope,
                        token_sha256,
                        enabled: true,
                        created_at_ms: recorded.recorded_at.millis(),
                    };
                    rows.insert(machine_id, row);
                }
                MachineEvent::Revoked => {
                    let row = rows.get_mut(&machine_id).ok_or("a machine was revoked before it was added")?;
                    row.enabled = false;
                }
            }
        }
        let rows: Vec<Stored> = rows.into_values().collect();
        rows::upsert(db, "machine", "machine_id", &rows).await?;
        let change = |row: &Stored| Change {
            table: "machine",
            key: row.machine_id.to_string(),
            owner: DataOwner { agent: row.agent_id.map(AgentId), area: None },
        };
        Ok(rows.iter().map(change).collect())
    }
}

/// A machine client as the system looks at it.
#[derive(Clone, Debug)]
pub struct MachineAccount {
    /// Its id.
    pub id: MachineId,
    /// Its name.
    pub name: String,
    /// What it may do.
    pub codes: Vec<PermissionCode>,
    /// How far it reaches.
    pub scope: Scope,
    /// Whether its token is worth something.
    pub enabled: bool,
}

type Found = (MachineId, String, Vec<String>, Json<Scope>, bool);

/// The machine whose token has this SHA-256.
pub async fn by_token(
    db: &mut PgConnection,
    token_sha256: &[u8; 32],
) -> sqlx::Result<Option<MachineAccount>> {
    let found: Option<Found> = sqlx::query_as(
        "select machine_id, name, codes, scope, enabled from read.machine where token_sha256 = $1",
    )
    .bind(hex::encode(token_sha256))
    .fetch_optional(db)
    .await?;
    let Some((id, name, codes, Json(scope), enabled)) = found else { return Ok(None) };
    let codes = codes
        .into_iter()
        .map(PermissionCode::try_from)
        .collect::<Result<_, _>>()
        .map_err(|error| sqlx::Error::Decode(Box::new(error)))?;
    Ok(Some(MachineAccount { id, name, codes, scope, enabled }))
}

/// The id of the machine with this name whose token is worth something.
pub async fn by_name(db: &mut PgConnection, name: &str) -> sqlx::Result<Option<MachineId>> {
    sqlx::query_scalar(
        "select machine_id from read.machine where name = $1 and enabled order by machine_id desc limit 1",
    )
    .bind(name)
    .fetch_optional(db)
    .await
}
