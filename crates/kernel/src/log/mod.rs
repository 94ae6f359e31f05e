//! The event log: one total order, appended in batches, read by position or by stream.

pub mod chain;
pub mod checkpoint;
pub mod codec;
mod columns;
mod compare;
mod copied;
pub mod feed;
pub mod limits;
pub mod lineage;
mod link;
pub mod merkle;
pub mod personal;
pub mod places;
mod raw;
pub mod reader;
pub mod requests;
pub mod restore;
pub mod snapshots;
pub mod statement;
pub mod tail;
pub mod verify;
pub mod writer;

use crate::DecodeError;

pub use feed::Feed;
pub use personal::{MasterKey, Personal, PersonalKeys};
pub use reader::Reader;
pub use tail::Tail;
pub use writer::{Append, BatchWriter, ClaimChange, NewEvent, Outcome, RequestRecord, WriterLimits};

/// Why the log could not be read or written.
#[derive(Debug, thiserror::Error)]
pub enum LogError {
    /// PostgreSQL refused or broke.
    #[error("the log's database failed")]
    Database(#[from] sqlx::Error),
    /// A stored event cannot be read by this program.
    #[error("a stored event cannot be read")]
    Decode(#[from] DecodeError),
    /// An event could not be written as JSON, or its serde tag is not its stored type.
    #[error("an event cannot be written: {0}")]
    Encode(String),
    /// What was asked cannot be stored: too long, or with a zero byte.
    #[error("not fit for the log: {0}")]
    Invalid(&'static str),
    /// The log did not answer in time; whether the command was done is known only by asking again under its request id.
    #[error("the log does not answer")]
    Unavailable,
    /// The system is closing.
    #[error("the log is closed")]
    Closed,
    /// Personal data of somebody who was forgotten cannot be written again.
    #[error("{0} was forgotten")]
    Forgotten(String),
    /// A personal key does not open: wrong master key, or changed data.
    #[error("personal data of {0} cannot be opened")]
    Sealed(String),
}
