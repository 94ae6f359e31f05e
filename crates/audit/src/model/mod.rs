//! What is decided here: the record of what leaves no event by itself. Pure: no I/O, no clock, no randomness.

pub mod access_record;
