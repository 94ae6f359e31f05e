//! Write side: bikes, their devices, and what devices are told. Pure.

pub mod alarm;
pub mod bell;
pub mod command;
pub mod device;
pub mod firmware;
pub mod life;
pub mod map_view;
pub mod region;
pub mod rentable;
pub mod screening;
pub mod shift_note;
pub mod vehicle;
pub mod voltage_scheme;
