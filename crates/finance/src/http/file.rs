//! Payment accounts as a file.

use axum::extract::State;
use axum::response::Response;
use serde::{Deserialize, Serialize};
use utoipa::IntoParams;
use utoipa_axum::router::UtoipaMethodRouterExt;
use utoipa_axum::routes;
use vocabulary::{Choice, Timestamp};
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
        Column { key: "customerName", title: "客户名称", text: |row| row.customer_name.clone() },
        Column { key: "status", title: "状态", text: |row| AccountStatus::label_of(row.status).to_owned() },
        Column { key: "agentName", title: "所属代理", text: |row| row.agent_name.clone() },
        Column {
            key: "accountType",
            title: "类型",
            text: |row| AccountType::label_of(row.account_type).to_owned(),
        },
        Column {
            key: "accountLevel",
            title: "级别",
            text: |row| row.account_level.map_or("", AccountLevel::label_of).to_owned(),
        },
        Column { key: "contact", title: "联系人", text: |row| row.contact.clone() },
        Column { key: "phone", title: "联系手机", text: |row| row.phone_masked.clone() },
        Column {
            key: "payPassword",
            title: "支付密码",
            text: |row| if row.pay_password_set { "已设置" } else { "未设置" }.to_owned(),
        },
        Column { key: "changedAt", title: "更新时间", text: |row| written(Some(row.changed_at)) },
        Column { key: "certNo", title: "证件号", text: |row| row.cert_no_masked.clone() },
        Column {
            key: "authStatus", title: "转账授权", text: |row| authorised(row.auth_status).to_owned()
        },
        Column { key: "openedAt", title: "开户时间", text: |row| written(row.opened_at) },
        Column {
            key: "failReason", title: "原因", text: |row| row.fail_reason.clone().unwrap_or_default()
        },
    ],
};

fn written(at_ms: Option<i64>) -> String {
    at_ms.map(|at_ms| Timestamp::from_millis(at_ms).local()).unwrap_or_default()
}

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
