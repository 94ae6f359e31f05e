//! Read models: what books hold, and every entry.

pub mod books;
pub mod entries;
