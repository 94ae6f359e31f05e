//! All that ever happened to one thing, folded from the log itself: step by step, and as it was after any of them.

use std::collections::{BTreeSet, HashMap};

use kernel::{Actor, LogError, Meta, Position, Recorded, Runtime};
use serde::Serialize;
use sqlx::{PgConnection, PgPool};
use utoipa::ToSchema;
use vocabulary::{Page, Scope};

use super::{MACHINE, Person, subjects};
use crate::diff::{self, Change, StateField};
use crate::mask;
use crate::schema::{AuditSchema, AuditSchemas, Fields};
use crate::words::{self, Names};

/// A history of more steps than this is not folded for a page.
pub const STEPS_MAX: usize = 20_000;
/// Events read from the log at a time.
const READ: i64 = 500;

/// Why there is no history.
#[derive(Debug, thiserror::Error)]
pub enum HistoryError {
    /// There is no such thing, or not for this caller.
    #[error("not found")]
    NotFound,
    /// It has more than [`STEPS_MAX`] steps.
    #[error("the history is too long")]
    TooLong,
    /// The log failed.
    #[error(transparent)]
    Log(#[from] LogError),
    /// The database failed.
    #[error(transparent)]
    Database(#[from] sqlx::Error),
}

/// Who acted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct StepActor {
    /// 1 operator, 2 machine client, 3 a rule of the system.
    pub kind: i16,
    /// Empty for rules.
    pub id: String,
    /// The name, or the rule.
    pub name: String,
    /// Masked; empty but for operators.
    pub phone: String,
}

/// One step.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Step {
    /// The event's place in the log.
    pub position: i64,
    /// 1, 2, 3 … of this thing.
    pub version: i64,
    /// Epoch milliseconds.
    pub time: i64,
    /// Who acted.
    pub actor: StepActor,
    /// The event's stored type.
    pub action: String,
    /// As people read it.
    pub action_label: String,
    /// Where the request came from.
    pub ip: String,
    /// Runs from the browser's request to the event.
    pub trace_id: String,
    /// What changed.
    pub changes: Vec<Change>,
}

/// A page of steps, newest first.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct History {
    /// Its category.
    pub category: String,
    /// As people read it.
    pub category_label: String,
    /// Its id.
    pub id: String,
    /// What people call it now.
    pub name: String,
    /// Steps in all.
    pub count: usize,
    /// Those of this page.
    pub rows: Vec<Step>,
}

/// A thing as it was.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Moment {
    /// Its category.
    pub category: String,
    /// As people read it.
    pub category_label: String,
    /// Its id.
    pub id: String,
    /// What people call it now.
    pub name: String,
    /// The step after which it was so.
    pub step: Step,
    /// All of it, masked.
    pub state: Vec<StateField>,
    /// The step before.
    pub previous: Option<i64>,
    /// The step after.
    pub following: Option<i64>,
    /// The first step.
    pub first: i64,
    /// The last step.
    pub last: i64,
    /// Which step this is, from 1.
    pub index: usize,
    /// Steps in all.
    pub count: usize,
}

/// Where a step stands, and whether the caller may see it.
#[derive(Clone, Copy, Debug)]
struct Place {
    version: i64,
    position: i64,
    visible: bool,
}

/// A step with the states around it.
struct Folded {
    event: Recorded,
    before: Fields,
    after: Fields,
}

/// Looks back at one thing.
pub struct Past<'a> {
    /// Where the log is.
    pub runtime: &'a Runtime,
    /// What events are called.
    pub schemas: &'a AuditSchemas,
    /// How its events are read.
    pub schema: &'a dyn AuditSchema,
    /// Which thing of that category.
    pub id: &'a str,
}

