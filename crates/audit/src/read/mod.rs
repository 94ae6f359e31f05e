//! Tables `audit_entry` and `audit_subject`, and their queries. Every query runs in a transaction that holds the
//! caller's scope.

pub mod entries;
pub mod history;
pub mod refusals;
mod states;
pub mod subjects;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use async_trait::async_trait;
use kernel::projector::ApplyError;
use kernel::{Actor, Change, Projector, Recorded, Runtime, rows};
use sqlx::PgConnection;
use vocabulary::DataOwner;

use self::entries::Stored;
use self::states::States;
use self::subjects::Subject;
use crate::schema::{AuditSchemas, Fields};
use crate::{diff, mask};

/// The name of the read model, and the version of its rules.
pub const RULES: (&str, i32) = ("audit", 3);

/// Builds both tables, from every category of the system.
pub struct AuditProjector {
    schemas: Arc<AuditSchemas>,
    states: States,
}

impl AuditProjector {
    /// Reads events as `schemas` tell, and what was before them from the log of `runtime`.
    pub fn new(runtime: &Runtime, schemas: Arc<AuditSchemas>) -> Self {
        Self { schemas, states: States::new(runtime) }
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
        RULES.0
    }

    fn version(&self) -> i32 {
        RULES.1
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
            keys.extend(operator(event).map(|person| subjects::key(person.category, &person.id)));
            let schema = self.schemas.of(&event.category);
            keys.extend(schema.and_then(|one| one.named_by()).map(|by| subjects::key(by, &event.stream_id)));
        }
        keys.sort_unstable();
        keys.dedup();
        let known: Vec<Subject> = rows::load(db, "audit_subject", "key", "text", &keys).await?;
        let mut known: BTreeMap<String, Subject> =
            known.into_iter().map(|subject| (subject.key.clone(), subject)).collect();
        let states = self.states.open().await?;
        let mut entries = Vec::new();
        let mut moved = BTreeSet::new();
        for event in events {
            let schema = self.schemas.of(&event.category).ok_or("an event of no category")?.as_ref();
            let key = subjects::key(&event.category, &event.stream_id);
            let was = known.remove(&key);
            let mut subject = was.clone().unwrap_or_else(|| Subject::new(event));
            let from = subject.owner();
            let person = operator(event);
            // What machines and rules did is folded only where it changes what the thing is called.
            let mut step = None;
            if person.is_some() || schema.renames(event)? {
                let before = states.before(schema, event).await?;
                let mut after = Fields::clone(&before);
                schema.fold(&mut after, event)?;
                subject.call(schema, &after);
                step = person.map(|person| (person, before, Arc::new(after)));
            }
            if let Some(by) = schema.named_by()
                && let Some(namesake) = known.get(&subjects::key(by, &event.stream_id))
            {
                subject.name.clone_from(&namesake.name);
            }
            subject.belong(event);
            if step.is_some() || was.is_none_or(|was| !was.says_the_same_as(&subject)) {
                subject.position = event.position.0;
                moved.insert(key.clone());
            }
            known.insert(key.clone(), subject);
            if let Some((person, before, after)) = step {
                states.keep(event, &after);
                let actor = known.get(&subjects::key(person.category, &person.id));
                let before = if crossed(from, event.meta.owner) { Arc::default() } else { before };
                let differ = diff::changed(schema, &before, &after);
                entries.push(entry(event, person, actor, &known[&key], differ));
            }
        }
        let subjects: Vec<Subject> = moved.iter().filter_map(|key| known.remove(key)).collect();
        rows::upsert(db, "audit_subject", "key", &subjects).await?;
        rows::make_months(db, "audit_entry", entries.iter().map(|entry| entry.at_ms)).await?;
        rows::upsert(db, "audit_entry", "at_ms, position", &entries).await?;
        Ok(entries.iter().map(Stored::change).collect())
    }
}

/// The person who acted, when it was one.
fn operator(event: &Recorded) -> Option<Person> {
    Person::of(&event.meta.actor).filter(|person| person.kind == PERSON)
}

/// Whether a thing came from another agent: what it was there is not for the eyes of those who have it now.
pub(crate) fn crossed(from: DataOwner, to: DataOwner) -> bool {
    from.agent.is_some() && from.agent != to.agent
}

fn entry(
    event: &Recorded,
    person: Person,
    actor: Option<&Subject>,
    subject: &Subject,
    (before, after): (Fields, Fields),
) -> Stored {
    let meta = &event.meta;
    Stored {
        position: event.position.0,
        at_ms: event.recorded_at.millis(),
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
