//! Read side: agents, areas and fences as pages ask for them.

pub mod agent_roles;
pub mod agents;
pub mod area_edges;
pub mod area_versions;
pub mod areas;
pub mod crews;
pub mod fence_batches;
pub mod fences;
pub mod franchisees;
pub mod park_applications;
pub mod station_days;
