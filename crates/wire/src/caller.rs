//! Who calls, as handlers see it.

use std::collections::BTreeSet;
use std::sync::Arc;

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use kernel::{Actor, Personal};
use vocabulary::{AgentId, OperatorId, PermissionCode, Phone, Reach, Scope};

use crate::{Refused, SessionId};

/// A set of permission codes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CodeSet(BTreeSet<PermissionCode>);

impl CodeSet {
    /// Whether `code` is among them.
    pub fn has(&self, code: &str) -> bool {
        self.0.contains(code)
    }

    /// Whether at least one of `codes` is among them.
    pub fn has_any(&self, codes: &[&str]) -> bool {
        codes.iter().any(|code| self.has(code))
    }

    /// All of them, in order.
    pub fn iter(&self) -> impl Iterator<Item = &PermissionCode> {
        self.0.iter()
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl FromIterator<PermissionCode> for CodeSet {
    fn from_iter<I: IntoIterator<Item = PermissionCode>>(codes: I) -> Self {
        Self(codes.into_iter().collect())
    }
}

/// Who calls: a signed-in operator or a machine client. Only routes behind [`crate::Permit::SignedIn`], `AnyOf` and
/// `Machine` have one; elsewhere asking for it answers 401.
#[derive(Clone, Debug)]
pub struct Caller {
    /// For commands and the log.
    pub actor: Actor,
    /// The operator, when it is a person.
    pub operator: Option<OperatorId>,
    /// The operator's phone.
    pub phone: Option<Phone>,
    /// How far this call may see: the true scope, narrowed by the selection in the access token.
    pub scope: Scope,
    /// How far the account may see, whatever is selected.
    pub full_scope: Scope,
    /// What the account may do.
    pub codes: Arc<CodeSet>,
    /// The session, when it is a person.
    pub session: Option<SessionId>,
    /// The person's or the machine's name.
    pub name: String,
}

impl Caller {
    /// The operator, or 401 when a machine calls.
    pub fn operator(&self) -> Result<OperatorId, Refused> {
        self.operator.ok_or_else(Refused::no_session)
    }

    /// The operator's name, as the log keeps it of people; 401 when a machine calls.
    pub fn named(&self) -> Result<Personal<String>, Refused> {
        Ok(Personal::new(format!("operator:{}", self.operator()?), self.name.clone()))
    }

    /// Whose something new is: the agent named; unnamed, the account's only one, or the platform's where it reaches all.
    pub fn owner_of_new(&self, named: Option<AgentId>) -> Result<Option<AgentId>, Refused> {
        match (&self.full_scope.agents, named.filter(|agent| agent.0 != 0)) {
            (_, Some(agent)) => Ok(Some(agent)),
            (Reach::All, None) => Ok(None),
            (Reach::Only(agents), None) if agents.len() == 1 => Ok(agents.first().copied()),
            (Reach::Only(_), None) => Err(Refused::business("agent-missing", "请选择所属的代理")),
        }
    }
}

impl<S: Sync> FromRequestParts<S> for Caller {
    type Rejection = Refused;

    async fn from_request_parts(parts: &mut Parts, _state: &S) -> Result<Self, Refused> {
        parts.extensions.get::<Self>().cloned().ok_or_else(Refused::no_session)
    }
}
