//! What changed between two states, in words.

use std::collections::BTreeSet;

use serde::Serialize;
use serde_json::{Value, json};
use utoipa::ToSchema;

use crate::mask;
use crate::schema::{AuditSchema, Field, Fields, Text};
use crate::words::{self, Names};

/// A value longer than this, as JSON, is not kept in a row; the log has it.
const VALUE_MAX_BYTES: usize = 4096;
/// A line of detail has at most so many characters.
const DETAIL_MAX: usize = 300;
/// A line of detail shows so many characters of a value.
const VALUE_SHOWN: usize = 40;

/// One changed field.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Change {
    /// Its key.
    pub field: String,
    /// As people read it.
    pub label: String,
    /// What it was, masked; null: it was not there.
    #[schema(value_type = Object)]
    pub before: Value,
    /// What it is, masked; null: it is not there.
    #[schema(value_type = Object)]
    pub after: Value,
    /// `before` in words.
    pub before_text: String,
    /// `after` in words.
    pub after_text: String,
    /// Of lists: what came, in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub added: Option<Vec<String>>,
    /// Of lists: what went, in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub removed: Option<Vec<String>>,
}

/// One field of a whole state.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct StateField {
    /// Its key.
    pub field: String,
    /// As people read it.
    pub label: String,
    /// Its value, masked.
    #[schema(value_type = Object)]
    pub value: Value,
    /// In words.
    pub text: String,
    /// Of lists: the entries in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub items: Option<Vec<String>>,
}

/// The fields that differ: as they were, as they are. Found on the true values, given masked.
pub fn changed(schema: &dyn AuditSchema, before: &Fields, after: &Fields) -> (Fields, Fields) {
    let keys: BTreeSet<&String> = before.keys().chain(after.keys()).collect();
    let mut differ = (Fields::new(), Fields::new());
    for key in keys {
        let (was, is) = (before.get(key), after.get(key));
        if was == is {
            continue;
        }
        for (value, side) in [(was, &mut differ.0), (is, &mut differ.1)] {
            // Null is "not there" to people.
            if let Some(value) = value.filter(|value| !value.is_null()) {
                side.insert(key.clone(), shown(field(schema, key), value));
            }
        }
    }
    differ
}

/// A state as it may be shown: masked, hidden fields emptied.
pub fn shown_state(schema: &dyn AuditSchema, state: &Fields) -> Fields {
    state.iter().map(|(key, value)| (key.clone(), hidden_or_masked(field(schema, key), value))).collect()
}

fn field<'a>(schema: &'a dyn AuditSchema, key: &str) -> Option<&'a Field> {
    schema.fields().iter().find(|field| field.key == key)
}

fn hidden_or_masked(field: Option<&Field>, value: &Value) -> Value {
    match field.map(|field| field.text) {
        Some(Text::Hidden) => json!("***"),
        Some(Text::Plain) | None => mask::masked(value),
        // Ids, numbers and moments hold no personal data, and an id may look like a phone.
        Some(_) => value.clone(),
    }
}

/// As rows keep it: what is too long is left to the log.
fn shown(field: Option<&Field>, value: &Value) -> Value {
    let value = hidden_or_masked(field, value);
    let length = value.to_string().len();
    if length <= VALUE_MAX_BYTES {
        return value;
    }
    let list = value.get("corners").unwrap_or(&value);
    let entries = list.as_array().map(Vec::len).or_else(|| list.as_object().map(serde_json::Map::len));
    json!({ "$omitted": { "bytes": length, "entries": entries } })
}

/// Keys in the order in which people read them.
fn ordered<'a>(schema: &'a dyn AuditSchema, states: &[&'a Fields]) -> Vec<(&'a str, &'a str, Text)> {
    let there = |key: &str| states.iter().any(|state| state.contains_key(key));
    let known = schema.fields().iter().filter(|field| there(field.key));
    let mut keys: Vec<(&str, &str, Text)> = known.map(|field| (field.key, field.label, field.text)).collect();
    let rest: BTreeSet<&str> = states
        .iter()
        .flat_map(|state| state.keys().map(String::as_str))
        .filter(|key| field(schema, key).is_none())
        .collect();
    keys.extend(rest.into_iter().map(|key| (key, key, Text::Plain)));
    keys
}

/// Changed fields (as [`changed`] gave them) in words.
pub fn changes(schema: &dyn AuditSchema, before: &Fields, after: &Fields, names: &Names) -> Vec<Change> {
    let null = Value::Null;
    let change = |(key, label, how): (&str, &str, Text)| {
        let (was, is) = (before.get(key).unwrap_or(&null), after.get(key).unwrap_or(&null));
        let lists = (words::items(was, how, names), words::items(is, how, names));
        let (added, removed) = match lists {
            (None, None) => (None, None),
            (was, is) => {
                let (was, is) = (was.unwrap_or_default(), is.unwrap_or_default());
                (Some(only_in(&is, &was)), Some(only_in(&was, &is)))
            }
        };
        Change {
            field: key.to_owned(),
            label: label.to_owned(),
            before: was.clone(),
            after: is.clone(),
            before_text: words::text(was, how, names),
            after_text: words::text(is, how, names),
            added,
            removed,
        }
    };
    ordered(schema, &[before, after]).into_iter().map(change).collect()
}

