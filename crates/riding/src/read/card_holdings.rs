//! Table `card_holding`: each card that a rider holds or held.

use std::collections::{BTreeMap, BTreeSet};

use async_trait::async_trait;
use kernel::projector::ApplyError;
use kernel::{Aggregate, Change, List, Projector, Recorded, Stored, row, rows};
use serde::Serialize;
use serde_json::Value;
use sqlx::types::Json;
use sqlx::{FromRow, PgConnection};
use utoipa::ToSchema;
use vocabulary::{
    AgentId, AreaId, CardHoldingId, CardProductId, DataOwner, PaymentId, RideOrderId, RiderId, Scope,
    Timestamp,
};

use crate::model::card::{Card, CardKind};
use crate::model::holdings::{HoldingState, RefundTo, RiderCards, RiderCardsEvent, Span, day, unused_cents};

row! {
    /// A card that a rider holds or held.
    #[derive(Clone, Debug, Default, Serialize, ToSchema, sqlx::FromRow)]
    #[serde(rename_all = "camelCase")]
    pub struct CardHoldingRow {
        /// Its id, as text.
        pub id: CardHoldingId = "holding_id",
        /// Who holds it.
        pub user_id: RiderId = "rider_id",
        /// His phone, masked; empty once he was forgotten.
        pub phone: Option<String> as default,
        /// Whose rider he is.
        pub agent_id: AgentId,
        /// The area where he registered.
        pub op_area_id: AreaId = "area_id",
        /// Which product.
        pub product_id: CardProductId,
        /// In which of its versions.
        pub number: i64,
        /// 卡类型.
        pub kind: CardKind,
        /// What it gives, as it was bought.
        #[schema(value_type = Card)]
        pub card: Json<Card>,
        /// 购买价格: cents.
        pub price_cents: i64,
        /// The payment, as text; none: from the wallet.
        pub payment_id: Option<PaymentId>,
        /// Through which channel it was paid; 0: the wallet.
        pub channel: i16,
        /// 购买时间, epoch milliseconds.
        pub bought_at: i64 = "bought_at_ms",
        /// 生效时间, epoch milliseconds.
        pub starts_at: i64 = "starts_at_ms",
        /// 到期时间, epoch milliseconds.
        pub until_at: i64 = "until_at_ms",
        /// 持卡状态.
        pub state: HoldingState as default,
        #[serde(skip)]
        pub total_times: Option<i32>,
        /// 剩余次数; none: not counted in all.
        pub remain_times: Option<i32> as default,
        /// 已用次数.
        pub used_times: i32,
        #[serde(skip)]
        pub use_day: Option<i64>,
        #[serde(skip)]
        pub day_times: i32,
        /// 今日已用.
        pub today_used: Option<i32> as default,
        /// 已节省: cents.
        pub saved_cents: i64,
        /// 最近使用, epoch milliseconds.
        pub last_use_at: Option<i64> = "last_use_at_ms",
        /// The order of the last use, as text.
        pub last_order_id: Option<RideOrderId>,
        /// 现在可退: cents; nothing once it ended or went back.
        pub refundable_cents: i64 as skip,
        /// 退款时间, epoch milliseconds.
        pub refunded_at: Option<i64> = "refunded_at_ms",
        /// 退款金额: cents.
        pub refunded_cents: i64,
        /// 退款方式.
        pub refund_to: Option<RefundTo>,
        /// 退款原因.
        pub refund_reason: String,
        #[serde(skip)]
        pub position: i64,
    }
}

impl CardHoldingRow {
    /// Says what would go back at `now`.
    pub fn stand_at(&mut self, now: Timestamp) {
        let [starts, until] = [self.starts_at, self.until_at].map(Timestamp::from_millis);
        let (span, was_used) = (Span { starts, until }, self.last_use_at.is_some());
        let left = || unused_cents(self.price_cents, self.remain_times, &self.card, span, was_used, now);
        self.refundable_cents = if self.refunded_at.is_some() { 0 } else { left() };
    }

    fn owner(&self) -> DataOwner {
        DataOwner::of_area(self.agent_id, self.op_area_id)
    }
}

/// The cards that an event tells of.
fn named(event: &RiderCardsEvent) -> Vec<CardHoldingId> {
    match event {
        RiderCardsEvent::Bought { purchase, .. } => vec![purchase.holding_id],
        RiderCardsEvent::Used { used, .. } | RiderCardsEvent::GivenBack { used, .. } => vec![used.holding],
        RiderCardsEvent::Refunded { holding, moved, .. } => {
            moved.iter().map(|one| one.holding).chain([*holding]).collect()
        }
    }
}

