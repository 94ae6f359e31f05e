//! Table `alarm_ticket`: alarms that ring or rang, each with what people said of it.

use std::collections::BTreeMap;

use async_trait::async_trait;
use kernel::projector::ApplyError;
use kernel::{Aggregate, Change, List, Personal, Projector, Recorded, Stored, row, rows};
use serde::Serialize;
use serde_json::Value;
use sqlx::{PgConnection, PgExecutor};
use utoipa::ToSchema;
use vocabulary::{AgentId, AlarmTicketId, AreaId, DataOwner, FenceId, Scope, Timestamp};

use crate::model::alarm::{Evidence, FalseAlarmCause, TicketState, Urgency, is_again, urgency};
use crate::model::region::AlarmState;
use crate::model::vehicle::{Vehicle, VehicleEvent};

row! {
    /// An alarm ticket. Times are epoch milliseconds.
    #[derive(Clone, Debug, Default, Serialize, ToSchema, sqlx::FromRow)]
    #[serde(rename_all = "camelCase")]
    pub struct AlarmTicketRow {
        /// Its id, as text: where in the log it rang first.
        pub id: AlarmTicketId = "ticket_id",
        /// 车辆编号.
        pub car_id: String,
        /// 报警类型.
        pub kind: AlarmState,
        #[serde(skip)]
        pub number: i32,
        /// Whose bike it is.
        pub agent_id: AgentId,
        /// Its service area.
        pub op_area_id: AreaId = "area_id",
        /// That area's name.
        pub area_name: Option<String> as default,
        /// 状态.
        pub state: TicketState,
        /// 紧急程度.
        pub urgency: Urgency,
        /// 已升级: nobody took it on himself in time.
        pub is_escalated: bool,
        /// 报警次数: what rings again within ten minutes after it recovered by itself is the same ticket.
        pub times: i32,
        /// 首次报警.
        pub first_at: i64 = "first_at_ms",
        /// 最近报警.
        pub last_at: i64 = "last_at_ms",
        /// Degrees north, WGS-84, where it rang first.
        pub lat: Option<f64>,
        /// Degrees east, WGS-84.
        pub lng: Option<f64>,
        /// Charge when it rang first, percent.
        pub soc_percent: Option<i16>,
        /// Metres outside of the area, or from where it rested.
        pub distance_m: Option<f64>,
        /// The no-stop zone, as text.
        pub fence_id: Option<FenceId>,
        /// 确认时间.
        pub acknowledged_at: Option<i64> = "acknowledged_at_ms",
        /// 确认人.
        pub acknowledged_by: String,
        /// 结束时间.
        pub ended_at: Option<i64> = "ended_at_ms",
        /// 处理人; empty where it recovered by itself.
        pub ended_by: String,
        /// 误报原因.
        pub cause: Option<FalseAlarmCause>,
        /// 处理结果.
        pub note: String,
        /// When it changed last.
        pub updated_at: i64 = "updated_at_ms",
        #[serde(skip)]
        pub position: i64,
    }
}

impl AlarmTicketRow {
    fn begun(recorded: &Recorded, kind: AlarmState, number: i32, evidence: &str) -> Self {
        let found = Evidence::read(evidence).unwrap_or_default();
        let (car_id, at) = (recorded.stream_id.to_string(), recorded.recorded_at.millis());
        Self {
            id: AlarmTicketId(recorded.position.0),
            car_id,
            kind,
            number,
            agent_id: recorded.meta.owner.agent.unwrap_or_default(),
            op_area_id: recorded.meta.owner.area.unwrap_or_default(),
            urgency: urgency(kind),
            times: 1,
            first_at: at,
            last_at: at,
            lat: found.lat,
            lng: found.lng,
            soc_percent: found.soc_percent,
            distance_m: found.distance_m,
            fence_id: found.fence_id.map(FenceId),
            updated_at: at,
            position: recorded.position.0,
            ..Self::default()
        }
    }

    fn rings_again(&mut self, at: Timestamp) {
        self.number += 1;
        self.times += 1;
        self.last_at = at.millis();
        self.state = TicketState::Open;
        // Time for people to take it on begins anew.
        self.is_escalated = false;
        self.ended_at = None;
    }

    fn ended(&mut self, state: TicketState, by: Option<&Personal<String>>, at: Timestamp) {
        self.state = state;
        self.ended_at = Some(at.millis());
        self.ended_by = name_of(by);
    }

    fn owner(&self) -> DataOwner {
        DataOwner::of_area(self.agent_id, self.op_area_id)
    }
}

