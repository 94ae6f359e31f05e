//! A machine client: a rider app, a field app, a regulator, the simulator. It has a service token instead of a phone.

use std::collections::BTreeSet;

use kernel::{Aggregate, Claim, Decision, events, refusals};
use vocabulary::{DataOwner, MachineId, PermissionCode, Scope, Timestamp, text};

use super::operator::owner_of;
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

events! {
    /// What may have happened to a machine client.
    #[derive(Eq)]
    pub enum MachineEvent {
        /// It got its token.
        Added {
            /// Its name.
            name: String,
            /// What it may do.
            codes: BTreeSet<PermissionCode>,
            /// How far it reaches.
            scope: Scope,
            /// SHA-256 of its token, hexadecimal.
            token_sha256: String,
        } = "machine.added",
        /// Its token is worthless.
        Revoked = "machine.revoked",
    }
}

refusals! {
    /// Why a machine client is refused.
    pub enum MachineRefusal {
        Unknown = "machine-unknown": ("机器客户端不存在"),
        Exists = "machine-exists": ("机器客户端已存在"),
        BadName = "machine-bad-name": ("名称应为 1 到 {NAME_MAX} 个字符"),
        NameTaken(String) = "machine-name-taken": ("名称“{0}”已被使用"),
        NoCodes = "machine-no-codes": ("请至少选择一项权限"),
        NotForMachines(PermissionCode) = "permission-not-for-machines": ("机器客户端不能持有权限码：{0}"),
    }
}

impl Aggregate for Machine {
    const CATEGORY: &'static str = "machine";
    type Id = MachineId;
    type Command = MachineCommand;
    type Event = MachineEvent;
    type Refusal = MachineRefusal;

    fn decide(&self, command: Self::Command, _now: Timestamp) -> Decision<Self> {
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
