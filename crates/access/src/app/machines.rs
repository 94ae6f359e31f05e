//! Machine clients, managed from the command line.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use kernel::{CommandContext, CommandError, LogError, ReadError, Refusal, Runtime};
use rand::RngCore;
use rand::rngs::OsRng;
use sha2::{Digest, Sha256};
use vocabulary::{MachineId, NotAPermissionCode, PermissionCode, Scope};

use crate::model::machine::{Machine, MachineCommand, MachineRefusal};
use crate::read::machines;

/// What the simulator may do: build its city, register its fleet, ride, and read what is told of it.
pub const SIMULATOR_CODES: [&str; 5] =
    ["open:territory", "open:fleet", "open:ride", "open:rider", "open:feeds"];

/// Why a machine client was not added or revoked.
#[derive(Debug, thiserror::Error)]
pub enum MachineError {
    /// A rule says no; the text is for people.
    #[error("{0}")]
    Refused(String),
    /// There is no live client of that name.
    #[error("没有名为“{0}”的机器客户端")]
    Unknown(String),
    /// A code is no code.
    #[error(transparent)]
    Code(#[from] NotAPermissionCode),
    /// The read models cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The log failed.
    #[error(transparent)]
    Log(#[from] LogError),
}

impl From<CommandError<MachineRefusal>> for MachineError {
    fn from(error: CommandError<MachineRefusal>) -> Self {
        match error {
            CommandError::Refused(refusal) => Self::Refused(refusal.message()),
            CommandError::Log(error) => Self::Log(error),
            other => Self::Refused(other.to_string()),
        }
    }
}

/// A new service token, told once and stored nowhere.
pub struct NewToken {
    /// The client.
    pub machine: MachineId,
    /// What it sends as bearer.
    pub token: String,
}

impl std::fmt::Debug for NewToken {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("NewToken").field("machine", &self.machine).finish_non_exhaustive()
    }
}

/// Adds a machine client and gives it its token.
pub async fn add_machine(
    runtime: &Runtime,
    name: &str,
    codes: &[&str],
    scope: Scope,
) -> Result<NewToken, MachineError> {
    let mut secret = [0; 32];
    OsRng.fill_bytes(&mut secret);
    let token = format!("whm_{}", URL_SAFE_NO_PAD.encode(secret));
    let codes =
        codes.iter().map(|code| PermissionCode::try_from((*code).to_owned())).collect::<Result<_, _>>()?;
    let machine = MachineId(runtime.ids.next_id());
    let command = MachineCommand::Add {
        name: name.to_owned(),
        codes,
        scope,
        token_sha256: Sha256::digest(token.as_bytes()).into(),
    };
    let ctx = CommandContext::of_system("machine-add", runtime.clock.now());
    runtime.desk.execute::<Machine>(&machine, command, &ctx).await?;
    Ok(NewToken { machine, token })
}

/// Makes the token of the machine client with this name worthless.
pub async fn revoke_machine(runtime: &Runtime, name: &str) -> Result<(), MachineError> {
    let mut db = runtime.reads.scoped(&Scope::ALL, Some(super::NEWEST), &["machine"]).await?;
    let found = machines::by_name(&mut db, name).await.map_err(ReadError::from)?;
    drop(db);
    let machine = found.ok_or_else(|| MachineError::Unknown(name.to_owned()))?;
    let ctx = CommandContext::of_system("machine-revoke", runtime.clock.now());
    runtime.desk.execute::<Machine>(&machine, MachineCommand::Revoke, &ctx).await?;
    Ok(())
}
