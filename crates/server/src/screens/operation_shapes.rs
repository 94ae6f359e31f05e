//! What 运营大屏 and 运营看板 answer.

use fleet::read::alarm_tickets::{AlarmTicketRow, Waiting};
use riding::model::miss::MissReason;
use serde::Serialize;
use utoipa::ToSchema;
use vocabulary::{AreaId, FenceId};

use super::TileSpan;

/// 运营大屏: all tiles at one moment.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct OperationScreen {
    /// When it was put together, epoch milliseconds.
    pub(super) as_of_ms: i64,
    /// 车辆; absent: there is no bike in scope.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) fleet: Option<FleetTile>,
    /// 闲置分档; absent: nobody saw any bike stop.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) idle: Option<IdleTile>,
    /// 订单.
    pub(super) orders: OrdersTile,
    /// 丢单.
    pub(super) misses: MissesTile,
    /// 实时告警.
    pub(super) alarms: AlarmsTile,
    /// 站点供需; absent: there is no parking place in scope.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) stations: Option<StationsTile>,
}

/// 车辆状态 and 电量分布, as bikes last said.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct FleetTile {
    #[serde(flatten)]
    pub(super) span: TileSpan,
    /// Bikes on maps by the state of `docs/push.md`; the ninth are those that never had a position.
    pub(super) states: Vec<u32>,
    /// 上架车辆.
    pub(super) shelved: u32,
    /// 可租.
    pub(super) rentable: u32,
    /// 在线.
    pub(super) online: u32,
    /// 低电.
    pub(super) low: u32,
    /// With an alarm.
    pub(super) alarm: u32,
    /// Bikes on the street with 0-19, 20-39, 40-59, 60-79 and 80-100 percent.
    pub(super) charge: Vec<u32>,
    /// Those that never said.
    pub(super) charge_unknown: u32,
}

/// 闲置分档.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct IdleTile {
    #[serde(flatten)]
    pub(super) span: TileSpan,
    /// Bikes that nobody rides and that stand up to 1 hour, 1-3, 3-6, 6-12, 12-24, 24-48 and more.
    pub(super) bands: Vec<u32>,
    /// Those that nobody saw stop.
    pub(super) unknown: u32,
}

/// 订单, today's and those that it is compared with.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct OrdersTile {
    #[serde(flatten)]
    pub(super) span: TileSpan,
    /// 骑行中.
    pub(super) riding: i64,
    /// 预约中.
    pub(super) reserved: i64,
    /// 今日订单.
    pub(super) count: u32,
    /// 昨日同时段.
    pub(super) count_yesterday: u32,
    /// 上周同日同时段.
    pub(super) count_last_week: u32,
    /// Today hour by hour.
    pub(super) today: Vec<u32>,
    /// 昨日.
    pub(super) yesterday: Vec<u32>,
    /// 上周同日.
    pub(super) last_week: Vec<u32>,
}

/// 丢单原因.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct MissesTile {
    #[serde(flatten)]
    pub(super) span: TileSpan,
    /// All of them.
    pub(super) count: i64,
    /// By reason, the most first.
    pub(super) reasons: Vec<ReasonCount>,
}

/// A reason and how often it was one.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct ReasonCount {
    /// 丢单原因.
    pub(super) reason: MissReason,
    /// How often.
    pub(super) count: i64,
}

/// 实时告警.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct AlarmsTile {
    #[serde(flatten)]
    pub(super) span: TileSpan,
    #[serde(flatten)]
    pub(super) waiting: Waiting,
    /// Tickets that wait, what hurries most first, of that the newest.
    pub(super) rows: Vec<AlarmTicketRow>,
}

/// 站点供需.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct StationsTile {
    #[serde(flatten)]
    pub(super) span: TileSpan,
    /// Parking places that are open.
    pub(super) open: usize,
    /// 淤积.
    pub(super) full: usize,
    /// 空站.
    pub(super) empty: usize,
    /// The fullest ones and empty ones in turn.
    pub(super) rows: Vec<StationLine>,
}

/// A parking place that is full or empty.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct StationLine {
    /// Its id, as text.
    #[schema(value_type = String)]
    pub(super) id: FenceId,
    /// 名称.
    pub(super) name: String,
    /// Its area, as text.
    #[schema(value_type = String)]
    pub(super) area_id: AreaId,
    /// That area's name.
    #[schema(required)]
    pub(super) area_name: Option<String>,
    /// 0 空, 4 淤积.
    pub(super) level: i16,
    /// Bikes that stand in it.
    pub(super) vehicles: i64,
    /// 停放上限.
    #[schema(required)]
    pub(super) capacity: Option<i32>,
}
