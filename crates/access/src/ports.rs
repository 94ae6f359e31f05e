//! What this context needs of others; the server fulfils it.

use std::sync::Arc;

use async_trait::async_trait;
use vocabulary::{AgentId, AreaId};

use crate::SmsGateway;

/// A neighbour cannot answer now.
pub type PortError = Box<dyn std::error::Error + Send + Sync>;

/// Whose the service areas are.
#[async_trait]
pub trait AreaOwners: Send + Sync + 'static {
    /// The agent of an area; nothing when there is no such area.
    async fn owner_of(&self, area: AreaId) -> Result<Option<AgentId>, PortError>;
}

/// All of them.
#[derive(Clone)]
pub struct Ports {
    /// Sends sign-in codes.
    pub sms: Arc<dyn SmsGateway>,
    /// Knows service areas.
    pub areas: Arc<dyn AreaOwners>,
}
