//! How large an event may be, so that it fits wherever it has to go.
//!
//! NATS counts a message's headers with its data against `max_payload` (1 MiB by default). The relay sends an event's data
//! and, as headers, what [`HEADER_BYTES_MAX`] bounds; what is appended fits with room to spare.

/// Streams of one append.
pub const STREAMS_MAX: usize = 1000;
/// Bytes of an event's data and meta together.
pub const EVENT_BYTES_MAX: usize = 900 << 10;
/// Bytes of an event's meta.
pub const META_BYTES_MAX: usize = 16 << 10;
/// Bytes of the headers with which the relay tells of an event.
pub const HEADER_BYTES_MAX: usize = 8 << 10;

const _: () = assert!(EVENT_BYTES_MAX + HEADER_BYTES_MAX <= 1 << 20, "an event fits into a message of 1 MiB");
