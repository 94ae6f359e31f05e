//! Tables `audit_entry` and `audit_subject`, and their queries. Every query runs in a transaction that holds the
//! caller's scope.

pub mod entries;
pub mod history;
pub mod refusals;
pub mod subjects;

use std::collections::BTreeMap;
use std::sync::Arc;

use async_trait::async_trait;
use kernel::projector::ApplyError;
use kernel::{Actor, Change, Projector, Recorded, rows};
use sqlx::PgConnection;
use vocabulary::DataOwner;

use self::entries::Stored;
use self::subjects::Subject;
use crate::schema::{AuditSchema, AuditSchemas, Fields};
use crate::{diff, mask};

/// Builds both tables, from every category of the system.
pub struct AuditProjector {
    schemas: Arc<AuditSchemas>,
}

impl AuditProjector {
    /// Reads events as `schemas` tell.
    pub fn new(schemas: Arc<AuditSchemas>) -> Self {
        Self { schemas }
    }
}

/// The kind of operators.
pub const PERSON: i16 = 1;
/// The kind of machine clients.
pub const MACHINE: i16 = 2;

/// A person or a program, as rows name them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Person {
    /// [`PERSON`] or [`MACHINE`].
    pub kind: i16,
    /// The category of such persons.
    pub category: &'static str,
    /// Which.
    pub id: String,
}

impl Person {
    /// Who acted, when it was no rule of the system.
    pub fn of(actor: &Actor) -> Option<Self> {
        match actor {
            Actor::Operator { id } => Some(Self { kind: PERSON, category: "operator", id: id.to_string() }),
            Actor::Machine { id } => Some(Self { kind: MACHINE, category: "machine", id: id.to_string() }),
            Actor::System { .. } => None,
        }
    }
}

#[async_trait]
impl Projector for AuditProjector {
    fn name(&self) -> &'static str {
        "audit"
    }

    fn tables(&self) -> &'static [&'static str] {
        &["audit_entry", "audit_subject"]
    }

    fn categories(&self) -> &'static [&'static str] {
        self.schemas.categories()
    }

    async fn apply(&self, db: &mut PgConnection, events: &[Recorded]) -> Result<Vec<Change>, ApplyError> {
        let mut keys = Vec::with_capacity(2 * events.len());
        for event in events {
            keys.push(subjects::key(&event.category, &event.stream_id));
            keys.extend(
                Person::of(&event.meta.actor).map(|person| subjects::key(person.category, &person.id)),
            );
            let schema = self.schemas.of(&event.category);
            keys.extend(schema.and_then(|one| one.named_by()).map(|by| subjects::key(by, &event.stream_id)));
        }
        keys.sort_unstable();
        keys.dedup();
        let known: Vec<Subject> = rows::load(db, "audit_subject", "key", "text", &keys).await?;
        let mut known: BTreeMap<String, Subject> =
            known.into_iter().map(|subject| (subject.key.clone(), subject)).collect();
        let mut entries = Vec::new();
        let mut moved = BTreeMap::new();
        for event in events {
            let schema = self.schemas.of(&event.category).ok_or("an event of no category")?;
            let key = subjects::key(&event.category, &event.stream_id);
            let mut subject = known.remove(&key).unwrap_or_else(|| Subject::new(event));
            let person = Person::of(&event.meta.actor);
            let before = person.as_ref().map(|_| subject.state.clone());
            let from = subject.owner();
            subject.take(schema.as_ref(), event)?;
            if let Some(by) = schema.named_by()
                && let Some(namesake) = known.get(&subjects::key(by, &event.stream_id))
            {
                subject.name.clone_from(&namesake.name);
            }
            known.insert(key.clone(), subject);
            let subject = &known[&key];
            if let (Some(person), Some(before)) = (person, before) {
                let actor = known.get(&subjects::key(person.category, &person.id));
                let before = if crossed(from, event.meta.owner) { Fields::new() } else { before };
                entries.push(entry(schema.as_ref(), event, person, actor, &before, subject));
            }
            moved.insert(key, ());
        }
        let subjects: Vec<Subject> = moved.into_keys().filter_map(|key| known.remove(&key)).collect();
        rows::upsert(db, "audit_subject", "key", &subjects).await?;
        rows::upsert(db, "audit_entry", "position", &entries).await?;
        // Machines write all the time: who watches the log waits for what people do.
        Ok(entries.iter().filter(|entry| entry.actor_kind == PERSON).map(Stored::change).collect())
    }
}

/// Whether a thing came from another agent: what it was there is not for the eyes of those who have it now.
pub(crate) fn crossed(from: DataOwner, to: DataOwner) -> bool {
    from.agent.is_some() && from.agent != to.agent
}

fn entry(
    schema: &dyn AuditSchema,
    event: &Recorded,
    person: Person,
    actor: Option<&Subject>,
    before: &Fields,
    subject: &Subject,
) -> Stored {
    let (before, after) = diff::changed(schema, before, &subject.state);
    let meta = &event.meta;
    Stored {
        position: event.position.0,
        at_ms: event.recorded_at.millis(),
        actor_kind: person.kind,
        actor_id: person.id,
        actor_name: actor.map(|actor| actor.name.clone()).unwrap_or_default(),
        actor_phone: actor.map(|actor| actor.phone.clone()).unwrap_or_default(),
        category: event.category.to_string(),
        action: event.stored_type.to_string(),
        target_id: event.stream_id.to_string(),
        target_name: subject.name.clone(),
        agent_id: meta.owner.agent.map(|agent| agent.0),
        area_id: meta.owner.area.map(|area| area.0),
        client_address: mask::clean(meta.client_address.as_deref().unwrap_or_default()),
        trace_id: mask::clean(&meta.trace_id),
        request_id: mask::clean(meta.request_id.as_deref().unwrap_or_default()),
        before,
        after,
    }
}

/// A keyword has at most so many characters; the rest is not looked at.
const KEYWORD_MAX: usize = 64;

/// Text for `like`: what the user typed, taken literally, anywhere in the column.
fn containing(keyword: &str) -> String {
    kernel::rows::containing(keyword, KEYWORD_MAX)
}

#[cfg(test)]
mod tests {
    use vocabulary::{AgentId, AreaId};

    use super::*;

    #[test]
    fn what_is_typed_is_taken_literally() {
        assert_eq!(containing(" 50%_off\\ "), "%50\\%\\_off\\\\%");
    }

    #[test]
    fn only_a_thing_that_left_a_agent_has_crossed() {
        let (two, three) = (DataOwner::of_agent(AgentId(2)), DataOwner::of_agent(AgentId(3)));
        assert!(crossed(two, three) && crossed(two, DataOwner::PLATFORM));
        assert!(
            !crossed(two, DataOwner::of_area(AgentId(2), AreaId(20))) && !crossed(DataOwner::PLATFORM, two)
        );
    }
}
