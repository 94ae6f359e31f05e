//! The routes of the context.

pub mod accounts;
pub mod agent_roles;
pub mod agents;
pub mod areas;
pub mod files;
pub mod franchisees;
pub mod map;
pub mod open;