type Rows = BTreeMap<CardHoldingId, CardHoldingRow>;

fn known(rows: &mut Rows, id: CardHoldingId) -> Result<&mut CardHoldingRow, ApplyError> {
    rows.get_mut(&id).ok_or_else(|| format!("card {id} changed before it came").into())
}

fn apply(rows: &mut Rows, event: RiderCardsEvent) -> Result<(), ApplyError> {
    match event {
        RiderCardsEvent::Bought { of, purchase, span, at } => {
            let row = CardHoldingRow {
                id: purchase.holding_id,
                user_id: of.rider_id,
                agent_id: of.agent_id,
                op_area_id: of.area_id,
                product_id: purchase.product_id,
                number: purchase.number,
                kind: purchase.card.kind,
                total_times: purchase.card.times_in_all(),
                card: Json(purchase.card),
                price_cents: purchase.price_cents,
                payment_id: purchase.paid_by.payment,
                channel: purchase.paid_by.channel,
                bought_at: at.millis(),
                starts_at: span.starts.millis(),
                until_at: span.until.millis(),
                ..CardHoldingRow::default()
            };
            rows.insert(row.id, row);
        }
        RiderCardsEvent::Used { order, used, start } => {
            let row = known(rows, used.holding)?;
            let today = Some(day(start));
            row.day_times = if row.use_day == today { row.day_times + 1 } else { 1 };
            row.use_day = today;
            row.used_times += 1;
            row.saved_cents += used.saved_cents;
            row.last_use_at = Some(start.millis());
            row.last_order_id = Some(order);
        }
        RiderCardsEvent::GivenBack { used, start, .. } => {
            let row = known(rows, used.holding)?;
            if row.use_day == Some(day(start)) {
                row.day_times = (row.day_times - 1).max(0);
            }
            row.used_times = (row.used_times - 1).max(0);
            row.saved_cents -= used.saved_cents;
        }
        RiderCardsEvent::Refunded { holding, amount_cents, to, reason, moved, at, .. } => {
            for one in moved {
                let row = known(rows, one.holding)?;
                row.starts_at = one.span.starts.millis();
                row.until_at = one.span.until.millis();
            }
            let row = known(rows, holding)?;
            row.refunded_at = Some(at.millis());
            row.refunded_cents = amount_cents;
            row.refund_to = Some(to);
            row.refund_reason = reason;
        }
    }
    Ok(())
}

/// Builds the table.
pub struct CardHoldings;

#[async_trait]
impl Projector for CardHoldings {
    fn name(&self) -> &'static str {
        "card_holding"
    }

    fn tables(&self) -> &'static [&'static str] {
        &["card_holding"]
    }

    fn categories(&self) -> &'static [&'static str] {
        &[RiderCards::CATEGORY]
    }

    async fn apply(&self, db: &mut PgConnection, events: &[Recorded]) -> Result<Vec<Change>, ApplyError> {
        let mut decoded = Vec::with_capacity(events.len());
        for recorded in events {
            decoded.push((recorded.decode::<RiderCardsEvent>()?, recorded.position));
        }
        let keys: BTreeSet<CardHoldingId> = decoded.iter().flat_map(|(event, _)| named(event)).collect();
        let keys: Vec<String> = keys.iter().map(ToString::to_string).collect();
        let found = rows::load::<Value>(db, "card_holding", "holding_id", "bigint", &keys).await?;
        let mut held = Rows::new();
        for columns in found {
            let row = CardHoldingRow::restored(columns)?;
            held.insert(row.id, row);
        }
        for (event, position) in decoded {
            let touched = named(&event);
            apply(&mut held, event)?;
            for id in touched {
                known(&mut held, id)?.position = position.0;
            }
        }
        let stored: Vec<Value> = held.values().map(CardHoldingRow::stored).collect::<Result<_, _>>()?;
        rows::upsert(db, "card_holding", "holding_id", &stored).await?;
        let told = held.values().map(|row| Change {
            table: "card_holding",
            key: row.id.to_string(),
            owner: row.owner(),
        });
        Ok(told.collect())
    }
}

/// Now, epoch milliseconds.
macro_rules! now_sql {
    () => {
        "(extract(epoch from now()) * 1000)::bigint"
    };
}

