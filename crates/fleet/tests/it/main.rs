//! The fleet on a real log.

mod alarms;
mod runtime;
mod sender;
mod vehicles;
