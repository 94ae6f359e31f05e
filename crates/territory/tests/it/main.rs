//! The context on real stores, at times of the test's own.

mod expiry;
