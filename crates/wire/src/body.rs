//! Extractors of the plain query and body, with refusals in Chinese.

use axum::extract::{FromRequest, FromRequestParts, Request};
use axum::http::request::Parts;
use serde::de::DeserializeOwned;
use serde_json::error::Category;

use crate::Refused;

/// The query, as a struct. What is given without a value is not given: forms send their empty fields along.
#[derive(Clone, Copy, Debug)]
pub struct Params<T>(pub T);

/// `query` without the pairs that have no value.
fn without_empty(query: &str) -> String {
    let has_value =
        |pair: &&str| pair.split_once('=').is_some_and(|(_, value)| !value.trim_matches('+').is_empty());
    query.split('&').filter(has_value).collect::<Vec<_>>().join("&")
}

impl<T: DeserializeOwned, S: Sync> FromRequestParts<S> for Params<T> {
    type Rejection = Refused;

    async fn from_request_parts(parts: &mut Parts, _state: &S) -> Result<Self, Refused> {
        let given = without_empty(parts.uri.query().unwrap_or_default());
        let malformed = |text: &str| Refused::malformed(format!("请求参数不正确：{}", in_chinese(text)));
        let uri = format!("/?{given}").parse().map_err(|_| malformed(""))?;
        axum::extract::Query::<T>::try_from_uri(&uri)
            .map(|query| Self(query.0))
            .map_err(|error| malformed(&error.body_text()))
    }
}

/// The JSON body, as a struct. An empty body is read as `{}`.
#[derive(Clone, Copy, Debug)]
pub struct Body<T>(pub T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for Body<T> {
    type Rejection = Refused;

    async fn from_request(request: Request, state: &S) -> Result<Self, Refused> {
        let bytes = bytes::Bytes::from_request(request, state)
            .await
            .map_err(|_| Refused::malformed("请求内容不完整"))?;
        let bytes = if bytes.is_empty() { b"{}".as_slice() } else { &bytes };
        serde_json::from_slice(bytes)
            .map(Self)
            .map_err(|error| Refused::malformed(format!("请求内容不正确：{}", of_json(&error))))
    }
}

/// Names of fields are shown up to so many characters.
const NAME_MAX: usize = 64;

/// What the JSON parser says, with the place.
fn of_json(error: &serde_json::Error) -> String {
    let place = match (error.line(), error.column()) {
        (0, _) => String::new(),
        (line, column) => format!("（第 {line} 行第 {column} 列）"),
    };
    let what = match error.classify() {
        Category::Data => in_chinese(&error.to_string()),
        Category::Eof => "不完整".to_owned(),
        Category::Syntax | Category::Io => "不是有效的 JSON".to_owned(),
    };
    format!("{what}{place}")
}

/// What a parser says in English, for people. Names of fields stay.
fn in_chinese(error: &str) -> String {
    let named = |start: &str| {
        let name = error.split_once(start)?.1.split('`').next()?;
        Some(name.chars().filter(|c| !c.is_control()).take(NAME_MAX).collect::<String>())
    };
    if let Some(name) = named("missing field `") {
        return format!("缺少 {name}");
    }
    if let Some(name) = named("duplicate field `") {
        return format!("{name} 重复");
    }
    if let Some(name) = named("unknown field `") {
        return format!("没有名为 {name} 的字段");
    }
    if error.contains("unknown variant `") {
        return "取值不在允许的范围内".to_owned();
    }
    // "Failed to deserialize query string: minutes: invalid digit found in string"
    let of_field = error.strip_prefix("Failed to deserialize query string: ").and_then(|rest| {
        let name = rest.split_once(": ")?.0;
        let plain = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        (plain && (1..=NAME_MAX).contains(&name.len())).then_some(name)
    });
    of_field.map_or_else(|| "字段的类型或取值不正确".to_owned(), |name| format!("{name} 的取值不正确"))
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::*;

    #[derive(Debug, Deserialize)]
    #[expect(dead_code, reason = "only parsed")]
    struct Fields {
        id: String,
        minutes: Option<u32>,
    }

    fn of_body(text: &str) -> String {
        of_json(&serde_json::from_str::<Fields>(text).unwrap_err())
    }

    fn of_query(query: &str) -> String {
        let uri = format!("/x?{query}").parse().unwrap();
        in_chinese(&axum::extract::Query::<Fields>::try_from_uri(&uri).unwrap_err().body_text())
    }

    #[test]
    fn what_cannot_be_read_is_told_in_chinese_with_the_field_or_the_place() {
        assert_eq!(of_body("{}"), "缺少 id（第 1 行第 2 列）");
        assert_eq!(of_body(r#"{"id": 1}"#), "字段的类型或取值不正确（第 1 行第 8 列）");
        assert_eq!(of_body(r#"{"id": "1", "id": "2"}"#), "id 重复（第 1 行第 16 列）");
        assert_eq!(of_body(r#"{"id":"#), "不完整（第 1 行第 6 列）");
        assert_eq!(of_body("id=1"), "不是有效的 JSON（第 1 行第 1 列）");
        assert_eq!(of_query("minutes=1"), "缺少 id");
        assert_eq!(of_query("id=1&minutes=soon"), "minutes 的取值不正确");
    }
}
