//! A record (访问记录): a file disclosed, masked data shown. One stream each, one event each. The same shown again to the
//! same person within [`SAME_MS`] is the same record: its stream is named by what it says. Commands that were refused are
//! shown with them, but leave no event: see [`crate::read::refusals`].

use kernel::{Aggregate, Decision, DecodeError, Recorded, events, refusals};
use serde_json::Value;
use sha2::{Digest, Sha256};
use vocabulary::{DataOwner, Timestamp};

use crate::mask;
use crate::schema::{Action, AuditSchema, Field, Fields, Text};

/// A name of a list or a thing has at most so many characters.
pub const NAME_MAX: usize = 64;
/// A filter has at most so many bytes as JSON.
pub const FILTER_MAX_BYTES: usize = 4096;
/// A file has at most so many rows.
pub const ROWS_MAX: i64 = 1_000_000;

/// What is shown again within so long is not recorded again.
pub const SAME_MS: i64 = 5 * 60_000;

/// Names a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecordId(pub i64);

impl std::fmt::Display for RecordId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

impl RecordId {
    /// The record of `event` for the person `actor` at `now`: the same for the same event within [`SAME_MS`].
    pub fn of(actor: &str, event: &RecordEvent, now: Timestamp) -> Self {
        let told = serde_json::to_vec(&(actor, now.millis().div_euclid(SAME_MS), event)).expect("plain data");
        let digest: [u8; 32] = Sha256::digest(told).into();
        let (first, _) = digest.split_first_chunk().expect("32 bytes are more than eight");
        Self((u64::from_be_bytes(*first) >> 1).cast_signed())
    }
}

/// What may be asked: to keep it.
#[derive(Clone, Debug)]
pub struct Keep {
    /// What happened.
    pub happened: Happened,
    /// Whose data the actor's records are.
    pub owner: DataOwner,
}

/// What happened, as it was told.
#[derive(Clone, Debug)]
pub enum Happened {
    /// A list left as a file.
    Exported {
        /// Which.
        what: String,
        /// Cut down to what.
        filter: Option<Value>,
        /// How many rows.
        rows: Option<i64>,
    },
    /// Masked data was shown.
    Unmasked {
        /// What.
        what: String,
        /// Whose.
        target: String,
    },
}

events! {
    /// What was kept.
    pub enum RecordEvent {
        /// A list left as a file.
        Exported {
            /// Which.
            what: String,
            /// Cut down to what; phones masked.
            filter: Option<Value>,
            /// How many rows.
            rows: Option<i64>,
            /// Whose data the record is.
            #[serde(rename = "territory")]
            owner: DataOwner,
        } = "access-record.exported",
        /// Masked data was shown.
        Unmasked {
            /// What.
            what: String,
            /// Whose.
            target: String,
            /// Whose data the record is.
            #[serde(rename = "territory")]
            owner: DataOwner,
        } = "access-record.unmasked",
    }
}

impl Keep {
    /// What will be kept, with phones masked.
    pub fn event(self) -> Result<RecordEvent, RecordRefusal> {
        let Self { happened, owner } = self;
        Ok(match happened {
            Happened::Exported { what, filter, rows } => {
                let what = named(&what, 1)?;
                if filter.as_ref().is_some_and(|filter| filter.to_string().len() > FILTER_MAX_BYTES) {
                    return Err(RecordRefusal::FilterTooLong);
                }
                if let Some(rows) = rows.filter(|rows| !(0..=ROWS_MAX).contains(rows)) {
                    return Err(RecordRefusal::BadRows(rows));
                }
                let filter = filter.map(|filter| mask::masked(&mask::marked(filter)));
                RecordEvent::Exported { what, filter, rows, owner }
            }
            Happened::Unmasked { what, target } => {
                RecordEvent::Unmasked { what: named(&what, 1)?, target: named(&target, 0)?, owner }
            }
        })
    }
}

