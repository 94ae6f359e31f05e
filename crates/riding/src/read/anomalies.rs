//! Strange orders: table `report.order_anomaly`, those that wait for a person, reckoned every minute of what devices tell; and
//! table `order_reconciliation`, those that were ended at their true time, made of the log.

use kernel::{After, Fold, List, Reckoned, Recorded};
use serde::{Deserialize, Serialize};
use sqlx::types::Json;
use sqlx::{PgExecutor, PgPool};
use utoipa::ToSchema;
use vocabulary::{
    AgentId, AreaId, DataOwner, OperatorId, Phone, RideOrderId, RiderId, Scope, Timestamp, Wgs84,
};

use crate::model::anomaly::{
    AnomalyKind, AnomalyState, DeviceFacts, Doubt, Finding, OrderFacts, Reconciliation,
};
use crate::model::config::UseConfig;
use crate::model::order::{Opened, Order, OrderEvent};

const KIND: &str = "order-anomaly";
/// When all orders were last looked at.
pub const RECKONED: Reckoned = Reckoned::new(KIND);
/// Orders that are compared in a round, the longest first: more run nowhere at once.
const ROUND_MAX: i64 = 50_000;

/// An order that runs, as far as it is known without asking more.
#[derive(Clone, Debug, sqlx::FromRow)]
pub struct UnderWay {
    /// Which.
    pub order_id: RideOrderId,
    /// 车辆编号.
    pub car_id: String,
    /// Where it began.
    pub area_id: AreaId,
    is_paused: bool,
    start_at_ms: i64,
}

impl UnderWay {
    /// As it is compared; that it was paused before is not told.
    pub const fn facts(&self) -> OrderFacts {
        OrderFacts {
            started_at: Timestamp::from_millis(self.start_at_ms),
            resumed_at: None,
            paused: self.is_paused,
        }
    }
}

/// Orders whose lock was opened and that have not ended, the longest first.
pub async fn under_way(db: impl PgExecutor<'_>) -> sqlx::Result<Vec<UnderWay>> {
    sqlx::query_as(
        "select order_id, car_id, area_id, is_paused, start_at_ms from read.ride_order
         where state = 1 and not is_unlocking and start_at_ms is not null order by opened_at_ms, order_id limit $1",
    )
    .bind(ROUND_MAX)
    .fetch_all(db)
    .await
}

/// What a device said, in the columns of both tables.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct DeviceColumns {
    /// The device's last report of then.
    pub report_at_ms: Option<i64>,
    /// Whether that said that the lock is closed.
    pub locked: bool,
    /// The last report of an open lock.
    pub lock_open_at_ms: Option<i64>,
    /// The first one after it of a closed lock.
    pub lock_closed_at_ms: Option<i64>,
    /// Since when it stood where it was.
    pub stood_since_at_ms: Option<i64>,
    /// Its last fix of then.
    pub fix_at_ms: Option<i64>,
    /// Degrees north, WGS-84.
    pub lat: Option<f64>,
    /// Degrees east, WGS-84.
    pub lng: Option<f64>,
}

impl From<DeviceFacts> for DeviceColumns {
    fn from(facts: DeviceFacts) -> Self {
        let DeviceFacts { report_at, locked, lock_open_at, lock_closed_at, stood_since, fix_at, place } =
            facts;
        let ms = |at: Option<Timestamp>| at.map(Timestamp::millis);
        Self {
            report_at_ms: ms(report_at),
            locked,
            lock_open_at_ms: ms(lock_open_at),
            lock_closed_at_ms: ms(lock_closed_at),
            stood_since_at_ms: ms(stood_since),
            fix_at_ms: ms(fix_at),
            lat: place.map(Wgs84::lat),
            lng: place.map(Wgs84::lng),
        }
    }
}

/// A row of `report.order_anomaly`, without when it was first listed.
#[derive(Clone, Debug, Serialize)]
pub struct OpenAnomaly {
    order_id: i64,
    agent_id: i64,
    area_id: i64,
    kind: AnomalyKind,
    doubt: Option<Doubt>,
    since_at_ms: i64,
    #[serde(flatten)]
    device: DeviceColumns,
    end_at_ms: Option<i64>,
    would_cents: i64,
    end_cents: Option<i64>,
    ride_max_ms: i64,
}

