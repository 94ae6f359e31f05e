//! The fleet on a real log.

mod runtime;
mod sender;
mod vehicles;