impl RecordEvent {
    fn owner(&self) -> DataOwner {
        let (Self::Exported { owner, .. } | Self::Unmasked { owner, .. }) = self;
        *owner
    }
}

refusals! {
    /// Why it is not kept.
    pub enum RecordRefusal {
        Exists = "record-exists": ("该访问记录已存在"),
        BadName = "record-bad-name": ("导出或查看的内容名称应为 1 到 {NAME_MAX} 个字符"),
        FilterTooLong = "record-filter-too-long": ("筛选条件过长，最多 {FILTER_MAX_BYTES} 字节"),
        BadRows(i64) = "record-bad-rows": ("导出行数应在 0 到 {ROWS_MAX} 之间，不能是 {0}"),
    }
}

/// What the decision remembers: what was kept.
#[derive(Clone, Debug, Default)]
pub struct AccessRecord {
    kept: Option<RecordEvent>,
}

impl AccessRecord {
    /// What was kept; nothing yet.
    pub fn kept(&self) -> Option<&RecordEvent> {
        self.kept.as_ref()
    }
}

fn named(text: &str, least: usize) -> Result<String, RecordRefusal> {
    let text = text.trim();
    let fits = (least..=NAME_MAX).contains(&text.chars().count()) && !text.chars().any(char::is_control);
    if fits { Ok(mask::text_masked(text)) } else { Err(RecordRefusal::BadName) }
}

impl Aggregate for AccessRecord {
    const CATEGORY: &'static str = "access-record";
    type Id = RecordId;
    type Command = Keep;
    type Event = RecordEvent;
    type Refusal = RecordRefusal;

    fn decide(&self, command: Self::Command, _now: Timestamp) -> Decision<Self> {
        let event = command.event()?;
        match &self.kept {
            None => Ok(vec![event]),
            Some(kept) if *kept == event => Ok(vec![]),
            Some(_) => Err(RecordRefusal::Exists),
        }
    }

    fn evolve(&mut self, event: &RecordEvent) {
        self.kept = Some(event.clone());
    }

    fn owner(&self) -> DataOwner {
        self.kept.as_ref().map(RecordEvent::owner).unwrap_or_default()
    }
}

/// How records are shown among the others.
pub(crate) struct Record;

const ACTIONS: &[Action] = &[
    Action { stored_type: "access-record.exported", label: "导出数据" },
    Action { stored_type: "access-record.unmasked", label: "查看脱敏信息" },
    Action { stored_type: "access-record.refused", label: "操作被拒绝" },
];

const FIELDS: &[Field] = &[
    Field { key: "what", label: "内容", text: Text::Plain },
    Field { key: "target", label: "对象", text: Text::Plain },
    Field { key: "filter", label: "筛选条件", text: Text::Plain },
    Field { key: "rows", label: "行数", text: Text::Plain },
    Field { key: "status", label: "应答状态", text: Text::Plain },
    Field { key: "code", label: "拒绝代码", text: Text::Plain },
    Field { key: "reason", label: "原因", text: Text::Plain },
];

