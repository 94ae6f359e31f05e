//! What became of each of several things that one request asked for.

use kernel::{Position, Receipt};
use serde::Serialize;
use utoipa::ToSchema;
use wire::Refused;

/// Why one was refused.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Reason {
    /// For programs, such as `role-in-use`.
    code: String,
    /// For people.
    promot: String,
    /// The same.
    promt: String,
}

/// What became of one.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Outcome {
    /// What the request named it by.
    key: String,
    /// Whether it was done.
    suc: bool,
    /// Why not; null when it was.
    #[schema(required)]
    error: Option<Reason>,
}

/// All of them, and the position that includes what was done.
#[derive(Debug, Default)]
pub(crate) struct Outcomes {
    pub(crate) results: Vec<Outcome>,
    pub(crate) position: Option<Position>,
}

impl Outcomes {
    /// Adds one. Only the rules' own refusals are outcomes: a house that cannot answer ends the request.
    pub(crate) fn take(&mut self, key: String, done: Result<Receipt, Refused>) -> Result<(), Refused> {
        let error = match done {
            Ok(receipt) => {
                self.position = self.position.max(Some(receipt.position));
                None
            }
            Err(Refused::Business { code, text }) => {
                Some(Reason { code: code.into_owned(), promot: text.clone(), promt: text })
            }
            Err(other) => return Err(other),
        };
        self.results.push(Outcome { key, suc: error.is_none(), error });
        Ok(())
    }
}
