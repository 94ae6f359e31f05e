//! What the simulator promises, tested from outside.

mod asking;
mod platform;
mod process;
mod telling;
