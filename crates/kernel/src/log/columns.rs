//! A batch as what the statements of the log take.

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use sqlx::PgConnection;

use super::chain::{Hash, LeafFields};
use super::writer::{Append, NewEvent, Outcome};
use crate::Position;

const ONE: &str =
    "select log.append_one($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)";
const PLAIN: &str = "select log.append_plain(\
    $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)";
const JUDGED: &str = "select outcome, at, version, detail from log.append(\
    $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21)";

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
    pub(super) fn of(entries: &[&'a [Append]]) -> Option<Self> {
        let [[append]] = entries else { return None };
        let [event] = append.events.as_slice() else { return None };
        append.claims.is_empty().then(|| {
            let leaf = leaves(append).next().expect("it has an event");
            Self { append, event, leaf }
        })
    }

    /// It is applied before `until`, or it is an error. The event before it is not looked for where it `is_known`.
    pub(super) async fn send(
        &self,
        connection: &mut PgConnection,
        until: DateTime<Utc>,
        is_known: impl Fn(&Append) -> bool,
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
            .bind(!is_known(self.append))
            .fetch_one(connection)
            .await
    }
}

/// What became of an entry whose first event follows `position`: all of it was applied.
pub(super) fn appended(entry: &[Append], position: i64) -> Outcome {
    let events: usize = entry.iter().map(|append| append.events.len()).sum();
    let last = entry.iter().rfind(|append| !append.events.is_empty()).or(entry.last());
    Outcome::Appended {
        position: Position(position + events as i64),
        version: last.map_or(0, |append| append.expected + append.events.len() as i64),
    }
}

/// What became of the entries of a batch whose first event follows `position`: all were applied.
pub(super) fn applied(entries: &[&[Append]], mut position: i64) -> Vec<Outcome> {
    let applied = |entry: &&[Append]| {
        let outcome = appended(entry, position);
        position += entry.iter().map(|append| append.events.len() as i64).sum::<i64>();
        outcome
    };
    entries.iter().map(applied).collect()
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
    /// Appends to streams that have events already, with the index, from 1, of their first event.
    follows: Vec<(i32, &'a Append)>,
    /// Index of the last event of each request's append.
    q_event: Vec<i32>,
    q_actor: Vec<&'a str>,
    q_request: Vec<&'a str>,
    q_fingerprint: Vec<&'a [u8]>,
    q_reply: Vec<&'a str>,
    q_at: Vec<DateTime<Utc>>,
}

impl<'a> Plain<'a> {
    /// None where an append claims something, or has no events.
    pub(super) fn of(entries: &[&'a [Append]]) -> Option<Self> {
        let appends = || entries.iter().copied().flatten();
        if appends().any(|append| append.events.is_empty() || !append.claims.is_empty()) {
            return None;
        }
        let mut columns = Self::default();
        let mut n = 0;
        for append in appends() {
            if append.expected > 0 {
                columns.follows.push((n + 1, append));
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

    /// All of them are applied before `until`, or it is an error and none is. The event before an append is not looked
    /// for where it `is_known`.
    pub(super) async fn send(
        &self,
        connection: &mut PgConnection,
        until: DateTime<Utc>,
        is_known: impl Fn(&Append) -> bool,
    ) -> sqlx::Result<i64> {
        let unknown = self.follows.iter().filter(|(_, append)| !is_known(append));
        let follows: Vec<i32> = unknown.map(|(first, _)| *first).collect();
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
            .bind(follows)
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
    /// The member that gives back what is taken.
    c_from: Vec<Option<i32>>,
    /// The group of each append; empty without groups.
    group: Vec<Option<i32>>,
    /// How many appends each entry has.
    sizes: Vec<usize>,
}

type Verdict = (i16, i64, i64, Option<String>);

impl<'a> Judged<'a> {
    pub(super) fn of(entries: &[&'a [Append]]) -> Self {
        let mut columns = Self::default();
        let groups = entries.iter().any(|entry| entry.len() > 1);
        for (entry, number) in entries.iter().copied().zip(1..) {
            let first = columns.category.len() as i32 + 1;
            columns.sizes.push(entry.len());
            for (append, n) in entry.iter().zip(first..) {
                columns.push(append, n, entry.len() > 1);
                if groups {
                    columns.group.push((entry.len() > 1).then_some(number));
                }
            }
            columns.push_claims(entry, first);
        }
        columns
    }

    fn push(&mut self, append: &'a Append, n: i32, member: bool) {
        let request = append.request.as_ref();
        self.category.push(append.category);
        self.stream.push(&append.stream_id);
        self.expected.push((member || !append.events.is_empty()).then_some(append.expected));
        self.actor.push(request.map(|request| request.actor.as_str()));
        self.request.push(request.map(|request| request.id.as_str()));
        self.fingerprint.push(request.map(|request| request.fingerprint.as_slice()));
        self.reply.push(request.map(|request| request.reply.as_str()));
        self.at.push(request.map(|request| request.at.datetime()));
        for (event, leaf) in append.events.iter().zip(leaves(append)) {
            self.e_append.push(n);
            self.e_type.push(&event.form.stored_type);
            self.e_schema.push(event.form.schema_version);
            self.e_data.push(text(&event.form.data));
            self.e_meta.push(&event.meta);
            self.e_at.push(event.recorded_at.datetime());
            self.e_leaf.push(leaf);
        }
    }

    /// What an entry gives back comes before what it takes, so that one member may take what another gives back.
    fn push_claims(&mut self, entry: &'a [Append], first: i32) {
        let mut given_back = HashMap::new();
        for take in [false, true] {
            for (append, n) in entry.iter().zip(first..) {
                for claim in append.claims.iter().filter(|claim| claim.take == take) {
                    let from = given_back.get(claim.key.as_str()).copied();
                    if !take {
                        given_back.insert(claim.key.as_str(), n);
                    }
                    self.c_append.push(n);
                    self.c_key.push(&claim.key);
                    self.c_take.push(take);
                    self.c_from.push(from);
                }
            }
        }
    }

    /// What became of each entry, before `until`.
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
            .bind(&self.group)
            .bind(&self.c_from)
            .fetch_all(connection)
            .await?;
        let mut verdicts = verdicts.into_iter();
        Ok(self.sizes.iter().map(|size| outcome(verdicts.by_ref().take(*size))).collect())
    }
}

/// What became of an entry with these verdicts on its members: that its request was done says more than what stands in
/// its way, and of what was applied the last event tells.
fn outcome(members: impl Iterator<Item = Verdict>) -> Outcome {
    let telling = |(outcome, at, ..): &Verdict| match outcome {
        1 | 2 => (2, 0),
        3 | 4 => (1, 0),
        // Refused with the others of its group.
        5 => (0, 0),
        _ => (0, *at),
    };
    let (outcome, at, version, detail) = members.max_by_key(telling).expect("an entry has an append");
    match outcome {
        0 => Outcome::Appended { position: Position(at), version },
        1 => Outcome::Repeated { reply: detail.unwrap_or_default(), position: Position(at), version },
        2 => Outcome::RequestReused,
        3 => Outcome::Conflict { actual: version },
        _ => Outcome::ClaimTaken { key: detail.unwrap_or_default() },
    }
}
