//! The routes of the context.

pub mod alarms;
pub mod commands;
pub mod enrolment;
pub mod keeping;
pub mod screening;
pub mod vehicle_list;
pub mod vehicle_log;
pub mod vehicles;
pub mod work;
