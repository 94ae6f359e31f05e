//! What 营收大屏 answers. Amounts are cents, and those of 每日统计 (`riding::read::revenue_days`): there is no other sum of them.

use riding::model::revenue::Figures;
use serde::Serialize;
use utoipa::ToSchema;
use vocabulary::{AgentId, AreaId};

use super::TileSpan;
use super::surges::Surge;

/// 营收大屏: all tiles at one moment.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct RevenueScreen {
    /// When it was put together, epoch milliseconds.
    pub(super) as_of_ms: i64,
    /// 今日营收.
    pub(super) today: TodayTile,
    /// 分时营收.
    pub(super) hours: HoursTile,
    /// 服务区排行.
    pub(super) areas: AreasTile,
    /// 代理排行.
    pub(super) agents: AgentsTile,
    /// 近 30 日趋势.
    pub(super) trend: TrendTile,
    /// 异常.
    pub(super) surges: SurgesTile,
}

/// 今日营收 with its parts.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct TodayTile {
    #[serde(flatten)]
    pub(super) span: TileSpan,
    #[serde(flatten)]
    pub(super) sums: RevenueSums,
    /// 总收益 昨日同时段.
    pub(super) revenue_yesterday_cents: i64,
    /// 总收益 上周同日同时段.
    pub(super) revenue_last_week_cents: i64,
    /// 应收 昨日同时段.
    pub(super) due_yesterday_cents: i64,
}

/// What a day comes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct RevenueSums {
    /// 订单.
    pub(super) orders: i64,
    /// 总收益.
    pub(super) revenue_cents: i64,
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
    /// 退款.
    pub(super) refunds_cents: i64,
    /// 赠送成本.
    pub(super) gift_cents: i64,
    /// 骑行 through channels.
    pub(super) rides_cents: i64,
    /// 充值 through channels.
    pub(super) top_up_cents: i64,
    /// 卡类销售 through channels.
    pub(super) cards_cents: i64,
    /// 其他 through channels.
    pub(super) other_cents: i64,
    /// 单均金额.
    #[schema(required)]
    pub(super) each_cents: Option<i64>,
    /// 欠款率, ten-thousandths.
    #[schema(required)]
    pub(super) owing_rate: Option<i64>,
    /// 退款率, ten-thousandths.
    #[schema(required)]
    pub(super) refund_rate: Option<i64>,
}

impl From<&Figures> for RevenueSums {
    fn from(of: &Figures) -> Self {
        Self {
            orders: of.orders,
            revenue_cents: of.revenue_cents,
            due_cents: of.due_cents(),
            paid_cents: of.paid_cents(),
            owing_cents: of.owing_cents(),
            arrears_cents: of.arrears_cents(),
            received_cents: of.received_cents(),
            refunds_cents: of.refunds_cents(),
            gift_cents: of.gift_cents,
            rides_cents: of.paid_third_cents + of.arrears_third_cents,
            top_up_cents: of.top_up_cents,
            cards_cents: of.card_third_cents,
            other_cents: of.other_cents,
            each_cents: of.each_cents(),
            owing_rate: of.owing_rate(),
            refund_rate: of.refund_rate(),
        }
    }
}

/// 分时营收: 总收益 hour by hour.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct HoursTile {
    #[serde(flatten)]
    pub(super) span: TileSpan,
    /// Today.
    pub(super) today: Vec<i64>,
    /// 昨日.
    pub(super) yesterday: Vec<i64>,
    /// 上周同日.
    pub(super) last_week: Vec<i64>,
}

/// 服务区排行 of today.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct AreasTile {
    #[serde(flatten)]
    pub(super) span: TileSpan,
    /// The most 应收 first.
    pub(super) rows: Vec<AreaLine>,
}

/// An area today.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct AreaLine {
    /// Its id, as text.
    #[schema(value_type = String)]
    pub(super) id: AreaId,
    /// Its name; null: it is not seen any more.
    #[schema(required)]
    pub(super) name: Option<String>,
    /// 应收.
    pub(super) due_cents: i64,
    /// 总收益 of rides in it.
    pub(super) revenue_cents: i64,
    /// 订单.
    pub(super) orders: i64,
    /// 单均金额.
    #[schema(required)]
    pub(super) each_cents: Option<i64>,
}

/// 代理排行 of today.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct AgentsTile {
    #[serde(flatten)]
    pub(super) span: TileSpan,
    /// The most 总收益 first.
    pub(super) rows: Vec<AgentLine>,
}

/// An agent today.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct AgentLine {
    /// Its id, as text.
    #[schema(value_type = String)]
    pub(super) id: AgentId,
    /// 公司; null: it is not seen.
    #[schema(required)]
    pub(super) company: Option<String>,
    /// 应收.
    pub(super) due_cents: i64,
    /// 总收益.
    pub(super) revenue_cents: i64,
    /// 订单.
    pub(super) orders: i64,
}

/// 近 30 日趋势, today included.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct TrendTile {
    #[serde(flatten)]
    pub(super) span: TileSpan,
    /// Every day in order of time.
    pub(super) days: Vec<TrendDay>,
}

/// A day.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct TrendDay {
    /// `YYYY-MM-DD`.
    pub(super) day: String,
    /// 总收益.
    pub(super) revenue_cents: i64,
    /// 应收.
    pub(super) due_cents: i64,
    /// 退款.
    pub(super) refunds_cents: i64,
    /// 订单.
    pub(super) orders: i64,
}

/// 异常.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct SurgesTile {
    #[serde(flatten)]
    pub(super) span: TileSpan,
    /// What stands out; none: nothing does.
    pub(super) rows: Vec<Surge>,
}
