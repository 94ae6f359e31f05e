//! What auditors must know of every context, stated here and fulfilled by the server.

use std::collections::BTreeMap;
use std::sync::Arc;

use kernel::{DecodeError, Recorded};
use serde_json::{Map, Value};

use crate::mask;
use crate::model::access_record::Record;

/// A thing's state as auditors see it: fields by key.
pub type Fields = Map<String, Value>;

/// No event says this: marked data has no zero characters.
const UNTOUCHED: &str = "\0";

/// How one category's events are read.
pub trait AuditSchema: Send + Sync + 'static {
    /// The category, such as `role`.
    fn category(&self) -> &'static str;

    /// What people call such a thing, such as 角色.
    fn label(&self) -> &'static str;

    /// What may be done to it. Events that are not listed are shown under their stored type.
    fn actions(&self) -> Vec<Action>;

    /// Its fields in the order in which people read them. Others are shown under their key, after these.
    fn fields(&self) -> &'static [Field];

    /// Takes a fact in, lifted to its newest schema version. Personal data goes in marked, see [`mask::marked`].
    fn fold(&self, state: &mut Fields, event: &Recorded) -> Result<(), DecodeError>;

    /// The fields that [`Self::name`] and [`Self::phone`] look at: they see no other.
    fn called_by(&self) -> &'static [&'static str] {
        &["name"]
    }

    /// Whether `event` writes one of the fields that its thing is called by; told by the event alone.
    fn renames(&self, event: &Recorded) -> Result<bool, DecodeError> {
        let keys = self.called_by();
        let mut probe: Fields = keys.iter().map(|key| ((*key).to_owned(), Value::from(UNTOUCHED))).collect();
        self.fold(&mut probe, event)?;
        Ok(keys.iter().any(|key| probe.get(*key).and_then(Value::as_str) != Some(UNTOUCHED)))
    }

    /// What people call this one: its name; empty when it has none.
    fn name(&self, state: &Fields) -> String;

    /// The category whose thing of the same id gives this one its name, when it has none of its own.
    fn named_by(&self) -> Option<&'static str> {
        None
    }

    /// The phone of the person that it is, if it is one who acts.
    fn phone(&self, _state: &Fields) -> Option<String> {
        None
    }

    /// Whether the thing has a history worth stepping through.
    fn has_history(&self) -> bool {
        true
    }

    /// A line for people in place of the changed fields.
    fn detail(&self, _state: &Fields) -> Option<String> {
        None
    }
}

/// One kind of event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Action {
    /// As stored, such as `role.disabled`.
    pub stored_type: &'static str,
    /// As people read it, such as 停用角色.
    pub label: &'static str,
}

/// One field of a state.
#[derive(Clone, Copy, Debug)]
pub struct Field {
    /// Its key.
    pub key: &'static str,
    /// As people read it, such as 角色名称.
    pub label: &'static str,
    /// How its value is read.
    pub text: Text,
}

/// How a value is put into words.
#[derive(Clone, Copy, Debug)]
pub enum Text {
    /// As it stands.
    Plain,
    /// 是 or 否, or the two words given: for true, for false.
    Switch(&'static str, &'static str),
    /// Told by what this makes of it (a number comes as its digits); entries of a list one by one.
    Named(fn(&str) -> Option<String>),
    /// Epoch milliseconds.
    Moment,
    /// A ring: told by its corners.
    Ring,
    /// The id of a thing of this category, or a list of them, or `all`.
    Of(&'static str),
    /// Never shown: a key or a digest of one.
    Hidden,
}

/// All categories of the system with what is known of them.
pub struct AuditSchemas {
    categories: &'static [&'static str],
    known: BTreeMap<&'static str, Arc<dyn AuditSchema>>,
}

impl AuditSchemas {
    /// `categories` are all that the system has; one that nobody describes is shown as it is stored.
    pub fn new(categories: &'static [&'static str], schema: Vec<Arc<dyn AuditSchema>>) -> Self {
        let mut known: BTreeMap<&'static str, Arc<dyn AuditSchema>> = BTreeMap::new();
        for category in categories {
            known.insert(category, Arc::new(AsStored(category)));
        }
        let own: Arc<dyn AuditSchema> = Arc::new(Record);
        for one in schema.into_iter().chain([own]) {
            known.insert(one.category(), one);
        }
        Self { categories, known }
    }

    /// The categories, for the projector.
    pub fn categories(&self) -> &'static [&'static str] {
        self.categories
    }

    /// What is known of a category of the system.
    pub fn of(&self, category: &str) -> Option<&Arc<dyn AuditSchema>> {
        self.known.get(category)
    }

    /// All of them, by category.
    pub fn all(&self) -> impl Iterator<Item = &Arc<dyn AuditSchema>> {
        self.known.values()
    }

    /// Categories that nobody describes.
    pub fn undescribed(&self) -> Vec<&'static str> {
        self.known.values().filter(|one| one.label() == one.category()).map(|one| one.category()).collect()
    }

    /// As people read a stored type of a category.
    pub fn action_label(&self, category: &str, stored_type: &str) -> String {
        self.of(category)
            .and_then(|schema| schema.actions().into_iter().find(|one| one.stored_type == stored_type))
            .map_or(stored_type, |action| action.label)
            .to_owned()
    }

    /// As people read a category.
    pub fn label(&self, category: &str) -> String {
        self.of(category).map_or(category, |schema| schema.label()).to_owned()
    }
}

impl std::fmt::Debug for AuditSchemas {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Descriptions").field("categories", &self.categories).finish_non_exhaustive()
    }
}

/// A category that nobody describes: its data as it is stored, each event on top of those before.
struct AsStored(&'static str);

impl AuditSchema for AsStored {
    fn category(&self) -> &'static str {
        self.0
    }

    fn label(&self) -> &'static str {
        self.0
    }

    fn actions(&self) -> Vec<Action> {
        Vec::new()
    }

    fn fields(&self) -> &'static [Field] {
        &[]
    }

    fn fold(&self, state: &mut Fields, event: &Recorded) -> Result<(), DecodeError> {
        let data: Value = serde_json::from_slice(&event.data).map_err(|source| DecodeError::Shape {
            stored_type: event.stored_type.to_string(),
            version: event.schema_version,
            source,
        })?;
        if let Value::Object(data) = mask::marked(data) {
            state.extend(data);
        }
        Ok(())
    }

    fn name(&self, state: &Fields) -> String {
        state.get("name").and_then(Value::as_str).unwrap_or_default().to_owned()
    }
}
