//! Tables `ride_order` and `rider_riding`: orders, and what they tell of their riders.

use std::collections::BTreeMap;

use async_trait::async_trait;
use kernel::list::Sort;
use kernel::projector::ApplyError;
use kernel::{Aggregate, Change, List, Projector, Recorded, Stored, row, rows};
use ledger::HolderKind;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sqlx::types::Json;
use sqlx::{PgConnection, PgExecutor};
use utoipa::ToSchema;
use vocabulary::{AgentId, AreaId, DataOwner, RideOrderId, RiderId, Scope, Timestamp, Wgs84};

use crate::model::order::{
    CancelReason, End, EndKind, Evidence, Opened, Order, OrderEvent, PayState, Pricing,
};
use crate::model::outcome::OutcomeAsked;
use crate::model::pay_rules::RemindWay;
use geofence::judge::ReturnClass;

row! {
    /// A ride order as lists show it; its rider's phone and name are masked.
    #[derive(Clone, Debug, Default, Serialize, ToSchema, sqlx::FromRow)]
    #[serde(rename_all = "camelCase")]
    pub struct OrderRow {
        /// Its id, as text.
        pub order_id: RideOrderId,
        /// Who rides, as text.
        pub user_id: RiderId = "rider_id",
        /// 手机号, masked.
        pub phone: Option<String> as default,
        /// 姓名, masked.
        pub name: Option<String> as default,
        /// 车辆编号.
        pub car_id: String,
        #[serde(skip)]
        pub imei: String,
        /// Whose bike it is.
        pub agent_id: AgentId,
        /// The service area where it began.
        pub op_area_id: AreaId = "area_id",
        /// That area's name.
        pub area_name: Option<String> as default,
        /// 订单状态.
        pub state: PayState,
        /// Whether its lock was asked to open and has not answered.
        pub is_unlocking: bool,
        /// Whether its rider locked the bike for a while.
        pub is_paused: bool,
        /// Whether somebody changed its price.
        pub is_modified: bool,
        /// 取消原因.
        pub cancel_reason: Option<CancelReason>,
        /// Which version of the area's billing; 0: what counts where none was published.
        pub billing_version: i64,
        /// When it was reserved or its lock asked to open, epoch milliseconds.
        pub opened_at: i64 = "opened_at_ms",
        /// Epoch milliseconds.
        pub reserved_until: Option<i64> = "reserved_until_ms",
        /// 开始时间, epoch milliseconds.
        pub start_at: Option<i64> = "start_at_ms",
        /// 结束时间, epoch milliseconds.
        pub end_at: Option<i64> = "end_at_ms",
        #[serde(skip)]
        pub pause_at: Option<i64> = "pause_at_ms",
        /// 临停时长, milliseconds.
        pub paused_ms: i64,
        /// 支付时间, epoch milliseconds.
        pub paid_at: Option<i64> = "paid_at_ms",
        /// 结束方式.
        pub end_kind: Option<EndKind>,
        /// 还车位置.
        pub class: Option<ReturnClass>,
        /// Metres along its track.
        pub distance_m: i64,
        /// 骑行时长, seconds.
        pub riding_s: i64,
        /// Degrees north, WGS-84.
        pub start_lat: Option<f64>,
        /// Degrees east, WGS-84.
        pub start_lng: Option<f64>,
        /// Degrees north, WGS-84.
        pub end_lat: Option<f64>,
        /// Degrees east, WGS-84.
        pub end_lng: Option<f64>,
        #[serde(skip)]
        pub start_parking_id: Option<i64>,
        #[serde(skip)]
        pub end_fence_id: Option<i64>,
        #[serde(skip)]
        pub end_fence_version: Option<i64>,
        /// How sure the judgement of its end is, percent.
        pub certainty_percent: Option<i16>,
        #[serde(skip)]
        pub evidence: Option<Json<Evidence>>,
        #[serde(skip)]
        pub pricing: Option<Json<Pricing>>,
        /// 原始费用, cents.
        pub origin_cents: i64,
        /// 卡抵扣, cents.
        pub card_cents: i64,
        /// 优惠, cents.
        pub discount_cents: i64,
        /// 调度费, cents.
        pub dispatch_cents: i64,
        /// 头盔费, cents.
        pub helmet_cents: i64,
        /// 应付, cents.
        pub pay_cents: i64,
        /// 实付, cents.
        pub paid_cents: i64,
        /// Of that from what was paid into the wallet, cents.
        pub recharge_cents: i64,
        /// Of that from what was given into the wallet, cents.
        pub present_cents: i64,
        /// Of that straight from a channel, cents.
        pub third_cents: i64,
        /// 已退, cents.
        pub refund_cents: i64,
        /// 核销, cents.
        pub written_off_cents: i64,
        /// 支付渠道.
        pub channel: Option<i16>,
        /// 催缴次数.
        pub reminders: i16,
        /// 最近催缴, epoch milliseconds.
        pub reminded_at: Option<i64> = "reminded_at_ms",
        /// How that was.
        pub remind_way: Option<RemindWay>,
        /// Epoch milliseconds.
        pub updated_at: i64 = "updated_at_ms",
        /// To be sent with a change.
        pub version: i64,
    }
}

