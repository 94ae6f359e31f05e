//! The operator log (操作人员日志).

use std::sync::Arc;

use axum::extract::{Path, State};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use utoipa::{IntoParams, ToSchema};
use vocabulary::Page;
use wire::{Answer, Caller, End, Handled, Params, Refused, Seen, moment};

use super::{READS, given, number};
use crate::Audit;
use crate::read::entries::{self, Filter, LogDetail, LogRow, Slice, result_label};
use crate::read::{MACHINE, PERSON};

/// An export covers at most so many days.
const EXPORT_DAYS: i64 = 31;
const DAY_MS: i64 = 86_400_000;

#[derive(Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ListQuery {
    /// 1-based, default 1.
    page: Option<String>,
    /// Default 10, at most 200.
    page_size: Option<String>,
    /// In place of a page: rows older than that of this position.
    before: Option<String>,
    /// 1 people, 2 machine clients (of these refused commands alone: what they did is in the history of each thing);
    /// absent: both.
    actor_kind: Option<String>,
    /// An actor's id, or an operator's whole phone.
    op_man_id: Option<String>,
    /// A stored type.
    action: Option<String>,
    /// A category.
    category: Option<String>,
    /// The beginning of the target's name, or its whole id.
    target: Option<String>,
    /// 1 done, 2 refused, 3 failed.
    result: Option<String>,
    /// A trace.
    trace_id: Option<String>,
    /// `YYYY-MM-DD HH:mm:ss` in Asia/Shanghai, or epoch milliseconds.
    start_time: Option<String>,
    /// The same; included.
    end_time: Option<String>,
    /// An older client's name for `endTime`.
    ent_time: Option<String>,
}

impl ListQuery {
    pub(super) fn filter(&self) -> Result<Filter, Refused> {
        let text = |name: &str, value: &Option<String>| {
            given(name, value.as_ref()).map(|text| text.map(str::to_owned))
        };
        let ended = self.end_time.as_ref().or(self.ent_time.as_ref());
        let filter = Filter {
            actor_kind: number("actorKind", self.actor_kind.as_ref())?,
            actor: text("opManId", &self.op_man_id)?,
            action: text("action", &self.action)?,
            category: text("category", &self.category)?,
            target: text("target", &self.target)?,
            result: number("result", self.result.as_ref())?,
            trace_id: text("traceId", &self.trace_id)?,
            from: moment("startTime", self.start_time.as_ref(), End::First)?,
            to: moment("endTime", ended, End::Last)?,
        };
        if filter.actor_kind.is_some_and(|kind| ![PERSON, MACHINE].contains(&kind)) {
            return Err(Refused::malformed("请求参数 actorKind 应为 1（人员）或 2（机器客户端）"));
        }
        if let (Some(from), Some(to)) = (filter.from, filter.to)
            && from > to
        {
            return Err(Refused::malformed("开始时间不能晚于结束时间"));
        }
        Ok(filter)
    }

    fn slice(&self) -> Result<Slice, Refused> {
        let size = number("pageSize", self.page_size.as_ref())?;
        let page = Page::new(number("page", self.page.as_ref())?, size);
        let before: Option<i64> = number("before", self.before.as_ref())?;
        Ok(Slice { limit: page.limit(), offset: if before.is_some() { 0 } else { page.offset() }, before })
    }

    /// What the list is cut down to, as a record of an export tells it.
    pub(super) fn said(&self) -> Value {
        let ended = self.end_time.as_ref().or(self.ent_time.as_ref());
        json!({"actorKind": self.actor_kind, "opManId": self.op_man_id, "action": self.action, "category": self.category, "target": self.target,
            "result": self.result, "traceId": self.trace_id, "startTime": self.start_time, "endTime": ended})
    }
}

/// A file is cut to so many days that it can be made and read.
pub(super) fn fit_for_export(filter: &Filter) -> Result<(), Refused> {
    let span = |text: &str| Refused::business("export-span", text);
    let (Some(from), Some(to)) = (filter.from, filter.to) else {
        return Err(span("导出前请选择时间范围，最多 31 天"));
    };
    if to.millis_since(from) > EXPORT_DAYS * DAY_MS {
        return Err(span("一次最多导出 31 天的日志，请缩短时间范围"));
    }
    Ok(())
}

/// A page of the operator log.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct LogPage {
    /// The lines, newest first.
    rows: Vec<LogRow>,
    /// How many match, at most 10000.
    count: i64,
    /// Whether there are more than `count`.
    capped: bool,
    /// To be sent as `before` for what follows; null at the end.
    next: Option<i64>,
}

