//! The people as a file.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use serde::{Deserialize, Serialize};
use utoipa::IntoParams;
use vocabulary::{Phone, Timestamp};
use wire::{
    Caller, Column, HandingOut, Params, Refused, Seen, Sheet, SheetColumns, given, number, sheet_pages,
};

use super::on_off;
use crate::Access;
use crate::model::profession::Profession;
use crate::read::operators::{self, OperatorFilter, OperatorRow};

/// The columns as the page shows them; a phone leaves without its middle.
const FILE: Sheet<OperatorRow> = Sheet {
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
    let known = row.profession.and_then(|number| Profession::try_from(number).ok());
    known.map_or("", Profession::name).to_owned()
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

#[derive(Deserialize, Serialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub(crate) struct FileQuery {
    /// Part of name or phone.
    keyword: Option<String>,
    /// 0 disabled, 1 enabled.
    state: Option<String>,
    /// Bit-or of tiers; those who have at least one of them.
    level: Option<String>,
    /// Holders of this role.
    role_id: Option<String>,
    /// Those whose reach names this franchisee; not those who see all of them.
    agent_id: Option<String>,
    /// 1 换电员, 2 挪车员, 3 维修员, 4 巡检员, 5 负责人.
    profession: Option<String>,
}

/// Operators in scope as CSV, at most 50000; phones masked. It stands in the log who took it, cut down to what.
#[utoipa::path(get, path = "/platform/permission/user/export", tag = "access", operation_id = "exportOperators",
    params(FileQuery, SheetColumns), responses((status = 200, body = String, content_type = "text/csv")))]
pub(crate) async fn export(
    State(access): State<Arc<Access>>,
    caller: Caller,
    Seen(seen): Seen,
    handing: HandingOut,
    Params(query): Params<FileQuery>,
    Params(columns): Params<SheetColumns>,
) -> Result<Response, Refused> {
    let filter = OperatorFilter {
        keyword: given(query.keyword.as_ref()).map(str::to_owned),
        state: on_off("state", query.state.as_ref())?,
        level: number("level", query.level.as_ref())?,
        role: number("roleId", query.role_id.as_ref())?,
        agent: number("agentId", query.agent_id.as_ref())?,
        profession: number("profession", query.profession.as_ref())?,
    };
    let mut db = access.house.reads.scoped(&caller.full_scope, seen, &["operator", "role"]).await?;
    let mut rows = Vec::new();
    for page in sheet_pages() {
        let found = operators::page(&mut db, &filter, page).await?.rows;
        let full = found.len() as i64 == page.limit();
        rows.extend(found);
        if !full {
            break;
        }
    }
    drop(db);
    FILE.hand_out(&handing, &columns, &query, &rows).await
}