/// Builds the tables.
pub struct Orders;

impl OrderRow {
    /// Whose it is.
    pub const fn owner(&self) -> DataOwner {
        DataOwner::of_area(self.agent_id, self.op_area_id)
    }

    const fn is_open(&self) -> bool {
        matches!(self.state, PayState::Reserved | PayState::Riding)
    }

    fn open(&mut self, opened: &Opened, at_ms: i64) {
        self.order_id = opened.order_id;
        self.user_id = opened.rider_id;
        self.car_id.clone_from(&opened.car_id);
        self.imei.clone_from(&opened.imei);
        self.agent_id = opened.agent_id;
        self.op_area_id = opened.area_id;
        if self.opened_at == 0 {
            self.opened_at = at_ms;
        }
        let place = opened.place.or(opened.rider_place);
        (self.start_lat, self.start_lng) = (place.map(Wgs84::lat), place.map(Wgs84::lng));
    }

    fn end(&mut self, end: End) {
        self.state = PayState::Held;
        self.is_paused = false;
        self.end_at = Some(end.at.millis());
        self.riding_s = self.start_at.map_or(0, |start| (end.at.millis() - start).max(0) / 1000);
        if let Some(since) = self.pause_at.take() {
            self.paused_ms += (end.at.millis() - since).max(0);
        }
        self.end_kind = Some(end.kind);
        self.class = Some(end.class);
        self.distance_m = end.distance_m;
        (self.end_lat, self.end_lng) = (end.place.map(Wgs84::lat), end.place.map(Wgs84::lng));
        self.end_fence_id = end.fence.map(|fence| fence.fence_id.0);
        self.end_fence_version = end.fence.map(|fence| fence.data_version);
        self.certainty_percent = Some(end.certainty_percent.into());
        self.evidence = Some(Json(end.evidence));
    }

    fn price(&mut self, pricing: Pricing) {
        let receipt = &pricing.receipt;
        self.origin_cents = receipt.origin_cents;
        self.card_cents = receipt.card_cents;
        self.discount_cents = receipt.discount_cents;
        self.dispatch_cents = receipt.dispatch_cents;
        self.helmet_cents = receipt.helmet_cents;
        self.pay_cents = receipt.pay_cents;
        self.pricing = Some(Json(pricing));
        self.settle();
    }

    fn settle(&mut self) {
        let owed = self.pay_cents - self.paid_cents - self.written_off_cents;
        self.state = if owed > 0 { PayState::Unpaid } else { PayState::Paid };
    }

