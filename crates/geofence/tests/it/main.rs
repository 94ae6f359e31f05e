//! Judging, from outside.

mod real_data;
