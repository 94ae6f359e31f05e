//! What push needs of its neighbours: who somebody is, and what a bike looks like.

use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;
use serde_json::Value;
use tokio::sync::broadcast;
use vocabulary::{AreaId, DataOwner, OperatorId, Scope, Timestamp};

/// The table of bikes, of which a scope may show some alone.
const VEHICLES: &str = "vehicle";

/// A failure behind a port.
pub type PortError = Box<dyn std::error::Error + Send + Sync>;

/// Who looks at the screen.
#[derive(Clone)]
pub struct Viewer {
    /// The account.
    pub operator: OperatorId,
    /// Its session, as [`Ended`] names it.
    pub session: String,
    /// How far it sees.
    pub scope: Arc<Scope>,
    /// How far its account may see, whatever is selected.
    pub full_scope: Arc<Scope>,
    /// Whether it holds a permission code.
    pub holds: Arc<dyn Fn(&str) -> bool + Send + Sync>,
    /// Changes whenever role, codes or scope may have changed.
    pub permission_version: i64,
    /// When its token or session ends by age.
    pub until: Timestamp,
}

impl Viewer {
    /// Whether it holds one of `codes`; nobody holds one of none.
    pub fn may(&self, codes: &[&str]) -> bool {
        codes.iter().any(|code| (self.holds)(code))
    }
}

impl fmt::Debug for Viewer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Viewer")
            .field("operator", &self.operator)
            .field("scope", &self.scope)
            .finish_non_exhaustive()
    }
}

/// Why nobody is let in.
#[derive(Debug, thiserror::Error)]
pub enum Denied {
    /// Token or session is not valid.
    #[error("not signed in")]
    NotSignedIn,
    /// The account is disabled.
    #[error("the account is disabled")]
    Disabled,
    /// It cannot be told now.
    #[error("who this is cannot be told now")]
    Unknown(#[source] PortError),
}

/// Whose sockets end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Whose {
    /// Those of one session.
    Session(String),
    /// All of an operator.
    Operator(OperatorId),
}

/// Why they end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EndReason {
    /// Signed out.
    SignedOut,
    /// The account is disabled.
    Disabled,
    /// Role, permissions or scope changed: come again.
    ScopeChanged,
}

/// A session, or all sessions of an operator, ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ended {
    /// Whose sockets.
    pub whose: Whose,
    /// Why.
    pub reason: EndReason,
}

impl Ended {
    /// Whether `viewer` is meant.
    pub fn concerns(&self, viewer: &Viewer) -> bool {
        match &self.whose {
            Whose::Session(session) => *session == viewer.session,
            Whose::Operator(operator) => *operator == viewer.operator,
        }
    }
}

/// Tells who may look.
#[async_trait]
pub trait Authentication: Send + Sync + 'static {
    /// Who holds this access token and this `_t`. Asked again every minute of an open socket.
    async fn admit(&self, token: &str, t: &str) -> Result<Viewer, Denied>;

    /// What ends from now on. A listener that lags asks [`Authentication::admit`] again.
    fn ended(&self) -> broadcast::Receiver<Ended>;
}

/// A bike as the drawer shows it, and whose it is.
pub type Detail = (DataOwner, Value);

/// Puts a bike together from read models and memory.
#[async_trait]
pub trait Details: Send + Sync + 'static {
    /// The bike; nothing when there is none of that number.
    async fn of(&self, car_id: &str) -> Result<Option<Detail>, PortError>;
}

/// Puts walls together.
#[async_trait]
pub trait Screens: Send + Sync + 'static {
    /// The codes of which one is needed to look at a wall; nothing when there is none of that name.
    fn codes(&self, name: &str) -> Option<&'static [&'static str]>;

    /// All tiles of a wall as of now, of what lies in `scope`; with `areas` of these alone.
    async fn picture(&self, name: &str, scope: &Scope, areas: &[AreaId]) -> Result<Value, PortError>;
}

/// Rows of a read model that changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RowsChanged {
    /// The table.
    pub table: String,
    /// The log's position that the table has reached.
    pub position: i64,
    /// Key and owner of each; none: anything may have changed.
    pub rows: Vec<(String, DataOwner)>,
}

impl RowsChanged {
    /// The keys within a scope.
    pub(super) fn keys_in<'a>(&'a self, scope: &'a Scope) -> impl Iterator<Item = &'a str> {
        let is_shown = move |key: &str| self.table != VEHICLES || scope.cars.has(key);
        self.rows
            .iter()
            .filter(move |(key, owner)| scope.contains(*owner) && is_shown(key))
            .map(|(key, _)| key.as_str())
    }

    /// Whether whoever has this scope is told.
    pub(super) fn is_seen_in(&self, scope: &Scope) -> bool {
        self.rows.is_empty() || self.keys_in(scope).next().is_some()
    }
}
