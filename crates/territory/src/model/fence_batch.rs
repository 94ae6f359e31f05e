//! One change of many fences at once: who asked for it and why is told once, and it is taken back as one.

use kernel::{Aggregate, Decision, events, refusals};
use serde::{Deserialize, Serialize};
use vocabulary::text::line;
use vocabulary::{AgentId, AreaId, DataOwner, FenceBatchId, FenceId, Timestamp};

use super::fence_adjust::{Adjusted, Adjustment};

/// Fences that one change is of at most.
pub const FENCES_MAX: usize = 200;
/// A reason has at most so many characters.
pub const REASON_MAX: usize = 100;
/// So long a change can be taken back as one.
pub const UNDONE_WITHIN_MS: i64 = 30 * 86_400_000;

/// A fence that was changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Member {
    /// Which.
    pub fence_id: FenceId,
    /// The area it lies in.
    pub area_id: AreaId,
    /// What it was called then.
    pub name: String,
    /// From which of its versions to which.
    #[serde(flatten)]
    pub adjusted: Adjusted,
}

/// A change as it was asked for, with what it changed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Applied {
    /// Its own id.
    pub batch_id: FenceBatchId,
    /// Whose fences all of them are.
    pub agent_id: AgentId,
    /// 原因.
    pub reason: String,
    /// What was to be otherwise.
    pub adjustment: Adjustment,
    /// When it was asked for.
    pub at: Timestamp,
    /// From when it counts; none: from when it was asked for.
    pub from: Option<Timestamp>,
    /// Until when; none: until something else is published.
    pub until: Option<Timestamp>,
    /// 1 to 200.
    pub members: Vec<Member>,
}

/// What may be asked.
#[derive(Clone, Debug)]
pub enum FenceBatchCommand {
    /// Says what is changed, together with the fences' own changes.
    Apply(Applied),
    /// Says which fences are as before again, together with their own changes.
    Undo { back: Vec<FenceId> },
}

events! {
    /// What happened.
    pub enum FenceBatchEvent {
        Applied(Applied) = "fence-batch.applied",
        /// These are as before again; the others had been changed since.
        Undone { back: Vec<FenceId> } = "fence-batch.undone",
    }
}

refusals! {
    /// Why not.
    pub enum FenceBatchRefusal {
        Unknown = "fence-batch-unknown": ("批量修改不存在"),
        Nothing = "fence-batch-nothing": ("请选择要修改的内容；停放上限的增减不能为 0，每种凭证只能选一次"),
        Reason = "fence-batch-reason": ("原因需 1 到 {REASON_MAX} 个字"),
        Count = "fence-batch-count": ("一次需选择 1 到 {FENCES_MAX} 个停车区，不能重复"),
        Agents = "fence-batch-agents": ("属于另一个代理，请按代理分开修改"),
        Undone = "fence-batch-undone": ("已经撤销过"),
        TooOld = "fence-batch-too-old": ("超过 30 天的批量修改不能整体撤销，请逐个回滚"),
        NotWhole = "fence-batch-not-whole": ("其中有不在您数据范围内的停车区，不能整体撤销"),
        NothingBack = "fence-batch-nothing-back": ("所有停车区之后都又有变动，没有可以撤销的"),
    }
}

/// The change as decisions need it.
#[derive(Clone, Debug, Default)]
pub struct FenceBatch {
    applied: Option<Applied>,
    undone: bool,
}

/// A reason as it is kept.
pub fn reason(typed: &str) -> Result<String, FenceBatchRefusal> {
    line(typed, REASON_MAX).ok_or(FenceBatchRefusal::Reason)
}

impl FenceBatch {
    /// What was changed, when it may be taken back at `now`.
    pub fn undoable(&self, now: Timestamp) -> Result<&Applied, FenceBatchRefusal> {
        match &self.applied {
            None => Err(FenceBatchRefusal::Unknown),
            Some(_) if self.undone => Err(FenceBatchRefusal::Undone),
            Some(applied) if now.millis_since(applied.at) > UNDONE_WITHIN_MS => {
                Err(FenceBatchRefusal::TooOld)
            }
            Some(applied) => Ok(applied),
        }
    }
}

impl Aggregate for FenceBatch {
    const CATEGORY: &'static str = "fence-batch";
    type Id = FenceBatchId;
    type Command = FenceBatchCommand;
    type Event = FenceBatchEvent;
    type Refusal = FenceBatchRefusal;

    fn decide(&self, command: FenceBatchCommand, now: Timestamp) -> Decision<Self> {
        match command {
            FenceBatchCommand::Apply(applied) => {
                if !(1..=FENCES_MAX).contains(&applied.members.len()) {
                    return Err(FenceBatchRefusal::Count);
                }
                if !applied.adjustment.is_sound() {
                    return Err(FenceBatchRefusal::Nothing);
                }
                let reason = reason(&applied.reason)?;
                Ok(vec![FenceBatchEvent::Applied(Applied { reason, ..applied })])
            }
            FenceBatchCommand::Undo { back } => {
                let members = &self.undoable(now)?.members;
                if back.is_empty() || !back.iter().all(|id| members.iter().any(|one| one.fence_id == *id)) {
                    return Err(FenceBatchRefusal::NothingBack);
                }
                Ok(vec![FenceBatchEvent::Undone { back }])
            }
        }
    }