impl AuditSchema for Record {
    fn category(&self) -> &'static str {
        AccessRecord::CATEGORY
    }

    fn label(&self) -> &'static str {
        "访问记录"
    }

    fn actions(&self) -> Vec<Action> {
        ACTIONS.to_vec()
    }

    fn fields(&self) -> &'static [Field] {
        FIELDS
    }

    fn fold(&self, state: &mut Fields, event: &Recorded) -> Result<(), DecodeError> {
        let event: RecordEvent = event.decode()?;
        let mut value = mask::marked(serde_json::to_value(&event).unwrap_or_default());
        if let Some(Value::Object(data)) = value.get_mut("data") {
            data.remove("territory");
            state.append(data);
        }
        Ok(())
    }

    fn called_by(&self) -> &'static [&'static str] {
        &["what", "target"]
    }

    fn name(&self, state: &Fields) -> String {
        let text = |key: &str| state.get(key).and_then(Value::as_str).unwrap_or_default();
        format!("{} {}", text("what"), text("target")).trim().to_owned()
    }

    fn has_history(&self) -> bool {
        false
    }

    fn detail(&self, state: &Fields) -> Option<String> {
        if let Some(reason) = state.get("reason").and_then(Value::as_str) {
            return Some(reason.to_owned());
        }
        let rows = state.get("rows").and_then(Value::as_i64).map(|rows| format!("{rows} 行"));
        let filter =
            state.get("filter").filter(|filter| !filter.is_null()).map(|filter| format!("条件 {filter}"));
        let target = state.get("target").and_then(Value::as_str).map(|target| format!("对象 {target}"));
        Some([rows, filter, target].into_iter().flatten().collect::<Vec<_>>().join("，"))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use vocabulary::AgentId;

    use super::*;

    fn keep(happened: Happened) -> Result<Vec<RecordEvent>, RecordRefusal> {
        let keep = Keep { happened, owner: DataOwner::of_agent(AgentId(2)) };
        AccessRecord::default().decide(keep, Timestamp::from_millis(0))
    }

    fn export(what: &str, filter: Value, rows: i64) -> Happened {
        Happened::Exported { what: what.to_owned(), filter: Some(filter), rows: Some(rows) }
    }

    #[test]
    fn an_export_is_kept_with_phones_masked() {
        let events = keep(export(" operator ", json!({"keyword": "13812348888"}), 12)).unwrap();
        let stored = serde_json::to_value(&events[0]).unwrap();
        assert_eq!(
            stored,
            json!({"type": "access-record.exported", "data": {"what": "operator",
                "filter": {"keyword": "138****8888"}, "rows": 12, "territory": {"agent": "2", "area": null}}})
        );
        assert_eq!(serde_json::from_value::<RecordEvent>(stored).unwrap(), events[0]);
    }

    #[test]
    fn what_nobody_could_read_later_is_refused() {
        assert_eq!(keep(export(" ", json!({}), 1)), Err(RecordRefusal::BadName));
        assert_eq!(keep(export(&"名".repeat(65), json!({}), 1)), Err(RecordRefusal::BadName));
        assert_eq!(keep(export("role", json!("x".repeat(5000)), 1)), Err(RecordRefusal::FilterTooLong));
        assert_eq!(keep(export("role", json!({}), -1)), Err(RecordRefusal::BadRows(-1)));
    }

    #[test]
    fn a_record_is_made_once_and_the_same_again_is_no_other() {
        let mut record = AccessRecord::default();
        record.evolve(&keep(export("role", json!({}), 1)).unwrap()[0]);
        let owner = DataOwner::of_agent(AgentId(2));
        let again = |what| Keep { happened: export(what, json!({}), 1), owner };
        assert_eq!(record.decide(again("role"), Timestamp::from_millis(0)), Ok(vec![]));
        assert_eq!(record.decide(again("user"), Timestamp::from_millis(0)), Err(RecordRefusal::Exists));
        assert_eq!(record.owner(), owner);
    }

    #[test]
    fn a_record_is_named_by_what_it_says_who_took_it_and_about_when() {
        let event = |what| keep(export(what, json!({"state": "1"}), 1)).unwrap().remove(0);
        let at = |ms| Timestamp::from_millis(1_800_000_000_000 + ms);
        let id = RecordId::of("o:1", &event("role"), at(0));
        assert_eq!(id, RecordId::of("o:1", &event("role"), at(SAME_MS - 1)));
        let others = [
            RecordId::of("o:2", &event("role"), at(0)),
            RecordId::of("o:1", &event("user"), at(0)),
            RecordId::of("o:1", &event("role"), at(SAME_MS)),
        ];
        assert!(others.iter().all(|other| *other != id) && id.0 >= 0);
    }
}
