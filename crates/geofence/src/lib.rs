//! Fences on the globe: how they are drawn, and what they say of a place at a time. Pure.

pub mod atlas;
pub mod correction;
pub mod judge;
mod outline;
mod overlap;
mod plane;
mod ring;
pub mod rule;
mod shape;

pub use atlas::Atlas;
pub use outline::{Bounds, Outline, meet};
pub use overlap::{overlap_m2, place_in_both};
pub use plane::{Plane, to_segment_m};
pub use ring::{NotARing, Ring};
pub use rule::{Ban, FenceKind, Parking, Proof, Rule};
pub use shape::{Circle, Shape};
