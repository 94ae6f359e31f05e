//! The routes of the context.

mod account_list;
pub mod accounts;
pub mod agent_roles;
pub mod agents;
pub mod areas;
pub mod fences;
pub mod franchisees;
pub mod judge;
pub mod map;
pub mod open;
