//! How far the fences of areas have come, for people. What the caller may not see is cut off by the policies of the bikes'
//! and the areas' tables.

use kernel::List;
use serde::Serialize;
use sqlx::PgExecutor;
use utoipa::ToSchema;
use vocabulary::{AgentId, AreaId, Scope, choices};

choices! {
    /// How far a bike is with what its area wants.
    pub enum DeliveryState("围栏下发状态") {
        Acknowledged = 0 => "已确认",
        Waiting = 1 => "等待下发",
        Unanswered = 2 => "未应答",
        Offline = 3 => "离线",
        Refused = 4 => "拒绝",
        Untold = 5 => "不上报围栏版本",
    }
}

/// Areas in one question.
pub(super) const AREAS_MAX: usize = 200;

/// The bikes on the street with a device, what their areas want and how far they are with that.
macro_rules! bikes {
    () => {
        "read.vehicle v join read.area a on a.area_id = v.area_id
         left join live.fence_edition e on e.area_id = v.area_id
         left join live.vehicle n on n.car_id = v.car_id left join live.vehicle_live l on l.vehicle = n.vehicle
         left join live.fence_delivery d on d.car_id = v.car_id and d.area_id = v.area_id and d.edition = e.edition"
    };
}
/// Those that are asked about.
macro_rules! carriers {
    () => {
        "v.lifecycle = 2 and v.imei is not null"
    };
}
/// Unanswered is what was sent a minute ago and more; offline, who was not heard of for five.
macro_rules! state {
    () => {
        "case when d.acknowledged_at is not null and l.fence_version = e.edition & 65535 then 0
              when d.refused_code is not null then 4
              when l.heard_at is null or l.heard_at < now() - interval '5 minutes' then 3
              when l.fence_version is null then 5
              when d.tries > 1 or d.sent_at < now() - interval '1 minute' then 2
              else 1 end"
    };
}
macro_rules! since {
    () => {
        "case when d.acknowledged_at is not null and l.fence_version = e.edition & 65535 then d.acknowledged_at
              when d.refused_code is not null then d.refused_at
              when l.heard_at is null or l.heard_at < now() - interval '5 minutes' then l.heard_at
              when d.car_id is not null then d.first_sent_at
              else e.since end"
    };
}
macro_rules! ms {
    ($at:expr) => {
        concat!("(extract(epoch from ", $at, ") * 1000)::bigint")
    };
}

/// A bike and the fences of its area.
#[derive(Clone, Debug, Serialize, ToSchema, sqlx::FromRow)]
#[serde(rename_all = "camelCase")]
pub struct DeliveryBike {
    /// 车辆编号.
    pub car_id: String,
    /// Its device.
    pub imei: Option<String>,
    /// Its area, as text.
    #[schema(value_type = String)]
    #[serde(rename = "opAreaId")]
    pub area_id: AreaId,
    /// Its area.
    pub area_name: String,
    /// How far it is.
    #[schema(value_type = DeliveryState)]
    pub state: i32,
    /// The device's code, when it refused.
    pub refused_code: Option<i32>,
    /// Since when it is so, epoch milliseconds; null: it was never heard of.
    #[sqlx(rename = "since_at_ms")]
    pub since_at: Option<i64>,
    /// The edition that its area wants; null: it wants none yet.
    pub edition: Option<i64>,
    /// The low 16 bits of the edition that its last report told of.
    pub told: Option<i32>,
    /// How often it was sent since it was last away.
    pub tries: Option<i16>,
    /// When it was last sent, epoch milliseconds.
    #[sqlx(rename = "sent_at_ms")]
    pub sent_at: Option<i64>,
    /// When it was last heard of, epoch milliseconds.
    #[sqlx(rename = "heard_at_ms")]
    pub heard_at: Option<i64>,
}

