//! Telemetry in: from the stream into memory and history, and what follows from it out to the fleet.
//!
//! One node leads: it alone stores, judges and acknowledges ([`Ingest::lead`], run by whoever holds the lease). The
//! others keep their memory current ([`Ingest::follow`]). To shard later, give each shard a stream partition and a name.

mod alarms;
mod book;
mod catching_up;
mod down;
mod hearing;
mod history;
mod introduced;
mod keep;
mod leader;
mod message;
mod moments;
mod overtaking;
mod partitions;
mod registry;
mod stops;
mod strangers;
mod taking;
mod upkeep;
mod waiting;
mod writer;

pub use alarms::{AlarmQueue, Alarms};
pub use down::Downlink;
pub use history::{FixKept, Point, Pulse, fixes, history, pulses, track, travelled_m};
pub(crate) use keep::{Numbers, begin as leading, take_the_lead};
pub use leader::{Ingest, IngestError, IngestSettings};
pub use message::{CommandAcks, Introductions, STREAM, SUBJECTS};
pub use moments::{LockMoments, lock_moments, stood_since};
pub use registry::{enrol_all, enrol_carriers, enrol_some, next_turn, reload_rules, reload_zones};
pub use stops::{
    KEEP_DAYS, PastStop, Stood, Stop, Told, keep_past, looked_at, standing_since, stays_in, stood, stops_in,
    told_late,
};

/// A failure behind a port.
pub type PortError = Box<dyn std::error::Error + Send + Sync>;
