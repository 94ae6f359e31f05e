//! Between events and the bytes that lie in the log.

use super::LogError;
use crate::{Actor, DecodeError, Event, Meta, StoredForm};

/// The stored form of `event`, personal data still open.
pub fn encode<E: Event>(event: &E) -> Result<StoredForm, LogError> {
    let stored_type = event.stored_type();
    let json =
        serde_json::to_string(event).map_err(|error| LogError::Encode(format!("{stored_type}: {error}")))?;
    let data = json
        .strip_prefix(r#"{"type":""#)
        .and_then(|rest| rest.strip_prefix(stored_type)?.strip_prefix('"')?.strip_suffix('}'))
        .and_then(|rest| if rest.is_empty() { Some("null") } else { rest.strip_prefix(r#","data":"#) })
        .ok_or_else(|| LogError::Encode(format!("{stored_type} is not tagged with its type, then data")))?;
    Ok(StoredForm {
        stored_type: stored_type.to_owned(),
        schema_version: E::schema_version(stored_type),
        data: data.as_bytes().to_vec(),
    })
}

/// The event that lies in `data` of `stored_type` at `schema_version`, lifted to the newest version.
pub fn decode<E: Event>(stored_type: &str, schema_version: i16, data: &[u8]) -> Result<E, DecodeError> {
    let shape =
        |source| DecodeError::Shape { stored_type: stored_type.to_owned(), version: schema_version, source };
    let newest = E::schema_version(stored_type);
    if schema_version > newest {
        return Err(DecodeError::NoUpcaster { stored_type: stored_type.to_owned(), version: schema_version });
    }
    let name = serde_json::to_string(stored_type).map_err(shape)?;
    if schema_version == newest {
        return parse(&name, data).map_err(shape);
    }
    let mut value: serde_json::Value = serde_json::from_slice(data).map_err(shape)?;
    for version in schema_version..newest {
        value = E::upcast(stored_type, version, value)?;
    }
    parse(&name, &serde_json::to_vec(&value).map_err(shape)?).map_err(shape)
}

/// What is known about an event of `stored_type` beside its data.
pub(super) fn decode_meta(stored_type: &str, schema_version: i16, meta: &[u8]) -> Result<Meta, DecodeError> {
    serde_json::from_slice(meta).map_err(|source| DecodeError::Shape {
        stored_type: format!("{stored_type} (meta)"),
        version: schema_version,
        source,
    })
}

fn parse<E: Event>(quoted_type: &str, data: &[u8]) -> serde_json::Result<E> {
    let mut tagged = Vec::with_capacity(quoted_type.len() + data.len() + 20);
    tagged.extend_from_slice(b"{\"type\":");
    tagged.extend_from_slice(quoted_type.as_bytes());
    if data != b"null" {
        tagged.extend_from_slice(b",\"data\":");
        tagged.extend_from_slice(data);
    }
    tagged.push(b'}');
    serde_json::from_slice(&tagged)
}

/// The actor as the key of his requests.
pub fn actor_key(actor: &Actor) -> String {
    match actor {
        Actor::Operator { id } => format!("operator:{id}"),
        Actor::Machine { id } => format!("machine:{id}"),
        Actor::System { name } => format!("system:{name}"),
    }
}