impl OpenAnomaly {
    /// What was found of an order where rides may last so long, what it costs so far and if it ended when that says, cents.
    pub fn new(
        of: &Opened,
        (finding, device): (&Finding, &DeviceFacts),
        ride_max_ms: i64,
        would_cents: i64,
        end_cents: Option<i64>,
    ) -> Self {
        Self {
            order_id: of.order_id.0,
            agent_id: of.agent_id.0,
            area_id: of.area_id.0,
            kind: finding.anomaly.kind,
            doubt: finding.doubt,
            since_at_ms: finding.anomaly.since.millis(),
            device: DeviceColumns::from(*device),
            end_at_ms: finding.end_at.map(Timestamp::millis),
            would_cents,
            end_cents,
            ride_max_ms,
        }
    }
}

/// Puts these in the place of all that were open, and tells that all was looked at `now`; false when somebody reckons in a
/// later term than `token`.
pub async fn put(pool: &PgPool, open: &[OpenAnomaly], now: Timestamp, token: i64) -> sqlx::Result<bool> {
    let mut db = kernel::pools::begin(pool).await?;
    if !RECKONED.reach(&mut *db, now, token).await? {
        return Ok(false);
    }
    sqlx::query("delete from report.order_anomaly a where not exists (select from unnest($1::bigint[]) k where k = a.order_id)")
        .bind(open.iter().map(|one| one.order_id).collect::<Vec<_>>())
        .execute(&mut *db)
        .await?;
    for some in open.chunks(1_000) {
        sqlx::query(
            "insert into report.order_anomaly
             select n.order_id, n.agent_id, n.area_id, n.kind, n.doubt, n.since_at_ms, $2, n.report_at_ms, n.locked,
                 n.lock_open_at_ms, n.lock_closed_at_ms, n.stood_since_at_ms, n.fix_at_ms, n.lat, n.lng, n.end_at_ms,
                 n.would_cents, n.end_cents, n.ride_max_ms
             from jsonb_populate_recordset(null::report.order_anomaly, $1) n
             on conflict (order_id) do update set
                 agent_id = excluded.agent_id, area_id = excluded.area_id, kind = excluded.kind, doubt = excluded.doubt,
                 since_at_ms = excluded.since_at_ms, report_at_ms = excluded.report_at_ms, locked = excluded.locked,
                 lock_open_at_ms = excluded.lock_open_at_ms, lock_closed_at_ms = excluded.lock_closed_at_ms,
                 stood_since_at_ms = excluded.stood_since_at_ms, fix_at_ms = excluded.fix_at_ms, lat = excluded.lat,
                 lng = excluded.lng, end_at_ms = excluded.end_at_ms, would_cents = excluded.would_cents,
                 end_cents = excluded.end_cents, ride_max_ms = excluded.ride_max_ms",
        )
        .bind(Json(some))
        .bind(now.millis())
        .execute(&mut *db)
        .await?;
    }
    db.commit().await?;
    Ok(true)
}

/// A row of `order_reconciliation`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReconciliationRow {
    /// Which order.
    pub order_id: RideOrderId,
    /// Whose it is.
    pub agent_id: AgentId,
    /// Where it began.
    pub area_id: AreaId,
    /// What was strange.
    pub kind: AnomalyKind,
    /// Since when.
    pub since_at_ms: i64,
    /// What its device said then.
    #[serde(flatten)]
    pub device: DeviceColumns,
    /// When it truly ended.
    pub end_at_ms: i64,
    /// What it would have cost, cents.
    pub would_cents: i64,
    /// What it costs, cents.
    pub end_cents: i64,
    /// What its rider need not pay, cents.
    pub saved_cents: i64,
    /// Whether the system ended it.
    pub is_by_system: bool,
    /// Which person did, otherwise.
    pub who: Option<OperatorId>,
    /// Why.
    pub reason: String,
    /// When it was ended.
    pub closed_at_ms: i64,
}

