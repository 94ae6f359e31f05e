//! The history of one thing.

use std::sync::Arc;

use axum::extract::State;
use serde::Deserialize;
use utoipa::IntoParams;
use vocabulary::Page;
use wire::{Answer, Caller, Handled, Params, Refused, Seen};

use super::{READS, given, number};
use crate::Audit;
use crate::read::history::{History, HistoryError, Moment, Past, STEPS_MAX};
use crate::read::subjects::{self, Found};
use crate::schema::AuditSchema;

/// Steps of a page when nothing is said.
const STEPS: u32 = 20;
/// Steps of a page at most: each carries what changed.
const STEPS_OF_A_PAGE: u32 = 100;

impl From<HistoryError> for Refused {
    fn from(error: HistoryError) -> Self {
        match error {
            HistoryError::NotFound => Self::not_found(),
            HistoryError::TooLong => Self::business(
                "history-too-long",
                format!("该对象的历史超过 {STEPS_MAX} 步，请按时间在日志中查询"),
            ),
            HistoryError::Log(error) => error.into(),
            HistoryError::Database(error) => error.into(),
        }
    }
}

/// The category asked for, if its things have a history.
fn schema<'a>(audit: &'a Audit, category: Option<&str>) -> Result<&'a dyn AuditSchema, Refused> {
    let schema = category.and_then(|category| audit.schemas.of(category));
    schema.filter(|schema| schema.has_history()).map(AsRef::as_ref).ok_or_else(Refused::not_found)
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct SubjectsQuery {
    /// The category.
    category: Option<String>,
    /// Part of a name, or a whole id.
    keyword: Option<String>,
}

/// Things of a category by name or id, newest first; at most 20.
#[utoipa::path(get, path = "/platform/aliyunlog/subjects", tag = "audit", operation_id = "userLogSubjects",
    params(SubjectsQuery), responses((status = 200, body = Answer<Vec<Found>>)))]
pub(crate) async fn subjects(
    State(audit): State<Arc<Audit>>,
    caller: Caller,
    Seen(seen): Seen,
    Params(query): Params<SubjectsQuery>,
) -> Handled<Vec<Found>> {
    let category = schema(&audit, given("category", query.category.as_ref())?)?.category();
    let keyword = given("keyword", query.keyword.as_ref())?;
    let mut db = audit.runtime.reads.scoped(&caller.full_scope, seen, &READS).await?;
    Ok(Answer(subjects::find(&mut db, category, keyword).await?))
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(rename_all = "camelCase")]
pub(crate) struct StepsQuery {
    /// The category.
    category: Option<String>,
    /// Which thing.
    id: Option<String>,
    /// 1-based, default 1.
    page: Option<String>,
    /// Default 20, at most 100.
    page_size: Option<String>,
}

/// All steps of one thing, newest first.
#[utoipa::path(get, path = "/platform/aliyunlog/history", tag = "audit", operation_id = "userLogHistory",
    params(StepsQuery), responses((status = 200, body = Answer<History>)))]
pub(crate) async fn steps(
    State(audit): State<Arc<Audit>>,
    caller: Caller,
    Seen(seen): Seen,
    Params(query): Params<StepsQuery>,
) -> Handled<History> {
    let schema = schema(&audit, given("category", query.category.as_ref())?)?;
    let id = given("id", query.id.as_ref())?.ok_or_else(Refused::not_found)?;
    let size = number("pageSize", query.page_size.as_ref())?.unwrap_or(STEPS).min(STEPS_OF_A_PAGE);
    let page = Page::new(number("page", query.page.as_ref())?, Some(size));
    let mut db = audit.runtime.reads.scoped(&caller.full_scope, seen, &READS).await?;
    let past = Past { runtime: &audit.runtime, schemas: &audit.schemas, schema, id };
    Ok(Answer(past.page(&mut db, &caller.full_scope, page).await?))
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct AtQuery {
    /// The category.
    category: Option<String>,
    /// Which thing.
    id: Option<String>,
    /// Any position: the newest step at or before it counts.
    position: Option<String>,
}

/// One thing as it was at a position, with what the step to it changed.
#[utoipa::path(get, path = "/platform/aliyunlog/history/at", tag = "audit", operation_id = "userLogHistoryAt",
    params(AtQuery), responses((status = 200, body = Answer<Moment>)))]
pub(crate) async fn at(
    State(audit): State<Arc<Audit>>,
    caller: Caller,
    Seen(seen): Seen,
    Params(query): Params<AtQuery>,
) -> Handled<Moment> {
    let schema = schema(&audit, given("category", query.category.as_ref())?)?;
    let id = given("id", query.id.as_ref())?.ok_or_else(Refused::not_found)?;
    let position = number("position", query.position.as_ref())?
        .ok_or_else(|| Refused::malformed("请求参数 position 不能为空"))?;
    let mut db = audit.runtime.reads.scoped(&caller.full_scope, seen, &READS).await?;
    let past = Past { runtime: &audit.runtime, schemas: &audit.schemas, schema, id };
    Ok(Answer(past.at(&mut db, &caller.full_scope, position).await?))
}
