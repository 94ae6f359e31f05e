//! A hand-over note (交接班记录): what one shift tells the next. It is never changed; somebody who comes next acknowledges it.

use kernel::{Aggregate, Decision, Personal, events, refusals};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use vocabulary::text::some_lines;
use vocabulary::{AgentId, DataOwner, OperatorId, ShiftNoteId, Timestamp};

use super::vehicle::CarId;

/// A note has at most so many characters.
pub const TEXT_MAX: usize = 1000;
/// It speaks of at most so many bikes.
pub const BIKES_MAX: usize = 20;
/// Its author may take it back for so many minutes.
pub const WITHDRAW_MINUTES: i64 = 10;
/// Whoever opens the map is told of those of so many hours that nobody has acknowledged.
pub const NEWS_HOURS: i64 = 48;

const MINUTE_MS: i64 = 60_000;

/// What people fill in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = ShiftNoteForm)]
pub struct Form {
    /// 1 to 1000 characters, lines may break.
    pub text: String,
    /// Numbers of bikes that it speaks of, at most 20.
    #[serde(default)]
    pub bikes: Vec<String>,
}

impl Form {
    /// The form with its text trimmed and each bike once, when all of it may stand.
    pub fn checked(self) -> Result<Self, ShiftNoteRefusal> {
        let text = some_lines(&self.text, TEXT_MAX).ok_or(ShiftNoteRefusal::Text)?;
        let mut bikes: Vec<String> = Vec::new();
        for typed in self.bikes {
            let number = CarId::try_from(typed.trim().to_owned())
                .map_err(|_| ShiftNoteRefusal::BikeUnknown(typed.chars().take(40).collect()))?;
            let number = String::from(number);
            if !bikes.contains(&number) {
                bikes.push(number);
            }
        }
        if bikes.len() > BIKES_MAX {
            return Err(ShiftNoteRefusal::BikesMany);
        }
        Ok(Self { text, bikes })
    }
}

/// What may be asked.
#[derive(Clone, Debug)]
pub enum ShiftNoteCommand {
    /// Writes it.
    Write {
        /// Its id.
        id: ShiftNoteId,
        /// Whose it is; nothing: the platform's.
        agent: Option<AgentId>,
        /// Who writes.
        operator: OperatorId,
        /// His name.
        by: Personal<String>,
        /// What he writes.
        form: Form,
    },
    /// Somebody else has read it and goes on.
    Acknowledge {
        /// Who.
        operator: OperatorId,
        /// His name.
        by: Personal<String>,
    },
    /// Takes it back; who.
    Withdraw(OperatorId),
}

events! {
    /// What happened.
    #[derive(Eq)]
    pub enum ShiftNoteEvent {
        Written {
            id: ShiftNoteId,
            agent: Option<AgentId>,
            operator: OperatorId,
            by: Personal<String>,
            at: Timestamp,
            #[serde(flatten)]
            form: Form,
        } = "shift-note.written",
        Acknowledged { operator: OperatorId, by: Personal<String> } = "shift-note.acknowledged",
        Withdrawn = "shift-note.withdrawn",
    }
}

refusals! {
    /// Why not.
    pub enum ShiftNoteRefusal {
        Unknown = "shift-note-unknown": ("交接班记录不存在或已撤回，请刷新列表"),
        Exists = "shift-note-exists": ("交接班记录已存在"),
        Text = "shift-note-text": ("请填写 1 到 {TEXT_MAX} 个字的交接内容"),
        BikesMany = "shift-note-bikes": ("一条记录最多关联 {BIKES_MAX} 辆车，请分成几条记录"),
        BikeUnknown(String) = "shift-note-bike": ("车辆“{0}”不存在或不在您的数据范围内，请核对车辆编号"),
        Own = "shift-note-own": ("自己写的记录由接班人员知悉，不能自己确认"),
        NotYours = "shift-note-not-yours": ("只有记录人可以撤回；如有疑问请联系记录人，或另写一条记录"),
        Late = "shift-note-late": ("写下超过 {WITHDRAW_MINUTES} 分钟的记录不能撤回，请另写一条说明"),
        Taken = "shift-note-taken": ("已有人知悉这条记录，不能撤回，请另写一条说明"),
    }
}