/// Who did what, newest first, within the selected scope.
#[utoipa::path(get, path = "/platform/aliyunlog/userlogs", tag = "audit", operation_id = "userLogs",
    params(ListQuery), responses((status = 200, body = Answer<LogPage>)))]
pub(crate) async fn list(
    State(audit): State<Arc<Audit>>,
    caller: Caller,
    Seen(seen): Seen,
    Params(query): Params<ListQuery>,
) -> Handled<LogPage> {
    let (filter, slice) = (query.filter()?, query.slice()?);
    let mut db = audit.runtime.reads.scoped(&caller.scope, seen, &READS).await?;
    let page = entries::page(&mut db, &audit.schemas, &caller.scope, &filter, slice).await?;
    let full = page.rows.len() as i64 == slice.limit;
    let next = page.rows.last().filter(|_| full).map(|row| row.position);
    Ok(Answer(LogPage { rows: page.rows, count: page.count, capped: page.capped, next }))
}

/// One line with what changed.
#[utoipa::path(get, path = "/platform/aliyunlog/userlogs/{position}", tag = "audit", operation_id = "userLog",
    params(("position" = String, Path, description = "The event's place in the log")),
    responses((status = 200, body = Answer<LogDetail>)))]
pub(crate) async fn detail(
    State(audit): State<Arc<Audit>>,
    caller: Caller,
    Seen(seen): Seen,
    Path(position): Path<String>,
) -> Handled<LogDetail> {
    // What is no number is no position.
    let position: i64 = position.parse().map_err(|_| Refused::not_found())?;
    let mut db = audit.runtime.reads.scoped(&caller.full_scope, seen, &READS).await?;
    let found = entries::one(&mut db, &audit.schemas, position).await?;
    Ok(Answer(found.ok_or_else(Refused::not_found)?))
}

/// A kind of event.
#[derive(Debug, Serialize, ToSchema)]
struct ActionOption {
    /// As stored.
    action: &'static str,
    /// As people read it.
    label: &'static str,
}

/// A category with its kinds of event.
#[derive(Debug, Serialize, ToSchema)]
struct CategoryOption {
    /// The category.
    category: &'static str,
    /// As people read it.
    label: &'static str,
    /// Whether its things have a history to step through.
    history: bool,
    /// What may happen in it.
    actions: Vec<ActionOption>,
}

/// A result.
#[derive(Debug, Serialize, ToSchema)]
struct ResultOption {
    /// 1, 2 or 3.
    value: i16,
    /// As people read it.
    label: &'static str,
}

/// What the log can be cut down to.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Options {
    categories: Vec<CategoryOption>,
    results: Vec<ResultOption>,
}

/// What the log can be cut down to.
#[utoipa::path(get, path = "/platform/aliyunlog/actions", tag = "audit", operation_id = "userLogActions",
    responses((status = 200, body = Answer<Options>)))]
pub(crate) async fn actions(State(audit): State<Arc<Audit>>) -> Handled<Options> {
    let categories = audit
        .schemas
        .all()
        .map(|schema| CategoryOption {
            category: schema.category(),
            label: schema.label(),
            history: schema.has_history(),
            actions: schema
                .actions()
                .into_iter()
                .map(|action| ActionOption { action: action.stored_type, label: action.label })
                .collect(),
        })
        .collect();
    let results = [1, 2, 3].map(|value| ResultOption { value, label: result_label(value) }).into();
    Ok(Answer(Options { categories, results }))
}

#[cfg(test)]
mod tests {
    use vocabulary::Timestamp;

    use super::*;

    #[test]
    fn an_export_covers_thirty_one_days_at_most() {
        let over = |days: i64, ms: i64| Filter {
            from: Some(Timestamp::from_millis(0)),
            to: Some(Timestamp::from_millis(days * DAY_MS + ms)),
            ..Filter::default()
        };
        assert!(fit_for_export(&over(31, 0)).is_ok());
        assert!(fit_for_export(&over(31, 1)).is_err());
        assert!(fit_for_export(&Filter::default()).is_err());
    }

    #[test]
    fn pages_are_bounded_and_a_position_takes_the_place_of_a_number() {
        let query = |size: &str, page: &str| ListQuery {
            page: Some(page.to_owned()),
            page_size: Some(size.to_owned()),
            ..ListQuery::default()
        };
        let slice = query("5000", "3").slice().unwrap();
        assert_eq!((slice.limit, slice.offset), (200, 400));
        let slice = ListQuery { before: Some("77".to_owned()), ..query("10", "3") }.slice().unwrap();
        assert_eq!((slice.offset, slice.before), (0, Some(77)));
    }
}
