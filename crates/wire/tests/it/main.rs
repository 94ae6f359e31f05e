//! The wire through its public door: the real router, a real database, a clock that stands where the test puts it.

mod boxes;
mod exchange;
mod front;
mod runtime;
mod lines;
mod permits;
mod sessions;
