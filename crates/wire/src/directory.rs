//! What this crate must learn about callers, fulfilled by the access context.

use std::sync::Arc;

use async_trait::async_trait;
use vocabulary::{AgentId, MachineId, OperatorId, Phone, Scope};

use crate::{CodeSet, FinancialAccount};

/// Knows who may do what, now. Asked on every request, so it answers from memory and forgets what it knows when the
/// account, its role or its scope changes.
#[async_trait]
pub trait Directory: Send + Sync + 'static {
    /// How the operator stands; nothing when there is no such operator.
    async fn standing(&self, operator: OperatorId) -> Result<Option<Standing>, DirectoryError>;

    /// The machine client whose service token has this SHA-256; nothing when the token is unknown or withdrawn.
    async fn machine(&self, token_sha256: [u8; 32]) -> Result<Option<MachineStanding>, DirectoryError>;

    /// How the financial account of an agent stands, on the next call after it changed. A directory that keeps no
    /// such accounts leaves closed what an account opens.
    async fn financial_account(&self, _agent: AgentId) -> Result<FinancialAccount, DirectoryError> {
        Ok(FinancialAccount::default())
    }
}

/// How an operator stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Standing {
    /// Whether the account may be used at all.
    pub enabled: bool,
    /// How far it may see.
    pub scope: Scope,
    /// What it may do.
    pub codes: Arc<CodeSet>,
    /// Raised by every change of role or scope.
    pub permission_version: i64,
    /// The person's name.
    pub name: String,
    /// The phone that signs in.
    pub phone: Phone,
}

/// How a machine client stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MachineStanding {
    /// The client.
    pub id: MachineId,
    /// Its name.
    pub name: String,
    /// Whether it may call at all.
    pub enabled: bool,
    /// How far it may see.
    pub scope: Scope,
    /// What it may do.
    pub codes: Arc<CodeSet>,
}

/// The directory cannot answer now.
#[derive(Debug, thiserror::Error)]
#[error("the directory of operators cannot answer")]
pub struct DirectoryError(#[source] pub Box<dyn std::error::Error + Send + Sync>);
