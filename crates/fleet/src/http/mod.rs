//! The routes of the context.

pub mod alarms;
pub mod command_batch;
pub mod commands;
pub mod enrolment;
pub mod vehicle_list;
pub mod vehicle_log;
pub mod vehicles;
pub mod work;
