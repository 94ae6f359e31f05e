//! An event as a message of NATS.

use async_nats::HeaderMap;
use async_nats::jetstream::message::StreamMessage;
use bytes::Bytes;

use super::Contexts;
use crate::{Position, Recorded};

/// Tells of the event's link in the log's chain, hexadecimal.
const CHAIN: &str = "wheelhouse-chain";
/// On a message that was asked for again: how far the stream had reached before it.
const RESENT: &str = "wheelhouse-resent";
/// `log`: the event is too large for a message and lies in the log alone.
const REFERENCE: &str = "wheelhouse-reference";
/// Bytes of the data that a reference stands for.
const SIZE: &str = "wheelhouse-size";
/// A header's value is cut to so many bytes.
const VALUE_BYTES_MAX: usize = 512;

/// How a message is sent.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sending {
    /// The stream's sequence before it; JetStream refuses it elsewhere.
    pub(super) after: u64,
    /// Sent before and no longer in the stream: under an id that JetStream does not take for a repeat.
    pub(super) anew: bool,
    /// Asked for again: how far the stream reaches.
    pub(super) resent: Option<Position>,
}

/// What a message of the stream tells of the log.
pub struct Told {
    /// Its event.
    pub(crate) event: Position,
    /// That event's link, hexadecimal; older messages have none.
    pub(crate) chain: Option<String>,
    /// On one that was sent again: how far the stream had reached.
    pub(crate) resent: Option<Position>,
}

impl Told {
    /// Nothing when it is no event of the log.
    pub(crate) fn of(message: &StreamMessage) -> Option<Self> {
        let number = |name: &str| message.headers.get(name)?.as_str().parse().ok().map(Position);
        let chain = message.headers.get(CHAIN).map(|chain| chain.as_str().to_owned());
        Some(Self { event: number("ce-id")?, chain, resent: number(RESENT) })
    }

    /// How far the stream tells of the log.
    pub(crate) fn reached(&self) -> Position {
        self.resent.map_or(self.event, |reached| reached.max(self.event))
    }
}

/// Headers and payload, together at most `max_payload` bytes: an event that does not fit is sent as a reference.
pub(super) fn message(
    event: &Recorded,
    chain: &[u8],
    sending: Sending,
    max_payload: usize,
) -> (HeaderMap, Bytes) {
    let mut headers = headers(event);
    let zero = if sending.anew { "0" } else { "" };
    headers.insert(async_nats::header::NATS_MESSAGE_ID, format!("{zero}{}", event.position.0));
    headers.insert(async_nats::header::NATS_EXPECTED_LAST_SEQUENCE, sending.after.to_string());
    headers.insert(CHAIN, hex::encode(chain));
    if let Some(reached) = sending.resent {
        headers.insert(RESENT, reached.0.to_string());
    }
    if wire_bytes(&headers) + event.data.len() <= max_payload {
        return (headers, event.data.clone());
    }
    headers.insert(REFERENCE, "log");
    headers.insert(SIZE, event.data.len().to_string());
    (headers, Bytes::new())
}

/// `events.<context>.<category>.<type>`; the type without its category in front.
pub fn subject(event: &Recorded, contexts: &Contexts) -> String {
    let context = contexts.get(&*event.category).copied().unwrap_or("house");
    let name = event
        .stored_type
        .strip_prefix(&*event.category)
        .and_then(|rest| rest.strip_prefix('.'))
        .unwrap_or(&event.stored_type);
    format!("events.{context}.{}.{}", tokens(&event.category), tokens(name))
}

/// A name as parts of a subject: NATS refuses empty parts, white space and its own signs in them.
fn tokens(name: &str) -> String {
    let foreign = |c: char| c.is_whitespace() || c.is_control() || matches!(c, '*' | '>');
    let plain = name.replace(foreign, "_");
    let parts: Vec<&str> = plain.split('.').map(|part| if part.is_empty() { "_" } else { part }).collect();
    parts.join(".")
}