/// Those of a list that stand so now, if that is asked for; each written out, so that an index of the few serves it.
pub fn standing(list: List, state: Option<HoldingState>) -> List {
    let condition = match state {
        None => return list,
        Some(HoldingState::Waiting) => concat!("h.fate = 0 and h.starts_at_ms > ", now_sql!()),
        Some(HoldingState::Active) => {
            concat!("h.fate = 0 and h.starts_at_ms <= ", now_sql!(), " and h.until_at_ms > ", now_sql!())
        }
        Some(HoldingState::Over) => concat!("h.fate in (0, 4) and h.until_at_ms <= ", now_sql!()),
        Some(HoldingState::Refunded) => "h.fate = 3",
        Some(HoldingState::UsedUp) => concat!("h.fate = 4 and h.until_at_ms > ", now_sql!()),
    };
    list.matching(&[condition], vec![])
}

/// Cards that riders in scope hold or held, newest first.
pub fn list(scope: &Scope) -> List {
    List::new(
        concat!(
            "h.holding_id, h.rider_id, r.phone_masked as phone, h.agent_id, h.area_id, h.product_id, h.number, h.kind, h.card,
             h.price_cents, h.payment_id, h.channel, h.bought_at_ms, h.starts_at_ms, h.until_at_ms,
             (case when h.fate = 3 then 3 when h.until_at_ms <= ",
            now_sql!(),
            " then 2 when h.fate = 4 then 4 when h.starts_at_ms > ",
            now_sql!(),
            " then 0 else 1 end)::smallint as state, h.total_times, greatest(h.total_times - h.used_times, 0) as remain_times, h.used_times,
             h.use_day, h.day_times,
             case when h.use_day = (extract(epoch from now())::bigint + 28800) / 86400 then h.day_times else 0 end as today_used,
             h.saved_cents, h.last_use_at_ms, h.last_order_id, h.refunded_at_ms, h.refunded_cents, h.refund_to,
             h.refund_reason, h.position"
        ),
        "read.card_holding h left join read.rider r on r.rider_id = h.rider_id",
        "h.bought_at_ms desc, h.holding_id desc",
    )
    .found_in("read.card_holding h", "h.holding_id")
    .of_agents("h.agent_id", scope)
    .of_areas("h.area_id", scope)
}

/// Rides of a rider in scope that began since then, the last ones first: when they began and ended, and metres; at most 100.
pub async fn rides_since(
    db: &mut PgConnection,
    rider: RiderId,
    since: Timestamp,
) -> sqlx::Result<Vec<(AreaId, i64, i64, i64)>> {
    sqlx::query_as(
        "select area_id, start_at_ms, end_at_ms, distance_m from read.ride_order
         where rider_id = $1 and opened_at_ms >= $2 and start_at_ms is not null and end_at_ms is not null
         order by opened_at_ms desc, order_id desc limit 100",
    )
    .bind(rider)
    .bind(since.millis())
    .fetch_all(db)
    .await
}

/// A ride as a card would have met it.
#[derive(Clone, Copy, Debug, FromRow)]
pub struct PastRide {
    /// Who rode.
    pub rider_id: RiderId,
    /// Where it began.
    pub area_id: AreaId,
    /// Which version of the area's billing priced it.
    pub billing_version: i64,
    /// When it began, epoch milliseconds …
    pub start_at_ms: i64,
    /// … and when it ended.
    pub end_at_ms: i64,
    /// Metres.
    pub distance_m: i64,
}

/// Rides in scope of an agent, in `areas` of his where any are named, that began since then and are over: the last ones first, at
/// most `most`.
pub async fn past_rides(
    db: &mut PgConnection,
    agent: AgentId,
    areas: &[AreaId],
    since: Timestamp,
    most: i64,
) -> sqlx::Result<Vec<PastRide>> {
    let areas: Vec<i64> = areas.iter().map(|area| area.0).collect();
    sqlx::query_as(
        "select rider_id, area_id, billing_version, start_at_ms, end_at_ms, distance_m from read.ride_order
         where agent_id = $1 and (cardinality($2::bigint[]) = 0 or area_id = any($2)) and opened_at_ms >= $3
             and start_at_ms is not null and end_at_ms is not null
         order by opened_at_ms desc, order_id desc limit $4",
    )
    .bind(agent)
    .bind(areas)
    .bind(since.millis())
    .bind(most)
    .fetch_all(db)
    .await
}
