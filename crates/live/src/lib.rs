//! Telemetry in, the fleet in memory, push out.
//!
//! A report goes: MQTT → JetStream → [`report`] decodes and judges it → [`fleet`] remembers it → [`rules`] say what
//! follows → [`ingest`] stores it → [`push`] shows it to every screen that may see it. The first four are pure.
#![deny(missing_docs)]

mod areas_now;
pub mod delivery;
mod device_log;
pub mod fleet;
pub mod http;
pub mod ingest;
mod measure;
mod memory;
mod past;
mod past_stops;
pub mod push;
pub mod report;
pub mod rules;
mod subscriptions;

pub use memory::Memory;
pub use subscriptions::subscriptions;
