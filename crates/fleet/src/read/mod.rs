//! Read side: bikes, devices and commands as pages ask for them.

pub mod alarm_tickets;
pub mod commands;
pub mod devices;
pub mod firmwares;
pub mod map_views;
pub mod shelved_days;
pub mod shift_notes;
pub mod vehicle_list;
pub mod vehicle_log;
pub mod vehicles;
pub mod voltage_schemes;
