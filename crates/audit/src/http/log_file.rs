//! The operator log as a file.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use vocabulary::Scope;
use wire::{Caller, Column, Disclosure, EXPORT_ROWS, Export, ExportColumns, Params, Refused, Seen};

use super::READS;
use super::userlogs::{ListQuery, fit_for_export};
use crate::Audit;
use crate::read::entries::{self, Filter, LogRow, Slice};

/// Rows that are read at a time.
const AT_ONCE: i64 = 1000;

/// The columns as the page shows them.
const FILE: Export<LogRow> = Export {
    what: "operator-log",
    title: "操作人员日志",
    columns: &[
        Column::time("time", "时间", |row| Some(row.time)),
        Column::made("name", "操作人", actor),
        Column::text("action", "操作", |row| &row.action_label),
        Column::text("target", "对象", |row| &row.target),
        Column::text("result", "结果", |row| &row.result_label),
        Column::text("detail", "内容", |row| &row.detail),
        Column::text("ip", "来源地址", |row| &row.ip),
        Column::text("opManId", "操作人编号", |row| &row.op_man_id),
        Column::text("targetId", "对象编号", |row| &row.target_id),
        Column::text("agentId", "代理商编号", |row| row.agent_id.as_deref().unwrap_or_default()),
        Column::text("traceId", "追踪编号", |row| &row.trace_id),
    ],
};

/// Name and masked phone; of what has no name, its number.
fn actor(row: &LogRow) -> String {
    let name = if row.name.is_empty() { &row.op_man_id } else { &row.name };
    format!("{name} {}", row.phone).trim_end().to_owned()
}

/// The operator log as CSV, newest first, at most 31 days and 50000 rows. It stands in the log who took it, cut down to
/// what, and how many rows.
#[utoipa::path(get, path = "/platform/aliyunlog/userlogs/export", tag = "audit", operation_id = "exportUserLogs",
    params(ListQuery, ExportColumns), responses((status = 200, body = String, content_type = "text/csv")))]
pub(crate) async fn export(
    State(audit): State<Arc<Audit>>,
    caller: Caller,
    Seen(seen): Seen,
    disclosure: Disclosure,
    Params(query): Params<ListQuery>,
    Params(columns): Params<ExportColumns>,
) -> Result<Response, Refused> {
    let filter = query.filter()?;
    fit_for_export(&filter)?;
    let mut db = audit.runtime.reads.scoped(&caller.scope, seen, &READS).await?;
    let rows = matching(&audit, &mut db, &caller.scope, &filter).await?;
    drop(db);
    FILE.hand_out(&disclosure, &columns, &query.said(), &rows).await
}

/// All rows that match, and one more than a file has when there are more.
async fn matching(
    audit: &Audit,
    db: &mut kernel::ReadTx,
    scope: &Scope,
    filter: &Filter,
) -> Result<Vec<LogRow>, Refused> {
    let mut rows: Vec<LogRow> = Vec::new();
    loop {
        let before = rows.last().map(|row| row.position);
        let slice = Slice { limit: AT_ONCE, offset: 0, before };
        let part = entries::part(db, &audit.schemas, scope, filter, slice).await?;
        let more = part.len() as i64 == AT_ONCE;
        rows.extend(part);
        if !more || rows.len() > EXPORT_ROWS {
            return Ok(rows);
        }
    }
}