fn name_of(by: Option<&Personal<String>>) -> String {
    by.and_then(Personal::known).cloned().unwrap_or_default()
}

/// The newest ticket of each bike and kind, and those that went before it in this batch.
type Rows = BTreeMap<(String, AlarmState), Vec<AlarmTicketRow>>;

/// What `event` does to the tickets of its bike; the ticket that it touched.
fn apply<'a>(rows: &'a mut Rows, event: VehicleEvent, recorded: &Recorded) -> Option<&'a mut AlarmTicketRow> {
    let at = recorded.recorded_at;
    let tickets = rows.entry((recorded.stream_id.to_string(), alarm_of(&event)?)).or_default();
    match event {
        VehicleEvent::AlarmRaised { alarm, evidence } => {
            let number = tickets.last().map_or(1, |newest| newest.number + 1);
            let again = tickets.last().is_some_and(|newest| {
                newest.ended_at.is_some_and(|ended| is_again(newest.state, Timestamp::from_millis(ended), at))
            });
            if again {
                let newest = tickets.last_mut()?;
                newest.rings_again(at);
                return Some(newest);
            }
            tickets.push(AlarmTicketRow::begun(recorded, alarm, number, &evidence));
            tickets.last_mut()
        }
        VehicleEvent::AlarmCleared { .. } => {
            let newest = tickets.last_mut()?;
            if newest.state.is_open() {
                newest.ended(TicketState::Recovered, None, at);
            }
            Some(newest)
        }
        VehicleEvent::AlarmAcknowledged { by, .. } => {
            let newest = tickets.last_mut()?;
            newest.state = TicketState::Acknowledged;
            newest.acknowledged_at = Some(at.millis());
            newest.acknowledged_by = name_of(Some(&by));
            Some(newest)
        }
        VehicleEvent::AlarmSettled { cause, note, by, .. } => {
            let newest = tickets.last_mut()?;
            let state = TicketState::settled(cause);
            newest.ended(state, Some(&by), at);
            newest.cause = cause;
            newest.note = note;
            Some(newest)
        }
        VehicleEvent::AlarmEscalated { .. } => {
            let newest = tickets.last_mut()?;
            newest.is_escalated = true;
            Some(newest)
        }
        _ => None,
    }
}

const fn alarm_of(event: &VehicleEvent) -> Option<AlarmState> {
    match event {
        VehicleEvent::AlarmRaised { alarm, .. }
        | VehicleEvent::AlarmCleared { alarm, .. }
        | VehicleEvent::AlarmAcknowledged { alarm, .. }
        | VehicleEvent::AlarmSettled { alarm, .. }
        | VehicleEvent::AlarmEscalated { alarm, .. } => Some(*alarm),
        _ => None,
    }
}

/// Builds the table.
pub struct AlarmTickets;

#[async_trait]
impl Projector for AlarmTickets {
    fn name(&self) -> &'static str {
        "alarm_ticket"
    }

    fn tables(&self) -> &'static [&'static str] {
        &["alarm_ticket"]
    }

    fn categories(&self) -> &'static [&'static str] {
        &[Vehicle::CATEGORY]
    }

    async fn apply(&self, db: &mut PgConnection, events: &[Recorded]) -> Result<Vec<Change>, ApplyError> {
        let mut told = Vec::new();
        for recorded in events {
            if !recorded.stored_type.starts_with("vehicle.alarm-") {
                continue;
            }
            let event: VehicleEvent = recorded.decode()?;
            if let Some(alarm) = alarm_of(&event) {
                told.push((alarm, event, recorded));
            }
        }
        if told.is_empty() {
            return Ok(vec![]);
        }
        let cars: Vec<&str> = told.iter().map(|(_, _, recorded)| &*recorded.stream_id).collect();
        let kinds: Vec<i16> = told.iter().map(|(alarm, ..)| alarm.number()).collect();
        let known: Vec<Value> = sqlx::query_scalar(
            "select to_jsonb(t) from (select distinct car_id, kind from unnest($1::text[], $2::smallint[]) a (car_id, kind)) a
             cross join lateral (select * from alarm_ticket t where t.car_id = a.car_id and t.kind = a.kind
                                 order by number desc limit 1) t",
        )
        .bind(&cars)
        .bind(&kinds)
        .fetch_all(&mut *db)
        .await?;
        let mut all = Rows::new();
        for columns in known {
            let row = AlarmTicketRow::restored(columns)?;
            all.insert((row.car_id.clone(), row.kind), vec![row]);
        }
        let mut touched: BTreeMap<AlarmTicketId, AlarmTicketRow> = BTreeMap::new();
        for (_, event, recorded) in told {
            if let Some(row) = apply(&mut all, event, recorded) {
                row.updated_at = recorded.recorded_at.millis();
                row.position = recorded.position.0;
                touched.insert(row.id, row.clone());
            }
        }
        let stored: Vec<Value> = touched.values().map(AlarmTicketRow::stored).collect::<Result<_, _>>()?;
        rows::upsert(db, "alarm_ticket", "ticket_id", &stored).await?;
        let told = touched.into_values().map(|row| Change {
            table: "alarm_ticket",
            owner: row.owner(),
            key: row.id.to_string(),
        });
        Ok(told.collect())
    }
}

