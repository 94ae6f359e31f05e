//! `simulator replay`: real recordings played as device messages; `simulator inspect`: only read and counted.

pub mod play;
pub mod source;
