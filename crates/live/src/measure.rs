//! What `/metrics` says of live data. Names in one place.

use std::time::Duration;

use vocabulary::Timestamp;

use crate::fleet::{Fleet, TickBuffers};
use crate::report::Refusal;

/// A report was taken.
pub(crate) fn taken() {
    metrics::counter!("wheelhouse_live_reports_taken_total").increment(1);
}

/// A report, or part of one, was not taken.
pub(crate) fn refused(reason: Refusal) {
    metrics::counter!("wheelhouse_live_reports_refused_total", "reason" => reason.name()).increment(1);
}

/// A beat was made.
pub(crate) fn beat(buffers: &TickBuffers, took: Duration) {
    metrics::histogram!("wheelhouse_live_beat_seconds").record(took.as_secs_f64());
    if !buffers.changed.is_empty() {
        let bytes: usize = buffers
            .cells
            .values()
            .flatten()
            .flat_map(|(_, cell)| cell.left.iter().chain(&cell.changed))
            .map(bytes::Bytes::len)
            .sum();
        metrics::counter!("wheelhouse_live_bikes_packed_total").increment(buffers.changed.len() as u64);
        metrics::counter!("wheelhouse_live_bytes_packed_total").increment(bytes as u64);
        metrics::gauge!("wheelhouse_live_bytes_per_update").set(bytes as f64 / buffers.changed.len() as f64);
    }
}

/// A beat whose oldest report reached the system at `published` was handed to a socket at `now`.
pub(crate) fn pushed(published: Option<Timestamp>, now: Timestamp) {
    if let Some(published) = published {
        let seconds = now.millis_since(published).max(0) as f64 / 1000.0;
        metrics::histogram!("wheelhouse_live_publish_to_push_seconds").record(seconds);
    }
}

/// Sockets opened (+1) and closed (-1).
pub(crate) fn sockets(change: f64) {
    metrics::gauge!("wheelhouse_live_sockets").increment(change);
}

/// A socket had missed beats and was given the difference instead.
pub(crate) fn caught_up() {
    metrics::counter!("wheelhouse_live_slow_catch_ups_total").increment(1);
}

/// State of the fleet, told now and then.
pub(crate) fn fleet(fleet: &Fleet) {
    metrics::gauge!("wheelhouse_live_bikes").set(fleet.len() as f64);
    metrics::gauge!("wheelhouse_live_bytes_per_bike").set(Fleet::bytes_a_bike() as f64);
}

/// Messages that wait in the stream.
pub(crate) fn lag(messages: u64) {
    metrics::gauge!("wheelhouse_live_ingest_lag_messages").set(messages as f64);
}

/// Messages left the stream before they were stored.
pub(crate) fn given_up(messages: u64) {
    tracing::error!(messages, "telemetry left the stream before it was stored");
    metrics::counter!("wheelhouse_live_messages_given_up_total").increment(messages);
}

/// The database did not take something; it is tried again.
pub(crate) fn not_stored() {
    metrics::counter!("wheelhouse_live_store_failures_total").increment(1);
}

/// A batch was stored.
pub(crate) fn stored(rows: usize, took: Duration) {
    metrics::counter!("wheelhouse_live_rows_stored_total").increment(rows as u64);
    metrics::histogram!("wheelhouse_live_store_seconds").record(took.as_secs_f64());
}
