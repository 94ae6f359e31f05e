//! What statistics of parking places answer.

use serde::Serialize;
use utoipa::ToSchema;
use vocabulary::{AreaId, FenceId};
use wire::{Figure, TimeRange};

use crate::model::station_day::Level;

/// What happened in all of the time.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct StationSummary {
    /// 站点数.
    pub(super) stations: i64,
    /// 在站车辆 at this moment.
    pub(super) vehicles: i64,
    /// 可租 of these.
    pub(super) rentable: i64,
    /// 站外车: bikes beside these places that stand in none.
    pub(super) site_out: i64,
    /// 告警 of those that stand there.
    pub(super) alarm: i64,
    /// 故障 of those that stand there.
    pub(super) fault: i64,
    /// 还车: bikes that came.
    pub(super) returns: Figure,
    /// 离站: bikes that left.
    pub(super) departures: Figure,
    /// 站外还车: bikes that were left beside.
    pub(super) outside: Figure,
    /// 平均在站: bikes at a full hour.
    pub(super) standing: Figure,
    /// 满溢率: share of the open hours at level 4, percent.
    pub(super) full_percent: Figure,
    /// 空站率: share of the open hours at level 0, percent.
    pub(super) empty_percent: Figure,
    /// 丢单: missed orders nearest to them; null where that is not known, as of the following.
    pub(super) misses: Figure,
    /// 订单: rides that began there.
    pub(super) orders: Figure,
    /// 流水: what these cost, yuan.
    pub(super) cost_yuan: Figure,
}

/// An hour or a day.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct StationPoint {
    /// Its beginning, epoch milliseconds.
    pub(super) at: i64,
    /// 还车.
    pub(super) returns: i64,
    /// 离站.
    pub(super) departures: i64,
    /// 站外还车.
    pub(super) outside: i64,
    /// 平均在站.
    #[schema(required)]
    pub(super) standing: Option<f64>,
    /// 满溢率, percent.
    #[schema(required)]
    pub(super) full_percent: Option<f64>,
    /// 空站率, percent.
    #[schema(required)]
    pub(super) empty_percent: Option<f64>,
    /// 丢单; null where that is not known, as of the following.
    #[schema(required)]
    pub(super) misses: Option<i64>,
    /// 订单.
    #[schema(required)]
    pub(super) orders: Option<i64>,
    /// 流水, yuan.
    #[schema(required)]
    pub(super) cost_yuan: Option<f64>,
}

/// A part of a whole.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct StationShare {
    /// 0 空, 1 偏少, 2 正常, 3 偏多, 4 淤积; or of idle bikes the band from the shortest on: 1-3, 3-6, 6-12, 12-24, 24-48, 48+ h.
    pub(super) part: i16,
    /// Full hours of all places at that level, or bikes at a full hour that had stood so long.
    pub(super) value: f64,
}

/// A place that leads.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct RankedStation {
    /// As text.
    #[schema(value_type = String)]
    pub(super) id: FenceId,
    /// 名称.
    pub(super) name: String,
    /// By how much.
    pub(super) value: i64,
}

/// At most ten of each.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct StationRanks {
    /// By 还车.
    pub(super) returns: Vec<RankedStation>,
    /// By hours at level 4.
    pub(super) full: Vec<RankedStation>,
    /// By hours at level 0.
    pub(super) empty: Vec<RankedStation>,
    /// By 丢单.
    pub(super) misses: Vec<RankedStation>,
}

/// A parking place in the time that was asked for.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct StationStatistics {
    /// As text.
    #[schema(value_type = String)]
    pub(super) id: FenceId,
    /// 名称.
    pub(super) name: String,
    /// The area it lies in.
    #[schema(value_type = String)]
    pub(super) op_area_id: AreaId,
    /// That area's name.
    pub(super) area_name: String,
    /// 标签.
    pub(super) tags: Vec<String>,
    /// Whether it was taken away since.
    pub(super) deleted: bool,
    /// 停放上限 as it was drawn last.
    pub(super) capacity: i32,
    /// 等级 now; null while it is closed or does not count.
    #[schema(required, value_type = Option<i16>)]
    pub(super) level: Option<Level>,
    /// 在站车辆 now; null when it does not count now, as the following.
    #[schema(required)]
    pub(super) vehicles: Option<i64>,
    /// 可租 now.
    #[schema(required)]
    pub(super) rentable: Option<i64>,
    /// 站外车 now.
    #[schema(required)]
    pub(super) site_out: Option<i64>,
    /// 告警 now.
    #[schema(required)]
    pub(super) alarm: Option<i64>,
    /// 故障 now.
    #[schema(required)]
    pub(super) fault: Option<i64>,
    /// 还车.
    pub(super) returns: i64,
    /// 离站.
    pub(super) departures: i64,
    /// 站外还车.
    pub(super) outside: i64,
    /// 平均在站, bikes at a full hour.
    #[schema(required)]
    pub(super) standing: Option<f64>,
    /// Of these the ones that had stood for an hour or longer, by band: 1-3, 3-6, 6-12, 12-24, 24-48, 48+ h.
    pub(super) idle: [f64; 6],
    /// Full hours at which it was open.
    pub(super) open_hours: i64,
    /// 淤积, hours.
    pub(super) full_hours: i64,
    /// 空, hours.
    pub(super) empty_hours: i64,
    /// 满溢率, percent.
    #[schema(required)]
    pub(super) full_percent: Option<f64>,
    /// 空站率, percent.
    #[schema(required)]
    pub(super) empty_percent: Option<f64>,
    /// 丢单: missed orders to which it is the nearest within 300 m; null where that is not known, as of the following.
    #[schema(required)]
    pub(super) misses: Option<i64>,
    /// 订单: rides that began in it or beside it.
    #[schema(required)]
    pub(super) orders: Option<i64>,
    /// 流水: what these cost, cents.
    #[schema(required)]
    pub(super) cost_cents: Option<i64>,
}

/// How old what is told is.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct StationFreshness {
    /// Hours are reckoned until then, epoch milliseconds; null before the first one was.
    #[schema(required)]
    pub(super) reckoned_at: Option<i64>,
    /// What is now was so then, epoch milliseconds.
    pub(super) live_at: i64,
}

/// Statistics of parking places.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct StationStatisticsAnswer {
    /// What was asked for, as far as it is over.
    pub(super) range: TimeRange,
    /// What it is compared with.
    pub(super) before: TimeRange,
    /// Whether a point of the series is an hour; otherwise a day.
    pub(super) by_hour: bool,
    /// How old it is.
    pub(super) freshness: StationFreshness,
    /// All of it.
    pub(super) summary: StationSummary,
    /// In order of time.
    pub(super) series: Vec<StationPoint>,
    /// Who leads.
    pub(super) rank: StationRanks,
    /// 站点时长 at each level.
    pub(super) levels: Vec<StationShare>,
    /// 闲置分档.
    pub(super) idle: Vec<StationShare>,
    /// The places of this page.
    pub(super) rows: Vec<StationStatistics>,
    /// How many there are in all, at most 10000.
    pub(super) count: i64,
    /// Whether there are more than `count`.
    pub(super) capped: bool,
}
