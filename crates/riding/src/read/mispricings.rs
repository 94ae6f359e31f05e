//! Tables `mispricing` and `mispriced_order`: versions that priced rides wrong, and what becomes of each of their orders.

use std::collections::BTreeMap;

use async_trait::async_trait;
use kernel::projector::ApplyError;
use kernel::{Actor, Aggregate, Change, List, Projector, Recorded, Stored, row, rows};
use serde::Serialize;
use serde_json::{Value, json};
use sqlx::types::Json;
use sqlx::{PgConnection, PgExecutor};
use utoipa::ToSchema;
use vocabulary::{
    AgentId, AreaId, DataOwner, FenceId, MispricingId, OperatorId, RideOrderId, RiderId, Scope,
};

use crate::model::mispricing::{Mispriced, MispricingSubject};
use crate::model::mispricing_case::{
    BackTo, Finding, MispricedState, Mispricing, MispricingEvent, MispricingState, Outcome,
};

row! {
    /// A version that priced rides wrong, and how far its orders are settled.
    #[derive(Clone, Debug, Default, Serialize, ToSchema, sqlx::FromRow)]
    #[serde(rename_all = "camelCase")]
    pub struct MispricingRow {
        /// Its id, as text.
        pub id: MispricingId = "mispricing_id",
        /// Whose orders they are.
        pub agent_id: AgentId,
        /// The service area where they began.
        pub op_area_id: AreaId = "area_id",
        /// That area's name.
        pub area_name: Option<String> as default,
        /// 核对对象.
        pub subject: MispricingSubject,
        /// Which fence, of one, as text.
        pub fence_id: Option<FenceId>,
        /// 围栏名称.
        pub name: String,
        /// 有误版本; of a billing 0 is the default.
        pub wrong_version: i64,
        /// 应当生效的版本; null: the fence should not have been there.
        pub instead_version: Option<i64>,
        /// Rides that ended from then on, epoch milliseconds,
        pub from_at: i64 = "from_at_ms",
        /// … until then, without it.
        pub until_at: i64 = "until_at_ms",
        /// 处理状态.
        pub state: MispricingState,
        /// 核对订单数.
        pub examined: i64,
        /// Whether there are more than were looked at or fit into a case.
        pub is_capped: bool,
        /// 应退订单数.
        pub orders: i64,
        /// 涉及用户数.
        pub riders: i64,
        /// 应退, cents of what was paid.
        pub back_cents: i64,
        /// 应减, cents of what is owed.
        pub lower_cents: i64,
        /// 少收订单数: told, never charged.
        pub higher_orders: i64,
        /// 少收, cents.
        pub higher_cents: i64,
        /// Orders that were settled.
        pub given_orders: i64,
        /// Those that the world overtook.
        pub overtaken_orders: i64,
        /// Those that were refused.
        pub failed_orders: i64,
        /// 已退, cents.
        pub given_cents: i64,
        /// 已减, cents.
        pub lowered_cents: i64,
        /// Whether what came through a channel goes into the wallet.
        pub is_to_wallet: bool,
        /// 原因.
        pub reason: String,
        /// 核对时间, epoch milliseconds.
        pub found_at: i64 = "found_at_ms",
        #[serde(skip)]
        pub found_by: Option<OperatorId>,
        /// Who looked; null: somebody whom the caller does not see.
        pub finder: Option<String> as default,
        /// When it was decided to give all back, epoch milliseconds.
        pub begun_at: Option<i64> = "begun_at_ms",
        #[serde(skip)]
        pub begun_by: Option<OperatorId>,
        /// On whose word.
        pub beginner: Option<String> as default,
        /// When the last order was settled, epoch milliseconds.
        pub ended_at: Option<i64> = "ended_at_ms",
        /// To be sent with a change.
        pub version: i64,
    }
}

const fn person(recorded: &Recorded) -> Option<OperatorId> {
    match &recorded.meta.actor {
        Actor::Operator { id } => Some(*id),
        Actor::Machine { .. } | Actor::System { .. } => None,
    }
}

const fn count(of: usize) -> i64 {
    of as i64
}

