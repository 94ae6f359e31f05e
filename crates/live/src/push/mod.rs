//! What browsers see, tick by tick: `docs/push.md`.
//!
//! No socket has a queue. Each remembers the tick it has seen; when it can take bytes again it gets the beat's shared
//! buffers, or, when it missed some, the difference of the latest state.

mod cars;
pub mod frame;
mod ports;
mod hub;
mod levels;
mod viewport;
mod outlet;
mod protocol;
mod session;

pub use ports::{Denied, Detail, Details, EndReason, Ended, Authentication, RowsChanged, PortError, Viewer, Whose};
pub use hub::{Hub, HubParts, Limits, TICK};
pub(crate) use session::VEHICLE_CODES;
pub use session::upgrade;