impl ReconciliationRow {
    fn new(found: &Reconciliation, reason: String, at: Timestamp, recorded: &Recorded) -> Self {
        let who = match &recorded.meta.actor {
            kernel::Actor::Operator { id } => Some(*id),
            kernel::Actor::Machine { .. } | kernel::Actor::System { .. } => None,
        };
        Self {
            order_id: found.order_id,
            agent_id: found.agent_id,
            area_id: found.area_id,
            kind: found.kind,
            since_at_ms: found.since.millis(),
            device: DeviceColumns::from(found.device),
            end_at_ms: found.end_at.millis(),
            would_cents: found.would_cents,
            end_cents: found.end_cents,
            saved_cents: found.saved_cents(),
            is_by_system: who.is_none(),
            who,
            reason,
            closed_at_ms: at.millis(),
        }
    }
}

impl Fold for ReconciliationRow {
    type Of = Order;
    const TABLE: &'static str = "order_reconciliation";
    const KEY: &'static str = "order_id";

    /// Of most orders there is none.
    fn fold(row: Option<Self>, event: OrderEvent, recorded: &Recorded) -> After<Self> {
        Ok(match event {
            OrderEvent::Reconciled { found, reason, at } => Some(Self::new(&found, reason, at, recorded)),
            _ => row,
        })
    }

    fn owner(&self) -> DataOwner {
        DataOwner::of_area(self.agent_id, self.area_id)
    }
}

/// A strange order as lists show it, one that waits or one that was ended; its rider's phone is masked.
#[derive(Clone, Debug, Serialize, ToSchema, sqlx::FromRow)]
#[serde(rename_all = "camelCase")]
pub struct AnomalyRow {
    /// Which order, as text.
    pub order_id: RideOrderId,
    /// Who rides, as text.
    #[sqlx(rename = "rider_id")]
    pub user_id: RiderId,
    /// 手机号, masked.
    pub phone: Option<String>,
    /// 车辆编号.
    pub car_id: String,
    /// Whose bike it is.
    pub agent_id: AgentId,
    /// The service area where it began.
    #[sqlx(rename = "area_id")]
    pub op_area_id: AreaId,
    /// That area's name.
    pub area_name: Option<String>,
    /// 处理状态.
    pub state: AnomalyState,
    /// 异常类型.
    pub kind: AnomalyKind,
    /// Why the system does not end it; null: it does, or did, or it was ended.
    pub doubt: Option<Doubt>,
    /// Since when it is strange, epoch milliseconds.
    #[sqlx(rename = "since_at_ms")]
    pub since_at: i64,
    /// When it was found, or ended: epoch milliseconds.
    #[sqlx(rename = "listed_at_ms")]
    pub listed_at: i64,
    /// 开始时间, epoch milliseconds.
    #[sqlx(rename = "start_at_ms")]
    pub start_at: Option<i64>,
    /// The device's last report, epoch milliseconds; null: it never told anything.
    #[sqlx(rename = "report_at_ms")]
    pub report_at: Option<i64>,
    /// Whether that says that the lock is closed.
    pub locked: bool,
    /// The last report of an open lock in this ride, epoch milliseconds.
    #[sqlx(rename = "lock_open_at_ms")]
    pub lock_open_at: Option<i64>,
    /// The first one after it of a closed lock, epoch milliseconds.
    #[sqlx(rename = "lock_closed_at_ms")]
    pub lock_closed_at: Option<i64>,
    /// Since when it has stood where it is, epoch milliseconds.
    #[sqlx(rename = "stood_since_at_ms")]
    pub stood_since: Option<i64>,
    /// Its last fix, epoch milliseconds.
    #[sqlx(rename = "fix_at_ms")]
    pub fix_at: Option<i64>,
    /// Where that was: degrees north, WGS-84.
    pub lat: Option<f64>,
    /// Degrees east, WGS-84.
    pub lng: Option<f64>,
    /// When the ride truly ended, epoch milliseconds; null: nothing says so.
    #[sqlx(rename = "end_at_ms")]
    pub end_at: Option<i64>,
    /// What it costs so far, or would have cost when it was ended, cents; without what its place may cost where that is open.
    pub would_cents: i64,
    /// What it costs if it ended then, by the same rules, cents.
    pub end_cents: Option<i64>,
    /// What that takes off, cents.
    pub saved_cents: Option<i64>,
    /// How long a ride may last in its area, milliseconds, of one that waits.
    pub ride_max_ms: Option<i64>,
    /// Whether the system ended it; null: it waits.
    pub is_by_system: Option<bool>,
    /// Who ended it; null: the system, or somebody whom the caller does not see.
    pub who: Option<String>,
    /// Why it was ended.
    pub reason: Option<String>,
}

