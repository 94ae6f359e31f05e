//! The audit room over a real log and a real database, with two rooms of its own making: people, and cards that have
//! changed their stored form once.

mod history;
mod runtime;
mod log;
mod records;
