//! Read side: franchisees, areas and fences as pages ask for them.

pub mod agents;
pub mod areas;
pub mod fences;
