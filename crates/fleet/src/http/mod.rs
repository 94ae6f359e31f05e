//! The routes of the context.

pub mod commands;
pub mod enrolment;
pub mod rides;
pub mod vehicle_list;
pub mod vehicles;
