//! Write side: who operates where. Pure.

pub mod agent;
pub mod agent_role;
pub mod area;
pub mod area_edge;
pub mod area_terms;
pub mod crew;
pub mod fence;
pub mod fence_adjust;
pub mod fence_batch;
pub mod fence_form;
pub mod franchisee;
pub mod license;
pub mod park_application;
pub mod station_day;
