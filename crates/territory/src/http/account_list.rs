//! The list of agents' accounts, and its file.

use chrono::NaiveDate;
use kernel::list::containing;
use kernel::{List, ReadTx};
use serde::{Deserialize, Serialize};
use utoipa::IntoParams;
use vocabulary::{AgentId, AgentRoleId, Choice, Scope};
use wire::{Column, Export, Listing, Refused};

use crate::Context;
use crate::app::READS;
use crate::model::agent::BillingWay;
use crate::read::agents::{self, AccountRow};

/// What the list is cut down to.
#[derive(Default, Deserialize, Serialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub(super) struct AccountsQuery {
    /// Part of company or contact, or the whole phone.
    keyword: Option<String>,
    /// 0 disabled, 1 enabled.
    state: Option<i16>,
    /// Those that stand under this one.
    #[param(value_type = Option<String>)]
    parent_id: Option<AgentId>,
    /// Those with this role template.
    #[param(value_type = Option<String>)]
    role_id: Option<AgentRoleId>,
    /// Just this one.
    #[param(value_type = Option<String>)]
    agent_id: Option<AgentId>,
}

impl Listing for AccountsQuery {
    type State = Context;
    type Row = AccountRow;
    const READS: &'static [&'static str] = &READS;
    const KEY: &'static str = "a.agent_id";
    const FILE: Export<AccountRow> = Export {
        what: "agent-account",
        title: "账号管理",
        columns: &[
            Column::text("company", "公司名称", |row| &row.company),
            Column::enabled("state", "状态", |row| row.state == 1),
            Column::text("contact", "联系人", |row| &row.contact),
            Column::made("phone", "登录手机号", |row| agents::masked(&row.phone)),
            Column::made("parent", "上级代理", parent),
            Column::made("role", "角色模板", template),
            Column::text("billingWay", "收银模式", |row| BillingWay::label_of(row.billing_way)),
            Column::count("areaCount", "服务区", |row| row.area_count),
            Column::made("contract", "合同到期", contract),
            Column::made("vehicleQuota", "车辆上限", quota),
            Column::count("childCount", "下级代理", |row| row.child_count),
            Column::made("level", "级别", |row| format!("{} 级", row.level)),
            Column::time("createdAt", "创建时间", |row| Some(row.created_at)),
            Column::time("updatedAt", "更新时间", |row| Some(row.updated_at)),
            Column::text("remark", "备注", |row| &row.remark),
            Column::made("agentId", "代理编号", |row| row.agent_id.to_string()),
        ],
    };

    fn list(&self, scope: &Scope) -> Result<List, Refused> {
        let list = agents::list(scope)
            .is("a.state", self.state)
            .is("a.parent_id", self.parent_id.map(|parent| parent.0))
            .is("a.role_id", self.role_id.map(|role| role.0))
            .is("a.agent_id", self.agent_id.map(|agent| agent.0));
        let Some(keyword) = self.keyword.as_deref() else { return Ok(list) };
        let part = containing(keyword);
        let values = vec![part.clone().into(), part.into(), keyword.into()];
        Ok(list.matching(&["(a.company like ", " or a.contact_name like ", " or a.phone = ", ")"], values))
    }

    /// With the count of their areas.
    async fn shown(_: &Context, _: ReadTx, mut found: Vec<AccountRow>) -> Result<Vec<AccountRow>, Refused> {
        for row in &mut found {
            row.area_count = row.service_area_ids.len() as i64;
        }
        Ok(found)
    }
}

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
            let day = |day: &Option<NaiveDate>, open: &str| {
                day.map_or_else(|| open.to_owned(), |day| day.to_string())
            };
            format!("{} 至 {}", day(begin, "未定"), day(end, "长期"))
        }
    }
}

fn quota(row: &AccountRow) -> String {
    row.vehicle_quota.map_or_else(|| "不限".to_owned(), |quota| quota.to_string())
}
