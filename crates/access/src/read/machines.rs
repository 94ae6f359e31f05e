//! Table `machine`.

use kernel::{After, Fold, Recorded};
use serde::{Deserialize, Serialize};
use sqlx::PgConnection;
use sqlx::types::Json;
use vocabulary::{AgentId, DataOwner, MachineId, PermissionCode, Scope};

use crate::model::machine::{Machine, MachineEvent};
use crate::model::operator::owner_of;

/// A row of it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Row {
    machine_id: i64,
    agent_id: Option<i64>,
    name: String,
    codes: Vec<String>,
    scope: Scope,
    token_sha256: String,
    enabled: bool,
    created_at_ms: i64,
}

impl Fold for Row {
    type Of = Machine;
    const TABLE: &'static str = "machine";
    const KEY: &'static str = "machine_id";

    fn fold(row: Option<Self>, event: MachineEvent, recorded: &Recorded) -> After<Self> {
        Ok(Some(match event {
            MachineEvent::Added { name, codes, scope, token_sha256 } => Self {
                machine_id: recorded.stream_id.parse()?,
                agent_id: owner_of(&scope).agent.map(|agent| agent.0),
                name,
                codes: codes.into_iter().map(String::from).collect(),
                scope,
                token_sha256,
                enabled: true,
                created_at_ms: recorded.recorded_at.millis(),
            },
            MachineEvent::Revoked => {
                Self { enabled: false, ..row.ok_or("a machine was revoked before it was added")? }
            }
        }))
    }

    fn owner(&self) -> DataOwner {
        DataOwner { agent: self.agent_id.map(AgentId), area: None }
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
