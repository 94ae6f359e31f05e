//! Table `audit_entry`.

use std::collections::BTreeSet;

use chrono::{DateTime, Utc};
use kernel::Change;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sqlx::types::Json;
use sqlx::{PgConnection, Postgres, QueryBuilder};
use utoipa::ToSchema;
use vocabulary::{AgentId, AreaId, COUNT_CAP, DataOwner, Reach, Rows, Scope, Timestamp};

use super::{PERSON, subjects};
use crate::schema::{AuditSchemas, Fields};
use crate::words::{self, Names};
use crate::{diff, mask};

/// A row as the projector writes it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Stored {
    pub position: i64,
    pub at_ms: i64,
    pub actor_id: String,
    pub actor_name: String,
    pub actor_phone: String,
    pub category: String,
    pub action: String,
    pub target_id: String,
    pub target_name: String,
    pub agent_id: Option<i64>,
    pub area_id: Option<i64>,
    pub client_address: String,
    pub trace_id: String,
    pub request_id: String,
    pub before: Fields,
    pub after: Fields,
}

impl Stored {
    pub fn change(&self) -> Change {
        Change {
            table: "audit_entry",
            key: self.position.to_string(),
            owner: DataOwner { agent: self.agent_id.map(AgentId), area: self.area_id.map(AreaId) },
        }
    }
}

#[derive(Clone, Debug, sqlx::FromRow)]
struct Entry {
    position: i64,
    at_ms: i64,
    actor_kind: i16,
    actor_id: String,
    actor_name: String,
    actor_phone: String,
    category: String,
    action: String,
    target_id: String,
    target_name: String,
    agent_id: Option<i64>,
    area_id: Option<i64>,
    client_address: String,
    trace_id: String,
    request_id: String,
    result: i16,
    before: Json<Fields>,
    after: Json<Fields>,
}

/// A line of the operator log.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct LogRow {
    /// The event's place in the log; negative for what was refused and so left no event.
    pub position: i64,
    /// Epoch milliseconds.
    pub time: i64,
    /// The operator's, or the machine client's, id.
    pub op_man_id: String,
    /// 1 operator; 2 machine client, of which refused commands alone are here.
    pub actor_kind: i16,
    /// Who acted.
    pub name: String,
    /// Masked; empty for machines.
    pub phone: String,
    /// The event's stored type.
    pub action: String,
    /// As people read it.
    pub action_label: String,
    /// The category of what was acted on.
    pub category: String,
    /// As people read it.
    pub category_label: String,
    /// What was acted on.
    pub target_id: String,
    /// Its name; empty when it has none.
    pub target_name: String,
    /// Category and name in one.
    pub target: String,
    /// Whose it is; null: the platform's own.
    pub agent_id: Option<String>,
    /// Where it lies.
    pub area_id: Option<String>,
    /// Where the request came from.
    pub ip: String,
    /// Runs from the browser's request to the event.
    pub trace_id: String,
    /// The request's id.
    pub request_id: String,
    /// 1 done, 2 refused, 3 failed.
    pub result: i16,
    /// As people read it.
    pub result_label: String,
    /// What changed, in one line of at most 300 characters.
    pub detail: String,
}

/// A record of data disclosed, or of a command refused.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct AccessDetail {
    /// `export`, `unmask` or `refused`.
    pub kind: String,
    /// Which list or field; method and path of what was refused.
    pub what: String,
    /// Whose data was shown; else empty.
    pub target: String,
    /// What the list was cut down to.
    #[schema(value_type = Object)]
    pub filter: Value,
    /// Rows in the file.
    pub rows: Option<i64>,
    /// Code of the refusal; else empty.
    pub code: String,
    /// Why it was refused; else empty.
    pub reason: String,
}

/// A line with everything that is known of it.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct LogDetail {
    /// The line.
    #[serde(flatten)]
    pub row: LogRow,
    /// What changed.
    pub changes: Vec<diff::Change>,
    /// For records of category `access-record`.
    pub access: Option<AccessDetail>,
}

/// As people read a result.
pub fn result_label(result: i16) -> &'static str {
    match result {
        2 => "被拒绝",
        3 => "失败",
        _ => "成功",
    }
}

impl Entry {
    fn named(&self, schemas: &AuditSchemas, into: &mut BTreeSet<(String, String)>) {
        let Some(schema) = schemas.of(&self.category) else { return };
        words::named_in(schema.fields(), &self.before, into);
        words::named_in(schema.fields(), &self.after, into);
    }

