//! Live data through its public interface: real sockets, a real PostgreSQL, a real NATS.

mod delivery;
mod ingest;
mod outages;
mod push;
mod runtime;
mod screen;
mod stays;
