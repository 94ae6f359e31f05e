//! Why signing stops, or has to wait.

use crate::Position;
use crate::log::LogError;
use crate::log::places::PlaceError;
use crate::log::tail::WAY_OUT;

/// Why nothing more is signed, until somebody looks.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Halt {
    /// A place no longer holds what it held.
    #[error("{place} held {known} signed statements and now holds {held}")]
    Gone {
        /// Which place.
        place: String,
        /// The last number it was known to hold.
        known: u64,
        /// The last number it holds.
        held: u64,
    },
    /// A statement is not the one that was signed.
    #[error("{place} holds another statement under number {number} than was signed")]
    Differs {
        /// Which place.
        place: String,
        /// Which number.
        number: u64,
    },
    /// What a place holds cannot be read.
    #[error("{0}")]
    Broken(PlaceError),
    /// The log ends before what was signed.
    #[error("the log ends at {}, and was signed up to {}; {WAY_OUT}", head.0, signed.0)]
    Truncated {
        /// Where it ends.
        head: Position,
        /// What was signed.
        signed: Position,
    },
    /// The log's chain is another one than was signed.
    #[error("the log's chain at position {} is not the one that was signed; run `wheelhouse verify`", at.0)]
    Rewritten {
        /// Where.
        at: Position,
    },
    /// An event is missing, or does not follow from the one before it.
    #[error("the event at position {} is missing or changed; run `wheelhouse verify`", at.0)]
    Unlinked {
        /// Where.
        at: Position,
    },
    /// The last statement names another key than this process has.
    #[error(
        "the statements are signed by key {expected}, and this process has another one; was it rotated or replaced?"
    )]
    Key {
        /// Its id, hexadecimal.
        expected: String,
    },
}

/// Why a round signed nothing, or not all.
#[derive(Debug, thiserror::Error)]
pub enum SignError {
    /// The log could not be read.
    #[error(transparent)]
    Log(#[from] LogError),
    /// A place that is needed does not answer.
    #[error(transparent)]
    Away(PlaceError),
    /// Signing stopped.
    #[error("nothing more is signed: {0}")]
    Halt(#[from] Halt),
}

impl From<sqlx::Error> for SignError {
    fn from(error: sqlx::Error) -> Self {
        Self::Log(error.into())
    }
}

impl From<PlaceError> for SignError {
    fn from(error: PlaceError) -> Self {
        match error {
            PlaceError::Away { .. } => Self::Away(error),
            PlaceError::Occupied { place, number } => Halt::Differs { place, number }.into(),
            PlaceError::Broken { .. } => Halt::Broken(error).into(),
        }
    }
}
