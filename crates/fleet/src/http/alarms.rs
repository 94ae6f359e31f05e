//! Alarm tickets: what waits, what was, and what people say of it.

use kernel::List;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::routes;
use vocabulary::{AgentId, AlarmTicketId, AreaId, Choice, Scope, Timestamp};
use wire::{
    Answer, BatchAnswer, BatchOutcomes, Body, Call, Column, End, Export, Handled, Listed, Listing, Permit,
    Record, Refused, Routes, Seen, batch, given, moment,
};

use crate::Fleet;
use crate::inbox::{AlarmGroup, grouped};
use crate::model::alarm::{FalseAlarmCause, TicketState, Urgency};
use crate::model::region::AlarmState;
use crate::model::vehicle::{CarId, Vehicle, VehicleCommand};
use crate::read::alarm_tickets::{self, AlarmTicketRow, Waiting};

/// Codes that let one see alarms and say what came of them.
pub const ALARM_CODES: Permit = Permit::AnyOf(&["0301", "0302"]);
const READS: &[&str] = &["alarm_ticket", "area"];
/// Tickets that an inbox looks at, and that one request may name.
const INBOX_MAX: usize = 500;

/// The routes.
pub fn routes(fleet: &Fleet) -> Routes {
    Routes::new("fleet")
        .add_list::<ListQuery>(
            ALARM_CODES,
            Listed {
                path: "/vehicle/alarm/list",
                operations: ["listAlarmTickets", "exportAlarmTickets"],
                summary: "Alarm tickets of bikes in scope, newest first.",
            },
        )
        .add_record::<ListQuery>(
            ALARM_CODES,
            Record {
                path: "/vehicle/alarm/info",
                operation: "alarmTicketInfo",
                summary: "One alarm ticket.",
            },
        )
        .add(ALARM_CODES, routes!(count))
        .add(ALARM_CODES, routes!(inbox))
        .add(ALARM_CODES, routes!(acknowledge))
        .add(ALARM_CODES, routes!(settle))
        .with_state(fleet.clone())
}

#[derive(Default, Deserialize, Serialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub struct ListQuery {
    /// A bike's number.
    keyword: Option<String>,
    /// Those of this agent.
    agent_id: Option<AgentId>,
    /// Those of bikes of this area.
    op_area_id: Option<AreaId>,
    /// Those of this kind.
    kind: Option<AlarmState>,
    /// Those that stand so.
    state: Option<TicketState>,
    /// Those that hurry so.
    urgency: Option<Urgency>,
    /// Those that were escalated, or were not.
    escalated: Option<bool>,
    /// That rang first from then on: `YYYY-MM-DD HH:mm:ss`.
    start_time: Option<String>,
    /// That rang first until then, included.
    end_time: Option<String>,
}

impl Listing for ListQuery {
    type State = Fleet;
    type Row = AlarmTicketRow;
    const READS: &'static [&'static str] = READS;
    const KEY: &'static str = "t.ticket_id";
    const FILE: Export<AlarmTicketRow> = Export {
        what: "alarm-ticket",
        title: "报警单",
        columns: &[
            Column::text("kind", "报警类型", |row| row.kind.label()),
            Column::text("urgency", "紧急程度", |row| row.urgency.label()),
            Column::text("carId", "车辆编号", |row| &row.car_id),
            Column::text("areaName", "服务区", |row| row.area_name.as_deref().unwrap_or_default()),
            Column::text("state", "状态", |row| row.state.label()),
            Column::time("firstAt", "首次报警", |row| Some(row.first_at)),
            Column::time("lastAt", "最近报警", |row| Some(row.last_at)),
            Column::count("times", "报警次数", |row| row.times.into()),
            Column::text("isEscalated", "已升级", |row| if row.is_escalated { "是" } else { "否" }),
            Column::time("acknowledgedAt", "确认时间", |row| row.acknowledged_at),
            Column::text("acknowledgedBy", "确认人", |row| &row.acknowledged_by),
            Column::time("endedAt", "结束时间", |row| row.ended_at),
            Column::text("endedBy", "处理人", |row| &row.ended_by),
            Column::text("cause", "误报原因", |row| row.cause.map_or("", FalseAlarmCause::label)),
            Column::text("note", "处理结果", |row| &row.note),
            Column::made("lat", "纬度", |row| degrees(row.lat)),
            Column::made("lng", "经度", |row| degrees(row.lng)),
            Column::made("id", "报警单号", |row| row.id.to_string()),
        ],
    };

    fn list(&self, scope: &Scope) -> Result<List, Refused> {
        let from = moment("startTime", self.start_time.as_ref(), End::First)?;
        let until = moment("endTime", self.end_time.as_ref(), End::Last)?;
        Ok(alarm_tickets::list(scope)
            .is("t.agent_id", self.agent_id.map(|agent| agent.0))
            .is("t.area_id", self.op_area_id.map(|area| area.0))
            .is("t.kind", self.kind.map(Choice::number))
            .is("t.state", self.state.map(Choice::number))
            .is("t.urgency", self.urgency.map(Choice::number))
            .holds("t.is_escalated", self.escalated)
            .is("t.car_id", given(self.keyword.as_ref()))
            .between("t.first_at_ms", from.map(Timestamp::millis), until.map(Timestamp::millis)))
    }
}

fn degrees(value: Option<f64>) -> String {
    value.map_or_else(String::new, |value| format!("{value:.6}"))
}

