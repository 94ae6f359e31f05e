//! Its HTTP surface.

pub(crate) mod gbfs;
pub(crate) mod mds;
