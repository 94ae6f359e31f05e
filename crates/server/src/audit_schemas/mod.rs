//! What the contexts' events mean to auditors: one description for each category, fulfilled here and nowhere else.
//!
//! A state is folded from the context's own typed events, so an old event is lifted by the context's upcasters first. What an
//! event says is put into the state as it stands unless its line here says otherwise; an event without a line is shown
//! under its stored type.

mod access;
mod approvals;
mod cards;
mod finance;
mod fleet;
mod mispricings;
mod payments;
mod return_reviews;
mod rider_cases;
mod riders;
mod riding;
mod territory;

use std::marker::PhantomData;
use std::sync::{Arc, LazyLock};

use ::audit::{Action, AuditSchema, AuditSchemas, Field, Fields, mask};
use kernel::{DecodeError, Event, Recorded};
use serde_json::{Value, json};
use vocabulary::Choice;

use crate::contexts;

/// Every category of the system, in order.
static CATEGORIES: LazyLock<Vec<&'static str>> = LazyLock::new(|| {
    let mut categories: Vec<&'static str> = contexts::contexts().into_keys().collect();
    categories.sort_unstable();
    categories
});

/// All categories of the system, described.
pub fn schemas() -> Arc<AuditSchemas> {
    let audit_schemas = access::audit_schemas()
        .into_iter()
        .chain(territory::audit_schemas())
        .chain(fleet::audit_schemas())
        .chain(finance::audit_schemas())
        .chain(return_reviews::audit_schemas())
        .chain(rider_cases::audit_schemas())
        .chain(riders::audit_schemas())
        .chain(approvals::audit_schemas())
        .chain(cards::audit_schemas())
        .chain(payments::audit_schemas())
        .chain(riding::audit_schemas())
        .chain(mispricings::audit_schemas());
    Arc::new(AuditSchemas::new(CATEGORIES.as_slice(), audit_schemas.collect()))
}

/// One kind of event: its name for people, and what it does to the state.
struct Step {
    stored_type: &'static str,
    label: &'static str,
    fold: fn(&mut Fields, Fields),
}

/// A category whose events are `E`.
struct Context<E> {
    category: &'static str,
    label: &'static str,
    steps: &'static [Step],
    fields: &'static [Field],
    called_by: &'static [&'static str],
    name: fn(&Fields) -> String,
    phone: fn(&Fields) -> Option<String>,
    named_by: Option<&'static str>,
    events: PhantomData<fn() -> E>,
}

impl<E: Event> Context<E> {
    /// Of things that are called by the field `name`.
    fn new(
        category: &'static str,
        label: &'static str,
        steps: &'static [Step],
        fields: &'static [Field],
    ) -> Self {
        Self {
            category,
            label,
            steps,
            fields,
            called_by: &["name"],
            name: |state| text(state, "name"),
            phone: |_| None,
            named_by: None,
            events: PhantomData,
        }
    }
}

impl<E: Event> AuditSchema for Context<E> {
    fn category(&self) -> &'static str {
        self.category
    }

    fn label(&self) -> &'static str {
        self.label
    }

    fn actions(&self) -> Vec<Action> {
        let action = |step: &Step| Action { stored_type: step.stored_type, label: step.label };
        self.steps.iter().map(action).collect()
    }

    fn fields(&self) -> &'static [Field] {
        self.fields
    }

    fn fold(&self, state: &mut Fields, recorded: &Recorded) -> Result<(), DecodeError> {
        let event = recorded.decode::<E>()?;
        let shape = |source| DecodeError::Shape {
            stored_type: recorded.stored_type.to_string(),
            version: recorded.schema_version,
            source,
        };
        let mut event = serde_json::to_value(&event).map_err(shape)?;
        let data = match mask::marked(event["data"].take()) {
            Value::Object(data) => data,
            _ => Fields::new(),
        };
        match self.steps.iter().find(|step| step.stored_type == &*recorded.stored_type) {
            Some(step) => (step.fold)(state, data),
            None => merge(state, data),
        }
        Ok(())
    }

    fn called_by(&self) -> &'static [&'static str] {
        self.called_by
    }

    fn name(&self, state: &Fields) -> String {
        (self.name)(state)
    }

    fn named_by(&self) -> Option<&'static str> {
        self.named_by
    }

    fn phone(&self, state: &Fields) -> Option<String> {
        (self.phone)(state)
    }
}

