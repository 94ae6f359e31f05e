//! Write side: who operates where. Pure.

pub mod agent;
pub mod agent_role;
pub mod area;
pub mod area_edge;
pub mod crew;
pub mod fence;
pub mod fence_form;
pub(crate) mod fence_times;
pub mod franchisee;
pub mod license;
pub mod park_application;
