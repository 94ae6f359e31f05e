//! What builds a read model.

use async_trait::async_trait;
use sqlx::PgConnection;
use vocabulary::DataOwner;

use crate::Recorded;

/// Builds tables from the log alone.
///
/// Its SQL names its tables without a schema: the runner sets the search path to `read`, or to the shadow schema
/// while a rebuild fills it. Applying the same events twice from an empty table gives the same rows.
#[async_trait]
pub trait Projector: Send + Sync + 'static {
    /// Its name, such as `role`; the key of its stored position.
    fn name(&self) -> &'static str;

    /// Raised when its tables or rules change: it then rebuilds itself at start.
    fn version(&self) -> i32 {
        1
    }

    /// The tables it owns, in schema `read`.
    fn tables(&self) -> &'static [&'static str];

    /// The categories whose events it wants; all others only move its position.
    fn categories(&self) -> &'static [&'static str];

    /// Whether an event that cannot be applied stops it altogether (money) instead of parking the stream.
    fn stops_on_failure(&self) -> bool {
        false
    }

    /// Applies `events`, in order, and says which rows changed. Set-based SQL where it can; the transaction is the
    /// runner's. An error on a batch of several is tried again one by one.
    async fn apply(&self, db: &mut PgConnection, events: &[Recorded]) -> Result<Vec<Change>, ApplyError>;
}

/// Why an event could not be applied.
pub type ApplyError = Box<dyn std::error::Error + Send + Sync>;

/// A row of a read model that changed, for those who watch it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The table.
    pub table: &'static str,
    /// The row's key as lists show it.
    pub key: String,
    /// Whose row it is: only watchers with this in scope hear of it.
    pub owner: DataOwner,
}