impl Past<'_> {
    /// A page of steps that `scope` contains.
    pub async fn page(
        &self,
        db: &mut PgConnection,
        scope: &Scope,
        page: Page,
    ) -> Result<History, HistoryError> {
        let places = self.places(scope).await?;
        let visible: Vec<&Place> = places.iter().filter(|place| place.visible).collect();
        let skip = usize::try_from(page.offset()).unwrap_or(usize::MAX);
        let take = usize::try_from(page.limit()).unwrap_or(1);
        let wanted: BTreeSet<i64> =
            visible.iter().rev().skip(skip).take(take).map(|place| place.version).collect();
        let folded = self.fold(&places, &wanted).await?;
        let mut rows = self.steps(db, &folded).await?;
        rows.reverse();
        Ok(History {
            category: self.schema.category().to_owned(),
            category_label: self.schema.label().to_owned(),
            id: self.id.to_owned(),
            name: subjects::name_of(db, self.schema.category(), self.id).await?,
            count: visible.len(),
            rows,
        })
    }

    /// The thing as it was at `position`.
    pub async fn at(
        &self,
        db: &mut PgConnection,
        scope: &Scope,
        position: i64,
    ) -> Result<Moment, HistoryError> {
        let places = self.places(scope).await?;
        let place = places.iter().rev().find(|place| place.position <= position);
        let place = place.filter(|place| place.visible).ok_or(HistoryError::NotFound)?;
        let visible: Vec<i64> =
            places.iter().filter(|place| place.visible).map(|place| place.position).collect();
        let index = visible.iter().position(|at| *at == place.position).ok_or(HistoryError::NotFound)?;
        let folded = self.fold(&places, &BTreeSet::from([place.version])).await?;
        let newest = folded.last().ok_or(HistoryError::NotFound)?;
        let state = diff::shown_state(self.schema, &newest.after);
        let mut named = BTreeSet::new();
        words::named_in(self.schema.fields(), &state, &mut named);
        let names = subjects::names(db, &named).await?;
        let step = self.steps(db, &folded).await?.pop().ok_or(HistoryError::NotFound)?;
        Ok(Moment {
            category: self.schema.category().to_owned(),
            category_label: self.schema.label().to_owned(),
            id: self.id.to_owned(),
            name: subjects::name_of(db, self.schema.category(), self.id).await?,
            step,
            state: diff::state_fields(self.schema, &state, &names),
            previous: index.checked_sub(1).map(|before| visible[before]),
            following: visible.get(index + 1).copied(),
            first: visible[0],
            last: visible[visible.len() - 1],
            index: index + 1,
            count: visible.len(),
        })
    }

    /// All its steps, oldest first. It is there for `scope` when what it is now lies within.
    async fn places(&self, scope: &Scope) -> Result<Vec<Place>, HistoryError> {
        let rows = index(&self.runtime.pools.app, self.schema.category(), self.id).await?;
        if rows.len() > STEPS_MAX {
            // Whether it exists is told to those alone who may see it.
            let newest = newest(&self.runtime.pools.app, self.schema.category(), self.id).await?;
            let seen = newest.is_some_and(|meta| scope.contains(meta.owner));
            return Err(if seen { HistoryError::TooLong } else { HistoryError::NotFound });
        }
        let place = |(version, position, meta): (i64, i64, Meta)| Place {
            version,
            position,
            visible: scope.contains(meta.owner),
        };
        let places: Vec<Place> = rows.into_iter().map(place).collect();
        match places.last() {
            Some(place) if place.visible => Ok(places),
            _ => Err(HistoryError::NotFound),
        }
    }

    /// Folds up to the last of the `wanted` versions and keeps the states around each of them. What a thing was while
    /// the caller may not see it is as if it had not been.
    async fn fold(&self, places: &[Place], wanted: &BTreeSet<i64>) -> Result<Vec<Folded>, HistoryError> {
        let Some(last) = wanted.last().copied() else { return Ok(Vec::new()) };
        let mut state = Fields::new();
        let mut folded = Vec::with_capacity(wanted.len());
        let mut version = 0;
        while version < last {
            let limit = READ.min(last - version);
            let category = self.schema.category();
            let events = self.runtime.reader.read_stream(category, self.id, version, limit).await?;
            let Some(newest) = events.last() else { break };
            version = newest.version;
            for event in events {
                let before = wanted.contains(&event.version).then(|| {
                    let at = places.partition_point(|place| place.version < event.version);
                    let hidden = at.checked_sub(1).is_some_and(|before| !places[before].visible);
                    if hidden { Fields::new() } else { state.clone() }
                });
                self.schema.fold(&mut state, &event).map_err(LogError::from)?;
                if let Some(before) = before {
                    folded.push(Folded { event, before, after: state.clone() });
                }
            }
        }
        Ok(folded)
    }

    async fn steps(&self, db: &mut PgConnection, folded: &[Folded]) -> Result<Vec<Step>, HistoryError> {
        let mut actors = people(db, folded).await?;
        self.machines(folded, &mut actors).await?;
        let differ: Vec<(Fields, Fields)> =
            folded.iter().map(|one| diff::changed(self.schema, &one.before, &one.after)).collect();
        let mut named = BTreeSet::new();
        for (before, after) in &differ {
            words::named_in(self.schema.fields(), before, &mut named);
            words::named_in(self.schema.fields(), after, &mut named);
        }
        let names = subjects::names(db, &named).await?;
        let told = folded.iter().zip(&differ);
        Ok(told.map(|(one, differ)| self.step(&one.event, differ, &actors, &names)).collect())
    }

    /// Adds the names of the machine clients among those who acted. Their acts have no rows, and whoever may see the step
    /// may see who took it: so they are folded from the machines' own streams.
    async fn machines(
        &self,
        folded: &[Folded],
        actors: &mut HashMap<i64, (String, String)>,
    ) -> Result<(), HistoryError> {
        let mut names: HashMap<String, String> = HashMap::new();
        for Folded { event, .. } in folded {
            let Some(machine) = Person::of(&event.meta.actor).filter(|actor| actor.kind == MACHINE) else {
                continue;
            };
            if !names.contains_key(&machine.id) {
                let name = self.name_from_log(&machine).await?;
                names.insert(machine.id.clone(), name);
            }
            actors.insert(event.position.0, (names[&machine.id].clone(), String::new()));
        }
        Ok(())
    }

    /// As its first events name it; empty when nobody describes such things.
    async fn name_from_log(&self, actor: &Person) -> Result<String, LogError> {
        let Some(schema) = self.schemas.of(actor.category) else { return Ok(String::new()) };
        let mut state = Fields::new();
        for event in self.runtime.reader.read_stream(actor.category, &actor.id, 0, READ).await? {
            schema.fold(&mut state, &event)?;
        }
        Ok(schema.name(&state))
    }

    fn step(
        &self,
        event: &Recorded,
        (before, after): &(Fields, Fields),
        actors: &HashMap<i64, (String, String)>,
        names: &Names,
    ) -> Step {
        Step {
            position: event.position.0,
            version: event.version,
            time: event.recorded_at.millis(),
            actor: actor(&event.meta, event.position, actors),
            action: event.stored_type.to_string(),
            action_label: self.schemas.action_label(&event.category, &event.stored_type),
            ip: event.meta.client_address.clone().unwrap_or_default(),
            trace_id: event.meta.trace_id.clone(),
            changes: diff::changes(self.schema, before, after, names),
        }
    }
}

