//! The operator log as a file.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use vocabulary::{Scope, Timestamp};
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
        Column { key: "time", title: "时间", text: |row| Timestamp::from_millis(row.time).local() },
        Column { key: "name", title: "操作人", text: actor },
        Column { key: "action", title: "操作", text: |row| row.action_label.clone() },
        Column { key: "target", title: "对象", text: |row| row.target.clone() },
        Column { key: "result", title: "结果", text: |row| row.result_label.clone() },
        Column { key: "detail", title: "内容", text: |row| row.detail.clone() },
        Column { key: "ip", title: "来源地址", text: |row| row.ip.clone() },
        Column { key: "opManId", title: "操作人编号", text: |row| row.op_man_id.clone() },
        Column { key: "targetId", title: "对象编号", text: |row| row.target_id.clone() },
        Column {
            key: "agentId", title: "代理商编号", text: |row| row.agent_id.clone().unwrap_or_default()
        },
        Column { key: "traceId", title: "追踪编号", text: |row| row.trace_id.clone() },
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
