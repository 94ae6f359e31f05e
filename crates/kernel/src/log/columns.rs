//! A batch as what the statements of the log take.

use chrono::{DateTime, Utc};
use sqlx::PgConnection;

use super::chain::{Hash, LeafFields};
use super::writer::{Append, NewEvent, Outcome};
use crate::Position;

const ONE: &str = "select log.append_one($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)";
const PLAIN: &str = "select log.append_plain(\
    $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)";
const JUDGED: &str = "select outcome, at, version, detail from log.append(\
    $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19)";

/// The events' leaves, in their order.
pub(super) fn leaves(append: &Append) -> impl Iterator<Item = Hash> {
    append.events.iter().zip(append.expected + 1..).map(|(event, version)| {
        LeafFields {
            category: append.category,
            stream_id: &append.stream_id,
            version,
            stored_type: &event.form.stored_type,
            schema_version: event.form.schema_version,
            data: &event.form.data,
            meta: event.meta.as_bytes(),
            recorded_at: event.recorded_at,
        }
        .leaf()
    })
}

fn text(data: &[u8]) -> &str {
    std::str::from_utf8(data).expect("checked when it was handed in")
}

/// For `log.append_one`: an append of one event that claims nothing.
pub(super) struct One<'a> {
    append: &'a Append,
    event: &'a NewEvent,
    leaf: Hash,
}

impl<'a> One<'a> {
    pub(super) fn of(appends: &[&'a Append]) -> Option<Self> {
        let [append] = *appends else { return None };
        let [event] = append.events.as_slice() else { return None };
        append.claims.is_empty().then(|| {
            let leaf = leaves(append).next().expect("it has an event");
            Self { append, event, leaf }
        })
    }

    /// It is applied before `until`, or it is an error.
    pub(super) async fn send(
        &self,
        connection: &mut PgConnection,
        until: DateTime<Utc>,
    ) -> sqlx::Result<i64> {
        let request = self.append.request.as_ref();
        sqlx::query_scalar(ONE)
            .bind(self.append.category)
            .bind(&self.append.stream_id)
            .bind(self.append.expected + 1)
            .bind(&self.event.form.stored_type)
            .bind(self.event.form.schema_version)
            .bind(text(&self.event.form.data))
            .bind(&self.event.meta)
            .bind(self.event.recorded_at.datetime())
            .bind(self.leaf)
            .bind(request.map(|request| &request.actor))
            .bind(request.map(|request| &request.id))
            .bind(request.map(|request| &request.fingerprint))
            .bind(request.map(|request| &request.reply))
            .bind(request.map(|request| request.at.datetime()))
            .bind(until)
            .fetch_one(connection)
            .await
    }
}

/// What became of the appends of a batch whose first event follows `position`: all were applied.
pub(super) fn applied(appends: &[&Append], mut position: i64) -> Vec<Outcome> {
    let applied = |append: &&Append| {
        let events = append.events.len() as i64;
        position += events;
        Outcome::Appended { position: Position(position), version: append.expected + events }
    };
    appends.iter().map(applied).collect()
}

/// For `log.append_plain`.
#[derive(Default)]
pub(super) struct Plain<'a> {
    category: Vec<&'a str>,
    stream: Vec<&'a str>,
    version: Vec<i64>,
    kind: Vec<&'a str>,
    schema: Vec<i16>,
    data: Vec<&'a str>,
    meta: Vec<&'a str>,
    at: Vec<DateTime<Utc>>,
    leaf: Vec<Hash>,
    /// Indexes, from 1, of the events whose stream has events already.
    follows: Vec<i32>,
    /// Index of the last event of each request's append.
    q_event: Vec<i32>,
    q_actor: Vec<&'a str>,
    q_request: Vec<&'a str>,
    q_fingerprint: Vec<&'a [u8]>,
    q_reply: Vec<&'a str>,
    q_at: Vec<DateTime<Utc>>,
}