    fn take_in(&mut self, event: OrderEvent) {
        match event {
            OrderEvent::Reserved { opened, until, at } => {
                self.open(&opened, at.millis());
                self.state = PayState::Reserved;
                self.reserved_until = Some(until.millis());
            }
            OrderEvent::UnlockAsked { opened, billing_version, at } => {
                self.open(&opened, at.millis());
                self.state = PayState::Riding;
                self.is_unlocking = true;
                self.billing_version = billing_version;
            }
            OrderEvent::Started { at } => {
                self.is_unlocking = false;
                self.start_at = Some(at.millis());
            }
            OrderEvent::Cancelled { why, .. } => {
                self.state = PayState::Cancelled;
                self.is_unlocking = false;
                self.cancel_reason = Some(why);
            }
            OrderEvent::Paused { at } => {
                self.is_paused = true;
                self.pause_at = Some(at.millis());
            }
            OrderEvent::Resumed { at } => {
                self.is_paused = false;
                self.paused_ms += self.pause_at.take().map_or(0, |since| (at.millis() - since).max(0));
            }
            OrderEvent::Returned { end, .. } => self.end(end),
            OrderEvent::Priced { pricing, at } => {
                self.price(*pricing);
                if self.state == PayState::Paid {
                    self.paid_at = Some(at.millis());
                }
            }
            OrderEvent::Paid { share, channel, at, .. } => {
                self.recharge_cents += share.recharge_cents;
                self.present_cents += share.present_cents;
                self.third_cents += share.third_cents;
                self.paid_cents += share.sum_cents();
                self.channel = Some(channel);
                self.paid_at = Some(at.millis());
                self.settle();
            }
            OrderEvent::Modified { to_cents, .. } => {
                self.pay_cents = to_cents;
                self.is_modified = true;
                self.settle();
            }
            OrderEvent::Refunded { share, .. } => {
                self.refund_cents += share.sum_cents();
                if self.refund_cents == self.paid_cents {
                    self.state = PayState::Refunded;
                }
            }
            OrderEvent::WrittenOff { amount_cents, .. } => {
                self.written_off_cents += amount_cents;
                self.settle();
            }
            OrderEvent::Reminded { nth, way, at } => {
                self.reminders = i16::try_from(nth).unwrap_or(i16::MAX);
                self.reminded_at = Some(at.millis());
                self.remind_way = Some(way);
            }
            OrderEvent::Noted { .. } | OrderEvent::Reconciled { .. } => {}
        }
    }
}

/// What orders tell of a rider.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Riding {
    rider_id: i64,
    agent_id: i64,
    open_order_id: Option<i64>,
    open_state: Option<i16>,
    open_paused: bool,
    total_orders: i64,
    total_paid_cents: i64,
    last_order_at_ms: Option<i64>,
}

impl Riding {
    /// Takes in what became of an order.
    fn take_in(&mut self, before: Option<&OrderRow>, after: &OrderRow) {
        self.rider_id = after.user_id.0;
        self.agent_id = after.agent_id.0;
        if after.is_open() {
            self.open_order_id = Some(after.order_id.0);
            self.open_state = Some(after.state.number());
            self.open_paused = after.is_paused;
        } else if self.open_order_id == Some(after.order_id.0) {
            (self.open_order_id, self.open_state, self.open_paused) = (None, None, false);
        }
        let counted = |row: &OrderRow| i64::from(row.end_at.is_some());
        let paid = |row: &OrderRow| row.paid_cents - row.refund_cents;
        self.total_orders += counted(after) - before.map_or(0, counted);
        self.total_paid_cents += paid(after) - before.map_or(0, paid);
        self.last_order_at_ms = self.last_order_at_ms.max(after.start_at);
    }
}

#[async_trait]
impl Projector for Orders {
    fn name(&self) -> &'static str {
        "ride_order"
    }

    fn tables(&self) -> &'static [&'static str] {
        &["ride_order", "rider_riding"]
    }

    fn categories(&self) -> &'static [&'static str] {
        &[Order::CATEGORY]
    }

    fn stops_on_failure(&self) -> bool {
        true
    }

    async fn apply(&self, db: &mut PgConnection, events: &[Recorded]) -> Result<Vec<Change>, ApplyError> {
        let keys = rows::streams(events);
        let known = rows::load_keyed::<Value>(db, "ride_order", "order_id", "bigint", &keys).await?;
        let known = known.into_iter().map(|(key, columns)| Ok((key, OrderRow::restored(columns)?)));
        let before: BTreeMap<String, OrderRow> = known.collect::<Result<_, ApplyError>>()?;
        let mut after = before.clone();
        for recorded in events {
            let mut row = recorded.begin(after.remove(&*recorded.stream_id))?;
            row.take_in(recorded.decode()?);
            row.updated_at = recorded.recorded_at.millis();
            row.version = recorded.version;
            after.insert(recorded.stream_id.to_string(), row);
        }
        tell_riders(db, &before, &after).await?;
        let stored: Vec<Value> = after.values().map(Stored::stored).collect::<Result<_, _>>()?;
        rows::upsert(db, "ride_order", "order_id", &stored).await?;
        Ok(after
            .iter()
            .map(|(key, row)| Change { table: "ride_order", key: key.clone(), owner: row.owner() })
            .collect())
    }
}