/// The note as decisions need it.
#[derive(Clone, Debug, Default)]
pub struct ShiftNote {
    written: Option<Written>,
}

#[derive(Clone, Debug)]
struct Written {
    agent: Option<AgentId>,
    operator: OperatorId,
    at: Timestamp,
    acknowledged: bool,
    withdrawn: bool,
}

impl ShiftNote {
    fn present(&self) -> Result<&Written, ShiftNoteRefusal> {
        self.written.as_ref().filter(|written| !written.withdrawn).ok_or(ShiftNoteRefusal::Unknown)
    }
}

impl Aggregate for ShiftNote {
    const CATEGORY: &'static str = "shift-note";
    type Id = ShiftNoteId;
    type Command = ShiftNoteCommand;
    type Event = ShiftNoteEvent;
    type Refusal = ShiftNoteRefusal;

    fn decide(&self, command: Self::Command, now: Timestamp) -> Decision<Self> {
        match command {
            ShiftNoteCommand::Write { .. } if self.written.is_some() => Err(ShiftNoteRefusal::Exists),
            ShiftNoteCommand::Write { id, agent, operator, by, form } => {
                let form = form.checked()?;
                Ok(vec![ShiftNoteEvent::Written { id, agent, operator, by, at: now, form }])
            }
            ShiftNoteCommand::Acknowledge { operator, by } => {
                let written = self.present()?;
                if written.operator == operator {
                    return Err(ShiftNoteRefusal::Own);
                }
                // Who was first stays.
                Ok(if written.acknowledged {
                    vec![]
                } else {
                    vec![ShiftNoteEvent::Acknowledged { operator, by }]
                })
            }
            ShiftNoteCommand::Withdraw(operator) => {
                let written = self.present()?;
                if written.operator != operator {
                    Err(ShiftNoteRefusal::NotYours)
                } else if written.acknowledged {
                    Err(ShiftNoteRefusal::Taken)
                } else if now.millis_since(written.at) > WITHDRAW_MINUTES * MINUTE_MS {
                    Err(ShiftNoteRefusal::Late)
                } else {
                    Ok(vec![ShiftNoteEvent::Withdrawn])
                }
            }
        }
    }

    fn evolve(&mut self, event: &ShiftNoteEvent) {
        match (event, &mut self.written) {
            (ShiftNoteEvent::Written { agent, operator, at, .. }, written) => {
                let (agent, operator, at) = (*agent, *operator, *at);
                *written = Some(Written { agent, operator, at, acknowledged: false, withdrawn: false });
            }
            (ShiftNoteEvent::Acknowledged { .. }, Some(written)) => written.acknowledged = true,
            (ShiftNoteEvent::Withdrawn, Some(written)) => written.withdrawn = true,
            (_, None) => {}
        }
    }

