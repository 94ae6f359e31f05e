//! The access context through its public interface: the real router, a real database, a clock that stands where the test
//! puts it.

mod contract;
mod devices;
mod operators;
mod roles;
mod rules;
mod runtime;
mod sign_in;
mod strangers;
mod swap;
mod way_in;
