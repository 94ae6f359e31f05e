//! The people as a file.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use vocabulary::{Choice, Phone, Timestamp};
use wire::{Caller, Column, Disclosure, EXPORT_ROWS_READ, Export, ExportColumns, Params, Refused, Seen};

use super::operators::ListQuery;
use crate::Access;
use crate::model::profession::Profession;
use crate::read::operators::OperatorRow;

/// The columns as the page shows them; a phone leaves without its middle.
const FILE: Export<OperatorRow> = Export {
    what: "user",
    title: "人员列表",
    columns: &[
        Column { key: "name", title: "姓名", text: |row| row.name.clone() },
        Column { key: "phone", title: "手机号", text: phone },
        Column {
            key: "state",
            title: "状态",
            text: |row| if row.state == 1 { "启用" } else { "停用" }.to_owned(),
        },
        Column { key: "level", title: "级别", text: |row| row.level_names.join("、") },
        Column { key: "profession", title: "工种", text: profession },
        Column { key: "roles", title: "角色", text: |row| row.role_names.join("、") },
        Column { key: "reach", title: "数据范围", text: reach },
        Column { key: "lastLoginAt", title: "最近登录", text: |row| written(row.last_login_at) },
        Column { key: "createdAt", title: "创建时间", text: |row| written(Some(row.created_at)) },
        Column { key: "objectId", title: "人员编号", text: |row| row.object_id.to_string() },
    ],
};

fn phone(row: &OperatorRow) -> String {
    row.phone.parse::<Phone>().map_or_else(|_| "***".to_owned(), |phone| phone.masked())
}

fn profession(row: &OperatorRow) -> String {
    row.profession.map_or("", Profession::label_of).to_owned()
}

/// How far a person sees, in a few words.
fn reach(row: &OperatorRow) -> String {
    if row.is_root {
        return "全部".to_owned();
    }
    let some = |ids: &[String], what: &str| {
        if ids.is_empty() { format!("全部{what}") } else { format!("{} 个{what}", ids.len()) }
    };
    format!("{} · {}", some(&row.agent_ids, "代理商"), some(&row.op_area_ids, "服务区"))
}

fn written(at_ms: Option<i64>) -> String {
    at_ms.map_or_else(String::new, |at| Timestamp::from_millis(at).local())
}

/// Operators in scope as CSV, at most 50000; phones masked. It stands in the log who took it, cut down to what.
#[utoipa::path(get, path = "/platform/permission/user/export", tag = "access", operation_id = "exportOperators",
    params(ListQuery, ExportColumns), responses((status = 200, body = String, content_type = "text/csv")))]
pub(crate) async fn export(
    State(access): State<Arc<Access>>,
    caller: Caller,
    Seen(seen): Seen,
    disclosure: Disclosure,
    Params(query): Params<ListQuery>,
    Params(columns): Params<ExportColumns>,
) -> Result<Response, Refused> {
    let filter = query.filter()?;
    let mut db = access.runtime.reads.scoped(&caller.full_scope, seen, &["operator", "role"]).await?;
    let rows = filter.rows(&mut db, &caller.full_scope, EXPORT_ROWS_READ).await?;
    drop(db);
    FILE.hand_out(&disclosure, &columns, &query, &rows).await
}
