//! What may need a second person.

use async_trait::async_trait;
use kernel::{CommandContext, Position, Transaction};
use serde_json::Value;
use vocabulary::OperatorId;
use wire::Refused;

use crate::model::limits::Limit;

/// A deed as it is to be done now.
#[derive(Debug)]
pub struct Act<'a> {
    /// What is to be done, as it was asked for.
    pub payload: &'a Value,
    /// Who asked for it.
    pub requester: OperatorId,
    /// Why.
    pub reason: &'a str,
    /// On whose word it is done now: of who asked for it where one person is enough, else of the second one.
    pub ctx: &'a CommandContext,
}

/// What a deed would do now, for who decides it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outlook {
    /// So, in lines of Chinese text.
    Would(Vec<String>),
    /// It cannot be done any more: why, in Chinese.
    Cannot(String),
}

/// A deed that may need a second person; a context has one for each kind.
#[async_trait]
pub trait Deed: Send + Sync + 'static {
    /// Its name in the log, such as `order.refund`; never changes once shipped.
    fn kind(&self) -> &'static str;

    /// What people call it, in Chinese.
    fn label(&self) -> &'static str;

    /// The codes of which both people need one.
    fn codes(&self) -> &'static [&'static str];

    /// When it needs a second person, as long as nobody has set a limit.
    fn usual(&self) -> Limit;

    /// Whether it has an amount; a limit can be an amount then.
    fn is_measured(&self) -> bool {
        true
    }

    /// Does it, by the transaction alone: it asks the desk for nothing and has no other effects, for it may run again after a
    /// lost race, and is rehearsed when it is asked for.
    async fn carry_out(&self, tx: &mut Transaction, act: &Act<'_>) -> Result<(), Refused>;

    /// What it would do now.
    async fn outlook(&self, payload: &Value) -> Result<Outlook, Refused>;

    /// Waits for what must be seen by whoever comes after the answer. It stands already: nothing here undoes it.
    async fn settle(&self, position: Position) -> Result<(), Refused> {
        let _ = position;
        Ok(())
    }
}
