//! A machine client: a rider app, a field app, a regulator, the simulator. It has a service token instead of a phone.

use std::collections::BTreeSet;

use kernel::{Aggregate, Claim, Event, Refusal};
use serde::{Deserialize, Serialize};
use vocabulary::{DataOwner, MachineId, PermissionCode, Scope, Timestamp};

use super::operator::owner_of;
use super::text;
use crate::permissions;

/// A name has at most so many characters.
pub const NAME_MAX: usize = 40;

/// What a machine client's decisions remember.
#[derive(Clone, Debug, Default)]
pub struct Machine {
    name: Option<String>,
    revoked: bool,
    owner: DataOwner,
}

/// What may be asked of a machine client.
#[derive(Clone, Debug)]
pub enum MachineCommand {
    /// Gives it a token.
    Add {
        /// Unique.
        name: String,
        /// What it may do: machine codes, at least one.
        codes: BTreeSet<PermissionCode>,
        /// How far it reaches.
        scope: Scope,
        /// SHA-256 of its token; the token itself is never stored.
        token_sha256: [u8; 32],
    },
    /// Makes its token worthless.
    Revoke,
}

/// What may have happened to a machine client.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", content = "data")]
pub enum MachineEvent {
    /// It got its token.
    #[serde(rename = "machine.added")]
    Added {
        /// Its name.
        name: String,
        /// What it may do.
        codes: BTreeSet<PermissionCode>,
        /// How far it reaches.
        scope: Scope,
        /// SHA-256 of its token, hexadecimal.
        token_sha256: String,
    },
    /// Its token is worthless.
    #[serde(rename = "machine.revoked")]
    Revoked,
}

/// Why a machine client is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MachineRefusal {
    /// There is none.
    #[error("机器客户端不存在")]
    Unknown,
    /// The id is in use.
    #[error("机器客户端已存在")]
    Exists,
    /// The name is empty, too long or holds control characters.
    #[error("名称应为 1 到 {NAME_MAX} 个字符")]
    BadName,
    /// Another client has the name.
    #[error("名称“{0}”已被使用")]
    NameTaken(String),
    /// It could do nothing.
    #[error("请至少选择一项权限")]
    NoCodes,
    /// Not a code for machines.
    #[error("机器客户端不能持有权限码：{0}")]
    NotForMachines(PermissionCode),
}

impl Refusal for MachineRefusal {
    fn code(&self) -> &'static str {
        match self {
            Self::Unknown => "machine-unknown",
            Self::Exists => "machine-exists",
            Self::BadName => "machine-bad-name",
            Self::NameTaken(_) => "machine-name-taken",
            Self::NoCodes => "machine-no-codes",
            Self::NotForMachines(_) => "permission-not-for-machines",
        }
    }

    fn message(&self) -> String {
        self.to_string()
    }
}

impl Event for MachineEvent {
    fn stored_type(&self) -> &'static str {
        match self {
            Self::Added { .. } => "machine.added",
            Self::Revoked => "machine.revoked",
        }
    }
}

impl Aggregate for Machine {
    const CATEGORY: &'static str = "machine";
    type Id = MachineId;
    type Command = MachineCommand;
    type Event = MachineEvent;
    type Refusal = MachineRefusal;

    fn decide(&self, command: MachineCommand, _now: Timestamp) -> Result<Vec<MachineEvent>, MachineRefusal> {
        match command {
            MachineCommand::Add { name, codes, scope, token_sha256 } => {
                if self.name.is_some() {
                    return Err(MachineRefusal::Exists);
                }
                let name = text::line(&name, NAME_MAX).ok_or(MachineRefusal::BadName)?;
                if codes.is_empty() {
                    return Err(MachineRefusal::NoCodes);
                }
                if let Some(code) = codes.iter().find(|code| !permissions::is_machine_code(code.as_str())) {
                    return Err(MachineRefusal::NotForMachines(code.clone()));
                }
                Ok(vec![MachineEvent::Added { name, codes, scope, token_sha256: hex::encode(token_sha256) }])
            }
            MachineCommand::Revoke => match (&self.name, self.revoked) {
                (None, _) => Err(MachineRefusal::Unknown),
                (Some(_), true) => Ok(vec![]),
                (Some(_), false) => Ok(vec![MachineEvent::Revoked]),
            },
        }
    }

    fn evolve(&mut self, event: &MachineEvent) {
        match event {
            MachineEvent::Added { name, scope, .. } => {
                self.name = Some(name.clone());
                self.owner = owner_of(scope);
            }
            MachineEvent::Revoked => self.revoked = true,
        }
    }

    fn owner(&self) -> DataOwner {
        self.owner
    }

    fn claims(&self, event: &MachineEvent) -> Vec<Claim<MachineRefusal>> {
        match (event, &self.name) {
            (MachineEvent::Added { name, .. }, _) => vec![Claim::Take {
                key: format!("machine-name:{name}"),
                refusal: MachineRefusal::NameTaken(name.clone()),
            }],
            (MachineEvent::Revoked, Some(name)) => {
                vec![Claim::Release { key: format!("machine-name:{name}") }]
            }
            (MachineEvent::Revoked, None) => vec![],
        }
    }
}
