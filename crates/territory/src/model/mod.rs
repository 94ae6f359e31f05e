//! Write side: who operates where. Pure.

pub mod agent;
pub mod agent_role;
pub mod franchisee;
pub mod area;
pub mod fence;
pub mod license;
pub mod ring;
