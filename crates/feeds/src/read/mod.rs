//! What the feeds are made of: the read models within a scope, and the fleet in memory.

pub(crate) mod ground;
pub(crate) mod street;
pub(crate) mod versions;