    fn owner(&self) -> DataOwner {
        DataOwner { agent: self.written.as_ref().and_then(|written| written.agent), area: None }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const AT: Timestamp = Timestamp::from_millis(1_000);
    const AUTHOR: OperatorId = OperatorId(7);
    const NEXT: OperatorId = OperatorId(8);

    fn name(operator: OperatorId) -> Personal<String> {
        Personal::new(format!("operator:{operator}"), "王芳".to_owned())
    }

    fn form(text: &str, bikes: &[&str]) -> Form {
        Form { text: text.to_owned(), bikes: bikes.iter().map(|bike| (*bike).to_owned()).collect() }
    }

    fn write(form: Form) -> Result<Vec<ShiftNoteEvent>, ShiftNoteRefusal> {
        let (id, agent, by) = (ShiftNoteId(5), Some(AgentId(2)), name(AUTHOR));
        ShiftNote::default().decide(ShiftNoteCommand::Write { id, agent, operator: AUTHOR, by, form }, AT)
    }

    fn written() -> ShiftNote {
        let mut note = ShiftNote::default();
        write(form("东门缺车", &[])).unwrap().iter().for_each(|event| note.evolve(event));
        note
    }

    fn acknowledge(operator: OperatorId) -> ShiftNoteCommand {
        ShiftNoteCommand::Acknowledge { operator, by: name(operator) }
    }

    #[test]
    fn a_note_has_a_text_and_each_bike_once() {
        let event = write(form(" 东门缺车\n明早补 ", &["W00001", " W00002", "W00001"])).unwrap().remove(0);
        let ShiftNoteEvent::Written { form: kept, at, .. } = event else { panic!("written") };
        assert_eq!((kept, at), (form("东门缺车\n明早补", &["W00001", "W00002"]), AT));
        assert_eq!(write(form(" \n", &[])), Err(ShiftNoteRefusal::Text));
        assert!(write(form(&"字".repeat(TEXT_MAX), &[])).is_ok());
        assert_eq!(write(form(&"字".repeat(TEXT_MAX + 1), &[])), Err(ShiftNoteRefusal::Text));
        assert_eq!(write(form("好", &["东门"])), Err(ShiftNoteRefusal::BikeUnknown("东门".to_owned())));
        let numbers: Vec<String> = (0..=BIKES_MAX).map(|number| format!("W{number}")).collect();
        let numbers: Vec<&str> = numbers.iter().map(String::as_str).collect();
        assert!(write(form("好", &numbers[..BIKES_MAX])).is_ok());
        assert_eq!(write(form("好", &numbers)), Err(ShiftNoteRefusal::BikesMany));
    }

    #[test]
    fn somebody_else_acknowledges_it_and_the_first_one_stays() {
        let mut note = written();
        assert_eq!(note.decide(acknowledge(AUTHOR), AT), Err(ShiftNoteRefusal::Own));
        let events = note.decide(acknowledge(NEXT), AT).unwrap();
        assert_eq!(events, [ShiftNoteEvent::Acknowledged { operator: NEXT, by: name(NEXT) }]);
        note.evolve(&events[0]);
        assert_eq!(note.decide(acknowledge(NEXT), AT), Ok(vec![]));
        assert_eq!(note.decide(acknowledge(OperatorId(9)), AT), Ok(vec![]));
        assert_eq!(note.decide(ShiftNoteCommand::Withdraw(AUTHOR), AT), Err(ShiftNoteRefusal::Taken));
    }

    #[test]
    fn its_author_takes_it_back_within_ten_minutes_and_then_it_is_gone() {
        let mut note = written();
        let (still, late) = (AT.plus_millis(600_000), AT.plus_millis(600_001));
        let withdraw = |operator| ShiftNoteCommand::Withdraw(operator);
        assert_eq!(note.decide(withdraw(NEXT), AT), Err(ShiftNoteRefusal::NotYours));
        assert_eq!(note.decide(withdraw(AUTHOR), late), Err(ShiftNoteRefusal::Late));
        assert_eq!(note.decide(withdraw(AUTHOR), still), Ok(vec![ShiftNoteEvent::Withdrawn]));
        note.evolve(&ShiftNoteEvent::Withdrawn);
        assert_eq!(note.decide(acknowledge(NEXT), still), Err(ShiftNoteRefusal::Unknown));
        assert_eq!(note.decide(withdraw(AUTHOR), still), Err(ShiftNoteRefusal::Unknown));
    }

    #[test]
    fn events_are_stored_in_forms_that_never_change() {
        let mut stored = serde_json::to_value(&write(form("东门缺车", &["W1"])).unwrap()[0]).unwrap();
        assert!(stored["data"]["by"].take().is_object());
        assert_eq!(
            stored,
            json!({"type": "shift-note.written", "data": {"id": "5", "agent": "2", "operator": "7", "by": null,
                "at": 1000, "text": "东门缺车", "bikes": ["W1"]}})
        );
        let event = ShiftNoteEvent::Acknowledged { operator: NEXT, by: name(NEXT) };
        let mut stored = serde_json::to_value(event).unwrap();
        assert!(stored["data"]["by"].take().is_object());
        assert_eq!(stored, json!({"type": "shift-note.acknowledged", "data": {"operator": "8", "by": null}}));
        let stored = serde_json::to_value(ShiftNoteEvent::Withdrawn).unwrap();
        assert_eq!(stored, json!({"type": "shift-note.withdrawn"}));
    }
}
