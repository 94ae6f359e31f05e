//! Write side: who operates where. Pure.

pub mod agent;
pub mod agent_role;
pub mod area;
pub mod fence;
pub mod fence_form;
pub mod franchisee;
pub mod license;
