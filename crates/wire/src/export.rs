//! Lists as files: CSV that a spreadsheet opens, kept on record before it leaves.

use std::fmt::Write;

use axum::body::Body;
use axum::http::HeaderValue;
use axum::http::header::{CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_TYPE, HeaderName};
use axum::response::{IntoResponse, Response};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::IntoParams;
use vocabulary::Timestamp;

use crate::{Disclosed, Disclosure, Refused};

/// A file has at most so many rows; longer lists are for a narrower filter.
pub const EXPORT_ROWS: usize = 50_000;

/// Rows that are read for a file: one more tells that there are more.
pub const EXPORT_ROWS_READ: i64 = EXPORT_ROWS as i64 + 1;

/// How many rows the file has.
pub(crate) const ROWS: HeaderName = HeaderName::from_static("x-rows");
/// `true` when there are more rows than the file has.
pub(crate) const CAPPED: HeaderName = HeaderName::from_static("x-capped");

/// A column: how the page asks for it, its head in Chinese, and what stands in it.
pub struct Column<Row> {
    key: &'static str,
    title: &'static str,
    cell: Cell<Row>,
}

enum Cell<Row> {
    Text(fn(&Row) -> &str),
    Made(fn(&Row) -> String),
    Enabled(fn(&Row) -> bool),
    Count(fn(&Row) -> i64),
    Time(fn(&Row) -> Option<i64>),
    Hundredths(fn(&Row) -> i64, &'static str),
}

impl<Row> Column<Row> {
    const fn new(key: &'static str, title: &'static str, cell: Cell<Row>) -> Self {
        Self { key, title, cell }
    }

    /// A text that the row has.
    pub const fn text(key: &'static str, title: &'static str, text: fn(&Row) -> &str) -> Self {
        Self::new(key, title, Cell::Text(text))
    }

    /// A text made of the row.
    pub const fn made(key: &'static str, title: &'static str, text: fn(&Row) -> String) -> Self {
        Self::new(key, title, Cell::Made(text))
    }

    /// Whether it is enabled (启用) or not (停用).
    pub const fn enabled(key: &'static str, title: &'static str, enabled: fn(&Row) -> bool) -> Self {
        Self::new(key, title, Cell::Enabled(enabled))
    }

    /// A count.
    pub const fn count(key: &'static str, title: &'static str, count: fn(&Row) -> i64) -> Self {
        Self::new(key, title, Cell::Count(count))
    }

    /// A moment, epoch milliseconds, written in local time.
    pub const fn time(key: &'static str, title: &'static str, at_ms: fn(&Row) -> Option<i64>) -> Self {
        Self::new(key, title, Cell::Time(at_ms))
    }

    /// Cents, written as yuan.
    pub const fn money(key: &'static str, title: &'static str, cents: fn(&Row) -> i64) -> Self {
        Self::new(key, title, Cell::Hundredths(cents, ""))
    }

    /// Ten-thousandths, written as a percentage.
    pub const fn percent(key: &'static str, title: &'static str, basis_points: fn(&Row) -> i64) -> Self {
        Self::new(key, title, Cell::Hundredths(basis_points, "%"))
    }

    fn written(&self, row: &Row) -> String {
        match self.cell {
            Cell::Text(text) => text(row).to_owned(),
            Cell::Made(text) => text(row),
            Cell::Enabled(enabled) => if enabled(row) { "启用" } else { "停用" }.to_owned(),
            Cell::Count(count) => count(row).to_string(),
            Cell::Time(at_ms) => at_ms(row).map_or_else(String::new, |at| Timestamp::from_millis(at).local()),
            Cell::Hundredths(value, unit) => hundredths(value(row), unit),
        }
    }
}

fn hundredths(value: i64, unit: &str) -> String {
    let sign = if value < 0 { "-" } else { "" };
    format!("{sign}{}.{:02}{unit}", value.unsigned_abs() / 100, value.unsigned_abs() % 100)
}

/// What a file is.
#[derive(Clone, Copy, Debug)]
pub struct FileKind {
    /// Of its name.
    pub ending: &'static str,
    /// As browsers are told.
    pub media_type: &'static str,
}

const CSV: FileKind = FileKind { ending: "csv", media_type: "text/csv; charset=utf-8" };

/// A list as a file.
pub struct Export<Row: 'static> {
    /// Which list, as the operator log names it.
    pub what: &'static str,
    /// The file's name, in Chinese.
    pub title: &'static str,
    /// All columns, in order.
    pub columns: &'static [Column<Row>],
}