    fn detail(self, schemas: &AuditSchemas, names: &Names) -> LogDetail {
        let schema = schemas.of(&self.category);
        let changes = schema
            .map_or_else(Vec::new, |schema| diff::changes(schema.as_ref(), &self.before, &self.after, names));
        let told = schema.and_then(|schema| schema.detail(&self.after));
        let category_label = schemas.label(&self.category);
        let access = self.access();
        let called = if self.target_name.is_empty() { &self.target_id } else { &self.target_name };
        let row = LogRow {
            position: self.position,
            time: self.at_ms,
            actor_kind: self.actor_kind,
            phone: mask::text_masked(&self.actor_phone),
            action_label: schemas.action_label(&self.category, &self.action),
            target: if access.is_some() { called.clone() } else { format!("{category_label} {called}") },
            agent_id: self.agent_id.map(|id| id.to_string()),
            area_id: self.area_id.map(|id| id.to_string()),
            result: self.result,
            result_label: result_label(self.result).to_owned(),
            detail: told.map_or_else(|| diff::line(&changes), |told| words::cut(&told, 300)),
            op_man_id: self.actor_id,
            name: self.actor_name,
            action: self.action,
            category: self.category,
            category_label,
            target_id: self.target_id,
            target_name: self.target_name,
            ip: self.client_address,
            trace_id: self.trace_id,
            request_id: self.request_id,
        };
        LogDetail { row, changes, access }
    }

    fn access(&self) -> Option<AccessDetail> {
        let kind = match self.action.as_str() {
            "access-record.exported" => "export",
            "access-record.unmasked" => "unmask",
            "access-record.refused" => "refused",
            _ => return None,
        };
        let text = |key: &str| self.after.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
        Some(AccessDetail {
            kind: kind.to_owned(),
            what: text("what"),
            target: text("target"),
            filter: self.after.get("filter").cloned().unwrap_or_default(),
            rows: self.after.get("rows").and_then(Value::as_i64),
            code: text("code"),
            reason: text("reason"),
        })
    }
}

/// What the list is cut down to.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    /// 1 people, 2 machine clients, of which refused commands alone are here.
    pub actor_kind: Option<i16>,
    /// An actor's id, or an operator's whole phone.
    pub actor: Option<String>,
    /// A stored type.
    pub action: Option<String>,
    /// A category.
    pub category: Option<String>,
    /// The beginning of the target's name, or its whole id.
    pub target: Option<String>,
    /// 1 done, 2 refused, 3 failed.
    pub result: Option<i16>,
    /// A trace.
    pub trace_id: Option<String>,
    /// From this instant on.
    pub from: Option<Timestamp>,
    /// Up to and with this instant.
    pub to: Option<Timestamp>,
}

/// Which part of the list.
#[derive(Clone, Copy, Debug)]
pub struct Slice {
    /// Rows to give.
    pub limit: i64,
    /// Rows to skip.
    pub offset: i64,
    /// Only rows that come after this one in the list, that is, older ones.
    pub before: Option<i64>,
}

/// What is in the log was done, and what has a row was done by a person.
const DONE: &str = "select position, at_ms, 1::smallint as actor_kind, actor_id, actor_name, actor_phone, category, action, \
    target_id, target_name, agent_id, area_id, client_address, trace_id, request_id, 1::smallint as result, \
    before, after from read.audit_entry";
/// What was refused lies beside it and is shown in the same columns.
const NOT_DONE: &str = "select position, at_ms, actor_kind, actor_id, actor_name, actor_phone, \
    'access-record'::text as category, 'access-record.refused'::text as action, target_id, target_name, agent_id, \
    area_id, client_address, trace_id, ''::text as request_id, \
    (case when status >= 500 then 3 else 2 end)::smallint as result, '{}'::jsonb as before, \
    jsonb_build_object('what', target_name, 'status', status, 'code', code, 'reason', reason) as after \
    from log.refused_write";

impl Filter {
    /// Whether what was done may match.
    fn wants_done(&self) -> bool {
        self.result.is_none_or(|result| result == 1) && self.actor_kind.is_none_or(|kind| kind == PERSON)
    }

