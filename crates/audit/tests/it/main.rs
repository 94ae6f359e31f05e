//! The audit context over a real log and a real database, with two contexts of its own making: people, and cards that have
//! changed their stored form once.

mod history;
mod log;
mod machines;
mod records;
mod runtime;
