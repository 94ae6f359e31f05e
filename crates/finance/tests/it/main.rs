//! The context behind the real entrance, over the real database.

mod accounts;
mod cards;
mod runtime;
mod passwords;
