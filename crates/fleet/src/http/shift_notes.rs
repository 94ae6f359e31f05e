//! Hand-over notes (交接班记录): written at the end of a shift, acknowledged by whoever comes next.

use kernel::{CommandError, List};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::routes;
use vocabulary::{AgentId, Reach, Scope, ShiftNoteId, Timestamp};
use wire::{
    Answer, Body, ById, Call, Column, End, Export, Handled, Listed, Listing, MadeId, Nothing, Params, Permit,
    Refused, Routes, Seen, given, moment,
};

use crate::Fleet;
use crate::model::shift_note::{Form, NEWS_HOURS, ShiftNote, ShiftNoteCommand, ShiftNoteRefusal};
use crate::read::shift_notes::{self, ShiftNoteRow};
use crate::read::vehicles;

/// Who may see the operation map.
const MAP: Permit = Permit::AnyOf(&["0301"]);
const HOUR_MS: i64 = 3_600_000;

/// The routes.
pub fn routes(fleet: &Fleet) -> Routes {
    Routes::new("fleet")
        .add_list::<ListQuery>(
            MAP,
            Listed {
                path: "/vehicle/shift-note",
                operations: ["listShiftNotes", "exportShiftNotes"],
                summary: "Hand-over notes of agents in scope, newest first.",
            },
        )
        .add(MAP, routes!(write, withdraw))
        .add(MAP, routes!(count))
        .add(MAP, routes!(acknowledge))
        .with_state(fleet.clone())
}

#[derive(Default, Deserialize, Serialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
struct ListQuery {
    /// Part of the text or of its author's name.
    keyword: Option<String>,
    /// Those that somebody acknowledged, or that nobody did.
    acknowledged: Option<bool>,
    /// Written from then on: `YYYY-MM-DD HH:mm:ss`.
    start_time: Option<String>,
    /// Written until then, included.
    end_time: Option<String>,
}

impl Listing for ListQuery {
    type State = Fleet;
    type Row = ShiftNoteRow;
    const READS: &'static [&'static str] = &["shift_note"];
    const KEY: &'static str = "n.note_id";
    const FILE: Export<ShiftNoteRow> = Export {
        what: "shift-note",
        title: "交接班记录",
        columns: &[
            Column::time("writtenAt", "记录时间", |row| Some(row.written_at)),
            Column::text("byName", "记录人", |row| &row.by_name),
            Column::text("text", "交接内容", |row| &row.text),
            Column::made("bikes", "关联车辆", |row| row.bikes.join("、")),
            Column::time("acknowledgedAt", "知悉时间", |row| row.acknowledged_at),
            Column::text("acknowledgedBy", "知悉人", |row| &row.acknowledged_by),
            Column::made("id", "记录编号", |row| row.id.to_string()),
        ],
    };

    fn list(&self, scope: &Scope) -> Result<List, Refused> {
        let from = moment("startTime", self.start_time.as_ref(), End::First)?;
        let until = moment("endTime", self.end_time.as_ref(), End::Last)?;
        Ok(shift_notes::list(scope)
            .contains(&["n.content", "n.by_name"], given(self.keyword.as_ref()))
            .holds("(n.acknowledged_at_ms is not null)", self.acknowledged)
            .between("n.written_at_ms", from.map(Timestamp::millis), until.map(Timestamp::millis)))
    }
}

/// What waits for who opens the map.
#[derive(Debug, Serialize, ToSchema)]
struct ShiftNoteCount {
    /// Notes of others of the last 48 hours that nobody has acknowledged, counted up to 10001.
    waiting: i64,
}

/// How many notes of others of the last 48 hours nobody has acknowledged.
#[utoipa::path(get, path = "/vehicle/shift-note/count", tag = "fleet", operation_id = "countShiftNotes",
    responses((status = 200, body = Answer<ShiftNoteCount>)))]