/// Bikes in scope, by number.
pub(super) fn list(scope: &Scope) -> List {
    List::new(
        concat!(
            "v.car_id, v.imei, v.area_id, a.name as area_name, e.edition, l.fence_version as told, d.tries, d.refused_code, ",
            state!(),
            " as state, ",
            ms!(since!()),
            " as since_at_ms, ",
            ms!("d.sent_at"),
            " as sent_at_ms, ",
            ms!("l.heard_at"),
            " as heard_at_ms"
        ),
        bikes!(),
        "v.car_id using ~<~",
    )
    .of_agents("v.agent_id", scope)
    .of_areas("v.area_id", scope)
    .matching(&[carriers!()], Vec::new())
}

/// Of the list those that are in one state.
pub(super) fn in_state(list: List, state: Option<DeliveryState>) -> List {
    list.is(concat!("(", state!(), ")"), state.map(vocabulary::Choice::number))
}

/// Of the list those that are not where they should be.
pub(super) fn lagging(list: List) -> List {
    list.matching(&[concat!("(", state!(), ") <> 0")], Vec::new())
}

/// How far the bikes of an area are.
#[derive(Clone, Debug, Serialize, ToSchema, sqlx::FromRow)]
#[serde(rename_all = "camelCase")]
pub struct DeliveryProgress {
    /// The area, as text.
    #[schema(value_type = String)]
    #[serde(rename = "opAreaId")]
    pub area_id: AreaId,
    /// Whose it is, as text.
    #[schema(value_type = String)]
    pub agent_id: AgentId,
    /// Its name.
    pub area_name: String,
    /// 围栏版本号; null: nothing is wanted yet.
    pub edition: Option<i64>,
    /// Since when it is wanted, epoch milliseconds.
    #[sqlx(rename = "since_at_ms")]
    pub since_at: Option<i64>,
    /// Of its compact form.
    pub bytes: Option<i32>,
    /// Messages that it takes; 0: the area has more fences than can be sent.
    pub parts: Option<i16>,
    /// Fences in it.
    pub fences: Option<i32>,
    /// When a person last asked for it to be sent again, epoch milliseconds.
    #[sqlx(rename = "asked_at_ms")]
    pub asked_at: Option<i64>,
    /// Bikes on the street with a device.
    pub bikes: i64,
    /// Of these, those whose reports say that they hold it.
    pub acknowledged: i64,
    /// To be sent, or sent a moment ago.
    pub waiting: i64,
    /// Sent, and no report that says so.
    pub unanswered: i64,
    /// Not heard of.
    pub offline: i64,
    /// Refused by the device.
    pub refused: i64,
    /// Their reports tell of no fences.
    pub untold: i64,
}

/// How far these areas are, of those in the transaction's scope.
pub(super) async fn progress(
    db: impl PgExecutor<'_>,
    areas: &[AreaId],
) -> sqlx::Result<Vec<DeliveryProgress>> {
    let areas: Vec<i64> = areas.iter().map(|area| area.0).collect();
    sqlx::query_as(concat!(
        "with bike as (select v.area_id, ",
        state!(),
        " as state from ",
        bikes!(),
        " where v.area_id = any($1) and ",
        carriers!(),
        ")
         select a.area_id, a.agent_id, a.name as area_name, e.edition, ",
        ms!("e.since"),
        " as since_at_ms, e.bytes, e.parts, e.fences, a.delivery_asked_at_ms as asked_at_ms, b.*
         from read.area a left join live.fence_edition e on e.area_id = a.area_id
         cross join lateral (
             select count(*) as bikes, count(*) filter (where state = 0) as acknowledged,
                 count(*) filter (where state = 1) as waiting, count(*) filter (where state = 2) as unanswered,
                 count(*) filter (where state = 3) as offline, count(*) filter (where state = 4) as refused,
                 count(*) filter (where state = 5) as untold
             from bike where bike.area_id = a.area_id) b
         where a.area_id = any($1) order by a.name, a.area_id"
    ))
    .bind(areas)
    .fetch_all(db)
    .await
}
