//! Table `shift_note`: what one shift tells the next.

use kernel::{After, Fold, List, Recorded, row};
use serde::Serialize;
use utoipa::ToSchema;
use vocabulary::{AgentId, DataOwner, OperatorId, Scope, ShiftNoteId, Timestamp};

use crate::model::shift_note::{ShiftNote, ShiftNoteEvent};

row! {
    /// A hand-over note. Times are epoch milliseconds.
    #[derive(Clone, Debug, Default, Serialize, ToSchema, sqlx::FromRow)]
    #[serde(rename_all = "camelCase")]
    pub struct ShiftNoteRow {
        /// Its id, as text.
        pub id: ShiftNoteId = "note_id",
        /// Whose it is; absent: the platform's.
        pub agent_id: Option<AgentId>,
        /// Who wrote it.
        pub operator_id: OperatorId,
        /// 记录人.
        pub by_name: String,
        /// 内容.
        pub text: String = "content",
        /// 车辆编号.
        pub bikes: Vec<String>,
        /// 记录时间.
        pub written_at: i64 = "written_at_ms",
        /// 知悉时间.
        pub acknowledged_at: Option<i64> = "acknowledged_at_ms",
        /// 知悉人; empty until somebody did.
        pub acknowledged_by: String,
        #[serde(skip)]
        position: i64,
    }
}

impl Fold for ShiftNoteRow {
    type Of = ShiftNote;
    const TABLE: &'static str = "shift_note";
    const KEY: &'static str = "note_id";

    fn fold(row: Option<Self>, event: ShiftNoteEvent, recorded: &Recorded) -> After<Self> {
        let position = recorded.position.0;
        Ok(match event {
            ShiftNoteEvent::Written { id, agent, operator, by, at, form } => Some(Self {
                id,
                agent_id: agent,
                operator_id: operator,
                by_name: by.known().cloned().unwrap_or_default(),
                text: form.text,
                bikes: form.bikes,
                written_at: at.millis(),
                acknowledged_at: None,
                acknowledged_by: String::new(),
                position,
            }),
            ShiftNoteEvent::Acknowledged { by, .. } => Some(Self {
                acknowledged_at: Some(recorded.recorded_at.millis()),
                acknowledged_by: by.known().cloned().unwrap_or_default(),
                position,
                ..recorded.begin(row)?
            }),
            ShiftNoteEvent::Withdrawn => None,
        })
    }

    fn owner(&self) -> DataOwner {
        DataOwner { agent: self.agent_id, area: None }
    }
}

/// Notes in scope, newest first.
pub fn list(scope: &Scope) -> List {
    List::new("n.*", "read.shift_note n", "n.written_at_ms desc, n.note_id desc")
        .of_agents("n.agent_id", scope)
}

/// Those of others since then that nobody has acknowledged.
pub fn news(scope: &Scope, since: Timestamp, reader: OperatorId) -> List {
    list(scope)
        .matching(&["n.acknowledged_at_ms is null"], vec![])
        .between("n.written_at_ms", Some(since.millis()), None)
        .matching(&["n.operator_id <> ", ""], vec![reader.0.into()])
}
