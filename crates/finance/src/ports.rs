//! What this context needs of others; the server fulfils it.

use std::collections::BTreeMap;
use std::sync::Arc;

use async_trait::async_trait;
use vocabulary::{AgentId, Phone, Scope};

use crate::password_desk::PasswordDesk;

/// A neighbour did not answer.
pub type PortError = Box<dyn std::error::Error + Send + Sync>;

/// The agents, which the territory keeps.
#[async_trait]
pub trait Agents: Send + Sync + 'static {
    /// Whether there is such an agent and it may work.
    async fn works(&self, agent: AgentId) -> Result<bool, PortError>;

    /// The companies of `agents`; unknown ones are left out.
    async fn names(&self, agents: &[AgentId]) -> Result<BTreeMap<AgentId, String>, PortError>;

    /// Agents in `scope` whose company's name is like `pattern`; at most 1,000.
    async fn called(&self, scope: &Scope, pattern: &str) -> Result<Vec<AgentId>, PortError>;
}

/// Codes that prove a bank card's phone.
#[async_trait]
pub trait CardCodes: Send + Sync + 'static {
    /// A code of six digits that nobody can foresee.
    fn draw(&self) -> String;

    /// Sends `code` to `phone`; done when the provider took it.
    async fn send(&self, phone: &Phone, code: &str) -> Result<(), PortError>;
}

/// Who stands how: what an account opens and closes.
pub trait Standings: Send + Sync + 'static {
    /// The account of an agent stands otherwise: what is remembered of it is out of date.
    fn forget(&self);
}

/// The ports.
#[derive(Clone)]
pub struct Ports {
    /// The agents.
    pub agents: Arc<dyn Agents>,
    /// Codes for bank cards.
    pub codes: Arc<dyn CardCodes>,
    /// Who stands how.
    pub standings: Arc<dyn Standings>,
    /// Where payment passwords are set; nothing: nowhere yet.
    pub passwords: Option<PasswordDesk>,
}
