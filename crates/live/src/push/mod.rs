//! What browsers see, tick by tick: `docs/push.md`.
//!
//! No socket has a queue. Each remembers the tick it has seen; when it can take bytes again it gets the beat's shared
//! buffers, or, when it missed some, the difference of the latest state.

mod cars;
pub mod frame;
mod hub;
mod levels;
mod news;
mod outlet;
mod ports;
mod protocol;
mod screens;
mod session;
mod viewport;

pub use hub::{Hub, HubParts, Limits, TICK};
pub use ports::{
    Authentication, Denied, Detail, Details, EndReason, Ended, PortError, RowsChanged, Screens, Viewer, Whose,
};
pub(crate) use session::VEHICLE_CODES;
pub use session::upgrade;
