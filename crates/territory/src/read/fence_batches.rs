//! Table `fence_batch`: changes of many fences at once.

use kernel::{Actor, After, Fold, Recorded, row};
use serde::Serialize;
use sqlx::PgExecutor;
use sqlx::types::Json;
use vocabulary::{AgentId, AreaId, DataOwner, FenceBatchId, FenceId, OperatorId};

use crate::model::fence_adjust::Adjustment;
use crate::model::fence_batch::{FenceBatch, FenceBatchEvent, Member};

row! {
    /// A change of many fences.
    #[derive(Clone, Debug, Default, Serialize, sqlx::FromRow)]
    pub struct FenceBatchRow {
        /// Its id.
        pub batch_id: FenceBatchId,
        /// Whose fences they are.
        pub agent_id: AgentId,
        /// The area that all of them lie in; none: several.
        pub area_id: Option<AreaId>,
        /// Who asked for it.
        pub operator_id: Option<OperatorId>,
        /// 原因.
        pub reason: String,
        /// What was to be otherwise.
        pub adjustment: Json<Adjustment>,
        /// When it was asked for, epoch milliseconds.
        pub made_at_ms: i64,
        /// From when it counts, epoch milliseconds.
        pub from_at_ms: i64,
        /// Until when, epoch milliseconds; none: until something else is published.
        pub until_at_ms: Option<i64>,
        /// What was changed.
        pub members: Json<Vec<Member>>,
        /// When it was taken back, epoch milliseconds.
        pub undone_at_ms: Option<i64>,
        /// By whom.
        pub undone_by: Option<OperatorId>,
        /// Those that are as before again.
        pub back: Json<Vec<FenceId>>,
        /// Its events.
        pub version: i64,
    }
}

const fn person(actor: &Actor) -> Option<OperatorId> {
    match actor {
        Actor::Operator { id } => Some(*id),
        Actor::Machine { .. } | Actor::System { .. } => None,
    }
}

impl Fold for FenceBatchRow {
    type Of = FenceBatch;
    const TABLE: &'static str = "fence_batch";
    const KEY: &'static str = "batch_id";

    fn fold(row: Option<Self>, event: FenceBatchEvent, recorded: &Recorded) -> After<Self> {
        let mut row = recorded.begin(row)?;
        match event {
            FenceBatchEvent::Applied(applied) => {
                row.batch_id = applied.batch_id;
                row.agent_id = applied.agent_id;
                row.area_id = applied.area();
                row.operator_id = person(&recorded.meta.actor);
                row.made_at_ms = applied.at.millis();
                row.from_at_ms = applied.from.unwrap_or(applied.at).millis();
                row.until_at_ms = applied.until.map(vocabulary::Timestamp::millis);
                row.reason = applied.reason;
                row.adjustment = Json(applied.adjustment);
                row.members = Json(applied.members);
            }
            FenceBatchEvent::Undone { back } => {
                row.undone_at_ms = Some(recorded.recorded_at.millis());
                row.undone_by = person(&recorded.meta.actor);
                row.back = Json(back);
            }
        }
        row.version = recorded.version;
        Ok(Some(row))
    }

    fn owner(&self) -> DataOwner {
        DataOwner { agent: Some(self.agent_id), area: self.area_id }
    }
}

/// Changes in scope since an instant, newest first, at most `most`.
pub async fn since(db: impl PgExecutor<'_>, since_ms: i64, most: i64) -> sqlx::Result<Vec<FenceBatchRow>> {
    sqlx::query_as(
        "select * from read.fence_batch where made_at_ms >= $1 order by made_at_ms desc, batch_id desc limit $2",
    )
    .bind(since_ms)
    .bind(most)
    .fetch_all(db)
    .await
}