/// Both tables as one, in SQL. What was ended a moment ago waits no more, before the next round says so.
macro_rules! both_sql {
    () => {
        "((select order_id, agent_id, area_id, 0::smallint as state, kind, doubt, since_at_ms, found_at_ms as listed_at_ms,
              report_at_ms, locked, lock_open_at_ms, lock_closed_at_ms, stood_since_at_ms, fix_at_ms, lat, lng, end_at_ms,
              would_cents, end_cents, would_cents - end_cents as saved_cents, ride_max_ms, null::boolean as is_by_system,
              null::bigint as who, null::text as reason, found_at_ms + 9000000000000000 as place_ms
          from report.order_anomaly w
          where exists (select from read.ride_order u where u.order_id = w.order_id and u.state = 1))
          union all
          (select order_id, agent_id, area_id, 1::smallint, kind, null::smallint, since_at_ms, closed_at_ms,
              report_at_ms, locked, lock_open_at_ms, lock_closed_at_ms, stood_since_at_ms, fix_at_ms, lat, lng, end_at_ms,
              would_cents, end_cents, saved_cents, null::bigint, is_by_system, who, reason, closed_at_ms
          from read.order_reconciliation)) n"
    };
}

/// Strange orders in scope: those that wait first, then those that were ended; of both the newest first. `place_ms` puts all that
/// wait before all that was ended; the index of the latter gives them in order.
pub fn list(scope: &Scope) -> List {
    List::new(
        "n.order_id, o.rider_id, r.phone_masked as phone, o.car_id, n.agent_id, n.area_id, a.name as area_name, n.state, n.kind,
         n.doubt, n.since_at_ms, n.listed_at_ms, o.start_at_ms, n.report_at_ms, n.locked, n.lock_open_at_ms,
         n.lock_closed_at_ms, n.stood_since_at_ms, n.fix_at_ms, n.lat, n.lng, n.end_at_ms, n.would_cents, n.end_cents,
         n.saved_cents, n.ride_max_ms, n.is_by_system, p.name as who, n.reason",
        concat!(
            both_sql!(),
            " join read.ride_order o on o.order_id = n.order_id
             left join read.area a on a.area_id = n.area_id
             left join read.rider r on r.rider_id = o.rider_id
             left join read.operator p on p.operator_id = n.who"
        ),
        "n.place_ms desc, n.order_id desc",
    )
    .found_in(both_sql!(), "n.order_id")
    .of_agents("n.agent_id", scope)
    .of_areas("n.area_id", scope)
}

/// Those of a list whose order is of this bike.
pub fn of_car(list: List, car_id: &str) -> List {
    let orders = "n.order_id = any(array(select order_id from read.ride_order where car_id = ";
    list.matching(&[orders, "))"], vec![car_id.into()])
}

