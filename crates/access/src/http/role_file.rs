//! The roles as a file.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use vocabulary::Timestamp;
use wire::{Caller, Column, Disclosure, EXPORT_ROWS_READ, Export, ExportColumns, Params, Refused, Seen};

use super::roles::ListQuery;
use crate::Access;
use crate::model::level::Tier;
use crate::read::roles::RoleRow;

/// The columns as the page shows them.
const FILE: Export<RoleRow> = Export {
    what: "role",
    title: "角色列表",
    columns: &[
        Column { key: "name", title: "角色名称", text: |row| row.name.clone() },
        Column { key: "tier", title: "级别", text: |row| tier_label(row.tier).to_owned() },
        Column {
            key: "state",
            title: "状态",
            text: |row| if row.state == 1 { "启用" } else { "停用" }.to_owned(),
        },
        Column { key: "codes", title: "权限数", text: |row| row.codes.len().to_string() },
        Column { key: "userCount", title: "关联用户", text: |row| row.user_count.to_string() },
        Column { key: "remark", title: "备注", text: |row| row.remark.clone() },
        Column {
            key: "updatedBy", title: "更新人", text: |row| row.updated_by.clone().unwrap_or_default()
        },
        Column {
            key: "updatedAt",
            title: "更新时间",
            text: |row| Timestamp::from_millis(row.updated_at).local(),
        },
        Column { key: "id", title: "角色编号", text: |row| row.id.to_string() },
    ],
};

fn tier_label(tier: i16) -> &'static str {
    let known = u8::try_from(tier).ok().and_then(|tier| Tier::try_from(tier).ok());
    known.map_or("", Tier::name)
}

/// Roles in scope as CSV, at most 50000. It stands in the log who took it, cut down to what.
#[utoipa::path(get, path = "/platform/permission/role/export", tag = "access", operation_id = "exportRoles",
    params(ListQuery, ExportColumns), responses((status = 200, body = String, content_type = "text/csv")))]
pub(crate) async fn export(
    State(access): State<Arc<Access>>,
    caller: Caller,
    Seen(seen): Seen,
    disclosure: Disclosure,
    Params(query): Params<ListQuery>,
    Params(columns): Params<ExportColumns>,
) -> Result<Response, Refused> {
    let list = query.list(&caller.full_scope)?;
    let mut db = access.runtime.reads.scoped(&caller.full_scope, seen, &["role", "operator"]).await?;
    let rows = list.rows(&mut db, EXPORT_ROWS_READ).await?;
    drop(db);
    FILE.hand_out(&disclosure, &columns, &query, &rows).await
}
