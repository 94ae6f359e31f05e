//! An event read back from the log.

use bytes::Bytes;
use bytestring::ByteString;
use serde::{Deserialize, Serialize};
use vocabulary::{DataOwner, Timestamp};

use crate::projector::ApplyError;
use crate::{Actor, DecodeError, Event, Position};

/// What is known about an event beside its data.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Meta {
    /// Who acted.
    pub actor: Actor,
    /// Whose data the aggregate is.
    #[serde(default, rename = "territory")]
    pub owner: DataOwner,
    /// Runs from the browser's request to the event.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub trace_id: String,
    /// The event that caused the command.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub causation: Option<Position>,
    /// Where the request came from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client_address: Option<String>,
    /// The request's id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request_id: Option<String>,
    /// No other append has it: two nodes that decide the same at the same moment write different events, and each knows
    /// its own.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub nonce: String,
}

/// A stored event with its place.
#[derive(Clone, Debug)]
pub struct Recorded {
    /// Place in the log.
    pub position: Position,
    /// The aggregate's category.
    pub category: ByteString,
    /// The aggregate's id.
    pub stream_id: ByteString,
    /// 1, 2, 3 … within the stream.
    pub version: i64,
    /// The stored name, such as `role.disabled`.
    pub stored_type: ByteString,
    /// Schema version of `data`.
    pub schema_version: i16,
    /// JSON with personal data opened (or marked as forgotten).
    pub data: Bytes,
    /// Who, where, why.
    pub meta: Meta,
    /// When.
    pub recorded_at: Timestamp,
}

impl Recorded {
    /// The event, lifted to the newest schema version.
    pub fn decode<E: Event>(&self) -> Result<E, DecodeError> {
        crate::log::codec::decode(&self.stored_type, self.schema_version, &self.data)
    }

    /// The row that it changes: what was `known` of the stream, or with the stream's first event a fresh one.
    pub fn begin<R: Default>(&self, known: Option<R>) -> Result<R, ApplyError> {
        match known {
            Some(row) => Ok(row),
            None if self.version == 1 => Ok(R::default()),
            None => Err(format!("{} {} changed before it came", self.category, self.stream_id).into()),
        }
    }
}
