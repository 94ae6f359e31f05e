//! The routes of the context.

pub mod alarms;
pub mod commands;
pub mod enrolment;
pub mod firmwares;
pub mod keeping;
pub mod map_views;
pub mod screening;
pub mod shift_notes;
pub mod vehicle_list;
pub mod vehicle_log;
pub mod vehicles;
pub mod voltage_schemes;
pub mod work;
