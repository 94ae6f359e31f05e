//! The context behind the real wire, over the real database.

mod accounts;
mod cards;
mod passwords;
mod runtime;
