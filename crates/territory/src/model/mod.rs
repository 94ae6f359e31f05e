//! Write side: who operates where. Pure.

pub mod agent;
pub mod area;
pub mod fence;
pub mod ring;
