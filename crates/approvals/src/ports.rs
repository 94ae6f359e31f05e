//! What this context needs of others; the server fulfils it.

use async_trait::async_trait;
use vocabulary::OperatorId;

use crate::model::approval::Standing;

/// A neighbour did not answer.
pub type PortError = Box<dyn std::error::Error + Send + Sync>;

/// The people of the back-office, whom access keeps.
#[async_trait]
pub trait Standings: Send + Sync + 'static {
    /// How somebody stands now; nothing when he has no account any more.
    async fn of(&self, operator: OperatorId) -> Result<Option<Standing>, PortError>;

    /// Whether he is of level 1 (管理员).
    async fn administers(&self, operator: OperatorId) -> Result<bool, PortError>;
}