    /// Whether what was refused may match.
    fn wants_refused(&self) -> bool {
        let none_or = |asked: &Option<String>, is: &str| asked.as_ref().is_none_or(|asked| asked == is);
        self.result != Some(1)
            && none_or(&self.category, "access-record")
            && none_or(&self.action, "access-record.refused")
    }

    /// The sources that may hold matching rows: their select, and whether it is the one of what was refused.
    fn sources(&self) -> Vec<(&'static str, bool)> {
        let done = self.wants_done().then_some((DONE, false));
        let refused = self.wants_refused().then_some((NOT_DONE, true));
        done.into_iter().chain(refused).collect()
    }
}

/// The conditions of `filter`. The policy decides what may be seen; naming the agents again only lets the planner
/// take their index.
fn conditions(query: &mut QueryBuilder<Postgres>, scope: &Scope, filter: &Filter, refused: bool) {
    query.push(" where true");
    if let Reach::Only(agents) = &scope.agents {
        let ids: Vec<i64> = agents.iter().map(|id| id.0).collect();
        // One alone is compared by itself: then its index gives the rows in order.
        match ids.as_slice() {
            [one] => query.push(" and agent_id = ").push_bind(*one),
            _ => query.push(" and agent_id = any(").push_bind(ids).push(")"),
        };
    }
    if let Some(kind) = filter.actor_kind.filter(|_| refused) {
        query.push(" and actor_kind = ").push_bind(kind);
    }
    if let Some(actor) = &filter.actor {
        let is_phone = actor.len() == 11 && actor.starts_with('1');
        query.push(if is_phone { " and actor_phone <> '' and actor_phone = " } else { " and actor_id = " });
        query.push_bind(actor.clone());
    }
    for (column, value) in [("category", &filter.category), ("action", &filter.action)] {
        if let Some(value) = value.as_ref().filter(|_| !refused) {
            query.push(format!(" and {column} = ")).push_bind(value.clone());
        }
    }
    if let Some(trace) = &filter.trace_id {
        query.push(" and trace_id = ").push_bind(trace.clone());
    }
    if filter.trace_id.is_some() {
        query.push(" and trace_id <> ''");
    }
    if let Some(target) = &filter.target {
        query.push(" and (target_id = ").push_bind(target.clone());
        // `like` may not use an index under a policy.
        query.push(" or target_name ^@ ").push_bind(target.trim().to_owned()).push(")");
    }
    match filter.result.filter(|_| refused) {
        Some(2) => drop(query.push(" and status < 500")),
        Some(_) => drop(query.push(" and status >= 500")),
        None => {}
    }
    if let Some(from) = filter.from {
        query.push(" and at_ms >= ").push_bind(from.millis());
    }
    if let Some(to) = filter.to {
        query.push(" and at_ms <= ").push_bind(to.millis());
    }
}

/// When the event at `position` was recorded. Its line has the same moment, and is looked for in one month.
async fn recorded_at(db: &mut PgConnection, position: i64) -> sqlx::Result<Option<i64>> {
    let at: Option<DateTime<Utc>> =
        sqlx::query_scalar("select recorded_at from log.events where position = $1")
            .bind(position)
            .fetch_optional(db)
            .await?;
    Ok(at.map(|at| Timestamp::from(at).millis()))
}

/// Adds the condition that it is the line at `position`; false when there is none.
async fn at(db: &mut PgConnection, query: &mut QueryBuilder<Postgres>, position: i64) -> sqlx::Result<bool> {
    query.push(" where position = ").push_bind(position);
    if position >= 0 {
        let Some(at_ms) = recorded_at(db, position).await? else { return Ok(false) };
        query.push(" and at_ms = ").push_bind(at_ms);
    }
    Ok(true)
}

/// When the line at `position` was; nothing when it is not in scope.
async fn moment(db: &mut PgConnection, position: i64) -> sqlx::Result<Option<i64>> {
    let table = if position < 0 { "log.refused_write" } else { "read.audit_entry" };
    let mut query = QueryBuilder::new(format!("select at_ms from {table}"));
    if !at(db, &mut query, position).await? {
        return Ok(None);
    }
    query.build_query_scalar().fetch_optional(db).await
}

