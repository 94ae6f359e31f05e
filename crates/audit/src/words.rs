//! Values put into words.

use std::collections::{BTreeSet, HashMap};

use serde_json::Value;
use vocabulary::Timestamp;

use crate::schema::{Field, Fields, Text};

/// A text in the words of a value has at most so many characters.
const TEXT_MAX: usize = 500;
/// A list shows so many of its entries.
const ITEMS_MAX: usize = 1000;
/// So many names are looked up for one answer.
const NAMES_MAX: usize = 2000;

/// Names of things, as far as the caller may see them: by category and id.
#[derive(Debug, Default)]
pub struct Names(HashMap<(String, String), String>);

impl Names {
    /// From rows of category, id and name.
    pub fn new(rows: impl IntoIterator<Item = (String, String, String)>) -> Self {
        Self(rows.into_iter().map(|(category, id, name)| ((category, id), name)).collect())
    }

    fn of(&self, category: &str, id: &str) -> Option<&str> {
        // A map of pairs of strings asks for a pair of strings.
        self.0.get(&(category.to_owned(), id.to_owned())).map(String::as_str).filter(|name| !name.is_empty())
    }
}

/// Categories and ids that the fields of `state` name.
pub fn named_in(fields: &[Field], state: &Fields, into: &mut BTreeSet<(String, String)>) {
    for field in fields {
        let (Text::Of(category), Some(value)) = (field.text, state.get(field.key)) else { continue };
        let one = |value: &Value| scalar(value).filter(|id| !id.is_empty());
        let ids: Vec<String> = match value {
            Value::Array(items) => items.iter().filter_map(one).collect(),
            value => one(value).into_iter().collect(),
        };
        for id in ids {
            if into.len() >= NAMES_MAX {
                return;
            }
            into.insert((category.to_owned(), id));
        }
    }
}

/// `text`, cut to `max` characters with a mark that it was.
pub fn cut(text: &str, max: usize) -> String {
    if text.chars().count() <= max {
        return text.to_owned();
    }
    text.chars().take(max.saturating_sub(1)).chain(['…']).collect()
}

/// `value` in words; empty when there is none.
pub fn text(value: &Value, how: Text, names: &Names) -> String {
    match items(value, how, names) {
        Some(items) if items.is_empty() => "（空）".to_owned(),
        Some(items) => cut(&items.join("、"), TEXT_MAX),
        None => cut(&one(value, how, names), TEXT_MAX),
    }
}

/// The entries of a list in words; nothing when `value` is none.
pub fn items(value: &Value, how: Text, names: &Names) -> Option<Vec<String>> {
    match (value, how) {
        (_, Text::Ring | Text::Hidden) => None,
        (Value::Array(items), how) => {
            Some(items.iter().take(ITEMS_MAX).map(|item| one(item, how, names)).collect())
        }
        (Value::Object(fields), how) if !fields.is_empty() && fields.values().all(Value::is_object) => {
            Some(fields.values().take(ITEMS_MAX).map(|item| one(item, how, names)).collect())
        }
        _ => None,
    }
}

fn scalar(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

fn number(value: &Value) -> Option<i64> {
    value.as_i64().or_else(|| value.as_str()?.parse().ok())
}

fn one(value: &Value, how: Text, names: &Names) -> String {
    if value.is_null() {
        return String::new();
    }
    match how {
        Text::Hidden => "（不显示）".to_owned(),
        Text::Switch(on, off) => {
            value.as_bool().map_or_else(|| plain(value), |set| if set { on } else { off }.to_owned())
        }
        Text::Named(label) => scalar(value).and_then(|text| label(&text)).unwrap_or_else(|| plain(value)),
        Text::Moment => number(value).map_or_else(|| plain(value), |at| Timestamp::from_millis(at).local()),
        Text::Ring => format!("{} 个顶点", corners(value)),
        Text::Of(_) if value == "all" => "全部".to_owned(),
        Text::Of(category) => {
            let id = scalar(value).unwrap_or_else(|| plain(value));
            names.of(category, &id).map_or(id, str::to_owned)
        }
        Text::Plain => plain(value),
    }
}

/// How many corners a ring has, also one that was too long to be kept.
fn corners(value: &Value) -> usize {
    let list = value.get("corners").unwrap_or(value);
    list.as_array()
        .map(Vec::len)
        .or_else(|| Some(usize::try_from(value.get("$omitted")?.get("entries")?.as_u64()?).unwrap_or(0)))
        .unwrap_or(0)
}

fn plain(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::Bool(set) => if *set { "是" } else { "否" }.to_owned(),
        Value::Number(number) => number.to_string(),
        Value::String(text) => text.clone(),
        Value::Array(items) => items.iter().map(plain).collect::<Vec<_>>().join("、"),
        Value::Object(fields) if fields.contains_key("$omitted") => "（内容过长）".to_owned(),
        Value::Object(fields) => {
            fields.values().map(plain).filter(|text| !text.is_empty()).collect::<Vec<_>>().join(" · ")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn ids_are_told_by_name_where_the_name_may_be_seen() {
        let names = Names::new([("operator".to_owned(), "7".to_owned(), "王芳".to_owned())]);
        assert_eq!(text(&json!(["7", "8"]), Text::Of("operator"), &names), "王芳、8");
        assert_eq!(text(&json!("all"), Text::Of("agent"), &names), "全部");
    }

    #[test]
    fn values_are_told_in_words() {
        let names = Names::default();
        let tier = |text: &str| (text == "2").then(|| "运营".to_owned());
        assert_eq!(text(&json!(2), Text::Named(tier), &names), "运营");
        assert_eq!(text(&json!(3), Text::Named(tier), &names), "3");
        assert_eq!(text(&json!(true), Text::Switch("启用", "停用"), &names), "启用");
        assert_eq!(text(&json!(1_700_000_000_000_i64), Text::Moment, &names), "2023-11-15 06:13:20");
        assert_eq!(text(&json!({"corners": [1, 2, 3]}), Text::Ring, &names), "3 个顶点");
        assert_eq!(text(&json!({"$omitted": {"entries": 480}}), Text::Ring, &names), "480 个顶点");
        assert_eq!(text(&json!("abcdef"), Text::Hidden, &names), "（不显示）");
        assert_eq!(text(&json!([]), Text::Plain, &names), "（空）");
        assert_eq!(text(&Value::Null, Text::Plain, &names), "");
        let devices =
            json!({"1": {"name": "Chrome", "state": "已授权"}, "2": {"name": "Edge", "state": "待授权"}});
        assert_eq!(text(&devices, Text::Plain, &names), "Chrome · 已授权、Edge · 待授权");
    }

    #[test]
    fn a_long_text_is_cut_and_says_so() {
        assert_eq!(cut("一二三四", 3), "一二…");
        assert_eq!(cut("一二三", 3), "一二三");
    }
}
