//! The wire through its public door: the real router, a real database, a clock that stands where the test puts it.

mod boxes;
mod exchange;
mod front;
mod house;
mod lines;
mod permits;
mod sessions;
