//! Read side: agents, areas and fences as pages ask for them.

pub mod agent_roles;
pub mod agents;
pub mod area_versions;
pub mod areas;
mod fence_times;
pub mod fences;
pub mod franchisees;
