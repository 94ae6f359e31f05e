//! Agents as a file.

use axum::extract::State;
use axum::response::Response;
use serde::{Deserialize, Serialize};
use utoipa::IntoParams;
use utoipa_axum::router::UtoipaMethodRouterExt;
use utoipa_axum::routes;
use vocabulary::{Choice, Timestamp};
use wire::{
    Caller, Column, Disclosure, EXPORT_ROWS_READ, Export, ExportColumns, Params, Permit, Refused, Routes,
    Seen, given, number,
};

use crate::Context;
use crate::model::agent::BillingWay;
use crate::read::agents::{AccountFilter, AccountRow};

const READS: [&str; 3] = ["agent", "area", "agent_role"];

/// The routes.
pub fn routes(context: &Context) -> Routes {
    Routes::new("territory")
        .add_unwrapped(Permit::AnyOf(&["1101"]), routes!(accounts).with_state(context.clone()))
}

fn written(at_ms: i64) -> String {
    Timestamp::from_millis(at_ms).local()
}

const ACCOUNTS: Export<AccountRow> = Export {
    what: "agent-account",
    title: "账号管理",
    columns: &[
        Column { key: "company", title: "公司名称", text: |row| row.company.clone() },
        Column {
            key: "state",
            title: "状态",
            text: |row| if row.state == 1 { "启用" } else { "停用" }.to_owned(),
        },
        Column { key: "contact", title: "联系人", text: |row| row.contact.clone() },
        Column { key: "phone", title: "登录手机号", text: |row| row.phone.clone() },
        Column { key: "parent", title: "上级代理", text: parent },
        Column { key: "role", title: "角色模板", text: template },
        Column {
            key: "billingWay",
            title: "收银模式",
            text: |row| BillingWay::label_of(row.billing_way).to_owned(),
        },
        Column { key: "areaCount", title: "服务区", text: |row| row.area_count.to_string() },
        Column { key: "contract", title: "合同到期", text: contract },
        Column { key: "vehicleQuota", title: "车辆上限", text: quota },
        Column { key: "childCount", title: "下级代理", text: |row| row.child_count.to_string() },
        Column { key: "level", title: "级别", text: |row| format!("{} 级", row.level) },
        Column { key: "createdAt", title: "创建时间", text: |row| written(row.created_at) },
        Column { key: "updatedAt", title: "更新时间", text: |row| written(row.updated_at) },
        Column { key: "remark", title: "备注", text: |row| row.remark.clone() },
        Column { key: "agentId", title: "代理编号", text: |row| row.agent_id.to_string() },
    ],
};

fn parent(row: &AccountRow) -> String {
    let none = if row.parent_id.is_none() { "平台直属" } else { "" };
    row.parent_company.clone().unwrap_or_else(|| none.to_owned())
}

fn template(row: &AccountRow) -> String {
    let none = if row.role_id.is_none() { "不限" } else { "" };
    row.role_name.clone().unwrap_or_else(|| none.to_owned())
}

fn contract(row: &AccountRow) -> String {
    match (&row.contract_begin, &row.contract_end) {
        (None, None) => String::new(),
        (begin, end) => {
            format!("{} 至 {}", begin.as_deref().unwrap_or("未定"), end.as_deref().unwrap_or("长期"))
        }
    }
}

fn quota(row: &AccountRow) -> String {
    row.vehicle_quota.map_or_else(|| "不限".to_owned(), |quota| quota.to_string())
}

#[derive(Deserialize, Serialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
struct AccountsQuery {
    /// Part of company or contact, or the whole phone.
    keyword: Option<String>,
    /// 0 disabled, 1 enabled.
    state: Option<String>,
    /// Those that stand under this one.
    parent_id: Option<String>,
    /// Those with this role template.
    role_id: Option<String>,
}

/// Agents' accounts in scope as CSV, at most 50000; phones masked as in the list. It stands in the log who took it,
/// cut down to what.
#[utoipa::path(get, path = "/platform/agent/account/export", tag = "territory",
    operation_id = "exportAgentAccounts", params(AccountsQuery, ExportColumns),
    responses((status = 200, body = String, content_type = "text/csv")))]
async fn accounts(
    State(context): State<Context>,
    caller: Caller,
    Seen(seen): Seen,
    disclosure: Disclosure,
    Params(query): Params<AccountsQuery>,
    Params(columns): Params<ExportColumns>,
) -> Result<Response, Refused> {
    let filter = AccountFilter {
        keyword: given(query.keyword.as_ref()).map(str::to_owned),
        state: number("state", query.state.as_ref())?,
        parent: number("parentId", query.parent_id.as_ref())?,
        role: number("roleId", query.role_id.as_ref())?,
        agent: None,
    };
    let mut db = context.runtime.reads.scoped(&caller.full_scope, seen, &READS).await?;
    let rows = filter.list(&caller.full_scope).rows(&mut db, EXPORT_ROWS_READ).await?;
    drop(db);
    ACCOUNTS.hand_out(&disclosure, &columns, &query, &rows).await
}
