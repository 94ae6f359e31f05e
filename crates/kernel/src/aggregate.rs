//! What a decision maker looks like.

use std::fmt::{Debug, Display};

use serde::Serialize;
use serde::de::DeserializeOwned;
use vocabulary::{DataOwner, Scope, Timestamp};

/// Decides commands and remembers what its decisions need. Pure: no I/O, no clock, no randomness.
pub trait Aggregate: Default + Clone + Send + Sync + 'static {
    /// First part of every stream's name, such as `role`; never changes once shipped.
    const CATEGORY: &'static str;
    /// Names one of them.
    type Id: Display + Clone + Send + Sync + 'static;
    /// What may be asked of it, in the imperative.
    type Command: Clone + Send + Sync + 'static;
    /// What may have happened to it, in the past tense.
    type Event: Event;
    /// Why it may say no.
    type Refusal: Refusal;

    /// What follows from `command` in this state at `now`; no events means "already so".
    fn decide(&self, command: Self::Command, now: Timestamp) -> Decision<Self>;

    /// Takes a fact in; a fact cannot be refused.
    fn evolve(&mut self, event: &Self::Event);

    /// Whose data this is. The desk compares it with the actor's scope before deciding (for a stream that does not
    /// exist yet: after deciding, on the state with the new events).
    fn owner(&self) -> DataOwner;

    /// The number of the bike it is about, when it is about one: who may not see that bike finds nothing here.
    fn car_id(&self) -> Option<&str> {
        None
    }

    /// Whether it lies within `scope`.
    fn lies_in(&self, scope: &Scope) -> bool {
        scope.contains(self.owner()) && self.car_id().is_none_or(|car_id| scope.cars.has(car_id))
    }

    /// Unique keys that `event` takes or gives back, told from the state before the event.
    fn claims(&self, _event: &Self::Event) -> Vec<Claim<Self::Refusal>> {
        Vec::new()
    }
}

/// What follows from a command, or why nothing does.
pub type Decision<A> = Result<Vec<<A as Aggregate>::Event>, <A as Aggregate>::Refusal>;

/// A fact of an aggregate.
///
/// Implement [`Event::stored_type`] beside a plain serde enum with `#[serde(tag = "type", content = "data")]`; the
/// kernel stores `type` in its own column and `data` as the event's bytes.
pub trait Event: Serialize + DeserializeOwned + Clone + Debug + Send + Sync + 'static {
    /// The stored name, such as `role.disabled`. Equal to serde's tag.
    fn stored_type(&self) -> &'static str;

    /// The newest schema version of `stored_type`, 1 for a type that never changed.
    fn schema_version(_stored_type: &str) -> i16 {
        1
    }

    /// Lifts the data of one schema version to the next: pure, beside the event. Called until the newest is reached.
    fn upcast(
        _stored_type: &str,
        _from_version: i16,
        data: serde_json::Value,
    ) -> Result<serde_json::Value, DecodeError> {
        Ok(data)
    }
}

/// A stored event that this program cannot read.
#[derive(Debug, thiserror::Error)]
pub enum DecodeError {
    /// The type, version or shape is not known.
    #[error("event {stored_type} version {version} cannot be read")]
    Shape {
        /// The stored name.
        stored_type: String,
        /// Its stored schema version.
        version: i16,
        /// What serde said.
        #[source]
        source: serde_json::Error,
    },
    /// No upcaster leads from this version to the newest.
    #[error("event {stored_type} has no upcaster from version {version}")]
    NoUpcaster {
        /// The stored name.
        stored_type: String,
        /// The version that cannot be lifted.
        version: i16,
    },
}

/// An event as it lies in the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredForm {
    /// The stored name.
    pub stored_type: String,
    /// Schema version of `data`.
    pub schema_version: i16,
    /// JSON, the exact bytes.
    pub data: Vec<u8>,
}

/// Why a command is refused, in the user's words.
pub trait Refusal: Debug + Send + Sync + 'static {
    /// For programs: short, lower case, with hyphens, such as `role-in-use`.
    fn code(&self) -> &'static str;
    /// For people: a sentence in Chinese with the facts that explain it.
    fn message(&self) -> String;
}

/// A refusal of any aggregate, for what spans several.
pub type AnyRefusal = Box<dyn Refusal>;

impl Refusal for AnyRefusal {
    fn code(&self) -> &'static str {
        (**self).code()
    }

    fn message(&self) -> String {
        (**self).message()
    }
}

/// A unique key, taken or given back in the transaction of the append.
#[derive(Debug)]
pub enum Claim<R> {
    /// Takes `key` (such as `phone:13800000000`); when another stream holds it the command is refused with `refusal`.
    Take {
        /// The key.
        key: String,
        /// What to answer when it is taken.
        refusal: R,
    },
    /// Gives `key` back.
    Release {
        /// The key.
        key: String,
    },
}

impl<R> Claim<R> {
    /// What makes a stream that holds the key `held` hold `wanted` instead; nothing when they are the same.
    pub fn exchange(held: Option<String>, wanted: Option<String>, taken: R) -> Vec<Self> {
        if held == wanted {
            return Vec::new();
        }
        let given_back = held.map(|key| Self::Release { key });
        let take = wanted.map(|key| Self::Take { key, refusal: taken });
        given_back.into_iter().chain(take).collect()
    }
}
