//! The routes of the context.

mod account_list;
pub mod accounts;
pub mod agent_roles;
pub mod agents;
pub mod area_edges;
pub mod areas;
pub mod crews;
pub mod fence_batches;
pub mod fence_delivery;
pub mod fence_files;
pub mod fence_imports;
pub mod fence_photos;
pub mod fence_preview;
pub mod fences;
pub mod franchisees;
pub mod judge;
pub mod map;
pub mod open;
pub mod park_applications;
mod station_shapes;
pub mod station_statistics;
