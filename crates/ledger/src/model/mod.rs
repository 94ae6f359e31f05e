//! Write side: accounts, entries, books. Pure.

pub mod account;
pub mod book;
#[cfg(test)]
mod book_tests;
pub mod entry;
