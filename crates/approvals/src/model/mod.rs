//! What is decided, pure.

pub mod approval;
pub mod limits;
