//! What daily statistics answer.

use serde::Serialize;
use utoipa::ToSchema;
use vocabulary::{AgentId, AreaId};
use wire::{Figure, TimeRange};

use crate::model::per_bike::{each, hundredths};
use crate::model::revenue::Figures;

/// Sums, and what follows from them. Rates are ten-thousandths, and null where there is nothing to be a part of.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct DailySums {
    #[serde(flatten)]
    pub(super) figures: Figures,
    /// 应收 A.
    pub(super) due_cents: i64,
    /// 新增实收 E.
    pub(super) paid_cents: i64,
    /// 新增欠款 C.
    pub(super) owing_cents: i64,
    /// 历史欠款补缴 D.
    pub(super) arrears_cents: i64,
    /// 实收总额 E + D.
    pub(super) received_cents: i64,
    /// 渠道收款: what channels brought for good.
    pub(super) receipts_cents: i64,
    /// 退款 by the way it came.
    pub(super) refunds_cents: i64,
    /// 无优惠 orders.
    pub(super) plain_orders: i64,
    /// 欠款率.
    #[schema(required)]
    pub(super) owing_rate: Option<i64>,
    /// 退款率.
    #[schema(required)]
    pub(super) refund_rate: Option<i64>,
    /// 优惠占比.
    #[schema(required)]
    pub(super) relief_rate: Option<i64>,
    /// 单均金额, cents.
    #[schema(required)]
    pub(super) each_cents: Option<i64>,
    /// 单均时长, seconds.
    #[schema(required)]
    pub(super) each_s: Option<i64>,
    /// 单均里程, metres.
    #[schema(required)]
    pub(super) each_m: Option<i64>,
    /// 日均上架车辆, to the hundredth.
    pub(super) bikes: f64,
    /// 车均单量: orders for each bike and day, to the hundredth; null: no bike was on the streets.
    #[schema(required)]
    pub(super) orders_per_bike: Option<f64>,
    /// 车均流水: 应收 A for each bike and day, yuan; null: no bike was on the streets.
    #[schema(required)]
    pub(super) due_per_bike: Option<f64>,
}

impl DailySums {
    /// Of so many days, on which `bike_days` bikes stood on the streets, each day's added up.
    pub(super) fn new(figures: &Figures, days: i64, bike_days: f64) -> Self {
        Self {
            bikes: hundredths(bike_days / days.max(1) as f64),
            orders_per_bike: each(figures.orders, bike_days),
            due_per_bike: each(figures.due_cents(), bike_days).map(|cents| hundredths(cents / 100.0)),
            due_cents: figures.due_cents(),
            paid_cents: figures.paid_cents(),
            owing_cents: figures.owing_cents(),
            arrears_cents: figures.arrears_cents(),
            received_cents: figures.received_cents(),
            receipts_cents: figures.receipts_cents(),
            refunds_cents: figures.refunds_cents(),
            plain_orders: figures.plain_orders(),
            owing_rate: figures.owing_rate(),
            refund_rate: figures.refund_rate(),
            relief_rate: figures.relief_rate(),
            each_cents: figures.each_cents(),
            each_s: figures.each_s(),
            each_m: figures.each_m(),
            figures: *figures,
        }
    }
}

/// A day.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct DailyRow {
    /// Its date, `YYYY-MM-DD`.
    pub(super) day: String,
    /// Its beginning, epoch milliseconds.
    pub(super) at: i64,
    /// Whether it is closed: then it never changes again.
    pub(super) is_closed: bool,
    #[serde(flatten)]
    pub(super) sums: DailySums,
}

/// An area in all of the time.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct DailyAreaRow {
    /// Names the row: the area's id, or its agent's behind `a` where it is of no area.
    pub(super) id: String,
    /// The area, as text; null: of no area.
    #[schema(required, value_type = Option<String>)]
    pub(super) op_area_id: Option<AreaId>,
    /// Its name; null: of no area, or the caller does not see it any more.
    #[schema(required)]
    pub(super) area_name: Option<String>,
    /// Whose it is.
    #[schema(value_type = String)]
    pub(super) agent_id: AgentId,
    /// That agent's company.
    #[schema(required)]
    pub(super) company: Option<String>,
    #[serde(flatten)]
    pub(super) sums: DailySums,
}

/// What happened in all of the time. Amounts are yuan.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct DailySummary {
    /// 订单.
    pub(super) orders: Figure,
    /// 应收 A.
    pub(super) due: Figure,
    /// 实收总额.
    pub(super) received: Figure,
    /// 新增欠款 C.
    pub(super) owing: Figure,
    /// 欠款率, percent.
    pub(super) owing_percent: Figure,
    /// 总收益.
    pub(super) revenue: Figure,
    /// 退款.
    pub(super) refunds: Figure,
    /// 退款率, percent.
    pub(super) refund_percent: Figure,
    /// 单均金额.
    pub(super) each: Figure,
    /// 单均时长, minutes.
    pub(super) each_minutes: Figure,
    /// 单均里程, kilometres.
    pub(super) each_km: Figure,
    /// 优惠占比, percent.
    pub(super) relief_percent: Figure,
    /// 日均上架车辆.
    pub(super) bikes: Figure,
    /// 车均单量, a day.
    pub(super) orders_per_bike: Figure,
    /// 车均流水, a day.
    pub(super) due_per_bike: Figure,
    /// 赠送成本.
    pub(super) gift: Figure,
}

/// An area that leads.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct RankedArea {
    /// As text.
    #[schema(value_type = String)]
    pub(super) id: AreaId,
    /// 名称.
    pub(super) name: String,
    /// By how much: yuan or orders.
    pub(super) value: f64,
}

/// At most ten of each.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct DailyRanks {
    /// By 应收.
    pub(super) due: Vec<RankedArea>,
    /// By 订单.
    pub(super) orders: Vec<RankedArea>,
    /// By 新增欠款.
    pub(super) owing: Vec<RankedArea>,
}

/// How old what is told is.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct DailyFreshness {
    /// Everything that was recorded until then is in it, epoch milliseconds; null when that is not known.
    #[schema(required)]
    pub(super) read_at: Option<i64>,
}

/// Daily statistics.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct DailyAnswer {
    /// What was asked for.
    pub(super) range: TimeRange,
    /// What it is compared with.
    pub(super) before: TimeRange,
    /// How old it is.
    pub(super) freshness: DailyFreshness,
    /// All of it.
    pub(super) summary: DailySummary,
    /// Day by day, in order of time.
    pub(super) series: Vec<DailyRow>,
    /// Who leads.
    pub(super) rank: DailyRanks,
    /// What all days come to.
    pub(super) totals: DailySums,
    /// The days of this page.
    pub(super) rows: Vec<DailyRow>,
    /// How many there are.
    pub(super) count: i64,
    /// Whether there are more than `count`: never.
    pub(super) capped: bool,
}

/// Areas in the time that was asked for.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct DailyAreasAnswer {
    /// The most 应收 first, at most 1000.
    pub(super) rows: Vec<DailyAreaRow>,
    /// What all of them come to, also those that are not told.
    pub(super) totals: DailySums,
}