    fn evolve(&mut self, event: &FenceBatchEvent) {
        match event {
            FenceBatchEvent::Applied(applied) => self.applied = Some(applied.clone()),
            FenceBatchEvent::Undone { .. } => self.undone = true,
        }
    }

    /// Of its area, where all of its fences lie in one; otherwise of their agent as a whole.
    fn owner(&self) -> DataOwner {
        self.applied.as_ref().map_or(DataOwner::PLATFORM, Applied::owner)
    }
}

impl Applied {
    /// The area that all of its fences lie in; none: they lie in several.
    pub fn area(&self) -> Option<AreaId> {
        let first = self.members.first()?.area_id;
        self.members.iter().all(|one| one.area_id == first).then_some(first)
    }

    /// Whose it is.
    pub fn owner(&self) -> DataOwner {
        DataOwner { agent: Some(self.agent_id), area: self.area() }
    }
}

#[cfg(test)]
mod tests {
    use kernel::Event;
    use serde_json::json;

    use super::*;
    use crate::model::fence_adjust::CapacityChange;

    const NOW: Timestamp = Timestamp::from_millis(1_790_000_000_000);

    fn member(id: i64, area: i64) -> Member {
        let adjusted = Adjusted { from_version: 1, to_version: 2, last_version: 2 };
        Member { fence_id: FenceId(id), area_id: AreaId(area), name: format!("{id}号"), adjusted }
    }

    fn applied(members: Vec<Member>) -> Applied {
        Applied {
            batch_id: FenceBatchId(1),
            agent_id: AgentId(2),
            reason: " 国庆扩容 ".to_owned(),
            adjustment: Adjustment { capacity: Some(CapacityChange::By(5)), ..Adjustment::default() },
            at: NOW,
            from: None,
            until: None,
            members,
        }
    }

    fn after(commands: impl IntoIterator<Item = FenceBatchCommand>) -> FenceBatch {
        let mut batch = FenceBatch::default();
        for command in commands {
            for event in batch.decide(command, NOW).unwrap() {
                batch.evolve(&event);
            }
        }
        batch
    }

    #[test]
    fn a_change_has_a_reason_content_and_a_bounded_number_of_fences() {
        let asked = |applied| FenceBatch::default().decide(FenceBatchCommand::Apply(applied), NOW);
        let one = || applied(vec![member(7, 20)]);
        assert_eq!(asked(Applied { reason: " ".to_owned(), ..one() }), Err(FenceBatchRefusal::Reason));
        assert_eq!(
            asked(Applied { adjustment: Adjustment::default(), ..one() }),
            Err(FenceBatchRefusal::Nothing)
        );
        assert_eq!(asked(applied(Vec::new())), Err(FenceBatchRefusal::Count));
        let many = |count| applied((0..count).map(|id| member(id, 20)).collect());
        assert_eq!(asked(many(201)), Err(FenceBatchRefusal::Count));
        assert!(asked(many(200)).is_ok());
    }

    #[test]
    fn it_belongs_to_its_area_or_to_the_agent_of_all() {
        let of = |members| after([FenceBatchCommand::Apply(applied(members))]).owner();
        assert_eq!(of(vec![member(7, 20), member(8, 20)]), DataOwner::of_area(AgentId(2), AreaId(20)));
        assert_eq!(of(vec![member(7, 20), member(8, 21)]), DataOwner::of_agent(AgentId(2)));
    }

    #[test]
    fn it_is_taken_back_once_and_within_its_time() {
        let undo = |id| FenceBatchCommand::Undo { back: vec![FenceId(id)] };
        let apply = || FenceBatchCommand::Apply(applied(vec![member(7, 20), member(8, 20)]));
        let batch = after([apply()]);
        assert_eq!(batch.decide(undo(9), NOW), Err(FenceBatchRefusal::NothingBack), "not one of its own");
        let late = NOW.plus_millis(UNDONE_WITHIN_MS + 1);
        assert_eq!(batch.decide(undo(7), late), Err(FenceBatchRefusal::TooOld));
        assert_eq!(after([apply(), undo(7)]).decide(undo(8), NOW), Err(FenceBatchRefusal::Undone));
        assert_eq!(FenceBatch::default().decide(undo(7), NOW), Err(FenceBatchRefusal::Unknown));
    }

    #[test]
    fn its_stored_form_stays() {
        let event = FenceBatchEvent::Applied(applied(vec![member(7, 20)]));
        let stored = json!({"type": "fence-batch.applied", "data": {
            "batch_id": "1", "agent_id": "2", "reason": " 国庆扩容 ", "adjustment": {"capacity": {"by": 5}},
            "at": 1_790_000_000_000_i64, "from": null, "until": null,
            "members": [{"fence_id": "7", "area_id": "20", "name": "7号", "from_version": 1, "to_version": 2,
                "last_version": 2}]}});
        assert_eq!(serde_json::to_value(&event).unwrap(), stored);
        assert_eq!(serde_json::from_value::<FenceBatchEvent>(stored).unwrap(), event);
        assert_eq!(event.stored_type(), "fence-batch.applied");
        let undone = FenceBatchEvent::Undone { back: vec![FenceId(7)] };
        let stored = json!({"type": "fence-batch.undone", "data": {"back": ["7"]}});
        assert_eq!(serde_json::from_value::<FenceBatchEvent>(stored).unwrap(), undone);
    }
}