async fn tell_riders(
    db: &mut PgConnection,
    before: &BTreeMap<String, OrderRow>,
    after: &BTreeMap<String, OrderRow>,
) -> Result<(), ApplyError> {
    let mut keys: Vec<String> = after.values().map(|row| row.user_id.to_string()).collect();
    keys.sort_unstable();
    keys.dedup();
    let known: Vec<Riding> = rows::load(db, "rider_riding", "rider_id", "bigint", &keys).await?;
    let mut riders: BTreeMap<i64, Riding> = known.into_iter().map(|row| (row.rider_id, row)).collect();
    for (key, row) in after {
        riders.entry(row.user_id.0).or_default().take_in(before.get(key), row);
    }
    rows::upsert(db, "rider_riding", "rider_id", &riders.into_values().collect::<Vec<_>>()).await
}

/// Orders in scope, newest first.
pub fn list(scope: &Scope) -> List {
    List::new(
        "o.order_id, o.rider_id, r.phone_masked as phone, r.name_masked as name, o.car_id, o.imei, o.agent_id, o.area_id,
         a.name as area_name, o.state, o.is_unlocking, o.is_paused, o.is_modified, o.cancel_reason, o.billing_version,
         o.opened_at_ms, o.reserved_until_ms, o.start_at_ms, o.end_at_ms, o.pause_at_ms, o.paused_ms, o.paid_at_ms,
         o.end_kind, o.class, o.distance_m, o.riding_s, o.start_lat, o.start_lng, o.end_lat, o.end_lng,
         o.start_parking_id, o.end_fence_id, o.end_fence_version, o.certainty_percent, o.evidence, o.pricing,
         o.origin_cents, o.card_cents, o.discount_cents, o.dispatch_cents, o.helmet_cents, o.pay_cents, o.paid_cents,
         o.recharge_cents, o.present_cents, o.third_cents, o.refund_cents, o.written_off_cents, o.channel,
         o.reminders, o.reminded_at_ms, o.remind_way, o.updated_at_ms, o.version",
        "read.ride_order o left join read.area a on a.area_id = o.area_id
         left join read.rider r on r.rider_id = o.rider_id",
        "o.opened_at_ms desc, o.order_id desc",
    )
    .found_in("read.ride_order o", "o.order_id")
    .of_agents("o.agent_id", scope)
    .of_areas("o.area_id", scope)
}

/// What they may be sorted by.
pub const SORTS: [Sort; 2] =
    [Sort { name: "openedAt", column: "o.opened_at_ms" }, Sort { name: "payCents", column: "o.pay_cents" }];

/// Those of a list that ended as is asked for.
pub fn ended_so(list: List, asked: OutcomeAsked) -> List {
    match asked.numbers().as_deref() {
        None => list,
        Some([one]) => list.is("o.outcome", Some(*one)),
        // What cannot be is a choice among nothing.
        Some([]) => list.matching(&["false"], vec![]),
        Some(some) => list.is_one_of("o.outcome", some.to_vec()),
    }
}

/// Those of a list whose price was changed or not, and of which something went back or not; written out, so that the indexes
/// of the few serve them (`migrations/0196`).
pub fn told_apart(list: List, modified: Option<bool>, refunded: Option<bool>) -> List {
    let bits = |asked: Option<bool>, few: &'static str, others: &'static str| match asked {
        Some(true) => Some(few),
        Some(false) => Some(others),
        None => None,
    };
    let modified = bits(modified, "o.touched in (1, 3)", "o.touched in (0, 2)");
    let refunded = bits(refunded, "o.touched in (2, 3)", "o.touched in (0, 1)");
    [modified, refunded]
        .into_iter()
        .flatten()
        .fold(list, |list, condition| list.matching(&[condition], vec![]))
}

/// What was booked for an order.
#[derive(Clone, Debug, Serialize, ToSchema, sqlx::FromRow)]
#[serde(rename_all = "camelCase")]
pub struct OrderEntry {
    /// Its place in the log.
    pub position: i64,
    /// What happened: ride, ride-paid, ride-lowered, ride-refund, ride-written-off or stayed.
    pub what: String,
    /// What it was booked for, once for ever.
    pub cause: String,
    /// 支付渠道, by its number.
    pub channel: Option<i16>,
    /// The moment that it is booked for, epoch milliseconds.
    #[sqlx(rename = "at_ms")]
    pub at: i64,
    /// 应收车费, cents that it grew by.
    pub receivable_cents: i64,
    /// 充值余额.
    pub recharge_cents: i64,
    /// 赠送余额.
    pub present_cents: i64,
    /// 支付通道.
    pub channel_cents: i64,
    /// 待退款.
    pub refund_due_cents: i64,
    /// 骑行收入.
    pub ride_income_cents: i64,
    /// 调度费.
    pub penalty_income_cents: i64,
    /// 骑行退款.
    pub ride_refund_cents: i64,
    /// 坏账核销.
    pub write_off_cents: i64,
}

