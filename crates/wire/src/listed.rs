//! What the lists of all contexts share: values that a query gives as text, and a page of rows.

use kernel::List;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use vocabulary::{COUNT_CAP, Page, Rows};

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
    /// The `place` of a page: what comes after it, whatever came or went meanwhile. Then `page` is not looked at.
    after: Option<String>,
}

impl PageQuery {
    /// The page, within its bounds.
    pub fn page(&self) -> Page {
        let number = if self.after().is_some() { None } else { self.page };
        Page::new(number, self.page_size)
    }

    /// The place after which the page begins.
    pub fn after(&self) -> Option<&str> {
        given(self.after.as_ref())
    }

    /// The page, which is told by its number up to where rows are counted only.
    pub fn bounded(&self) -> Result<Page, Refused> {
        let page = self.page();
        if self.after().is_none() && page.is_beyond_count() {
            return Err(Refused::malformed(format!(
                "按页码最多翻到前 {COUNT_CAP} 条：请用“下一页”继续，或缩小筛选范围"
            )));
        }
        Ok(page)
    }

    /// The page of `list` that is asked for: by its number up to where rows are counted, by the place before it anywhere.
    pub fn of(&self, list: List) -> Result<(List, Page), Refused> {
        let page = self.bounded()?;
        let Some(place) = self.after() else { return Ok((list, page)) };
        Ok((list.after(place).map_err(|error| Refused::malformed(error.to_string()))?, page))
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
    /// The place behind the last row, to be asked for as `after`; absent where nothing follows or the list has no places.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<String>,
}

impl<T> PageOf<T> {
    /// The same page of other rows.
    pub fn with<R>(self, rows: Vec<R>) -> PageOf<R> {
        PageOf { rows, count: self.count, capped: self.capped, place: self.place }
    }
}

impl<T> From<Rows<T>> for PageOf<T> {
    fn from(rows: Rows<T>) -> Self {
        Self { rows: rows.rows, count: rows.count, capped: rows.capped, place: rows.next }
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