fn only_in(these: &[String], those: &[String]) -> Vec<String> {
    let those: BTreeSet<&String> = those.iter().collect();
    these.iter().filter(|one| !those.contains(one)).cloned().collect()
}

/// A whole state (as [`shown_state`] gave it) in words.
pub fn state_fields(schema: &dyn AuditSchema, state: &Fields, names: &Names) -> Vec<StateField> {
    ordered(schema, &[state])
        .into_iter()
        .filter_map(|(key, label, how)| {
            let value = state.get(key).filter(|value| !value.is_null())?;
            Some(StateField {
                field: key.to_owned(),
                label: label.to_owned(),
                value: value.clone(),
                text: words::text(value, how, names),
                items: words::items(value, how, names),
            })
        })
        .collect()
}

/// What changed, in one line.
pub fn line(changes: &[Change]) -> String {
    let part = |change: &Change| {
        let label = &change.label;
        let (was, is) =
            (words::cut(&change.before_text, VALUE_SHOWN), words::cut(&change.after_text, VALUE_SHOWN));
        match (&change.added, &change.removed) {
            _ if change.before.is_null() => format!("{label}：{is}"),
            _ if change.after.is_null() => format!("{label}：{was} → 无"),
            (Some(added), Some(removed)) if !(added.is_empty() && removed.is_empty()) => {
                let told = |sign: &str, items: &[String]| match items {
                    [] => String::new(),
                    items => format!("{sign}{}", words::cut(&items.join("、"), VALUE_SHOWN)),
                };
                let both = [told("增加 ", added), told("减少 ", removed)];
                let both: Vec<&str> = both.iter().map(String::as_str).filter(|one| !one.is_empty()).collect();
                format!("{label}：{}", both.join("，"))
            }
            _ => format!("{label}：{was} → {is}"),
        }
    };
    words::cut(&changes.iter().map(part).collect::<Vec<_>>().join("；"), DETAIL_MAX)
}

#[cfg(test)]
mod tests {
    use kernel::{DecodeError, Recorded};

    use super::*;
    use crate::schema::Action;

    struct Card;

    impl AuditSchema for Card {
        fn category(&self) -> &'static str {
            "card"
        }
        fn label(&self) -> &'static str {
            "卡"
        }
        fn actions(&self) -> Vec<Action> {
            Vec::new()
        }
        fn fields(&self) -> &'static [Field] {
            &[
                Field { key: "name", label: "名称", text: Text::Plain },
                Field { key: "codes", label: "权限", text: Text::Plain },
                Field { key: "token", label: "令牌", text: Text::Hidden },
                Field { key: "on", label: "状态", text: Text::Switch("启用", "停用") },
            ]
        }
        fn fold(&self, _state: &mut Fields, _event: &Recorded) -> Result<(), DecodeError> {
            Ok(())
        }
        fn name(&self, _state: &Fields) -> String {
            String::new()
        }
    }

    fn fields(value: Value) -> Fields {
        let Value::Object(fields) = value else { panic!("an object") };
        fields
    }

    fn told(before: Value, after: Value) -> Vec<Change> {
        let (before, after) = changed(&Card, &fields(before), &fields(after));
        changes(&Card, &before, &after, &Names::default())
    }

    #[test]
    fn only_what_changed_is_told_in_the_order_of_the_form() {
        let before = json!({"on": true, "name": "客服", "codes": ["0401", "1601"], "extra": 1, "same": "x"});
        let after =
            json!({"on": false, "name": "客服组", "codes": ["0401", "0701"], "extra": 2, "same": "x"});
        let changes = told(before, after);
        let labels: Vec<&str> = changes.iter().map(|change| change.label.as_str()).collect();
        assert_eq!(labels, ["名称", "权限", "状态", "extra"]);
        assert_eq!(changes[1].added.as_deref(), Some(["0701".to_owned()].as_slice()));
        assert_eq!(changes[1].removed.as_deref(), Some(["1601".to_owned()].as_slice()));
        assert_eq!(
            line(&changes),
            "名称：客服 → 客服组；权限：增加 0701，减少 1601；状态：启用 → 停用；extra：1 → 2"
        );
    }

    #[test]
    fn a_change_that_the_mask_hides_is_still_a_change() {
        let name = |text: &str| json!({"name": {"$personal": text}, "token": text});
        let changes = told(name("王芳"), name("王莉"));
        assert_eq!((&changes[0].before_text, &changes[0].after_text), (&"王*".to_owned(), &"王*".to_owned()));
        assert_eq!(changes[1].after_text, "（不显示）");
        assert!(!serde_json::to_string(&changes).unwrap().contains("王莉"));
    }

    #[test]
    fn what_was_made_is_told_without_arrows_and_null_is_nothing() {
        let changes = told(json!({}), json!({"name": "客服", "on": true, "extra": null}));
        assert_eq!(line(&changes), "名称：客服；状态：启用");
    }

    #[test]
    fn a_value_too_long_for_a_row_is_left_to_the_log() {
        let (_, after) = changed(&Card, &Fields::new(), &fields(json!({"extra": vec!["x"; 2000]})));
        assert_eq!(after["extra"]["$omitted"]["entries"], 2000);
    }
}
