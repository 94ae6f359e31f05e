//! The routes of the context.

pub mod accounts;
pub mod agent_roles;
pub mod agents;
pub mod franchisees;
pub mod files;
pub mod map;
pub mod open;
pub mod areas;
