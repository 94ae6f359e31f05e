//! Access: who may do what. Roles, operators, their devices, machine clients, and the way in.
#![deny(missing_docs)]

pub mod model;
pub mod permissions;
