//! Parking places and zones where one must not stop or ride are kept apart, unless somebody says that they shall overlap.

use geofence::FenceKind;
use vocabulary::AreaId;
use wire::{Caller, Refused};

use super::NEWEST;
use crate::Context;
use crate::model::fence::FenceCommand;
use crate::read::fences;

impl Context {
    /// `command` on a fence of `kind` in `area`, to be refused where what begins to count by it overlaps a fence that tells
    /// riders the opposite at the same time. By the tables: of two who draw within the same milliseconds neither is asked.
    pub(crate) async fn apart(
        &self,
        caller: &Caller,
        area: AreaId,
        kind: FenceKind,
        command: FenceCommand,
    ) -> Result<FenceCommand, Refused> {
        if kind.opposite().is_empty() {
            return Ok(command);
        }
        let mut db = self.runtime.reads.scoped(&caller.full_scope, NEWEST, &["fence"]).await?;
        if !db.caught_up() {
            return Err(Refused::unavailable("the fences lag behind the log"));
        }
        let opposite = fences::counting(&mut *db, area, kind.opposite(), self.runtime.clock.now()).await?;
        Ok(FenceCommand::Apart { opposite, command: Box::new(command) })
    }
}
