//! What people want, where it spans aggregates: who asks, in which order, and who must see it. Rules are in the models.

pub mod agent_deeds;
pub mod agents;
pub mod area_edges;
pub mod areas;
pub mod atlas;
pub mod crews;
pub mod fence_batches;
pub mod fence_imports;
pub mod fence_preview;
pub mod otherwise;
mod overlaps;
pub mod park_applications;
pub mod stations;

use kernel::Position;
use vocabulary::Scope;
use wire::Refused;

use crate::Context;

/// All there is at the moment of asking.
pub(crate) const NEWEST: Option<Position> = Some(Position(i64::MAX));
/// The tables that agents and their areas show in.
pub(crate) const READS: [&str; 3] = ["agent", "area", "agent_role"];

impl Context {
    /// Waits until the tables hold what was done at `position`: whatever comes after the answer sees the change.
    pub(crate) async fn settle(&self, position: Position) -> Result<(), Refused> {
        drop(self.runtime.reads.scoped(&Scope::NONE, Some(position), &READS).await?);
        Ok(())
    }
}
