//! Read side: agents, areas and fences as pages ask for them.

pub mod agent_roles;
pub mod agents;
pub mod areas;
pub mod fences;
pub mod franchisees;
