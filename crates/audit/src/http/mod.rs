//! The calls of this context.

mod access;
mod history;
mod log_file;
mod userlogs;

use std::sync::Arc;

use utoipa_axum::routes;
use wire::{Permit, Refused, Routes};

use crate::Audit;

const AUDITORS: Permit = Permit::AnyOf(&["1404"]);
/// The projectors behind every query.
const READS: [&str; 1] = ["audit"];

/// Every call of this context with who may make it.
pub(crate) fn routes(audit: Arc<Audit>) -> Routes {
    Routes::new("audit")
        .add(AUDITORS, routes!(userlogs::list))
        .add_unwrapped(AUDITORS, routes!(log_file::export))
        .add(AUDITORS, routes!(userlogs::detail))
        .add(AUDITORS, routes!(userlogs::actions))
        .add(AUDITORS, routes!(history::subjects))
        .add(AUDITORS, routes!(history::steps))
        .add(AUDITORS, routes!(history::at))
        .add(Permit::SignedIn, routes!(access::record))
        .with_state(audit)
}

/// An optional query value; empty means absent. Nothing that is asked for is longer than 64 characters.
fn given<'a>(name: &str, text: Option<&'a String>) -> Result<Option<&'a str>, Refused> {
    match wire::given(text) {
        Some(text) if text.chars().count() > 64 || text.contains('\0') => {
            Err(Refused::malformed(format!("请求参数 {name} 过长或包含非法字符")))
        }
        text => Ok(text),
    }
}

/// A number that a query gives as text; empty means absent.
fn number<T: std::str::FromStr>(name: &str, text: Option<&String>) -> Result<Option<T>, Refused> {
    let wrong = |_| Refused::malformed(format!("请求参数 {name} 格式不正确"));
    given(name, text)?.map(|text| text.parse().map_err(wrong)).transpose()
}
