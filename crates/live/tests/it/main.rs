//! Live data through its public doors: real sockets, a real PostgreSQL, a real NATS.

mod ingest;
mod push;
mod screen;
