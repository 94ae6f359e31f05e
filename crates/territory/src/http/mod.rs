//! The routes of the room.

pub mod agents;
pub mod map;
pub mod open;