impl MispricingRow {
    fn find(&mut self, finding: &Finding, recorded: &Recorded) {
        let sums = finding.sums();
        self.id = finding.mispricing_id;
        self.agent_id = finding.agent_id;
        self.op_area_id = finding.area_id;
        self.subject = finding.wrong.subject;
        self.fence_id = finding.wrong.fence_id;
        self.name.clone_from(&finding.name);
        self.wrong_version = finding.wrong.version;
        self.instead_version = finding.wrong.instead;
        (self.from_at, self.until_at) = (finding.from.millis(), finding.until.millis());
        self.examined = finding.examined;
        self.is_capped = finding.is_capped;
        (self.orders, self.riders) = (count(finding.orders.len()), count(finding.riders()));
        (self.back_cents, self.lower_cents) = (sums.back_cents, sums.lower_cents);
        (self.higher_orders, self.higher_cents) = (finding.higher_orders, finding.higher_cents);
        self.found_at = recorded.recorded_at.millis();
        self.found_by = person(recorded);
    }

    fn settle(&mut self, outcome: &Outcome, at_ms: i64) {
        match outcome {
            Outcome::Given { lower_cents, back_cents } => {
                self.given_orders += 1;
                self.lowered_cents += lower_cents;
                self.given_cents += back_cents;
            }
            Outcome::Overtaken(_) => self.overtaken_orders += 1,
            Outcome::Failed(_) => self.failed_orders += 1,
        }
        if self.given_orders + self.overtaken_orders + self.failed_orders == self.orders {
            self.state = MispricingState::Done;
            self.ended_at = Some(at_ms);
        }
    }

    /// Whose it is.
    pub const fn owner(&self) -> DataOwner {
        DataOwner::of_area(self.agent_id, self.op_area_id)
    }
}

fn orders_of(finding: &Finding) -> Vec<Value> {
    let row = |one: &Mispriced, state: MispricedState| {
        json!({
            "mispricing_id": finding.mispricing_id, "order_id": one.order_id, "rider_id": one.rider_id,
            "agent_id": finding.agent_id, "area_id": finding.area_id, "priced_cents": one.priced_cents,
            "should_cents": one.should_cents, "back_cents": one.due.back_cents,
            "lower_cents": one.due.lower_cents, "state": state.number(), "note": "", "settled_at_ms": null,
        })
    };
    let due = finding.orders.iter().map(|one| row(one, MispricedState::Waiting));
    due.chain(finding.higher.iter().map(|one| row(one, MispricedState::Higher))).collect()
}

fn settled(case: MispricingId, order: RideOrderId, outcome: &Outcome, at_ms: i64) -> Value {
    let (state, note) = match outcome {
        Outcome::Given { .. } => (MispricedState::Given, ""),
        Outcome::Overtaken(why) => (MispricedState::Overtaken, why.as_str()),
        Outcome::Failed(why) => (MispricedState::Failed, why.as_str()),
    };
    json!({
        "mispricing_id": case.0, "order_id": order.0, "state": state.number(), "note": note, "settled_at_ms": at_ms,
    })
}

/// Builds both tables.
pub struct Mispricings;

#[async_trait]
impl Projector for Mispricings {
    fn name(&self) -> &'static str {
        "mispricing"
    }

    fn tables(&self) -> &'static [&'static str] {
        &["mispricing", "mispriced_order"]
    }

    fn categories(&self) -> &'static [&'static str] {
        &[Mispricing::CATEGORY]
    }

    async fn apply(&self, db: &mut PgConnection, events: &[Recorded]) -> Result<Vec<Change>, ApplyError> {
        let keys = rows::streams(events);
        let known = rows::load_keyed::<Value>(db, "mispricing", "mispricing_id", "bigint", &keys).await?;
        let known = known.into_iter().map(|(key, columns)| Ok((key, MispricingRow::restored(columns)?)));
        let mut cases: BTreeMap<String, MispricingRow> = known.collect::<Result<_, ApplyError>>()?;
        let (mut found, mut ended) = (Vec::new(), Vec::new());
        for recorded in events {
            let mut row = recorded.begin(cases.remove(&*recorded.stream_id))?;
            let at_ms = recorded.recorded_at.millis();
            match recorded.decode()? {
                MispricingEvent::Found { finding, .. } => {
                    row.find(&finding, recorded);
                    found.extend(orders_of(&finding));
                }
                MispricingEvent::RefundBegun { to, reason, .. } => {
                    row.state = MispricingState::Refunding;
                    row.is_to_wallet = to == BackTo::Wallet;
                    row.reason = reason;
                    row.begun_at = Some(at_ms);
                    row.begun_by = person(recorded);
                }
                MispricingEvent::Settled { order_id, outcome, .. } => {
                    row.settle(&outcome, at_ms);
                    ended.push(settled(row.id, order_id, &outcome, at_ms));
                }
                MispricingEvent::Discarded { .. } => row.state = MispricingState::Discarded,
            }
            row.version = recorded.version;
            cases.insert(recorded.stream_id.to_string(), row);
        }
        let stored: Vec<Value> = cases.values().map(Stored::stored).collect::<Result<_, _>>()?;
        rows::upsert(db, "mispricing", "mispricing_id", &stored).await?;
        rows::upsert(db, "mispriced_order", "mispricing_id, order_id", &found).await?;
        sqlx::query(
            "update mispriced_order o set state = s.state, note = s.note, settled_at_ms = s.settled_at_ms
             from jsonb_to_recordset($1)
                 as s(mispricing_id bigint, order_id bigint, state smallint, note text, settled_at_ms bigint)
             where o.mispricing_id = s.mispricing_id and o.order_id = s.order_id",
        )
        .bind(Json(ended))
        .execute(db)
        .await?;
        Ok(cases
            .into_iter()
            .map(|(key, row)| Change { table: "mispricing", owner: row.owner(), key })
            .collect())
    }
}

