//! What the lists of all contexts share: values that a query gives as text, and a page of rows.

use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use vocabulary::{Page, Rows};

use crate::Refused;

/// Nothing to tell.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
pub struct Nothing {}

/// The id of what was made.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct MadeId {
    /// As text.
    pub id: String,
}

/// Which record is meant.
#[derive(Clone, Copy, Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct ById<Id: ToSchema> {
    /// The record's id.
    pub id: Id,
}

/// A record as it shall be: all that people fill in.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct Changed<Id, Form> {
    /// The record's id.
    pub id: Id,
    /// Its content.
    #[serde(flatten)]
    pub form: Form,
    /// The version that the editor saw; another one is refused.
    pub version: i64,
}

/// Which page of a list is asked for, beside what the list is cut down to.
#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub struct PageQuery {
    /// 1-based, default 1.
    page: Option<u32>,
    /// Default 10, at most 200.
    page_size: Option<u32>,
}

impl PageQuery {
    /// The page, within its bounds.
    pub fn page(&self) -> Page {
        Page::new(self.page, self.page_size)
    }
}

/// A page of rows and how many there are in all, counted honestly up to 10000.
#[derive(Debug, Serialize, ToSchema)]
pub struct PageOf<T> {
    /// The rows of this page.
    pub rows: Vec<T>,
    /// How many rows match, at most 10000.
    pub count: i64,
    /// Whether there are more than `count`.
    pub capped: bool,
}

impl<T> From<Rows<T>> for PageOf<T> {
    fn from(rows: Rows<T>) -> Self {
        Self { rows: rows.rows, count: rows.count, capped: rows.capped }
    }
}

/// An optional query value; empty means absent.
pub fn given(text: Option<&String>) -> Option<&str> {
    text.map(|text| text.trim()).filter(|text| !text.is_empty())
}

/// A number that a query gives as text; empty means absent. Anything else is malformed.
pub fn number<T: std::str::FromStr>(name: &str, text: Option<&String>) -> Result<Option<T>, Refused> {
    let wrong = |_| Refused::malformed(format!("请求参数 {name} 格式不正确"));
    given(text).map(|text| text.parse().map_err(wrong)).transpose()
}
