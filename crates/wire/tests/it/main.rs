//! The wire through its public interface: the real router, a real database, a clock that stands where the test puts it.

mod boxes;
mod exchange;
mod front;
mod lines;
mod permits;
mod runtime;
mod sessions;