/// Those of a list whose rider has this phone: he is looked up first, then his orders.
pub fn of_phone(list: List, phone: &Phone) -> List {
    let orders = "n.order_id = any(array(select order_id from read.ride_order
        where rider_id = any(array(select rider_id from read.rider where phone = ";
    list.matching(&[orders, "))))"], vec![phone.as_str().into()])
}

/// What stands of strange orders in scope.
#[derive(Clone, Copy, Debug, Serialize, ToSchema, sqlx::FromRow)]
#[serde(rename_all = "camelCase")]
pub struct AnomalySums {
    /// So many wait for a person.
    pub open: i64,
    /// So many were ended at their true time in the last 30 days,
    pub closed: i64,
    /// … of these by the system;
    pub closed_by_system: i64,
    /// and what that saved riders, cents.
    pub saved_cents: i64,
    /// When all orders were last looked at, epoch milliseconds; null: never.
    #[sqlx(rename = "looked_at_ms")]
    pub looked_at: Option<i64>,
}

/// Days of what was ended that are summed up.
const SUMMED_MS: i64 = 30 * 86_400_000;

/// What stands of strange orders in the scope of `db`, at `now`.
pub async fn sums(db: impl PgExecutor<'_>, now: Timestamp) -> sqlx::Result<AnomalySums> {
    sqlx::query_as(
        "select (select count(*) from report.order_anomaly w join read.ride_order o using (order_id) where o.state = 1) as open,
             c.closed, c.closed_by_system, c.saved_cents,
             (select until_at_ms from report.reckoned where kind = $1 and until_at_ms > 0) as looked_at_ms
         from (select count(*) as closed, count(*) filter (where is_by_system) as closed_by_system,
                   coalesce(sum(saved_cents), 0)::bigint as saved_cents
               from read.order_reconciliation where closed_at_ms >= $2) c",
    )
    .bind(KIND)
    .bind(now.plus_millis(-SUMMED_MS).millis())
    .fetch_one(db)
    .await
}

/// A day of what was ended at its true time.
#[derive(Clone, Copy, Debug, Serialize, ToSchema, sqlx::FromRow)]
#[serde(rename_all = "camelCase")]
pub struct AnomalyDay {
    /// Its beginning in Shanghai, epoch milliseconds.
    #[sqlx(rename = "day_at_ms")]
    pub day_at: i64,
    /// So many were ended,
    pub closed: i64,
    /// … of these by the system;
    pub closed_by_system: i64,
    /// and what that saved riders, cents.
    pub saved_cents: i64,
}

/// The last 30 days on which anything was ended in the scope of `db`, the latest first.
pub async fn days(db: impl PgExecutor<'_>, now: Timestamp) -> sqlx::Result<Vec<AnomalyDay>> {
    sqlx::query_as(
        "select (closed_at_ms + 28800000) / 86400000 * 86400000 - 28800000 as day_at_ms, count(*) as closed,
             count(*) filter (where is_by_system) as closed_by_system, coalesce(sum(saved_cents), 0)::bigint as saved_cents
         from read.order_reconciliation where closed_at_ms >= $1 group by 1 order by 1 desc limit 31",
    )
    .bind(now.plus_millis(-SUMMED_MS).millis())
    .fetch_all(db)
    .await
}

/// How long a ride may last in an area that says so itself.
#[derive(Clone, Debug, Serialize, ToSchema, sqlx::FromRow)]
#[serde(rename_all = "camelCase")]
pub struct AreaRideLimit {
    /// Which area, as text.
    #[sqlx(rename = "area_id")]
    pub op_area_id: AreaId,
    /// Its name.
    pub area_name: String,
    /// Milliseconds.
    pub ride_ms: i64,
}

/// Areas in the scope of `db` where rides may last otherwise than usual at `now`, at most 200, the shortest first.
pub async fn ride_limits(
    db: impl PgExecutor<'_>,
    now: Timestamp,
    usual_ms: i64,
) -> sqlx::Result<Vec<AreaRideLimit>> {
    sqlx::query_as(
        "select v.area_id, a.name as area_name, (v.content->>'rideMaxS')::bigint * 1000 as ride_ms
         from read.config_version v join read.area a on a.area_id = v.area_id
         where v.kind = $1 and v.counts @> $2::bigint and (v.content->>'rideMaxS')::bigint * 1000 <> $3
         order by 3, a.name, v.area_id limit 200",
    )
    .bind(<UseConfig as kernel::Aggregate>::CATEGORY)
    .bind(now.millis())
    .bind(usual_ms)
    .fetch_all(db)
    .await
}