impl<Row> std::fmt::Debug for Export<Row> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Export").field("what", &self.what).finish_non_exhaustive()
    }
}

/// Which columns are asked for, beside the list's own query.
#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct ExportColumns {
    /// Keys of columns with commas between them; all without it.
    pub columns: Option<String>,
}

impl<Row> Export<Row> {
    /// Notes who takes the rows away, then hands them out. `filter` is what the list was cut down to. Of more than
    /// [`EXPORT_ROWS`] rows the first ones are disclosed.
    pub async fn hand_out<F: Serialize>(
        &self,
        disclosure: &Disclosure,
        columns: &ExportColumns,
        filter: &F,
        rows: &[Row],
    ) -> Result<Response, Refused> {
        let chosen = self.chosen(columns.columns.as_deref())?;
        self.hand_out_as(disclosure, filter, rows, CSV, |rows| Ok(csv(&chosen, rows))).await
    }

    /// The same as a file of another kind, which is `written` of the rows.
    pub async fn hand_out_as<F: Serialize>(
        &self,
        disclosure: &Disclosure,
        filter: &F,
        rows: &[Row],
        kind: FileKind,
        written: impl FnOnce(&[Row]) -> Result<Vec<u8>, Refused>,
    ) -> Result<Response, Refused> {
        let capped = rows.len() > EXPORT_ROWS;
        let rows = &rows[..rows.len().min(EXPORT_ROWS)];
        let count = i64::try_from(rows.len()).map_err(Refused::internal)?;
        let filter = Some(said(serde_json::to_value(filter).map_err(Refused::internal)?));
        let file = written(rows)?;
        disclosure.note(Disclosed::Export { what: self.what.to_owned(), filter, rows: Some(count) }).await?;
        let mut response = Body::from(file).into_response();
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(kind.media_type));
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
        headers.insert(CONTENT_DISPOSITION, self.disposition(disclosure.now(), kind.ending)?);
        headers.insert(ROWS, HeaderValue::from(count));
        headers.insert(CAPPED, HeaderValue::from_static(if capped { "true" } else { "false" }));
        Ok(response)
    }

    fn chosen(&self, columns: Option<&str>) -> Result<Vec<&'static Column<Row>>, Refused> {
        let Some(asked) = columns else { return Ok(self.columns.iter().collect()) };
        let asked: Vec<&str> = asked.split(',').collect();
        let known = |key: &&str| self.columns.iter().any(|column| column.key == *key);
        if asked.iter().all(known) {
            // In the list's order, each once.
            return Ok(self.columns.iter().filter(|column| asked.contains(&column.key)).collect());
        }
        Err(Refused::malformed("请求参数 columns 中有不认识的列"))
    }

    /// The name with the date, for browsers old and new.
    fn disposition(&self, now: Timestamp, ending: &str) -> Result<HeaderValue, Refused> {
        let stamp: String = now.local().chars().filter(char::is_ascii_digit).collect();
        let mut name = String::new();
        for byte in self.title.bytes() {
            let _ = write!(name, "%{byte:02X}");
        }
        let what = self.what;
        HeaderValue::try_from(format!(
            "attachment; filename=\"{what}-{stamp}.{ending}\"; filename*=UTF-8''{name}-{stamp}.{ending}"
        ))
        .map_err(Refused::internal)
    }
}

/// A filter without what was not said.
fn said(filter: Value) -> Value {
    match filter {
        Value::Object(fields) => {
            let said = |value: &Value| !value.is_null() && value.as_str() != Some("");
            Value::Object(fields.into_iter().filter(|(_, value)| said(value)).collect())
        }
        other => other,
    }
}

