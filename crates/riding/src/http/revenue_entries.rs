//! Entries that days of revenue are made of.

use kernel::{List, ReadTx};
use serde::{Deserialize, Serialize};
use utoipa::IntoParams;
use vocabulary::{AgentId, Day, Scope};
use wire::{Column, End, Export, Listed, Listing, Refused, Routes, area_ids, moment};

use super::daily::DAILY;
use crate::Context;
use crate::model::movement::Movement;
use crate::read::revenue_days::{self, RevenueEntryRow};

/// The routes.
pub fn routes(context: &Context) -> Routes {
    Routes::new("riding")
        .add_list::<ListQuery>(
            DAILY,
            Listed {
                path: "/report/daily/entries",
                operations: ["listRevenueEntries", "exportRevenueEntries"],
                summary: "Journal entries of riders in scope with the day of revenue that each belongs to, newest first.",
            },
        )
        .with_state(context.clone())
}

#[derive(Default, Deserialize, Serialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub struct ListQuery {
    /// That belong to this day or a later one: `YYYY-MM-DD`.
    start_time: Option<String>,
    /// That belong to this day or an earlier one.
    end_time: Option<String>,
    /// Of this agent.
    agent_id: Option<AgentId>,
    /// Of these service areas, with commas between.
    op_area_ids: Option<String>,
    /// Of no area.
    without_area: Option<bool>,
    /// Those of this kind.
    movement: Option<Movement>,
    /// 补记 alone, or those that are not.
    late: Option<bool>,
    /// About rides of earlier days, or not.
    of_earlier: Option<bool>,
}

impl Listing for ListQuery {
    type State = Context;
    type Row = RevenueEntryRow;
    const READS: &'static [&'static str] = &["revenue_day", "area"];
    const KEY: &'static str = "e.position";
    const FILE: Export<RevenueEntryRow> = Export {
        what: "revenue-entry",
        title: "营收明细",
        columns: &[
            Column::text("day", "统计日", |row| &row.day),
            Column::text("movement", "变动类型", |row| row.movement.map_or("其他", Movement::label)),
            Column::text("areaName", "服务区", |row| row.area_name.as_deref().unwrap_or_default()),
            Column::made("orderId", "订单号", |row| {
                row.order_id.map_or_else(String::new, |order| order.to_string())
            }),
            Column::money("movedCents", "金额（元）", |row| row.moved_cents),
            Column::money("dueCents", "应收（元）", |row| row.due_cents),
            Column::money("receivedCents", "实收（元）", |row| row.received_cents),
            Column::money("refundCents", "退款（元）", |row| row.refund_cents),
            Column::money("revenueCents", "总收益（元）", |row| row.revenue_cents),
            Column::text("isOfEarlier", "历史订单", |row| if row.is_of_earlier { "是" } else { "否" }),
            Column::text("isLate", "补记", |row| if row.is_late { "是" } else { "否" }),
            Column::time("at", "业务时间", |row| Some(row.at)),
            Column::time("recordedAt", "入账时间", |row| Some(row.recorded_at)),
            Column::made("userId", "用户编号", |row| row.user_id.to_string()),
            Column::text("id", "分录号", |row| &row.id),
        ],
    };

    fn list(&self, scope: &Scope) -> Result<List, Refused> {
        let day = |name, text, end| Ok::<_, Refused>(moment(name, text, end)?.map(|at| Day::of(at).0));
        let from = day("startTime", self.start_time.as_ref(), End::First)?;
        let until = day("endTime", self.end_time.as_ref(), End::Last)?;
        let areas: Vec<i64> = area_ids(self.op_area_ids.as_ref())?.into_iter().map(|area| area.0).collect();
        let list = revenue_days::entries(scope);
        // An area is one agent's: its own rows are fewer than his.
        let list = if areas.is_empty() { list } else { list.compared("e.agent_id") };
        Ok(list
            .between("e.day", from, until)
            .is("e.agent_id", self.agent_id.map(|agent| agent.0))
            .is_one_of("e.area_id", areas)
            .is("e.area_id", self.without_area.filter(|without| *without).map(|_| 0_i64))
            .is("e.what", self.movement.map(Movement::what))
            .holds("e.is_late", self.late)
            .holds("e.is_of_earlier", self.of_earlier))
    }

    async fn shown(
        _: &Context,
        _: ReadTx,
        found: Vec<RevenueEntryRow>,
    ) -> Result<Vec<RevenueEntryRow>, Refused> {
        Ok(found.into_iter().map(RevenueEntryRow::told).collect())
    }
}
