//! Who asks for a command, and what the answer carries.

use serde::{Deserialize, Serialize};
use vocabulary::{MachineId, OperatorId, Scope, Timestamp};

/// An event's place in the log: 1, 2, 3 … without gaps, in the order of commits. 0 is before the first.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, sqlx::Type,
)]
#[serde(transparent)]
#[sqlx(transparent)]
pub struct Position(pub i64);

/// Who acts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", try_from = "ActorFields")]
pub enum Actor {
    /// A person of the back-office.
    Operator {
        /// The account.
        id: OperatorId,
    },
    /// A machine client with a service token.
    Machine {
        /// The client.
        id: MachineId,
    },
    /// A rule of the system, such as a reactor's name.
    System {
        /// Which rule.
        name: String,
    },
}

/// An actor as read: an enum told by a field inside is gathered whole before it is parsed, which costs more than the rest
/// of an event's meta.
#[derive(Deserialize)]
struct ActorFields {
    kind: ActorKind,
    id: Option<OperatorId>,
    name: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum ActorKind {
    Operator,
    Machine,
    System,
}

impl TryFrom<ActorFields> for Actor {
    type Error = &'static str;

    fn try_from(ActorFields { kind, id, name }: ActorFields) -> Result<Self, Self::Error> {
        match (kind, id, name) {
            (ActorKind::Operator, Some(id), None) => Ok(Self::Operator { id }),
            (ActorKind::Machine, Some(id), None) => Ok(Self::Machine { id: MachineId(id.0) }),
            (ActorKind::System, None, Some(name)) => Ok(Self::System { name }),
            _ => Err("an operator and a machine have an id, a rule has a name"),
        }
    }
}

/// The name under which a command may be repeated safely: up to 100 characters, chosen by the client.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct RequestId(pub String);

/// Everything about a command that is not the command.
#[derive(Clone, Debug)]
pub struct CommandContext {
    /// Who acts.
    pub actor: Actor,
    /// How far the actor may reach; outside of it an aggregate is "not found".
    pub scope: Scope,
    /// The present.
    pub now: Timestamp,
    /// The command's name for repeats; without one each call is a new command.
    pub request_id: Option<RequestId>,
    /// SHA-256 of what was asked (method, path, body): the same `request_id` with another fingerprint is refused.
    pub fingerprint: [u8; 32],
    /// The answer to store with the request, given back when it is repeated.
    pub reply: serde_json::Value,
    /// The version the actor saw; another one is refused as stale. Nothing: the desk takes the newest and retries lost races.
    /// In a transaction it is that of the first aggregate that is executed on.
    pub expected_version: Option<i64>,
    /// Runs from the browser's request to the event.
    pub trace_id: String,
    /// Where the request came from.
    pub client_address: Option<String>,
    /// The event that caused this command, for reactors.
    pub causation: Option<Position>,
}

impl CommandContext {
    /// A command of the system itself, unlimited in scope.
    pub fn of_system(name: &str, now: Timestamp) -> Self {
        Self {
            actor: Actor::System { name: name.to_owned() },
            scope: Scope::ALL,
            now,
            request_id: None,
            fingerprint: [0; 32],
            reply: serde_json::Value::Null,
            expected_version: None,
            trace_id: String::new(),
            client_address: None,
            causation: None,
        }
    }

    /// The context of one of several commands of a request: each is repeated safely by itself, under a name made from
    /// the request's and `step`. The answer and the version that the actor saw belong to the request's own command.
    #[must_use]
    pub fn step(&self, step: &str) -> Self {
        let request_id = self.request_id.as_ref().map(|id| RequestId(format!("{}:{step}", id.0)));
        Self { request_id, reply: serde_json::Value::Null, expected_version: None, ..self.clone() }
    }
}

/// What an executed command left behind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Receipt {
    /// The log's position that includes the command's events (for a command without events: one at which its answer held).
    pub position: Position,
    /// The aggregate's version after it; of a transaction, that of the last one it wrote to.
    pub version: i64,
    /// Whether this is the stored answer of an earlier request under the same id; then `reply` is that answer.
    pub repeated: bool,
    /// The answer: the context's, or the stored one.
    pub reply: serde_json::Value,
}