/// Each field as the event says it.
fn merge(state: &mut Fields, data: Fields) {
    state.extend(data);
}

/// Nothing of it is part of the state.
fn nothing(_state: &mut Fields, _data: Fields) {}

fn enable(state: &mut Fields, _data: Fields) {
    set(state, "enabled", true);
}

fn disable(state: &mut Fields, _data: Fields) {
    set(state, "enabled", false);
}

fn delete(state: &mut Fields, _data: Fields) {
    set(state, "deleted", true);
}

fn set(state: &mut Fields, key: &str, value: impl Into<Value>) {
    state.insert(key.to_owned(), value.into());
}

/// A field as text, personal data included; empty when it is not there.
fn text(state: &Fields, key: &str) -> String {
    state.get(key).map(mask::plain).and_then(Value::as_str).unwrap_or_default().to_owned()
}

/// The fields of the object in `key`, in the place of it.
fn flatten(data: &mut Fields, key: &str) {
    if let Some(Value::Object(inner)) = data.remove(key) {
        data.extend(inner);
    }
}

/// Marks a field as one that a person may be known by.
fn personal(data: &mut Fields, key: &str) {
    if let Some(value) = data.get_mut(key) {
        *value = json!({ "$personal": value.take() });
    }
}

/// A reach (`agents` and `areas`) as two fields: `all`, or a list of ids.
fn reach(data: &mut Fields, key: &str) {
    flatten(data, key);
    for side in ["agents", "areas"] {
        if let Some(Value::Object(only)) = data.get_mut(side)
            && let Some(ids) = only.remove("only")
        {
            set(data, side, ids);
        }
    }
}

/// Puts `item` into the list in `key`, which is kept in order and without repeats.
fn put_in(state: &mut Fields, key: &str, item: Value) {
    let mut list = list_of(state, key);
    if !list.contains(&item) {
        list.push(item);
    }
    list.sort_by_key(ToString::to_string);
    set(state, key, list);
}

/// Takes `item` out of the list in `key`.
fn take_from(state: &mut Fields, key: &str, item: &Value) {
    let mut list = list_of(state, key);
    list.retain(|one| one != item);
    set(state, key, list);
}

fn list_of(state: &mut Fields, key: &str) -> Vec<Value> {
    match state.remove(key) {
        Some(Value::Array(list)) => list,
        _ => Vec::new(),
    }
}

/// The label of a choice, by its number.
fn label<T: Choice>(digits: &str) -> Option<String> {
    T::of(digits.parse().ok()?).ok().map(|one| one.label().to_owned())
}

/// What a permission code opens.
fn permission(code: &str) -> Option<String> {
    ::access::permissions::find(code).map(|known| known.title.to_owned())
}

/// What the system's descriptions leave to be said: categories without one, fields or actions that are told twice.
#[cfg(test)]
fn gaps(schemas: &AuditSchemas) -> Vec<String> {
    let mut gaps: Vec<String> =
        schemas.undescribed().iter().map(|category| format!("{category}: nobody describes it")).collect();
    for audit_schemas in schemas.all() {
        let mut seen = std::collections::BTreeSet::new();
        for key in audit_schemas.fields().iter().map(|field| field.key) {
            if !seen.insert(key) {
                gaps.push(format!("{}: field {key} is told twice", audit_schemas.category()));
            }
        }
        let prefix = format!("{}.", audit_schemas.category());
        for action in audit_schemas.actions() {
            if !action.stored_type.starts_with(&prefix) || !seen.insert(action.stored_type) {
                gaps.push(format!("{}: action {}", audit_schemas.category(), action.stored_type));
            }
        }
    }
    gaps
}

#[cfg(test)]
mod tests;