/// Cases in scope, newest first.
pub fn list(scope: &Scope) -> List {
    List::new(
        "m.mispricing_id, m.agent_id, m.area_id, a.name as area_name, m.subject, m.fence_id, m.name, m.wrong_version,
         m.instead_version, m.from_at_ms, m.until_at_ms, m.state, m.examined, m.is_capped, m.orders, m.riders, m.back_cents,
         m.lower_cents, m.higher_orders, m.higher_cents, m.given_orders, m.overtaken_orders, m.failed_orders, m.given_cents,
         m.lowered_cents, m.is_to_wallet, m.reason, m.found_at_ms, m.found_by, f.name as finder, m.begun_at_ms, m.begun_by,
         b.name as beginner, m.ended_at_ms, m.version",
        "read.mispricing m left join read.area a on a.area_id = m.area_id
         left join read.operator f on f.operator_id = m.found_by
         left join read.operator b on b.operator_id = m.begun_by",
        "m.found_at_ms desc, m.mispricing_id desc",
    )
    .of_agents("m.agent_id", scope)
    .of_areas("m.area_id", scope)
}

/// An order of a case as lists show it; its rider's phone is masked.
#[derive(Clone, Debug, Serialize, ToSchema, sqlx::FromRow)]
#[serde(rename_all = "camelCase")]
pub struct MispricedOrderRow {
    /// Which order, as text.
    pub order_id: RideOrderId,
    /// Who rode, as text.
    #[sqlx(rename = "rider_id")]
    pub user_id: RiderId,
    /// 手机号, masked.
    pub phone: Option<String>,
    /// 车辆编号.
    pub car_id: Option<String>,
    /// 结束时间, epoch milliseconds.
    #[sqlx(rename = "end_at_ms")]
    pub end_at: Option<i64>,
    /// 计费时应付, cents.
    pub priced_cents: i64,
    /// 重算应付, cents.
    pub should_cents: i64,
    /// 应退, cents of what was paid.
    pub back_cents: i64,
    /// 应减, cents of what is owed.
    pub lower_cents: i64,
    /// 退还结果.
    pub state: MispricedState,
    /// Why it was left or refused.
    pub note: String,
    /// When it was settled, epoch milliseconds.
    #[sqlx(rename = "settled_at_ms")]
    pub settled_at: Option<i64>,
}

/// Orders of cases in scope, the newest first.
pub fn orders(scope: &Scope) -> List {
    List::new(
        "m.order_id, m.rider_id, r.phone_masked as phone, o.car_id, o.end_at_ms, m.priced_cents, m.should_cents, m.back_cents,
         m.lower_cents, m.state, m.note, m.settled_at_ms",
        "read.mispriced_order m left join read.ride_order o on o.order_id = m.order_id
         left join read.rider r on r.rider_id = m.rider_id",
        "m.order_id desc",
    )
    .of_agents("m.agent_id", scope)
    .of_areas("m.area_id", scope)
}

/// Cases whose orders are being settled, the oldest first; at most 50.
pub async fn refunding(db: impl PgExecutor<'_>) -> sqlx::Result<Vec<MispricingId>> {
    sqlx::query_scalar(
        "select mispricing_id from read.mispricing where state = $1 order by mispricing_id limit 50",
    )
    .bind(MispricingState::Refunding.number())
    .fetch_all(db)
    .await
}