async fn count(call: Call<Fleet>, Seen(seen): Seen) -> Handled<ShiftNoteCount> {
    let scope = &call.caller.full_scope;
    let since = call.state.runtime.clock.now().plus_millis(-NEWS_HOURS * HOUR_MS);
    let mut db = call.state.runtime.reads.scoped(scope, seen, ListQuery::READS).await?;
    let waiting = shift_notes::news(scope, since, call.caller.operator()?).count(&mut db).await?;
    Ok(Answer(ShiftNoteCount { waiting }))
}

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct NewShiftNote {
    #[serde(flatten)]
    content: Form,
    /// Whose it is; absent: the caller's only agent's, or the platform's where he reaches all.
    agent_id: Option<AgentId>,
}

/// Writes a note for whoever comes next; answers `{id}`. The bikes that it speaks of are in scope, and of its agent.
#[utoipa::path(post, path = "/vehicle/shift-note", tag = "fleet", operation_id = "writeShiftNote",
    request_body = NewShiftNote, responses((status = 200, body = Answer<MadeId>)))]
async fn write(call: Call<Fleet>, Body(body): Body<NewShiftNote>) -> Handled<Value> {
    let (operator, by) = (call.caller.operator()?, call.caller.named()?);
    let agent = call.caller.owner_of_new(body.agent_id)?;
    let form = body.content.checked().map_err(CommandError::Refused)?;
    know_bikes(&call, agent, &form.bikes).await?;
    let id = ShiftNoteId(call.state.runtime.ids.next_id());
    call.make::<ShiftNote>(&id, ShiftNoteCommand::Write { id, agent, operator, by, form }).await
}

/// Whoever reads the note reaches its agent's bikes, so that none of others is named.
async fn know_bikes(call: &Call<Fleet>, agent: Option<AgentId>, bikes: &[String]) -> Result<(), Refused> {
    if bikes.is_empty() {
        return Ok(());
    }
    let agents = agent.map_or(Reach::All, |agent| Reach::only([agent]));
    let scope = call.caller.full_scope.intersect(&Scope::of(agents, Reach::All));
    let mut db = call.state.runtime.reads.scoped(&scope, None, &["vehicle"]).await?;
    let known = vehicles::find_all(&mut *db, bikes).await?;
    let unknown = bikes.iter().find(|bike| !known.iter().any(|row| row.car_id == **bike));
    match unknown {
        Some(bike) => Err(CommandError::Refused(ShiftNoteRefusal::BikeUnknown(bike.clone())).into()),
        None => Ok(()),
    }
}

/// Takes a note back: its author, within ten minutes, while nobody has acknowledged it.
#[utoipa::path(delete, path = "/vehicle/shift-note", tag = "fleet", operation_id = "withdrawShiftNote",
    params(ById<ShiftNoteId>), responses((status = 200, body = Answer<Nothing>)))]
async fn withdraw(call: Call<Fleet>, Params(ById { id }): Params<ById<ShiftNoteId>>) -> Handled<Value> {
    call.act::<ShiftNote>(&id, ShiftNoteCommand::Withdraw(call.caller.operator()?)).await
}

#[derive(Deserialize, ToSchema)]
#[schema(as = ShiftNoteRead)]
struct Read {
    /// Which note.
    id: ShiftNoteId,
}

/// Acknowledges a note of somebody else. Who was first is kept; later ones change nothing.
#[utoipa::path(post, path = "/vehicle/shift-note/acknowledge", tag = "fleet",
    operation_id = "acknowledgeShiftNote", request_body = Read,
    responses((status = 200, body = Answer<Nothing>)))]
async fn acknowledge(call: Call<Fleet>, Body(body): Body<Read>) -> Handled<Value> {
    let (operator, by) = (call.caller.operator()?, call.caller.named()?);
    call.act::<ShiftNote>(&body.id, ShiftNoteCommand::Acknowledge { operator, by }).await
}