/// CloudEvents 1.0, binary mode.
fn headers(event: &Recorded) -> HeaderMap {
    let mut headers = HeaderMap::new();
    headers.insert("ce-specversion", "1.0");
    headers.insert("ce-id", event.position.0.to_string());
    headers.insert("ce-source", "/wheelhouse/log");
    headers.insert("ce-type", one_line(&event.stored_type));
    headers.insert("ce-subject", one_line(&format!("{}/{}", event.category, event.stream_id)));
    let time = event.recorded_at.datetime().to_rfc3339_opts(chrono::SecondsFormat::Millis, true);
    headers.insert("ce-time", time);
    headers.insert("ce-streamversion", event.version.to_string());
    headers.insert("ce-schemaversion", event.schema_version.to_string());
    headers.insert("ce-actor", one_line(&crate::log::codec::actor_key(&event.meta.actor)));
    if let Some(agent) = event.meta.owner.agent {
        headers.insert("ce-agentid", agent.to_string());
    }
    if let Some(area) = event.meta.owner.area {
        headers.insert("ce-areaid", area.to_string());
    }
    if !event.meta.trace_id.is_empty() {
        headers.insert("ce-traceid", one_line(&event.meta.trace_id));
    }
    headers.insert("content-type", "application/json");
    headers
}

/// A header has one line, and not a long one.
fn one_line(text: &str) -> String {
    let mut end = text.len().min(VALUE_BYTES_MAX);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text[..end].replace(['\r', '\n'], " ")
}

/// What NATS counts of headers: its version line, each header's line, an empty line.
fn wire_bytes(headers: &HeaderMap) -> usize {
    let line = |name: &str, value: &str| name.len() + value.len() + ": \r\n".len();
    let lines = headers
        .iter()
        .flat_map(|(name, values)| values.iter().map(move |value| line(name.as_ref(), value.as_str())));
    "NATS/1.0\r\n\r\n".len() + lines.sum::<usize>()
}

#[cfg(test)]
mod tests {
    use vocabulary::{AgentId, AreaId, DataOwner, Timestamp};

    use super::*;
    use crate::log::limits::{EVENT_BYTES_MAX, HEADER_BYTES_MAX};
    use crate::{Actor, Meta};

    fn largest(name: usize) -> Recorded {
        let long = "长".repeat(name);
        Recorded {
            position: Position(i64::MAX),
            category: long.clone().into(),
            stream_id: long.clone().into(),
            version: i64::MAX,
            stored_type: long.clone().into(),
            schema_version: i16::MAX,
            data: vec![b'x'; EVENT_BYTES_MAX].into(),
            meta: Meta {
                actor: Actor::System { name: long.clone() },
                owner: DataOwner::of_area(AgentId(i64::MAX), AreaId(i64::MAX)),
                trace_id: long,
                causation: None,
                client_address: None,
                request_id: None,
                nonce: String::new(),
            },
            recorded_at: Timestamp::from_millis(1_790_000_000_000),
        }
    }

    #[test]
    fn the_largest_event_that_is_appended_fits_with_the_largest_headers() {
        let sending = Sending { after: u64::MAX, anew: true, resent: Some(Position(i64::MAX)) };
        let event = largest(100_000);
        let (headers, data) = message(&event, &[255; 32], sending, 1 << 20);
        assert_eq!(data.len(), EVENT_BYTES_MAX);
        assert!(wire_bytes(&headers) <= HEADER_BYTES_MAX, "{} bytes of headers", wire_bytes(&headers));
        assert!(headers.get(REFERENCE).is_none());
    }

    #[test]
    fn an_event_that_does_not_fit_is_a_reference_with_its_size() {
        let event = largest(10);
        let (headers, data) = message(&event, &[0; 32], Sending::default(), 64 << 10);
        assert!(data.is_empty());
        assert_eq!(headers.get(REFERENCE).unwrap().as_str(), "log");
        assert_eq!(headers.get(SIZE).unwrap().as_str(), EVENT_BYTES_MAX.to_string());
    }
}