fn actor(meta: &Meta, at: Position, actors: &HashMap<i64, (String, String)>) -> StepActor {
    match (Person::of(&meta.actor), &meta.actor) {
        (Some(person), _) => {
            let (name, phone) = actors.get(&at.0).cloned().unwrap_or_default();
            StepActor { kind: person.kind, id: person.id, name, phone: mask::text_masked(&phone) }
        }
        (None, Actor::System { name }) => {
            StepActor { kind: 3, id: String::new(), name: name.clone(), phone: String::new() }
        }
        (None, _) => StepActor { kind: 3, id: String::new(), name: String::new(), phone: String::new() },
    }
}

/// Names and phones of the people who acted, by position, perhaps with others of the same moments.
async fn people(db: &mut PgConnection, folded: &[Folded]) -> sqlx::Result<HashMap<i64, (String, String)>> {
    let moments: Vec<i64> = folded.iter().map(|one| one.event.recorded_at.millis()).collect();
    let positions = folded.iter().map(|one| one.event.position.0);
    let rows: Vec<(i64, String, String)> = sqlx::query_as(
        "select position, actor_name, actor_phone from read.audit_entry
         where at_ms = any($1) and position between $2 and $3",
    )
    .bind(moments)
    .bind(positions.clone().min())
    .bind(positions.max())
    .fetch_all(db)
    .await?;
    Ok(rows.into_iter().map(|(position, name, phone)| (position, (name, phone))).collect())
}

fn meta_of(text: &str) -> Result<Meta, LogError> {
    serde_json::from_str(text).map_err(|error| LogError::Encode(format!("an event's meta: {error}")))
}

/// Version, position and meta of each step, oldest first; one more than may be folded, at most.
async fn index(pool: &PgPool, category: &str, id: &str) -> Result<Vec<(i64, i64, Meta)>, HistoryError> {
    let rows: Vec<(i64, i64, String)> = sqlx::query_as(
        "select version, position, meta from log.events where category = $1 and stream_id = $2
         order by version limit $3",
    )
    .bind(category)
    .bind(id)
    .bind(STEPS_MAX as i64 + 1)
    .fetch_all(pool)
    .await?;
    let place = |(version, position, meta): (i64, i64, String)| Ok((version, position, meta_of(&meta)?));
    rows.into_iter().map(place).collect()
}

async fn newest(pool: &PgPool, category: &str, id: &str) -> Result<Option<Meta>, HistoryError> {
    let meta: Option<String> = sqlx::query_scalar(
        "select meta from log.events where category = $1 and stream_id = $2 order by version desc limit 1",
    )
    .bind(category)
    .bind(id)
    .fetch_optional(pool)
    .await?;
    Ok(meta.map(|meta| meta_of(&meta)).transpose()?)
}
