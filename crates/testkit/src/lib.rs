//! Throw-away PostgreSQL and NATS for tests, and the private servers of a developer's machine.
//!
//! - [`local`] runs both as private processes: own folder, own ports, no trace afterwards.
//! - [`Services`] is what a test asks for: it takes the servers named in the environment, or
//!   containers, or private processes, and gives every test a database of its own.
//! - [`OwnPostgres`] and [`OwnNats`] are servers a test may stop, kill and start again.
//!
//! Nothing here is ever skipped in silence: what cannot be had is an error that says what to do.
#![deny(missing_docs)]

pub mod local;

#[cfg(feature = "services")]
mod containers;
#[cfg(feature = "services")]
mod database;
#[cfg(feature = "services")]
mod own;
#[cfg(feature = "services")]
mod services;

#[cfg(feature = "services")]
pub use database::TestDatabase;
#[cfg(feature = "services")]
pub use own::{OwnNats, OwnPostgres};
#[cfg(feature = "services")]
pub use services::Services;

/// The JetStream streams that the product declares, as the JSON of `nats/streams.json`.
pub const STREAMS_JSON: &str = include_str!("../../../nats/streams.json");

/// Holds the log's head until its transaction ends: every append waits meanwhile.
pub const HOLD_HEAD: &str = "select pg_advisory_xact_lock(7146)";
