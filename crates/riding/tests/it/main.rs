//! What the clock does, on a database.

mod case_upkeep;
mod reminders;
