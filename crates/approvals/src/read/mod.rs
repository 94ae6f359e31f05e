//! What lists show.

pub mod approvals;
