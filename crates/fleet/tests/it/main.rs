//! The fleet on a real log.

mod house;
mod sender;
mod vehicles;