/// How much waits for somebody.
#[derive(Debug, Serialize, ToSchema)]
struct AlarmCount {
    /// How many tickets.
    waiting: Waiting,
    /// What hurries most of those that nobody has taken on himself, of that the newest.
    first: Option<AlarmTicketRow>,
}

/// How many alarm tickets of bikes in scope wait for somebody, and the one to look at first.
#[utoipa::path(get, path = "/vehicle/alarm/count", tag = "fleet", operation_id = "countAlarms",
    responses((status = 200, body = Answer<AlarmCount>)))]
async fn count(call: Call<Fleet>, Seen(seen): Seen) -> Handled<AlarmCount> {
    let scope = &call.caller.full_scope;
    let mut db = call.state.runtime.reads.scoped(scope, seen, READS).await?;
    let waiting = alarm_tickets::counts(&mut *db).await?;
    let open = alarm_tickets::waiting(scope).is("t.state", Some(TicketState::Open.number()));
    Ok(Answer(AlarmCount { waiting, first: open.rows(&mut db, 1).await?.pop() }))
}

/// What waits for somebody.
#[derive(Debug, Serialize, ToSchema)]
struct AlarmInbox {
    /// How many there are of them in all.
    waiting: Waiting,
    /// Alarms of one cause, the most urgent first.
    groups: Vec<AlarmGroup>,
    /// Every other ticket, what hurries most first, of that the newest: of 500 tickets at most.
    tickets: Vec<AlarmTicketRow>,
}

/// Alarm tickets of bikes in scope that wait for somebody; alarms that began together stand as one group.
#[utoipa::path(get, path = "/vehicle/alarm/inbox", tag = "fleet", operation_id = "alarmInbox",
    responses((status = 200, body = Answer<AlarmInbox>)))]
async fn inbox(call: Call<Fleet>, Seen(seen): Seen) -> Handled<AlarmInbox> {
    let scope = &call.caller.full_scope;
    let mut db = call.state.runtime.reads.scoped(scope, seen, READS).await?;
    let waiting = alarm_tickets::counts(&mut *db).await?;
    let rows = alarm_tickets::waiting(scope).rows(&mut db, INBOX_MAX as i64).await?;
    drop(db);
    let (groups, tickets) = grouped(rows);
    Ok(Answer(AlarmInbox { waiting, groups, tickets }))
}

#[derive(Deserialize, ToSchema)]
#[schema(as = AlarmTicketsTaken)]
struct Taken {
    /// Which tickets: 1 to 500.
    ids: Vec<AlarmTicketId>,
}

/// Takes alarms on oneself.
#[utoipa::path(post, path = "/vehicle/alarm/acknowledge", tag = "fleet", operation_id = "acknowledgeAlarms",
    request_body = Taken, responses((status = 200, body = Answer<BatchAnswer>)))]
async fn acknowledge(call: Call<Fleet>, Body(body): Body<Taken>) -> Handled<BatchAnswer> {
    let by = call.caller.named()?;
    each(&call, body.ids, |alarm, number| VehicleCommand::AcknowledgeAlarm { alarm, number, by: by.clone() })
        .await
}

#[derive(Deserialize, ToSchema)]
#[schema(as = AlarmTicketsSettled)]
struct Settled {
    /// Which tickets: 1 to 500.
    ids: Vec<AlarmTicketId>,
    /// Why they were none; absent: they were handled.
    cause: Option<FalseAlarmCause>,
    /// 处理结果: at most 200 characters, due where they were handled.
    #[serde(default)]
    note: String,
}

/// Says what came of alarms: that they were handled, or none, with the cause.
#[utoipa::path(post, path = "/vehicle/alarm/settle", tag = "fleet", operation_id = "settleAlarms",
    request_body = Settled, responses((status = 200, body = Answer<BatchAnswer>)))]
async fn settle(call: Call<Fleet>, Body(body): Body<Settled>) -> Handled<BatchAnswer> {
    let Settled { ids, cause, note } = body;
    let by = call.caller.named()?;
    each(&call, ids, |alarm, number| VehicleCommand::SettleAlarm {
        alarm,
        number,
        cause,
        note: note.clone(),
        by: by.clone(),
    })
    .await
}

/// Tells the bikes of these tickets, as far as they are in scope, one after the other.
async fn each(
    call: &Call<Fleet>,
    ids: Vec<AlarmTicketId>,
    command: impl Fn(AlarmState, i32) -> VehicleCommand,
) -> Handled<BatchAnswer> {
    let ids = batch(ids, INBOX_MAX)?;
    let scope = &call.caller.full_scope;
    let mut db = call.state.runtime.reads.scoped(scope, None, READS).await?;
    let mut meant = alarm_tickets::meant(&mut *db, &ids).await?;
    drop(db);
    let mut tell = async |id: AlarmTicketId| {
        let (car, alarm, number) = meant.remove(&id).ok_or_else(Refused::not_found)?;
        let car = CarId::try_from(car).map_err(Refused::malformed)?;
        call.acted::<Vehicle>(&car, command(alarm, number), None).await
    };
    if let [one] = &ids[..] {
        let receipt = tell(*one).await?;
        return Ok(Answer(BatchAnswer::default()).including(Some(receipt.position)));
    }
    let mut outcomes = BatchOutcomes::default();
    for id in ids {
        let done = tell(id).await;
        outcomes.take(id.to_string(), done)?;
    }
    Ok(outcomes.answer())
}
