//! Payment accounts as a file.

use axum::extract::State;
use axum::response::Response;
use serde::{Deserialize, Serialize};
use utoipa::IntoParams;
use utoipa_axum::router::UtoipaMethodRouterExt;
use utoipa_axum::routes;
use vocabulary::Choice;
use wire::{
    Caller, Column, Disclosure, EXPORT_ROWS_READ, Export, ExportColumns, Params, Refused, Routes, Seen, given,
};

use super::MANAGEMENT;
use super::payment_accounts::PaymentAccountRow;
use crate::Context;
use crate::model::payment_account::{AccountLevel, AccountStatus, AccountType};

/// The route.
pub fn routes(context: &Context) -> Routes {
    Routes::new("finance").add_unwrapped(MANAGEMENT, routes!(export).with_state(context.clone()))
}

const ACCOUNTS: Export<PaymentAccountRow> = Export {
    what: "payment-account",
    title: "账户管理",
    columns: &[
        Column::text("customerName", "客户名称", |row| &row.customer_name),
        Column::text("status", "状态", |row| AccountStatus::label_of(row.status)),
        Column::text("agentName", "所属代理", |row| &row.agent_name),
        Column::text("accountType", "类型", |row| AccountType::label_of(row.account_type)),
        Column::text("accountLevel", "级别", |row| row.account_level.map_or("", AccountLevel::label_of)),
        Column::text("contact", "联系人", |row| &row.contact),
        Column::text("phone", "联系手机", |row| &row.phone_masked),
        Column::text("payPassword", "支付密码", |row| {
            if row.pay_password_set { "已设置" } else { "未设置" }
        }),
        Column::time("changedAt", "更新时间", |row| Some(row.changed_at)),
        Column::text("certNo", "证件号", |row| &row.cert_no_masked),
        Column::text("authStatus", "转账授权", |row| authorised(row.auth_status)),
        Column::time("openedAt", "开户时间", |row| row.opened_at),
        Column::text("failReason", "原因", |row| row.fail_reason.as_deref().unwrap_or_default()),
    ],
};

fn authorised(state: i16) -> &'static str {
    match state {
        0 => "未授权",
        1 => "授权中",
        2 => "已授权",
        3 => "失效",
        _ => "",
    }
}

#[derive(Deserialize, Serialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct FileQuery {
    /// Part of the customer's or the agent's name.
    keyword: Option<String>,
}

/// Payment accounts in scope as CSV, newest first, at most 50000; names and numbers masked as in the list. It stands in
/// the log who took it, cut down to what.
#[utoipa::path(get, path = "/Pay/customer/list/export", tag = "finance", operation_id = "exportPaymentAccounts",
    params(FileQuery, ExportColumns), responses((status = 200, body = String, content_type = "text/csv")))]
async fn export(
    State(context): State<Context>,
    caller: Caller,
    seen: Seen,
    disclosure: Disclosure,
    Params(query): Params<FileQuery>,
    Params(columns): Params<ExportColumns>,
) -> Result<Response, Refused> {
    let rows = context.rows(&caller, seen, given(query.keyword.as_ref()), EXPORT_ROWS_READ).await?;
    ACCOUNTS.hand_out(&disclosure, &columns, &query, &rows).await
}