impl<'a> Plain<'a> {
    /// None where an append claims something, or only remembers its request.
    pub(super) fn of(appends: &[&'a Append]) -> Option<Self> {
        if appends.iter().any(|append| append.events.is_empty() || !append.claims.is_empty()) {
            return None;
        }
        let mut columns = Self::default();
        let mut n = 0;
        for append in appends.iter().copied() {
            if append.expected > 0 {
                columns.follows.push(n + 1);
            }
            for ((event, version), leaf) in
                append.events.iter().zip(append.expected + 1..).zip(leaves(append))
            {
                n += 1;
                columns.category.push(append.category);
                columns.stream.push(&append.stream_id);
                columns.version.push(version);
                columns.kind.push(&event.form.stored_type);
                columns.schema.push(event.form.schema_version);
                columns.data.push(text(&event.form.data));
                columns.meta.push(&event.meta);
                columns.at.push(event.recorded_at.datetime());
                columns.leaf.push(leaf);
            }
            if let Some(request) = &append.request {
                columns.q_event.push(n);
                columns.q_actor.push(&request.actor);
                columns.q_request.push(&request.id);
                columns.q_fingerprint.push(&request.fingerprint);
                columns.q_reply.push(&request.reply);
                columns.q_at.push(request.at.datetime());
            }
        }
        Some(columns)
    }

    /// All of them are applied before `until`, or it is an error and none is.
    pub(super) async fn send(
        &self,
        connection: &mut PgConnection,
        until: DateTime<Utc>,
    ) -> sqlx::Result<i64> {
        sqlx::query_scalar(PLAIN)
            .bind(&self.category)
            .bind(&self.stream)
            .bind(&self.version)
            .bind(&self.kind)
            .bind(&self.schema)
            .bind(&self.data)
            .bind(&self.meta)
            .bind(&self.at)
            .bind(&self.leaf)
            .bind(&self.follows)
            .bind(&self.q_event)
            .bind(&self.q_actor)
            .bind(&self.q_request)
            .bind(&self.q_fingerprint)
            .bind(&self.q_reply)
            .bind(&self.q_at)
            .bind(until)
            .fetch_one(connection)
            .await
    }
}

/// For `log.append`.
#[derive(Default)]
pub(super) struct Judged<'a> {
    category: Vec<&'a str>,
    stream: Vec<&'a str>,
    expected: Vec<Option<i64>>,
    actor: Vec<Option<&'a str>>,
    request: Vec<Option<&'a str>>,
    fingerprint: Vec<Option<&'a [u8]>>,
    reply: Vec<Option<&'a str>>,
    at: Vec<Option<DateTime<Utc>>>,
    e_append: Vec<i32>,
    e_type: Vec<&'a str>,
    e_schema: Vec<i16>,
    e_data: Vec<&'a str>,
    e_meta: Vec<&'a str>,
    e_at: Vec<DateTime<Utc>>,
    e_leaf: Vec<Hash>,
    c_append: Vec<i32>,
    c_key: Vec<&'a str>,
    c_take: Vec<bool>,
}

type Verdict = (i16, i64, i64, Option<String>);

impl<'a> Judged<'a> {
    pub(super) fn of(appends: &[&'a Append]) -> Self {
        let mut columns = Self::default();
        for (append, n) in appends.iter().copied().zip(1..) {
            let request = append.request.as_ref();
            columns.category.push(append.category);
            columns.stream.push(&append.stream_id);
            columns.expected.push((!append.events.is_empty()).then_some(append.expected));
            columns.actor.push(request.map(|request| request.actor.as_str()));
            columns.request.push(request.map(|request| request.id.as_str()));
            columns.fingerprint.push(request.map(|request| request.fingerprint.as_slice()));
            columns.reply.push(request.map(|request| request.reply.as_str()));
            columns.at.push(request.map(|request| request.at.datetime()));
            for (event, leaf) in append.events.iter().zip(leaves(append)) {
                columns.e_append.push(n);
                columns.e_type.push(&event.form.stored_type);
                columns.e_schema.push(event.form.schema_version);
                columns.e_data.push(text(&event.form.data));
                columns.e_meta.push(&event.meta);
                columns.e_at.push(event.recorded_at.datetime());
                columns.e_leaf.push(leaf);
            }
            for claim in &append.claims {
                columns.c_append.push(n);
                columns.c_key.push(&claim.key);
                columns.c_take.push(claim.take);
            }
        }
        columns
    }

    /// What became of each append, before `until`.
    pub(super) async fn send(
        &self,
        connection: &mut PgConnection,
        until: DateTime<Utc>,
    ) -> sqlx::Result<Vec<Outcome>> {
        let verdicts: Vec<Verdict> = sqlx::query_as(JUDGED)
            .bind(&self.category)
            .bind(&self.stream)
            .bind(&self.expected)
            .bind(&self.actor)
            .bind(&self.request)
            .bind(&self.fingerprint)
            .bind(&self.reply)
            .bind(&self.at)
            .bind(&self.e_append)
            .bind(&self.e_type)
            .bind(&self.e_schema)
            .bind(&self.e_data)
            .bind(&self.e_meta)
            .bind(&self.e_at)
            .bind(&self.e_leaf)
            .bind(&self.c_append)
            .bind(&self.c_key)
            .bind(&self.c_take)
            .bind(until)
            .fetch_all(connection)
            .await?;
        Ok(verdicts.into_iter().map(outcome).collect())
    }
}

fn outcome((outcome, at, version, detail): Verdict) -> Outcome {
    match outcome {
        0 => Outcome::Appended { position: Position(at), version },
        1 => Outcome::Repeated { reply: detail.unwrap_or_default(), position: Position(at), version },
        2 => Outcome::RequestReused,
        3 => Outcome::Conflict { actual: version },
        _ => Outcome::ClaimTaken { key: detail.unwrap_or_default() },
    }
}
