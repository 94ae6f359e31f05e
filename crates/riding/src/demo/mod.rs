//! Orders of two years, made up: for looking at lists, statistics and rebuilds at the size of a real system. The youngest
//! go through the log like any other; older ones may be filled into the read model alone.

pub mod filled;
pub mod life;
pub mod logged;

/// Orders that go through the log at most; what is more is filled in.
pub const LOGGED_MAX: i64 = 1_000_000;
/// Orders at most.
pub const ORDERS_MAX: i64 = 50_000_000;