/// What was booked for an order of a rider in scope, oldest first; at most 200 entries.
pub async fn entries(
    db: impl PgExecutor<'_>,
    rider: RiderId,
    order: RideOrderId,
) -> sqlx::Result<Vec<OrderEntry>> {
    let causes = ["ride-paid", "ride-lowered", "ride-refund", "stayed"];
    let numbered: Vec<String> = causes.iter().map(|what| format!("{what}:{order}")).collect();
    let single: Vec<String> =
        ["ride", "ride-written-off"].iter().map(|what| format!("{what}:{order}")).collect();
    sqlx::query_as(
        "select position, what, cause, channel, at_ms, receivable_cents, recharge_cents, present_cents, channel_cents,
             refund_due_cents, ride_income_cents, penalty_income_cents, ride_refund_cents, write_off_cents
         from read.ledger_entry
         where holder_kind = $1 and holder_id = $2 and (cause = any($3) or regexp_replace(cause, '-[0-9]+$', '') = any($4))
         order by position limit 200",
    )
    .bind(HolderKind::Rider.number())
    .bind(rider)
    .bind(single)
    .bind(numbered)
    .fetch_all(db)
    .await
}

/// Reservations that ran out at `now`, epoch milliseconds; at most 500.
pub async fn expired(db: impl PgExecutor<'_>, now_ms: i64) -> sqlx::Result<Vec<RideOrderId>> {
    sqlx::query_scalar(
        "select order_id from read.ride_order where state = 0 and reserved_until_ms <= $1
         order by opened_at_ms limit 500",
    )
    .bind(now_ms)
    .fetch_all(db)
    .await
}

/// Whether a rider has an order that is open.
pub async fn open_of(db: impl PgExecutor<'_>, rider: RiderId) -> sqlx::Result<bool> {
    sqlx::query_scalar(
        "select exists (select from read.rider_riding where rider_id = $1 and open_order_id is not null)",
    )
    .bind(rider)
    .fetch_one(db)
    .await
}

/// A ride that began.
#[derive(Clone, Copy, Debug, sqlx::FromRow)]
pub struct BegunRow {
    /// Which.
    pub order_id: RideOrderId,
    /// When, epoch milliseconds.
    pub start_at_ms: i64,
    /// Where its bike stood: degrees north, WGS-84.
    pub start_lat: f64,
    /// Degrees east, WGS-84.
    pub start_lng: f64,
    /// What it costs as far as that is known, cents.
    pub pay_cents: i64,
}

/// Rides of all agents that began from `from` until before `until` with ids above `after`, by their ids; at most `most`.
pub async fn begun(
    db: impl PgExecutor<'_>,
    (from, until): (Timestamp, Timestamp),
    after: RideOrderId,
    most: i64,
) -> sqlx::Result<Vec<BegunRow>> {
    sqlx::query_as(
        "select order_id, start_at_ms, start_lat, start_lng, pay_cents from read.ride_order
         where start_at_ms >= $1 and start_at_ms < $2 and order_id > $3 and start_lat is not null and start_lng is not null
         order by order_id limit $4",
    )
    .bind(from.millis())
    .bind(until.millis())
    .bind(after)
    .bind(most)
    .fetch_all(db)
    .await
}

/// Whether a rider ever ended a ride.
pub async fn has_ridden(db: impl PgExecutor<'_>, rider: RiderId) -> sqlx::Result<bool> {
    sqlx::query_scalar(
        "select exists (select from read.ride_order where rider_id = $1 and end_at_ms is not null)",
    )
    .bind(rider)
    .fetch_one(db)
    .await
}

/// The orders of a rider that are not paid, the oldest first; at most `most`.
pub async fn owing(db: impl PgExecutor<'_>, rider: RiderId, most: i64) -> sqlx::Result<Vec<RideOrderId>> {
    sqlx::query_scalar(
        "select order_id from read.ride_order where rider_id = $1 and state = 3 order by opened_at_ms limit $2",
    )
    .bind(rider)
    .bind(most)
    .fetch_all(db)
    .await
}