const COLUMNS: &str = "t.ticket_id, t.car_id, t.kind, t.number, t.agent_id, t.area_id, a.name as area_name, t.state, t.urgency,
    t.is_escalated, t.times, t.first_at_ms, t.last_at_ms, t.lat, t.lng, t.soc_percent, t.distance_m, t.fence_id,
    t.acknowledged_at_ms, t.acknowledged_by, t.ended_at_ms, t.ended_by, t.cause, t.note, t.updated_at_ms, t.position";
const TABLES: &str = "read.alarm_ticket t left join read.area a on a.area_id = t.area_id";

/// Tickets in scope, newest first.
pub fn list(scope: &Scope) -> List {
    List::new(COLUMNS, TABLES, "t.first_at_ms desc, t.ticket_id desc")
        .found_in("read.alarm_ticket t", "t.ticket_id")
        .of_agents("t.agent_id", scope)
        .of_areas("t.area_id", scope)
}

/// Tickets in scope that wait for somebody: what hurries most first, of that the newest.
pub fn waiting(scope: &Scope) -> List {
    List::new(COLUMNS, TABLES, "t.urgency, t.first_at_ms desc, t.ticket_id desc")
        .of_agents("t.agent_id", scope)
        .of_areas("t.area_id", scope)
        .matching(&["t.state in (0, 1)"], vec![])
}

/// How many tickets stand open, counted to the end: those of a scope that wait are few.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, ToSchema, sqlx::FromRow)]
pub struct Waiting {
    /// 未处理.
    pub open: i64,
    /// 处理中.
    pub acknowledged: i64,
    /// 未处理, 已升级.
    pub escalated: i64,
}

/// Counts them, of areas in scope.
pub async fn counts(db: impl PgExecutor<'_>) -> sqlx::Result<Waiting> {
    sqlx::query_as(
        "select count(*) filter (where state = 0) as open, count(*) filter (where state = 1) as acknowledged,
             count(*) filter (where state = 0 and is_escalated) as escalated
         from read.alarm_ticket where state in (0, 1)",
    )
    .fetch_one(db)
    .await
}

/// Bike, kind and newest number of those tickets that are in scope.
pub async fn meant(
    db: impl PgExecutor<'_>,
    ids: &[AlarmTicketId],
) -> sqlx::Result<BTreeMap<AlarmTicketId, (String, AlarmState, i32)>> {
    let ids: Vec<i64> = ids.iter().map(|id| id.0).collect();
    let found: Vec<(AlarmTicketId, String, AlarmState, i32)> = sqlx::query_as(
        "select ticket_id, car_id, kind, number from read.alarm_ticket where ticket_id = any($1)",
    )
    .bind(ids)
    .fetch_all(db)
    .await?;
    Ok(found.into_iter().map(|(id, car, kind, number)| (id, (car, kind, number))).collect())
}

/// Tickets of an urgency that nobody has acknowledged for as long at `now` as their area says, or for `usual_ms` where it says
/// nothing: bike, kind and number; the oldest first, at most `most`.
pub async fn overdue(
    db: impl PgExecutor<'_>,
    urgency: Urgency,
    said_as: &str,
    usual_ms: i64,
    now: Timestamp,
    most: i64,
) -> sqlx::Result<Vec<(String, AlarmState, i32)>> {
    sqlx::query_as(
        "select t.car_id, t.kind, t.number from read.alarm_ticket t
         left join read.config_version c on c.area_id = t.area_id and c.kind = 'alarm-config' and c.counts @> $4::bigint
         where t.state = 0 and t.state in (0, 1) and not t.is_escalated and t.urgency = $1
             and t.last_at_ms < $4 - coalesce((c.content ->> $2)::bigint * 60000, $3)
         order by t.last_at_ms, t.ticket_id limit $5",
    )
    .bind(urgency.number())
    .bind(said_as)
    .bind(usual_ms)
    .bind(now.millis())
    .bind(most)
    .fetch_all(db)
    .await
}