/// A part of the log, newest first, and how many match in all.
pub async fn page(
    db: &mut PgConnection,
    schemas: &AuditSchemas,
    scope: &Scope,
    filter: &Filter,
    slice: Slice,
) -> sqlx::Result<Rows<LogRow>> {
    let sources = filter.sources();
    if sources.is_empty() {
        return Ok(Rows::new(Vec::new(), 0));
    }
    let mut count = QueryBuilder::new("select ");
    for (n, (_, refused)) in sources.into_iter().enumerate() {
        let table = if refused { "log.refused_write" } else { "read.audit_entry" };
        count
            .push(if n == 0 { "" } else { " + " })
            .push(format!("(select count(*) from (select from {table}"));
        conditions(&mut count, scope, filter, refused);
        count.push(" limit ").push_bind(COUNT_CAP + 1).push(") matching)");
    }
    let counted: i64 = count.build_query_scalar().fetch_one(&mut *db).await?;
    let lines = if counted > COUNT_CAP || slice.before.is_some() {
        part(db, schemas, scope, filter, slice).await?
    } else {
        told(few(scope, filter, slice), db, schemas).await?
    };
    Ok(Rows::new(lines, counted))
}

/// All that match, found before they are sorted and a page is cut out. Without this the planner walks the whole log in
/// the hope to meet a page of them soon.
fn few(scope: &Scope, filter: &Filter, slice: Slice) -> QueryBuilder<Postgres> {
    let mut query = QueryBuilder::new("with lines as materialized (");
    for (n, (select, refused)) in filter.sources().into_iter().enumerate() {
        query.push(if n == 0 { "" } else { " union all " }).push(select);
        conditions(&mut query, scope, filter, refused);
    }
    query.push(") select * from lines order by at_ms desc, position desc limit ").push_bind(slice.limit);
    query.push(" offset ").push_bind(slice.offset);
    query
}

/// A part of the log, newest first.
pub async fn part(
    db: &mut PgConnection,
    schemas: &AuditSchemas,
    scope: &Scope,
    filter: &Filter,
    slice: Slice,
) -> sqlx::Result<Vec<LogRow>> {
    let after = match slice.before {
        None => None,
        Some(position) => match moment(db, position).await? {
            Some(at_ms) => Some((at_ms, position)),
            None => return Ok(Vec::new()),
        },
    };
    let sources = filter.sources();
    if sources.is_empty() {
        return Ok(Vec::new());
    }
    let mut query = QueryBuilder::new("select * from (");
    for (n, (select, refused)) in sources.into_iter().enumerate() {
        query.push(if n == 0 { "(" } else { " union all (" }).push(select);
        conditions(&mut query, scope, filter, refused);
        if let Some((at_ms, position)) = after {
            query
                .push(" and (at_ms, position) < (")
                .push_bind(at_ms)
                .push(", ")
                .push_bind(position)
                .push(")");
            // Months are left out by this one alone.
            query.push(" and at_ms <= ").push_bind(at_ms);
        }
        // Each source gives what it could contribute, in order, from its index.
        query
            .push(" order by at_ms desc, position desc limit ")
            .push_bind(slice.offset + slice.limit)
            .push(")");
    }
    query.push(") lines order by at_ms desc, position desc limit ").push_bind(slice.limit);
    query.push(" offset ").push_bind(slice.offset);
    told(query, db, schemas).await
}

/// The lines that `query` finds, as people read them.
async fn told(
    mut query: QueryBuilder<Postgres>,
    db: &mut PgConnection,
    schemas: &AuditSchemas,
) -> sqlx::Result<Vec<LogRow>> {
    let found: Vec<Entry> = query.build_query_as().fetch_all(&mut *db).await?;
    let mut named = BTreeSet::new();
    for entry in &found {
        entry.named(schemas, &mut named);
    }
    let names = subjects::names(db, &named).await?;
    Ok(found.into_iter().map(|entry| entry.detail(schemas, &names).row).collect())
}

/// One line; nothing when it is not in scope.
pub async fn one(
    db: &mut PgConnection,
    schemas: &AuditSchemas,
    position: i64,
) -> sqlx::Result<Option<LogDetail>> {
    let mut query = QueryBuilder::new(if position < 0 { NOT_DONE } else { DONE });
    if !at(db, &mut query, position).await? {
        return Ok(None);
    }
    let found: Option<Entry> = query.build_query_as().fetch_optional(&mut *db).await?;
    let Some(found) = found else { return Ok(None) };
    let mut named = BTreeSet::new();
    found.named(schemas, &mut named);
    let names = subjects::names(db, &named).await?;
    Ok(Some(found.detail(schemas, &names)))
}
