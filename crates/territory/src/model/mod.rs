//! Write side: who operates where. Pure.

pub mod agent;
pub mod agent_role;
pub mod area;
pub mod fence;
pub mod franchisee;
pub mod license;