/// Rows as CSV with a head. The mark at the start tells spreadsheets that it is UTF-8.
fn csv<Row>(columns: &[&Column<Row>], rows: &[Row]) -> Vec<u8> {
    let mut text = String::from("\u{feff}");
    let mut line = |cells: &mut dyn Iterator<Item = String>| {
        for (number, cell) in cells.enumerate() {
            if number > 0 {
                text.push(',');
            }
            push_cell(&mut text, &cell);
        }
        text.push_str("\r\n");
    };
    line(&mut columns.iter().map(|column| column.title.to_owned()));
    for row in rows {
        line(&mut columns.iter().map(|column| column.written(row)));
    }
    text.into_bytes()
}

/// One cell. A spreadsheet takes text that begins so for a formula; a quote before it makes it text. Numbers are none.
fn push_cell(into: &mut String, cell: &str) {
    let is_number =
        cell.len() < 32 && cell.bytes().all(|byte| byte.is_ascii_digit() || b"+-.".contains(&byte));
    let formula = cell.starts_with(['=', '+', '-', '@', '\t', '\r', '\n'])
        && !(is_number && cell.parse::<f64>().is_ok());
    let quoted = cell.contains([',', '"', '\r', '\n']);
    if quoted {
        into.push('"');
    }
    if formula {
        into.push('\'');
    }
    if quoted {
        into.push_str(&cell.replace('"', "\"\""));
        into.push('"');
    } else {
        into.push_str(cell);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    struct Stall {
        name: &'static str,
        sold: i64,
    }

    const STALLS: Export<Stall> = Export {
        what: "stall",
        title: "摊位",
        columns: &[
            Column::text("name", "名称", |row| row.name),
            Column::count("sold", "售出", |row| row.sold),
        ],
    };

    fn text(columns: Option<&str>, rows: &[Stall]) -> String {
        String::from_utf8(csv(&STALLS.chosen(columns).unwrap(), rows)).unwrap()
    }

    #[test]
    fn an_export_is_csv_with_a_chinese_head_that_spreadsheets_read_as_utf8() {
        let rows = [Stall { name: "城东", sold: 7 }, Stall { name: "a,\"b\"\r\nc", sold: -1 }];
        assert_eq!(text(None, &rows), "\u{feff}名称,售出\r\n城东,7\r\n\"a,\"\"b\"\"\r\nc\",-1\r\n");
        assert_eq!(text(Some("sold"), &rows), "\u{feff}售出\r\n7\r\n-1\r\n");
        assert_eq!(text(Some("sold,name,sold"), &[]), "\u{feff}名称,售出\r\n", "in order, each once");
        assert!(STALLS.chosen(Some("secret")).is_err() && STALLS.chosen(Some("")).is_err());
    }

    #[test]
    fn no_cell_is_taken_for_a_formula() {
        for (cell, kept) in [
            ("=1+1", "'=1+1"),
            ("+cmd|' /C calc'!A0", "'+cmd|' /C calc'!A0"),
            ("-2+3", "'-2+3"),
            ("@SUM(A1)", "'@SUM(A1)"),
            ("\t=1", "'\t=1"),
            ("=HYPERLINK(\"x\",\"y\")", "\"'=HYPERLINK(\"\"x\"\",\"\"y\"\")\""),
            ("-12.50", "-12.50"),
            ("a=b", "a=b"),
            ("", ""),
        ] {
            let mut text = String::new();
            push_cell(&mut text, cell);
            assert_eq!(text, kept, "{cell:?}");
        }
    }

    #[test]
    fn the_file_is_named_in_chinese_and_by_when_it_was_made() {
        let name = STALLS.disposition(Timestamp::from_millis(1_700_000_000_000), "csv").unwrap();
        assert_eq!(
            name.to_str().unwrap(),
            "attachment; filename=\"stall-20231115061320.csv\"; \
             filename*=UTF-8''%E6%91%8A%E4%BD%8D-20231115061320.csv"
        );
    }

    #[test]
    fn a_filter_tells_what_was_said_alone() {
        let filter = json!({"keyword": "", "state": "1", "page": null});
        assert_eq!(said(filter), json!({"state": "1"}));
    }
}
