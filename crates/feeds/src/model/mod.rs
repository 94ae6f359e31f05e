//! What the feeds say, and of whom not; pure.

pub(crate) mod gbfs;
pub(crate) mod ground;
pub(crate) mod mds;
pub(crate) mod shapes;
pub(crate) mod street;
